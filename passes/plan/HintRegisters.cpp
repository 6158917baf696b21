// Whether a thread's registers hold what a configuration asks of them, before it is compiled.
//
// Live ranges say how many registers tiles, fragments and scalars take at their peak P in the loops
// that multiply. ptxas adds addresses, and fragments that it loads ahead; how many depends on what
// is free. The built-in kernels with products, compiled with NVRTC 13.0 for seven generations (f16,
// bf16, f32, i8; tile extents from 32 to 256; 4 and 8 warps; limits from 48 to 255 registers; 283
// configurations), show that in such a loop
//
//   P + 16 > limit      always spills, by 880 bytes and more at 255 registers
//   P * 3 / 2 <= limit  never spills
//
// and that between the two it is up to ptxas. Attention with 128x64 tiles at D = 128 has P = 221
// and spills 12 bytes on three generations; with the causal mask P is 222, and it is one other that
// spills 8; 128x80 has P = 237 and spills nothing. Unhindered, ptxas takes 1.07 P + 54 registers,
// with a mean error of 12 and a largest of 59. So what cannot fit is rejected, blocks are asked for
// where they surely fit, and the rest is seen after NVRTC.
//
// A role has the registers that it states, or its even share of the block's. An instruction of a
// warpgroup of n columns also needs n/2 + 26, in its role (else ptxas ignores the exchange: C7507)
// and at the kernel's entry, before any exchange (C7602); and the warpgroups' shares add up to no
// more than they start with. Both bounds are exact for the programs of tests/hopper: 8 registers
// less than the least that they allow, and ptxas spills or ignores the exchange.
#include "passes/analysis/RegisterPressure.h"
#include "passes/analysis/SharedMemory.h"

#include "ir/Target.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_HINTREGISTERS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// The fewest registers with which a loop with products can hold values of `pressure` registers.
int64_t atLeast(int64_t pressure) { return pressure + 16; }

/// The same of a role. A single warp loads by TMA and has no tiles: those that hold 4 and 9
/// registers were measured to take 12 and 15.
int64_t atLeast(cta::RoleOp role, int64_t pressure) {
  constexpr int64_t kLoading = 6;
  return role.getWarps() == 1 ? pressure + kLoading : atLeast(pressure);
}

/// The number of registers that is always enough for it.
int64_t enough(int64_t pressure) { return std::max(pressure * 3 / 2, atLeast(pressure)); }

/// The registers from which on a kernel without products is not worth compiling. Up to there, ptxas
/// may compute values again instead of keeping them.
int64_t tooMany(int64_t limit) { return limit * 3 / 2; }

/// Bytes of shared memory of a block, as far as they are known.
int64_t sharedBytes(func::FuncOp kernel) {
  auto planned = kernel->getAttrOfType<IntegerAttr>(cta::kSharedBytesAttr);
  return planned ? planned.getInt() : channelBytes(kernel);
}

struct HintRegisters : impl::HintRegistersBase<HintRegisters> {
  using HintRegistersBase::HintRegistersBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto warps = kernel->getAttrOfType<IntegerAttr>(cta::kWarpsAttr);
    auto roles = kernel.getOps<cta::RoleOp>();
    if (!roles.empty() && (failed(checkBlocks(kernel)) || failed(checkShares(kernel))))
      return signalPassFailure();
    for (cta::RoleOp role : roles)
      if (failed(checkRole(role)))
        return signalPassFailure();
    if (!warps || !roles.empty())
      return;
    const Target &target =
        *findTarget(kernel->getAttrOfType<StringAttr>(cta::kTargetAttr).getValue());
    int64_t threads = warps.getInt() * kLanes;
    RegisterPressure peak = peakPressure(kernel, warps.getInt());
    if (!peak.multiplies) {
      int64_t most = target.registerLimit(threads, 1);
      if (!allowSpills && peak.total > tooMany(most))
        reject(peak, most, atLeast(peak.total));
      return;
    }
    auto stated = kernel->getAttrOfType<IntegerAttr>(cta::kMinBlocksAttr);
    int64_t shared = sharedBytes(kernel);
    int64_t blocks = stated ? stated.getInt() : chooseBlocks(target, threads, shared, peak.total);
    int64_t limit = target.registerLimit(threads, blocks);
    // Tiles that exceed shared memory are refused for that reason, after all of it has been placed.
    if (!allowSpills && atLeast(peak.total) > limit && shared <= target.smem)
      return reject(peak, limit, atLeast(peak.total));
    explain(peak.at, "hint-registers").with("registers", peak.total).with("limit", limit)
        << "values take " << peak.total << " of " << limit << " registers: " << peak.str();
    if (stated || limit == target.registerLimit(threads, 1))
      return;
    kernel->setAttr(cta::kMinBlocksAttr, Builder(&getContext()).getI32IntegerAttr(blocks));
    auto why = explain(kernel, "hint-registers");
    for (int64_t more = blocks + 1; more <= target.blocksPerSm(threads, shared); ++more)
      why.rather(std::to_string(more) + " blocks per SM",
                 "they leave " + std::to_string(target.registerLimit(threads, more)) +
                     " registers, and values of " + std::to_string(peak.total) + " may need " +
                     std::to_string(enough(peak.total)));
    why.with("blocks_per_sm", blocks).with("limit", limit)
        << blocks << " blocks per SM, at most " << limit << " registers per thread";
  }

  /// As many blocks per SM as shared memory and threads allow, as long as their registers are
  /// enough.
  static int64_t chooseBlocks(const Target &target, int64_t threads, int64_t shared,
                              int64_t pressure) {
    int64_t blocks = target.blocksPerSm(threads, shared);
    while (blocks > 1 && target.registerLimit(threads, blocks) < enough(pressure))
      --blocks;
    return std::max<int64_t>(1, blocks);
  }

  /// Checks that the stated number of blocks fits on an SM.
  static LogicalResult checkBlocks(func::FuncOp kernel) {
    const Target &target =
        *findTarget(kernel->getAttrOfType<StringAttr>(cta::kTargetAttr).getValue());
    int64_t threads = cta::warpsOf(kernel) * kLanes, shared = sharedBytes(kernel);
    int64_t blocks = blocksPerSm(kernel), fit = target.blocksPerSm(threads, shared);
    if (blocks == 1 || blocks <= fit)
      return success();
    return kernel.emitError() << "is to run " << blocks << " blocks per SM, of which " << fit
                              << " fit: each takes " << shared << " bytes of shared memory and "
                              << target.smemPerSm - target.smem << " of the system's, of "
                              << target.smemPerSm << ", and " << threads << " threads of "
                              << target.threadsPerSm << "; take smaller tiles, or fewer slots, "
                              << "warps or blocks";
  }

  /// Checks that the registers of all warpgroups, after the exchange, add up to no more than there
  /// are.
  static LogicalResult checkShares(func::FuncOp kernel) {
    constexpr int64_t kGroupThreads = cta::kWarpsPerWarpgroup * kLanes;
    int64_t entry = registersAtEntry(kernel), total = 0, group = -1, inGroup = 0;
    std::string sum;
    for (auto role : kernel.getOps<cta::RoleOp>()) {
      int64_t registers = role.getRegisters().value_or(entry), first = cta::firstWarp(role);
      int64_t from = first / cta::kWarpsPerWarpgroup;
      int64_t end = llvm::divideCeil(first + role.getWarps(), cta::kWarpsPerWarpgroup);
      if (from == group && registers != inGroup)
        return role.emitError() << "states " << registers << " registers in a warpgroup of "
                                << inGroup << "; roles of one warpgroup have the same";
      int64_t groups = end - std::max(from, group + 1);
      total += groups * kGroupThreads * registers;
      if (groups > 0)
        sum += (sum.empty() ? "" : " + ") + std::to_string(groups * kGroupThreads) + " x " +
               std::to_string(registers);
      group = end - 1, inGroup = registers;
    }
    int64_t threads = cta::warpsOf(kernel) * kLanes;
    if (total > entry * threads)
      return kernel.emitError() << "has roles that ask for " << total << " registers (" << sum
                                << "); its " << threads << " threads start with " << entry * threads
                                << " (" << entry << " each)";
    return success();
  }

  LogicalResult checkRole(cta::RoleOp role) {
    auto kernel = role->getParentOfType<func::FuncOp>();
    int64_t entry = registersAtEntry(kernel), limit = role.getRegisters().value_or(entry);
    LogicalResult fits = success();
    role.walk([&](cta::MmaOp mma) {
      // An asynchronous instruction keeps its accumulator in registers meanwhile.
      auto [m, n, k] = mma.getShape();
      int64_t threads = cta::warpsOf(mma.getInstruction().getIssuer()) * kLanes;
      int64_t needed = mma.getInstruction().isAsynchronous() ? m * n / threads + 26 : 0;
      if (needed > entry)
        fits = mma.emitError() << "of " << n << " columns needs " << needed
                               << " registers when the kernel starts; "
                               << cta::warpsOf(kernel) * blocksPerSm(kernel)
                               << " warps on an SM have " << entry
                               << "; take fewer columns or warps";
      else if (needed > limit)
        fits = mma.emitError() << "of " << n << " columns needs " << needed << " registers; role \""
                               << role.getName() << "\" has " << limit << "; state "
                               << llvm::alignTo(needed, Target::kRegisterUnit)
                               << " or more, or take fewer columns";
    });
    RegisterPressure peak = peakPressure(role, role.getWarps());
    if (failed(fits) || !peak.at)
      return fits;
    if (int64_t least = atLeast(role, peak.total); !allowSpills && least > limit)
      return reject(peak, limit, least), failure();
    explain(peak.at, "hint-registers")
            .with("role", role.getName())
            .with("registers", peak.total)
            .with("limit", limit)
        << "role \"" << role.getName() << "\" holds " << peak.total << " of " << limit
        << " registers: " << peak.str();
    return success();
  }

  void reject(const RegisterPressure &peak, int64_t limit, int64_t least) {
    getOperation()->setAttr(cta::kExceedsRegistersAttr, UnitAttr::get(&getContext()));
    peak.at->emitError() << "a thread needs at least " << least << " registers here and has "
                         << limit << " (" << peak.str()
                         << ", addresses); use smaller tiles or more warps";
    signalPassFailure();
  }
};

} // namespace
} // namespace tilewright::passes
