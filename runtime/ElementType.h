//===- ElementType.h - Element types of tensors and scalars -----*- C++ -*-===//

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright::runtime {

enum class ElementType : uint8_t {
#define TILEWRIGHT_ELEMENT_TYPE(enumerator, name, bytes, kind) enumerator,
#include "runtime/ElementTypes.def"
};

enum class ElementKind : uint8_t { Bool, Int, Float };

struct ElementTypeInfo {
  ElementType type;
  std::string_view name; ///< As written in the language: `bf16`.
  unsigned bytes;
  ElementKind kind;
};

inline constexpr std::array kElementTypes = {
#define TILEWRIGHT_ELEMENT_TYPE(enumerator, name, bytes, kind)                                     \
  ElementTypeInfo{ElementType::enumerator, name, bytes, ElementKind::kind},
#include "runtime/ElementTypes.def"
};

constexpr const ElementTypeInfo &info(ElementType type) {
  return kElementTypes[static_cast<size_t>(type)];
}
constexpr std::string_view nameOf(ElementType type) { return info(type).name; }
constexpr unsigned bytesOf(ElementType type) { return info(type).bytes; }

/// The type with this name in the language, if there is one.
constexpr std::optional<ElementType> elementTypeByName(std::string_view name) {
  for (const ElementTypeInfo &entry : kElementTypes)
    if (entry.name == name)
      return entry.type;
  return std::nullopt;
}

} // namespace tilewright::runtime
