// Planted mistakes are found and explained: each row of Faults.def, in the first schedule that
// shows it. Changes that leave the behaviour as it is are not reported.
#include "tests/hopper/Simulation.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::hopper;
using namespace tilewright::simulator;

namespace {

struct Fault {
  MatrixRun::Kind program;
  const char *name;
  std::string from, to;
  int occurrence;
  std::string kinds; // of findings; a reason where there are none
};

std::ostream &operator<<(std::ostream &stream, const Fault &fault) {
  return stream << MatrixRun::file(fault.program) << ": " << fault.name;
}

const Fault kFaults[] = {
#define FAULT(program, name, from, to, occurrence, kinds)                                          \
  {MatrixRun::program, #name, from, to, occurrence, kinds},
#define HARMLESS(program, name, from, to, occurrence, reason)
#include "tests/hopper/Faults.def"
};

const Fault kHarmless[] = {
#define FAULT(program, name, from, to, occurrence, kinds)
#define HARMLESS(program, name, from, to, occurrence, reason)                                      \
  {MatrixRun::program, #name, from, to, occurrence, reason},
#include "tests/hopper/Faults.def"
};

/// The program with the fault in it.
Program planted(const Fault &fault) {
  std::string text = textOf(MatrixRun::file(fault.program));
  size_t at = 0;
  for (int i = 1; (at = text.find(fault.from, at)) != std::string::npos; ++i) {
    if (i == fault.occurrence) {
      text.replace(at, fault.from.size(), fault.to);
      return parse(text);
    }
    at += fault.from.size();
  }
  ADD_FAILURE() << "the program has no such text: " << fault.from;
  return parse(text);
}

MatrixRun runOf(const Fault &fault) {
  switch (fault.program) {
  case MatrixRun::Plain:
    return MatrixRun(fault.program, planted(fault), 136, 136, 328);
  case MatrixRun::SplitK:
    return MatrixRun(fault.program, planted(fault), 136, 136, 520, /*splits=*/2);
  case MatrixRun::Chain:
    break;
  }
  return MatrixRun(fault.program, planted(fault), 100, 64, 264);
}

/// Eager, lazy, then random ones.
MachineOptions schedule(int number) {
  MachineOptions options;
  options.maxSteps = 1000000;
  options.schedule = number == 0   ? Schedule::Eager
                     : number == 1 ? Schedule::Lazy
                                   : Schedule::Random;
  options.seed = uint64_t(number);
  return options;
}

class Faults : public testing::TestWithParam<Fault> {};
class HarmlessChanges : public testing::TestWithParam<Fault> {};

TEST_P(Faults, are_found) {
  const Fault &fault = GetParam();
  MatrixRun run = runOf(fault);
  std::string messages, found;
  for (int number = 0; number < 8 && found.empty(); ++number)
    found = run.simulate(schedule(number), &messages);
  llvm::SmallVector<llvm::StringRef> expected;
  llvm::StringRef(fault.kinds).split(expected, ' ');
  bool explained = llvm::any_of(expected, [&](llvm::StringRef kind) {
    return (" " + found + " ").find((" " + kind + " ").str()) != std::string::npos;
  });
  RecordProperty("found", found);
  EXPECT_TRUE(explained) << "found: " << found << "\n" << messages;
}

TEST_P(HarmlessChanges, are_not_reported) {
  MatrixRun run = runOf(GetParam());
  for (int number = 0; number < 4; ++number) {
    std::string messages;
    EXPECT_EQ(run.simulate(schedule(number), &messages), "") << messages;
    run.expectProduct();
  }
}

std::string nameOf(const testing::TestParamInfo<Fault> &info) {
  std::string file = MatrixRun::file(info.param.program);
  return file.substr(0, file.find('.')) + "_" + info.param.name;
}

INSTANTIATE_TEST_SUITE_P(All, Faults, testing::ValuesIn(kFaults), nameOf);
INSTANTIATE_TEST_SUITE_P(All, HarmlessChanges, testing::ValuesIn(kHarmless), nameOf);

} // namespace
