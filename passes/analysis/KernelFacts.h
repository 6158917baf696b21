//===- KernelFacts.h - what a plan can be about -----------------------------------------------===//
//
// Read once from a kernel of the `tile` level. Plans name things by their numbers here: two kernels
// with the same facts take the same plans, whatever their variables are called.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_KERNELFACTS_H
#define TILEWRIGHT_PASSES_ANALYSIS_KERNELFACTS_H

#include "ir/tile/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/analysis/CarriedState.h"

namespace tilewright::passes {

/// A load of a tile that runs ahead: where it reads, and how often, follows from program ids, loop
/// counters, arguments and memory, and not from products or from what the kernel writes; nor does
/// it read that.
struct Stream {
  std::string id; ///< "s1": those of products first, in the order of products and operands
  tile::LoadOp load;
  llvm::SmallVector<int64_t> alike = {}; ///< Axes of the grid along which it is at the same place.
  /// Other axes, along which its place follows from memory alone, as that of a sequence does from
  /// where it starts: neighbours mostly read the same.
  llvm::SmallVector<int64_t> near = {};
  std::string notByRole = {}; ///< Why no role can load it yet; empty: one can.
  std::string notByTma = {};  ///< Why TMA cannot bring it; empty: it can.
};

/// What another product gives comes to a product as an operand, by way of arithmetic.
struct Chain {
  enum Operand { Left, Right, Sum };
  std::string from; ///< "p1"
  Operand operand;
  bool isShared; ///< In shared memory: to the right, or transposed; else in registers.
  bool isLate;   ///< From an iteration before, only.
};

/// A product, in the order in which they stand.
struct ProductFact {
  std::string id; ///< "p1"
  tile::DotOp dot;
  llvm::SmallVector<Chain> chains = {};
};

/// What a loop carries.
struct Carried {
  State state;
  std::string product; ///< Whose result is added, or carried: "p1"; empty: none.
  bool isFromZero;
  bool isRead; ///< By other than its update, and what is summed up under it.
};

/// A tile that is computed and then multiplied, in the order of products and operands. As a right
/// operand, or transposed, a product reads it in shared memory. A stream whose rows do not run
/// along k counts as one, which is the stream transposed, if its elements are not of 16 bits:
/// products of warpgroups read no others so.
struct ComputedTile {
  struct Use {
    tile::DotOp dot;
    bool isRight = false, isTransposed = false;

    /// Whether the product cannot take it from registers.
    bool isShared() const { return isRight || isTransposed; }
  };

  std::string id;   ///< "t1"
  mlir::Value tile; ///< Or the stream's, if that is turned.
  llvm::SmallVector<Use> uses;
  bool isTurned = false;
};

/// A loop, in the order in which they begin.
struct LoopFact {
  std::string id; ///< "l1"
  mlir::scf::ForOp loop;
  llvm::SmallVector<Carried> carried = {}; ///< Sums first, by product: not as the source has them.
  llvm::SmallVector<int64_t> axes = {};    ///< Of the grid, from which follows how often it runs.
  bool isRead = false;                     ///< Whether that follows from memory.
};

/// A store of a tile, or a tile that is added to a view, in loops or behind them: in the order in
/// which they stand.
struct End {
  std::string id; ///< "e1"
  mlir::Operation *op;
  mlir::Value tile, view;
  std::string notByTma = {}; ///< Why TMA cannot store it; empty: it can.

  bool adds() const { return mlir::isa<tile::AtomicOp>(op); }
};

struct KernelFacts {
  llvm::SmallVector<Stream> streams;
  llvm::SmallVector<ProductFact> products;
  llvm::SmallVector<ComputedTile> tiles;
  llvm::SmallVector<LoopFact> loops;
  llvm::SmallVector<End> ends;

  static KernelFacts of(mlir::func::FuncOp kernel);

  /// What an operand of a product is, transposed or not; null if it is something else.
  const Stream *streamOf(mlir::Value operand) const;
  const ComputedTile *computedOf(mlir::Value operand) const;

  /// A line for each, as a person who writes a plan wants it; or what the hash is of: no names, no
  /// lines of the source.
  std::string str(bool withSource = true) const;
  /// Eight hexadecimal digits, which are the same for kernels with the same facts: names and lines
  /// of the source do not count.
  std::string hash() const;
};

/// Whether the kernel writes a view.
bool isWritten(mlir::Value view);

} // namespace tilewright::passes

#endif
