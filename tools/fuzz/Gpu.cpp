#include "tools/fuzz/Gpu.h"

#include "runtime/Driver.h"
#include "runtime/Nvrtc.h"
#include "tools/fuzz/Isolate.h"

#include <cstdlib>

using namespace tilewright;
using namespace tilewright::fuzz;

/// 90 of `sm_90`.
static int generationOf(const std::string &target) {
  return std::atoi(target.substr(target.find('_') + 1).c_str());
}

std::string Gpu::runs(const std::string &wanted) const {
  int generation = generationOf(wanted), own = generationOf(target);
  return generation == own  ? target
         : generation < own ? "compute_" + std::to_string(generation)
                            : std::string();
}

static ErrorOr<Gpu> askDriver() {
  TILEWRIGHT_ASSIGN(const runtime::Driver *driver, runtime::Driver::get());
  if (driver->devices().empty())
    return Error{"the driver reports no GPU"};
  TILEWRIGHT_ASSIGN(const runtime::Nvrtc *nvrtc, runtime::Nvrtc::get());
  (void)nvrtc;
  const runtime::DeviceInfo &device = driver->devices().front();
  return Gpu{device.name, device.target()};
}

ErrorOr<Gpu> fuzz::findGpu() {
  std::optional<Finding> answer = checkIsolated(1, [](size_t) -> std::optional<Finding> {
                                    ErrorOr<Gpu> gpu = askDriver();
                                    if (!gpu)
                                      return Finding{"", gpu.error().message};
                                    return Finding{gpu->target, gpu->name};
                                  }).front();
  if (answer->stage.starts_with("sm_"))
    return Gpu{answer->message, answer->stage};
  return Error{answer->message};
}
