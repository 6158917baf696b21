#include "passes/analysis/RegisterTiles.h"

#include "passes/plan/SolveLayouts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::passes;

/// A mask of integers that have no array: cheap to compute, expensive to keep.
static bool isMaskOfIndices(Operation *op) {
  auto indexed = [](Value operand) {
    if (!getElementTypeOrSelf(operand.getType()).isInteger())
      return false;
    Operation *source = operand.getDefiningOp();
    return !isa<RankedTensorType>(operand.getType()) || (source && isEvaluatedAtUse(source));
  };
  return getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1) &&
         llvm::all_of(op->getOperands(), indexed);
}

bool passes::isIndexAsFloat(Operation *op) {
  auto cast = dyn_cast<tile::CastOp>(op);
  Operation *source = cast ? cast.getSource().getDefiningOp() : nullptr;
  bool isIndex =
      source && isa<tile::RangeOp>(source) && getElementTypeOrSelf(cast.getType()).isF32();
  return isIndex && llvm::any_of(*op->getBlock(), [](Operation &other) {
           return isa<tile::DotOp, cta::MmaOp>(other);
         });
}

/// True if an accumulator begins between an op and the use of its result in the same block. Then
/// the operands of the op would stay in registers beside the products.
static bool sumBeginsBefore(Operation *use, Operation *op) {
  for (Operation *between = op->getNextNode(); between != use; between = between->getNextNode())
    if (isa<cta::BeginOp>(between))
      return true;
  return false;
}

Value passes::conditionOfRows(arith::SelectOp select) {
  auto broadcast = select.getCondition().getDefiningOp<tile::BroadcastOp>();
  auto expand = broadcast ? broadcast.getSource().getDefiningOp<tile::ExpandDimsOp>() : nullptr;
  bool isOfRows = expand && expand.getAxis() == 1 && broadcast.getType().getRank() == 2;
  return isOfRows ? expand.getSource() : Value();
}

bool passes::isEvaluatedAtUse(Operation *op) {
  if (isa<arith::ConstantOp, tile::SplatOp, tile::RangeOp, tile::ExpandDimsOp, tile::BroadcastOp,
          tile::TransposeOp>(op))
    return true;
  if (!isElementwise(op) || op->hasAttr(kByRowsAttr) || isa<tile::RandomBytesOp>(op))
    return false;
  if (isMaskOfIndices(op) || isIndexAsFloat(op))
    return true;
  if (!op->hasOneUse())
    return false;
  Operation *user = *op->user_begin();
  bool endsBranch = isa<scf::YieldOp>(user) && isa<scf::IfOp>(user->getParentOp());
  return user->getBlock() == op->getBlock() && !sumBeginsBefore(user, op) &&
         (isElementwise(user) || endsBranch ||
          isa<tile::StoreOp, tile::ReduceOp, cta::JointReduceOp, cta::MomentsOp, cta::ConvertOp,
              cta::StoreOp>(user));
}

bool passes::isStoredFromShared(cta::ConvertOp op) {
  // Booleans are stored as bytes and unpacked after reading.
  if (!op->hasOneUse() || getElementTypeOrSelf(op.getType()).isInteger(1))
    return false;
  auto store = dyn_cast<tile::StoreOp>(*op->user_begin());
  if (!store || store.getValue() != op.getResult() || store->getBlock() != op->getBlock())
    return false;
  // The ops in between do not use the shared memory of the conversion.
  for (Operation *between = op->getNextNode(); between != store; between = between->getNextNode())
    if (!isElementwise(between) && !isEvaluatedAtUse(between))
      return false;
  return true;
}

/// Whether the ops between a read and a store leave alone what is read.
static bool isUnchangedUntil(tile::StoreOp store, Operation *read) {
  for (Operation *between = read->getNextNode(); between != store; between = between->getNextNode())
    if (!isPure(between) && !isa<tile::LoadOp, tile::StoreOp, cta::GetOp>(between))
      return false;
  return true;
}

/// Whether each thread has copied itself what it reads of a slot, as `cp_async` channels of rows
/// do.
static bool isOwnCopy(cta::GetOp get) {
  Operation *slot = get.getSlot().getDefiningOp();
  auto channel = isa_and_nonnull<cta::WaitOp, cta::SlotAtOp>(slot)
                     ? slot->getOperand(0).getDefiningOp<cta::ChannelOp>()
                     : nullptr;
  return channel && channel.getKind() == cta::ChannelKind::CpAsync;
}

static bool isOnlyRead(Value view) {
  return llvm::all_of(view.getUsers(),
                      [](Operation *user) { return isa<tile::LoadOp, tile::DimOp>(user); });
}

/// Adds the ops that make a tile at a store. False if registers have to hold it as a whole.
static bool addOpsMadeAt(tile::StoreOp store, Value tile, llvm::SetVector<Operation *> &ops) {
  auto registersOf = [](Value each) { return cta::layoutOf(each.getType()).registers(); };
  Operation *op = tile.getDefiningOp();
  if (registersOf(tile) == 1 || isa_and_nonnull<arith::ConstantOp, tile::SplatOp>(op))
    return true; // the same for all vectors
  if (!op || op->getBlock() != store->getBlock() || !op->hasOneUse() || op->getNumResults() != 1)
    return false;
  ops.insert(op);
  if (auto get = dyn_cast<cta::GetOp>(op))
    return isOwnCopy(get) && isUnchangedUntil(store, op);
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return isOnlyRead(load.getView()) && llvm::none_of(load.getIndices(), isTile);
  bool keepsElements =
      isa<tile::ExpandDimsOp, tile::BroadcastOp>(op) &&
      (registersOf(op->getOperand(0)) == 1 || registersOf(op->getOperand(0)) == registersOf(tile));
  bool isMade = isElementwise(op) && !op->hasAttr(kByRowsAttr) && !isa<tile::RandomBytesOp>(op);
  return (keepsElements || isMade) && llvm::all_of(op->getOperands(), [&](Value operand) {
           return !isTile(operand) || addOpsMadeAt(store, operand, ops);
         });
}

// Microseconds on an H200, where registers hold what is stored, and where it is made at the store:
//
//   columns (67.1 million bf16)   131072       65536        32768
//   rms_norm (reads a weight)     70.9, 67.5   67.6, 67.3   65.6, 66.8
//   layer_norm (a weight, a bias) 72.7, 76.1   72.0, 74.3   68.1, 70.4
//   softmax                       65.9, 65.9   65.5, 65.7   65.1, 65.5
//
// Fewer registers let six blocks of rms_norm share an SM in place of four, which counts where a row
// has many blocks that wait for each other. But a loop that is not unrolled as a whole waits for
// its loads in each round.
llvm::SetVector<Operation *> passes::opsMadeAtStore(tile::StoreOp store) {
  constexpr int64_t kLong = 64; // registers, as of rows that hold-rows puts into shared memory
  constexpr int64_t kFewestBlocks = 4, kMostLoads = 1;
  llvm::SetVector<Operation *> ops;
  Value stored = store.getValue();
  auto type = dyn_cast<RankedTensorType>(stored.getType());
  if (!type || !type.getEncoding() || cta::layoutOf(type).registers() < kLong ||
      cta::clusterOf(store->getParentOfType<func::FuncOp>()).blocks() < kFewestBlocks ||
      !addOpsMadeAt(store, stored, ops))
    return {};
  bool holdsRow = llvm::any_of(ops, [](Operation *op) { return isa<cta::GetOp>(op); });
  auto loads = llvm::count_if(ops, [](Operation *op) { return isa<tile::LoadOp>(op); });
  return holdsRow && loads <= kMostLoads ? ops : llvm::SetVector<Operation *>();
}

llvm::DenseSet<Operation *> passes::opsMadeAtStores(Operation *root) {
  llvm::DenseSet<Operation *> all;
  root->walk([&](tile::StoreOp store) {
    auto ops = opsMadeAtStore(store);
    all.insert(ops.begin(), ops.end());
  });
  return all;
}

bool passes::isMadeForEachUse(Value tile, Operation *user) {
  Operation *op = tile.getDefiningOp();
  return op &&
         op->getParentOfType<LoopLikeOpInterface>() == user->getParentOfType<LoopLikeOpInterface>();
}

/// The values that are `value` under another name: what a loop carries, and what branches yield.
/// False if it is read, or made, by anything else than a left operand or an elementwise op.
static bool addNames(Value value, llvm::SetVector<Value> &names) {
  auto addCarried = [&](LoopLikeOpInterface loop, unsigned number) {
    names.insert(loop.getInits()[number]);
    names.insert(loop.getRegionIterArgs()[number]);
    names.insert(loop.getYieldedValues()[number]);
    names.insert((*loop.getLoopResults())[number]);
  };
  auto addYielded = [&](scf::IfOp branch, unsigned number) {
    names.insert(branch.getResult(number));
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      names.insert(region->front().getTerminator()->getOperand(number));
  };
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    auto mma = dyn_cast<cta::MmaOp>(user);
    auto around = dyn_cast<LoopLikeOpInterface>(user->getParentOp());
    if (mma && value == mma.getA() && mma.takesOrderOfSums())
      continue;
    if (auto loop = dyn_cast<LoopLikeOpInterface>(user);
        loop && llvm::is_contained(loop.getInits(), value))
      addCarried(loop, unsigned(llvm::find(loop.getInits(), value) - loop.getInits().begin()));
    else if (isa<scf::YieldOp, cta::YieldOp>(user) && around && around.getLoopResults())
      addCarried(around, use.getOperandNumber());
    else if (auto branch = dyn_cast<scf::IfOp>(user->getParentOp());
             branch && isa<scf::YieldOp>(user))
      addYielded(branch, use.getOperandNumber());
    else
      return false;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    auto carried = loop ? loop.getRegionIterArgs() : Block::BlockArgListType();
    auto found = llvm::find(carried, argument);
    if (found == carried.end())
      return false;
    addCarried(loop, unsigned(found - carried.begin()));
    return true;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op); loop && loop.getLoopResults())
    addCarried(loop, number);
  else if (auto branch = dyn_cast<scf::IfOp>(op); branch && !branch.getElseRegion().empty())
    addYielded(branch, number);
  else
    return isElementwise(op);
  return true;
}

bool passes::isInOrderOfOperands(Value tile) {
  if (getElementTypeOrSelf(tile.getType()).getIntOrFloatBitWidth() != 8)
    return false;
  llvm::SetVector<Value> names;
  names.insert(tile);
  for (size_t i = 0; i < names.size(); ++i)
    if (!addNames(names[i], names))
      return false;
  return true;
}
