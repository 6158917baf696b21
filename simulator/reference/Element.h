//===- Element.h - how the interpreter holds elements -----------------------------------------===//
//
// Every element type is held in one of four storages. Floats are f32 that the type can represent
// exactly; f64, which no kernel has but what is checked without rounding, is held as it is.
// Integers are sign-extended to 32 or 64 bits, so a true i1 is -1 and serves as a mask. An
// operation computes in the storage and then narrows once: rounds, or wraps to the width.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_REFERENCE_ELEMENT_H
#define TILEWRIGHT_SIMULATOR_REFERENCE_ELEMENT_H

#include <cstdint>

namespace tilewright::simulator {

enum class ElementKind : uint8_t { I1, I8, I16, I32, I64, F8E4M3FN, F8E5M2, F16, BF16, F32, F64 };
inline constexpr int kNumElementKinds = 11;

enum class Storage : uint8_t { Float, Int32, Int64, Double };
inline constexpr int kNumStorages = 4;

inline bool isFloat(ElementKind kind) { return kind >= ElementKind::F8E4M3FN; }

inline Storage storageOf(ElementKind kind) {
  if (isFloat(kind))
    return kind == ElementKind::F64 ? Storage::Double : Storage::Float;
  return kind == ElementKind::I64 ? Storage::Int64 : Storage::Int32;
}

inline int64_t storageBytes(Storage storage) { return storage >= Storage::Int64 ? 8 : 4; }

inline int bitsOf(ElementKind kind) {
  constexpr int kBits[kNumElementKinds] = {1, 8, 16, 32, 64, 8, 8, 16, 16, 32, 64};
  return kBits[int(kind)];
}

/// Bytes of one element in global memory; an i1 takes a byte.
inline int64_t memoryBytes(ElementKind kind) { return (bitsOf(kind) + 7) / 8; }

} // namespace tilewright::simulator

#endif
