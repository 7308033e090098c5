// SPDX-License-Identifier: Apache-2.0
/// What the program says to a user's mistakes, before it has done anything.
#include "tests/apps/program_test.hpp"

#include <algorithm>

namespace actorpipe::test {

namespace {

class bad_input : public program_test {
protected:
  // `train` of run.toml with one line replaced, or added below its section.
  void refuses_line(const std::string& line, const std::string& by,
                    const words& said) const {
    auto text = read_whole(folder_ / "run.toml");
    const auto at = text.find(line);
    ASSERT_NE(at, std::string::npos) << line;
    text.replace(at, line.size(), by);
    folder_.write("bad.toml", text);
    const auto number =
      1
      + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at),
                   '\n');
    refuses({"train", "bad.toml"},
            words{"bad.toml:" + std::to_string(number) + ": "} + said);
  }

  /// As `refuses_set`, found when the text is read.
  void refuses_set_late(const std::string& value, const words& said) const {
    refuses({"train", "run.toml", "--set", value}, said);
  }

  void refuses_set(const std::string& value, const words& said) const {
    refuses({"train", "run.toml", "--set", value},
            words{"--set " + value + ": "} + said);
  }
};

TEST_F(bad_input, is_an_unknown_key) {
  refuses_line("depth = 2", "dept = 2",
               {"unknown key model.dept", "did you mean model.depth?"});
  refuses_line("stages = 2", "colour = 2",
               {"unknown key pipeline.colour", "[pipeline] has stages, "
                                               "micro_batches"});
  refuses_line("[pipeline]", "[pipes]", {"unknown section [pipes]"});
  refuses_set("model.dept=2", {"did you mean model.depth?"});
}

TEST_F(bad_input, is_a_value_of_the_wrong_type) {
  refuses_line("depth = 2", "depth = \"two\"",
               {"model.depth must be an integer from 1 to 65536, got \"two\""});
  refuses_line("path = \"text.txt\"", "path = 3",
               {"data.path must be text that is not empty, got 3"});
  refuses_line("out = \"run\"", "out = [1]", {"run.out must be text"});
  refuses({"train", "run.toml", "--steps", "many"},
          {"run.steps must be an integer of at least 0, got \"many\""});
}

TEST_F(bad_input, is_a_value_out_of_range) {
  refuses_line("stages = 2", "stages = 0",
               {"pipeline.stages must be an integer from 1 to 1024, got 0"});
  refuses_line("learning_rate = 3e-3", "learning_rate = -1",
               {"optimizer.learning_rate must be a number above 0, got -1"});
  refuses({"train", "run.toml", "--micro-batches", "0"},
          {"pipeline.micro_batches must be an integer from 1 to 1048576, got "
           "0"});
  refuses({"train", "run.toml", "--schedule", "zigzag"},
          {"pipeline.schedule must be one of", "fill-drain-reverse",
           "got \"zigzag\""});
  refuses({"train", "run.toml", "--recompute", "sometimes"},
          {"always", "except-one", "never", "got \"sometimes\""});
  refuses_set("run.seed=-1", {"run.seed must be an integer of at least 0"});
}

TEST_F(bad_input, is_told_all_at_once) {
  refuses_line("depth = 2\nheads = 2", "depth = 0\nheads = 0",
               {"model.depth", "model.heads"});
}

TEST_F(bad_input, is_a_run_file_that_is_none) {
  folder_.write("bad.toml", "[run]\nsteps = = 3\n");
  refuses({"train", "bad.toml"}, {"bad.toml:2: "});
  refuses({"train", "missing.toml"},
          {"missing.toml: cannot be read: No such file"});
  refuses({"plan", "."}, {".: cannot be read: Is a directory"});
}

TEST_F(bad_input, is_more_stages_than_layers) {
  for (const auto* command : {"train", "plan"})
    refuses({command, "run.toml", "--stages", "8"},
            {"8 cells", "the model has only 7 layers"});
}

TEST_F(bad_input, is_a_balance_that_does_not_add_up) {
  refuses({"train", "run.toml", "--set", "pipeline.balance=[2, 4]"},
          {"the balance [2, 4] has 6 layers, but the model has 7"});
  refuses({"train", "run.toml", "--set", "pipeline.balance=[2, 4, 1]"},
          {"pipeline.balance must list a number of layers for every one of the "
           "2 stages, got 3"});
}

TEST_F(bad_input, is_a_width_that_the_heads_do_not_divide) {
  refuses_line("heads = 2", "heads = 3",
               {"model.heads must divide model.width (16), got 3"});
}

TEST_F(bad_input, is_data_that_is_not_there) {
  refuses({"train", "run.toml", "--set", "data.path=missing"},
          {"missing: there is no such file or folder"});
}

TEST_F(bad_input, is_data_that_cannot_be_read) {
  // A file that nobody can read from its start, whoever runs the test.
  refuses({"train", "run.toml", "--set", "data.path=/proc/self/mem"},
          {"/proc/self/mem: cannot be read: "});
  refuses({"train", "run.toml", "--set", "data.path=/dev/null"},
          {"/dev/null: is neither a file nor a folder"});
}

TEST_F(bad_input, is_data_that_is_empty_or_too_short) {
  folder_.write("empty.txt", "");
  folder_.write("short.txt", "0123456789abcde");
  std::filesystem::create_directory(folder_ / "nothing");
  refuses({"train", "run.toml", "--set", "data.path=empty.txt"},
          {"empty.txt: holds no text"});
  refuses({"train", "run.toml", "--set", "data.path=nothing"},
          {"nothing: holds no text"});
  refuses({"train", "run.toml", "--set", "data.path=short.txt"},
          {"short.txt: too short to train on", "a sample needs 17"});
}

TEST_F(bad_input, is_a_family_to_hold_out_that_is_not_there) {
  refuses({"train", "run.toml", "--set", "data.holdout=[\"MPL\"]"},
          {"no file is of the family MPL", "there are text.txt"});
}

class bad_layers : public bad_input {
protected:
  // `train` of these layers.
  void refuses_layers(const std::string& layers, const words& said) const {
    folder_.write("layers.toml", "[model]\npreset = \"layers\"\nsequence = 16\n"
                                 "layers = [\n"
                                   + layers
                                   + "]\nloss = { kind = "
                                     "\"softmax_cross_entropy\" }\n"
                                     "[data]\npath = \"text.txt\"\n"
                                     "[pipeline]\nstages = 1\n");
    refuses({"train", "layers.toml"}, said);
  }

  std::string embedding_ =
    "{ kind = \"embedding\", name = \"in\", vocabulary = 256, width = 8 },\n";
  std::string head_ =
    "{ kind = \"linear\", name = \"out\", inputs = 8, outputs = 256 },\n";
};

TEST_F(bad_layers, have_two_parameters_of_one_name) {
  const std::string twice =
    "{ kind = \"linear\", name = \"twice\", inputs = 8, outputs = 8 },\n";
  refuses_layers(embedding_ + twice + twice + head_, {"twice.weight"});
}

TEST_F(bad_layers, are_of_an_unknown_kind) {
  refuses_layers(embedding_ + "{ kind = \"lstm\" },\n" + head_,
                 {"lstm", "linear", "layer_norm"});
}

TEST_F(bad_layers, have_shapes_that_do_not_fit) {
  refuses_layers(embedding_
                   + "{ kind = \"linear\", name = \"out\", inputs = 9, "
                     "outputs = 256 },\n",
                 {"out", "9", "8"});
}

TEST_F(bad_layers, have_a_value_that_their_kind_does_not_take) {
  refuses_layers(embedding_
                   + "{ kind = \"dropout\", p = 0.5, probability = 0.5 },\n"
                   + head_,
                 {"probability"});
}

TEST_F(bad_layers, are_none) {
  refuses_layers("", {"layers.toml:4: model.layers must list at least one "
                      "layer"});
}

TEST_F(bad_input, is_a_command_line_that_does_not_parse) {
  refuses({}, {"subcommand"});
  refuses({"train"}, {"CONFIG is required"});
  refuses({"evaluate"}, {"RUN_DIR is required"});
  refuses({"train", "run.toml", "--nonsense"}, {"--nonsense"});
  refuses({"train", "run.toml", "--stages"}, {"--stages"});
  refuses({"train", "run.toml", "--set", "stages=2"},
          {"--set stages=2: must have the form section.key=value"});
  refuses({"generate", "run", "--tokens", "few"}, {"--tokens", "few"});
}

TEST_F(bad_input, is_a_number_or_a_name_that_is_none) {
  refuses({"generate", "run", "--seed", "-1"}, {"--seed: must be an integer"});
  refuses({"generate", "run", "--tokens", "99999999999999999999"},
          {"--tokens: must be an integer from 0 to 9223372036854775807"});
  refuses({"train", "run.toml", "--resume", ""}, {"names no run directory"});
  refuses({"evaluate", ""}, {"is empty"});
  refuses({"train", "run.toml", "--out", "run.toml"}, {"cannot be made"});
}

TEST_F(bad_input, is_a_balance_whose_sum_wraps) {
  refuses({"train", "run.toml", "--stages", "3", "--set",
           "pipeline.balance=[9223372036854775807,9223372036854775807,9]"},
          {"has a cell of 9223372036854775807 layers"});
}

TEST_F(bad_input, is_no_run_file) {
  refuses({"train", "/dev/zero"}, {"/dev/zero: is no run file"});
  std::string key(30000, '.');
  for (std::size_t i = 0; i < key.size(); i += 2)
    key[i] = 'a';
  folder_.write("deep.toml", key + "a = 3\n");
  refuses({"train", "deep.toml"}, {"deep.toml: has 15000 dots"});
}

TEST_F(bad_input, is_a_vocabulary_that_the_text_does_not_fit) {
  refuses_set_late("model.vocabulary=2", {"model.vocabulary; 256 fits"});
}

} // namespace

} // namespace actorpipe::test
