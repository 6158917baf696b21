//===- Tuner.h - the fastest of a few plans, by measuring -------------------------------------===//
//
// The best plans of the planner, and the choice of the passes, are compiled side by side, checked
// against one another and timed in turns (docs/tuner.md).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_TUNER_H
#define TILEWRIGHT_TOOLS_DRIVER_TUNER_H

#include "tools/driver/Compiler.h"
#include "tools/driver/Measure.h"
#include "tools/driver/TunedPlans.h"

namespace tilewright::driver {

/// Outcomes of kernels on a call's arguments; a test has its own.
using Measurer = std::function<ErrorOr<std::vector<Outcome>>(
    const std::vector<const runtime::Kernel *> &kernels, const Call &call, int device,
    const Progress &progress)>;

/// Measures in child processes that run this program; each step of a contender may take so long.
Measurer measureInChild(std::vector<std::string> program, DataHints hints = {},
                        double limitSeconds = 20);

struct TuneOptions {
  size_t count = 8; ///< Of the planner's plans.
  Measurer measurer;
  Progress progress = {};
};

/// The fastest plan for a call on a GPU. Fails if there is nothing to choose from, or nothing that
/// is right.
ErrorOr<TunedPlan> tune(const KernelTextPtr &text, const Attempt &wanted, const Call &call,
                        int device, Memo &memo, const TuneOptions &options);

/// Tunes for a call and keeps the result with the user's; what fails is told on standard error.
void tuneForUser(const KernelTextPtr &text, const Attempt &wanted, const Call &call, int device,
                 Memo &memo);

/// A bar on the terminal of standard error; nothing where that is none.
Progress progressBar(const std::string &title);

} // namespace tilewright::driver

#endif
