//===- LoadedKernel.h - A kernel's code on one GPU --------------*- C++ -*-===//

#pragma once

#include "runtime/Compile.h"
#include "runtime/Driver.h"
#include "runtime/KernelSource.h"
#include "runtime/TileCounters.h"
#include "runtime/Workspaces.h"

#include <memory>
#include <optional>

namespace tilewright::runtime {

/// A loaded module, unloaded with this object.
class LoadedKernel {
public:
  /// Loads the code and makes it ready: no later launch has anything left to do but launch.
  static ErrorOr<std::unique_ptr<LoadedKernel>> load(const Driver &driver, int device,
                                                     const KernelSource &source,
                                                     const CompiledKernel &compiled);
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;
  ~LoadedKernel();

  /// Starts `grid` programs, on this GPU whatever the current context. `params` has the address of
  /// each parameter's value.
  Status launch(Stream stream, unsigned grid, void **params) const;

  /// Blocks in clusters that the GPU runs at once: fewer than it has multiprocessors where its
  /// parts have no multiple of a cluster. None for a kernel without clusters.
  std::optional<int64_t> blocksAtOnce() const { return inClusters; }

  /// The memory of this kind that a launch of `grid` programs on this stream uses; the kernel must
  /// have such a parameter.
  ErrorOr<void *> memory(ParamKind kind, Stream stream, unsigned grid) const;

  /// Waits for the stream; the records of a kernel with a timeline that its last launch there left.
  ErrorOr<std::vector<std::byte>> readEvents(Stream stream) const;

  /// Waits for the stream and reports faults as this kernel's; does nothing during graph capture.
  Status wait(Stream stream) const;

private:
  LoadedKernel(const Driver &driver, int device, const KernelSource &source)
      : driver(driver), device(device), source(source) {}
  Status checkFits() const;
  Status loadCode(const CompiledKernel &compiled);
  Status countClusters();
  Status makeMemory();
  /// Attributes of a launch; `attributes` has room for all of them.
  unsigned writeAttributes(LaunchAttribute *attributes) const;

  const Driver &driver;
  int device;
  const KernelSource &source;
  ContextHandle context = nullptr;
  ModuleHandle module = nullptr;
  FunctionHandle function = nullptr;
  std::optional<int64_t> inClusters;
  // Null if the kernel has no such parameter.
  std::unique_ptr<TileCounters> counters;
  std::unique_ptr<Workspaces> workspaces, flags, events;
};

} // namespace tilewright::runtime
