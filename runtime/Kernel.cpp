//===- Kernel.cpp - A kernel that can be launched -------------------------===//

#include "runtime/Kernel.h"

#include "runtime/LastArguments.h"
#include "runtime/Launch.h"
#include "runtime/LoadedKernel.h"
#include "support/Env.h"

#include <cstring>
#include <mutex>

namespace tilewright::runtime {

struct Kernel::State {
  KernelSource source;
  CompiledKernel compiled;
  LaunchPlan plan;
  const Driver *driver;
  bool waitAfterLaunch;

  // Guards what follows. It is held while arguments are compared and packed, not during the
  // driver's call.
  std::mutex mutex;
  LastArguments last;
  BoundLaunch bound;                                   ///< Of `last`.
  const LoadedKernel *code = nullptr;                  ///< On the GPU of `last`.
  std::vector<std::unique_ptr<LoadedKernel>> byDevice; ///< Never removed before the kernel is.

  Status openDriver();
  ErrorOr<const LoadedKernel *> codeOn(int device);
  Status rebind(std::span<const Argument> args);
};

Kernel::Kernel(std::unique_ptr<State> state) : state(std::move(state)) {}
Kernel::Kernel(Kernel &&) noexcept = default;
Kernel &Kernel::operator=(Kernel &&) noexcept = default;
Kernel::~Kernel() = default;

const KernelSource &Kernel::source() const { return state->source; }
const CompiledKernel &Kernel::compiled() const { return state->compiled; }

ErrorOr<Kernel> Kernel::build(KernelSource source, const CompileOptions &options,
                              const Driver *driver) {
  TILEWRIGHT_ASSIGN(CompiledKernel compiled, compileKernel(source, options));
  return fromCompiled(std::move(source), std::move(compiled), driver);
}

ErrorOr<Kernel> Kernel::fromCompiled(KernelSource source, CompiledKernel compiled,
                                     const Driver *driver) {
  TILEWRIGHT_ASSIGN(LaunchPlan plan, LaunchPlan::create(source));
  auto state = std::make_unique<State>();
  state->source = std::move(source);
  state->compiled = std::move(compiled);
  state->bound = plan.makeBound();
  state->plan = std::move(plan);
  state->driver = driver;
  state->waitAfterLaunch = isEnvOn(EnvVar::Sync);
  return Kernel(std::move(state));
}

Status Kernel::State::openDriver() {
  if (!driver) {
    TILEWRIGHT_ASSIGN(driver, Driver::get());
  }
  return {};
}

ErrorOr<const LoadedKernel *> Kernel::State::codeOn(int device) {
  auto index = static_cast<size_t>(device);
  TILEWRIGHT_TRY(driver->device(device));
  if (byDevice.size() <= index)
    byDevice.resize(index + 1);
  if (!byDevice[index]) {
    TILEWRIGHT_ASSIGN(byDevice[index], LoadedKernel::load(*driver, device, source, compiled));
  }
  return byDevice[index].get();
}

Status Kernel::prepare(int device) {
  std::lock_guard lock(state->mutex);
  TILEWRIGHT_TRY(state->openDriver());
  TILEWRIGHT_TRY(state->codeOn(device));
  return {};
}

Status Kernel::State::rebind(std::span<const Argument> args) {
  last.forget();
  TILEWRIGHT_TRY(openDriver());
  TILEWRIGHT_TRY(plan.bind(args, *driver, bound));
  code = nullptr;
  if (bound.grid != 0) {
    TILEWRIGHT_ASSIGN(code, codeOn(bound.device));
    // Once the code is there, it is known how many of its clusters run at once.
    if (auto blocks = code->blocksAtOnce(); blocks && plan.limitBlocks(bound.device, *blocks))
      TILEWRIGHT_TRY(plan.bind(args, *driver, bound));
  }
  // Without tensors the caller's current device decides, which may differ the next time.
  if (plan.hasTensors())
    last.remember(args);
  return {};
}

Status Kernel::launch(Stream stream, std::span<const Argument> args) {
  State &s = *state;
  // Uninitialised: only what is used is written.
  alignas(TensorMap) std::byte bytes[kMaxParamBytes];
  // A pointer per parameter rather than the driver's packed form, in which TMA descriptors are not
  // aligned as the device needs them (measured with CUDA 13: an illegal instruction).
  void *params[kMaxParams];
  const LoadedKernel *code;
  unsigned grid;
  int device;
  std::vector<ZeroedRows> zeroed;
  {
    std::lock_guard lock(s.mutex);
    if (!s.last.matches(args))
      TILEWRIGHT_TRY(s.rebind(args));
    grid = static_cast<unsigned>(s.bound.grid);
    device = s.bound.device;
    zeroed = s.bound.zeroed;
    code = s.code;
    std::memcpy(bytes, s.bound.params.data(), s.bound.params.size());
  }
  if (Status done = zeroRows(*s.driver, device, stream, zeroed); !done)
    return Error{"kernel `" + s.source.entry + "`: " + done.error().message};
  if (grid == 0)
    return {};
  for (auto [kind, offset] : s.plan.memoryParams()) {
    TILEWRIGHT_ASSIGN(void *address, code->memory(kind, stream, grid));
    std::memcpy(bytes + offset, &address, sizeof(address));
  }
  const std::vector<unsigned> &offsets = s.plan.paramOffsets();
  for (size_t i = 0; i < offsets.size(); ++i)
    params[i] = bytes + offsets[i];
  TILEWRIGHT_TRY(code->launch(stream, grid, params));
  return s.waitAfterLaunch ? code->wait(stream) : Status();
}

ErrorOr<std::vector<std::byte>> Kernel::readEvents(Stream stream, int device) {
  std::lock_guard lock(state->mutex);
  TILEWRIGHT_TRY(state->openDriver());
  TILEWRIGHT_ASSIGN(const LoadedKernel *code, state->codeOn(device));
  return code->readEvents(stream);
}

} // namespace tilewright::runtime
