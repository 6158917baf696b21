#include "simulator/NarrowFloat.h"
#include "simulator/reference/Kernels.h"

namespace tilewright::simulator::TILEWRIGHT_VARIANT {

/// An element in memory as `Memory` and in a tile as `Tile`.
template <typename M, typename T> struct Integer {
  using Memory = M;
  using Tile = T;
  TILEWRIGHT_INLINE static Tile load(Memory x) { return Tile(x); }
  TILEWRIGHT_INLINE static Memory store(Tile x) { return Memory(x); }
};
struct Bool {
  using Memory = uint8_t;
  using Tile = int32_t;
  TILEWRIGHT_INLINE static Tile load(Memory x) { return x ? -1 : 0; }
  TILEWRIGHT_INLINE static Memory store(Tile x) { return x & 1; }
};
template <typename T> struct Whole {
  using Memory = T;
  using Tile = T;
  TILEWRIGHT_INLINE static Tile load(Memory x) { return x; }
  TILEWRIGHT_INLINE static Memory store(Tile x) { return x; }
};
template <typename Format, typename M> struct Narrow {
  using Memory = M;
  using Tile = float;
  TILEWRIGHT_INLINE static Tile load(Memory x) { return decode<Format>(x); }
  TILEWRIGHT_INLINE static Memory store(Tile x) { return Memory(encode<Format>(x)); }
};

template <typename Type>
static void loadRow(void *tile, const void *memory, int64_t stride, int64_t count) {
  auto *to = static_cast<typename Type::Tile *>(tile);
  auto *from = static_cast<const typename Type::Memory *>(memory);
  if (stride == 1) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i)
      to[i] = Type::load(from[i]);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    to[i] = Type::load(from[i * stride]);
}

template <typename Type>
static void storeRow(void *memory, const void *tile, int64_t stride, int64_t count) {
  auto *to = static_cast<typename Type::Memory *>(memory);
  auto *from = static_cast<const typename Type::Tile *>(tile);
  if (stride == 1) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i)
      to[i] = Type::store(from[i]);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    to[i * stride] = Type::store(from[i]);
}

template <typename Type> static void add(Kernels &table, ElementKind kind) {
  table.loadRow[int(kind)] = loadRow<Type>;
  table.storeRow[int(kind)] = storeRow<Type>;
}

void addRowKernels(Kernels &table) {
  add<Bool>(table, ElementKind::I1);
  add<Integer<int8_t, int32_t>>(table, ElementKind::I8);
  add<Integer<int16_t, int32_t>>(table, ElementKind::I16);
  add<Integer<int32_t, int32_t>>(table, ElementKind::I32);
  add<Integer<int64_t, int64_t>>(table, ElementKind::I64);
  add<Narrow<Float8E4M3FN, uint8_t>>(table, ElementKind::F8E4M3FN);
  add<Narrow<Float8E5M2, uint8_t>>(table, ElementKind::F8E5M2);
  add<Narrow<Float16, uint16_t>>(table, ElementKind::F16);
  add<Narrow<BFloat16, uint16_t>>(table, ElementKind::BF16);
  add<Whole<float>>(table, ElementKind::F32);
  add<Whole<double>>(table, ElementKind::F64);
}

} // namespace tilewright::simulator::TILEWRIGHT_VARIANT
