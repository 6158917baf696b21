#ifndef TILEWRIGHT_CTA_PLACED_OPS
#define TILEWRIGHT_CTA_PLACED_OPS

include "ir/cta/CtaChannelOps.td"

// What passes put where a program's ops need it; a program that is written has none of these.

def Cta_NoSlotOp : Cta_SlotFromChannel<"no_slot"> {
  let summary = "a slot that is none: what a loop carries before it has one";
  let description = [{
    It is only released, under a condition that does not hold.

    ```mlir
    %none = cta.no_slot %as : !cta.channel<4 x tensor<128x64xbf16>> -> !cta.slot<tensor<128x64xbf16>>
    ```
  }];
}

def Cta_WaitGroupOp : Cta_Op<"wait_group", [AttrSizedOperandSegments]> {
  let summary = "waits until at most so many of the role's products are under way";
  let description = [{
    Products of warpgroups end in the order in which they were started. `place-waits` puts these waits
    where awaits, releases and the next products need them. `done` are the sums that are read next.
    `after` as in `cta.await`.

    ```mlir
    cta.wait_group 1
    cta.wait_group 0, %sum after %totals : !cta.pending<tensor<128x64xf32>> after tensor<128xf32>
    ```
  }];
  let arguments = (ins I64Attr:$left, Variadic<Cta_Pending>:$done,
                       Optional<AnyStaticShapeTensor>:$computed);
  let assemblyFormat = [{
    $left (`,` $done^)? (`after` $computed^)? attr-dict
    (`:` type($done)^)? (`after` type($computed)^)?
  }];
}

#endif
