//===- Shadow.h - who touched each place of a memory last -------------------------------------===//
//
// Per granule the last write and the reads since, after FastTrack: a read that the next reader's
// clock covers need not be kept, because whoever is ordered after the latter is after the former.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_SHADOW_H
#define TILEWRIGHT_SIMULATOR_MACHINE_SHADOW_H

#include "simulator/machine/Clock.h"

#include <map>
#include <memory>
#include <vector>

namespace tilewright::simulator::machine {

/// The path by which an access reaches memory: plain loads and stores, or the asynchronous copy
/// and matrix engines of sm_90 and later.
enum class Proxy : uint8_t { Generic, Async };

/// One access as a shadow keeps it.
struct Access {
  uint32_t time = 0; // of the agent; 0: there was none
  AgentId agent = 0; // in its cluster
  Proxy proxy = Proxy::Generic;
  bool atomic = false;      // in order with other atomic accesses
  uint32_t instruction = 0; // index in the program
  uint32_t step = 0;        // tells executions of an instruction apart
  uint32_t source = 0;      // of a copy: copies with equal sources write equal bytes; 0: unknown
  uint32_t cluster = 0;     // clusters are in order only by flags

  explicit operator bool() const { return time != 0; }
};

/// The events that a flag of another cluster has made known. The agent `taken` stands for the
/// taking of the flag: everything that is ordered behind it knows of them.
struct Told {
  AgentId taken;
  Clock before;
};
using Tellings = std::multimap<uint32_t, Told>; // by the cluster that raised the flag

/// An access with what its agent knows: the events before it, those that a proxy fence made
/// visible to the async proxy, and what other clusters may have told.
struct Accessor {
  Access access;
  const Clock *clock;
  const Clock *fenced;
  const Tellings *told;
};

/// Two accesses that nothing puts in order, or, with `fence`, that need a proxy fence between them.
struct Conflict {
  Access earlier;
  bool earlierWrites = false, fence = false;
  explicit operator bool() const { return bool(earlier); }
};

class Shadow {
public:
  explicit Shadow(int64_t granules) : cells(granules) {}

  Conflict read(int64_t granule, const Accessor &reader);
  Conflict write(int64_t granule, const Accessor &writer);
  /// The last write of a granule; a time of 0 if there was none.
  const Access &lastWrite(int64_t granule) const { return cells[granule].write; }

private:
  struct Cell {
    Access write, read;
    std::unique_ptr<llvm::SmallVector<Access, 4>> more; // reads that `read` is not ordered with
  };
  std::vector<Cell> cells;
};

} // namespace tilewright::simulator::machine

#endif
