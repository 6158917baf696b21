// Random bytes. A call of Philox gives 16 bytes, for elements of one row. If a thread holds these
// elements, and its register numbers say which byte belongs to which, the words of a call are kept
// and each byte is extracted where it is used. Otherwise there is a call for each element, or for
// two where registers hold neighbouring columns side by side.
#include "passes/analysis/RandomBytes.h"
#include "passes/lower/Expander.h"

#include "support/Philox.h"

#include "mlir/IR/Matchers.h"

namespace tilewright::passes {

using namespace mlir;

static constexpr int64_t kWords = 4;

//===- Which register has which byte ----------------------------------------------------------===//

/// What a digit of registers, cut by `cutDigits`, adds to the number of the byte.
static int64_t byteWeight(const Digit &digit, int64_t axis) {
  if (digit.dim != axis)
    return 0;
  return digit.stride == 1 ? 1 : digit.stride >= 8 && digit.stride < 64 ? digit.stride / 4 : 0;
}

/// Cuts digits of powers of two so that each counts either bytes of a call or calls: columns 1, and
/// 8 to 32, are bytes. Nothing if a digit along the axis is no power of two.
static std::optional<Digits> cutDigits(const Digits &digits, int64_t axis) {
  Digits result;
  for (Digit digit : digits) {
    if (digit.dim != axis) {
      result.push_back(digit);
      continue;
    }
    if (!llvm::isPowerOf2_64(digit.size) || !llvm::isPowerOf2_64(digit.stride))
      return std::nullopt;
    for (int64_t end : {2, 8, 64}) {
      int64_t size = std::min(digit.size, end / digit.stride);
      if (size <= 1)
        continue;
      result.push_back({size, axis, digit.stride});
      digit = {digit.size / size, axis, digit.stride * size};
    }
    if (digit.size > 1)
      result.push_back(digit);
  }
  return result;
}

/// The digits of a tile's registers, if these alone determine the byte of an element.
static std::optional<std::pair<Digits, int64_t>> byteDigits(tile::RandomBytesOp op) {
  std::optional<int64_t> found = axisOfCalls(op);
  if (!found)
    return std::nullopt;
  const Layout &layout = cta::layoutOf(op.getType());
  int64_t axis = *found;
  for (Level level : {Level::Lane, Level::Warp}) {
    auto cut = cutDigits(layout.digits(level), axis);
    if (!cut || llvm::any_of(*cut, [&](const Digit &digit) { return byteWeight(digit, axis); }))
      return std::nullopt;
  }
  auto digits = cutDigits(layout.digits(Level::Register), axis);
  return digits ? std::optional(std::pair(*digits, axis)) : std::nullopt;
}

//===- Calls ----------------------------------------------------------------------------------===//

/// The words of the call of one element; `column` is that element's.
std::array<Value, 4> Expander::philoxCall(tile::RandomBytesOp op, Value row, Value column) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto half = [&](Value wide, int64_t from) -> Value {
    if (from)
      wide = builder.create<arith::ShRUIOp>(loc, wide, integerOf(i64, from));
    return builder.create<arith::TruncIOp>(loc, i32, wide);
  };
  auto multiply = [&](Value number, uint32_t factor) -> Value {
    return builder.create<arith::MulIOp>(loc, builder.create<arith::ExtUIOp>(loc, i64, number),
                                         integerOf(i64, factor));
  };
  Value call = add(mul(div(column, 64), 4), rem(div(column, 2), 4));
  Value seed = scalar(op.getSeed());
  SmallVector<Value> counter{call, row, scalar(op.getStream()), scalar(op.getOffset())};
  Value keys[] = {half(seed, 0), half(seed, 32)};
  auto rounds =
      builder.create<scf::ForOp>(loc, constant(0), constant(kPhiloxRounds), constant(1), counter);
  rounds->setAttr(cuda::kUnrollAttr, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(rounds.getBody());
  auto key = [&](int which) {
    Value step = integerOf(i32, int32_t(kPhiloxSteps[which]));
    return add(keys[which], builder.create<arith::MulIOp>(loc, rounds.getInductionVar(), step));
  };
  ValueRange now = rounds.getRegionIterArgs();
  Value first = multiply(now[0], kPhiloxFactors[0]), second = multiply(now[2], kPhiloxFactors[1]);
  Value next[] = {bitXor(bitXor(half(second, 32), now[1]), key(0)), half(second, 0),
                  bitXor(bitXor(half(first, 32), now[3]), key(1)), half(first, 0)};
  builder.create<scf::YieldOp>(loc, next);
  return {rounds.getResult(0), rounds.getResult(1), rounds.getResult(2), rounds.getResult(3)};
}

static Value byteOf(OpBuilder &builder, Location loc, Value word, Value bits) {
  Value byte = builder.createOrFold<arith::ShRUIOp>(loc, word, bits);
  return builder.create<arith::AndIOp>(
      loc, byte, builder.create<arith::ConstantOp>(loc, builder.getI32IntegerAttr(255)));
}

/// Whether registers 2 i and 2 i + 1 hold columns 2 j and 2 j + 1 of a row, whose bytes are
/// neighbours in a word.
static bool hasPairsOfColumns(tile::RandomBytesOp op) {
  std::optional<int64_t> axis = axisOfCalls(op);
  const Digits &digits = cta::layoutOf(op.getType()).digits(Level::Register);
  return axis && !digits.empty() && digits.front().dim == *axis && digits.front().stride == 1 &&
         digits.front().size % 2 == 0;
}

/// A call for each element, or for two.
Value Expander::randomOneByOne(tile::RandomBytesOp op) {
  int64_t registers = cta::layoutOf(op.getType()).registers();
  int64_t step = hasPairsOfColumns(op) ? 2 : 1;
  Value array = declare(op.getLoc(), registers, builder.getI32Type());
  unrolled(registers / step, [&](Value call) {
    Value index = mul(call, step);
    Value column = element(op.getColumns(), index);
    auto words = philoxCall(op, element(op.getRows(), index), column);
    Value byte = add(rem(column, 2), mul(rem(div(column, 8), 8), 2));
    Value word = words[0];
    for (int64_t i = 1; i < kWords; ++i) {
      Value isThis = equal(div(byte, 4), constant(i));
      word = builder.create<arith::SelectOp>(loc, isThis, words[i], word);
    }
    for (int64_t next = 0; next < step; ++next) {
      Value value = byteOf(builder, loc, word, mul(add(rem(byte, 4), constant(next)), 8));
      builder.create<cuda::SetOp>(loc, value, array, add(index, constant(next)));
    }
  });
  return array;
}

LogicalResult Expander::expandRandomBytes(tile::RandomBytesOp op) {
  auto found = byteDigits(op);
  if (!found) {
    tiles[op.getResult()] = randomOneByOne(op);
    return success();
  }
  auto [digits, axis] = *found;
  // The digits that count calls, with their weights in the register number.
  Digits calls;
  int64_t weight = 1, count = 1;
  for (const Digit &digit : digits) {
    if (!byteWeight(digit, axis)) {
      calls.push_back({digit.size, 0, weight});
      count *= digit.size;
    }
    weight *= digit.size;
  }
  Value words = declare(op.getLoc(), count * kWords, builder.getI32Type());
  unrolled(count, [&](Value call) {
    Value first = sumDigits(calls, call, [](const Digit &digit) { return digit.stride; });
    first = first ? first : constant(0);
    auto made = philoxCall(op, element(op.getRows(), first), element(op.getColumns(), first));
    for (int64_t i = 0; i < kWords; ++i)
      builder.create<cuda::SetOp>(loc, made[i], words, add(mul(call, kWords), constant(i)));
  });
  randomWords[op.getResult()] = words;
  return success();
}

std::pair<Value, Value> Expander::randomPlace(tile::RandomBytesOp op, Value index) {
  auto found = *byteDigits(op);
  int64_t axis = found.second, weight = 1;
  Value byte =
      sumDigits(found.first, index, [&](const Digit &digit) { return byteWeight(digit, axis); });
  Value call = sumDigits(found.first, index, [&](const Digit &digit) {
    int64_t factor = byteWeight(digit, axis) ? 0 : weight;
    weight *= factor ? digit.size : 1;
    return factor;
  });
  byte = byte ? byte : constant(0);
  Value entry = add(call ? mul(call, kWords) : constant(0), div(byte, 4));
  Value words = randomWords.lookup(op.getResult());
  Value word = builder.create<cuda::GetOp>(loc, builder.getI32Type(), words, entry);
  return {word, rem(byte, 4)};
}

Value Expander::randomByte(tile::RandomBytesOp op, Value index) {
  auto [word, byte] = randomPlace(op, index);
  return byteOf(builder, loc, word, mul(byte, 8));
}

//===- Values that random bytes decide about --------------------------------------------------===//

namespace {
/// `where(bytes < least, 0, kept)`, cast or not.
struct Kept {
  tile::RandomBytesOp bytes;
  Value kept;
  int64_t least;
};
} // namespace

static std::optional<Kept> keptOf(Value tile) {
  auto cast = tile.getDefiningOp<tile::CastOp>();
  auto select = (cast ? cast.getSource() : tile).getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  auto bytes = compare ? compare.getLhs().getDefiningOp<tile::RandomBytesOp>() : nullptr;
  APInt least;
  if (!bytes || !matchPattern(compare.getRhs(), m_ConstantInt(&least)) || least.slt(0) ||
      least.sgt(256))
    return std::nullopt;
  bool isLess = compare.getPredicate() == arith::CmpIPredicate::slt;
  if (!isLess && compare.getPredicate() != arith::CmpIPredicate::sge)
    return std::nullopt;
  Value zero = isLess ? select.getTrueValue() : select.getFalseValue();
  if (!matchPattern(zero, m_PosZeroFloat()))
    return std::nullopt;
  return Kept{bytes, isLess ? select.getFalseValue() : select.getTrueValue(), least.getSExtValue()};
}

bool Expander::writeKept(Value tile, Value array) {
  auto type = cast<cuda::RegsType>(array.getType());
  auto found = keptOf(tile);
  if (!found || type.getPack() != 2 || !randomWords.contains(found->bytes))
    return false;
  // Neighbours have neighbouring bytes, the first an even one.
  Digit first = byteDigits(found->bytes)->first.front();
  if (first.size != 2 || first.stride != 1 || !byteWeight(first, byteDigits(found->bytes)->second))
    return false;
  Type from = getElementTypeOrSelf(found->kept.getType()),
       to = getElementTypeOrSelf(tile.getType());
  unrolled(type.getSize(), [&](Value entry) {
    SmallVector<Value, 2> values;
    for (int64_t i = 0; i < 2; ++i)
      values.push_back(convert(loc, element(found->kept, add(mul(entry, 2), constant(i))), from, to,
                               /*rounded=*/false));
    Value word = builder.create<cuda::PackOp>(loc, type.getElementType(), values);
    auto [bytes, byte] = randomPlace(found->bytes, mul(entry, 2));
    Value kept =
        builder.create<cuda::KeepOp>(loc, word.getType(), word, bytes, div(byte, 2), found->least);
    builder.create<cuda::SetOp>(loc, kept, array, entry);
  });
  return true;
}

} // namespace tilewright::passes
