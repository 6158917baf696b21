// Random kernels with tiles in parts, along rows or columns of what they store: each is refused, or
// gives what it gives as a whole.
#include "tools/fuzz/Choices.h"
#include "tools/fuzz/Generator.h"
#include "tools/fuzz/Run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::fuzz;

namespace {

struct Outcome {
  bool isCut = false;
  std::string difference;
};

} // namespace

static Outcome cut(const Case &test, const std::string &parts) {
  ErrorOr<Run> run = Run::create(test);
  if (!run)
    return {false, run.error().message};
  auto whole = run->lower(), module = run->lower();
  if (!whole || !module)
    return {false, "the kernel could not be lowered: " + whole.error().message};
  run->expected = run->initial;
  if (Status status = run->interpret(*whole, run->expected); !status)
    return {false, status.error().message};
  std::string plan = fmt::format("plan 1 of {} for sm_90\ntiles {}\n", run->kernel->kernel, parts);
  if (!module->facts({}, plan))
    return {};
  Tensors found = run->initial;
  if (Status status = run->interpret(*module, found); !status)
    return {true, status.error().message};
  return {true, run->compare(found)};
}

TEST(Parts, giveTheSameNumbersOrAreRefused) {
  constexpr uint64_t kSeeds = 600;
  int count = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Choices choices(seed), more(seed);
    Case test = drawCase(choices);
    std::string parts = fmt::format("{} in {} parts", more.pick<const char *>({"rows", "columns"}),
                                    more.pick({2, 2, 4, 3}));
    Outcome outcome = cut(test, parts);
    EXPECT_EQ(outcome.difference, "") << "seed " << seed << ", " << parts << "\n" << test.str();
    count += outcome.isCut;
  }
  EXPECT_GT(count, int(kSeeds) / 10);
}
