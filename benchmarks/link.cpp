// SPDX-License-Identifier: Apache-2.0
/// Tensors between two processes over a link, against plain programs that move
/// the same bytes over a loopback connection with as many threads.
#include "actors/control/certificates.hpp"
#include "actors/link/link_receiver.hpp"
#include "actors/link/link_sender.hpp"
#include "benchmarks/link_streams.hpp"
#include "benchmarks/measure.hpp"
#include "benchmarks/row.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>
#include <semaphore>
#include <thread>
#include <vector>

#include <unistd.h>

using namespace actorpipe;
using namespace actorpipe::benchmarks;

namespace {

constexpr std::int64_t large_bytes = std::int64_t{4} << 20;
constexpr std::int64_t small_bytes = std::int64_t{4} << 10;
constexpr std::uint32_t tensors_per_round = 100;
constexpr std::uint32_t trips_per_round = 5000;

class any_bytes final : public link_contract {
public:
  std::uint64_t run() const noexcept override { return 1; }
  std::optional<tensors> find(const link_header&) const override {
    return tensors{{&greatest_, 1}, true};
  }

private:
  tensor_type greatest_{dtype::u8, {large_bytes}};
};

link_message message_of(const tensor& x) {
  return {edge_data{{1, 1, 1}, 0, 0, false}, {{x}, {}}};
}

std::span<std::byte> bytes_of(tensor& x) {
  return {static_cast<std::byte*>(x.bytes()),
          static_cast<std::size_t>(x.size_bytes())};
}

// One direction between two ends.
class one_way {
public:
  one_way(stream_ends ends, std::function<void(link_message)> on_message)
    : receiver_(std::move(ends.receives),
                {std::make_shared<any_bytes>(), make_pooled_allocation(nullptr),
                 std::move(on_message),
                 [this](const std::string& why) { note_end(why); }}),
      sender_(std::move(ends.sends),
              {[this](const std::string& why) { note_end(why); }, nullptr}) {}

  ~one_way() { ending_ = true; }

  link_sender& sender() { return sender_; }

private:
  void note_end(const std::string& why) const {
    if (ending_)
      return;
    remark("the link broke: " + why);
    std::exit(2);
  }

  std::atomic<bool> ending_ = false;
  link_receiver receiver_;
  link_sender sender_;
};

// Sends large tensors one way.
class link_flood {
public:
  explicit link_flood(const std::optional<tls_files>& secure)
    : link_(open_link(secure),
            [this](const link_message&) { came_.release(); }) {}

  void operator()() {
    for (std::uint32_t i = 0; i < tensors_per_round; ++i)
      link_.sender().post(message_of(what_));
    for (std::uint32_t i = 0; i < tensors_per_round; ++i)
      came_.acquire();
  }

private:
  tensor what_ = tensor::zeros({dtype::u8, {large_bytes}});
  std::counting_semaphore<> came_{0};
  one_way link_;
};

// The same bytes without a link.
template <class Ends>
void bare_flood(Ends& ends) {
  auto from = tensor::zeros({dtype::u8, {large_bytes}});
  auto to = tensor::zeros({dtype::u8, {large_bytes}});
  std::jthread other([&] {
    for (std::uint32_t i = 0; i < tensors_per_round; ++i)
      ends.read(bytes_of(to));
  });
  for (std::uint32_t i = 0; i < tensors_per_round; ++i)
    ends.write(bytes_of(from));
}

struct bare_pair {
  bare_ends ends = open_bare();
  void write(std::span<const std::byte> x) const { ends.a.write(x); }
  void read(std::span<std::byte> x) const { ends.b.read(x); }
};

// A small tensor there and back, again and again.
class link_ping {
public:
  link_ping()
    : back_(open_link({}), [this](link_message x) { go_on(std::move(x)); }),
      there_(open_link({}),
             [this](link_message x) { back_.sender().post(std::move(x)); }) {}

  void operator()() {
    left_ = trips_per_round;
    there_.sender().post(message_of(what_));
    done_.acquire();
  }

private:
  void go_on(link_message x) {
    if (--left_ == 0)
      done_.release();
    else
      there_.sender().post(std::move(x));
  }

  tensor what_ = tensor::zeros({dtype::u8, {small_bytes}});
  std::uint32_t left_ = 0;
  std::binary_semaphore done_{0};
  one_way back_;
  one_way there_;
};

void bare_ping(bare_pair& pair) {
  std::vector<std::byte> here(small_bytes);
  std::jthread other([&] {
    std::vector<std::byte> there(small_bytes);
    for (std::uint32_t i = 0; i < trips_per_round; ++i) {
      pair.ends.b.read(there);
      pair.ends.b.write(there);
    }
  });
  for (std::uint32_t i = 0; i < trips_per_round; ++i) {
    pair.ends.a.write(here);
    pair.ends.a.read(here);
  }
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  file >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::string rate(double seconds) {
  return fmt::format("{:.2f} GB/s", static_cast<double>(large_bytes)
                                      * tensors_per_round / seconds * 1e-9);
}

bool measure_rate(std::size_t rounds) {
  constexpr double least_share = 0.9;
  link_flood ours({});
  bare_pair bare;
  const auto times =
    alternating_medians(rounds, {[&] { ours(); }, [&] { bare_flood(bare); }});
  remark("link " + rate(times[0]) + ", plain program " + rate(times[1]));
  const auto share = times[1] / times[0];
  return print_row("4 MiB tensors over a link against a plain socket program",
                   fmt::format("{:.2f}x its rate", share),
                   fmt::format(">= {:.1f}x", least_share),
                   share >= least_share);
}

bool measure_latency(std::size_t rounds) {
  constexpr double most_share = 1.5;
  link_ping ours;
  bare_pair bare;
  const auto times =
    alternating_medians(rounds, {[&] { ours(); }, [&] { bare_ping(bare); }});
  const auto us = [](double seconds) {
    return seconds / trips_per_round * 1e6;
  };
  remark(fmt::format("there and back: link {:.1f} us, plain program {:.1f} us",
                     us(times[0]), us(times[1])));
  const auto share = times[0] / times[1];
  return print_row("4 KiB tensor there and back against a plain socket program",
                   fmt::format("{:.2f}x its time", share),
                   fmt::format("<= {:.1f}x", most_share), share <= most_share);
}

bool measure_tls(std::size_t rounds) {
  constexpr double least_share = 0.9;
  const one_run_authority authority;
  const auto files = authority.make("benchmark");
  link_flood ours(files);
  bare_tls bare(files);
  const auto times =
    alternating_medians(rounds, {[&] { ours(); }, [&] { bare_flood(bare); }});
  remark("link with TLS " + rate(times[0]) + ", SSL_write and SSL_read "
         + rate(times[1]));
  const auto share = times[1] / times[0];
  return print_row("4 MiB tensors over a link with TLS against OpenSSL alone",
                   fmt::format("{:.2f}x its rate", share),
                   fmt::format(">= {:.1f}x", least_share),
                   share >= least_share);
}

bool measure_memory() {
  constexpr std::int64_t credits = 16;
  constexpr double most_share = 1.1;
  auto ends = open_link({});
  const auto before = resident_bytes();
  link_sender sender(std::move(ends.sends), {});
  for (std::int64_t i = 0; i < credits; ++i)
    sender.post(message_of(tensor::zeros({dtype::u8, {large_bytes}})));
  const auto grown = resident_bytes() - before;
  const auto share =
    static_cast<double>(grown) / static_cast<double>(credits * large_bytes);
  return print_row("Memory of a link whose receiver reads nothing",
                   fmt::format("{:.2f}x credits x tensor", share),
                   fmt::format("<= {:.1f}x", most_share), share <= most_share);
}

} // namespace

int main(int argc, char** argv) {
  const auto rounds = rounds_of(argc, argv, 7);
  auto passed = measure_memory();
  passed &= measure_rate(rounds);
  passed &= measure_latency(rounds);
  passed &= measure_tls(rounds);
  return exit_status(passed);
}
