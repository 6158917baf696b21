//===- Cache.cpp - Compiled kernels on disk -------------------------------===//

#include "runtime/Cache.h"

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

Status Cache::checkFolder() const {
  if (Status own = checkOwn(directory); !own)
    return Error{own.error().message + ", or TILEWRIGHT_CACHE_DIR names another folder"};
  return {};
}

ErrorOr<std::optional<Archive>> Cache::read(const Hash128 &key) const {
  TILEWRIGHT_ASSIGN(std::optional<std::string> file, readOwnFile(pathOf(key)));
  if (!file)
    return std::optional<Archive>();
  TILEWRIGHT_TRY(checkFolder());
  ErrorOr<Archive> archive = Archive::unpack(*file);
  return archive ? std::optional(std::move(*archive)) : std::nullopt;
}

Status Cache::write(const Hash128 &key, const Archive &entry) const {
  TILEWRIGHT_TRY(createDirectories(directory));
  TILEWRIGHT_TRY(checkFolder());
  return writeFileAtomic(pathOf(key), entry.pack());
}

ErrorOr<std::optional<CompiledText>> Cache::load(const Hash128 &key) const {
  TILEWRIGHT_ASSIGN(std::optional<Archive> archive, read(key));
  if (!archive)
    return std::optional<CompiledText>();
  std::optional<std::string> ptx = archive->take("ptx"), cubin = archive->take("cubin"),
                             log = archive->take("log");
  if (!ptx || !cubin || !log)
    return std::optional<CompiledText>();
  return std::optional(CompiledText{std::move(*ptx), std::move(*cubin), std::move(*log)});
}

Status Cache::store(const Hash128 &key, const KernelSource &source,
                    const CompiledText &result) const {
  Archive archive;
  archive.add("kernel.json", toJson(source));
  archive.add("ptx", result.ptx);
  archive.add("cubin", result.cubin);
  archive.add("log", result.log);
  return write(key, archive);
}

} // namespace tilewright::runtime
