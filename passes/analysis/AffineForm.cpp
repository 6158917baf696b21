#include "passes/analysis/AffineForm.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::passes {

//===- AffineForm ----------------------------------------------------------------------------===//

void AffineForm::add(Value symbol, int64_t coefficient) {
  auto *term = llvm::find_if(terms, [&](const auto &each) { return each.first == symbol; });
  if (term == terms.end())
    term = &terms.emplace_back(symbol, 0);
  term->second += coefficient;
  if (term->second == 0)
    terms.erase(term);
}

int64_t AffineForm::coefficient(Value symbol) const {
  auto *term = llvm::find_if(terms, [&](const auto &each) { return each.first == symbol; });
  return term == terms.end() ? 0 : term->second;
}

AffineForm AffineForm::operator+(const AffineForm &other) const {
  AffineForm sum = *this;
  sum.constant += other.constant;
  for (auto [symbol, coefficient] : other.terms)
    sum.add(symbol, coefficient);
  return sum;
}

AffineForm AffineForm::operator+(int64_t value) const {
  AffineForm sum = *this;
  sum.constant += value;
  return sum;
}

AffineForm AffineForm::operator*(int64_t factor) const {
  AffineForm product;
  product.constant = constant * factor;
  for (auto [symbol, coefficient] : terms)
    product.add(symbol, coefficient * factor);
  return product;
}

bool AffineForm::operator==(const AffineForm &other) const {
  AffineForm difference = *this - other;
  return difference.isConstant() && difference.constant == 0;
}

AffineForm AffineForm::without(Value symbol) const {
  AffineForm rest = *this;
  rest.add(symbol, -coefficient(symbol));
  return rest;
}

AffineForm AffineForm::of(Value scalar) {
  AffineForm form;
  APInt constant;
  if (matchPattern(scalar, m_ConstantInt(&constant))) {
    form.constant = constant.getSExtValue();
    return form;
  }
  if (auto op = scalar.getDefiningOp<arith::AddIOp>())
    return of(op.getLhs()) + of(op.getRhs());
  if (auto op = scalar.getDefiningOp<arith::SubIOp>())
    return of(op.getLhs()) - of(op.getRhs());
  if (auto op = scalar.getDefiningOp<arith::MulIOp>()) {
    AffineForm lhs = of(op.getLhs()), rhs = of(op.getRhs());
    if (rhs.isConstant())
      return lhs * rhs.constant;
    if (lhs.isConstant())
      return rhs * lhs.constant;
  }
  form.add(scalar, 1);
  return form;
}

static Value constantInt(OpBuilder &builder, Location loc, int64_t value) {
  return builder.create<arith::ConstantIntOp>(loc, value, 32);
}

Value AffineForm::materialize(OpBuilder &builder, Location loc) const {
  Value sum;
  for (auto [symbol, coefficient] : terms) {
    if (sum && coefficient == -1) {
      sum = builder.create<arith::SubIOp>(loc, sum, symbol);
      continue;
    }
    Value term = symbol;
    if (coefficient != 1)
      term = builder.create<arith::MulIOp>(loc, term, constantInt(builder, loc, coefficient));
    sum = sum ? builder.create<arith::AddIOp>(loc, sum, term) : term;
  }
  if (!sum)
    return constantInt(builder, loc, constant);
  if (constant == 0)
    return sum;
  return builder.create<arith::AddIOp>(loc, sum, constantInt(builder, loc, constant));
}

static int64_t floorDiv(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0);
}

Value materializeFloorDiv(OpBuilder &builder, Location loc, const AffineForm &form,
                          int64_t divisor) {
  if (form.isConstant())
    return constantInt(builder, loc, floorDiv(form.constant, divisor));
  // Multiples of the divisor are added afterwards, so that the sum stays in range.
  int64_t whole = floorDiv(form.constant + divisor / 2, divisor);
  Value value = (form + -whole * divisor).materialize(builder, loc);
  if (divisor != 1 && llvm::isPowerOf2_64(divisor))
    value = builder.create<arith::ShRSIOp>(loc, value,
                                           constantInt(builder, loc, llvm::Log2_64(divisor)));
  else if (divisor != 1)
    value = builder.create<arith::FloorDivSIOp>(loc, value, constantInt(builder, loc, divisor));
  if (whole == 0)
    return value;
  return builder.create<arith::AddIOp>(loc, value, constantInt(builder, loc, whole));
}

//===- TileForm ------------------------------------------------------------------------------===//

static TileForm uniform(AffineForm base, RankedTensorType type) {
  return {std::move(base), SmallVector<int64_t>(type.getRank(), 0),
          SmallVector<int64_t>(type.getShape())};
}

static std::optional<TileForm> sum(Value lhs, Value rhs, int64_t sign) {
  auto left = TileForm::of(lhs), right = TileForm::of(rhs);
  if (!left || !right)
    return std::nullopt;
  left->base = left->base + right->base * sign;
  for (auto [step, other] : llvm::zip(left->steps, right->steps))
    step += sign * other;
  return left;
}

static std::optional<TileForm> product(Value lhs, Value rhs) {
  auto left = TileForm::of(lhs), right = TileForm::of(rhs);
  if (!left || !right)
    return std::nullopt;
  auto isNumber = [](const TileForm &form) {
    return form.base.isConstant() && llvm::all_of(form.steps, [](int64_t s) { return s == 0; });
  };
  if (isNumber(*left))
    std::swap(left, right);
  if (!isNumber(*right))
    return std::nullopt;
  left->base = left->base * right->base.constant;
  for (int64_t &step : left->steps)
    step *= right->base.constant;
  return left;
}

std::optional<TileForm> TileForm::of(Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  Operation *op = tile.getDefiningOp();
  if (!type || !op || !(type.getElementType().isInteger(32) || type.getElementType().isF32()))
    return std::nullopt;
  if (auto cast = dyn_cast<tile::CastOp>(op))
    return type.getElementType().isF32() ? of(cast.getSource()) : std::nullopt;
  APInt number;
  if (matchPattern(tile, m_ConstantInt(&number)))
    return uniform(AffineForm{number.getSExtValue(), {}}, type);
  if (auto splat = dyn_cast<tile::SplatOp>(op); splat && splat.getValue().getType().isInteger(32))
    return uniform(AffineForm::of(splat.getValue()), type);
  if (auto range = dyn_cast<tile::RangeOp>(op))
    return TileForm{AffineForm::of(range.getStart()), {1}, {type.getDimSize(0)}};
  if (auto add = dyn_cast<arith::AddIOp>(op))
    return sum(add.getLhs(), add.getRhs(), 1);
  if (auto sub = dyn_cast<arith::SubIOp>(op))
    return sum(sub.getLhs(), sub.getRhs(), -1);
  if (auto mul = dyn_cast<arith::MulIOp>(op))
    return product(mul.getLhs(), mul.getRhs());
  if (!isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp>(op))
    return std::nullopt;
  auto source = of(op->getOperand(0));
  if (!source)
    return std::nullopt;
  TileForm form{source->base, {}, SmallVector<int64_t>(type.getShape())};
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    form.steps = source->steps;
    form.steps.insert(form.steps.begin() + expand.getAxis(), 0);
  } else if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    for (int64_t from : transpose.getPermutation())
      form.steps.push_back(source->steps[from]);
  } else {
    for (auto [step, size] : llvm::zip(source->steps, source->shape))
      form.steps.push_back(size == 1 ? 0 : step);
  }
  return form;
}

static AffineForm extreme(const TileForm &form, bool highest) {
  AffineForm result = form.base;
  for (auto [step, size] : llvm::zip(form.steps, form.shape))
    if ((step > 0) == highest)
      result.constant += step * (size - 1);
  return result;
}
AffineForm TileForm::lowest() const { return extreme(*this, false); }
AffineForm TileForm::highest() const { return extreme(*this, true); }

} // namespace tilewright::passes
