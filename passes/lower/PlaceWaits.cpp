// Inserts waits for wgmma groups. Products run asynchronously, group after group, in the order in
// which they were started. So the list of products in flight says what every wait has to be:
//
//   an await           waits until its product is done; younger groups may stay in flight
//   the next product   of the same accumulator waits until the one before it is done, so that one
//                      group stays in flight
//   a loop or branch   with products of its own waits until all earlier ones are done
//
// Slots that a product reads are released behind the wait that finds it done.
//
// A loop may carry a pending accumulator without a wait. Its product then stays in flight across
// the back edge. The loop also carries the slots that it reads, which are released in the next
// iteration or behind the loop. In the first iteration there is no such product. Code without
// products of its own, such as a loop of arithmetic, runs with all products in flight.
//
// ptxas keeps products asynchronous only if nothing touches their registers until they are waited
// for. That is what a pending value guarantees.
#include "passes/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_PLACEWAITS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// A product in flight.
struct Product {
  Value sum;                                     // by its current name
  Value condition;                               // whether there is such a product; null: there is
  SmallVector<std::pair<Value, Location>> slots; // to release, and the places of their releases
};

bool isPending(Value value) { return isa<cta::PendingType>(value.getType()); }

/// The value with which an accumulator was begun.
Value rootOf(Value sum) {
  while (true) {
    auto result = dyn_cast<OpResult>(sum);
    auto argument = dyn_cast<BlockArgument>(sum);
    Operation *op = result ? result.getOwner() : argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      sum = (result ? loop.getTiedLoopInit(result) : loop.getTiedLoopInit(argument))->get();
    else if (auto mma = dyn_cast<cta::MmaOp>(op); mma && isPending(mma.getAcc()))
      sum = mma.getAcc();
    else
      return sum;
  }
}

/// Whether a loop or branch starts products, awaits them or releases slots.
bool concernsProducts(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<cta::MmaOp, cta::AwaitOp, cta::ReleaseOp>(inner) ? WalkResult::interrupt()
                                                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

//===- Loops that carry sums ------------------------------------------------------------------===//

/// What a loop carries without a wait: an accumulator, and the slots that its last product reads.
struct Carried {
  unsigned sum; // the index of the carried value
  SmallVector<std::pair<unsigned, Location>> slots;
};

/// True if products in the loop's body lead from the carried value to the one that is yielded for
/// it.
bool continuesInBody(scf::ForOp loop, BlockArgument argument) {
  Value sum = loop.getTiedLoopYieldedValue(argument)->get();
  if (sum == argument)
    return false;
  while (sum != argument) {
    auto mma = sum.getDefiningOp<cta::MmaOp>();
    if (!mma || mma->getParentOp() != loop)
      return false;
    sum = mma.getAcc();
  }
  return true;
}

/// The accumulators that a loop carries, in the order in which its products continue them.
FailureOr<SmallVector<Carried>> carriedSums(scf::ForOp loop) {
  SmallVector<Carried> sums;
  for (auto [number, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!isPending(argument))
      continue;
    if (!continuesInBody(loop, argument))
      return loop.emitError() << "carries a pending sum that no product of its body continues; "
                              << "await it instead";
    sums.push_back({unsigned(number), {}});
  }
  auto lastProduct = [&](const Carried &carried) {
    return loop.getYieldedValues()[carried.sum].getDefiningOp();
  };
  llvm::sort(sums, [&](const Carried &a, const Carried &b) {
    return lastProduct(a)->isBeforeInBlock(lastProduct(b));
  });
  return sums;
}

//===- The walk -------------------------------------------------------------------------------===//

class WaitPlacer {
public:
  explicit WaitPlacer(MLIRContext *context) : builder(context) {}

  /// Places the waits of a role, or of a kernel without roles.
  LogicalResult run(Block &body) {
    if (failed(visit(body)))
      return failure();
    finishAt(body.getTerminator());
    return success();
  }

private:
  LogicalResult visit(Block &block);
  LogicalResult visit(Operation *op);
  LogicalResult visitFor(scf::ForOp loop);
  LogicalResult visitRegions(Operation *op);
  void start(cta::MmaOp mma);
  void await(cta::AwaitOp await);
  void release(cta::ReleaseOp release);
  void keepReadsBehind(Operation *read);
  scf::ForOp carrySlots(scf::ForOp loop, MutableArrayRef<Carried> sums);
  LogicalResult leaveBody(scf::ForOp loop, ArrayRef<Carried> sums);
  Product carriedProduct(const Carried &carried, ValueRange names, Value condition);
  void wait(Location loc, size_t left, ValueRange done = {}, Value computed = {});
  void finishAt(Operation *op);

  OpBuilder builder;
  SmallVector<Product> products; // in flight, the oldest first
  bool readsBehind = false;      // later reads must stay behind all of them
};

/// Waits until only the youngest `left` products are in flight, and releases the slots of the
/// others.
void WaitPlacer::wait(Location loc, size_t left, ValueRange done, Value computed) {
  if (products.size() <= left)
    return;
  builder.create<cta::WaitGroupOp>(loc, left, done, computed);
  for (const Product &product : ArrayRef(products).drop_back(left))
    for (auto [slot, place] : product.slots)
      builder.create<cta::ReleaseOp>(place, slot, product.condition);
  products.erase(products.begin(), products.end() - left);
}

/// Waits for all products before an op.
void WaitPlacer::finishAt(Operation *op) {
  builder.setInsertionPoint(op);
  wait(op->getLoc(), 0);
}

void WaitPlacer::start(cta::MmaOp mma) {
  readsBehind = false;
  Value root = rootOf(mma.getResult());
  auto before = llvm::find_if(llvm::reverse(products),
                              [&](const Product &product) { return rootOf(product.sum) == root; });
  size_t younger = before - products.rbegin();
  bool continues = before != products.rend();
  products.push_back({mma.getResult(), {}, {}});
  builder.setInsertionPointAfter(mma);
  if (continues)
    wait(mma.getLoc(), younger + 1);
}

void WaitPlacer::await(cta::AwaitOp await) {
  // Adjacent awaits become one wait: no accumulator is touched while another product is in flight.
  size_t left = products.size();
  SmallVector<Value> done;
  for (auto next = await; next; next = dyn_cast<cta::AwaitOp>(next->getNextNode()))
    for (auto [i, product] : llvm::enumerate(products))
      if (product.sum == next.getPending()) {
        left = std::min(left, products.size() - 1 - i);
        done.push_back(product.sum);
      }
  builder.setInsertionPoint(await);
  wait(await.getLoc(), left, done, await.getComputed());
  await.getComputedMutable().clear();
}

void WaitPlacer::release(cta::ReleaseOp release) {
  Value sum = release.getProduct();
  if (!sum)
    return;
  for (Product &product : products)
    if (product.sum == sum) {
      product.slots.push_back({release.getSlot(), release.getLoc()});
      return release.erase();
    }
  release.getProductMutable().clear();
}

/// ptxas moves reads up between the instructions of a product, and the remaining instructions then
/// wait for them. It moves none past a wait, even one for more products than there are.
void WaitPlacer::keepReadsBehind(Operation *read) {
  if (!products.empty() && !readsBehind) {
    builder.setInsertionPoint(read);
    builder.create<cta::WaitGroupOp>(read->getLoc(), products.size(), ValueRange(), Value());
  }
  readsBehind = true;
}

/// Regions that carry no accumulators: a branch, a loop on a condition, the tiles.
LogicalResult WaitPlacer::visitRegions(Operation *op) {
  bool concerned = concernsProducts(op);
  if (concerned)
    finishAt(op);
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    if (failed(visit(region.front())))
      return failure();
    if (concerned)
      finishAt(region.front().getTerminator());
  }
  return success();
}

LogicalResult WaitPlacer::visitFor(scf::ForOp loop) {
  FailureOr<SmallVector<Carried>> carriedHere = carriedSums(loop);
  if (failed(carriedHere))
    return failure();
  SmallVector<Carried> &sums = *carriedHere;
  if (sums.empty())
    return visitRegions(loop);
  finishAt(loop);
  loop = carrySlots(loop, sums);
  auto named = [&](StringRef name) {
    return NameLoc::get(builder.getStringAttr(name), loop.getLoc());
  };
  builder.setInsertionPointToStart(loop.getBody());
  Value later = builder.createOrFold<arith::CmpIOp>(named("later"), arith::CmpIPredicate::sgt,
                                                    loop.getInductionVar(), loop.getLowerBound());
  for (const Carried &carried : sums)
    products.push_back(carriedProduct(carried, loop.getRegionIterArgs(), later));
  if (failed(visit(*loop.getBody())) || failed(leaveBody(loop, sums)))
    return failure();
  builder.setInsertionPointAfter(loop);
  Value ran = builder.createOrFold<arith::CmpIOp>(loop.getLoc(), arith::CmpIPredicate::slt,
                                                  loop.getLowerBound(), loop.getUpperBound());
  for (const Carried &carried : sums)
    products.push_back(carriedProduct(carried, loop.getResults(), ran));
  return success();
}

/// Makes a loop carry the slots of its accumulators' last products.
scf::ForOp WaitPlacer::carrySlots(scf::ForOp loop, MutableArrayRef<Carried> sums) {
  SmallVector<Value> none, slots;
  builder.setInsertionPoint(loop);
  for (Carried &carried : sums) {
    SmallVector<Operation *> users(loop.getYieldedValues()[carried.sum].getUsers());
    for (Operation *user : llvm::reverse(users)) { // as they stand in the program
      auto release = dyn_cast<cta::ReleaseOp>(user);
      if (!release)
        continue;
      carried.slots.push_back(
          {unsigned(loop.getNumRegionIterArgs() + slots.size()), release.getLoc()});
      slots.push_back(release.getSlot());
      Value channel = cta::channelOf(release.getSlot());
      auto named = NameLoc::get(builder.getStringAttr("held_slot"), loop.getLoc());
      none.push_back(builder.create<cta::NoSlotOp>(named, release.getSlot().getType(), channel));
    }
  }
  if (slots.empty())
    return loop;
  DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
  SmallVector<Location> names;
  for (BlockArgument argument : loop.getBody()->getArguments())
    names.push_back(argument.getLoc());
  IRRewriter rewriter(builder);
  auto yieldSlots = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return slots; };
  auto carrying =
      cast<scf::ForOp>(loop.replaceWithAdditionalYields(
                               rewriter, none, /*replaceInitOperandUsesInLoop=*/false, yieldSlots)
                           ->getOperation());
  carrying->setDiscardableAttrs(attributes);
  for (auto [argument, name] : llvm::zip(carrying.getBody()->getArguments(), names))
    argument.setLoc(name);
  return carrying;
}

/// Products in flight at the end of an iteration are those that the loop carries.
LogicalResult WaitPlacer::leaveBody(scf::ForOp loop, ArrayRef<Carried> sums) {
  auto isCarried = [&](const Product &product) {
    return llvm::any_of(sums, [&](const Carried &carried) {
      return loop.getYieldedValues()[carried.sum] == product.sum;
    });
  };
  Operation *end = loop.getBody()->getTerminator();
  builder.setInsertionPoint(end);
  for (size_t i = products.size(); i-- > 0;)
    if (!isCarried(products[i])) {
      wait(end->getLoc(), products.size() - 1 - i);
      break;
    }
  if (products.size() != sums.size())
    return loop.emitError() << "awaits a product that its pending sums came before; await those "
                            << "too, and carry them as tiles";
  products.clear();
  return success();
}

/// A product of an earlier iteration; `names` are the loop's values from here on.
Product WaitPlacer::carriedProduct(const Carried &carried, ValueRange names, Value condition) {
  if (isConstantIntValue(condition, 1))
    condition = {};
  Product product{names[carried.sum], condition, {}};
  for (auto [number, place] : carried.slots)
    product.slots.push_back({names[number], place});
  return product;
}

LogicalResult WaitPlacer::visit(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](cta::RoleOp role) {
        return WaitPlacer(role.getContext()).run(role.getBody().front());
      })
      .Case([&](scf::ForOp loop) { return visitFor(loop); })
      .Case([&](cta::MmaOp mma) {
        if (mma.getInstruction().isAsynchronous())
          start(mma);
        return success();
      })
      .Case([&](cta::AwaitOp each) { return await(each), success(); })
      .Case([&](cta::ReleaseOp each) { return release(each), success(); })
      .Case<cta::GetOp, cta::ElementOp>([&](auto read) { return keepReadsBehind(read), success(); })
      .Default([&](Operation *other) {
        return other->getNumRegions() > 0 ? visitRegions(other) : success();
      });
}

LogicalResult WaitPlacer::visit(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(visit(&op)))
      return failure();
  return success();
}

struct PlaceWaits : impl::PlaceWaitsBase<PlaceWaits> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (cta::warpsOf(kernel) && failed(WaitPlacer(&getContext()).run(kernel.getBody().front())))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright::passes
