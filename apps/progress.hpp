// SPDX-License-Identifier: Apache-2.0
/// Prints how a run goes on: one live line on a terminal, plain lines else.
#pragma once

#include "actors/run/training_run.hpp"

#include <cstdint>
#include <string>

namespace actorpipe {

class progress_printer final : public run_observer {
public:
  struct options {
    bool quiet = false;    ///< prints nothing on the way
    bool terminal = false; ///< one line that is written over
    std::int64_t log_every = 10;
  };

  explicit progress_printer(const options& how) : how_(how) {}
  /// Ends a live line, also where an error message is to follow.
  ~progress_printer() override { finish(); }

  void on_plan(const run_plan& plan) override;
  void on_step(const step_progress& now) override;
  void on_evaluation(std::int64_t step, double loss) override;
  void on_checkpoint(const std::string& path) override;
  void on_warning(const std::string& text) override;
  void on_fault(const std::string& text) override;
  void on_recovery(const std::string& text) override;
  void on_stall(const std::string& text) override;
  void on_note(const std::string& text) override;

  /// Ends a live line.
  void finish();

private:
  void print_line(const std::string& text);
  void print_live(const step_progress& now);
  void print_error(const char* kind, const std::string& text);

  options how_;
  bool live_ = false;
};

/// Such as "1:02:03", "4:05" or "0:09".
std::string duration_text(double seconds);

} // namespace actorpipe
