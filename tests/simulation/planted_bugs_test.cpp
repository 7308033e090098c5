// SPDX-License-Identifier: Apache-2.0
/// The oracle can fail: bugs that are planted between the actors are refused by
/// the scheduler or show as other bits than the plain loop's.
#include "messages/type_ids.hpp"
#include "tests/simulation/simulation.hpp"

#include <algorithm>

namespace actorpipe::test {
namespace {

class planted_bugs_test : public ::testing::Test {
protected:
  enum class verdict : std::uint8_t { unnoticed, refused, differs };

  // Three steps with a network that is asked from the second on.
  verdict run(const network& planted, std::uint64_t seed = 1) {
    bool is_planted = false;
    auto options = simulation_of(source_, how_, seed);
    options.between = [&](const std::string& to,
                          const caf::message& what) -> fate {
      note(to, what);
      return is_planted ? planted(to, what) : fate{{what}, {}};
    };
    return judge(std::move(options), is_planted);
  }

  verdict judge(simulation_options options, bool& is_planted) {
    simulated_pipeline line(std::move(options));
    for (std::int64_t step = 0; step < 3; ++step) {
      is_planted = step > 0;
      const auto outcome =
        line.train(data_of(step, how_.samples), request_of(step));
      if (!outcome || !outcome->ok)
        return verdict::refused;
    }
    const auto same =
      same_values(*source_, line.values(), plain_values(source_, how_, 3));
    return same ? verdict::unnoticed : verdict::differs;
  }

  // Remembers the first activation over edge 1, the first weights of stage 0,
  // and what step is under way.
  void note(const std::string& to, const caf::message& what) {
    if (what.match_elements<begin_step>())
      begun_ = what.get_as<begin_step>(0);
    if (first_weights_.empty() && to == "stage 0"
        && what.match_elements<weights, payload>())
      first_weights_ = what;
    if (first_.empty() && to == "stage 1"
        && what.match_elements<edge_data, payload>()
        && what.get_as<edge_data>(0).edge == 1)
      first_ = what;
  }

  template <class Header, class Change>
  static caf::message changed(const caf::message& what, Change change) {
    auto header = what.get_as<Header>(0);
    change(header);
    return caf::make_message(header, what.get_as<payload>(1));
  }

  static bool is_activation(const caf::message& what, std::uint32_t edge) {
    return what.match_elements<edge_data, payload>()
        && what.get_as<edge_data>(0).edge == edge
        && !what.get_as<edge_data>(0).gradient;
  }

  arrangement how_{3, 3, 7};
  std::shared_ptr<const model> source_ = mixed();
  begin_step begun_;
  caf::message first_;
  caf::message first_weights_;
};

TEST_F(planted_bugs_test, nothing_planted_is_nothing_noticed) {
  EXPECT_EQ(run([](const std::string&, const caf::message& what) -> fate {
              return {{what}, {}};
            }),
            verdict::unnoticed);
}

// Every stage leaves micro-batch 1 out.
caf::message without_a_micro_batch(const caf::message& what) {
  auto begin = what.get_as<begin_step>(0);
  std::erase_if(begin.actions,
                [](const action& x) { return x.micro_batch == 1; });
  return caf::make_message(begin);
}

TEST_F(planted_bugs_test, a_lost_micro_batch_is_refused) {
  EXPECT_EQ(run([](const std::string&, const caf::message& what) -> fate {
              if (what.match_elements<begin_step>())
                return {{without_a_micro_batch(what)}, {}};
              return {{what}, {}};
            }),
            verdict::refused);
}

TEST_F(planted_bugs_test, a_lost_micro_batch_that_is_denied_differs) {
  const auto programs = simulation_of(source_, how_).how.programs;
  EXPECT_EQ(run([&](const std::string&, const caf::message& what) -> fate {
              if (what.match_elements<begin_step>())
                return {{without_a_micro_batch(what)}, {}};
              if (!what.match_elements<finished>())
                return {{what}, {}};
              auto done = what.get_as<finished>(0);
              done.executed.clear();
              for (const auto& x : programs[done.stage])
                done.executed.push_back({x, 0, 0, 0});
              if (done.stage == 2)
                done.loss_sums.push_back(1);
              return {{caf::make_message(done)}, {}};
            }),
            verdict::differs);
}

TEST_F(planted_bugs_test, a_gradient_for_two_micro_batches_is_noticed) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_NE(run(
                [](const std::string&, const caf::message& what) -> fate {
                  if (!what.match_elements<edge_data, payload>()
                      || !what.get_as<edge_data>(0).gradient
                      || what.get_as<edge_data>(0).micro_batch != 0)
                    return {{what}, {}};
                  return {{what, changed<edge_data>(
                                   what, [](auto& x) { x.micro_batch = 1; })},
                          {}};
                },
                seed),
              verdict::unnoticed);
}

TEST_F(planted_bugs_test, gradients_kept_for_the_next_step_are_noticed) {
  const auto keeping = [](const std::string& to,
                          const caf::message& what) -> fate {
    if (to != "parameter 0" || !what.match_elements<accumulated, payload>())
      return {{what}, {}};
    // The next step's own come second and are dropped.
    return {{what},
            {changed<accumulated>(what, [](auto& x) { ++x.id.batch; })}};
  };
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_NE(run(keeping, seed), verdict::unnoticed);
}

// An optimiser that applies each gradient a second time.
class doubling final : public optimizer {
public:
  std::vector<std::string> slots() const override { return inner_->slots(); }
  parameter_value update(operations& ops, const parameter_value& now,
                         const tensor& d_w,
                         const update_options& options) const override {
    return inner_->update(ops, inner_->update(ops, now, d_w, options), d_w,
                          options);
  }

private:
  std::unique_ptr<optimizer> inner_ = make_optimizer(adam());
};

TEST_F(planted_bugs_test, a_gradient_that_is_applied_twice_differs) {
  auto options = simulation_of(source_, how_);
  options.rule = std::make_shared<doubling>();
  bool ignored = false;
  EXPECT_EQ(judge(std::move(options), ignored), verdict::differs);
}

TEST_F(planted_bugs_test, an_old_activation_that_is_accepted_differs) {
  EXPECT_EQ(
    run([this](const std::string& to, const caf::message& what) -> fate {
      if (to != "stage 1" || !is_activation(what, 1)
          || what.get_as<edge_data>(0).micro_batch != 0)
        return {{what}, {}};
      return {
        {changed<edge_data>(first_, [&](auto& x) { x.id = begun_.id; }), what},
        {}};
    }),
    verdict::differs);
}

TEST_F(planted_bugs_test, old_weights_that_are_accepted_differ) {
  EXPECT_EQ(
    run([this](const std::string& to, const caf::message& what) -> fate {
      if (to != "stage 0" || !what.match_elements<weights, payload>())
        return {{what}, {}};
      return {{changed<weights>(first_weights_,
                                [&](auto& x) { x = what.get_as<weights>(0); })},
              {}};
    }),
    verdict::differs);
}

TEST_F(planted_bugs_test, a_target_of_another_micro_batch_differs) {
  const auto target_edge = static_cast<std::uint32_t>(
    simulation_of(source_, how_).how.edges.size() - 1);
  EXPECT_EQ(run([&](const std::string&, const caf::message& what) -> fate {
              if (!is_activation(what, target_edge))
                return {{what}, {}};
              return {{changed<edge_data>(what,
                                          [](auto& x) {
                                            if (x.micro_batch > 0)
                                              x.micro_batch = 3 - x.micro_batch;
                                          })},
                      {}};
            }),
            verdict::differs);
}

} // namespace
} // namespace actorpipe::test
