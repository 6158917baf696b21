//===- Operands.h - one product of a warpgroup, in every form of its operands -----------------===//
#ifndef TILEWRIGHT_TESTS_HOPPER_OPERANDS_H
#define TILEWRIGHT_TESTS_HOPPER_OPERANDS_H

#include "ir/PanelLayout.h"
#include "tests/hopper/Program.h"

#include <ostream>
#include <vector>

namespace tilewright::hopper {

/// d[64, n] = a · b over k = 256 bytes of elements, the whole of it one block's work. K-major
/// operands are tensors [64, k] and [n, k], MN-major ones [k, 64] and [k, n].
struct Product {
  const char *type = "bf16"; // as MLIR spells it; of both operands
  int64_t n = 64;
  Major majorA = Major::K, majorB = Major::K;
  int64_t swizzle = 128;
  bool aInRegisters = false;

  int64_t elementBytes() const;
  int64_t k() const { return 256 / elementBytes(); }
  std::string sumType() const { return std::string(type) == "i8" ? "i32" : "f32"; }
  PanelLayout layoutA() const;
  PanelLayout layoutB() const;

  /// The kernel: TMA brings each panel, then one group of products, then plain stores.
  std::string ir() const;
  runtime::KernelSource source() const;
};

std::ostream &operator<<(std::ostream &stream, const Product &product);

/// Forms that together meet every type, swizzle, majorness and place of `a`.
std::vector<Product> allProducts();

/// Operands of small integers, which every type holds, and their product. Deterministic.
struct Numbers {
  explicit Numbers(const Product &product);
  std::vector<char> a, b;   // as the tensors' bytes
  std::vector<int> product; // 64 × n, exact
};

} // namespace tilewright::hopper

#endif
