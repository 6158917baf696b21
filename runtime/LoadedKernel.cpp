//===- LoadedKernel.cpp - A kernel's code on one GPU ----------------------===//

#include "runtime/LoadedKernel.h"

#include "support/Timeline.h"

#include <algorithm>

namespace tilewright::runtime {

/// Without asking for more, a kernel gets this much dynamic shared memory and this big a cluster.
static constexpr unsigned kDefaultSharedBytes = 48 * 1024;
static constexpr unsigned kPortableClusterSize = 8;
static constexpr unsigned kMostAttributes = 2;

ErrorOr<std::unique_ptr<LoadedKernel>> LoadedKernel::load(const Driver &driver, int device,
                                                          const KernelSource &source,
                                                          const CompiledKernel &compiled) {
  std::unique_ptr<LoadedKernel> loaded(new LoadedKernel(driver, device, source));
  TILEWRIGHT_TRY(loaded->checkFits());
  TILEWRIGHT_TRY(loaded->loadCode(compiled));
  TILEWRIGHT_TRY(loaded->makeMemory());
  return loaded;
}

Status LoadedKernel::checkFits() const {
  TILEWRIGHT_ASSIGN(const DeviceInfo *gpu, driver.device(device));
  if (source.sharedBytes > static_cast<unsigned>(gpu->maxSharedBytes))
    return Error{"kernel `" + source.entry + "`: needs " + std::to_string(source.sharedBytes) +
                 " bytes of shared memory; `" + gpu->name + "` has " +
                 std::to_string(gpu->maxSharedBytes)};
  return {};
}

Status LoadedKernel::loadCode(const CompiledKernel &compiled) {
  const DriverTable &api = driver.api();
  const DeviceInfo &gpu = **driver.device(device);
  std::string what = "kernel `" + source.entry + "`: cannot load code for `" + source.target +
                     "` on `" + gpu.name + "` (" + gpu.target() + ")";
  TILEWRIGHT_ASSIGN(context, driver.primaryContext(device));
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(driver, device));
  const std::string &image = compiled.text.cubin.empty() ? compiled.text.ptx : compiled.text.cubin;
  TILEWRIGHT_TRY(
      driver.check(api.moduleLoadDataEx(&module, image.c_str(), 0, nullptr, nullptr), what));
  TILEWRIGHT_TRY(
      driver.check(api.moduleGetFunction(&function, module, source.entry.c_str()), what));
  // The driver loads lazily by default; a first launch during graph capture would then be too late.
  if (api.funcLoad)
    TILEWRIGHT_TRY(driver.check(api.funcLoad(function), what));
  if (source.sharedBytes > kDefaultSharedBytes)
    TILEWRIGHT_TRY(
        driver.check(api.funcSetAttribute(function, FunctionAttribute::MaxDynamicSharedBytes,
                                          static_cast<int>(source.sharedBytes)),
                     what));
  if (source.clusterSize > kPortableClusterSize)
    TILEWRIGHT_TRY(driver.check(
        api.funcSetAttribute(function, FunctionAttribute::NonPortableClusterSizeAllowed, 1), what));
  return countClusters();
}

/// With the device's context current.
Status LoadedKernel::countClusters() {
  if (source.clusterSize == 1 || !driver.api().occupancyMaxActiveClusters)
    return {};
  LaunchAttribute attributes[kMostAttributes];
  LaunchConfig config{
      {source.clusterSize, 1, 1}, {source.threads, 1, 1}, source.sharedBytes, nullptr, attributes,
      writeAttributes(attributes)};
  int clusters = 0;
  TILEWRIGHT_TRY(
      driver.check(driver.api().occupancyMaxActiveClusters(&clusters, function, &config),
                   "kernel `" + source.entry + "`: cannot count the clusters that run at once"));
  inClusters = int64_t(clusters) * source.clusterSize;
  return {};
}

Status LoadedKernel::makeMemory() {
  for (const Param &param : source.params) {
    if (param.kind == ParamKind::TileCounter) {
      TILEWRIGHT_ASSIGN(counters, TileCounters::create(driver, device));
    }
    if (param.kind == ParamKind::Workspace)
      workspaces = std::make_unique<Workspaces>(driver, device, param.bytes);
    if (param.kind == ParamKind::Flags)
      flags =
          std::make_unique<Workspaces>(driver, device, param.bytes ? param.bytes : sizeof(int32_t));
    if (param.kind == ParamKind::Events)
      events = std::make_unique<Workspaces>(driver, device, param.bytes);
  }
  return {};
}

ErrorOr<void *> LoadedKernel::memory(ParamKind kind, Stream stream, unsigned grid) const {
  assert(isRuntimeMemory(kind) && "the memory of other parameters is the caller's");
  ErrorOr<void *> address = kind == ParamKind::TileCounter ? counters->of(stream)
                            : kind == ParamKind::Workspace ? workspaces->of(stream, grid)
                            : kind == ParamKind::Events
                                ? events->of(stream, std::min(grid, unsigned(kTimelineBlocks)))
                                : flags->of(stream, grid);
  if (!address)
    return Error{"kernel `" + source.entry + "`: " + address.error().message};
  return address;
}

ErrorOr<std::vector<std::byte>> LoadedKernel::readEvents(Stream stream) const {
  if (!events)
    return Error{"kernel `" + source.entry + "`: was compiled without a timeline"};
  TILEWRIGHT_TRY(wait(stream));
  return events->read(stream);
}

LoadedKernel::~LoadedKernel() {
  if (!module)
    return;
  // At process exit the driver may be gone already; there is nothing to report to anyone then.
  if (ErrorOr<ContextScope> scope = ContextScope::enter(driver, device))
    driver.api().moduleUnload(module);
}

unsigned LoadedKernel::writeAttributes(LaunchAttribute *attributes) const {
  unsigned count = 0;
  if (source.clusterSize > 1) {
    attributes[count].id = LaunchAttributeId::ClusterDimension;
    attributes[count].clusterDim[0] = source.clusterSize;
    attributes[count].clusterDim[1] = attributes[count].clusterDim[2] = 1;
    ++count;
  }
  if (source.dependentLaunch) {
    attributes[count].id = LaunchAttributeId::ProgrammaticStreamSerialization;
    attributes[count++].flag = 1;
  }
  return count;
}

Status LoadedKernel::launch(Stream stream, unsigned grid, void **params) const {
  const DriverTable &api = driver.api();
  LaunchAttribute attributes[kMostAttributes];
  LaunchConfig config{{grid, 1, 1}, {source.threads, 1, 1},     source.sharedBytes, stream,
                      attributes,   writeAttributes(attributes)};
  ContextHandle current = nullptr;
  api.ctxGetCurrent(&current);
  bool foreign = current != context;
  if (foreign)
    api.ctxPushCurrent(context);
  DriverResult result = api.launchKernelEx(&config, function, params, nullptr);
  if (foreign)
    api.ctxPopCurrent(&current);
  if (result == kDriverSuccess) [[likely]]
    return {};
  return driver.check(result, "kernel `" + source.entry + "`: cannot launch " +
                                  std::to_string(grid) + " programs of " +
                                  std::to_string(source.threads) + " threads and " +
                                  std::to_string(source.sharedBytes) + " bytes of shared memory");
}

Status LoadedKernel::wait(Stream stream) const {
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(driver, device));
  int capturing = 0;
  const DriverTable &api = driver.api();
  if (api.streamIsCapturing(stream, &capturing) != kDriverSuccess || capturing)
    return {};
  return driver.check(api.streamSynchronize(stream), "kernel `" + source.entry + "`: failed");
}

} // namespace tilewright::runtime
