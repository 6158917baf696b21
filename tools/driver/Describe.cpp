#include "tools/driver/Describe.h"

#include "ir/cuda/Cuda.h"
#include "ir/tile/Tile.h"
#include "tools/driver/LaunchExprs.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::driver;
using runtime::ElementType;

ElementType driver::elementType(Type type) {
#define DTYPE(enumerator, name, isFloat, bits, getter)                                             \
  if (type == Builder(type.getContext()).getter)                                                   \
    return *runtime::elementTypeByName(name);
#include "frontend/Dtypes.def"
  llvm_unreachable("a type that the language does not have");
}

static runtime::TensorArg describeTensor(StringRef name, tile::ViewType view, ArrayAttr names) {
  runtime::TensorArg arg;
  arg.name = name.str();
  arg.type = elementType(view.getElementType());
  arg.alignment = std::min<int64_t>(16, view.getAlign());
  arg.unitInnerStride = !view.getStrided();
  arg.index32 = !view.getWide();
  for (auto [size, attr] : llvm::zip(view.getShape(), names)) {
    runtime::DimRef dim;
    std::string dimName = cast<StringAttr>(attr).str();
    // A literal size is its own name.
    if (!std::isdigit(static_cast<unsigned char>(dimName.front())))
      dim.name = dimName;
    if (!ShapedType::isDynamic(size))
      dim.size = size;
    arg.dims.push_back(std::move(dim));
  }
  return arg;
}

ErrorOr<runtime::KernelSource> driver::describeChecked(func::FuncOp kernel) {
  runtime::KernelSource source;
  source.entry = kernel.getName().str();
  source.location = placeOf(kernel);
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    std::string name = kernel.getArgAttrOfType<StringAttr>(index, tile::kNameAttr).str();
    if (auto view = dyn_cast<tile::ViewType>(type)) {
      runtime::TensorArg arg =
          describeTensor(name, view, kernel.getArgAttrOfType<ArrayAttr>(index, tile::kDimsAttr));
      if (kernel.getArgAttr(index, tile::kStartsAtZeroAttr))
        arg.zeroing = runtime::Zeroing::BeforeLaunch;
      source.args.push_back(std::move(arg));
    } else
      source.args.push_back(runtime::ScalarArg{name, elementType(type)});
  }
  TILEWRIGHT_ASSIGN(source.checks, launchChecks(kernel));
  return source;
}

ErrorOr<runtime::KernelSource> driver::describeArguments(func::FuncOp kernel) {
  TILEWRIGHT_ASSIGN(runtime::KernelSource source, describeChecked(kernel));
  TILEWRIGHT_ASSIGN(source.grid, gridExpr(kernel));
  return source;
}

ErrorOr<runtime::KernelSource> driver::describeTile(const KernelText &text, func::FuncOp kernel) {
  TILEWRIGHT_ASSIGN(runtime::KernelSource source, describeArguments(kernel));
  if (!text.isCta()) // which may have several plans, each with its line
    source.location = text.file + ":" + std::to_string(text.signature().line);
  return source;
}

static ErrorOr<runtime::ParamKind> paramKind(StringRef kind) {
  using runtime::ParamKind;
  std::optional<ParamKind> known = llvm::StringSwitch<std::optional<ParamKind>>(kind)
                                       .Case("pointer", ParamKind::Pointer)
                                       .Case("dim", ParamKind::Dim)
                                       .Case("stride", ParamKind::Stride)
                                       .Case("scalar", ParamKind::Scalar)
                                       .Case("tensor_map", ParamKind::TensorMap)
                                       .Case("tile_counter", ParamKind::TileCounter)
                                       .Case("workspace", ParamKind::Workspace)
                                       .Case("flags", ParamKind::Flags)
                                       .Case("events", ParamKind::Events)
                                       .Case("number", ParamKind::Number)
                                       .Default(std::nullopt);
  if (!known)
    return Error{"a parameter of kind `" + kind.str() + "` has no meaning for the host"};
  return *known;
}

static runtime::TensorMapSpec describeMap(cuda::TensorMapType type, ArrayAttr axes) {
  runtime::TensorMapSpec map;
  for (Attribute axis : axes)
    map.axes.push_back(unsigned(cast<IntegerAttr>(axis).getInt()));
  for (int64_t extent : type.getBox().getShape())
    map.box.push_back(unsigned(extent));
  static_assert(int(runtime::TensorMapSwizzle::Bytes32) == 1 &&
                int(runtime::TensorMapSwizzle::Bytes128) == 3);
  if (int64_t bytes = type.getSwizzle())
    map.swizzle = runtime::TensorMapSwizzle(llvm::Log2_64(bytes / 16));
  map.tf32 = type.getTf32();
  return map;
}

/// sm_90a instead of sm_90 if the kernel uses features that only that generation has.
static std::string architecture(func::FuncOp kernel, const std::string &target) {
  bool specific =
      kernel
          .walk([](Operation *op) {
            return isa<cuda::WgmmaOp, cuda::IncreaseRegistersOp, cuda::DecreaseRegistersOp>(op)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  return specific && std::isdigit(static_cast<unsigned char>(target.back())) ? target + "a"
                                                                             : target;
}

Status driver::describeCuda(func::FuncOp kernel, runtime::KernelSource &source) {
  for (unsigned index = 0; index < kernel.getNumArguments(); ++index) {
    auto attr = kernel.getArgAttrOfType<DictionaryAttr>(index, cuda::kParamAttr);
    assert(attr && "expand-to-cuda says of every parameter what it is");
    runtime::Param param;
    TILEWRIGHT_ASSIGN(param.kind, paramKind(attr.getAs<StringAttr>("kind").getValue()));
    param.argument = attr.getAs<IntegerAttr>("argument").getInt();
    param.axis = attr.getAs<IntegerAttr>("axis").getInt();
    if (param.kind == runtime::ParamKind::Dim)
      param.name = attr.getAs<StringAttr>("source").str();
    if (param.kind == runtime::ParamKind::Number) {
      param.name = kernel.getArgAttrOfType<StringAttr>(index, tile::kNameAttr).str();
      TILEWRIGHT_ASSIGN(param.value, runtime::Expr::parse(attr.getAs<StringAttr>("source").str()));
    }
    if (auto bytes = attr.getAs<IntegerAttr>("bytes"))
      param.bytes = unsigned(bytes.getInt());
    if (kernel.getArgAttr(index, tile::kStoredWholeAttr))
      std::get<runtime::TensorArg>(source.args[param.argument]).zeroing =
          runtime::Zeroing::WithoutPrograms;
    Type type = kernel.getArgumentTypes()[index];
    if (auto map = dyn_cast<cuda::TensorMapType>(type)) {
      param.map = describeMap(map, attr.getAs<ArrayAttr>("axes"));
      param.map.isStored = llvm::any_of(kernel.getArgument(index).getUsers(), [](Operation *user) {
        return isa<cuda::TmaStoreOp, cuda::TmaReduceAddOp>(user);
      });
    } else if (!isa<cuda::PtrType>(type))
      param.type = elementType(type);
    source.params.push_back(std::move(param));
  }
  auto number = [&](StringRef name) {
    return unsigned(kernel->getAttrOfType<IntegerAttr>(name).getInt());
  };
  source.threads = number(cuda::kThreadsAttr);
  source.sharedBytes = number(cuda::kSharedBytesAttr);
  if (kernel->hasAttr(cuda::kClusterAttr))
    source.clusterSize = number(cuda::kClusterAttr);
  source.dependentLaunch =
      bool(kernel.walk([](cuda::GridWaitOp) { return WalkResult::interrupt(); }).wasInterrupted());
  source.target = architecture(kernel, source.target);
  return {};
}
