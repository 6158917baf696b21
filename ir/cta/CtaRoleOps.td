#ifndef TILEWRIGHT_CTA_ROLE_OPS
#define TILEWRIGHT_CTA_ROLE_OPS

include "ir/cta/CtaDialect.td"
include "mlir/Interfaces/LoopLikeInterface.td"

// Who does what in a block. A kernel without roles is one role: all of its warps.

def Cta_RoleOp : Cta_Op<"role", [SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "what some warps of the block do, beside the other roles";
  let description = [{
    Roles stand together at the end of the kernel and run at the same time. They share no tiles:
    data crosses from one to another through channels, and a role captures only scalars, constants,
    views, channels and orders (C1). A role that has no tiles and no products, such as one that only
    copies by TMA, is run by a single thread of its first warp.

    Warps are numbered in the order of the roles; a role that multiplies with warpgroups, or has
    more than four warps, starts with a new warpgroup. `registers` is what each of its threads may
    hold; warpgroups exchange them (setmaxnreg), so roles that share a warpgroup agree on it.

    C2: 1 to 16 warps. C3: `registers` is a multiple of 8 from 24 to 256. C4: a role stands at the top
    level of a kernel, and nothing but roles behind it.

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
    The box `of` counts all tiles; the blocks of the grid share them out evenly, and every role goes
    through those of its block in the same order. Channels run on from one tile to the next, so a
    role may be tiles ahead of another. Tiles are independent: what one does to memory has no order
    with what another does, on this block or elsewhere. With a cluster of c blocks, these work on c
    neighbours along the first axis, some of which may lie beyond its end; stores there are dropped.

    The first axis varies fastest; with `grouped` g it does so within g tiles of the first axis, and
    then the second axis moves on: neighbours in time share rows of both operands in the L2 cache. Of
    groups that are `folded` the last goes through the second axis backwards, the one before it
    forwards, and so on: where work grows along that axis, long and short tiles alternate, short ones
    come last, and each block has its even share. Groups that are `descending` all go backwards:
    longest first, which suits a queue.

    Each of these may be a number or a truth value that the launch gives instead: `grouped %g`,
    `folded %f`, `descending %d`; so may the order of the axes, `axes (%first, %second)`, of which the
    one named first then varies fastest and is the one that is grouped, and the next that along which
    groups go. They change the order of the tiles and nothing else. The host refuses a launch where
    they break the rules below (C2, C8).

    Without `queue` a block with number b of n takes the tiles b, b + n, b + 2n and so on. With it, a
    block takes the next that nobody has taken whenever it comes to one, after the first: where some
    tiles take longer than others, blocks end together.

    With `turn i of t` the role takes only every t-th tile of its block, from the i-th on.

    With `iter_args` a tile hands values to the role's next, and the last to what follows, as a loop
    does: so the end of one tile may overlap with the start of the next, whose first operands it waits
    for. They are tiles, and slots that were waited for (C6), which are released by their new name.

    With `split (%first to %end) of %steps least p` the tiles that are left over behind the last that
    all n blocks have one of are made in parts: each block takes an even share of their steps, at
    least p. A tile then also is the steps from `first` to `end` of the `steps` that make a whole one,
    and `cta.combine` puts its parts together. Where shares would save fewer than p steps, nothing is
    split. A block ends with its parts, of which there are up to two: the beginning of one tile, and
    the end, the middle or all of the one before. (Stream-K, Osama et al. 2023, with whole tiles for
    all but the rest.) Clusters count as blocks do, and their tiles as one.

    Where tiles differ, `of (%m, %n) { … cta.yield %steps : i32 }` says how many steps the one with
    these coordinates has; fewer than 0 are 0. Shares then are of the sum over the tiles left over,
    what they save is measured by the longest of these, and short ones may lie within a share, whole.
    Each tile is whole in one block: where its last step is, or, without steps, where the last step
    in front of it is, or in block 0 if there is none.

    C1: an argument per extent. C2: g is at least 1 and a multiple of the cluster's blocks; only
    groups of two axes or more are folded or descending. C3: 0 <= i < t. C4: a role's only loop over tiles, at its top level. C5: clusters
    have no queue. C6: what is carried is neither pending nor a scalar. C7: tiles are split for blocks
    that take no turns and have no queue, in clusters by one number of steps; p >= 1. C8: `axes` names each axis once, the first
    as 0. C9: what the launch gives follows from sizes and scalar arguments, by arithmetic that the
    host can do. C10: the region of a tile's steps takes its coordinates and gives an i32, by
    arithmetic of scalars on them and on values from outside.

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
    /// The body's arguments that say which tile it is.
    ::mlir::Block::BlockArgListType getCoordinates() {
      return getBody().getArguments().take_front(getExtents().size());
    }
    /// All that stands for the coordinate along an axis: in the body, and where tiles differ in
    /// what says their steps.
    ::llvm::SmallVector<::mlir::Value, 2> getCoordinates(unsigned axis) {
      ::llvm::SmallVector<::mlir::Value, 2> coordinates = {getCoordinates()[axis]};
      if (!getLengths().empty())
        coordinates.push_back(getLengths().getArgument(axis));
      return coordinates;
    }
    /// Whether tiles go in groups, of a size that is stated here or given at the launch.
    bool isGrouped() { return getGrouped() || getGroup(); }
    /// The operands that give the tiles their order.
    ::mlir::ValueRange getOrder() {
      return getOperands().slice(getExtents().size(), getAxes().size() + bool(getGroup()) +
                                                          bool(getFold()) + bool(getDescend()));
    }
    /// Whether blocks share the tiles left over.
    bool isSplit() { return getSteps() || !getLengths().empty(); }
    /// How many steps a tile has, where it is split: a number for all, or what follows from the
    /// arguments of `lengths`, its coordinates.
    ::mlir::Value getLength() {
      return getLengths().empty() ? getSteps()
                                  : getLengths().front().getTerminator()->getOperand(0);
    }
    /// The body's arguments that say which of its steps, [first, end); none where it is not split.
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
    The one number in which the warps of a role differ. Loops and branches that depend on it are run
    by each warpgroup as often as its own number says: so one that has no rows, or has seen all of
    its keys, may pass by slots instead of multiplying. It still waits for every slot and releases it,
    and takes every turn. Where warpgroups are apart, nothing takes all of them: no `cta.sync`, no
    reduction across warps, no tile that changes its layout, no store of what all of them hold alike.

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
    For grids of as many blocks as run at once. The host knows it when it launches the kernel, and
    passes it on where the kernel itself asks.

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
    Of a kernel that has several plans, a launch takes the first whose conditions hold. The host
    evaluates them, over dimensions, scalar arguments and `cta.sms`. To the plan itself they are
    asserts.

    C1: at the top level of a kernel.

    ```mlir
    %few = arith.cmpi sle, %M, %c64 : i32
    cta.when %few
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
  let extraClassDeclaration = [{
    /// What is wrong where a launch takes a plan that is not for it.
    static ::llvm::StringRef message() { return "the plan is for other launches"; }
  }];
  let hasVerifier = 1;
}

def Cta_AwaitGridsOp : Cta_Op<"await_grids", [HasParent<"::mlir::func::FuncOp">]> {
  let summary = "waits until the kernels before this one on its stream have ended";
  let description = [{
    A kernel that has it is launched while those before it still run (programmatic dependent launch):
    what stands in front, such as coordinates and scalars, overlaps with their last blocks. What they
    have written is there behind it.

    C1: at the top level of a kernel, before roles. C2: nothing in front of it reads or writes memory.
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
  let summary = "ends a role, a tile with what it hands to the next, or a merge with its results";
  let description = [{
    C1: a tile hands on what its loop carries, a merge a tile for each part, a role nothing. What
    says a tile's steps gives that number.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ /* hands on nothing */ }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

#endif
