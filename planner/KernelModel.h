//===- KernelModel.h - what choosing a plan reads of a kernel ---------------------------------===//
//
// Plain data, read once from a kernel with its tiles (tools/driver/ReadModel.h): what of its facts
// (passes/analysis/KernelFacts.h) decides how fast a plan is, and which there are. Nothing behind
// it looks at the kernel again.
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

/// What stands outside of all loops, where the number of a loop is expected.
inline constexpr int kNoLoop = -1;

/// Elements that arithmetic goes through, by the unit that does it.
struct Work {
  double multiplies = 0;  ///< Sums, products, comparisons, selects: 128 per clock of an SM.
  double specials = 0;    ///< exp2, tanh, reciprocals: 16.
  double conversions = 0; ///< To other types: 64.

  Work &operator+=(const Work &other);
  Work operator*(double times) const;

  bool operator==(const Work &) const = default;
};

/// A load that a role can make (s1).
struct StreamModel {
  std::string id;
  std::vector<int64_t> shape; ///< Of its tile; empty: a single number.
  int64_t elementBytes = 0;
  int loop = kNoLoop;         ///< The innermost that it stands in.
  std::vector<int64_t> alike; ///< Axes of the grid along which it reads the same.
  std::vector<int64_t> near;  ///< Other axes, along which it mostly reads the same.
  bool isOperand = false;     ///< Of a product, as it is or transposed.
  /// Elements from a row of the view to the next, where its elements lie side by side.
  std::optional<runtime::Expr> pitch;
  std::string notByTma;  ///< Why TMA cannot bring it; empty: it can.
  std::string notByRole; ///< Why no role can load it; empty: one can.
  /// The computed tile that it leads to, which a role may make: "t1"; empty: none.
  std::string into = {};

  int64_t bytes() const;

  bool operator==(const StreamModel &) const = default;
};

/// A tile that is computed and then multiplied (t1), or a stream that is turned for that.
struct ComputedModel {
  std::string id;
  int64_t bytes = 0;
  bool isShared = false;      ///< A product reads it in shared memory.
  bool isFromProduct = false; ///< So no other role can make it.
  int loop = kNoLoop;
  bool isSharedSwapped = false; ///< The same of `isShared`, where products are swapped.
  bool isTurned = false;        ///< It is a stream, transposed.

  bool operator==(const ComputedModel &) const = default;
};

struct ProductModel {
  std::string id;
  int64_t m = 0, n = 0, k = 0;
  int64_t bits = 0;   ///< Of an operand's element.
  int loop = kNoLoop; ///< The innermost that it stands in.
  bool isFloat = true;
  bool isPending = false; ///< A sum from zero to which a loop adds nothing but this product.
  bool isShared = true;   ///< Its left operand lies in shared memory; else in registers.
  /// Products whose results lead to its left operand, by arithmetic, in the same iteration.
  std::vector<std::string> behind;
  /// What it gives leads to nothing but sums that the loop carries, by arithmetic.
  bool isAdded = false;
  bool isSharedSwapped = true; ///< If it is swapped, its left operand lies in shared memory.

  bool operator==(const ProductModel &) const = default;
};

struct LoopModel {
  std::string id;
  int around = kNoLoop;               ///< The loop that it stands in.
  std::optional<runtime::Expr> trips; ///< Over sizes and `tile[0]`; none: not known to the host.
  bool mayBeIdle = false;             ///< Memory says whether it runs so often, or not at all.
  bool isStartRead = false;           ///< Memory says where it starts, and nothing else of it.
  std::vector<int64_t> axes;          ///< Of the grid, on which `trips` depends.
  Work work;                          ///< Of an iteration, without loops in it.
  bool carriesSums = false;           ///< From zero, and nothing else: blocks can share it.
  bool anyOrder = false;              ///< What it carries comes out the same in any order.
  bool latePeak = false;              ///< A carried maximum may lag.
  bool lateSums = false;              ///< It carries sums of rows under a maximum.
  bool hasMasks = false;              ///< Some of its iterations are masked.
  bool masksLast = false;             ///< The last one alone.
  bool byRows = false;                ///< An iteration that a mask leaves empty changes nothing.
  bool isIdleBehind = false;          ///< One past its end changes nothing.

  bool operator==(const LoopModel &) const = default;
};

/// A tile that is stored (e1).
struct EndModel {
  std::string id;
  int64_t rows = 0, columns = 0, elementBytes = 0;
  int loop = kNoLoop;
  std::string notByTma;                    ///< Why TMA cannot store it; empty: it can.
  std::optional<runtime::Expr> pitch = {}; ///< As that of a stream.

  bool operator==(const EndModel &) const = default;
};

/// A kernel with its tiles, under the conditions of a plan.
struct KernelModel {
  std::string kernel;
  std::vector<passes::Plan::Tile> tiles;            ///< Of the parameters that were open.
  std::vector<std::string> positive;                ///< Scalars that are taken as positive.
  std::vector<passes::Plan::Parts> programs, parts; ///< Which its tiles are made of, or cut into.
  std::vector<runtime::Expr> grid;
  std::vector<int64_t> apart; ///< Its axes along which blocks of a cluster cannot be neighbours.
  std::vector<StreamModel> streams;
  std::vector<ComputedModel> computed;
  std::vector<ProductModel> products;
  std::vector<LoopModel> loops;
  std::vector<EndModel> ends;
  Work work; ///< Of a program, outside of its loops.

  const ProductModel *product(llvm::StringRef id) const;

  bool operator==(const KernelModel &) const = default;
};

} // namespace tilewright::planner

#endif
