//===- ZeroTensors.cpp - Setting tensors to 0 before a launch -------------===//

#include "runtime/ZeroTensors.h"

#include <algorithm>
#include <cstring>

namespace tilewright::runtime {

namespace {

struct Axis {
  size_t stride, size; ///< Bytes; elements.
};

} // namespace

/// Takes the axes from the front that continue what has `bytes` bytes, and gives the bytes of all.
static size_t merge(std::vector<Axis> &axes, size_t bytes) {
  auto next = axes.begin();
  for (; next != axes.end() && next->stride == bytes; ++next)
    bytes *= next->size;
  axes.erase(axes.begin(), next);
  return bytes;
}

static void addPlaces(const ZeroedRows &piece, std::span<const Axis> axes,
                      std::vector<ZeroedRows> &rows) {
  if (axes.empty())
    return rows.push_back(piece);
  ZeroedRows at = piece;
  for (size_t i = 0; i < axes.back().size; ++i, at.address += axes.back().stride)
    addPlaces(at, axes.first(axes.size() - 1), rows);
}

void addRows(const TensorRef &tensor, std::vector<ZeroedRows> &rows) {
  if (isEmpty(tensor))
    return;
  auto *first = static_cast<std::byte *>(tensor.data);
  std::vector<Axis> axes;
  for (unsigned axis = 0; axis < tensor.rank; ++axis) {
    int64_t size = tensor.shape[axis];
    int64_t stride = tensor.strides[axis] * int64_t(bytesOf(tensor.type));
    if (size == 1 || stride == 0)
      continue;
    if (stride < 0)
      first += stride * (size - 1);
    axes.push_back({size_t(std::abs(stride)), size_t(size)});
  }
  std::sort(axes.begin(), axes.end(),
            [](const Axis &a, const Axis &b) { return a.stride < b.stride; });
  ZeroedRows piece{.address = first, .width = merge(axes, bytesOf(tensor.type)), .height = 1};
  piece.pitch = piece.width;
  if (!axes.empty()) {
    piece.pitch = axes.front().stride;
    piece.height = merge(axes, piece.pitch) / piece.pitch;
  }
  addPlaces(piece, axes, rows);
}

Status zeroRows(const Driver &driver, int device, Stream stream, std::span<const ZeroedRows> rows) {
  if (rows.empty())
    return {};
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(driver, device));
  const DriverTable &api = driver.api();
  for (const ZeroedRows &piece : rows) {
    auto address = reinterpret_cast<DeviceAddress>(piece.address);
    DriverResult result =
        piece.height == 1
            ? api.memsetD8Async(address, 0, piece.width, stream)
            : api.memsetD2D8Async(address, piece.pitch, 0, piece.width, piece.height, stream);
    TILEWRIGHT_TRY(driver.check(result, "cannot set a tensor to 0"));
  }
  return {};
}

void zeroRowsOnHost(std::span<const ZeroedRows> rows) {
  for (const ZeroedRows &piece : rows)
    for (size_t row = 0; row < piece.height; ++row)
      std::memset(piece.address + row * piece.pitch, 0, piece.width);
}

} // namespace tilewright::runtime
