// Matrix products: fragments from shared memory, then mma.sync; or fused multiply-adds.
//
// The fragments of every mma.sync form have one geometry in bytes: a step along k is 32 bytes (16
// for m16n8k8 f16 and m8n8k16 i8) of a row of A or a column of B, as 8×8 matrices of 16-byte rows,
// which is what ldmatrix loads. An operand whose memory rows do not run along k needs ldmatrix's
// transposition, which moves 16-bit elements only; for other widths its words are gathered element
// by element.
#include "passes/analysis/RegisterTiles.h"
#include "passes/lower/Expander.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::passes {

using namespace mlir;

namespace {

/// The geometry of one product, seen from a warp.
struct Geometry {
  int64_t rows;           // of a fragment of A: 16 or 8
  int64_t tilesM, tilesN; // fragments of the warp's part, by rows and by 8 columns
  int64_t steps;          // along k
  int64_t stepK;          // elements along k per step
  int64_t wordsA, wordsB; // per fragment and lane
  int64_t bits;           // of an operand element
  /// Words of A that one ldmatrix loads: a fragment, or up to four that have one word each.
  int64_t wordsPerLoad() const {
    int64_t words = wordsA;
    while (rows == 8 && words < 4 && tilesM * wordsA % (2 * words) == 0)
      words *= 2;
    return words;
  }
};

Geometry geometryOf(cta::MmaOp op) {
  auto shape = cast<RankedTensorType>(op.getAcc().getType()).getShape();
  auto b = op.getB().getType().getTile().getShape();
  int64_t k = op.getBTransposed() ? b[1] : b[0];
  Geometry g;
  g.stepK = op.getShape()[2];
  g.bits = op.getOperandElementType().getIntOrFloatBitWidth();
  g.rows = op.getShape()[0];
  g.tilesM = shape[0] / op.getWarps()[0] / g.rows;
  g.tilesN = shape[1] / op.getWarps()[1] / 8;
  g.steps = k / g.stepK;
  g.wordsA = g.rows * g.stepK * g.bits / 1024;
  g.wordsB = 8 * g.stepK * g.bits / 1024;
  return g;
}

} // namespace

void Expander::gatherWords(const SlotState &slot, Value array, Value word, Value outer, Value k,
                           bool kIsRow) {
  auto type = cast<cuda::RegsType>(array.getType());
  int64_t pack = type.getPack();
  auto addressAt = [&](int64_t i) {
    Value along = add(k, constant(i));
    return kIsRow ? slotAddress(slot, along, outer) : slotAddress(slot, outer, along);
  };
  if (pack == 1) {
    builder.create<cuda::LoadSharedOp>(loc, addressAt(0), array, word, 1);
    return;
  }
  Value single = declare(loc, pack, type.getValueType());
  SmallVector<Value> values;
  for (int64_t i = 0; i < pack; ++i)
    builder.create<cuda::LoadSharedOp>(loc, addressAt(i), single, constant(i), 1);
  for (int64_t i = 0; i < pack; ++i)
    values.push_back(readElement(single, constant(i)));
  writeElements(array, word, values);
}

/// The word type of a fragment array with these elements.
static Type wordType(Type element) {
  int64_t pack = 32 / element.getIntOrFloatBitWidth();
  return pack == 1 ? element : Type(VectorType::get({pack}, element));
}

/// Rounds an f32 fragment to tf32, as the op demands.
static void roundFragments(OpBuilder &builder, Location loc, Value array, Value index) {
  auto type = cast<cuda::RegsType>(array.getType());
  Value word = builder.create<cuda::GetOp>(loc, type.getElementType(), array, index);
  builder.create<cuda::SetOp>(loc, builder.create<cuda::RoundTf32Op>(loc, word.getType(), word),
                              array, index);
}

Value Expander::loadFragmentsA(cta::MmaOp op, Value step) {
  Geometry g = geometryOf(op);
  SlotState &slot = slots[op.getA()];
  Type element = op.getOperandElementType();
  const Layout &layout = cta::layoutOf(op.getAcc().getType());
  auto named = NameLoc::get(builder.getStringAttr("a"), loc);
  Value array = declare(named, g.tilesM * g.wordsA, wordType(element));
  Value warpRow = warpOffset(layout, 0);
  Value k = mul(step, g.stepK);
  int64_t chunk = 128 / g.bits; // elements in 16 bytes
  int64_t words = op.getATransposed() ? g.wordsA : g.wordsPerLoad();
  int64_t rows = g.rows * words / g.wordsA; // that one load covers
  unrolled(g.tilesM * g.wordsA / words, [&](Value tile) {
    Value row = add(warpRow, mul(tile, rows));
    Value word = mul(tile, words);
    if (!op.getATransposed()) {
      // The first lanes address the rows of the first 16 bytes, the others those of the next.
      Value address =
          slotAddress(slot, add(row, rem(lane, rows)),
                      add(k, words * 8 > rows ? mul(div(lane, rows), chunk) : constant(0)));
      builder.create<cuda::LdmatrixOp>(loc, address, array, word, words, false);
    } else if (g.bits == 16) {
      // Memory rows run along m: matrices (k, m), (k, m+8), (k+8, m), (k+8, m+8), transposed.
      Value address = slotAddress(slot, add(k, add(rem(lane, 8), mul(div(lane, 16), 8))),
                                  add(row, mul(rem(div(lane, 8), 2), 8)));
      builder.create<cuda::LdmatrixOp>(loc, address, array, word, g.wordsA, true);
    } else {
      // Word w: row lane/4 + 8 (w odd), and 4 bytes along k at lane%4, 16 bytes on for w >= 2.
      unrolled(g.wordsA, [&](Value w) {
        Value outer = add(row, add(div(lane, 4), mul(rem(w, 2), 8)));
        Value along = add(k, add(mul(rem(lane, 4), 32 / g.bits), mul(div(w, 2), chunk)));
        gatherWords(slot, array, add(word, w), outer, along, /*kIsRow=*/true);
      });
    }
    if (op.getTf32())
      unrolled(words, [&](Value w) { roundFragments(builder, loc, array, add(word, w)); });
  });
  return array;
}

Value Expander::loadFragmentsB(cta::MmaOp op, Value step, Value first, int64_t count) {
  Geometry g = geometryOf(op);
  SlotState &slot = slots[op.getB()];
  const Layout &layout = cta::layoutOf(op.getAcc().getType());
  auto named = NameLoc::get(builder.getStringAttr("b"), loc);
  Value array = declare(named, count, wordType(op.getOperandElementType()));
  Value warpCol = warpOffset(layout, 1);
  Value k = mul(step, g.stepK);
  int64_t chunk = 128 / g.bits;
  bool transposed = op.getBTransposed();

  if (!transposed && g.bits != 16) {
    unrolled(count, [&](Value i) {
      Value word = add(first, i);
      Value outer = add(warpCol, add(mul(div(word, g.wordsB), 8), div(lane, 4)));
      Value along = add(k, add(mul(rem(lane, 4), 32 / g.bits), mul(rem(word, g.wordsB), chunk)));
      gatherWords(slot, array, i, outer, along, /*kIsRow=*/true);
    });
  } else {
    // Matrix i holds word i: the (i % wordsB)-th 16 bytes along k of column fragment i / wordsB.
    Value matrix = count == 1 ? first : add(first, rem(div(lane, 8), count));
    Value tileCol = add(warpCol, mul(div(matrix, g.wordsB), 8));
    Value tileK = mul(rem(matrix, g.wordsB), chunk);
    Value address = transposed ? slotAddress(slot, add(tileCol, rem(lane, 8)), add(k, tileK))
                               : slotAddress(slot, add(add(k, tileK), rem(lane, 8)), tileCol);
    builder.create<cuda::LdmatrixOp>(loc, address, array, constant(0), count, !transposed);
  }
  if (op.getTf32())
    unrolled(count, [&](Value word) { roundFragments(builder, loc, array, word); });
  return array;
}

void Expander::expandMmaSync(cta::MmaOp op, Value acc) {
  Geometry g = geometryOf(op);
  bool fromRegisters = !slots.contains(op.getA());
  Value held = fromRegisters ? registersOf(op.getA()) : Value();
  auto shape = op.getShape();
  int64_t words = g.tilesN * g.wordsB;
  unrolled(g.steps, [&](Value step) {
    Value a = fromRegisters ? held : loadFragmentsA(op, step);
    // Columns in groups of four matrices, each multiplied as soon as it is loaded: few fragments of
    // B are live beside the accumulators.
    auto multiply = [&](Value first, int64_t count) {
      Value b = loadFragmentsB(op, step, first, count);
      Value tile = div(first, g.wordsB);
      unrolled(g.tilesM, [&](Value m) {
        // A tile in registers holds its fragments step after step, row block after row block.
        Value wordA = fromRegisters ? mul(add(mul(m, g.steps), step), g.wordsA) : mul(m, g.wordsA);
        unrolled(count / g.wordsB, [&](Value n) {
          Value index = mul(add(add(mul(m, g.tilesN), tile), n), g.rows * 8 / kLanes);
          builder.create<cuda::MmaOp>(loc, acc, index, a, wordA, b, mul(n, g.wordsB), shape[0],
                                      shape[1], shape[2]);
        });
      });
    };
    if (words >= 4)
      unrolled(words / 4, [&](Value group) { multiply(mul(group, 4), 4); });
    if (words % 4 >= 2)
      multiply(constant(words / 4 * 4), 2);
    if (words % 2)
      multiply(constant(words - 1), 1);
  });
}

void Expander::expandFma(cta::MmaOp op, Value acc) {
  auto accType = cast<RankedTensorType>(op.getAcc().getType());
  const Layout &layout = cta::layoutOf(accType);
  SlotState &slotA = slots[op.getA()], &slotB = slots[op.getB()];
  Type element = op.getOperandElementType(), compute = computeType(element);
  auto tile = op.getB().getType().getTile().getShape();
  int64_t depth = op.getBTransposed() ? tile[1] : tile[0];
  // Registers of the accumulator: columns vary fastest, then rows.
  Layout rows = layout.dropDim(1), columns = layout.dropDim(0);
  int64_t countM = rows.registers(), countN = columns.registers();

  auto loop = builder.create<scf::ForOp>(loc, constant(0), constant(depth), constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value k = loop.getInductionVar();
  auto loadLine = [&](StringRef name, SlotState &slot, const Layout &line, int64_t count,
                      bool kIsRow) {
    auto named = NameLoc::get(builder.getStringAttr(name), loc);
    Value values = declare(named, count, compute);
    Value single = compute == element ? values : declare(loc, 1, element);
    unrolled(count, [&](Value index) {
      Value outer = coordinate(line, 0, index);
      Value address = kIsRow ? slotAddress(slot, k, outer) : slotAddress(slot, outer, k);
      bool direct = compute == element;
      builder.create<cuda::LoadSharedOp>(loc, address, single, direct ? index : constant(0), 1);
      if (!direct)
        writeElements(values, index, readElement(single, constant(0)));
    });
    return values;
  };
  Value a = loadLine("a", slotA, rows, countM, op.getATransposed());
  Value b = loadLine("b", slotB, columns, countN, !op.getBTransposed());
  if (op.getTf32()) {
    unrolled(countM, [&](Value i) { roundFragments(builder, loc, a, i); });
    unrolled(countN, [&](Value i) { roundFragments(builder, loc, b, i); });
  }
  unrolled(layout.registers(), [&](Value index) {
    Value m = keepDigits(layout, index, [](int64_t d) { return d == 0; });
    Value n = keepDigits(layout, index, [](int64_t d) { return d == 1; });
    Value x = builder.create<cuda::GetOp>(loc, compute, a, m);
    Value y = builder.create<cuda::GetOp>(loc, compute, b, n);
    Value sum = builder.create<cuda::GetOp>(loc, compute, acc, index);
    Value next = isa<FloatType>(compute) ? Value(builder.create<math::FmaOp>(loc, x, y, sum))
                                         : Value(builder.create<arith::AddIOp>(
                                               loc, builder.create<arith::MulIOp>(loc, x, y), sum));
    builder.create<cuda::SetOp>(loc, next, acc, index);
  });
}

LogicalResult Expander::expandMma(cta::MmaOp op) {
  // The product accumulates in place, in the accumulator's own array. There is an exception if
  // something still needs the old value (possibly this product in the next iteration), or if it has
  // no array yet.
  RankedTensorType accType = cta::tileOf(op.getAcc().getType());
  Value acc = tiles.lookup(op.getAcc());
  if (isa<cta::PendingType>(op.getAcc().getType())) {
    tiles[op.getResult()] = acc;
    expandWgmma(op, acc);
    return success();
  }
  bool mine = acc && op.getAcc().hasOneUse() && isMadeForEachUse(op.getAcc(), op);
  if (auto argument = dyn_cast<BlockArgument>(op.getAcc()); acc && argument)
    mine = carriesResult(op, argument);
  if (!mine) {
    acc = declareTile(op.getLoc(), accType);
    writeTile(op.getAcc(), acc);
  }
  tiles[op.getResult()] = acc;
  llvm::TypeSwitch<Attribute, void>(op.getInstruction())
      .Case([&](cta::FmaAttr) { expandFma(op, acc); })
      .Case([&](cta::MmaSyncAttr) { expandMmaSync(op, acc); })
      .Case([&](cta::WgmmaAttr) { expandWgmma(op, acc); });
  return success();
}

/// True if a loop carries this product's result in the accumulator that it started from, and
/// nothing else reads that. Then it may be overwritten.
bool Expander::carriesResult(cta::MmaOp op, BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || op->getParentOp() != loop || !argument.hasOneUse())
    return false;
  Value carried = loop.getYieldedValues()[argument.getArgNumber() - 1];
  auto await = carried.getDefiningOp<cta::AwaitOp>();
  return await && await.getPending() == op.getResult();
}

} // namespace tilewright::passes
