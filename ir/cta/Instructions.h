//===- Instructions.h - properties of the mma instructions ------------------------------------===//
#ifndef TILEWRIGHT_IR_CTA_INSTRUCTIONS_H
#define TILEWRIGHT_IR_CTA_INSTRUCTIONS_H

#include "ir/Layout.h"
#include "ir/ProductForms.h"
#include "mlir/IR/Attributes.h"

namespace tilewright::cta {

/// What issues an instruction.
enum class Issuer { EachThread, Warp, Warpgroup };
/// The number of warps that issue it together.
int64_t warpsOf(Issuer issuer);

/// Where operands and accumulators are. Threads load an operand from its slot if the instruction
/// reads it from neither place.
enum Place : unsigned { InRegisters = 1, InShared = 2 };

} // namespace tilewright::cta

#include "ir/cta/CtaInterfaces.h.inc"

namespace tilewright::cta {

/// The widest instruction of a row of ir/ProductForms.def.
InstructionAttrInterface instructionOf(mlir::MLIRContext *context, const ProductForm &form);

} // namespace tilewright::cta

#endif
