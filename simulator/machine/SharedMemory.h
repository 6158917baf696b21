//===- SharedMemory.h - shared memory with all that is known of it ----------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_SHAREDMEMORY_H
#define TILEWRIGHT_SIMULATOR_MACHINE_SHAREDMEMORY_H

#include "simulator/machine/Program.h"
#include "simulator/machine/Shadow.h"

#include <bit>

namespace tilewright::simulator::machine {

class Block;
class Warp;

struct SharedMemory {
  /// Where dynamic shared memory begins: not at 0, so that a stray small number is out of bounds.
  static constexpr int64_t kBase = 1024;
  /// An address in a cluster has a number of the block in its upper bits.
  static constexpr int kBlockShift = 24;
  static constexpr uint32_t kLocal = (1u << kBlockShift) - 1;

  /// The address of the first byte, for the block itself. In a cluster all blocks have the same
  /// number for themselves, not their rank.
  static uint32_t baseOf(const Program &program) {
    return uint32_t(kBase) + (program.clusterSize > 1 ? 1u << kBlockShift : 0);
  }

  explicit SharedMemory(const Program &program)
      : base(baseOf(program)), bytes(program.sharedBytes), poison(program.sharedBytes, 1),
        shadow((program.sharedBytes + program.granule - 1) / program.granule),
        granuleShift(std::countr_zero(uint64_t(program.granule))) {}

  int64_t offsetOf(uint32_t address) const { return int64_t(address) - base; }
  /// The address of that place, in whichever block, as the block itself has it.
  uint32_t ownAddress(uint32_t address) const { return (base & ~kLocal) | (address & kLocal); }

  uint32_t base;
  std::vector<char> bytes;
  std::vector<uint8_t> poison; // 1: undefined
  Shadow shadow;
  int granuleShift;
};

enum class Direction { Read, Write };

/// The accesses of one warp instruction to shared memory, lane by lane.
class SharedAccess {
public:
  SharedAccess(Warp &warp, const Instruction &instruction, Direction direction, int64_t bytes);
  /// By an asynchronous engine, on behalf of a warp, in the shared memory of `block`.
  SharedAccess(Warp &warp, const Instruction &instruction, Direction direction, int64_t bytes,
               Block &block, const Accessor &accessor);

  /// The offset of `address` in shared memory, after all checks; nothing, after a report, if it is
  /// out of bounds or misaligned. `stored` are the bytes that a plain store is about to write.
  std::optional<int64_t> at(int lane, uint32_t address, const void *stored = nullptr);
  /// Says where the next lane's bytes come from: other copies of these bytes to the same place are
  /// no conflict.
  void setSource(uint32_t source) { accessor.access.source = source; }
  /// Adds the banks' wavefronts to the counters. An access of 16 rows of ldmatrix goes in passes of
  /// 8 lanes like any other of 16 bytes.
  void count();

private:
  void checkRace(int lane, int64_t offset, const void *stored);

  Warp &warp;
  const Instruction &instruction;
  SharedMemory &memory;
  Direction direction;
  int64_t bytes;
  Accessor accessor;
  uint32_t touched = 0; // lanes
  uint32_t addresses[kLanes];
};

} // namespace tilewright::simulator::machine

#endif
