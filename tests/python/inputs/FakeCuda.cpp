// A driver with two GPUs that run nothing and remember what they were asked to: the way of a launch
// from Python to the driver can be tested, and its cost measured, on a machine without a GPU.
// They are of sm_80, or with FAKE_CUDA_HOPPER of sm_90; FAKE_CUDA_DEVICES states another number.
#include "runtime/DriverTypes.h"

#include <cstdlib>
#include <cstring>

using namespace tilewright::runtime;

namespace {

thread_local ContextHandle current = nullptr;
int launches = 0;
LaunchConfig lastConfig;
uint64_t lastParams[8];
ContextHandle lastContext;

ContextHandle contextOf(int device) {
  return reinterpret_cast<ContextHandle>(static_cast<uintptr_t>(0x100 + device));
}

} // namespace

extern "C" {

DriverResult cuDriverGetVersion(int *version) {
  *version = 13000;
  return kDriverSuccess;
}
DriverResult cuGetErrorName(DriverResult, const char **text) {
  *text = "CUDA_ERROR_FAKE";
  return kDriverSuccess;
}
DriverResult cuGetErrorString(DriverResult, const char **text) {
  *text = "a fake error";
  return kDriverSuccess;
}
DriverResult cuDeviceGetCount(int *count) {
  const char *stated = std::getenv("FAKE_CUDA_DEVICES");
  *count = stated ? std::atoi(stated) : 2;
  return kDriverSuccess;
}
DriverResult cuDeviceGet(DeviceHandle *device, int ordinal) {
  *device = ordinal;
  return kDriverSuccess;
}
DriverResult cuDeviceGetName(char *name, int size, DeviceHandle) {
  std::strncpy(name, "Fake", size);
  return kDriverSuccess;
}
DriverResult cuDeviceTotalMem_v2(size_t *bytes, DeviceHandle) {
  *bytes = size_t(1) << 34;
  return kDriverSuccess;
}
DriverResult cuDeviceGetAttribute(int *value, DeviceAttribute attribute, DeviceHandle) {
  switch (attribute) {
  case DeviceAttribute::ComputeCapabilityMajor:
    *value = std::getenv("FAKE_CUDA_HOPPER") ? 9 : 8;
    break;
  case DeviceAttribute::MultiprocessorCount:
    *value = 108;
    break;
  case DeviceAttribute::MaxSharedBytesPerBlockOptin:
    *value = std::getenv("FAKE_CUDA_HOPPER") ? 227 * 1024 : 163 * 1024;
    break;
  default:
    *value = 0;
  }
  return kDriverSuccess;
}
DriverResult cuDevicePrimaryCtxRetain(ContextHandle *context, DeviceHandle device) {
  *context = contextOf(device);
  return kDriverSuccess;
}
DriverResult cuCtxGetCurrent(ContextHandle *context) {
  *context = current;
  return kDriverSuccess;
}
DriverResult cuCtxPushCurrent_v2(ContextHandle context) {
  current = context;
  return kDriverSuccess;
}
DriverResult cuCtxPopCurrent_v2(ContextHandle *context) {
  *context = current;
  current = nullptr;
  return kDriverSuccess;
}
DriverResult cuLaunchKernelEx(const LaunchConfig *config, FunctionHandle, void **params, void **) {
  ++launches;
  lastConfig = *config;
  lastContext = current;
  // Three pointers are what the tests' kernel begins with.
  for (int i = 0; i < 3; ++i)
    std::memcpy(&lastParams[i], params[i], sizeof(lastParams[i]));
  return config->stream == reinterpret_cast<Stream>(uintptr_t(0xbad)) ? 1 : kDriverSuccess;
}
// Memory of these GPUs is the host's.
DriverResult cuMemAlloc_v2(DeviceAddress *address, size_t bytes) {
  constexpr size_t kAlignment = 256;
  void *memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  *address = reinterpret_cast<uintptr_t>(memory);
  return kDriverSuccess;
}
DriverResult cuMemFree_v2(DeviceAddress address) {
  std::free(reinterpret_cast<void *>(address));
  return kDriverSuccess;
}
DriverResult cuMemcpyHtoD_v2(DeviceAddress target, const void *source, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(target), source, bytes);
  return kDriverSuccess;
}
DriverResult cuMemcpyDtoH_v2(void *target, DeviceAddress source, size_t bytes) {
  std::memcpy(target, reinterpret_cast<void *>(source), bytes);
  return kDriverSuccess;
}
DriverResult cuMemsetD8Async(DeviceAddress target, unsigned char value, size_t bytes, Stream) {
  std::memset(reinterpret_cast<void *>(target), value, bytes);
  return kDriverSuccess;
}

int fake_launches() { return launches; }
uint64_t fake_stream() { return reinterpret_cast<uintptr_t>(lastConfig.stream); }
unsigned fake_grid() { return lastConfig.gridDim[0]; }
uint64_t fake_address(int i) { return lastParams[i]; }
int fake_device() { return static_cast<int>(reinterpret_cast<uintptr_t>(lastContext)) - 0x100; }

} // extern "C"
