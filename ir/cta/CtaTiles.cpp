// The loop over tiles that the roles of a block share.
#include "ir/cta/Cta.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cta;

//===- Syntax ---------------------------------------------------------------------------------===//

namespace {

/// Collects the operands of a loop over tiles, segment by segment as they stand in the text.
class TileOperands {
public:
  TileOperands(OpAsmParser &parser, OperationState &result) : parser(parser), result(result) {}

  /// Parses `(%a, %b, …)`.
  ParseResult list(Type type) {
    SmallVector<OpAsmParser::UnresolvedOperand> names;
    if (parser.parseOperandList(names, OpAsmParser::Delimiter::Paren))
      return failure();
    return add(names, type);
  }

  /// Parses `keyword (%a, %b, …)`; no operands without the keyword.
  ParseResult optionalList(StringRef keyword, Type type) {
    return succeeded(parser.parseOptionalKeyword(keyword)) ? list(type) : add({}, type);
  }

  /// Parses `keyword 16` or `keyword %group`: an attribute or an operand.
  ParseResult number(StringRef keyword) {
    Builder &builder = parser.getBuilder();
    int64_t number = 0;
    if (failed(parser.parseOptionalKeyword(keyword)))
      return add({}, builder.getI32Type());
    if (auto stated = parser.parseOptionalInteger(number); stated.has_value()) {
      result.addAttribute(keyword, builder.getI64IntegerAttr(number));
      return failed(*stated) ? failure() : add({}, builder.getI32Type());
    }
    OpAsmParser::UnresolvedOperand given;
    return failure(parser.parseOperand(given) || add(given, builder.getI32Type()));
  }

  /// Parses `keyword` or `keyword %is`: an attribute or an operand.
  ParseResult flag(StringRef keyword) {
    Builder &builder = parser.getBuilder();
    OpAsmParser::UnresolvedOperand given;
    if (failed(parser.parseOptionalKeyword(keyword)))
      return add({}, builder.getI1Type());
    if (auto operand = parser.parseOptionalOperand(given); operand.has_value())
      return failure(failed(*operand) || add(given, builder.getI1Type()));
    result.addAttribute(keyword, builder.getUnitAttr());
    return add({}, builder.getI1Type());
  }

  /// The next segment, which has been parsed.
  ParseResult add(ArrayRef<OpAsmParser::UnresolvedOperand> names, Type type) {
    segments.push_back(names.size());
    return parser.resolveOperands(names, type, result.operands);
  }

  SmallVector<int32_t> segments;

private:
  OpAsmParser &parser;
  OperationState &result;
};

} // namespace

/// Parses how many steps a tile has: `%steps`, or `(%m, %n) { … }` by its coordinates.
static ParseResult parseLength(OpAsmParser &parser, Region &lengths, OperationState &result,
                               TileOperands &operands) {
  Type i32 = parser.getBuilder().getI32Type();
  OpAsmParser::UnresolvedOperand steps;
  auto forAll = parser.parseOptionalOperand(steps);
  if (forAll.has_value())
    return failure(failed(*forAll) || operands.add(steps, i32));
  SmallVector<OpAsmParser::Argument> coordinates;
  if (operands.add({}, i32) || parser.parseArgumentList(coordinates, OpAsmParser::Delimiter::Paren))
    return failure();
  for (OpAsmParser::Argument &coordinate : coordinates)
    coordinate.type = i32;
  if (parser.parseRegion(lengths, coordinates))
    return failure();
  TilesOp::ensureTerminator(lengths, parser.getBuilder(), result.location);
  return success();
}

/// Parses `split (%first to %end) of … least 16`, if it is there.
static ParseResult parseSplit(OpAsmParser &parser,
                              SmallVectorImpl<OpAsmParser::Argument> &arguments, Region &lengths,
                              OperationState &result, TileOperands &operands) {
  OpAsmParser::Argument first, end;
  int64_t least;
  Type i32 = parser.getBuilder().getI32Type();
  if (failed(parser.parseOptionalKeyword("split")))
    return operands.add({}, i32);
  if (parser.parseLParen() || parser.parseArgument(first) || parser.parseKeyword("to") ||
      parser.parseArgument(end) || parser.parseRParen() || parser.parseKeyword("of") ||
      parseLength(parser, lengths, result, operands) || parser.parseKeyword("least") ||
      parser.parseInteger(least))
    return failure();
  first.type = end.type = i32;
  arguments.append({first, end});
  result.addAttribute("least", parser.getBuilder().getI64IntegerAttr(least));
  return success();
}

/// Parses `iter_args(%name = %init, …) -> (types)`, if it is there.
static ParseResult parseCarried(OpAsmParser &parser,
                                SmallVectorImpl<OpAsmParser::Argument> &arguments,
                                OperationState &result) {
  SmallVector<OpAsmParser::Argument> names;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SMLoc start = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword("iter_args")))
    return success();
  if (parser.parseAssignmentList(names, inits) || parser.parseArrowTypeList(result.types) ||
      parser.resolveOperands(inits, result.types, start, result.operands))
    return failure();
  for (auto [name, type] : llvm::zip(names, result.types))
    name.type = type;
  arguments.append(names);
  return success();
}

ParseResult TilesOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Type i32 = builder.getI32Type();
  SmallVector<OpAsmParser::Argument> arguments;
  TileOperands operands(parser, result);
  Region *body = result.addRegion(), *lengths = result.addRegion();
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("of") || operands.list(i32) || operands.optionalList("axes", i32) ||
      operands.number("grouped") || operands.flag("folded") || operands.flag("descending"))
    return failure();
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = i32;
  if (succeeded(parser.parseOptionalKeyword("queue")))
    result.addAttribute("queue", builder.getUnitAttr());
  auto parseNumber = [&](StringRef attribute) -> ParseResult {
    int64_t number;
    if (parser.parseInteger(number))
      return failure();
    result.addAttribute(attribute, builder.getI64IntegerAttr(number));
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("turn")) &&
      (parseNumber("turn") || parser.parseKeyword("of") || parseNumber("turns")))
    return failure();
  if (parseSplit(parser, arguments, *lengths, result, operands))
    return failure();
  size_t shared = result.operands.size(); // for all tiles
  if (parseCarried(parser, arguments, result))
    return failure();
  operands.segments.push_back(result.operands.size() - shared);
  llvm::copy(operands.segments,
             result.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  if (parser.parseRegion(*body, arguments) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

void TilesOp::print(OpAsmPrinter &printer) {
  auto list = [&](ValueRange values) {
    printer << "(";
    printer.printOperands(values);
    printer << ")";
  };
  printer << " ";
  list(ValueRange(getCoordinates()));
  printer << " of ";
  list(getExtents());
  if (!getAxes().empty()) {
    printer << " axes ";
    list(getAxes());
  }
  if (isGrouped())
    printer << " grouped ";
  if (auto grouped = getGrouped())
    printer << *grouped;
  else if (getGroup())
    printer << getGroup();
  for (auto [flag, given] : {std::pair("folded", getFold()), {"descending", getDescend()}})
    if (given)
      printer << " " << flag << " " << given;
    else if ((*this)->hasAttr(flag))
      printer << " " << flag;
  if (getQueue())
    printer << " queue";
  if (auto turn = getTurn())
    printer << " turn " << *turn << " of " << *getTurns();
  if (isSplit()) {
    printer << " split (" << getPart()[0] << " to " << getPart()[1] << ") of ";
    if (Value steps = getSteps()) {
      printer << steps;
    } else {
      list(ValueRange(getLengths().getArguments()));
      printer << " ";
      printer.printRegion(getLengths(), /*printEntryBlockArgs=*/false);
    }
    printer << " least " << *getLeast();
  }
  bool carries = !getInitArgs().empty();
  if (carries) {
    printer << " iter_args(";
    llvm::interleaveComma(llvm::zip(getRegionIterArgs(), getInitArgs()), printer, [&](auto pair) {
      printer << std::get<0>(pair) << " = " << std::get<1>(pair);
    });
    printer << ") -> (" << getResultTypes() << ")";
  }
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/carries);
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"grouped", "folded", "descending", "queue", "turn", "turns",
                                 "least", getOperandSegmentSizesAttrName()});
}

//===- What it carries ------------------------------------------------------------------------===//

SmallVector<Region *> TilesOp::getLoopRegions() { return {&getBody()}; }

MutableArrayRef<OpOperand> TilesOp::getInitsMutable() {
  return (*this)->getOpOperands().take_back(getInitArgs().size());
}

Block::BlockArgListType TilesOp::getRegionIterArgs() {
  return getBody().getArguments().take_back(getNumResults());
}

std::optional<MutableArrayRef<OpOperand>> TilesOp::getYieldedValuesMutable() {
  return getBody().front().getTerminator()->getOpOperands();
}

std::optional<ResultRange> TilesOp::getLoopResults() { return getResults(); }

ChannelOp cta::channelOf(Value slot) {
  Operation *op = slot.getDefiningOp();
  if (isa_and_nonnull<AcquireOp, WaitOp, NoSlotOp, SlotAtOp>(op))
    return op->getOperand(0).getDefiningOp<ChannelOp>();
  auto argument = dyn_cast<BlockArgument>(slot);
  auto loop = dyn_cast<LoopLikeOpInterface>(argument ? argument.getOwner()->getParentOp() : op);
  if (!loop)
    return {};
  OpOperand *first =
      argument ? loop.getTiedLoopInit(argument) : loop.getTiedLoopInit(cast<OpResult>(slot));
  return first ? channelOf(first->get()) : ChannelOp();
}

//===- Rules ----------------------------------------------------------------------------------===//

/// Checks the order of tiles.
static LogicalResult verifyOrder(TilesOp op, const Cluster &cluster) {
  size_t axes = op.getExtents().size();
  if (!op.getAxes().empty() && op.getAxes().size() != axes) // C8
    return op.emitOpError() << "orders " << op.getAxes().size() << " of " << axes
                            << " axes; `axes` names each of them once";
  bool folds = op.getFolded() || op.getFold(), descends = op.getDescending() || op.getDescend();
  if (!op.isGrouped() && (folds || descends)) // C2
    return op.emitOpError() << "is " << (folds ? "folded" : "descending") << " but has no groups";
  if (op.isGrouped() && axes < 2)
    return op.emitOpError() << "groups tiles of two axes or more, not of one";
  auto grouped = op.getGrouped();
  if (grouped && (*grouped < 1 || *grouped % cluster.blocks() != 0)) // C2
    return op.emitOpError() << "groups " << *grouped << " tiles; a multiple of the "
                            << cluster.blocks() << " blocks of a cluster is needed";
  if (op.getFolded() && op.getDescending()) // C2
    return op.emitOpError()
           << "is folded and descending; groups go back and forth, or all backwards";
  return success();
}

/// C10: the number of steps of a tile is arithmetic on its coordinates and on values from outside.
static LogicalResult verifyLengths(TilesOp op) {
  Region &lengths = op.getLengths();
  if (lengths.empty())
    return success();
  if (op.getSteps())
    return op.emitOpError() << "says twice how many steps a tile has; give a number for all tiles, "
                            << "or the region";
  Builder builder(op.getContext());
  SmallVector<Type> coordinates(op.getExtents().size(), builder.getI32Type());
  if (lengths.getArgumentTypes() != TypeRange(coordinates))
    return op.emitOpError() << "gives the steps of a tile by (" << lengths.getArgumentTypes()
                            << "), not by its " << coordinates.size() << " coordinates of i32";
  auto isTile = [](Type type) { return isa<ShapedType>(type); };
  for (Operation &inner : lengths.front().without_terminator())
    if ((!isa_and_nonnull<arith::ArithDialect>(inner.getDialect()) && !isa<func::CallOp>(inner)) ||
        llvm::any_of(inner.getResultTypes(), isTile))
      return inner.emitOpError() << "stands where `cta.tiles` says how many steps a tile has, by "
                                 << "arithmetic of scalars; compute it in front of the tiles";
  return success();
}

LogicalResult TilesOp::verify() {
  size_t arguments = getBody().getNumArguments() - getNumResults() - (isSplit() ? 2 : 0);
  if (arguments != getExtents().size() || arguments == 0) // C1
    return emitOpError() << "has " << arguments << " coordinates for " << getExtents().size()
                         << " extents";
  Cluster cluster = clusterOf((*this)->getParentOfType<func::FuncOp>());
  int64_t blocks = cluster.blocks();
  if (cluster.along[1] > 1 && getExtents().size() < Cluster::kAxes) // C1
    return emitOpError() << "has tiles along one axis, and clusters of " << cluster.along[0]
                         << " x " << cluster.along[1] << " blocks along two";
  if (failed(verifyOrder(*this, cluster)))
    return failure();
  if (getQueue() && blocks > 1) // C5
    return emitOpError() << "takes tiles from a queue, which gives them to single blocks, not to "
                         << "clusters of " << blocks << "; leave `queue` or the cluster out";
  if (bool(getTurn()) != bool(getTurns()) || (getTurn() && *getTurn() >= *getTurns())) // C3
    return emitOpError() << "takes turn " << getTurn().value_or(0) << " of "
                         << getTurns().value_or(0) << "; turns count from 0";
  if (isSplit() != bool(getLeast()) || (getLeast() && *getLeast() < 1)) // C7
    return emitOpError() << "splits tiles into parts of at least " << getLeast().value_or(0)
                         << " steps; give the steps of a tile, and `least` 1 or more";
  if (isSplit() && (getQueue() || getTurns())) // C7
    return emitOpError() << "splits tiles, of which each block has an even share; take `"
                         << (getQueue() ? "queue" : "turn") << "` or `split` away";
  if (!getLengths().empty() && blocks > 1) // C7
    return emitOpError() << "splits tiles that differ in steps, while the " << blocks
                         << " blocks of a cluster share their steps; give one number for all "
                         << "tiles, or take `cta.cluster` away";
  if (failed(verifyLengths(*this)))
    return failure();
  for (Type type : getResultTypes())
    if (!isa<RankedTensorType, SlotType>(type)) // C6
      return emitOpError() << "carries a " << type << " to the next tile; "
                           << (isa<PendingType>(type) ? "await it before: products of one tile are "
                                                        "not left to another"
                                                      : "tiles and slots are");
  auto role = dyn_cast<RoleOp>((*this)->getParentOp());
  if (!role || llvm::range_size(role.getBody().front().getOps<TilesOp>()) != 1) // C4
    return emitOpError() << "stands alone at the top level of a role";
  return success();
}

LogicalResult YieldOp::verify() {
  if (isa<CombineOp>((*this)->getParentOp())) // it checks its merge
    return success();
  auto tiles = dyn_cast<TilesOp>((*this)->getParentOp());
  if (!tiles && getNumOperands()) // C1
    return emitOpError() << "hands on values where a role ends; only tiles do";
  if (tiles && (*this)->getParentRegion() == &tiles.getLengths()) {
    if (getNumOperands() != 1 || !getOperand(0).getType().isInteger(32)) // C1
      return emitOpError() << "gives (" << getOperandTypes() << ") as the steps of a tile, not one "
                           << "number of i32";
    return success();
  }
  if (tiles && getOperandTypes() != tiles.getResultTypes()) // C1
    return emitOpError() << "hands on (" << getOperandTypes() << ") where the next tile takes ("
                         << tiles.getResultTypes() << ")";
  return success();
}
