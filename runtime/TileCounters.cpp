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
  StreamKey key = keyOf(driver, stream);
  if (auto known = taken.find(key); known != taken.end())
    return known->second;
  if (void *counter = takeFree(key, stream))
    return counter;
  return Error{"with a tile queue it can be launched on " + std::to_string(kCounters) +
               " streams and captured graphs; there are more"};
}

void *TileCounters::takeFree(const StreamKey &key, Stream stream) {
  for (const StreamKey &gone : graphEnds.take())
    if (auto node = taken.extract(gone))
      spare.push_back(node.mapped());
  if (spare.empty() && fresh == kCounters)
    return nullptr;
  if (spare.empty())
    spare.push_back(static_cast<int32_t *>(memory.data()) + fresh++);
  void *counter = taken[key] = spare.back();
  spare.pop_back();
  if (key.graph)
    graphEnds.watch(driver, stream, key);
  return counter;
}

} // namespace tilewright::runtime
