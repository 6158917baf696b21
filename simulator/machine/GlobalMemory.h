//===- GlobalMemory.h - the caller's buffers with all that is known of them -------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_GLOBALMEMORY_H
#define TILEWRIGHT_SIMULATOR_MACHINE_GLOBALMEMORY_H

#include "simulator/machine/SharedMemory.h"

namespace tilewright::simulator::machine {

/// One allocation.
struct Allocation {
  explicit Allocation(const Buffer &buffer, int64_t elementBytes);

  char *data;
  int64_t bytes, elementBytes;
  std::unique_ptr<Shadow> shadow; // if the kernel writes it: per element
  std::vector<uint8_t> poison;    // per byte, 1: undefined; empty: all defined
};

struct GlobalMemory {
  GlobalMemory(const Program &program, bool detectRaces);

  std::vector<Allocation *> ofArgument;
  std::map<const Buffer *, Allocation> allocations;
};

/// The accesses of one warp instruction to global memory through one argument, lane by lane.
class GlobalAccess {
public:
  GlobalAccess(Warp &warp, const Instruction &instruction, uint32_t argument, Direction direction,
               int64_t bytes, const Accessor &accessor);

  /// The offset in the allocation of element `element` from the argument's pointer, after all
  /// checks; nothing, after a report, if it is out of bounds or misaligned.
  std::optional<int64_t> at(int lane, int64_t element, const void *stored = nullptr);
  /// The same for `size` bytes only, of an access of more: 0 touches nothing.
  std::optional<int64_t> at(int lane, int64_t element, int64_t size, const void *stored);
  void count();

  Allocation &memory;

private:
  void checkRace(int lane, int64_t offset, int64_t size, const void *stored);
  const std::string &name() const;

  Warp &warp;
  const Instruction &instruction;
  const GlobalArgument &argument;
  Direction direction;
  int64_t bytes;
  Accessor accessor;
  uint32_t touched = 0;
  int64_t sectors[kLanes];
};

} // namespace tilewright::simulator::machine

#endif
