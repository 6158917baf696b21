//===- Bundle.h - Kernels that were compiled before -------------*- C++ -*-===//
//
// In libtilewright_runtime, which has no compiler in it, and in libtilewright. A program links with
// one of the two.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "tilewright/ErrorOr.h"
#include "tilewright/Tensor.h"

#include <memory>
#include <string>
#include <vector>

namespace tilewright {

/// A kernel from a file that `Kernel::save` wrote. Copies share their code. Thread-safe.
class Bundle {
public:
  /// Reads and checks a file; damage is an error. Needs no GPU.
  static ErrorOr<Bundle> load(const std::string &path);

  const std::string &name() const;
  const std::string &target() const; ///< `sm_90a`.

  /// Starts the kernel on a stream of the GPU that holds the tensors, and returns. It takes all
  /// tensors and scalars that it was saved with. The assumptions of its code are checked; the error
  /// names the argument and the values that disagree.
  Status launch(Stream stream, const std::vector<Argument> &arguments) const;

  /// Loads the code on a GPU, so that a launch may be captured into a graph.
  Status prepare(int device = 0) const;

private:
  struct State;
  explicit Bundle(std::shared_ptr<State> state);

  std::shared_ptr<State> state;
};

} // namespace tilewright
