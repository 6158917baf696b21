//===- Files.cpp - Whole files, written atomically ------------------------===//

#include "support/Files.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tilewright {

static Error fileError(const char *action, const std::string &path, int code) {
  return Error{std::string("cannot ") + action + " `" + path +
               "`: " + std::generic_category().message(code)};
}

/// Writes everything or returns the errno of the failure.
static int writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

/// What names of temporary files have behind that of their target.
static constexpr std::string_view kTemporary = ".tilewright-tmp.";

/// Takes the lock of a temporary file, which its writer holds while it lives. False if someone else
/// has it, or had it first and removed the file. Where a file system has no locks, all are taken
/// for locked.
static bool lockTemporary(int fd) {
  struct stat info;
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
    return errno != EWOULDBLOCK;
  return ::fstat(fd, &info) == 0 && info.st_nlink > 0;
}

/// Creates a new file whose name starts with `prefix`; the descriptor, or -1 and errno. None but
/// the user may write to it, whatever the umask: see `checkOwn`.
static int createTemporary(const std::string &prefix, std::string &path) {
  static std::atomic<unsigned> counter{0};
  while (true) {
    path = prefix + std::string(kTemporary) + std::to_string(::getpid()) + "." +
           std::to_string(counter++);
    int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0 && errno != EEXIST)
      return fd;
    if (fd >= 0 && lockTemporary(fd))
      return fd;
    if (fd >= 0)
      ::close(fd);
  }
}

/// Reads everything or returns the errno of the failure.
static int readAll(int fd, std::string &contents) {
  // The size is a hint only: files in /proc report 0.
  struct stat info;
  if (::fstat(fd, &info) == 0 && info.st_size > 0)
    contents.reserve(static_cast<size_t>(info.st_size));
  char buffer[1 << 16];
  while (true) {
    ssize_t count = ::read(fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    if (count == 0)
      return 0;
    contents.append(buffer, static_cast<size_t>(count));
  }
}

ErrorOr<std::string> readFile(const std::string &path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return fileError("read", path, errno);
  std::string contents;
  int failure = readAll(fd, contents);
  ::close(fd);
  if (failure)
    return fileError("read", path, failure);
  return contents;
}

static Status checkOwn(const struct stat &info, const std::string &path) {
  uid_t user = ::geteuid();
  if (info.st_uid != user && info.st_uid != 0)
    return Error{"`" + path + "` belongs to user " + std::to_string(info.st_uid) +
                 " and not to user " + std::to_string(user) + ", who runs this"};
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return Error{"others than its owner may write to `" + path + "`; `chmod go-w` changes that"};
  return {};
}

Status checkOwn(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return fileError("look at", path, errno);
  return checkOwn(info, path);
}

ErrorOr<std::optional<std::string>> readOwnFile(const std::string &path) {
  // A pipe in place of the file would have us wait for ever.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
    return std::optional<std::string>();
  if (fd < 0)
    return fileError("read", path, errno);
  struct stat info;
  std::string contents;
  int failure = ::fstat(fd, &info) == 0 ? 0 : errno;
  Status own = failure ? Status() : checkOwn(info, path);
  if (!failure && own)
    failure = readAll(fd, contents);
  ::close(fd);
  TILEWRIGHT_TRY(own);
  if (failure)
    return fileError("read", path, failure);
  return std::optional(std::move(contents));
}

Status writeFileAtomic(const std::string &path, std::string_view contents) {
  // Beside the target, because rename is atomic only within one file system.
  std::string temporary;
  int fd = createTemporary(path, temporary);
  if (fd < 0)
    return fileError("write", path, errno);
  int failure = writeAll(fd, contents);
  // Before rename: otherwise a crash may leave the new name with no data behind it.
  if (!failure && ::fsync(fd) != 0)
    failure = errno;
  if (!failure && ::rename(temporary.c_str(), path.c_str()) != 0)
    failure = errno;
  if (failure)
    ::unlink(temporary.c_str());
  // Closing gives the lock away, so it comes last. What it could report, fsync has.
  ::close(fd);
  return failure ? fileError("write", path, failure) : Status();
}

void removeAbandonedFiles(const std::string &directory) {
  std::error_code code;
  for (std::filesystem::directory_iterator it(directory, code), end; !code && it != end;
       it.increment(code)) {
    if (it->path().filename().string().find(kTemporary) == std::string::npos)
      continue;
    int fd = ::open(it->path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
      continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0)
      ::unlink(it->path().c_str());
    ::close(fd);
  }
}

/// Creates a folder and its parents or returns the errno of the failure.
static int createMissing(const std::filesystem::path &path) {
  auto create = [&] { return ::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST ? 0 : errno; };
  int failure = create();
  if (failure != ENOENT || path.parent_path() == path)
    return failure;
  failure = createMissing(path.parent_path());
  return failure ? failure : create();
}

Status createDirectories(const std::string &path) {
  if (int failure = createMissing(path))
    return fileError("create folder", path, failure);
  std::error_code code;
  if (!std::filesystem::is_directory(path, code))
    return fileError("create folder", path, ENOTDIR);
  return {};
}

Status checkWritable(const std::string &directory) {
  std::string probe;
  int fd = createTemporary(directory + "/probe", probe);
  if (fd < 0)
    return fileError("write to folder", directory, errno);
  ::close(fd);
  ::unlink(probe.c_str());
  return {};
}

} // namespace tilewright
