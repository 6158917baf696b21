//===- GivenPlan.h - a plan that a user hands in ----------------------------------------------===//
//
// The command line, Python and C++ take plans for kernels of the language (docs/plans.md) in the
// same way: a text, and single entries that replace its own.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_GIVENPLAN_H
#define TILEWRIGHT_TOOLS_DRIVER_GIVENPLAN_H

#include "tools/driver/Binding.h"
#include "tools/driver/Configs.h"
#include "tools/driver/KernelText.h"

namespace tilewright::driver {

/// The text of a plan, with `entries` put in place. Errors name `file`.
ErrorOr<std::string> givenPlan(llvm::StringRef text, llvm::ArrayRef<std::string> entries,
                               llvm::StringRef file = "plan");

/// Sets what a user states about a kernel's plan: a text with entries that replace its own, or
/// entries alone (`text` is the first) for a plan that is found.
Status statePlan(Config &config, llvm::StringRef text, llvm::ArrayRef<std::string> entries,
                 llvm::StringRef file = "plan");

/// Checks the plan of a configuration, if any, against the kernel and the other settings, and adds
/// its tile extents to the settings.
Status bindTiles(const KernelText &text, const Config &config, Settings &settings,
                 llvm::StringRef file = "plan");

/// The generation that a kernel's text or the plan of a configuration is for; empty if any.
std::string statedTarget(const KernelText &text, const Config &config);

/// The attempt for a call: the configuration, and what its arguments, settings and plan specialise
/// the kernel for.
ErrorOr<Attempt> attemptOf(const KernelText &text, const Config &config, const Call &call,
                           Settings settings);

} // namespace tilewright::driver

#endif
