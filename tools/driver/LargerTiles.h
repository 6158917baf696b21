//===- LargerTiles.h - more rows for a program whose rows are short ---------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_LARGERTILES_H
#define TILEWRIGHT_TOOLS_DRIVER_LARGERTILES_H

#include "tools/driver/Configs.h"
#include "tools/driver/KernelText.h"

namespace tilewright::driver {

/// The attempt with a larger tile extent where rows are so short, or of such a length, that the
/// default keeps a block's threads idle (passes::whyLargerTiles). Only of a kernel with one
/// extent, which is open, as are its warps. `why`, if it is given, gets what is wrong with the
/// default.
Attempt withLargerTiles(const KernelTextPtr &text, const Attempt &wanted,
                        std::vector<std::string> *why = nullptr);

} // namespace tilewright::driver

#endif
