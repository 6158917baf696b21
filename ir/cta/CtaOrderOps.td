#ifndef TILEWRIGHT_CTA_ORDER_OPS
#define TILEWRIGHT_CTA_ORDER_OPS

include "ir/cta/CtaDialect.td"

// Turns at a section of a program, so that not all who run it are there at once: while one starts
// its products, another has ordinary work to do.

def Cta_OrderOp : Cta_Op<"order"> {
  let summary = "declares that those who pass through some sections do so one after the other";
  let description = [{
    An order of several roles has these take turns, as they stand in the program: each passes once
    per tile, or once at all. Of roles that share out the tiles by `turn i of n`, the i-th of n takes
    the i-th turn. An order of one role has its warpgroups take turns, the first first; sections may
    stand anywhere.

    A turn is no lock on anything, and products started in it may run on behind it.

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
  let summary = "waits for its turn, with which a section begins";
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
  let summary = "ends a section and gives the turn to the next";
  let description = [{
    ```mlir
    cta.leave %turn
    ```
  }];
  let arguments = (ins Cta_Turn:$turn);
  let assemblyFormat = "$turn attr-dict";
}

#endif
