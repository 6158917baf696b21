//===- Kernel.h - A kernel that can be launched -----------------*- C++ -*-===//

#pragma once

#include "runtime/Compile.h"
#include "runtime/Driver.h"
#include "runtime/KernelSource.h"
#include "runtime/Tensor.h"

#include <memory>
#include <span>

namespace tilewright::runtime {

/// One compiled kernel. Building needs no GPU; each GPU's copy of the code is loaded when the
/// kernel is first launched there, or by prepare. Thread-safe: any number of threads may launch at
/// once.
class Kernel {
public:
  /// Compiles the source, or takes it from the cache. `driver` is for tests; null stands for the
  /// process's driver, which is opened when first needed.
  static ErrorOr<Kernel> build(KernelSource source, const CompileOptions &options = {},
                               const Driver *driver = nullptr);

  /// A kernel from code compiled before, as bundles hold it.
  static ErrorOr<Kernel> fromCompiled(KernelSource source, CompiledKernel compiled,
                                      const Driver *driver = nullptr);

  Kernel(Kernel &&) noexcept;
  Kernel &operator=(Kernel &&) noexcept;
  ~Kernel();

  const KernelSource &source() const;
  const CompiledKernel &compiled() const;

  /// Loads the code on a GPU. A launch does so too, but loading is not allowed while a stream is
  /// being captured into a graph. Fails if the code does not fit the GPU.
  Status prepare(int device = 0);

  /// Starts the kernel on the stream and returns without waiting. The stream belongs to the GPU of
  /// the tensors. Arguments are checked against the kernel's declaration, and all that its code
  /// relies on; the error names the kernel, the argument and the values that disagree. Repeated
  /// arguments are recognised and cost well under 1 us on top of the driver's own call. Neither
  /// synchronises nor, after prepare, loads: it may be captured into a CUDA graph. Memory that the
  /// blocks of a launch share is allocated, and lives as long as the kernel: a piece per stream,
  /// and per graph and stream while that is captured, which other graphs get when it is gone.
  Status launch(Stream stream, std::span<const Argument> args);

  /// Waits for the stream; the records of a kernel with a timeline that its last launch on this
  /// stream has left on that GPU (support/Timeline.h).
  ErrorOr<std::vector<std::byte>> readEvents(Stream stream, int device = 0);

private:
  struct State;
  explicit Kernel(std::unique_ptr<State> state);

  std::unique_ptr<State> state;
};

} // namespace tilewright::runtime
