//===- CacheFlusher.h - Empties the L2 cache between timed launches -*- C++ -*-===//

#pragma once

#include "runtime/Device.h"
#include "runtime/LoadedKernel.h"

#include <memory>

namespace tilewright::runtime {

/// Empties the L2 cache between timed launches by reading twice its size. Were it written, the
/// cache would write that to memory during the next launch.
class CacheFlusher {
public:
  /// Compiles the kernel that reads, or takes it from the cache on disk. Needs NVRTC.
  static ErrorOr<CacheFlusher> create(const Driver &driver, int device = 0);

  /// In the order of the stream.
  Status flush(Stream stream);

private:
  CacheFlusher(DeviceBuffer buffer, std::unique_ptr<KernelSource> source)
      : buffer(std::move(buffer)), source(std::move(source)) {}

  DeviceBuffer buffer; ///< Of zeros.
  std::unique_ptr<KernelSource> source;
  std::unique_ptr<LoadedKernel> kernel; ///< Refers to the source.
};

} // namespace tilewright::runtime
