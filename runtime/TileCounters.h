//===- TileCounters.h - Where the tile queues of launches start -*- C++ -*-===//
//
// A kernel whose blocks take tiles from a queue counts them in global memory. The counter is 0 when
// a launch starts, and the launch itself sets it back: it is moved on once per tile, by an
// instruction that wraps. So launches that run one after the other may share a counter, and
// launches that may run at once must not.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/Device.h"
#include "runtime/GraphEnds.h"

#include <map>
#include <mutex>

namespace tilewright::runtime {

/// The counters of one kernel on one GPU. Thread-safe.
class TileCounters {
public:
  /// Allocates them and waits until they are 0.
  static ErrorOr<std::unique_ptr<TileCounters>> create(const Driver &driver, int device);

  /// The counter of a launch on this stream: one per stream, and while the stream is captured, one
  /// per graph and stream. Those of graphs that are gone are given out again. Fails when there are
  /// more streams and graphs than counters.
  ErrorOr<void *> of(Stream stream);

  static constexpr size_t kCounters = 4096;

private:
  TileCounters(const Driver &driver, int device, DeviceBuffer memory)
      : driver(driver), device(device), memory(std::move(memory)) {}

  const Driver &driver;
  int device;
  DeviceBuffer memory;
  /// The counter of a key that has none; null when there are no more.
  void *takeFree(const StreamKey &key, Stream stream);

  std::mutex mutex;
  std::map<StreamKey, void *> taken;
  size_t fresh = 0;          ///< Counters from here on have never been given out.
  std::vector<void *> spare; ///< Their graphs are gone. They are 0, as their launches left them.
  GraphEnds graphEnds;
};

} // namespace tilewright::runtime
