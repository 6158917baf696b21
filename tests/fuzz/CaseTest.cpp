#include "tools/fuzz/Case.h"

#include <gtest/gtest.h>
#include <set>

using namespace tilewright;
using namespace tilewright::fuzz;

TEST(Case, isReadAsItWasWritten) {
  Case test;
  test.text = "from tilewright import *\n\n# a comment of the kernel\n";
  test.dims = {{"M", 37}, {"N", 5}};
  test.scalars = {{"s", -2.5}};
  test.tensors = {{"x", cli::Memory::Padded, true, -4, 4, 0.25, 7, 0},
                  {"y", cli::Memory::Reversed, false, 0, 0, 1, 0, 0.001}};
  ErrorOr<Case> read = parseCase("# RUN: something\n" + test.str());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->str(), test.str());
  EXPECT_EQ(read->linesBefore, 6u);
}

TEST(Case, refusesWhatItDoesNotKnow) {
  EXPECT_FALSE(parseCase("# tensor x: values [0, 1] step 1, seed 1, error 0, diagonal\n"));
}

TEST(Case, drawsMultiplesOfTheStepWithinTheBounds) {
  TensorPlan plan{"x", cli::Memory::Strided, true, -1, 1, 0.5, 3, 0};
  cli::HostTensor values = makeTensor(plan, runtime::ElementType::BF16, {20, 5}).gather();
  std::set<double> seen;
  for (int64_t i = 0; i < values.size(); ++i)
    seen.insert(values.value(i));
  EXPECT_EQ(seen, (std::set<double>{-1, -0.5, 0, 0.5, 1}));
}
