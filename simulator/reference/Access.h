//===- Access.h - which elements a load, store or atomic touches ------------------------------===//
//
// An access is a box of the view, cut into rows along its last kept axis. A row is a run of
// elements at a fixed stride, of which a middle part lies inside the view.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_REFERENCE_ACCESS_H
#define TILEWRIGHT_SIMULATOR_REFERENCE_ACCESS_H

#include "simulator/reference/Compiler.h"

namespace tilewright::simulator {

struct AccessAxis {
  int64_t extent;       // 0: a scalar that drops the axis; otherwise the elements kept
  bool gathers;         // the slot holds `extent` indices instead of the first one
  int64_t slot;         // of i32 indices
  int64_t size, stride; // of the view; where it is a part of one, `size` is a slot
  int64_t valid;        // elements of the extent that take part
  bool inBounds;
  int64_t tileStride; // elements of the tile between neighbours along a kept axis
};

struct Access {
  const BoundView *view;
  ElementKind kind;
  std::optional<int64_t> part; // slot of the element that a part of the view starts at
  llvm::SmallVector<AccessAxis> scalars, kept;
};

/// `count` elements of the tile from `tile`; those in [low, high) are inside the view, element i at
/// `first + i * stride` of the buffer.
struct Row {
  int64_t tile, count;
  int64_t first, stride;
  int64_t low, high;

  int64_t begin() const { return first + low * stride; }
  int64_t inside() const { return high - low; }
};

/// Reads an access's indices from the frame and cuts it into rows.
class RowWalk {
public:
  RowWalk(const Access &access, Frame &frame) : access(access), frame(frame) {}

  /// Calls `visit(row)` for every row; stops at an address outside the allocation or when `visit`
  /// made the frame fail.
  template <typename Visit> void run(mlir::Operation *op, Visit visit) {
    int64_t base = access.part ? *frame.at<int64_t>(*access.part) : access.view->view->offset;
    bool inside = true;
    for (const AccessAxis &axis : access.scalars) {
      int64_t index = *frame.at<int32_t>(axis.slot);
      bool here = index >= 0 && index < sizeOf(axis);
      if (axis.inBounds && !here)
        return frame.fail(op, "is out of bounds against its word");
      inside &= here;
      base += inside ? index * axis.stride : 0;
    }
    walk(op, visit, 0, base, inside, 0);
  }

private:
  int64_t sizeOf(const AccessAxis &axis) const {
    return access.part ? *frame.at<int64_t>(axis.size) : axis.size;
  }

  template <typename Visit>
  void walk(mlir::Operation *op, Visit &visit, size_t level, int64_t base, bool inside,
            int64_t tile) {
    if (level == access.kept.size())
      return emit(op, visit, Row{tile, 1, base, 0, 0, inside});
    const AccessAxis &axis = access.kept[level];
    int64_t size = sizeOf(axis);
    const int32_t *indices = frame.at<int32_t>(axis.slot);
    if (!axis.gathers && level + 1 == access.kept.size()) {
      int64_t start = indices[0];
      int64_t low = std::clamp<int64_t>(-start, 0, axis.extent);
      int64_t high = std::clamp<int64_t>(std::min(size - start, axis.valid), low, axis.extent);
      if (axis.inBounds && inside && (low != 0 || high != axis.valid))
        return frame.fail(op, "is out of bounds against its word");
      return emit(op, visit,
                  Row{tile, axis.extent, base + start * axis.stride, axis.stride, low,
                      inside ? high : low});
    }
    for (int64_t i = 0; i < axis.extent && !frame.execution.failure; ++i) {
      int64_t index = axis.gathers ? indices[i] : indices[0] + i;
      bool here = inside && i < axis.valid && index >= 0 && index < size;
      if (axis.inBounds && inside && i < axis.valid && !here)
        return frame.fail(op, "is out of bounds against its word");
      walk(op, visit, level + 1, here ? base + index * axis.stride : base, here,
           tile + i * axis.tileStride);
    }
  }

  template <typename Visit> void emit(mlir::Operation *op, Visit &visit, Row row) {
    if (row.inside() > 0) {
      int64_t first = row.begin(), last = row.begin() + (row.inside() - 1) * row.stride;
      int64_t elements = access.view->view->buffer->elements;
      if (std::min(first, last) < 0 || std::max(first, last) >= elements)
        return frame.fail(op, "reaches element " +
                                  std::to_string(first < 0 || first >= elements ? first : last) +
                                  " of `" + access.view->name + "`, whose allocation holds " +
                                  std::to_string(elements));
    }
    visit(row);
  }

  const Access &access;
  Frame &frame;
};

/// The access of a load, store or atomic; the view's axes pair up with indices and extents.
Access makeAccess(Compiler &compiler, mlir::Value view, mlir::ValueRange indices,
                  llvm::ArrayRef<int64_t> extents, std::optional<llvm::ArrayRef<int64_t>> valid,
                  std::optional<llvm::ArrayRef<bool>> inBounds);

/// Between memory and a tile, as the interpreter holds it. Outside of the view a load gives `fill`,
/// an element; where the warpgroups of a role part, each stores the rows that are its own.
void loadTile(const Access &access, Frame &frame, mlir::Operation *op, char *tile,
              const void *fill);
void storeTile(const Access &access, Frame &frame, mlir::Operation *op, const char *tile);
void updateTile(const Access &access, Frame &frame, mlir::Operation *op, const char *tile,
                tile::AtomicKind kind);

} // namespace tilewright::simulator

#endif
