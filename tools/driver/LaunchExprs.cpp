#include "tools/driver/LaunchExprs.h"

#include "ir/cta/Cta.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::driver;
using runtime::Expr;
using runtime::ExprOp;

using MaybeExpr = std::optional<Expr>;

static MaybeExpr exprOf(Value value, bool ofTile);

static std::optional<ExprOp> comparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return ExprOp::Eq;
  case arith::CmpIPredicate::ne:
    return ExprOp::Ne;
  case arith::CmpIPredicate::slt:
    return ExprOp::Lt;
  case arith::CmpIPredicate::sle:
    return ExprOp::Le;
  case arith::CmpIPredicate::sgt:
    return ExprOp::Gt;
  case arith::CmpIPredicate::sge:
    return ExprOp::Ge;
  default:
    return std::nullopt;
  }
}

static std::optional<ExprOp> comparison(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
    return ExprOp::Eq;
  case arith::CmpFPredicate::UNE:
    return ExprOp::Ne;
  case arith::CmpFPredicate::OLT:
    return ExprOp::Lt;
  case arith::CmpFPredicate::OLE:
    return ExprOp::Le;
  case arith::CmpFPredicate::OGT:
    return ExprOp::Gt;
  case arith::CmpFPredicate::OGE:
    return ExprOp::Ge;
  default:
    return std::nullopt;
  }
}

/// The operator of a binary op, if expressions have it. Truncating division is Python's on what the
/// front end uses it for: operands that cannot be negative.
static std::optional<ExprOp> binaryOperator(Operation *op) {
  bool isBool = op->getResult(0).getType().isInteger(1);
  if (isa<arith::AndIOp>(op) && isBool)
    return ExprOp::And;
  if (isa<arith::OrIOp>(op) && isBool)
    return ExprOp::Or;
  if (isa<arith::XOrIOp>(op) && isBool)
    return ExprOp::Ne;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return comparison(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return comparison(compare.getPredicate());
  if (isa<FloatType>(op->getResult(0).getType()) && !op->getResult(0).getType().isF32())
    return std::nullopt; // expressions round to f32
  return llvm::TypeSwitch<Operation *, std::optional<ExprOp>>(op)
      .Case<arith::AddIOp, arith::AddFOp>([](auto) { return ExprOp::Add; })
      .Case<arith::SubIOp, arith::SubFOp>([](auto) { return ExprOp::Sub; })
      .Case<arith::MulIOp, arith::MulFOp>([](auto) { return ExprOp::Mul; })
      .Case<arith::DivSIOp, arith::FloorDivSIOp>([](auto) { return ExprOp::FloorDiv; })
      .Case([](arith::CeilDivSIOp) { return ExprOp::CeilDiv; })
      .Case([](arith::RemSIOp) { return ExprOp::Mod; })
      .Case([](arith::MinSIOp) { return ExprOp::Min; })
      .Case([](arith::MaxSIOp) { return ExprOp::Max; })
      .Default([](Operation *) { return std::nullopt; });
}

static MaybeExpr argumentExpr(BlockArgument argument) {
  auto kernel = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!kernel || !argument.getType().isIntOrFloat())
    return std::nullopt;
  auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr);
  return name ? MaybeExpr(Expr::name(name.str())) : std::nullopt;
}

MaybeExpr driver::sizeExpr(Value tensor, int64_t axis) {
  auto view = dyn_cast<BlockArgument>(tensor);
  auto kernel = view ? dyn_cast<func::FuncOp>(view.getOwner()->getParentOp()) : func::FuncOp();
  auto names =
      kernel ? kernel.getArgAttrOfType<ArrayAttr>(view.getArgNumber(), tile::kDimsAttr) : nullptr;
  return names ? MaybeExpr(Expr::name(cast<StringAttr>(names[axis]).str())) : std::nullopt;
}

static MaybeExpr constantExpr(Value value) {
  APInt integer;
  if (value.getType().isIntOrIndex() && matchPattern(value, m_ConstantInt(&integer)))
    return Expr::constant(value.getType().isInteger(1) ? int64_t(integer.getBoolValue())
                                                       : integer.getSExtValue());
  FloatAttr number;
  if (matchPattern(value, m_Constant(&number)) && !number.getValue().isNaN())
    return Expr::constant(float(number.getValueAsDouble()));
  return std::nullopt;
}

/// A quotient by a power of two.
static MaybeExpr shiftExpr(arith::ShRSIOp shift, bool ofTile) {
  APInt bits;
  MaybeExpr shifted = exprOf(shift.getLhs(), ofTile);
  if (!shifted || !matchPattern(shift.getRhs(), m_ConstantInt(&bits)))
    return std::nullopt;
  return Expr::binary(ExprOp::FloorDiv, *shifted,
                      Expr::constant(int64_t(1) << bits.getSExtValue()));
}

static MaybeExpr exprOf(Value value, bool ofTile) {
  if (MaybeExpr constant = constantExpr(value))
    return constant;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argumentExpr(argument);
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<tile::DimOp>(op))
    return sizeExpr(dim.getView(), int64_t(dim.getAxis()));
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return ofTile ? MaybeExpr(Expr::name("tile[" + std::to_string(id.getAxis()) + "]"))
                  : std::nullopt;
  if (isa<cta::SmsOp>(op))
    return Expr::name(std::string(runtime::kNumMultiprocessors));
  if (auto shift = dyn_cast<arith::ShRSIOp>(op))
    return shiftExpr(shift, ofTile);
  if (isa<arith::ExtUIOp, arith::ExtFOp, arith::IndexCastOp>(op) ||
      (isa<arith::ExtSIOp>(op) && !op->getOperand(0).getType().isInteger(1)))
    return exprOf(op->getOperand(0), ofTile);
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      !value.getType().isIntOrIndexOrFloat())
    return std::nullopt;
  std::optional<ExprOp> symbol = binaryOperator(op);
  MaybeExpr lhs = symbol ? exprOf(op->getOperand(0), ofTile) : std::nullopt;
  MaybeExpr rhs = lhs ? exprOf(op->getOperand(1), ofTile) : std::nullopt;
  return rhs ? MaybeExpr(Expr::binary(*symbol, *lhs, *rhs)) : std::nullopt;
}

MaybeExpr driver::launchExpr(Value value) { return exprOf(value, /*ofTile=*/false); }
MaybeExpr driver::tileExpr(Value value) { return exprOf(value, /*ofTile=*/true); }

ErrorOr<Expr> driver::gridExpr(func::FuncOp kernel) {
  tile::GridOp grid;
  kernel.walk([&](tile::GridOp op) { grid = op; });
  if (!grid)
    return Error{"kernel `" + kernel.getName().str() + "` has no grid"};
  Expr product = Expr::constant(1);
  for (auto [axis, extent] : llvm::enumerate(grid.getExtents())) {
    MaybeExpr expr = launchExpr(extent);
    if (!expr)
      return Error{"extent " + std::to_string(axis) + " of the grid of kernel `" +
                   kernel.getName().str() +
                   "` is not an expression over dimensions and integer arguments"};
    product = axis == 0 ? *expr : Expr::binary(ExprOp::Mul, product, *expr);
  }
  return product;
}

std::string driver::placeOf(Operation *op) {
  auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
  return place ? place.getFilename().str() + ":" + std::to_string(place.getLine()) : "";
}

/// A condition on a value that a launch gives `cta.tiles`; an error if the host cannot compute the
/// value.
static ErrorOr<runtime::LaunchCheck> tilesCheck(cta::TilesOp tiles, Value given, StringRef what,
                                                function_ref<Expr(const Expr &)> condition) {
  if (MaybeExpr expr = launchExpr(given))
    return runtime::LaunchCheck{condition(*expr), "`cta.tiles` " + what.str(), placeOf(tiles)};
  return Error{placeOf(tiles) +
               ": `cta.tiles` takes an order that the host cannot check; compute it " +
               "from sizes and scalar arguments, by sums, products, quotients, `min` and `max`"};
}

/// The rules for a tile order that the launch gives (C2 and C8 of `cta.tiles`).
static Status addTilesChecks(cta::TilesOp tiles, std::vector<runtime::LaunchCheck> &checks) {
  auto number = [](int64_t value) { return Expr::constant(value); };
  auto both = [](const Expr &a, const Expr &b) { return Expr::binary(ExprOp::And, a, b); };
  if (Value group = tiles.getGroup()) {
    int64_t cluster = cta::clusterOf(tiles->getParentOfType<func::FuncOp>()).blocks();
    std::string what = "groups 1 tile or more";
    if (cluster > 1)
      what = "groups tiles by a multiple of the " + std::to_string(cluster) + " of a cluster";
    auto isGroup = [&](const Expr &size) {
      Expr some = Expr::binary(ExprOp::Ge, size, number(1));
      Expr rest = Expr::binary(ExprOp::Mod, size, number(cluster));
      return cluster == 1 ? some : both(some, Expr::binary(ExprOp::Eq, rest, number(0)));
    };
    TILEWRIGHT_ASSIGN(runtime::LaunchCheck check, tilesCheck(tiles, group, what, isGroup));
    checks.push_back(std::move(check));
  }
  std::vector<Expr> before;
  for (Value axis : tiles.getAxes()) {
    auto isNew = [&](const Expr &expr) {
      Expr known = both(Expr::binary(ExprOp::Ge, expr, number(0)),
                        Expr::binary(ExprOp::Lt, expr, number(int64_t(tiles.getAxes().size()))));
      for (const Expr &other : before)
        known = both(known, Expr::binary(ExprOp::Ne, expr, other));
      before.push_back(expr);
      return known;
    };
    TILEWRIGHT_ASSIGN(runtime::LaunchCheck check,
                      tilesCheck(tiles, axis, "names each axis once in its order", isNew));
    checks.push_back(std::move(check));
  }
  return {};
}

ErrorOr<std::vector<runtime::LaunchCheck>> driver::launchChecks(func::FuncOp kernel) {
  std::vector<runtime::LaunchCheck> checks;
  for (auto op : kernel.getBody().front().getOps<tile::AssertOp>()) {
    if (!op.getCondition().getType().isInteger(1))
      continue;
    if (MaybeExpr condition = launchExpr(op.getCondition()))
      checks.push_back({*condition, op.getMessage().str(), placeOf(op)});
  }
  for (auto op : kernel.getBody().front().getOps<cta::WhenOp>()) {
    MaybeExpr condition = launchExpr(op.getCondition());
    if (!condition)
      return Error{
          placeOf(op) + ": error: plan `" + kernel.getName().str() +
          "` has a condition that the host does not know before a launch; compute it from " +
          "sizes, scalar arguments and `cta.sms`, by arithmetic and comparisons"};
    checks.push_back({*condition, cta::WhenOp::message().str(), placeOf(op), /*selects=*/true});
  }
  // All roles have the same order of tiles, so one check is enough.
  cta::TilesOp first;
  kernel.walk([&](cta::TilesOp tiles) {
    first = tiles;
    return WalkResult::interrupt();
  });
  if (first)
    TILEWRIGHT_TRY(addTilesChecks(first, checks));
  return checks;
}
