// Boxes that TMA copies: from a view to a slot, and from a slot to a view.
//
// A store goes from registers to a slot, and from there by TMA. A thread that started stores waits
// until they have read a slot before the role fills it again. Warpgroups that hold separate rows
// store them separately, without waiting for each other. A store through a slot of another channel,
// which the role holds, waits until all of the role have read what lay there; giving the slot back
// then waits for the store.
#include "ir/tile/Parts.h"
#include "passes/analysis/SharedAccesses.h"
#include "passes/analysis/SharedMemory.h"
#include "passes/lower/Expander.h"
#include "support/TensorParts.h"

namespace tilewright::passes {

using namespace mlir;

//===- Copies ---------------------------------------------------------------------------------===//

/// Axes of a view along which a tile has rows (-1: it has one) and columns.
static std::pair<int64_t, int64_t> tileAxes(ArrayRef<int64_t> extents) {
  int64_t rows = -1, columns = extents.size() - 1;
  for (int64_t axis = columns - 1; axis >= 0; --axis)
    if (extents[axis] != 0)
      rows = axis;
  return {rows, columns};
}

/// The largest part of `extent`, in multiples of `unit`, that a box may have along an axis.
static int64_t boxExtent(int64_t extent, int64_t unit) {
  constexpr int64_t kMost = 256;
  int64_t boxes = llvm::divideCeil(extent, kMost);
  while (extent % (boxes * unit) != 0)
    ++boxes;
  return extent / boxes;
}

/// True when each warpgroup holds rows of its own, next to each other.
static bool splitsRows(const Layout &layout, int64_t rows, int64_t groups) {
  for (int64_t warp = 0; warp < layout.warps(); ++warp)
    for (int64_t reg = 0; reg < layout.registers(); ++reg)
      for (int64_t lane : {int64_t(0), kLanes - 1})
        if (layout.coordinates(2, reg, lane, warp)[0] / (rows / groups) !=
            warp / cta::kWarpsPerWarpgroup)
          return false;
  return true;
}

/// The number of parts that warpgroups store independently; 1: they store together.
static int64_t storingWarpgroups(cta::StoreOp op) {
  if (cta::slicedAxis(op) == 0)
    return 1;
  int64_t warps = cta::warpsAt(op), groups = warps / cta::kWarpsPerWarpgroup;
  int64_t rows = cast<RankedTensorType>(op.getTile().getType()).getDimSize(0);
  bool split = warps % cta::kWarpsPerWarpgroup == 0 && rows % (8 * groups) == 0 &&
               splitsRows(cta::layoutOf(op.getTile().getType()), rows, groups);
  return split ? groups : 1;
}

cuda::TensorMapType Expander::mapType(Operation *op) {
  auto typeOf = [&](Value view, RankedTensorType tile, const PanelLayout &panels,
                    ArrayRef<int64_t> extents, int64_t parts, bool tf32) {
    SmallVector<int64_t> box(extents.size(), 1);
    auto [rows, columns] = tileAxes(extents);
    if (rows >= 0)
      box[rows] = boxExtent(panels.rows / parts, 1);
    box[columns] = rows >= 0               ? panels.panelColumns()
                   : panels.columns <= 256 ? panels.columns
                                           : boxExtent(panels.columns, 128 / panels.elementBytes);
    box.insert(box.begin(), mapAxes(view).size() - extents.size(), 1);
    return cuda::TensorMapType::get(builder.getContext(),
                                    RankedTensorType::get(box, tile.getElementType()),
                                    panels.swizzle, tf32);
  };
  if (auto store = dyn_cast<cta::StoreOp>(op))
    return typeOf(store.getView(), cta::storedSlice(store), cta::panelsOf(cta::storedSlice(store)),
                  store.getExtents(), storingWarpgroups(store), /*tf32=*/false);
  auto copy = cast<cta::CopyOp>(op);
  cta::ChannelOp channel = cta::channelOf(copy.getSlot());
  return typeOf(copy.getView(), cta::tileOf(channel.getResult().getType()), panelsOf(channel),
                copy.getExtents(), channel.sharers(), channel.holdsTf32());
}

ArrayAttr Expander::mapAxes(Value view) {
  SmallVector<int64_t> axes = tile::cutAxes(view);
  if (!axes.empty())
    axes.insert(axes.begin(), axes.front());
  llvm::append_range(axes, llvm::seq<int64_t>(0, cast<tile::ViewType>(view.getType()).getRank()));
  return builder.getI64ArrayAttr(axes);
}

SmallVector<Value> Expander::enterPart(Value view, MutableArrayRef<Value> coordinates) {
  SmallVector<Value> outer;
  for (int64_t axis : tile::cutAxes(view)) {
    Value size = scalar(tile::sizeOfPart(view, axis)), end = size;
    for (Value start : tile::startsOfPart(view, axis))
      end = add(end, scalar(start));
    Value before = builder.createOrFold<arith::SubIOp>(loc, constant(kPlacesOfPart), size);
    coordinates[axis] = add(before, coordinates[axis]);
    outer.push_back(end);
  }
  if (!outer.empty())
    outer.insert(outer.begin(), constant(kPlacesOfPart));
  return outer;
}

/// Calls `move(coordinates, byte offset)` for each box of `rows` rows, from `firstRow` on, of a
/// slot; `origin` is where it starts in the tile, by row and column.
void Expander::forEachBox(Value view, cuda::TensorMapType map, const PanelLayout &panels,
                          ArrayRef<int64_t> extents, ValueRange indices, int64_t rows,
                          Value firstRow, std::pair<Value, Value> origin,
                          function_ref<void(ValueRange, Value)> move) {
  auto [rowAxis, columnAxis] = tileAxes(extents);
  auto box = map.getBox().getShape().take_back(extents.size());
  int64_t height = rowAxis < 0 ? 1 : box[rowAxis], width = box[columnAxis];
  SmallVector<Value> start;
  for (Value index : indices)
    start.push_back(scalar(index));
  if (rowAxis >= 0)
    start[rowAxis] = add(start[rowAxis], origin.first);
  start[columnAxis] = add(start[columnAxis], origin.second);
  SmallVector<Value> outer = enterPart(view, start);
  unrolled(llvm::divideCeil(panels.columns, width),
           [&, rowAxis = rowAxis, columnAxis = columnAxis](Value across) {
             unrolled(rows / height, [&](Value down) {
               SmallVector<Value> coordinates(start);
               Value row = add(firstRow, mul(down, height));
               if (rowAxis >= 0)
                 coordinates[rowAxis] = add(coordinates[rowAxis], row);
               coordinates[columnAxis] = add(coordinates[columnAxis], mul(across, width));
               coordinates.insert(coordinates.begin(), outer.begin(), outer.end());
               move(coordinates, add(mul(across, panels.rows * width * panels.elementBytes),
                                     mul(row, panels.rowBytes())));
             });
           });
}

/// The ranks of the block's neighbours along an axis and its own, as bits.
Value Expander::sharersOf(int64_t axis) {
  int64_t mask = 0, other = 1 - axis;
  for (int64_t place = 0; place < cluster.along[axis]; ++place)
    mask |= int64_t(1) << place * cluster.stride(axis);
  if (cluster.along[axis] == cluster.blocks())
    return constant(mask);
  Value first = mul(placeInCluster(other), cluster.stride(other));
  auto named = NameLoc::get(builder.getStringAttr("sharers"), loc);
  return builder.create<arith::ShLIOp>(named, constant(mask), first);
}

LogicalResult Expander::expandTmaCopy(cta::CopyOp op) {
  SlotState &slot = slots[op.getSlot()];
  cta::ChannelOp channel = slot.channel;
  PanelLayout panels = *channels[channel.getResult()].panels;
  cuda::TensorMapType type = mapType(op);
  Value map = mapOf(op.getView(), type);
  std::optional<int64_t> multicast = channel.getMulticast();
  int64_t rows = panels.rows / channel.sharers();
  Value share = multicast ? mul(placeInCluster(*multicast), rows) : Value();
  byOneThread([&] {
    Value mask = multicast ? sharersOf(*multicast) : Value();
    forEachBox(op.getView(), type, panels, op.getExtents(), op.getIndices(), rows, share,
               /*origin=*/{}, [&](ValueRange coordinates, Value offset) {
                 builder.create<cuda::TmaLoadOp>(loc, map, coordinates, add(slot.address, offset),
                                                 slot.full, mask, /*hint=*/nullptr);
               });
  });
  return success();
}

//===- Stores ---------------------------------------------------------------------------------===//

Value Expander::sliceRegister(const Layout &whole, int64_t dim, int64_t size, Value part,
                              Value index) {
  Value sum;
  int64_t weight = 1, prefix = 1;
  for (const Digit &digit : whole.digits(Level::Register)) {
    int64_t kept = digit.size;
    bool cut = digit.dim == dim && digit.stride * digit.size > size;
    if (cut)
      kept = std::max<int64_t>(1, size / digit.stride);
    sum = add(sum, mul(rem(div(index, prefix), kept), weight));
    if (cut) // the part of the digit in earlier slices
      sum = add(sum, mul(rem(mul(part, size / digit.stride ? size / digit.stride : 1), digit.size),
                         weight));
    prefix *= kept;
    weight *= digit.size;
  }
  return sum ? sum : constant(0);
}

/// The number of contiguous registers of a slice within those of the tile.
static int64_t runOfSlice(const Layout &whole, int64_t dim, int64_t size) {
  int64_t run = 1;
  for (const Digit &digit : whole.digits(Level::Register)) {
    if (digit.dim == dim && digit.stride * digit.size > size)
      return run * std::max<int64_t>(1, size / digit.stride);
    run *= digit.size;
  }
  return run;
}

void Expander::fillSlot(const SlotState &slot, RankedTensorType type,
                        function_ref<std::pair<Value, Value>(Value, int64_t)> vectorAt) {
  const Layout &layout = cta::layoutOf(type);
  auto addressOf = [&](const Layout &places, Value index) {
    return slotAddress(slot, coordinate(places, 0, index), coordinate(places, 1, index));
  };
  if (storeMatrices(type, layout, vectorAt, addressOf))
    return;
  int64_t vector = sharedVector(layout, 2, type.getElementTypeBitWidth() / 8);
  Value replica = firstReplica(layout);
  unrolled(layout.registers() / vector, [&](Value index) {
    Value first = mul(index, vector);
    auto [array, entry] = vectorAt(first, vector);
    builder.create<cuda::StoreSharedOp>(loc, array, entry, addressOf(layout, first), replica,
                                        vector);
  });
}

/// True if the warpgroups of the role have read only those rows of a slot that they store to it, so
/// that they need not wait for each other.
static bool keepToTheirRows(cta::StoreOp op, int64_t parties) {
  auto slot = cast<cta::SlotType>(op.getThrough().getType()).getTile();
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  if (slot.getShape() != tile.getShape() || slot.getElementType() != tile.getElementType())
    return false;
  return llvm::all_of(op.getThrough().getUses(), [&](OpOperand &use) {
    auto mma = dyn_cast<cta::MmaOp>(use.getOwner());
    return mma ? use.getOperandNumber() == 1 && !mma.getATransposed() &&
                     mma.getWarps()[0] == parties * cta::kWarpsPerWarpgroup
               : !isa<cta::GetOp, cta::ElementOp>(use.getOwner());
  });
}

LogicalResult Expander::expandTmaStore(cta::StoreOp op) {
  Value through = op.getThrough();
  auto type = cast<RankedTensorType>(op.getTile().getType());
  RankedTensorType part = cta::storedSlice(op);
  PanelLayout panels = cta::panelsOf(part);
  const Layout &whole = cta::layoutOf(type);
  bool borrows = !op.getChannel();
  int64_t axis = cta::slicedAxis(op), size = part.getDimSize(axis);
  StringRef unit = axis == 0 ? " rows" : " columns", larger = axis == 0 ? "higher" : "wider";
  int64_t depth = borrows ? 1 : op.getChannel().getDepth();
  std::optional<Layout> layout = whole.sliceDim(axis, size);
  if (!layout)
    return op.emitError() << "through slots of " << size << unit
                          << " would take other threads for each; make the slots " << larger;
  auto partType = cta::withLayout(part, *layout);
  auto matrices = storedMatrices(target, partType, *layout);
  int64_t together = matrices ? 2 * matrices->count : 1, run = runOfSlice(whole, axis, size);
  if (run % together != 0)
    return op.emitError() << "through slots of " << size << unit << " would store " << together
                          << " values of a thread at once, of which " << run
                          << " lie together; make the slots " << larger;
  int64_t parties = storingWarpgroups(op);
  auto meet = [&] {
    if (parties == 1)
      barrier();
    else
      warpgroupBarrier();
  };
  Value starter = parties > 1 ? warpgroupThread : add(mul(warp, kLanes), lane);
  Value starts = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, starter, constant(0));
  cuda::TensorMapType mapped = mapType(op);
  Value map = mapOf(op.getView(), mapped);
  int64_t rows = panels.rows / parties;
  Value firstRow = parties > 1 ? mul(div(warp, cta::kWarpsPerWarpgroup), rows) : Value();
  if (borrows) {
    if (parties > 1 && !keepToTheirRows(op, parties))
      barrier();
  }

  unrolled(cta::slicesOf(op), [&](Value number) {
    SlotState slot;
    if (borrows) {
      slot = slots[through];
    } else {
      slot.channel = through.getDefiningOp<cta::ChannelOp>();
      placeSlot(slot, channels[through],
                storing[through] ? nextIndex(storing[through], depth) : rem(number, depth));
    }
    slot.panels = panels;
    branch(starts, [&] { builder.create<cuda::BulkWaitOp>(loc, depth - 1, /*read=*/true); });
    meet();
    fillSlot(slot, partType, [&](Value first, int64_t vector) {
      return vectorAt(op.getTile(), sliceRegister(whole, axis, size, number, first), vector);
    });
    builder.create<cuda::FenceOp>(loc, cuda::FenceKind::AsyncShared);
    meet();
    auto moveBox = [&](ValueRange coordinates, Value offset) {
      Value from = add(slot.address, offset);
      if (op.getAdd())
        builder.create<cuda::TmaReduceAddOp>(loc, from, map, coordinates, nullptr);
      else
        builder.create<cuda::TmaStoreOp>(loc, from, map, coordinates, nullptr);
    };
    branch(starts, [&] {
      Value start = mul(number, size);
      auto origin = axis == 0 ? std::pair(start, Value()) : std::pair(Value(), start);
      forEachBox(op.getView(), mapped, panels, op.getExtents(), op.getIndices(), rows, firstRow,
                 origin, moveBox);
      builder.create<cuda::BulkCommitOp>(loc);
    });
  });
  return success();
}

/// Counts the slots of channels whose stores do not each start with slot 0.
void Expander::enterStores() {
  storing.clear();
  role.walk([&](cta::StoreOp store) {
    if (!store.getChannel())
      return;
    Value channel = store.getThrough();
    bool whole = cta::slicesOf(store) % store.getChannel().getDepth() == 0;
    Value &slot = storing[channel];
    if (whole || slot)
      return;
    slot = declare(NameLoc::get(builder.getStringAttr(cta::nameOf(channel, "ring") + "_slot"), loc),
                   1, builder.getI32Type());
    builder.create<cuda::SetOp>(loc, constant(0), slot, constant(0));
  });
}

Value Expander::nextIndex(Value counter, int64_t depth) {
  Value index = builder.create<cuda::GetOp>(loc, builder.getI32Type(), counter, constant(0));
  Value next = builder.create<arith::AddIOp>(loc, index, constant(1));
  Value wraps = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, next, constant(depth));
  builder.create<cuda::SetOp>(loc, builder.create<arith::SelectOp>(loc, wraps, constant(0), next),
                              counter, constant(0));
  return index;
}

LogicalResult Expander::expandAwaitStores(cta::AwaitStoresOp) {
  awaitStores();
  return success();
}

void Expander::awaitStores() {
  Value starts = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, numberInWarpgroup(),
                                               constant(0));
  branch(starts, [&] { builder.create<cuda::BulkWaitOp>(loc, 0, /*read=*/true); });
}

} // namespace tilewright::passes
