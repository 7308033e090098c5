// SPDX-License-Identifier: Apache-2.0
/// metrics.jsonl: what every step of a run gave.
#include "actors/run/metrics.hpp"

#include "compute/io/atomic_file.hpp"
#include "compute/io/io_error.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <fstream>
#include <string>

namespace actorpipe {

namespace {

using json = nlohmann::ordered_json;

bool is_before(const std::string& line, std::int64_t steps_done) {
  const auto parsed = json::parse(line, nullptr, false);
  if (!parsed.is_object())
    return false;
  const auto step = parsed.find("step");
  return step != parsed.end() && step->is_number_integer()
      && step->get<std::int64_t>() <= steps_done;
}

// Returns the path, so that it can run before the file is opened.
const std::filesystem::path& truncate(const std::filesystem::path& path,
                                      std::int64_t steps_done) {
  if (!std::filesystem::exists(path))
    return path;
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw io_error(path.string(), "open", errno);
  std::string kept;
  bool changes = false;
  for (std::string line; std::getline(in, line);) {
    // A line without its end may be short of digits and still be JSON.
    if (!in.eof() && is_before(line, steps_done))
      kept += line + '\n';
    else
      changes = true;
  }
  if (changes)
    write_file_atomically(path, kept);
  return path;
}

void write_line(file_descriptor& file, const json& object) {
  // What a layer or a peer said need not be UTF-8.
  const auto line =
    object.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
  file.write(line.data(), line.size());
}

} // namespace

metrics_writer::metrics_writer(const std::filesystem::path& path,
                               std::int64_t steps_done)
  : file_(truncate(path, steps_done), file_descriptor::mode::append) {}

void metrics_writer::write(const step_metrics& step) {
  write_line(file_, {{"step", step.step},
                     {"loss", step.loss},
                     {"learning_rate", step.learning_rate},
                     {"gradient_norm", step.gradient_norm},
                     {"clip_factor", step.clip_factor},
                     {"tokens_per_s", step.tokens_per_s},
                     {"bubble", step.bubble},
                     {"step_seconds", step.step_seconds}});
}

void metrics_writer::write_evaluation(std::int64_t step, double held_out_loss) {
  write_line(file_, {{"step", step}, {"held_out_loss", held_out_loss}});
}

void metrics_writer::write_event(std::int64_t step, std::string_view event,
                                 std::string_view text) {
  write_line(file_, {{"step", step}, {"event", event}, {"text", text}});
}

} // namespace actorpipe
