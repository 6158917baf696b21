#ifndef TILEWRIGHT_CTA_INSTRUCTIONS
#define TILEWRIGHT_CTA_INSTRUCTIONS

include "ir/cta/CtaDialect.td"
include "ir/cta/CtaInterfaces.td"

class Cta_Instruction<string name, string mnemonicText>
    : AttrDef<Cta_Dialect, name, [DeclareAttrInterfaceMethods<Cta_InstructionInterface>]> {
  let mnemonic = mnemonicText;
}

class Cta_ShapedInstruction<string name, string mnemonicText>
    : Cta_Instruction<name, mnemonicText> {
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k);
  let assemblyFormat = "`<` custom<InstructionShape>($m, $n, $k) `>`";
}

def Cta_FmaAttr : Cta_Instruction<"Fma", "fma"> {
  let summary = "fused multiply-adds of each thread, on operands that it loads from shared memory";
}

def Cta_MmaSyncAttr : Cta_ShapedInstruction<"MmaSync", "mma_sync"> {
  let summary = "a product of a warp, on fragments in registers: `#cta.mma_sync<16x8x16>`";
}

def Cta_WgmmaAttr : Cta_ShapedInstruction<"Wgmma", "wgmma"> {
  let summary = "a product of a warpgroup, on operands in shared memory: `#cta.wgmma<64x256x16>`";
}

#endif
