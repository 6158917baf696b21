// Loads, stores and atomics of global memory. A register's place is a start (shared by all threads)
// plus what its coordinates add. Consecutive registers move as one vector when layout, alignment
// and the innermost axis allow. A vector that crosses the end of a row falls back to its elements,
// unless rows end with vectors.
#include "passes/lower/Expander.h"

#include "passes/analysis/Divisibility.h"
#include "passes/analysis/RegisterTiles.h"
#include "passes/analysis/SharedAccesses.h"

#include "mlir/IR/Matchers.h"

namespace tilewright::passes {

using namespace mlir;

Value Expander::lessUnsigned(Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, a, b);
}

Value Expander::offsetAt(Value offset, Value elements) {
  if (offset.getType().isInteger(64))
    elements = builder.createOrFold<arith::ExtSIOp>(loc, builder.getI64Type(), elements);
  return builder.createOrFold<arith::AddIOp>(loc, offset, elements);
}

Value Expander::scaled(Value index, Value stride) {
  if (stride.getType().isInteger(64))
    index = builder.createOrFold<arith::ExtSIOp>(loc, builder.getI64Type(), index);
  return builder.createOrFold<arith::MulIOp>(loc, index, stride);
}

/// So many elements of each row of a tile lie within the view, if that is known of some.
static std::optional<int64_t> elementsInside(const GlobalAccess &access) {
  int64_t valid = access.valid.empty() ? 0 : access.valid.back();
  if (!access.inBounds.empty() && access.inBounds.back())
    return valid ? std::optional(valid) : std::nullopt;
  APInt size;
  if (!access.lastStart || !matchPattern(access.view->dims.back(), m_ConstantInt(&size)))
    return std::nullopt;
  int64_t left = size.getSExtValue() - *access.lastStart;
  return valid ? std::min(left, valid) : left;
}

Place Expander::place(const GlobalAccess &access, const Layout &layout, Value index,
                      int64_t vector) {
  Place result;
  // The part of the offset that all threads share, and the part of this thread. They stay separate:
  // the former takes no registers per thread, and the latter is the same for all registers.
  const ViewParams &view = *access.view;
  Value shared = view.start, own, surely;
  int64_t rank = view.type.getRank();
  int64_t dim = 0; // of the tile
  for (int64_t axis = 0; axis < rank; ++axis) {
    bool sliced = access.extents[axis] != 0;
    Value local = sliced ? coordinate(layout, dim, index) : Value();
    Value stride = view.strides[axis];
    Value position = access.indices[axis];
    if (access.indexTiles[axis]) {
      // The index tile's layout is the tile's along this dimension.
      Value kept = keepDigits(layout, index, [&](int64_t d) { return d == dim; });
      position = element(access.indexTiles[axis], kept);
      own = add(own, scaled(position, stride));
    } else if (sliced) {
      Value uniform = add(position, registerCoordinate(layout, dim, index));
      shared = add(shared, scaled(uniform, stride));
      own = add(own, scaled(threadCoordinate(layout, dim), stride));
      position = add(position, local);
    } else {
      shared = add(shared, scaled(position, stride));
    }
    bool known = !access.inBounds.empty() && access.inBounds[axis];
    int64_t valid = access.valid.empty() ? 0 : access.valid[axis];
    bool innermost = axis == rank - 1 && sliced && !access.indexTiles[axis];
    if (innermost) {
      // Kept separate, for vectors that cross the end.
      if (!known)
        result.remaining = builder.createOrFold<arith::SubIOp>(loc, view.dims[axis], position);
      if (valid) {
        Value left = builder.createOrFold<arith::SubIOp>(loc, constant(valid), local);
        result.remaining = result.remaining
                               ? builder.createOrFold<arith::MinSIOp>(loc, result.remaining, left)
                               : left;
      }
      if (auto count = elementsInside(access))
        surely = surelyBefore(layout, dim, registerCoordinate(layout, dim, index), *count);
      if (!known && !access.startsInside[axis])
        result.inside =
            both(result.inside, builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge,
                                                                    position, constant(0)));
    } else {
      if (!known)
        result.inside = both(result.inside, lessUnsigned(position, view.dims[axis]));
      if (valid && local)
        result.inside = both(result.inside, lessUnsigned(local, constant(valid)));
    }
    dim += sliced;
  }
  result.offset = add(shared, own);
  if (result.remaining && !access.mayEndWithin(vector)) {
    Value isLeft = moreThan(std::exchange(result.remaining, {}), constant(0));
    result.inside = both(result.inside, either(surely, isLeft));
  }
  return result;
}

Place Expander::placeScalar(const GlobalAccess &access) {
  return place(access, Layout(), constant(0), /*vector=*/1);
}

int64_t Expander::vectorOf(const GlobalAccess &access, const Layout &layout, int64_t limit) {
  int64_t rank = llvm::count_if(access.extents, [](int64_t extent) { return extent != 0; });
  if (rank == 0 || access.extents.back() <= 0)
    return 1;
  int64_t vector = 1, held = layout.vector(rank - 1);
  while (vector * 2 <= limit && held % (vector * 2) == 0)
    vector *= 2;
  return vector;
}

Value Expander::moreThan(Value remaining, Value count) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, remaining, count);
}

void Expander::wholeOrSingle(const Place &where, int64_t vector, function_ref<void(Value)> whole,
                             function_ref<void()> single) {
  if (!where.remaining)
    return whole(where.inside);
  auto branch = builder.create<scf::IfOp>(loc, moreThan(where.remaining, constant(vector - 1)),
                                          /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  whole(where.inside);
  builder.setInsertionPointToStart(branch.elseBlock());
  single();
}

//===- Loads ---------------------------------------------------------------------------------===//

LogicalResult Expander::expandLoad(tile::LoadOp op) {
  if (madeAtStores.contains(op))
    return success();
  GlobalAccess access = accessOf(op);
  Type element = access.view->type.getElementType();
  auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
  Value fill = op.getFill() ? scalar(op.getFill()) : constantOf(computeType(element), 0);
  if (!type) {
    Value array = declare(op.getLoc(), 1, element);
    writeElements(array, constant(0), fill);
    Place where = placeScalar(access);
    builder.create<cuda::LoadGlobalOp>(loc, access.view->ptr, where.offset, array, constant(0),
                                       where.inside, 1);
    scalars.map(op.getResult(), readElement(array, constant(0)));
    return success();
  }
  Value array = declareTile(op.getLoc(), type);
  tiles[op.getResult()] = array;
  int64_t limit = accessVector(access.view->type, op.getIndices(), op.getExtents());
  loadTile(access, cta::layoutOf(type), array, limit, fill, Value());
  return success();
}

void Expander::loadTile(const GlobalAccess &access, const Layout &layout, Value array,
                        int64_t limit, Value fill, Value predicate) {
  int64_t pack = cast<cuda::RegsType>(array.getType()).getPack();
  int64_t vector = vectorOf(access, layout, limit);
  if (vector < pack) // part of a word: element by element
    vector = 1;
  int64_t span = std::max(vector, pack), count = layout.registers() / span;
  auto load = [&](const GlobalAccess &access) {
    unrolled(count, [&](Value group) {
      Value first = mul(group, span), entry = mul(group, span / pack);
      if (vector >= pack)
        return loadVector(access, layout, array, first, entry, vector, fill, predicate);
      // Elements of a packed word are first collected in registers of their own.
      Value single = declare(loc, span, access.view->type.getElementType());
      unrolled(span, [&](Value i) {
        loadVector(access, layout, single, add(first, i), i, 1, fill, predicate);
      });
      packInto(array, entry, single, span);
    });
  };
  // Each vector that may cross the end is a branch, and ptxas waits for a load before the next one.
  // So many are tested at once, where the tile as a whole does not cross it.
  constexpr int64_t kMany = 8;
  bool isTested = access.mayEndWithin(vector) && access.indices.back() &&
                  access.startsInside.back() && (access.valid.empty() || !access.valid.back());
  if (!isTested || count < kMany)
    return load(access);
  Value left =
      builder.createOrFold<arith::SubIOp>(loc, access.view->dims.back(), access.indices.back());
  auto branch = builder.create<scf::IfOp>(loc, moreThan(left, constant(access.extents.back() - 1)),
                                          /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<bool> inBounds(access.extents.size());
  llvm::copy(access.inBounds, inBounds.begin());
  inBounds.back() = true;
  GlobalAccess whole = access;
  whole.inBounds = inBounds;
  load(whole);
  builder.setInsertionPointToStart(branch.elseBlock());
  load(access);
}

/// Packs `count` single registers into the words of `array` from `entry` on.
void Expander::packInto(Value array, Value entry, Value single, int64_t count) {
  int64_t pack = cast<cuda::RegsType>(array.getType()).getPack();
  unrolled(count / pack, [&](Value word) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < pack; ++i)
      values.push_back(readElement(single, add(mul(word, pack), constant(i))));
    writeElements(array, add(entry, word), values);
  });
}

/// Loads `vector` consecutive elements, from register `first` of the layout on, into entries of
/// `array` from `entry` on. Elements outside the view get `fill`.
void Expander::loadVector(const GlobalAccess &access, const Layout &layout, Value array,
                          Value first, Value entry, int64_t vector, Value fill, Value predicate) {
  int64_t pack = cast<cuda::RegsType>(array.getType()).getPack();
  Place where = place(access, layout, first, vector);
  where.inside = both(predicate, where.inside);
  if (where.inside)
    unrolled(vector / pack,
             [&](Value i) { writeElements(array, add(entry, i), SmallVector<Value>(pack, fill)); });
  Value ptr = access.view->ptr;
  wholeOrSingle(
      where, vector,
      [&](Value inside) {
        builder.create<cuda::LoadGlobalOp>(loc, ptr, where.offset, array, entry, inside, vector);
      },
      [&] {
        // A vector that crosses the end is loaded element by element, without packing.
        Value singles = declare(loc, vector, access.view->type.getElementType());
        unrolled(vector, [&](Value i) {
          writeElements(singles, i, fill);
          Value inside = both(where.inside, moreThan(where.remaining, i));
          builder.create<cuda::LoadGlobalOp>(loc, ptr, offsetAt(where.offset, i), singles, i,
                                             inside, 1);
        });
        packInto(array, entry, singles, vector);
      });
}

//===- Stores and atomics --------------------------------------------------------------------===//

std::pair<Value, Value> Expander::vectorAt(Value tile, Value first, int64_t vector) {
  Value array = tiles.lookup(tile);
  if (array && cast<cuda::RegsType>(array.getType()).getPack() <= vector)
    return {array, div(first, cast<cuda::RegsType>(array.getType()).getPack())};
  Type element = getElementTypeOrSelf(tile.getType());
  int64_t pack = packOf(element, vector);
  array = declare(loc, vector / pack, pack == 1 ? element : Type(VectorType::get({pack}, element)));
  if (auto crossing = crossings.find(tile); crossing != crossings.end()) {
    Value address = addressIn(crossing->second, cta::layoutOf(tile.getType()), first);
    builder.create<cuda::LoadSharedOp>(loc, address, array, constant(0), vector);
    return {array, constant(0)};
  }
  unrolled(vector / pack, [&](Value word) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < pack; ++i)
      values.push_back(
          this->element(tile, add(add(first, mul(word, pack)), constant(i)), /*rounded=*/false));
    writeElements(array, word, values);
  });
  return {array, constant(0)};
}

/// Reads a vector of a tile, from register `first` on, for a store that makes it: into an array of
/// its own, which stands for the tile until the next.
void Expander::readAtStore(Operation *read, Value first, int64_t vector) {
  Value tile = read->getResult(0);
  auto type = cast<RankedTensorType>(tile.getType());
  const Layout &layout = cta::layoutOf(type);
  auto arrayOf = [&](int64_t together) {
    int64_t pack = packOf(type.getElementType(), together);
    return declare(loc, vector / pack,
                   pack == 1 ? type.getElementType()
                             : Type(VectorType::get({pack}, type.getElementType())));
  };
  auto inParts = [&](int64_t wide, auto readPart) {
    wide = std::min(wide, vector);
    Value array = tiles[tile] = arrayOf(wide);
    int64_t pack = cast<cuda::RegsType>(array.getType()).getPack();
    for (int64_t i = 0; i < vector; i += wide)
      readPart(array, add(first, constant(i)), constant(i / pack), wide);
  };
  if (auto load = dyn_cast<tile::LoadOp>(read)) {
    GlobalAccess access = accessOf(load);
    Type element = access.view->type.getElementType();
    Value fill = load.getFill() ? scalar(load.getFill()) : constantOf(computeType(element), 0);
    int64_t limit = accessVector(access.view->type, load.getIndices(), load.getExtents());
    return inParts(vectorOf(access, layout, limit),
                   [&](Value array, Value from, Value entry, int64_t wide) {
                     loadVector(access, layout, array, from, entry, wide, fill, Value());
                   });
  }
  SlotState &slot = slots[cast<cta::GetOp>(read).getSlot()];
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  inParts(sharedVector(layout, type.getRank(), bytes),
          [&](Value array, Value from, Value entry, int64_t wide) {
            Value address = slotAddress(slot, layout, type.getRank(), from);
            builder.create<cuda::LoadSharedOp>(loc, address, array, entry, wide);
          });
}

LogicalResult Expander::expandStore(tile::StoreOp op) {
  GlobalAccess access = accessOf(op);
  Type element = access.view->type.getElementType();
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!type) {
    Value array = declare(op.getLoc(), 1, element);
    writeElements(array, constant(0), scalar(op.getValue()));
    Place where = placeScalar(access);
    builder.create<cuda::StoreGlobalOp>(loc, array, constant(0), access.view->ptr, where.offset,
                                        both(where.inside, firstThread()), 1);
    return success();
  }
  const Layout &layout = cta::layoutOf(type);
  int64_t limit = accessVector(access.view->type, op.getIndices(), op.getExtents());
  int64_t vector = vectorOf(access, layout, limit);
  if (element.getIntOrFloatBitWidth() * vector < 32) // part of a word: element by element
    vector = 1;
  int64_t count = layout.registers() / vector;
  Value replica = firstReplica(layout);
  SmallVector<Operation *> reads; // of what this store makes
  for (Operation *made : opsMadeAtStore(op))
    if (isa<tile::LoadOp, cta::GetOp>(made))
      reads.push_back(made);
  // A body with a path for single elements is long, and one that reads takes registers. If the tile
  // lies in shared memory, no register array is indexed, and a few copies of the body are enough to
  // have several loads in flight.
  constexpr int64_t kLoadsUnderWay = 4;
  bool isLong = access.mayEndWithin(vector);
  bool isRead = !reads.empty() || (isLong && crossings.contains(op.getValue()));
  int64_t factor = isRead ? kLoadsUnderWay : 0;
  auto storeVector = [&](Value group) {
    Value first = mul(group, vector);
    for (Operation *read : reads)
      readAtStore(read, first, vector);
    auto [array, entry] = vectorAt(op.getValue(), reads.empty() ? first : constant(0), vector);
    int64_t entryPack = cast<cuda::RegsType>(array.getType()).getPack();
    Place where = place(access, layout, first, vector);
    where.inside = both(where.inside, replica);
    Value ptr = access.view->ptr;
    wholeOrSingle(
        where, vector,
        [&, array = array, entry = entry](Value inside) {
          builder.create<cuda::StoreGlobalOp>(loc, array, entry, ptr, where.offset, inside, vector);
        },
        [&, array = array, entry = entry] {
          unrolled(vector, [&](Value i) {
            Value single = declare(op.getLoc(), 1, element);
            writeElements(single, constant(0), readElement(array, add(mul(entry, entryPack), i)));
            Value inside = both(where.inside, moreThan(where.remaining, i));
            builder.create<cuda::StoreGlobalOp>(loc, single, constant(0), ptr,
                                                offsetAt(where.offset, i), inside, 1);
          });
        });
  };
  unrolled(count, storeVector, factor);
  for (Operation *read : reads)
    tiles.erase(read->getResult(0));
  return success();
}

LogicalResult Expander::expandAtomic(tile::AtomicOp op) {
  if (op.getInOrder())
    return expandSumsInOrder(op);
  updateView(op);
  return success();
}

/// Updates one element of a view, if it lies in it.
void Expander::updateElement(tile::AtomicOp op, const GlobalAccess &access, Value value,
                             const Place &where, Value only) {
  auto kind = builder.getStringAttr(tile::stringifyAtomicKind(op.getKind()));
  Type element = access.view->type.getElementType();
  if (value.getType() != element)
    value = builder.create<cuda::ConvertOp>(loc, element, value);
  builder.create<cuda::AtomicOp>(loc, kind, value, access.view->ptr, where.offset,
                                 both(where.inside, only));
}

void Expander::updateView(tile::AtomicOp op) {
  GlobalAccess access = accessOf(op);
  auto update = [&](Value value, const Place &where, Value only) {
    updateElement(op, access, value, where, only);
  };
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!type) {
    Value first = firstThread();
    return update(scalar(op.getValue()), placeScalar(access), first);
  }
  const Layout &layout = cta::layoutOf(type);
  Value replica = firstReplica(layout);
  unrolled(layout.registers(), [&](Value index) {
    update(this->element(op.getValue(), index), place(access, layout, index, /*vector=*/1),
           replica);
  });
}

} // namespace tilewright::passes
