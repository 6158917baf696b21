// Memory that the blocks of a launch share: tile counters, workspaces and flags.
#include "LaunchTest.h"
#include "runtime/TileCounters.h"
#include "support/Timeline.h"

#include <set>

using namespace tilewright;
using namespace tilewright::runtime;

using LaunchMemoryTest = LaunchTest;

TEST_F(LaunchMemoryTest, launches_that_may_run_at_once_count_tiles_apart) {
  KernelSource source = attention();
  source.params.push_back({.kind = ParamKind::TileCounter, .name = "tile_counter"});
  fakeState().paramCount = source.params.size();
  Kernel kernel = make(source);
  auto counter = [&](uintptr_t stream, uint64_t graph = 0) {
    fakeState().capture = graph;
    EXPECT_TRUE(kernel.launch(reinterpret_cast<Stream>(stream), args()));
    return fakeState().launches.back().param<uint64_t>(source.params.size() - 1);
  };
  std::set<uint64_t> counters = {counter(0x70), counter(0x71), counter(0x70, /*graph=*/1),
                                 counter(0x71, 1), counter(0x70, 2)};
  EXPECT_EQ(counters.size(), 5u);
  for (uint64_t address : counters)
    EXPECT_EQ(address % sizeof(int32_t), 0u);
  EXPECT_EQ(counter(0x71), *std::next(counters.begin()));
  EXPECT_EQ(counter(0x70, 2), *counters.rbegin());
}

TEST_F(LaunchMemoryTest, there_are_only_so_many_tile_counters) {
  KernelSource source = attention();
  source.params.push_back({.kind = ParamKind::TileCounter, .name = "tile_counter"});
  Kernel kernel = make(source);
  fakeState().record = false;
  Status status;
  for (uintptr_t stream = 0; status && stream <= TileCounters::kCounters; ++stream)
    status = kernel.launch(reinterpret_cast<Stream>(0x1000 + stream), args());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "kernel `attention`: with a tile queue it can be launched on 4096 streams and captured "
            "graphs; there are more");
}

TEST_F(LaunchMemoryTest, graphs_that_are_gone_give_their_tile_counters_back) {
  KernelSource source = attention();
  source.params.push_back({.kind = ParamKind::TileCounter, .name = "tile_counter"});
  fakeState().paramCount = source.params.size();
  Kernel kernel = make(source);
  auto counter = [&](uint64_t graph) {
    fakeState().capture = graph;
    Status status = kernel.launch(reinterpret_cast<Stream>(0x70), args());
    EXPECT_TRUE(status) << status.error().message;
    fakeState().capture = 0;
    return fakeState().launches.back().param<uint64_t>(source.params.size() - 1);
  };
  uint64_t streams = counter(0), kept = counter(1);
  for (uint64_t graph = 2; graph < 2 * TileCounters::kCounters; ++graph) {
    uint64_t address = counter(graph);
    ASSERT_TRUE(address != streams && address != kept) << "they may run at once";
    EXPECT_EQ(counter(graph), address);
    fake::destroyGraph(graph);
  }
  EXPECT_EQ(counter(0), streams);
  EXPECT_EQ(counter(1), kept);
}

static KernelSource withSharedTiles() {
  KernelSource source = attention();
  source.params.push_back({.kind = ParamKind::Workspace, .name = "partials", .bytes = 4096});
  source.params.push_back({.kind = ParamKind::Flags, .name = "flags"});
  return source;
}

TEST_F(LaunchMemoryTest, graphs_may_outlive_their_kernel) {
  KernelSource source = withSharedTiles();
  source.params.push_back({.kind = ParamKind::TileCounter, .name = "tile_counter"});
  fakeState().paramCount = source.params.size();
  {
    Kernel kernel = make(source);
    ASSERT_TRUE(kernel.prepare());
    fakeState().capture = 1;
    ASSERT_TRUE(kernel.launch(nullptr, args()));
  }
  EXPECT_EQ(fakeState().userObjects.size(), 3u);
  fake::destroyGraph(1);
}

TEST_F(LaunchMemoryTest, blocks_of_a_launch_share_memory_of_the_runtimes) {
  Kernel kernel = make(withSharedTiles());
  fakeState().paramCount = 8;
  ASSERT_TRUE(kernel.launch(nullptr, args()));
  ASSERT_EQ(fakeState().buffers.size(), 2u);
  const RecordedLaunch &launch = fakeState().launches[0];
  for (size_t i = 0; i < 2; ++i) {
    const RecordedBuffer &buffer = fakeState().buffers[i];
    EXPECT_EQ(launch.param<uint64_t>(6 + i), buffer.address);
    EXPECT_EQ(buffer.bytes, launch.config.gridDim[0] * (i == 0 ? 4096 : sizeof(int32_t)));
  }
  EXPECT_TRUE(fakeState().buffers[1].filled);
}

TEST_F(LaunchMemoryTest, events_of_a_timeline_are_those_of_the_first_blocks) {
  KernelSource source = attention();
  source.params.push_back({.kind = ParamKind::Events, .name = "events", .bytes = 1024});
  fakeState().paramCount = source.params.size();
  Kernel kernel = make(source);
  ErrorOr<std::vector<std::byte>> none = kernel.readEvents(nullptr);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "nothing was launched on this stream");
  ASSERT_TRUE(kernel.launch(nullptr, args()));
  const RecordedLaunch &launch = fakeState().launches.back();
  size_t blocks = std::min<size_t>(launch.config.gridDim[0], kTimelineBlocks);
  EXPECT_EQ(fakeState().buffers.back().bytes, blocks * 1024);
  EXPECT_EQ(launch.param<uint64_t>(source.params.size() - 1), fakeState().buffers.back().address);
}

TEST_F(LaunchMemoryTest, a_kernel_without_a_timeline_has_no_events) {
  Kernel kernel = make(attention());
  ErrorOr<std::vector<std::byte>> none = kernel.readEvents(nullptr);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "kernel `attention`: was compiled without a timeline");
}

TEST_F(LaunchMemoryTest, launches_that_may_run_at_once_share_memory_within_each_only) {
  Kernel kernel = make(withSharedTiles());
  fakeState().paramCount = 8;
  auto memory = [&](uintptr_t stream, uint64_t graph = 0) {
    fakeState().capture = graph;
    Status status = kernel.launch(reinterpret_cast<Stream>(stream), args());
    EXPECT_TRUE(status) << status.error().message;
    const RecordedLaunch &launch = fakeState().launches.back();
    return std::pair(launch.param<uint64_t>(6), launch.param<uint64_t>(7));
  };
  auto first = memory(0x70), captured = memory(0x70, /*graph=*/1);
  std::set<uint64_t> apart = {first.first, first.second, captured.first, captured.second};
  EXPECT_EQ(apart.size(), 4u);
  EXPECT_EQ(memory(0x70), first);
  EXPECT_EQ(memory(0x70, 1), captured);
}

TEST_F(LaunchMemoryTest, reports_memory_that_cannot_be_had) {
  fakeState().freeBytes = 1000;
  EXPECT_EQ(failure(withSharedTiles()),
            "kernel `attention`: 32 blocks need 4096 bytes each to share tiles: cannot allocate "
            "131072 bytes on GPU 0 (1000 are free): no luck (CUDA_ERROR_TEST)");
}
