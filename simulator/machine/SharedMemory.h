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

  SharedMemory(int64_t size, int64_t granule)
      : bytes(size), poison(size, 1), shadow((size + granule - 1) / granule),
        granuleShift(std::countr_zero(uint64_t(granule))) {}

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
