// Passes that refuse programs.
#ifndef TILEWRIGHT_CHECK_PASSES
#define TILEWRIGHT_CHECK_PASSES

include "mlir/Pass/PassBase.td"

def CheckProgram : Pass<"check-program", "::mlir::func::FuncOp"> {
  let summary = "refuses programs with roles that would hang or read missing data";
  let description = [{
    Slots must be opened and closed once, and pending accumulators used once. Roles must fill and
    take equally many slots of a ring. Every turn must come. The target must have what the program
    needs.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def CheckDeadlocks : Pass<"check-deadlocks", "::mlir::func::FuncOp"> {
  let summary = "refuses programs whose roles deadlock";
  let description = [{
    Simulates the roles, after `place-waits`, with small sizes that the assertions allow: who fills
    and takes which slot, and whose turn it is. A remark names the cases that were not tried.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

#endif
