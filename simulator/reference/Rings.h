//===- Rings.h - the slots of channels --------------------------------------------------------===//
//
// A channel hands its slots out first in, first out. The n-th acquire of a ring opens slot n. The
// n-th wait gives the same slot, once all producers have committed it. It may be opened again as
// slot n + depth when all consumers have released it. Producers and consumers are roles, or the
// warpgroups of one, each with its own count.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_REFERENCE_RINGS_H
#define TILEWRIGHT_SIMULATOR_REFERENCE_RINGS_H

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::simulator {

/// A ring as it is declared and used.
struct RingShape {
  mlir::Operation *channel;
  std::string name;
  int64_t depth = 0, slotBytes = 0;
  int producers = 0, consumers = 0;
};

/// How many slots a role has acquired of each ring, and how many it has waited for.
struct RingCursors {
  std::vector<int64_t> acquired, awaited;
};

/// A value of type slot: a ring, and the number of its slots before this one.
struct SlotHandle {
  static constexpr int64_t kNone = -1; // the number of a slot that is none
  int64_t ring, number;

  static SlotHandle of(int64_t bits) { return {bits & 0xff, bits >> 8}; }
  int64_t bits() const { return number << 8 | ring; }
};

/// The state of a program's rings. A role is known by its number, below 64.
class Rings {
public:
  explicit Rings(const std::vector<RingShape> &shapes);
  void reset();

  /// Opens a slot, with contents that show when they are used; false while it is still taken.
  bool acquire(SlotHandle slot);
  bool isFull(SlotHandle slot) const;
  /// Why the slot cannot be closed or read; null if it can.
  const char *commit(SlotHandle slot, unsigned role);
  const char *release(SlotHandle slot, unsigned role);
  const char *checkWrite(SlotHandle slot, unsigned role) const;
  const char *checkRead(SlotHandle slot, unsigned role) const;

  char *data(SlotHandle slot);
  const RingShape &shape(SlotHandle slot) const { return shapes[size_t(slot.ring)]; }

private:
  struct Cell {
    int64_t number = -1;
    uint64_t committed = 0, released = 0; // by whom
  };
  Cell &cell(SlotHandle slot) { return cells[size_t(slot.ring)][index(slot)]; }
  const Cell &cell(SlotHandle slot) const { return cells[size_t(slot.ring)][index(slot)]; }
  size_t index(SlotHandle slot) const { return size_t(slot.number % shape(slot).depth); }

  const std::vector<RingShape> &shapes;
  std::vector<std::vector<Cell>> cells; // by ring
  std::vector<std::vector<char>> bytes;
};

} // namespace tilewright::simulator

#endif
