//===- Cache.cpp - Compiled kernels on disk -------------------------------===//

#include "runtime/Cache.h"

#include "support/Env.h"
#include "support/Files.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <sys/stat.h>
#include <tuple>

namespace tilewright::runtime {

namespace fs = std::filesystem;

static constexpr const char *kExtension = ".tw";
static constexpr int64_t kDefaultLimit = 2048; // MiB

/// Looking through a full folder takes 0.1 s, so a process does it at its first entry and then
/// whenever it has written this part of the limit. The folder may exceed the limit by as much.
static constexpr uint64_t kTrimmedPart = 64;

static bool isTimeToTrim(uint64_t written, uint64_t limit) {
  static std::mutex mutex;
  static std::optional<uint64_t> sinceLast;
  std::lock_guard lock(mutex);
  bool isTime = !sinceLast || *sinceLast + written >= limit / kTrimmedPart;
  sinceLast = isTime ? 0 : *sinceLast + written;
  return isTime;
}

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

std::string Cache::pathOf(const Hash128 &key) const {
  return directory + "/" + key.hex() + kExtension;
}

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
  // It is used now. On a disk that cannot be written to, nothing is removed either.
  (void)::utimensat(AT_FDCWD, pathOf(key).c_str(), /*times=*/nullptr, /*flags=*/0);
  ErrorOr<Archive> archive = Archive::unpack(*file);
  return archive ? std::optional(std::move(*archive)) : std::nullopt;
}

Status Cache::write(const Hash128 &key, const Archive &entry) const {
  TILEWRIGHT_TRY(createDirectories(directory));
  TILEWRIGHT_TRY(checkFolder());
  TILEWRIGHT_ASSIGN(std::optional<int64_t> limit,
                    getEnvNumber(EnvVar::CacheLimit, 0, int64_t(1) << 30));
  std::string bytes = entry.pack();
  TILEWRIGHT_TRY(writeFileAtomic(pathOf(key), bytes));
  if (uint64_t most = static_cast<uint64_t>(limit.value_or(kDefaultLimit)) << 20;
      most && isTimeToTrim(bytes.size(), most))
    trim(most);
  return {};
}

namespace {

struct EntryFile {
  fs::file_time_type lastUsed;
  fs::path path;
  uint64_t size;

  bool operator<(const EntryFile &other) const {
    return std::tie(lastUsed, path) < std::tie(other.lastUsed, other.path);
  }
};

} // namespace

/// Another process may remove entries meanwhile; those are left out.
static std::vector<EntryFile> entriesIn(const std::string &directory) {
  std::vector<EntryFile> entries;
  std::error_code code;
  for (fs::directory_iterator it(directory, code), end; !code && it != end; it.increment(code)) {
    if (it->path().extension() != kExtension)
      continue;
    std::error_code gone;
    EntryFile entry{it->last_write_time(gone), it->path(), 0};
    if (!gone)
      entry.size = it->file_size(gone);
    if (!gone)
      entries.push_back(std::move(entry));
  }
  return entries;
}

void Cache::trim(uint64_t limit) const {
  removeAbandonedFiles(directory);
  std::vector<EntryFile> entries = entriesIn(directory);
  uint64_t total = 0;
  for (const EntryFile &entry : entries)
    total += entry.size;
  if (total <= limit)
    return;
  std::sort(entries.begin(), entries.end());
  std::error_code ignored;
  for (const EntryFile &entry : entries) {
    if (total <= limit)
      return;
    fs::remove(entry.path, ignored);
    total -= entry.size;
  }
}

Archive packCompiled(const KernelSource &source, const CompiledText &compiled) {
  Archive archive;
  archive.add("kernel.json", toJson(source));
  archive.add("ptx", compiled.ptx);
  archive.add("cubin", compiled.cubin);
  archive.add("log", compiled.log);
  return archive;
}

std::optional<CompiledText> takeCompiled(Archive &archive) {
  std::optional<std::string> ptx = archive.take("ptx"), cubin = archive.take("cubin"),
                             log = archive.take("log");
  if (!ptx || !cubin || !log)
    return std::nullopt;
  return CompiledText{std::move(*ptx), std::move(*cubin), std::move(*log)};
}

ErrorOr<std::optional<CompiledText>> Cache::load(const Hash128 &key) const {
  TILEWRIGHT_ASSIGN(std::optional<Archive> archive, read(key));
  return archive ? takeCompiled(*archive) : std::nullopt;
}

Status Cache::store(const Hash128 &key, const KernelSource &source,
                    const CompiledText &result) const {
  return write(key, packCompiled(source, result));
}

} // namespace tilewright::runtime
