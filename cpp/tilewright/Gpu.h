//===- Gpu.h - GPUs and their memory ----------------------------*- C++ -*-===//
//
// For programs that use no other CUDA library. In libtilewright and in libtilewright_runtime.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "tilewright/ErrorOr.h"

#include <cstddef>
#include <memory>

namespace tilewright {

/// How many GPUs there are; 0 without a driver.
int gpuCount();

/// Memory of a GPU, aligned to 256 bytes and freed with the object.
class GpuMemory {
public:
  /// The error states how much was asked for and how much is free.
  static ErrorOr<GpuMemory> allocate(size_t bytes, int device = 0);

  GpuMemory(GpuMemory &&) noexcept;
  GpuMemory &operator=(GpuMemory &&) noexcept;
  ~GpuMemory();

  void *data() const;
  size_t size() const;

  /// Copies so many bytes from host memory, and waits.
  Status copyFrom(const void *source, size_t bytes);

  /// Copies so many bytes to host memory behind all work of the default stream, and waits.
  Status copyTo(void *target, size_t bytes) const;

private:
  struct State;
  explicit GpuMemory(std::unique_ptr<State> state);

  std::unique_ptr<State> state;
};

} // namespace tilewright
