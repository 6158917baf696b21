#include "simulator/machine/SharedMemory.h"

#include "simulator/machine/Cluster.h"

#include <cstring>

namespace tilewright::simulator::machine {

SharedAccess::SharedAccess(Warp &warp, const Instruction &instruction, Direction direction,
                           int64_t bytes)
    : SharedAccess(warp, instruction, direction, bytes, warp.block, warp.accessor(instruction)) {}

SharedAccess::SharedAccess(Warp &warp, const Instruction &instruction, Direction direction,
                           int64_t bytes, Block &block, const Accessor &accessor)
    : warp(warp), instruction(instruction), memory(block.shared), direction(direction),
      bytes(bytes), accessor(accessor) {}

static std::string hex(uint32_t value) { return "0x" + llvm::utohexstr(value, /*LowerCase=*/true); }

std::optional<int64_t> SharedAccess::at(int lane, uint32_t address, const void *stored) {
  int64_t offset = memory.offsetOf(address);
  int64_t size = int64_t(memory.bytes.size());
  if (offset < 0 || offset + bytes > size) {
    report(FindingKind::OutOfBounds, warp, instruction, lane,
           "an access of " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
               " of the block's " + std::to_string(size) + " bytes of shared memory",
           {"shared memory", offset, offset + bytes});
    return std::nullopt;
  }
  if (address % bytes) {
    report(FindingKind::Misaligned, warp, instruction, lane,
           "the shared-memory address " + hex(address) + " is not a multiple of the " +
               std::to_string(bytes) + " bytes moved",
           {"shared memory", offset, offset + bytes});
    return std::nullopt;
  }
  addresses[lane] = address;
  touched |= 1u << lane;
  if (warp.cluster().session.options.detectRaces)
    checkRace(lane, offset, stored);
  return offset;
}

void SharedAccess::checkRace(int lane, int64_t offset, const void *stored) {
  int64_t first = offset >> memory.granuleShift, last = (offset + bytes - 1) >> memory.granuleShift;
  bool writes = direction == Direction::Write;
  const Access &now = accessor.access;
  for (int64_t granule = first; granule <= last; ++granule) {
    if (stored) {
      const Access &before = memory.shadow.lastWrite(granule);
      bool sameTime = before.step == now.step && before.agent == now.agent && before;
      if (sameTime && std::memcmp(&memory.bytes[offset], stored, bytes) != 0)
        report(FindingKind::LaneConflict, warp, instruction, lane,
               "lanes of one store write different values to byte " + std::to_string(offset) +
                   " of shared memory",
               {"shared memory", offset, offset + bytes});
    }
    Conflict conflict =
        writes ? memory.shadow.write(granule, accessor) : memory.shadow.read(granule, accessor);
    if (conflict) {
      int64_t begin = granule << memory.granuleShift;
      reportConflict(warp, instruction, lane, writes, accessor, conflict,
                     {"shared memory", std::max(begin, offset),
                      std::min(begin + (int64_t(1) << memory.granuleShift), offset + bytes)});
    }
  }
}

void SharedAccess::count() {
  Session &session = warp.cluster().session;
  if (!session.options.count || !touched)
    return;
  Wavefronts result = wavefronts(addresses, touched, bytes);
  Counts &counts = session.counting.at(instruction);
  ++counts.sharedRequests;
  counts.sharedWavefronts += result.taken;
  counts.sharedIdeal += result.fewest;
  counts.sharedBytes += uint64_t(std::popcount(touched)) * bytes;
}

} // namespace tilewright::simulator::machine
