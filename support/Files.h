//===- Files.h - Whole files, written atomically ----------------*- C++ -*-===//

#pragma once

#include "support/ErrorOr.h"

#include <string>
#include <string_view>

namespace tilewright {

/// The bytes of a file. The error names the file and the system's reason.
ErrorOr<std::string> readFile(const std::string &path);

/// Replaces `path` by `contents` as one step: readers, also in other processes, see the old file or
/// the new one and never a part. The folder must exist. On failure (no space, no permission, …)
/// `path` is as it was and no temporary file is left.
Status writeFileAtomic(const std::string &path, std::string_view contents);

/// Creates a folder and its parents; succeeds if it exists.
Status createDirectories(const std::string &path);

/// Succeeds if a file can be created in the folder, by doing it.
Status checkWritable(const std::string &directory);

} // namespace tilewright
