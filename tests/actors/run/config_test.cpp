// SPDX-License-Identifier: Apache-2.0
/// What a run file says, and what is said about a wrong one.
#include "actors/run/config.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace actorpipe {

namespace {

using strings = std::vector<std::string>;

strings problems(const std::string& text, const strings& overrides = {}) {
  try {
    parse_config(text, "run.toml", overrides);
  } catch (const config_error& error) {
    return error.problems();
  }
  return {};
}

// The one problem of a text.
std::string problem(const std::string& text, const strings& overrides = {}) {
  const auto all = problems(text, overrides);
  return all.size() == 1 ? all.front()
                         : std::to_string(all.size()) + " problems";
}

TEST(config, has_a_default_for_everything) {
  const auto config = parse_config("", "run.toml");
  EXPECT_EQ(to_toml(config), to_toml(run_config()));
  EXPECT_EQ(config.data.path, licenses_path);
  EXPECT_EQ(config.data.holdout, strings{"MPL"});
}

TEST(config, takes_every_section_from_the_file) {
  const auto config = parse_config(R"(
    [model]
    width = 64
    tied = true
    [data]
    batch = 12
    holdout = ["GPL", "MPL"]
    [optimizer]
    kind = "sgd"
    learning_rate = 1
    schedule = "linear"
    [pipeline]
    stages = 3
    schedule = "1f1b"
    recompute = "never"
    balance = [1, 2, 3]
    [run]
    seed = 9
  )",
                                   "run.toml");
  EXPECT_EQ(config.model.gpt.width, 64);
  EXPECT_TRUE(config.model.gpt.tied);
  EXPECT_EQ(config.data.batch, 12);
  EXPECT_EQ(config.data.holdout, (strings{"GPL", "MPL"}));
  EXPECT_EQ(config.optimizer.update.kind, optimizer_kind::sgd);
  EXPECT_EQ(config.optimizer.rate.peak, 1.0);
  EXPECT_EQ(config.optimizer.rate.kind, learning_rate_kind::linear);
  EXPECT_EQ(config.pipeline.schedule, schedule_kind::one_f_one_b);
  EXPECT_EQ(config.pipeline.recompute, recompute_mode::never);
  EXPECT_EQ(config.pipeline.balance, balance_kind::given);
  EXPECT_EQ(config.pipeline.sizes, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(config.run.seed, 9);
}

TEST(config, takes_layers_that_are_spelled_out) {
  const auto config = parse_config(R"(
    [model]
    preset = "layers"
    loss = { kind = "cross_entropy" }
    [[model.layers]]
    kind = "residual"
    name = "first"
    layers = [ { kind = "linear", out = 8, scale = 0.5, bias = false } ]
    [[model.layers]]
    kind = "activation"
    how = "gelu"
  )",
                                   "run.toml");
  const layer_spec linear{
    "linear",
    "",
    {{"out", std::int64_t{8}}, {"scale", 0.5}, {"bias", false}},
    {}};
  const model_spec expected{
    {{"residual", "first", {}, {linear}},
     {"activation", "", {{"how", std::string("gelu")}}, {}}},
    {"cross_entropy", "", {}, {}}};
  EXPECT_EQ(model_of(config), expected);
}

TEST(config, prints_what_it_would_read) {
  auto config = parse_config(
    "", "run.toml",
    {"optimizer.learning_rate=0.1", "optimizer.epsilon=1e-300",
     "optimizer.beta1=0.30000000000000004", "data.holdout=['a\"b', '\\']",
     "run.out=a b\n\x7f=\"c\"", "model.depth=3", "pipeline.balance=[4, 5]"});
  const auto text = to_toml(config);
  const auto again = parse_config(text, "again.toml");
  EXPECT_EQ(to_toml(again), text);
  EXPECT_EQ(again.optimizer.update.epsilon, 1e-300);
  EXPECT_EQ(again.optimizer.update.beta1, 0.30000000000000004);
  EXPECT_EQ(again.data.holdout, (strings{"a\"b", "\\"}));
  EXPECT_EQ(again.run.out, "a b\n\x7f=\"c\"");
  EXPECT_EQ(again.pipeline.sizes, (std::vector<std::int64_t>{4, 5}));
}

TEST(config, prints_layers_that_are_spelled_out) {
  run_config config;
  config.model.preset = model_source::layers;
  config.model.spec.loss = {"cross_entropy", "", {}, {}};
  const layer_spec inner{"linear", "x", {{"odd key", 1.0}, {"b", true}}, {}};
  config.model.spec.layers = {
    {"residual", "", {}, {inner, inner}},
    {"dropout", "", {{"text", std::string("\"")}}, {}}};
  const auto again = parse_config(to_toml(config), "again.toml");
  EXPECT_EQ(again.model.spec, config.model.spec);
}

TEST(config, explains_every_setting_where_it_is_printed) {
  EXPECT_NE(to_toml(run_config())
              .find("# M: the micro-batches that a mini-batch is cut into.\n"
                    "# Allowed: an integer from 1 to 1048576.\n"
                    "micro_batches = 8\n"),
            std::string::npos);
}

TEST(config, gives_the_schedule_the_steps_of_the_run) {
  const auto config = parse_config("[run]\nsteps = 70\n", "run.toml");
  EXPECT_EQ(learning_rate_of(config).total_steps, 70);
}

// -- overrides ----------------------------------------------------------------

TEST(override, wins_over_the_file) {
  const auto config =
    parse_config("[pipeline]\nstages = 3\n", "run.toml",
                 {"pipeline.stages=4", "run.seed=1", "run.seed=2"});
  EXPECT_EQ(config.pipeline.stages, 4);
  EXPECT_EQ(config.run.seed, 2);
}

TEST(override, needs_no_quotes_for_text) {
  const auto config = parse_config(
    "", "run.toml",
    {"data.path=/tmp/some text", "pipeline.schedule=1f1b", "run.out=123",
     "optimizer.kind=\"sgd\"", "pipeline.balance=time"});
  EXPECT_EQ(config.data.path, "/tmp/some text");
  EXPECT_EQ(config.pipeline.schedule, schedule_kind::one_f_one_b);
  EXPECT_EQ(config.run.out, "123");
  EXPECT_EQ(config.optimizer.update.kind, optimizer_kind::sgd);
  EXPECT_EQ(config.pipeline.balance, balance_kind::time);
}

TEST(override, of_the_path_forgets_the_families_of_the_old_one) {
  const std::string file = "[data]\nholdout = ['MPL']\n";
  EXPECT_EQ(parse_config(file, "run.toml", {"data.path=mine"}).data.holdout,
            strings{});
  EXPECT_EQ(
    parse_config(file, "run.toml", {"data.holdout=['a']", "data.path=mine"})
      .data.holdout,
    strings{"a"});
}

TEST(override, of_the_path_may_end_in_a_separator) {
  const auto path = std::string(licenses_path) + '/';
  EXPECT_EQ(parse_config("", "run.toml", {"data.path=" + path}).data.holdout,
            strings{"MPL"});
}

TEST(override, is_named_by_its_errors) {
  EXPECT_EQ(problem("", {"pipeline.stages=0"}),
            "--set pipeline.stages=0: pipeline.stages must be an integer from "
            "1 to 1024, got 0");
  EXPECT_EQ(problem("", {"pipeline.stage=2"}),
            "--set pipeline.stage=2: unknown key pipeline.stage; did you mean "
            "pipeline.stages?");
  EXPECT_EQ(problem("", {"pipelin.stages=2"}),
            "--set pipelin.stages=2: unknown section [pipelin]; did you mean "
            "[pipeline]?");
  EXPECT_EQ(problem("", {"stages=2"}),
            "--set stages=2: must have the form section.key=value");
  EXPECT_EQ(problem("", {"run.seed"}),
            "--set run.seed: must have the form section.key=value");
  EXPECT_EQ(problem("", {"run.seed="}),
            "--set run.seed=: run.seed must be an integer of at least 0, got "
            "\"\"");
  EXPECT_EQ(problem("", {"run.out=\xff"}),
            "--set run.out=\xff: must be UTF-8 text");
}

TEST(override, cannot_smuggle_in_another_key) {
  EXPECT_EQ(problem("", {"run.seed=1\nsteps = 2"}),
            "--set run.seed=1\nsteps = 2: run.seed must be an integer of at "
            "least 0, got \"1\\u000Asteps = 2\"");
}

// -- errors -------------------------------------------------------------------

TEST(config_error, names_the_line_of_a_syntax_error) {
  const auto text = problem("[run]\nsteps = \n");
  EXPECT_EQ(text.rfind("run.toml:2: ", 0), 0U) << text;
  EXPECT_EQ(problem("[run]\nseed = 1\nseed = 2\n").rfind("run.toml:3: ", 0),
            0U);
  EXPECT_EQ(problem("\xff").rfind("run.toml:1: ", 0), 0U);
}

TEST(config_error, suggests_the_nearest_key) {
  EXPECT_EQ(problem("[run]\n\nstep = 3\n"),
            "run.toml:3: unknown key run.step; did you mean run.steps?");
  EXPECT_EQ(problem("[pipeline]\nsteps = 3\n"),
            "run.toml:2: unknown key pipeline.steps; did you mean run.steps?");
  EXPECT_EQ(problem("[data]\nxyzzyxyzzy = 3\n"),
            "run.toml:2: unknown key data.xyzzyxyzzy; [data] has path, "
            "holdout, holdout_fraction, batch");
}

TEST(config_error, suggests_the_section) {
  EXPECT_EQ(problem("[optimiser]\n"),
            "run.toml:1: unknown section [optimiser]; did you mean "
            "[optimizer]?");
  EXPECT_EQ(problem("seed = 3\n"),
            "run.toml:1: seed must stand in section [run]");
  EXPECT_EQ(problem("x = 3\n"),
            "run.toml:1: unknown key x; keys stand in the sections model, "
            "data, optimizer, pipeline, run, cluster");
  EXPECT_EQ(problem("[x]\n"),
            "run.toml:1: unknown section [x]; there are model, data, "
            "optimizer, pipeline, run, cluster");
  EXPECT_EQ(problem("run = 3\n"), "run.toml:1: run must be a section, got 3");
}

TEST(config_error, names_what_is_allowed) {
  EXPECT_EQ(problem("[run]\nsteps = 1.5\n"),
            "run.toml:2: run.steps must be an integer of at least 0, got 1.5");
  EXPECT_EQ(problem("[model]\ndropout = 1\n"),
            "run.toml:2: model.dropout must be a number of at least 0 and "
            "below 1, got 1");
  EXPECT_EQ(problem("[model]\ntied = 1\n"),
            "run.toml:2: model.tied must be true or false, got 1");
  EXPECT_EQ(problem("[optimizer]\nlearning_rate = nan\n"),
            "run.toml:2: optimizer.learning_rate must be a number above 0, got "
            "nan");
  EXPECT_EQ(problem("[optimizer]\nlearning_rate = inf\n"),
            "run.toml:2: optimizer.learning_rate must be a number above 0, got "
            "inf");
  EXPECT_EQ(problem("[optimizer]\nlearning_rate = true\n"),
            "run.toml:2: optimizer.learning_rate must be a number above 0, got "
            "true");
  EXPECT_EQ(problem("[optimizer]\nkind = \"adan\"\n"),
            "run.toml:2: optimizer.kind must be one of \"sgd\", \"rmsprop\", "
            "\"adam\", \"adamw\", got \"adan\"");
  EXPECT_EQ(problem("[pipeline]\nschedule = 'zb'\n"),
            "run.toml:2: pipeline.schedule must be one of \"fill-drain\", "
            "\"fill-drain-reverse\", \"1f1b\", got \"zb\"");
  EXPECT_EQ(problem("[data]\npath = ['a']\n"),
            "run.toml:2: data.path must be text that is not empty, got a list "
            "of 1");
  EXPECT_EQ(problem("[data]\npath = ''\n"),
            "run.toml:2: data.path must be text that is not empty, got \"\"");
  EXPECT_EQ(problem("[data]\nholdout = [\n'a',\n2]\n"),
            "run.toml:4: data.holdout must be a list of texts, got 2");
  EXPECT_EQ(problem("[run]\nsteps = 2020-01-01\n"),
            "run.toml:2: run.steps must be an integer of at least 0, got a "
            "date or time");
}

TEST(config_error, knows_the_forms_of_balance) {
  const std::string allowed =
    "must be one of \"time\", \"estimate\", \"size\", \"variance\", or a "
    "list with the number of layers of every stage, got ";
  EXPECT_EQ(problem("[pipeline]\nbalance = 3\n"),
            "run.toml:2: pipeline.balance " + allowed + "3");
  EXPECT_EQ(problem("[pipeline]\nbalance = 'even'\n"),
            "run.toml:2: pipeline.balance " + allowed + "\"even\"");
  EXPECT_EQ(problem("[pipeline]\nbalance = [2,\n0]\n"),
            "run.toml:3: pipeline.balance must list an integer of at least 1 "
            "for every stage, got 0");
}

TEST(config_error, names_the_line_within_the_layers) {
  EXPECT_EQ(problem("[model]\npreset = 'layers'\nloss = { kind = 'x' }\n"
                    "layers = [\n{ kind = 'a' },\n{ size = 3 },\n]\n"),
            "run.toml:6: model.layers must give every layer a kind");
  EXPECT_EQ(problem("[model]\npreset = 'layers'\nloss = 3\nlayers = "
                    "[{kind='a'}]\n"),
            "run.toml:3: model.loss must hold tables such as { kind = "
            "\"linear\", ... }, got 3");
  EXPECT_EQ(problem("[model]\npreset = 'layers'\nloss = {kind='x'}\nlayers = "
                    "[{kind='a', x = [1]}]\n"),
            "run.toml:4: model.layers must give a layer's x as a number, true, "
            "false or text, got a list of 1");
}

TEST(config_error, reports_all_problems_together) {
  EXPECT_EQ(
    problems("[run]\nsteps = -1\n[model]\nwidht = 3\n", {"run.seed=-1"}),
    (strings{"run.toml:4: unknown key model.widht; did you mean "
             "model.width?",
             "run.toml:2: run.steps must be an integer of at least 0, "
             "got -1",
             "--set run.seed=-1: run.seed must be an integer of at "
             "least 0, got -1"}));
}

TEST(config, a_schedule_may_be_longer_than_a_run_that_is_cut_short) {
  const auto config = parse_config("[optimizer]\nschedule_steps = 70\n"
                                   "[run]\nsteps = 20\n",
                                   "run.toml");
  EXPECT_EQ(learning_rate_of(config).total_steps, 70);
}

TEST(config_error, names_settings_that_do_not_fit_each_other) {
  EXPECT_EQ(problem("[model]\nwidth = 30\nheads = 4\n"),
            "run.toml:3: model.heads must divide model.width (30), got 4");
  EXPECT_EQ(problem("[model]\nheads = 4\n", {"model.width=30"}),
            "--set model.width=30: model.heads must divide model.width (30), "
            "got 4");
  EXPECT_EQ(problem("[optimizer]\nfloor = 1\n"),
            "run.toml:2: optimizer.floor must not be above "
            "optimizer.learning_rate (0.001), got 1");
  EXPECT_EQ(problem("[optimizer]\nnesterov = true\n"),
            "run.toml:2: optimizer.nesterov needs an optimizer.momentum above "
            "0");
  EXPECT_EQ(problem("[pipeline]\nbalance = [1, 2, 3]\n"),
            "run.toml:2: pipeline.balance must list a number of layers for "
            "every one of the 2 stages, got 3");
  EXPECT_EQ(problem("[model]\npreset = 'layers'\nloss = {kind = 'x'}\n"),
            "run.toml:2: model.layers must list at least one layer when "
            "model.preset is \"layers\"");
}

TEST(config_error, names_settings_of_another_preset) {
  EXPECT_EQ(problem("[model]\nlayers = [{kind = 'a'}]\n"),
            "run.toml:2: model.layers does not apply when model.preset is "
            "\"gpt\"");
  EXPECT_EQ(problem("[model]\npreset = 'layers'\nwidth = 8\n"
                    "layers = [{kind = 'a'}]\nloss = {kind = 'x'}\n"),
            "run.toml:3: model.width does not apply when model.preset is "
            "\"layers\"");
}

TEST(config_error, names_a_file_that_cannot_be_read) {
  const temporary_folder folder;
  for (const auto& path : {folder / "none", folder.path()}) {
    try {
      load_config(path.string());
      ADD_FAILURE() << path;
    } catch (const config_error& error) {
      EXPECT_EQ(std::string(error.what())
                  .rfind(path.string()
                           + ": cannot be "
                             "read: ",
                         0),
                0U)
        << error.what();
    }
  }
}

// -- the files of the project -------------------------------------------------

TEST(config_files, are_all_right) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
         std::string(ACTORPIPE_SOURCE_DIR) + "/config")) {
    if (entry.path().extension() != ".toml")
      continue;
    EXPECT_NO_THROW(model_of(load_config(entry.path().string())))
      << entry.path();
    ++files;
  }
  EXPECT_GE(files, 1);
}

} // namespace

} // namespace actorpipe
