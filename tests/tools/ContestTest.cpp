// Contenders that are right, wrong, slow, that hang and that break everything, on a stand-in for a
// GPU: who is timed, who is dropped and why.
#include "tools/driver/Contest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright::driver {
namespace {

using testing::HasSubstr;

enum class Kind { Right, Wrong, Hangs, Crashes, Breaks, HangsLate };

struct Fake {
  Kind kind = Kind::Right;
  double microseconds = 1;
};

class FakeArena : public Arena {
public:
  explicit FakeArena(std::vector<Fake> fakes) : fakes(std::move(fakes)) {}

  ErrorOr<std::string> check(size_t contender) override {
    switch (fakes[contender].kind) {
    case Kind::Wrong:
      return std::string("its `c` differs\nin 7 elements");
    case Kind::Breaks:
      return Error{"an illegal address"};
    case Kind::Crashes:
      std::signal(SIGSEGV, SIG_DFL); // AddressSanitizer would report it
      raise(SIGSEGV);
      [[fallthrough]];
    case Kind::Hangs:
      raise(SIGSTOP); // see isHeard
      [[fallthrough]];
    default:
      return std::string();
    }
  }
  Status warm(size_t) override { return {}; }
  ErrorOr<double> time(size_t contender) override {
    if (fakes[contender].kind == Kind::HangsLate && ++timed > 4)
      raise(SIGSTOP); // see isHeard
    return fakes[contender].microseconds;
  }

private:
  std::vector<Fake> fakes;
  unsigned timed = 0;
};

/// Starts a contest in a forked process; counts them.
StartChild contestOf(const std::vector<Fake> &fakes, unsigned &started) {
  return [&](const std::set<size_t> &leftOut) -> ErrorOr<Child> {
    ++started;
    int ends[2];
    if (pipe(ends) != 0)
      return Error{"no pipe"};
    Child child{fork(), ends[0]};
    if (child.pid == 0) {
      FakeArena arena(fakes);
      holdContest(arena, fakes.size(), leftOut, ends[1],
                  {.warmSeconds = 0, .seconds = 1e9, .turns = 5});
      _exit(0);
    }
    close(ends[1]);
    return child;
  };
}

struct Held {
  std::vector<Outcome> outcomes;
  unsigned started = 0;
  std::string error;
};

/// A child that hangs is one that is stopped: nothing depends on how fast the others are.
bool isHeard(const Child &child) {
  for (;;) {
    siginfo_t state{};
    waitid(P_PID, id_t(child.pid), &state, WSTOPPED | WNOHANG | WNOWAIT);
    bool isStopped = state.si_pid == child.pid; // so that it has said all that it will
    pollfd poll{child.pipe, POLLIN, 0};
    if (::poll(&poll, 1, isStopped ? 0 : 10) != 0)
      return true;
    if (isStopped)
      return false;
  }
}

Held hold(const std::vector<Fake> &fakes, const Progress &progress = {}) {
  Held held;
  ErrorOr<std::vector<Outcome>> outcomes =
      superviseContest(fakes.size(), contestOf(fakes, held.started), 30, progress, isHeard);
  if (outcomes)
    held.outcomes = *outcomes;
  else
    held.error = outcomes.error().message;
  return held;
}

TEST(Contest, times_all_that_are_right) {
  Held held = hold({{Kind::Right, 3}, {Kind::Right, 1.5}, {Kind::Right, 2}});
  ASSERT_EQ(held.outcomes.size(), 3u) << held.error;
  EXPECT_EQ(held.started, 1u);
  EXPECT_EQ(held.outcomes[0].microseconds, 3);
  EXPECT_EQ(held.outcomes[1].microseconds, 1.5);
  EXPECT_EQ(held.outcomes[2].microseconds, 2);
  for (const Outcome &outcome : held.outcomes)
    EXPECT_EQ(outcome.dropped, "");
}

TEST(Contest, drops_what_is_wrong_and_goes_on) {
  Held held = hold({{Kind::Right, 3}, {Kind::Wrong}, {Kind::Right, 2}});
  ASSERT_EQ(held.outcomes.size(), 3u) << held.error;
  EXPECT_EQ(held.started, 1u);
  EXPECT_EQ(held.outcomes[1].dropped, "its `c` differs in 7 elements");
  EXPECT_EQ(held.outcomes[2].microseconds, 2);
}

TEST(Contest, ends_what_hangs_and_starts_the_rest_anew) {
  Held held = hold({{Kind::Right, 3}, {Kind::Hangs}, {Kind::Right, 2}});
  ASSERT_EQ(held.outcomes.size(), 3u) << held.error;
  EXPECT_EQ(held.started, 2u);
  EXPECT_EQ(held.outcomes[0].microseconds, 3);
  EXPECT_EQ(held.outcomes[1].dropped, "it did not end within 30 s");
  EXPECT_EQ(held.outcomes[2].microseconds, 2);
}

TEST(Contest, knows_who_hangs_between_the_turns) {
  Held held = hold({{Kind::Right, 3}, {Kind::Right, 2}, {Kind::HangsLate}});
  ASSERT_EQ(held.outcomes.size(), 3u) << held.error;
  EXPECT_EQ(held.started, 2u);
  EXPECT_EQ(held.outcomes[0].microseconds, 3);
  EXPECT_EQ(held.outcomes[1].microseconds, 2);
  EXPECT_EQ(held.outcomes[2].dropped, "it did not end within 30 s");
}

TEST(Contest, leaves_a_gpu_that_was_broken) {
  Held held = hold({{Kind::Breaks}, {Kind::Crashes}, {Kind::Right, 2}});
  ASSERT_EQ(held.outcomes.size(), 3u) << held.error;
  EXPECT_EQ(held.started, 3u);
  EXPECT_EQ(held.outcomes[0].dropped, "an illegal address");
  EXPECT_EQ(held.outcomes[1].dropped, "its process ended: Segmentation fault");
  EXPECT_EQ(held.outcomes[2].microseconds, 2);
}

TEST(Contest, ends_where_nobody_is_left) {
  Held held = hold({{Kind::Wrong}, {Kind::Hangs}});
  ASSERT_EQ(held.outcomes.size(), 2u) << held.error;
  EXPECT_NE(held.outcomes[0].dropped, "");
  EXPECT_NE(held.outcomes[1].dropped, "");
}

TEST(Contest, says_how_far_it_is) {
  std::vector<std::string> said;
  double last = 0;
  hold({{Kind::Right}, {Kind::Right}}, [&](const std::string &doing, double share) {
    said.push_back(doing);
    EXPECT_GE(share, last);
    last = share;
  });
  ASSERT_GE(said.size(), 3u);
  EXPECT_EQ(said.front(), "checking 1 of 2");
  EXPECT_EQ(said.back(), "turn 5 of 5");
}

TEST(Contest, fails_where_a_child_cannot_begin) {
  auto words = [](const std::string &script) -> StartChild {
    return [=](const std::set<size_t> &) { return startProgram({"sh", "-c", script}); };
  };
  auto errorOf = [](const StartChild &start) {
    ErrorOr<std::vector<Outcome>> outcomes = superviseContest(2, start, 600);
    return outcomes ? "" : outcomes.error().message;
  };
  EXPECT_EQ(errorOf(words("echo fail there is no GPU; exit 1")), "cannot measure: there is no GPU");
  EXPECT_EQ(errorOf(words("exit 3")), "cannot measure: its process ended with status 3");
  // It dies again and again, and nobody is at fault.
  EXPECT_EQ(errorOf(words("echo check 0; echo drop 0 wrong; exit 3")),
            "cannot measure: its process ended with status 3");
  EXPECT_THAT(errorOf([](auto &) { return startProgram({"/no/such/program"}); }),
              HasSubstr("cannot start `/no/such/program`"));
}

TEST(Contest, a_child_needs_a_pipe) {
  // UndefinedBehaviorSanitizer looks at a type through a pipe, and only once.
  EXPECT_FALSE(startProgram({"/no/such/program"}));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none{0, before.rlim_max}; // of files that are opened from here on
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  ErrorOr<Child> child = startProgram({"true"});
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().message, "cannot make a pipe: Too many open files");
}

TEST(Contest, ignores_words_that_it_does_not_know) {
  auto start = [](const std::set<size_t> &) {
    return startProgram({"sh", "-c",
                         "echo load; echo hello 1 2; echo check 9; echo drop 9 no; echo check 0; "
                         "echo right 0; echo time 0 4.5; echo done"});
  };
  ErrorOr<std::vector<Outcome>> outcomes = superviseContest(1, start, 600);
  ASSERT_TRUE(outcomes) << outcomes.error().message;
  EXPECT_EQ(outcomes->front().microseconds, 4.5);
}

} // namespace
} // namespace tilewright::driver
