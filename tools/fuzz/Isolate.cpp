#include "tools/fuzz/Isolate.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::fuzz;

namespace {

using Check = std::function<std::optional<Finding>(size_t)>;

/// A process that checks [next, end), and what it has said so far.
struct Worker {
  pid_t pid = -1;
  int pipe = -1;
  size_t next = 0, end = 0;
  std::string said;
};

} // namespace

/// How a process ends that leaves the rest of its batch to another.
static constexpr int kRestElsewhere = 4;

static void say(int pipe, const std::string &text) {
  for (size_t at = 0; at < text.size();) {
    ssize_t count = write(pipe, text.data() + at, text.size() - at);
    if (count <= 0)
      _exit(3);
    at += size_t(count);
  }
}

/// A finding as three strings, each ended by a 0; the first says whether there is one.
static std::string encode(const std::optional<Finding> &finding) {
  std::string text = finding ? "1" : "0";
  for (const std::string &part : {finding ? finding->stage : "", finding ? finding->message : ""})
    text += '\0' + part;
  return text + '\0';
}

/// Takes a whole record off the front of what a worker said.
static bool decode(std::string &said, std::optional<Finding> &finding) {
  size_t ends[3], from = 0;
  for (size_t &end : ends) {
    end = said.find('\0', from);
    if (end == said.npos)
      return false;
    from = end + 1;
  }
  if (said[0] == '1')
    finding = Finding{said.substr(ends[0] + 1, ends[1] - ends[0] - 1),
                      said.substr(ends[1] + 1, ends[2] - ends[1] - 1)};
  said.erase(0, from);
  return true;
}

/// Ends the process when it has taken too long, by the clock or by its processor's time.
static void limitTime(const IsolateOptions &options) {
  alarm(options.seconds);
  itimerval limit = {};
  limit.it_value.tv_sec = options.cpuSeconds;
  setitimer(ITIMER_PROF, &limit, nullptr);
}

/// The checks of [begin, end) up to a finding that may have left a mark.
[[noreturn]] static void work(size_t begin, size_t end, int pipe, const Check &check,
                              const IsolateOptions &options) {
  for (size_t i = begin; i < end; ++i) {
    limitTime(options);
    std::optional<Finding> finding = check(i);
    say(pipe, encode(finding));
    if (finding && finding->stage != options.harmless)
      _exit(kRestElsewhere);
  }
  _exit(0);
}

static Worker start(size_t begin, size_t end, const Check &check, const IsolateOptions &options) {
  int ends[2];
  Worker worker{-1, -1, begin, end, {}};
  if (pipe(ends) != 0)
    return worker;
  worker.pid = fork();
  if (worker.pid == 0) {
    close(ends[0]);
    work(begin, end, ends[1], check, options);
  }
  close(ends[1]);
  worker.pipe = ends[0];
  return worker;
}

/// What the end of a process in the middle of a check means.
static Finding death(int status, const IsolateOptions &options) {
  int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (number == SIGALRM)
    return {"hang", "the check took longer than " + std::to_string(options.seconds) + " s"};
  if (number == SIGPROF)
    return {"hang",
            "the check took " + std::to_string(options.cpuSeconds) + " s of a processor's time"};
  return {"crash", number ? strsignal(number) : "the process ended"};
}

/// Reads what a worker has to say; false once it is gone, which leaves `next` at what is still to
/// do.
static bool listen(Worker &worker, Findings &findings, const IsolateOptions &options) {
  char buffer[4096];
  ssize_t count = read(worker.pipe, buffer, sizeof(buffer));
  if (count > 0) {
    worker.said.append(buffer, size_t(count));
    for (std::optional<Finding> finding; decode(worker.said, finding); finding.reset())
      findings[worker.next++] = finding;
    return true;
  }
  close(worker.pipe);
  int status = 0;
  waitpid(worker.pid, &status, 0);
  bool hasDied = !WIFEXITED(status) || WEXITSTATUS(status) != kRestElsewhere;
  if (hasDied && worker.next < worker.end)
    findings[worker.next++] = death(status, options);
  return false;
}

Findings fuzz::checkIsolated(size_t count, const Check &check, const IsolateOptions &options) {
  Findings findings(count);
  std::vector<Worker> workers;
  size_t next = 0;
  while (next < count || !workers.empty()) {
    while (next < count && workers.size() < std::max(1u, options.jobs)) {
      size_t end = std::min(count, next + std::max<size_t>(1, options.batch));
      workers.push_back(start(next, end, check, options));
      next = end;
    }
    std::vector<pollfd> polls;
    for (const Worker &worker : workers)
      polls.push_back({worker.pipe, POLLIN, 0});
    poll(polls.data(), polls.size(), -1);
    for (size_t i = workers.size(); i-- > 0;) {
      if (!polls[i].revents || listen(workers[i], findings, options))
        continue;
      Worker gone = workers[i];
      workers.erase(workers.begin() + i);
      if (gone.next < gone.end)
        workers.push_back(start(gone.next, gone.end, check, options));
    }
  }
  return findings;
}
