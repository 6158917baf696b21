#include "passes/gradient/Reverse.h"

#include "passes/gradient/AdjointRules.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::passes {

Type withElement(Type type, Type element) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? RankedTensorType::get(tensor.getShape(), element) : element;
}
Type wideType(Type type) { return withElement(type, Float32Type::get(type.getContext())); }

StringRef nameOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto kernel = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      return kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr);
  auto named = dyn_cast<NameLoc>(value.getLoc());
  return named ? named.getName().getValue() : StringRef();
}

Location placeOf(Operation *op) {
  auto named = dyn_cast<NameLoc>(op->getLoc());
  return named ? named.getChildLoc() : op->getLoc();
}

SmallVector<Value> activeFromOutside(Operation *op, const Reverse &reverse) {
  llvm::SetVector<Value> found;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (inner != op && reverse.isActive(operand) &&
          !op->isAncestor(operand.getParentRegion()->getParentOp()))
        found.insert(operand);
  });
  return found.takeVector();
}

//===- Values of the forward ------------------------------------------------------------------===//

/// Whether all that an op uses from outside of it has been computed again here.
bool Reverse::isKnown(Operation *op) const {
  return !op->walk([&](Operation *inner) {
              // What the forward writes is left out.
              if (isa<tile::StoreOp, tile::AtomicOp>(inner))
                return WalkResult::advance();
              bool known = llvm::all_of(inner->getOperands(), [&](Value operand) {
                Operation *around = operand.getParentRegion()->getParentOp();
                return scope.primals.contains(operand) || op->isAncestor(around);
              });
              return known ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

/// A size of a tensor that the gradient kernel does not take is that of another.
void Reverse::recomputeSize(tile::DimOp op) {
  auto argument = dyn_cast<BlockArgument>(op.getView());
  auto forward = op->getParentOfType<func::FuncOp>();
  auto nameOfAxis = [](func::FuncOp kernel, unsigned number, unsigned axis) {
    auto dims = kernel.getArgAttrOfType<ArrayAttr>(number, tile::kDimsAttr);
    return dims ? dims[axis] : Attribute();
  };
  if (!argument)
    return;
  Attribute name = nameOfAxis(forward, argument.getArgNumber(), op.getAxis());
  auto kernel = cast<func::FuncOp>(builder.getInsertionBlock()->getParentOp());
  for (BlockArgument other : kernel.getArguments())
    if (auto view = dyn_cast<tile::ViewType>(other.getType()))
      for (int64_t axis = 0; axis < view.getRank(); ++axis)
        if (name && nameOfAxis(kernel, other.getArgNumber(), axis) == name) {
          Value size = builder.create<tile::DimOp>(op.getLoc(), op.getType(), other, axis);
          scope.primals.map(op.getResult(), size);
          return;
        }
  refuse(op, "this size is one of `" + nameOf(argument) +
                 "` alone, which the gradient does not take: give the gradient of `" +
                 nameOf(argument) + "`");
}

void Reverse::recompute(Block &block) {
  bool isTop = isa<func::FuncOp>(block.getParentOp());
  for (Operation &op : block.without_terminator()) {
    auto part = dyn_cast<tile::SubviewOp>(op);
    bool isOfOutput = part && scope.primals.lookupOrNull(tile::tensorOf(part)) ==
                                  gradients.lookup(tile::tensorOf(part));
    if (isa<tile::StoreOp, tile::AtomicOp>(op) || isOfOutput || (!isTop && isa<tile::AssertOp>(op)))
      continue;
    if (!isKnown(&op)) {
      if (auto size = dyn_cast<tile::DimOp>(op); size && isTop)
        recomputeSize(size);
      continue;
    }
    IRMapping within = scope.primals; // what the op holds is known within it alone
    Operation *copy = builder.clone(op, within);
    scope.primals.map(op.getResults(), copy->getResults());
    copy->walk([&](Operation *inner) {
      if (isa<tile::StoreOp, tile::AtomicOp>(inner) ||
          (inner != copy && isa<tile::AssertOp>(inner)))
        inner->erase();
    });
  }
}

/// What a loop carries of which a value is made; the value itself if that is not seen.
static Value carriedBehind(Value value) {
  SmallVector<Value> open{value};
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(next);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    if (loop && argument != loop.getInductionVar())
      return next;
    if (Operation *op = next.getDefiningOp())
      open.append(op->operand_begin(), op->operand_end());
  }
  return value;
}

Value Reverse::primal(Value value) {
  if (Value known = scope.primals.lookupOrNull(value))
    return known;
  if (!failed) {
    StringRef name = nameOf(carriedBehind(value));
    emitError(place)
        << "the gradient needs " << (name.empty() ? "a value" : "`" + name.str() + "`")
        << " as each iteration of the loop around it finds it, and the loop keeps only "
           "the last one; a loop may carry sums, maxima and minima, and what it adds "
           "or multiplies a carried value with must not depend on the tensors that "
           "are differentiated by. Or store it in each iteration to an output, which the "
           "gradient is then given too (`stored`)";
    failed = true;
  }
  // Any value of the type does: the kernel is not going to be used.
  return builder.create<tile::CastOp>(place, value.getType(), zero(value.getType()));
}

Value Reverse::wide(Value value) { return convert(primal(value), builder.getF32Type()); }

Value Reverse::convert(Value value, Type element) {
  if (getElementTypeOrSelf(value.getType()) == element)
    return value;
  return builder.create<tile::CastOp>(place, withElement(value.getType(), element), value);
}

//===- Adjoints -------------------------------------------------------------------------------===//

/// Calls a value after that whose adjoint it is.
static void nameAfter(Value adjoint, Value value) {
  Operation *op = adjoint.getDefiningOp();
  if (op && !isa<NameLoc>(op->getLoc()) && !nameOf(value).empty())
    op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), "d" + nameOf(value)), op->getLoc()));
}

void Reverse::give(Value value, Value adjoint) {
  if (!isActive(value))
    return;
  Value &sum = scope.adjoints[value];
  sum = sum ? add(sum, adjoint) : adjoint;
  nameAfter(sum, value);
}

void Reverse::give(Value value, function_ref<Value()> adjoint) {
  if (isActive(value))
    give(value, adjoint());
}

void Reverse::refuse(Operation *op, const Twine &why) {
  if (!failed)
    emitError(placeOf(op)) << why;
  failed = true;
}

Value Reverse::number(double value, Type like) {
  Type type = wideType(like);
  FloatAttr number = builder.getF32FloatAttr(float(value));
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return builder.create<arith::ConstantOp>(place, DenseElementsAttr::get(tensor, number));
  return builder.create<arith::ConstantOp>(place, number);
}

Value Reverse::mul(Value a, Value b) {
  llvm::APFloat before(0.0f), now(0.0f);
  auto product = a.getDefiningOp<arith::MulFOp>();
  if (product && matchPattern(product.getRhs(), m_ConstantFloat(&before)) &&
      matchPattern(b, m_ConstantFloat(&now))) {
    double both = before.convertToDouble() * now.convertToDouble();
    return float(both) == 1 ? product.getLhs() : mul(product.getLhs(), both);
  }
  return builder.create<arith::MulFOp>(place, a, b);
}

Value Reverse::whereGiven(Value adjoint, Value value) {
  Value none = zero(adjoint.getType());
  return select(compare(arith::CmpFPredicate::OEQ, adjoint, none), none, value);
}

Value Reverse::sumAlong(Value tile, int64_t axis) {
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  Type result = shape.empty() ? type.getElementType()
                              : Type(RankedTensorType::get(shape, type.getElementType()));
  return builder.create<tile::ReduceOp>(place, result, tile::ReduceKind::Sum, tile, axis);
}

Value Reverse::along(Value reduced, int64_t axis, RankedTensorType type) {
  if (!isa<RankedTensorType>(reduced.getType()))
    return builder.create<tile::SplatOp>(place, type, reduced);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 1;
  auto one = RankedTensorType::get(shape, type.getElementType());
  Value expanded = builder.create<tile::ExpandDimsOp>(place, one, reduced, axis);
  return one == type ? expanded : Value(builder.create<tile::BroadcastOp>(place, type, expanded));
}

//===- Blocks ---------------------------------------------------------------------------------===//

void Reverse::visit(Operation *op) {
  if (failed)
    return;
  place = placeOf(op);
  if (isa<tile::LoadOp, tile::StoreOp, tile::AtomicOp, scf::ForOp, scf::IfOp>(op)) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<tile::LoadOp, tile::StoreOp, tile::AtomicOp, scf::ForOp, scf::IfOp>(
            [&](auto each) { visit(each); });
    return;
  }
  const AdjointRule *rule = findAdjointRule(op->getName().getStringRef());
  if (rule && rule->kind == AdjointRule::Constant)
    return;
  if (!activity.reaches(op))
    return;
  if (!rule || rule->kind == AdjointRule::Refused) {
    refuse(op, rule ? Twine(rule->why)
                    : "`" + op->getName().getStringRef() + "` has no derivative here");
    return;
  }
  if (op->getNumResults() == 1)
    if (Value given = adjoint(op->getResult(0)); given && rule->apply)
      rule->apply(*this, op, given);
}

void Reverse::run(Block &block) {
  for (Operation &op : llvm::reverse(block.without_terminator()))
    visit(&op);
}

} // namespace tilewright::passes
