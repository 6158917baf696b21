//===- Device.cpp - Memory, streams and events of a GPU -------------------===//

#include "runtime/Device.h"

#include <algorithm>

namespace tilewright::runtime {

ErrorOr<DeviceBuffer> DeviceBuffer::allocate(const Driver &driver, size_t bytes, int device) {
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(driver, device));
  DeviceAddress address = 0;
  DriverResult result = driver.api().memAlloc(&address, std::max<size_t>(bytes, 1));
  if (result != kDriverSuccess) {
    size_t free = 0, total = 0;
    driver.api().memGetInfo(&free, &total);
    TILEWRIGHT_TRY(driver.check(result, "cannot allocate " + std::to_string(bytes) +
                                            " bytes on GPU " + std::to_string(device) + " (" +
                                            std::to_string(free) + " are free)"));
  }
  return DeviceBuffer(driver, device, address, bytes);
}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) noexcept {
  std::swap(driver, other.driver);
  std::swap(device, other.device);
  std::swap(address, other.address);
  std::swap(byteCount, other.byteCount);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (!address)
    return;
  if (ErrorOr<ContextScope> scope = ContextScope::enter(*driver, device))
    driver->api().memFree(address);
}

Status DeviceBuffer::copyFrom(const void *source, size_t bytes, size_t offset) {
  assert(offset + bytes <= byteCount && "copy past the end of a buffer");
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(*driver, device));
  TILEWRIGHT_TRY(driver->check(driver->api().memcpyHtoD(address + offset, source, bytes),
                               "cannot copy to the GPU"));
  // The driver returns once it has staged pageable memory; a stream that does not wait for the
  // default stream could still overtake the copy.
  return driver->check(driver->api().streamSynchronize(nullptr), "cannot copy to the GPU");
}

Status DeviceBuffer::copyTo(void *target, size_t bytes, size_t offset) const {
  assert(offset + bytes <= byteCount && "copy past the end of a buffer");
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(*driver, device));
  return driver->check(driver->api().memcpyDtoH(target, address + offset, bytes),
                       "cannot copy from the GPU");
}

Status DeviceBuffer::fill(unsigned char value, Stream stream) {
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(*driver, device));
  return driver->check(driver->api().memsetD8Async(address, value, byteCount, stream),
                       "cannot fill GPU memory");
}

ErrorOr<OwnedStream> OwnedStream::create(const Driver &driver, int device) {
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(driver, device));
  Stream handle = nullptr;
  TILEWRIGHT_TRY(driver.check(driver.api().streamCreate(&handle, kStreamNonBlocking),
                              "cannot create a stream"));
  return OwnedStream(driver, device, handle);
}

OwnedStream::~OwnedStream() {
  if (!handle)
    return;
  if (ErrorOr<ContextScope> scope = ContextScope::enter(*driver, device))
    driver->api().streamDestroy(handle);
}

Status OwnedStream::synchronize() const {
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(*driver, device));
  return driver->check(driver->api().streamSynchronize(handle), "work on the GPU failed");
}

ErrorOr<Event> Event::create(const Driver &driver, int device) {
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(driver, device));
  EventHandle handle = nullptr;
  TILEWRIGHT_TRY(
      driver.check(driver.api().eventCreate(&handle, kEventDefault), "cannot create an event"));
  return Event(driver, device, handle);
}

Event::~Event() {
  if (!handle)
    return;
  if (ErrorOr<ContextScope> scope = ContextScope::enter(*driver, device))
    driver->api().eventDestroy(handle);
}

Status Event::record(Stream stream) {
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(*driver, device));
  return driver->check(driver->api().eventRecord(handle, stream), "cannot record an event");
}

Status Event::synchronize() const {
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(*driver, device));
  return driver->check(driver->api().eventSynchronize(handle), "work on the GPU failed");
}

ErrorOr<double> Event::millisecondsSince(const Event &start) const {
  TILEWRIGHT_TRY(synchronize());
  float milliseconds = 0;
  TILEWRIGHT_TRY(driver->check(driver->api().eventElapsedTime(&milliseconds, start.handle, handle),
                               "cannot read the time between events"));
  return static_cast<double>(milliseconds);
}

} // namespace tilewright::runtime
