//===- Gpu.h - a job on the GPU ---------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_GPU_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_GPU_H

#include "runtime/Device.h"
#include "tools/driver/HostTensor.h"
#include "tools/tilewright/Job.h"

namespace tilewright::cli {

using driver::HostTensor;
using driver::HostTensors;

/// The kernels of a job, compiled for given sizes, over tensors in device memory.
class GpuJob {
public:
  /// Compiles the steps and copies the tensors to the GPU.
  static ErrorOr<GpuJob> create(const runtime::Driver &driver, const Job &job, const Sizes &sizes,
                                const HostTensors &tensors);

  /// Runs the steps once and waits.
  Status run();
  /// Copies one tensor back.
  Status download(const std::string &name, HostTensor &tensor) const;
  /// The median time of one run in milliseconds, warm, with the L2 cache emptied before each.
  ErrorOr<double> time(unsigned repeat);

  const std::vector<driver::Compiled> &kernels() const { return compiled; }
  /// The records that a step with a timeline left when it last ran.
  ErrorOr<std::vector<std::byte>> events(size_t step);

private:
  GpuJob(const runtime::Driver &driver, runtime::OwnedStream stream)
      : driver(&driver), stream(std::move(stream)) {}
  Status launch();

  const runtime::Driver *driver;
  runtime::OwnedStream stream;
  std::map<std::string, runtime::DeviceBuffer> buffers;
  std::vector<driver::Compiled> compiled;
  std::vector<Operands> operands;
};

} // namespace tilewright::cli

#endif
