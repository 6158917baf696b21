//===- KernelCall.h - a case with its data ----------------------------------------------------===//
#ifndef TILEWRIGHT_TESTS_KERNELS_KERNELCALL_H
#define TILEWRIGHT_TESTS_KERNELS_KERNELCALL_H

#include "tests/kernels/Case.h"
#include "tools/driver/HostTensor.h"
#include "tools/tilewright/Job.h"

#include <map>

namespace tilewright::kernels {

using cli::StridedTensor;
using Tensors = std::map<std::string, StridedTensor>;

/// A kernel and its arguments: random inputs, poisoned outputs.
class KernelCall {
public:
  static ErrorOr<KernelCall> create(const Case &test, const std::string &target);

  const Case &test() const { return which; }
  const cli::Job &job() const { return work; }
  const cli::Step &step() const { return work.steps.front(); }
  /// The storage of a tensor parameter; two that are the same tensor share it.
  const std::string &storageOf(const std::string &param) const;
  bool isWritten(const std::string &storage) const;

  /// The arguments over storages at given addresses.
  ErrorOr<driver::Call> arguments(const cli::AddressOf &addressOf, int device) const;
  /// What the compiler is asked for.
  ErrorOr<driver::Attempt> attempt() const;
  /// Runs the kernel in the interpreter; `optimized` as the tile passes leave it.
  Status interpret(Tensors &tensors, bool optimized) const;

  Tensors tensors; ///< Before the call.

private:
  Case which;
  cli::Job work;
};

/// The first thing wrong with the tensors after a call, in words; empty if there is nothing.
/// `before` are the storages as they were uploaded.
std::string findFault(const KernelCall &call, const Tensors &found, const Tensors &expected);

} // namespace tilewright::kernels

#endif
