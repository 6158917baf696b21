// Passes that decide how a kernel runs, by a plan or without one.
#ifndef TILEWRIGHT_PLAN_PASSES
#define TILEWRIGHT_PLAN_PASSES

include "mlir/Pass/PassBase.td"

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
    The loop that sum-programs makes carries the tiles that a program loads first in registers. If
    these do not hold all of them, or with two `stages`, large tiles are copied to shared memory instead
    (`cp.async`), as far as that has room, and the others are carried.

    ```mlir
    scf.for %i = %b to %n step %s {            %first = scf.if %b < %n { tile.load %x[%b] }
      %t = tile.load %x[%i]            ->      scf.for %i = … iter_args(%t = %first) {
      …                                          %next = scf.if %i + %s < %n { tile.load %x[%i + %s] }
    }                                            …
                                                 scf.yield %next
                                               }

    scf.for %i = %b to %n step %s {            cta.copy %x[%b], %slot if %b < %n
      %t = tile.load %x[%i]            ->      scf.for %i = … {
      …                                          cta.copy %x[%i + %s], %other_slot if %i + %s < %n
    }                                            %t = cta.get %slot
                                                 …
                                               }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90\"", "the GPU generation">,
    Option<"warps", "warps", "int64_t", "0", "warps of a block (0: as bind-config chooses)">,
    Option<"stages", "stages", "int64_t", "0", "2: copies in place of registers (else: as registers have room)">];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
}

def HoldRows : Pass<"hold-rows", "::mlir::func::FuncOp"> {
  let summary = "keeps a long row in shared memory between the phases that read it";
  let description = [{
    A row that several phases of a program read takes many registers meanwhile, and so few blocks
    share an SM. It is copied to shared memory instead (`cp.async`), where each thread reads its own
    elements again in each phase. Only in kernels whose blocks run one program, without loops, if
    all that is kept from phase to phase follows from such rows by few cheap ops or exponentials, of
    whole rows also comparisons and selections, and if at least five blocks fit on an SM. Else only
    rows that no phase reads until threads have met; and in the largest clusters, as many rows as
    there is room for.

    ```mlir
                                         %c = cta.channel cp_async : <1 x tensor<1x16384xbf16>>
    %t = tile.load %x[%i, 0]             cta.copy %x[%i, 0], %slot
    %s = tile.reduce sum (f %t)    ->    %t = cta.get %slot
    tile.store (g %t %s), %y[%i, 0]      %s = tile.reduce sum (f %t)
                                         tile.store (g %t %s), %y[%i, 0]
                                         cta.release %slot
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90\"", "the GPU generation">,
    Option<"warps", "warps", "int64_t", "0", "warps of a block (0: as bind-config chooses)">];
  let dependentDialects = ["::tilewright::cta::CtaDialect"];
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

def SetDepth : Pass<"set-depth", "::mlir::func::FuncOp"> {
  let summary = "sets the depth of the tiles that products add up (`tiles`: depth of)";
  let description = [{
    A loop that only adds up products over consecutive pieces of their depth gives the same sum with
    pieces of another extent: elements behind the last are zero. Refused if the loop does anything
    else, if the pieces do not begin at their extent times the iteration, or if they may end before
    the depth does.
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

def ShiftPeaks : Pass<"shift-peaks", "::mlir::func::FuncOp"> {
  let summary = "takes what is added to all of a row from its peak instead";
  let description = [{
    `exp2(z - peak)` of a `cta.raise` is the same if a number of each row is added to both. So a term
    of `z` that is the same all along a row, such as its part of a distance between row and column,
    need not be added to each element.
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

def BeginByWarpgroup : Pass<"begin-by-warpgroup", "::mlir::func::FuncOp"> {
  let summary = "lets each warpgroup begin a loop where its own rows do (`loops`: by warpgroup)";
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

def PipelineLoads : Pass<"pipeline-loads", "::mlir::func::FuncOp"> {
  let summary = "software-pipelines loops: copies run several iterations ahead of the products";
  let dependentDialects = ["::tilewright::cta::CtaDialect", "::mlir::arith::ArithDialect"];
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

def JoinDeviations : Pass<"join-deviations", "::mlir::func::FuncOp"> {
  let summary = "lets blocks meet once for a mean and for sums of deviations from it";
  let description = [{
    A variance needs the mean, so the blocks of a cluster would meet for one after the other.
    `cta.moments` gives both, and covariances, as it merges the means and deviations of parts. Rows
    whose ends are masked keep their reductions: their parts differ in length.

    ```mlir
    %s = cta.cluster_reduce sum (reduce %x)
    %mean = arith.mulf %s, %1/n                       %part:2 = cta.moments %x along 1
    %d = arith.subf %x, %means                  ->    %mean, %q = cta.cluster_reduce sum %part moments n
    %q = cta.cluster_reduce sum (reduce %d * %d)
    ```
  }];
}

def ScaleDeviations : Pass<"scale-deviations", "::mlir::func::FuncOp"> {
  let summary = "scales what deviates from a number of its row by one instruction for each element";
  let description = [{
    In a kernel without products, where `m`, `s` and `u` repeat numbers of a row:

    ```mlir
    %d = arith.subf %x, %m                  %y = math.fma %x, %s, (-m * s)
    %y = arith.mulf %d, %s           ->
    %a = arith.addf %z, %y                  %t = math.fma %x, %s, (-m * s + u)
    %r = arith.addf %a, %u                  %r = arith.addf %z, %t
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

#endif
