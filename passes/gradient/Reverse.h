//===- Reverse.h - a kernel's body, backwards -------------------------------------------------===//
//
// Reverse goes through the ops of a forward kernel from the last to the first and writes, for each,
// what the gradient kernel does about it. The adjoint of a value is the derivative of the outputs,
// weighted by their gradients, by that value. It is complete when the value's op is reached, since
// all that uses the value comes behind it. Adjoints are f32, whatever the value is: rounding them
// to a narrow float at each step would lose what rounding has not in the forward.
//
// What an op's rule needs of the forward is there as it was computed again: `primal` and `wide`.
// Within a loop's body only what does not depend on carried values is there, and what each
// iteration has stored to an output that the gradient takes.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_GRADIENT_REVERSE_H
#define TILEWRIGHT_PASSES_GRADIENT_REVERSE_H

#include "passes/analysis/Accesses.h"
#include "passes/gradient/Activity.h"

#include "mlir/IR/IRMapping.h"

namespace tilewright::passes {

/// How the gradient of a tensor takes up what one access finds.
enum class Update { Store, Add, Atomic };

class Reverse {
public:
  /// `gradients` has for the forward's tensors the views that their gradients are, `stored` for its
  /// outputs the views in which it has left them.
  Reverse(mlir::OpBuilder builder, const Activity &activity,
          llvm::DenseMap<mlir::Value, mlir::Value> gradients,
          llvm::DenseMap<mlir::Value, mlir::Value> stored, const mlir::IRMapping &arguments)
      : builder(builder), activity(activity), gradients(std::move(gradients)),
        stored(std::move(stored)) {
    scope.primals = arguments;
  }

  /// Computes the forward's values of a block again, as far as they are known here.
  void recompute(mlir::Block &block);
  /// Writes the adjoints of a block's ops.
  void run(mlir::Block &block);
  bool hasFailed() const { return failed; }

  //===- For rules ---===//

  bool isActive(mlir::Value value) const { return activity.contains(value); }
  /// The view in which the forward has left an output; null if the gradient does not take it.
  mlir::Value storedView(mlir::Value tensor) const { return stored.lookup(tensor); }
  /// A value of the forward; an error at the op where it is not known.
  mlir::Value primal(mlir::Value value);
  /// The same as f32, if it is a float.
  mlir::Value wide(mlir::Value value);
  /// Adds to the adjoint of a value, if it has one.
  void give(mlir::Value value, mlir::Value adjoint);
  void give(mlir::Value value, llvm::function_ref<mlir::Value()> adjoint);
  /// The adjoint so far; null where it is 0. For a rule that adds to it by itself.
  mlir::Value adjoint(mlir::Value value) const { return scope.adjoints.lookup(value); }
  void replaceAdjoint(mlir::Value value, mlir::Value adjoint) { scope.adjoints[value] = adjoint; }
  /// The op whose adjoint is being written is not one that has one.
  void refuse(mlir::Operation *op, const llvm::Twine &why);

  /// A number, or a tile of equal numbers, like a value of the forward but f32.
  mlir::Value number(double value, mlir::Type like);
  mlir::Value zero(mlir::Type like) { return number(0, like); }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return builder.create<mlir::arith::AddFOp>(place, a, b);
  }
  mlir::Value sub(mlir::Value a, mlir::Value b) {
    return builder.create<mlir::arith::SubFOp>(place, a, b);
  }
  /// Factors that are numbers become one: of exp2(x * 1.44269502), 0.693147182 and 1.44269502, none
  /// is left.
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, double b) { return mul(a, number(b, a.getType())); }
  mlir::Value div(mlir::Value a, mlir::Value b) {
    return builder.create<mlir::arith::DivFOp>(place, a, b);
  }
  mlir::Value neg(mlir::Value a) { return builder.create<mlir::arith::NegFOp>(place, a); }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return builder.create<mlir::arith::SelectOp>(place, condition, a, b);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value a, mlir::Value b) {
    return builder.create<mlir::arith::CmpFOp>(place, predicate, a, b);
  }
  /// A value with elements of another type.
  mlir::Value convert(mlir::Value value, mlir::Type element);
  /// `value` where the adjoint is not 0, and 0 elsewhere: a derivative may be infinite, or none at
  /// all, where nothing comes of it. Elements outside of a tensor are such, and those that a
  /// `where` does not take.
  mlir::Value whereGiven(mlir::Value adjoint, mlir::Value value);
  /// The sum along an axis; of a tile of rank 1 a scalar.
  mlir::Value sumAlong(mlir::Value tile, int64_t axis);
  /// A tile without an axis, repeated along it.
  mlir::Value along(mlir::Value reduced, int64_t axis, mlir::RankedTensorType type);

  mlir::OpBuilder builder;
  mlir::Location place = builder.getUnknownLoc(); // of the op whose adjoint is written
  /// Of an op `maximum` or `minimum` that a loop carries: what it raises or lowers, and the
  /// extremum of all iterations.
  struct Extremum {
    mlir::Value carried, last;
  };
  llvm::DenseMap<mlir::Operation *, Extremum> extrema;

private:
  struct Scope {
    mlir::IRMapping primals;
    llvm::DenseMap<mlir::Value, mlir::Value> adjoints;
  };
  friend class ReverseLoop;

  void visit(mlir::Operation *op);
  void visit(tile::LoadOp load);
  void visit(tile::StoreOp store);
  void visit(tile::AtomicOp atomic);
  void visit(mlir::scf::ForOp loop);
  void visit(mlir::scf::IfOp branch);
  bool isKnown(mlir::Operation *op) const;
  void recomputeSize(tile::DimOp op);

  Update updateFor(tile::LoadOp load) const;
  mlir::Value gradientOf(mlir::Value view);
  mlir::Value loadGradient(Access access);
  bool isStoredOnce(tile::StoreOp store);
  void runBranch(mlir::Region &region, llvm::ArrayRef<mlir::Value> given,
                 llvm::ArrayRef<mlir::Value> through);

  const Activity &activity;
  llvm::DenseMap<mlir::Value, mlir::Value> gradients, stored;
  Scope scope;
  bool failed = false;
};

/// The active values from outside that are used within an op, in the order of their use.
llvm::SmallVector<mlir::Value> activeFromOutside(mlir::Operation *op, const Reverse &reverse);

/// The type of a scalar, or of a tile, with elements of another type.
mlir::Type withElement(mlir::Type type, mlir::Type element);
/// A value's type with elements of f32.
mlir::Type wideType(mlir::Type type);
/// What a value is called in the kernel's text; empty if it has no name.
llvm::StringRef nameOf(mlir::Value value);
/// The place of an op without the name of its result.
mlir::Location placeOf(mlir::Operation *op);

} // namespace tilewright::passes

#endif
