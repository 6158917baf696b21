// Reads a plan and marks ops with their ids. Missing entries, and entries for things that the
// kernel does not have, are errors: later passes carry out what is stated, and choose nothing.
#include "passes/Passes.h"
#include "passes/analysis/KernelFacts.h"
#include "passes/plan/BindTiles.h"
#include "passes/plan/BoundPlan.h"

#include "ir/Target.h"
#include "llvm/ADT/StringSet.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_BINDPLAN
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct BindPlan : impl::BindPlanBase<BindPlan> {
  using BindPlanBase::BindPlanBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(tile::kKernelAttr))
      return;
    ErrorOr<Plan> read = readPlan(kernel, text);
    if (!read) {
      kernel.emitError() << read.error().message;
      return signalPassFailure();
    }
    plan = std::move(*read);
    facts = KernelFacts::of(kernel);
    if (failed(checkHead()) || failed(checkOnce()) || failed(checkFacts()) ||
        failed(checkRoles()) || failed(bindStreams()) || failed(bindProducts()) ||
        failed(bindTiles(plan, facts)) || failed(bindLoops()) || failed(bindEnds()) ||
        failed(checkChannels()))
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

  LogicalResult checkOnce() {
    llvm::StringSet<> stated;
    auto check = [&](const auto &entries, StringRef section, auto key) {
      for (const auto &entry : entries)
        if (!stated.insert((section + " " + entry.*key).str()).second)
          return LogicalResult(getOperation().emitError()
                               << "has a plan with two " << section << " `" << entry.*key << "`");
      return success();
    };
    return success(succeeded(check(plan.roles, "roles", &Plan::Role::name)) &&
                   succeeded(check(plan.parts, "parts", &Plan::Parts::axis)) &&
                   succeeded(check(plan.products, "products", &Plan::Product::id)) &&
                   succeeded(check(plan.loops, "loops", &Plan::Loop::id)) &&
                   succeeded(check(plan.channels, "channels", &Plan::Channel::id)));
  }

  /// The facts of a plan may have changed since it was written.
  LogicalResult checkFacts() {
    std::string own = facts.hash();
    if (!plan.facts || *plan.facts == own)
      return success();
    InFlightDiagnostic error = getOperation().emitError()
                               << "has a plan for facts " << *plan.facts << "; it has facts " << own
                               << ", which the plan may state once it fits them";
    error.attachNote() << "facts " << own << " are\n" << StringRef(facts.str()).rtrim();
    return error;
  }

  LogicalResult checkRoles() {
    func::FuncOp kernel = getOperation();
    const Plan::Blocks &blocks = plan.blocks;
    if (!blocks.perSm && blocks != Plan::Blocks())
      return kernel.emitError()
             << "has a plan with one block per tile, and clusters, turns, shared tiles, an order "
             << "of tiles or a queue, which are for blocks that take several";
    int64_t computing =
        llvm::count_if(plan.roles, [](const Plan::Role &role) { return role.doesRest(); });
    if (computing != 1)
      return kernel.emitError() << "has a plan with " << computing << " roles that list no streams "
                                << "and no tiles; one does the rest, the others load or put them";
    for (const Plan::Role &role : plan.roles)
      if (failed(checkTiles(role)))
        return failure();
    for (const Plan::Role &role : plan.roles)
      for (const std::string &stream : role.streams) {
        int64_t loaders = 0;
        for (const Plan::Role &other : plan.roles)
          loaders += llvm::count(other.streams, stream);
        bool exists = llvm::any_of(facts.streams, [&](const Stream &s) { return s.id == stream; });
        if (!exists || loaders != 1)
          return kernel.emitError()
                 << "has a plan in which role \"" << role.name << "\" loads `" << stream << "`, "
                 << (exists ? "which is loaded twice" : "which the kernel lacks") << "; it has "
                 << facts.streams.size() << " streams";
      }
    return success();
  }

  /// The tiles of a role exist, and no other role puts them.
  LogicalResult checkTiles(const Plan::Role &role) {
    func::FuncOp kernel = getOperation();
    if (!role.streams.empty() && !role.tiles.empty())
      return kernel.emitError() << "has a plan in which role \"" << role.name << "\" loads `"
                                << role.streams.front() << "` and puts `" << role.tiles.front()
                                << "`; a role does either";
    for (const std::string &tile : role.tiles) {
      int64_t makers = 0;
      for (const Plan::Role &other : plan.roles)
        makers += llvm::count(other.tiles, tile);
      bool exists = llvm::any_of(facts.tiles, [&](auto &each) { return each.id == tile; });
      if (!exists || makers != 1)
        return kernel.emitError() << "has a plan in which role \"" << role.name << "\" puts `"
                                  << tile << "`, "
                                  << (exists ? "which is put twice" : "which the kernel lacks")
                                  << "; it has " << facts.tiles.size() << " computed tiles";
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
      if (!isa<RankedTensorType>(stream.load.getResult().getType()) && channel->kind != "tma")
        return stream.load.emitError() << "is stream `" << stream.id << "`, single numbers, which "
                                       << "come by `tma`";
      if (!stream.notByRole.empty())
        return stream.load.emitError() << "is stream `" << stream.id << "`, which "
                                       << stream.notByRole << "; no role can load it";
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
      auto loop = dyn_cast<scf::ForOp>(product.dot->getParentOp());
      bool isOrdered = loop && llvm::any_of(facts.loops, [&](const LoopFact &fact) {
                         const Plan::Loop *order = plan.loopOf(fact.id);
                         return fact.loop == loop && order && !order->order.empty();
                       });
      if (entry->behind > 1 || (entry->behind && !isOrdered))
        return product.dot.emitError()
               << "is product `" << product.id << "`, which is " << entry->behind << " behind; "
               << (isOrdered ? "1 is the most that can be planned yet"
                             : "in what order its loop then starts and awaits products, the plan "
                               "does not say");
      name(product.dot, product.id);
    }
    for (const Plan::Product &entry : plan.products)
      if (llvm::none_of(facts.products, [&](auto &product) { return product.id == entry.id; }))
        return getOperation().emitError() << "has a plan for product `" << entry.id
                                          << "`; the kernel has " << facts.products.size();
    return success();
  }

  LogicalResult bindLoops() {
    for (LoopFact &loop : facts.loops)
      name(loop.loop, loop.id); // all loops: products in them may be delayed
    for (const Plan::Loop &entry : plan.loops) {
      if (entry.id == Plan::kTiles) {
        if (failed(checkTiles(entry)))
          return failure();
        continue;
      }
      auto loop = llvm::find_if(facts.loops, [&](auto &each) { return each.id == entry.id; });
      if (loop == facts.loops.end())
        return getOperation().emitError()
               << "has a plan for loop `" << entry.id << "`; the kernel has " << facts.loops.size();
      if (failed(checkOrder(loop->loop, entry)))
        return failure();
    }
    return success();
  }

  /// The loop over tiles has only an order of starts and awaits.
  LogicalResult checkTiles(const Plan::Loop &entry) {
    Plan::Loop orderAlone;
    orderAlone.id = entry.id;
    orderAlone.order = entry.order;
    using Step = Plan::Loop::Step;
    bool passes = llvm::any_of(entry.order, [](const auto &step) {
      return step.kind != Step::Start && step.kind != Step::Await;
    });
    if (entry != orderAlone || entry.order.empty() || passes || !plan.blocks.perSm)
      return getOperation().emitError()
             << "has a plan for the loop over `tiles`, of which it can say in what order products "
             << "are started and awaited, where blocks take several tiles";
    for (auto [at, step] : llvm::enumerate(entry.order))
      if (llvm::is_contained(ArrayRef(entry.order).take_front(at), step))
        return getOperation().emitError()
               << "has an order of `tiles` in which `" << step.product << "` stands twice";
    return success();
  }

  /// An order has each product of the loop's body once, and its await after its start.
  LogicalResult checkOrder(scf::ForOp loop, const Plan::Loop &entry) {
    if (entry.order.empty())
      return success();
    using Step = Plan::Loop::Step;
    llvm::StringMap<int64_t> started, awaited, added, turns;
    auto placesOf = [&](const Step &step) -> llvm::StringMap<int64_t> & {
      return step.kind == Step::Start ? started : step.kind == Step::Await ? awaited : added;
    };
    for (auto [at, step] : llvm::enumerate(entry.order))
      if (step.product.empty())
        turns[step.kind == Step::Enter ? "enter" : "leave"] = at;
      else if (!placesOf(step).try_emplace(step.product, at).second)
        return loop.emitError() << "is loop `" << entry.id << "`, in whose order `" << step.product
                                << "` stands twice";
    int64_t passes = llvm::count_if(entry.order, [](auto &step) { return step.product.empty(); });
    if (passes && (passes != 2 || turns.size() != 2 || turns["enter"] > turns["leave"]))
      return loop.emitError() << "is loop `" << entry.id
                              << "`, in whose order a turn is taken once by `enter` and behind "
                              << "that passed on by `leave`";
    size_t ordered = 0;
    for (const ProductFact &product : facts.products) {
      if (product.dot->getBlock() != loop.getBody())
        continue;
      ++ordered;
      auto start = started.find(product.id), await = awaited.find(product.id);
      if (start == started.end() || (await != awaited.end() && await->second < start->second))
        return loop.emitError() << "is loop `" << entry.id << "`, in whose order `" << product.id
                                << (start == started.end() ? "` is not started"
                                                           : "` is awaited before it starts");
    }
    for (const auto &[id, at] : added)
      if (!started.contains(id) || !awaited.contains(id))
        return loop.emitError() << "is loop `" << entry.id << "`, whose order adds `" << id
                                << "` and does not start and await it";
    if (ordered != started.size())
      return loop.emitError() << "is loop `" << entry.id << "` with an order of " << started.size()
                              << " products; it has " << ordered;
    return success();
  }

  LogicalResult bindEnds() {
    for (End &end : facts.ends)
      if (plan.channelOf(end.id))
        name(end.op, end.id);
    return success();
  }

  LogicalResult checkChannels() {
    for (const Plan::Channel &channel : plan.channels) {
      auto isIt = [&](auto &fact) { return fact.id == channel.id; };
      if (llvm::none_of(facts.streams, isIt) && llvm::none_of(facts.tiles, isIt) &&
          llvm::none_of(facts.ends, isIt))
        return getOperation().emitError()
               << "has a plan with a channel for `" << channel.id << "`; the kernel has "
               << facts.streams.size() << " streams, " << facts.tiles.size()
               << " computed tiles and " << facts.ends.size() << " ends";
      const Plan::Channel *with = plan.channelOf(channel.with);
      if (!channel.with.empty() &&
          (!with || !with->with.empty() || with->slots != channel.slots ||
           with->columns != channel.columns || with->rows != channel.rows ||
           plan.loaderOf(with->id) != plan.loaderOf(channel.id)))
        return getOperation().emitError()
               << "has a plan in which `" << channel.id << "` goes with `" << channel.with
               << "`; that takes one "
               << (channel.kind == "store" ? "through slots that are as many and as large"
                                           : "of the same role and as many slots")
               << ", which goes with no other";
      if (channel.multicast && (channel.kind != "tma" || plan.blocks.cluster.empty()))
        return getOperation().emitError()
               << "has a plan in which `" << channel.id << "` goes by multicast; that takes `tma` "
               << "and `clusters of` some blocks";
      char of = channel.id.front();
      bool stores = of == 'e';
      static constexpr StringLiteral kComesBy[] = {"tma", "cp_async", "registers"};
      bool fits = of == 's' ? llvm::is_contained(kComesBy, channel.kind)
                            : channel.kind == (stores ? "store" : "put");
      if (!fits || stores != (channel.columns || channel.rows))
        return getOperation().emitError()
               << "has a plan in which `" << channel.id << "` goes by `" << channel.kind << "`; "
               << (stores      ? "a store goes by `store`, through slots of some columns, or rows"
                   : of == 't' ? "a computed tile is `put`, in whole tiles"
                               : "a stream comes by `tma`, `cp_async` or `registers`, in whole "
                                 "tiles");
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
