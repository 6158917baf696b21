//===- MachineHarness.h - small kernels of the cuda dialect in the simulator ------------------===//
#ifndef TILEWRIGHT_TESTS_SIMULATOR_MACHINE_MACHINEHARNESS_H
#define TILEWRIGHT_TESTS_SIMULATOR_MACHINE_MACHINEHARNESS_H

#include "simulator/Machine.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <deque>
#include <gtest/gtest.h>

namespace tilewright::simulator {

/// A kernel's text: its arguments, its body, and what it takes.
struct KernelParts {
  std::string arguments; // `%x: !cuda.ptr<f32>, %n: i32`
  std::string body;
  int threads = 32;
  int sharedBytes = 0;
};

class MachineTest : public testing::Test {
protected:
  MachineTest();

  /// Parses a kernel; the test fails if it cannot.
  void load(const KernelParts &parts);
  /// Loads a module that has one function.
  void loadModule(const std::string &text);
  /// Runs the loaded kernel. Diagnostics go to `messages`.
  MachineResult run(llvm::ArrayRef<MachineArgument> arguments, int64_t grid = 1,
                    MachineOptions options = {});
  /// Loads and runs a kernel without arguments.
  MachineResult run(const KernelParts &parts, MachineOptions options = {});

  /// An allocation over a vector, which must outlive the run.
  template <typename T>
  Pointer pointer(std::vector<T> &values, llvm::StringRef type, bool initialized = true) {
    buffers.push_back({parseType(type), values.data(), int64_t(values.size()), initialized});
    return {&buffers.back()};
  }

  mlir::func::FuncOp kernel();

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::deque<Buffer> buffers;
  std::vector<std::string> messages; // "line: severity: text", notes after their error

private:
  mlir::Type parseType(llvm::StringRef type);
};

/// The flags of a run's findings, in order: "race deadlock".
std::string kinds(const MachineResult &result);

/// Numbers 0, 1, 2, ….
template <typename T> std::vector<T> iota(size_t count) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = T(i);
  return values;
}

} // namespace tilewright::simulator

#endif
