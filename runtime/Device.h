//===- Device.h - Memory, streams and events of a GPU -----------*- C++ -*-===//
//
// For programs that have no other CUDA library: the command line, tests and benchmarks. Each object
// belongs to one GPU and works whatever context is current.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/Driver.h"

#include <utility>

namespace tilewright::runtime {

/// Device memory, aligned to 256 bytes, freed with the object.
class DeviceBuffer {
public:
  /// Allocates at least one byte. The error states how much was asked for and how much is free.
  static ErrorOr<DeviceBuffer> allocate(const Driver &driver, size_t bytes, int device = 0);

  DeviceBuffer(DeviceBuffer &&other) noexcept
      : driver(other.driver), device(other.device), address(std::exchange(other.address, 0)),
        byteCount(other.byteCount) {}
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept;
  ~DeviceBuffer();

  void *data() const { return reinterpret_cast<void *>(address); }
  size_t size() const { return byteCount; }

  /// Copies `bytes` from host memory to the buffer, from byte `offset` on, and waits.
  Status copyFrom(const void *source, size_t bytes, size_t offset = 0);

  /// Copies `bytes` of the buffer, from byte `offset` on, to host memory, after all work of the
  /// default stream, and waits.
  Status copyTo(void *target, size_t bytes, size_t offset = 0) const;

  /// Sets every byte, in the order of the stream.
  Status fill(unsigned char value, Stream stream = nullptr);

private:
  DeviceBuffer(const Driver &driver, int device, DeviceAddress address, size_t bytes)
      : driver(&driver), device(device), address(address), byteCount(bytes) {}

  const Driver *driver;
  int device;
  DeviceAddress address;
  size_t byteCount;
};

/// A stream that does not wait for the default stream.
class OwnedStream {
public:
  static ErrorOr<OwnedStream> create(const Driver &driver, int device = 0);

  OwnedStream(OwnedStream &&other) noexcept
      : driver(other.driver), device(other.device), handle(std::exchange(other.handle, nullptr)) {}
  OwnedStream &operator=(OwnedStream &&) = delete;
  ~OwnedStream();

  Stream get() const { return handle; }

  /// Waits for everything on the stream. Faults of earlier kernels are reported here.
  Status synchronize() const;

private:
  OwnedStream(const Driver &driver, int device, Stream handle)
      : driver(&driver), device(device), handle(handle) {}

  const Driver *driver;
  int device;
  Stream handle;
};

/// A point in a stream that carries the time.
class Event {
public:
  static ErrorOr<Event> create(const Driver &driver, int device = 0);

  Event(Event &&other) noexcept
      : driver(other.driver), device(other.device), handle(std::exchange(other.handle, nullptr)) {}
  Event &operator=(Event &&) = delete;
  ~Event();

  Status record(Stream stream);
  Status synchronize() const;

  /// Time on the GPU from `start` to this event; waits for this event. Resolution about 0.5 us.
  ErrorOr<double> millisecondsSince(const Event &start) const;

private:
  Event(const Driver &driver, int device, EventHandle handle)
      : driver(&driver), device(device), handle(handle) {}

  const Driver *driver;
  int device;
  EventHandle handle;
};

} // namespace tilewright::runtime
