//===- Rings.h - channels between roles, and who arrives at their barriers --------------------===//
//
// Channels whose slots always change hands together share the barriers of one ring. This changes
// nothing for those who wait: a role comes to both slots with nothing in between that another role
// could wait for, so both are free, or full, at the same time. The search for deadlocks
// (check-deadlocks) may therefore simulate the channels separately.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_RINGS_H
#define TILEWRIGHT_PASSES_ANALYSIS_RINGS_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

using Channels = llvm::SmallVector<cta::ChannelOp, 2>;

/// The rings of a kernel, as their first channels stand in it.
std::vector<Channels> ringsOf(mlir::func::FuncOp kernel);

/// Arrivals that fill a slot of each channel of a ring.
int64_t fillsOf(llvm::ArrayRef<cta::ChannelOp> ring);
/// Arrivals by which all roles, in one block, give such slots back.
int64_t reopensOf(llvm::ArrayRef<cta::ChannelOp> ring);

/// Who arrives for a role that gives slots back.
enum class Returner { Thread, Warp, Warpgroup };
Returner returnerOf(cta::RoleOp role, llvm::ArrayRef<cta::ChannelOp> ring);
/// Whether all warps of the warpgroup are known to have waited for the slot where one releases it:
/// a product has read it, which they all start, or a store gone through it, at which they meet.
bool haveAllWaited(cta::ReleaseOp release);

} // namespace tilewright::passes

#endif
