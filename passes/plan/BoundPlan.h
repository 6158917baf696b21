//===- BoundPlan.h - a kernel's plan, once it is bound to its ops -----------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_BOUNDPLAN_H
#define TILEWRIGHT_PASSES_PLAN_BOUNDPLAN_H

#include "ir/cta/Cta.h"
#include "passes/plan/Plan.h"

namespace tilewright::passes {

/// On a kernel: its plan, as text. On loads, products, stores and what they become: their id.
inline constexpr llvm::StringLiteral kPlanAttr = "plan.text";
inline constexpr llvm::StringLiteral kIdAttr = "plan.id";

/// On `cta.tiles`: the axes of the grid in its order, where the plan names them.
inline constexpr llvm::StringLiteral kAxesAttr = "plan.axes";

/// On what a loop from the last iteration on computes the iteration by.
inline constexpr llvm::StringLiteral kReversedAttr = "plan.reversed";

/// On products whose operands are swapped.
inline constexpr llvm::StringLiteral kSwappedAttr = "plan.swapped";

/// On a kernel: into how many parts its tiles are cut, by the name of the axis.
inline constexpr llvm::StringLiteral kPartsAttr = "plan.parts";

/// On a kernel: how many programs a block takes as one, by the name of the axis.
inline constexpr llvm::StringLiteral kProgramsAttr = "plan.programs";

/// On what adds a product to what a loop carries, where the plan says when: the product's id.
inline constexpr llvm::StringLiteral kAddAttr = "plan.add";

/// On channels that go together: the id of the first.
inline constexpr llvm::StringLiteral kWithAttr = "plan.with";

/// The plan of a text or, where that is empty, of the kernel's attribute.
ErrorOr<Plan> readPlan(mlir::func::FuncOp kernel, llvm::StringRef text);

/// The plan that `bind-plan` left on a kernel.
Plan planOf(mlir::func::FuncOp kernel);

/// What the plan calls an op, if it speaks of it.
std::optional<llvm::StringRef> idOf(mlir::Operation *op);

/// On products: the ids of computed tiles that their operands read in shared memory.
inline constexpr llvm::StringLiteral kLeftAttr = "plan.left";
inline constexpr llvm::StringLiteral kRightAttr = "plan.right";

/// On a transposition: what comes of it is a tile of its own, a stream that is turned.
inline constexpr llvm::StringLiteral kTurnedAttr = "plan.turned";

/// The id of the tile that an op puts, or for which it acquires or commits a slot.
std::optional<llvm::StringRef> tilePutBy(mlir::Operation *op);

/// The ops that fill the slot which a wait takes, in its block; none if another role does.
llvm::SmallVector<mlir::Operation *> fillingOf(cta::WaitOp wait);

/// The entry of a loop, if the plan has one.
const Plan::Loop *entryOf(const Plan &plan, mlir::scf::ForOp loop);

/// A place in the source, with the name of the view that is read or written there: what the channel
/// for it is called.
mlir::Location placeNamed(mlir::Operation *access, mlir::Value view);

/// The first op of a tile's block that uses it, as it is or transposed; null if there is none.
mlir::Operation *firstUse(mlir::Value tile);

/// Erases an op that nobody reads, and what nobody else reads with it: what is done with a program
/// may not depend on what a rewrite has left behind.
void eraseUnused(mlir::Operation *op);

/// The instruction of a product; null if there is none of that name and shape.
cta::InstructionAttrInterface instructionOf(const Plan::Product &product,
                                            mlir::MLIRContext *context);

} // namespace tilewright::passes

#endif
