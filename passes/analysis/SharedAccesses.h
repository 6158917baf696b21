//===- SharedAccesses.h - what warps touch in shared memory, and at what cost ----------------===//
//
// A simulation of the banks. A warp's accesses of up to 4 bytes run in one pass over the 32 banks,
// 8-byte ones by half warps, 16-byte ones and the rows of ldmatrix and stmatrix by quarters; a pass
// takes as many wavefronts as the bank with the most different words.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_SHAREDACCESSES_H
#define TILEWRIGHT_PASSES_ANALYSIS_SHAREDACCESSES_H

#include "ir/Layout.h"
#include "ir/SharedLayout.h"
#include "ir/Target.h"
#include "ir/cta/Cta.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace tilewright::passes {

/// Elements that one access of a thread moves between a tile's registers and shared memory, where
/// its rows run along the last dimension: as many as are side by side, up to 16 bytes.
int64_t sharedVector(const Layout &layout, int64_t rank, int64_t elementBytes);

/// The tile as matrices that stmatrix stores, where the target has it and it moves more at once
/// than a thread's own store.
std::optional<Matrices> storedMatrices(const Target &target, mlir::RankedTensorType tile,
                                       const Layout &layout);

/// How a product reads an operand from a slot.
enum class OperandRead { Ldmatrix, Gather, Lines };
OperandRead operandRead(cta::MmaOp mma, mlir::OpOperand &operand);

/// The accesses of a warp (all do alike) to a tile in shared memory. A tile of more than two
/// dimensions counts its leading ones as rows.
class SharedAccesses {
public:
  explicit SharedAccesses(mlir::RankedTensorType tile);

  /// A register tile in vectors of `vector` elements.
  void addRegisterTile(const Layout &layout, int64_t vector);
  /// A register tile as it is best stored, by stmatrix or in vectors.
  void addStore(const Target &target, const Layout &layout);
  /// ldmatrix, for every 8 rows of 16 bytes of the first `rows`×`columns` elements.
  void addMatrices(int64_t rows, int64_t columns);
  /// Fragment words of the first `rows`×`columns` elements, gathered along rows element by element:
  /// lane l reads from row w·(l % 4) + i, of w elements in a word, and column l / 4.
  void addGatheredWords(int64_t rows, int64_t columns);
  /// One row after the other, or one column, in the layout of a vector: what fused multiply-adds
  /// read.
  void addLines(const Layout &line, int64_t count, bool areRows);

  /// Passes over the banks, each at best one wavefront.
  int64_t count() const { return passes.size(); }
  /// The wavefronts that they take under a layout.
  int64_t wavefronts(const SharedLayout &layout) const;
  /// The first of the layouts with the fewest wavefronts.
  SharedLayout best(llvm::ArrayRef<SharedLayout> layouts) const;

private:
  /// What the lanes that go together touch: (row, column) of the first element of each.
  struct LanePass {
    llvm::SmallVector<std::pair<int64_t, int64_t>, 32> starts;
    int64_t bytes; // per start
  };
  std::pair<int64_t, int64_t> rowAndColumn(const Coordinates &at) const;
  void addLanes(const Layout &layout, int64_t reg, int64_t bytes);
  void addSingles(llvm::function_ref<std::pair<int64_t, int64_t>(int64_t lane)> startOf);

  mlir::RankedTensorType tile;
  int64_t elementBytes;
  std::vector<LanePass> passes;
};

} // namespace tilewright::passes

#endif
