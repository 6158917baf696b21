#ifndef TILEWRIGHT_TILE_DIALECT
#define TILEWRIGHT_TILE_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilewright::tile";
  let summary = "what a kernel means: whole tiles, no threads, no memory below global";
  let description = [{
    A kernel is a `func.func` with the unit attribute `tile.kernel`. Its arguments are
    `!tile.view`s and scalars; each carries `tile.name`, and each view `tile.dims`, the names of
    its dimensions (two dimensions of one name have one size). Tiles are `tensor`s with a static
    shape. Scalars, control flow and elementwise maths are `arith`, `math` and `scf`.

    Coordinates and sizes are `i32`; a tensor dimension is smaller than 2^31.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
  let hasConstantMaterializer = 1;
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

def Tile_View : TypeDef<Tile_Dialect, "View"> {
  let mnemonic = "view";
  let summary = "a strided global tensor and what is known about its addresses";
  let description = [{
    `!tile.view<?x?x64xbf16, align 16>`: dimension sizes (static or `?`) and element type, then

    - `align n`: the address of every element whose innermost index is 0 is a multiple of n bytes
      (default: the element size);
    - `strided`: the innermost stride is not known to be 1;
    - `wide`: element offsets need 64 bits (default: they fit in 31).
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "int64_t":$align, "bool":$strided, "bool":$wide);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    int64_t getElementBytes() const { return (getElementType().getIntOrFloatBitWidth() + 7) / 8; }
    bool isDynamicDim(int64_t axis) const {
      return ::mlir::ShapedType::isDynamic(getShape()[axis]);
    }
    /// Elements that one access along the innermost dimension may move at once (1 when strided).
    int64_t getVectorElements() const {
      return getStrided() ? 1 : std::max<int64_t>(1, getAlign() / getElementBytes());
    }
  }];
}

#endif
