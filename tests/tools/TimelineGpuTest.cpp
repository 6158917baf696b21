// Timelines of runs on a GPU. Nothing here depends on how long anything takes.
#include "runtime/Driver.h"
#include "support/Files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Program.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

/// The `timeline` block of a run.
std::optional<llvm::json::Object> timelineOf(std::vector<std::string> words) {
  llvm::SmallString<128> file;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("timeline", "json", file));
  llvm::FileRemover remover(file);
  words.insert(words.begin(), {TILEWRIGHT_PROGRAM, "run"});
  words.insert(words.end(), {"--repeat", "3", "--timeline", std::string(file)});
  llvm::SmallVector<llvm::StringRef> references(words.begin(), words.end());
  EXPECT_EQ(llvm::sys::ExecuteAndWait(words.front(), references), 0);
  ErrorOr<std::string> text = readFile(std::string(file));
  EXPECT_TRUE(text);
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text ? *text : "");
  if (!parsed) {
    ADD_FAILURE() << llvm::toString(parsed.takeError());
    return std::nullopt;
  }
  return std::move(*parsed->getAsObject()->getObject("timeline"));
}

bool hasGpu() {
  ErrorOr<const runtime::Driver *> driver = runtime::Driver::get();
  return driver && !(*driver)->devices().empty();
}

/// Slices of each lane follow each other without gaps, and each role is recorded to its end.
void expectWhole(const llvm::json::Object &timeline) {
  for (const llvm::json::Value &lane : *timeline.getArray("lanes")) {
    double reached = -1;
    bool isProducts = lane.getAsObject()->getString("role") == "tensor cores";
    for (const llvm::json::Value &event : *lane.getAsObject()->getArray("events")) {
      const llvm::json::Array &slice = *event.getAsArray();
      double begin = *slice[0].getAsNumber(), length = *slice[1].getAsNumber();
      EXPECT_GE(length, 0);
      if (*slice[2].getAsInteger() == 0 || isProducts) // tiles lie around others
        continue;
      if (reached >= 0) {
        EXPECT_NEAR(begin, reached, 0.5);
      }
      reached = begin + length;
    }
  }
  const llvm::json::Object &summary = *timeline.getObject("summary");
  for (const llvm::json::Value &role : *summary.getArray("roles"))
    EXPECT_GE(*role.getAsObject()->getNumber("accounted"), 0.95)
        << role.getAsObject()->getString("role")->str();
}

TEST(TimelineGpu, accounts_for_the_time_of_each_role) {
  if (!hasGpu())
    GTEST_SKIP() << "no GPU";
  auto timeline = timelineOf({"attention", "--shape", "B=1,S=1024,H=16,D=128"});
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->getString("unit"), "ns");
  EXPECT_GT(timeline->getArray("lanes")->size(), 1u);
  expectWhole(*timeline);
}

TEST(TimelineGpu, records_blocks_without_roles) {
  if (!hasGpu())
    GTEST_SKIP() << "no GPU";
  auto timeline = timelineOf({"softmax", "--shape", "M=512,D=4096"});
  ASSERT_TRUE(timeline);
  expectWhole(*timeline);
}

TEST(TimelineGpu, says_what_does_not_fit) {
  if (!hasGpu())
    GTEST_SKIP() << "no GPU";
  auto timeline =
      timelineOf({"attention", "--shape", "B=1,S=2048,H=16,D=128", "--timeline-stamps", "16"});
  ASSERT_TRUE(timeline);
  const llvm::json::Array &roles = *timeline->getObject("summary")->getArray("roles");
  EXPECT_LT(*roles.back().getAsObject()->getNumber("accounted"), 0.95);
}

TEST(TimelineGpu, stamps_as_much_as_slows_the_kernel_little) {
  if (!hasGpu())
    GTEST_SKIP() << "no GPU";
  const std::vector<std::string> words = {"attention", "--shape", "B=4,S=512,H=16,D=128"};
  auto found = timelineOf(words);
  ASSERT_TRUE(found);
  EXPECT_TRUE(*found->getNumber("overhead") < 0.03 || found->getString("detail") == "tiles");
  for (const char *detail : {"all", "slots", "tiles"}) {
    auto wanted = words;
    wanted.insert(wanted.end(), {"--timeline-detail", detail});
    auto timeline = timelineOf(wanted);
    ASSERT_TRUE(timeline);
    EXPECT_EQ(timeline->getString("detail"), detail);
    expectWhole(*timeline);
  }
}

} // namespace
} // namespace tilewright
