//===- Cta.h - the cta dialect ----------------------------------------------------------------===//
//
// How one thread block runs a kernel. See docs/ir.md.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_IR_CTA_CTA_H
#define TILEWRIGHT_IR_CTA_CTA_H

#include "ir/Layout.h"
#include "ir/PanelLayout.h"
#include "ir/SharedLayout.h"
#include "ir/cta/Instructions.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

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
/// What `plan-channels` adds: i32, bytes of shared memory in all; the plan of the queue's ring,
/// which hands out tile numbers; on an op that needs scratch memory, i32, its offset.
inline constexpr llvm::StringLiteral kSharedBytesAttr = "cta.shared_bytes";
inline constexpr llvm::StringLiteral kQueueAttr = "cta.queue";
inline constexpr llvm::StringLiteral kScratchAttr = "cta.scratch";
inline constexpr llvm::StringLiteral kClusterAttr = "cta.cluster"; // i32, blocks of a cluster

/// The layout of a tensor's type; the type must have one.
const Layout &layoutOf(mlir::Type type);
/// `type` with that layout instead of its own.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const Layout &layout);

/// The tile behind a type: a tensor is one, a pending sum becomes one, a slot or channel holds
/// some.
mlir::RankedTensorType tileOf(mlir::Type type);
/// The channel that a slot belongs to. The slot was opened here or in an earlier tile; else null.
ChannelOp channelOf(mlir::Value slot);
/// Whether mbarriers guard a channel's slots: producer and consumer are different roles, or TMA is
/// the producer. Other slots are filled and read by one role in lockstep, or belong to its stores.
bool usesMbarriers(ChannelOp channel);
/// How a tile lies in a slot that TMA or wgmma accesses.
PanelLayout panelsOf(mlir::RankedTensorType tile);
/// The slice of its tile that a store moves at a time: all rows of some columns, or some rows. Null
/// if the slot has no room for one.
mlir::RankedTensorType storedSlice(StoreOp op);
int64_t slicesOf(StoreOp op);
/// 0 if these slices are groups of rows, 1 if they are groups of columns or the whole tile.
int64_t slicedAxis(StoreOp op);

/// The name that a value has in the program's source.
std::string nameOf(mlir::Value value, llvm::StringRef otherwise);

/// Whether a copy keeps the rules of TMA (C6 of `cta.copy`).
mlir::LogicalResult verifyTmaCopy(CopyOp op);

//===- Roles ------------------------------------------------------------------------------------//

/// The role that an op belongs to; null in a kernel without roles, and outside of them.
RoleOp roleOf(mlir::Operation *op);
/// How many warps run an op: those of its role, or of the block.
int64_t warpsAt(mlir::Operation *op);
/// The warps of a block; with roles, whole warpgroups of four.
int64_t warpsOf(mlir::func::FuncOp kernel);
/// Where a role's warps start.
int64_t firstWarp(RoleOp role);
/// Whether one elected thread runs the role: it has no register tiles, and copies only by TMA.
bool isElected(RoleOp role);

/// True for a scalar whose value may differ between the warpgroups of a role.
bool differsAmongWarpgroups(mlir::Value scalar);
/// The roles that enter an order's critical section in turn, as they stand in the program.
llvm::SmallVector<RoleOp> takersOf(OrderOp order);
/// Blocks of a cluster; 1 without clusters.
int64_t clusterOf(mlir::func::FuncOp kernel);

inline constexpr int64_t kWarpsPerWarpgroup = 4;

} // namespace tilewright::cta

#endif
