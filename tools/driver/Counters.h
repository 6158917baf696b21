//===- Counters.h - what Nsight Compute has counted -------------------------------------------===//
//
// Reads what `ncu --import … --csv` writes, and sums it by line of the kernel. The lines of
// instructions come from the kernel's own machine code, so ncu needs no sources.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_COUNTERS_H
#define TILEWRIGHT_TOOLS_DRIVER_COUNTERS_H

#include "support/ErrorOr.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <string>
#include <vector>

namespace tilewright::driver {

/// A counter of the whole kernel.
struct CounterTotal {
  std::string name; ///< "tensor pipe"
  double value = 0;
  std::string unit; ///< "%"
};

/// Numbers of one instruction, or of one line.
using CounterRow = std::vector<double>;

/// Of each instruction, in the order of the code.
struct InstructionCounters {
  std::vector<std::string> columns; ///< "samples", then reasons for stalls: "wait", "barrier"
  std::vector<CounterRow> rows;
};

/// The totals in what `--page raw` prints: those that Counters.def names.
ErrorOr<std::vector<CounterTotal>> readTotals(const std::string &csv);
/// What `--page source --print-source sass` prints.
ErrorOr<InstructionCounters> readInstructions(const std::string &csv);

struct Counters {
  std::string tool; ///< "Nsight Compute 2025.3.1"
  std::vector<CounterTotal> totals;
  std::vector<std::string> columns;
  std::map<unsigned, CounterRow> lines; ///< 0: code of no line.

  /// The `counters` block of the inspector's data (docs/inspector.md).
  llvm::json::Object toJson() const;
  /// For people, with the lines of the kernel's text.
  std::string str(const std::string &text) const;
};

/// Sums instructions by line; fails if `lines` has not one for each.
ErrorOr<Counters> countByLine(std::vector<CounterTotal> totals,
                              const InstructionCounters &instructions,
                              llvm::ArrayRef<unsigned> lines);

} // namespace tilewright::driver

#endif
