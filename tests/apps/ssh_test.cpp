// SPDX-License-Identifier: Apache-2.0
/// `launch --hosts` over the system's ssh and sshd. The daemon serves one
/// connection through a pipe, with a key and a configuration of the test's own:
/// it needs no port and no rights.
#include "tests/apps/cluster_program_test.hpp"

#include "actors/launch/spawned_process.hpp"

#include <csignal>
#include <unistd.h>

namespace actorpipe::test {

namespace {

constexpr auto daemon_path = "/usr/sbin/sshd";

class over_ssh : public cluster_program_test {
protected:
  void SetUp() override {
    if (access(daemon_path, X_OK) != 0)
      GTEST_SKIP() << "there is no " << daemon_path;
    for (const auto* key : {"host_key", "user_key"})
      if (!succeeds({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
                     (folder_ / key).string()}))
        GTEST_SKIP() << "ssh-keygen does not work here";
    std::filesystem::copy(folder_ / "user_key.pub", folder_ / "authorized");
    folder_.write("sshd_config",
                  "HostKey " + (folder_ / "host_key").string()
                    + "\nAuthorizedKeysFile "
                    + (folder_ / "authorized").string()
                    + "\nPidFile none\nUsePAM no\nStrictModes no\n"
                      "PasswordAuthentication no\nPermitRootLogin yes\n"
                      "AcceptEnv TMPDIR\n");
    if (!succeeds(words{"sh", "-c", ssh() + " 127.0.0.1 true"}))
      GTEST_SKIP() << "this user cannot reach an sshd of its own here";
  }

  static bool succeeds(const words& command) {
    return describe_end(spawned_process(command).wait())
        == "ended with exit code 0";
  }

  // Without blanks within a word: `--ssh` is split at them.
  std::string ssh() const {
    // Root's daemon wants a folder that the system's makes when it starts.
    const auto daemon = folder_.write(
      "daemon", "#!/bin/sh\nserve='exec " + std::string(daemon_path) + " -i -f "
                  + (folder_ / "sshd_config").string()
                  + "'\n[ -d /run/sshd ] || [ \"$(id -u)\" != 0 ] || exec "
                    "unshare --mount sh -c \"mount -t tmpfs none /run && mkdir "
                    "-m 0755 /run/sshd && $serve\"\n$serve\n");
    std::filesystem::permissions(daemon, std::filesystem::perms::owner_all);
    return "ssh -T -F none -o BatchMode=yes -o StrictHostKeyChecking=no -o "
           "UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o "
           "IdentitiesOnly=yes -o SendEnv=TMPDIR -o ProxyCommand="
         + daemon.string() + " -i " + (folder_ / "user_key").string();
  }
};

TEST_F(over_ssh, nodes_give_the_bits_of_one_process) {
  folder_.write("hosts", "127.0.0.1 command=" ACTORPIPE_PROGRAM "\n"
                         "127.0.0.1 command=" ACTORPIPE_PROGRAM "\n");
  const auto end = run_marked(
    {"launch", "run.toml", "--quiet", "--hosts", "hosts", "--ssh", ssh()});
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(sum_of(end.out), train("alone"));
  await_end_of_processes();
  leaves_nothing();
}

TEST_F(over_ssh, nodes_end_with_their_launcher) {
  folder_.write("hosts", "127.0.0.1 command=" ACTORPIPE_PROGRAM "\n");
  auto program = start_marked({"launch", "run.toml", "--steps", "5000",
                               "--hosts", "hosts", "--ssh", ssh()});
  ASSERT_TRUE(program.read_until("step 2/5000"));
  EXPECT_GE(processes().size(), 3U);
  program.send(SIGKILL);
  program.finish();
  await_end_of_processes();
  leaves_nothing();
}

} // namespace

} // namespace actorpipe::test
