//===- Nvrtc.h - NVIDIA's run-time compiler, opened at run time -*- C++ -*-===//

#pragma once

#include "support/ErrorOr.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

using NvrtcProgram = struct NvrtcProgramObject *;

/// NVRTC's entry points; see NvrtcFunctions.def.
struct NvrtcTable {
#define TILEWRIGHT_NVRTC_FUNCTION(member, symbol, parameters) int(*member) parameters = nullptr;
#include "runtime/NvrtcFunctions.def"
  const char *(*getErrorString)(int) = nullptr;
};

/// What a compilation gives.
struct CompiledText {
  std::string ptx;
  std::string cubin; ///< Empty for a virtual target (`compute_90`).
  std::string log;   ///< Warnings, and ptxas's report on registers and spills.

  bool operator==(const CompiledText &) const = default;
};

/// NVRTC. Thread-safe; compilations run in parallel.
class Nvrtc {
public:
  /// The process's NVRTC, found on first use: $TILEWRIGHT_NVRTC, the toolkits named by
  /// $TILEWRIGHT_CUDA_HOME, $CUDA_HOME and $CUDA_PATH, the system's library search,
  /// /usr/local/cuda*, NVIDIA's Python wheel in the site-packages that we lie in or in
  /// $VIRTUAL_ENV, and last one in other folders above us. The error lists what was tried and how
  /// to get NVRTC; it is the same on every later call.
  static ErrorOr<const Nvrtc *> get();

  /// NVRTC from one file. libnvrtc-builtins must lie beside it or be known to the system.
  static ErrorOr<Nvrtc> load(const std::string &path);

  /// Compiles CUDA C++ for one target (`sm_90a`, `compute_90`). `fileName` is what messages call
  /// the text. The error holds the compiler's messages.
  ErrorOr<CompiledText> compile(const std::string &text, const std::string &fileName,
                                const std::string &target,
                                const std::vector<std::string> &options) const;

  /// The real architectures that can be targeted, as numbers: 75, 80, …
  const std::vector<int> &supportedArchs() const { return archs; }

  int versionMajor() const { return major; }
  int versionMinor() const { return minor; }
  std::string version() const { return std::to_string(major) + "." + std::to_string(minor); }
  const std::string &path() const { return libraryPath; }

private:
  Status checkTarget(const std::string &target) const;

  NvrtcTable table;
  int major = 0, minor = 0;
  std::vector<int> archs;
  std::string libraryPath;
};

/// What decides which NVRTC this process finds, without opening one, which takes 8 ms: files with
/// their sizes and times. The same on every call.
const std::string &nvrtcStamp();

/// The places where Nvrtc::get looks, in order: full paths that exist, and plain names.
std::vector<std::string> nvrtcCandidates();

/// The same if the runtime lay in this folder.
std::vector<std::string> nvrtcCandidates(const std::string &ownFolder);

} // namespace tilewright::runtime
