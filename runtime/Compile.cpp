//===- Compile.cpp - From kernel text to machine code ---------------------===//

#include "runtime/Compile.h"

#include "runtime/Cache.h"
#include "support/Env.h"

namespace tilewright::runtime {

/// -v makes ptxas report spills, which nothing else tells.
static std::vector<std::string> allOptions(const KernelSource &source,
                                           const CompileOptions &options) {
  std::vector<std::string> all = {"-Xptxas=-v"};
  if (std::optional<std::string> limit = getEnv(EnvVar::Watchdog))
    all.push_back("-DTILEWRIGHT_WATCHDOG=" + *limit);
  all.insert(all.end(), source.options.begin(), source.options.end());
  all.insert(all.end(), options.extraOptions.begin(), options.extraOptions.end());
  return all;
}

ErrorOr<CompiledKernel> describeCompiled(const KernelSource &source, CompiledText text) {
  CompiledKernel kernel;
  kernel.performanceNotes = performanceNotes(text.log);
  if (!text.cubin.empty()) {
    TILEWRIGHT_ASSIGN(kernel.resources, readCubinInfo(text.cubin, source.entry));
    if (ErrorOr<SpillInfo> spills = parseSpills(text.log, source.entry))
      kernel.spills = *spills;
  }
  kernel.text = std::move(text);
  return kernel;
}

ErrorOr<CompiledKernel> compileKernel(const KernelSource &source, const CompileOptions &options) {
  TILEWRIGHT_ASSIGN(const Nvrtc *nvrtc, Nvrtc::get());
  std::vector<std::string> nvrtcOptions = allOptions(source, options);
  std::string directory = options.cacheDir.empty() ? defaultCacheDir() : options.cacheDir;
  bool useCache = options.useCache && !directory.empty() && !isEnvOn(EnvVar::NoCache);
  Cache cache(directory);
  Hash128 key = cacheKey(source, nvrtcOptions, nvrtc->version());

  if (useCache) {
    if (std::optional<CompiledText> found = cache.load(key)) {
      // An entry that does not describe this kernel is as good as damaged: compile again.
      if (ErrorOr<CompiledKernel> kernel = describeCompiled(source, std::move(*found))) {
        kernel->fromCache = true;
        return kernel;
      }
    }
  }
  TILEWRIGHT_ASSIGN(CompiledText text,
                    nvrtc->compile(source.text, source.entry + ".cu", source.target, nvrtcOptions));
  TILEWRIGHT_ASSIGN(CompiledKernel kernel, describeCompiled(source, std::move(text)));
  if (useCache)
    if (Status stored = cache.store(key, source, kernel.text); !stored)
      kernel.warnings.push_back("compiled kernel is not cached: " + stored.error().message);
  return kernel;
}

} // namespace tilewright::runtime
