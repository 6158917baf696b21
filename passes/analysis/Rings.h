//===- Rings.h - channels between roles, and the arrivals at their barriers -------------------===//
//
// Channels whose slots always change hands together share the barriers of one ring. This does not
// change when a role waits: it comes to both slots with nothing in between that another role could
// wait for, so both are free, or full, at the same time. So check-deadlocks may simulate the
// channels separately.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_RINGS_H
#define TILEWRIGHT_PASSES_ANALYSIS_RINGS_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

using Channels = llvm::SmallVector<cta::ChannelOp, 2>;

/// The rings of a kernel, in the order of their first channels.
std::vector<Channels> ringsOf(mlir::func::FuncOp kernel);

/// The arrivals that fill a slot of each channel of a ring.
int64_t fillsOf(llvm::ArrayRef<cta::ChannelOp> ring);
/// The arrivals with which all roles of a block release such slots.
int64_t reopensOf(llvm::ArrayRef<cta::ChannelOp> ring);

/// Axes of tiles along which blocks of a cluster fill these slots for each other (`multicast`).
llvm::SmallVector<int64_t> sharedAxes(llvm::ArrayRef<cta::ChannelOp> ring);
/// How many blocks copy to such slots of one block, this block included. A role that releases a
/// slot arrives in all of them.
int64_t fillersOf(llvm::ArrayRef<cta::ChannelOp> ring);

/// Who arrives when a role releases a slot.
enum class Returner { Thread, Warp, Warpgroup };
Returner returnerOf(cta::RoleOp role, llvm::ArrayRef<cta::ChannelOp> ring);
/// Whether, at the release, all warps of the warpgroup are known to have waited for the slot: a
/// product that they start together has read it, or they met at a store through it.
bool haveAllWaited(cta::ReleaseOp release);

} // namespace tilewright::passes

#endif
