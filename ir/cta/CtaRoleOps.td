#ifndef TILEWRIGHT_CTA_ROLE_OPS
#define TILEWRIGHT_CTA_ROLE_OPS

include "ir/cta/CtaDialect.td"
include "mlir/Interfaces/LoopLikeInterface.td"

// Roles: warp specialisation. A kernel without roles is one role of all its warps.

def Cta_RoleOp : Cta_Op<"role", [SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "code that some warps of the block run, beside the other roles";
  let description = [{
    Roles stand together at the end of the kernel and run at the same time. They share no tiles:
    data passes between them through channels, and a role captures only scalars, constants, views,
    channels and orders (C1). A role without tiles and products, such as one that only copies by
    TMA, is run by a single thread of its first warp.

    Warps are numbered in the order of the roles. A role that uses wgmma, or has more than four
    warps, starts with a new warpgroup. `registers` is the number of registers of each of its
    threads. Warpgroups exchange registers (setmaxnreg), so roles that share a warpgroup must state
    the same number.

    C2: 1 to 16 warps. C3: `registers` is a multiple of 8 from 24 to 256. C4: a role stands at the
    top level of a kernel, and only roles follow it.

    ```mlir
    cta.role "load" warps 1 registers 40 { … }
    cta.role "multiply" warps 8 registers 232 { … }
    ```
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$warps, OptionalAttr<I64Attr>:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `warps` $warps (`registers` $registers^)? $body attr-dict";
  let hasVerifier = 1;
}

def Cta_TilesOp : Cta_Op<"tiles", [
    SingleBlockImplicitTerminator<"YieldOp">, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, ["getInitsMutable", "getRegionIterArgs",
                                                    "getYieldedValuesMutable", "getLoopResults"]>]> {
  let summary = "the output tiles of this block, one after the other";
  let description = [{
    This is the tile scheduler. The box `of` counts all tiles. The blocks of the grid divide them
    evenly, and every role runs through the tiles of its block in the same order. Channels continue
    from one tile to the next, so a role may be tiles ahead of another. Tiles are independent: the
    memory accesses of different tiles are not ordered. The blocks of a cluster work on neighbours
    along the first axis, or on a rectangle of c x d tiles along the first two. Some of these may
    lie past the end; stores there are dropped.

    Order. The first axis varies fastest. With `grouped` g, it varies within g tiles, and then the
    second axis advances: tiles that run at about the same time share rows of both operands in the
    L2 cache. With `folded`, the last group runs backwards along the second axis, the one before it
    forwards, and so on. If work grows along that axis, long and short tiles alternate, short ones
    come last, and all blocks get about the same work. With `descending`, all groups run backwards:
    longest tiles first, which suits a queue.

    The launch may give each of these as a number or a truth value: `grouped %g`, `folded %f`,
    `descending %d`. It may also give the order of the axes: with `axes (%first, %second)`, the
    first one varies fastest and is grouped, and groups advance along the second. These change only
    the order of tiles. The host refuses a launch that breaks the rules below (C2, C8).

    Without `queue`, block b of n takes the tiles b, b + n, b + 2n and so on. With it, each block
    takes the next tile that no block has taken, after its first one. So blocks end together even if
    some tiles take longer.

    With `turn i of t` the role takes only every t-th tile of its block, starting with the i-th.

    With `iter_args` a tile passes values to the next tile of the role, as a loop does, and the last
    tile to the code behind. So the end of one tile may overlap with the start of the next, for whose
    first operands it waits. The values are tiles, and slots that were waited for (C6); such a slot
    is released under its new name.

    `split (%first to %end) of %steps least p` is stream-K (Osama et al. 2023), with whole tiles
    first. As long as there is a tile for each of the n blocks, they take whole tiles. They divide
    the steps of the remaining tiles evenly, with at least p steps each. A part of a tile runs the
    steps from `first` to `end` out of `steps`, and `cta.combine` combines the parts. If this would
    save fewer than p steps, nothing is split. A block runs its parts last. There are up to two: the
    beginning of one tile, and the end, the middle or all of the one before. A cluster counts as a
    block, and its tiles as one.

    If tiles differ, `of (%m, %n) { … cta.yield %steps : i32 }` gives the number of steps of the
    tile at these coordinates; negative numbers count as 0. Blocks then divide the sum of the steps,
    the saving is measured against the longest remaining tile, and a block may also have short tiles
    as a whole. One block finishes each tile: the one with its last step; for a tile without steps,
    the one with the last step before it, or block 0 if there is none.

    C1: an argument per extent; a cluster along two axes needs both. C2: g is at least 1 and a
    multiple of the cluster's blocks. `folded` and `descending` need two axes or more. C3: 0 <= i <
    t. C4: it is the only loop over tiles of its role, at the top level. C5: there is no queue with
    clusters. C6: no carried value is pending or a scalar. C7: no split with turns or a queue; in
    clusters all tiles have the same number of steps; p >= 1. C8: `axes` names each axis once, the
    first as 0. C9: the host can compute what the launch gives from sizes and scalar arguments. C10:
    the region for the steps takes the coordinates and gives an i32, by scalar arithmetic on them
    and on values from outside.

    ```mlir
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 { … }
    cta.tiles (%h, %m, %b) of (%heads, %m_tiles, %batches) grouped 8 folded { … }
    cta.tiles (%h, %m, %b) of (%heads, %m_tiles, %batches) grouped 8 descending queue { … }
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) axes (%fast, %slow) grouped %group folded %fold { … }
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 split (%first to %end) of %steps least 16 {
      … scf.for %i = %first to %end step %c1 …
    }
    cta.tiles (%m, %n) of (%t, %t) split (%first to %end) of (%m, %n) {
      %steps = arith.addi %m, %c1 : i32
      cta.yield %steps : i32
    } least 4 { … }
    %left = cta.tiles (%m, %n) of (%m_tiles, %n_tiles) iter_args(%now = %first) -> (!slot) {
      … cta.yield %next : !slot
    }
    ```
  }];
  let arguments = (ins Variadic<I32>:$extents, Variadic<I32>:$axes, Optional<I32>:$group,
                       Optional<I1>:$fold, Optional<I1>:$descend, Optional<I32>:$steps,
                       Variadic<AnyType>:$init_args,
                       OptionalAttr<I64Attr>:$grouped, UnitAttr:$folded,
                       UnitAttr:$descending, UnitAttr:$queue,
                       OptionalAttr<I64Attr>:$turn, OptionalAttr<I64Attr>:$turns,
                       OptionalAttr<I64Attr>:$least);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body, MaxSizedRegion<1>:$lengths);
  let extraClassDeclaration = [{
    /// The body's arguments with the coordinates of the tile.
    ::mlir::Block::BlockArgListType getCoordinates() {
      return getBody().getArguments().take_front(getExtents().size());
    }
    /// All values of the coordinate along an axis: in the body and, if tiles differ, in the region
    /// for their steps.
    ::llvm::SmallVector<::mlir::Value, 2> getCoordinates(unsigned axis) {
      ::llvm::SmallVector<::mlir::Value, 2> coordinates = {getCoordinates()[axis]};
      if (!getLengths().empty())
        coordinates.push_back(getLengths().getArgument(axis));
      return coordinates;
    }
    /// Whether tiles are grouped, by a constant or by a value of the launch.
    bool isGrouped() { return getGrouped() || getGroup(); }
    /// The operands that determine the order of tiles.
    ::mlir::ValueRange getOrder() {
      return getOperands().slice(getExtents().size(), getAxes().size() + bool(getGroup()) +
                                                          bool(getFold()) + bool(getDescend()));
    }
    /// Whether blocks divide the remaining tiles (stream-K).
    bool isSplit() { return getSteps() || !getLengths().empty(); }
    /// The number of steps of a split tile: one number for all tiles, or a value that depends on the
    /// coordinates, which are the arguments of `lengths`.
    ::mlir::Value getLength() {
      return getLengths().empty() ? getSteps()
                                  : getLengths().front().getTerminator()->getOperand(0);
    }
    /// The body's arguments with the steps of the part, [first, end); none if tiles are not split.
    ::mlir::Block::BlockArgListType getPart() {
      return getBody().getArguments().drop_back(getNumResults()).drop_front(getExtents().size());
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Cta_WarpgroupOp : Cta_Op<"warpgroup", [Pure]> {
  let summary = "the number of the warpgroup, among those of its role";
  let description = [{
    This is the only value in which the warps of a role differ. Each warpgroup runs loops and
    branches on it by its own number. So a warpgroup that has no rows, or has seen all of its keys,
    may skip the products of a slot. It still waits for every slot, releases it, and takes every
    turn. Inside such a loop or branch, no op may need all warpgroups: no `cta.sync`, no reduction
    across warps, no conversion of a layout, no store of a tile that all of them hold.

    C1: in a role of whole warpgroups that holds tiles, or a function that such roles call.

    ```mlir
    %own = cta.warpgroup : i32
    %first_row = arith.muli %own, %c64 : i32
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Cta_SmsOp : Cta_Op<"sms", [Pure]> {
  let summary = "the number of multiprocessors of the GPU";
  let description = [{
    It is for persistent grids. The host knows it at the launch, and passes it to the kernel if the
    kernel itself uses it.

    ```mlir
    %sms = cta.sms : i32
    %blocks = arith.minsi %tiles, %sms : i32
    tile.grid [%blocks]
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cta_WhenOp : Cta_Op<"when"> {
  let summary = "the launches that a plan is for";
  let description = [{
    If a kernel has several plans, a launch takes the first whose conditions hold. The host
    evaluates the conditions, over dimensions, scalar arguments and `cta.sms`. Within the plan they
    are asserts.

    C1: at the top level of a kernel.

    ```mlir
    %few = arith.cmpi sle, %M, %c64 : i32
    cta.when %few
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
  let extraClassDeclaration = [{
    /// The error of a launch with a plan that is not for it.
    static ::llvm::StringRef message() { return "the plan is for other launches"; }
  }];
  let hasVerifier = 1;
}

def Cta_AwaitGridsOp : Cta_Op<"await_grids", [HasParent<"::mlir::func::FuncOp">]> {
  let summary = "waits until the kernels before this one on its stream have ended";
  let description = [{
    A kernel with this op is launched while earlier kernels still run (programmatic dependent
    launch). The code in front of it, such as coordinates and scalars, overlaps with their last
    blocks. Behind it, their writes are visible.

    C1: at the top level of a kernel, before roles. C2: no op in front of it reads or writes memory.
    C3: the target has dependent launches: sm_90 and later.

    ```mlir
    cta.await_grids
    cta.role "load" warps 1 { … }
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Cta_YieldOp : Cta_Op<"yield", [Pure, Terminator,
                                   ParentOneOf<["RoleOp", "TilesOp", "CombineOp"]>]> {
  let summary = "ends a role, a tile, a merge, or the region for a tile's steps";
  let description = [{
    C1: it has the values that the loop over tiles carries, a merged tile for each part, or the
    number of steps; in a role, no values.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ /* hands on nothing */ }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

#endif
