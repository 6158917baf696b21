#include "simulator/Reference.h"

#include "simulator/reference/Compiler.h"
#include "simulator/reference/Run.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::simulator {

ViewValue makeView(Buffer &buffer, ArrayRef<int64_t> shape) {
  ViewValue view{&buffer, 0, SmallVector<int64_t>(shape), SmallVector<int64_t>(shape.size(), 1)};
  for (size_t axis = shape.size(); axis-- > 1;)
    view.strides[axis - 1] = view.strides[axis] * shape[axis];
  return view;
}

bool isInterpreted(StringRef opName) { return opTable().contains(opName); }
bool isInterpreted(Operation *op) { return isInterpreted(op->getName().getStringRef()); }

std::vector<std::string> interpretedOps() {
  std::vector<std::string> names;
  for (const auto &entry : opTable())
    names.push_back(entry.getKey().str());
  llvm::sort(names);
  return names;
}

//===- Arguments ------------------------------------------------------------------------------===//

static std::string nameOf(func::FuncOp kernel, unsigned argument) {
  if (auto name = kernel.getArgAttrOfType<StringAttr>(argument, tile::kNameAttr))
    return name.str();
  return "argument " + std::to_string(argument);
}

static LogicalResult checkView(BlockArgument value, StringRef name, const ViewValue &view) {
  auto type = cast<tile::ViewType>(value.getType());
  if (view.shape.size() != size_t(type.getRank()) || view.strides.size() != size_t(type.getRank()))
    return emitError(value.getLoc())
           << "`" << name << "` has rank " << type.getRank() << " but is given "
           << view.shape.size() << " sizes and " << view.strides.size() << " strides";
  for (auto [axis, size] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(size) && size != view.shape[axis])
      return emitError(value.getLoc()) << "axis " << axis << " of `" << name << "` is " << size
                                       << " but is given " << view.shape[axis];
  if (!view.buffer || view.buffer->elementType != type.getElementType())
    return emitError(value.getLoc()) << "`" << name << "` holds " << type.getElementType()
                                     << " but is given another element type";
  if (!elementKind(type.getElementType()))
    return emitError(value.getLoc())
           << "the interpreter cannot hold elements of type " << type.getElementType();
  return success();
}

/// Two dimensions of one name have one size.
static LogicalResult checkDims(func::FuncOp kernel, ArrayRef<BoundView> views) {
  llvm::StringMap<std::pair<int64_t, std::string>> sizes;
  for (const BoundView &view : views) {
    auto dims = kernel.getArgAttrOfType<ArrayAttr>(view.argument, tile::kDimsAttr);
    if (!dims)
      continue;
    for (auto [axis, size] : llvm::enumerate(view.view->shape)) {
      auto dim = axis < dims.size() ? dyn_cast<StringAttr>(dims[axis]) : StringAttr();
      if (!dim || dim.empty())
        continue;
      auto [known, fresh] = sizes.try_emplace(dim.getValue(), size, view.name);
      if (!fresh && known->second.first != size)
        return emitError(kernel.getArgument(view.argument).getLoc())
               << "dimension `" << dim.getValue() << "` is " << known->second.first << " in `"
               << known->second.second << "` but " << size << " in `" << view.name << "`";
    }
  }
  return success();
}

FailureOr<std::vector<BoundView>> bindViews(func::FuncOp kernel, ArrayRef<Argument> arguments) {
  if (arguments.size() != kernel.getNumArguments()) {
    emitError(kernel.getLoc()) << "`" << kernel.getName() << "` takes " << kernel.getNumArguments()
                               << " arguments but is given " << arguments.size();
    return failure();
  }
  std::vector<BoundView> views;
  for (BlockArgument value : kernel.getArguments()) {
    if (!isa<tile::ViewType>(value.getType()))
      continue;
    unsigned number = value.getArgNumber();
    std::string name = nameOf(kernel, number);
    auto *view = std::get_if<ViewValue>(&arguments[number]);
    if (!view) {
      emitError(value.getLoc()) << "`" << name << "` needs a view";
      return failure();
    }
    if (failed(checkView(value, name, *view)))
      return failure();
    views.push_back({view, number, name});
  }
  if (failed(checkDims(kernel, views)))
    return failure();
  return views;
}

//===- Grid -----------------------------------------------------------------------------------===//

/// The ops of the entry block that `root` depends on, in order.
static SmallVector<Operation *> backwardSlice(Operation *root) {
  llvm::SetVector<Operation *> slice;
  Block *block = root->getBlock();
  auto addOperands = [&](Operation *op) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp())
          if (Operation *ancestor = block->findAncestorOpInBlock(*source))
            slice.insert(ancestor);
    });
  };
  addOperands(root);
  for (size_t i = 0; i < slice.size(); ++i)
    addOperands(slice[i]);
  slice.remove(root);
  SmallVector<Operation *> ordered(slice.begin(), slice.end());
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

static tile::GridOp findGrid(func::FuncOp kernel) {
  auto grids = kernel.getBody().front().getOps<tile::GridOp>();
  if (grids.empty()) {
    emitError(kernel.getLoc()) << "`" << kernel.getName() << "` states no grid";
    return {};
  }
  if (std::next(grids.begin()) != grids.end()) {
    emitError((*std::next(grids.begin())).getLoc()) << "the grid is stated twice";
    return {};
  }
  return *grids.begin();
}

FailureOr<SmallVector<int64_t>> evaluateGrid(func::FuncOp kernel, ArrayRef<Argument> arguments,
                                             const Options &options) {
  if (kernel.isDeclaration()) {
    emitError(kernel.getLoc()) << "`" << kernel.getName() << "` has no body";
    return failure();
  }
  auto views = bindViews(kernel, arguments);
  if (failed(views))
    return failure();
  tile::GridOp grid = findGrid(kernel);
  if (!grid)
    return failure();
  Program program;
  Compiler compiler(program, *views);
  compiler.keepSlots = true;
  compiler.multiprocessors = options.multiprocessors;
  if (failed(compiler.bindArguments(kernel, arguments)))
    return failure();
  for (Operation *op : backwardSlice(grid))
    if (failed(compiler.compileOp(op)))
      return failure();
  Execution execution(program);
  if (!execution.run()) {
    emitError(execution.failure->op->getLoc()) << execution.failure->message;
    return failure();
  }
  SmallVector<int64_t> extents;
  for (Value extent : grid.getExtents())
    extents.push_back(std::max(0, *execution.main.at<int32_t>(compiler.slot(extent).offset)));
  return extents;
}

} // namespace tilewright::simulator
