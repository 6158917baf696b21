//===- Load.h - kernels as C++ functions ------------------------------------------------------===//
//
//   Status status = tilewright::load("attention")
//                       .launch(stream, {q, k, v, o, lse, 0.125}, {{"causal", true}});
//
// The first launch with new dtypes, tile extents, constants or alignments compiles; later ones find
// the code by a few comparisons.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_LOAD_H
#define TILEWRIGHT_TOOLS_DRIVER_LOAD_H

#include "runtime/Driver.h"
#include "tools/driver/Binding.h"
#include "tools/driver/Compiler.h"

#include <memory>

namespace tilewright::driver {

/// A kernel as a function of its arguments. Copies share their compiled code. Thread-safe.
class Function {
public:
  explicit Function(ErrorOr<KernelTextPtr> text, Config config = {});

  /// Starts the kernel on a stream of the GPU that holds the tensors, and returns. The arguments
  /// are the tensors and scalars in the order of the declaration; `kNone` leaves out an optional
  /// tensor. An error of load() is reported here.
  Status launch(runtime::Stream stream, const std::vector<runtime::Argument> &arguments,
                const Settings &settings = {}) const;

  /// Compiles for these arguments without launching, and loads the code on their GPU, so that a
  /// launch may be captured into a graph.
  Status prepare(const std::vector<runtime::Argument> &arguments,
                 const Settings &settings = {}) const;

  /// The compiled kernel that a launch would use.
  ErrorOr<Memo::Result> find(const Call &call, const Settings &settings) const;

private:
  struct State;
  std::shared_ptr<State> state;
};

} // namespace tilewright::driver

namespace tilewright {

/// A built-in kernel by name, or `file.py:kernel`; with a plan, if the configuration has the text
/// of one: `load("matmul_nt", {.planText = *readFile("gemm.plan")})`.
driver::Function load(std::string_view kernel, driver::Config config = {});

} // namespace tilewright

#endif
