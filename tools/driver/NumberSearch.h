//===- NumberSearch.h - the configurations around one -----------------------------------------===//
//
// Where no plan is found, the tuner goes from the configuration that the passes choose to a faster
// one, changing one number at a time (docs/tuner.md).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_NUMBERSEARCH_H
#define TILEWRIGHT_TOOLS_DRIVER_NUMBERSEARCH_H

#include "tools/driver/Compiler.h"

namespace tilewright::driver {

/// The numbers of a compiled kernel, all of them stated, except blocks per SM and stages that
/// nobody asked for.
Numbers numbersOf(const KernelText &text, const Compiled &compiled);

/// The numbers of a compiled kernel with one of them changed: a tile extent to the next candidate,
/// warps and blocks of a cluster to half or twice as many, stages and blocks per SM by one or to
/// twice as many. Extents that the user states stay. Fails if the kernel cannot be read.
ErrorOr<std::vector<Numbers>> neighbours(const KernelTextPtr &text, const Compiled &compiled);

} // namespace tilewright::driver

#endif
