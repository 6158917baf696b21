//===- SharedAccesses.h - the accesses of warps to shared memory, and their cost -------------===//
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

/// The number of elements that a thread moves with one access between a tile's registers and shared
/// memory, with rows along the last dimension: as many as are contiguous, up to 16 bytes.
int64_t sharedVector(const Layout &layout, int64_t rank, int64_t elementBytes);

/// The tile as matrices for stmatrix, if the target has it and it moves more at once than a plain
/// store.
std::optional<Matrices> storedMatrices(const Target &target, mlir::RankedTensorType tile,
                                       const Layout &layout);

/// Which of a block's threads copies which elements of a tile by cp.async, or through registers.
Layout copyLayout(cta::CopyOp copy, int64_t warps);

/// How a product reads an operand from a slot.
enum class OperandRead { Ldmatrix, Gather, Lines };
OperandRead operandRead(cta::MmaOp mma, mlir::OpOperand &operand);

/// The accesses of one warp to a tile in shared memory; all warps have the same pattern. In a tile
/// of more than two dimensions, the leading ones count as rows.
class SharedAccesses {
public:
  explicit SharedAccesses(mlir::RankedTensorType tile);

  /// A register tile in vectors of `vector` elements.
  void addRegisterTile(const Layout &layout, int64_t vector);
  /// A register tile, stored by stmatrix or in vectors, whichever is better.
  void addStore(const Target &target, const Layout &layout);
  /// ldmatrix, for every 8 rows of 16 bytes of the first `rows`×`columns` elements.
  void addMatrices(int64_t rows, int64_t columns);
  /// Fragment words of the first `rows`×`columns` elements, gathered along rows element by element.
  /// With w elements per word, lane l reads from row w·(l % 4) + i and column l / 4.
  void addGatheredWords(int64_t rows, int64_t columns);
  /// One row or column after the other, in the layout of a vector, as fused multiply-adds read
  /// them.
  void addLines(const Layout &line, int64_t count, bool areRows);

  /// Passes over the banks, each of at least one wavefront.
  int64_t count() const { return passes.size(); }
  /// The wavefronts of all passes under a layout.
  int64_t wavefronts(const SharedLayout &layout) const;
  /// The first of the layouts with the fewest wavefronts.
  SharedLayout best(llvm::ArrayRef<SharedLayout> layouts) const;

private:
  /// The lanes of one pass: (row, column) of the first element of each.
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
