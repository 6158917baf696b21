// Counters: instructions by pipe, bank conflicts, sectors.
#include "tests/simulator/machine/MachineHarness.h"

using namespace tilewright::simulator;

namespace {

class Counting : public MachineTest {
protected:
  std::vector<float> memory = std::vector<float>(8192, 1.0f);

  /// The counts of a kernel over `%p`; `%thread` and a few constants are there.
  Counts count(const std::string &body, int threads = 32) {
    load({"%p: !cuda.ptr<f32>", R"(
      %thread = cuda.thread_id
      %c0 = arith.constant 0 : i32
      %c4 = arith.constant 4 : i32
      %base = cuda.shared 0, 32768
      %r = cuda.regs : !cuda.regs<4 x f32>
      %zero = arith.constant 0.0 : f32
      cuda.set %zero, %r[%c0] : f32, !cuda.regs<4 x f32>
      )" + body,
          threads, 32768});
    MachineResult result = run({pointer(memory, "f32")});
    EXPECT_EQ(kinds(result), "");
    counters = result.counters;
    return result.counters.total;
  }

  /// Stores of 4 bytes, `stride` bytes apart.
  Counts storeShared(int stride) {
    return count("%stride = arith.constant " + std::to_string(stride) + R"( : i32
      %byte = arith.muli %thread, %stride : i32
      %at = arith.addi %base, %byte : i32
      cuda.store_shared %r[%c0], %at {count = 1} : !cuda.regs<4 x f32>)");
  }

  Counters counters;
};

TEST_F(Counting, stores_to_32_banks_take_one_wavefront) {
  Counts counts = storeShared(4);
  EXPECT_EQ(counts.sharedRequests, 1u);
  EXPECT_EQ(counts.sharedWavefronts, 1u);
  EXPECT_EQ(counts.sharedBytes, 128u);
}

TEST_F(Counting, strides_of_several_banks_conflict) {
  EXPECT_EQ(storeShared(8).sharedWavefronts, 2u);
  EXPECT_EQ(storeShared(32).sharedWavefronts, 8u);
  EXPECT_EQ(storeShared(128).sharedWavefronts, 32u);
  EXPECT_EQ(storeShared(132).sharedWavefronts, 1u);
  EXPECT_EQ(storeShared(128).sharedIdeal, 1u);
}

TEST_F(Counting, lanes_that_touch_one_word_share_a_wavefront) {
  EXPECT_EQ(storeShared(0).sharedWavefronts, 1u);
}

TEST_F(Counting, vectors_of_16_bytes_go_by_quarters_of_a_warp) {
  Counts counts = count(R"(
      %c16 = arith.constant 16 : i32
      %byte = arith.muli %thread, %c16 : i32
      %at = arith.addi %base, %byte : i32
      %v = cuda.regs : !cuda.regs<4 x f32>
      cuda.load_shared %at, %v[%c0] {count = 4} : !cuda.regs<4 x f32>)");
  EXPECT_EQ(counts.sharedWavefronts, 4u);
  EXPECT_EQ(counts.sharedIdeal, 4u);
}

TEST_F(Counting, sectors_of_a_request) {
  Counts dense = count(R"(
      %v = cuda.regs : !cuda.regs<4 x f32>
      cuda.load_global %p[%thread], %v[%c0] {count = 1} : !cuda.ptr<f32>, i32, !cuda.regs<4 x f32>)");
  EXPECT_EQ(dense.globalRequests, 1u);
  EXPECT_EQ(dense.globalSectors, 4u);
  EXPECT_EQ(dense.globalBytes, 128u);
  Counts apart = count(R"(
      %c8 = arith.constant 8 : i32
      %at = arith.muli %thread, %c8 : i32
      %v = cuda.regs : !cuda.regs<4 x f32>
      cuda.load_global %p[%at], %v[%c0] {count = 1} : !cuda.ptr<f32>, i32, !cuda.regs<4 x f32>)");
  EXPECT_EQ(apart.globalSectors, 32u);
}

TEST_F(Counting, instructions_by_pipe) {
  count("cuda.barrier\n%x = arith.addf %zero, %zero : f32\n%y = math.exp2 %x : f32", 64);
  EXPECT_EQ(counters.pipes[size_t(Pipe::Sync)], 2u);
  EXPECT_EQ(counters.pipes[size_t(Pipe::Fma)], 2u);
  EXPECT_EQ(counters.pipes[size_t(Pipe::Sfu)], 2u);
}

} // namespace
