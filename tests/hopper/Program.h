//===- Program.h - kernels written in the cuda dialect, ready to run --------------------------===//
#ifndef TILEWRIGHT_TESTS_HOPPER_PROGRAM_H
#define TILEWRIGHT_TESTS_HOPPER_PROGRAM_H

#include "runtime/KernelSource.h"
#include "tools/driver/Compiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>

namespace tilewright::hopper {

/// A module with one kernel.
struct Program {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;

  mlir::func::FuncOp kernel() const;
  /// The same program once more, to be changed.
  Program clone() const;
};

/// Parses a kernel; a test failure if it is none.
Program parse(const std::string &ir);

/// The files of this folder that are programs of the `cta` level, in order.
std::vector<std::string> ctaPrograms();

/// The text of a file of this folder, and the kernel in it.
std::string textOf(const std::string &file);
Program load(const std::string &file);

/// A change of a program's text, everywhere; a test failure where there is nothing to change.
struct Replacement {
  std::string from, to;
};
std::string replaced(const std::string &file, llvm::ArrayRef<Replacement> edits);

/// A program that is written at the `cta` level, as users have it, for the target that it names.
ErrorOr<driver::Lowered> lowerCta(const std::string &text);

/// A program of this folder that is written at the `cta` level, lowered; and what the runtime needs
/// of it.
Program loadProgram(const std::string &file, runtime::KernelSource *source = nullptr);
/// The same from a text.
Program lowerProgram(const std::string &text, runtime::KernelSource *source = nullptr);
runtime::KernelSource programSource(const std::string &file);

/// What the runtime needs: text for sm_90a, the parameters that the kernel's arguments name, these
/// arguments and this grid.
runtime::KernelSource describe(const Program &program, std::vector<runtime::Arg> args,
                               const std::string &grid);

/// A tensor argument whose last axis is packed and whose address and strides are multiples of 16.
runtime::TensorArg tensor(const std::string &name, runtime::ElementType type,
                          const std::vector<std::string> &dims);

/// `gemm.mlir`: c[M, N] = a[M, K] · b[N, K]ᵀ in bf16.
runtime::KernelSource gemm();

/// `chain.mlir`: d[M, 64] = (q[M, 64] · k[T, 64]ᵀ) · v[T, 64], bf16 into f32.
runtime::KernelSource chain();

/// `split_k.mlir`: c[M, N] += a[M, K] · b[K, N], f16 into f32, K in `splits` parts.
runtime::KernelSource splitK();

} // namespace tilewright::hopper

#endif
