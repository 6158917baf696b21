//===- DriverTypes.h - The part of the CUDA driver ABI in use ---*- C++ -*-===//
//
// Declared here rather than taken from cuda.h, so that the runtime builds without a CUDA toolkit.
// The driver's ABI is stable: these values and layouts do not change.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright::runtime {

using DriverResult = int;       ///< CUresult.
using DeviceHandle = int;       ///< CUdevice.
using DeviceAddress = uint64_t; ///< CUdeviceptr.

// Opaque objects, distinct types so that they cannot be mixed up.
using ContextHandle = struct ContextObject *;
using ModuleHandle = struct ModuleObject *;
using FunctionHandle = struct FunctionObject *;
using EventHandle = struct EventObject *;
using GraphHandle = struct GraphObject *;
using GraphExecHandle = struct GraphExecObject *;
using UserObjectHandle = struct UserObject *; ///< What graphs hold for the user.

/// CUstream. `void *` because streams come from other libraries (torch, cudart); null is the
/// default.
using Stream = void *;

enum : DriverResult {
  kDriverSuccess = 0,
  kDriverNoDevice = 100,
  kDriverNoBinaryForGpu = 209,
  kDriverNotFound = 500,
  kDriverNotInitialized = 3,
};

enum class DeviceAttribute : int {
  ClockRateKilohertz = 13,
  MultiprocessorCount = 16,
  L2CacheBytes = 38,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedBytesPerBlockOptin = 97,
};

enum class FunctionAttribute : int {
  SharedBytes = 1,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8,
  NonPortableClusterSizeAllowed = 14,
};

enum : int {
  kEventDefault = 0,
  kEventDisableTiming = 2,
  kStreamNonBlocking = 1,
  kCaptureGlobal = 0,
  kCaptureThreadLocal = 1,
  kCaptureRelaxed = 2,
  kUserObjectNoDestructorSync = 1,
  kGraphUserObjectMove = 1, ///< The graph takes over a reference.
};

enum class LaunchAttributeId : int { ClusterDimension = 4, ProgrammaticStreamSerialization = 6 };

/// CUlaunchAttribute.
struct LaunchAttribute {
  LaunchAttributeId id;
  int padding;
  union {
    unsigned clusterDim[3];
    int flag;
    char bytes[64];
  };
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridDim[3];
  unsigned blockDim[3];
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(offsetof(LaunchConfig, stream) == 32 && sizeof(LaunchConfig) == 56);

/// CUtensorMap: a TMA descriptor.
struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

} // namespace tilewright::runtime
