//===- BoundPlan.h - a kernel's plan, once it is bound to its ops -----------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_BOUNDPLAN_H
#define TILEWRIGHT_PASSES_PLAN_BOUNDPLAN_H

#include "ir/cta/Cta.h"
#include "passes/plan/Plan.h"

namespace tilewright::passes {

/// On a kernel: its plan, as text. On loads, products, stores and what they become: their id.
inline constexpr llvm::StringLiteral kPlanAttr = "plan.text";
inline constexpr llvm::StringLiteral kIdAttr = "plan.id";

/// The plan that `bind-plan` left on a kernel.
Plan planOf(mlir::func::FuncOp kernel);

/// A place in the source, with the name of the view that is read or written there: what the channel
/// for it is called.
mlir::Location placeNamed(mlir::Operation *access, mlir::Value view);

/// The instruction of a product; null if there is none of that name and shape.
cta::InstructionAttrInterface instructionOf(const Plan::Product &product,
                                            mlir::MLIRContext *context);

} // namespace tilewright::passes

#endif
