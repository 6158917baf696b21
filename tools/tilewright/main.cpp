// The command line: parses the words and calls one of the functions of Commands.h.
#include "tilewright/Version.h"
#include "tools/driver/Measure.h"
#include "tools/tilewright/Commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::cli;

static void addKernelOptions(CLI::App &command, KernelArgs &args) {
  command
      .add_option("kernel", args.kernel,
                  "a built-in kernel, file.py[:kernel], or file.mlir of the `cta` level")
      ->required();
  command.add_option("--shape", args.shape, "sizes of dimensions: B=4,S=4096")->delimiter(',');
  command
      .add_option("--set", args.sets,
                  "constants, scalars, tile extents: causal=true,BM=64; "
                  "name=none leaves out an optional tensor")
      ->delimiter(',');
  command.add_option("--dtype", args.dtypes, "dtype variables: E=bf16")->delimiter(',');
  command.add_option("--target", args.target,
                     "GPU generation: sm_90, or compute_80 for PTX alone (default: the local "
                     "GPU's, else sm_90)");
  command
      .add_option("--plan", args.plan,
                  "a file that says how the kernel is to run, and, each behind its own --plan, "
                  "entries that replace some of it (\"channels.s1: tma, 5 slots\"); of a program "
                  "with several plans, the name of one (default: all, or the one that a launch "
                  "takes)")
      ->allow_extra_args(false);
  command
      .add_option("--tuned", args.tuned,
                  "a file of plans that `tune` wrote; none: take no tuned plans")
      ->allow_extra_args(false);
  command.add_option("--config", args.config, "warps=8,stages=3,min_blocks=2")->delimiter(',');
  command.add_option("--disable-pass", args.disabledPasses, "passes to leave out")->delimiter(',');
  command.add_option(
      "--cuda", args.cuda,
      "a file of CUDA C++ to compile in place of the kernel's own, such as an edited "
      "copy of what --emit cuda gives");
  command.add_flag("--grad", args.grad, "the kernel's gradient (docs/gradients.md)");
  command
      .add_option("--wrt", args.wrt,
                  "with --grad: the inputs to differentiate by (default: all of floats)")
      ->delimiter(',');
  command
      .add_option("--given", args.given,
                  "with --grad: the outputs whose gradients are given (default: all of floats)")
      ->delimiter(',');
  command
      .add_option("--stored", args.stored,
                  "with --grad: outputs that the gradient takes as the forward has left them")
      ->delimiter(',');
  command.add_flag("--line-info", args.lineInfo,
                   "machine code refers to lines of the kernel, for profilers");
  command.add_flag("--allow-spills", args.allowSpills,
                   "accept a kernel whose registers spill to memory");
}

static void addTimelineOptions(CLI::App &command, TimelineOptions &options) {
  command.add_option("--timeline", options.file,
                     "a file for a timeline of roles, which Perfetto opens (docs/timeline.md)");
  command.add_option("--timeline-stamps", options.stamps,
                     "the most time stamps of a role of a block");
  command
      .add_option("--timeline-detail", options.detail,
                  "what is stamped: all, slots (not the waits for products) or tiles (default: as "
                  "much as slows a run on a GPU by less than 3 %)")
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(kTimelineDetails), std::end(kTimelineDetails))));
}

static void addIrAfter(CLI::App &command, std::string &pass) {
  command.add_option("--ir-after", pass,
                     "with --emit json: the IR behind this pass, wherever it changed something, or "
                     "behind all");
}

static CLI::App *addFuzzCommand(CLI::App &app, FuzzOptions &options) {
  CLI::App *command = app.add_subcommand("fuzz", "compare all executors on random programs");
  command->add_option("--seed", options.seed,
                      "seed of the first program; the others count up from it");
  command->add_option("--count", options.count, "of programs");
  command
      ->add_option("--target", options.targets,
                   "GPU generations (default: all); native is the local GPU's")
      ->delimiter(',');
  command->add_option("--disable-pass", options.disabledPasses, "passes to leave out")
      ->delimiter(',');
  command->add_option("--save", options.save, "a folder for the programs that fail");
  command->add_option("--replay", options.replay, "check saved programs");
  command->add_option("--machine-code-every", options.machineCodeEvery,
                      "also compile programs whose seed is a multiple of this to machine code");
  command->add_option("--jobs", options.jobs, "processes (default: one per core)");
  command->add_flag("!--no-simulate", options.simulate,
                    "compile for the targets, but do not run their instructions");
  command->add_flag("!--no-gpu", options.gpu, "do not run on the local GPU");
  command->add_flag("--blame", options.blame, "find the passes without which a fault vanishes");
  command->add_flag("--print", options.print, "only show the programs");
  command->add_option("--plans", options.plans,
                      "draw plans instead, of the kernels that this file lists");
  command->add_flag("--found", options.found,
                    "with --plans: not drawn ones, but those that a tuner would measure");
  command->add_option("--programs", options.programs,
                      "edit `cta` programs instead, which this file lists");
  command
      ->add_option("--texts", options.texts,
                   "change .py and .mlir files instead: these, or those in these folders")
      ->delimiter(',');
  command->add_option(
      "--seconds", options.seconds,
      "seconds of processor time after which a text counts as hanging (default: 1)");
  return command;
}

static CLI::App *addInspectCommand(CLI::App &app, InspectOptions &options) {
  CLI::App *command =
      app.add_subcommand("inspect", "write a page that shows what became of a kernel, and why");
  addKernelOptions(*command, options.kernel);
  command
      ->add_option("--against", options.against,
                   "show this beside the kernel: a target (sm_80), a plan (a file), or none for "
                   "no plan; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--with", options.with,
          "a JSON file with what was measured, as `run --timeline` and `profile` write it; "
          "may be repeated")
      ->allow_extra_args(false);
  command->add_option("--emit", options.emit, "html, or json for the page's data alone")
      ->check(CLI::IsMember({"html", "json"}))
      ->capture_default_str();
  command->add_option("-o,--output", options.output, "a file (default: standard output)");
  return command;
}

static CLI::App *addTuneCommand(CLI::App &app, TuneOptions &options) {
  CLI::App *command =
      app.add_subcommand("tune", "measure the best plans of a kernel, and keep the fastest");
  addKernelOptions(*command, options.kernel);
  command
      ->add_option("--count", options.count,
                   "how many of the planner's plans to measure (default: 8)")
      ->check(CLI::Range(1, 1000));
  command->add_option("-o,--output", options.output,
                      "a file that results are added to (default: tuned.json of the cache, from "
                      "which tune=\"auto\" takes plans)");
  command->add_option("--measurer", options.measurer,
                      "a program that measures, here or elsewhere (docs/tuner.md; default: this)");
  command->add_option("--limit", options.seconds, "seconds after which a plan counts as hanging");
  command->add_option("--seed", options.seed, "of the random data");
  return command;
}

static CLI::App *addProfileCommand(CLI::App &app, ProfileOptions &options) {
  CLI::App *command = app.add_subcommand(
      "profile", "count stalls and throughput by lines of a kernel, with Nsight Compute");
  addKernelOptions(*command, options.kernel);
  command->add_option("--ncu", options.ncu, "Nsight Compute's program (default: `ncu`)");
  command->add_option("--report", options.report, "read this report of ncu instead of making one");
  command->add_option("--json", options.json, "a file for the counters");
  return command;
}

/// The words behind the command, without these options, each of which has a value.
static std::vector<std::string> wordsWithout(const std::vector<std::string> &options, int argc,
                                             char **argv) {
  std::vector<std::string> words;
  for (int i = 2; i < argc; ++i) {
    std::string word = argv[i], name = word.substr(0, word.find('='));
    if (std::find(options.begin(), options.end(), name) == options.end())
      words.push_back(word);
    else if (name == word)
      ++i;
  }
  return words;
}

/// Prints an error as compilers do; one with a source line has its own `error:`.
static int finish(const Status &status) {
  if (status)
    return 0;
  std::fflush(stdout);
  const std::string &message = status.error().message;
  bool hasPlace = message.find(": error: ") != message.npos;
  fmt::print(stderr, "{}{}\n", hasPlace ? "" : "error: ", message);
  return 1;
}

static std::string versionText() {
  std::string text = fmt::format("tilewright {}", version());
  return *commit() ? text + fmt::format(" (commit {})", commit()) : text;
}

int main(int argc, char **argv) {
  // Line buffering, also in a pipe.
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
  if (argc > 2 && std::string_view(argv[1]) == "measure") // what `tune` starts (docs/tuner.md)
    return driver::measureContest(argv[2], argc > 3 ? argv[3] : "", STDOUT_FILENO);
  CLI::App app("Tilewright: GPU kernels written as whole-tile programs", "tilewright");
  app.require_subcommand(1);
  app.set_version_flag("--version", versionText());
  Status status;

  RunOptions runOptions;
  CLI::App *runCommand = app.add_subcommand(
      "run", "run a kernel on random data, compare it with the reference, time it");
  addKernelOptions(*runCommand, runOptions.kernel);
  runCommand->add_option("--seed", runOptions.seed, "of the random data");
  runCommand->add_flag("!--no-check", runOptions.check, "do not compare with the reference");
  runCommand->add_option("--repeat", runOptions.repeat, "timed runs")
      ->check(CLI::Range(1u, 100000u));
  addTimelineOptions(*runCommand, runOptions.timeline);
  runCommand->callback([&] { status = run(runOptions); });

  CompileOptions compileOptions;
  CLI::App *compileCommand = app.add_subcommand("compile", "show a kernel at some level");
  addKernelOptions(*compileCommand, compileOptions.kernel);
  compileCommand->add_option("--emit", compileOptions.emit, "what to write")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kEmits), std::end(kEmits))))
      ->capture_default_str();
  addIrAfter(*compileCommand, compileOptions.irAfter);
  compileCommand->add_flag("--stamps", compileOptions.stamps,
                           "with the time stamps that `run --timeline` adds");
  compileCommand->add_option("-o,--output", compileOptions.output,
                             "a file (default: standard output)");
  compileCommand->callback([&] { status = compile(compileOptions); });

  SimulateOptions simulateOptions;
  CLI::App *simulateCommand = app.add_subcommand(
      "simulate",
      "run a kernel's instructions on the CPU and look for races, deadlocks and bad accesses");
  addKernelOptions(*simulateCommand, simulateOptions.kernel);
  simulateCommand
      ->add_option(
          "--schedule", simulateOptions.schedule,
          "the order of warps and of asynchronous operations: eager, lazy, random, exhaustive or "
          "timed (default: eager, and timed with --timeline)")
      ->check(CLI::IsMember({"eager", "lazy", "random", "exhaustive", "timed"}));
  simulateCommand->add_option("--seed", simulateOptions.seed, "of the data and the schedule");
  simulateCommand->add_option("--runs", simulateOptions.maxRuns,
                              "the most runs of an exhaustive schedule");
  simulateCommand->add_option("--trace", simulateOptions.trace,
                              "a file for a timeline (Perfetto, chrome://tracing)");
  addTimelineOptions(*simulateCommand, simulateOptions.timeline);
  simulateCommand->callback([&] { status = simulate(simulateOptions); });

  ExplainOptions explainOptions;
  CLI::App *explainCommand =
      app.add_subcommand("explain", "show what the compiler decided, and why");
  addKernelOptions(*explainCommand, explainOptions.kernel);
  explainCommand->add_option("--emit", explainOptions.emit, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  explainCommand->add_flag(
      "--facts", explainOptions.facts,
      "show the ids that a plan can refer to, with their facts (docs/plans.md)");
  explainCommand->add_flag("--short", explainOptions.isShort,
                           "the same decisions in 24 lines, as far as they fit");
  addIrAfter(*explainCommand, explainOptions.irAfter);
  explainCommand->callback([&] { status = explain(explainOptions); });

  InspectOptions inspectOptions;
  addInspectCommand(app, inspectOptions)->callback([&] { status = inspect(inspectOptions); });

  PlansOptions plansOptions;
  CLI::App *plansCommand = app.add_subcommand(
      "plans", "list the plans that the planner finds for a kernel, by predicted time");
  addKernelOptions(*plansCommand, plansOptions.kernel);
  plansCommand->add_option("--count", plansOptions.count, "of plans");
  plansCommand->add_option("-o,--output", plansOptions.output, "a folder for their texts");
  plansCommand->callback([&] { status = plans(plansOptions); });

  TuneOptions tuneOptions;
  addTuneCommand(app, tuneOptions)->callback([&] { status = tune(tuneOptions); });

  ProfileOptions profileOptions;
  addProfileCommand(app, profileOptions)->callback([&] {
    profileOptions.words = wordsWithout({"--ncu", "--report", "--json"}, argc, argv);
    status = profile(profileOptions);
  });

  FuzzOptions fuzzOptions;
  addFuzzCommand(app, fuzzOptions)->callback([&] { status = fuzz(fuzzOptions); });

  app.add_subcommand("list", "the built-in kernels")->callback([&] { status = list(); });
  app.add_subcommand("targets", "the GPU generations")->callback([&] { status = targets(); });
  app.add_subcommand("doctor", "what this machine has and lacks")->callback([&] {
    status = doctor();
  });

  // CLI11 would only say that a command is missing.
  auto isMeant = [&](CLI::App *command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(isMeant).empty()) {
    fmt::print(stderr, "error: there is no command `{}`; `tilewright --help` lists them\n",
               argv[1]);
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    // 2 for a usage error, as compilers and shells do.
    return app.exit(error) == 0 ? 0 : 2;
  }
  return finish(status);
}
