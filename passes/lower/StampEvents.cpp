// Puts time stamps around what a timeline shows: waits, copies, products, stores, tiles. Ops still
// work on whole tiles here, so an event is an op. What a stamp costs is in docs/timeline.md.
//
// Each event says whom it waits for, in the words of the program: for a full slot the roles that
// fill it, for a free one those that release it.
#include "passes/Passes.h"

#include "ir/cta/Cta.h"
#include "ir/cuda/Cuda.h"
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
  bool asynchronous = false;           // a product that goes on behind the event
  int64_t left = -1;                   // of a wait for products: how many may go on
};

class Stamper {
public:
  Stamper(func::FuncOp kernel, int64_t capacity)
      : kernel(kernel), capacity(capacity), builder(kernel.getContext()) {}

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
    kernel->setAttr(cta::kTimelineAttr,
                    builder.getDictionaryAttr(
                        {builder.getNamedAttr("capacity", builder.getI64IntegerAttr(capacity)),
                         builder.getNamedAttr("events", builder.getArrayAttr(events)),
                         builder.getNamedAttr("lanes", builder.getArrayAttr(lanes))}));
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

  void stampPoint(const Event &event, Location location) {
    builder.create<cta::StampOp>(location, add(event, location), Value());
  }

  void stampAround(Operation *op, const Event &event) {
    builder.setInsertionPoint(op);
    Location location = op->getLoc();
    auto named = NameLoc::get(builder.getStringAttr("began"), location);
    Value from = builder.create<cuda::ClockOp>(named, builder.getI32Type());
    builder.setInsertionPointAfter(op);
    builder.create<cta::StampOp>(location, add(event, location), from);
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

  std::optional<Event> eventOf(Operation *op) {
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
        .Case<cta::CopyOp, tile::LoadOp>(
            [](auto copy) { return Event{"copy", viewName(copy.getView())}; })
        .Case<cta::StoreOp, tile::StoreOp, tile::AtomicOp>(
            [](auto store) { return Event{"store", viewName(store.getView())}; })
        .Case([](cta::CombineOp) { return Event{"store", "parts of tiles"}; })
        .Case([](cta::MmaOp mma) { return product(mma); })
        .Default([](Operation *) { return std::nullopt; });
  }

  void stampTiles(cta::TilesOp tiles) {
    Block &body = tiles.getBody().front();
    builder.setInsertionPointToStart(&body);
    stampPoint({"tile", "tile"}, tiles.getLoc());
    builder.setInsertionPoint(body.getTerminator());
    stampPoint({"tile_end", "tile"}, tiles.getLoc());
  }

  /// Stamps all events of a region but those that single threads cause.
  void stampRegion(Region &region) {
    SmallVector<Operation *> found;
    SmallVector<cta::TilesOp> loops;
    region.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<cta::OnceOp>(op))
        return WalkResult::skip();
      if (auto tiles = dyn_cast<cta::TilesOp>(op))
        loops.push_back(tiles);
      found.push_back(op);
      return WalkResult::advance();
    });
    for (Operation *op : found)
      if (auto event = eventOf(op))
        stampAround(op, *event);
    for (cta::TilesOp tiles : loops)
      stampTiles(tiles);
  }

  func::FuncOp kernel;
  int64_t capacity;
  OpBuilder builder;
  SmallVector<Attribute> events, lanes;
  DenseMap<Side, llvm::SmallSetVector<StringRef, 2>> waiters; // roles that wait there
};

struct StampEvents : impl::StampEventsBase<StampEvents> {
  using StampEventsBase::StampEventsBase;
  void runOnOperation() override {
    if (getOperation()->hasAttr(cta::kTargetAttr))
      Stamper(getOperation(), capacity).run();
  }
};

} // namespace
} // namespace tilewright::passes
