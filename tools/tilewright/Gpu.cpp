#include "tools/tilewright/Gpu.h"

#include "runtime/CacheFlusher.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::cli;

static constexpr int kDevice = 0;

ErrorOr<GpuJob> GpuJob::create(const runtime::Driver &driver, const Job &job, const Sizes &sizes,
                               const HostTensors &tensors) {
  TILEWRIGHT_ASSIGN(runtime::OwnedStream stream, runtime::OwnedStream::create(driver, kDevice));
  GpuJob result(driver, std::move(stream));
  for (const auto &[name, tensor] : tensors) {
    TILEWRIGHT_ASSIGN(
        runtime::DeviceBuffer buffer,
        runtime::DeviceBuffer::allocate(driver, std::max<size_t>(1, tensor.bytes.size()), kDevice));
    TILEWRIGHT_TRY(buffer.copyFrom(tensor.bytes.data(), tensor.bytes.size()));
    result.buffers.emplace(name, std::move(buffer));
  }
  auto address = [&](const std::string &name) { return result.buffers.at(name).data(); };
  for (const Step &step : job.steps) {
    TILEWRIGHT_ASSIGN(Operands operands, makeOperands(job, step, sizes, address, kDevice));
    driver::Attempt wanted{job.config, {}, step.plan.value_or(0)};
    TILEWRIGHT_ASSIGN(wanted.specialisation,
                      driver::specialise(step.signature(), operands.call, step.settings));
    wanted = withFound(std::move(wanted), foundPlans(job, step));
    TILEWRIGHT_ASSIGN(driver::Compiled compiled, driver::compile(step.text, wanted));
    TILEWRIGHT_TRY(compiled.kernel.prepare(kDevice));
    result.compiled.push_back(std::move(compiled));
    result.operands.push_back(std::move(operands));
  }
  return result;
}

Status GpuJob::launch() {
  for (size_t i = 0; i < compiled.size(); ++i)
    TILEWRIGHT_TRY(compiled[i].kernel.launch(stream.get(), operands[i].call.arguments));
  return {};
}

Status GpuJob::run() {
  TILEWRIGHT_TRY(launch());
  return stream.synchronize();
}

Status GpuJob::download(const std::string &name, HostTensor &tensor) const {
  return buffers.at(name).copyTo(tensor.bytes.data(), tensor.bytes.size());
}

ErrorOr<std::vector<std::byte>> GpuJob::events(size_t step) {
  return compiled[step].kernel.readEvents(stream.get(), kDevice);
}

ErrorOr<double> GpuJob::time(unsigned repeat) {
  constexpr unsigned kWarmUp = 5;
  TILEWRIGHT_ASSIGN(runtime::CacheFlusher flusher, runtime::CacheFlusher::create(*driver, kDevice));
  TILEWRIGHT_ASSIGN(runtime::Event start, runtime::Event::create(*driver, kDevice));
  TILEWRIGHT_ASSIGN(runtime::Event stop, runtime::Event::create(*driver, kDevice));
  std::vector<double> times;
  for (unsigned i = 0; i < kWarmUp + repeat; ++i) {
    TILEWRIGHT_TRY(flusher.flush(stream.get()));
    TILEWRIGHT_TRY(start.record(stream.get()));
    TILEWRIGHT_TRY(launch());
    TILEWRIGHT_TRY(stop.record(stream.get()));
    TILEWRIGHT_ASSIGN(double milliseconds, stop.millisecondsSince(start));
    if (i >= kWarmUp)
      times.push_back(milliseconds);
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}
