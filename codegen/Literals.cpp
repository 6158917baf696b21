#include "codegen/Printer.h"
#include "ir/cuda/Cuda.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

/// Short names of the element types, as the prelude spells them.
static std::optional<StringRef> scalarName(Type type) {
  if (type.isIndex())
    return "i64";
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return "bool";
    case 8:
      return "i8";
    case 16:
      return "i16";
    case 32:
      return "i32";
    case 64:
      return "i64";
    }
    return std::nullopt;
  }
  if (type.isF32())
    return "f32";
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  if (isa<Float8E4M3FNType>(type))
    return "f8e4m3";
  if (isa<Float8E5M2Type>(type))
    return "f8e5m2";
  return std::nullopt;
}

std::optional<StringRef> codegen::typeName(Type type) {
  auto word = dyn_cast<VectorType>(type);
  if (!word)
    return scalarName(type);
  auto element = scalarName(word.getElementType());
  if (!element || word.getRank() != 1)
    return std::nullopt;
  return llvm::StringSwitch<std::optional<StringRef>>(
             (*element + "x" + Twine(word.getDimSize(0))).str())
      .Case("f16x2", "f16x2")
      .Case("bf16x2", "bf16x2")
      .Case("i16x2", "i16x2")
      .Case("i8x4", "i8x4")
      .Case("f8e4m3x4", "f8e4m3x4")
      .Case("f8e5m2x4", "f8e5m2x4")
      .Default(std::nullopt);
}

static Text floatLiteral(float value) {
  if (std::isnan(value))
    return {"kNaN"};
  Binding binding = std::signbit(value) ? Binding::Unary : Binding::Primary;
  if (std::isinf(value))
    return {value < 0 ? "-kInf" : "kInf", binding};
  char digits[32];
  auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  std::string text(digits, end);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return {text + "f", binding};
}

static Text integerLiteral(const APInt &value, Type type, bool typed) {
  if (type.isInteger(1))
    return {value.isZero() ? "false" : "true"};
  std::string digits = llvm::toString(value, 10, /*Signed=*/true);
  // The digits of the lowest value do not fit the type without the sign, and its hexadecimal form
  // is unsigned.
  bool isLowest = value.isMinSignedValue() && value.getBitWidth() >= 32;
  if (isLowest)
    digits = "0x" + llvm::toString(value, 16, /*Signed=*/false);
  if (isLowest || (typed && !type.isInteger(32)))
    return {(*typeName(type) + "(" + digits + ")").str()};
  return {digits, digits[0] == '-' ? Binding::Unary : Binding::Primary};
}

static APInt bitsOf(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().bitcastToAPInt();
  return cast<IntegerAttr>(value).getValue();
}

/// A packed word: its values one after the other, the first in the lowest bits.
static std::optional<Text> wordLiteral(DenseElementsAttr values) {
  APInt word(32, 0);
  unsigned position = 0;
  for (Attribute value : values.getValues<Attribute>()) {
    APInt bits = bitsOf(value);
    word.insertBits(bits, position);
    position += bits.getBitWidth();
  }
  return Text{"0x" + StringRef(llvm::toString(word, 16, false)).lower() + "u"};
}

std::optional<Text> codegen::literal(TypedAttr value, bool typed) {
  auto type = typeName(value.getType());
  if (!type)
    return std::nullopt;
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integerLiteral(integer.getValue(), value.getType(), typed);
  if (auto number = dyn_cast<FloatAttr>(value)) {
    if (value.getType().isF32())
      return floatLiteral(number.getValue().convertToFloat());
    std::string bits = StringRef(llvm::toString(bitsOf(value), 16, false)).lower();
    return Text{(*type + "(0x" + bits + ")").str()};
  }
  if (auto values = dyn_cast<DenseElementsAttr>(value))
    return wordLiteral(values);
  return std::nullopt;
}
