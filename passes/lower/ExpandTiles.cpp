// The loop over a block's output tiles. A tile has a number, from which its coordinates follow; the
// loop is a grid-stride loop, takes numbers from a queue (ExpandQueue.cpp), or divides the steps of
// the last tiles among the blocks (ExpandStreamK.cpp).
#include "passes/lower/Expander.h"

#include "mlir/IR/Matchers.h"

namespace tilewright::passes {

using namespace mlir;

//===- Numbers and coordinates ----------------------------------------------------------------===//

Divisor Expander::divisor(Value value, StringRef name) {
  if (matchPattern(value, m_Constant()))
    return {value, {}};
  auto named = NameLoc::get(builder.getStringAttr(name + "_reciprocal"), loc);
  return {value, builder.create<cuda::ReciprocalOp>(named, builder.getI32Type(), value)};
}

Value Expander::divide(Value number, const Divisor &by) {
  if (!by.reciprocal)
    return builder.createOrFold<arith::DivSIOp>(loc, number, by.value);
  return builder.create<cuda::QuotientOp>(loc, number.getType(), number, by.value, by.reciprocal);
}

std::pair<Value, Value> Expander::divideWithRest(Value number, const Divisor &by) {
  Value quotient = divide(number, by);
  Value whole = builder.createOrFold<arith::MulIOp>(loc, quotient, by.value);
  return {quotient, builder.createOrFold<arith::SubIOp>(loc, number, whole)};
}

Value Expander::product(Value a, Value b) {
  APInt factor;
  return matchPattern(b, m_ConstantInt(&factor)) ? mul(a, factor.getSExtValue())
                                                 : builder.createOrFold<arith::MulIOp>(loc, a, b);
}

Value Expander::quotient(Value number, const Divisor &by) {
  APInt divisor;
  return matchPattern(by.value, m_ConstantInt(&divisor)) ? div(number, divisor.getSExtValue())
                                                         : divide(number, by);
}

/// The number of tiles of the fastest axis in a group; a cluster counts as one.
Value Expander::groupOf(cta::TilesOp op) {
  if (auto grouped = op.getGrouped(); grouped && (cluster.blocks() == 1 || op.getAxes().empty()))
    return constant(*grouped / cluster.along[0]);
  Value size = op.getGrouped() ? constant(*op.getGrouped()) : scalar(op.getGroup());
  if (cluster.blocks() == 1)
    return size;
  Value together = constant(cluster.along[0]);
  if (!op.getAxes().empty()) { // along the third axis blocks do not go together
    auto isFirst = [&](int64_t axis) { return equal(scalar(op.getAxes()[0]), constant(axis)); };
    Value otherwise = cluster.along[1] == 1
                          ? constant(1)
                          : select(isFirst(1), constant(cluster.along[1]), constant(1));
    together = select(isFirst(0), together, otherwise);
  }
  return builder.createOrFold<arith::DivSIOp>(loc, size, together);
}

/// Values of the axes, in the order in which they vary.
SmallVector<Value> Expander::inOrder(cta::TilesOp op, ArrayRef<Value> values) {
  SmallVector<Value> ordered;
  for (Value axis : op.getAxes()) {
    Value chosen = values.back();
    for (size_t i = values.size() - 1; i-- > 0;)
      chosen = select(equal(scalar(axis), constant(i)), values[i], chosen);
    ordered.push_back(chosen);
  }
  return ordered.empty() ? SmallVector<Value>(values) : ordered;
}

/// The reverse: ordered values, by axis.
SmallVector<Value> Expander::byAxis(cta::TilesOp op, ArrayRef<Value> ordered) {
  SmallVector<Value> values;
  for (size_t axis = 0; axis < op.getAxes().size(); ++axis) {
    Value chosen = ordered.back();
    for (size_t i = ordered.size() - 1; i-- > 0;)
      chosen = select(equal(scalar(op.getAxes()[i]), constant(axis)), ordered[i], chosen);
    values.push_back(chosen);
  }
  return values.empty() ? SmallVector<Value>(ordered) : values;
}

/// Place of the block in its cluster, along an axis.
Value Expander::placeInCluster(int64_t axis) {
  Value place = axis == 0 ? rank : div(rank, cluster.along[0]);
  return axis == 0 && cluster.along[1] > 1 ? rem(place, cluster.along[0]) : place;
}

/// Values that are the same for all tiles, computed before the loop. A cluster runs through tiles
/// as one block would: the tiles of its blocks are one.
TileLoop Expander::planTiles(cta::TilesOp op) {
  TileLoop loop;
  loop.op = op;
  SmallVector<Value> extents;
  for (Value extent : op.getExtents())
    extents.push_back(scalar(extent));
  for (auto [extent, along] : llvm::zip(extents, cluster.along))
    if (along > 1)
      extent = div(add(extent, constant(along - 1)), along);
  extents = inOrder(op, extents);
  loop.total = extents[0];
  for (Value extent : ArrayRef(extents).drop_front())
    loop.total = builder.createOrFold<arith::MulIOp>(named("tiles"), loop.total, extent);
  if (op.isGrouped()) {
    loop.group = divisor(groupOf(op), "group");
    Value group = loop.group.value;
    loop.band = divisor(product(extents[1], group), "band");
    // Tiles before the last group.
    Value before = product(quotient(add(extents[0], constant(-1)), loop.group), group);
    loop.lastHeight =
        divisor(builder.create<arith::SubIOp>(named("height"), extents[0], before), "height");
    if (extents.size() > 2)
      loop.plane = divisor(product(extents[0], extents[1]), "plane");
  }
  size_t divided = op.isGrouped() ? 2 : 0; // the axes before are not divided by
  for (auto [axis, extent] : llvm::enumerate(extents)) {
    bool last = axis + 1 == extents.size();
    loop.extents.push_back(axis < divided || last ? Divisor{extent, {}}
                                                  : divisor(extent, "extent"));
  }
  return loop;
}

/// The place of a tile in its group: along the first axis, and along the second.
SmallVector<Value> Expander::groupCoordinates(const TileLoop &loop, Value inPlane, Value plane) {
  cta::TilesOp op = loop.op;
  auto minus = [&](Value a, Value b) -> Value { return builder.create<arith::SubIOp>(loc, a, b); };
  Value first = loop.extents[0].value, second = loop.extents[1].value, group = loop.group.value;
  auto [bandNumber, inBand] = divideWithRest(inPlane, loop.band);
  Value start = product(bandNumber, group);
  Value whole =
      builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, add(start, group), first);
  auto [along, inHeight] = divideWithRest(inBand, loop.group);
  auto [alongLast, inLast] = divideWithRest(inBand, loop.lastHeight);
  along = select(whole, along, alongLast);
  inHeight = select(whole, inHeight, inLast);
  auto backwardsWhere = [&](Value is) {
    along = select(is, minus(minus(second, constant(1)), along), along);
  };
  if (op.getDescending())
    along = minus(minus(second, constant(1)), along);
  else if (op.getDescend())
    backwardsWhere(scalar(op.getDescend()));
  if (op.getFolded() || op.getFold()) {
    // Backwards if an odd number of groups remains.
    Value lessOne = builder.createOrFold<arith::SubIOp>(loc, group, constant(1));
    Value bands = quotient(add(first, lessOne), loop.group);
    if (plane)
      bandNumber = add(product(plane, bands), bandNumber);
    Value all = bands;
    for (const Divisor &extent : ArrayRef(loop.extents).drop_front(2))
      all = product(all, extent.value);
    Value odd = equal(rem(minus(all, bandNumber), 2), constant(1));
    backwardsWhere(op.getFold() ? both(odd, scalar(op.getFold())) : odd);
  }
  return {add(start, inHeight), along};
}

/// The coordinates of tile `number`, and, but for the first, of its cluster's others.
SmallVector<Value> Expander::tileCoordinates(const TileLoop &loop, Value number) {
  cta::TilesOp op = loop.op;
  Value rest = number;
  SmallVector<Value> coordinates;
  if (op.isGrouped()) {
    Value inPlane = rest;
    if (loop.plane.value)
      std::tie(rest, inPlane) = divideWithRest(rest, loop.plane);
    coordinates = groupCoordinates(loop, inPlane, loop.plane.value ? rest : Value());
  }
  for (size_t axis = coordinates.size(); axis < loop.extents.size(); ++axis) {
    if (axis + 1 == loop.extents.size()) {
      coordinates.push_back(rest);
      break;
    }
    auto [left, coordinate] = divideWithRest(rest, loop.extents[axis]);
    coordinates.push_back(coordinate);
    rest = left;
  }
  coordinates = byAxis(op, coordinates);
  for (auto [axis, along] : llvm::enumerate(cluster.along))
    if (along > 1)
      coordinates[axis] = add(mul(coordinates[axis], along), placeInCluster(axis));
  return coordinates;
}

//===- What tiles hand on ---------------------------------------------------------------------===//

SmallVector<Value> Expander::declareCarried(cta::TilesOp op) {
  return llvm::map_to_vector(op.getRegionIterArgs(), [&](BlockArgument argument) {
    return declareTile(argument.getLoc(), cast<RankedTensorType>(argument.getType()));
  });
}

/// Gives carried values their names in a tile, or behind the loop.
void Expander::takeOver(ValueRange names, ArrayRef<Value> carried) {
  for (auto [name, registers] : llvm::zip(names, carried))
    tiles[name] = registers;
}

//===- The loop -------------------------------------------------------------------------------===//

LogicalResult Expander::expandTile(const TileLoop &loop, ArrayRef<Value> coordinates) {
  cta::TilesOp op = loop.op;
  for (auto [argument, coordinate] : llvm::zip(op.getCoordinates(), coordinates)) {
    if (Operation *made = coordinate.getDefiningOp();
        made && made->getBlock() == builder.getInsertionBlock())
      made->setLoc(argument.getLoc());
    scalars.map(argument, coordinate);
  }
  takeOver(op.getRegionIterArgs(), loop.carried);
  if (failed(expandBlock(op.getBody().front())))
    return failure();
  assignTiles(op.getYieldedValues(), loop.carried);
  return success();
}

LogicalResult Expander::expandTiles(cta::TilesOp op) {
  TileLoop loop = planTiles(op);
  loop.carried = declareCarried(op);
  loop.first = div(builder.create<cuda::BlockIdOp>(loc, builder.getI32Type()), cluster.blocks());
  loop.step = div(builder.create<cuda::GridSizeOp>(loc, builder.getI32Type()), cluster.blocks());
  assignTiles(op.getInitArgs(), loop.carried);
  if (failed(op.getQueue()  ? expandQueue(loop)
             : op.isSplit() ? expandStreamK(loop)
                            : expandGridStride(loop)))
    return failure();
  takeOver(op.getResults(), loop.carried);
  return success();
}

/// Every n-th tile, or every n-th of the role's turns.
LogicalResult Expander::expandGridStride(const TileLoop &tiles) {
  cta::TilesOp op = tiles.op;
  Value total = tiles.total, first = tiles.first, step = tiles.step;
  if (auto turns = op.getTurns()) {
    Value behind = builder.create<arith::SubIOp>(loc, add(total, step), first);
    behind = builder.create<arith::SubIOp>(loc, behind, constant(1));
    sharedTiles = divide(behind, divisor(step, "step"));
    first = add(first, mul(step, *op.getTurn()));
    step = mul(step, *turns);
  }
  auto loop = builder.create<scf::ForOp>(op.getLoc(), first, total, step);
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("tile"), op.getLoc()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  return expandTile(tiles, tileCoordinates(tiles, loop.getInductionVar()));
}

} // namespace tilewright::passes
