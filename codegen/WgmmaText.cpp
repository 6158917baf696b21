//===- WgmmaText.cpp - device functions of products of a warpgroup ----------------------------===//
#include "codegen/MadeFunctions.h"
#include "codegen/Printer.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

/// Our name of an operand's type, and PTX's.
static std::string ourName(Type type) { return type.isF32() ? "tf32" : typeName(type)->str(); }

static StringRef ptxName(Type type) {
  if (type.isInteger(8))
    return "s8";
  if (type.isF32())
    return "tf32";
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  if (isa<Float8E5M2Type>(type))
    return "e5m2";
  return *typeName(type);
}

/// `m64n256k16`
static std::string shapeName(cuda::WgmmaOp op) {
  return ("m64n" + Twine(op.getN()) + "k" + Twine(op.getK())).str();
}

static std::string functionName(cuda::WgmmaOp op) {
  std::string name = "wgmma_" + shapeName(op) + "_" + ourName(op.getAType());
  if (op.getAType() != op.getBType())
    name += "_" + ourName(op.getBType());
  if (op.hasARegisters())
    name += "_a_regs";
  return name + (op.getTransA() ? "_trans_a" : "") + (op.getTransB() ? "_trans_b" : "");
}

/// `%first, %first+1, …`, filled into quoted lines.
static std::string places(int64_t first, int64_t count, StringRef indent) {
  std::string text, line;
  for (int64_t i = 0; i < count; ++i) {
    line += "%" + std::to_string(first + i) + (i + 1 < count ? ", " : "");
    if (line.size() > 72 && i + 1 < count) {
      text += line + "\"\n" + indent.str() + "\"";
      line.clear();
    }
  }
  return text + line;
}

/// `"constraint"(value[0]), …` for `value` with `#` for the index, six in a line.
static std::string elements(StringRef constraint, StringRef value, int64_t count,
                            StringRef indent) {
  std::string text;
  auto [before, after] = value.split('#');
  for (int64_t i = 0; i < count; ++i) {
    text += i == 0 ? "" : i % 6 ? ", " : ",\n" + indent.str();
    text += ("\"" + constraint + "\"(" + before + Twine(i) + after + ")").str();
  }
  return text;
}

/// Scale factors and majorness, which follow the operands.
static std::string immediates(cuda::WgmmaOp op) {
  if (op.getAType().isInteger(8))
    return "";
  std::string text = ", 1, 1";
  if (op.getAType().getIntOrFloatBitWidth() != 16)
    return text;
  if (!op.hasARegisters())
    text += op.getTransA() ? ", 1" : ", 0";
  return text + (op.getTransB() ? ", 1" : ", 0");
}

MadeFunction codegen::wgmma(cuda::WgmmaOp op) {
  static constexpr StringLiteral indent = "               ";
  int64_t sums = op.getN() / 2, aPlaces = op.hasARegisters() ? 4 : 1;
  bool integers = op.getAType().isInteger(8), words = !op.getAType().isF32();
  std::string name = functionName(op), sum = integers ? "i32" : "f32";
  std::string a = op.hasARegisters() ? (words ? "const u32 *a" : "const f32 *a") : "u64 a";

  std::string text = "// d = a * b + (accumulate ? d : 0), asynchronously.\n";
  text += "__device__ __forceinline__ void " + name + "(" + sum + " *d, " + a +
          ", u64 b, bool accumulate = true) {\n";
  auto line = [&](const Twine &content) { text += (indent + "\"" + content + "\"\n").str(); };
  text += "  asm volatile(\"{\\n\\t\"\n";
  line(".reg .pred accumulate;\\n\\t");
  line("setp.ne.b32 accumulate, %" + Twine(sums + aPlaces + 1) + ", 0;\\n\\t");
  line("wgmma.mma_async.sync.aligned." + shapeName(op) + "." + (integers ? "s32" : "f32") + "." +
       ptxName(op.getAType()) + "." + ptxName(op.getBType()) + " ");
  line("{" + places(0, sums, indent) + "}, ");
  std::string aText = places(sums, aPlaces, indent);
  line((op.hasARegisters() ? "{" + aText + "}" : aText) + ", %" + Twine(sums + aPlaces) +
       ", accumulate" + immediates(op) + ";\\n\\t");
  line("}");
  text += (indent + ": " + elements(integers ? "+r" : "+f", "d[#]", sums, (indent + "  ").str()) +
           "\n" + indent + ": ")
              .str();
  text += op.hasARegisters() ? elements("r", words ? "a[#]" : "__float_as_uint(a[#])", 4, "")
                             : "\"l\"(a)";
  text += ", \"l\"(b), \"r\"(i32(accumulate))\n" + indent.str() + ": \"memory\");\n}\n";
  return {name, text};
}
