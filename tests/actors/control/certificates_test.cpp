// SPDX-License-Identifier: Apache-2.0
/// Certificates that are made here, and the check that finds bad ones.
#include "actors/control/certificates.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <sys/stat.h>
#include <sys/wait.h>

namespace actorpipe {

namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

mode_t mode_of(const fs::path& path) {
  struct stat found {};
  EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
  return found.st_mode & 0777U;
}

std::string error(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

std::string check_error(const tls_files& files) {
  return error([&] { check(files); });
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class certificates_test : public testing::Test {
protected:
  temporary_folder folder_;
  authority_files authority_ = make_authority(folder_ / "authority");
  tls_files good_ = make_certificate(folder_ / "certificates", authority_, "a");
};

TEST_F(certificates_test, pass_the_check) {
  EXPECT_EQ(check_error(good_), "no error");
}

TEST_F(certificates_test, are_kept_from_others) {
  EXPECT_EQ(mode_of(folder_ / "authority"), 0700U);
  EXPECT_EQ(mode_of(folder_ / "certificates"), 0700U);
  EXPECT_EQ(mode_of(authority_.key), 0600U);
  EXPECT_EQ(mode_of(good_.key), 0600U);
}

TEST_F(certificates_test, replace_no_file) {
  EXPECT_TRUE(holds(error([&] { make_authority(folder_ / "authority"); }),
                    "authority-key.pem: File exists"));
  EXPECT_TRUE(holds(
    error([&] { make_certificate(folder_ / "certificates", authority_, "a"); }),
    "a-key.pem: File exists"));
}

TEST_F(certificates_test, have_names_that_are_safe_in_paths) {
  for (const auto* name : {"", "../a", "a/b", ".a", "-a", "a b", "a\nb"})
    EXPECT_THROW(make_certificate(folder_ / "x", authority_, name),
                 std::invalid_argument)
      << name;
  EXPECT_THROW(
    make_certificate(folder_ / "x", authority_, std::string(65, 'a')),
    std::invalid_argument);
  EXPECT_NO_THROW(
    make_certificate(folder_ / "x", authority_, std::string(64, 'a')));
}

TEST_F(certificates_test, of_one_run_go_with_it) {
  fs::path path;
  {
    const one_run_authority run;
    path = run.folder();
    EXPECT_EQ(mode_of(path), 0700U);
    EXPECT_EQ(check_error(run.make("node-0")), "no error");
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(certificates_test, that_are_not_there_are_named) {
  auto files = good_;
  files.key = folder_ / "nothing.pem";
  EXPECT_EQ(check_error(files),
            "key " + files.key + ": No such file or directory");
  files.key = "";
  EXPECT_TRUE(holds(check_error(files), "no key: "));
}

TEST_F(certificates_test, that_are_none_are_named) {
  folder_.write("text.pem", "hello");
  const std::string text = folder_ / "text.pem";
  EXPECT_TRUE(holds(check_error({text, good_.key, good_.authority}),
                    "certificate " + text + ": no certificate"));
  EXPECT_TRUE(holds(check_error({good_.certificate, text, good_.authority}),
                    "key " + text + ": no private key"));
  EXPECT_TRUE(holds(check_error({good_.certificate, good_.key, text}),
                    "authority " + text + ": no certificate"));
}

TEST_F(certificates_test, need_their_own_key) {
  const auto other =
    make_certificate(folder_ / "certificates", authority_, "b");
  EXPECT_TRUE(holds(
    check_error({good_.certificate, other.key, good_.authority}),
    "key " + other.key + ": not the key of certificate " + good_.certificate));
}

TEST_F(certificates_test, need_their_own_authority) {
  const auto other = make_authority(folder_ / "other");
  EXPECT_TRUE(
    holds(check_error({good_.certificate, good_.key, other.certificate}),
          "certificate " + good_.certificate + ": not signed by the authority "
            + other.certificate));
}

TEST_F(certificates_test, are_good_for_a_time) {
  const auto late = make_certificate(folder_ / "x", authority_, "late",
                                     {hours(-48), hours(-1)});
  const auto early =
    make_certificate(folder_ / "x", authority_, "early", {hours(1), hours(2)});
  EXPECT_EQ(check_error(late),
            "certificate " + late.certificate + ": certificate has expired");
  EXPECT_EQ(check_error(early), "certificate " + early.certificate
                                  + ": certificate is not yet valid");
}

TEST_F(certificates_test, need_an_authority_that_is_good_for_a_time) {
  const auto old = make_authority(folder_ / "old", {hours(-48), hours(-1)});
  const auto files = make_certificate(folder_ / "x", old, "a");
  EXPECT_EQ(check_error(files),
            "authority " + old.certificate + ": certificate has expired");
}

TEST_F(certificates_test, are_no_authorities) {
  const auto below =
    make_certificate(folder_ / "x", {good_.certificate, good_.key}, "below");
  EXPECT_NE(check_error(below), "no error");
}

/// scripts/make_certificates, in a folder of the test's.
class make_certificates_test : public testing::Test {
protected:
  // Its exit code; what it prints is in `output_`.
  int run(const std::string& arguments) {
    const std::string command =
      ACTORPIPE_SOURCE_DIR "/scripts/make_certificates " + arguments + " 2>&1";
    auto* const pipe = ::popen(command.c_str(), "r");
    output_.clear();
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
      output_ += static_cast<char>(c);
    return WEXITSTATUS(::pclose(pipe));
  }

  tls_files files(const std::string& name) const {
    const fs::path path(path_);
    return {path / (name + ".pem"), path / (name + "-key.pem"),
            path / "authority.pem"};
  }

  temporary_folder folder_;
  std::string path_ = folder_ / "certificates";
  std::string output_;
};

TEST_F(make_certificates_test, makes_what_passes_the_check) {
  ASSERT_EQ(run(path_ + " node-1 node2.example.org"), 0) << output_;
  EXPECT_EQ(check_error(files("node-1")), "no error");
  EXPECT_EQ(check_error(files("node2.example.org")), "no error");
  EXPECT_EQ(mode_of(path_), 0700U);
  EXPECT_EQ(mode_of(files("node-1").key), 0600U);
  EXPECT_EQ(mode_of(fs::path(path_) / "authority-key.pem"), 0600U);
}

TEST_F(make_certificates_test, adds_to_an_authority_that_is_there) {
  ASSERT_EQ(run(path_ + " a"), 0) << output_;
  ASSERT_EQ(run(path_ + " b"), 0) << output_;
  EXPECT_EQ(check_error(files("a")), "no error");
  EXPECT_EQ(check_error(files("b")), "no error");
}

TEST_F(make_certificates_test, replaces_no_certificate) {
  ASSERT_EQ(run(path_ + " a"), 0) << output_;
  EXPECT_EQ(run(path_ + " b a"), 1);
  EXPECT_TRUE(holds(output_, "a.pem is there already")) << output_;
  EXPECT_FALSE(fs::exists(files("b").certificate)) << "all or nothing";
}

TEST_F(make_certificates_test, refuses_what_is_no_name) {
  EXPECT_EQ(run(path_ + " ../a"), 2);
  EXPECT_TRUE(holds(output_, "../a")) << output_;
  EXPECT_EQ(run(path_), 2);
  EXPECT_FALSE(fs::exists(path_));
}

} // namespace

} // namespace actorpipe
