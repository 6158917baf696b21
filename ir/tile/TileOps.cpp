#include "ir/tile/Parts.h"
#include "ir/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#define GET_OP_CLASSES
#include "ir/tile/TileOps.cpp.inc"

using namespace mlir;
using namespace tilewright::tile;

//===- Indexing, shared by load, store and atomic
//-----------------------------------------------===//

/// The shape of the tile that an access with these indices and extents has.
static SmallVector<int64_t> tileShape(ValueRange indices, ArrayRef<int64_t> extents) {
  SmallVector<int64_t> shape;
  for (auto [index, extent] : llvm::zip(indices, extents)) {
    if (extent > 0)
      shape.push_back(extent);
    else if (extent == kGather)
      shape.push_back(cast<RankedTensorType>(index.getType()).getDimSize(0));
  }
  return shape;
}

template <typename OpTy> static LogicalResult verifyRefinements(OpTy op) {
  ArrayRef<int64_t> extents = op.getExtents();
  if (auto valid = op.getValid()) {
    bool fits = valid->size() == extents.size();
    for (size_t i = 0; fits && i < extents.size(); ++i)
      fits = (*valid)[i] >= 0 && (*valid)[i] <= std::max<int64_t>(extents[i], 0);
    if (!fits) // C5
      return op.emitOpError() << "has the extents [" << extents << "] of which [" << *valid
                              << "] are valid";
  }
  if (auto inBounds = op.getInBounds(); inBounds && inBounds->size() != extents.size()) // C6
    return op.emitOpError() << "has " << inBounds->size() << " `in_bounds` for " << extents.size()
                            << " axes";
  return success();
}

static LogicalResult verifyAccess(Operation *op, ViewType view, ValueRange indices,
                                  ArrayRef<int64_t> extents, Type tile) {
  if (int64_t(indices.size()) != view.getRank() || int64_t(extents.size()) != view.getRank()) // C1
    return op->emitOpError() << "has " << indices.size() << " indices and " << extents.size()
                             << " extents for a view of rank " << view.getRank();
  for (auto [index, extent] : llvm::zip(indices, extents)) {
    if (extent < kGather)
      return op->emitOpError() << "has the extent " << extent;
    if (isa<RankedTensorType>(index.getType()) != (extent == kGather)) // C2
      return op->emitOpError() << "needs an index tile just where the extent is -1";
  }
  SmallVector<int64_t> shape = tileShape(indices, extents);
  auto tensor = dyn_cast<RankedTensorType>(tile);
  if (tensor ? tensor.getShape() != ArrayRef(shape) : !shape.empty()) // C3
    return op->emitOpError() << "keeps the axes [" << shape << "] but the tile is " << tile;
  if (getElementTypeOrSelf(tile) != view.getElementType()) // C4
    return op->emitOpError() << "moves " << getElementTypeOrSelf(tile) << " but the view holds "
                             << view.getElementType();
  return success();
}

LogicalResult LoadOp::verify() {
  if (getFill() && getFill().getType() != getView().getType().getElementType())
    return emitOpError() << "fills with " << getFill().getType() << " but the view holds "
                         << getView().getType().getElementType();
  if (failed(verifyAccess(*this, getView().getType(), getIndices(), getExtents(),
                          getResult().getType())))
    return failure();
  return verifyRefinements(*this);
}

template <typename OpTy> static LogicalResult verifyUpdate(OpTy op) {
  if (failed(verifyAccess(op, op.getView().getType(), op.getIndices(), op.getExtents(),
                          op.getValue().getType())))
    return failure();
  return verifyRefinements(op);
}
LogicalResult StoreOp::verify() { return verifyUpdate(*this); }

LogicalResult AtomicOp::verify() {
  Type element = getView().getType().getElementType();
  bool narrow = getKind() == AtomicKind::Add && (element.isF16() || element.isBF16());
  if (!element.isF32() && !element.isInteger(32) && !narrow) // C7
    return emitOpError() << "cannot `" << stringifyAtomicKind(getKind()) << "` elements of "
                         << element;
  if (getInOrder() &&
      (getKind() != AtomicKind::Add || narrow || llvm::is_contained(getExtents(), kGather) ||
       !isa_and_present<func::FuncOp>((*this)->getParentOp()))) // C8
    return emitOpError() << "adds in order where it is no addition of f32 or i32 to a range of a "
                         << "view at the top level of a kernel";
  return verifyUpdate(*this);
}

//===- Parts of views
//-----------------------------------------------------------------------------===//

Value tilewright::tile::tensorOf(Value view) {
  while (auto part = view.getDefiningOp<SubviewOp>())
    view = part.getView();
  return view;
}

SmallVector<int64_t> tilewright::tile::cutAxes(Value view) {
  SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < cast<ViewType>(view.getType()).getRank(); ++axis)
    if (sizeOfPart(view, axis))
      axes.push_back(axis);
  return axes;
}

SmallVector<Value> tilewright::tile::boundsOfPart(Value view) {
  SmallVector<Value> bounds;
  for (auto part = view.getDefiningOp<SubviewOp>(); part;
       part = part.getView().getDefiningOp<SubviewOp>())
    bounds.append({part.getStart(), part.getSize()});
  return bounds;
}

SmallVector<Value> tilewright::tile::startsOfPart(Value view, int64_t axis) {
  SmallVector<Value> starts;
  for (auto part = view.getDefiningOp<SubviewOp>(); part;
       part = part.getView().getDefiningOp<SubviewOp>())
    if (int64_t(part.getAxis()) == axis)
      starts.push_back(part.getStart());
  return starts;
}

bool tilewright::tile::rowsEndWithVectors(ViewType view, std::optional<ArrayRef<int64_t>> valid,
                                          std::optional<ArrayRef<bool>> inBounds, int64_t vector) {
  int64_t end = view.getShape().back();
  bool isInside = inBounds && inBounds->back();
  bool endsThere = isInside || (!ShapedType::isDynamic(end) && end % vector == 0);
  return endsThere && (!valid || valid->back() % vector == 0);
}

Value tilewright::tile::sizeOfPart(Value view, int64_t axis) {
  for (auto part = view.getDefiningOp<SubviewOp>(); part;
       part = part.getView().getDefiningOp<SubviewOp>())
    if (int64_t(part.getAxis()) == axis)
      return part.getSize();
  return {};
}

/// The alignment of the rows of a part.
static int64_t alignOfPart(ViewType view, int64_t axis, Value start) {
  APInt first;
  if (axis != view.getRank() - 1 || matchPattern(start, m_Zero()))
    return view.getAlign();
  int64_t elements = matchPattern(start, m_ConstantInt(&first)) ? first.getSExtValue() : 1;
  return std::min(view.getAlign(), (elements & -elements) * view.getElementBytes());
}

static ViewType partType(ViewType view, int64_t axis, int64_t align) {
  SmallVector<int64_t> shape(view.getShape());
  shape[axis] = ShapedType::kDynamic;
  return ViewType::get(view.getContext(), shape, view.getElementType(), align, view.getStrided(),
                       view.getWide());
}

void SubviewOp::build(OpBuilder &builder, OperationState &state, TypedValue<ViewType> view,
                      int64_t axis, Value start, Value size) {
  ViewType type = view.getType();
  build(builder, state, partType(type, axis, alignOfPart(type, axis, start)), view, start, size,
        axis);
}

LogicalResult SubviewOp::verify() {
  ViewType view = getView().getType(), result = getResult().getType();
  if (int64_t(getAxis()) >= view.getRank()) // C1
    return emitOpError() << "takes a part along axis " << getAxis() << " of a view of rank "
                         << view.getRank();
  if (!isa<BlockArgument>(getView()) && !getView().getDefiningOp<SubviewOp>()) // C1
    return emitOpError() << "takes a part of what is neither an argument nor a part of one";
  if (result != partType(view, getAxis(), result.getAlign())) // C2
    return emitOpError() << "gives " << result << " from " << view;
  int64_t align = alignOfPart(view, getAxis(), getStart());
  if (result.getAlign() > align) // C3
    return emitOpError() << "claims rows at multiples of " << result.getAlign()
                         << " bytes; they are at multiples of " << align;
  return success();
}

//===- Program
//------------------------------------------------------------------------------------===//

LogicalResult DimOp::verify() {
  if (int64_t(getAxis()) >= getView().getType().getRank()) // C1
    return emitOpError() << "asks for axis " << getAxis() << " of a view of rank "
                         << getView().getType().getRank();
  return success();
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  ViewType view = getView().getType();
  if (!view.isDynamicDim(getAxis()))
    return IntegerAttr::get(getType(), view.getShape()[getAxis()]);
  if (Value size = sizeOfPart(getView(), getAxis()))
    return size;
  Value tensor = tensorOf(getView());
  if (tensor == getView())
    return {};
  getViewMutable().assign(cast<TypedValue<ViewType>>(tensor));
  return getResult();
}

//===- Shape
//--------------------------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  if (getResult().getType().getElementType() != getValue().getType()) // C1
    return emitOpError() << "makes a tile of " << getResult().getType().getElementType() << " from "
                         << getValue().getType();
  return success();
}

/// A splat of `source`'s value in another shape, when it is a constant splat.
static OpFoldResult reshapeSplat(Attribute source, Type type) {
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(source))
    return splat.resizeSplat(cast<ShapedType>(type));
  return {};
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (isa_and_nonnull<FloatAttr, IntegerAttr>(adaptor.getValue()))
    return SplatElementsAttr::get(cast<ShapedType>(getType()), adaptor.getValue());
  return {};
}

/// Shape ops do not convert elements.
static LogicalResult verifySameElements(Operation *op) {
  Type from = getElementTypeOrSelf(op->getOperand(0)), to = getElementTypeOrSelf(op->getResult(0));
  if (from != to) // C2
    return op->emitOpError() << "gives elements of " << to << " from " << from;
  return success();
}

LogicalResult ExpandDimsOp::verify() {
  SmallVector<int64_t> shape(getSource().getType().getShape());
  int64_t axis = getAxis();
  if (axis < 0 || axis > int64_t(shape.size()))
    return emitOpError() << "inserts axis " << axis << " into a tile of rank " << shape.size();
  shape.insert(shape.begin() + axis, 1);
  if (getResult().getType().getShape() != ArrayRef(shape)) // C1
    return emitOpError() << "gives the shape [" << shape << "], not " << getResult().getType();
  return verifySameElements(*this);
}
OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return reshapeSplat(adaptor.getSource(), getType());
}

LogicalResult BroadcastOp::verify() {
  auto source = getSource().getType().getShape(), result = getResult().getType().getShape();
  bool fits = source.size() == result.size();
  for (size_t i = 0; fits && i < source.size(); ++i)
    fits = source[i] == result[i] || source[i] == 1;
  if (!fits) // C1
    return emitOpError() << "cannot repeat [" << source << "] to [" << result << "]";
  return verifySameElements(*this);
}
OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return reshapeSplat(adaptor.getSource(), getType());
}

LogicalResult TransposeOp::verify() {
  auto source = getSource().getType().getShape(), result = getResult().getType().getShape();
  auto permutation = getPermutation();
  SmallVector<bool> seen(source.size());
  bool fits = permutation.size() == source.size() && result.size() == source.size();
  for (size_t i = 0; fits && i < source.size(); ++i) {
    int64_t from = permutation[i];
    fits = from >= 0 && from < int64_t(source.size()) && !seen[from] && result[i] == source[from];
    if (fits)
      seen[from] = true;
  }
  if (!fits) // C1
    return emitOpError() << "does not permute [" << source << "] to [" << result << "]";
  return verifySameElements(*this);
}
OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (auto before = getSource().getDefiningOp<TransposeOp>();
      before && before.getSource().getType() == getType() &&
      llvm::all_of(llvm::enumerate(getPermutation()), [&](auto axis) {
        return before.getPermutation()[axis.value()] == int64_t(axis.index());
      }))
    return before.getSource();
  return reshapeSplat(adaptor.getSource(), getType());
}

//===- Compute
//------------------------------------------------------------------------------------===//

LogicalResult DotOp::verify() {
  auto a = getA().getType(), b = getB().getType(), acc = getAcc().getType();
  if (a.getDimSize(1) != b.getDimSize(0) || a.getDimSize(0) != acc.getDimSize(0) ||
      b.getDimSize(1) != acc.getDimSize(1)) // C1
    return emitOpError() << "cannot multiply " << a << " by " << b << " into " << acc;
  if (a.getElementType() != b.getElementType()) // C2
    return emitOpError() << "multiplies " << a.getElementType() << " by " << b.getElementType();
  if (isa<FloatType>(a.getElementType()) != isa<FloatType>(acc.getElementType())) // C3
    return emitOpError() << "cannot accumulate " << a.getElementType() << " in "
                         << acc.getElementType();
  if (getTf32() && !a.getElementType().isF32()) // C4
    return emitOpError() << "rounds to tf32 but multiplies " << a.getElementType();
  return success();
}

static LogicalResult verifyAxis(Operation *op, Type source, int64_t axis) {
  int64_t rank = cast<RankedTensorType>(source).getRank();
  if (axis < 0 || axis >= rank)
    return op->emitOpError() << "names axis " << axis << " of a tile of rank " << rank;
  return success();
}

static LogicalResult verifyDropsAxis(Operation *op, RankedTensorType source, int64_t axis,
                                     Type result, Type element) {
  if (failed(verifyAxis(op, source, axis)))
    return failure();
  SmallVector<int64_t> shape(source.getShape());
  shape.erase(shape.begin() + axis);
  Type expected = shape.empty() ? element : RankedTensorType::get(shape, element);
  auto tensor = dyn_cast<RankedTensorType>(result);
  bool fits = tensor ? tensor.getShape() == ArrayRef(shape) && tensor.getElementType() == element &&
                           !shape.empty()
                     : result == expected;
  if (!fits) // C1
    return op->emitOpError() << "gives " << expected << ", not " << result;
  return success();
}

LogicalResult ReduceOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  bool logical = getKind() == ReduceKind::Any || getKind() == ReduceKind::All;
  if (logical && !source.getElementType().isInteger(1)) // C2
    return emitOpError() << "needs a tile of i1, not " << source;
  return verifyDropsAxis(*this, source, getAxis(), getResult().getType(), source.getElementType());
}

LogicalResult ArgReduceOp::verify() {
  if (getKind() != ReduceKind::Max && getKind() != ReduceKind::Min) // C2
    return emitOpError() << "finds max or min, not " << stringifyReduceKind(getKind());
  return verifyDropsAxis(*this, cast<RankedTensorType>(getSource().getType()), getAxis(),
                         getResult().getType(), IntegerType::get(getContext(), 32));
}

LogicalResult ScanOp::verify() { return verifyAxis(*this, getSource().getType(), getAxis()); } // C1

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? getSource() : OpFoldResult();
}
