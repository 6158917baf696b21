#include "simulator/reference/Shadow.h"

namespace tilewright::simulator {

Shadow::Shadow(int64_t elements, bool writes, bool reads, bool updates) : elements(elements) {
  bool wanted[3] = {writes, reads, updates};
  for (int i = 0; i < 3; ++i)
    if (wanted[i])
      ranges[i].reset(new Range[elements]);
}

void Shadow::Range::add(uint32_t id) {
  uint32_t seen = lowest.load(std::memory_order_relaxed);
  while (id < seen && !lowest.compare_exchange_weak(seen, id, std::memory_order_relaxed)) {
  }
  seen = highest.load(std::memory_order_relaxed);
  while (id > seen && !highest.compare_exchange_weak(seen, id, std::memory_order_relaxed)) {
  }
}

bool Shadow::Range::isEdge(uint32_t id) const {
  return lowest.load(std::memory_order_relaxed) == id ||
         highest.load(std::memory_order_relaxed) == id;
}

void Shadow::record(Touch touch, uint32_t program, int64_t element, int64_t stride, int64_t count) {
  Range *range = ranges[int(touch)].get();
  if (!range)
    return;
  for (int64_t i = 0; i < count; ++i)
    range[element + i * stride].add(program + 1);
}

// A third writer between the two edges is not seen here, but then there is a race to report anyway.
bool Shadow::isWrittenBy(uint32_t program, int64_t element) const {
  return ranges[int(Touch::Write)] && ranges[int(Touch::Write)][element].isEdge(program + 1);
}

/// A pair of different programs, one from each range.
std::optional<Conflict> Shadow::meet(int64_t element, const Range *a, Touch first, const Range *b,
                                     Touch second) {
  if (!a || !b || !a[element].highest || !b[element].highest)
    return std::nullopt;
  uint32_t low = a[element].lowest;
  uint32_t other = b[element].highest != low ? b[element].highest : b[element].lowest;
  if (other == low)
    low = a[element].highest;
  if (other == low)
    return std::nullopt;
  return Conflict{element, low - 1, other - 1, first, second};
}

std::optional<Conflict> Shadow::findConflict() const {
  const Range *writes = ranges[int(Touch::Write)].get();
  const Range *reads = ranges[int(Touch::Read)].get();
  const Range *updates = ranges[int(Touch::Update)].get();
  for (int64_t i = 0; i < elements; ++i) {
    if (auto found = meet(i, writes, Touch::Write, writes, Touch::Write))
      return found;
    if (auto found = meet(i, writes, Touch::Write, reads, Touch::Read))
      return found;
    if (auto found = meet(i, writes, Touch::Write, updates, Touch::Update))
      return found;
    if (auto found = meet(i, updates, Touch::Update, reads, Touch::Read))
      return found;
  }
  return std::nullopt;
}

} // namespace tilewright::simulator
