//===- Simulation.h - the programs of this folder in the machine simulator --------------------===//
#ifndef TILEWRIGHT_TESTS_HOPPER_SIMULATION_H
#define TILEWRIGHT_TESTS_HOPPER_SIMULATION_H

#include "simulator/Machine.h"
#include "tests/hopper/Operands.h"
#include "tests/hopper/Program.h"

#include "llvm/ADT/StringMap.h"

namespace tilewright::hopper {

/// The flags of a run's findings, in order: "race deadlock"; the messages too, if asked for.
std::string simulateKernel(const Program &program,
                           llvm::ArrayRef<simulator::MachineArgument> arguments, int64_t grid,
                           simulator::MachineOptions options, std::string *messages = nullptr);

/// Eager, lazy and a few random ones.
std::vector<simulator::MachineOptions> schedules(unsigned random);

/// A row-major matrix in the memory of the simulator, or a tensor: the rows of all but its last
/// axis. Rows start at multiples of `alignment` elements.
struct HostMatrix {
  HostMatrix(const Program &program, const std::string &type, std::vector<int64_t> shape,
             int64_t alignment = 1);
  HostMatrix(const Program &program, const std::string &type, int64_t rows, int64_t columns,
             int64_t alignment = 1)
      : HostMatrix(program, type, std::vector{rows, columns}, alignment) {}
  /// Numbers of the type between -1 and 1.
  void fill(unsigned seed);
  float at(int64_t row, int64_t column) const;
  /// In elements.
  int64_t stride(int64_t axis) const;
  simulator::TensorMap map();

  int64_t elementBytes() const;

  std::string type; // bf16, f16, f32, f8E4M3FN
  std::vector<int64_t> shape;
  int64_t rows, columns, pitch; // pitch: elements from one row to the next
  std::vector<char> bytes;
  simulator::Buffer buffer;
};

/// What a kernel's parameters are, by what they say of themselves: maps, addresses and strides of
/// `tensors`, the kernel's first arguments; sizes and scalars by name; what follows from these and
/// from the number of programs.
llvm::SmallVector<simulator::MachineArgument>
bindArguments(const Program &program, llvm::ArrayRef<HostMatrix *> tensors,
              const llvm::StringMap<simulator::MachineArgument> &numbers, int64_t grid);

/// The next launch finds counters and flags as if it were the first; for programs that hang.
void forgetLaunches();

/// A program over matrices, with random operands: c[M, N] = a · b over K (gemm.mlir), the same
/// split (split_k.mlir), or c[M, 64] = (a · bᵀ) · v with b and v of K rows (chain.mlir).
class MatrixRun {
public:
  enum Kind { Plain, SplitK, Chain };
  MatrixRun(Kind kind, int64_t M, int64_t N, int64_t K, int64_t splits = 1);
  /// The same with another text of the kernel.
  MatrixRun(Kind kind, Program code, int64_t M, int64_t N, int64_t K, int64_t splits = 1);
  static const char *file(Kind kind);

  /// The findings' flags; c is made anew.
  std::string simulate(const simulator::MachineOptions &options, std::string *messages = nullptr);
  void expectProduct();

  /// Blocks that run it; by default one for each of its tiles.
  int64_t grid;

private:
  /// Row m of the left operand of the last product.
  std::vector<float> leftRow(int64_t m) const;
  /// An element of its right operand.
  float right(int64_t k, int64_t n) const {
    return kind == Plain ? b.at(n, k) : kind == SplitK ? b.at(k, n) : v.at(k, n);
  }

  Kind kind;
  int64_t splits;
  Program code;
  HostMatrix a, b, v, c;
};

/// One product of a warpgroup.
class ProductRun {
public:
  explicit ProductRun(const Product &product) : ProductRun(product, parse(product.ir())) {}
  /// The same with another text of the kernel.
  ProductRun(const Product &product, Program code);

  std::string simulate(const simulator::MachineOptions &options, std::string *messages = nullptr);
  bool isExact() const;

private:
  Product product;
  Numbers numbers;
  Program code;
  std::vector<int> sums; // the bits of f32 or i32
};

} // namespace tilewright::hopper

#endif
