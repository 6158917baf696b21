//===- Instructions.h - properties of the mma instructions ------------------------------------===//
#ifndef TILEWRIGHT_IR_CTA_INSTRUCTIONS_H
#define TILEWRIGHT_IR_CTA_INSTRUCTIONS_H

#include "ir/Layout.h"
#include "ir/ProductForms.h"
#include "mlir/IR/Attributes.h"

namespace tilewright::cta {

/// Who issues an instruction.
enum class Issuer { EachThread, Warp, Warpgroup };
/// How many warps issue it together.
int64_t warpsOf(Issuer issuer);

/// Where operands and sums are. An operand that is in neither is loaded from a slot by threads.
enum Place : unsigned { InRegisters = 1, InShared = 2 };

} // namespace tilewright::cta

#include "ir/cta/CtaInterfaces.h.inc"

namespace tilewright::cta {

/// The instruction of a row of ir/ProductForms.def, as wide as there is.
InstructionAttrInterface instructionOf(mlir::MLIRContext *context, const ProductForm &form);

} // namespace tilewright::cta

#endif
