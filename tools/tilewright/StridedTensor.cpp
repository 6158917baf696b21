#include "tools/tilewright/StridedTensor.h"

#include <algorithm>
#include <cstring>

using namespace tilewright;
using namespace tilewright::cli;
using runtime::ElementType;

static constexpr int64_t kGuardBytes = 256; // keeps the alignment of the storage
static constexpr char kGuard = char(0xff);

static constexpr std::string_view kMemoryNames[] = {
#define MEMORY(enumerator, name) name,
#include "tools/tilewright/Memory.def"
};

std::string_view cli::nameOf(Memory memory) { return kMemoryNames[size_t(memory)]; }

std::optional<Memory> cli::memoryByName(std::string_view name) {
  for (size_t i = 0; i < std::size(kMemoryNames); ++i)
    if (name == kMemoryNames[i])
      return Memory(i);
  return std::nullopt;
}

/// Row-major strides, the axes stored in the given order, outermost first.
static std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape,
                                         const std::vector<size_t> &order, int64_t innermost,
                                         int64_t pitch) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = innermost;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride = i + 1 == order.size() && pitch ? pitch : stride * shape[order[i]];
  }
  return strides;
}

static std::vector<int64_t> stridesFor(const std::vector<int64_t> &shape, ElementType type,
                                       Memory memory, bool isInput) {
  std::vector<size_t> order(shape.size());
  for (size_t axis = 0; axis < order.size(); ++axis)
    order[axis] = axis;
  int64_t inner = shape.back(), chunk = 16 / bytesOf(type), pitch = 0;
  if (memory == Memory::Padded)
    pitch = (inner + chunk - 1) / chunk * chunk + chunk;
  if (memory == Memory::OddPitch)
    pitch = (inner + 1) | 1;
  if (memory == Memory::Reversed)
    std::reverse(order.begin(), order.end());
  if (memory == Memory::Permuted && order.size() > 2)
    std::swap(order[1], order[2]);
  std::vector<int64_t> strides =
      denseStrides(shape, order, memory == Memory::Strided ? 2 : 1, pitch);
  if (memory == Memory::Broadcast && isInput)
    strides.front() = 0;
  if (memory == Memory::Backwards)
    strides.front() = -strides.front();
  return strides;
}

StridedTensor::StridedTensor(ElementType type, std::vector<int64_t> dims, Memory memory,
                             bool isInput)
    : type(type), shape(std::move(dims)), strides(stridesFor(shape, type, memory, isInput)) {
  int64_t lowest = 0, highest = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t reach = strides[axis] * (shape[axis] - 1);
    (reach < 0 ? lowest : highest) += reach;
  }
  int64_t guard = kGuardBytes / bytesOf(type);
  int64_t chunk = 16 / bytesOf(type);
  // A tensor that runs backwards starts at an aligned element too.
  origin = guard + (-lowest + chunk - 1) / chunk * chunk + (memory == Memory::Misaligned);
  storage.assign(size_t(origin + highest + 1 + guard) * bytesOf(type), kGuard);
}

void StridedTensor::visit(const std::function<void(int64_t)> &visit) const {
  std::vector<int64_t> index(shape.size());
  for (int64_t at = origin;;) {
    visit(at);
    size_t axis = shape.size();
    for (;;) {
      if (axis-- == 0)
        return;
      at += strides[axis];
      if (++index[axis] < shape[axis])
        break;
      at -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

void StridedTensor::scatter(const HostTensor &values) {
  size_t bytes = bytesOf(type);
  const char *next = values.bytes.data();
  visit([&](int64_t at) {
    std::memcpy(storage.data() + size_t(at) * bytes, next, bytes);
    next += bytes;
  });
}

HostTensor StridedTensor::gather() const {
  HostTensor values(type, shape);
  size_t bytes = bytesOf(type);
  char *next = values.bytes.data();
  visit([&](int64_t at) {
    std::memcpy(next, storage.data() + size_t(at) * bytes, bytes);
    next += bytes;
  });
  return values;
}

std::optional<int64_t> cli::findBrokenGuard(const StridedTensor &tensor) {
  std::vector<char> guards = tensor.storage;
  size_t bytes = bytesOf(tensor.type);
  tensor.visit([&](int64_t at) { std::memset(guards.data() + size_t(at) * bytes, kGuard, bytes); });
  for (size_t i = 0; i < guards.size(); ++i)
    if (guards[i] != kGuard)
      return int64_t(i / bytes) - tensor.origin;
  return std::nullopt;
}
