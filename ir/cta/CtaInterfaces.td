#ifndef TILEWRIGHT_CTA_INTERFACES
#define TILEWRIGHT_CTA_INTERFACES

include "mlir/IR/OpBase.td"

def Cta_InstructionInterface : AttrInterface<"InstructionAttrInterface"> {
  let cppNamespace = "::tilewright::cta";
  let description = [{
    What makes products: `cta.mma … by` it. Passes ask an instruction what it is like, never which one
    it is; only its expansion knows that. Which shapes there are, for what operands and on which
    targets, is a row each in ir/ProductForms.def.
  }];
  let methods = [
    InterfaceMethod<"The rows of ir/ProductForms.def that are its.",
                    "::tilewright::ProductUnit", "getUnit">,
    InterfaceMethod<"Rows, columns and depth of one.", "::std::array<int64_t, 3>", "getShape">,
    InterfaceMethod<"Who issues it.", "::tilewright::cta::Issuer", "getIssuer">,
    InterfaceMethod<"Whether it goes on by itself, until its sum is awaited.",
                    "bool", "isAsynchronous">,
    InterfaceMethod<"Where it takes its left operand from: a set of places.",
                    "unsigned", "getLeftPlaces">,
    InterfaceMethod<"Where it takes its right operand from.", "unsigned", "getRightPlaces">,
    InterfaceMethod<"Where its sum is.", "::tilewright::cta::Place", "getSumPlace">,
    InterfaceMethod<[{The layout of a sum in registers, of which `split` warps make a part each, in a
                      role of `warps`.}],
                    "::tilewright::Layout", "getSumLayout",
                    (ins "::llvm::ArrayRef<int64_t>":$tile, "::llvm::ArrayRef<int64_t>":$split,
                         "int64_t":$warps)>,
    InterfaceMethod<"The same for a left operand in registers.",
                    "::tilewright::Layout", "getLeftLayout",
                    (ins "::llvm::ArrayRef<int64_t>":$tile, "::llvm::ArrayRef<int64_t>":$split,
                         "int64_t":$warps)>];
}

#endif
