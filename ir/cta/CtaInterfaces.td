#ifndef TILEWRIGHT_CTA_INTERFACES
#define TILEWRIGHT_CTA_INTERFACES

include "mlir/IR/OpBase.td"

def Cta_InstructionInterface : AttrInterface<"InstructionAttrInterface"> {
  let cppNamespace = "::tilewright::cta";
  let description = [{
    An instruction that computes products, as in `cta.mma … by`. Passes ask for its properties, not
    for its name; only its expansion knows the name. ir/ProductForms.def has a row for each shape,
    with operands and targets.
  }];
  let methods = [
    InterfaceMethod<"The unit by which its rows of ir/ProductForms.def are found.",
                    "::tilewright::ProductUnit", "getUnit">,
    InterfaceMethod<"Its rows, columns and depth.", "::std::array<int64_t, 3>", "getShape">,
    InterfaceMethod<"Who issues it.", "::tilewright::cta::Issuer", "getIssuer">,
    InterfaceMethod<"Whether it runs asynchronously, until its accumulator is awaited.",
                    "bool", "isAsynchronous">,
    InterfaceMethod<"Where its left operand may be: a set of places.",
                    "unsigned", "getLeftPlaces">,
    InterfaceMethod<"Where its right operand may be.", "unsigned", "getRightPlaces">,
    InterfaceMethod<"Where its accumulator is.", "::tilewright::cta::Place", "getSumPlace">,
    InterfaceMethod<[{The layout of an accumulator in registers, split over warps by `split`, in a
                      role of `warps` warps.}],
                    "::tilewright::Layout", "getSumLayout",
                    (ins "::llvm::ArrayRef<int64_t>":$tile, "::llvm::ArrayRef<int64_t>":$split,
                         "int64_t":$warps)>,
    InterfaceMethod<"The same for a left operand in registers.",
                    "::tilewright::Layout", "getLeftLayout",
                    (ins "::llvm::ArrayRef<int64_t>":$tile, "::llvm::ArrayRef<int64_t>":$split,
                         "int64_t":$warps)>];
}

#endif
