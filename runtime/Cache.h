//===- Cache.h - Compiled kernels on disk -----------------------*- C++ -*-===//
//
// One file per compilation, named by the hash of everything that determines it. Any number of
// processes may share a folder: files appear whole or not at all, and what two writers of one key
// write is equivalent. A damaged file counts as absent and is replaced.
//
// Machine code is run as the user, so none is taken from a folder or a file that others may have
// written (`checkOwn`, support/Files.h).
//
// Entries that were used longest ago go when all take more than $TILEWRIGHT_CACHE_LIMIT. A file's
// time of change says when it was last used. Who reads an entry that goes reads it to the end.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/Archive.h"
#include "runtime/KernelSource.h"
#include "runtime/Nvrtc.h"
#include "support/Hash.h"

#include <optional>

namespace tilewright::runtime {

/// $TILEWRIGHT_CACHE_DIR, $XDG_CACHE_HOME/tilewright or ~/.cache/tilewright; empty if none is set.
std::string defaultCacheDir();

/// Names one compilation. `options` are all options given to NVRTC beside the target.
Hash128 cacheKey(const KernelSource &source, const std::vector<std::string> &options,
                 const std::string &nvrtcVersion);

/// A compiled kernel with all that launching it needs.
Archive packCompiled(const KernelSource &source, const CompiledText &compiled);
/// What packCompiled packed, but for the source; nothing where something else was packed.
std::optional<CompiledText> takeCompiled(Archive &archive);

/// Entries are archives; anything may be kept in one. What compilations leave is read and written
/// by `load` and `store`.
class Cache {
public:
  /// A cache in this folder, which is created when first written to. The folder is the user's
  /// alone.
  explicit Cache(std::string directory) : directory(std::move(directory)) {}

  /// The stored result; nothing if there is none or it is damaged. Fails where there is one that is
  /// not to be trusted.
  ErrorOr<std::optional<CompiledText>> load(const Hash128 &key) const;

  /// Stores a result, together with the description needed to launch it. Failure (no space, no
  /// permission) leaves the cache as it was, but for entries that went.
  Status store(const Hash128 &key, const KernelSource &source, const CompiledText &result) const;

  /// Any entry; nothing if there is none or it is damaged. Fails as `load` does.
  ErrorOr<std::optional<Archive>> read(const Hash128 &key) const;
  Status write(const Hash128 &key, const Archive &entry) const;

  /// Removes the entries that were used longest ago, until what is left takes no more than so many
  /// bytes, and what killed writers left. `write` does so at times.
  void trim(uint64_t limit) const;

  /// The file of an entry.
  std::string pathOf(const Hash128 &key) const;

private:
  Status checkFolder() const;

  std::string directory;
};

} // namespace tilewright::runtime
