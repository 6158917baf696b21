// Reads a plan, and says of each op what the plan calls it. What the plan leaves open, and what the
// kernel does not have, are errors: later passes carry out what is stated, and choose nothing.
#include "passes/Passes.h"
#include "passes/analysis/KernelFacts.h"
#include "passes/plan/BoundPlan.h"

#include "ir/Target.h"
#include "mlir/AsmParser/AsmParser.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_BINDPLAN
#include "passes/Passes.h.inc"

using namespace mlir;

Plan planOf(func::FuncOp kernel) {
  auto text = kernel->getAttrOfType<StringAttr>(kPlanAttr);
  return Plan::parse(text.getValue()).value(); // as bind-plan has written it
}

Location placeNamed(Operation *access, Value view) {
  auto argument = cast<BlockArgument>(view);
  auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr);
  Location place = access->getLoc();
  if (auto named = dyn_cast<NameLoc>(place))
    place = named.getChildLoc();
  return name ? Location(NameLoc::get(name, place)) : place;
}

cta::InstructionAttrInterface instructionOf(const Plan::Product &product, MLIRContext *context) {
  std::string shape = llvm::join(
      llvm::map_range(product.shape, [](int64_t size) { return std::to_string(size); }), "x");
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  return dyn_cast_or_null<cta::InstructionAttrInterface>(
      parseAttribute("#cta." + product.unit + "<" + shape + ">", context));
}

namespace {

struct BindPlan : impl::BindPlanBase<BindPlan> {
  using BindPlanBase::BindPlanBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(tile::kKernelAttr))
      return;
    auto own = kernel->getAttrOfType<StringAttr>(kPlanAttr);
    ErrorOr<Plan> read = Plan::parse(text.empty() && own ? own.str() : text);
    if (!read) {
      kernel.emitError() << read.error().message;
      return signalPassFailure();
    }
    plan = std::move(*read);
    facts = KernelFacts::of(kernel);
    if (failed(checkHead()) || failed(checkRoles()) || failed(bindStreams()) ||
        failed(bindProducts()) || failed(bindEnds()) || failed(checkChannels()))
      return signalPassFailure();
    Builder builder(&getContext());
    kernel->setAttr(cta::kTargetAttr, builder.getStringAttr(plan.target));
    kernel->setAttr(kPlanAttr, builder.getStringAttr(plan.str()));
  }

private:
  LogicalResult checkHead() {
    func::FuncOp kernel = getOperation();
    if (plan.kernel != kernel.getName())
      return kernel.emitError() << "has a plan of kernel `" << plan.kernel << "`";
    if (plan.target != target)
      return kernel.emitError() << "has a plan for `" << plan.target << "` and is compiled for `"
                                << target << "`";
    if (!findTarget(plan.target))
      return kernel.emitError() << "has a plan for target `" << plan.target
                                << "`, which is unknown; `tilewright targets` lists them";
    return success();
  }

  LogicalResult checkRoles() {
    func::FuncOp kernel = getOperation();
    int64_t computing =
        llvm::count_if(plan.roles, [](const Plan::Role &role) { return role.streams.empty(); });
    if (computing != 1)
      return kernel.emitError() << "has a plan with " << computing << " roles that load nothing; "
                                << "one computes, the others load streams";
    for (const Plan::Role &role : plan.roles)
      for (const std::string &stream : role.streams) {
        auto loaders = llvm::count_if(plan.roles, [&](const Plan::Role &other) {
          return llvm::is_contained(other.streams, stream);
        });
        bool exists = llvm::any_of(facts.streams, [&](const Stream &s) { return s.id == stream; });
        if (!exists || loaders != 1)
          return kernel.emitError()
                 << "has a plan in which role \"" << role.name << "\" loads `" << stream << "`, "
                 << (exists ? "as another does" : "which the kernel lacks") << "; it has "
                 << facts.streams.size() << " streams";
      }
    return success();
  }

  /// Whether a loading role can be made of a stream, as far as roles can be cut yet.
  static LogicalResult checkStream(const Stream &stream) {
    tile::LoadOp load = stream.load;
    auto refuse = [&](StringRef why) {
      return load.emitError() << "is stream `" << stream.id << "`, which " << why
                              << "; no role can load it";
    };
    if (load.getValid() || load.getFill() || llvm::is_contained(load.getExtents(), tile::kGather))
      return refuse("is padded, filled with a value or gathered");
    SmallVector<Value> open(load.getIndices());
    for (Operation *around = load->getParentOp(); !isa<func::FuncOp>(around);
         around = around->getParentOp()) {
      auto loop = dyn_cast<scf::ForOp>(around);
      if (!loop)
        return refuse("stands in a branch");
      open.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    }
    llvm::SmallDenseSet<Value> seen;
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      auto argument = dyn_cast<BlockArgument>(value);
      if (argument && isa<scf::ForOp>(argument.getOwner()->getParentOp()) &&
          argument.getArgNumber() != 0)
        return refuse("reads where, or as often as, a loop has come to");
      if (Operation *op = value.getDefiningOp(); op && op->getNumRegions())
        return refuse("reads where, or as often as, a loop or branch has led to");
      else if (op)
        llvm::append_range(open, op->getOperands());
    }
    return success();
  }

  LogicalResult bindStreams() {
    for (Stream &stream : facts.streams) {
      const Plan::Channel *channel = plan.channelOf(stream.id);
      const Plan::Role *role = plan.loaderOf(stream.id);
      if (bool(channel) != bool(role))
        return stream.load.emitError()
               << "is stream `" << stream.id << "`, which has "
               << (role ? "a role that loads it, but no channel" : "a channel, but no role")
               << " in the plan";
      if (!channel)
        continue;
      if (failed(checkStream(stream)))
        return failure();
      name(stream.load, stream.id);
    }
    return success();
  }

  LogicalResult bindProducts() {
    for (ProductFact &product : facts.products) {
      const Plan::Product *entry = plan.productOf(product.id);
      if (!entry)
        return product.dot.emitError() << "is product `" << product.id
                                       << "`, of which the plan does not say how it is made";
      if (!instructionOf(*entry, &getContext()))
        return product.dot.emitError()
               << "is product `" << product.id
               << "`, for which the plan names no instruction that there is";
      name(product.dot, product.id);
    }
    for (const Plan::Product &entry : plan.products)
      if (llvm::none_of(facts.products, [&](auto &product) { return product.id == entry.id; }))
        return getOperation().emitError() << "has a plan for product `" << entry.id
                                          << "`; the kernel has " << facts.products.size();
    return success();
  }

  LogicalResult bindEnds() {
    for (End &end : facts.ends)
      if (plan.channelOf(end.id))
        name(end.store, end.id);
    return success();
  }

  LogicalResult checkChannels() {
    for (const Plan::Channel &channel : plan.channels) {
      auto isIt = [&](auto &fact) { return fact.id == channel.id; };
      if (llvm::none_of(facts.streams, isIt) && llvm::none_of(facts.ends, isIt))
        return getOperation().emitError()
               << "has a plan with a channel for `" << channel.id << "`; the kernel has "
               << facts.streams.size() << " streams and " << facts.ends.size() << " ends";
      bool stores = StringRef(channel.id).starts_with("e");
      static constexpr StringLiteral kComesBy[] = {"tma", "cp_async", "registers"};
      bool fits = stores ? channel.kind == "store" : llvm::is_contained(kComesBy, channel.kind);
      if (!fits || stores != bool(channel.columns))
        return getOperation().emitError()
               << "has a plan in which `" << channel.id << "` goes by `" << channel.kind << "`; "
               << (stores ? "an end goes by `store`, through slots of some columns"
                          : "a stream comes by `tma`, `cp_async` or `registers`, in whole tiles");
    }
    return success();
  }

  void name(Operation *op, StringRef id) {
    op->setAttr(kIdAttr, StringAttr::get(&getContext(), id));
  }

  Plan plan;
  KernelFacts facts;
};

} // namespace
} // namespace tilewright::passes
