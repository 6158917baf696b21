//===- ExpanderState.h - what the expander knows while it writes a kernel
//------------------------===//
#ifndef TILEWRIGHT_PASSES_LOWER_EXPANDERSTATE_H
#define TILEWRIGHT_PASSES_LOWER_EXPANDERSTATE_H

#include "ir/Target.h"
#include "ir/cta/Cta.h"
#include "ir/cuda/Cuda.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Passes.h"
#include "passes/analysis/Divisibility.h"
#include "llvm/ADT/MapVector.h"

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

/// How many equal parts of a row the values so far stand for, and those that they are combined
/// with.
struct Shares {
  int64_t own, other;
};
/// Combines the values in some arrays at `index` with others.
using CombineAt =
    llvm::function_ref<void(mlir::ValueRange others, mlir::Value index, Shares shares)>;

/// Whether all lanes of a warp hold the same elements of a reduction's result.
bool holdSameRows(const Layout &layout);

/// Which of the threads that hold the same values one is.
struct Replicas {
  Value number;
  int64_t count;
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

/// An access to global memory.
struct GlobalAccess {
  ViewParams *view;
  llvm::SmallVector<Value> indices;    // scalar starts; null for gathered axes
  llvm::SmallVector<Value> indexTiles; // original tiles of gathered axes; null for others
  llvm::ArrayRef<int64_t> extents, valid;
  llvm::ArrayRef<bool> inBounds;
  llvm::SmallVector<bool> startsInside; // the start is known to be non-negative
  std::optional<int64_t> lastStart;     // along the innermost axis, the largest that may be

  /// Whether the view, or the valid part of the tile, may end within a vector along the innermost
  /// axis. The vector starts at a multiple of its length.
  bool mayEndWithin(int64_t vector) const {
    bool isKnown = !inBounds.empty() && inBounds.back();
    int64_t end = isKnown ? 0 : knownDivisor(view->dims.back());
    return end % vector != 0 || (!valid.empty() && valid.back() % vector != 0);
  }
};

/// The place of a vector of registers: its offset, whether it is inside along all axes, and, if the
/// row may end within it, how many elements remain, which `inside` then leaves out.
struct Place {
  Value offset, inside, remaining;
};

/// Roles that share the register budget of whole warpgroups.
struct RegisterPool {
  int64_t end; // the warpgroup behind its last
  std::optional<int64_t> registers;
  llvm::SmallVector<cta::RoleOp> roles;
};

/// The block among those that add to one place: a row of a column of the grid.
struct SumPlace {
  Value block, row, rows, column, columns;
  Value group; // blocks of a group, of which the last may have fewer; where sums are added up
};

/// A divisor that is used many times. A constant has no reciprocal.
struct Divisor {
  Value value, reciprocal;
};

/// Stream-K: the steps of the remaining tiles that a block computes, counted from the first step
/// of the first of them; and values that are the same for all blocks.
struct StreamKRange {
  Value steps;      // of a tile; null if tiles differ
  Value size;       // of a range, at most
  Value begin, end; // of this block; both 0 if nothing is split
  Value tile;       // the remaining tile in which the range begins
  Value rounds;     // whole tiles of each block
  Value parts;      // tiles of which the block computes parts, up to 2 if all are alike
  Value whole;      // the first remaining tile
  /// If tiles differ: the end of the tile whose next part is computed (!cuda.regs<1 x i32>).
  Value unmade;
};

/// The part of a tile that one iteration of the tile loop computes.
struct Part {
  Value isLeft; // whether it is a remaining tile, and may be incomplete
  Value start;  // the first step of that tile, counted as in the range
  Value end;    // the step of the tile behind the end of the part
  Value steps;  // of the tile
  Value place;  // the number of the block, or of its cluster
  StreamKRange range;
};

/// A loop over tiles.
struct TileLoop {
  cta::TilesOp op;
  llvm::SmallVector<Divisor> extents; // in the order in which they vary
  /// With groups: tiles of a plane of the first two axes and of a whole group; heights of a group
  /// and of the last group.
  Divisor plane, band, group, lastHeight;
  Value total, first, step;         // numbers of tiles
  llvm::SmallVector<Value> carried; // registers of each value that one tile passes to the next
};

/// A place of the ring that hands out tiles.
struct QueuePlace {
  Value slot, full, empty, phase;
};

/// A word of its slots.
struct QueueWord {
  int64_t number;
  mlir::Location named;
};

/// What the expander knows at a place of the kernel.
struct ExpanderState {
  explicit ExpanderState(mlir::func::FuncOp kernel);
  Value scalar(Value value) { return scalars.lookup(value); }
  template <typename Op> GlobalAccess accessOf(Op op) {
    GlobalAccess access;
    access.view = &views[op.getView()];
    access.extents = op.getExtents();
    if (auto valid = op.getValid())
      access.valid = *valid;
    if (auto bounds = op.getInBounds())
      access.inBounds = *bounds;
    for (Value index : op.getIndices()) {
      bool gathers = mlir::isa<mlir::RankedTensorType>(index.getType());
      access.indices.push_back(gathers ? Value() : scalar(index));
      access.indexTiles.push_back(gathers ? index : Value());
      access.startsInside.push_back(!gathers && knownNonNegative(index));
      access.lastStart = gathers ? std::nullopt : knownMost(index);
    }
    return access;
  }

  mlir::func::FuncOp kernel; // the source
  mlir::func::FuncOp result;
  const Target &target;
  int64_t warps; // of the block, or of the current role
  mlir::OpBuilder builder;
  Location loc; // of the op being expanded

  mlir::IRMapping scalars;
  llvm::DenseMap<Value, Value> tiles; // register tile -> array
  llvm::DenseMap<Value, ViewParams> views;
  llvm::DenseMap<Value, ChannelState> channels;
  llvm::DenseMap<Value, SlotState> slots;
  llvm::DenseMap<Operation *, ExchangeState> exchanges;
  llvm::DenseMap<Operation *, Value> turns; // reduction -> 0 or 1, which of its scratch memory
  Operation *startedBefore = nullptr;       // the loop in front of which the block counts itself
  Operation *firstExchange = nullptr;       // of a cluster, or the loop that has it
  llvm::DenseMap<Value, Value> randomWords; // random bytes -> the words that contain them
  llvm::DenseMap<Value, Value> leftParts;   // part of another block -> its first element
  llvm::DenseMap<Operation *, Value> votes; // rescale -> the vote on it, if that came before a wait
  llvm::DenseMap<Value, Value>
      votesOnFactors; // shrink of a raise -> whether one of a warp's may be < 1
  llvm::DenseMap<Value, Crossing> crossings; // tiles that are read where a conversion stores them
  Value thread, lane, warp;
  using CoordinateCache = llvm::SmallVector<std::pair<Digits, Value>>; // lanes then warps
  CoordinateCache threadCoordinates;
  Operation *entryEnd = nullptr; // thread coordinates are computed here

  //===- State of roles ----------------------------------------------------------------------===//
  cta::RoleOp role;      // the current role
  bool elected = false;  // a single thread runs it
  Value warpgroup;       // number within the block
  Value warpgroupThread; // number of the thread in its warpgroup
  cta::Cluster cluster;
  Value rank;        // number of the block in its cluster
  Value sharedTiles; // of the block, if the role takes turns at its tiles; null if it takes all
  bool insideTurn = false;           // inside a section that warpgroups pass one by one
  std::optional<Location> metInTurn; // a place inside it where all warps of the role would meet
  bool apart = false;                // inside a loop or branch that warpgroups may run differently
  bool misplaced = false;            // an op there needs all warps; the error has been reported
  /// Tensor maps, by tensor, box and axes.
  llvm::DenseMap<std::tuple<Value, Type, mlir::Attribute>, Value> maps;
  llvm::MapVector<mlir::Attribute, RingBarriers> rings; // by their plans
  Value queueSlots; // the address of the first slot of the ring that hands out tiles
  llvm::SmallPtrSet<Operation *, 4> handed; // ops whose results come with a tile from the queue
  Operation *handsAt = nullptr; // the next tile is taken before this op, in the last iteration
  llvm::function_ref<void()> handNext;
  Value tileCounter; // a pointer to the tile counter
  Value workspace;   // a pointer to the parts of tiles that blocks leave
  Value flags; // a pointer to a flag per block, which is raised when the block has left its part
  std::optional<Part> part; // the current part, if tiles are split
  Value events;             // a pointer to the timeline's records
  Value timelineLane;       // of the role that is being expanded
  /// For each channel that the role stores through: a slot counter; null if each store starts with
  /// slot 0.
  llvm::DenseMap<Value, Value> storing;
  /// For a pending accumulator: whether there is anything to add to; null if there is.
  llvm::DenseMap<Value, Value> begun;
  /// Ops whose tiles a store makes vector by vector.
  llvm::DenseSet<Operation *> madeAtStores;
  /// Tiles whose registers a later accumulator has reused.
  llvm::DenseSet<Value> taken;
};

} // namespace tilewright::passes

#endif
