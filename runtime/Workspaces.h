//===- Workspaces.h - Memory that the blocks of a launch share --*- C++ -*-===//
//
// Blocks that work on one tile hand their parts to each other through global memory. How much they
// need follows from the grid, so it is allocated when a launch first needs that much. Launches that
// run one after the other share it, and launches that may run at once do not.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/Device.h"
#include "runtime/GraphEnds.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace tilewright::runtime {

/// The memory behind one parameter of one kernel on one GPU. Thread-safe.
class Workspaces {
public:
  Workspaces(const Driver &driver, int device, size_t bytesPerBlock)
      : driver(driver), device(device), bytesPerBlock(bytesPerBlock) {}

  /// The memory of a launch of so many blocks on this stream, aligned to 256 bytes: one per stream,
  /// and while the stream is captured, one per graph and stream. It is 0 when first given out.
  /// Allocates, and waits for that, only where no launch before had as many blocks; a stream may
  /// be captured meanwhile. What graphs had that are gone is given out again, as their launches
  /// left it. The error says how much there was to allocate and why.
  ErrorOr<void *> of(Stream stream, unsigned blocks);
  /// What the last launch on this stream has left there; it must be over.
  ErrorOr<std::vector<std::byte>> read(Stream stream);

private:
  ErrorOr<DeviceBuffer> allocate(size_t bytes) const;
  /// A spare one that is big enough, or a new one: at least twice as big as those that are too
  /// small.
  ErrorOr<DeviceBuffer> takeFree(size_t bytes, size_t tooSmall);

  const Driver &driver;
  int device;
  size_t bytesPerBlock;
  std::mutex mutex;
  /// The last one is the biggest; launches and graphs may still use the others.
  std::map<StreamKey, std::vector<DeviceBuffer>> buffers;
  std::vector<DeviceBuffer> spare; ///< By size. Their graphs are gone.
  GraphEnds graphEnds;
};

} // namespace tilewright::runtime
