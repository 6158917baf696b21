//===- TileCounters.cpp - Where the tile queues of launches start ---------===//

#include "runtime/TileCounters.h"

namespace tilewright::runtime {

ErrorOr<std::unique_ptr<TileCounters>> TileCounters::create(const Driver &driver, int device) {
  TILEWRIGHT_ASSIGN(DeviceBuffer memory,
                    DeviceBuffer::allocate(driver, kCounters * sizeof(int32_t), device));
  TILEWRIGHT_TRY(memory.fill(0));
  // Streams of the caller's need not wait for the default stream.
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(driver, device));
  TILEWRIGHT_TRY(
      driver.check(driver.api().streamSynchronize(nullptr), "cannot make tile counters"));
  return std::unique_ptr<TileCounters>(new TileCounters(driver, device, std::move(memory)));
}

/// Handles are given out again, and one stands for a stream per thread; drivers have had numbers
/// that are unique since CUDA 12.
TileCounters::Key TileCounters::keyOf(Stream stream) const {
  const DriverTable &api = driver.api();
  Key key{0, reinterpret_cast<uintptr_t>(stream)};
  uint64_t number = 0;
  if (api.streamGetId && api.streamGetId(stream, &number) == kDriverSuccess)
    key.second = number;
  constexpr int kCapturing = 1;
  int status = 0;
  if (api.streamGetCaptureInfo &&
      api.streamGetCaptureInfo(stream, &status, &number, nullptr, nullptr, nullptr) ==
          kDriverSuccess &&
      status == kCapturing)
    key.first = number + 1;
  return key;
}

ErrorOr<void *> TileCounters::of(Stream stream) {
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(driver, device));
  std::lock_guard lock(mutex);
  size_t index = taken.try_emplace(keyOf(stream), taken.size()).first->second;
  if (index >= kCounters)
    return Error{"a kernel with a tile queue can be launched on " + std::to_string(kCounters) +
                 " streams and captured graphs; there are more"};
  return static_cast<int32_t *>(memory.data()) + index;
}

} // namespace tilewright::runtime
