// SPDX-License-Identifier: Apache-2.0
/// `node` and `status`: how a node begins, ends and is asked.
#include "tests/apps/cluster_program_test.hpp"

#include "actors/control/certificates.hpp"
#include "actors/control/endpoint.hpp"
#include "actors/control/tls_bundle.hpp"
#include "actors/launch/launched_node.hpp"
#include "actors/launch/spawned_process.hpp"

#include <csignal>
#include <cstdlib>

namespace actorpipe::test {

namespace {

const words here{"node", "--listen", "127.0.0.1:0"};
const words plain = here + words{"--insecure"};

class node : public cluster_program_test {
protected:
  // Of a node that has said where it listens.
  static std::string address(child_process& program) {
    EXPECT_TRUE(program.read_until("\n"));
    return address_in(program.output());
  }

  words with(const tls_files& files) const {
    return {"--tls-cert", files.certificate, "--tls-key",
            files.key,    "--tls-ca",        files.authority};
  }

  // Nothing listens at the address any more: another node can.
  void is_free(const std::string& address) const {
    auto next = start_marked({"node", "--listen", address, "--insecure"});
    EXPECT_EQ(node::address(next), address);
    next.send(SIGTERM);
    EXPECT_EQ(next.finish().code, 0);
  }
};

TEST_F(node, ends_well_when_it_is_told_to) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    auto program = start_marked(plain);
    const auto where = address(program);
    EXPECT_NE(parse_endpoint(where).port, 0);
    program.send(signal);
    const auto end = program.finish();
    EXPECT_EQ(end.code, 0);
    EXPECT_EQ(end.out, "listening on " + where + "\n");
    EXPECT_EQ(end.err, "");
    is_free(where);
  }
  leaves_nothing();
}

TEST_F(node, ends_with_its_standard_input) {
  spawned_process program(marked() + words{ACTORPIPE_PROGRAM} + plain
                          + words{"--exit-with-stdin"});
  program.close_input();
  EXPECT_EQ(describe_end(program.wait()), "ended with exit code 0");
  leaves_nothing();
}

TEST_F(node, needs_nothing_in_its_environment) {
  child_process program(words{"/usr/bin/env", "-i", ACTORPIPE_PROGRAM} + plain,
                        {});
  EXPECT_NE(address(program), "");
  program.send(SIGTERM);
  EXPECT_EQ(program.finish().code, 0);
}

TEST_F(node, leaves_nothing_however_often_it_is_started) {
  const int cycles = std::getenv("ACTORPIPE_SEEDS") != nullptr ? 200 : 20;
  for (int i = 0; i < cycles; ++i) {
    auto program = start_marked(plain);
    const auto where = address(program);
    // Those that are killed leave nothing either.
    program.send(i % 4 == 3 ? SIGKILL : SIGTERM);
    EXPECT_EQ(program.finish().code, i % 4 == 3 ? 128 + SIGKILL : 0);
    if (i % 10 == 0)
      is_free(where);
  }
  leaves_nothing();
}

TEST_F(node, cannot_listen_where_another_does) {
  auto first = start_marked(plain);
  const auto where = address(first);
  const auto end = run_marked({"node", "--listen", where, "--insecure"});
  EXPECT_EQ(end.code, 1);
  EXPECT_EQ(end.out, "");
  EXPECT_NE(end.err.find(where), std::string::npos) << end.err;
}

TEST_F(node, tells_how_it_is) {
  auto program = start_marked(plain + words{"--devices", "cpu:0,cpu:1"});
  const auto where = address(program);
  const auto text = print({"status", where, "--insecure"});
  for (const auto* part : {"node ", "devices cpu:0, cpu:1", "free\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  const auto json =
    nlohmann::json::parse(print({"status", where, "--insecure", "--json"}));
  EXPECT_EQ(json["devices"], (std::vector<std::string>{"cpu:0", "cpu:1"}));
  EXPECT_FALSE(json.contains("run"));
}

TEST_F(node, tells_nothing_without_a_certificate) {
  const one_run_authority authority;
  const one_run_authority other;
  auto program = start_marked(here + with(authority.make("node")));
  const auto where = address(program);
  print(words{"status", where} + with(authority.make("me")));
  for (const auto& how : {words{"--insecure"}, with(other.make("stranger"))}) {
    const auto end = run_marked(words{"status", where} + how);
    EXPECT_EQ(end.code, 1);
    EXPECT_EQ(end.out, "");
    EXPECT_NE(end.err.find(where), std::string::npos) << end.err;
  }
}

TEST_F(node, takes_certificates_from_its_standard_input) {
  const one_run_authority authority;
  launched_node_options how;
  how.name = "node";
  how.command = [this](const std::string& listen) {
    return marked() + words{ACTORPIPE_PROGRAM,  "node",
                            "--listen",         listen,
                            "--tls-from-stdin", "--exit-with-stdin"};
  };
  how.listen = "127.0.0.1:0";
  how.input = to_bundle(read_texts(authority.make("node")));
  how.log = how.printed = [](const std::string&) {};
  {
    launched_node program(how);
    const auto where =
      program.address(std::chrono::steady_clock::now() + std::chrono::hours(1));
    ASSERT_TRUE(where);
    print(words{"status", *where} + with(authority.make("me")));
  }
  leaves_nothing();
}

TEST_F(node, refuses_what_does_not_fit) {
  refuses(here, {"--tls-cert", "scripts/make_certificates", "--insecure"});
  refuses(here + words{"--tls-cert", "a.pem"}, {"--tls-key is missing"});
  refuses(plain + words{"--tls-cert", "a.pem"}, {"--insecure", "one can hold"});
  refuses(here + words{"--tls-cert", "a", "--tls-key", "b", "--tls-ca", "c"},
          {"certificate a", "No such file"});
  refuses(plain + words{"--tls-from-stdin"}, {"--tls-from-stdin"});
  refuses(here + words{"--tls-from-stdin"}, {"the certificates end before"});
  refuses(plain + words{"--devices", "gpu:0"}, {"gpu:0", "cpu:0"});
  refuses(plain + words{"--devices", "cpu:0,"}, {"--devices"});
  refuses(plain + words{"--link-port", "70000"}, {"--link-port"});
  refuses(plain + words{"--plugin", "layers.so"}, {"layers.so"});
  refuses({"node", "--insecure", "--listen", "127.0.0.1:port"},
          {"127.0.0.1:port"});
}

TEST_F(node, status_refuses_what_does_not_fit) {
  refuses({"status"}, {"ADDRESS is required"});
  refuses({"status", "127.0.0.1:7070"}, {"--tls-cert", "--insecure"});
  refuses({"status", "a:b", "--insecure"}, {"a:b"});
  refuses({"status", "a:1", "--insecure", "--timeout", "0"}, {"--timeout"});
}

} // namespace

} // namespace actorpipe::test
