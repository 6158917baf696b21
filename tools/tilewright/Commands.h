//===- Commands.h - what the subcommands do ---------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_COMMANDS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_COMMANDS_H

#include "support/ErrorOr.h"
#include "support/Timeline.h"
#include "tools/tilewright/Job.h"

namespace tilewright::cli {

/// A timeline that is wanted of a run (docs/timeline.md).
struct TimelineOptions {
  std::string file; ///< Empty: none.
  int64_t stamps = kTimelineStamps;
  /// One of kTimelineDetails; empty: the most that slows a run by less than kTimelineOverhead.
  std::string detail;
};

struct RunOptions {
  KernelArgs kernel;
  uint64_t seed = 1;
  bool check = true;
  unsigned repeat = 50;
  TimelineOptions timeline;
};

struct CompileOptions {
  KernelArgs kernel;
  std::string emit = "cuda"; ///< One of kEmits.
  std::string irAfter;       ///< Of `json`: a pass's flag, `all`, or empty.
  bool stamps = false;       ///< With the time stamps of a timeline.
  std::string output;        ///< Empty or `-`: standard output.
};

struct ExplainOptions {
  KernelArgs kernel;
  std::string emit = "text"; ///< Or `json`.
  std::string irAfter;       ///< As for `compile`.
  bool facts = false;        ///< What plans are about, and nothing else.
  bool isShort = false;      ///< What fits on a screen.
};

struct InspectOptions {
  KernelArgs kernel;
  std::vector<std::string> against; ///< Targets and plans to show beside.
  std::vector<std::string> with;    ///< Files with what was measured: timelines, counters.
  std::string emit = "html";        ///< Or `json`: the data alone.
  std::string output;               ///< Empty or `-`: standard output.
};

struct PlansOptions {
  KernelArgs kernel;
  size_t count = 20;  ///< That are shown.
  std::string output; ///< A folder for their texts, or empty.
};

struct TuneOptions {
  KernelArgs kernel;
  size_t count = 8;     ///< Of the planner's plans.
  std::string output;   ///< A file that results are added to; empty: this user's.
  std::string measurer; ///< A program that measures; empty: this one.
  double seconds = 20;  ///< That a contender may take for a step.
  uint64_t seed = 1;
};

struct SimulateOptions {
  KernelArgs kernel;
  std::string schedule;    ///< eager, lazy, random, exhaustive, timed; empty: open.
  uint64_t seed = 0;       ///< Of the data, and of a random schedule.
  uint64_t maxRuns = 1000; ///< Of an exhaustive schedule.
  std::string trace;       ///< A file for what warps and engines did, or empty.
  TimelineOptions timeline;
};

struct ProfileOptions {
  KernelArgs kernel;
  std::vector<std::string> words; ///< Of the command line, those about the kernel.
  std::string ncu;                ///< Nsight Compute's program; empty: search for it.
  std::string report;             ///< A report that exists; empty: make one.
  std::string json;               ///< A file for the counters, or empty.
};

struct FuzzOptions {
  uint64_t seed = 1, count = 100;
  std::vector<std::string> targets; ///< Empty: all.
  std::vector<std::string> disabledPasses;
  std::string save;
  std::vector<std::string> replay; ///< Files of saved programs.
  uint64_t machineCodeEvery = 0;
  unsigned jobs = 0; ///< 0: one per core.
  bool simulate = true, gpu = true, blame = false, print = false;
  std::string plans;    ///< A list of kernels (PlanCase.h), for which plans are drawn; or empty.
  bool found = false;   ///< Plans that the planner finds instead.
  std::string programs; ///< A list of programs (ProgramCase.h), which are edited; or empty.
  std::vector<std::string> texts; ///< Files and folders whose texts are changed; or none.
  unsigned seconds = 1;           ///< Of a processor's time, that a text may take.
};

inline constexpr const char *kEmits[] = {"tile-raw", "tile-source", "tile", "cta",
                                         "cuda-ir",  "cuda",        "ptx",  "cubin",
                                         "sass",     "report",      "json"};

Status run(const RunOptions &options);
Status compile(const CompileOptions &options);
/// Fails if anything is found, or if the results are not the reference's.
Status simulate(const SimulateOptions &options);
Status explain(const ExplainOptions &options);
/// Writes a page that shows what became of a kernel (docs/inspector.md).
Status inspect(const InspectOptions &options);
/// The plans that are found for a kernel, by predicted time.
Status plans(const PlansOptions &options);
/// Measures plans against each other, and keeps the fastest in a file.
Status tune(const TuneOptions &options);
/// What Nsight Compute counts, by lines; fails where there is none.
Status profile(const ProfileOptions &options);
/// Fails when it finds something.
Status fuzz(const FuzzOptions &options);
/// The same for random plans of the kernels that a file lists.
Status fuzzPlans(const FuzzOptions &options);
/// The same for programs of the `cta` level, and for texts that are hardly programs.
Status fuzzPrograms(const FuzzOptions &options);
Status fuzzTexts(const FuzzOptions &options);
Status list();
Status targets();
/// Also fails when something that compiling needs is missing.
Status doctor();

/// What is known of a compiled kernel and of its work, as text.
ErrorOr<std::string> report(const Job &job);

} // namespace tilewright::cli

#endif
