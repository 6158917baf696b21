//===- Doctor.cpp - What this machine has and lacks -----------------------===//

#include "runtime/Doctor.h"

#include "runtime/Cache.h"
#include "runtime/Nvrtc.h"
#include "support/Env.h"
#include "support/Files.h"

#include <algorithm>

namespace tilewright::runtime {

static std::string versionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

static void examineDriver(DoctorReport &report) {
  ErrorOr<const Driver *> driver = Driver::get();
  report.driver.found = driver.ok();
  if (!driver) {
    report.driver.problem = driver.error().message;
    return;
  }
  report.driver.version = (*driver)->version();
  report.driver.devices = (*driver)->devices();
}

static void examineNvrtc(DoctorReport &report) {
  ErrorOr<const Nvrtc *> nvrtc = Nvrtc::get();
  report.nvrtc.found = nvrtc.ok();
  if (!nvrtc) {
    report.nvrtc.problem = nvrtc.error().message;
    return;
  }
  report.nvrtc.path = (*nvrtc)->path();
  report.nvrtc.version = (*nvrtc)->version();
  report.nvrtc.archs = (*nvrtc)->supportedArchs();

  // The driver of an older major release refuses code of a newer one.
  if (report.driver.found && report.driver.version / 1000 < (*nvrtc)->versionMajor())
    report.advice.push_back("NVRTC " + report.nvrtc.version + " is newer than the driver's CUDA " +
                            versionText(report.driver.version) +
                            ": its code may be refused; update the driver or point "
                            "TILEWRIGHT_CUDA_HOME at an older toolkit");
  for (const DeviceInfo &device : report.driver.devices)
    if (const auto &archs = report.nvrtc.archs;
        std::find(archs.begin(), archs.end(), device.major * 10 + device.minor) == archs.end())
      report.advice.push_back("NVRTC " + report.nvrtc.version + " does not know `" + device.name +
                              "` (" + device.target() + "); install a toolkit that does");
}

static void examineCache(DoctorReport &report) {
  report.cache.directory = defaultCacheDir();
  if (isEnvOn(EnvVar::NoCache))
    report.advice.push_back(
        "TILEWRIGHT_NO_CACHE is set: every process compiles every kernel again");
  if (report.cache.directory.empty()) {
    report.cache.problem = "no folder: set TILEWRIGHT_CACHE_DIR or HOME";
    return;
  }
  Status usable = createDirectories(report.cache.directory);
  if (usable)
    usable = checkOwn(report.cache.directory);
  if (usable)
    usable = checkWritable(report.cache.directory);
  report.cache.usable = usable.ok();
  if (!usable)
    report.cache.problem = usable.error().message + "; set TILEWRIGHT_CACHE_DIR to another folder";
}

DoctorReport examine() {
  DoctorReport report;
  examineDriver(report);
  examineNvrtc(report);
  examineCache(report);
  return report;
}

static std::string deviceLine(const DeviceInfo &device) {
  return "  GPU " + std::to_string(device.ordinal) + ": " + device.name + ", " + device.target() +
         ", " + std::to_string(device.multiprocessors) + " multiprocessors, " +
         std::to_string(device.memoryBytes >> 20) + " MiB, " +
         std::to_string(device.maxSharedBytes >> 10) + " KiB shared memory per program\n";
}

std::string DoctorReport::str() const {
  std::string text;
  if (driver.found) {
    text += "driver: CUDA " + versionText(driver.version) + "\n";
    for (const DeviceInfo &device : driver.devices)
      text += deviceLine(device);
  } else {
    text += "driver: missing: " + driver.problem + "\n";
  }
  if (nvrtc.found) {
    text += "NVRTC: " + nvrtc.version + " (" + nvrtc.path + ")\n  targets:";
    for (int arch : nvrtc.archs)
      text += " sm_" + std::to_string(arch);
    text += "\n";
  } else {
    text += "NVRTC: missing: " + nvrtc.problem + "\n";
  }
  text += "cache: " + (cache.directory.empty() ? "none" : cache.directory) + "\n";
  if (!cache.problem.empty())
    text += "  not used: " + cache.problem + "\n";
  for (const std::string &line : advice)
    text += "advice: " + line + "\n";
  text += std::string("kernels can be compiled: ") + (canCompile() ? "yes" : "no") +
          "; run on a GPU: " + (canRun() ? "yes" : "no") + "\n";
  return text;
}

} // namespace tilewright::runtime
