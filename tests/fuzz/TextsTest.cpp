#include "tools/fuzz/Texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::fuzz;
using testing::HasSubstr;

namespace {

const SourceText kCopy{"copy.py", R"(from tilewright import *
N = dims("N")
@kernel
def copy(x: Tensor[f32, N], y: Tensor[f32, N], *, BN: tune[256, 512] = 256):
    items = block(grid(cdiv(N, BN)), BN)
    y[items] = x[items]
)"};

TEST(Texts, ofOneSeedAreEqual) {
  Choices one(7), same(7), other(8);
  std::string text = drawText(one, {kCopy}).text;
  EXPECT_EQ(text, drawText(same, {kCopy}).text);
  EXPECT_NE(text, drawText(other, {kCopy}).text);
}

TEST(Texts, areChangedInManyWays) {
  std::set<std::string> texts;
  size_t deep = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Choices choices(seed);
    std::string text = drawText(choices, {kCopy}).text;
    deep += text.size() > 10 * kCopy.text.size();
    texts.insert(std::move(text));
  }
  EXPECT_GT(texts.size(), 250u);
  EXPECT_GT(deep, 10u);
}

TEST(Texts, areSmallestWithTheSmallestChoices) {
  Choices none((std::vector<uint32_t>()));
  EXPECT_LT(drawText(none, {kCopy}).text.size(), kCopy.text.size());
}

TEST(Texts, thatArePrograms) { EXPECT_FALSE(checkText(kCopy)); }

TEST(Texts, thatAreNoneAreRefusedWithAReason) {
  std::optional<Finding> finding = checkText({"none.py", "@kernel\ndef f(:\n"});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->stage, kRefused);
  EXPECT_THAT(finding->message, HasSubstr("none.py:2:6: error: "));
}

} // namespace
