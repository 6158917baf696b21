//===- Cta.h - the cta dialect ----------------------------------------------------------------===//
//
// How one thread block runs a kernel. See docs/ir.md.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_IR_CTA_CTA_H
#define TILEWRIGHT_IR_CTA_CTA_H

#include "ir/Layout.h"
#include "ir/SharedLayout.h"
#include "ir/tile/Tile.h"

#include "ir/cta/CtaDialect.h.inc"
#include "ir/cta/CtaEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/cta/CtaAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/cta/CtaTypes.h.inc"
#define GET_OP_CLASSES
#include "ir/cta/CtaOps.h.inc"

namespace tilewright::cta {

/// Names of the attributes that a kernel function carries from `bind-config` on.
inline constexpr llvm::StringLiteral kWarpsAttr = "cta.warps";   // i32, warps of the block
inline constexpr llvm::StringLiteral kStagesAttr = "cta.stages"; // i32, slots of a channel; 0: open
inline constexpr llvm::StringLiteral kMinBlocksAttr = "cta.min_blocks"; // i32, blocks per SM
/// Unit: `hint-registers` failed, because a thread cannot hold the tiles.
inline constexpr llvm::StringLiteral kExceedsRegistersAttr = "cta.exceeds_registers";
inline constexpr llvm::StringLiteral kTargetAttr = "cta.target"; // string, "sm_90"

/// The layout of a tensor's type; the type must have one.
const Layout &layoutOf(mlir::Type type);
/// `type` with that layout instead of its own.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const Layout &layout);

} // namespace tilewright::cta

#endif
