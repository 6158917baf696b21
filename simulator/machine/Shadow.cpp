#include "simulator/machine/Shadow.h"

namespace tilewright::simulator::machine {

/// With more unordered readers of a place, findings would only repeat.
static constexpr size_t kMostReaders = 64;

static bool isBefore(const Access &earlier, const Accessor &later) {
  if (earlier.cluster != later.access.cluster) {
    auto [begin, end] = later.told->equal_range(earlier.cluster);
    return std::any_of(begin, end, [&](const auto &entry) {
      const Told &told = entry.second;
      return later.clock->covers(told.taken, 1) && told.before.covers(earlier.agent, earlier.time);
    });
  }
  return later.clock->covers(earlier.agent, earlier.time);
}

static Conflict afterWrite(const Access &write, const Accessor &later) {
  bool sameBytes = write.source && write.source == later.access.source;
  if (!write || sameBytes || (write.atomic && later.access.atomic))
    return {};
  if (!isBefore(write, later))
    return {write, /*earlierWrites=*/true, /*fence=*/false};
  bool crosses = write.proxy == Proxy::Generic && later.access.proxy == Proxy::Async;
  if (crosses && !later.fenced->covers(write.agent, write.time))
    return {write, /*earlierWrites=*/true, /*fence=*/true};
  return {};
}

Conflict Shadow::read(int64_t granule, const Accessor &reader) {
  Cell &cell = cells[granule];
  Conflict conflict = afterWrite(cell.write, reader);
  if (!cell.read || isBefore(cell.read, reader)) {
    cell.read = reader.access;
    return conflict;
  }
  if (!cell.more)
    cell.more = std::make_unique<llvm::SmallVector<Access, 4>>();
  for (Access &read : *cell.more)
    if (isBefore(read, reader)) {
      read = reader.access;
      return conflict;
    }
  if (cell.more->size() < kMostReaders)
    cell.more->push_back(reader.access);
  return conflict;
}

Conflict Shadow::write(int64_t granule, const Accessor &writer) {
  Cell &cell = cells[granule];
  Conflict conflict = afterWrite(cell.write, writer);
  auto check = [&](const Access &read) {
    if (!conflict && read && !isBefore(read, writer))
      conflict = {read};
  };
  check(cell.read);
  if (cell.more) {
    for (const Access &read : *cell.more)
      check(read);
    cell.more->clear();
  }
  cell.read = {};
  cell.write = writer.access;
  return conflict;
}

} // namespace tilewright::simulator::machine
