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

static bool isSmaller(const DeviceBuffer &buffer, size_t bytes) { return buffer.size() < bytes; }

ErrorOr<DeviceBuffer> Workspaces::takeFree(size_t bytes, size_t tooSmall) {
  for (const StreamKey &gone : graphEnds.take())
    if (auto node = buffers.extract(gone))
      for (DeviceBuffer &buffer : node.mapped()) {
        auto place = std::lower_bound(spare.begin(), spare.end(), buffer.size(), isSmaller);
        spare.insert(place, std::move(buffer));
      }
  auto fitting = std::lower_bound(spare.begin(), spare.end(), bytes, isSmaller);
  if (fitting != spare.end()) {
    DeviceBuffer found = std::move(*fitting);
    spare.erase(fitting);
    return found;
  }
  if (!spare.empty())
    tooSmall = std::max(tooSmall, spare.back().size());
  // All of them together are then less than twice the biggest.
  return allocate(std::max(bytes, 2 * tooSmall));
}

ErrorOr<std::vector<std::byte>> Workspaces::read(Stream stream) {
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(driver, device));
  std::lock_guard lock(mutex);
  auto known = buffers.find(keyOf(driver, stream));
  if (known == buffers.end())
    return Error{"nothing was launched on this stream"};
  const DeviceBuffer &buffer = known->second.back();
  std::vector<std::byte> bytes(buffer.size());
  TILEWRIGHT_TRY(buffer.copyTo(bytes.data(), bytes.size()));
  return bytes;
}

ErrorOr<void *> Workspaces::of(Stream stream, unsigned blocks) {
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(driver, device));
  size_t bytes = blocks * bytesPerBlock;
  std::lock_guard lock(mutex);
  StreamKey key = keyOf(driver, stream);
  auto known = buffers.find(key);
  bool isNew = known == buffers.end();
  if (!isNew && known->second.back().size() >= bytes)
    return known->second.back().data();
  ErrorOr<DeviceBuffer> buffer = takeFree(bytes, isNew ? 0 : known->second.back().size());
  if (!buffer)
    return Error{std::to_string(blocks) + " blocks need " + std::to_string(bytesPerBlock) +
                 " bytes each to share tiles: " + buffer.error().message};
  if (isNew && key.graph)
    graphEnds.watch(driver, stream, key);
  std::vector<DeviceBuffer> &list = buffers[key];
  list.push_back(std::move(*buffer));
  return list.back().data();
}

} // namespace tilewright::runtime
