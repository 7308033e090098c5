// SPDX-License-Identifier: Apache-2.0
/// Tensors come back as they were written, and no bytes break the reader.
#include "compute/io/io_error.hpp"
#include "compute/io/safetensors.hpp"
#include "compute/io/sha256.hpp"

#include "tests/support/limited_file_size.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>

namespace actorpipe {

namespace {

using floats = std::vector<float>;

std::string bytes_of(const tensor& x) {
  return {static_cast<const char*>(x.bytes()),
          static_cast<std::size_t>(x.size_bytes())};
}

// A file of a header and data, with the right length in front.
std::string file_of(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string result(8, '\0');
  std::memcpy(result.data(), &length, 8);
  return result + header + data;
}

class safetensors_test : public testing::Test {
protected:
  // What is said about a file, without its path.
  std::string error(const std::string& bytes) {
    const auto path = folder_.write("bad", bytes);
    try {
      const safetensors_file file(path);
    } catch (const format_error& e) {
      const std::string text = e.what();
      const auto prefix = path.string() + ": ";
      EXPECT_EQ(text.rfind(prefix, 0), 0U) << text;
      return text.substr(prefix.size());
    }
    return "no error";
  }

  temporary_folder folder_;
  std::filesystem::path path_ = folder_ / "x.safetensors";
  const std::vector<named_tensor> some_{
    {"bytes", tensor::from({3}, std::vector<std::uint8_t>{1, 2, 255})},
    {"a.weight", tensor::from({2, 2}, floats{1, -0.0F, 3e-45F, 4})},
    {"none", tensor::zeros({dtype::f32, {0, 7}})},
    {"ints", tensor::from({1, 2}, std::vector<std::int32_t>{-1, 7})},
    {"one", tensor::from({}, std::vector<double>{0.1})}};
};

TEST_F(safetensors_test, come_back_as_they_were_written) {
  write_safetensors(path_, some_, {{"key", "a \"text\"\n"}});
  const safetensors_file file(path_);
  EXPECT_EQ(file.entries().size(), some_.size());
  EXPECT_EQ(file.metadata(), (safetensors_metadata{{"key", "a \"text\"\n"}}));
  for (const auto& [name, value] : some_) {
    const auto* entry = file.find(name);
    ASSERT_NE(entry, nullptr) << name;
    EXPECT_EQ(entry->type, value.type()) << name;
    EXPECT_EQ(bytes_of(file.read(*entry)), bytes_of(value)) << name;
  }
  EXPECT_EQ(file.find("other"), nullptr);
}

TEST_F(safetensors_test, may_be_none) {
  write_safetensors(path_, {});
  EXPECT_TRUE(safetensors_file(path_).entries().empty());
}

TEST_F(safetensors_test, are_the_documented_bytes) {
  write_safetensors(path_, {{"a", tensor::from({1}, floats{1})}});
  EXPECT_EQ(read_whole(path_),
            file_of("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":"
                    "[0,4]}}  ",
                    std::string("\0\0\x80\x3f", 4)));
}

TEST_F(safetensors_test, are_aligned_in_the_file) {
  write_safetensors(path_, some_);
  const safetensors_file file(path_);
  for (const auto& entry : file.entries())
    EXPECT_EQ(entry.begin % size_bytes(entry.type.type), 0U) << entry.name;
}

TEST_F(safetensors_test, are_summed_while_they_are_written) {
  const auto digest = write_safetensors(path_, some_);
  const auto bytes = read_whole(path_);
  EXPECT_EQ(digest, (file_digest{bytes.size(), sha256_hex(bytes)}));
}

TEST_F(safetensors_test, need_names_of_their_own) {
  const auto x = tensor::from({1}, floats{1});
  EXPECT_THROW(write_safetensors(path_, {{"a", x}, {"a", x}}),
               std::invalid_argument);
  EXPECT_THROW(write_safetensors(path_, {{"__metadata__", x}}),
               std::invalid_argument);
  EXPECT_THROW(write_safetensors(path_, {{"\xff", x}}), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(safetensors_test, leave_the_old_file_on_a_full_disk) {
  write_safetensors(path_, some_);
  const auto before = read_whole(path_);
  const limited_file_size full(4096);
  EXPECT_THROW(
    write_safetensors(path_, {{"a", tensor::zeros({dtype::f32, {5000}})}}),
    io_error);
  EXPECT_EQ(read_whole(path_), before);
}

TEST_F(safetensors_test, that_are_missing_are_named) {
  try {
    const safetensors_file file(path_);
    FAIL();
  } catch (const io_error& error) {
    EXPECT_EQ(error.what(),
              path_.string() + ": cannot open: No such file or directory");
  }
}

// -- bytes of all kinds -------------------------------------------------------

TEST_F(safetensors_test, say_where_they_are_truncated) {
  EXPECT_EQ(error(""), "truncated: 0 bytes are no header");
  EXPECT_EQ(error("1234567"), "truncated: 7 bytes are no header");
  EXPECT_EQ(error(std::string("\x0a\0\0\0\0\0\0\0{}", 10)),
            "truncated: the header says that it has 10 bytes, but 2 are left");
  EXPECT_EQ(error(std::string(8, '\xff') + "{}"),
            "truncated: the header says that it has 18446744073709551615 "
            "bytes, but 2 are left");
  EXPECT_EQ(error(file_of("{}", "x")),
            "the tensors end at 0, but there are 1 bytes");
}

TEST_F(safetensors_test, say_what_is_wrong_with_the_header) {
  EXPECT_EQ(error(file_of("{\"a\":", "")).rfind("the header is not JSON", 0),
            0U);
  EXPECT_EQ(error(file_of("", "")).rfind("the header is not JSON", 0), 0U);
  EXPECT_EQ(error(file_of("\"\xff\"", "")).rfind("the header is not JSON", 0),
            0U);
  EXPECT_EQ(error(file_of("[]", "")), "the header is not an object");
  EXPECT_EQ(error(file_of(std::string(100000, '['), "")),
            "the header is nested too deeply");
  EXPECT_EQ(error(file_of("{\"__metadata__\":[]}", "")),
            "__metadata__ is not an object");
  EXPECT_EQ(error(file_of("{\"__metadata__\":{\"a\":1}}", "")),
            "__metadata__: \"a\" is not text");
}

std::string entry(const std::string& dtype, const std::string& shape,
                  const std::string& offsets, const std::string& name = "a") {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape
       + ",\"data_offsets\":" + offsets + "}";
}

TEST_F(safetensors_test, say_what_is_wrong_with_an_entry) {
  const auto said = [&](const std::string& entries, std::size_t bytes) {
    return error(file_of("{" + entries + "}", std::string(bytes, 'x')));
  };
  const std::string a = "tensor \"a\": ";
  EXPECT_EQ(said("\"a\":1", 0), a + "is not described by an object");
  EXPECT_EQ(said("\"a\":{}", 0), a + "has no \"dtype\"");
  EXPECT_EQ(said("\"a\":{\"dtype\":\"F32\"}", 0), a + "has no list \"shape\"");
  EXPECT_EQ(said(entry("BF16", "[1]", "[0,2]"), 2),
            a
              + "has elements of type BF16; those that can be read are F32, "
                "F64, I32 and U8");
  EXPECT_EQ(said(entry("F32", "[-1]", "[0,4]"), 4),
            a + "\"shape\" holds -1, which is no offset or extent");
  EXPECT_EQ(said(entry("F32", "[1.5]", "[0,4]"), 4),
            a + "\"shape\" holds 1.5, which is no offset or extent");
  EXPECT_EQ(said(entry("F32", "[1]", "[0,8]"), 4),
            a
              + "its offsets [0,8] do not lie within the 4 bytes of the "
                "tensors");
  EXPECT_EQ(said(entry("F32", "[1]", "[4,0]"), 4),
            a
              + "its offsets [4,0] do not lie within the 4 bytes of the "
                "tensors");
  EXPECT_EQ(said(entry("F32", "[1]", "[4]"), 4),
            a + "its offsets [4] do not lie within the 4 bytes of the tensors");
  EXPECT_EQ(said(entry("F32", "[2]", "[0,4]"), 4),
            a + "its shape [2] of F32 does not fill its offsets [0,4]");
  EXPECT_EQ(said(entry("U8", "[1,1,1,1,1,1,1]", "[0,1]"), 1),
            a + "has 7 dimensions; at most 6 can be read");
  EXPECT_EQ(
    said(entry("U8", "[1]", "[0,1]") + "," + entry("U8", "[1]", "[0,1]"), 1),
    a + "stands twice in the header");
}

TEST_F(safetensors_test, refuse_sizes_that_overflow) {
  const auto said = [&](const std::string& extents) {
    return error(file_of("{" + entry("F64", extents, "[0,0]") + "}", ""));
  };
  for (const auto* extents :
       {"[4294967296,4294967296]", "[18446744073709551615]",
        "[2305843009213693952]", "[4294967296,4294967296,0]",
        "[0,18446744073709551615]", "[429496729,2147483648,0]"})
    EXPECT_NE(said(extents).find("does not fill its offsets [0,0]"),
              std::string::npos)
      << said(extents);
}

TEST_F(safetensors_test, refuse_gaps_and_overlaps) {
  EXPECT_EQ(error(file_of("{" + entry("U8", "[2]", "[0,2]", "a") + ","
                            + entry("U8", "[2]", "[1,3]", "b") + "}",
                          "xyz")),
            "tensor \"b\": begins at 1, but the one before it ends at 2");
  EXPECT_EQ(error(file_of("{" + entry("U8", "[1]", "[1,2]") + "}", "xy")),
            "tensor \"a\": begins at 1, but the one before it ends at 0");
  EXPECT_EQ(error(file_of("{" + entry("U8", "[1]", "[0,1]") + "}", "xy")),
            "the tensors end at 1, but there are 2 bytes");
}

TEST_F(safetensors_test, survive_every_truncation) {
  write_safetensors(path_, some_, {{"k", "v"}});
  const auto whole = read_whole(path_);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(error(whole.substr(0, size)), "no error") << size;
}

TEST_F(safetensors_test, survive_random_damage) {
  write_safetensors(path_, some_, {{"k", "v"}});
  const auto whole = read_whole(path_);
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    auto damaged = whole;
    for (auto n = random() % 4 + 1; n > 0; --n)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto path = folder_.write("damaged", damaged);
    try {
      const safetensors_file file(path);
      for (const auto& each : file.entries())
        EXPECT_EQ(file.read(each).type(), each.type);
    } catch (const format_error&) {
      // The one answer that is allowed.
    }
  }
}

TEST_F(safetensors_test, that_shrink_while_they_are_read_are_an_error) {
  write_safetensors(path_, some_);
  const safetensors_file file(path_);
  std::filesystem::resize_file(path_, 100);
  EXPECT_THROW(file.read(*file.find("bytes")), format_error);
}

} // namespace

} // namespace actorpipe
