//===- Shrink.h - the simplest program that still fails ---------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_FUZZ_SHRINK_H
#define TILEWRIGHT_TOOLS_FUZZ_SHRINK_H

#include "tools/fuzz/Choices.h"

#include <functional>

namespace tilewright::fuzz {

/// Draws something from choices, and says whether it still fails.
using StillFails = std::function<bool(Choices &)>;

/// Shortens a failing sequence of choices, and lowers its numbers, as long as what is drawn from it
/// fails; at most `attempts` tries. The result is first in the order by length, then by numbers,
/// among all that were tried.
std::vector<uint32_t> shrink(std::vector<uint32_t> failing, const StillFails &stillFails,
                             size_t attempts);

} // namespace tilewright::fuzz

#endif
