// The catalogue: every pass, its flag, what it decides, and one example. The order in which they run
// is in Pipeline.cpp.
#ifndef TILEWRIGHT_PASSES
#define TILEWRIGHT_PASSES

include "mlir/Pass/PassBase.td"

//===- tile ---------------------------------------------------------------------------------------===//

def PadTiles : Pass<"pad-tiles", "::mlir::func::FuncOp"> {
  let summary = "rounds tile extents up to what layouts can spread evenly";
  let description = [{
    A program may use any tile extent: a head dimension of 80, a prime, 1000 columns. Axes that must
    agree in size (through elementwise operations, reductions, products, loops) form a class, and
    each class gets one padded extent:

    - classes on a matrix product: a multiple of 16 for M, of 8 for N, and of the instruction's
      depth for K (16 elements of 16 bits, 32 of 8, 8 of 32);
    - others: a multiple of an eighth of the next power of two, which wastes at most a quarter.

    Meaning is kept: loads and stores state how much of the range is `valid`, index tiles are padded
    with -1 (outside every view), and reductions and products get their identity in the padding.
  }];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def SplitMaskedLoops : Pass<"split-masked-loops", "::mlir::func::FuncOp"> {
  let summary = "finds the iterations a mask leaves empty, partial and full";
  let description = [{
    A mask in a loop compares tile indices that are affine in the loop's counter. From it follow the
    iterations that are masked entirely (never run, when they provably change nothing), partly, and
    not at all (run without the mask). The loop becomes up to three loops in sequence,

        [first, a) partial   [a, b) full   [b, last) partial

    marked as one iteration space by `tile.segment`. A loop with matrix products stays one loop, in
    which partial iterations branch to the masks. Bounds of loads are treated in the same way, and
    accesses that are known to lie inside a view say `in_bounds`.
  }];
  let options = [
    Option<"dropEmpty", "drop-empty", "bool", "true", "never run iterations that change nothing">,
    Option<"splitBounds", "split-bounds", "bool", "true",
           "split loops for the sake of load bounds alone">];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def SimplifyMath : Pass<"simplify-math", "::mlir::func::FuncOp"> {
  let summary = "does per element only what cannot be done once";
  let description = [{
    Products of scalars are formed before they meet a tile, division by a broadcast value becomes
    multiplication by its reciprocal, `exp` and `log` become `exp2` and `log2`, and a scale followed
    by a subtraction becomes one `fma`, and `1 + tanh x` a quotient. Products are reassociated and reciprocals rounded, so the
    last bits of a result may change; infinities and NaN stay where they were, up to overflow of an
    intermediate product.
  }];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

//===- tile to cta --------------------------------------------------------------------------------===//

def BindConfig : Pass<"bind-config", "::mlir::func::FuncOp"> {
  let summary = "fixes the target, the warps of a block and the depth of its pipelines";
  let options = [
    Option<"target", "target", "std::string", "\"sm_90\"", "the GPU generation">,
    Option<"warps", "warps", "int64_t", "0", "warps of a block (0: chosen from the tiles)">,
    Option<"stages", "stages", "int64_t", "0", "slots of a pipelined channel (0: chosen)">,
    Option<"minBlocks", "min-blocks", "int64_t", "0", "blocks per SM to leave room for (0: open)">];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

//===- Carrying out a plan ------------------------------------------------------------------------===//

def AssumeConditions : Pass<"assume-conditions", "::mlir::func::FuncOp"> {
  let summary = "what holds for all launches that a plan is for (`when`)";
  let description = [{
    Each condition becomes `cta.when`, on which simplify-math relies.
  }];
  let options = [Option<"text", "text", "std::string", "\"\"", "the plan (none: what the kernel has in `plan.text`)">];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def JoinPrograms : Pass<"join-programs", "::mlir::func::FuncOp"> {
  let summary = "blocks that take several neighbouring programs as one (`tiles`: of programs)";
  let description = [{
    Tiles that have the rows, or the columns, of what the kernel stores become longer, and the grid shorter.
    Refused where anything but the place of these tiles follows from the program's number, where their
    elements meet, and where a program past the grid's end could store.
  }];
  let options = [Option<"text", "text", "std::string", "\"\"", "the plan (none: what the kernel has in `plan.text`)">];
}

def CutTiles : Pass<"cut-tiles", "::mlir::func::FuncOp"> {
  let summary = "tiles in parts, along rows or columns of what is stored (`tiles`: in parts)";
  let description = [{
    All that has the axis, in loops and branches too, becomes several smaller ones, one for each part;
    what does not have it is shared. Refused where elements along the axis meet.
  }];
  let options = [Option<"text", "text", "std::string", "\"\"", "the plan (none: what the kernel has in `plan.text`)">];
}

def BindPlan : Pass<"bind-plan", "::mlir::func::FuncOp"> {
  let summary = "reads a plan, and says of each op what the plan calls it";
  let description = [{
    What the plan leaves open, and what the kernel does not have, are errors (docs/plans.md).
  }];
  let options = [Option<"text", "text", "std::string", "\"\"", "the plan (none: what the kernel has in `plan.text`)">,
                 Option<"target", "target", "std::string", "\"sm_90\"", "the GPU generation">];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def RelaxPeaks : Pass<"relax-peaks", "::mlir::func::FuncOp"> {
  let summary = "maxima that a loop carries may lag (`loops`: late peak)";
  let description = [{
    Sums under an exponential need a factor whenever the maximum under it changes, and few of these
    changes matter. Where it is proved that any lag gives the same results (LatePeak.h), the maximum
    becomes `cta.raise`, and tiles are multiplied by its factors by `cta.rescale`.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def ReverseLoops : Pass<"reverse-loops", "::mlir::func::FuncOp"> {
  let summary = "loops from the last iteration to the first (`loops`: from last)";
}

def DelaySums : Pass<"delay-sums", "::mlir::func::FuncOp"> {
  let summary = "sums of rows become one behind the loop (`loops`: late sums)";
  let description = [{
    `a' = a * c + sum(t, 1)`: the loop carries what each thread has added up, by `cta.partial_sum`.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def RunLoopsOnce : Pass<"run-loops-once", "::mlir::func::FuncOp"> {
  let summary = "loops with products that are behind run at least once (`products`)";
  let description = [{
    Where an iteration behind the last changes nothing, as `split-masked-loops` has noted.
  }];
}

def MakePersistent : Pass<"make-persistent", "::mlir::func::FuncOp"> {
  let summary = "one role that goes through the tiles of its block (`blocks`)";
  let description = [{
    What depends on a program's number becomes the body of `cta.tiles`; the grid has as many blocks as
    run at once. With `one per tile` the role makes one tile.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def SplitTiles : Pass<"split-tiles", "::mlir::func::FuncOp"> {
  let summary = "tiles left over that blocks share (`blocks`: split)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def SinkSums : Pass<"sink-sums", "::mlir::func::FuncOp"> {
  let summary = "products that are added in the iteration behind their own (`loops`: add)";
  let description = [{
    `a' = a + f(p)`: the loop carries p, from zeros on, and adds it at the next iteration's start; the last
    is added behind the loop. Refused where f of zeros may be something else.
  }];
}

def SwapProducts : Pass<"swap-products", "::mlir::func::FuncOp"> {
  let summary = "products whose transpose is computed (`products`: swapped)";
  let description = [{
    `dot(a, b, sum)` becomes `transpose(dot(transpose(b), transpose(a), transpose(sum)))`: the rows of a
    product become columns, of which instructions have as few as 8. A loop that carries such a sum carries
    its transpose.
  }];
}

def CutRoles : Pass<"cut-roles", "::mlir::func::FuncOp"> {
  let summary = "roles that load streams through channels (`roles`, `channels`)";
  let description = [{
    A loading role is the loop nest with its streams alone; in the role that computes, a stream is a
    slot that is waited for, read and given back.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def PlaceProducts : Pass<"place-products", "::mlir::func::FuncOp"> {
  let summary = "products as the instructions that the plan names (`products`)";
  let description = [{
    Operands are read from the slots in which they lie; a sum that a loop adds to from zero stays
    pending across its iterations.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def JoinChannels : Pass<"join-channels", "::mlir::func::FuncOp"> {
  let summary = "channels whose slots change hands together (`channels`: with)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def SkewLoops : Pass<"skew-loops", "::mlir::func::FuncOp"> {
  let summary = "products that are behind, and the order of a loop's body (`products`, `loops`)";
  let description = [{
    A product that is behind is started beside what the next iteration does. The body follows the
    plan's order of starts and awaits; arithmetic stands as early as it can.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def CountByWarpgroup : Pass<"count-by-warpgroup", "::mlir::func::FuncOp"> {
  let summary = "trip counts of each warpgroup's own rows (`loops`: by warpgroup)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def OverlapTiles : Pass<"overlap-tiles", "::mlir::func::FuncOp"> {
  let summary = "the end of a tile beside the start of the next (`loops`: tiles)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def SplitIterations : Pass<"split-iterations", "::mlir::func::FuncOp"> {
  let summary = "a loop of their own for iterations that masks concern (`loops`: split masks)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def StoreByTma : Pass<"store-by-tma", "::mlir::func::FuncOp"> {
  let summary = "stores and adds through slots of some columns (`channels`)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def TakeTurns : Pass<"take-turns", "::mlir::func::FuncOp"> {
  let summary = "roles and channels for each of several tiles under way (`blocks`: in turns)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def PutTiles : Pass<"put-tiles", "::mlir::func::FuncOp"> {
  let summary = "computed tiles that products read in shared memory (`channels`: put)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def ReadPlan : Pass<"read-plan", "::mlir::func::FuncOp"> {
  let summary = "holds the program to the plan, which it reads back from it";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def MakeChannels : Pass<"make-channels", "::mlir::func::FuncOp"> {
  let summary = "brings the operands of products into shared memory through channels";
  let description = [{
    Selects the instruction of each product (from the target's table) and the split of its result
    over warps; selects cp.async or vector loads for each operand by its alignment.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

//===- cta ----------------------------------------------------------------------------------------===//

def PipelineLoads : Pass<"pipeline-loads", "::mlir::func::FuncOp"> {
  let summary = "starts the copies of later iterations before the products of this one";
  let dependentDialects = ["::tilewright::cta::CtaDialect", "::mlir::arith::ArithDialect"];
}

def UnfoldProgram : Pass<"unfold-program", "::mlir::ModuleOp"> {
  let summary = "writes out functions where they are called, loops in their parts, and loads";
  let description = [{
    A program may keep in a function what it does in several places, and in one loop what are two:

    ```mlir
    func.func private @weights(%scores: !square, %masked: i1) -> !square { … scf.if %masked … }
    …
    scf.for %i = %c0 to %last step %c1 … {
      %masked = cta.before %i, %partial : i32
      %p = func.call @weights(%scores, %masked) : (!square, i1) -> !square
    ```

    Branches whose condition is then constant are decided. The condition of a plan, `cta.when`, becomes
    an assert. Refused are functions that call themselves, and calls of kernels; messages about the
    text of a function name its line and the call's.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect", "::mlir::arith::ArithDialect"];
}

def CheckProgram : Pass<"check-program", "::mlir::func::FuncOp"> {
  let summary = "refuses programs with roles that would hang or read what is not there";
  let description = [{
    Slots are opened and closed once, pending sums used once; roles fill and take the slots of a ring
    as often; turns come round; the target has what the program asks for.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def PlaceWaits : Pass<"place-waits", "::mlir::func::FuncOp"> {
  let summary = "says where a role waits for its products, and gives back what they read";
  let description = [{
    Awaits, the next product of a sum, and loops and branches with products become `cta.wait_group`,
    and a release `after` a product moves behind the wait that finds it done. A loop that carries a
    pending sum carries the slots of its last product too:

    ```mlir
    %sum, %held = scf.for … iter_args(%before = %acc, %slot_before = %none) -> (!sum, !slot) {
      %slot = cta.wait %as …
      %next = cta.mma %before, %slot, …
      cta.wait_group 1
      cta.release %slot_before if %later : !slot
      scf.yield %next, %slot : !sum, !slot
    }
    cta.wait_group 0, %sum : !sum
    cta.release %held if %ran : !slot
    ```
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect", "::mlir::arith::ArithDialect"];
}

def CheckDeadlocks : Pass<"check-deadlocks", "::mlir::func::FuncOp"> {
  let summary = "refuses programs whose roles come to wait for each other for ever";
  let description = [{
    Plays the roles through with small sizes that the assertions allow, as `place-waits` has left
    them: who fills and takes which slot, and whose turn it is. A remark says what has not been tried.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def AssignLayouts : Pass<"assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "says which thread holds which element of every register tile";
  let description = [{
    Layouts spread from anchors, products first, then memory accesses from the largest tile down,
    through every op that keeps them; where two meet, a `cta.convert` is put. Constants, ranges and
    index arithmetic are computed anew in each layout that wants them.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def SelectRows : Pass<"select-rows", "::mlir::func::FuncOp"> {
  let summary = "has selects of rows of a product's result work under a branch";
  let description = [{
    `where(seen[:, None], x, 0)` leaves nearly all rows as they are, and costs a select for each element.
    Where x follows from what a product or a loop has left in registers, and a thread holds 8 or more
    elements of a row, the select is marked `cta.by_rows`: a warp that keeps all of its rows does nothing.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def OrderAccesses : Pass<"order-accesses", "::mlir::func::FuncOp"> {
  let summary = "puts barriers between accesses of a tensor that threads must not swap";
  let description = [{
    A program sees its own stores: its accesses to one tensor (a parameter) happen in program order,
    also around loops. A `cta.sync` goes before a load, store or atomic that may touch an element which
    an earlier one, with no barrier in between, may touch by another thread, if one of the two writes.
    Accesses that agree in layout and indices stay in their threads, and those whose indices provably
    never meet need no order; atomic updates of one kind have none.

    ```mlir
    tile.store %t, %x[%i] extents [128] : …
    cta.sync
    %u = tile.load %x[%i_plus_1] extents [128] : …
    ```
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def SwizzleLayout : Pass<"swizzle-layout", "::mlir::func::FuncOp"> {
  let summary = "places tiles in shared memory so that accesses do not conflict on banks";
  let description = [{
    Simulates every access to a channel's slots, as the later expansion will issue it, under each
    candidate (xor swizzles, then padding), and takes the one with the fewest conflicts.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def PlanChannels : Pass<"plan-channels", "::mlir::func::FuncOp"> {
  let summary = "places channels and scratch memory, and says how slots change hands";
  let description = [{
    Each channel gets a `plan`: where its slots lie and, between roles, the ring of mbarriers that it
    shares with channels whose slots change hands with its own, with the arrivals and bytes that fill
    a slot and empty it. Ops that need scratch memory say where it starts; the kernel, how much shared
    memory it takes. A program with roles that takes more than the target has is refused:

        takes 233536 bytes of shared memory (`as` 114688, `bs` 114688, barriers 448, …); a block on
        sm_90 has 232448
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def HintRegisters : Pass<"hint-registers", "::mlir::func::FuncOp"> {
  let summary = "says whether a thread's registers hold its tiles, and how many blocks share an SM";
  let description = [{
    Walks the live ranges of tiles, fragments and scalars and states the peak in the loops that
    multiply, with the tiles that take most of it:

        hint-registers: values take 221 of 255 registers: acc 128, s 64, fragments 12, scalars 9, others 8

    Fails at the op of the peak when the registers that a thread has are fewer than any compiled
    kernel needed for such a peak, and then sets `cta.exceeds_registers`. Where `cta.min_blocks` is
    open, asks for as many blocks per SM as shared memory and threads allow, while the registers
    left to a thread are enough for any compiled kernel with that peak. Kernels without products are
    left alone. Layouts must have been assigned.
  }];
  let options = [Option<"allowSpills", "allow-spills", "bool", "false", "never fail">];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

//===- cta to cuda --------------------------------------------------------------------------------===//

def LowerChannels : Pass<"lower-channels", "::mlir::func::FuncOp"> {
  let summary = "writes what it takes to hand slots over: barriers and addresses";
  let description = [{
    On whole tiles still, by the plans of `plan-channels`: acquires and waits become waits for
    barriers and numbers of slots, commits and releases become arrivals. Slots that loops carry become
    numbers in registers. Ops of `cuda` that it writes are the same for all threads of a role.

    ```mlir
    %number = cuda.get %as_slot[%c0] …
    %full = cta.barrier_of full %as[%number] …
    cuda.mbarrier_wait %full, %phase
    %slot = cta.slot_at %as[%number] …
    ```
  }];
  let dependentDialects = ["::tilewright::cuda::CudaDialect", "::mlir::arith::ArithDialect"];
}

def ExpandToCuda : Pass<"expand-to-cuda", "::mlir::ModuleOp"> {
  let summary = "writes out what each thread does";
  let description = [{
    Channels become shared memory; register tiles become register arrays; tile ops become unrolled
    loops over them.
  }];
  let dependentDialects = ["::tilewright::cuda::CudaDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::math::MathDialect"];
}

#endif
