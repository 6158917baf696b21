//===- Case.h - one call of a built-in kernel to be tested ------------------------------------===//
#ifndef TILEWRIGHT_TESTS_KERNELS_CASE_H
#define TILEWRIGHT_TESTS_KERNELS_CASE_H

#include "tools/tilewright/StridedTensor.h"

#include <string>
#include <vector>

namespace tilewright::kernels {

using cli::Memory;

/// A kernel with what `tilewright run` would be told, and how its tensors lie in memory.
struct Case {
  std::string kernel;
  std::string dtypes, shape, settings; ///< `name=value,…`; empty for the defaults.
  Memory memory = Memory::Contiguous;

  /// Everything but the kernel, as one word without spaces.
  std::string name() const;
  /// The command that runs the case with contiguous tensors.
  std::string command() const;
};

/// The cases of Cases.def.
std::vector<Case> allCases();
/// The cases of Simulated.def.
std::vector<Case> simulatedCases();

/// `a,b,c` as its parts.
std::vector<std::string> splitWords(const std::string &text, char separator);

} // namespace tilewright::kernels

#endif
