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

ErrorOr<void *> TileCounters::of(Stream stream) {
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(driver, device));
  std::lock_guard lock(mutex);
  size_t index = taken.try_emplace(keyOf(driver, stream), taken.size()).first->second;
  if (index >= kCounters)
    return Error{"with a tile queue it can be launched on " + std::to_string(kCounters) +
                 " streams and captured graphs; there are more"};
  return static_cast<int32_t *>(memory.data()) + index;
}

} // namespace tilewright::runtime
