//===- Cache.cpp - Compiled kernels on disk -------------------------------===//

#include "runtime/Cache.h"

#include "runtime/Archive.h"
#include "support/Env.h"
#include "support/Files.h"

namespace tilewright::runtime {

/// Counts changes of what an entry contains or of how we call NVRTC.
static constexpr std::string_view kFormatVersion = "1";

std::string defaultCacheDir() {
  if (std::optional<std::string> directory = getEnv(EnvVar::CacheDir))
    return *directory;
  if (std::optional<std::string> parent = getEnv(EnvVar::XdgCacheHome))
    return *parent + "/tilewright";
  if (std::optional<std::string> home = getEnv(EnvVar::Home))
    return *home + "/.cache/tilewright";
  return "";
}

Hash128 cacheKey(const KernelSource &source, const std::vector<std::string> &options,
                 const std::string &nvrtcVersion) {
  Hasher hasher;
  hasher.addField(kFormatVersion).addField(nvrtcVersion).addField(source.target);
  for (const std::string &option : options)
    hasher.addField(option);
  return hasher.addField(source.text).finish();
}

std::string Cache::pathOf(const Hash128 &key) const { return directory + "/" + key.hex() + ".tw"; }

std::optional<CompiledText> Cache::load(const Hash128 &key) const {
  ErrorOr<std::string> file = readFile(pathOf(key));
  if (!file)
    return std::nullopt;
  ErrorOr<Archive> archive = Archive::unpack(*file);
  if (!archive)
    return std::nullopt;
  const std::string *ptx = archive->find("ptx");
  const std::string *cubin = archive->find("cubin");
  const std::string *log = archive->find("log");
  if (!ptx || !cubin || !log)
    return std::nullopt;
  return CompiledText{*ptx, *cubin, *log};
}

Status Cache::store(const Hash128 &key, const KernelSource &source,
                    const CompiledText &result) const {
  Archive archive;
  archive.add("kernel.json", toJson(source));
  archive.add("ptx", result.ptx);
  archive.add("cubin", result.cubin);
  archive.add("log", result.log);
  TILEWRIGHT_TRY(createDirectories(directory));
  return writeFileAtomic(pathOf(key), archive.pack());
}

} // namespace tilewright::runtime
