// SPDX-License-Identifier: Apache-2.0
/// One hop of an activation from stage to stage, against a bare CAF message
/// between detached actors that pass it on in the same order.
#include "benchmarks/gpt.hpp"
#include "benchmarks/measure.hpp"
#include "benchmarks/passing_layer.hpp"
#include "benchmarks/row.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

using namespace actorpipe;
using namespace actorpipe::benchmarks;

namespace {

constexpr std::uint32_t stages = 4;
constexpr std::size_t steps_per_round = 200;

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

/// When each place down the line started on what came, and when it had it
/// ready to send on.
struct hop_times {
  std::array<std::int64_t, stages> started_ns{};
  std::array<std::int64_t, stages> ready_ns{};

  void add_hops_to(std::vector<double>& hops_s) const {
    for (std::size_t place = 1; place < stages; ++place)
      hops_s.push_back(
        static_cast<double>(started_ns[place] - ready_ns[place - 1]) * 1e-9);
  }
};

/// Passes a message down a chain of actors and back up, as the activation and
/// the gradient of one micro-batch go.
caf::behavior bare_actor(caf::event_based_actor* self, std::size_t place,
                         hop_times* times) {
  struct neighbours {
    caf::actor up;
    caf::actor down;
  };
  auto known = std::make_shared<neighbours>();
  return {
    [known](const caf::strong_actor_ptr& up,
            const caf::strong_actor_ptr& down) {
      known->up = caf::actor_cast<caf::actor>(up);
      known->down = caf::actor_cast<caf::actor>(down);
    },
    [self, known, place, times](bool downwards) {
      if (downwards) {
        times->started_ns[place] = now_ns();
        times->ready_ns[place] = now_ns();
      }
      if (downwards && place + 1 < stages)
        self->send(known->down, true);
      else
        self->send(known->up, false);
    },
  };
}

/// A chain of bare actors, driven from outside.
class bare_chain {
public:
  bare_chain(caf::actor_system& system, hop_times& times) : self_(system) {
    for (std::size_t i = 0; i < stages; ++i)
      actors_.push_back(system.spawn<caf::detached>(bare_actor, i, &times));
    const auto pointer = [](const auto& x) {
      return caf::actor_cast<caf::strong_actor_ptr>(x);
    };
    for (std::size_t i = 0; i < stages; ++i)
      self_->send(actors_[i],
                  i > 0 ? pointer(actors_[i - 1])
                        : caf::actor_cast<caf::strong_actor_ptr>(self_.ptr()),
                  i + 1 < stages ? pointer(actors_[i + 1])
                                 : caf::strong_actor_ptr{});
  }

  ~bare_chain() {
    for (const auto& x : actors_)
      self_->send_exit(x, caf::exit_reason::user_shutdown);
    self_->wait_for(actors_);
  }

  bare_chain(const bare_chain&) = delete;
  bare_chain& operator=(const bare_chain&) = delete;

  void step() {
    self_->send(actors_.front(), true);
    self_->receive([](bool) {});
  }

private:
  caf::scoped_actor self_;
  std::vector<caf::actor> actors_;
};

} // namespace

int main(int argc, char** argv) {
  constexpr double most_share = 1.3;
  const auto rounds = rounds_of(argc, argv, 11);
  configured config;
  caf::actor_system system{config};
  hop_times in_line;
  const layer_hooks hooks{
    [&](std::size_t stage) { in_line.ready_ns[stage] = now_ns(); },
    [](std::size_t) {}};
  pipeline line{system, make_passing_line(stages, 1, hooks)};
  hop_times in_chain;
  bare_chain chain{system, in_chain};
  const auto data = make_passing_batch(1);

  std::vector<double> ours_s;
  std::vector<double> bare_s;
  for (std::size_t round = 0; round <= rounds; ++round) {
    std::vector<double> line_hops_s;
    for (std::size_t step = 0; step < steps_per_round; ++step) {
      const auto report = line.train(data, gpt_request);
      for (std::size_t stage = 0; stage < stages; ++stage)
        in_line.started_ns[stage] = report.timeline[stage].front().start_ns;
      in_line.add_hops_to(line_hops_s);
    }
    std::vector<double> chain_hops_s;
    for (std::size_t step = 0; step < steps_per_round; ++step) {
      chain.step();
      in_chain.add_hops_to(chain_hops_s);
    }
    if (round == 0)
      continue; // to warm up
    ours_s.push_back(median(line_hops_s));
    bare_s.push_back(median(chain_hops_s));
  }
  const auto ours = median(ours_s);
  const auto bare = median(bare_s);
  remark(fmt::format("stage to stage {:.1f} us, bare message {:.1f} us",
                     ours * 1e6, bare * 1e6));
  const auto share = ours / bare;
  return exit_status(print_row("One hop between stages against a bare message",
                               fmt::format("{:.2f}x its time", share),
                               fmt::format("<= {:.1f}x", most_share),
                               share <= most_share));
}
