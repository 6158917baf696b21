#ifndef TILEWRIGHT_LAYOUT_INTERFACE
#define TILEWRIGHT_LAYOUT_INTERFACE

include "mlir/IR/OpBase.td"

def LayoutOpInterface : OpInterface<"LayoutOpInterface"> {
  let description = [{
    How layouts pass through an op whose tiles are held by threads (ir/LayoutInterface.h). An op that
    works element by element needs none: all of its tiles have one layout. Once tiles have layouts,
    every op that has the interface is held to what it says here.
  }];
  let cppNamespace = "::tilewright";
  let methods = [
    InterfaceMethod<[{
      The layout of the tile at `to`, where the one at `from` has `layout`; none if it does not follow.
    }], "std::optional<::tilewright::Layout>", "passLayout",
        (ins "::tilewright::TilePlace":$from, "const ::tilewright::Layout &":$layout,
             "::tilewright::TilePlace":$to)>,
    InterfaceMethod<[{
      The layout that the op itself asks for at that place, run by so many warps; none if any will do.
    }], "std::optional<::tilewright::Layout>", "preferredLayout",
        (ins "::tilewright::TilePlace":$place, "int64_t":$warps), "",
        [{ return std::nullopt; }]>,
    InterfaceMethod<"Whether the op can have that layout there.", "bool", "takesLayout",
        (ins "::tilewright::TilePlace":$place, "const ::tilewright::Layout &":$layout,
             "int64_t":$warps), "", [{ return true; }]>,
  ];
  let verify = "return ::tilewright::verifyLayouts($_op);";
}

#endif
