// Parts of a test that run in processes of their own.
#pragma once

#include <csignal>
#include <functional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tilewright {

/// Runs part(0) to part(count - 1) at once, and tells how each process ended, as waitpid does: 0 if
/// its part was true.
inline std::vector<int> inProcesses(int count, const std::function<bool(int)> &part) {
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    children.push_back(fork());
    if (children.back() == 0)
      _exit(part(i) ? 0 : 1);
  }
  std::vector<int> results(children.size(), -1);
  for (size_t i = 0; i < children.size(); ++i)
    waitpid(children[i], &results[i], 0);
  return results;
}

inline int inProcess(const std::function<bool()> &part) {
  return inProcesses(1, [&](int) { return part(); }).front();
}

/// This process writes no file beyond 1000 bytes: an error, as on a full disk, or its death.
inline void limitFiles(bool deadly) {
  rlimit core{0, 0}, limit{1000, 1000};
  setrlimit(RLIMIT_CORE, &core);
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, deadly ? SIG_DFL : SIG_IGN);
}

} // namespace tilewright
