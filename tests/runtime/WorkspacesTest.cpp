#include "runtime/Workspaces.h"
#include "FakeDriver.h"

#include <gtest/gtest.h>
#include <set>

using namespace tilewright;
using namespace tilewright::runtime;

class WorkspacesTest : public testing::Test {
protected:
  DeviceAddress of(uintptr_t stream, unsigned blocks, uint64_t graph = 0) {
    fakeState().capture = graph;
    ErrorOr<void *> address = workspaces->of(reinterpret_cast<Stream>(stream), blocks);
    EXPECT_TRUE(address) << address.error().message;
    return address ? reinterpret_cast<DeviceAddress>(*address) : 0;
  }

  static constexpr size_t kBytesPerBlock = 48;
  const Driver &driver = fakeDriver();
  std::unique_ptr<Workspaces> workspaces = std::make_unique<Workspaces>(driver, 0, kBytesPerBlock);
};

TEST_F(WorkspacesTest, each_stream_and_graph_has_its_own) {
  std::set<DeviceAddress> apart = {of(0x70, 100), of(0x71, 100), of(0x70, 100, /*graph=*/1),
                                   of(0x71, 100, 1), of(0x70, 100, 2)};
  EXPECT_EQ(apart.size(), 5u);
}

TEST_F(WorkspacesTest, is_aligned_and_holds_0_for_every_block) {
  for (uintptr_t stream : {0x70, 0x71}) {
    DeviceAddress address = of(stream, 101);
    EXPECT_EQ(address % 256, 0u);
    const RecordedBuffer &buffer = fakeState().buffers.back();
    EXPECT_EQ(buffer.address, address);
    EXPECT_EQ(buffer.bytes, 101 * kBytesPerBlock);
    EXPECT_TRUE(buffer.filled);
  }
}

TEST_F(WorkspacesTest, later_launches_allocate_nothing) {
  DeviceAddress first = of(0x70, 100);
  EXPECT_EQ(of(0x70, 100), first);
  EXPECT_EQ(of(0x70, 3), first);
  EXPECT_EQ(fakeState().buffers.size(), 1u);
}

TEST_F(WorkspacesTest, more_blocks_get_more_memory_and_earlier_launches_keep_theirs) {
  DeviceAddress small = of(0x70, 100), big = of(0x70, 1000);
  EXPECT_NE(big, small);
  EXPECT_EQ(fakeState().buffers.back().bytes, 1000 * kBytesPerBlock);
  EXPECT_EQ(of(0x70, 100), big);
  EXPECT_EQ(fakeState().frees, 0);
  workspaces.reset();
  EXPECT_EQ(fakeState().frees, 2);
}

TEST_F(WorkspacesTest, grids_that_grow_little_by_little_do_not_fill_the_memory) {
  for (unsigned blocks = 1; blocks <= 1000; ++blocks)
    of(0x70, blocks);
  size_t bytes = 0;
  for (const RecordedBuffer &buffer : fakeState().buffers)
    bytes += buffer.bytes;
  EXPECT_LT(bytes, 4 * 1000 * kBytesPerBlock);
}

TEST_F(WorkspacesTest, a_first_launch_may_be_captured) {
  of(0x70, 100, /*graph=*/1);
  ASSERT_EQ(fakeState().buffers.size(), 1u);
  EXPECT_TRUE(fakeState().buffers[0].filled);
  EXPECT_EQ(fakeState().buffers[0].filledOn, fake::kOwnStream);
  EXPECT_EQ(fakeState().captureMode, kCaptureGlobal) << "the thread may no longer do more";
}

TEST_F(WorkspacesTest, graphs_that_are_gone_give_their_memory_back) {
  DeviceAddress stream = of(0x70, 100), kept = of(0x70, 100, /*graph=*/1);
  for (uint64_t graph = 2; graph < 1000; ++graph) {
    DeviceAddress address = of(0x70, 100, graph);
    ASSERT_TRUE(address != stream && address != kept) << "they may run at once";
    fake::destroyGraph(graph);
  }
  EXPECT_EQ(fakeState().buffers.size(), 3u);
  EXPECT_EQ(of(0x70, 100, 1), kept);
  EXPECT_EQ(of(0x70, 100), stream);
}

TEST_F(WorkspacesTest, the_smallest_that_holds_the_blocks_is_given_out_again) {
  std::set<DeviceAddress> apart;
  for (unsigned graph : {3, 1, 2})
    apart.insert(of(0x70, 100 * graph, graph));
  DeviceAddress middle = of(0x70, 200, 2);
  for (uint64_t graph : {1, 2, 3})
    fake::destroyGraph(graph);
  EXPECT_EQ(of(0x70, 101, 4), middle);
  EXPECT_EQ(apart.count(of(0x70, 300, 5)), 1u);
  EXPECT_EQ(apart.count(of(0x70, 301, 6)), 0u);
  EXPECT_EQ(apart.count(of(0x70, 100, 7)), 1u);
}

TEST_F(WorkspacesTest, graphs_that_grow_little_by_little_do_not_fill_the_memory) {
  for (unsigned graph = 1; graph <= 1000; ++graph) {
    of(0x70, graph, graph);
    fake::destroyGraph(graph);
  }
  size_t bytes = 0;
  for (const RecordedBuffer &buffer : fakeState().buffers)
    bytes += buffer.bytes;
  EXPECT_LT(bytes, 4 * 1000 * kBytesPerBlock);
}

TEST_F(WorkspacesTest, a_graph_that_does_not_tell_its_end_keeps_its_memory) {
  fakeState().graphsHoldNothing = true;
  DeviceAddress first = of(0x70, 100, /*graph=*/1);
  EXPECT_NE(of(0x70, 100, 2), first);
  EXPECT_EQ(of(0x70, 100, 1), first);
}

TEST_F(WorkspacesTest, reports_how_much_there_was_to_allocate_and_why) {
  fakeState().freeBytes = 1000;
  fakeState().capture = 1;
  ErrorOr<void *> address = workspaces->of(nullptr, 100);
  ASSERT_FALSE(address);
  EXPECT_EQ(address.error().message,
            "100 blocks need 48 bytes each to share tiles: cannot allocate 4800 bytes on GPU 0 "
            "(1000 are free): no luck (CUDA_ERROR_TEST)");
  EXPECT_EQ(fakeState().captureMode, kCaptureGlobal);
  fakeState().freeBytes = 10000;
  EXPECT_TRUE(workspaces->of(nullptr, 100)) << "memory that is free by now is not asked for";
}
