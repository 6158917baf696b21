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

/// A view's address arithmetic: values of the kernel's parameters, or constants; for a part of a
/// view also what it starts and ends at.
struct ViewParams {
  tile::ViewType type;
  Value ptr;
  Value start;                      // of a part: the element that it starts at; null: the first
  llvm::SmallVector<Value> dims;    // i32
  llvm::SmallVector<Value> strides; // i32, or i64 when the view is wide; in elements
};

/// A channel's place in shared memory.
struct ChannelState {
  Value base; // address of slot 0
  int64_t slotBytes = 0;
  SharedLayout layout;
  /// Of a channel of kind `tma` or `store`: panel after panel, each laid out as `layout` says.
  std::optional<PanelLayout> panels;
};

/// The barriers of a ring.
struct RingBarriers {
  int64_t depth = 0;
  Value full, empty; // addresses of those of slot 0
};

/// Where a tile crosses shared memory from one layout to another, in padded rows.
struct Crossing {
  llvm::SmallVector<int64_t> shape;
  int64_t elementBytes, pitch; // pitch: bytes from row to row
  Value base;
};

/// A slot that holds, or is to hold, a tile.
struct SlotState {
  cta::ChannelOp channel;
  Value address;
  Value full; // the barrier that TMA counts its bytes on
  /// Where it holds another tile than its channel's: how that lies.
  std::optional<PanelLayout> panels;
  /// Registers that hold a copy until it is committed (channels filled through registers).
  Value staged;
  Layout stagedLayout;
};

} // namespace tilewright::passes

#endif
