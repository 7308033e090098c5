// SPDX-License-Identifier: Apache-2.0
/// Who reaches a published actor, and what the others are told.
#include "actors/control/control.hpp"

#include "actors/control/openssl_handles.hpp"
#include "actors/control/tls_scribe.hpp"
#include "tests/actors/control/control_bench.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include <fcntl.h>

namespace actorpipe::test {

namespace {

testing::AssertionResult holds(const std::string& text,
                               const std::string& part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << text << "\"";
}

class control_test : public testing::Test {
protected:
  tls_files files(const std::string& name) {
    return authority_.make(name + "-" + std::to_string(++count_));
  }

  one_run_authority authority_;
  one_run_authority other_;
  int count_ = 0;
};

TEST_F(control_test, connects_processes_of_one_authority) {
  peer node(files("node"));
  peer trainer(files("trainer"));
  const auto found = connect_control(trainer.system, node.listen(), patience);
  ASSERT_EQ(found.failure, "");
  EXPECT_EQ(ask(trainer.system, found.actor, 41), 42);
}

TEST_F(control_test, connects_without_certificates_where_none_are_given) {
  peer node(std::nullopt);
  peer trainer(std::nullopt);
  const auto found = connect_control(trainer.system, node.listen(), patience);
  ASSERT_EQ(found.failure, "");
  EXPECT_EQ(ask(trainer.system, found.actor, 41), 42);
}

TEST_F(control_test, carries_messages_of_any_size) {
  peer node(files("node"));
  peer trainer(files("trainer"));
  const auto found = connect_control(trainer.system, node.listen(), patience);
  caf::scoped_actor self(trainer.system);
  // A record of TLS holds 16384 bytes.
  for (const std::size_t size : {0, 1, 16384, 16385, 1000000, 30000000}) {
    const std::string sent(size, 'x');
    self->request(caf::actor_cast<caf::actor>(found.actor), patience, sent)
      .receive(
        [&](const std::string& came) { EXPECT_TRUE(came == sent) << size; },
        [&](const caf::error&) { ADD_FAILURE() << size; });
  }
}

TEST_F(control_test, gives_the_same_actor_twice) {
  peer node(files("node"));
  peer trainer(files("trainer"));
  const auto where = node.listen();
  const auto first = connect_control(trainer.system, where, patience);
  const auto second = connect_control(trainer.system, where, patience);
  EXPECT_EQ(first.actor, second.actor);
}

TEST_F(control_test, needs_the_files_only_once) {
  std::optional<one_run_authority> gone(std::in_place);
  peer node(gone->make("node"));
  peer trainer(gone->make("trainer"));
  gone.reset();
  const auto found = connect_control(trainer.system, node.listen(), patience);
  ASSERT_EQ(found.failure, "");
  EXPECT_EQ(ask(trainer.system, found.actor, 41), 42);
}

TEST_F(control_test, refuses_a_peer_of_another_authority) {
  peer node(files("node"));
  peer stranger(other_.make("stranger"));
  EXPECT_TRUE(holds(stranger.failure(node.listen()),
                    "shows a certificate that is not accepted here: "));
}

TEST_F(control_test, tells_whom_the_other_side_refuses) {
  // Knows the node's authority, and has a certificate of another.
  const auto stranger = other_.make("stranger");
  std::ofstream both(other_.authority().certificate, std::ios::app);
  both << std::ifstream(authority_.authority().certificate).rdbuf();
  both.close();
  peer node(files("node"));
  EXPECT_TRUE(holds(peer(stranger).failure(node.listen()),
                    "does not accept the certificate of this process: "));
}

TEST_F(control_test, refuses_plain_text_where_certificates_are_wanted) {
  peer node(files("node"));
  EXPECT_TRUE(holds(peer(std::nullopt).failure(node.listen(), impatience),
                    "one that wants certificates"));
}

TEST_F(control_test, does_not_fall_back_to_plain_text) {
  peer node(std::nullopt);
  EXPECT_TRUE(
    holds(peer(files("trainer")).failure(node.listen()), "does not speak TLS"));
}

TEST_F(control_test, says_that_nobody_listens) {
  const auto where = raw_listener().where;
  for (const auto& tls : {std::optional(files("a")), {}})
    EXPECT_EQ(peer(tls).failure(where),
              "connection refused: no process listens there");
}

TEST_F(control_test, gives_up_where_packets_are_swallowed) {
  // A full queue of connections drops what comes.
  const raw_listener full(0);
  const auto first =
    connect_socket(full.where, std::chrono::steady_clock::now() + patience);
  EXPECT_EQ(peer(files("a")).failure(full.where, impatience),
            "no answer: the host is down, or its packets are dropped");
}

TEST_F(control_test, gives_up_where_nobody_speaks) {
  const talker silent("", false);
  for (const auto& tls : {std::optional(files("a")), {}})
    EXPECT_TRUE(holds(peer(tls).failure(silent.where(), impatience),
                      "accepts the connection but does not answer"));
}

TEST_F(control_test, gives_up_on_one_that_was_silent_before_as_on_the_first) {
  // CAF's own way keeps whoever asks next waiting for the first answer.
  std::optional<talker> silent(std::in_place, "", false);
  const auto where = silent->where();
  peer trainer(files("trainer"));
  trainer.failure(where, impatience);
  silent.reset();
  peer node(files("node"));
  node.listen(where.port);
  EXPECT_EQ(connect_control(trainer.system, where, patience).failure, "");
}

TEST_F(control_test, tells_another_protocol) {
  const std::string ssh = "SSH-2.0-Something that is long enough\r\n";
  for (const bool closes : {false, true}) {
    const talker server(ssh, closes);
    EXPECT_TRUE(holds(peer(std::nullopt).failure(server.where()),
                      "is no node of actorpipe"));
    EXPECT_TRUE(
      holds(peer(files("a")).failure(server.where()), "no node of actorpipe"));
  }
}

TEST_F(control_test, tells_one_that_hangs_up) {
  const talker server("", true);
  for (const auto& tls : {std::optional(files("a")), {}})
    EXPECT_TRUE(holds(peer(tls).failure(server.where()),
                      "closed the connection in the handshake"));
}

TEST_F(control_test, takes_no_port_at_random_for_a_peer) {
  peer trainer(std::nullopt);
  EXPECT_THROW(connect_control(trainer.system, {"127.0.0.1", 0}, patience),
               std::invalid_argument);
}

TEST_F(control_test, says_why_it_cannot_listen) {
  const raw_listener taken;
  peer node(std::nullopt);
  const auto error = [&](const endpoint& where) -> std::string {
    try {
      const auto whom = node.system.spawn(
        []() -> caf::behavior { return {[](std::int32_t) {}}; });
      publish_control(node.system, caf::actor_cast<caf::strong_actor_ptr>(whom),
                      where);
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error(taken.where), "cannot listen on " + to_string(taken.where)
                                  + ": Address already in use");
  EXPECT_EQ(error({"192.0.2.1", 7070}), "cannot listen on 192.0.2.1:7070: "
                                        "Cannot assign requested address");
  EXPECT_TRUE(holds(error({"host.invalid", 7070}),
                    "cannot listen on host.invalid:7070: "));
}

/// "ADDRESS:PORT" in the kernel's form, for each socket on which this process
/// listens.
std::vector<std::string> listening() {
  std::set<std::string> own;
  for (const auto& file :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    own.insert(std::filesystem::read_symlink(file.path(), ignored).string());
  }
  std::vector<std::string> result;
  for (const auto* table : {"/proc/self/net/tcp", "/proc/self/net/tcp6",
                            "/proc/self/net/udp", "/proc/self/net/udp6"}) {
    std::ifstream file(table);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      std::istringstream words(line);
      std::vector<std::string> word(std::istream_iterator<std::string>(words),
                                    {});
      const bool is_open = word.at(3) == "0A"
                        || std::string(table).find("udp") != std::string::npos;
      if (is_open && own.contains("socket:[" + word.at(9) + "]"))
        result.push_back(word.at(1));
    }
  }
  return result;
}

TEST_F(control_test, listens_where_it_was_told_and_nowhere_else) {
  const auto before = listening();
  ASSERT_EQ(before, std::vector<std::string>());
  peer node(files("node"));
  peer trainer(files("trainer"));
  const auto where = node.listen();
  EXPECT_EQ(connect_control(trainer.system, where, patience).failure, "");
  char expected[32];
  std::snprintf(expected, sizeof(expected), "0100007F:%04X", where.port);
  EXPECT_EQ(listening(), std::vector<std::string>{expected});
}

TEST_F(control_test, keeps_nothing_of_what_failed) {
  peer node(files("node"));
  peer trainer(files("trainer"));
  peer stranger(other_.make("stranger"));
  const auto where = node.listen();
  const talker silent("", true);
  const auto closed = raw_listener().where;
  connect_control(trainer.system, where, patience);
  const auto round = [&] {
    stranger.failure(where);
    trainer.failure(silent.where());
    trainer.failure(closed);
    connect_control(trainer.system, where, patience);
  };
  round();
  const auto before = open_descriptors();
  for (int i = 0; i < 10; ++i)
    round();
  EXPECT_TRUE(comes_true([&] { return open_descriptors() <= before; }))
    << open_descriptors() << " descriptors, before " << before;
}

TEST_F(control_test, keeps_nothing_of_one_that_never_answered) {
  const raw_listener silent;
  for (const auto& tls : {std::optional(files("a")), {}}) {
    peer trainer(tls);
    const auto before = open_descriptors();
    trainer.failure(silent.where, impatience);
    EXPECT_TRUE(comes_true([&] { return open_descriptors() <= before; }));
  }
}

TEST_F(control_test, is_not_shaken_by_what_strangers_send) {
  peer node(files("node"));
  const auto where = node.listen();
  const auto until = std::chrono::steady_clock::now() + patience;
  std::vector<descriptor> kept;
  for (const std::string_view text :
       {std::string_view(), std::string_view("GET / HTTP/1.0\r\n\r\n"),
        std::string_view("\x16\x03\x01\xff\xff", 5),
        std::string_view("\0\0\0\0\xff\xff\xff\xff", 8)})
    for (const bool closes : {false, true}) {
      auto socket = connect_socket(where, until);
      ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (!closes)
        kept.push_back(std::move(socket));
    }
  peer trainer(files("trainer"));
  const auto found = connect_control(trainer.system, where, patience);
  EXPECT_EQ(ask(trainer.system, found.actor, 41), 42);
}

/// The first bytes that a client with a `configure`d context can read, 32 at
/// most: as long as what a node says first.
template <class Configure>
std::string read_first(const endpoint& where, Configure configure) {
  const openssl::context context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_security_level(context.get(), 0);
  configure(context.get());
  const auto socket =
    connect_socket(where, std::chrono::steady_clock::now() + patience);
  ::fcntl(socket.get(), F_SETFL, 0);
  const openssl::session session(SSL_new(context.get()));
  SSL_set_fd(session.get(), socket.get());
  SSL_connect(session.get());
  std::string result;
  for (char byte = 0;
       result.size() < 32 && SSL_read(session.get(), &byte, 1) == 1;)
    result += byte;
  ERR_clear_error();
  return result;
}

void show(SSL_CTX* context, const tls_files& files) {
  SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str());
  SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM);
}

TEST_F(control_test, says_something_only_to_who_shows_a_certificate) {
  peer node(files("node"));
  const auto where = node.listen();
  const auto mine = files("trainer");
  const auto wrong = other_.make("stranger");
  EXPECT_EQ(read_first(where, [&](SSL_CTX* x) { show(x, mine); }).size(), 32U);
  EXPECT_EQ(read_first(where, [](SSL_CTX*) {}), "");
  EXPECT_EQ(read_first(where, [&](SSL_CTX* x) { show(x, wrong); }), "");
}

TEST_F(control_test, speaks_no_old_versions_of_tls) {
  peer node(files("node"));
  const auto where = node.listen();
  const auto mine = files("trainer");
  const auto read_with = [&](int version) {
    return read_first(where, [&](SSL_CTX* x) {
      show(x, mine);
      SSL_CTX_set_max_proto_version(x, version);
    });
  };
  EXPECT_EQ(read_with(TLS1_3_VERSION).size(), 32U);
  EXPECT_EQ(read_with(TLS1_2_VERSION), "");
}

TEST_F(control_test, keeps_a_bounded_number_of_silent_strangers) {
  peer node(files("node"));
  const auto where = node.listen();
  peer trainer(files("trainer"));
  const auto found = connect_control(trainer.system, where, patience);
  const auto before = open_descriptors();
  const auto until = std::chrono::steady_clock::now() + patience;
  std::vector<descriptor> silent;
  for (std::size_t i = 0; i < 4 * most_strangers; ++i)
    silent.push_back(connect_socket(where, until));
  peer other(files("other")); // whose turn is after theirs
  EXPECT_EQ(connect_control(other.system, where, patience).failure, "");
  EXPECT_TRUE(comes_true([&] {
    return open_descriptors() < before + silent.size() + 2 * most_strangers;
  }))
    << open_descriptors();
  EXPECT_EQ(ask(trainer.system, found.actor, 41), 42) << "it has a certificate";
}

TEST_F(control_test, checks_its_settings) {
  auto wrong = files("a");
  wrong.key = files("b").key;
  using std::chrono::seconds;
  EXPECT_THROW(control_config(wrong, seconds(1)), std::invalid_argument);
  EXPECT_THROW(control_config(std::nullopt, seconds(0)), std::invalid_argument);
}

} // namespace

} // namespace actorpipe::test
