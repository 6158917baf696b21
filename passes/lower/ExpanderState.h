//===- ExpanderState.h - what the expander knows of views and channels ------------------------===//
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

/// The address arithmetic of a view, in kernel parameters or constants; for a part also where it
/// starts and ends.
struct ViewParams {
  tile::ViewType type;
  Value ptr;
  Value start;                      // of a part: the element at which it starts; null: the first
  llvm::SmallVector<Value> dims;    // i32
  llvm::SmallVector<Value> strides; // i32, or i64 when the view is wide; in elements
};

/// A channel's place in shared memory.
struct ChannelState {
  Value base; // address of slot 0
  int64_t slotBytes = 0;
  SharedLayout layout;
  /// For channels of kind `tma` or `store`: one panel after the other, each laid out as `layout`
  /// says.
  std::optional<PanelLayout> panels;
};

/// The shared memory of a reduction across a cluster, and, in a loop, how often it has run.
struct ExchangeState {
  Value start, count;
};

/// The barriers of a ring.
struct RingBarriers {
  int64_t depth = 0;
  Value full, empty; // addresses of those of slot 0
};

/// A tile that is converted between layouts through shared memory, in padded rows.
struct Crossing {
  llvm::SmallVector<int64_t> shape;
  int64_t elementBytes, pitch; // pitch: bytes from row to row
  Value base;
};

/// How the elements of a slot lie.
struct SlotShape {
  SharedLayout layout; // of a panel, if there are any
  std::optional<PanelLayout> panels;
  int64_t elementBytes;
};

/// A slot that holds a tile or will hold one.
struct SlotState {
  cta::ChannelOp channel;
  Value address;
  Value offset; // from the channel's first slot
  Value full;   // the barrier that counts TMA's bytes
  /// The panels of a tile that is not its channel's.
  std::optional<PanelLayout> panels;
  /// Registers that hold a copy until its commit (channels filled through registers).
  Value staged;
  Layout stagedLayout;
};

} // namespace tilewright::passes

#endif
