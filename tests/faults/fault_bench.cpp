// SPDX-License-Identifier: Apache-2.0
/// What tests of faults have in common.
#include "tests/faults/fault_bench.hpp"

#include "compute/model/gpt.hpp"
#include "tests/support/test_tensors.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <poll.h>
#include <sstream>

namespace actorpipe::test {

void pause(std::chrono::microseconds duration) {
  const auto us = std::max<std::int64_t>(duration.count(), 0);
  const timespec time{us / 1'000'000, us % 1'000'000 * 1000};
  ppoll(nullptr, 0, &time, nullptr);
}

std::vector<std::uint64_t> seeds(std::uint64_t count) {
  std::uint64_t first = 1;
  std::uint64_t last = count;
  if (const char* given = std::getenv("ACTORPIPE_SEEDS")) {
    std::istringstream in(given);
    char dot = 0;
    if (!(in >> first >> dot >> dot >> last))
      throw std::invalid_argument("ACTORPIPE_SEEDS must be A..B, got \""
                                  + std::string(given) + "\"");
  }
  std::vector<std::uint64_t> result;
  for (auto x = first; x <= last; ++x)
    result.push_back(x);
  return result;
}

// -- what is trained ----------------------------------------------------------

namespace {

constexpr std::int64_t vocabulary = 64;
constexpr std::int64_t samples = 8;

workload make_work(std::uint32_t stages, std::int64_t width,
                   std::int64_t sequence, std::int64_t steps) {
  gpt_options shape;
  shape.vocabulary = vocabulary;
  shape.sequence = sequence;
  shape.width = width;
  shape.depth = 2;
  shape.heads = 2;
  shape.dropout = 0.1;
  workload result;
  auto& line = result.line;
  line.source = build_model(make_gpt(shape), layer_registry::with_builtin());
  line.rule.kind = optimizer_kind::adamw;
  line.how.cells = stages;
  line.how.micro_batches = 4;
  line.how.samples = samples;
  line.like = {{random_tokens({samples, sequence}, vocabulary, 1)},
               random_tokens({samples, sequence}, vocabulary, 2)};
  result.steps = steps;
  return result;
}

} // namespace

batch workload::data(std::int64_t step) const {
  const auto& inputs = line.like.inputs.front();
  const auto& targets = line.like.targets.extents();
  const auto seed = 2 * static_cast<std::uint64_t>(step);
  if (inputs.element() == dtype::f32)
    return perceptron_batch(targets[0], seed);
  return {{random_tokens(targets, vocabulary, seed + 10)},
          random_tokens(targets, vocabulary, seed + 11)};
}

train_request workload::request(std::int64_t step) const {
  return {step, 0.01, 1};
}

const model_values& workload::expected(std::int64_t after) const {
  static std::map<std::pair<const workload*, std::int64_t>, model_values> known;
  const auto found = known.find({this, after});
  if (found != known.end())
    return found->second;
  sequential_trainer loop(line.source, make_optimizer(line.rule),
                          make_cpu_device("plain", 1), line.seed);
  for (std::int64_t step = 1; step <= after; ++step)
    loop.train(data(step), step, as_options(request(step), line));
  return known[{this, after}] = loop.values();
}

const workload& quick_work(std::uint32_t stages) {
  static std::map<std::uint32_t, workload> known;
  const auto found = known.find(stages);
  return found != known.end()
         ? found->second
         : known.emplace(stages, make_work(stages, 16, 16, 40)).first->second;
}

const workload& slow_work(std::uint32_t stages) {
  static std::map<std::uint32_t, workload> known;
  const auto found = known.find(stages);
  return found != known.end()
         ? found->second
         : known.emplace(stages, make_work(stages, 128, 64, 8)).first->second;
}

const workload& wide_work() {
  static const auto result = [] {
    constexpr std::int64_t width = 1 << 20;
    const auto linear = [](std::int64_t in, std::int64_t out) {
      return linear_of("", in, out);
    };
    workload x;
    x.line.source = build_model({{linear(3, width), linear(width, 4)},
                                 {"softmax_cross_entropy", "", {}, {}}},
                                layer_registry::with_builtin());
    x.line.how.cells = 2;
    x.line.how.micro_batches = 4;
    x.line.how.samples = 16;
    x.line.like = perceptron_batch(16);
    x.steps = 4;
    return x;
  }();
  return result;
}

// -- events -------------------------------------------------------------------

void event_log::add(const cluster_event& event) {
  const std::lock_guard held(mutex_);
  all_.push_back(event);
  changed_.notify_all();
}

std::vector<std::string> event_log::of(cluster_event::kind what) const {
  std::vector<std::string> result;
  for (const auto& x : all_)
    if (x.what == what)
      result.push_back(x.text);
  return result;
}

std::string event_log::await(cluster_event::kind what, std::size_t n) {
  std::unique_lock held(mutex_);
  changed_.wait(held, [&] { return of(what).size() >= n; });
  return of(what)[n - 1];
}

std::size_t event_log::count(cluster_event::kind what) const {
  const std::lock_guard held(mutex_);
  return of(what).size();
}

std::string event_log::text() const {
  const std::lock_guard held(mutex_);
  std::string result;
  for (const auto& x : all_)
    result += x.text + '\n';
  return result;
}

// -- the cluster --------------------------------------------------------------

node_program& fault_bench::add_node(node_program_options options) {
  options.tls = tls_;
  nodes_.push_back(
    std::make_unique<node_program>(ACTORPIPE_PROGRAM, std::move(options)));
  return *nodes_.back();
}

void fault_bench::add_nodes(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    add_node();
}

void fault_bench::mend_nodes() {
  for (const auto& x : nodes_) {
    x->signal(SIGCONT);
    x->start();
  }
}

cluster_options fault_bench::options() {
  cluster_options result;
  for (const auto& x : nodes_)
    result.nodes.push_back(x->address());
  result.tls = tls_;
  result.heartbeat = std::chrono::milliseconds(500);
  result.on_event = [this](const cluster_event& event) { events_.add(event); };
  return result;
}

std::unique_ptr<cluster> fault_bench::make_line(const workload& what,
                                                cluster_options how) {
  auto line = options_of(what.line);
  line.devices.clear();
  done_ = 0;
  return std::make_unique<cluster>(std::move(how), std::move(line),
                                   layer_registry::with_builtin());
}

void fault_bench::train_to(cluster& line, const workload& what,
                           std::int64_t last) {
  while (done_ < last) {
    try {
      line.train(what.data(done_ + 1), what.request(done_ + 1));
      ++done_;
    } catch (const pipeline_error& error) {
      if (error.code() == error_code::rolled_back)
        done_ = error.version();
      else if (error.code() != error_code::layer_failed)
        throw;
    }
  }
}

void fault_bench::finish(cluster& line, const workload& what) {
  for (;;) {
    train_to(line, what, what.steps);
    try {
      const auto values = line.values();
      ASSERT_TRUE(
        same_values(*what.line.source, values, what.expected(what.steps)))
        << events_.text();
      return;
    } catch (const pipeline_error& error) {
      if (error.code() != error_code::rolled_back)
        throw;
      done_ = error.version();
    }
  }
}

std::string fault_bench::refusal(const workload& what, cluster_options how) {
  try {
    make_line(what, std::move(how));
  } catch (const cluster_error& error) {
    return error.what();
  }
  return "none";
}

::testing::AssertionResult holds(std::string_view text, std::string_view part) {
  if (text.find(part) != text.npos)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << part << "\" is not in:\n"
                                       << text;
}

} // namespace actorpipe::test
