#include "frontend/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::frontend;

llvm::SmallVector<int64_t> Term::shape() const {
  if (kind == Range)
    return {extent};
  if (kind == Tile)
    return llvm::to_vector(cast<RankedTensorType>(value.getType()).getShape());
  return {};
}

Type Term::elementType() const {
  if (kind == Range)
    return value.getType();
  if (kind == Scalar || kind == Tile)
    return getElementTypeOrSelf(value.getType());
  return {};
}

std::string tilewright::frontend::typeName(Type elementType) {
#define DTYPE(enumerator, name, ...)                                                               \
  if (elementType == dtypeToType(Dtype::enumerator, *elementType.getContext()))                    \
    return name;
#include "frontend/Dtypes.def"
  return "?";
}

std::string tilewright::frontend::shapeText(llvm::ArrayRef<int64_t> shape) {
  return llvm::join(llvm::map_range(shape, [](int64_t n) { return std::to_string(n); }), "x");
}

bool tilewright::frontend::isTileSize(llvm::ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t size : shape)
    if (size > kMaxTileElements || (elements *= size) > kMaxTileElements)
      return false;
  return true;
}

std::string tilewright::frontend::describe(const Term &term) {
  auto quoted = [](const std::string &text) { return "`" + text + "`"; };
  switch (term.kind) {
  case Term::Const:
    return quoted(toString(term.constant));
  case Term::Scalar:
    return "a scalar of `" + typeName(term.value.getType()) + "`";
  case Term::Tile:
    return "a " + shapeText(term.shape()) + " tile of `" + typeName(term.elementType()) + "`";
  case Term::Range:
    return "an index range of " + std::to_string(term.extent);
  case Term::Tensor:
    return (isa<BlockArgument>(term.value) ? "the tensor `" : "a part of the tensor `") +
           term.param->name + "`";
  case Term::Tuple:
    return "a tuple of " + std::to_string(term.elements.size());
  }
  return "";
}

bool tilewright::frontend::isNonNegative(Value value, unsigned depth) {
  APInt integer;
  if (matchPattern(value, m_ConstantInt(&integer)))
    return !integer.isNegative();
  if (depth == 0)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           isNonNegative(loop.getLowerBound(), depth - 1);
  }
  auto all = [&](Operation *op) {
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) { return isNonNegative(operand, depth - 1); });
  };
  auto any = [&](Operation *op) {
    return llvm::any_of(op->getOperands(),
                        [&](Value operand) { return isNonNegative(operand, depth - 1); });
  };
  return llvm::TypeSwitch<Operation *, bool>(value.getDefiningOp())
      .Case<tile::DimOp, tile::ProgramIdOp>([](auto) { return true; })
      .Case<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
            arith::MinSIOp, tile::RangeOp, tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp>(
          [&](Operation *op) { return all(op); })
      .Case<arith::MaxSIOp, arith::AndIOp>([&](Operation *op) { return any(op); })
      .Case<arith::RemSIOp>(
          [&](arith::RemSIOp op) { return isNonNegative(op.getLhs(), depth - 1); })
      .Default(false);
}
