// Expands the shorthands of a `cta` program, so that checks and layouts see what runs:
//
//   calls         are inlined; a function may do whatever its caller may
//   `cta.before`  splits its loop in two, the second from what the first carried
//   `cta.load`    becomes acquire, copy and commit of a slot
//   `cta.when`    becomes an assert: the plan is only run for these launches
//
// Branches whose condition is then constant are folded, so one function serves a loop with masks
// and one without. Locations keep the name and line of an op, and those of the calls around it.
#include "passes/Passes.h"
#include "passes/analysis/Divisibility.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_UNFOLDPROGRAM
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

//===- Calls ----------------------------------------------------------------------------------===//

/// A place in a function, as seen from a call; the name stays outermost.
Location placeSeenFrom(Location place, Location call) {
  if (auto named = dyn_cast<NameLoc>(place))
    return NameLoc::get(named.getName(), placeSeenFrom(named.getChildLoc(), call));
  return CallSiteLoc::get(place, call);
}

/// The place of a call, without the name of its result.
Location placeOf(func::CallOp call) {
  auto named = dyn_cast<NameLoc>(call.getLoc());
  return named ? named.getChildLoc() : call.getLoc();
}

void setPlaces(Operation *copy, Location call) {
  copy->walk([&](Operation *op) {
    op->setLoc(placeSeenFrom(op->getLoc(), call));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setLoc(placeSeenFrom(argument.getLoc(), call));
  });
}

/// Replaces a call by a copy of the function's body; returns its ops.
SmallVector<Operation *> inlineCall(func::CallOp call, func::FuncOp function) {
  OpBuilder builder(call);
  IRMapping values;
  values.map(function.getArguments(), call.getOperands());
  SmallVector<Operation *> copies;
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator()) {
    copies.push_back(builder.clone(op, values));
    setPlaces(copies.back(), placeOf(call));
  }
  for (auto [result, returned] : llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(values.lookupOrDefault(returned));
  call.erase();
  return copies;
}

/// Inlines the calls within a kernel.
class Calls {
public:
  explicit Calls(ModuleOp module) : module(module) {}

  LogicalResult inlineIn(Operation *op) {
    SmallVector<func::CallOp> calls;
    op->walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      auto function = module.lookupSymbol<func::FuncOp>(call.getCallee());
      if (failed(check(call, function)))
        return failure();
      running.push_back(function);
      for (Operation *copy : inlineCall(call, function))
        if (failed(inlineIn(copy)))
          return failure();
      running.pop_back();
    }
    return success();
  }

private:
  LogicalResult check(func::CallOp call, func::FuncOp function) {
    auto refuse = [&](StringRef why) {
      return call.emitError() << "calls `" << call.getCallee() << "`, which " << why;
    };
    if (!function.isPrivate())
      return refuse("is a kernel; move what both do into a function that is `private`");
    if (function.isExternal())
      return refuse("has no body; write it in this file");
    if (!function.getBody().hasOneBlock())
      return refuse("has several blocks; use `scf.if` and `scf.for`");
    if (llvm::is_contained(running, function))
      return refuse("is being written out for this call; use a loop instead");
    return success();
  }

  ModuleOp module;
  SmallVector<func::FuncOp> running; // the functions around the current op, outermost first
};

//===- Loops and branches ---------------------------------------------------------------------===//

/// Replaces a value by its known constant, and folds its users.
void replaceByKnown(Operation *op, Value known) {
  SmallVector<Operation *> users(op->getUsers());
  op->replaceAllUsesWith(ValueRange(known));
  op->erase();
  for (Operation *user : users) {
    if (!isa<arith::XOrIOp, arith::OrIOp, arith::AndIOp>(user))
      continue;
    SmallVector<Value> folded;
    OpBuilder builder(user);
    while (folded.empty() && succeeded(builder.tryFold(user, folded)))
      ; // the first fold may only have moved the constant to the right
    if (!folded.empty())
      replaceByKnown(user, folded.front());
  }
}

void decide(cta::BeforeOp before, bool holds) {
  OpBuilder builder(before);
  replaceByKnown(before, builder.create<arith::ConstantIntOp>(before.getLoc(), holds, 1));
}

/// Splits the loop around the op into [lower, at) and [at, upper).
void splitLoop(cta::BeforeOp before) {
  auto second = cast<scf::ForOp>(before->getParentOp());
  OpBuilder builder(second);
  Location loc = before.getBound().getLoc(); // the bound has its name
  Value at = builder.create<arith::MaxSIOp>(loc, before.getBound(), second.getLowerBound());
  at = builder.create<arith::MinSIOp>(loc, at, second.getUpperBound());
  IRMapping values;
  auto first = cast<scf::ForOp>(builder.clone(*second, values));
  first.setUpperBound(at);
  second.setLowerBound(at);
  second.getInitArgsMutable().assign(first.getResults());
  decide(cast<cta::BeforeOp>(values.lookup(before.getResult()).getDefiningOp()), true);
  decide(before, false);
}

/// Replaces a branch with a constant condition by the region that runs.
void decideBranch(scf::IfOp branch) {
  APInt condition;
  if (!matchPattern(branch.getCondition(), m_ConstantInt(&condition)))
    return;
  Region &taken = condition.isOne() ? branch.getThenRegion() : branch.getElseRegion();
  if (!taken.empty()) {
    Block &body = taken.front();
    branch.replaceAllUsesWith(body.getTerminator()->getOperands());
    branch->getBlock()->getOperations().splice(branch->getIterator(), body.getOperations(),
                                               body.begin(), std::prev(body.end()));
  }
  branch.erase();
}

//===- Loads ----------------------------------------------------------------------------------===//

/// Whether TMA fills the channel's slots; other slots are filled by accesses of some width.
bool isBoxed(Value channel) {
  auto op = channel.getDefiningOp<cta::ChannelOp>();
  return op && op.getKind() == cta::ChannelKind::Tma;
}

void writeOutLoad(cta::LoadOp load) {
  OpBuilder builder(load);
  auto channel = load.getChannel();
  auto type = cta::SlotType::get(load.getContext(), channel.getType().getTile());
  Value slot = builder.create<cta::AcquireOp>(load.getLoc(), type, channel);
  auto vector = builder.getI64IntegerAttr(
      accessVector(load.getView().getType(), load.getIndices(), load.getExtents()));
  builder.create<cta::CopyOp>(load.getLoc(), load.getView(), load.getIndices(), slot,
                              /*predicate=*/Value(), load.getExtentsAttr(), /*valid=*/nullptr,
                              /*in_bounds=*/nullptr, isBoxed(channel) ? IntegerAttr() : vector,
                              /*fill=*/nullptr);
  builder.create<cta::CommitOp>(load.getLoc(), slot);
  load.erase();
}

//===- Conditions -----------------------------------------------------------------------------===//

void writeOutWhen(cta::WhenOp when) {
  OpBuilder builder(when);
  builder.create<tile::AssertOp>(when.getLoc(), when.getCondition(), cta::WhenOp::message());
  when.erase();
}

//===- The pass -------------------------------------------------------------------------------===//

struct UnfoldProgram : impl::UnfoldProgramBase<UnfoldProgram> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels, functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      (function.isPrivate() ? functions : kernels).push_back(function);
    for (func::FuncOp kernel : kernels) {
      if (failed(Calls(getOperation()).inlineIn(kernel)))
        return signalPassFailure();
      while (cta::BeforeOp before = firstSplit(kernel))
        splitLoop(before);
      kernel.walk(decideBranch);
      kernel.walk(writeOutLoad);
      kernel.walk(writeOutWhen);
    }
    for (func::FuncOp function : functions)
      function.erase();
  }

  /// The first op that splits a loop, if there is one.
  static cta::BeforeOp firstSplit(func::FuncOp kernel) {
    cta::BeforeOp first;
    kernel.walk([&](cta::BeforeOp before) {
      first = before;
      return WalkResult::interrupt();
    });
    return first;
  }
};

} // namespace
} // namespace tilewright::passes
