//===- Gpu.cpp - GPUs and their memory ------------------------------------===//

#include "tilewright/Gpu.h"

#include "runtime/Device.h"

using namespace tilewright;

int tilewright::gpuCount() {
  ErrorOr<const runtime::Driver *> driver = runtime::Driver::get();
  return driver ? int((*driver)->devices().size()) : 0;
}

struct GpuMemory::State {
  runtime::DeviceBuffer buffer;
};

GpuMemory::GpuMemory(std::unique_ptr<State> state) : state(std::move(state)) {}
GpuMemory::GpuMemory(GpuMemory &&) noexcept = default;
GpuMemory &GpuMemory::operator=(GpuMemory &&) noexcept = default;
GpuMemory::~GpuMemory() = default;

ErrorOr<GpuMemory> GpuMemory::allocate(size_t bytes, int device) {
  TILEWRIGHT_ASSIGN(const runtime::Driver *driver, runtime::Driver::get());
  TILEWRIGHT_ASSIGN(runtime::DeviceBuffer buffer,
                    runtime::DeviceBuffer::allocate(*driver, bytes, device));
  return GpuMemory(std::make_unique<State>(std::move(buffer)));
}

void *GpuMemory::data() const { return state->buffer.data(); }
size_t GpuMemory::size() const { return state->buffer.size(); }

static Status checkSize(size_t bytes, size_t size) {
  if (bytes <= size)
    return {};
  return Error{"cannot copy " + std::to_string(bytes) + " bytes: the memory has " +
               std::to_string(size)};
}

Status GpuMemory::copyFrom(const void *source, size_t bytes) {
  TILEWRIGHT_TRY(checkSize(bytes, size()));
  return state->buffer.copyFrom(source, bytes);
}

Status GpuMemory::copyTo(void *target, size_t bytes) const {
  TILEWRIGHT_TRY(checkSize(bytes, size()));
  return state->buffer.copyTo(target, bytes);
}
