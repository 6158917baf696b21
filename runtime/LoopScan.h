//===- LoopScan.h - Local memory in the loops of machine code ---*- C++ -*-===//
//
// ptxas says how much a kernel spills, not where. A register that is saved before a loop and
// restored after it costs nothing; one that is reloaded in the loop that multiplies costs in every
// iteration. This finds out which, from the opcodes of the instructions (128 bits each since sm_70):
// loads and stores of local memory, matrix products, and branches that go back.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <string_view>

namespace tilewright::runtime {

/// What the code of one kernel does inside loops that multiply matrices.
struct ProductLoops {
  bool multiplies = false; ///< The kernel has matrix instructions.
  bool found = false;      ///< ... and a loop around some of them was recognised.
  unsigned localAccesses = 0; ///< Loads and stores of local memory in such loops.
};

/// Scans the instructions of a kernel (its `.text` section).
ProductLoops scanLoops(std::string_view code);

} // namespace tilewright::runtime
