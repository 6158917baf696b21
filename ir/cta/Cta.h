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
/// Unit: `hint-registers` failed, because the tiles do not fit into a thread's registers.
inline constexpr llvm::StringLiteral kExceedsRegistersAttr = "cta.exceeds_registers";
inline constexpr llvm::StringLiteral kTargetAttr = "cta.target"; // string, "sm_90"
/// Attributes that `plan-channels` adds: i32, the bytes of shared memory; the plan of the queue's
/// ring, which hands out tile numbers; on an op that needs scratch memory, i32, its offset, and if
/// no other op uses that memory, i32, how often it is there, to be used in turns.
inline constexpr llvm::StringLiteral kSharedBytesAttr = "cta.shared_bytes";
inline constexpr llvm::StringLiteral kQueueAttr = "cta.queue";
inline constexpr llvm::StringLiteral kScratchAttr = "cta.scratch";
inline constexpr llvm::StringLiteral kScratchTurnsAttr = "cta.scratch_turns";
/// i64 array: blocks of a cluster along the first axis of tiles, and the second.
inline constexpr llvm::StringLiteral kClusterAttr = "cta.cluster";

/// Attributes that `stamp-events` adds: what the kernel's timeline consists of (docs/timeline.md);
/// on a role, i32, the number of its first lane; on a wait for an mbarrier, i64, the place of its
/// stamp.
inline constexpr llvm::StringLiteral kTimelineAttr = "cta.timeline";
inline constexpr llvm::StringLiteral kLaneAttr = "cta.lane";
inline constexpr llvm::StringLiteral kStampAttr = "cta.stamp";

/// The layout of a tensor's type; the type must have one.
const Layout &layoutOf(mlir::Type type);
/// `type` with that layout instead of its own.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const Layout &layout);

/// The tile type of a tensor, a pending accumulator, a slot or a channel.
mlir::RankedTensorType tileOf(mlir::Type type);
/// The channel of a slot that was opened here or in an earlier tile; else null.
ChannelOp channelOf(mlir::Value slot);
/// Whether mbarriers guard a channel's slots: producer and consumer are different roles, or TMA is
/// the producer. Other slots are filled and read by one role in lockstep, or belong to its stores.
bool usesMbarriers(ChannelOp channel);
/// The layout of a tile in a slot that TMA or wgmma accesses.
PanelLayout panelsOf(mlir::RankedTensorType tile);
/// The slice of its tile that a store moves at a time: all rows of some columns, or some rows. Null
/// if no slice fits into the slot.
mlir::RankedTensorType storedSlice(StoreOp op);
int64_t slicesOf(StoreOp op);
/// 0 if slices are groups of rows; 1 if they are groups of columns or the whole tile.
int64_t slicedAxis(StoreOp op);

/// The name of a value in the source of the program.
std::string nameOf(mlir::Value value, llvm::StringRef otherwise);

/// Checks the rules of TMA for a copy (C6 of `cta.copy`).
mlir::LogicalResult verifyTmaCopy(CopyOp op);

//===- Roles ------------------------------------------------------------------------------------//

/// The role that an op belongs to; null in a kernel without roles, and outside of them.
RoleOp roleOf(mlir::Operation *op);
/// The number of warps that run an op: those of its role, or of the block.
int64_t warpsAt(mlir::Operation *op);
/// The warps of a block; with roles, whole warpgroups of four.
int64_t warpsOf(mlir::func::FuncOp kernel);
/// The first warp of a role.
int64_t firstWarp(RoleOp role);
/// Whether one elected thread runs the role: it has no register tiles, and copies only by TMA.
bool isElected(RoleOp role);

/// True for a scalar that may differ between the warpgroups of a role.
bool differsAmongWarpgroups(mlir::Value scalar);
/// The roles that take turns at an order, in the order of the program.
llvm::SmallVector<RoleOp> takersOf(OrderOp order);

/// The blocks of a cluster, which work on neighbouring tiles. The first axis varies fastest: block
/// `rank` has place `rank % along[0]` along the first axis and `rank / along[0]` along the second.
struct Cluster {
  static constexpr size_t kAxes = 2;
  std::array<int64_t, kAxes> along = {1, 1}; ///< The first axis of tiles, and the second.

  int64_t blocks() const { return along[0] * along[1]; }
  /// Ranks lie as far apart as this, of neighbours along an axis.
  int64_t stride(int64_t axis) const { return axis == 0 ? 1 : along[0]; }
};
/// That of a kernel; one block without clusters.
Cluster clusterOf(mlir::func::FuncOp kernel);
/// Whether a value follows from where a tile stands along an axis.
bool dependsOnTile(mlir::Value value, int64_t axis);

inline constexpr int64_t kWarpsPerWarpgroup = 4;

} // namespace tilewright::cta

#endif
