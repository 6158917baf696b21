//===- Driver.h - The CUDA driver, opened at run time -----------*- C++ -*-===//

#pragma once

#include "runtime/DriverTypes.h"
#include "support/ErrorOr.h"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::runtime {

/// The driver's entry points; see DriverFunctions.def.
struct DriverTable {
#define TILEWRIGHT_DRIVER_FUNCTION(member, symbol, parameters)                                     \
  DriverResult(*member) parameters = nullptr;
#include "runtime/DriverFunctions.def"
};

/// What a launch or a report needs to know about a GPU.
struct DeviceInfo {
  int ordinal = 0;
  std::string name;
  int major = 0, minor = 0; ///< Compute capability.
  int multiprocessors = 0;
  int maxSharedBytes = 0; ///< Per block, after opting in.
  int l2Bytes = 0;
  size_t memoryBytes = 0;

  /// The plain target of this GPU: `sm_90`.
  std::string target() const { return "sm_" + std::to_string(major * 10 + minor); }
};

/// The driver and the GPUs it reports. Thread-safe after construction.
class Driver {
public:
  /// The process's driver, opened and initialised on first use. The error says what is missing and
  /// how to get it; it is the same on every later call.
  static ErrorOr<const Driver *> get();

  /// A driver over given entry points, for tests. Optional entries may be null.
  static ErrorOr<Driver> fromTable(const DriverTable &table);

  const DriverTable &api() const { return table; }
  int version() const { return driverVersion; } ///< 1000 * major + 10 * minor of CUDA.
  const std::vector<DeviceInfo> &devices() const { return deviceList; }

  /// The device with this ordinal; the error states how many there are.
  ErrorOr<const DeviceInfo *> device(int ordinal) const;

  /// The device's primary context (the one that cudart and torch use), retained on first use and
  /// kept until the process ends.
  ErrorOr<ContextHandle> primaryContext(int ordinal) const;

  /// The ordinal of the current context's device; 0 if no context is current.
  ErrorOr<int> currentDevice() const;

  /// Turns a result into a Status: `what: reason (CUDA_ERROR_…)`.
  Status check(DriverResult result, std::string_view what) const;

private:
  Status enumerate();

  DriverTable table;
  int driverVersion = 0;
  std::vector<DeviceInfo> deviceList;
  struct Contexts {
    std::mutex mutex;
    std::vector<ContextHandle> byDevice;
  };
  std::shared_ptr<Contexts> contexts;
};

/// Makes a device's primary context current for a scope, and restores the caller's.
class ContextScope {
public:
  /// Does nothing if the context is already current, which it is when the caller uses one GPU.
  static ErrorOr<ContextScope> enter(const Driver &driver, int device);

  ContextScope(ContextScope &&other) noexcept : api(std::exchange(other.api, nullptr)) {}
  ContextScope &operator=(ContextScope &&) = delete;
  ~ContextScope();

private:
  explicit ContextScope(const DriverTable *api) : api(api) {}

  const DriverTable *api; ///< Null if nothing is to be restored.
};

} // namespace tilewright::runtime
