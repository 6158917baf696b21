// The catalogue: every pass with its flag, its decisions, and an example. Pipeline.cpp has their
// order.
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

    The meaning does not change. Loads and stores state how much of the range is `valid`. Index
    tiles are padded with -1, which is outside every view. Reductions and products get their identity
    in the padding.
  }];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def SplitMaskedLoops : Pass<"split-masked-loops", "::mlir::func::FuncOp"> {
  let summary = "splits loops into iterations that a mask leaves empty, partial and full";
  let description = [{
    A mask in a loop compares tile indices that are affine in the loop's counter. It tells which
    iterations are masked completely, partly, or not at all. Completely masked iterations are
    removed, if they provably change nothing; unmasked ones run without the mask. The loop becomes up
    to three loops in sequence,

        [first, a) partial   [a, b) full   [b, last) partial

    marked as one iteration space by `tile.segment`. A loop with matrix products stays one loop, in
    which partial iterations branch to the masks. Bounds of loads are treated in the same way:
    accesses that are known to lie inside a view become `in_bounds`.
  }];
  let options = [
    Option<"dropEmpty", "drop-empty", "bool", "true", "remove iterations that change nothing">,
    Option<"splitBounds", "split-bounds", "bool", "true",
           "split loops also for load bounds alone">];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def SimplifyMath : Pass<"simplify-math", "::mlir::func::FuncOp"> {
  let summary = "moves arithmetic from elements to rows and scalars";
  let description = [{
    Scalars are multiplied with each other before they are multiplied with a tile. Division by a
    broadcast value becomes multiplication by its reciprocal. `exp` and `log` become `exp2` and
    `log2`, a scale and a subtraction become one `fma`, and `1 + tanh x` becomes a quotient. Products
    are reassociated and reciprocals rounded, so the last bits of a result may change. Infinities and
    NaN do not move, unless an intermediate product overflows.
  }];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def DropDeviations : Pass<"drop-deviations", "::mlir::func::FuncOp"> {
  let summary = "leaves deviations from a mean out of sums";
  let description = [{
    They sum to 0. Where they are a term of a sum along the mean's axis, and one other term is left,
    the sum no longer needs the mean. Terms may be multiplied with numbers of a row.

    ```mlir
    %d = arith.subf %v, %means
    %terms = arith.addf %x, %d                     ->     %t = tile.reduce sum %x, 1
    %t = tile.reduce sum %terms, 1
    ```
  }];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

//===- tile to cta --------------------------------------------------------------------------------===//

def SpreadRows : Pass<"spread-rows", "::mlir::func::FuncOp"> {
  let summary = "lets the blocks of a cluster share rows that are too long for one";
  let description = [{
    The longest axis along which the kernel reduces is cut into as many parts as the cluster has
    blocks. The rank in the cluster becomes the first axis of the grid. Reductions along the axis go
    on across the cluster. Fails, with an error at the op that stands against it, if that is not
    possible.

    ```mlir
    tile.grid[%n]                              tile.grid[8, %n]
    %x = tile.load %view[%i, 0]                %x = tile.load %view[%i, %rank * 16384]
      extents [1, 131072]              ->        extents [1, 16384]
    %m = tile.reduce max %x, 1                 %part = tile.reduce max %x, 1
                                               %m = cta.cluster_reduce max %part
    ```
  }];
  let options = [Option<"blocks", "blocks", "int64_t", "1", "blocks of a cluster; 1: none">];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def SumPrograms : Pass<"sum-programs", "::mlir::func::FuncOp"> {
  let summary = "adds up what a block's programs add to one place, and the blocks in order";
  let description = [{
    `tile.atomic add` to a place that programs along some axes of the grid share becomes a sum that
    a loop over a block's programs carries, and one `tile.atomic add … {in_order}` behind it. The
    grid then has as many programs along these axes as run at once. Not in kernels with products.

    ```mlir
    tile.grid[%n]                          tile.grid[min(%n, cta.sms * 2)]
    %i = tile.program_id 0         ->      %sums = scf.for %i = program_id 0 to %n step … {
    …                                        …
    tile.atomic add %a, %dw[%c0]             scf.yield %sum + %a
                                           }
                                           tile.atomic add %sums, %dw[%c0] {in_order}
    ```
  }];
  let options = [
    Option<"warps", "warps", "int64_t", "0", "warps of a block (0: as bind-config chooses)">,
    Option<"minBlocks", "min-blocks", "int64_t", "0", "blocks per SM (0: chosen)">];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def LoadFirst : Pass<"load-first", "::mlir::func::FuncOp"> {
  let summary = "loads what a program needs before it computes";
  let description = [{
    For kernels without products. A load of many elements that stands behind arithmetic or a
    reduction, or in the loop of sum-programs, moves up, if nothing was written before it.

    ```mlir
    %x = tile.load %xs[%i]                     %x = tile.load %xs[%i]
    %peak = tile.reduce max %x, 1      ->      %dy = tile.load %dys[%i]
    %dy = tile.load %dys[%i]                   %peak = tile.reduce max %x, 1
    ```
  }];
}

def LoadAhead : Pass<"load-ahead", "::mlir::func::FuncOp"> {
  let summary = "loads a block's next program's tiles before it computes with this one's";
  let description = [{
    The loop that sum-programs makes carries the tiles that a program loads first, or the first of
    them, as far as registers hold them.

    ```mlir
    scf.for %i = %b to %n step %s {            %first = scf.if %b < %n { tile.load %x[%b] }
      %t = tile.load %x[%i]            ->      scf.for %i = … iter_args(%t = %first) {
      …                                          %next = scf.if %i + %s < %n { tile.load %x[%i + %s] }
    }                                            …
                                                 scf.yield %next
                                               }
    ```
  }];
  let options = [Option<"warps", "warps", "int64_t", "0", "warps of a block (0: as bind-config chooses)">];
}

def BindConfig : Pass<"bind-config", "::mlir::func::FuncOp"> {
  let summary = "chooses the target, the warps of a block and the depth of its pipelines";
  let options = [
    Option<"target", "target", "std::string", "\"sm_90\"", "the GPU generation">,
    Option<"warps", "warps", "int64_t", "0", "warps of a block (0: chosen from the tiles)">,
    Option<"stages", "stages", "int64_t", "0", "slots of a pipelined channel (0: chosen)">,
    Option<"minBlocks", "min-blocks", "int64_t", "0", "blocks per SM to leave room for (0: open)">];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

//===- Carrying out a plan ------------------------------------------------------------------------===//

def AssumeConditions : Pass<"assume-conditions", "::mlir::func::FuncOp"> {
  let summary = "adds the conditions under which a plan may be launched (`when`)";
  let description = [{
    Each condition becomes a `cta.when`, which simplify-math uses.
  }];
  let options = [Option<"text", "text", "std::string", "\"\"", "the plan (none: what the kernel has in `plan.text`)">];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def JoinPrograms : Pass<"join-programs", "::mlir::func::FuncOp"> {
  let summary = "joins neighbouring programs into one (`tiles`: of programs)";
  let description = [{
    Tiles with the rows, or the columns, of what the kernel stores become longer, and the grid
    shorter. Refused if anything except the position of these tiles depends on the program's number,
    if an op combines their elements along that axis, or if a program past the end of the grid could
    store.
  }];
  let options = [Option<"text", "text", "std::string", "\"\"", "the plan (none: what the kernel has in `plan.text`)">];
}

def CutTiles : Pass<"cut-tiles", "::mlir::func::FuncOp"> {
  let summary = "cuts tiles into parts, along rows or columns of what is stored (`tiles`: in parts)";
  let description = [{
    An op on tiles with that axis, also in loops and branches, becomes one op for each part. Other
    ops are shared. Refused if an op combines elements along the axis.
  }];
  let options = [Option<"text", "text", "std::string", "\"\"", "the plan (none: what the kernel has in `plan.text`)">];
}

def BindPlan : Pass<"bind-plan", "::mlir::func::FuncOp"> {
  let summary = "reads a plan, and marks ops with their ids in the plan";
  let description = [{
    It is an error if an entry is missing, or refers to something that the kernel does not have
    (docs/plans.md).
  }];
  let options = [Option<"text", "text", "std::string", "\"\"", "the plan (none: what the kernel has in `plan.text`)">,
                 Option<"target", "target", "std::string", "\"sm_90\"", "the GPU generation">];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def RelaxPeaks : Pass<"relax-peaks", "::mlir::func::FuncOp"> {
  let summary = "lets a carried maximum lag behind (`loops`: late peak)";
  let description = [{
    Sums of exponentials must be rescaled whenever their maximum changes, but few of these changes
    matter. If any lag provably gives the same results (LatePeak.h), the maximum becomes
    `cta.raise`, and `cta.rescale` multiplies tiles by its factors.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def ReverseLoops : Pass<"reverse-loops", "::mlir::func::FuncOp"> {
  let summary = "runs loops from the last iteration to the first (`loops`: from last)";
}

def DelaySums : Pass<"delay-sums", "::mlir::func::FuncOp"> {
  let summary = "moves sums of rows behind the loop (`loops`: late sums)";
  let description = [{
    `a' = a * c + sum(t, 1)`: the loop carries a partial sum per thread (`cta.partial_sum`).
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def RunLoopsOnce : Pass<"run-loops-once", "::mlir::func::FuncOp"> {
  let summary = "makes loops with delayed products run at least once (`products`: behind)";
  let description = [{
    This needs an iteration past the end to change nothing, as `split-masked-loops` has marked.
  }];
}

def MakePersistent : Pass<"make-persistent", "::mlir::func::FuncOp"> {
  let summary = "makes a kernel persistent: one role with a loop over the tiles of its block (`blocks`)";
  let description = [{
    Code that depends on the program's number becomes the body of `cta.tiles`. The grid has as many
    blocks as run at once. With `one per tile` the role computes one tile.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def SplitTiles : Pass<"split-tiles", "::mlir::func::FuncOp"> {
  let summary = "stream-K: lets blocks divide the remaining tiles (`blocks`: split)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def SinkSums : Pass<"sink-sums", "::mlir::func::FuncOp"> {
  let summary = "adds products one iteration late (`loops`: add)";
  let description = [{
    `a' = a + f(p)`: the loop carries p, starting with zeros, and adds it at the start of the next
    iteration. The last one is added behind the loop. Refused if f of zeros may not be zero.
  }];
}

def SwapProducts : Pass<"swap-products", "::mlir::func::FuncOp"> {
  let summary = "computes the transpose of products (`products`: swapped)";
  let description = [{
    `dot(a, b, sum)` becomes `transpose(dot(transpose(b), transpose(a), transpose(sum)))`. The rows
    of a product become columns, of which an instruction may have only 8. A loop that carries such
    a sum carries its transpose.
  }];
}

def CutRoles : Pass<"cut-roles", "::mlir::func::FuncOp"> {
  let summary = "creates the producers, which load streams through channels (`roles`, `channels`)";
  let description = [{
    A producer is the loop nest, reduced to its streams. In the consumer, a load of a stream becomes
    a wait for a slot, a read, and a release.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def PlaceProducts : Pass<"place-products", "::mlir::func::FuncOp"> {
  let summary = "gives products the instructions that the plan names (`products`)";
  let description = [{
    Products read operands from their slots. A sum that a loop adds to from zero stays pending
    across its iterations.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def JoinChannels : Pass<"join-channels", "::mlir::func::FuncOp"> {
  let summary = "joins channels whose slots change hands together (`channels`: with)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def SkewLoops : Pass<"skew-loops", "::mlir::func::FuncOp"> {
  let summary = "software-pipelines products, and orders loop bodies (`products`: behind, `loops`)";
  let description = [{
    A product that is `1 behind` starts beside the work of the next iteration. The body follows the
    plan's order of starts and awaits; arithmetic comes as early as it can.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def CountByWarpgroup : Pass<"count-by-warpgroup", "::mlir::func::FuncOp"> {
  let summary = "gives each warpgroup the trip count of its own rows (`loops`: by warpgroup)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def OverlapTiles : Pass<"overlap-tiles", "::mlir::func::FuncOp"> {
  let summary = "overlaps the epilogue of a tile with the prologue of the next (`loops`: tiles)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def SplitIterations : Pass<"split-iterations", "::mlir::func::FuncOp"> {
  let summary = "gives masked iterations a loop of their own (`loops`: split masks)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def StoreByTma : Pass<"store-by-tma", "::mlir::func::FuncOp"> {
  let summary = "stores and adds tiles by TMA, through slots (`channels`: store)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def TakeTurns : Pass<"take-turns", "::mlir::func::FuncOp"> {
  let summary = "ping-pong: roles and channels for each of the tiles in flight (`blocks`: in turns)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def PutTiles : Pass<"put-tiles", "::mlir::func::FuncOp"> {
  let summary = "writes computed tiles to shared memory, where products read them (`channels`: put)";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def ReadPlan : Pass<"read-plan", "::mlir::func::FuncOp"> {
  let summary = "reads a plan back from the program, and compares it with the given one";
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def MakeChannels : Pass<"make-channels", "::mlir::func::FuncOp"> {
  let summary = "moves operands of products into shared memory, through channels";
  let description = [{
    Chooses the instruction of each product (from the target's table) and the split of its result
    over warps. Chooses cp.async or vector loads for each operand, by its alignment.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

//===- cta ----------------------------------------------------------------------------------------===//

def PipelineLoads : Pass<"pipeline-loads", "::mlir::func::FuncOp"> {
  let summary = "software-pipelines loops: copies run several iterations ahead of the products";
  let dependentDialects = ["::tilewright::cta::CtaDialect", "::mlir::arith::ArithDialect"];
}

def UnfoldProgram : Pass<"unfold-program", "::mlir::ModuleOp"> {
  let summary = "inlines functions, splits loops, and expands `cta.load`";
  let description = [{
    A program may have a function for code that it needs in several places, and one loop in place of
    two:

    ```mlir
    func.func private @weights(%scores: !square, %masked: i1) -> !square { … scf.if %masked … }
    …
    scf.for %i = %c0 to %last step %c1 … {
      %masked = cta.before %i, %partial : i32
      %p = func.call @weights(%scores, %masked) : (!square, i1) -> !square
    ```

    Branches with a condition that becomes constant are removed. The condition of a plan, `cta.when`,
    becomes an assert. Recursive functions and calls of kernels are refused. An error in the text of
    a function names its line and that of the call.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect", "::mlir::arith::ArithDialect"];
}

def CheckProgram : Pass<"check-program", "::mlir::func::FuncOp"> {
  let summary = "refuses programs with roles that would hang or read missing data";
  let description = [{
    Slots must be opened and closed once, and pending accumulators used once. Roles must fill and
    take equally many slots of a ring. Every turn must come. The target must have what the program
    needs.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def PlaceWaits : Pass<"place-waits", "::mlir::func::FuncOp"> {
  let summary = "inserts the waits for wgmma groups, and releases slots behind them";
  let description = [{
    `cta.wait_group` replaces awaits. It also goes before the next product of an accumulator and
    around loops and branches with products, as needed. A release `after` a product moves behind the
    wait for that product. A loop that carries a pending accumulator then also carries the slots of
    its last product:

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
  let summary = "refuses programs whose roles deadlock";
  let description = [{
    Simulates the roles, after `place-waits`, with small sizes that the assertions allow: who fills
    and takes which slot, and whose turn it is. A remark names the cases that were not tried.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def AssignLayouts : Pass<"assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "decides which thread holds which element of every register tile";
  let description = [{
    Layouts start from anchors: products first, then memory accesses, from the largest tile down.
    They spread through every op that keeps them. Where two layouts meet, a `cta.convert` is
    inserted. Constants, ranges and index arithmetic are recomputed in each layout that needs them.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def SelectRows : Pass<"select-rows", "::mlir::func::FuncOp"> {
  let summary = "puts selects that leave most rows unchanged under a branch";
  let description = [{
    `where(seen[:, None], x, 0)` leaves nearly all rows unchanged, but costs a select for each
    element. If x is computed from registers that a product or a loop has left, and a thread holds 8
    or more elements of a row, the select is marked `cta.by_rows`: a warp that keeps all of its rows
    skips it.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def OrderAccesses : Pass<"order-accesses", "::mlir::func::FuncOp"> {
  let summary = "inserts barriers between dependent accesses to a tensor";
  let description = [{
    A program sees its own stores: its accesses to a tensor (a parameter) happen in program order,
    also around loops. So a `cta.sync` goes before a load, store or atomic if an earlier access may
    touch the same element in another thread, one of the two writes, and there is no barrier between
    them. There is no such need if both accesses have the same layout and indices, if their indices
    are provably disjoint, or if both are atomic updates of the same kind.

    ```mlir
    tile.store %t, %x[%i] extents [128] : …
    cta.sync
    %u = tile.load %x[%i_plus_1] extents [128] : …
    ```
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def SwizzleLayout : Pass<"swizzle-layout", "::mlir::func::FuncOp"> {
  let summary = "places tiles in shared memory without bank conflicts";
  let description = [{
    Simulates every access to a channel's slots, as the later expansion will write it, for each
    candidate (xor swizzles, then padding). Takes the candidate with the fewest conflicts.
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def PlanChannels : Pass<"plan-channels", "::mlir::func::FuncOp"> {
  let summary = "places channels and scratch memory, and decides how slots change hands";
  let description = [{
    Each channel gets a `plan` with the place of its slots. Between roles, the plan also has a ring
    of mbarriers, with the arrivals and bytes that fill a slot and empty it. Channels whose slots
    change hands together share a ring. Ops get the offset of their scratch memory, and the kernel
    gets the total of shared memory. A program with roles that needs more than the target has is
    refused:

        takes 233536 bytes of shared memory (`as` 114688, `bs` 114688, barriers 448, …); a block on
        sm_90 has 232448
  }];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def JoinReductions : Pass<"join-reductions", "::mlir::func::FuncOp"> {
  let summary = "lets threads meet once for reductions that do not need each other";
  let description = [{
    Threads of several warps, or blocks of a cluster, wait for each other in each reduction.
    Reductions of tiles of one type along one axis become one, with what the later ones need in
    front of it.

    ```mlir
    %s = tile.reduce sum %x, 1             %y = arith.mulf %x, %w
    %y = arith.mulf %x, %w          ->     %s, %t = cta.joint_reduce sum %x, %y along 1
    %t = tile.reduce sum %y, 1
    ```
  }];
}

def RecomputeTiles : Pass<"recompute-tiles", "::mlir::func::FuncOp"> {
  let summary = "computes tiles again from narrower ones that stay in registers";
  let description = [{
    In a kernel without products, a tile that is read on both sides of a reduction, or within a loop
    in front of which it is computed, is computed for each use, if it follows by few cheap ops from
    tiles that were loaded in 8 or 16 bits.

    ```mlir
    %v = tile.cast %x : bf16 -> f32          %v = tile.cast %x
    %s = tile.reduce sum %v, 1        ->     %s = tile.reduce sum %v, 1
    %y = arith.mulf %v, %rows                %x1 = cta.opaque %x
                                             %v1 = tile.cast %x1
                                             %y = arith.mulf %v1, %rows
    ```
  }];
}

def HintRegisters : Pass<"hint-registers", "::mlir::func::FuncOp"> {
  let summary = "checks that a thread's registers hold its tiles, and decides how many blocks share an SM";
  let description = [{
    Walks the live ranges of tiles, fragments and scalars and reports the peak in the loops with
    products, with the largest tiles:

        hint-registers: values take 221 of 255 registers: acc 128, s 64, fragments 12, scalars 9, others 8

    Fails at the op of the peak if a thread has fewer registers than any compiled kernel needed for
    such a peak, and then sets `cta.exceeds_registers`. If `cta.min_blocks` is open, it asks for as
    many blocks per SM as shared memory and threads allow, as long as the registers of a thread are
    enough for every compiled kernel with that peak. Kernels without products do not change. Layouts
    must be assigned.
  }];
  let options = [Option<"allowSpills", "allow-spills", "bool", "false", "never fail">];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

//===- cta to cuda --------------------------------------------------------------------------------===//

def LowerChannels : Pass<"lower-channels", "::mlir::func::FuncOp"> {
  let summary = "lowers channels to barriers and addresses";
  let description = [{
    Tiles are still whole. By the plans of `plan-channels`, acquires and waits become waits for
    barriers and slot numbers, and commits and releases become arrivals. Slots that loops carry
    become numbers in registers. The ops of `cuda` that it writes are the same for all threads of a
    role.

    ```mlir
    %number = cuda.get %as_slot[%c0] …
    %full = cta.barrier_of full %as[%number] …
    cuda.mbarrier_wait %full, %phase
    %slot = cta.slot_at %as[%number] …
    ```
  }];
  let dependentDialects = ["::tilewright::cuda::CudaDialect", "::mlir::arith::ArithDialect"];
}

def StampEvents : Pass<"stamp-events", "::mlir::func::FuncOp"> {
  let summary = "stamps the events of a timeline";
  let description = [{
    Puts time stamps around waits, copies, products, stores and tiles, and lists the events in
    `cta.timeline` (docs/timeline.md): for each its lane's role, its kind, what it is about, and its line;
    and for each straight line of ops which events its record has.
    Only for a kernel that is run for its timeline: others do not have this pass.

    ```mlir
    cuda.mbarrier_wait %full, %phase {cta.stamp = 1}
    %sum2 = cta.mma %sum, %a, %b …
    %began = cuda.clock
    cta.wait_group 1
    cta.stamp 5 at 2 from %began
    cta.stamp_run 1 takes 3
    ```
  }];
  let options = [Option<"capacity", "capacity", "int64_t", "8192",
                        "the stamps that a lane has room for">];
  let dependentDialects = ["::tilewright::cta::CtaDialect", "::tilewright::cuda::CudaDialect"];
}

def ExpandToCuda : Pass<"expand-to-cuda", "::mlir::ModuleOp"> {
  let summary = "writes the code of each thread";
  let description = [{
    Channels become shared memory, register tiles become register arrays, and tile ops become
    unrolled loops over them.
  }];
  let dependentDialects = ["::tilewright::cuda::CudaDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::math::MathDialect"];
}

#endif
