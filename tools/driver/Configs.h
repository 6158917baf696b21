//===- Configs.h - which configurations to try, in which order --------------------------------===//
//
// A kernel states defaults for its tile extents, and `bind-config` chooses warps and stages. If the
// result does not fit the target (too much shared memory, spilled registers), the values that the
// user left open are changed step by step, as the passes propose (passes/plan/Adjust.h).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_CONFIGS_H
#define TILEWRIGHT_TOOLS_DRIVER_CONFIGS_H

#include "frontend/Frontend.h"
#include "passes/plan/Adjust.h"

#include <map>
#include <optional>
#include <string>

namespace tilewright::driver {

/// How a kernel is to be compiled; 0 leaves a choice open.
struct Config {
  /// NVRTC's architecture, `sm_90`. With `compute_80` there is only PTX, which the driver compiles.
  std::string target = "sm_90";
  int64_t warps = 0, stages = 0, minBlocks = 0;
  /// Blocks that share a program's rows as a cluster; 0: one, or as many as long rows need.
  int64_t cluster = 0;
  /// Keep a kernel that spills registers to memory instead of trying others.
  bool allowSpills = false;
  std::vector<std::string> disabledPasses = {};
  /// The text of a plan (docs/plans.md, passes/plan/Plan.h). If empty, the planner looks for one.
  std::string planText = {};
  /// Entries that the user states for a plan that is found: "channels.s1: tma, 5 slots".
  std::vector<std::string> planEntries = {};
  /// Whether the planner looks for a plan (docs/planner.md) if none is stated; else the passes
  /// choose alone.
  bool findsPlan = true;
  /// Which plans of the tuner (docs/tuner.md) a launch may take before it searches.
  enum class Tuned {
    None,
    Known, ///< Those that are loaded.
    Auto,  ///< Also the user's own; a launch of a new class is tuned.
  } tuned = Tuned::Known;
  /// The most stamps of a lane of the kernel's timeline (docs/timeline.md); 0: it has none.
  int64_t timelineStamps = 0;
  TimelineDetail timelineDetail = TimelineDetail::All;
  /// Whether machine code refers to lines of the kernel also where no message needs them.
  bool lineInfo = false;
  /// CUDA text that replaces the text of the passes; it takes the same arguments.
  std::string cudaText = {};

  bool operator==(const Config &) const = default;
  /// The generation that the passes compile for.
  std::string passTarget() const;
  /// The options for the passes.
  passes::PipelineOptions options() const;
  /// The fields that matter to the code of an attempt, as text.
  std::vector<std::string> key() const;
};

/// Stands for no plan where the text of one may be given.
inline constexpr std::string_view kNoPlan = "none";

/// One configuration: a Config with tile extents, for one of the kernel's plans.
struct Attempt {
  Config config;
  frontend::Specialisation specialisation;
  size_t plan = 0;
  /// Attempts to try if this one is not accepted, in that order: other plans that were found, and
  /// the choice of the passes.
  std::vector<Attempt> others = {};
  /// If the plan was found: the extents that it sets.
  std::optional<std::vector<std::string>> found = {};
  /// Why a plan of the tuner is not among them.
  std::vector<std::string> passedOver = {};

  /// Of a `tune` parameter.
  frontend::ConstValue tuneValue(const frontend::Param &param) const;
  /// The attempt as it was before a plan was found for it.
  Attempt open() const;
  /// The attempt without its plan, found or given, and the extents that this sets: what a search
  /// for other plans starts with.
  Attempt withoutPlan() const;
  /// "BM = 128, BN = 64, warps = 8, stages = 2"; choices left open are not listed.
  std::string str(const frontend::Signature &signature) const;
};

/// The numbers of a configuration without a plan, as `--config` and `--set` take them. 0 leaves a
/// choice open.
struct Numbers {
  int64_t warps = 0, stages = 0, minBlocks = 0, cluster = 0;
  bool allowSpills = false;
  std::map<std::string, int64_t> tiles; ///< Extents, by `tune` parameter.

  auto operator<=>(const Numbers &) const = default;
  bool empty() const { return *this == Numbers(); }
  /// A configuration with these numbers, for which no plan is found.
  Attempt applyTo(Attempt attempt) const;
  /// "BR = 1, warps = 16, min_blocks = 2"; choices left open are not listed.
  std::string str() const;
};

using passes::Misfit;
using passes::Rejection;

/// The configuration to try after one that was rejected, or nothing. `original` is what the user
/// asked for; the values that it states are kept.
std::optional<Attempt> nextAttempt(const frontend::Signature &signature, const Attempt &original,
                                   const Attempt &failed, const Rejection &rejection);

/// The smallest candidate of a `tune` parameter above `value`, if there is one.
std::optional<int64_t> largerExtent(const frontend::Param &param, int64_t value);

} // namespace tilewright::driver

#endif
