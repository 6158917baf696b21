//===- BoundPlan.h - a plan that is bound to the ops of a kernel ------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_BOUNDPLAN_H
#define TILEWRIGHT_PASSES_PLAN_BOUNDPLAN_H

#include "ir/cta/Cta.h"
#include "passes/plan/Plan.h"

namespace tilewright::passes {

/// On a kernel: the text of its plan. On loads, products, stores and the ops that they become:
/// their id.
inline constexpr llvm::StringLiteral kPlanAttr = "plan.text";
inline constexpr llvm::StringLiteral kIdAttr = "plan.id";

/// On `cta.tiles`: the axes of the grid in its order, if the plan states them.
inline constexpr llvm::StringLiteral kAxesAttr = "plan.axes";

/// On the ops that compute the iteration in a loop that runs from the last iteration on.
inline constexpr llvm::StringLiteral kReversedAttr = "plan.reversed";

/// On loops with a late peak that is fixed: the tolerance that the plan states.
inline constexpr llvm::StringLiteral kLatePeakAttr = "plan.late_peak";

/// On products whose operands are swapped.
inline constexpr llvm::StringLiteral kSwappedAttr = "plan.swapped";

/// On a kernel: the number of parts of its tiles, by the name of the axis.
inline constexpr llvm::StringLiteral kPartsAttr = "plan.parts";

/// On a kernel: the number of programs that a block takes as one, by the name of the axis.
inline constexpr llvm::StringLiteral kProgramsAttr = "plan.programs";

/// On a kernel: the depth of products' tiles, if it is not the kernel's.
inline constexpr llvm::StringLiteral kDepthAttr = "plan.depth";

/// On the ops that add a product to a carried value, if the plan orders them: the product's id.
inline constexpr llvm::StringLiteral kAddAttr = "plan.add";

/// On the critical sections in which tiles end that are worked on in turns: no step of an order.
inline constexpr llvm::StringLiteral kEndsInTurnAttr = "plan.ends_in_turn";

/// On channels whose slots change hands together: the id of the first.
inline constexpr llvm::StringLiteral kWithAttr = "plan.with";

/// The plan in a text or, if that is empty, in the kernel's attribute.
ErrorOr<Plan> readPlan(mlir::func::FuncOp kernel, llvm::StringRef text);

/// The plan that `bind-plan` left on a kernel.
Plan planOf(mlir::func::FuncOp kernel);

/// The plan's id for an op, if it has one.
std::optional<llvm::StringRef> idOf(mlir::Operation *op);

/// On products: the ids of computed tiles that they read from shared memory.
inline constexpr llvm::StringLiteral kLeftAttr = "plan.left";
inline constexpr llvm::StringLiteral kRightAttr = "plan.right";

/// On a transposition whose result is a computed tile: a transposed stream.
inline constexpr llvm::StringLiteral kTurnedAttr = "plan.turned";

/// The id of the tile that an op puts, or acquires or commits a slot for.
std::optional<llvm::StringRef> tilePutBy(mlir::Operation *op);

/// The ops in the block of `wait` that fill the slot which it takes; none if another role fills it.
llvm::SmallVector<mlir::Operation *> fillingOf(cta::WaitOp wait);

/// The entry of a loop, if the plan has one.
const Plan::Loop *entryOf(const Plan &plan, mlir::scf::ForOp loop);

/// A location with the name of the view that is read or written there. The channel gets this name.
mlir::Location placeNamed(mlir::Operation *access, mlir::Value view);

/// The first op in a tile's block that uses it, transposed or not; null if there is none.
mlir::Operation *firstUse(mlir::Value tile);

/// Erases an unused op, and the ops that become unused with it. Decisions about a program must not
/// depend on leftovers of a rewrite.
void eraseUnused(mlir::Operation *op);

/// The instruction of a product; null if no instruction has that name and shape.
cta::InstructionAttrInterface instructionOf(const Plan::Product &product,
                                            mlir::MLIRContext *context);

} // namespace tilewright::passes

#endif
