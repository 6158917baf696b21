//===- ChannelLowering.h - from channels to barriers and addresses ----------------------------===//
//
// The state of `lower-channels`, which walks a kernel in order and lowers acquire, commit, wait and
// release. Its parts:
//
//   LowerChannels.cpp   the walk, slots that loops carry
//   LowerLockstep.cpp   slots of one role: copy groups, barriers
//   LowerRings.cpp      slots between roles: mbarriers, phases
//
// New ops are inserted before the old ones. The old ones stay until the end of the walk, since they
// say what happens to a slot.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_LOWER_CHANNELLOWERING_H
#define TILEWRIGHT_PASSES_LOWER_CHANNELLOWERING_H

#include "ir/cta/Cta.h"
#include "ir/cuda/Cuda.h"
#include "passes/analysis/Rings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright::passes {

using mlir::Location;
using mlir::Operation;
using mlir::Type;
using mlir::Value;

class ChannelLowering {
public:
  explicit ChannelLowering(mlir::func::FuncOp kernel);
  void run();

private:
  /// Channels between roles whose slots change hands together.
  struct Ring {
    llvm::SmallVector<cta::ChannelOp> channels; // the first represents all of them
    cta::RingAttr plan() { return channels.front().getPlan()->getRing(); }
    cta::ChannelKind kind() { return channels.front().getKind(); }
    int64_t depth() { return channels.front().getResult().getType().getDepth(); }
    /// Whether several blocks of a cluster fill, and release, its slots.
    bool multicast() { return !sharedAxes(channels).empty(); }
  };

  /// The position of a role in a ring that it fills or empties.
  struct RingPlace {
    Value number, phase; // counters, !cuda.regs<1 x i32>; rings of one slot have no number
    Value current;       // the last slot that the role came to
    struct Closing {
      size_t channels = 0; // of the ring, whose slots have been closed
      bool stored = false; // TMA may still read one of the slots
    };
    llvm::DenseMap<Value, Closing> closing; // per slot number
  };

  /// The slots of a channel that one role both fills and reads.
  struct Lockstep {
    Value filling, reading; // !cuda.regs<1 x i32>: the slots next acquired and waited for
    /// The ring runs a fixed distance ahead: depth - 1 slots are filled before the loops, and after
    /// each wait the next slot is acquired. Then no counter of filled slots is needed.
    bool runsAhead = false;
    int64_t acquired = 0; // number of acquires before the loops so far
    Value other; ///< Slot of another channel that is always waited for just before, at this number.
    /// Each thread reads only what it has copied itself, and need not wait for the others.
    bool isPrivate = false;
  };

  //===- The walk (LowerChannels.cpp) --------------------------------------------------------===//
  void lowerBlock(mlir::Block &block);
  void lower(Operation *op);
  void lowerRole(cta::RoleOp op);
  void lowerOpen(Operation *acquireOrWait);
  void lowerCommit(cta::CommitOp op);
  void lowerRelease(cta::ReleaseOp op);
  void nameSlot(Value slot, cta::ChannelOp channel, Value number, Location where);

  /// The registers with the numbers of the slots that a loop carries, by their position among the
  /// carried values: !cuda.regs<1 x i32>.
  using SlotNumbers = llvm::MapVector<unsigned, Value>;
  void lowerLoop(mlir::LoopLikeOpInterface loop);
  void settleNumbers(const SlotNumbers &carried);
  SlotNumbers declareNumbers(mlir::LoopLikeOpInterface loop);
  void handOn(mlir::OperandRange slots, const SlotNumbers &numbers);
  void takeOver(mlir::ValueRange names, const SlotNumbers &numbers);
  void finish();

  Value constant(int64_t value);
  Value isEqual(Value a, Value b);
  Value select(Value condition, Value a, Value b);
  Value counter(const llvm::Twine &name, Location where, int64_t start);
  Value get(Value counter, llvm::StringRef name = "");
  void set(Value counter, Value value);
  /// The next value of a slot counter; `wraps` says whether it starts again at slot 0.
  Value following(Value number, int64_t depth, Value &wraps);
  Location named(const llvm::Twine &name);
  /// Writes code that one thread runs for all of `of`, or `count` threads each.
  void once(cta::Threads of, llvm::function_ref<void(Value number)> body, int64_t count = 1,
            Value condition = {});

  //===- Slots of one role (LowerLockstep.cpp) -----------------------------------------------===//
  void planLockstep();
  bool isPrivate(cta::ChannelOp channel);
  bool isBarrier(Operation *op);
  bool barrierSinceRelease(cta::AcquireOp acquire);
  void declareCounters(cta::ChannelOp op);
  Value nextSlot(cta::ChannelOp channel, Value counter);
  Value acquireInLockstep(cta::AcquireOp op);
  void commitInLockstep(cta::ChannelOp channel);
  Value waitInLockstep(cta::WaitOp op);
  Value otherOf(Value number);

  //===- Slots between roles (LowerRings.cpp) ------------------------------------------------===//
  void planRings();
  Ring *ringOf(Value channel);
  void enterRings();
  /// The slot that the role comes to, once it is free or full. The role's position then advances.
  Value enterSlot(Operation *acquireOrWait);
  Value barrierOf(Ring &ring, cta::SlotState state, Value number);
  /// Reads which slot is next; returns the parity of its phase.
  Value comeTo(RingPlace &place);
  void advance(RingPlace &place, Ring &ring, Value phase);
  bool fillsAlone();
  /// At the end of a role: waits until all multicast slots that it fills have been released.
  void leaveRings();
  bool closesAll(RingPlace &place, Ring &ring, Value slot);
  bool meetsAt(cta::ReleaseOp op);
  /// The arrival of the producer or the consumer.
  void handOver(Ring &ring, Value number);
  Value fillerOf(Ring &ring, Value number);
  void giveBack(Ring &ring, Value number, Value condition);
  void releaseToRing(Ring &ring, cta::ReleaseOp op);

  mlir::func::FuncOp kernel;
  mlir::OpBuilder builder;
  Location loc; // of the op that is lowered
  cta::RoleOp role;
  llvm::DenseMap<Value, Value> numbers; // of the slots, by their names
  llvm::DenseMap<Value, Value> lowered; // slots, by the values that stood for them before
  llvm::DenseSet<Value> stored;         // slots that a store went through
  llvm::SmallVector<Operation *> done;  // lowered ops, to be erased
  llvm::SmallVector<mlir::LoopLikeOpInterface> loops; // that carry slots

  std::vector<std::unique_ptr<Ring>> rings;
  /// The positions of the role in rings that it fills and in rings that it empties.
  llvm::DenseMap<Ring *, RingPlace> filling, taking;

  llvm::DenseMap<Value, Lockstep> lockstep;           // per channel
  llvm::DenseSet<Operation *> acquiredAfterBarrier;   // acquires with a barrier in front
  llvm::DenseMap<Operation *, int64_t> pendingGroups; // per wait
};

} // namespace tilewright::passes

#endif
