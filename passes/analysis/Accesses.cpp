#include "passes/analysis/Accesses.h"

#include "ir/tile/Parts.h"
#include "passes/analysis/Facts.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::passes {

std::optional<Access> Access::of(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Access>>(op)
      .Case<tile::LoadOp, tile::StoreOp, tile::AtomicOp, cta::CopyOp>([](auto each) {
        return Access{each, each.getView(), each.getIndices(), each.getExtents()};
      })
      .Default([](Operation *) { return std::nullopt; });
}

Value Access::tile() const {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return load.getResult();
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return store.getValue();
  return cast<tile::AtomicOp>(op).getValue();
}

AffineForm Access::start(int64_t axis) const {
  AffineForm form;
  for (Value start : tile::startsOfPart(view, axis))
    form = form + AffineForm::of(start);
  return form;
}

SmallVector<Operation *> usersOf(Value view) {
  SmallVector<Operation *> users;
  SmallVector<Value> open{tile::tensorOf(view)};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers())
      if (auto part = dyn_cast<tile::SubviewOp>(user))
        open.push_back(part);
      else
        users.push_back(user);
  return users;
}

bool mayBeInPlace(Value read, Value written) {
  auto dimsOf = [](Value view) {
    auto argument = cast<BlockArgument>(tile::tensorOf(view));
    auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return kernel.getArgAttr(argument.getArgNumber(), tile::kDimsAttr);
  };
  auto elementOf = [](Value view) { return cast<tile::ViewType>(view.getType()).getElementType(); };
  return dimsOf(read) && dimsOf(read) == dimsOf(written) && elementOf(read) == elementOf(written);
}

int64_t Access::validElements(int64_t axis) const {
  auto valid = op->getAttrOfType<DenseI64ArrayAttr>("valid");
  if (valid && valid[axis] != 0)
    return valid[axis];
  return std::max<int64_t>(extents[axis], 1);
}

int64_t Access::tileAxis(int64_t axis) const {
  return llvm::count_if(extents.take_front(axis), [](int64_t extent) { return extent != 0; });
}

bool Access::isInBounds(int64_t axis) const {
  auto known = op->getAttrOfType<DenseBoolArrayAttr>("in_bounds");
  return known && known[axis];
}

void Access::setInBounds(int64_t axis, bool isKnown) {
  SmallVector<bool> flags(extents.size(), false);
  if (auto known = op->getAttrOfType<DenseBoolArrayAttr>("in_bounds"))
    flags.assign(known.asArrayRef().begin(), known.asArrayRef().end());
  flags[axis] = isKnown;
  op->setAttr("in_bounds", DenseBoolArrayAttr::get(op->getContext(), flags));
}

Dims::Dims(func::FuncOp kernel) : kernel(kernel) {
  SmallVector<tile::DimOp> all;
  kernel.walk([&](tile::DimOp op) { all.push_back(op); });
  for (tile::DimOp op : all) {
    Value size = tile::sizeOfPart(op.getView(), op.getAxis());
    op.replaceAllUsesWith(size ? size : symbol(op.getView(), op.getAxis()));
    op.erase();
  }
}

Value Dims::symbol(TypedValue<tile::ViewType> view, int64_t axis) {
  auto argument = dyn_cast<BlockArgument>(tile::tensorOf(view));
  Attribute name;
  if (argument && argument.getOwner() == &kernel.front())
    if (auto names = kernel.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), tile::kDimsAttr))
      name = names[axis];
  Value &known = name ? byName[name] : unnamed[{tile::tensorOf(view), axis}];
  if (!known) {
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointToStart(&kernel.front());
    known = builder.create<tile::DimOp>(kernel.getLoc(), builder.getI32Type(), tile::tensorOf(view),
                                        axis);
  }
  return known;
}

AffineForm Dims::size(TypedValue<tile::ViewType> view, int64_t axis) {
  if (Value size = tile::sizeOfPart(view, axis))
    return AffineForm::of(size);
  AffineForm form;
  if (view.getType().isDynamicDim(axis))
    form.add(symbol(view, axis), 1);
  else
    form.constant = view.getType().getShape()[axis];
  return form;
}

Bounds Bounds::of(const Access &access, int64_t axis, Dims &dims) {
  AffineForm start = AffineForm::of(access.indices[axis]);
  return {start * -1, start + access.validElements(axis) - dims.size(access.view, axis)};
}

void markInBounds(Operation *root, Dims &dims, ArrayRef<AffineForm> nonPositive) {
  root->walk([&](Operation *op) {
    auto access = Access::of(op);
    if (!access)
      return;
    Facts facts = Facts::at(op);
    for (const AffineForm &form : nonPositive)
      facts.add(form);
    for (int64_t axis = 0, rank = access->extents.size(); axis < rank; ++axis) {
      if (access->extents[axis] == tile::kGather || access->isInBounds(axis))
        continue;
      Bounds bounds = Bounds::of(*access, axis, dims);
      if (facts.proveNonPositive(bounds.below) && facts.proveNonPositive(bounds.above))
        access->setInBounds(axis);
    }
  });
}

} // namespace tilewright::passes
