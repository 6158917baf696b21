//===- Files.h - Whole files, written atomically ----------------*- C++ -*-===//

#pragma once

#include "support/ErrorOr.h"

#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

/// The bytes of a file. The error names the file and the system's reason.
ErrorOr<std::string> readFile(const std::string &path);

/// Succeeds if the file or folder is the user's own: it belongs to the user, or to root, and none
/// but the owner may write to it.
Status checkOwn(const std::string &path);

/// The bytes of a file that is the user's own; nothing if there is no file. The open file is
/// checked, so nobody can replace it in between.
ErrorOr<std::optional<std::string>> readOwnFile(const std::string &path);

/// Replaces `path` by `contents` as one step: readers, also in other processes, see the old file or
/// the new one and never a part. The folder must exist. On failure (no space, no permission, …)
/// `path` is as it was and no temporary file is left.
Status writeFileAtomic(const std::string &path, std::string_view contents);

/// Removes temporary files that killed writers left in this folder. Files that are being written
/// stay.
void removeAbandonedFiles(const std::string &directory);

/// Creates a folder and its parents, which the user alone may write to; succeeds if it exists.
Status createDirectories(const std::string &path);

/// Succeeds if a file can be created in the folder, by doing it.
Status checkWritable(const std::string &directory);

} // namespace tilewright
