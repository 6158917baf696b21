// Copies into the slots of a channel and out of them: from global memory, and of register tiles.
// Rows have the pitch and the swizzle that swizzle-layout has chosen.
#include "passes/analysis/SharedAccesses.h"
#include "passes/lower/Expander.h"

#include <numeric>

namespace tilewright::passes {

using namespace mlir;

/// The bits that are set in some coordinate along a dimension: of a thread's registers, and of
/// threads.
static std::pair<int64_t, int64_t> bitsAlong(const Layout &layout, int64_t dim) {
  auto at = [&](int64_t reg, int64_t lane, int64_t warp) {
    return layout.coordinates(/*rank=*/2, reg, lane, warp)[dim];
  };
  int64_t ofRegisters = 0, ofThreads = 0;
  for (int64_t reg = 0; reg < layout.registers(); ++reg)
    ofRegisters |= at(reg, 0, 0);
  for (int64_t warp = 0; warp < layout.warps(); ++warp)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      ofThreads |= at(0, lane, warp);
  return {ofRegisters, ofThreads};
}

SlotShape Expander::shapeOf(const SlotState &slot) {
  cta::ChannelOp channel = slot.channel;
  const ChannelState &state = channels[channel.getResult()];
  auto panels = slot.panels ? slot.panels : state.panels;
  if (panels)
    return {panels->panel(), panels, panels->elementBytes};
  auto tile = channel.getResult().getType().getTile();
  return {state.layout, std::nullopt, int64_t(tile.getElementTypeBitWidth() / 8)};
}

// The xor's source bits belong to the row, and its target bits to the column (swizzle-layout
// guarantees this). So it can be computed before the two are added.
Value Expander::swizzleOf(const SharedLayout &layout, Value rowBytes) {
  int64_t mask = ((int64_t(1) << layout.bits) - 1) << 4;
  Value source = builder.createOrFold<arith::ShRUIOp>(loc, rowBytes, constant(layout.shift));
  return builder.createOrFold<arith::AndIOp>(loc, source, constant(mask));
}

std::pair<Value, Value> Expander::panelOf(const SlotShape &shape, Value column) {
  if (!shape.panels || shape.panels->panels() == 1)
    return {Value(), column};
  int64_t columns = shape.panels->panelColumns();
  return {mul(div(column, columns), shape.panels->panelBytes()), rem(column, columns)};
}

Value Expander::slotAddress(const SlotState &slot, Value row, Value column) {
  SlotShape shape = shapeOf(slot);
  Value rowBytes = mul(row, shape.layout.pitch * shape.elementBytes);
  auto [panelBytes, ownColumn] = panelOf(shape, column);
  Value columnBytes = mul(ownColumn, shape.elementBytes);
  if (shape.layout.bits)
    columnBytes = bitXor(columnBytes, swizzleOf(shape.layout, rowBytes));
  return add(add(add(slot.address, panelBytes), rowBytes), columnBytes);
}

Value Expander::slotAddress(const SlotState &slot, const Layout &layout, int64_t rank,
                            Value index) {
  SlotShape shape = shapeOf(slot);
  int64_t pitch = shape.layout.pitch * shape.elementBytes;
  int64_t chunks = ((int64_t(1) << shape.layout.bits) - 1) << 4;
  // Without carries, and if registers do not change what rows are swizzled by.
  auto isApart = [&](int64_t dim, int64_t kept) {
    auto [ofRegisters, ofThreads] = bitsAlong(layout, dim);
    return (ofRegisters & (ofThreads | kept)) == 0;
  };
  if (!shape.layout.bits || rank != 2 || !isApart(0, (chunks << shape.layout.shift) / pitch) ||
      !isApart(1, 0))
    return slotAddress(slot, rank > 1 ? coordinate(layout, 0, index) : constant(0),
                       coordinate(layout, rank - 1, index));
  auto [panelBytes, column] = panelOf(shape, threadCoordinate(layout, 1));
  Value rowBytes = mul(threadCoordinate(layout, 0), pitch);
  Value columnBytes = bitXor(mul(column, shape.elementBytes), swizzleOf(shape.layout, rowBytes));
  Value start = add(add(slot.address, panelBytes), rowBytes), own;
  if (Value row = registerCoordinate(layout, 0, index))
    own = mul(row, pitch);
  if (Value all = registerCoordinate(layout, 1, index)) {
    auto [ownPanel, ownColumn] = panelOf(shape, all);
    Value places = mul(ownColumn, shape.elementBytes);
    int64_t bits = bitsAlong(layout, 1).first * shape.elementBytes & (pitch - 1);
    auto masked = [&](int64_t mask) -> Value {
      if ((bits & mask) == bits)
        return places;
      return bits & mask ? builder.createOrFold<arith::AndIOp>(loc, places, constant(mask))
                         : constant(0);
    };
    columnBytes = bitXor(columnBytes, masked(chunks));
    own = add(add(own, ownPanel), masked(~chunks));
  }
  return add(add(start, columnBytes), own);
}

/// Stores a vector of the copy's fill at an address, if `inside` is false, and goes on where it is
/// true.
void Expander::fillUnless(Value inside, cta::CopyOp op, Value to) {
  auto branch = builder.create<scf::IfOp>(loc, inside, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.elseBlock());
  int64_t vector = op.getVector();
  Type element = op.getView().getType().getElementType();
  int64_t pack = packOf(element, vector);
  auto fraction = dyn_cast<FloatAttr>(op.getFillAttr());
  double fill =
      fraction ? fraction.getValueAsDouble() : double(cast<IntegerAttr>(op.getFillAttr()).getInt());
  Value number = constantOf(computeType(element), fill);
  Value array =
      declare(loc, vector / pack, pack == 1 ? element : Type(VectorType::get({pack}, element)));
  unrolled(vector / pack,
           [&](Value i) { writeElements(array, i, SmallVector<Value>(pack, number)); });
  builder.create<cuda::StoreSharedOp>(loc, array, constant(0), to, /*predicate=*/Value(), vector);
  builder.setInsertionPointToStart(branch.thenBlock());
}

LogicalResult Expander::expandCopy(cta::CopyOp op) {
  SlotState &slot = slots[op.getSlot()];
  if (slot.channel.getKind() == cta::ChannelKind::Tma)
    return expandTmaCopy(op);
  GlobalAccess access = accessOf(op);
  Layout layout = copyLayout(op, warps);
  Type element = access.view->type.getElementType();
  int64_t vector = op.getVector(), bytes = vector * access.view->type.getElementBytes();
  Value predicate = op.getPredicate() ? scalar(op.getPredicate()) : Value();
  auto kind = slot.channel.getKind();
  int64_t rank = op.getSlot().getType().getTile().getRank();

  if (kind == cta::ChannelKind::Registers && bytes < 4) {
    copyNarrow(slot, access, layout, predicate);
    return success();
  }
  if (kind == cta::ChannelKind::Registers) {
    int64_t pack = packOf(element, layout.registers());
    slot.staged = declare(op.getLoc(), layout.registers() / pack,
                          pack == 1 ? element : Type(VectorType::get({pack}, element)));
    loadTile(access, layout, slot.staged, vector, constantOf(computeType(element), 0), predicate);
    slot.stagedLayout = layout;
    return success();
  }

  // Threads that hold the same elements copy them once.
  predicate = both(predicate, firstReplica(layout));
  auto copies = [&] {
    // In a loop the addresses of a copy would stay in registers across iterations, and the
    // accumulators need these. Computing them from the thread's number takes a few instructions.
    bool inLoop = op->getParentOfType<scf::ForOp>() != nullptr;
    FreshThread fresh(*this, inLoop);
    unrolled(layout.registers() / vector, [&](Value group) {
      Value first = mul(group, vector);
      Value column = coordinate(layout, rank - 1, first);
      Value row = rank > 1 ? coordinate(layout, 0, first) : constant(0);
      Place where = place(access, layout, first, vector);
      Value valid;
      if (where.remaining) {
        Value left = builder.createOrFold<arith::MulIOp>(
            loc, where.remaining, constant(access.view->type.getElementBytes()));
        left = builder.createOrFold<arith::MinSIOp>(loc, left, constant(bytes));
        valid = builder.createOrFold<arith::MaxSIOp>(loc, left, constant(0));
      }
      if (where.inside)
        valid = builder.createOrFold<arith::SelectOp>(loc, where.inside,
                                                      valid ? valid : constant(bytes), constant(0));
      Value to = slotAddress(slot, row, column);
      OpBuilder::InsertionGuard guard(builder);
      if (op.getFill() && std::exchange(valid, {}))
        fillUnless(where.inside, op, to);
      builder.create<cuda::CpAsyncOp>(loc, to, access.view->ptr, where.offset, valid, bytes);
    });
  };
  if (!predicate) {
    copies();
    return success();
  }
  auto branch = builder.create<scf::IfOp>(loc, predicate, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  copies();
  return success();
}

/// Whether everything that a tile loads lies in its view. Null if this is certain, or not needed:
/// for gathers, and for tiles that end before their extents.
Value Expander::liesInside(const GlobalAccess &access) {
  Value inside;
  for (int64_t axis = 0; axis < access.view->type.getRank(); ++axis) {
    if (access.indexTiles[axis] || (!access.valid.empty() && access.valid[axis]))
      return Value();
    if (!access.inBounds.empty() && access.inBounds[axis])
      continue;
    Value start = access.indices[axis], size = access.view->dims[axis];
    int64_t last = std::max<int64_t>(access.extents[axis], 1) - 1;
    Value end = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                                    add(start, constant(last)), size);
    inside = both(inside, end);
    if (!access.startsInside[axis])
      inside = both(inside, builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge,
                                                                start, constant(0)));
  }
  return inside;
}

/// Elements narrower than a word go to the slot at once, a few at a time, since all of a tile's
/// would take too many registers. A producer has room for more in flight, and tests once whether
/// they lie in the view.
void Expander::copyNarrow(const SlotState &slot, const GlobalAccess &access, const Layout &layout,
                          Value predicate) {
  constexpr int64_t kBesideSums = 16, kAlone = 64;
  auto stops = [](cta::MmaOp) { return WalkResult::interrupt(); };
  bool isAlone = role && !role.walk(stops).wasInterrupted();
  int64_t chunk = isAlone ? kAlone : kBesideSums;
  while (layout.registers() % chunk != 0)
    --chunk;
  Value inside = isAlone ? liesInside(access) : Value();
  if (!inside)
    return copyChunks(slot, access, layout, predicate, chunk);
  auto branch = builder.create<scf::IfOp>(loc, inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  GlobalAccess whole = access;
  SmallVector<bool> known(access.extents.size(), true);
  whole.inBounds = known;
  copyChunks(slot, whole, layout, predicate, chunk);
  builder.setInsertionPointToStart(branch.elseBlock());
  copyChunks(slot, access, layout, predicate, chunk);
}

void Expander::copyChunks(const SlotState &slot, const GlobalAccess &access, const Layout &layout,
                          Value predicate, int64_t chunk) {
  Type element = access.view->type.getElementType();
  int64_t rank = llvm::count_if(access.extents, [](int64_t extent) { return extent != 0; });
  auto loop =
      builder.create<scf::ForOp>(loc, constant(0), constant(layout.registers()), constant(chunk));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value first = loop.getInductionVar(), zero = constantOf(computeType(element), 0);
  Value singles = declare(loc, chunk, element);
  unrolled(chunk, [&](Value i) {
    loadVector(access, layout, singles, add(first, i), i, 1, zero, predicate);
  });
  Value replica = firstReplica(layout);
  unrolled(chunk, [&](Value i) {
    Value index = add(first, i);
    Value row = rank > 1 ? coordinate(layout, 0, index) : constant(0);
    Value address = slotAddress(slot, row, coordinate(layout, rank - 1, index));
    builder.create<cuda::StoreSharedOp>(loc, singles, i, address, replica, 1);
  });
}

LogicalResult Expander::expandPut(cta::PutOp op) {
  SlotState &slot = slots[op.getSlot()];
  auto type = cast<RankedTensorType>(op.getTile().getType());
  Value array;
  if (slot.channel.holdsTf32())
    roundTf32(array = changeableRegisters(op.getTile(), op));
  else
    array = registersOf(op.getTile());
  const Layout &layout = cta::layoutOf(type);
  writeSlot(slot, array, slot.channel.isInOrderOfSums() ? layout.inOrderOfSums(1) : layout, type);
  return success();
}

void Expander::roundTf32(Value array) {
  auto type = cast<cuda::RegsType>(array.getType());
  unrolled(type.getSize(), [&](Value index) {
    Value word = builder.create<cuda::GetOp>(loc, type.getElementType(), array, index);
    Value rounded = builder.create<cuda::RoundTf32Op>(loc, word.getType(), word);
    builder.create<cuda::SetOp>(loc, rounded, array, index);
  });
}

/// Stores an array with a tile in `layout` to a slot, in vectors as wide as the layout allows.
void Expander::writeSlot(const SlotState &slot, Value array, const Layout &layout,
                         RankedTensorType type) {
  int64_t rank = type.getRank(), pack = cast<cuda::RegsType>(array.getType()).getPack();
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  auto addressOf = [&](const Layout &places, Value index) {
    return slotAddress(slot, places, rank, index);
  };
  auto wordsAt = [&](Value first, int64_t) { return std::pair(array, div(first, pack)); };
  if (pack > 1 && storeMatrices(type, layout, wordsAt, addressOf))
    return;
  int64_t vector = sharedVector(layout, rank, bytes);
  vector = std::max(vector, pack) == pack || vector % pack == 0 ? vector : 1;
  Value replica = firstReplica(layout);
  if (vector < pack || (pack == 1 && bytes < 4))
    return writeSlotByElement(slot, array, layout, type, replica);
  unrolled(layout.registers() / vector, [&](Value group) {
    Value first = mul(group, vector);
    builder.create<cuda::StoreSharedOp>(loc, array, div(first, pack), addressOf(layout, first),
                                        replica, vector);
  });
}

void Expander::writeSlotByElement(const SlotState &slot, Value array, const Layout &layout,
                                  RankedTensorType type, Value replica) {
  int64_t rank = type.getRank();
  auto regs = cast<cuda::RegsType>(array.getType());
  auto addressOf = [&](Value index) { return slotAddress(slot, layout, rank, index); };
  // Parts of words, as they are.
  if (regs.getPack() == 4) {
    int64_t count = sharedVector(layout, rank, 1) == 2 ? 2 : 1, parts = 4 / count;
    Type part = builder.getIntegerType(unsigned(8 * count));
    Value single = declare(loc, 1, part);
    unrolled(layout.registers() / count, [&](Value index) {
      Value word =
          builder.create<cuda::GetOp>(loc, regs.getElementType(), array, div(index, parts));
      Value split = builder.create<cuda::ReinterpretOp>(loc, VectorType::get({parts}, part), word);
      Value own =
          builder.create<cuda::UnpackOp>(loc, builder.getI32Type(), split, rem(index, parts));
      writeElements(single, constant(0), own);
      builder.create<cuda::StoreSharedOp>(loc, single, constant(0), addressOf(mul(index, count)),
                                          replica, 1);
    });
    return;
  }
  Value single = declare(loc, 1, type.getElementType());
  unrolled(layout.registers(), [&](Value index) {
    Value address = addressOf(index);
    writeElements(single, constant(0), readElement(array, index));
    builder.create<cuda::StoreSharedOp>(loc, single, constant(0), address, replica, 1);
  });
}

/// Loads whole matrices, if threads hold words of rows as for products.
bool Expander::loadMatrices(SlotState &slot, RankedTensorType type, Value array) {
  const Layout &layout = cta::layoutOf(type);
  bool inPanels = slot.panels || channels[slot.channel.getResult()].panels;
  auto matrices = inPanels && type.getRank() == 2 ? storedMatrices(target, type, layout)
                                                  : std::optional<Matrices>();
  if (!matrices)
    return false;
  unrolled(matrices->rows.registers(), [&](Value group) {
    Value row = coordinate(matrices->rows, 0, group), column = coordinate(matrices->rows, 1, group);
    builder.create<cuda::LdmatrixOp>(loc, slotAddress(slot, row, column), array,
                                     mul(group, matrices->count), matrices->count,
                                     matrices->transposed);
  });
  return true;
}

/// Loads a tile that is transposed between two slots (`Layout::turned`): ldmatrix transposes pairs
/// of bytes, and a word then has two rows and two columns.
bool Expander::loadTurned(SlotState &slot, RankedTensorType type, Value array) {
  const Layout &layout = cta::layoutOf(type);
  if (type.getElementTypeBitWidth() != 8 || type.getRank() != 2 || layout.registers() % 8 != 0)
    return false;
  auto at = [&](int64_t reg) { return layout.coordinates(2, reg, 0, 0); };
  auto pairs = at(4) == Coordinates{0, 1} && at(3)[1] == 0 ? layout.joinPairs(1) : std::nullopt;
  auto matrices = pairs ? pairs->matrices(1) : std::nullopt;
  if (!matrices || !matrices->transposed)
    return false;
  Layout rows = matrices->rows.splitPairs(1);
  Value loaded = declareTile(loc, type);
  unrolled(rows.registers(), [&](Value group) {
    Value row = coordinate(rows, 0, group), column = coordinate(rows, 1, group);
    builder.create<cuda::LdmatrixOp>(loc, slotAddress(slot, row, column), loaded,
                                     mul(group, matrices->count), matrices->count,
                                     /*trans=*/true);
  });
  exchangeBytes(loaded, array, {0x6420, 0x7531});
  return true;
}

/// From each two words of `from`, takes the bytes that four digits each name
/// (`cuda.permute_bytes`).
void Expander::exchangeBytes(Value from, Value to, std::array<uint32_t, 2> digits) {
  auto type = cast<cuda::RegsType>(from.getType());
  unrolled(type.getSize() / 2, [&](Value pair) {
    auto place = [&](int64_t i) { return add(mul(pair, 2), constant(i)); };
    SmallVector<Value> words;
    for (int64_t i : {0, 1})
      words.push_back(builder.create<cuda::GetOp>(loc, type.getElementType(), from, place(i)));
    for (int64_t i : {0, 1}) {
      Value word = builder.create<cuda::PermuteBytesOp>(loc, words[0].getType(), words[0], words[1],
                                                        digits[i]);
      builder.create<cuda::SetOp>(loc, word, to, place(i));
    }
  });
}

LogicalResult Expander::expandGet(cta::GetOp op) {
  if (madeAtStores.contains(op))
    return success();
  SlotState &slot = slots[op.getSlot()];
  auto type = cast<RankedTensorType>(op.getTile().getType());
  const Layout &layout = cta::layoutOf(type);
  Value array = declareTile(op.getLoc(), type);
  tiles[op.getTile()] = array;
  if (loadMatrices(slot, type, array) || loadTurned(slot, type, array))
    return success();
  int64_t pack = cast<cuda::RegsType>(array.getType()).getPack(), rank = type.getRank();
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  auto addressOf = [&](Value index) { return slotAddress(slot, layout, rank, index); };
  int64_t vector = sharedVector(layout, rank, bytes);
  if (vector % pack == 0) {
    vector = bytes * pack < 4 ? 1 : vector;
    unrolled(layout.registers() / vector, [&](Value group) {
      Value first = mul(group, vector);
      builder.create<cuda::LoadSharedOp>(loc, addressOf(first), array, div(first, pack), vector);
    });
    return success();
  }
  // Less than a word is contiguous: half of it, or single elements.
  bool areHalves = vector * 2 == pack && vector * bytes == 2;
  int64_t step = areHalves ? vector : 1;
  Type part = areHalves ? Type(builder.getI16Type()) : type.getElementType();
  Value single = declare(loc, pack / step, part);
  unrolled(layout.registers() / pack, [&](Value entry) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < pack / step; ++i) {
      builder.create<cuda::LoadSharedOp>(loc, addressOf(add(mul(entry, pack), constant(i * step))),
                                         single, constant(i), 1);
      values.push_back(readElement(single, constant(i)));
    }
    if (!areHalves)
      return writeElements(array, entry, values);
    Value halves =
        builder.create<cuda::PackOp>(loc, VectorType::get({2}, builder.getI16Type()), values);
    Type word = cast<cuda::RegsType>(array.getType()).getElementType();
    Value both = builder.create<cuda::ReinterpretOp>(loc, word, halves);
    builder.create<cuda::SetOp>(loc, both, array, entry);
  });
  return success();
}

LogicalResult Expander::expandSlotElement(cta::ElementOp op) {
  Value word = declare(op.getLoc(), 1, op.getElement().getType());
  Value address = slotAddress(slots[op.getSlot()], constant(0), scalar(op.getIndex()));
  builder.create<cuda::LoadSharedOp>(loc, address, word, constant(0), 1);
  scalars.map(op.getElement(), readElement(word, constant(0)));
  return success();
}

} // namespace tilewright::passes
