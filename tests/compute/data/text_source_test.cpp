// SPDX-License-Identifier: Apache-2.0
/// What the mini-batches of a text hold.
#include "compute/data/text_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace actorpipe {

namespace {

std::shared_ptr<const text_corpus>
corpus_of(std::vector<text_document> training,
          std::vector<text_document> held_out) {
  return std::make_shared<text_corpus>(
    text_corpus{"corpus", std::move(training), std::move(held_out)});
}

// Sample b as "inputs>targets", an ignored target written as '.'.
std::string sample(const batch& data, std::int64_t b) {
  const auto sequence = data.targets.extents()[1];
  const auto* x = data.inputs.at(0).data<std::uint8_t>() + b * sequence;
  const auto* y = data.targets.data<std::int32_t>() + b * sequence;
  std::string result(x, x + sequence);
  std::replace(result.begin(), result.end(), '\0', '.');
  result += '>';
  for (std::int64_t t = 0; t < sequence; ++t)
    result += y[t] == ignored_target ? '.' : static_cast<char>(y[t]);
  return result;
}

std::vector<std::string> samples(const std::optional<batch>& data) {
  std::vector<std::string> result;
  for (std::int64_t b = 0; data && b < data->samples(); ++b)
    result.push_back(sample(*data, b));
  return result;
}

using strings = std::vector<std::string>;

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const data_error& e) {
    return e.what();
  }
  return "no error";
}

TEST(training_source, gives_each_byte_the_next_one_as_target) {
  const auto source =
    make_training_source(corpus_of({{"a", "abcdef"}}, {}), {4, 3, 1});
  const auto data = source->batch_at(0);
  ASSERT_TRUE(data);
  EXPECT_EQ(to_string(data->inputs.at(0).type()), "u8[4, 3]");
  EXPECT_EQ(to_string(data->targets.type()), "i32[4, 3]");
  const strings all{"abc>bcd", "bcd>cde", "cde>def"};
  for (const auto& text : samples(data))
    EXPECT_TRUE(std::count(all.begin(), all.end(), text)) << text;
}

TEST(training_source, starts_everywhere_about_equally_often) {
  const auto source = make_training_source(
    corpus_of({{"a", "abcde"}, {"b", "0123"}}, {}), {600, 3, 1});
  std::map<std::string, int> seen;
  for (const auto& text : samples(source->batch_at(0)))
    ++seen[text];
  EXPECT_EQ(seen.size(), 3U); // two starts in "a", one in "b"
  for (const auto& [text, times] : seen)
    EXPECT_NEAR(times, 200, 60) << text;
}

TEST(training_source, is_a_function_of_seed_step_and_sample) {
  const auto corpus = corpus_of({{"a", std::string(5000, ' ')}}, {});
  auto text = *corpus;
  for (std::size_t i = 0; i < text.training[0].bytes.size(); ++i)
    text.training[0].bytes[i] = static_cast<char>('a' + i * i % 23 % 26);
  const auto shared = std::make_shared<const text_corpus>(text);
  const auto wide = make_training_source(shared, {8, 16, 1});
  const auto narrow = make_training_source(shared, {2, 16, 1});
  const auto later = samples(narrow->batch_at(9));
  const auto all = samples(wide->batch_at(9));
  EXPECT_EQ(later, strings(all.begin(), all.begin() + 2));
  EXPECT_EQ(samples(narrow->batch_at(9)), later);
  EXPECT_NE(samples(narrow->batch_at(8)), later);
  const auto other = make_training_source(shared, {2, 16, 2});
  EXPECT_NE(samples(other->batch_at(9)), later);
}

TEST(training_source, never_reaches_over_the_end_of_a_document) {
  const auto source = make_training_source(
    corpus_of({{"a", "aaaaaa"}, {"b", "bbbbbb"}}, {}), {64, 4, 1});
  for (const auto& text : samples(source->batch_at(3)))
    EXPECT_TRUE(text == "aaaa>aaaa" || text == "bbbb>bbbb") << text;
}

TEST(training_source, fills_up_documents_shorter_than_a_sample) {
  const auto source = make_training_source(
    corpus_of({{"a", "abcde"}, {"b", "xy"}, {"c", "-"}}, {}), {64, 4, 1});
  const auto seen = samples(source->batch_at(0));
  EXPECT_TRUE(std::count(seen.begin(), seen.end(), "abcd>bcde"));
  EXPECT_TRUE(std::count(seen.begin(), seen.end(), "x...>y..."));
  EXPECT_EQ(std::count(seen.begin(), seen.end(), "-...>...."), 0);
}

TEST(training_source, keeps_bytes_above_127) {
  const auto source =
    make_training_source(corpus_of({{"a", "\xff\x80"}}, {}), {1, 1, 1});
  const auto data = source->batch_at(0);
  EXPECT_EQ(*data->inputs.at(0).data<std::uint8_t>(), 255);
  EXPECT_EQ(*data->targets.data<std::int32_t>(), 128);
}

TEST(training_source, says_both_numbers_when_the_text_is_too_short) {
  EXPECT_EQ(
    message_of([] {
      make_training_source(corpus_of({{"a", "12345678"}}, {}), {1, 8, 1});
    }),
    "corpus: too short to train on: the longest document has 8 bytes, "
    "a sample needs 9 (sequence 8 and one more)");
}

TEST(held_out_source, makes_every_byte_but_the_first_a_target_once) {
  const auto source = make_held_out_source(
    corpus_of({}, {{"a", "abcdefg"}, {"b", "01234"}}), {2, 4, 1});
  EXPECT_EQ(samples(source->batch_at(0)), (strings{"abcd>bcde", "ef..>fg.."}));
  EXPECT_EQ(samples(source->batch_at(1)), strings{"0123>1234"});
  EXPECT_FALSE(source->batch_at(2));
  EXPECT_FALSE(source->batch_at(1'000'000'000'000'000'000));
}

TEST(held_out_source, may_be_asked_in_any_order) {
  const auto source =
    make_held_out_source(corpus_of({}, {{"a", "abcdefg"}}), {1, 2, 1});
  EXPECT_EQ(samples(source->batch_at(2)), strings{"ef>fg"});
  EXPECT_EQ(samples(source->batch_at(0)), strings{"ab>bc"});
  EXPECT_EQ(samples(source->batch_at(2)), strings{"ef>fg"});
  EXPECT_FALSE(source->batch_at(3));
}

TEST(held_out_source, says_what_there_is_when_it_is_too_little) {
  EXPECT_EQ(
    message_of([] {
      make_held_out_source(corpus_of({}, {{"a", "1"}, {"b", "2"}}), {1, 8, 1});
    }),
    "corpus: too short to evaluate on: the held-out part has 2 bytes "
    "in 2 documents, one of them needs 2");
}

} // namespace

} // namespace actorpipe
