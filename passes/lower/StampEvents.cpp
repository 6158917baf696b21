// Puts time stamps around what a timeline shows: waits, copies, products, stores, tiles. Ops still
// work on whole tiles here, so an event is an op. What a stamp costs is in docs/timeline.md.
//
// Each event says whom it waits for, in the words of the program: for a full slot the roles that
// fill it, for a free one those that release it.
//
// A run is a straight line of ops. Its stamps lie at fixed places of one record, so that a stamp is
// a clock and a store, and only the end of the run moves on.
#include "passes/Passes.h"

#include "ir/cta/Cta.h"
#include "ir/cuda/Cuda.h"
#include "support/Timeline.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_STAMPEVENTS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// What a stamp is about. Kinds are tile, tile_end, wait, product, copy and store.
struct Event {
  StringRef kind;
  std::string name;
  SmallVector<std::string, 2> by = {}; // whom a wait is for
  int64_t fmas = 0, bits = 0;          // of a product: multiply-adds of a lane, of operands so wide
  bool asynchronous = false;           // a product or a copy that goes on behind the event
  int64_t left = -1;                   // of a wait for products: how many may go on
};

class Stamper {
public:
  Stamper(func::FuncOp kernel, int64_t capacity, TimelineDetail detail)
      : kernel(kernel), capacity(capacity), detail(detail), builder(kernel.getContext()) {}

  void run() {
    kernel.walk([&](cuda::MbarrierWaitOp wait) { noteSide(wait); });
    auto roles = llvm::to_vector(kernel.getOps<cta::RoleOp>());
    for (cta::RoleOp role : roles) {
      role->setAttr(cta::kLaneAttr, builder.getI32IntegerAttr(int32_t(lanes.size())));
      addLanes(role);
      stampRegion(role.getBody());
    }
    if (roles.empty()) {
      addLane(kernel.getName(), /*part=*/0, /*parts=*/1);
      stampRegion(kernel.getBody());
    }
    writeTable();
  }

private:
  using Side = std::pair<Attribute, cta::SlotState>; // of a ring

  static std::optional<Side> sideOf(cuda::MbarrierWaitOp wait) {
    auto barrier = wait.getBarrier().getDefiningOp<cta::BarrierOfOp>();
    if (!barrier)
      return std::nullopt;
    auto channel = barrier.getChannel().getDefiningOp<cta::ChannelOp>();
    return Side{channel.getPlan()->getRing(), barrier.getState()};
  }

  void noteSide(cuda::MbarrierWaitOp wait) {
    if (auto side = sideOf(wait))
      if (cta::RoleOp role = cta::roleOf(wait))
        waiters[*side].insert(role.getName());
  }

  void writeTable() {
    int64_t least = kTimelineEdgeStamps + 2 * longest;
    auto number = [&](StringRef key, int64_t value) {
      return builder.getNamedAttr(key, builder.getI64IntegerAttr(value));
    };
    auto text = [&](StringRef key, StringRef value) {
      return builder.getNamedAttr(key, builder.getStringAttr(value));
    };
    auto list = [&](StringRef key, ArrayRef<Attribute> values) {
      return builder.getNamedAttr(key, builder.getArrayAttr(values));
    };
    kernel->setAttr(cta::kTimelineAttr,
                    builder.getDictionaryAttr({number("capacity", std::max(capacity, least)),
                                               text("detail", detailName(detail)),
                                               list("events", events), list("lanes", lanes),
                                               number("longest", longest), list("runs", runs)}));
  }

  //===- Lanes --------------------------------------------------------------------------------===//

  void addLane(StringRef role, int64_t part, int64_t parts) {
    lanes.push_back(
        builder.getDictionaryAttr({builder.getNamedAttr("part", builder.getI64IntegerAttr(part)),
                                   builder.getNamedAttr("parts", builder.getI64IntegerAttr(parts)),
                                   builder.getNamedAttr("role", builder.getStringAttr(role))}));
  }

  static int64_t partsOf(cta::RoleOp role) {
    constexpr int64_t kWarps = cta::kWarpsPerWarpgroup;
    bool isWhole = cta::firstWarp(role) % kWarps == 0 && role.getWarps() % kWarps == 0;
    return isWhole && !cta::isElected(role) ? int64_t(role.getWarps()) / kWarps : 1;
  }

  void addLanes(cta::RoleOp role) {
    int64_t parts = partsOf(role);
    for (int64_t part = 0; part < parts; ++part)
      addLane(role.getName(), part, parts);
  }

  //===- Events -------------------------------------------------------------------------------===//

  /// Adds an event to the list, and gives its number.
  int64_t add(const Event &event, Location location) {
    auto number = [&](StringRef key, int64_t value) {
      return builder.getNamedAttr(key, builder.getI64IntegerAttr(value));
    };
    auto text = [&](StringRef key, StringRef value) {
      return builder.getNamedAttr(key, builder.getStringAttr(value));
    };
    SmallVector<StringRef> by(event.by.begin(), event.by.end());
    auto place = location->findInstanceOf<FileLineColLoc>();
    events.push_back(builder.getDictionaryAttr(
        {number("asynchronous", event.asynchronous), number("bits", event.bits),
         builder.getNamedAttr("by", builder.getStrArrayAttr(by)), number("fmas", event.fmas),
         text("kind", event.kind), number("left", event.left),
         number("line", place ? place.getLine() : 0), text("name", event.name)}));
    return int64_t(events.size());
  }

  Event slotWait(cuda::MbarrierWaitOp wait) {
    auto side = sideOf(wait);
    if (!side)
      return {"wait", "barrier"};
    auto barrier = wait.getBarrier().getDefiningOp<cta::BarrierOfOp>();
    bool isFull = side->second == cta::SlotState::Full;
    Side other{side->first, isFull ? cta::SlotState::Empty : cta::SlotState::Full};
    std::string channel = cta::nameOf(barrier.getChannel(), "channel");
    Event event{"wait", isFull ? channel : "free slot of " + channel};
    for (StringRef role : waiters[other])
      event.by.push_back(role.str());
    return event;
  }

  static Event turnWait(cta::EnterOp enter) {
    Event event{"wait", "turn"};
    auto order = enter.getOrder().getDefiningOp<cta::OrderOp>();
    for (cta::RoleOp role : cta::takersOf(order))
      event.by.push_back(role.getName().str());
    return event;
  }

  static Event product(cta::MmaOp op) {
    Event event{"product", cta::nameOf(op.getResult(), "product")};
    auto sum = cta::tileOf(op.getAcc().getType()).getShape();
    auto right = cta::tileOf(op.getB().getType());
    int64_t depth = right.getDimSize(op.getBTransposed() ? 1 : 0);
    cta::RoleOp role = cta::roleOf(op);
    event.fmas = sum[0] * sum[1] * depth / (role ? partsOf(role) : 1);
    event.bits = right.getElementTypeBitWidth();
    event.asynchronous = op.getInstruction().isAsynchronous();
    return event;
  }

  static std::string viewName(Value view) {
    auto argument = dyn_cast<BlockArgument>(tile::tensorOf(view));
    auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
    auto name =
        function ? function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr)
                 : StringAttr();
    return name ? name.str() : "tensor";
  }

  /// What the op would be stamped for.
  std::optional<Event> describe(Operation *op) {
    return TypeSwitch<Operation *, std::optional<Event>>(op)
        .Case([&](cuda::MbarrierWaitOp wait) { return slotWait(wait); })
        .Case([](cta::WaitGroupOp wait) {
          return Event{.kind = "wait",
                       .name = "products",
                       .by = {"tensor cores"},
                       .left = int64_t(wait.getLeft())};
        })
        .Case([](cuda::CpAsyncWaitOp) { return Event{"wait", "copies", {"memory"}}; })
        .Case([](cta::AwaitStoresOp) { return Event{"wait", "stores", {"TMA"}}; })
        .Case([](cta::AwaitGridsOp) { return Event{"wait", "kernels before", {"other kernels"}}; })
        .Case([](cta::EnterOp enter) { return turnWait(enter); })
        .Case<cta::SyncOp, cuda::BarrierOp, cuda::NamedBarrierSyncOp>(
            [](auto) { return Event{"wait", "barrier", {"own warps"}}; })
        .Case([](cta::CopyOp copy) {
          cta::RoleOp role = cta::roleOf(copy);
          return Event{.kind = "copy",
                       .name = viewName(copy.getView()),
                       .asynchronous = role && cta::isElected(role)};
        })
        .Case([](tile::LoadOp load) { return Event{"copy", viewName(load.getView())}; })
        .Case<cta::StoreOp, tile::StoreOp, tile::AtomicOp>(
            [](auto store) { return Event{"store", viewName(store.getView())}; })
        .Case([](cta::CombineOp) { return Event{"store", "parts of tiles"}; })
        .Case([](cta::MmaOp mma) { return product(mma); })
        .Default([](Operation *) { return std::nullopt; });
  }

  /// What it is stamped for, with this detail.
  std::optional<Event> eventOf(Operation *op) {
    auto event = describe(op);
    bool isLeftOut = detail == TimelineDetail::Tiles ||
                     (detail == TimelineDetail::Slots && event && event->left >= 0);
    return isLeftOut ? std::nullopt : event;
  }

  //===- Runs ---------------------------------------------------------------------------------===//

  /// Of the run that is being stamped.
  struct Run {
    SmallVector<int64_t> events; // those without a stamp of their own negated
    int64_t stamps = 1;          // with the head
    bool isCurrent = false;      // nothing that takes time is behind the last stamp
  };

  /// The place of another stamp.
  int64_t addStamp(Run &run, int64_t event) {
    run.events.push_back(event);
    return run.stamps++;
  }

  void stampPoint(Run &run, const Event &event, Location location) {
    int64_t number = add(event, location);
    builder.create<cta::StampOp>(location, number, addStamp(run, number), Value());
    run.isCurrent = true;
  }

  void stampAround(Run &run, Operation *op, const Event &event) {
    builder.setInsertionPoint(op);
    Location location = op->getLoc();
    auto named = NameLoc::get(builder.getStringAttr("began"), location);
    Value from = builder.create<cuda::ClockOp>(named, builder.getI32Type());
    builder.setInsertionPointAfter(op);
    int64_t number = add(event, location);
    builder.create<cta::StampOp>(location, number, addStamp(run, number), from);
    run.isCurrent = true;
  }

  /// A wait for an mbarrier is stamped where it takes time. An asynchronous product is stamped
  /// before it starts, unless that was just now; a copy by one thread never, since that thread does
  /// nothing else between two waits.
  void stamp(Run &run, Operation *op, const Event &event) {
    if (isa<cuda::MbarrierWaitOp>(op)) {
      int64_t place = addStamp(run, add(event, op->getLoc()));
      op->setAttr(cta::kStampAttr, builder.getI64IntegerAttr(place));
    } else if (event.asynchronous && (run.isCurrent || event.kind == "copy")) {
      run.events.push_back(-add(event, op->getLoc()));
    } else if (event.asynchronous) {
      builder.setInsertionPoint(op);
      stampPoint(run, event, op->getLoc());
    } else {
      stampAround(run, op, event);
    }
  }

  /// Ends a run at the insertion point.
  void endRun(Run &run, Location location) {
    if (!run.events.empty()) {
      runs.push_back(builder.getDenseI64ArrayAttr(run.events));
      builder.create<cta::StampRunOp>(location, int64_t(runs.size()), run.stamps);
      longest = std::max(longest, run.stamps);
    }
    run = Run();
  }

  /// Of an op that is not stamped.
  bool takesTime(Operation *op) {
    auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
    return op->getNumRegions() || llvm::any_of(op->getOperandTypes(), isTile) ||
           llvm::any_of(op->getResultTypes(), isTile) || describe(op);
  }

  /// Whether anything inside is stamped. What single threads do is not.
  bool hasEvents(Operation *op) {
    bool has = isa<cta::TilesOp>(op);
    for (Region &region : op->getRegions())
      region.walk<WalkOrder::PreOrder>([&](Operation *inside) {
        if (isa<cta::OnceOp>(inside))
          return WalkResult::skip();
        has |= isa<cta::TilesOp>(inside) || eventOf(inside);
        return WalkResult::advance();
      });
    return has && !isa<cta::OnceOp>(op);
  }

  void stampBlock(Block &block) {
    Run run;
    auto tiles = dyn_cast<cta::TilesOp>(block.getParentOp());
    if (tiles) {
      builder.setInsertionPointToStart(&block);
      stampPoint(run, {"tile", "tile"}, tiles.getLoc());
    }
    auto ops = llvm::map_to_vector(block.without_terminator(), [](Operation &op) { return &op; });
    for (Operation *op : ops) {
      if (isa<cta::StampOp>(op))
        continue;
      if (auto event = eventOf(op)) {
        stamp(run, op, *event);
      } else if (hasEvents(op)) {
        builder.setInsertionPoint(op);
        endRun(run, op->getLoc());
        for (Region &region : op->getRegions())
          stampRegion(region);
      } else if (takesTime(op)) {
        run.isCurrent = false;
      }
    }
    if (!block.mightHaveTerminator())
      return;
    Operation *last = block.getTerminator();
    builder.setInsertionPoint(last);
    if (tiles)
      stampPoint(run, {"tile_end", "tile"}, tiles.getLoc());
    endRun(run, last->getLoc());
  }

  void stampRegion(Region &region) {
    for (Block &block : region)
      stampBlock(block);
  }

  func::FuncOp kernel;
  int64_t capacity;
  TimelineDetail detail;
  OpBuilder builder;
  SmallVector<Attribute> events, lanes, runs;
  int64_t longest = 1;                                        // stamps of a run
  DenseMap<Side, llvm::SmallSetVector<StringRef, 2>> waiters; // roles that wait there
};

struct StampEvents : impl::StampEventsBase<StampEvents> {
  using StampEventsBase::StampEventsBase;
  void runOnOperation() override {
    std::optional<TimelineDetail> found = findTimelineDetail(detail);
    if (!found) {
      getOperation().emitError() << "there is no detail '" << detail
                                 << "' of a timeline: all, slots or tiles";
      return signalPassFailure();
    }
    if (getOperation()->hasAttr(cta::kTargetAttr))
      Stamper(getOperation(), capacity, *found).run();
  }
};

} // namespace
} // namespace tilewright::passes
