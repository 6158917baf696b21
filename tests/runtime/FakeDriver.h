//===- FakeDriver.h - A driver for tests without a GPU ----------*- C++ -*-===//
//
// Two GPUs with 132 multiprocessors. Every call succeeds; launches are recorded.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/Driver.h"

#include <cstring>
#include <vector>

namespace tilewright::runtime {

struct RecordedLaunch {
  LaunchConfig config{};
  std::vector<std::byte> params;
  std::vector<LaunchAttribute> attributes;
  ContextHandle context = nullptr;

  template <typename T> T param(size_t offset) const {
    T value;
    std::memcpy(&value, params.data() + offset, sizeof(T));
    return value;
  }
};

struct FakeState {
  std::vector<RecordedLaunch> launches;
  int moduleLoads = 0;
  ContextHandle current = nullptr;
  DriverResult launchResult = kDriverSuccess;
  bool record = true; ///< Off for measurements.
};

inline FakeState &fakeState() {
  static FakeState state;
  return state;
}

namespace fake {

template <typename... Args> DriverResult succeed(Args...) { return kDriverSuccess; }

inline ContextHandle contextOf(int device) {
  return reinterpret_cast<ContextHandle>(static_cast<intptr_t>(0x1000 + device));
}

inline DriverResult deviceGetAttribute(int *value, DeviceAttribute attribute, DeviceHandle) {
  *value = attribute == DeviceAttribute::MultiprocessorCount           ? 132
           : attribute == DeviceAttribute::MaxSharedBytesPerBlockOptin ? 227 * 1024
           : attribute == DeviceAttribute::ComputeCapabilityMajor      ? 9
                                                                       : 0;
  return kDriverSuccess;
}

inline DriverResult launchKernelEx(const LaunchConfig *config, FunctionHandle, void **params,
                                   void **extra) {
  FakeState &state = fakeState();
  if (!state.record)
    return kDriverSuccess;
  if (params || !extra)
    return 1;
  RecordedLaunch launch;
  launch.config = *config;
  launch.attributes.assign(config->attributes, config->attributes + config->attributeCount);
  auto *bytes = static_cast<std::byte *>(extra[1]);
  launch.params.assign(bytes, bytes + *static_cast<size_t *>(extra[3]));
  launch.context = state.current;
  state.launches.push_back(std::move(launch));
  return state.launchResult;
}

} // namespace fake

inline DriverTable fakeTable() {
  DriverTable table;
#define TILEWRIGHT_DRIVER_FUNCTION(member, symbol, parameters) table.member = &fake::succeed;
#include "runtime/DriverFunctions.def"
  table.deviceGetCount = [](int *count) { return *count = 2, 0; };
  table.deviceGet = [](DeviceHandle *device, int ordinal) { return *device = ordinal, 0; };
  table.deviceGetName = [](char *name, int size, DeviceHandle) {
    return std::strncpy(name, "Fake GPU", static_cast<size_t>(size)), 0;
  };
  table.deviceGetAttribute = fake::deviceGetAttribute;
  table.primaryCtxRetain = [](ContextHandle *context, DeviceHandle device) {
    return *context = fake::contextOf(device), 0;
  };
  table.ctxGetCurrent = [](ContextHandle *context) { return *context = fakeState().current, 0; };
  table.ctxPushCurrent = [](ContextHandle context) { return fakeState().current = context, 0; };
  table.ctxPopCurrent = [](ContextHandle *) { return fakeState().current = nullptr, 0; };
  table.moduleLoadDataEx = [](ModuleHandle *module, const void *, unsigned, int *, void **) {
    ++fakeState().moduleLoads;
    return *module = reinterpret_cast<ModuleHandle>(1), 0;
  };
  table.launchKernelEx = fake::launchKernelEx;
  table.getErrorString = [](DriverResult, const char **text) { return *text = "no luck", 0; };
  table.getErrorName = [](DriverResult, const char **text) { return *text = "CUDA_ERROR_TEST", 0; };
  return table;
}

/// The fake driver, with its record emptied.
inline const Driver &fakeDriver() {
  static const Driver driver = std::move(Driver::fromTable(fakeTable())).value();
  fakeState() = FakeState{};
  return driver;
}

} // namespace tilewright::runtime
