//===- Layout.h - which thread holds which element of a tile ----------------------------------===//
//
// A layout maps (register, lane, warp) to the coordinates of a tile element. Each of the three
// numbers is read as a mixed-radix number, least significant digit first; a digit of value v adds
// v * stride to the coordinate along its dimension. A digit along `kReplicated` adds nothing: the
// threads that differ only there hold copies of the same elements.
//
//   mma.sync accumulators, 16×8:   registers [2:1:1, 2:0:8]   lanes [4:1:2, 8:0:1]
//   (size:dimension:stride)
//
// Tensor-core fragments, vectorised rows and the slices that reductions leave are all instances.
// Sizes need not be powers of two, except those of lanes.
//
// Layouts are kept in canonical form (no digit of size 1, neighbours merged where one continues the
// other), so that equal mappings of one register order compare equal.
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
  /// How many registers, lanes or warps the layout spans.
  int64_t count(Level level) const;
  int64_t registers() const { return count(Level::Register); }
  int64_t warps() const { return count(Level::Warp); }

  /// The element that a register of a thread holds, in a tile of `rank` dimensions.
  Coordinates coordinates(int64_t rank, int64_t reg, int64_t lane, int64_t warp) const;
  /// The extent along `dim` that the digits span (1 past the largest coordinate).
  int64_t extent(int64_t dim) const;
  /// True when every element of `shape` is held, and no digit leaves it.
  bool covers(llvm::ArrayRef<int64_t> shape) const;
  /// How many consecutive registers, from a multiple of that number on, hold consecutive elements
  /// along `dim`.
  int64_t vector(int64_t dim) const;

  /// Pairs of registers as the words of 8×8 matrices whose rows run along `dim`; nothing where the
  /// lanes do not hold such fragments, or where threads are replicas.
  std::optional<Matrices> matrices(int64_t dim) const;

  /// The layout of the tile whose elements are pairs of neighbours along `dim`, which two registers
  /// of a thread hold; nothing where they do not.
  std::optional<Layout> joinPairs(int64_t dim) const;
  /// The reverse for a layout of rows' starts: where they are, counted in single elements.
  Layout splitPairs(int64_t dim) const;
  /// The layout of the tile with `dim` in the order in which threads hold sums: of every 16, from
  /// which it is 0 1 8 9 2 3 10 11 4 5 12 13 6 7 14 15. Digits of less than 16 are powers of two.
  Layout inOrderOfSums(int64_t dim) const;

  /// The layout of a reduction's result: `dim` disappears. Threads along it become replicas.
  Layout dropDim(int64_t dim) const;
  /// The layout of what each thread makes of its elements along `dim`: as many along it as threads
  /// share a line, numbered by lane, then warp.
  Layout threadsAlong(int64_t dim) const;
  /// The layout of the tile with `dim` of size 1, from which this layout's tile is broadcast.
  Layout collapseDim(int64_t dim) const;
  /// The layout with a dimension of size 1 inserted before `dim`.
  Layout insertDim(int64_t dim) const;
  /// The layout of a part of the tile with `size` elements along `dim`, the first of equal parts;
  /// nothing where threads hold different parts.
  std::optional<Layout> sliceDim(int64_t dim, int64_t size) const;
  /// The layout of a transposed tile: result dimension i is dimension permutation[i] of this one.
  Layout permute(llvm::ArrayRef<int64_t> permutation) const;

  bool operator==(const Layout &) const = default;

  /// Rows along `contiguous` in vectors of `vector` elements, spread over lanes, then warps, then
  /// registers. Threads that a small tile leaves over are replicas.
  static Layout blocked(llvm::ArrayRef<int64_t> shape, int64_t contiguous, int64_t vector,
                        int64_t warps);
  /// Accumulator fragments of mma.sync, `rows`×8 (16 rows, or 8 in the form of 8-bit integers of
  /// depth 16); warps split the tile `warpsM`×`warpsN`, each taking a contiguous part; `warps`
  /// beyond their product are replicas.
  static Layout mmaAccumulator(int64_t m, int64_t n, int64_t warpsM, int64_t warpsN, int64_t warps,
                               int64_t rows = 16);
  /// 16-bit A operand fragments (16×16, or 16×8 where `stepK` is 8) of the same split.
  static Layout mmaOperandA(int64_t m, int64_t k, int64_t stepK, int64_t warpsM, int64_t warpsN,
                            int64_t warps);
  /// Accumulator fragments of wgmma, 64×8; warpgroups split the tile `groupsM`×`groupsN`, each
  /// taking a contiguous part.
  static Layout wgmmaAccumulator(int64_t m, int64_t n, int64_t groupsM, int64_t groupsN);
  /// 16-bit A operand fragments of the same split.
  static Layout wgmmaOperandA(int64_t m, int64_t k, int64_t groupsM, int64_t groupsN);
  /// Fragments of 8-bit elements that ldmatrix transposes in pairs, 16×16: a thread has 4 rows of
  /// two neighbours along columns, side by side in registers. The rows follow each other, or are
  /// neighbours `inOrderOfSums`. Columns are split over warps first; nothing where tiles are too
  /// small for them.
  static std::optional<Layout> turned(int64_t rows, int64_t columns, bool inOrderOfSums,
                                      int64_t warps);
  /// Thread tiles for products on the FMA pipe: `perM`×`perN` elements per thread in 8×4 lanes.
  static Layout threadTile(int64_t m, int64_t n, int64_t warpsM, int64_t warpsN, int64_t warps);

private:
  template <typename Map> Layout mapDims(Map map) const;
  std::array<Digits, 3> levels;
};

/// 8×8 matrices of 16-bit elements that a warp holds in words of two, as stmatrix stores them: word
/// m of lane l is elements 2(l%4), 2(l%4)+1 of row l/4 of matrix m; or, when `transposed`, element
/// l/4 of rows 2(l%4) and 2(l%4)+1.
struct Matrices {
  /// Where rows start. The register is the number of the instruction, which takes the next `count`
  /// words; lane 8m + r has row r of its matrix m. Lanes behind the last matrix are replicas.
  Layout rows;
  int64_t count; // matrices per instruction: 4, 2 or 1
  bool transposed;
};

} // namespace tilewright

#endif
