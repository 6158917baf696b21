// Needs a GPU and NVRTC; skipped, with the reason, where one is missing.

#include "TestKernels.h"
#include "runtime/CacheFlusher.h"
#include "runtime/Device.h"
#include "runtime/Kernel.h"
#include "runtime/Nvrtc.h"
#include "runtime/TileCounters.h"
#include "support/Env.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <gtest/gtest.h>
#include <thread>

using namespace tilewright;
using namespace tilewright::runtime;

/// The value of a result that a test cannot go on without.
template <typename T> static T take(ErrorOr<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::abort();
  }
  return std::move(result).value();
}

#define ASSERT_OK(expression)                                                                      \
  if (Status status = (expression); !status)                                                       \
  FAIL() << status.error().message

class GpuTest : public testing::Test {
protected:
  static constexpr int64_t kLength = 1000;

  void SetUp() override {
    ErrorOr<const Driver *> found = Driver::get();
    if (!found)
      GTEST_SKIP() << found.error().message;
    if (ErrorOr<const Nvrtc *> nvrtc = Nvrtc::get(); !nvrtc)
      GTEST_SKIP() << nvrtc.error().message;
    driver = *found;
    target = driver->devices()[0].target();
    std::vector<float> ramp(kLength);
    for (size_t i = 0; i < ramp.size(); ++i)
      ramp[i] = static_cast<float>(i);
    for (int i = 0; i < 3; ++i) {
      buffers.push_back(take(DeviceBuffer::allocate(*driver, kLength * sizeof(float))));
      ASSERT_OK(buffers.back().copyFrom(ramp.data(), kLength * sizeof(float)));
    }
  }

  Kernel build(const KernelSource &source) {
    return take(Kernel::build(source, {.useCache = false}));
  }

  std::vector<Argument> args(double scale) {
    std::vector<Argument> list;
    for (DeviceBuffer &buffer : buffers)
      list.push_back(TensorRef{buffer.data(), ElementType::F32, 1, &length, &stride, 0});
    list.push_back(scale);
    return list;
  }

  void expectResult(float scale) {
    std::vector<float> out(kLength);
    ASSERT_OK(buffers[2].copyTo(out.data(), kLength * sizeof(float)));
    for (size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], static_cast<float>(i) * (1 + scale)) << "element " << i;
  }

  const Driver *driver = nullptr;
  std::string target;
  std::vector<DeviceBuffer> buffers;
  int64_t length = kLength, stride = 1;
};

TEST_F(GpuTest, adds_vectors) {
  Kernel kernel = build(vectorAdd(target));
  ASSERT_OK(kernel.launch(nullptr, args(2)));
  expectResult(2);
}

TEST_F(GpuTest, can_be_captured_into_a_graph_and_replayed) {
  Kernel kernel = build(vectorAdd(target));
  ASSERT_OK(kernel.prepare());
  OwnedStream stream = take(OwnedStream::create(*driver));
  ContextScope scope = take(ContextScope::enter(*driver, 0));
  const DriverTable &api = driver->api();
  GraphHandle graph = nullptr;
  GraphExecHandle exec = nullptr;
  ASSERT_EQ(api.streamBeginCapture(stream.get(), kCaptureThreadLocal), kDriverSuccess);
  ASSERT_OK(kernel.launch(stream.get(), args(4)));
  ASSERT_EQ(api.streamEndCapture(stream.get(), &graph), kDriverSuccess);
  ASSERT_EQ(api.graphInstantiate(&exec, graph, 0), kDriverSuccess);
  for (int replay = 0; replay < 2; ++replay) {
    ASSERT_OK(buffers[2].fill(0));
    std::vector<float> wait(1);
    ASSERT_OK(buffers[2].copyTo(wait.data(), sizeof(float)));
    ASSERT_EQ(api.graphLaunch(exec, stream.get()), kDriverSuccess);
    ASSERT_OK(stream.synchronize());
    expectResult(4);
  }
  api.graphExecDestroy(exec);
  api.graphDestroy(graph);
}

/// Every block leaves its number and raises its flag; the first one adds them up.
static KernelSource sumOfBlocks(const std::string &target) {
  KernelSource source;
  source.entry = "sum_of_blocks";
  source.target = target;
  source.threads = 1;
  source.text = R"(
extern "C" __global__ void sum_of_blocks(float *out, volatile int *partials, int *flags) {
  partials[4 * blockIdx.x] = blockIdx.x + 1;
  __threadfence();
  if (atomicExch(&flags[blockIdx.x], 1) != 0) __trap();
  if (blockIdx.x != 0) return;
  int sum = 0;
  for (int block = 0; block < gridDim.x; ++block) {
    while (atomicAdd(&flags[block], 0) == 0) {}
    __threadfence();
    sum += partials[4 * block];
    atomicExch(&flags[block], 0);
  }
  out[0] = sum;
})";
  source.args = {TensorArg{"out", ElementType::F32, {{"N", {}}}, 4, true, true}};
  source.params = {{.kind = ParamKind::Pointer, .argument = 0, .name = "out"},
                   {.kind = ParamKind::Workspace, .name = "partials", .bytes = 16},
                   {.kind = ParamKind::Flags, .name = "flags"}};
  source.grid = *Expr::parse("N");
  return source;
}

TEST_F(GpuTest, blocks_share_memory_and_a_first_launch_may_be_captured) {
  Kernel kernel = build(sumOfBlocks(target));
  ASSERT_OK(kernel.prepare());
  OwnedStream stream = take(OwnedStream::create(*driver));
  auto launch = [&](int64_t blocks) {
    TensorRef out{buffers[2].data(), ElementType::F32, 1, &blocks, &stride, 0};
    return kernel.launch(stream.get(), std::array<Argument, 1>{out});
  };
  auto expectSumOf = [&](int64_t blocks) {
    float sum = 0;
    ASSERT_OK(stream.synchronize());
    ASSERT_OK(buffers[2].copyTo(&sum, sizeof(sum)));
    EXPECT_EQ(sum, static_cast<float>(blocks * (blocks + 1) / 2));
  };
  for (int64_t blocks : {8, 64, 8, 64}) {
    ASSERT_OK(launch(blocks));
    expectSumOf(blocks);
  }
  ContextScope scope = take(ContextScope::enter(*driver, 0));
  const DriverTable &api = driver->api();
  GraphHandle graph = nullptr;
  GraphExecHandle exec = nullptr;
  ASSERT_EQ(api.streamBeginCapture(stream.get(), kCaptureGlobal), kDriverSuccess);
  ASSERT_OK(launch(16));
  ASSERT_OK(launch(32));
  ASSERT_EQ(api.streamEndCapture(stream.get(), &graph), kDriverSuccess);
  ASSERT_EQ(api.graphInstantiate(&exec, graph, 0), kDriverSuccess);
  for (int replay = 0; replay < 2; ++replay) {
    ASSERT_OK(buffers[2].fill(0));
    ASSERT_EQ(api.graphLaunch(exec, stream.get()), kDriverSuccess);
    expectSumOf(32);
  }
  api.graphExecDestroy(exec);
  api.graphDestroy(graph);
}

/// Takes a number from the queue, as a kernel with a tile counter does, and sets the queue back.
static KernelSource queueOfOne(const std::string &target) {
  KernelSource source;
  source.entry = "queue_of_one";
  source.target = target;
  source.threads = 1;
  source.text = R"(
extern "C" __global__ void queue_of_one(float *out, unsigned *counter, int *flags) {
  if (atomicInc(counter, 0) != 0 || atomicExch(flags, 0) != 0) __trap();
  out[0] += 1;
})";
  source.args = {TensorArg{"out", ElementType::F32, {{"N", {}}}, 4, true, true}};
  source.params = {{.kind = ParamKind::Pointer, .argument = 0, .name = "out"},
                   {.kind = ParamKind::TileCounter, .name = "counter"},
                   {.kind = ParamKind::Flags, .name = "flags"}};
  source.grid = *Expr::parse("1");
  return source;
}

TEST_F(GpuTest, any_number_of_graphs_may_be_captured_one_after_the_other) {
  Kernel kernel = build(queueOfOne(target));
  ASSERT_OK(kernel.prepare());
  OwnedStream stream = take(OwnedStream::create(*driver));
  ContextScope scope = take(ContextScope::enter(*driver, 0));
  const DriverTable &api = driver->api();
  ASSERT_OK(buffers[2].fill(0, stream.get()));
  TensorRef out{buffers[2].data(), ElementType::F32, 1, &length, &stride, 0};
  constexpr int kGraphs = 3 * TileCounters::kCounters;
  for (int i = 0; i < kGraphs; ++i) {
    GraphHandle graph = nullptr;
    GraphExecHandle exec = nullptr;
    ASSERT_EQ(api.streamBeginCapture(stream.get(), kCaptureGlobal), kDriverSuccess);
    ASSERT_OK(kernel.launch(stream.get(), std::array<Argument, 1>{out}));
    ASSERT_EQ(api.streamEndCapture(stream.get(), &graph), kDriverSuccess);
    ASSERT_EQ(api.graphInstantiate(&exec, graph, 0), kDriverSuccess);
    api.graphDestroy(graph);
    ASSERT_EQ(api.graphLaunch(exec, stream.get()), kDriverSuccess);
    api.graphExecDestroy(exec);
  }
  ASSERT_OK(stream.synchronize());
  float count = 0;
  ASSERT_OK(buffers[2].copyTo(&count, sizeof(count)));
  EXPECT_EQ(count, float(kGraphs));
}

TEST_F(GpuTest, many_threads_launch_one_kernel) {
  Kernel kernel = build(vectorAdd(target));
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      std::vector<Argument> mine = args(i % 2 ? 1 : 3);
      for (int launch = 0; launch < 1000; ++launch)
        failures += !kernel.launch(nullptr, mine).ok();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  ASSERT_OK(kernel.launch(nullptr, args(1)));
  expectResult(1);
}

TEST_F(GpuTest, wrong_target_is_reported) {
  std::string other = target == "sm_80" ? "sm_90" : "sm_80";
  Kernel kernel = build(vectorAdd(other));
  Status status = kernel.prepare();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("cannot load code for `" + other + "`"), std::string::npos)
      << status.error().message;
}

TEST_F(GpuTest, ptx_runs_through_the_drivers_compiler) {
  Kernel kernel = build(vectorAdd("compute_75"));
  ASSERT_OK(kernel.launch(nullptr, args(2)));
  expectResult(2);
}

TEST_F(GpuTest, tensor_map_copies_a_tile) {
  if (driver->devices()[0].major < 9)
    GTEST_SKIP() << "tensor maps need sm_90, this is " << target;
  KernelSource source;
  source.entry = "copy_tile";
  source.target = target;
  source.threads = 32;
  source.text = R"(
struct alignas(64) Map { unsigned long long opaque[16]; };
extern "C" __global__ void copy_tile(const __grid_constant__ Map map, float *out) {
  __shared__ alignas(128) float tile[8 * 16];
  __shared__ unsigned long long bar;
  unsigned b = __cvta_generic_to_shared(&bar), t = __cvta_generic_to_shared(tile);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(512) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(t), "l"(&map), "r"(16), "r"(8), "r"(b) : "memory");
  }
  __syncthreads();
  asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W;}" ::"r"(b) : "memory");
  for (int i = threadIdx.x; i < 128; i += 32) out[i] = tile[i];
})";
  source.args = {TensorArg{"x", ElementType::F32, {{"M", {}}, {"N", {}}}, 16, true, true},
                 TensorArg{"out", ElementType::F32, {{"K", {}}}, 4, true, true}};
  source.params = {
      {.kind = ParamKind::TensorMap, .argument = 0, .name = "map", .map = {{0, 1}, {8, 16}, {}}},
      {.kind = ParamKind::Pointer, .argument = 1, .name = "out"}};
  Kernel kernel = build(source);
  int64_t shape[] = {25, 40}, strides[] = {40, 1};
  std::vector<Argument> list = {
      TensorRef{buffers[0].data(), ElementType::F32, 2, shape, strides, 0},
      TensorRef{buffers[2].data(), ElementType::F32, 1, &length, &stride, 0}};
  ASSERT_OK(kernel.launch(nullptr, list));
  std::vector<float> out(128);
  ASSERT_OK(buffers[2].copyTo(out.data(), 512));
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(out[static_cast<size_t>(i)], static_cast<float>((8 + i / 16) * 40 + 16 + i % 16));
}

TEST_F(GpuTest, says_what_it_adds_to_the_drivers_launch) {
  if (isEnvOn(EnvVar::Sync))
    GTEST_SKIP() << "TILEWRIGHT_SYNC is set: launches wait for the GPU";
  KernelSource source = vectorAdd(target);
  Kernel kernel = build(source);
  std::vector<Argument> list = args(2);
  OwnedStream stream = take(OwnedStream::create(*driver));
  ContextScope scope = take(ContextScope::enter(*driver, 0));
  const DriverTable &api = driver->api();
  ModuleHandle module = nullptr;
  FunctionHandle function = nullptr;
  const std::string &cubin = kernel.compiled().text.cubin;
  ASSERT_EQ(api.moduleLoadDataEx(&module, cubin.data(), 0, nullptr, nullptr), kDriverSuccess);
  ASSERT_EQ(api.moduleGetFunction(&function, module, "vector_add"), kDriverSuccess);
  void *pointers[3] = {buffers[0].data(), buffers[1].data(), buffers[2].data()};
  int n = kLength;
  float scale = 2;
  void *params[] = {&pointers[0], &pointers[1], &pointers[2], &n, &scale};
  LaunchConfig config{{4, 1, 1}, {256, 1, 1}, 0, stream.get(), nullptr, 0};

  // Alternating, in bursts short enough not to fill the queue; the best round of each counts.
  constexpr int kLaunches = 200;
  double raw = 1e9, ours = 1e9;
  auto time = [&](double &best, auto launch) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kLaunches; ++i)
      launch();
    std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count() / kLaunches);
    ASSERT_OK(stream.synchronize());
  };
  for (int round = 0; round < 50; ++round) {
    time(raw, [&] { api.launchKernelEx(&config, function, params, nullptr); });
    time(ours, [&] { (void)kernel.launch(stream.get(), list); });
  }
  std::printf("driver %.0f ns, ours %.0f ns, added %.0f ns per launch\n", raw, ours, ours - raw);
  api.moduleUnload(module);
}

TEST_F(GpuTest, events_and_the_cache_flusher_work) {
  OwnedStream stream = take(OwnedStream::create(*driver));
  Event start = take(Event::create(*driver)), end = take(Event::create(*driver));
  CacheFlusher flusher = take(CacheFlusher::create(*driver));
  ASSERT_OK(start.record(stream.get()));
  ASSERT_OK(flusher.flush(stream.get()));
  ASSERT_OK(end.record(stream.get()));
  EXPECT_GT(take(end.millisecondsSince(start)), 0);
}
