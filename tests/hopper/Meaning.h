//===- Meaning.h - what a program of the cta level means, whatever it is compiled to ----------===//
#ifndef TILEWRIGHT_TESTS_HOPPER_MEANING_H
#define TILEWRIGHT_TESTS_HOPPER_MEANING_H

#include "passes/Pipeline.h"
#include "tests/hopper/Simulation.h"

namespace tilewright::hopper {

/// Sizes and scalars of a launch, by name.
using Numbers1d = llvm::StringMap<simulator::MachineArgument>;

/// Runs a text as the reference interpreter understands it, on its tensors in order, as it is or
/// after all passes of its level: what that says, which is nothing if all is well.
std::string interpretProgram(const std::string &text, llvm::ArrayRef<HostMatrix *> tensors,
                             const Numbers1d &numbers, passes::Stage upTo = passes::Stage::Tile);

/// A launch on random operands.
struct Trial {
  Numbers1d numbers; ///< Of all named dimensions and scalars.
  int64_t grid = 2;
  unsigned random = 6; ///< Schedules besides the eager and the lazy one.
  /// What sums may differ by, besides the rounding to their type.
  float tolerance = 2e-3f;
};

/// A test failure unless the program, compiled, does in the machine simulator what the interpreter
/// says that it means, and cleanly.
void expectLikeReference(const std::string &text, const Trial &trial);
/// The same of a program that has been compiled otherwise.
void expectLikeReference(const std::string &text, const Program &compiled, const Trial &trial);

/// A test failure unless another text means the same to the interpreter, on the same tensors, in
/// order, and numbers, by name.
void expectSameMeaning(const std::string &text, const std::string &other, const Trial &trial);

} // namespace tilewright::hopper

#endif
