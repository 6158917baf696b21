//===- ExpanderState.h - what the expander knows of views, channels and products
//----------------===//
#ifndef TILEWRIGHT_PASSES_LOWER_EXPANDERSTATE_H
#define TILEWRIGHT_PASSES_LOWER_EXPANDERSTATE_H

#include "ir/cta/Cta.h"
#include "ir/cuda/Cuda.h"
#include "passes/Passes.h"

namespace tilewright::passes {

using mlir::Location;
using mlir::Operation;
using mlir::Type;
using mlir::Value;

/// A view's address arithmetic: values of the kernel's parameters, or constants.
struct ViewParams {
  tile::ViewType type;
  Value ptr;
  llvm::SmallVector<Value> dims;    // i32
  llvm::SmallVector<Value> strides; // i32, or i64 when the view is wide; in elements
};

/// A channel's place in shared memory and its ring counters.
struct ChannelState {
  Value base; // address of slot 0
  int64_t slotBytes = 0;
  Value filling, reading; // !cuda.regs<1 x i32>: the slots next acquired and waited for
  /// The ring runs a fixed distance ahead: depth - 1 slots are filled before the loops, and each
  /// wait is followed by the acquire of the slot behind it. Then nothing counts the slots filled.
  bool runsAhead = false;
  int64_t acquired = 0; // before the loops, so far
  SharedLayout layout;
  /// Of a channel of kind `tma` or `store`: panel after panel, each laid out as `layout` says.
  std::optional<PanelLayout> panels;
};

/// Channels between roles that are handed over together, with the barriers of their slots.
struct Ring {
  cta::RingAttr plan;
  llvm::SmallVector<cta::ChannelOp> channels; // the first stands for all
  int64_t depth = 0;
  bool multicast = false; // its slots are filled, and so emptied, by the whole cluster
  Value full, empty;      // addresses of the barriers of slot 0
};

/// How far a role has come in a ring that it fills, or takes slots from.
struct RingPlace {
  Value index, phase;  // counters, !cuda.regs<1 x i32>; the index only of rings of several slots
  Value current, full; // the slot that the role came to last, and its barrier
  struct Closing {
    size_t channels = 0; // of the ring, whose slot has been closed
    bool stored = false; // TMA may still read one of them
  };
  llvm::DenseMap<Value, Closing> closing; // per slot number
};

/// Where a tile crosses shared memory from one layout to another, in padded rows.
struct Crossing {
  llvm::SmallVector<int64_t> shape;
  int64_t elementBytes, pitch; // pitch: bytes from row to row
  Value base;
};

/// A slot that has been acquired or waited for.
struct SlotState {
  cta::ChannelOp channel;
  Value address, index; // index: of the slot in its ring, where that is counted
  Value full;           // the barrier that TMA counts its bytes on
  /// Where it holds another tile than its channel's: how that lies.
  std::optional<PanelLayout> panels;
  bool stored = false; // a store went through it
  /// Registers that hold a copy until it is committed (channels filled through registers).
  Value staged;
};

} // namespace tilewright::passes

#endif
