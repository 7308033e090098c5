// SPDX-License-Identifier: Apache-2.0
/// Opening the text of a run, and the mean loss over it.
#include "actors/run/run_data.hpp"

#include "compute/data/text_source.hpp"

namespace actorpipe {

run_data open_text(const run_config& config) {
  run_data result;
  result.text = std::make_shared<const text_corpus>(load_text_corpus(
    {config.data.path, config.data.holdout, config.data.holdout_fraction}));
  const text_source_options how{config.data.batch, config.model.gpt.sequence,
                                static_cast<std::uint64_t>(config.run.seed)};
  result.training = make_training_source(result.text, how);
  result.held_out = make_held_out_source(result.text, how);
  return result;
}

void require_classes(const text_corpus& text, std::int64_t classes) {
  for (const auto* part : {&text.training, &text.held_out})
    for (const auto& document : *part)
      for (const auto byte : document.bytes)
        if (const auto value = static_cast<unsigned char>(byte);
            value >= classes)
          throw data_error(
            document.name + ": has the byte " + std::to_string(value)
            + ", and the model predicts bytes below " + std::to_string(classes)
            + " only (model.vocabulary; 256 fits any text)");
}

std::string find_leak(const text_corpus& text) {
  // Long enough not to be a turn of phrase; the search remembers every place
  // of the held-out part.
  constexpr std::size_t passage_bytes = 100;
  constexpr std::size_t most_bytes = std::size_t{1} << 24;
  std::size_t held_out = 0;
  for (const auto& document : text.held_out)
    held_out += document.bytes.size();
  if (held_out > most_bytes)
    return {};
  const auto found = find_shared_passage(text, passage_bytes);
  return found ? "a passage of " + found->held_out
                   + ", which is held out, also stands in " + found->training
                   + ", which is trained on: the held-out loss flatters"
               : std::string();
}

evaluation
evaluate_source(data_source& source, std::int64_t batches,
                const std::function<evaluation(const batch&)>& evaluate) {
  evaluation total;
  for (std::int64_t i = 0; batches == 0 || i < batches; ++i) {
    const auto data = source.batch_at(i);
    if (!data)
      break;
    const auto part = evaluate(*data);
    total.loss += part.loss * static_cast<double>(part.targets);
    total.targets += part.targets;
  }
  if (total.targets > 0)
    total.loss /= static_cast<double>(total.targets);
  return total;
}

} // namespace actorpipe
