//===- Workspaces.cpp - Memory that the blocks of a launch share ----------===//

#include "runtime/Workspaces.h"

#include <algorithm>

namespace tilewright::runtime {

namespace {

/// While any thread captures a stream, the driver forbids this one what a capture does not record,
/// such as allocating. Within this scope it does not: the memory outlives the graph.
class UncapturedScope {
public:
  explicit UncapturedScope(const DriverTable &api) : api(api) { exchange(); }
  UncapturedScope(const UncapturedScope &) = delete;
  UncapturedScope &operator=(const UncapturedScope &) = delete;
  ~UncapturedScope() { exchange(); }

private:
  void exchange() { api.threadExchangeStreamCaptureMode(&other); }

  const DriverTable &api;
  int other = kCaptureRelaxed; ///< The mode that the thread is not in.
};

} // namespace

ErrorOr<DeviceBuffer> Workspaces::allocate(size_t bytes) const {
  UncapturedScope scope(driver.api());
  TILEWRIGHT_ASSIGN(DeviceBuffer buffer, DeviceBuffer::allocate(driver, bytes, device));
  // A graph would replay what is done on the launch's stream, and the default stream waits for
  // streams that may be captured.
  TILEWRIGHT_ASSIGN(OwnedStream own, OwnedStream::create(driver, device));
  TILEWRIGHT_TRY(buffer.fill(0, own.get()));
  TILEWRIGHT_TRY(own.synchronize());
  return buffer;
}

ErrorOr<void *> Workspaces::of(Stream stream, unsigned blocks) {
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(driver, device));
  size_t bytes = blocks * bytesPerBlock;
  std::lock_guard lock(mutex);
  std::vector<DeviceBuffer> &list = buffers[keyOf(driver, stream)];
  if (list.empty() || list.back().size() < bytes) {
    // At least twice as big: all of them together are then less than twice the last.
    size_t atLeast = list.empty() ? 0 : 2 * list.back().size();
    ErrorOr<DeviceBuffer> buffer = allocate(std::max(bytes, atLeast));
    if (!buffer)
      return Error{std::to_string(blocks) + " blocks need " + std::to_string(bytesPerBlock) +
                   " bytes each to share tiles: " + buffer.error().message};
    list.push_back(std::move(*buffer));
  }
  return list.back().data();
}

} // namespace tilewright::runtime
