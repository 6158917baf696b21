// Tiles that are computed again where they are needed, from what was loaded. A row in bf16 takes
// half the registers of the same row in f32, and a block that takes fewer registers leaves room for
// others, whose loads are under way meanwhile.
//
// A reduction divides a block of ops into phases: all threads meet there. A tile that several
// phases read is kept in registers between them. If it follows by a few cheap ops, comparisons
// and selections from tiles of 8 or 16 bits that are in registers anyway, each use gets ops of its
// own, whose elements are computed where they are read:
//
//   %v = cast %x                     %s = reduce (square (cast %x))
//   %s = reduce (square %v)    ->    %x1 = cta.opaque %x
//   … %v * f(%s)                     … (cast %x1) * f(%s)
//
// `cta.opaque` keeps the compilers behind from finding that both casts are the same. What is
// computed in front of a loop from such a tile is computed in the loop likewise. A tile of any
// width that lies in a slot of shared memory throughout is read again instead, and exponentials are
// computed again too.
//
// What is computed where it is used comes to its use first, so that what it reads is seen to be
// needed there.
#include "passes/Passes.h"
#include "passes/analysis/CheapOps.h"
#include "passes/analysis/RegisterPressure.h"
#include "passes/analysis/RegisterTiles.h"
#include "passes/say/Explain.h"

#include "ir/Target.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_RECOMPUTETILES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr StringLiteral kFlag = "recompute-tiles";

/// Registers of a thread that a tile takes from which on it is worth it, if all of them fit. On an
/// H100, with 128 elements of a row in a thread, layer_norm of 131072 columns has 1.39 of its
/// speed, since a cluster of 4 blocks is enough, and a cross entropy of 128256 words 1.05. With 64,
/// both that and rms_norm have 1.00 to 1.02; with 32, a cross entropy of 32000 words has 0.57.
constexpr int64_t kLeastRegisters = 64;
/// Tiles of rows, which stay what they are, take fewer. So it is worth it from here on if the
/// registers do not hold what is kept, or if load-ahead has found that they do not.
constexpr int64_t kFewRegisters = 8;

/// What lies between two meetings of the threads: the ops of a block with this number.
using Phase = std::pair<Block *, int64_t>;

int64_t registersOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? cta::layoutOf(type).registers() : 0;
}

/// The slot from which a tile can be read again until the end of its block; null if there is none.
Value heldSlot(Value tile) {
  auto get = tile.getDefiningOp<cta::GetOp>();
  auto isHeld = [](Operation *user) {
    if (!isa<cta::ReleaseOp>(user))
      return true;
    while (isa<cta::ReleaseOp>(user))
      user = user->getNextNode();
    return user->hasTrait<OpTrait::IsTerminator>();
  };
  return get && llvm::all_of(get.getSlot().getUsers(), isHeld) ? get.getSlot() : Value();
}

/// A tile that stays where it is: in a slot, or in registers, loaded or carried by a loop, in few
/// bits.
bool isAtHand(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  bool isKept = !op || isa<tile::LoadOp, cta::GetOp>(op);
  int64_t bits = type ? type.getElementTypeBitWidth() : 32;
  return heldSlot(value) ||
         (isKept && (bits == 8 || bits == 16) && registersOf(value) % (32 / bits) == 0);
}

class Recomputer {
public:
  Recomputer(func::FuncOp kernel, int64_t leastRegisters, bool holdsRows)
      : kernel(kernel), leastRegisters(leastRegisters), holdsRows(holdsRows),
        builder(kernel.getContext()) {}

  void run();

private:
  bool mayRepeat(Operation *op) {
    return isSelection(op) || (holdsRows ? isCheapForRows(op) : isCheap(op));
  }
  int64_t mostOps() const { return holdsRows ? kMostOpsOfRows : kMostCheapOps; }
  void findPhases(Block &block);
  Phase phaseAt(Operation *op);
  Phase homeOf(Value value);
  bool isReady(Value value, int64_t &ops, bool &isNarrower);
  Value again(Value value, Phase phase);
  Value atHand(Value value, Phase phase);
  void sink(Operation *op);
  bool recompute(Operation *op);
  bool readAgain(cta::GetOp get);
  void chainVersions();

  func::FuncOp kernel;
  int64_t leastRegisters;
  bool holdsRows; ///< In shared memory, so that more is worth computing again.
  OpBuilder builder;
  DenseMap<Operation *, int64_t> numbers;                   ///< Of the phases of ops.
  DenseMap<Phase, Operation *> begins;                      ///< The op behind which a phase begins.
  llvm::MapVector<std::pair<Value, Phase>, Value> versions; ///< Of tiles that are at hand.
};

} // namespace

void Recomputer::findPhases(Block &block) {
  int64_t number = 0;
  begins[{&block, 0}] = nullptr;
  for (Operation &op : block) {
    numbers[&op] = number;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      findPhases(*loop.getBody());
    if (meets(&op))
      begins[{&block, ++number}] = &op;
  }
}

/// The phase that an op belongs to, perhaps in a branch there.
Phase Recomputer::phaseAt(Operation *op) {
  while (!begins.contains({op->getBlock(), 0}))
    op = op->getParentOp();
  return {op->getBlock(), numbers.lookup(op)};
}

Phase Recomputer::homeOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    return phaseAt(op);
  return {cast<BlockArgument>(value).getOwner(), 0};
}

/// Whether a value follows from tiles that stay in registers, by few cheap ops, which it counts.
bool Recomputer::isReady(Value value, int64_t &ops, bool &isNarrower) {
  if (isAtHand(value))
    return isNarrower = true;
  if (registersOf(value) < kFewRegisters)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !(isShape(op) || (mayRepeat(op) && ++ops <= mostOps())))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isReady(operand, ops, isNarrower); });
}

/// A tile that is at hand, as a phase reads it.
Value Recomputer::atHand(Value value, Phase phase) {
  if (homeOf(value) == phase)
    return value;
  Value &version = versions[{value, phase}];
  if (version)
    return version;
  OpBuilder::InsertionGuard guard(builder);
  Operation *begin = begins.lookup(phase);
  begin ? builder.setInsertionPointAfter(begin) : builder.setInsertionPointToStart(phase.first);
  if (Value slot = heldSlot(value))
    return version = builder.create<cta::GetOp>(value.getLoc(), value.getType(), slot);
  return version = builder.create<cta::OpaqueOp>(value.getLoc(), value);
}

/// Computes a value again, where the builder stands.
Value Recomputer::again(Value value, Phase phase) {
  if (isAtHand(value))
    return atHand(value, phase);
  if (registersOf(value) < kFewRegisters)
    return value;
  SmallVector<Value> operands;
  for (Value operand : value.getDefiningOp()->getOperands())
    operands.push_back(again(operand, phase));
  Operation *copy = builder.clone(*value.getDefiningOp());
  copy->setOperands(operands);
  numbers[copy] = phase.second;
  return copy->getResult(0);
}

/// Moves an op that is evaluated at its use to the phase of its use.
void Recomputer::sink(Operation *op) {
  if (!op->hasOneUse() || !isEvaluatedAtUse(op))
    return;
  Operation *user = *op->user_begin();
  if (user->getBlock() != op->getBlock() || numbers.lookup(user) == numbers.lookup(op))
    return;
  op->moveBefore(user);
  numbers[op] = numbers.lookup(user);
}

/// Gives each use of an op's tile ops of its own, if several phases read it.
bool Recomputer::recompute(Operation *op) {
  if (!mayRepeat(op) || isEvaluatedAtUse(op) || registersOf(op->getResult(0)) < leastRegisters)
    return false;
  Value value = op->getResult(0);
  int64_t ops = 0;
  bool isNarrower = false;
  bool crosses =
      llvm::any_of(value.getUsers(), [&](Operation *user) { return phaseAt(user) != phaseAt(op); });
  if (!crosses || !isReady(value, ops, isNarrower) || !isNarrower)
    return false;
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    builder.setInsertionPoint(use.getOwner());
    use.set(again(value, phaseAt(use.getOwner())));
  }
  return true;
}

/// Reads a slot again in each phase that uses its tile, and not at all in one that does not.
bool Recomputer::readAgain(cta::GetOp get) {
  Value tile = get.getTile();
  bool isAnew = false;
  for (OpOperand &use : llvm::make_early_inc_range(tile.getUses()))
    if (Phase phase = phaseAt(use.getOwner()); phase != homeOf(tile)) {
      use.set(atHand(tile, phase));
      isAnew = true;
    }
  if (tile.use_empty()) {
    get.erase();
    return isAnew;
  }
  // Behind the copies of the next row, which take registers for their addresses.
  Operation *first = nullptr;
  for (Operation *user : tile.getUsers()) {
    Operation *here = get->getBlock()->findAncestorOpInBlock(*user);
    first = !first || here->isBeforeInBlock(first) ? here : first;
  }
  get->moveBefore(first);
  return isAnew;
}

/// Makes each phase's version of a tile from the one before in its block, which ends there: two
/// versions at a time would take twice the registers.
void Recomputer::chainVersions() {
  for (auto [of, version] : versions) {
    auto [value, phase] = of;
    auto opaque = version.getDefiningOp<cta::OpaqueOp>();
    for (int64_t number = phase.second - 1; opaque && number >= 0; --number)
      if (Value before = versions.lookup({value, Phase(phase.first, number)})) {
        opaque.getTileMutable().assign(before);
        break;
      }
  }
}

void Recomputer::run() {
  findPhases(kernel.getBody().front());
  SmallVector<Operation *> all;
  SmallVector<cta::GetOp> held;
  kernel.walk([&](Operation *op) {
    if (op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()))
      all.push_back(op);
    if (auto get = dyn_cast<cta::GetOp>(op); get && heldSlot(get.getTile()))
      held.push_back(get);
  });
  int64_t tiles = 0;
  for (Operation *op : llvm::reverse(all)) { // users before what they use
    sink(op);
    bool isUnused = op->use_empty() && isPure(op);
    if (!isUnused && !recompute(op))
      continue;
    tiles += !isUnused;
    numbers.erase(op);
    op->erase();
  }
  for (cta::GetOp get : held)
    tiles += readAgain(get);
  chainVersions();
  if (tiles)
    explain(kernel, kFlag).with("tiles", tiles) << tiles << (tiles == 1 ? " tile is" : " tiles are")
                                                << " computed or read again from what was loaded, "
                                                   "which takes fewer registers than to keep them";
}

/// Whether a thread's registers hold all that the kernel keeps.
static bool fits(func::FuncOp kernel) {
  const Target &target =
      *findTarget(kernel->getAttrOfType<StringAttr>(cta::kTargetAttr).getValue());
  int64_t warps = cta::warpsOf(kernel);
  return peakPressure(kernel, warps).total <= target.registerLimit(warps * kLanes, 1);
}

namespace {

struct RecomputeTiles : impl::RecomputeTilesBase<RecomputeTiles> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    bool holds = false, holdsRows = false;
    kernel.walk([&](cta::GetOp get) {
      bool isHeld = heldSlot(get.getTile()) != nullptr;
      holds |= isHeld;
      holdsRows |= isHeld && get->getParentOp() == kernel; // hold-rows; else load-ahead
    });
    if (kernel->hasAttr(cta::kTargetAttr) && !hasProducts(kernel))
      Recomputer(kernel, holds || !fits(kernel) ? kFewRegisters : kLeastRegisters, holdsRows).run();
  }
};

} // namespace
} // namespace tilewright::passes
