// A long row that several phases read waits in shared memory, not in registers:
//
//   x = load row                      copy row to a slot
//   s = reduce f(x)            ->     s = reduce f(slot)
//   store g(x, s)                     store g(slot, s)
//
// Registers limit how many blocks share an SM, and so how many loads are under way. A row in
// shared memory leaves them free: with 131072 columns in clusters of 8 blocks, four blocks of 64
// registers or more share an SM, not three of 80. Each thread reads what it has copied itself, so
// threads do not meet for it.
//
// recompute-tiles reads the slot again in each phase. So all that phases keep of a row must follow
// from it by a few cheap ops or exponentials; else registers would hold it, and the copy would save
// nothing. A block that has whole rows may also compare and select again: the gradient of softmax
// with 8192 columns takes 191 us in registers and 185 so (134 million elements, H200), but in
// clusters 98 and 100 with 16384 columns, 100 and 109 with 32768 (half as many elements).
//
// If a program keeps more than that, its late rows still wait in shared memory: those that no phase
// reads until threads have met. They take registers while others are read; and where these are few,
// ptxas starts to load them only when the first have come. So dy waits while a program finds the
// peak of x:
//
//   m = reduce max x
//   p = exp2(x - m), s = reduce sum p, t = reduce sum p * dy
//   store p / s * (dy - t / s)
//
// In a cluster that cannot have more blocks, rows wait there as far as there is room, those that
// are needed last. Smaller ones get more blocks, so that all of them do (log_softmax's gradient
// with 32768 columns: 93.4 us, 95.7 with one row of two).
//
// Microseconds on an H200, 67.1 million elements in bf16, before and now (docs/hopper.md):
//
//   columns                  131072        65536         32768         16384
//   rms_norm                 74.2 -> 67.5  69.5 -> 67.5  67.4 -> 65.6  66.6 -> 65.6
//   layer_norm               78.7 -> 72.1  74.2 -> 71.6  74.7 -> 68.1  75.2 -> 67.2
//   softmax                  73.0 -> 65.7  68.0 -> 65.7  66.4 -> 65.2  66.3 -> 65.3
//   log_softmax              72.0 -> 65.4                65.2 -> 64.4  66.4 -> 65.6
//   gradient of softmax       114 -> 98                                98.6 -> 95.1
//   gradient of log_softmax   105 -> 98
#include "passes/Passes.h"
#include "passes/analysis/CheapOps.h"
#include "passes/analysis/RegisterPressure.h"
#include "passes/plan/Adjust.h"
#include "passes/plan/RowCopies.h"
#include "passes/plan/Warps.h"

#include "ir/Target.h"

#include "mlir/Analysis/SliceAnalysis.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_HOLDROWS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr StringLiteral kFlag = "hold-rows";

/// Elements of rows that a thread has from which on a copy is worth it. With 56, the gradient of a
/// cross entropy of 50304 words takes 0.97 of the time on an H200, of 100352 0.88; with 32 in f32,
/// the most for which there is room, layer_norm with 8192 columns 1.02.
constexpr int64_t kLeastElements = 48;
/// The same of late rows alone: with 32, the gradient of softmax takes 0.96 of the time.
constexpr int64_t kLeastLateElements = 32;
/// Blocks that must find room for their rows on an SM. With fewer, loads stop too often.
constexpr int64_t kLeastBlocks = 5;
/// Bytes of shared memory that each block leaves to the GPU, and to reductions.
constexpr int64_t kLeftBytes = 1024 + 512;

/// The phases of a program without loops, and what it keeps from one to the next.
class Rows {
public:
  Rows(func::FuncOp kernel, int64_t threads)
      : body(kernel.getBody().front()), threads(threads),
        areWhole(cta::clusterOf(kernel).blocks() == 1) {
    int64_t number = 0;
    for (Operation &op : body) {
      phases[&op] = number;
      number += meets(&op);
    }
  }

  /// Finds the rows to copy: loads that several phases need. False if something else is kept.
  bool find();
  /// Finds the late rows alone: loads that no phase needs until threads have met.
  bool findLate();
  /// Leaves rows in registers, those that are needed first, until the rest takes so few bytes.
  void fit(int64_t most);
  int64_t bytes() const;
  int64_t elements() const;
  void copy();

private:
  int64_t phaseOf(Operation *op) { return phases.lookup(body.findAncestorOpInBlock(*op)); }
  bool isKept(Value value);
  bool isMadeOfSmall(Value value) const;
  bool mayRepeat(Operation *op, int64_t &ops) const;
  bool followsFromRows(Value value, int64_t &ops);
  bool isLate(Value value);
  Operation *firstUser(Value value);
  Operation *placeOfWait(Operation *user);

  Block &body;
  int64_t threads;
  bool areWhole; ///< No other block shares them.
  DenseMap<Operation *, int64_t> phases;
  llvm::SetVector<Operation *> rows; ///< tile.load
};

} // namespace

/// Whether a value follows from ranges and small tiles alone.
bool Rows::isMadeOfSmall(Value value) const {
  if (wordsOf(value) < threads)
    return true;
  Operation *op = value.getDefiningOp();
  return (isShape(op) || isElementwise(op)) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isMadeOfSmall(operand); });
}

/// Whether a phase needs what another has made, and it takes registers worth counting. What one
/// phase needs, and small tiles make, is made there.
bool Rows::isKept(Value value) {
  if (wordsOf(value) < threads)
    return false;
  llvm::SmallSet<int64_t, 4> needing;
  for (Operation *user : value.getUsers())
    needing.insert(phaseOf(user));
  bool isMadeThere = needing.size() == 1 && isMadeOfSmall(value);
  needing.erase(phaseOf(value.getDefiningOp()));
  return !needing.empty() && !isMadeThere;
}

/// Whether recompute-tiles may compute an op again, as one of so many.
bool Rows::mayRepeat(Operation *op, int64_t &ops) const {
  bool isWorthIt = isCheapForRows(op) || (areWhole && isSelection(op));
  return isWorthIt && ++ops <= (areWhole ? kMostOpsOfRows : kMostCheapOps);
}

/// Whether a few ops make a value from loaded rows, to which it adds them, and from small tiles.
bool Rows::followsFromRows(Value value, int64_t &ops) {
  if (wordsOf(value) < threads)
    return true;
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast<tile::LoadOp>(op); load && op->getBlock() == &body) {
    rows.insert(op);
    return isCopy(load, threads);
  }
  return (isShape(op) || mayRepeat(op, ops)) && llvm::all_of(op->getOperands(), [&](Value operand) {
           return followsFromRows(operand, ops);
         });
}

bool Rows::find() {
  for (Operation &op : body)
    for (Value result : op.getResults()) {
      int64_t ops = 0;
      if (isKept(result) && !followsFromRows(result, ops))
        return false;
    }
  return !rows.empty();
}

/// Whether no phase needs a value, or what is only another form of it, until threads have met.
bool Rows::isLate(Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    bool isForm = isShape(user) || isa<tile::CastOp>(user);
    return phaseOf(user) > 0 || (isForm && isLate(user->getResult(0)));
  });
}

bool Rows::findLate() {
  rows.clear();
  for (auto load : body.getOps<tile::LoadOp>())
    if (phaseOf(load) == 0 && isKept(load.getResult()) && isCopy(load, threads) &&
        isLate(load.getResult()))
      rows.insert(load);
  return !rows.empty();
}

void Rows::fit(int64_t most) {
  auto needed = [&](Operation *row) { return firstUser(row->getResult(0)); };
  while (bytes() > most && !rows.empty())
    rows.remove(*llvm::min_element(
        rows, [&](Operation *a, Operation *b) { return needed(a)->isBeforeInBlock(needed(b)); }));
}

int64_t Rows::bytes() const {
  int64_t sum = 0;
  for (Operation *row : rows)
    sum += slotBytes(cast<tile::LoadOp>(row));
  return sum;
}

int64_t Rows::elements() const {
  int64_t sum = 0;
  for (Operation *row : rows)
    sum += cast<RankedTensorType>(row->getResult(0).getType()).getNumElements();
  return sum;
}

/// The first op of the program that needs a value, perhaps inside.
Operation *Rows::firstUser(Value value) {
  Operation *first = body.getTerminator();
  for (Operation *user : value.getUsers())
    if (Operation *at = body.findAncestorOpInBlock(*user); at->isBeforeInBlock(first))
      first = at;
  return first;
}

/// Where to wait for a row that an op needs first. A reduction that does not need another in front
/// of it may be joined with it (join-reductions), so the wait stands in front of both.
Operation *Rows::placeOfWait(Operation *user) {
  Operation *reduce = user;
  while (reduce && !meets(reduce))
    reduce = reduce->getNextNode();
  if (!reduce)
    return user;
  SetVector<Operation *> needed;
  getBackwardSlice(reduce, &needed);
  Operation *place = user;
  for (Operation *op = user->getPrevNode(); op && phaseOf(op) > 0; op = op->getPrevNode())
    if (meets(op)) {
      if (needed.contains(op))
        break;
      place = op;
    }
  return place;
}

/// Moves an op up to another, as far as nothing between is written or makes an operand.
static void moveUp(Operation *op, Operation *to) {
  auto isBehind = [&](Operation *other) {
    bool feeds = llvm::any_of(op->getOperands(),
                              [&](Value operand) { return operand.getDefiningOp() == other; });
    return other == to || feeds || !(isPure(other) || isa<tile::LoadOp>(other));
  };
  Operation *at = op->getPrevNode();
  while (!isBehind(at))
    at = at->getPrevNode();
  op->moveAfter(at);
}

/// Starts all copies, and waits for one where its row is needed first.
void Rows::copy() {
  OpBuilder builder(body.getParentOp()->getContext());
  auto sorted = rows.takeVector();
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (size_t i = 1; i < sorted.size(); ++i)
    moveUp(sorted[i], sorted[i - 1]);
  for (Operation *row : sorted) {
    auto load = cast<tile::LoadOp>(row);
    builder.setInsertionPointToStart(&body);
    Value channel = makeRowChannel(builder, load, /*depth=*/1);
    builder.setInsertionPoint(load);
    copyRow(builder, load, channel, load.getView(), load.getIndices(), /*predicate=*/Value());
    builder.setInsertionPoint(placeOfWait(firstUser(load.getResult())));
    Value slot = builder.create<cta::WaitOp>(load.getLoc(), slotOf(load), channel);
    Value tile = builder.create<cta::GetOp>(load.getLoc(), load.getResult().getType(), slot);
    builder.setInsertionPoint(body.getTerminator());
    builder.create<cta::ReleaseOp>(load.getLoc(), slot);
    load.getResult().replaceAllUsesWith(tile);
    load.erase();
  }
}

/// Whether a block runs one program, in a straight line, without products.
static bool isStraight(func::FuncOp kernel) {
  return !kernel
              .walk([](Operation *op) {
                return isa<LoopLikeOpInterface, tile::DotOp, cta::ChannelOp>(op)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

namespace {

struct HoldRows : impl::HoldRowsBase<HoldRows> {
  using HoldRowsBase::HoldRowsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    const Target *found = findTarget(target);
    if (!found || !found->has(Feature::CpAsync) || !kernel->hasAttr(tile::kKernelAttr) ||
        !isStraight(kernel) || !hasOneRow(kernel))
      return;
    int64_t threads = kLanes * (warps ? int64_t(warps) : chooseWarps(kernel));
    Rows rows(kernel, threads);
    int64_t least = kLeastElements;
    if (!rows.find()) {
      least = kLeastLateElements;
      if (!rows.findLate())
        return;
    }
    int64_t most = found->smemPerSm / kLeastBlocks - kLeftBytes;
    if (cta::clusterOf(kernel).blocks() == kMostClusterBlocks)
      rows.fit(most);
    int64_t bytes = rows.bytes();
    if (rows.elements() < least * threads || bytes > most)
      return;
    explain(kernel, kFlag).with("bytes", bytes)
        << "rows wait in " << bytes << " bytes of shared memory for the phases that read them, "
        << "not in " << bytes / 4 / threads << " registers of a thread";
    rows.copy();
  }
};

} // namespace
} // namespace tilewright::passes
