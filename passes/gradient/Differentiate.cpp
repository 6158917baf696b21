// Reverse-mode differentiation of a kernel, program by program: the gradient kernel has the grid of
// the forward, and each of its programs does backwards what that of the forward did.
//
// Before it, loads that no iteration changes leave their loops and equal loads become one. Then
// what their gradients get is summed in registers, and written once.
#include "passes/gradient/Differentiate.h"

#include "passes/gradient/GradientPasses.h"
#include "passes/gradient/Reverse.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace tilewright::passes {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "passes/GradientPasses.h.inc"

std::string gradientName(StringRef tensor) { return ("d" + tensor).str(); }
std::string gradientKernelName(StringRef kernel) { return (kernel + "_grad").str(); }

//===- Before ---------------------------------------------------------------------------------===//

static bool isWritten(Value view) {
  return llvm::any_of(usersOf(view),
                      [](Operation *op) { return isa<tile::StoreOp, tile::AtomicOp>(op); });
}

/// Takes an op out of the loops around it that do not change what it computes.
static void hoist(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  while (loop && llvm::all_of(op->getOperands(),
                              [&](Value value) { return loop.isDefinedOutsideOfLoop(value); })) {
    op->moveBefore(loop);
    loop = dyn_cast<scf::ForOp>(op->getParentOp());
  }
}

static void mergeLoads(func::FuncOp kernel) {
  SmallVector<Operation *> movable;
  kernel.walk([&](Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    bool isIndex = isPure(op) && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
                   !isFloat(op->getResult(0));
    if (isIndex || (load && !isWritten(load.getView())))
      movable.push_back(op);
  });
  for (Operation *op : movable)
    hoist(op);
  IRRewriter rewriter(kernel.getContext());
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
}

//===- The kernel -----------------------------------------------------------------------------===//

namespace {

class Differentiator {
public:
  Differentiator(func::FuncOp forward, ArrayRef<GradientParam> params)
      : forward(forward), params(params) {}

  FailureOr<func::FuncOp> run();

private:
  LogicalResult check(const GradientParam &param);
  func::FuncOp makeKernel();
  BlockArgument argument(StringRef name);

  func::FuncOp forward;
  ArrayRef<GradientParam> params;
  DenseSet<Value> wrt, given;
  DenseMap<Value, Value> gradients, stored;
  IRMapping arguments;
};

} // namespace

BlockArgument Differentiator::argument(StringRef name) {
  for (BlockArgument argument : forward.getArguments())
    if (forward.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr) == name)
      return argument;
  return {};
}

LogicalResult Differentiator::check(const GradientParam &param) {
  BlockArgument of = argument(param.of);
  if (!of)
    return emitError(forward.getLoc()) << "the kernel has no `" << param.of << "`";
  auto view = dyn_cast<tile::ViewType>(of.getType());
  if (param.kind == GradientParam::Kept || param.kind == GradientParam::Stored)
    return success();
  if (!view || !isa<FloatType>(view.getElementType()))
    return emitError(of.getLoc()) << "`" << param.of << "` is "
                                  << (view ? "a tensor of integers" : "a scalar")
                                  << ", and gradients are of tensors of floats";
  bool isGiven = param.kind == GradientParam::OfOutput;
  if (isGiven != isWritten(of))
    return emitError(of.getLoc())
           << "`" << param.of << "` is " << (isGiven ? "not written" : "written")
           << ": gradients are given of what the kernel writes, and computed of what it only loads";
  if (argument(param.name))
    return emitError(of.getLoc()) << "the kernel has a `" << param.name << "`, as the gradient of `"
                                  << param.of << "` is called: rename it";
  (isGiven ? given : wrt).insert(of);
  return success();
}

/// The gradient kernel without a body.
func::FuncOp Differentiator::makeKernel() {
  OpBuilder builder(forward);
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (const GradientParam &param : params) {
    BlockArgument of = argument(param.of);
    types.push_back(param.type ? Type(param.type) : of.getType());
    NamedAttrList attrs(forward.getArgAttrDict(of.getArgNumber()));
    attrs.set(tile::kNameAttr, builder.getStringAttr(param.name));
    attrs.erase(tile::kStartsAtZeroAttr); // an output of the forward
    attributes.push_back(attrs.getDictionary(builder.getContext()));
  }
  auto kernel = builder.create<func::FuncOp>(
      forward.getLoc(), gradientKernelName(forward.getName()), builder.getFunctionType(types, {}));
  kernel->setAttr(tile::kKernelAttr, builder.getUnitAttr());
  kernel.setAllArgAttrs(attributes);
  kernel.addEntryBlock();
  for (auto [param, made] : llvm::zip(params, kernel.getArguments())) {
    BlockArgument of = argument(param.of);
    Location place =
        isa<NameLoc>(of.getLoc()) ? cast<NameLoc>(of.getLoc()).getChildLoc() : of.getLoc();
    made.setLoc(NameLoc::get(builder.getStringAttr(param.name), place));
    if (param.kind == GradientParam::Stored) {
      stored[of] = made;
      continue;
    }
    if (param.kind != GradientParam::OfInput)
      arguments.map(of, made); // of an output only sizes are asked
    if (param.kind != GradientParam::Kept)
      gradients[of] = made;
  }
  return kernel;
}

FailureOr<func::FuncOp> Differentiator::run() {
  for (const GradientParam &param : params)
    if (failed(check(param)))
      return failure();
  mergeLoads(forward);
  Activity activity(forward, wrt, given);
  func::FuncOp kernel = makeKernel();
  Block &body = forward.getBody().front();
  Reverse reverse(OpBuilder::atBlockEnd(&kernel.getBody().front()), activity, gradients, stored,
                  arguments);
  reverse.recompute(body);
  reverse.run(body);
  reverse.builder.create<func::ReturnOp>(forward.getLoc());
  if (reverse.hasFailed())
    return failure();
  forward.erase();
  return kernel;
}

FailureOr<func::FuncOp> differentiate(func::FuncOp forward, ArrayRef<GradientParam> params) {
  return Differentiator(forward, params).run();
}

//===- The pass -------------------------------------------------------------------------------===//

namespace {

struct Differentiate : impl::DifferentiateBase<Differentiate> {
  using DifferentiateBase::DifferentiateBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp kernel : kernels)
      if (kernel->hasAttr(tile::kKernelAttr) && failed(differentiate(kernel, paramsOf(kernel))))
        return signalPassFailure();
  }

  /// A gradient of f32 with the facts of its tensor.
  GradientParam gradientOf(StringRef name, BlockArgument argument, GradientParam::Kind kind) {
    auto view = dyn_cast_if_present<tile::ViewType>(argument ? argument.getType() : Type());
    Type element = Float32Type::get(&getContext());
    auto type = view ? tile::ViewType::get(&getContext(), view.getShape(), element,
                                           std::max<int64_t>(4, view.getAlign()), view.getStrided(),
                                           view.getWide())
                     : tile::ViewType();
    return {kind, gradientName(name), name.str(), type};
  }

  /// The forward's, with gradients in place of outputs, and those of inputs behind all.
  SmallVector<GradientParam> paramsOf(func::FuncOp kernel) {
    SmallVector<GradientParam> params;
    llvm::StringMap<BlockArgument> arguments;
    for (BlockArgument argument : kernel.getArguments()) {
      StringRef name = nameOf(argument);
      arguments[name] = argument;
      if (llvm::is_contained(given, name))
        params.push_back(gradientOf(name, argument, GradientParam::OfOutput));
      else if (!isa<tile::ViewType>(argument.getType()) || !isWritten(argument))
        params.push_back({GradientParam::Kept, name.str(), name.str(), {}});
    }
    for (StringRef name : wrt)
      params.push_back(gradientOf(name, arguments.lookup(name), GradientParam::OfInput));
    return params;
  }
};

} // namespace

} // namespace tilewright::passes
