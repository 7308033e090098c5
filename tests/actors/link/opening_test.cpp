// SPDX-License-Identifier: Apache-2.0
/// Who may open a link, what strangers learn, and that they hold nobody up.
#include "actors/link/link_error.hpp"
#include "actors/link/timed_stream.hpp"
#include "messages/protocol_version.hpp"
#include "tests/actors/link/link_bench.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include <cstring>

namespace actorpipe::test {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

const link_greeting greeting{11, 1, 21, 2, 22, true, "abc"};

/// A listener that expects `greeting`.
class door {
public:
  explicit door(const std::optional<tls_files>& secure = {},
                std::chrono::nanoseconds deadline = std::chrono::hours{1},
                std::size_t most_strangers = 64)
    : listener_(options(secure, deadline, most_strangers)) {}

  std::uint16_t port() const { return listener_.port(); }

  /// Why a link cannot be opened; empty when it can.
  std::string refusal(const link_greeting& what,
                      const std::optional<tls_files>& secure = {}) const {
    try {
      dial({"127.0.0.1", port(), secure, std::chrono::hours{1}}, what);
      return {};
    } catch (const link_error& error) {
      const auto start =
        "cannot open a link to 127.0.0.1:" + std::to_string(port()) + ": ";
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with(start)) << text;
      return text.substr(std::min(text.size(), start.size()));
    }
  }

  std::size_t taken() {
    const std::lock_guard guard(lock_);
    return streams_.size();
  }

private:
  link_listener_options options(const std::optional<tls_files>& secure,
                                std::chrono::nanoseconds deadline,
                                std::size_t most_strangers) {
    link_listener_options result;
    result.secure = secure;
    result.step_deadline = deadline;
    result.most_strangers = most_strangers;
    result.expects = [](const link_greeting& came) {
      return find_difference(came, greeting);
    };
    result.accepted = [this](const link_greeting& came, link_stream x) {
      EXPECT_EQ(came, greeting);
      const std::lock_guard guard(lock_);
      streams_.push_back(std::move(x));
    };
    return result;
  }

  std::mutex lock_;
  std::vector<link_stream> streams_;
  link_listener listener_;
};

/// Connects and says whatever it is told to.
class raw_client {
public:
  explicit raw_client(std::uint16_t port) : socket_(runner_) {
    socket_.connect({asio::ip::address_v4::loopback(), port});
  }

  void send(const std::string& text) {
    asio::write(socket_, asio::buffer(text));
  }

  /// Everything until the peer closes.
  std::string hear_all() {
    std::string result;
    boost::system::error_code ended;
    asio::read(socket_, asio::dynamic_buffer(result), ended);
    return result;
  }

private:
  asio::io_context runner_;
  tcp::socket socket_;
};

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const one_run_authority& ours() {
  static const one_run_authority authority;
  return authority;
}

std::optional<tls_files> our_files() {
  static const auto files = ours().make("ours");
  return files;
}

std::optional<tls_files> foreign_files() {
  static const one_run_authority authority;
  static const auto files = authority.make("foreign");
  return files;
}

// A certificate of another authority, shown by who trusts ours.
std::optional<tls_files> impostor_files() {
  auto result = *foreign_files();
  result.authority = our_files()->authority;
  return result;
}

TEST(greeting, comes_back) {
  const auto back = decode_greeting(encode(greeting));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, greeting);
  EXPECT_THROW(encode(link_greeting{1, 1, 1, 1, 1, true, std::string(65, 'x')}),
               link_error);
}

TEST(greeting, every_damaged_bit_is_noticed) {
  const auto bytes = encode(greeting);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto damaged = bytes;
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(decode_greeting(damaged)) << bit;
  }
}

TEST(opening, a_peer_that_means_something_else_hears_what) {
  const door here;
  const auto with = [&](auto change) {
    auto other = greeting;
    change(other);
    return here.refusal(other);
  };
  EXPECT_EQ(here.refusal(greeting), "");
  EXPECT_EQ(with([](auto& x) { x.run = 12; }),
            "the peer refuses: the run is 11, not 12");
  EXPECT_EQ(with([](auto& x) { x.from = 7; }),
            "the peer refuses: the process expected is 1, not 7");
  EXPECT_EQ(with([](auto& x) { x.to = 7; }),
            "the peer refuses: this process is 2, not 7");
  EXPECT_EQ(with([](auto& x) { x.from_session = 7; }),
            "the peer refuses: that process's session is 21, not 7");
  EXPECT_EQ(with([](auto& x) { x.to_session = 7; }),
            "the peer refuses: this process's session is 22, not 7");
  EXPECT_EQ(with([](auto& x) { x.job_hash = "abd"; }),
            "the peer refuses: the job's hash is abc, not abd");
  EXPECT_EQ(with([](auto& x) { x.dialer_sends = false; }),
            "the peer refuses: the dialer is expected to send");
}

TEST(opening, another_version_is_refused_by_number) {
  const door here;
  auto bytes = encode(greeting);
  const auto other = protocol_version + 1;
  std::memcpy(bytes.data() + 4, &other, sizeof(other));
  raw_client client(here.port());
  client.send(text_of(bytes).substr(0, greeting_start_bytes));
  const auto heard = client.hear_all();
  EXPECT_NE(heard.find("this process speaks version 1 of the protocol, not 2"),
            std::string::npos)
    << heard;
}

TEST(opening, a_stranger_hears_nothing) {
  const door here;
  raw_client client(here.port());
  client.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.hear_all(), "");
  auto damaged = encode(greeting);
  damaged[40] ^= std::byte{1};
  raw_client other(here.port());
  other.send(text_of(damaged));
  EXPECT_EQ(other.hear_all(), "");
}

TEST(opening, certificates_of_one_authority_open_a_link) {
  const door here(our_files());
  EXPECT_EQ(here.refusal(greeting, ours().make("another")), "");
}

TEST(opening, an_authenticated_peer_hears_why_it_is_refused) {
  const door here(our_files());
  auto other = greeting;
  other.run = 12;
  EXPECT_EQ(here.refusal(other, our_files()),
            "the peer refuses: the run is 11, not 12");
}

TEST(opening, a_foreign_authority_is_not_accepted_by_either_side) {
  door here(our_files());
  const auto text = here.refusal(greeting, foreign_files());
  EXPECT_NE(text.find("the peer's certificate is not accepted"),
            std::string::npos)
    << text;
  const auto other = here.refusal(greeting, impostor_files());
  EXPECT_NE(other.find("the peer does not accept the certificate"),
            std::string::npos)
    << other;
  EXPECT_EQ(here.taken(), 0U);
}

TEST(opening, nobody_comes_in_without_a_certificate) {
  door here(our_files());
  asio::io_context runner;
  asio::ssl::context context(asio::ssl::context::tlsv13);
  asio::ssl::stream<tcp::socket> client(runner, context);
  client.next_layer().connect({asio::ip::address_v4::loopback(), here.port()});
  boost::system::error_code result;
  client.handshake(asio::ssl::stream_base::client, result);
  // The other side refuses after this one believes to be done.
  asio::write(client, asio::buffer(text_of(encode(greeting))), result);
  std::string heard;
  asio::read(client, asio::dynamic_buffer(heard), result);
  EXPECT_EQ(heard, "");
  EXPECT_NE(result.message().find("certificate required"), std::string::npos)
    << result.message();
  EXPECT_EQ(here.taken(), 0U);
}

TEST(opening, older_versions_of_tls_are_refused) {
  const door here(our_files());
  asio::io_context runner;
  asio::ssl::context context(asio::ssl::context::tlsv12);
  asio::ssl::stream<tcp::socket> client(runner, context);
  client.next_layer().connect({asio::ip::address_v4::loopback(), here.port()});
  boost::system::error_code result;
  client.handshake(asio::ssl::stream_base::client, result);
  EXPECT_TRUE(result);
}

TEST(opening, plain_text_and_tls_do_not_meet) {
  const door secure(our_files());
  EXPECT_EQ(secure.refusal(greeting),
            "the peer closed the connection: it may take nothing but TLS, or "
            "be no process of actorpipe");
  const door plain;
  EXPECT_NE(plain.refusal(greeting, our_files()), "");
}

TEST(opening, files_that_cannot_be_used_are_named) {
  const door here;
  auto files = *our_files();
  files.key = "/no/such/key.pem";
  EXPECT_NE(here.refusal(greeting, files).find("the key in /no/such/key.pem"),
            std::string::npos);
}

TEST(opening, silent_clients_hold_nobody_up) {
  for (const auto& secure : {std::optional<tls_files>{}, our_files()}) {
    const door here(secure);
    std::vector<std::unique_ptr<raw_client>> silent;
    for (int i = 0; i < 20; ++i) {
      silent.push_back(std::make_unique<raw_client>(here.port()));
      if (i % 2 == 0)
        silent.back()->send("\x16\x03");
    }
    EXPECT_EQ(here.refusal(greeting, secure), "");
  }
}

TEST(opening, silent_clients_are_bounded) {
  const door here({}, std::chrono::hours{1}, 3);
  std::vector<std::unique_ptr<raw_client>> silent;
  for (int i = 0; i < 20; ++i)
    silent.push_back(std::make_unique<raw_client>(here.port()));
  EXPECT_EQ(here.refusal(greeting), "");
  // The oldest were closed to make room.
  for (std::size_t i = 0; i < 17; ++i)
    EXPECT_EQ(silent[i]->hear_all(), "");
}

TEST(opening, a_silent_client_is_closed_at_the_deadline) {
  for (const auto& secure : {std::optional<tls_files>{}, our_files()}) {
    const door here(secure, std::chrono::milliseconds{20});
    raw_client client(here.port());
    client.send("A");
    EXPECT_EQ(client.hear_all(), "");
  }
}

TEST(opening, a_listener_that_is_silent_is_left_at_the_deadline) {
  asio::io_context runner;
  tcp::acceptor silent(runner, {asio::ip::address_v4::loopback(), 0});
  const auto port = silent.local_endpoint().port();
  for (const auto& [secure, what] :
       {std::pair{std::optional<tls_files>{}, "the greeting"},
        std::pair{our_files(), "the handshake of TLS"}})
    try {
      dial({"127.0.0.1", port, secure, std::chrono::milliseconds{100}},
           greeting);
      ADD_FAILURE() << "opened";
    } catch (const link_error& error) {
      EXPECT_EQ(error.what(),
                "cannot open a link to 127.0.0.1:" + std::to_string(port)
                  + ": no answer in 0.1 s: " + what);
    }
}

TEST(opening, an_address_where_nobody_listens_is_named) {
  std::uint16_t port = 0;
  {
    asio::io_context runner;
    tcp::acceptor gone(runner, {asio::ip::address_v4::loopback(), 0});
    port = gone.local_endpoint().port();
  }
  try {
    dial({"127.0.0.1", port}, greeting);
    ADD_FAILURE() << "opened";
  } catch (const link_error& error) {
    EXPECT_EQ(error.what(), "cannot open a link to 127.0.0.1:"
                              + std::to_string(port) + ": Connection refused");
  }
}

TEST(opening, a_place_that_is_taken_is_named) {
  const door here;
  link_listener_options options;
  options.port = here.port();
  try {
    const link_listener second(options);
    ADD_FAILURE() << "listens";
  } catch (const link_error& error) {
    EXPECT_EQ(error.what(),
              "cannot take links at 127.0.0.1:" + std::to_string(here.port())
                + ": Address already in use");
  }
}

TEST(opening, a_listener_may_end_with_clients_in_every_state) {
  for (const auto& secure : {std::optional<tls_files>{}, our_files()})
    for (std::size_t sent = 0; sent <= greeting_bytes; sent += 16) {
      door here(secure);
      raw_client client(here.port());
      client.send(text_of(encode(greeting)).substr(0, sent));
      EXPECT_LE(here.taken(), 1U);
    }
}

} // namespace

} // namespace actorpipe::test
