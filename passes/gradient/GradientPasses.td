// The pass that differentiates: no pipeline has it, since a gradient kernel is made before them.
#ifndef TILEWRIGHT_GRADIENT_PASSES
#define TILEWRIGHT_GRADIENT_PASSES

include "mlir/Pass/PassBase.td"

def Differentiate : Pass<"differentiate", "::mlir::ModuleOp"> {
  let summary = "makes of a kernel the kernel of its gradient";
  let description = [{
    Reverse-mode differentiation. The kernel `f(x, y)` that stores `y` becomes `f_grad(x, dy, dx)`,
    which takes the gradient of `y` and stores that of `x`. What it needs of the forward it computes
    again. A load becomes a store where every element is loaded once, else an addition; a store
    becomes a load; loops run backwards where their order matters. What cannot be differentiated is
    an error at its line. docs/gradients.md has the rules.

    Expects folded IR (canonicalize, cse), and leaves dead code to these.
  }];
  let options = [
    ListOption<"wrt", "wrt", "std::string", "the tensors to differentiate by">,
    ListOption<"given", "given", "std::string", "the outputs whose gradients are given">];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

#endif
