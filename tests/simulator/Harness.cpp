#include "tests/simulator/Harness.h"

#include "ir/cta/Cta.h"
#include "simulator/NarrowFloat.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <chrono>
#include <cstring>

using namespace mlir;

namespace tilewright::simulator {

template <typename T> static void put(std::vector<char> &bytes, T value) {
  const char *raw = reinterpret_cast<const char *>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof(T));
}

static void append(std::vector<char> &bytes, StringRef type, double value) {
  if (type == "f32")
    put(bytes, float(value));
  else if (type == "bf16")
    put(bytes, uint16_t(encode<BFloat16>(float(value))));
  else if (type == "f16")
    put(bytes, uint16_t(encode<Float16>(float(value))));
  else if (type == "f8E5M2")
    put(bytes, uint8_t(encode<Float8E5M2>(float(value))));
  else if (type == "f8E4M3FN")
    put(bytes, uint8_t(encode<Float8E4M3FN>(float(value))));
  else if (type == "i64")
    put(bytes, int64_t(value));
  else if (type == "i32")
    put(bytes, int32_t(value));
  else if (type == "i16")
    put(bytes, int16_t(value));
  else
    put(bytes, int8_t(value));
}

template <typename T> static T get(const std::vector<char> &bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

std::vector<double> Array::values() const {
  std::vector<double> result;
  for (int64_t i = 0; i < buffer.elements; ++i) {
    if (type == "f32")
      result.push_back(get<float>(bytes, i));
    else if (type == "bf16")
      result.push_back(decode<BFloat16>(get<uint16_t>(bytes, i)));
    else if (type == "f16")
      result.push_back(decode<Float16>(get<uint16_t>(bytes, i)));
    else if (type == "f8E5M2")
      result.push_back(decode<Float8E5M2>(get<uint8_t>(bytes, i)));
    else if (type == "f8E4M3FN")
      result.push_back(decode<Float8E4M3FN>(get<uint8_t>(bytes, i)));
    else if (type == "i64")
      result.push_back(double(get<int64_t>(bytes, i)));
    else if (type == "i32")
      result.push_back(get<int32_t>(bytes, i));
    else if (type == "i16")
      result.push_back(get<int16_t>(bytes, i));
    else
      result.push_back(get<int8_t>(bytes, i));
  }
  return result;
}

Harness::Harness() {
  context.loadDialect<cta::CtaDialect, tile::TileDialect, arith::ArithDialect, math::MathDialect,
                      scf::SCFDialect, func::FuncDialect>();
}

Array &Harness::array(const std::string &type, std::vector<double> values) {
  Array &made = arrays.emplace_back();
  made.type = type;
  for (double value : values)
    append(made.bytes, type, value);
  made.buffer.elementType = parseType(type, &context);
  made.buffer.data = made.bytes.data();
  made.buffer.elements = int64_t(values.size());
  return made;
}

bool Harness::run(const std::string &text, std::vector<Argument> arguments, Options options) {
  errors.clear();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    auto add = [&](Diagnostic &one) {
      if (auto place = dyn_cast<FileLineColLoc>(one.getLocation()))
        errors += std::to_string(place.getLine()) + ": ";
      errors += one.str() + "\n";
    };
    add(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      add(note);
    return success();
  });
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return false;
  auto start = std::chrono::steady_clock::now();
  auto kernel = *module->getOps<func::FuncOp>().begin();
  bool ok = succeeded(interpret(kernel, arguments, options, &statistics));
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return ok;
}

std::vector<double> Harness::map(const std::string &body, const std::string &resultType,
                                 std::vector<Array *> inputs) {
  int64_t count = inputs.front()->buffer.elements;
  std::string size = std::to_string(count);
  Array &output = zeros(resultType, count);
  std::string signature, loads;
  std::vector<Argument> arguments;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string name(1, char('a' + i)), type = size + "x" + inputs[i]->type;
    signature += "%" + name + "_view: !tile.view<" + type + ">, ";
    loads += "%" + name + " = tile.load %" + name + "_view[%zero] extents [" + size +
             "] : !tile.view<" + type + ">, i32 -> tensor<" + type + ">\n";
    arguments.push_back(makeView(inputs[i]->buffer, {count}));
  }
  arguments.push_back(makeView(output.buffer, {count}));
  std::string type = size + "x" + resultType;
  bool ok =
      run("func.func @f(" + signature + "%out: !tile.view<" + type +
              ">) attributes {tile.kernel} {\n tile.grid []\n %zero = arith.constant 0 : i32\n" +
              loads + body + "\n tile.store %r, %out[%zero] extents [" + size + "] : tensor<" +
              type + ">, !tile.view<" + type + ">, i32\n return\n}",
          arguments);
  return ok ? output.values() : std::vector<double>();
}

} // namespace tilewright::simulator
