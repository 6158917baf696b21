//===- Target.h - what a GPU generation offers ------------------------------------------------===//
#ifndef TILEWRIGHT_IR_TARGET_H
#define TILEWRIGHT_IR_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace tilewright {

/// What instructions of a target can do; passes ask for these, never for an architecture number.
enum Feature : uint32_t {
  MmaF16 = 1 << 0,           // mma.sync m16n8k8 f16
  MmaF16K16 = 1 << 1,        // mma.sync m16n8k16 f16
  MmaBf16 = 1 << 2,          // mma.sync m16n8k16 bf16
  MmaTf32 = 1 << 3,          // mma.sync m16n8k8 tf32
  MmaI8 = 1 << 4,            // mma.sync m16n8k32 i8
  MmaI8K16 = 1 << 5,         // mma.sync m8n8k16 i8
  MmaF8 = 1 << 6,            // mma.sync m16n8k32 e4m3 and e5m2
  Wgmma = 1 << 7,            // products of a warpgroup
  Stmatrix = 1 << 8,         // stmatrix
  CpAsync = 1 << 9,          // asynchronous copies from global to shared memory
  Barriers = 1 << 10,        // barriers in shared memory (mbarrier), at which cp.async can arrive
  BarrierBytes = 1 << 11,    // those that count bytes (expect_tx) and suspend who waits (try_wait)
  Tma = 1 << 12,             // copies of boxes between global and shared memory
  Multicast = 1 << 13,       // such copies to several blocks of a cluster at full speed
  Clusters = 1 << 14,        // blocks that reach each other's shared memory
  Elect = 1 << 15,           // one thread of a warp, known to the compiler as one
  Registers = 1 << 16,       // warpgroups exchange registers (setmaxnreg)
  DependentLaunch = 1 << 17, // kernels that start before the one in front has ended
};

/// A row of Targets.def.
struct Target {
  llvm::StringRef name;
  int64_t smem;         // bytes of shared memory per block
  int64_t smemPerSm;    // bytes of shared memory per SM
  int64_t threadsPerSm; // resident threads per SM
  uint32_t features;

  bool has(Feature feature) const { return features & feature; }
  /// Registers per SM and the most that a thread can have: the same on every generation.
  static constexpr int64_t kRegistersPerSm = 65536, kRegistersPerThread = 255;
  /// Barriers of a block that its warps name by number; 0 is that of all its threads.
  static constexpr int64_t kNamedBarriers = 16;
  /// A thread's registers come in units of this many.
  static constexpr int64_t kRegisterUnit = 8;

  /// Registers that a thread can have when `blocks` of that many threads share an SM.
  int64_t registerLimit(int64_t threads, int64_t blocks) const;
  /// Blocks that an SM has room for, by its threads and shared memory; each takes `shared` bytes.
  int64_t blocksPerSm(int64_t threads, int64_t shared) const;
};

/// The target of that name ("sm_90"; a trailing "a" or "f" is ignored), or null.
const Target *findTarget(llvm::StringRef name);

/// All targets, oldest first.
llvm::ArrayRef<Target> allTargets();

} // namespace tilewright

#endif
