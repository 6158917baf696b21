//===- Compile.cpp - From kernel text to machine code ---------------------===//

#include "runtime/Compile.h"

#include "support/Env.h"

namespace tilewright::runtime {

std::optional<Cache> cacheFor(const CompileOptions &options) {
  std::string directory = options.cacheDir.empty() ? defaultCacheDir() : options.cacheDir;
  if (!options.useCache || directory.empty() || isEnvOn(EnvVar::NoCache))
    return std::nullopt;
  return Cache(std::move(directory));
}

/// -v makes ptxas report spills, which nothing else tells.
ErrorOr<std::vector<std::string>> nvrtcOptions(const KernelSource &source,
                                               const CompileOptions &options) {
  constexpr int64_t kDay = 24 * 3600 * 1000;
  std::vector<std::string> all = {"-Xptxas=-v"};
  TILEWRIGHT_ASSIGN(std::optional<int64_t> limit, getEnvNumber(EnvVar::Watchdog, 0, kDay));
  if (limit.value_or(0) > 0)
    all.push_back("-DTILEWRIGHT_WATCHDOG=" + std::to_string(*limit));
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

/// The compiled kernel of an earlier compilation; nothing if it cannot be used. `warnings` gets
/// entries that cannot be trusted.
static std::optional<CompiledKernel> findCompiled(const Cache &cache, const Hash128 &key,
                                                  const KernelSource &source,
                                                  std::vector<std::string> &warnings) {
  ErrorOr<std::optional<CompiledText>> found = cache.load(key);
  if (!found)
    warnings.push_back(kNotUsed + found.error().message);
  if (!found || !*found)
    return std::nullopt;
  // An entry that does not describe this kernel is as good as damaged: compile again.
  ErrorOr<CompiledKernel> kernel = describeCompiled(source, std::move(**found));
  if (!kernel)
    return std::nullopt;
  kernel->fromCache = true;
  kernel->key = key;
  return std::move(*kernel);
}

ErrorOr<CompiledKernel> compileKernel(const KernelSource &source, const CompileOptions &options) {
  TILEWRIGHT_ASSIGN(std::vector<std::string> all, nvrtcOptions(source, options));
  TILEWRIGHT_ASSIGN(const Nvrtc *nvrtc, Nvrtc::get());
  std::optional<Cache> cache = cacheFor(options);
  Hash128 key = cacheKey(source, all, nvrtc->version());

  std::vector<std::string> warnings;
  if (cache)
    if (std::optional<CompiledKernel> known = findCompiled(*cache, key, source, warnings))
      return std::move(*known);
  TILEWRIGHT_ASSIGN(CompiledText text,
                    nvrtc->compile(source.text, source.entry + ".cu", source.target, all));
  TILEWRIGHT_ASSIGN(CompiledKernel kernel, describeCompiled(source, std::move(text)));
  kernel.key = key;
  kernel.warnings = std::move(warnings);
  if (cache)
    if (Status stored = cache->store(key, source, kernel.text); !stored && kernel.warnings.empty())
      kernel.warnings.push_back("compiled kernel is not cached: " + stored.error().message);
  return kernel;
}

} // namespace tilewright::runtime
