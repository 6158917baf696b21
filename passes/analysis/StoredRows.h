//===- StoredRows.h - which rows of computed tiles are seen -----------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_STOREDROWS_H
#define TILEWRIGHT_PASSES_ANALYSIS_STOREDROWS_H

#include "passes/analysis/Accesses.h"

namespace tilewright::passes {

/// Whether no op under `root` combines elements of different rows, or changes memory.
bool keepsRowsApart(mlir::Operation *root);

/// Where the rows of tiles are stored. `first` is negative as long as the first row lies inside the
/// tensor; with the number of another row added, it says the same of that row.
struct StoredRows {
  AffineForm first;
  int64_t rows = 0; ///< Of the tiles.

  bool operator==(const StoredRows &) const = default;
};

/// Where the results of a loop are stored: nobody sees what it computes for rows behind the end.
/// Nothing if all rows are known to lie inside, or if results lead to anything but stores of their
/// rows at the same places.
std::optional<StoredRows> storedRows(mlir::scf::ForOp loop, Dims &dims);

} // namespace tilewright::passes

#endif
