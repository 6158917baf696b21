#include "ir/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "ir/tile/TileDialect.cpp.inc"
#include "ir/tile/TileEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/tile/TileTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/tile/TileAttrs.cpp.inc"

using namespace mlir;
using namespace tilewright::tile;

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/tile/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/tile/TileAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/tile/TileOps.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===- View: `<?x64xbf16, align 16, strided, wide>`
//---------------------------------------------===//

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/true) ||
      parser.parseType(elementType))
    return {};
  if (!elementType.isIntOrFloat()) {
    parser.emitError(parser.getNameLoc(), "a view holds integers or floats");
    return {};
  }
  int64_t align = (elementType.getIntOrFloatBitWidth() + 7) / 8;
  bool strided = false, wide = false;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return {};
    if (keyword == "strided")
      strided = true;
    else if (keyword == "wide")
      wide = true;
    else if (keyword != "align" || parser.parseInteger(align)) {
      parser.emitError(parser.getNameLoc(), "expected `align n`, `strided` or `wide`");
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ViewType>(parser.getContext(), shape, elementType, align, strided, wide);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t size : getShape()) {
    if (ShapedType::isDynamic(size))
      printer << "?x";
    else
      printer << size << "x";
  }
  printer << getElementType();
  if (getAlign() != getElementBytes())
    printer << ", align " << getAlign();
  if (getStrided())
    printer << ", strided";
  if (getWide())
    printer << ", wide";
  printer << ">";
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType, int64_t align, bool,
                               bool) {
  if (!elementType.isIntOrFloat())
    return emitError() << "a view holds integers or floats, not " << elementType;
  if (align <= 0 || (align & (align - 1)))
    return emitError() << "alignment must be a power of two, not " << align;
  return success();
}
