// SPDX-License-Identifier: Apache-2.0
/// What a stage actor does, without the actor: runs the program of one device.
#pragma once

#include "actors/edge_traffic.hpp"
#include "actors/held_cell.hpp"
#include "actors/parameter_layout.hpp"
#include "actors/standing_board.hpp"
#include "compute/device/device.hpp"
#include "compute/model/cell.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"
#include "partition/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace actorpipe {

/// Called around an action of a training step, in the stage's thread, with what
/// `begin_step` says of the step. What it throws fails the step as what a layer
/// throws does.
using action_hook = std::function<void(std::int64_t step, std::uint32_t tries,
                                       const action& what)>;

/// What a stage is made from.
struct stage_options {
  std::uint32_t stage = 0; ///< index of its device in the plan
  std::uint64_t run = 0;
  std::uint64_t seed = 0;
  std::shared_ptr<const model> source;
  std::shared_ptr<const plan> how;
  std::shared_ptr<const parameter_layout> layout;
  std::shared_ptr<device> where;
  /// Charged for what the stage holds, by what it is for.
  std::shared_ptr<memory_account> activations;
  std::shared_ptr<memory_account> gradients;
  /// A monotonic clock in nanoseconds, for what is reported; no decision
  /// depends on it.
  std::function<std::int64_t()> now_ns;
  /// Where the stage says how it stands; null: nowhere.
  std::shared_ptr<standing_board> board = nullptr;
  /// For faults on purpose; may be empty.
  action_hook before_action = {};
  action_hook after_action = {};
};

/// Runs the next action when its inputs are there and each edge that it writes
/// has a credit. Used by one thread at a time.
class stage_core {
public:
  /// Where messages go.
  class outbox {
  public:
    virtual ~outbox() = default;
    virtual void send(const edge_data& header, payload data) = 0;
    virtual void send(const credit& message) = 0;
    /// To the parameter actor of cell `owner`.
    virtual void send(std::uint32_t owner, const accumulated& header,
                      payload data) = 0;
    virtual void send(const begun& message) = 0;
    virtual void send(finished message) = 0;
    virtual void send(failed message) = 0;
    virtual void send(abandoned message) = 0;
  };

  /// `out` outlives this.
  stage_core(stage_options options, outbox& out);

  // Messages. What comes from another process is looked at first: what does not
  // fit is answered with `failed`.
  void accept(const begin_step& message);
  void accept(const inquire& message);
  void accept(const edge_data& header, payload data);
  void accept(const credit& message);
  void accept(const weights& header, payload data);
  void accept(const abandon& message);

  /// Whether `run_next` has something to do.
  bool runnable() const;

  /// Runs one action and sends what it made. Requires `runnable()`. What a
  /// layer throws is sent as `failed` and ends the mini-batch here.
  void run_next();

  /// The action at the cursor; empty text when the program is done.
  std::string cursor() const;

private:
  // What the scheduler was told last of the mini-batch at hand.
  using answer = std::variant<std::monostate, begun, finished, failed>;

  held_cell& held(std::uint32_t index);
  const held_cell& held(std::uint32_t index) const;
  void say(answer what);
  void repeat();
  std::optional<std::string> find_fault(const begin_step& message) const;
  std::optional<std::string> take_in(edge_traffic& traffic,
                                     const edge_data& header, payload data);
  void show(standing::state how);
  void show_wait();

  // The program, in stage_program.cpp.
  bool is_ready(const action& next) const;
  void find_lacks(const action& next);
  void execute(const action& next);
  void forward(const action& next);
  void recompute(const action& next);
  void backward(const action& next);
  void update(const action& next);
  tensor take(std::uint32_t edge, bool gradient, std::uint32_t micro_batch);
  void put(std::uint32_t edge, bool gradient, std::uint32_t micro_batch,
           tensor value, const event& ready);
  cell_step step_of() const;

  void finish();
  void fail(error_code code, const std::string& text);

  stage_options options_;
  outbox& out_;
  std::unique_ptr<stream> stream_;
  std::vector<held_cell> cells_;

  work_id current_; ///< the mini-batch at hand, or the last one
  bool active_ = false;
  begin_step step_;
  std::size_t cursor_ = 0;
  edge_traffic traffic_;
  std::vector<tensor> losses_; ///< per micro-batch
  std::vector<action_record> executed_;
  std::int64_t idle_since_ns_ = 0;
  answer said_;
  std::vector<missing> lacks_; ///< of the action at the cursor

  work_id early_id_;   ///< of the mini-batch that `early_` belongs to
  edge_traffic early_; ///< arrived before its mini-batch began
  /// What was wrong with something that came before its mini-batch: the next
  /// one of the attempt fails.
  struct early_fault {
    std::uint64_t attempt;
    std::string text;
  };
  std::optional<early_fault> early_fault_;
};

} // namespace actorpipe
