#ifndef TILEWRIGHT_CTA_DIALECT
#define TILEWRIGHT_CTA_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Cta_Dialect : Dialect {
  let name = "cta";
  let cppNamespace = "::tilewright::cta";
  let summary = "how one thread block runs a kernel: channels, asynchronous products, layouts";
  let description = [{
    The kernel is the `tile` function with `cta.warps` (i32) and `cta.target` (string); `tile`,
    `arith`, `math` and `scf` ops keep their meaning. In addition, data passes through shared memory
    only in channels, products are asynchronous, and, once layouts are assigned, every tensor type
    has a `#cta.layout` that says which register of which thread holds which element. This level
    has no phases, arrival counts, bytes, fences or thread ids.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

class Cta_Op<string mnemonic, list<Trait> traits = []> : Op<Cta_Dialect, mnemonic, traits>;

def Cta_LayoutAttr : AttrDef<Cta_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "which register of which thread holds which element of a tile (ir/Layout.h)";
  let description = [{
    Digits `size:dimension:stride`, least significant first; dimension `*` marks replicas:
    `#cta.layout<registers [2:1:1, 2:0:8], lanes [4:1:2, 8:0:1], warps [4:0:16]>`.
  }];
  let parameters = (ins "::tilewright::Layout":$layout);
  let hasCustomAssemblyFormat = 1;
}

def Cta_SharedAttr : AttrDef<Cta_Dialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "where the elements of a tile lie in shared memory (ir/SharedLayout.h)";
  let parameters = (ins "int64_t":$pitch, "int64_t":$bits, "int64_t":$shift);
  let assemblyFormat = "`<` `pitch` $pitch `,` `swizzle` `<` $bits `,` $shift `>` `>`";
  let extraClassDeclaration = [{
    ::tilewright::SharedLayout getLayout() const { return {getPitch(), getBits(), getShift()}; }
  }];
}

def Cta_RingAttr : AttrDef<Cta_Dialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "the mbarriers that guard slots between roles";
  let description = [{
    Channels with the same `number` share these mbarriers: their slots change hands together. Slot i
    is full when the mbarrier (8 bytes) at `full + 8 i` has had `fills` arrivals and TMA has written
    `bytes`. It is empty when the mbarrier at `empty + 8 i` has had `returns` arrivals.
  }];
  let parameters = (ins "int64_t":$number, "int64_t":$full, "int64_t":$empty, "int64_t":$fills,
                        "int64_t":$returns, "int64_t":$bytes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Cta_PlanAttr : AttrDef<Cta_Dialect, "Plan"> {
  let mnemonic = "plan";
  let summary = "where a channel's slots lie, and how they change hands";
  let description = [{
    Slot i starts at byte `offset + i · stride` of shared memory. If `fenced`, the threads that fill
    a slot fence their stores against the reads of asynchronous products. Without a `ring`, one role
    both fills and reads the slots, in lockstep.
    `#cta.plan<offset = 0, stride = 8192, ring = <number = 0, full = 16384, empty = 16400, fills = 1,
    returns = 2, bytes = 8192>>`
  }];
  let parameters = (ins "int64_t":$offset, "int64_t":$stride,
                        DefaultValuedParameter<"bool", "false">:$fenced,
                        OptionalParameter<"::tilewright::cta::RingAttr">:$ring);
  let assemblyFormat = "`<` struct(params) `>`";
}

class Cta_TileType<string name, string mnemonicText> : TypeDef<Cta_Dialect, name> {
  let mnemonic = mnemonicText;
  let parameters = (ins "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $tile `>`";
}

def Cta_Channel : TypeDef<Cta_Dialect, "Channel"> {
  let mnemonic = "channel";
  let summary = "a ring of `depth` slots in shared memory: `!cta.channel<3 x tensor<64x64xf16>>`";
  let parameters = (ins "int64_t":$depth, "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $depth `x` $tile `>`";
  let genVerifyDecl = 1;
}

def Cta_Slot : Cta_TileType<"Slot", "slot"> {
  let summary = "access to one slot of a channel; closed exactly once (commit or release)";
}

def Cta_Pending : Cta_TileType<"Pending", "pending"> {
  let summary = "an accumulator of products in flight; `cta.await` makes it readable";
}

class Cta_SimpleType<string name, string mnemonicText> : TypeDef<Cta_Dialect, name> {
  let mnemonic = mnemonicText;
}

def Cta_Order : Cta_SimpleType<"Order", "order"> {
  let summary = "a critical section that warpgroups or roles enter in turn";
}

def Cta_Turn : Cta_SimpleType<"Turn", "turn"> {
  let summary = "a critical section that has been entered; left exactly once";
}

#endif
