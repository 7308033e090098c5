// SPDX-License-Identifier: Apache-2.0
/// Certificates through a pipe and in memory.
#include "actors/control/tls_bundle.hpp"

#include "actors/control/certificates.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace actorpipe {

namespace {

class tls_bundle : public testing::Test {
protected:
  // Reads a bundle from the text, `read_` bytes of it.
  tls_texts read(const std::string& text) {
    read_ = 0;
    return read_bundle([&] {
      return read_ < text.size() ? static_cast<unsigned char>(text[read_++])
                                 : -1;
    });
  }

  one_run_authority authority_;
  tls_files files_ = authority_.make("one");
  std::size_t read_ = 0;
};

TEST_F(tls_bundle, comes_out_as_it_went_in) {
  const auto texts = read_texts(files_);
  const auto text = to_bundle(texts);
  EXPECT_EQ(read(text + "more"), texts);
  EXPECT_EQ(read_, text.size());
}

TEST_F(tls_bundle, may_hold_a_chain) {
  auto texts = read_texts(files_);
  texts.certificate += texts.authority;
  texts.authority += texts.authority;
  EXPECT_EQ(read(to_bundle(texts)), texts);
}

TEST_F(tls_bundle, is_refused_when_something_is_missing) {
  const auto texts = read_texts(files_);
  const auto& [certificate, key, authority] = texts;
  for (const auto& text :
       {std::string(), std::string(".\n"), std::string("x\n.\n"),
        certificate + key + authority, certificate + key + ".\n",
        certificate + ".\n", key + authority + ".\n",
        certificate + authority + ".\n"})
    EXPECT_THROW(read(text), std::invalid_argument) << text;
  EXPECT_THROW(read(std::string(2'000'000, 'x')), std::invalid_argument);
}

TEST_F(tls_bundle, in_memory_can_be_used_as_files) {
  const tls_in_memory copy(read_texts(files_));
  check(copy.files());
  EXPECT_EQ(read_texts(copy.files()), read_texts(files_));
}

TEST_F(tls_bundle, of_files_that_are_not_there_names_the_file) {
  files_.key = "/nowhere/key.pem";
  try {
    read_texts(files_);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).rfind("key /nowhere/key.pem: ", 0), 0U);
  }
}

} // namespace

} // namespace actorpipe
