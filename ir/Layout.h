//===- Layout.h - which thread holds which element of a tile ----------------------------------===//
//
// A layout maps (register, lane, warp) to the coordinates of a tile element. Each of the three
// numbers is read as a mixed-radix number, least significant digit first. A digit of value v adds v
// * stride to the coordinate along its dimension. A digit along `kReplicated` adds nothing: threads
// that differ only there hold copies of the same elements.
//
//   mma.sync accumulators, 16×8:   registers [2:1:1, 2:0:8]   lanes [4:1:2, 8:0:1]
//   (size:dimension:stride)
//
// Tensor-core fragments, vectorised rows and the slices that reductions leave all have this form.
// Sizes need not be powers of two, except those of lanes.
//
// Layouts are kept in canonical form (no digit of size 1, neighbours merged if one continues the
// other), so that equal mappings with the same register order compare equal.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_IR_LAYOUT_H
#define TILEWRIGHT_IR_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstdint>
#include <optional>

namespace tilewright {

inline constexpr int64_t kReplicated = -1;
inline constexpr int64_t kLanes = 32;

/// One digit: `size` values, each a step of `stride` along dimension `dim`.
struct Digit {
  int64_t size, dim, stride;
  bool operator==(const Digit &) const = default;
};

enum class Level { Register, Lane, Warp };
using Digits = llvm::SmallVector<Digit, 4>;
using Coordinates = llvm::SmallVector<int64_t, 4>;

struct Matrices;

class Layout {
public:
  Layout() = default;
  Layout(Digits registers, Digits lanes, Digits warps);

  const Digits &digits(Level level) const { return levels[size_t(level)]; }
  /// The number of registers, lanes or warps that the layout spans.
  int64_t count(Level level) const;
  int64_t registers() const { return count(Level::Register); }
  int64_t warps() const { return count(Level::Warp); }

  /// The element that a register of a thread holds, in a tile of `rank` dimensions.
  Coordinates coordinates(int64_t rank, int64_t reg, int64_t lane, int64_t warp) const;
  /// The extent along `dim` that the digits span (1 past the largest coordinate).
  int64_t extent(int64_t dim) const;
  /// True if every element of `shape` is held, and no digit leaves it.
  bool covers(llvm::ArrayRef<int64_t> shape) const;
  /// The number of consecutive registers, starting at a multiple of that number, that hold
  /// consecutive elements along `dim`.
  int64_t vector(int64_t dim) const;

  /// Pairs of registers as words of 8×8 matrices whose rows run along `dim`. Nothing if the lanes
  /// do not hold such fragments, or if threads are replicas.
  std::optional<Matrices> matrices(int64_t dim) const;

  /// The layout of the tile in which each element is a pair of neighbours along `dim`. Nothing if
  /// the two are not in registers of the same thread.
  std::optional<Layout> joinPairs(int64_t dim) const;
  /// The reverse, for a layout of the starts of rows: their positions, counted in single elements.
  Layout splitPairs(int64_t dim) const;
  /// The layout of the tile with `dim` permuted to the order in which threads hold accumulators:
  /// every 16 elements come from 0 1 8 9 2 3 10 11 4 5 12 13 6 7 14 15. Digits of less than 16 are
  /// powers of two.
  Layout inOrderOfSums(int64_t dim) const;

  /// The layout of a reduction's result: `dim` is removed, and threads along it become replicas.
  Layout dropDim(int64_t dim) const;
  /// The layout of one value per thread along `dim`, computed from the thread's elements along it.
  /// The threads that share a line are numbered by lane, then warp.
  Layout threadsAlong(int64_t dim) const;
  /// The layout of a tile with `dim` of size 1 that is broadcast to this layout's tile.
  Layout collapseDim(int64_t dim) const;
  /// The layout with a dimension of size 1 inserted before `dim`.
  Layout insertDim(int64_t dim) const;
  /// The layout of the first of equal parts of the tile, with `size` elements along `dim`. Nothing
  /// if threads hold different parts.
  std::optional<Layout> sliceDim(int64_t dim, int64_t size) const;
  /// The layout of a transposed tile: result dimension i is dimension permutation[i] of this one.
  Layout permute(llvm::ArrayRef<int64_t> permutation) const;

  bool operator==(const Layout &) const = default;

  /// Rows along `contiguous` in vectors of `vector` elements, spread over lanes, at most
  /// `lanesAlong` to a row, then warps, then registers. If the tile is too small for all threads,
  /// the others are replicas.
  static Layout blocked(llvm::ArrayRef<int64_t> shape, int64_t contiguous, int64_t vector,
                        int64_t warps, int64_t lanesAlong = kLanes);
  /// For a tile of two dimensions that is read along dimension 1 and stored along dimension 0:
  /// vectors of `vector` elements along dimension 0, spread over lanes along dimension 1. So
  /// neither access has bank conflicts, if elements have 32 bits and rows are swizzled.
  static Layout turned(llvm::ArrayRef<int64_t> shape, int64_t vector, int64_t warps);
  /// Accumulator fragments of mma.sync, `rows`×8 (16 rows, or 8 for 8-bit integers with depth 16).
  /// Warps split the tile `warpsM`×`warpsN` into contiguous parts. If there are more `warps`, the
  /// others are replicas.
  static Layout mmaAccumulator(int64_t m, int64_t n, int64_t warpsM, int64_t warpsN, int64_t warps,
                               int64_t rows = 16);
  /// 16-bit A operand fragments (16×16, or 16×8 if `stepK` is 8) with the same split.
  static Layout mmaOperandA(int64_t m, int64_t k, int64_t stepK, int64_t warpsM, int64_t warpsN,
                            int64_t warps);
  /// Accumulator fragments of wgmma, 64×8. Warpgroups split the tile `groupsM`×`groupsN` into
  /// contiguous parts.
  static Layout wgmmaAccumulator(int64_t m, int64_t n, int64_t groupsM, int64_t groupsN);
  /// 16-bit A operand fragments with the same split.
  static Layout wgmmaOperandA(int64_t m, int64_t k, int64_t groupsM, int64_t groupsN);
  /// Fragments of 8-bit elements that ldmatrix transposes in pairs, 16×16: a thread has 4 rows of
  /// two neighbouring columns, side by side in registers. The 4 rows are consecutive, or neighbours
  /// `inOrderOfSums`. Columns are split over warps first. Nothing if tiles are too small.
  static std::optional<Layout> turned(int64_t rows, int64_t columns, bool inOrderOfSums,
                                      int64_t warps);
  /// Thread tiles for products on the FMA pipe: `perM`×`perN` elements per thread in 8×4 lanes.
  static Layout threadTile(int64_t m, int64_t n, int64_t warpsM, int64_t warpsN, int64_t warps);

private:
  template <typename Map> Layout mapDims(Map map) const;
  std::array<Digits, 3> levels;
};

/// 8×8 matrices of 16-bit elements that a warp holds in words of two, as for stmatrix. Word m of
/// lane l has elements 2(l%4) and 2(l%4)+1 of row l/4 of matrix m. If `transposed`, it has element
/// l/4 of rows 2(l%4) and 2(l%4)+1.
struct Matrices {
  /// The starts of rows. The register is the number of the instruction, which takes the next
  /// `count` words. Lane 8m + r has row r of its matrix m. Lanes behind the last matrix are
  /// replicas.
  Layout rows;
  int64_t count; // matrices per instruction: 4, 2 or 1
  bool transposed;
};

} // namespace tilewright

#endif
