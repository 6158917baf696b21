//===- Tuner.h - the fastest of a few plans, by measuring -------------------------------------===//
//
// The planner's best plans and the choice of the passes are compiled in parallel, checked against
// each other, and timed in turns (docs/tuner.md).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_TUNER_H
#define TILEWRIGHT_TOOLS_DRIVER_TUNER_H

#include "tools/driver/Compiler.h"
#include "tools/driver/Measure.h"
#include "tools/driver/TunedPlans.h"

namespace tilewright::driver {

/// The outcomes of kernels on a call's arguments; tests have their own.
using Measurer = std::function<ErrorOr<std::vector<Outcome>>(
    const std::vector<const runtime::Kernel *> &kernels, const Call &call, int device,
    const Progress &progress)>;

/// Measures in child processes that run this program. `seconds` limits each step of a contender.
Measurer measureInChild(std::vector<std::string> program, DataHints hints = {},
                        double limitSeconds = 20);

/// A run on a GPU.
struct Timed {
  std::string gpu;
  double microseconds = 0;
};
/// One kernel on arguments like those of a call. `device` is the GPU's number.
ErrorOr<Timed> timeOnGpu(const runtime::Kernel &kernel, const Call &call, int device,
                         const Measurer &measurer);

struct TuneOptions {
  size_t count = 8; ///< Of the planner's plans.
  Measurer measurer;
  Progress progress = {};
};

/// The fastest plan for a call on a GPU. Fails if there is nothing to choose from, or if no
/// contender is right.
ErrorOr<TunedPlan> tune(const KernelTextPtr &text, const Attempt &wanted, const Call &call,
                        int device, Memo &memo, const TuneOptions &options);

/// Tunes for a call and keeps the result in the user's file. Reports failures on standard error.
void tuneForUser(const KernelTextPtr &text, const Attempt &wanted, const Call &call, int device,
                 Memo &memo);

/// A progress bar on standard error; nothing if that is no terminal.
Progress progressBar(const std::string &title);

} // namespace tilewright::driver

#endif
