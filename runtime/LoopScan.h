//===- LoopScan.h - Loops of machine code ----------------------*- C++ -*-===//
//
// ptxas says how much a kernel spills, not where. A register that is saved before a loop and
// restored after it costs nothing; one that is reloaded in the loop that multiplies costs in every
// iteration. This finds out which, from loads and stores of local memory, matrix products, and
// branches that go back.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/MachineCode.h"

namespace tilewright::runtime {

/// A loop that is entered at its first instruction only. What it does out of line is a part of it.
struct CodeLoop {
  size_t header = 0;
  std::vector<size_t> body; ///< Its instructions, in order.

  bool contains(size_t instruction) const;
};

/// The loops of a kernel, by their headers; none if some branch makes no sense to us.
std::vector<CodeLoop> findLoops(const std::vector<Instruction> &code);

/// Those with matrix products.
std::vector<CodeLoop> loopsThatMultiply(const std::vector<Instruction> &code,
                                        const std::vector<CodeLoop> &loops);

/// The instructions in any of these loops that load from local memory or store there.
std::vector<size_t> localAccesses(const std::vector<Instruction> &code,
                                  const std::vector<CodeLoop> &loops);

/// What the code of one kernel does inside loops that multiply matrices.
struct ProductLoops {
  bool multiplies = false;    ///< The kernel has matrix instructions.
  bool found = false;         ///< ... and a loop around some of them was recognised.
  unsigned localAccesses = 0; ///< Loads and stores of local memory in such loops.
};

ProductLoops scanLoops(const std::vector<Instruction> &code);

} // namespace tilewright::runtime
