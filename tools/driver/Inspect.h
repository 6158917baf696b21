//===- Inspect.h - shows people what became of a kernel ---------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_INSPECT_H
#define TILEWRIGHT_TOOLS_DRIVER_INSPECT_H

#include "tools/driver/Compiler.h"

namespace tilewright::driver {

/// The module after a stage of the passes, or as the front end made it. After a stage it has
/// the configuration that is compiled: the first one from `wanted` on that fits.
ErrorOr<KernelModule> moduleAt(const KernelTextPtr &text, const Attempt &wanted,
                               std::optional<passes::Stage> stage);

/// Every decision of the passes, and the configurations that were rejected; for a kernel with a
/// plan, that plan. This translates the kernel and needs no NVRTC, so it knows nothing of
/// registers.
ErrorOr<std::string> explain(const KernelTextPtr &text, const Attempt &wanted);
/// The same for a compiled kernel.
ErrorOr<std::string> explain(const KernelTextPtr &text, const Compiled &compiled);
/// The ids that a plan for a kernel of the language can refer to: streams, products, computed
/// tiles, loops, stores.
ErrorOr<std::string> explainFacts(const KernelTextPtr &text, const Attempt &wanted);

/// The same as data: the configuration, and each decision with its place, values and rejected
/// alternatives. `irAfter` is the flag of a pass, or `all`: the IR after it is included if it
/// changed. Empty: no IR.
ErrorOr<llvm::json::Object> inspect(const KernelTextPtr &text, const Attempt &wanted,
                                    const std::string &irAfter);

/// The CUDA C++ text with the kernel's lines as comments.
ErrorOr<std::string> cudaListing(const KernelTextPtr &text, const Attempt &wanted);

/// The PTX with the kernel's lines as comments.
ErrorOr<std::string> ptxListing(const KernelTextPtr &text, const Attempt &wanted);

} // namespace tilewright::driver

#endif
