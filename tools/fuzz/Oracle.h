//===- Oracle.h - what is wrong with the compiler, by one case --------------------------------===//
//
// The reference interpreter says what a case means. Every other executor must agree with it: the
// interpreter after each pass of the tile level, and per target the generated code.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_FUZZ_ORACLE_H
#define TILEWRIGHT_TOOLS_FUZZ_ORACLE_H

#include "tools/fuzz/Case.h"
#include "tools/fuzz/Gpu.h"

#include <optional>

namespace tilewright::fuzz {

struct OracleOptions {
  std::vector<std::string> targets;
  std::vector<std::string> disabledPasses;
  /// Run the generated instructions in the machine simulator; else they are only generated.
  bool simulate = true;
  /// Compile the text to machine code, which takes up to a second.
  bool machineCode = false;
  /// Run the machine code for the targets that this GPU can run.
  std::optional<Gpu> gpu = {};
};

struct Finding {
  std::string stage; ///< `reference`, `pass pad-tiles`, `sm_80: compile`, …
  std::string message;
};

/// The stage of what is no fault: something that was refused, with the reason.
inline constexpr const char *kRefused = "refused";

/// The first finding, if there is one.
std::optional<Finding> check(const Case &test, const OracleOptions &options);

/// Whether the case is refused because its tiles are too many for the target's shared memory. That
/// is no finding; but of a program that is refused nothing is compared.
bool isRefusedForSize(const Case &test, const std::string &target);

} // namespace tilewright::fuzz

#endif
