// SPDX-License-Identifier: Apache-2.0
/// Progress on a terminal and in a log.
#include "apps/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace actorpipe {

namespace {

// At present: a window can be resized.
std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

} // namespace

std::string duration_text(double seconds) {
  const auto all = std::llround(std::max(seconds, 0.0));
  if (all >= 3600)
    return fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
  return fmt::format("{}:{:02}", all / 60, all % 60);
}

void progress_printer::print_line(const std::string& text) {
  finish();
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

void progress_printer::print_live(const step_progress& now) {
  auto text = fmt::format(
    "step {}/{}  loss {:.4f}  lr {:.1e}  {:.0f} tokens/s  bubble {:.0f} %  "
    "{} left",
    now.step, now.steps, now.loss, now.learning_rate, now.tokens_per_s,
    100 * now.bubble, duration_text(now.seconds_left));
  // What reaches the last column would begin another line.
  text.resize(std::min(text.size(), terminal_columns() - 1));
  fmt::print("\r\x1b[K{}", text);
  std::fflush(stdout);
  live_ = true;
}

void progress_printer::finish() {
  if (live_) {
    std::fputc('\n', stdout);
    std::fflush(stdout);
  }
  live_ = false;
}

void progress_printer::on_plan(const run_plan& plan) {
  if (how_.quiet)
    return;
  const auto& how = plan.how;
  std::string sizes;
  for (const auto& stage : plan.stages)
    sizes += fmt::format("{}{}", sizes.empty() ? "" : "+",
                         stage.last_layer - stage.first_layer);
  print_line(fmt::format(
    "plan: {} layers on {} stage{} ({}), {} micro-batches, {}, recompute {}, "
    "predicted bubble {:.1f} %",
    plan.layers.size(), how.cells(), how.cells() == 1 ? "" : "s", sizes,
    how.micro_batches, to_string(how.schedule), to_string(how.recompute),
    100 * plan.predicted.bubble_fraction));
}

void progress_printer::on_step(const step_progress& now) {
  const auto is_due = now.step == 1 || now.step == now.steps
                   || (how_.log_every > 0 && now.step % how_.log_every == 0);
  if (how_.quiet || (!how_.terminal && !is_due))
    return;
  if (how_.terminal)
    return print_live(now);
  print_line(fmt::format(
    "step {}/{}  loss {:.4f}  lr {:.2e}  norm {:.3f}  {:.0f} tokens/s  "
    "bubble {:.1f} %  {} left",
    now.step, now.steps, now.loss, now.learning_rate, now.gradient_norm,
    now.tokens_per_s, 100 * now.bubble, duration_text(now.seconds_left)));
}

void progress_printer::on_evaluation(std::int64_t step, double loss) {
  if (!how_.quiet)
    print_line(fmt::format("step {}: held-out loss {:.4f} nats/byte, "
                           "perplexity {:.3f}",
                           step, loss, std::exp(loss)));
}

void progress_printer::on_checkpoint(const std::string& path) {
  if (!how_.quiet)
    print_line(fmt::format("saved {}", path));
}

void progress_printer::print_error(const char* kind, const std::string& text) {
  finish();
  fmt::print(stderr, "actorpipe: {}: {}\n", kind, text);
}

void progress_printer::on_warning(const std::string& text) {
  print_error("warning", text);
}

void progress_printer::on_fault(const std::string& text) {
  print_error("fault", text);
}

void progress_printer::on_recovery(const std::string& text) {
  print_error("recovery", text);
}

void progress_printer::on_stall(const std::string& text) {
  print_error("stall", text);
}

void progress_printer::on_note(const std::string& text) {
  if (!how_.quiet)
    print_line("cluster: " + text);
}

} // namespace actorpipe
