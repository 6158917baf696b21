//===- Target.h - what a GPU generation offers ------------------------------------------------===//
#ifndef TILEWRIGHT_IR_TARGET_H
#define TILEWRIGHT_IR_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace tilewright {

/// What a target's instructions can do. Passes ask for these, never for an architecture number.
enum Feature : uint32_t {
  MmaF16 = 1 << 0,    // mma.sync m16n8k8 f16
  MmaF16K16 = 1 << 1, // mma.sync m16n8k16 f16
  MmaBf16 = 1 << 2,   // mma.sync m16n8k16 bf16
  MmaTf32 = 1 << 3,   // mma.sync m16n8k8 tf32
  MmaI8 = 1 << 4,     // mma.sync m16n8k32 i8
  MmaI8K16 = 1 << 5,  // mma.sync m8n8k16 i8
  MmaF8 = 1 << 6,     // mma.sync m16n8k32 e4m3 and e5m2
  Wgmma = 1 << 7,     // asynchronous products of a warpgroup
  Stmatrix = 1 << 8,  // stmatrix
  CpAsync = 1 << 9,   // asynchronous copies from global to shared memory
  Barriers = 1 << 10, // barriers in shared memory (mbarrier), on which cp.async can arrive
  BarrierBytes =
      1 << 11,   // mbarriers that count bytes (expect_tx) and suspend waiting threads (try_wait)
  Tma = 1 << 12, // TMA: copies of boxes between global and shared memory
  Multicast = 1 << 13,       // TMA copies to several blocks of a cluster at full speed
  Clusters = 1 << 14,        // blocks that reach each other's shared memory
  Elect = 1 << 15,           // one elected thread of a warp, which the compiler knows to be one
  Registers = 1 << 16,       // warpgroups exchange registers (setmaxnreg)
  DependentLaunch = 1 << 17, // kernels that start before the previous one has ended
};

/// A row of Targets.def.
struct Target {
  llvm::StringRef name;
  int64_t smem;         // bytes of shared memory per block
  int64_t smemPerSm;    // bytes of shared memory per SM
  int64_t threadsPerSm; // resident threads per SM
  uint32_t features;

  bool has(Feature feature) const { return features & feature; }
  /// Registers of an SM, and the most that a thread can have, on every generation.
  static constexpr int64_t kRegistersPerSm = 65536, kRegistersPerThread = 255;
  /// Barriers of a block that warps name by number. Number 0 is for all threads.
  static constexpr int64_t kNamedBarriers = 16;
  /// Registers of a thread are allocated in units of this size.
  static constexpr int64_t kRegisterUnit = 8;

  /// Registers that a thread can have if `blocks` blocks of `threads` threads share an SM.
  int64_t registerLimit(int64_t threads, int64_t blocks) const;
  /// Blocks that fit on an SM, by their threads and their `shared` bytes of shared memory.
  int64_t blocksPerSm(int64_t threads, int64_t shared) const;
};

/// The target with that name ("sm_90"; a trailing "a" or "f" is ignored), or null.
const Target *findTarget(llvm::StringRef name);

/// All targets, oldest first.
llvm::ArrayRef<Target> allTargets();

} // namespace tilewright

#endif
