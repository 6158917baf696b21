//===- KernelModel.h - what the planner knows of a kernel -------------------------------------===//
//
// Plain data, read once from a kernel with given tiles (tools/driver/ReadModel.h): the facts
// (passes/analysis/KernelFacts.h) that decide which plans there are and how fast they run. The
// planner does not look at the kernel again.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PLANNER_KERNELMODEL_H
#define TILEWRIGHT_PLANNER_KERNELMODEL_H

#include "passes/plan/Plan.h"
#include "runtime/Expr.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::planner {

/// In place of the number of a loop: outside of all loops.
inline constexpr int kNoLoop = -1;

/// Elements of arithmetic, by the unit that computes them.
struct Work {
  double multiplies = 0;  ///< Additions, products, comparisons, selects: 128 per clock and SM.
  double specials = 0;    ///< exp2, tanh, reciprocals: 16 per clock and SM.
  double conversions = 0; ///< Conversions between types: 64 per clock and SM.

  Work &operator+=(const Work &other);
  Work operator*(double times) const;

  bool operator==(const Work &) const = default;
};

/// A load that a producer can make (s1).
struct StreamModel {
  std::string id;
  std::vector<int64_t> shape; ///< Shape of its tile; empty for a single number.
  int64_t elementBytes = 0;
  int loop = kNoLoop;         ///< The innermost loop around it.
  std::vector<int64_t> alike; ///< Axes of the grid along which it reads the same data.
  std::vector<int64_t> near;  ///< Other axes along which it mostly reads the same data.
  std::vector<int64_t> apart; ///< Axes along which it reads other data in the same iteration.
  std::string tensor;         ///< The argument that it reads; empty if it is a part of one.
  std::vector<std::vector<int64_t>> along; ///< The axes that each index into the tensor depends on.
  bool isOperand = false;                  ///< It is an operand of a product, transposed or not.
  /// Elements from a row of the view to the next, along the axis whose elements are contiguous.
  std::optional<runtime::Expr> pitch;
  /// Rows of the view from the tile's first on, over sizes and `tile[0]`, and the axis of the grid
  /// on which it depends; none if it depends on anything else. A tile may have more: TMA fills
  /// them.
  std::optional<runtime::Expr> rowsLeft = {};
  int64_t rowAxis = 0;
  std::string notByTma;  ///< Why TMA cannot load it; empty if it can.
  std::string notByRole; ///< Why no role can load it; empty if one can.
  /// The computed tile that it is converted to and that a role may compute: "t1"; or empty.
  std::string into = {};

  int64_t bytes() const;
  /// Whether it is a tile beside all loops that no product multiplies: a residual, not queries.
  bool isBeside() const { return loop == kNoLoop && shape.size() > 1 && !isOperand; }

  bool operator==(const StreamModel &) const = default;
};

/// A tile that is computed and then multiplied (t1), or a stream that is transposed for a product.
struct ComputedModel {
  std::string id;
  int64_t bytes = 0;
  bool isShared = false;      ///< A product reads it from shared memory.
  bool isFromProduct = false; ///< It depends on a product, so no other role can compute it.
  int loop = kNoLoop;
  bool isSharedSwapped = false; ///< `isShared`, if products are swapped.
  bool isTurned = false;        ///< It is a transposed stream.

  bool operator==(const ComputedModel &) const = default;
};

struct ProductModel {
  std::string id;
  int64_t m = 0, n = 0, k = 0;
  int64_t bits = 0;          ///< Bits of an element of the operands.
  int loop = kNoLoop;        ///< The innermost loop around it.
  bool onTensorCores = true; ///< False for f32 that is not to be rounded to tf32.
  bool isPending = false;    ///< A loop adds nothing but this product to a sum from zero.
  bool isShared = true;      ///< Its left operand lies in shared memory, else in registers.
  /// Products from whose results its left operand is computed in the same iteration.
  std::vector<std::string> behind;
  /// Its result leads only to sums that the loop carries.
  bool isAdded = false;
  bool isSharedSwapped = true; ///< `isShared`, if it is swapped.

  bool operator==(const ProductModel &) const = default;
};

struct LoopModel {
  std::string id;
  int around = kNoLoop; ///< The loop around it.
  std::optional<runtime::Expr>
      trips; ///< Trip count, over sizes and `tile[0]`; none if the host cannot know it.
  bool mayBeIdle = false;    ///< Data in memory decide whether the loop runs at all.
  bool isStartRead = false;  ///< Its start is read from memory, its end is not.
  std::vector<int64_t> axes; ///< Axes of the grid on which `trips` depends.
  Work work;                 ///< Work of an iteration, without inner loops.
  bool carriesSums = false;  ///< It carries nothing but sums from zero: stream-K can divide it.
  bool anyOrder = false;     ///< Its results do not depend on the order of iterations.
  std::optional<double> latePeak; ///< Powers of two by which a carried maximum may lag.
  bool hasNoPeak = false;         ///< Its exponents need no maximum.
  bool lateSums = false;          ///< It carries sums of rows under a maximum.
  bool hasMasks = false;          ///< Some iterations are masked.
  bool masksLast = false;         ///< Only the last iteration is masked.
  bool byRows = false; ///< An iteration whose mask is empty for a row does not change that row.
  bool beginsByRows = false; ///< Masks hide the first iterations from some rows longer than others.
  bool endsByRows = false;   ///< Masks hide the last iterations from some rows earlier than others.
  /// Negative as long as the first row of a tile is stored, over sizes and `tile[0]`: rows may lie
  /// behind the end of a tensor. With the number of another row added, it says so of that row.
  std::optional<runtime::Expr> firstRow = {};
  int64_t rows = 0;          ///< Rows of the tiles that are stored so,
  int64_t rowAxis = 0;       ///< and the axis of the grid that decides where.
  bool isIdleBehind = false; ///< An iteration past its end changes nothing.

  bool operator==(const LoopModel &) const = default;
};

/// A store of a tile (e1).
struct EndModel {
  std::string id;
  int64_t rows = 0, columns = 0, elementBytes = 0;
  int loop = kNoLoop;
  std::string notByTma;                    ///< Why TMA cannot store it; empty: it can.
  std::optional<runtime::Expr> pitch = {}; ///< As in StreamModel.

  bool operator==(const EndModel &) const = default;
};

/// A kernel with given tiles, under the conditions of a plan.
struct KernelModel {
  std::string kernel;
  std::vector<passes::Plan::Tile>
      tiles;                         ///< Values of the `tune` parameters that the user left open.
  std::vector<std::string> positive; ///< Scalars that are assumed to be positive.
  std::vector<passes::Plan::Parts> programs,
      parts;         ///< Programs that are joined; parts that tiles are cut into.
  int64_t depth = 0; ///< Of products' tiles, if the plan sets it.
  std::vector<runtime::Expr> grid;
  std::vector<int64_t>
      apart; ///< Axes of the grid along which the blocks of a cluster cannot be neighbours.
  std::vector<StreamModel> streams;
  std::vector<ComputedModel> computed;
  std::vector<ProductModel> products;
  std::vector<LoopModel> loops;
  std::vector<EndModel> ends;
  Work work; ///< Work of a program, outside of its loops.

  const ProductModel *product(llvm::StringRef id) const;

  bool operator==(const KernelModel &) const = default;
};

} // namespace tilewright::planner

#endif
