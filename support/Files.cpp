//===- Files.cpp - Whole files, written atomically ------------------------===//

#include "support/Files.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
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

/// Creates a new file whose name starts with `prefix`; the descriptor, or -1 and errno. Unlike
/// mkstemp it honours the umask, so that a cache can be shared by a group of users.
static int createTemporary(const std::string &prefix, std::string &path) {
  static std::atomic<unsigned> counter{0};
  while (true) {
    path = prefix + ".tmp." + std::to_string(::getpid()) + "." + std::to_string(counter++);
    int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
}

ErrorOr<std::string> readFile(const std::string &path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return fileError("read", path, errno);
  std::string contents;
  // The size is a hint only: files in /proc report 0.
  struct stat info;
  if (::fstat(fd, &info) == 0 && info.st_size > 0)
    contents.reserve(static_cast<size_t>(info.st_size));
  char buffer[1 << 16];
  int failure = 0;
  while (true) {
    ssize_t count = ::read(fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      failure = errno;
    if (count <= 0)
      break;
    contents.append(buffer, static_cast<size_t>(count));
  }
  ::close(fd);
  if (failure)
    return fileError("read", path, failure);
  return contents;
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
  if (::close(fd) != 0 && !failure)
    failure = errno;
  if (!failure && ::rename(temporary.c_str(), path.c_str()) != 0)
    failure = errno;
  if (!failure)
    return {};
  ::unlink(temporary.c_str());
  return fileError("write", path, failure);
}

Status createDirectories(const std::string &path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code)
    return fileError("create folder", path, code.value());
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
