//===- FakeDriver.h - A driver for tests without a GPU ----------*- C++ -*-===//
//
// Two GPUs with 132 multiprocessors. Launches and device memory are recorded. Calls succeed, except
// those that the driver forbids while a stream is captured.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/Driver.h"

#include <array>
#include <cstring>
#include <memory>
#include <vector>

namespace tilewright::runtime {

struct RecordedLaunch {
  LaunchConfig config{};
  std::vector<std::array<std::byte, 8>> params; ///< The first 8 bytes of each.
  std::vector<uintptr_t> addresses;             ///< Where each one was.
  std::vector<LaunchAttribute> attributes;
  ContextHandle context = nullptr;

  template <typename T> T param(size_t index) const {
    T value;
    std::memcpy(&value, params[index].data(), sizeof(T));
    return value;
  }
};

struct RecordedTensorMap {
  int dataType = 0;
  std::vector<uint64_t> sizes, strideBytes;
  std::vector<uint32_t> box;
  void *address = nullptr;
};

struct RecordedBuffer {
  DeviceAddress address = 0;
  size_t bytes = 0;
  Stream filledOn = nullptr;
  bool filled = false; ///< With 0, and the stream was waited for.
};

struct RecordedMemset {
  DeviceAddress address = 0;
  size_t pitch = 0, width = 0, height = 0;
  ContextHandle context = nullptr;

  bool operator==(const RecordedMemset &) const = default;
};

struct RecordedUserObject {
  uint64_t graph = 0; ///< That holds it; 0: none does.
  std::unique_ptr<void, void (*)(void *)> object;
};

struct FakeState {
  std::vector<RecordedLaunch> launches;
  std::vector<RecordedTensorMap> tensorMaps;
  std::vector<RecordedBuffer> buffers; ///< In the order of their allocation.
  std::vector<RecordedMemset> memsets;
  size_t freeBytes = size_t(1) << 36;
  int frees = 0;
  size_t paramCount = 6; ///< Of the launched kernel, which the driver knows from its code.
  int moduleLoads = 0;
  uint64_t capture = 0; ///< The number of the graph that streams are captured into; 0: of none.
  int captureMode = kCaptureGlobal; ///< Of the thread.
  std::vector<RecordedUserObject> userObjects;
  bool graphsHoldNothing = false; ///< A graph that is asked to hold a user object refuses.
  bool captureFails = false;      ///< Something was called that no capture survives.
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

/// The stream that `OwnedStream`s get, which does not wait for the default stream.
inline const Stream kOwnStream = reinterpret_cast<Stream>(0x5000);

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
  if (!params || extra)
    return 1;
  RecordedLaunch launch;
  launch.config = *config;
  launch.attributes.assign(config->attributes, config->attributes + config->attributeCount);
  for (size_t i = 0; i < state.paramCount; ++i) {
    std::memcpy(launch.params.emplace_back().data(), params[i], 8);
    launch.addresses.push_back(reinterpret_cast<uintptr_t>(params[i]));
  }
  launch.context = state.current;
  state.launches.push_back(std::move(launch));
  return state.captureFails ? 901 : state.launchResult;
}

inline DriverResult occupancyMaxActiveClusters(int *clusters, FunctionHandle,
                                               const LaunchConfig *config) {
  int size = int(config->attributes[0].clusterDim[0]);
  *clusters = (size > 2 ? 120 : 132) / size; // as on an H200
  return kDriverSuccess;
}

/// What a capture does not record is refused during one, unless the thread has said that it may be.
inline DriverResult uncaptured() {
  return fakeState().capture && fakeState().captureMode != kCaptureRelaxed ? 900 : kDriverSuccess;
}

inline DriverResult memAlloc(DeviceAddress *address, size_t bytes) {
  FakeState &state = fakeState();
  if (DriverResult refusal = uncaptured())
    return refusal;
  if (bytes > state.freeBytes)
    return 2;
  state.freeBytes -= bytes;
  size_t before =
      state.buffers.empty() ? 0x10000 : state.buffers.back().address + state.buffers.back().bytes;
  *address = (before + 255) / 256 * 256;
  state.buffers.push_back({.address = *address, .bytes = bytes});
  return kDriverSuccess;
}

/// Any stream but our own is captured, or waits for those that are.
inline DriverResult memsetD8Async(DeviceAddress address, unsigned char value, size_t bytes,
                                  Stream stream) {
  for (RecordedBuffer &buffer : fakeState().buffers)
    if (buffer.address == address && buffer.bytes == bytes && value == 0)
      buffer.filledOn = stream;
  fakeState().memsets.push_back({address, bytes, bytes, 1, fakeState().current});
  return fakeState().capture && stream != kOwnStream ? 906 : kDriverSuccess;
}

inline DriverResult memsetD2D8Async(DeviceAddress address, size_t pitch, unsigned char,
                                    size_t width, size_t height, Stream) {
  fakeState().memsets.push_back({address, pitch, width, height, fakeState().current});
  return kDriverSuccess;
}

inline DriverResult streamSynchronize(Stream stream) {
  if (fakeState().capture && stream != kOwnStream)
    return 906;
  for (RecordedBuffer &buffer : fakeState().buffers)
    buffer.filled |= buffer.filledOn == stream;
  return uncaptured();
}

/// User objects are numbered from 1 on.
inline DriverResult userObjectCreate(UserObjectHandle *object, void *pointer,
                                     void (*destroy)(void *), unsigned, unsigned) {
  fakeState().userObjects.push_back({0, {pointer, destroy}});
  *object = reinterpret_cast<UserObjectHandle>(fakeState().userObjects.size());
  return kDriverSuccess;
}

inline RecordedUserObject &userObject(UserObjectHandle object) {
  return fakeState().userObjects.at(reinterpret_cast<uintptr_t>(object) - 1);
}

inline DriverResult graphRetainUserObject(GraphHandle graph, UserObjectHandle object, unsigned,
                                          unsigned) {
  if (fakeState().graphsHoldNothing)
    return 1;
  userObject(object).graph = reinterpret_cast<uintptr_t>(graph);
  return kDriverSuccess;
}

inline DriverResult userObjectRelease(UserObjectHandle object, unsigned) {
  return userObject(object).object.reset(), kDriverSuccess;
}

/// Destroys a graph, and all that was made of it.
inline void destroyGraph(uint64_t graph) {
  for (RecordedUserObject &object : fakeState().userObjects)
    if (object.graph == graph)
      object.object.reset();
}

inline DriverResult tensorMapEncodeTiled(TensorMap *map, int dataType, uint32_t rank, void *address,
                                         const uint64_t *sizes, const uint64_t *strideBytes,
                                         const uint32_t *box, const uint32_t *, int, int, int,
                                         int) {
  map->opaque[0] = 0xabcd;
  if (fakeState().record)
    fakeState().tensorMaps.push_back({dataType,
                                      {sizes, sizes + rank},
                                      {strideBytes, strideBytes + rank - 1},
                                      {box, box + rank},
                                      address});
  return fakeState().current ? kDriverSuccess : 201;
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
  table.memAlloc = fake::memAlloc;
  table.memFree = [](DeviceAddress) { return ++fakeState().frees, 0; };
  table.memGetInfo = [](size_t *free, size_t *total) {
    return *free = fakeState().freeBytes, *total = size_t(1) << 36, 0;
  };
  table.memsetD8Async = fake::memsetD8Async;
  table.memsetD2D8Async = fake::memsetD2D8Async;
  table.streamCreate = [](Stream *stream, unsigned flags) {
    return *stream = fake::kOwnStream, flags == kStreamNonBlocking ? 0 : 1;
  };
  table.streamSynchronize = fake::streamSynchronize;
  table.threadExchangeStreamCaptureMode = [](int *mode) {
    return std::swap(*mode, fakeState().captureMode), 0;
  };
  table.streamGetId = [](Stream stream, uint64_t *id) {
    *id = reinterpret_cast<uintptr_t>(stream);
    // Measured with driver 580: it makes the capture fail.
    fakeState().captureFails |= fakeState().capture != 0;
    return fakeState().capture ? 900 : kDriverSuccess;
  };
  table.userObjectCreate = fake::userObjectCreate;
  table.userObjectRelease = fake::userObjectRelease;
  table.graphRetainUserObject = fake::graphRetainUserObject;
  table.streamGetCaptureInfo = [](Stream, int *status, uint64_t *id, GraphHandle *graph,
                                  const void **, size_t *) {
    *status = fakeState().capture != 0;
    if (graph)
      *graph = reinterpret_cast<GraphHandle>(fakeState().capture);
    return *id = fakeState().capture, 0;
  };
  table.launchKernelEx = fake::launchKernelEx;
  table.occupancyMaxActiveClusters = fake::occupancyMaxActiveClusters;
  table.tensorMapEncodeTiled = fake::tensorMapEncodeTiled;
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
