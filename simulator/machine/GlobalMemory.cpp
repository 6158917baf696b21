#include "simulator/machine/GlobalMemory.h"

#include "simulator/machine/Cluster.h"
#include "simulator/machine/Translator.h"

#include <cstring>

namespace tilewright::simulator::machine {

Allocation::Allocation(const Buffer &buffer, int64_t elementBytes)
    : data(static_cast<char *>(buffer.data)), bytes(buffer.elements * elementBytes),
      elementBytes(elementBytes) {
  if (!buffer.initialized)
    poison.assign(bytes, 1);
}

GlobalMemory::GlobalMemory(const Program &program, bool detectRaces) {
  for (const GlobalArgument &argument : program.globals) {
    const Buffer &buffer = *argument.pointer.buffer;
    Allocation &allocation =
        allocations.try_emplace(&buffer, buffer, formatOf(buffer.elementType).bytes).first->second;
    ofArgument.push_back(&allocation);
    if (detectRaces && argument.written && !allocation.shadow)
      allocation.shadow = std::make_unique<Shadow>(buffer.elements);
  }
}

GlobalAccess::GlobalAccess(Warp &warp, const Instruction &instruction, uint32_t argument,
                           Direction direction, int64_t bytes, const Accessor &accessor)
    : memory(*warp.cluster().session.global.ofArgument[argument]), warp(warp),
      instruction(instruction), argument(warp.cluster().session.program.globals[argument]),
      direction(direction), bytes(bytes), accessor(accessor) {}

const std::string &GlobalAccess::name() const { return argument.name; }

std::optional<int64_t> GlobalAccess::at(int lane, int64_t element, const void *stored) {
  return at(lane, element, bytes, stored);
}

std::optional<int64_t> GlobalAccess::at(int lane, int64_t element, int64_t size,
                                        const void *stored) {
  int64_t offset = (argument.pointer.offset + element) * memory.elementBytes;
  MemoryRange range{"`" + name() + "`", offset, offset + size};
  if (size && (offset < 0 || offset + size > memory.bytes)) {
    report(FindingKind::OutOfBounds, warp, instruction, lane,
           "an access of " + std::to_string(size) + " bytes at element " +
               std::to_string(argument.pointer.offset + element) + " of `" + name() +
               "`, whose allocation has " + std::to_string(memory.bytes / memory.elementBytes),
           range);
    return std::nullopt;
  }
  if (offset % bytes) {
    report(FindingKind::Misaligned, warp, instruction, lane,
           "byte " + std::to_string(offset) + " of `" + name() + "` is not a multiple of the " +
               std::to_string(bytes) + " bytes moved",
           range);
    return std::nullopt;
  }
  if (!size)
    return offset;
  sectors[std::popcount(touched)] = offset / 32;
  touched |= 1u << lane;
  if (memory.shadow)
    checkRace(lane, offset, size, stored);
  return offset;
}

void GlobalAccess::checkRace(int lane, int64_t offset, int64_t size, const void *stored) {
  bool writes = direction == Direction::Write;
  const Access &now = accessor.access;
  for (int64_t at = offset; at < offset + size; at += memory.elementBytes) {
    int64_t element = at / memory.elementBytes;
    MemoryRange range{"`" + name() + "`", at, at + memory.elementBytes};
    if (stored) {
      const Access &before = memory.shadow->lastWrite(element);
      bool sameTime = before.step == now.step && before.agent == now.agent &&
                      before.cluster == now.cluster && before;
      if (sameTime && std::memcmp(memory.data + offset, stored, size) != 0)
        report(FindingKind::LaneConflict, warp, instruction, lane,
               "lanes of one store write different values to element " + std::to_string(element) +
                   " of `" + name() + "`",
               range);
    }
    Conflict conflict =
        writes ? memory.shadow->write(element, accessor) : memory.shadow->read(element, accessor);
    if (conflict)
      reportConflict(warp, instruction, lane, writes, accessor, conflict, range);
  }
}

void GlobalAccess::count() {
  Session &session = warp.cluster().session;
  unsigned lanes = std::popcount(touched);
  if (!session.options.count || !lanes)
    return;
  Counts &counts = session.counting.at(instruction);
  ++counts.globalRequests;
  counts.globalSectors += countSectors(sectors, lanes);
  counts.globalBytes += uint64_t(lanes) * bytes;
}

} // namespace tilewright::simulator::machine
