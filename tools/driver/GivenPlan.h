//===- GivenPlan.h - a plan that a user hands in ----------------------------------------------===//
//
// The command line, Python and C++ take plans of kernels of the language (docs/plans.md) the same
// way: a text, and single entries in place of its own.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_GIVENPLAN_H
#define TILEWRIGHT_TOOLS_DRIVER_GIVENPLAN_H

#include "tools/driver/Binding.h"
#include "tools/driver/Configs.h"
#include "tools/driver/KernelText.h"

namespace tilewright::driver {

/// The text of the plan that a text and entries behind it state. Errors are of `file`.
ErrorOr<std::string> givenPlan(llvm::StringRef text, llvm::ArrayRef<std::string> entries,
                               llvm::StringRef file = "plan");

/// Sets what a user states of a kernel's plan: a text and entries in place of its own, or entries
/// alone (`text` is the first), which a plan that is found gets.
Status statePlan(Config &config, llvm::StringRef text, llvm::ArrayRef<std::string> entries,
                 llvm::StringRef file = "plan");

/// Holds the plan of a configuration, if it has one, against the kernel and what else is given, and
/// adds the tile extents that it states to the settings.
Status bindTiles(const KernelText &text, const Config &config, Settings &settings,
                 llvm::StringRef file = "plan");

/// The generation that a kernel's text or the plan of a configuration is for; empty: any.
std::string statedTarget(const KernelText &text, const Config &config);

/// What a call wants: the configuration, and what its arguments, settings and plan specialise for.
ErrorOr<Attempt> attemptOf(const KernelText &text, const Config &config, const Call &call,
                           Settings settings);

} // namespace tilewright::driver

#endif
