// The adjoints of accesses: what a load took from a tensor, its gradient gets; what a store gave to
// a tensor, comes from its gradient.
//
// A gradient is stored where every element of the tensor is loaded at most once. Where a program
// loads an element several times, and no other does, it adds to what is there; where several
// programs may, they add atomically. Both start at zero.
#include "passes/analysis/DisjointTiles.h"
#include "passes/gradient/Reverse.h"

using namespace mlir;

namespace tilewright::passes {

static constexpr StringLiteral kFlag = "differentiate";

/// Whether a program that runs one never runs the other.
static bool areInDifferentBranches(Operation *a, Operation *b) {
  for (Operation *around = a->getParentOp(); around; around = around->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(around);
        branch && branch->isProperAncestor(b) && !branch->getParentOfType<scf::ForOp>() &&
        branch.getThenRegion().isAncestor(a->getParentRegion()) !=
            branch.getThenRegion().isAncestor(b->getParentRegion()))
      return true;
  return false;
}

/// Whether two accesses of one program can touch one element.
static bool mayMeet(Operation *a, Operation *b) {
  return !areInDifferentBranches(a, b) && !areApart(*Access::of(a), *Access::of(b));
}

//===- Loads ----------------------------------------------------------------------------------===//

/// Whether an index tile may name an element twice.
static bool mayRepeat(const Access &access) {
  for (auto [index, extent] : llvm::zip(access.indices, access.extents))
    if (extent == tile::kGather)
      if (auto form = TileForm::of(index); !form || form->steps[0] == 0)
        return true;
  return false;
}

Update Reverse::updateFor(tile::LoadOp load) const {
  Access access = *Access::of(load);
  Disjoint disjoint = disjointTiles(access);
  bool meetsOther = false;
  for (Operation *other : usersOf(load.getView())) {
    auto second = dyn_cast<tile::LoadOp>(other);
    if (!second || second == load || !isActive(second.getResult()))
      continue;
    meetsOther |= mayMeet(load, second);
    Access also = *Access::of(second);
    disjoint.programs &= areApart(access, also) || areApartInPrograms(access, also);
  }
  if (!disjoint.programs || mayRepeat(access))
    return Update::Atomic;
  return disjoint.iterations && !meetsOther ? Update::Store : Update::Add;
}

/// The view of a gradient that is to it what a view is to its tensor; null if it has none.
Value Reverse::gradientOf(Value view) {
  if (auto part = view.getDefiningOp<tile::SubviewOp>()) {
    auto around = cast_if_present<TypedValue<tile::ViewType>>(gradientOf(part.getView()));
    return around ? builder.create<tile::SubviewOp>(place, around, part.getAxis(),
                                                    primal(part.getStart()), primal(part.getSize()))
                  : Value();
  }
  return gradients.lookup(view);
}

static SmallVector<Value> primalsOf(Reverse &reverse, OperandRange indices) {
  SmallVector<Value> values;
  for (Value index : indices)
    values.push_back(reverse.primal(index));
  return values;
}

static void say(tile::LoadOp load, StringRef name, Update update) {
  Explanation words = explain(load, kFlag);
  words.with("gradient", name);
  if (update == Update::Store)
    words << "`" << name << "` is stored: every element is loaded once";
  else if (update == Update::Add)
    words << "`" << name << "` starts at 0 and is added to: a program loads elements again";
  else
    words << "`" << name
          << "` starts at 0 and is added to atomically: an element may be loaded by several "
             "programs, or twice at once";
}

static void startAtZero(BlockArgument gradient) {
  auto kernel = cast<func::FuncOp>(gradient.getOwner()->getParentOp());
  kernel.setArgAttr(gradient.getArgNumber(), tile::kStartsAtZeroAttr,
                    UnitAttr::get(kernel.getContext()));
}

void Reverse::visit(tile::LoadOp load) {
  Value given = adjoint(load.getResult());
  Value view = given ? gradientOf(load.getView()) : Value();
  if (!view)
    return;
  if (load.getFill() && isActive(load.getFill()))
    return refuse(load, "a `fill` that depends on a tensor has no adjoint: take a constant");
  Update update = updateFor(load);
  auto type = cast<tile::ViewType>(view.getType());
  StringRef name = nameOf(tile::tensorOf(view));
  if (update == Update::Atomic && !type.getElementType().isF32())
    return refuse(load, "an element may be loaded several times here, and adding to `" + name +
                            "` would round each time: let `" + name + "` be f32");
  say(load, name, update);
  if (update != Update::Store)
    startAtZero(cast<BlockArgument>(tile::tensorOf(view)));
  SmallVector<Value> indices = primalsOf(*this, load.getIndices());
  if (update == Update::Add) {
    Type narrow = withElement(load.getResult().getType(), type.getElementType());
    Value before =
        builder.create<tile::LoadOp>(place, narrow, view, indices, Value(), load.getExtents());
    given = add(convert(before, builder.getF32Type()), given);
  }
  Value value = convert(given, type.getElementType());
  if (update == Update::Atomic)
    builder.create<tile::AtomicOp>(place, tile::AtomicKind::Add, value, view, indices,
                                   load.getExtents());
  else
    builder.create<tile::StoreOp>(place, value, view, indices, load.getExtents());
}

//===- Stores ---------------------------------------------------------------------------------===//

/// The gradient of what an access wrote.
Value Reverse::loadGradient(Access access) {
  Value view = gradientOf(access.view);
  Type type =
      withElement(access.tile().getType(), cast<tile::ViewType>(view.getType()).getElementType());
  Value loaded = builder.create<tile::LoadOp>(place, type, view, primalsOf(*this, access.indices),
                                              Value(), access.extents);
  return convert(loaded, builder.getF32Type());
}

/// Whether nothing that this store wrote is written again, so that it is what the output has.
bool Reverse::isStoredOnce(tile::StoreOp store) {
  StringRef name = nameOf(tile::tensorOf(store.getView()));
  for (Operation *other : usersOf(store.getView())) {
    if (isa<tile::LoadOp>(other)) {
      refuse(other, "`" + name + "` is stored and loaded: let the kernel store to another tensor");
      return false;
    }
    if (other != store && isa<tile::StoreOp, tile::AtomicOp>(other) && mayMeet(store, other)) {
      refuse(store, "`" + name +
                        "` is stored here and elsewhere, perhaps the same elements: of two "
                        "stores to one place, the gradient must know the last");
      return false;
    }
  }
  if (disjointTiles(*Access::of(store)).iterations)
    return true;
  refuse(store, "iterations may store to the same elements of `" + name +
                    "`, and the gradient must know which one is the last: store behind the loop");
  return false;
}

void Reverse::visit(tile::StoreOp store) {
  if (!gradients.contains(tile::tensorOf(store.getView())) || !isActive(store.getValue()))
    return;
  if (isStoredOnce(store))
    give(store.getValue(), loadGradient(*Access::of(store)));
}

void Reverse::visit(tile::AtomicOp atomic) {
  if (!gradients.contains(tile::tensorOf(atomic.getView())) || !isActive(atomic.getValue()))
    return;
  if (atomic.getKind() != tile::AtomicKind::Add)
    return refuse(
        atomic, "which program's number is the " +
                    StringRef(atomic.getKind() == tile::AtomicKind::Max ? "largest" : "smallest") +
                    " is known when all have run: let each program store its own");
  give(atomic.getValue(), loadGradient(*Access::of(atomic)));
}

} // namespace tilewright::passes
