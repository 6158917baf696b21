// Passes from tiles and channels to one thread.
#ifndef TILEWRIGHT_LOWER_PASSES
#define TILEWRIGHT_LOWER_PASSES

include "mlir/Pass/PassBase.td"

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
    With less `detail` some events have no stamps.
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
                        "the stamps that a lane has room for">,
                 Option<"detail", "detail", "std::string", "\"all\"",
                        "the events that are stamped: all, slots or tiles (support/Timeline.h)">];
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

def ComputeAtLaunch : Pass<"compute-at-launch", "::mlir::func::FuncOp"> {
  let summary = "makes numbers that follow from sizes parameters";
  let description = [{
    Counts of tiles, reciprocals of what tile numbers are divided by, trip counts: whatever a kernel
    computes from sizes and scalar arguments in as many operations as a division takes is computed by the
    launch, once for all threads. The first load of a matrix product waits for these numbers.

    ```mlir
    func.func @f(%n: i32 {cuda.param = {kind = "dim", source = "N", …}})
    %tiles = arith.ceildivsi %n, %c64
    scf.for %i = %c0 to %tiles step %c1 {…}
    // becomes
    func.func @f(%tiles: i32 {cuda.param = {kind = "number", source = "cdiv(N, 64)", …}})
    scf.for %i = %c0 to %tiles step %c1 {…}
    ```
  }];
}

def OverlapGrids : Pass<"overlap-grids", "::mlir::func::FuncOp"> {
  let summary = "lets a kernel be launched before the ones in front of it on the stream have ended";
  let description = [{
    Programmatic dependent launches, of sm_90 and later: a kernel waits for the ones before it in front of
    its first access to global memory, or where its program says so. Every block of every kernel waits, so
    a kernel that has ended has seen the end of all before it.

    ```mlir
    cuda.mbarrier_init %full, 1
    cuda.grid_wait
    cuda.load_global %x[%i], %ptr[%offset] …
    ```
  }];
  let dependentDialects = ["::tilewright::cuda::CudaDialect"];
}

#endif
