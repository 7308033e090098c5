// SPDX-License-Identifier: Apache-2.0
/// What the program prints: progress on a terminal and in a log, plans,
/// settings, losses and text.
#include "tests/apps/program_test.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace actorpipe::test {

namespace {

class output : public program_test {
protected:
  static words lines_of(const std::string& text) {
    std::istringstream in(text);
    words result;
    for (std::string line; std::getline(in, line);)
      result.push_back(line);
    return result;
  }

  static std::size_t count(const std::string& text, std::string_view what) {
    std::size_t result = 0;
    for (auto at = text.find(what); at != std::string::npos;
         at = text.find(what, at + what.size()))
      ++result;
    return result;
  }
};

TEST_F(output, in_a_log_is_plain_lines) {
  const auto out = print({"train", "run.toml", "--set", "run.log_every=3",
                          "--set", "run.evaluate_every=5"});
  const auto lines = lines_of(out);
  EXPECT_EQ(out.find_first_of("\r\x1b"), std::string::npos);
  EXPECT_EQ(lines[0].find("plan: 7 layers on 2 stages (4+3), 4 micro-batches, "
                          "fill-drain, recompute except-one"),
            0U)
    << out;
  EXPECT_EQ(count(out, "\nstep 1/8  loss 5."), 1U);
  EXPECT_EQ(count(out, "/8  loss "), 4U); // steps 1, 3, 6, 8
  EXPECT_EQ(count(out, "\nstep 5: held-out loss "), 1U);
  EXPECT_EQ(count(out, "\nsaved run/checkpoints/step-0000000"), 2U);
  for (const auto* part : {"  lr ", "  norm ", " tokens/s  bubble ", " left\n"})
    EXPECT_EQ(count(out, part), 4U) << part;
}

TEST_F(output, on_a_terminal_is_a_line_that_is_written_over) {
  for (const unsigned short columns : {80, 40}) {
    process_options options;
    options.terminal_columns = columns;
    const auto end = run(
      {"train", "run.toml", "--out", "on" + std::to_string(columns)}, options);
    EXPECT_EQ(end.code, 0) << end.err;
    const std::string begin = "\r\x1b[K";
    EXPECT_EQ(count(end.out, begin + "step "), 8U);
    for (auto at = end.out.find(begin); at != std::string::npos;
         at = end.out.find(begin, at + 1)) {
      const auto text = at + begin.size();
      const auto width = end.out.find_first_of("\r\n", text) - text;
      EXPECT_LT(width, columns);
    }
    // A live line is ended before another line is printed.
    EXPECT_EQ(count(end.out, "\nsaved "), 2U);
    EXPECT_LE(lines_of(end.out).size(), 10U);
    EXPECT_FALSE(sum_of(end.out).empty());
  }
}

TEST_F(output, of_a_quiet_run_is_the_result_alone) {
  process_options options;
  for (const bool terminal : {false, true}) {
    if (terminal)
      options.terminal_columns = 80;
    const auto end = run({"train", "run.toml", "--quiet"}, options);
    const auto lines = lines_of(end.out);
    ASSERT_EQ(lines.size(), 4U) << end.out;
    EXPECT_EQ(lines[0].find("held-out loss "), 0U);
    EXPECT_NE(lines[0].find("; count model with two bytes of context "),
              std::string::npos);
    EXPECT_EQ(lines[1], terminal ? "run directory run-2" : "run directory run");
    EXPECT_EQ(lines[2].find("last checkpoint run"), 0U);
    EXPECT_EQ(lines[3].find("parameters sha256: "), 0U);
  }
}

TEST_F(output, of_settings_reads_back_as_the_same) {
  const std::vector<words> cases{
    {},
    {"--stages", "3", "--seed", "9", "--schedule", "1f1b", "--recompute",
     "never", "--threads-per-stage", "2", "--out", "a \"quoted\" place"},
    {"--set", "pipeline.balance=[3, 4]", "--set", "data.holdout=[\"a\"]",
     "--set", "optimizer.learning_rate=0.1", "--set", "model.tied=true"},
  };
  for (const auto& arguments : cases) {
    const auto text =
      print(words{"train", "run.toml", "--print-config"} + arguments);
    folder_.write("printed.toml", text);
    EXPECT_EQ(print({"train", "printed.toml", "--print-config"}), text);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
}

TEST_F(output, of_settings_shows_what_the_options_set) {
  const auto text =
    print({"train", "--set", "run.seed=5", "run.toml", "--print-config",
           "--stages", "3", "--set", "run.steps=4"});
  for (const auto* line :
       {"\nseed = 5\n", "\nstages = 3\n", "\nsteps = 4\n", "\ndepth = 2\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST_F(output, of_the_plan_alone_trains_nothing) {
  const auto text =
    print({"train", "run.toml", "--plan-only", "--stages", "3"});
  for (const auto* part :
       {"times are estimated", "block1.mlp", "device 2 | 2F0 2F1 2F2 2F3 2B0",
        "predicted step: ", "peak MiB: activations"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
}

TEST_F(output, of_a_plan_holds_layers_cut_programs_and_predictions) {
  const auto text = print({"plan", "run.toml", "--schedule", "1f1b"});
  for (const auto* part :
       {"model: 7 layers; times are measured", "embedding", "f32[2, 16, 256]",
        "device 0 | 0F0 0F1 0B0", "predicted step: ", "bubble"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST_F(output, of_a_plan_is_json_when_asked) {
  const auto plan = nlohmann::json::parse(
    print({"plan", "run.toml", "--json", "--set", "pipeline.balance=[2, 5]"}));
  EXPECT_EQ(plan["measured"], true);
  EXPECT_EQ(plan["schedule"], "fill-drain");
  EXPECT_EQ(plan["recompute"], "except-one");
  EXPECT_EQ(plan["micro_batches"], 4);
  EXPECT_EQ(plan["micro_batch_samples"], 2);
  EXPECT_EQ(plan["cut"], (nlohmann::json{0, 2, 7}));
  ASSERT_EQ(plan["layers"].size(), 7U);
  EXPECT_EQ(plan["layers"][6]["name"], "head");
  EXPECT_EQ(plan["layers"][6]["parameters"], 256 * 16);
  EXPECT_EQ(plan["layers"][0]["output"], "f32[2, 16, 16]");
  for (const auto& layer : plan["layers"])
    EXPECT_GE(layer["forward_s"], 0.0);
  EXPECT_GE(plan["edges"].size(), 3U); // tokens, activations, targets
  ASSERT_EQ(plan["stages"].size(), 2U);
  for (const auto& stage : plan["stages"]) {
    EXPECT_GT(stage["peak_activation_bytes"], 0);
    EXPECT_GT(stage["peak_parameter_bytes"], stage["peak_gradient_bytes"]);
    EXPECT_EQ(stage["timeline"].size(), 12U); // 4 F, 3 R, 4 B, 1 U
  }
  EXPECT_EQ(plan["stages"][1]["program"],
            "1F0 1F1 1F2 1F3 1B0 1R1 1B1 1R2 1B2 1R3 1B3 1U0");
  EXPECT_GT(plan["predicted_step_s"], 0.0);
  EXPECT_GT(plan["predicted_bubble"], 0.0);
  EXPECT_LT(plan["predicted_bubble"], 1.0);
}

TEST_F(output, of_evaluate_is_the_loss_that_training_ended_with) {
  const auto trained = print({"train", "run.toml"});
  const auto out = print({"evaluate", "run"});
  const auto loss = std::stod(after(out, "held-out loss ", " "));
  const auto perplexity = std::stod(after(out, "perplexity ", ","));
  const double written = metrics("run").back()["held_out_loss"];
  EXPECT_NEAR(loss, written, 5.1e-7); // six decimals
  EXPECT_NEAR(perplexity, std::exp(written), 5.1e-5);
  EXPECT_NEAR(std::stod(after(trained, "\nheld-out loss ", " ")), written,
              5.1e-5);
  EXPECT_NE(out.find(", 399 bytes; step 8\n"), std::string::npos) << out;
  EXPECT_EQ(print({"evaluate", "run/checkpoints/step-00000008"}), out);
  EXPECT_NE(print({"evaluate", "run/checkpoints/step-00000004"}), out);
}

TEST_F(output, of_generate_is_drawn_from_the_seed) {
  train("run");
  const auto generate = [&](const words& arguments) {
    return print(words{"generate", "run", "--prompt", "the license of all"}
                 + arguments);
  };
  const auto one = generate({"--tokens", "30", "--seed", "1"});
  EXPECT_EQ(one.size(), 18U + 30U + 1U);
  EXPECT_EQ(one.find("the license of all"), 0U);
  EXPECT_EQ(one.back(), '\n');
  EXPECT_EQ(generate({"--tokens", "30", "--seed", "1"}), one);
  EXPECT_NE(generate({"--tokens", "30", "--seed", "2"}), one);
  // What is drawn later changes nothing before.
  EXPECT_EQ(generate({"--tokens", "20", "--seed", "1"}),
            one.substr(0, 38) + "\n");
  EXPECT_EQ(generate({"--tokens", "0"}), "the license of all\n");
}

TEST_F(output, of_generate_at_temperature_zero_needs_no_seed) {
  train("run");
  const words greedy{"generate", "run", "--temperature", "0", "--tokens", "20"};
  EXPECT_EQ(print(greedy + words{"--seed", "1"}),
            print(greedy + words{"--seed", "2"}));
}

TEST_F(output, of_help_names_every_option) {
  const auto main = print({"--help"});
  for (const auto* command : {"train", "plan", "generate", "evaluate"})
    EXPECT_NE(main.find(command), std::string::npos) << command;
  const auto names = [&](const char* command, const words& options) {
    const auto text = print({command, "--help"});
    for (const auto& option : options)
      EXPECT_NE(text.find(option), std::string::npos) << option;
  };
  const words common{
    "CONFIG",      "--set",   "--stages", "--micro-batches",     "--schedule",
    "--recompute", "--steps", "--seed",   "--threads-per-stage", "--out"};
  names("train", common
                   + words{"--resume", "--sequential", "--plan-only",
                           "--print-config", "--quiet"});
  names("plan", common + words{"--json"});
  names("generate",
        {"RUN_DIR", "--prompt", "--tokens", "--temperature", "--seed"});
  names("evaluate", {"RUN_DIR"});
}

} // namespace

} // namespace actorpipe::test
