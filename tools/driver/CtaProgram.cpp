#include "tools/driver/CtaProgram.h"

#include "ir/Target.h"
#include "passes/Passes.h"

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

func::FuncOp driver::kernelOf(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isPrivate())
      return function;
  return nullptr;
}

/// Checks that a module has one kernel, of which a host can tell what it takes.
static LogicalResult checkKernel(ModuleOp module) {
  auto isKernel = [](func::FuncOp function) { return !function.isPrivate(); };
  if (auto kernels = llvm::count_if(module.getOps<func::FuncOp>(), isKernel); kernels != 1)
    return module.emitError() << "has " << kernels
                              << " kernels; it needs one, and functions beside it are `private`";
  func::FuncOp kernel = kernelOf(module);
  auto target = kernel->getAttrOfType<StringAttr>(cta::kTargetAttr);
  if (!target || !findTarget(target))
    return kernel.emitError() << "needs a target that exists, such as `cta.target = \"sm_90\"`";
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto view = dyn_cast<tile::ViewType>(type);
    auto dims = kernel.getArgAttrOfType<ArrayAttr>(index, tile::kDimsAttr);
    if (!kernel.getArgAttrOfType<StringAttr>(index, tile::kNameAttr) ||
        (view && (!dims || dims.size() != view.getShape().size())))
      return kernel.emitError() << "has an argument " << index << " without `tile.name`"
                                << (view ? ", or without a name for each axis in `tile.dims`" : "");
  }
  return success();
}

OwningOpRef<ModuleOp> driver::parseCta(const std::string &text, const std::string &file,
                                       MLIRContext &context) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                  tile::TileDialect, cta::CtaDialect, cuda::CudaDialect>();
  context.appendDialectRegistry(registry);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, file), SMLoc());
  AsmParserState state;
  Block block;
  if (failed(parseAsmSourceFile(sources, &block, ParserConfig(&context), &state)))
    return {};
  nameValues(state);
  OwningOpRef<ModuleOp> module = ModuleOp::create(FileLineColLoc::get(&context, file, 1, 1));
  module->getBody()->getOperations().splice(module->getBody()->end(), block.getOperations());
  if (failed(checkKernel(*module)))
    return {};
  return module;
}

//===- What it takes --------------------------------------------------------------------------===//

static frontend::Dtype dtypeOf(Type type) {
#define DTYPE(enumerator, name, isFloat, bits, getter)                                             \
  if (type == Builder(type.getContext()).getter)                                                   \
    return frontend::Dtype::enumerator;
#include "frontend/Dtypes.def"
  llvm_unreachable("a type that the language does not have");
}

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
  param.dtype = dtypeOf(view ? view.getElementType() : kernel.getArgumentTypes()[index]);
  if (view)
    for (auto [name, size] :
         llvm::zip(kernel.getArgAttrOfType<ArrayAttr>(index, tile::kDimsAttr), view.getShape()))
      param.dims.push_back(dimOf(cast<StringAttr>(name), size));
  else
    param.defaultValue = defaultOf(kernel.getArgAttr(index, kDefaultAttr));
  return param;
}

/// Says of the tensors which are read and which are written.
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

frontend::Signature driver::signatureOf(func::FuncOp kernel) {
  frontend::Signature result;
  result.name = kernel.getName().str();
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
