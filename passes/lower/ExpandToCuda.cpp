// The walk from a `cta` kernel to a `cuda` kernel. Expander.h says what is where.
#include "passes/lower/Expander.h"

#include "passes/analysis/RegisterTiles.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_EXPANDTOCUDA
#include "passes/Passes.h.inc"

using namespace mlir;

//===- Small things --------------------------------------------------------------------------===//

Value Expander::constant(int64_t value) {
  return builder.create<arith::ConstantIntOp>(loc, value, 32);
}

Value Expander::constantOf(Type type, double value) {
  if (isa<FloatType>(type))
    return builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(type, value));
  return builder.create<arith::ConstantOp>(loc, builder.getIntegerAttr(type, int64_t(value)));
}

Value Expander::integerOf(Type type, int64_t value) {
  return builder.create<arith::ConstantOp>(loc, builder.getIntegerAttr(type, value));
}

Value Expander::add(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  APInt number;
  if (matchPattern(a, m_ConstantInt(&number)))
    std::swap(a, b);
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}
/// `value` as x * factor + offset, if it was computed so.
static std::tuple<Value, int64_t, int64_t> linear(Value value) {
  int64_t offset = 0, factor = 1;
  APInt number;
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    if (matchPattern(sum.getRhs(), m_ConstantInt(&number))) {
      offset = number.getSExtValue();
      value = sum.getLhs();
    }
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    if (matchPattern(product.getRhs(), m_ConstantInt(&number))) {
      factor = number.getSExtValue();
      value = product.getLhs();
    }
  return {value, factor, offset};
}

Value Expander::mul(Value a, int64_t factor) {
  if (factor == 1)
    return a;
  auto [x, inner, offset] = linear(a);
  if (offset == 0 && inner != 1)
    return mul(x, inner * factor);
  return builder.createOrFold<arith::MulIOp>(loc, a, constant(factor));
}

// Numbers of registers, lanes and warps are not negative, so shifts and masks can divide them.
Value Expander::div(Value a, int64_t divisor) {
  if (divisor == 1)
    return a;
  auto [x, factor, offset] = linear(a);
  if (factor % divisor == 0)
    return add(mul(x, factor / divisor), constant(offset / divisor));
  if (offset == 0 && divisor % factor == 0 && factor > 1)
    return div(x, divisor / factor);
  if (llvm::isPowerOf2_64(divisor))
    return builder.createOrFold<arith::ShRSIOp>(loc, a, constant(llvm::Log2_64(divisor)));
  return builder.createOrFold<arith::DivSIOp>(loc, a, constant(divisor));
}
Value Expander::rem(Value a, int64_t divisor) {
  if (divisor == 1)
    return constant(0);
  auto [x, factor, offset] = linear(a);
  if (factor % divisor == 0)
    return constant(offset % divisor);
  if (llvm::isPowerOf2_64(divisor))
    return builder.createOrFold<arith::AndIOp>(loc, a, constant(divisor - 1));
  return builder.createOrFold<arith::RemSIOp>(loc, a, constant(divisor));
}
Value Expander::bitXor(Value a, Value b) { return builder.createOrFold<arith::XOrIOp>(loc, a, b); }
Value Expander::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return builder.createOrFold<arith::AndIOp>(loc, a, b);
}

Value Expander::either(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return builder.createOrFold<arith::OrIOp>(loc, a, b);
}

Value Expander::equal(Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a, b);
}
Value Expander::select(Value condition, Value a, Value b) {
  return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
}

void Expander::unrolled(int64_t count, function_ref<void(Value)> body, int64_t factor) {
  if (count == 1)
    return body(constant(0));
  auto loop = builder.create<scf::ForOp>(loc, constant(0), constant(count), constant(1));
  if (factor)
    unrollPartly(loop, factor);
  else
    loop->setAttr(cuda::kUnrollAttr, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

void Expander::unrollPartly(scf::ForOp loop, int64_t most) {
  auto factor = int32_t(llvm::bit_floor(uint64_t(most)));
  loop->setAttr(cuda::kUnrollAttr, builder.getI32IntegerAttr(factor));
}

Value Expander::declare(Location where, int64_t size, Type element) {
  return builder.create<cuda::RegsOp>(where,
                                      cuda::RegsType::get(builder.getContext(), size, element));
}

//===- Dispatch ------------------------------------------------------------------------------===//

/// A location without the variable's name. The name belongs to the tile, not to the steps that
/// compute it.
Location Expander::placeOf(Location location) {
  if (auto named = dyn_cast<NameLoc>(location))
    return named.getChildLoc();
  return location;
}

LogicalResult Expander::expandBlock(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    loc = placeOf(op.getLoc());
    if (failed(expand(&op)))
      return failure();
  }
  loc = placeOf(block.getTerminator()->getLoc());
  return success();
}

LogicalResult Expander::expand(Operation *op) {
  if (handed.contains(op))
    return success();
  if (op == handsAt)
    handInLoop(op->getParentOfType<scf::ForOp>());
  if (op == firstExchange)
    builder.create<cuda::ClusterWaitOp>(loc);
  if (op == startedBefore)
    countIn();
  return TypeSwitch<Operation *, LogicalResult>(op)
#define EXPANSION(Op, method) .Case([&](Op o) { return method(o); })
#define BECOMES(Op, Other) .Case([&](Op) { return builder.create<Other>(loc), success(); })
#define NO_EXPANSION(Op) .Case([](Op) { return success(); })
#include "passes/lower/Expansions.def"
      .Case<scf::ForOp, scf::IfOp, scf::WhileOp>([&](auto o) { return expandControl(o); })
      .Default([&](Operation *o) {
        if (!isa<cuda::CudaDialect>(o->getDialect()))
          return expandElementwise(o);
        builder.clone(*o, scalars); // the same for all threads of the role
        return success();
      });
}

/// The address arithmetic of the view, starting at another element.
LogicalResult Expander::expandSubview(tile::SubviewOp op) {
  ViewParams part = views[op.getView()];
  part.type = op.getResult().getType();
  if (part.ptr)
    part.start = add(part.start, scaled(scalar(op.getStart()), part.strides[op.getAxis()]));
  part.dims[op.getAxis()] = scalar(op.getSize());
  views[op.getResult()] = std::move(part);
  return success();
}

LogicalResult Expander::expandDim(tile::DimOp op) {
  scalars.map(op.getResult(), views[op.getView()].dims[op.getAxis()]);
  return success();
}

LogicalResult Expander::expandWarpgroup(cta::WarpgroupOp op) {
  scalars.map(op.getResult(), div(warp, cta::kWarpsPerWarpgroup));
  return success();
}

LogicalResult Expander::expandSync(cta::SyncOp op) {
  if (op.getWarpgroup())
    warpgroupBarrier();
  else
    barrier();
  return success();
}

/// The first writes all roles, which stand together.
LogicalResult Expander::expandRoleOp(cta::RoleOp op) {
  return isa_and_nonnull<cta::RoleOp>(op->getPrevNode()) ? success() : expandRoles();
}

LogicalResult Expander::run() {
  makeKernel();
  planShared();
  madeAtStores = opsMadeAtStores(kernel);
  bool hasRoles = !kernel.getOps<cta::RoleOp>().empty();
  if (!hasRoles) {
    makeTurns();
    makeExchanges();
    startLane();
    startedBefore = addsTogether() ? loopOfSums() : nullptr;
  }
  if (failed(expandBlock(kernel.getBody().front())))
    return failure();
  if (!hasRoles)
    endLane();
  builder.create<func::ReturnOp>(kernel.getLoc());
  finishKernel();
  return success();
}

namespace {
struct ExpandToCuda : impl::ExpandToCudaBase<ExpandToCuda> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(cta::kTargetAttr))
        kernels.push_back(kernel);
    for (func::FuncOp kernel : kernels) {
      if (failed(Expander(kernel).run()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace
} // namespace tilewright::passes
