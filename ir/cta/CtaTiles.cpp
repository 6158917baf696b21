// The loop over tiles that the roles of a block share.
#include "ir/cta/Cta.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cta;

//===- Syntax ---------------------------------------------------------------------------------===//

/// Parses `split (%first to %end) of %steps least 16`, if it is there.
static ParseResult parseSplit(OpAsmParser &parser,
                              SmallVectorImpl<OpAsmParser::Argument> &arguments,
                              OperationState &result) {
  OpAsmParser::Argument first, end;
  OpAsmParser::UnresolvedOperand steps;
  int64_t least;
  Type i32 = parser.getBuilder().getI32Type();
  if (failed(parser.parseOptionalKeyword("split")))
    return success();
  if (parser.parseLParen() || parser.parseArgument(first) || parser.parseKeyword("to") ||
      parser.parseArgument(end) || parser.parseRParen() || parser.parseKeyword("of") ||
      parser.parseOperand(steps) || parser.resolveOperand(steps, i32, result.operands) ||
      parser.parseKeyword("least") || parser.parseInteger(least))
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
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("of") ||
      parser.parseOperandList(extents, OpAsmParser::Delimiter::Paren) ||
      parser.resolveOperands(extents, builder.getI32Type(), result.operands))
    return failure();
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = builder.getI32Type();
  auto parseNumber = [&](StringRef attribute) -> ParseResult {
    int64_t number;
    if (parser.parseInteger(number))
      return failure();
    result.addAttribute(attribute, builder.getI64IntegerAttr(number));
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("grouped")) && parseNumber("grouped"))
    return failure();
  for (StringRef flag : {"folded", "descending", "queue"})
    if (succeeded(parser.parseOptionalKeyword(flag)))
      result.addAttribute(flag, builder.getUnitAttr());
  if (succeeded(parser.parseOptionalKeyword("turn")) &&
      (parseNumber("turn") || parser.parseKeyword("of") || parseNumber("turns")))
    return failure();
  if (parseSplit(parser, arguments, result))
    return failure();
  size_t shared = result.operands.size(); // by all tiles
  if (parseCarried(parser, arguments, result))
    return failure();
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      int32_t(extents.size()), int32_t(shared - extents.size()),
      int32_t(result.operands.size() - shared)};
  Region *body = result.addRegion();
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
  if (auto grouped = getGrouped())
    printer << " grouped " << *grouped;
  for (StringRef flag : {"folded", "descending", "queue"})
    if ((*this)->hasAttr(flag))
      printer << " " << flag;
  if (auto turn = getTurn())
    printer << " turn " << *turn << " of " << *getTurns();
  if (Value steps = getSteps())
    printer << " split (" << getPart()[0] << " to " << getPart()[1] << ") of " << steps << " least "
            << *getLeast();
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
  if (isa_and_nonnull<AcquireOp, WaitOp, NoSlotOp>(op))
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

LogicalResult TilesOp::verify() {
  size_t arguments = getBody().getNumArguments() - getNumResults() - (getSteps() ? 2 : 0);
  if (arguments != getExtents().size() || arguments == 0) // C1
    return emitOpError() << "has " << arguments << " coordinates for " << getExtents().size()
                         << " extents";
  int64_t cluster = clusterOf((*this)->getParentOfType<func::FuncOp>());
  if (auto grouped = getGrouped()) {
    if (arguments < 2)
      return emitOpError() << "groups tiles of two axes or more, not of one";
    if (*grouped < 1 || *grouped % cluster != 0) // C2
      return emitOpError() << "groups " << *grouped << " tiles; a multiple of the " << cluster
                           << " blocks of a cluster is needed";
  } else if (getFolded() || getDescending()) { // C2
    return emitOpError() << "is " << (getFolded() ? "folded" : "descending")
                         << " but has no groups";
  }
  if (getFolded() && getDescending()) // C2
    return emitOpError() << "is folded and descending; groups go back and forth, or all backwards";
  if (getQueue() && cluster > 1) // C5
    return emitOpError() << "takes tiles from a queue, which gives them to single blocks, not to "
                         << "clusters of " << cluster << "; leave `queue` or the cluster out";
  if (bool(getTurn()) != bool(getTurns()) ||
      (getTurn() && (*getTurn() < 0 || *getTurn() >= *getTurns()))) // C3
    return emitOpError() << "takes turn " << getTurn().value_or(0) << " of "
                         << getTurns().value_or(0) << "; turns count from 0";
  if (bool(getSteps()) != bool(getLeast()) || (getLeast() && *getLeast() < 1)) // C7
    return emitOpError() << "splits tiles into parts of at least " << getLeast().value_or(0)
                         << " steps; give the steps of a tile, and `least` 1 or more";
  if (getSteps() && (cluster > 1 || getQueue() || getTurns())) { // C7
    StringRef other = cluster > 1 ? "cta.cluster" : getQueue() ? "queue" : "turn";
    return emitOpError() << "splits tiles, of which each block has an even share; take `" << other
                         << "` or `split` away";
  }
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
  auto tiles = dyn_cast<TilesOp>((*this)->getParentOp());
  if (!tiles && getNumOperands()) // C1
    return emitOpError() << "hands on values where a role ends; only tiles do";
  if (tiles && getOperandTypes() != tiles.getResultTypes()) // C1
    return emitOpError() << "hands on (" << getOperandTypes() << ") where the next tile takes ("
                         << tiles.getResultTypes() << ")";
  return success();
}
