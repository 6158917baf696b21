#include "tests/hopper/Operands.h"

#include "runtime/ElementType.h"
#include "simulator/NarrowFloat.h"

#include <cstring>
#include <random>
#include <sstream>

using namespace tilewright;
using namespace tilewright::hopper;

static runtime::ElementType elementType(const std::string &type) {
  return type == "f8E4M3FN" ? runtime::ElementType::F8E4M3
         : type == "f8E5M2" ? runtime::ElementType::F8E5M2
                            : *runtime::elementTypeByName(type);
}

int64_t Product::elementBytes() const { return runtime::bytesOf(elementType(type)); }

PanelLayout Product::layoutA() const {
  bool byK = majorA == Major::K;
  return {byK ? 64 : k(), byK ? k() : 64, elementBytes(), swizzle};
}

PanelLayout Product::layoutB() const {
  bool byK = majorB == Major::K;
  return {byK ? n : k(), byK ? k() : n, elementBytes(), swizzle};
}

std::ostream &hopper::operator<<(std::ostream &stream, const Product &product) {
  auto name = [](Major major) { return major == Major::K ? "K" : "MN"; };
  return stream << product.type << " n " << product.n << " a " << name(product.majorA)
                << (product.aInRegisters ? " in registers" : "") << " b " << name(product.majorB)
                << " swizzle " << product.swizzle;
}

std::vector<Product> hopper::allProducts() {
  std::vector<Product> products;
  for (const char *type : {"bf16", "f16", "f32", "f8E4M3FN", "f8E5M2", "i8"})
    for (int64_t swizzle : {0, 32, 64, 128}) {
      bool isNarrow = type == std::string("bf16") || type == std::string("f16");
      products.push_back({type, 96, Major::K, Major::K, swizzle, false});
      products.push_back({type, 16, Major::K, Major::K, swizzle, true});
      if (!isNarrow)
        continue;
      products.push_back({type, 256, Major::MN, Major::MN, swizzle, false});
      products.push_back({type, 128, Major::K, Major::MN, swizzle, true});
    }
  return products;
}

//===- The kernel -----------------------------------------------------------------------------===//

namespace {
/// Writes lines of IR; `number` gives the constant of a value, declared when first used.
class Writer {
public:
  explicit Writer(const Product &product) : product(product) {}
  std::string write();

private:
  std::string number(int64_t value);
  std::string mapType(const PanelLayout &layout) const;
  std::string parameters() const;
  /// One copy per panel of an operand.
  void copy(const char *operand, const PanelLayout &layout, int64_t base);
  void loadFragment(int64_t step);
  void multiply(int64_t step);
  void store();

  const Product &product;
  std::ostringstream constants, body;
  std::vector<int64_t> known;
};
} // namespace

std::string Writer::number(int64_t value) {
  if (std::find(known.begin(), known.end(), value) == known.end())
    constants << "%c" << value << " = arith.constant " << value << " : i32\n";
  known.push_back(value);
  return "%c" + std::to_string(value);
}

std::string Writer::mapType(const PanelLayout &layout) const {
  auto [rows, columns] = layout.box();
  std::ostringstream type;
  type << "!cuda.tensor_map<tensor<" << rows << "x" << columns << "x" << product.type
       << ">, swizzle " << layout.swizzle << ">";
  return type.str();
}

std::string Writer::parameters() const {
  auto map = [](int argument) {
    return "{cuda.param = {kind = \"tensor_map\", argument = " + std::to_string(argument) +
           ", axis = 0, axes = [0, 1]}}";
  };
  auto pointer = [](int argument) {
    return "{cuda.param = {kind = \"pointer\", argument = " + std::to_string(argument) +
           ", axis = 0}}";
  };
  return "%a_map: " + mapType(product.layoutA()) + map(0) +
         ", %b_map: " + mapType(product.layoutB()) + map(1) + ", %a: !cuda.ptr<" + product.type +
         "> " + pointer(0) + ", %d: !cuda.ptr<" + product.sumType() + "> " + pointer(2);
}

void Writer::copy(const char *operand, const PanelLayout &layout, int64_t base) {
  for (int64_t panel = 0; panel < layout.panels(); ++panel) {
    std::string address = "%" + std::string(operand) + "_panel" + std::to_string(panel);
    body << address << " = arith.addi %tiles, " << number(base + panel * layout.panelBytes())
         << " : i32\n";
    body << "cuda.tma_load %" << operand << "_map[" << number(0) << ", "
         << number(panel * layout.panelColumns()) << "], " << address
         << ", %full : " << mapType(layout) << "\n";
  }
}

/// Word w of a lane: row l / 4 + 8 (w % 2) of its warp's 16, bytes 16 (w / 2) + 4 (l % 4) of 32.
void Writer::loadFragment(int64_t step) {
  std::string count = std::to_string(4 / product.elementBytes());
  for (int64_t word = 0; word < 4; ++word) {
    int64_t element = (step * 32 + word / 2 * 16) / product.elementBytes();
    std::string offset = "%at" + std::to_string(step) + "_" + std::to_string(word);
    body << offset << " = arith.addi %fragment, " << number(word % 2 * 8 * product.k() + element)
         << " : i32\n";
    body << "cuda.load_global %a[" << offset << "], %words" << step << "[" << number(word)
         << "] {count = " << count << " : i64} : !cuda.ptr<" << product.type << ">, i32, %WORDS\n";
  }
}

void Writer::multiply(int64_t step) {
  auto offset = [&](Major major, const PanelLayout &layout) {
    int64_t first = step * 32 / product.elementBytes();
    return major == Major::K ? layout.operandOffset(0, first) : layout.operandOffset(first, 0);
  };
  std::string a = "%words" + std::to_string(step) + "[" + number(0) + "]", aType = "%WORDS";
  if (!product.aInRegisters) {
    a = "%a" + std::to_string(step);
    aType = "i64";
    body << a << " = cuda.advance_descriptor %a_descriptor, "
         << number(offset(product.majorA, product.layoutA())) << "\n";
    a += product.majorA == Major::MN ? " trans_a" : "";
  }
  std::string b = "%b" + std::to_string(step);
  body << b << " = cuda.advance_descriptor %b_descriptor, "
       << number(offset(product.majorB, product.layoutB())) << "\n";
  body << "cuda.wgmma " << product.n << " %acc[" << number(0) << "], " << a << ", " << b
       << (product.majorB == Major::MN ? " trans_b" : "") << (step ? "" : " if %no") << " : %ACC, "
       << aType << ", " << product.type << " x " << product.type << "\n";
}

void Writer::store() {
  body << "scf.for %j = " << number(0) << " to " << number(product.n / 8) << " step " << number(1)
       << " : i32 {\nscf.for %half = " << number(0) << " to " << number(2) << " step " << number(1)
       << " : i32 {\n%j4 = arith.muli %j, " << number(4) << " : i32\n%h2 = arith.muli %half, "
       << number(2) << " : i32\n%r = arith.addi %j4, %h2 : i32\n%j8 = arith.muli %j, " << number(8)
       << " : i32\n%down = arith.muli %half, " << number(8 * product.n)
       << " : i32\n%o1 = arith.addi %place, %j8 : i32\n%o2 = arith.addi %o1, %down : i32\n"
       << "cuda.store_global %acc[%r], %d[%o2] {count = 2 : i64} : %ACC, !cuda.ptr<"
       << product.sumType() << ">, i32\n} {cuda.unroll}\n} {cuda.unroll}\n";
}

static void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string Writer::write() {
  PanelLayout a = product.layoutA(), b = product.layoutB();
  int64_t bTile = a.bytes(), barrier = bTile + b.bytes(), steps = 8;
  int64_t copied = b.bytes() + (product.aInRegisters ? 0 : a.bytes());
  auto descriptor = [&](const char *name, Major major, const PanelLayout &layout,
                        const std::string &tile) {
    MatrixDescriptor fields = layout.descriptor(major);
    body << "%" << name << "_descriptor = cuda.matrix_descriptor " << tile
         << " {leading = " << fields.leading << " : i64, stride = " << fields.stride
         << " : i64, swizzle = " << fields.swizzle << " : i64}\n";
  };

  body << "%no = arith.constant false\n%tiles = cuda.shared 0, " << barrier
       << "\n%full = cuda.shared " << barrier << ", 8\n%t = cuda.thread_id\n"
       << "%is_first = arith.cmpi eq, %t, " << number(0) << " : i32\nscf.if %is_first {\n"
       << "cuda.mbarrier_init %full, 1\ncuda.fence mbarrier_init\n}\ncuda.barrier\n"
       << "scf.if %is_first {\ncuda.mbarrier_arrive_expect_tx %full, " << number(copied) << "\n";
  if (!product.aInRegisters)
    copy("a", a, 0);
  copy("b", b, bTile);
  body << "}\n%l = arith.andi %t, " << number(31) << " : i32\n%w = arith.shrui %t, " << number(5)
       << " : i32\n%w16 = arith.muli %w, " << number(16) << " : i32\n%l4 = arith.shrui %l, "
       << number(2) << " : i32\n%row = arith.addi %w16, %l4 : i32\n%q = arith.andi %l, "
       << number(3) << " : i32\n%q2 = arith.muli %q, " << number(2)
       << " : i32\n%row_place = arith.muli %row, " << number(product.n)
       << " : i32\n%place = arith.addi %row_place, %q2 : i32\n%acc = cuda.regs : %ACC\n";
  if (product.aInRegisters) {
    body << "%row_start = arith.muli %row, " << number(product.k())
         << " : i32\n%q_start = arith.muli %q, " << number(4 / product.elementBytes())
         << " : i32\n%fragment = arith.addi %row_start, %q_start : i32\n";
    for (int64_t step = 0; step < steps; ++step) {
      body << "%words" << step << " = cuda.regs : %WORDS\n";
      loadFragment(step);
    }
  } else {
    descriptor("a", product.majorA, a, "%tiles");
  }
  body << "%b_tile = arith.addi %tiles, " << number(bTile) << " : i32\n";
  descriptor("b", product.majorB, b, "%b_tile");
  body << "cuda.mbarrier_wait %full, " << number(0) << "\ncuda.wgmma_fence\n";
  for (int64_t step = 0; step < steps; ++step)
    multiply(step);
  body << "cuda.wgmma_commit\ncuda.wgmma_wait 0, %acc : %ACC\n";
  store();

  std::ostringstream kernel;
  kernel << "func.func @product(" << parameters()
         << ") attributes {cuda.kernel, cuda.threads = 128 : i32, cuda.shared_bytes = "
         << barrier + 8 << " : i32} {\n"
         << constants.str() << body.str() << "return\n}\n";
  std::string text = kernel.str();
  int64_t perWord = 4 / product.elementBytes();
  replaceAll(text, "%ACC",
             "!cuda.regs<" + std::to_string(product.n / 2) + " x " + product.sumType() + ">");
  replaceAll(text, "%WORDS",
             perWord == 1
                 ? "!cuda.regs<4 x f32>"
                 : "!cuda.regs<4 x vector<" + std::to_string(perWord) + "x" + product.type + ">>");
  return text;
}

std::string Product::ir() const { return Writer(*this).write(); }

runtime::KernelSource Product::source() const {
  runtime::ElementType type = elementType(this->type);
  runtime::ElementType sum =
      sumType() == "i32" ? runtime::ElementType::I32 : runtime::ElementType::F32;
  return describe(parse(ir()),
                  {tensor("a", type, {"A0", "A1"}), tensor("b", type, {"B0", "B1"}),
                   tensor("d", sum, {"M", "N"})},
                  "1");
}

//===- Numbers --------------------------------------------------------------------------------===//

/// The bits of a small integer.
static uint32_t bitsOf(const std::string &type, int value) {
  auto x = float(value);
  if (type == "bf16")
    return simulator::encode<simulator::BFloat16>(x);
  if (type == "f16")
    return simulator::encode<simulator::Float16>(x);
  if (type == "f8E4M3FN")
    return simulator::encode<simulator::Float8E4M3FN>(x);
  if (type == "f8E5M2")
    return simulator::encode<simulator::Float8E5M2>(x);
  return type == "i8" ? uint32_t(value) : std::bit_cast<uint32_t>(x);
}

/// Fills a rows × k operand, K-major or not, and its bytes.
static std::vector<int> fill(const Product &product, int64_t rows, Major major,
                             std::mt19937 &random, std::vector<char> &bytes) {
  int64_t size = product.elementBytes(), k = product.k();
  std::vector<int> values(size_t(rows * k));
  bytes.resize(size_t(rows * k * size));
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < k; ++column) {
      int value = int(random() % 7) - 3;
      values[size_t(row * k + column)] = value;
      int64_t place = major == Major::K ? row * k + column : column * rows + row;
      uint32_t bits = bitsOf(product.type, value);
      std::memcpy(&bytes[size_t(place * size)], &bits, size_t(size));
    }
  return values;
}

Numbers::Numbers(const Product &product) : product(size_t(64 * product.n)) {
  std::mt19937 random(7);
  std::vector<int> aValues = fill(product, 64, product.majorA, random, a);
  std::vector<int> bValues = fill(product, product.n, product.majorB, random, b);
  int64_t k = product.k();
  for (int64_t row = 0; row < 64; ++row)
    for (int64_t column = 0; column < product.n; ++column) {
      int sum = 0;
      for (int64_t i = 0; i < k; ++i)
        sum += aValues[size_t(row * k + i)] * bValues[size_t(column * k + i)];
      this->product[size_t(row * product.n + column)] = sum;
    }
}
