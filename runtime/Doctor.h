//===- Doctor.h - What this machine has and lacks ---------------*- C++ -*-===//

#pragma once

#include "runtime/Driver.h"

#include <string>
#include <vector>

namespace tilewright::runtime {

struct DoctorReport {
  struct {
    bool found = false;
    int version = 0; ///< 1000 * major + 10 * minor of CUDA.
    std::vector<DeviceInfo> devices;
    std::string problem; ///< With how to solve it.
  } driver;
  struct {
    bool found = false;
    std::string path, version;
    std::vector<int> archs;
    std::string problem;
  } nvrtc;
  struct {
    bool usable = false;
    std::string directory;
    std::string problem;
  } cache;
  /// What works but not as well as it could, and how to change it.
  std::vector<std::string> advice;

  bool canCompile() const { return nvrtc.found; }
  bool canRun() const { return nvrtc.found && !driver.devices.empty(); }

  /// Lines for the user.
  std::string str() const;
};

/// Looks at the driver, the GPUs, NVRTC and the cache folder (which it creates).
DoctorReport examine();

} // namespace tilewright::runtime
