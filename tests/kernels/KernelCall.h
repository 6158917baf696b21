//===- KernelCall.h - a case with its data ----------------------------------------------------===//
#ifndef TILEWRIGHT_TESTS_KERNELS_KERNELCALL_H
#define TILEWRIGHT_TESTS_KERNELS_KERNELCALL_H

#include "tests/kernels/Case.h"
#include "tools/driver/HostTensor.h"
#include "tools/driver/Plans.h"
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
  /// What the compiler is asked for, without a plan.
  ErrorOr<driver::Attempt> attempt() const;
  /// The same with the plans that are found for its sizes, if there are any, best first.
  ErrorOr<driver::Attempt> planned() const;
  /// The code that a launch takes on a GPU, or on the host if `device` is negative: with the best
  /// plan that is found for its sizes, if there is one.
  ErrorOr<driver::Memo::Result> taken(int device, driver::Memo &memo) const;
  /// Runs the kernel in the interpreter; `optimized` as the tile passes leave it, `perturbation` as
  /// simulator::Options has it.
  Status interpret(Tensors &tensors, bool optimized, uint64_t perturbation = 0) const;

  Tensors tensors; ///< Before the call.

private:
  /// Over an address that is aligned as the GPU's are, for what only asks for facts.
  ErrorOr<driver::Call> placeholders(int device) const;

  Case which;
  cli::Job work;
};

/// The first thing wrong with the tensors after a call, in words; empty if there is nothing.
/// With a plan, weights on the way may be rounded elsewhere.
std::string findFault(const KernelCall &call, const Tensors &found, const Tensors &expected,
                      bool isPlanned = false);

} // namespace tilewright::kernels

#endif
