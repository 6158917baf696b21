#include "simulator/reference/Rings.h"

#include <bit>
#include <cstring>

namespace tilewright::simulator {

Rings::Rings(const std::vector<RingShape> &shapes) : shapes(shapes) {
  for (const RingShape &shape : shapes) {
    cells.emplace_back(size_t(shape.depth));
    bytes.emplace_back(size_t(shape.depth * shape.slotBytes));
  }
}

void Rings::reset() {
  for (std::vector<Cell> &ring : cells)
    std::fill(ring.begin(), ring.end(), Cell());
}

char *Rings::data(SlotHandle slot) {
  return bytes[size_t(slot.ring)].data() + int64_t(index(slot)) * shape(slot).slotBytes;
}

bool Rings::acquire(SlotHandle slot) {
  Cell &held = cell(slot);
  if (held.number == slot.number) // another warpgroup has opened it
    return true;
  if (held.number >= 0 && std::popcount(held.released) < shape(slot).consumers)
    return false;
  held = {slot.number};
  std::memset(data(slot), 0xff, size_t(shape(slot).slotBytes)); // floats are NaN
  return true;
}

bool Rings::isFull(SlotHandle slot) const {
  const Cell &held = cell(slot);
  return held.number == slot.number && std::popcount(held.committed) == shape(slot).producers;
}

const char *Rings::checkWrite(SlotHandle slot, unsigned role) const {
  if (cell(slot).number != slot.number || cell(slot).committed >> role & 1)
    return "a slot that it has committed already";
  return nullptr;
}

const char *Rings::checkRead(SlotHandle slot, unsigned role) const {
  if (slot.number == SlotHandle::kNone)
    return "a slot that is none";
  if (cell(slot).number != slot.number || cell(slot).released >> role & 1)
    return "a slot that it has released already";
  return isFull(slot) ? nullptr : "a slot that is not full";
}

const char *Rings::commit(SlotHandle slot, unsigned role) {
  if (const char *wrong = checkWrite(slot, role))
    return wrong;
  cell(slot).committed |= uint64_t(1) << role;
  return nullptr;
}

const char *Rings::release(SlotHandle slot, unsigned role) {
  if (const char *wrong = checkRead(slot, role))
    return wrong;
  cell(slot).released |= uint64_t(1) << role;
  return nullptr;
}

} // namespace tilewright::simulator
