//===- Compile.h - From kernel text to machine code -------------*- C++ -*-===//

#pragma once

#include "runtime/Cache.h"
#include "runtime/CubinInfo.h"
#include "runtime/KernelSource.h"
#include "runtime/Nvrtc.h"

#include <string>
#include <vector>

namespace tilewright::runtime {

struct CompileOptions {
  bool useCache = true;      ///< $TILEWRIGHT_NO_CACHE=1 turns it off as well.
  std::string cacheDir = {}; ///< Empty: defaultCacheDir().
  std::vector<std::string> extraOptions =
      {}; ///< For NVRTC, behind those of the source (`-lineinfo`).
};

/// What a warning about an entry starts with that is not to be trusted.
inline const std::string kNotUsed = "a compiled kernel on disk is not used: ";

/// The cache that a compilation uses; nothing where it is switched off.
std::optional<Cache> cacheFor(const CompileOptions &options);

/// All options given to NVRTC beside the target. Fails where a variable that they follow from is
/// nonsense.
ErrorOr<std::vector<std::string>> nvrtcOptions(const KernelSource &source,
                                               const CompileOptions &options);

/// Machine code of one kernel with what is known about it.
struct CompiledKernel {
  CompiledText text;
  CubinInfo resources; ///< Zero where there is no cubin.
  SpillInfo spills;
  std::vector<std::string> performanceNotes; ///< See performanceNotes(log).
  bool fromCache = false;
  Hash128 key; ///< Of its entry in the cache.
  /// What went wrong without harm: the cache could not be written, or is not to be trusted.
  std::vector<std::string> warnings;
};

/// Compiles a kernel, or takes it from the cache. Needs NVRTC, not a GPU. Fails if NVRTC is missing
/// or rejects the text; trouble with the cache is only a warning.
ErrorOr<CompiledKernel> compileKernel(const KernelSource &source,
                                      const CompileOptions &options = {});

/// Reads resources, spills and notes from what NVRTC gave.
ErrorOr<CompiledKernel> describeCompiled(const KernelSource &source, CompiledText text);

} // namespace tilewright::runtime
