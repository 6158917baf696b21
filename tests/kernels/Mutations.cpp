#include "tests/kernels/Mutations.h"

#include "ir/cuda/Cuda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// One mutation: whether an op can have it, and how. The number is what follows the name.
struct Mutation {
  bool (*applies)(Operation *);
  void (*apply)(Operation *, int64_t number);
};

template <typename... Ops> bool isOneOf(Operation *op) { return isa<Ops...>(op); }

void drop(Operation *op, int64_t) { op->erase(); }

Value constant(OpBuilder &builder, Location location, int64_t value) {
  return builder.create<arith::ConstantIntOp>(location, value, 32);
}

/// The operand that is an op's address in shared memory; null if it has none.
OpOperand *sharedAddress(Operation *op) {
  if (auto copy = dyn_cast<cuda::CpAsyncOp>(op))
    return &copy.getSharedMutable();
  if (auto load = dyn_cast<cuda::LoadSharedOp>(op))
    return &load.getAddressMutable();
  if (auto store = dyn_cast<cuda::StoreSharedOp>(op))
    return &store.getAddressMutable();
  if (auto load = dyn_cast<cuda::LdmatrixOp>(op))
    return &load.getAddressMutable();
  if (auto store = dyn_cast<cuda::StmatrixOp>(op))
    return &store.getAddressMutable();
  return nullptr;
}

/// The operand that is an op's offset in global memory; null if it has none.
OpOperand *globalOffset(Operation *op) {
  if (auto copy = dyn_cast<cuda::CpAsyncOp>(op))
    return &copy.getOffsetMutable();
  if (auto load = dyn_cast<cuda::LoadGlobalOp>(op))
    return &load.getOffsetMutable();
  if (auto store = dyn_cast<cuda::StoreGlobalOp>(op))
    return &store.getOffsetMutable();
  return nullptr;
}

void addTo(OpOperand &operand, int64_t number) {
  OpBuilder builder(operand.getOwner());
  Location location = operand.getOwner()->getLoc();
  Value amount = constant(builder, location, number);
  operand.set(builder.create<arith::AddIOp>(location, operand.get(), amount));
}

/// Puts an op under the condition that the thread is of the first warp.
void restrictToFirstWarp(Operation *op, int64_t) {
  OpBuilder builder(op);
  Location location = op->getLoc();
  Value thread = builder.create<cuda::ThreadIdOp>(location, builder.getI32Type());
  Value first = builder.create<arith::CmpIOp>(location, arith::CmpIPredicate::slt, thread,
                                              constant(builder, location, 32));
  auto branch = builder.create<scf::IfOp>(location, first, /*withElseRegion=*/false);
  op->moveBefore(branch.thenYield());
}

/// Whether an op takes a predicate, or a count of valid bytes, which it has.
bool isGuarded(Operation *op) {
  if (auto copy = dyn_cast<cuda::CpAsyncOp>(op))
    return bool(copy.getValid());
  if (auto load = dyn_cast<cuda::LoadGlobalOp>(op))
    return bool(load.getPredicate());
  auto store = dyn_cast<cuda::StoreGlobalOp>(op);
  return store && store.getPredicate();
}

void dropGuard(Operation *op, int64_t) {
  if (auto copy = dyn_cast<cuda::CpAsyncOp>(op))
    copy.getValidMutable().clear();
  else if (auto load = dyn_cast<cuda::LoadGlobalOp>(op))
    load.getPredicateMutable().clear();
  else
    cast<cuda::StoreGlobalOp>(op).getPredicateMutable().clear();
}

/// A loop that synchronises, and so is no mere loop over registers.
bool isMainLoop(Operation *op) {
  return isa<scf::ForOp>(op) &&
         op->walk([](cuda::BarrierOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// A branch around asynchronous copies.
bool isCopyBranch(Operation *op) {
  return isa<scf::IfOp>(op) &&
         op->walk([](cuda::CpAsyncOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

const llvm::StringMap<Mutation> &allMutations() {
  static const llvm::StringMap<Mutation> mutations = {
      {"drop-barrier", {isOneOf<cuda::BarrierOp>, drop}},
      {"drop-wait", {isOneOf<cuda::CpAsyncWaitOp>, drop}},
      {"drop-commit", {isOneOf<cuda::CpAsyncCommitOp>, drop}},
      {"drop-copy", {isOneOf<cuda::CpAsyncOp>, drop}},
      {"drop-store-shared", {isOneOf<cuda::StoreSharedOp>, drop}},
      {"drop-load", {isOneOf<cuda::LoadSharedOp, cuda::LdmatrixOp, cuda::LoadGlobalOp>, drop}},
      {"drop-copies", {isCopyBranch, drop}},
      {"drop-guard", {isGuarded, dropGuard}},
      // Waits for fewer groups.
      {"wait-late",
       {isOneOf<cuda::CpAsyncWaitOp>,
        [](Operation *op, int64_t number) {
          auto wait = cast<cuda::CpAsyncWaitOp>(op);
          wait.setPending(wait.getPending() + number);
        }}},
      {"wait-after-barrier",
       {[](Operation *op) {
          return isa<cuda::CpAsyncWaitOp>(op) &&
                 isa_and_present<cuda::BarrierOp>(op->getNextNode());
        },
        [](Operation *op, int64_t) { op->moveAfter(op->getNextNode()); }}},
      {"skip-arrival", {isOneOf<cuda::BarrierOp>, restrictToFirstWarp}},
      {"diverge",
       {isOneOf<cuda::LdmatrixOp>,
        [](Operation *op, int64_t) {
          OpBuilder builder(op);
          Location location = op->getLoc();
          Value thread = builder.create<cuda::ThreadIdOp>(location, builder.getI32Type());
          Value bit =
              builder.create<arith::AndIOp>(location, thread, constant(builder, location, 1));
          Value odd = builder.create<arith::TruncIOp>(location, builder.getI1Type(), bit);
          auto branch = builder.create<scf::IfOp>(location, odd, /*withElseRegion=*/false);
          op->moveBefore(branch.thenYield());
        }}},
      // Puts a region of shared memory elsewhere.
      {"move-region",
       {isOneOf<cuda::SharedOp>,
        [](Operation *op, int64_t number) { cast<cuda::SharedOp>(op).setOffset(number); }}},
      {"shrink-shared",
       {isOneOf<func::FuncOp>,
        [](Operation *op, int64_t number) {
          int64_t bytes = op->getAttrOfType<IntegerAttr>(cuda::kSharedBytesAttr).getInt();
          op->setAttr(cuda::kSharedBytesAttr,
                      OpBuilder(op).getI32IntegerAttr(int32_t(bytes - number)));
          op->walk([&](cuda::SharedOp region) {
            int64_t end = bytes - number;
            if (int64_t(region.getOffset() + region.getBytes()) > end)
              region.setBytes(end - region.getOffset());
          });
        }}},
      {"halve-bytes",
       {isOneOf<cuda::CpAsyncOp>,
        [](Operation *op, int64_t) {
          auto copy = cast<cuda::CpAsyncOp>(op);
          copy.setBytes(copy.getBytes() / 2);
        }}},
      {"shift-shared",
       {[](Operation *op) { return sharedAddress(op) != nullptr; },
        [](Operation *op, int64_t number) { addTo(*sharedAddress(op), number); }}},
      {"shift-global",
       {[](Operation *op) { return globalOffset(op) != nullptr; },
        [](Operation *op, int64_t number) { addTo(*globalOffset(op), number); }}},
      // One iteration more, or fewer.
      {"lengthen-loop",
       {isMainLoop,
        [](Operation *op, int64_t number) {
          addTo(cast<scf::ForOp>(op).getUpperBoundMutable(), number);
        }}},
      {"shuffle-other-lane",
       {isOneOf<cuda::ShuffleXorOp>,
        [](Operation *op, int64_t number) {
          OpBuilder builder(op);
          op->setOperand(1, constant(builder, op->getLoc(), number));
        }}},
      {"commit-early",
       {[](Operation *op) {
          return isa<cuda::CpAsyncCommitOp>(op) && isa_and_present<scf::IfOp>(op->getPrevNode());
        },
        [](Operation *op, int64_t) { op->moveBefore(op->getPrevNode()); }}},
      {"shift-register",
       {isOneOf<cuda::LdmatrixOp>,
        [](Operation *op, int64_t number) {
          addTo(cast<cuda::LdmatrixOp>(op).getIndexMutable(), number);
        }}},
  };
  return mutations;
}

} // namespace

bool kernels::mutate(func::FuncOp kernel, StringRef mutation, unsigned index) {
  auto [name, rest] = mutation.split(' ');
  int64_t number = 0;
  rest.getAsInteger(10, number);
  auto found = allMutations().find(name);
  if (found == allMutations().end())
    return false;
  SmallVector<Operation *> places;
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (found->second.applies(op))
      places.push_back(op);
  });
  if (index >= places.size())
    return false;
  found->second.apply(places[index], number);
  return true;
}
