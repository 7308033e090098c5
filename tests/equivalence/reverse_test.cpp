// SPDX-License-Identifier: Apache-2.0
/// fill-drain-reverse has an order of its own: the plain loop's with backwards
/// from the last micro-batch to the first.
#include "tests/equivalence/equivalence.hpp"

#include "compute/model/cell.hpp"

namespace actorpipe::test {
namespace {

class reverse_test : public equivalence {
protected:
  static arrangement reverse(std::uint32_t cells, std::uint32_t micro_batches) {
    return {cells, micro_batches, 7, schedule_kind::fill_drain_reverse};
  }

  model_values after(const line_case& what, std::int64_t steps) {
    auto options = options_of(what);
    options.detached = false;
    pipeline line(system_, std::move(options));
    for (std::int64_t step = 0; step < steps; ++step)
      line.train(perceptron_batches(step, 7), {step, 0.1, 1});
    return line.values();
  }

  // One update without clipping, all in this thread; of a model without
  // states.
  static std::vector<parameter_value> reverse_loop(const line_case& what) {
    const auto device = make_reference_device("loop");
    const auto stream =
      device->make_stream(std::make_shared<memory_account>("loop"));
    auto& ops = stream->ops();
    const auto rule = make_optimizer(what.rule);
    const auto values = initial_values(*what.source, *rule, ops, what.seed);
    const auto w = gather_weights(*what.source, values);
    const cell whole(what.source, 0, what.source->size());
    const auto data = perceptron_batches(0, 7);
    const auto ranges = cut_batch(7, what.how.micro_batches);
    const cell_step step{run_mode::train, what.seed, 0, 7};
    std::vector<cell_stash> stashes;
    for (const auto& range : ranges) {
      const auto part = slice(data, range);
      stashes.push_back(whole
                          .forward(ops, step, part.inputs, part.targets,
                                   range.begin, w, cell::keep::everything)
                          .stash);
    }
    std::vector<tensor_list> d_w;
    for (const auto& layer : w)
      d_w.push_back(zeros_of(layer.parameters));
    for (auto m = ranges.size(); m-- > 0;)
      whole.backward(ops, step, {}, ranges[m].begin, w, stashes[m], d_w, false);
    std::vector<parameter_value> result;
    for (std::size_t i = 0; i < values.parameters.size(); ++i) {
      const auto [layer, index] = what.source->parameters()[i].uses.at(0);
      result.push_back(rule->update(ops, values.parameters[i],
                                    d_w[layer][index], {0.1, 1, 1, true}));
    }
    return result;
  }

  static tensor_list zeros_of(const tensor_list& xs) {
    tensor_list result;
    for (const auto& x : xs)
      result.push_back(tensor::zeros(x.type()));
    return result;
  }
};

TEST_F(reverse_test, every_K_gives_the_same_bits) {
  for (const std::uint32_t micro_batches : {1, 3, 7}) {
    const auto one = mixed_case(reverse(1, micro_batches));
    const auto expected = after(one, 4);
    for (std::uint32_t cells = 2; cells <= 8; ++cells)
      EXPECT_TRUE(same_values(
        *one.source, after(mixed_case(reverse(cells, micro_batches)), 4),
        expected))
        << cells << " cells, " << micro_batches << " micro-batches";
  }
}

TEST_F(reverse_test, it_is_the_loop_with_backwards_in_reverse) {
  line_case what;
  what.source = build_model(tripping_model(3), pipeline_registry());
  what.like = perceptron_batch(1);
  for (const std::uint32_t cells : {1, 3}) {
    what.how = reverse(cells, 4);
    pipeline line(system_, options_of(what));
    line.train(perceptron_batches(0, 7), {0, 0.1, 0});
    const auto got = line.values().parameters;
    const auto expected = reverse_loop(what);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(same_bits(got[i].weight, expected[i].weight)) << i;
  }
}

TEST_F(reverse_test, its_values_are_near_the_other_orders) {
  const auto what = mixed_case(reverse(3, 7));
  auto other = what;
  other.how.schedule = schedule_kind::fill_drain;
  const auto a = after(what, 1);
  const auto b = after(other, 1);
  EXPECT_FALSE(same_values(*what.source, a, b));
  for (std::size_t i = 0; i < a.parameters.size(); ++i)
    expect_near(a.parameters[i].slots[0], b.parameters[i].slots[0], 1e-6,
                what.source->parameters()[i].declaration.name);
}

} // namespace
} // namespace actorpipe::test
