// SPDX-License-Identifier: Apache-2.0
/// A file is replaced whole or not at all.
#include "compute/io/atomic_file.hpp"
#include "compute/io/io_error.hpp"

#include "tests/support/limited_file_size.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <iterator>

namespace actorpipe {

namespace {

class atomic_file_test : public testing::Test {
protected:
  std::size_t files() const {
    return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }

  temporary_folder folder_;
  std::filesystem::path path_ = folder_ / "file";
};

TEST_F(atomic_file_test, replaces_the_old_file_on_commit) {
  folder_.write("file", "old and longer");
  atomic_file out(path_);
  out.write("ne");
  out.write("w");
  EXPECT_EQ(read_whole(path_), "old and longer");
  out.commit();
  EXPECT_EQ(read_whole(path_), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(atomic_file_test, leaves_nothing_without_a_commit) {
  folder_.write("file", "old");
  { atomic_file(path_).write("new"); }
  EXPECT_EQ(read_whole(path_), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(atomic_file_test, overwrites_what_a_killed_writer_left) {
  folder_.write("file.partial", "left behind, and long");
  write_file_atomically(path_, "new");
  EXPECT_EQ(read_whole(path_), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(atomic_file_test, names_the_path_and_the_reason_on_a_full_disk) {
  folder_.write("file", "old");
  const limited_file_size full(1000);
  try {
    write_file_atomically(path_, std::string(5000, 'x'));
    FAIL() << "the limit was not met";
  } catch (const io_error& error) {
    EXPECT_EQ(error.what(), path_.string() + ".partial: cannot write: "
                              + std::strerror(EFBIG));
    EXPECT_EQ(error.error_number(), EFBIG);
  }
  EXPECT_EQ(read_whole(path_), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(atomic_file_test, names_a_folder_that_is_missing) {
  const auto path = folder_ / "none/file";
  try {
    write_file_atomically(path, "");
    FAIL();
  } catch (const io_error& error) {
    EXPECT_EQ(error.what(), path.string() + ".partial: cannot create: "
                              + std::strerror(ENOENT));
  }
}

TEST_F(atomic_file_test, names_a_path_that_cannot_be_replaced) {
  std::filesystem::create_directory(path_);
  try {
    write_file_atomically(path_, "new");
    FAIL();
  } catch (const io_error& error) {
    EXPECT_EQ(error.path(), path_.string());
    EXPECT_EQ(error.error_number(), EISDIR);
  }
  EXPECT_EQ(files(), 1U);
}

TEST_F(atomic_file_test, reports_a_device_without_space) {
  if (!std::filesystem::exists("/dev/full"))
    GTEST_SKIP() << "/dev/full is not on this machine";
  file_descriptor full("/dev/full", file_descriptor::mode::append);
  try {
    full.write("x", 1);
    FAIL();
  } catch (const io_error& error) {
    EXPECT_EQ(error.error_number(), ENOSPC);
  }
}

TEST_F(atomic_file_test, exchanges_two_folders) {
  for (const auto* name : {"from", "to"}) {
    std::filesystem::create_directory(folder_ / name);
    folder_.write(std::string(name) + "/file", name);
  }
  exchange_paths(folder_ / "from", folder_ / "to");
  EXPECT_EQ(read_whole(folder_ / "to/file"), "from");
}

TEST_F(atomic_file_test, names_a_path_that_cannot_be_exchanged) {
  folder_.write("file", "x");
  const auto endless = folder_ / std::string(300, 'x');
  try {
    exchange_paths(path_, endless);
    FAIL();
  } catch (const io_error& error) {
    EXPECT_EQ(error.path(), endless.string());
    EXPECT_EQ(error.error_number(), ENAMETOOLONG);
  }
  EXPECT_EQ(read_whole(path_), "x");
}

TEST_F(atomic_file_test, may_have_a_bare_name) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  write_file_atomically("bare", "x");
  std::filesystem::current_path(before);
  EXPECT_EQ(read_whole(folder_ / "bare"), "x");
}

} // namespace

} // namespace actorpipe
