#include "tools/driver/Contest.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <random>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

using namespace tilewright;
using namespace tilewright::driver;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

//===- In the child ---------------------------------------------------------------------------===//

namespace {

class Referee {
public:
  Referee(Arena &arena, int pipe, const Pace &pace) : arena(arena), pipe(pipe), pace(pace) {}

  /// A contender that breaks the arena ends the contest.
  void hold(size_t count, const std::set<size_t> &leftOut) {
    for (size_t contender = 0; contender < count; ++contender)
      if (!leftOut.contains(contender) && !check(contender))
        return;
    if (!right.empty() && (!warmUp() || !takeTurns()))
      return;
    for (size_t i = 0; i < right.size(); ++i)
      say(fmt::format("time {} {}", right[i], median(times[i])));
    say("done");
  }

private:
  void say(const std::string &line) {
    std::string text = line + "\n";
    if (write(pipe, text.data(), text.size()) != ssize_t(text.size()))
      _exit(1); // the parent has ended
  }

  void drop(size_t contender, std::string why) {
    std::replace(why.begin(), why.end(), '\n', ' ');
    say(fmt::format("drop {} {}", contender, why));
  }

  bool check(size_t contender) {
    say(fmt::format("check {}", contender));
    ErrorOr<std::string> difference = arena.check(contender);
    if (difference && difference->empty()) {
      right.push_back(contender);
      say(fmt::format("right {}", contender));
      return true;
    }
    drop(contender, difference ? *difference : difference.error().message);
    return difference.ok();
  }

  bool warmUp() {
    for (Clock::time_point start = Clock::now(); secondsSince(start) < pace.warmSeconds;)
      for (size_t contender : right) {
        say(fmt::format("run {}", contender));
        if (Status done = arena.warm(contender); !done) {
          drop(contender, done.error().message);
          return false;
        }
      }
    return true;
  }

  /// Each turn has another order: a contender that always ran after the same one would gain if that
  /// draws little power.
  bool takeTurns() {
    constexpr unsigned kLeast = 3;
    times.resize(right.size());
    std::vector<size_t> order(right.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::mt19937 random(0);
    Clock::time_point start = Clock::now();
    for (unsigned turn = 0; turn < pace.turns; ++turn) {
      if (turn >= kLeast && secondsSince(start) > pace.seconds)
        break;
      say(fmt::format("turn {} {}", turn, pace.turns));
      std::shuffle(order.begin(), order.end(), random);
      for (size_t i : order)
        if (!timeOnce(i))
          return false;
    }
    return true;
  }

  bool timeOnce(size_t i) {
    say(fmt::format("run {}", right[i]));
    ErrorOr<double> microseconds = arena.time(right[i]);
    if (!microseconds) {
      drop(right[i], microseconds.error().message);
      return false;
    }
    times[i].push_back(*microseconds);
    return true;
  }

  static double median(std::vector<double> &values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
  }

  Arena &arena;
  int pipe;
  Pace pace;
  std::vector<size_t> right;
  std::vector<std::vector<double>> times; ///< Of each that is right.
};

} // namespace

void driver::holdContest(Arena &arena, size_t count, const std::set<size_t> &leftOut, int pipe,
                         const Pace &pace) {
  Referee(arena, pipe, pace).hold(count, leftOut);
}

//===- In the parent --------------------------------------------------------------------------===//

ErrorOr<Child> driver::startProgram(std::vector<std::string> words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Error{fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  Child child{-1, ends[0]};
  int failed = posix_spawnp(&child.pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (!failed)
    return child;
  close(ends[0]);
  return Error{fmt::format("cannot start `{}`: {}", words.front(), std::strerror(failed))};
}

namespace {

/// Reads the lines of children until one is done.
class Supervisor {
public:
  Supervisor(size_t count, double limitSeconds, const Progress &progress, Listen waitFor)
      : outcomes(count), limitSeconds(limitSeconds), progress(progress),
        waitFor(waitFor ? std::move(waitFor) : within(limitSeconds)) {}

  ErrorOr<std::vector<Outcome>> run(const StartChild &start) {
    while (leftOut.size() < outcomes.size()) {
      atWork.reset();
      failure.clear();
      size_t before = leftOut.size();
      TILEWRIGHT_ASSIGN(child, start(leftOut));
      std::string end = listen();
      close(child.pipe);
      if (isDone)
        return std::move(outcomes);
      if (atWork)
        drop(*atWork, end); // unless the child reported it itself
      if (leftOut.size() == before)
        return Error{"cannot measure: " + (failure.empty() ? end : failure)};
    }
    return std::move(outcomes);
  }

private:
  static Listen within(double seconds) {
    return [seconds](const Child &child) {
      pollfd poll{child.pipe, POLLIN, 0};
      return ::poll(&poll, 1, int(seconds * 1000)) != 0;
    };
  }

  /// How the child ended.
  std::string listen() {
    std::string said;
    for (;;) {
      if (!waitFor(child)) {
        kill(child.pid, SIGKILL);
        waitpid(child.pid, nullptr, 0);
        return fmt::format("it did not end within {:g} s", limitSeconds);
      }
      char buffer[4096];
      ssize_t count = read(child.pipe, buffer, sizeof(buffer));
      if (count <= 0)
        return endOf(child.pid);
      said.append(buffer, size_t(count));
      for (size_t end; (end = said.find('\n')) != said.npos; said.erase(0, end + 1))
        hear(said.substr(0, end));
    }
  }

  static std::string endOf(int pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status))
      return fmt::format("its process ended: {}", strsignal(WTERMSIG(status)));
    return fmt::format("its process ended with status {}", WEXITSTATUS(status));
  }

  void hear(const std::string &line) {
    std::istringstream words(line);
    std::string word;
    size_t number = 0;
    words >> word;
    if (word == "fail")
      failure = line.substr(std::min(line.size(), word.size() + 1));
    else if (word == "done")
      isDone = true;
    else if (words >> number)
      hear(word, number, words);
  }

  void hear(const std::string &word, size_t number, std::istringstream &rest) {
    if (word == "turn") {
      unsigned all = 1;
      rest >> all;
      show(fmt::format("turn {} of {}", number + 1, all), 0.3 + 0.7 * double(number) / all);
      return;
    }
    if (number >= outcomes.size())
      return;
    if (word == "check" || word == "run")
      atWork = number;
    if (word == "check")
      show(fmt::format("checking {} of {}", number + 1, outcomes.size()),
           0.3 * double(number) / double(outcomes.size()));
    if (word == "time")
      rest >> outcomes[number].microseconds;
    if (word == "drop") {
      std::string why;
      std::getline(rest >> std::ws, why);
      drop(number, why);
    }
  }

  void drop(size_t contender, const std::string &why) {
    if (leftOut.insert(contender).second)
      outcomes[contender].dropped = why;
  }

  void show(const std::string &doing, double share) {
    if (progress)
      progress(doing, share);
  }

  std::vector<Outcome> outcomes;
  double limitSeconds;
  const Progress &progress;
  Listen waitFor;
  Child child;
  std::set<size_t> leftOut;
  std::optional<size_t> atWork; ///< The contender that ran last.
  std::string failure;          ///< Why a child could not begin.
  bool isDone = false;
};

} // namespace

ErrorOr<std::vector<Outcome>> driver::superviseContest(size_t count, const StartChild &start,
                                                       double limitSeconds,
                                                       const Progress &progress, Listen listen) {
  return Supervisor(count, limitSeconds, progress, std::move(listen)).run(start);
}
