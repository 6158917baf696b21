// Calls from many threads at once. ThreadSanitizer watches them in scripts/sanitize.sh.
#include "FakeDriver.h"
#include "TestKernels.h"
#include "runtime/Cache.h"
#include "runtime/Kernel.h"

#include <barrier>
#include <filesystem>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>

using namespace tilewright;
using namespace tilewright::runtime;

namespace {

constexpr unsigned kThreads = 8;

/// Runs work(0), work(1), … at once.
template <typename Work> void onThreads(Work work) {
  std::barrier start(kThreads);
  std::vector<std::jthread> threads;
  for (unsigned number = 0; number < kThreads; ++number)
    threads.emplace_back([&, number] {
      start.arrive_and_wait();
      work(number);
    });
}

const DriverTable kUnlocked = fakeTable();
std::mutex driverMutex;

template <auto member, typename... Args>
auto lockedCall(DriverResult (*)(Args...)) -> DriverResult (*)(Args...) {
  return [](Args... args) -> DriverResult {
    std::lock_guard lock(driverMutex);
    return (kUnlocked.*member)(args...);
  };
}

/// The fake driver for many threads, as the real one is: one call at a time reaches its record.
const Driver &lockedDriver() {
  DriverTable table;
#define TILEWRIGHT_DRIVER_FUNCTION(member, symbol, parameters)                                     \
  table.member = lockedCall<&DriverTable::member>(kUnlocked.member);
#include "runtime/DriverFunctions.def"
  static const Driver driver = std::move(Driver::fromTable(table)).value();
  fakeState() = FakeState{};
  return driver;
}

/// A kernel that needs everything that launches on different streams must not share.
KernelSource needsMemory() {
  KernelSource source = attention();
  source.params.push_back({.kind = ParamKind::TileCounter, .name = "tile_counter"});
  source.params.push_back({.kind = ParamKind::Workspace, .name = "partials", .bytes = 4096});
  source.params.push_back({.kind = ParamKind::Flags, .name = "flags"});
  return source;
}

} // namespace

TEST(Threads, launch_one_kernel_which_loads_once) {
  const Driver &driver = lockedDriver();
  KernelSource source = needsMemory();
  fakeState().paramCount = source.params.size();
  Kernel kernel = std::move(*Kernel::fromCompiled(source, CompiledKernel{}, &driver));
  constexpr size_t kLaunches = 50;
  onThreads([&](unsigned number) {
    TestTensor q{{2, 256, 8, 64}}, k{{2, 512, 4, 64}};
    double scale = 0.5;
    int64_t window = number;
    auto stream = reinterpret_cast<Stream>(uintptr_t(0x100 + number));
    for (size_t i = 0; i < kLaunches; ++i) {
      Status status = kernel.launch(stream, std::vector<Argument>{q.ref(), k.ref(), scale, window});
      EXPECT_TRUE(status) << status.error().message;
    }
  });
  EXPECT_EQ(fakeState().moduleLoads, 1);
  ASSERT_EQ(fakeState().launches.size(), kThreads * kLaunches);
  // Each stream has a counter, partial sums and flags of its own, and the arguments of its thread.
  std::set<std::array<uint64_t, 5>> kinds;
  for (const RecordedLaunch &launch : fakeState().launches)
    kinds.insert({reinterpret_cast<uintptr_t>(launch.config.stream),
                  uint64_t(launch.param<int32_t>(5)), launch.param<uint64_t>(6),
                  launch.param<uint64_t>(7), launch.param<uint64_t>(8)});
  EXPECT_EQ(kinds.size(), kThreads);
  for (size_t kind : {2, 3, 4}) {
    std::set<uint64_t> apart;
    for (const auto &of : kinds)
      apart.insert(of[kind]);
    EXPECT_EQ(apart.size(), kThreads);
  }
}

TEST(Threads, read_a_cache_entry_that_others_replace) {
  std::string folder = testing::TempDir() + "tilewright-threads-XXXXXX";
  ASSERT_TRUE(mkdtemp(folder.data()));
  Cache cache(folder);
  Hash128 key = cacheKey(vectorAdd(), {}, "13.0");
  auto entryOf = [](unsigned writer) {
    Archive entry;
    entry.add("writer", std::string(5000, char('a' + writer)));
    return entry;
  };
  onThreads([&](unsigned number) {
    for (int i = 0; i < 20; ++i) {
      Status status = cache.write(key, entryOf(number));
      EXPECT_TRUE(status) << status.error().message;
      ErrorOr<std::optional<Archive>> found = cache.read(key);
      ASSERT_TRUE(found) << found.error().message;
      ASSERT_TRUE(*found);
      const std::string *bytes = (*found)->find("writer");
      ASSERT_TRUE(bytes);
      EXPECT_EQ(*bytes, std::string(5000, bytes->front()));
    }
  });
  std::filesystem::remove_all(folder);
}

TEST(Threads, find_driver_and_nvrtc_once) {
  std::set<const void *> found;
  std::mutex mutex;
  onThreads([&](unsigned) {
    ErrorOr<const Driver *> driver = Driver::get();
    ErrorOr<const Nvrtc *> nvrtc = Nvrtc::get();
    std::lock_guard lock(mutex);
    found.insert(driver ? *driver : nullptr);
    EXPECT_LE(found.size(), 1u);
    EXPECT_TRUE(nvrtc || !nvrtc.error().message.empty());
  });
}
