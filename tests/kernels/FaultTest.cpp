// Faults planted in compiled kernels, by Faults.def: the simulator finds each in the eager and in
// the lazy schedule, at a line of the kernel, and finds nothing in the kernels as they are.
// `--print` prints what is found.
#include "tests/kernels/CaseTests.h"
#include "tests/kernels/Mutations.h"
#include "tests/kernels/SimulatedCase.h"

#include <cstring>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::kernels;
using simulator::Schedule;

namespace {

/// A kernel in which faults are planted.
struct Subject {
  const char *name, *target, *kernel, *dtypes, *shape, *settings;
};
constexpr Subject kSubjects[] = {
#define SUBJECT(name, target, kernel, dtypes, shape, settings)                                     \
  {name, target, kernel, dtypes, shape, settings},
#define FAULT(subject, mutation, index, expected)
#define HARMLESS(subject, mutation, index, reason)
#include "tests/kernels/Faults.def"
};

struct Fault {
  const char *subject, *mutation;
  unsigned index;
  const char *expected; ///< Flags of findings, of which one is first; empty: nothing is found.
};
constexpr Fault kFaults[] = {
#define SUBJECT(name, target, kernel, dtypes, shape, settings) {name, "", 0, ""},
#define FAULT(subject, mutation, index, expected) {subject, mutation, index, expected},
#define HARMLESS(subject, mutation, index, reason) {subject, mutation, index, ""},
#include "tests/kernels/Faults.def"
};

bool print = false;

const Subject &subjectOf(const Fault &fault) {
  return *std::find_if(std::begin(kSubjects), std::end(kSubjects), [&](const Subject &subject) {
    return !std::strcmp(subject.name, fault.subject);
  });
}

/// The flag of the first finding, "wrong-result", or nothing.
std::string outcomeOf(const SimulatedRun &run) {
  if (!run.result.isClean())
    return nameOf(run.result.findings.front().kind).str();
  return run.fault.empty() ? "" : "wrong-result";
}

class FaultTest : public testing::Test {
public:
  explicit FaultTest(const Fault &fault) : fault(fault) {}

  void TestBody() override {
    const Subject &subject = subjectOf(fault);
    Case test{subject.kernel, subject.dtypes, subject.shape, subject.settings};
    for (Schedule schedule : {Schedule::Eager, Schedule::Lazy}) {
      ErrorOr<SimulatedCase> simulated = SimulatedCase::create(test, subject.target);
      ASSERT_TRUE(simulated) << simulated.error().message;
      if (*fault.mutation) {
        ASSERT_TRUE(mutate(simulated->kernel(), fault.mutation, fault.index)) << fault.mutation;
      }
      check(simulated->run({.schedule = schedule}));
    }
  }

private:
  void check(const SimulatedRun &run) {
    std::string outcome = outcomeOf(run);
    if (print)
      fmt::print("{} {} {}: {}\n{}\n", fault.subject, fault.mutation, fault.index, outcome,
                 run.fault);
    if (!*fault.expected)
      EXPECT_EQ(outcome, "") << run.fault;
    else
      EXPECT_TRUE(llvm::is_contained(splitWords(fault.expected, ' '), outcome))
          << "`" << outcome << "` instead of " << fault.expected << "\n"
          << run.fault;
    // Explained: at a line of the kernel.
    if (!run.result.isClean()) {
      EXPECT_NE(run.fault.find(".py:"), std::string::npos) << run.fault;
    }
  }

  const Fault &fault;
};

} // namespace

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    print |= !std::strcmp(argv[i], "--print");
  for (const Fault &fault : kFaults) {
    std::string name =
        *fault.mutation ? fmt::format("{}/{}", fault.mutation, fault.index) : "as_it_is";
    testing::RegisterTest(fault.subject, name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [&fault]() -> testing::Test * { return new FaultTest(fault); });
  }
  initTests(argc, argv);
  return RUN_ALL_TESTS();
}
