// SPDX-License-Identifier: Apache-2.0
/// Which files a corpus reads and which of them it holds out.
#include "compute/data/text_corpus.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <unistd.h>

namespace actorpipe {

namespace {

class text_corpus_test : public testing::Test {
protected:
  text_corpus load(std::vector<std::string> families = {},
                   double fraction = 0.1) {
    return load_text_corpus({folder_.path().string(), families, fraction});
  }

  std::string error(const text_corpus_options& options) {
    try {
      load_text_corpus(options);
    } catch (const data_error& e) {
      return e.what();
    }
    return "no error";
  }

  static std::vector<std::string>
  names(const std::vector<text_document>& documents) {
    std::vector<std::string> result;
    for (const auto& document : documents)
      result.push_back(document.name);
    return result;
  }

  static std::size_t bytes(const std::vector<text_document>& documents) {
    std::size_t result = 0;
    for (const auto& document : documents)
      result += document.bytes.size();
    return result;
  }

  temporary_folder folder_;
};

using strings = std::vector<std::string>;

TEST(family_of, ends_before_a_version) {
  EXPECT_EQ(family_of("GPL-2"), "GPL");
  EXPECT_EQ(family_of("LGPL-2.1"), "LGPL");
  EXPECT_EQ(family_of("CC0-1.0"), "CC0");
  EXPECT_EQ(family_of("Python-v3"), "Python");
  EXPECT_EQ(family_of("AGPL-3.0-only"), "AGPL");
}

TEST(family_of, is_the_whole_name_without_one) {
  EXPECT_EQ(family_of("BSD"), "BSD");
  EXPECT_EQ(family_of("Vim-license"), "Vim-license");
  EXPECT_EQ(family_of("-2"), "-2");
  EXPECT_EQ(family_of(""), "");
}

TEST_F(text_corpus_test, reads_all_folders_in_the_order_of_names) {
  folder_.write("b/x-1", "bx");
  folder_.write("a", "aa");
  folder_.write("c-2", "cc");
  folder_.write("b/a", "ba");
  const auto corpus = load({"c"});
  EXPECT_EQ(names(corpus.training), (strings{"a", "b/a", "b/x-1"}));
  EXPECT_EQ(names(corpus.held_out), strings{"c-2"});
}

TEST_F(text_corpus_test, keeps_any_bytes) {
  const std::string bytes("\0\r\n\xff\x80 a\0", 8);
  folder_.write("a", bytes);
  folder_.write("b-1", "other");
  EXPECT_EQ(load({"b"}).training.at(0).bytes, bytes);
}

TEST_F(text_corpus_test, does_not_follow_links_below_the_path) {
  folder_.write("a-1", "text");
  folder_.write("b-1", "held");
  std::filesystem::create_symlink("a-1", folder_ / "a");
  std::filesystem::create_symlink("missing", folder_ / "c");
  std::filesystem::create_directory_symlink(".", folder_ / "loop");
  EXPECT_EQ(names(load({"b"}).training), strings{"a-1"});
}

TEST_F(text_corpus_test, follows_a_link_that_is_the_path) {
  const auto file = folder_.write("a", std::string(100, 'x'));
  std::filesystem::create_symlink(file, folder_ / "link");
  EXPECT_EQ(bytes(load_text_corpus({folder_ / "link", {}, 0.1}).training), 90U);
}

TEST_F(text_corpus_test, reads_equal_files_once_and_empty_ones_never) {
  folder_.write("a", "same");
  folder_.write("b", "same");
  folder_.write("c", "");
  folder_.write("d-1", "held");
  EXPECT_EQ(names(load({"d"}).training), strings{"a"});
}

TEST_F(text_corpus_test, holds_out_every_version_of_a_family) {
  for (const auto* name : {"GPL-1", "old/GPL-2", "LGPL-2", "GPL"})
    folder_.write(name, name);
  const auto corpus = load({"GPL"});
  EXPECT_EQ(names(corpus.training), strings{"LGPL-2"});
  EXPECT_EQ(names(corpus.held_out), (strings{"GPL", "GPL-1", "old/GPL-2"}));
}

TEST_F(text_corpus_test, holds_out_whole_files_for_a_fraction) {
  for (int i = 0; i < 40; ++i)
    folder_.write(std::to_string(i) + ".txt", std::to_string(i) + " file ...");
  const auto corpus = load({}, 0.25);
  EXPECT_EQ(corpus.training.size() + corpus.held_out.size(), 40U);
  EXPECT_NEAR(
    static_cast<double>(bytes(corpus.held_out)),
    0.25 * static_cast<double>(bytes(corpus.held_out) + bytes(corpus.training)),
    15);
  EXPECT_EQ(names(load({}, 0.25).held_out), names(corpus.held_out));
}

TEST_F(text_corpus_test, holds_out_the_tail_of_a_single_file) {
  folder_.write("a", "0123456789");
  const auto corpus = load({}, 0.2);
  EXPECT_EQ(corpus.training.at(0).bytes, "01234567");
  EXPECT_EQ(corpus.held_out.at(0).bytes, "89");
}

TEST_F(text_corpus_test, holds_out_the_tail_of_the_largest_of_few_files) {
  folder_.write("a", std::string(500, 'a'));
  folder_.write("b", std::string(700, 'b'));
  const auto corpus = load({}, 0.1);
  EXPECT_EQ(bytes(corpus.held_out), 120U);
  EXPECT_EQ(names(corpus.held_out), strings{"b"});
  EXPECT_EQ(bytes(corpus.training), 1080U);
}

TEST_F(text_corpus_test, names_a_path_that_is_missing) {
  const auto path = (folder_ / "none").string();
  EXPECT_EQ(error({path, {}, 0.1}), path + ": there is no such file or folder");
}

TEST_F(text_corpus_test, names_a_path_without_text) {
  const auto path = folder_.path().string();
  EXPECT_EQ(error({path, {}, 0.1}), path + ": holds no text");
  const auto file = folder_.write("empty", "").string();
  EXPECT_EQ(error({file, {}, 0.1}), file + ": holds no text");
}

TEST_F(text_corpus_test, names_a_path_that_is_no_file) {
  EXPECT_EQ(error({"/dev/null", {}, 0.1}),
            "/dev/null: is neither a file nor a folder");
}

TEST_F(text_corpus_test, names_a_file_that_cannot_be_read) {
  if (geteuid() == 0)
    GTEST_SKIP() << "root may read every file";
  const auto file = folder_.write("secret", "text");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  EXPECT_EQ(error({folder_.path().string(), {}, 0.1}),
            file.string() + ": cannot be opened: Permission denied");
}

TEST_F(text_corpus_test, names_a_family_that_is_not_there) {
  folder_.write("a-1", "a");
  folder_.write("b", "b");
  EXPECT_EQ(error({folder_.path().string(), {"b", "c"}, 0.1}),
            folder_.path().string()
              + ": no file is of the family c that is to be held out; there "
                "are a, b");
}

TEST_F(text_corpus_test, must_leave_something_to_train_on) {
  folder_.write("a-1", "a");
  EXPECT_EQ(error({folder_.path().string(), {"a"}, 0.1}),
            folder_.path().string()
              + ": nothing is left to train on when a are held out");
}

TEST(find_shared_passage, finds_a_passage_of_exactly_the_length) {
  const text_corpus corpus{
    "", {{"t0", "nothing"}, {"t1", "xx0123456789yy"}}, {{"h", "a0123456789b"}}};
  const auto found = find_shared_passage(corpus, 10);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text, "0123456789");
  EXPECT_EQ(found->training, "t1");
  EXPECT_EQ(found->held_out, "h");
  EXPECT_FALSE(find_shared_passage(corpus, 11));
}

TEST(find_shared_passage, needs_no_text) {
  EXPECT_FALSE(find_shared_passage({"", {{"t", "a"}}, {}}, 1));
  EXPECT_FALSE(find_shared_passage({"", {{"t", ""}}, {{"h", "a"}}}, 1));
}

} // namespace

} // namespace actorpipe
