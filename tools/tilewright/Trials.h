//===- Trials.h - many random inputs, each refused with a reason, or right --------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_TRIALS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_TRIALS_H

#include "tools/fuzz/Choices.h"
#include "tools/fuzz/Isolate.h"
#include "tools/tilewright/Commands.h"

#include <functional>

namespace tilewright::cli {

/// What is drawn, and how it is judged.
struct Trials {
  std::string what; ///< "plans"
  /// Draws an input and checks it; fuzz::kRefused is no fault.
  std::function<std::optional<fuzz::Finding>(fuzz::Choices &)> check;
  /// Draws an input and shows it.
  std::function<ErrorOr<std::string>(fuzz::Choices &)> show;
  /// What is saved of a finding; it may stand in its message. Empty: nothing.
  std::function<std::string(const fuzz::Finding &, fuzz::Choices &)> saved;
  std::string ending;       ///< Of the files that are saved: ".plan"
  bool tellsReasons = true; ///< Of refusals, at the end.
  fuzz::IsolateOptions isolate = {};
};

/// Runs the seeds of a session, prints what it finds, and fails if that is anything. A fault is
/// shown with the smallest input that has it.
Status runTrials(Trials trials, const FuzzOptions &options);

} // namespace tilewright::cli

#endif
