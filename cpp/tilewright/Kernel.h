//===- Kernel.h - Kernels, compiled as they are called ----------*- C++ -*-===//
//
//   tilewright::ErrorOr<tilewright::Kernel> softmax = tilewright::Kernel::load("softmax");
//   tilewright::Status done = softmax->launch(stream, {x, y});
//
// In libtilewright. Launching needs an NVIDIA GPU, its driver and NVRTC, which are found as the
// program runs; interpreting needs none of these.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "tilewright/ErrorOr.h"
#include "tilewright/Tensor.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tilewright {

/// Values of a kernel's constants and tile extents, by name.
using Settings = std::vector<std::pair<std::string, std::variant<bool, int64_t, double>>>;

/// How a kernel is compiled. Values that are not given are chosen.
struct KernelOptions {
  std::string target = {}; ///< `sm_90`. Else that of the GPU; where there is none, sm_90.
  std::string plan = {};   ///< The text of a plan, or `none`. Else one is found.
  int64_t warps = 0, stages = 0;
};

/// A kernel as a function of its arguments: tensors and scalars in the order of its declaration.
/// Compiles when it is first called with other element types, alignments or constants, or takes
/// what the disk has of earlier processes. Copies share their code. Thread-safe.
class Kernel {
public:
  /// A built-in kernel by its name, `file.py`, `file.py:kernel` or `file.mlir`.
  static ErrorOr<Kernel> load(const std::string &what, const KernelOptions &options = {});

  /// A kernel of a text in the language. `name` may be empty if the text has one kernel; `file` is
  /// what messages call the text.
  static ErrorOr<Kernel> fromText(const std::string &text, const std::string &name = "",
                                  const KernelOptions &options = {},
                                  const std::string &file = "kernel.py");

  /// The kernel that computes this one's gradient by the inputs `wrt`, from the gradients of the
  /// outputs `given`; without names, by and of all of floats. It takes the forward's parameters,
  /// but `dy` for each output `y`, and `dx` for each `x`, which is to hold zeros before; and the
  /// outputs `stored` as the forward has left them (docs/gradients.md).
  ErrorOr<Kernel> gradient(const std::vector<std::string> &wrt = {},
                           const std::vector<std::string> &given = {},
                           const std::vector<std::string> &stored = {},
                           const KernelOptions &options = {}) const;

  /// Starts the kernel on a stream of the GPU that holds the tensors, and returns. The error names
  /// the argument and the values that disagree.
  Status launch(Stream stream, const std::vector<Argument> &arguments,
                const Settings &settings = {}) const;

  /// Compiles for these arguments and loads the code, so that a launch may be captured into a
  /// graph.
  Status prepare(const std::vector<Argument> &arguments, const Settings &settings = {}) const;

  /// Runs the kernel on the CPU, over tensors in host memory, and returns when it is done. It is
  /// slow, and the reference for the results of GPUs.
  Status interpret(const std::vector<Argument> &arguments, const Settings &settings = {}) const;

  /// Compiles for arguments like these and writes a file that `Bundle` runs. The memory of the
  /// tensors is not read, but the code relies on their alignments and constant sizes. Needs NVRTC
  /// but no GPU.
  Status save(const std::string &path, const std::vector<Argument> &arguments,
              const Settings &settings = {}) const;

private:
  struct State;
  explicit Kernel(std::shared_ptr<State> state);
  static ErrorOr<Kernel> create(std::shared_ptr<State> state, const KernelOptions &options);

  std::shared_ptr<State> state;
};

} // namespace tilewright
