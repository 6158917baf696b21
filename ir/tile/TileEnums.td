#ifndef TILEWRIGHT_TILE_ENUMS
#define TILEWRIGHT_TILE_ENUMS

include "ir/tile/TileDialect.td"

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilewright::tile";
  let genSpecializedAttr = 0;
}

def Tile_ReduceKindEnum : Tile_Enum<"ReduceKind", "how elements are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"Any", 3, "any">,
    I32EnumAttrCase<"All", 4, "all">]>;
def Tile_ReduceKind : EnumAttr<Tile_Dialect, Tile_ReduceKindEnum, "reduce_kind">;

def Tile_AtomicKindEnum : Tile_Enum<"AtomicKind", "what an atomic update does", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">]>;
def Tile_AtomicKind : EnumAttr<Tile_Dialect, Tile_AtomicKindEnum, "atomic_kind">;

#endif
