//===- KernelFacts.h - the ids that plans refer to --------------------------------------------===//
//
// Read once from a kernel of the `tile` level. Plans refer to parts of a kernel by these numbers.
// So two kernels with the same facts take the same plans, whatever their variables are called.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_KERNELFACTS_H
#define TILEWRIGHT_PASSES_ANALYSIS_KERNELFACTS_H

#include "ir/tile/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/analysis/CarriedState.h"

namespace tilewright::passes {

/// A load of a tile that a producer can run ahead. Its address and its count depend only on program
/// ids, loop counters, arguments and memory, not on products or on anything that the kernel writes.
/// The kernel does not write the view either.
struct Stream {
  std::string id; ///< "s1"; operands of products first, in the order of products and operands
  tile::LoadOp load;
  llvm::SmallVector<int64_t> alike = {}; ///< Axes of the grid along which it loads the same data.
  /// Other axes along which neighbours mostly load the same data: the address depends on the axis
  /// only through memory, as that of a sequence does.
  llvm::SmallVector<int64_t> near = {};
  /// Axes along which it loads other data in the same iteration, not only in other ones.
  llvm::SmallVector<int64_t> apart = {};
  /// For each axis of its view, the axes of the grid that the index depends on. Empty for a part of
  /// a tensor.
  std::vector<std::vector<int64_t>> along = {};
  std::string notByRole = {}; ///< Why no role can load it yet; empty if one can.
  std::string notByTma = {};  ///< Why TMA cannot load it; empty if it can.
};

/// An operand of a product that is computed from the result of another product.
struct Chain {
  enum Operand { Left, Right, Sum };
  std::string from; ///< "p1"
  Operand operand;
  bool isShared; ///< Through shared memory (right or transposed operand), else through registers.
  bool isLate;   ///< Only from an earlier iteration.
};

/// A product, in the order of the text.
struct ProductFact {
  std::string id; ///< "p1"
  tile::DotOp dot;
  llvm::SmallVector<Chain> chains = {};
};

/// A value that a loop carries.
struct Carried {
  State state;
  std::string product; ///< The product that is added or carried: "p1"; or empty.
  bool isFromZero;
  bool isRead; ///< Something other than its update, or a sum under it, reads it.
};

/// An operand of a product that is not a stream, in the order of products and operands. A right or
/// transposed operand is read from shared memory. A stream whose rows do not run along k also
/// counts as one, transposed, if its elements do not have 16 bits: wgmma cannot read it as it is.
struct ComputedTile {
  struct Use {
    tile::DotOp dot;
    bool isRight = false, isTransposed = false;

    /// Whether the product cannot read it from registers.
    bool isShared() const { return isRight || isTransposed; }
  };

  std::string id;   ///< "t1"
  mlir::Value tile; ///< For a transposed stream, the stream's tile.
  llvm::SmallVector<Use> uses;
  bool isTurned = false;
};

/// A loop, in the order in which loops begin.
struct LoopFact {
  std::string id; ///< "l1"
  mlir::scf::ForOp loop;
  llvm::SmallVector<Carried> carried =
      {};                               ///< Sums first, by product, not in the order of the source.
  llvm::SmallVector<int64_t> axes = {}; ///< Axes of the grid on which the trip count depends.
  bool isRead = false;                  ///< Whether the trip count depends on memory.
};

/// A store of a tile, or an atomic update of a view by a tile, in the order of the text.
struct End {
  std::string id; ///< "e1"
  mlir::Operation *op;
  mlir::Value tile, view;
  std::string notByTma = {}; ///< Why TMA cannot store it; empty if it can.

  bool adds() const { return mlir::isa<tile::AtomicOp>(op); }
};

struct KernelFacts {
  std::vector<Stream> streams;
  llvm::SmallVector<ProductFact> products;
  llvm::SmallVector<ComputedTile> tiles;
  llvm::SmallVector<LoopFact> loops;
  llvm::SmallVector<End> ends;

  static KernelFacts of(mlir::func::FuncOp kernel);

  /// The stream or computed tile that an operand is, transposed or not; null if it is something
  /// else.
  const Stream *streamOf(mlir::Value operand) const;
  const ComputedTile *computedOf(mlir::Value operand) const;

  /// A line for each id, as people read it. Without the source it has no names and lines; this is
  /// the text that is hashed.
  std::string str(bool withSource = true) const;
  /// Eight hexadecimal digits, the same for kernels with the same facts. Names and lines of the
  /// source do not count.
  std::string hash() const;
};

/// Whether the kernel writes a view.
bool isWritten(mlir::Value view);

} // namespace tilewright::passes

#endif
