//===- Clock.h - vector clocks ----------------------------------------------------------------===//
//
// Every warp and every asynchronous engine of a warp is an agent, one component of the clocks of a
// cluster. An event is an agent with a time, from 1 on; a clock covers the events that happened
// before whoever holds it. It also has a moment, which counts instructions: those of the warp, or,
// where it has waited, of whom it waited for. Only runs for a timeline ask for it.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_CLOCK_H
#define TILEWRIGHT_SIMULATOR_MACHINE_CLOCK_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace tilewright::simulator::machine {

using AgentId = uint16_t;

class Clock {
public:
  uint32_t get(AgentId agent) const { return agent < times.size() ? times[agent] : 0; }
  bool covers(AgentId agent, uint32_t time) const { return get(agent) >= time; }

  /// Covers the agent's events up to `time`.
  void raise(AgentId agent, uint32_t time) {
    if (agent >= times.size())
      times.resize(agent + 1, 0);
    times[agent] = std::max(times[agent], time);
  }

  /// Covers what `other` covers.
  void join(const Clock &other) {
    if (times.size() < other.times.size())
      times.resize(other.times.size(), 0);
    for (size_t agent = 0; agent < other.times.size(); ++agent)
      times[agent] = std::max(times[agent], other.times[agent]);
    moment = std::max(moment, other.moment);
  }

  /// Covers only what `other` covers too, at the later moment.
  void meet(const Clock &other) {
    if (times.size() > other.times.size())
      times.resize(other.times.size());
    for (size_t agent = 0; agent < times.size(); ++agent)
      times[agent] = std::min(times[agent], other.times[agent]);
    moment = std::max(moment, other.moment); // when the last has come
  }

  void clear() {
    times.clear();
    moment = 0;
  }

  uint64_t moment = 0;

private:
  llvm::SmallVector<uint32_t, 16> times; // absent: 0
};

} // namespace tilewright::simulator::machine

#endif
