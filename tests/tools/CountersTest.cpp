// What Nsight Compute exports, summed by lines.
#include "tools/driver/Counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

const char *const kRaw =
    R"csv("ID","Kernel Name","gpu__time_duration.sum","other","sm__throughput.avg.pct_of_peak_sustained_elapsed"
"","","ns","","%"
"0","gemm","1,234,567","3","81.25"
)csv";

const char *const kSource =
    R"csv(==PROF== Connected
"Kernel Name","gemm",
"Address","Source","Warp Stall Sampling (All Samples)","Warp Stall Sampling (Not-issued Samples)","# Samples","stall_wait","stall_barrier","stall_wait (not issued)"
"0x7f00","MOV R1, c[0x0][0x28], R2","10","1","10","4","0","9"
"0x7f10","IADD ""x""","1,000","1","1,000","600","400","9"
"0x7f20","EXIT","0","0","0","","0","0"

"Kernel Name","another"
)csv";

TEST(Counters, totals_are_found_by_their_metrics) {
  ErrorOr<std::vector<CounterTotal>> totals = readTotals(kRaw);
  ASSERT_TRUE(totals) << totals.error().message;
  ASSERT_EQ(totals->size(), 2u);
  EXPECT_EQ((*totals)[0].name, "time");
  EXPECT_EQ((*totals)[0].value, 1234567);
  EXPECT_EQ((*totals)[0].unit, "ns");
  EXPECT_EQ((*totals)[1].name, "SM");
  EXPECT_EQ((*totals)[1].value, 81.25);
}

TEST(Counters, instructions_end_where_the_next_kernel_begins) {
  ErrorOr<InstructionCounters> found = readInstructions(kSource);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found->columns, testing::ElementsAre("samples", "wait", "barrier"));
  ASSERT_EQ(found->rows.size(), 3u);
  EXPECT_THAT(found->rows[1], testing::ElementsAre(1000, 600, 400));
}

TEST(Counters, instructions_of_one_line_add_up) {
  ErrorOr<Counters> counters =
      countByLine({{"SM", 81.25, "%"}}, *readInstructions(kSource), {2, 2, 0});
  ASSERT_TRUE(counters) << counters.error().message;
  counters->tool = "Nsight Compute 2025.3.1";
  EXPECT_THAT(counters->lines.at(2), testing::ElementsAre(1010, 604, 400));
  std::string text = counters->str("first\n  second line\n");
  EXPECT_THAT(text, testing::HasSubstr("100.0 %     2  second line"));
  EXPECT_THAT(text, testing::HasSubstr("wait 60 %, barrier 40 %"));
  llvm::json::Object block = counters->toJson();
  EXPECT_EQ(block.getString("tool"), "Nsight Compute 2025.3.1");
  EXPECT_EQ(block.getArray("lines")->size(), 2u);
}

TEST(Counters, a_report_of_other_code_is_refused) {
  ErrorOr<Counters> counters = countByLine({}, *readInstructions(kSource), {1, 2});
  ASSERT_FALSE(counters);
  EXPECT_EQ(counters.error().message,
            "ncu lists 3 instructions, and the kernel has 2; the report is of other code");
}

TEST(Counters, pages_without_what_is_looked_for_are_refused) {
  EXPECT_EQ(readTotals("==ERROR==\n").error().message,
            "ncu's page of counters has no column `Kernel Name`");
  EXPECT_EQ(readTotals("\"Kernel Name\",\"x\"\n\"\",\"\"\n\"a\",\"1\"\n").error().message,
            "ncu's page of counters has none that is known here; the last is `x`");
  EXPECT_EQ(readInstructions("\"a\"\n").error().message,
            "ncu's page of sources has no column `Address`");
  EXPECT_EQ(readInstructions("\"Address\",\"Source\"\n").error().message,
            "ncu's page of sources has no samples; it has `Address`, `Source`");
}

} // namespace
} // namespace tilewright::driver
