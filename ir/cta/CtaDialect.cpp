#include "ir/cta/Cta.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {
/// For the uniquing of layouts as attributes.
static llvm::hash_code hash_value(const Layout &layout) {
  llvm::hash_code code(0);
  for (Level level : {Level::Register, Level::Lane, Level::Warp}) {
    code = llvm::hash_combine(code, layout.digits(level).size());
    for (const Digit &digit : layout.digits(level))
      code = llvm::hash_combine(code, digit.size, digit.dim, digit.stride);
  }
  return code;
}
} // namespace tilewright

namespace tilewright::cta {
using namespace mlir;

//===- `64x256x16` and `8x1` --------------------------------------------------------------------//

/// Parses `count` numbers with an `x` between them.
static ParseResult parseBy(AsmParser &parser, size_t count, SmallVectorImpl<int64_t> &numbers) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(numbers, /*allowDynamic=*/false, /*withTrailingX=*/false))
    return failure();
  if (numbers.size() == count)
    return success();
  return parser.emitError(loc) << "needs " << count << " numbers, not " << numbers.size();
}

static ParseResult parseInstructionShape(AsmParser &parser, int64_t &m, int64_t &n, int64_t &k) {
  SmallVector<int64_t> shape;
  if (parseBy(parser, 3, shape))
    return failure();
  m = shape[0], n = shape[1], k = shape[2];
  return success();
}

static void printInstructionShape(AsmPrinter &printer, int64_t m, int64_t n, int64_t k) {
  printer << m << "x" << n << "x" << k;
}

static ParseResult parseWarpSplit(OpAsmParser &parser, DenseI64ArrayAttr &warps) {
  SmallVector<int64_t> split;
  if (parseBy(parser, 2, split))
    return failure();
  warps = parser.getBuilder().getDenseI64ArrayAttr(split);
  return success();
}

static void printWarpSplit(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr warps) {
  llvm::interleave(warps.asArrayRef(), printer, "x");
}

static ParseResult parseReduceKind(OpAsmParser &parser, tile::ReduceKindAttr &kind) {
  llvm::SMLoc at = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<tile::ReduceKind> known = tile::symbolizeReduceKind(word);
  if (!known)
    return parser.emitError(at) << "`" << word << "` is not how elements are combined";
  kind = tile::ReduceKindAttr::get(parser.getContext(), *known);
  return success();
}

static void printReduceKind(OpAsmPrinter &printer, Operation *, tile::ReduceKindAttr kind) {
  printer << tile::stringifyReduceKind(kind.getValue());
}

/// The one type of all operands.
static ParseResult parseSameType(OpAsmParser &parser,
                                 ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                                 SmallVectorImpl<Type> &types, SmallVectorImpl<Type> &results) {
  Type type;
  if (parser.parseType(type))
    return failure();
  types.assign(operands.size(), type);
  results = types;
  return success();
}

static void printSameType(OpAsmPrinter &printer, Operation *, OperandRange, TypeRange types,
                          TypeRange) {
  printer << types.front();
}

/// The one type of all operands, and that of all results.
static ParseResult parseSameTypes(OpAsmParser &parser,
                                  ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                                  SmallVectorImpl<Type> &types, SmallVectorImpl<Type> &results) {
  Type result;
  if (parseSameType(parser, operands, types, results) || parser.parseArrow() ||
      parser.parseType(result))
    return failure();
  results.assign(operands.size(), result);
  return success();
}

static void printSameTypes(OpAsmPrinter &printer, Operation *, OperandRange, TypeRange types,
                           TypeRange results) {
  printer << types.front() << " -> " << results.front();
}

/// The one type of all operands, and that of two results for each.
static ParseResult parseTwiceAsManyTypes(OpAsmParser &parser,
                                         ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                                         SmallVectorImpl<Type> &types,
                                         SmallVectorImpl<Type> &results) {
  if (parseSameTypes(parser, operands, types, results))
    return failure();
  results.assign(2 * operands.size(), results.empty() ? Type() : Type(results.front()));
  return success();
}

static void printTwiceAsManyTypes(OpAsmPrinter &printer, Operation *op, OperandRange operands,
                                  TypeRange types, TypeRange results) {
  printSameTypes(printer, op, operands, types, results);
}
} // namespace tilewright::cta

#include "ir/cta/CtaDialect.cpp.inc"
#include "ir/cta/CtaEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/cta/CtaAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/cta/CtaTypes.cpp.inc"
#define GET_OP_CLASSES
#include "ir/cta/CtaOps.cpp.inc"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cta;

void CtaDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/cta/CtaTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/cta/CtaAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/cta/CtaOps.cpp.inc"
      >();
}

std::string cta::nameOf(Value value, StringRef otherwise) {
  auto named = value.getLoc()->findInstanceOf<NameLoc>();
  return named ? named.getName().str() : otherwise.str();
}

const Layout &cta::layoutOf(Type type) {
  auto layout = dyn_cast_or_null<LayoutAttr>(cast<RankedTensorType>(type).getEncoding());
  assert(layout && "the tensor's layout has been assigned");
  // Attributes are uniqued and outlive the reference.
  return layout.getImpl()->layout;
}

RankedTensorType cta::withLayout(RankedTensorType type, const Layout &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               LayoutAttr::get(type.getContext(), layout));
}

//===- #cta.layout<registers [2:1:1], lanes [4:1:2, 8:0:1], warps [4:0:16]> ------------------===//

static ParseResult parseDigits(AsmParser &parser, StringRef keyword, Digits &digits) {
  if (parser.parseKeyword(keyword))
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    Digit digit{1, kReplicated, 0};
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseInteger(digit.size) || parser.parseColon())
      return failure();
    if (digit.size < 1)
      return parser.emitError(loc) << "a digit has at least one value, not " << digit.size;
    if (succeeded(parser.parseOptionalStar()))
      return digits.push_back(digit), success();
    loc = parser.getCurrentLocation();
    if (parser.parseInteger(digit.dim) || parser.parseColon() || parser.parseInteger(digit.stride))
      return failure();
    if (digit.dim < 0)
      return parser.emitError(loc) << "a digit runs along a dimension, not " << digit.dim;
    return digits.push_back(digit), success();
  });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  Digits registers, lanes, warps;
  if (parser.parseLess() || parseDigits(parser, "registers", registers) || parser.parseComma() ||
      parseDigits(parser, "lanes", lanes) || parser.parseComma() ||
      parseDigits(parser, "warps", warps) || parser.parseGreater())
    return {};
  return LayoutAttr::get(parser.getContext(), Layout(registers, lanes, warps));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  auto list = [&](StringRef name, Level level) {
    printer << name << " [";
    llvm::interleaveComma(getLayout().digits(level), printer, [&](const Digit &digit) {
      printer << digit.size << ":";
      if (digit.dim == kReplicated)
        printer << "*";
      else
        printer << digit.dim << ":" << digit.stride;
    });
    printer << "]";
  };
  printer << "<";
  list("registers", Level::Register);
  printer << ", ";
  list("lanes", Level::Lane);
  printer << ", ";
  list("warps", Level::Warp);
  printer << ">";
}

LogicalResult ChannelType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t depth,
                                  RankedTensorType) {
  constexpr int64_t kMostSlots = 1 << 16; // more than fit into shared memory
  if (depth < 1 || depth > kMostSlots)
    return emitError() << "a channel has 1 to " << kMostSlots << " slots, not " << depth;
  return success();
}

//===- Ops -----------------------------------------------------------------------------------===//

static LogicalResult verifySlot(Operation *op, ChannelType channel, SlotType slot) {
  if (channel.getTile() != slot.getTile()) // C1
    return op->emitOpError() << "gives " << slot << " from " << channel;
  return success();
}
LogicalResult AcquireOp::verify() {
  return verifySlot(*this, getChannel().getType(), getSlot().getType());
}
LogicalResult WaitOp::verify() {
  return verifySlot(*this, getChannel().getType(), getSlot().getType());
}
LogicalResult NoSlotOp::verify() {
  return verifySlot(*this, getChannel().getType(), getSlot().getType());
}
LogicalResult SlotAtOp::verify() {
  return verifySlot(*this, getChannel().getType(), getSlot().getType());
}

LogicalResult BarrierOfOp::verify() {
  auto channel = getChannel().getDefiningOp<ChannelOp>();
  if (!channel || !channel.getPlan() || !channel.getPlan()->getRing()) // C1
    return emitOpError() << "is of a channel that has no barriers";
  return success();
}

void OnceOp::build(OpBuilder &builder, OperationState &state, Threads of, int64_t count,
                   Value condition) {
  build(builder, state, ThreadsAttr::get(builder.getContext(), of),
        builder.getI64IntegerAttr(count), condition);
  state.regions.front()->emplaceBlock().addArgument(builder.getI32Type(), state.location);
}

LogicalResult OnceOp::verify() {
  if (TypeRange(getBody().getArgumentTypes()) !=
      TypeRange(IntegerType::get(getContext(), 32))) // C1
    return emitOpError() << "has a body that takes the number of the thread, i32";
  return success();
}

/// True for tiles of the same shape and element type, whatever their layouts.
static bool sameTile(Type a, Type b) {
  auto tileA = cast<RankedTensorType>(a), tileB = cast<RankedTensorType>(b);
  return tileA.getShape() == tileB.getShape() && tileA.getElementType() == tileB.getElementType();
}

static LogicalResult verifyTileOfSlot(Operation *op, Type tile, SlotType slot) {
  if (!sameTile(tile, slot.getTile())) // C1
    return op->emitOpError() << "moves " << tile << " but the slot is " << slot;
  return success();
}
LogicalResult PutOp::verify() {
  return verifyTileOfSlot(*this, getTile().getType(), getSlot().getType());
}
LogicalResult GetOp::verify() {
  return verifyTileOfSlot(*this, getTile().getType(), getSlot().getType());
}

LogicalResult ElementOp::verify() {
  RankedTensorType row = getSlot().getType().getTile();
  if (row.getRank() != 1) // C1
    return emitOpError() << "takes an element of a single row, but the slot is "
                         << getSlot().getType();
  if (row.getElementType() != getElement().getType()) // C2
    return emitOpError() << "gives " << getElement().getType() << " but the slot is "
                         << getSlot().getType();
  return success();
}

LogicalResult CopyOp::verify() {
  SmallVector<int64_t> shape;
  for (int64_t extent : getExtents()) {
    if (extent < 0) // C1
      return emitOpError() << "cannot gather";
    if (extent > 0)
      shape.push_back(extent);
  }
  if (getSlot().getType().getTile().getShape() != ArrayRef(shape)) // C2
    return emitOpError() << "fills " << getSlot().getType() << " with a tile of shape [" << shape
                         << "]";
  if (int64_t(getIndices().size()) != getView().getType().getRank() ||
      getExtents().size() != getIndices().size()) // C3
    return emitOpError() << "needs an index and an extent per axis of " << getView().getType();
  bool refined = !getInBounds() || getInBounds()->size() == getExtents().size();
  if (auto valid = getValid()) {
    refined &= valid->size() == getExtents().size();
    for (size_t i = 0; refined && i < valid->size(); ++i)
      refined = (*valid)[i] >= 0 && (*valid)[i] <= getExtents()[i];
  }
  if (!refined) // C4
    return emitOpError() << "has `valid` or `in_bounds` that do not fit the extents ["
                         << getExtents() << "]";
  Type element = getSlot().getType().getTile().getElementType();
  if (element != getView().getType().getElementType()) // C5
    return emitOpError() << "fills " << getSlot().getType() << " from " << getView().getType();
  if (auto fill = getFillAttr(); fill && fill.getType() != element) // C5
    return emitOpError() << "fills " << getSlot().getType() << " with " << fill;
  ChannelOp channel = channelOf(getSlot());
  if (getFill() && channel && channel.getKind() != ChannelKind::CpAsync) // C7
    return emitOpError() << "has a fill, which a channel of kind `"
                         << stringifyChannelKind(channel.getKind()) << "` does not take";
  if (getFill() &&
      !tile::rowsEndWithVectors(getView().getType(), getValid(), getInBounds(), getVector())) // C7
    return emitOpError() << "has a fill, and rows that may end within a vector of " << getVector()
                         << " elements";
  return channel && channel.getKind() == ChannelKind::Tma ? verifyTmaCopy(*this) : success();
}

LogicalResult ConvertOp::verify() {
  if (!sameTile(getSource().getType(), getResult().getType())) // C1
    return emitOpError() << "makes " << getResult().getType() << " from " << getSource().getType();
  return success();
}

OpFoldResult RescaleOp::fold(FoldAdaptor) {
  return matchPattern(getSource(), m_AnyZeroFloat()) ? getSource() : OpFoldResult();
}

LogicalResult RescaleOp::verify() {
  int64_t rows = cast<RankedTensorType>(getSource().getType()).getDimSize(0);
  int64_t factors = cast<RankedTensorType>(getFactors().getType()).getDimSize(0);
  if (factors != rows) // C1
    return emitOpError() << "has " << factors << " factors for " << rows << " rows";
  return success();
}

LogicalResult CombineOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                          ValueRange operands, DictionaryAttr, OpaqueProperties,
                                          RegionRange, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  types.push_back(IntegerType::get(context, 1));
  return success();
}

static LogicalResult verifyMerge(CombineOp op) {
  SmallVector<Type> taken(op.getParts().getTypes());
  llvm::append_range(taken, op.getParts().getTypes());
  if (op.getMerge().getArgumentTypes() != taken) // C3
    return op.emitOpError() << "merges by a region of (" << op.getMerge().getArgumentTypes()
                            << "); it takes (" << taken << "): the own parts, then another's";
  auto yield = dyn_cast<YieldOp>(op.getMerge().front().back());
  if (!yield)
    return op.emitOpError() << "merges by a region that ends without `cta.yield`";
  if (yield.getOperandTypes() != op.getParts().getTypes()) // C3
    return yield.emitOpError() << "merges parts to (" << yield.getOperandTypes() << "); they are ("
                               << op.getParts().getTypes() << ")";
  for (Operation &inner : op.getMerge().front().without_terminator())
    if (!isMemoryEffectFree(&inner) || inner.getNumRegions()) // C4
      return inner.emitOpError() << "stands in a merge, which computes: it touches no memory, and "
                                 << "has no loops";
  return success();
}

LogicalResult CombineOp::verify() {
  auto tiles = dyn_cast<TilesOp>((*this)->getParentOp());
  if (!tiles || !tiles.isSplit()) // C1
    return emitOpError()
           << "stands at the top level of `cta.tiles … split`, whose tiles have parts";
  if (llvm::range_size(tiles.getBody().front().getOps<CombineOp>()) != 1) // C1
    return emitOpError() << "is one of several; put all sums of a tile together in one";
  if (getParts().empty()) // C2
    return emitOpError() << "puts nothing together; name the sums that are parts";
  bool adds = getMerge().empty();
  for (Value part : getParts()) {
    Type element = cast<RankedTensorType>(part.getType()).getElementType();
    int64_t bits = element.getIntOrFloatBitWidth();
    if (adds && !element.isF32() && !element.isInteger(32)) // C2
      return emitOpError() << "adds tiles of f32 or i32, not " << part.getType()
                           << "; say `by` which region two are merged";
    if (bits != 8 && bits != 16 && bits != 32) // C2
      return emitOpError() << "leaves elements of 8, 16 or 32 bits in memory, not of "
                           << part.getType();
  }
  return adds ? success() : verifyMerge(*this);
}

/// Whether `result` has the shape of `source` without an axis, and its elements.
static bool isReduced(Type result, RankedTensorType source, int64_t axis) {
  SmallVector<int64_t> shape(source.getShape());
  shape.erase(shape.begin() + axis);
  auto tile = dyn_cast<RankedTensorType>(result);
  return getElementTypeOrSelf(result) == source.getElementType() &&
         (tile ? tile.getShape() == ArrayRef(shape) : shape.empty());
}

LogicalResult JointReduceOp::verify() {
  if (getSources().size() < 2 || !llvm::all_equal(getSources().getTypes())) // C1
    return emitOpError() << "reduces two or more tiles of one type";
  auto source = cast<RankedTensorType>(getSources().front().getType());
  if (getAxis() >= uint64_t(source.getRank()))
    return emitOpError() << "has no axis " << getAxis() << " in " << source;
  auto fits = [&](Type result) { return isReduced(result, source, getAxis()); };
  if (getWholes().size() != getSources().size() ||
      !llvm::all_of(getWholes().getTypes(), fits)) // C2
    return emitOpError() << "gives a result for each tile, of its shape without axis " << getAxis();
  return success();
}

LogicalResult MomentsOp::verify() {
  auto isOfF32 = [](Type type) { return getElementTypeOrSelf(type).isF32(); };
  if (getSources().empty() || !llvm::all_equal(getSources().getTypes()) ||
      !llvm::all_of(getSources().getTypes(), isOfF32)) // C1
    return emitOpError() << "takes one or more tiles of one type, of f32";
  auto source = cast<RankedTensorType>(getSources().front().getType());
  if (getAxis() >= uint64_t(source.getRank()))
    return emitOpError() << "has no axis " << getAxis() << " in " << source;
  auto fits = [&](Type result) { return isReduced(result, source, getAxis()); };
  if (getMoments().size() != 2 * getSources().size() ||
      !llvm::all_of(getMoments().getTypes(), fits)) // C2
    return emitOpError() << "gives two results for each tile, of its shape without axis "
                         << getAxis();
  return success();
}

LogicalResult ClusterReduceOp::verify() {
  if (getKind() == tile::ReduceKind::Any || getKind() == tile::ReduceKind::All) // C1
    return emitOpError() << "combines by sum, max or min, not by "
                         << tile::stringifyReduceKind(getKind());
  if (getMoments() && (getKind() != tile::ReduceKind::Sum || getParts().size() % 2 != 0)) // C1
    return emitOpError() << "combines two moments for each tile, by sum";
  Type element = getElementTypeOrSelf(getParts().front().getType());
  if (!element.isF32() && !element.isInteger(32)) // C2
    return emitOpError() << "combines elements of f32 or i32, not of " << element;
  if (getWholes().size() != getParts().size()) // C3
    return emitOpError() << "has " << getWholes().size() << " results for " << getParts().size()
                         << " parts";
  return success();
}

LogicalResult PartialSumOp::verify() {
  int64_t rows = cast<RankedTensorType>(getSource().getType()).getDimSize(0);
  int64_t sums = cast<RankedTensorType>(getResult().getType()).getDimSize(0);
  if (sums != rows) // C1
    return emitOpError() << "has sums for " << sums << " rows, not " << rows;
  return success();
}

LogicalResult RaiseOp::verify() {
  int64_t rows = cast<RankedTensorType>(getSource().getType()).getDimSize(0);
  int64_t peaks = cast<RankedTensorType>(getBefore().getType()).getDimSize(0);
  if (peaks != rows) // C1
    return emitOpError() << "has " << peaks << " peaks for " << rows << " rows";
  return success();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? getSource() : OpFoldResult();
}
