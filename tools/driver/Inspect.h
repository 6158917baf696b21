//===- Inspect.h - what became of a kernel, for people to read --------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_INSPECT_H
#define TILEWRIGHT_TOOLS_DRIVER_INSPECT_H

#include "tools/driver/Compiler.h"

namespace tilewright::driver {

/// The module as a pass stage leaves it, or as the front end made it. Below the tile level it has
/// the configuration that is compiled: the first from `wanted` on that fits.
ErrorOr<KernelModule> moduleAt(const KernelTextPtr &text, const Attempt &wanted,
                               std::optional<passes::Stage> stage);

/// Every decision of the passes, and the configurations that were rejected; of a kernel with a
/// plan, that one. Translates, for which it needs no NVRTC: of registers it knows nothing.
ErrorOr<std::string> explain(const KernelTextPtr &text, const Attempt &wanted);
/// The same of a kernel that was compiled.
ErrorOr<std::string> explain(const KernelTextPtr &text, const Compiled &compiled);
/// What a plan of a kernel of the language can be about: streams, products, loops, ends.
ErrorOr<std::string> explainFacts(const KernelTextPtr &text, const Attempt &wanted);

/// The same as data: what was chosen, and each decision with its place, its values and what was not
/// taken instead. `irAfter` is the flag of a pass, or `all`: the IR behind it, wherever it changed
/// something, is given too. Empty: none.
ErrorOr<llvm::json::Object> inspect(const KernelTextPtr &text, const Attempt &wanted,
                                    const std::string &irAfter);

/// The CUDA C++ text with the kernel's lines as comments.
ErrorOr<std::string> cudaListing(const KernelTextPtr &text, const Attempt &wanted);

/// The PTX with the kernel's lines as comments.
ErrorOr<std::string> ptxListing(const KernelTextPtr &text, const Attempt &wanted);

} // namespace tilewright::driver

#endif
