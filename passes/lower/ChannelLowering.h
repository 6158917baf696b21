//===- ChannelLowering.h - from channels to barriers and addresses ----------------------------===//
//
// The state of `lower-channels`, which walks a kernel in order and writes what acquires, commits,
// waits and releases come to. Its parts:
//
//   LowerChannels.cpp   the walk, slots that loops carry
//   LowerLockstep.cpp   slots of one role: copy groups, barriers
//   LowerRings.cpp      slots between roles: mbarriers, phases
//
// New ops stand before the old ones, which stay until the walk is over: what comes to a slot is
// asked of them.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_LOWER_CHANNELLOWERING_H
#define TILEWRIGHT_PASSES_LOWER_CHANNELLOWERING_H

#include "ir/cta/Cta.h"
#include "ir/cuda/Cuda.h"
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
  /// Channels between roles that are handed over together.
  struct Ring {
    llvm::SmallVector<cta::ChannelOp> channels; // the first stands for all
    cta::RingAttr plan() { return channels.front().getPlan()->getRing(); }
    cta::ChannelKind kind() { return channels.front().getKind(); }
    int64_t depth() { return channels.front().getResult().getType().getDepth(); }
    bool multicast(); // its slots are filled, and so emptied, by the whole cluster
  };

  /// How far a role has come in a ring that it fills, or takes slots from.
  struct RingPlace {
    Value number, phase; // counters, !cuda.regs<1 x i32>; the number only of rings of several slots
    Value current;       // the slot that the role came to last
    struct Closing {
      size_t channels = 0; // of the ring, whose slot has been closed
      bool stored = false; // TMA may still read one of them
    };
    llvm::DenseMap<Value, Closing> closing; // per slot number
  };

  /// The slots of a channel that one role both fills and reads.
  struct Lockstep {
    Value filling, reading; // !cuda.regs<1 x i32>: the slots next acquired and waited for
    /// The ring runs a fixed distance ahead: depth - 1 slots are filled before the loops, and each
    /// wait is followed by the acquire of the slot behind it. Then nothing counts the slots filled.
    bool runsAhead = false;
    int64_t acquired = 0; // before the loops, so far
  };

  //===- The walk (LowerChannels.cpp) --------------------------------------------------------===//
  void lowerBlock(mlir::Block &block);
  void lower(Operation *op);
  void lowerRole(cta::RoleOp op);
  void lowerOpen(Operation *acquireOrWait);
  void lowerCommit(cta::CommitOp op);
  void lowerRelease(cta::ReleaseOp op);
  void nameSlot(Value slot, cta::ChannelOp channel, Value number, Location where);

  /// What holds the numbers of the slots that a loop carries, by their place among what it carries:
  /// !cuda.regs<1 x i32>.
  using SlotNumbers = llvm::MapVector<unsigned, Value>;
  void lowerLoop(mlir::LoopLikeOpInterface loop);
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
  /// What a counter of slots says, and what comes behind that; `wraps` says if that is the first.
  Value following(Value number, int64_t depth, Value &wraps);
  Location named(const llvm::Twine &name);
  /// Writes what one thread does for all of `of`, or `count` threads for each.
  void once(cta::Threads of, llvm::function_ref<void(Value number)> body, int64_t count = 1,
            Value condition = {});

  //===- Slots of one role (LowerLockstep.cpp) -----------------------------------------------===//
  void planLockstep();
  void declareCounters(cta::ChannelOp op);
  Value nextSlot(cta::ChannelOp channel, Value counter);
  Value acquireInLockstep(cta::AcquireOp op);
  void commitInLockstep(cta::ChannelOp channel);
  Value waitInLockstep(cta::WaitOp op);

  //===- Slots between roles (LowerRings.cpp) ------------------------------------------------===//
  void planRings();
  Ring *ringOf(Value channel);
  void enterRings();
  /// The slot that the role comes to, once it is free to fill, or full; the role then moves on.
  Value enterSlot(Operation *acquireOrWait);
  bool closesAll(RingPlace &place, Ring &ring, Value slot);
  bool meetsAt(cta::ReleaseOp op);
  /// The producer's and the consumer's arrival.
  void handOver(Ring &ring, Value number);
  void giveBack(Ring &ring, Value number, Value condition);
  void releaseToRing(Ring &ring, cta::ReleaseOp op);

  mlir::func::FuncOp kernel;
  mlir::OpBuilder builder;
  Location loc; // of the op that is lowered
  cta::RoleOp role;
  llvm::DenseMap<Value, Value> numbers;               // of the slots, by their names
  llvm::DenseMap<Value, Value> lowered;               // slots by their old names
  llvm::DenseSet<Value> stored;                       // slots that a store went through
  llvm::SmallVector<Operation *> done;                // what has been lowered, and is to go
  llvm::SmallVector<mlir::LoopLikeOpInterface> loops; // that carry slots

  std::vector<std::unique_ptr<Ring>> rings;
  /// Of the role, in rings that it fills and in those that it takes from.
  llvm::DenseMap<Ring *, RingPlace> filling, taking;

  llvm::DenseMap<Value, Lockstep> lockstep;           // per channel
  llvm::DenseSet<Operation *> acquiredAfterBarrier;   // acquires that a barrier was put before
  llvm::DenseMap<Operation *, int64_t> pendingGroups; // per wait
};

} // namespace tilewright::passes

#endif
