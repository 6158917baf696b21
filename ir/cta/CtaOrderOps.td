#ifndef TILEWRIGHT_CTA_ORDER_OPS
#define TILEWRIGHT_CTA_ORDER_OPS

include "ir/cta/CtaDialect.td"

// Critical sections. While one warpgroup or role starts its products, the others do other work.

def Cta_OrderOp : Cta_Op<"order"> {
  let summary = "declares a critical section that roles or warpgroups enter in turn";
  let description = [{
    If several roles use an order, they take turns in the order of the program: each enters once
    per tile, or once in all. If they divide the tiles by `turn i of n`, the i-th role takes the i-th
    turn. If one role uses an order, its warpgroups take turns, starting with the first; the
    sections may stand anywhere.

    A turn locks nothing, and products that are started in a section may continue behind it.

    C1: at the top level of a kernel. The rules between its sections are those of `check-program`.

    ```mlir
    %main = cta.order
    ```
  }];
  let results = (outs Cta_Order:$result);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Cta_EnterOp : Cta_Op<"enter"> {
  let summary = "waits for the turn and begins the critical section";
  let description = [{
    C1: in a role, or a function that roles call.

    ```mlir
    %turn = cta.enter %main
    ```
  }];
  let arguments = (ins Cta_Order:$order);
  let results = (outs Cta_Turn:$turn);
  let assemblyFormat = "$order attr-dict";
  let hasVerifier = 1;
}

def Cta_LeaveOp : Cta_Op<"leave"> {
  let summary = "ends the critical section and passes the turn on";
  let description = [{
    ```mlir
    cta.leave %turn
    ```
  }];
  let arguments = (ins Cta_Turn:$turn);
  let assemblyFormat = "$turn attr-dict";
}

#endif
