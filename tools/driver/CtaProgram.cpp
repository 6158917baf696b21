#include "tools/driver/CtaProgram.h"

#include "ir/Target.h"
#include "passes/Passes.h"
#include "tools/driver/CtaText.h"
#include "tools/driver/Describe.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::driver;

//===- Reading --------------------------------------------------------------------------------===//

/// Gives values the names that they have in the text.
static void nameValues(const AsmParserState &state) {
  auto nameOf = [](SMRange range, Location at) -> Location {
    StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
    return NameLoc::get(StringAttr::get(at.getContext(), text.ltrim('%')), at);
  };
  for (const auto &definition : state.getOpDefs())
    if (definition.resultGroups.size() == 1)
      definition.op->setLoc(
          nameOf(definition.resultGroups.front().definition.loc, definition.op->getLoc()));
  for (const auto &definition : state.getBlockDefs())
    for (auto [argument, place] : llvm::zip(definition.block->getArguments(), definition.arguments))
      argument.setLoc(nameOf(place.loc, argument.getLoc()));
}

SmallVector<func::FuncOp> driver::kernelsOf(ModuleOp module) {
  return llvm::to_vector(llvm::make_filter_range(
      module.getOps<func::FuncOp>(), [](func::FuncOp function) { return !function.isPrivate(); }));
}

func::FuncOp driver::kernelOf(ModuleOp module) {
  SmallVector<func::FuncOp> kernels = kernelsOf(module);
  return kernels.empty() ? nullptr : kernels.front();
}

std::string driver::nameOf(ModuleOp module) {
  return module.getSymName().value_or(kernelOf(module).getName()).str();
}

void driver::keepPlan(ModuleOp module, size_t plan) {
  for (auto [index, kernel] : llvm::enumerate(kernelsOf(module)))
    if (index != plan)
      kernel.erase();
}

/// The dtype of a type that the language has.
static std::optional<frontend::Dtype> dtypeOf(Type type) {
#define DTYPE(enumerator, name, isFloat, bits, getter)                                             \
  if (type == Builder(type.getContext()).getter)                                                   \
    return frontend::Dtype::enumerator;
#include "frontend/Dtypes.def"
  return std::nullopt;
}

/// A tensor's element type, or a scalar's type.
static Type elementOf(Type type) {
  auto view = dyn_cast<tile::ViewType>(type);
  return view ? view.getElementType() : type;
}

/// A name for each axis of a view.
static bool namesAxes(ArrayAttr dims, tile::ViewType view) {
  return dims && dims.size() == view.getShape().size() &&
         llvm::all_of(dims, [](Attribute dim) { return isa<StringAttr>(dim); });
}

/// Checks that a host can tell what a kernel takes.
static LogicalResult checkKernel(func::FuncOp kernel) {
  if (kernel.isDeclaration())
    return kernel.emitError() << "has no body; functions beside a kernel are `private`";
  auto target = kernel->getAttrOfType<StringAttr>(cta::kTargetAttr);
  if (!target || !findTarget(target))
    return kernel.emitError() << "needs a target that exists, such as `cta.target = \"sm_90\"`";
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (!dtypeOf(elementOf(type)))
      return kernel.emitError() << "has an argument " << index << " of type " << type
                                << "; a host passes views (`!tile.view<…>`) and scalars of the "
                                   "dtypes of the language";
    auto view = dyn_cast<tile::ViewType>(type);
    auto dims = kernel.getArgAttrOfType<ArrayAttr>(index, tile::kDimsAttr);
    if (!kernel.getArgAttrOfType<StringAttr>(index, tile::kNameAttr) ||
        (view && !namesAxes(dims, view)))
      return kernel.emitError() << "has an argument " << index << " without `tile.name`"
                                << (view ? ", or without a name for each axis in `tile.dims`" : "");
  }
  return success();
}

static LogicalResult checkKernels(ModuleOp module) {
  SmallVector<func::FuncOp> kernels = kernelsOf(module);
  if (kernels.empty() || (kernels.size() > 1 && !module.getSymName()))
    return module.emitError() << "has " << kernels.size()
                              << " kernels; it needs one, and functions beside it are `private`; "
                                 "plans of one kernel stand in `module @its_name { … }`";
  return success(llvm::all_of(kernels, [](auto kernel) { return succeeded(checkKernel(kernel)); }));
}

/// The module of a file: the one that it is, or one around its functions.
static OwningOpRef<ModuleOp> moduleOf(Block &file, Location place) {
  if (llvm::hasSingleElement(file))
    if (auto module = dyn_cast<ModuleOp>(file.front())) {
      module->remove();
      return module;
    }
  OwningOpRef<ModuleOp> module = ModuleOp::create(place);
  module->getBody()->getOperations().splice(module->getBody()->end(), file.getOperations());
  return module;
}

/// Refuses texts that would crash MLIR's parser.
static LogicalResult checkText(StringRef text, const std::string &file, MLIRContext &context) {
  std::optional<TextFault> fault = findFault(text);
  if (!fault)
    return success();
  StringRef before = text.take_front(fault->at);
  unsigned column = before.size() - (before.rfind('\n') + 1) + 1;
  return emitError(FileLineColLoc::get(&context, file, before.count('\n') + 1, column))
         << fault->what;
}

OwningOpRef<ModuleOp> driver::parseCta(const std::string &text, const std::string &file,
                                       MLIRContext &context) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                  tile::TileDialect, cta::CtaDialect, cuda::CudaDialect>();
  context.appendDialectRegistry(registry);
  if (failed(checkText(text, file, context)))
    return {};
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, file), SMLoc());
  AsmParserState state;
  Block block;
  if (failed(parseAsmSourceFile(sources, &block, ParserConfig(&context), &state)))
    return {};
  nameValues(state);
  OwningOpRef<ModuleOp> module = moduleOf(block, FileLineColLoc::get(&context, file, 1, 1));
  if (failed(checkKernels(*module)))
    return {};
  return module;
}

ErrorOr<std::vector<runtime::KernelSource>> driver::describePlans(ModuleOp module) {
  std::vector<runtime::KernelSource> sources;
  for (func::FuncOp plan : kernelsOf(module)) {
    TILEWRIGHT_ASSIGN(sources.emplace_back(), describeChecked(plan));
  }
  return sources;
}

//===- What it takes --------------------------------------------------------------------------===//

/// A name, perhaps with a size that the type fixes; a number stands for itself.
static frontend::Dim dimOf(StringRef name, int64_t size) {
  bool isLiteral = !name.getAsInteger(10, size);
  return {isLiteral ? "" : name.str(), ShapedType::isDynamic(size) ? 0 : size};
}

static std::optional<frontend::ConstValue> defaultOf(Attribute attribute) {
  if (auto number = dyn_cast_if_present<FloatAttr>(attribute))
    return number.getValueAsDouble();
  if (auto flag = dyn_cast_if_present<BoolAttr>(attribute))
    return flag.getValue();
  if (auto number = dyn_cast_if_present<IntegerAttr>(attribute))
    return number.getInt();
  return std::nullopt;
}

static frontend::Param paramOf(func::FuncOp kernel, unsigned index) {
  frontend::Param param;
  param.name = kernel.getArgAttrOfType<StringAttr>(index, tile::kNameAttr).str();
  auto view = dyn_cast<tile::ViewType>(kernel.getArgumentTypes()[index]);
  param.kind = view ? frontend::Param::Tensor : frontend::Param::Scalar;
  param.dtype = dtypeOf(elementOf(kernel.getArgumentTypes()[index]));
  if (view)
    for (auto [name, size] :
         llvm::zip(kernel.getArgAttrOfType<ArrayAttr>(index, tile::kDimsAttr), view.getShape()))
      param.dims.push_back(dimOf(cast<StringAttr>(name), size));
  else
    param.defaultValue = defaultOf(kernel.getArgAttr(index, kDefaultAttr));
  return param;
}

/// Marks which tensors are read and which are written.
static void addAccesses(func::FuncOp kernel, std::vector<frontend::Param> &params) {
  kernel.walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      auto view = dyn_cast_if_present<BlockArgument>(effect.getValue());
      if (!view || view.getOwner() != &kernel.getBody().front())
        continue;
      auto store = dyn_cast<cta::StoreOp>(op.getOperation());
      frontend::Param &param = params[view.getArgNumber()];
      param.read |= isa<MemoryEffects::Read>(effect.getEffect()) || (store && store.getAdd());
      param.written |= isa<MemoryEffects::Write>(effect.getEffect());
    }
  });
}

static frontend::Signature takenBy(func::FuncOp kernel) {
  frontend::Signature result;
  auto place = kernel->getLoc()->findInstanceOf<FileLineColLoc>();
  result.line = place ? place.getLine() : 1;
  for (unsigned index = 0; index < kernel.getNumArguments(); ++index)
    result.params.push_back(paramOf(kernel, index));
  addAccesses(kernel, result.params);
  for (const frontend::Param &param : result.params)
    for (const frontend::Dim &dim : param.dims)
      if (!dim.name.empty() && llvm::none_of(result.dims, [&](const frontend::DimInfo &known) {
            return known.name == dim.name;
          }))
        result.dims.push_back({dim.name, /*isStatic=*/dim.size != 0});
  return result;
}

//===- What its plans take --------------------------------------------------------------------===//

/// A parameter in words: "`a: bf16[M, K]`, which it reads".
static std::string describe(const frontend::Param &param) {
  std::string text = "`" + param.name + ": " + frontend::dtypeName(*param.dtype).str();
  for (auto [axis, dim] : llvm::enumerate(param.dims))
    text += (axis ? ", " : "[") + dim.name + (dim.name.empty() || !dim.size ? "" : " = ") +
            (dim.size ? std::to_string(dim.size) : "");
  text += param.dims.empty() ? "" : "]";
  text += param.defaultValue ? " = " + toString(*param.defaultValue) + "`" : "`";
  if (param.kind == frontend::Param::Tensor)
    text += param.read && param.written ? ", which it reads and writes"
            : param.written             ? ", which it writes"
            : param.read                ? ", which it reads"
                                        : ", which it does not use";
  return text;
}

/// Checks that two plans have the same signature, and read and write the same arguments.
static LogicalResult checkAlike(func::FuncOp first, const frontend::Signature &wanted,
                                func::FuncOp plan) {
  auto differs = [&] { return plan.emitError() << "plan `" << plan.getName() << "` "; };
  std::string other = ("`" + first.getName() + "`").str();
  auto target = plan->getAttrOfType<StringAttr>(cta::kTargetAttr);
  auto firstTarget = first->getAttrOfType<StringAttr>(cta::kTargetAttr);
  if (target != firstTarget)
    return differs() << "is for " << target << ", " << other << " for " << firstTarget
                     << "; the plans of a kernel are for one target";
  frontend::Signature found = takenBy(plan);
  if (found.params.size() != wanted.params.size())
    return differs() << "takes " << found.params.size() << " arguments, " << other << " "
                     << wanted.params.size() << "; the plans of a kernel take the same";
  for (auto [index, mine, theirs] : llvm::enumerate(found.params, wanted.params))
    if (std::string is = describe(mine), was = describe(theirs); is != was)
      return differs() << "takes as argument " << index << " " << is << ", " << other << " " << was
                       << "; the plans of a kernel take, read and write the same";
  return success();
}

FailureOr<frontend::Signature> driver::signatureOf(ModuleOp module) {
  SmallVector<func::FuncOp> plans = kernelsOf(module);
  frontend::Signature result = takenBy(plans.front());
  result.name = nameOf(module);
  for (func::FuncOp plan : llvm::drop_begin(plans))
    if (failed(checkAlike(plans.front(), result, plan)))
      return failure();
  return result;
}
