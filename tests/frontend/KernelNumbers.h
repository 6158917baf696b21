// A kernel of kernels_src, lowered and run by the reference interpreter.
#ifndef TILEWRIGHT_TESTS_FRONTEND_KERNELNUMBERS_H
#define TILEWRIGHT_TESTS_FRONTEND_KERNELNUMBERS_H

#include "frontend/Frontend.h"
#include "tests/simulator/Harness.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tilewright::frontend {

using simulator::Argument;
using simulator::Array;
using simulator::ViewValue;
using Numbers = std::vector<double>;

class KernelNumbers : public testing::Test {
protected:
  /// Random multiples of 1/64 in [-2, 2], which every float type from bf16 on holds exactly.
  Array &random(const std::string &type, int64_t count) {
    Numbers numbers(count);
    for (double &number : numbers)
      number = type == "i8" ? double(int(generator() % 255) - 127)
                            : (int(generator() % 257) - 128) / 64.0;
    return harness.array(type, numbers);
  }

  ViewValue view(Array &array, std::vector<int64_t> shape) {
    return simulator::makeView(array.buffer, shape);
  }

  void run(const std::string &file, const std::string &kernel, Specialisation specialisation,
           std::vector<Argument> arguments) {
    std::string path = std::string(KERNELS_DIR) + "/" + file;
    auto text = llvm::MemoryBuffer::getFile(path);
    ASSERT_TRUE(bool(text)) << path;
    runText((*text)->getBuffer(), kernel, specialisation, arguments, path);
  }

  void runText(llvm::StringRef text, const std::string &kernel, Specialisation specialisation,
               std::vector<Argument> arguments, const std::string &path = "kernel.py") {
    auto program = parseProgram(text, path, harness.context);
    ASSERT_TRUE(program) << harness.errors;
    auto module = lower(*program, kernel, specialisation, harness.context);
    ASSERT_TRUE(module) << harness.errors;
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    ASSERT_TRUE(succeeded(simulator::interpret(function, arguments))) << harness.errors;
  }

  static void expectNear(const Array &array, const Numbers &expected, double tolerance) {
    Numbers values = array.values();
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::isinf(expected[i]))
        ASSERT_EQ(values[i], expected[i]) << "element " << i;
      else
        ASSERT_NEAR(values[i], expected[i], tolerance * (1 + std::abs(expected[i])))
            << "element " << i;
    }
  }

  simulator::Harness harness;
  std::mt19937 generator{7};
};

inline double silu(double v) { return v / (1 + std::exp(-v)); }

} // namespace tilewright::frontend

#endif
