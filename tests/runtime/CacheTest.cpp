#include "runtime/Cache.h"
#include "TestKernels.h"
#include "runtime/Archive.h"
#include "runtime/Compile.h"
#include "support/Files.h"
#include "tests/support/Processes.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::runtime;
namespace fs = std::filesystem;

class CacheTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "tilewright-cache-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder); }

  CompiledKernel compile(const KernelSource &source) {
    ErrorOr<CompiledKernel> kernel = compileKernel(source, {.cacheDir = folder});
    EXPECT_TRUE(kernel) << kernel.error().message;
    return std::move(*kernel);
  }
  fs::path onlyEntry() const { return *fs::directory_iterator(folder); }
  size_t fileCount() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
  }

  std::string warningOf(const KernelSource &source);

  std::string folder;
};

TEST(Archive, notices_every_changed_or_missing_byte) {
  Archive archive;
  archive.add("cubin", std::string("\0\1\2", 3));
  archive.add("log", "");
  std::string packed = archive.pack();
  EXPECT_EQ(Archive::unpack(packed)->items(), archive.items());
  for (size_t i = 0; i < packed.size(); ++i) {
    std::string damaged = packed;
    damaged[i] ^= 1;
    EXPECT_FALSE(Archive::unpack(damaged)) << "byte " << i;
    EXPECT_FALSE(Archive::unpack(packed.substr(0, i))) << "cut to " << i;
  }
}

TEST(Archive, says_what_is_wrong_with_a_file) {
  auto failure = [](std::string_view file) { return Archive::unpack(file).error().message; };
  Archive archive;
  archive.add("log", "text");
  std::string packed = archive.pack(), changed = packed;
  changed.back() ^= 1;
  EXPECT_EQ(failure("text"), "file is not a Tilewright archive of this version");
  EXPECT_EQ(failure(changed), "archive is damaged: its checksum differs");
}

TEST(CacheKey, depends_on_text_target_options_and_compiler) {
  KernelSource source = vectorAdd();
  Hash128 key = cacheKey(source, {"-a", "-b"}, "13.0");
  EXPECT_EQ(cacheKey(source, {"-a", "-b"}, "13.0"), key);
  EXPECT_NE(cacheKey(source, {"-a-b"}, "13.0"), key);
  EXPECT_NE(cacheKey(source, {"-a", "-b"}, "12.9"), key);
  EXPECT_NE(cacheKey(vectorAdd("sm_80"), {"-a", "-b"}, "13.0"), key);
  source.text += " ";
  EXPECT_NE(cacheKey(source, {"-a", "-b"}, "13.0"), key);
}

TEST_F(CacheTest, second_compilation_is_a_hit) {
  CompiledKernel first = compile(vectorAdd());
  CompiledKernel second = compile(vectorAdd());
  EXPECT_FALSE(first.fromCache);
  EXPECT_TRUE(second.fromCache);
  EXPECT_EQ(first.text, second.text);
  EXPECT_EQ(first.resources.registers, second.resources.registers);
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(CacheTest, entry_holds_the_launch_description) {
  compile(vectorAdd());
  Archive archive = *Archive::unpack(*readFile(onlyEntry()));
  EXPECT_EQ(*kernelSourceFromJson(*archive.find("kernel.json")), vectorAdd());
}

TEST_F(CacheTest, damaged_entry_is_rebuilt) {
  CompiledKernel first = compile(vectorAdd());
  for (size_t keep : {size_t(0), size_t(100), size_t(2000)}) {
    fs::resize_file(onlyEntry(), keep);
    CompiledKernel again = compile(vectorAdd());
    EXPECT_FALSE(again.fromCache);
    EXPECT_TRUE(again.warnings.empty());
    EXPECT_EQ(again.text.cubin, first.text.cubin);
  }
  EXPECT_TRUE(compile(vectorAdd()).fromCache);
}

TEST_F(CacheTest, unwritable_folder_is_a_warning) {
  std::string file = folder + "/file";
  ASSERT_TRUE(writeFileAtomic(file, ""));
  for (const std::string &directory : {file + "/below", std::string("/proc/tilewright")}) {
    ErrorOr<CompiledKernel> kernel = compileKernel(vectorAdd(), {.cacheDir = directory});
    ASSERT_TRUE(kernel) << kernel.error().message;
    ASSERT_EQ(kernel->warnings.size(), 1u);
    EXPECT_TRUE(
        kernel->warnings[0].starts_with("compiled kernel is not cached: cannot create folder"))
        << kernel->warnings[0];
  }
}

/// A compilation that goes on without what it does not trust, and what it says.
std::string CacheTest::warningOf(const KernelSource &source) {
  CompiledKernel kernel = compile(source);
  EXPECT_FALSE(kernel.fromCache);
  EXPECT_FALSE(kernel.text.cubin.empty());
  EXPECT_EQ(kernel.warnings.size(), 1u);
  return kernel.warnings.empty() ? "" : kernel.warnings[0];
}

TEST_F(CacheTest, folder_that_others_may_write_to_is_not_used) {
  compile(vectorAdd());
  chmod(folder.c_str(), 0777);
  std::string why = "others than its owner may write to `" + folder +
                    "`; `chmod go-w` changes that, or TILEWRIGHT_CACHE_DIR names another folder";
  EXPECT_EQ(warningOf(vectorAdd()), "a compiled kernel on disk is not used: " + why);
  EXPECT_EQ(warningOf(vectorAdd("sm_80")), "compiled kernel is not cached: " + why);
  EXPECT_EQ(fileCount(), 1u);
  chmod(folder.c_str(), 0755);
  EXPECT_TRUE(compile(vectorAdd()).fromCache);
}

TEST_F(CacheTest, entry_that_others_may_write_to_is_replaced) {
  compile(vectorAdd());
  std::string entry = onlyEntry();
  chmod(entry.c_str(), 0666);
  EXPECT_EQ(warningOf(vectorAdd()),
            "a compiled kernel on disk is not used: others than its owner may write to `" + entry +
                "`; `chmod go-w` changes that");
  EXPECT_TRUE(compile(vectorAdd()).fromCache) << "it was written anew";
}

TEST_F(CacheTest, entries_and_folders_of_other_users_are_not_used) {
  compile(vectorAdd());
  std::string entry = onlyEntry();
  if (chown(entry.c_str(), 12345, getgid()) != 0)
    GTEST_SKIP() << "only root can give files away";
  EXPECT_EQ(warningOf(vectorAdd()), "a compiled kernel on disk is not used: `" + entry +
                                        "` belongs to user 12345 and not to user 0, who runs this");
  EXPECT_TRUE(compile(vectorAdd()).fromCache) << "it was written anew";
  ASSERT_EQ(chown(folder.c_str(), 12345, getgid()), 0);
  std::string why = "`" + folder + "` belongs to user 12345 and not to user 0, who runs this, or " +
                    "TILEWRIGHT_CACHE_DIR names another folder";
  EXPECT_EQ(warningOf(vectorAdd("sm_80")), "compiled kernel is not cached: " + why);
}

TEST_F(CacheTest, what_it_creates_is_the_users_alone_whatever_the_umask) {
  folder += "/below";
  mode_t before = umask(0);
  compile(vectorAdd());
  umask(before);
  EXPECT_TRUE(compile(vectorAdd()).fromCache);
  folder = fs::path(folder).parent_path();
}

TEST_F(CacheTest, full_disk_is_a_warning) {
  int result = inProcess([&] {
    limitFiles(/*deadly=*/false);
    ErrorOr<CompiledKernel> kernel = compileKernel(vectorAdd(), {.cacheDir = folder});
    return kernel && kernel->warnings.size() == 1 && !kernel->text.cubin.empty();
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(fileCount(), 0u);
}

TEST_F(CacheTest, killed_process_leaves_every_entry_whole) {
  compile(vectorAdd());
  int result = inProcess([&] { // dies in the middle of writing
    limitFiles(/*deadly=*/true);
    return compileKernel(vectorAdd("sm_80"), {.cacheDir = folder}).ok();
  });
  EXPECT_TRUE(WIFSIGNALED(result));
  EXPECT_TRUE(compile(vectorAdd()).fromCache);
  EXPECT_FALSE(compile(vectorAdd("sm_80")).fromCache);
  EXPECT_TRUE(compile(vectorAdd("sm_80")).fromCache);
}

TEST_F(CacheTest, many_processes_share_one_folder) {
  std::vector<int> results = inProcesses(8, [&](int) {
    bool good = true;
    for (const char *target : {"sm_80", "sm_90"}) {
      ErrorOr<CompiledKernel> kernel = compileKernel(vectorAdd(target), {.cacheDir = folder});
      good &= kernel && kernel->warnings.empty() && !kernel->text.cubin.empty();
    }
    return good;
  });
  EXPECT_EQ(results, std::vector<int>(8));
  EXPECT_EQ(fileCount(), 2u);
  EXPECT_TRUE(compile(vectorAdd("sm_80")).fromCache);
}

//===- What goes ------------------------------------------------------------------------------===//

/// Entries of 1000 bytes and some, each used an hour after the one before, long ago.
class CacheLimit : public CacheTest {
protected:
  static Hash128 key(int number) { return Hasher().addField(std::to_string(number)).finish(); }
  static Archive entry(size_t bytes) {
    Archive archive;
    archive.add("bytes", std::string(bytes, 'x'));
    return archive;
  }
  void add(int number) {
    ASSERT_TRUE(cache().write(key(number), entry(1000)));
    fs::last_write_time(cache().pathOf(key(number)),
                        fs::file_time_type::clock::now() - std::chrono::hours(1000 - number));
  }
  bool has(int number) const { return fs::exists(cache().pathOf(key(number))); }
  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const fs::directory_entry &file : fs::directory_iterator(folder))
      sum += file.file_size();
    return sum;
  }
  Cache cache() const { return Cache(folder); }
  /// Never in parts, and never an error.
  bool isWholeOrGone(const Hash128 &key) const {
    ErrorOr<std::optional<Archive>> found = cache().read(key);
    return found && (!*found || *(*found)->find("bytes") == std::string(100'000, 'x'));
  }
};

TEST_F(CacheLimit, entries_used_longest_ago_go) {
  for (int number : {3, 1, 0, 2})
    add(number);
  uint64_t all = bytes();
  cache().trim(all);
  EXPECT_EQ(bytes(), all);
  cache().trim(all - 1);
  EXPECT_EQ(fileCount(), 3u);
  EXPECT_FALSE(has(0));
  cache().trim(all / 2);
  EXPECT_EQ(fileCount(), 2u);
  EXPECT_TRUE(has(2) && has(3));
  cache().trim(0);
  EXPECT_EQ(fileCount(), 0u);
}

TEST_F(CacheLimit, reading_an_entry_is_using_it) {
  for (int number : {0, 1, 2})
    add(number);
  EXPECT_TRUE(*cache().read(key(0)));
  cache().trim(bytes() / 3);
  EXPECT_TRUE(has(0));
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(CacheLimit, only_entries_and_what_killed_writers_left_go) {
  add(0);
  for (const char *name : {"/tuned.json", "/notes.txt", "/0123.tw.tilewright-tmp.7.0"})
    std::ofstream(folder + name) << "bytes";
  cache().trim(0);
  EXPECT_FALSE(has(0));
  EXPECT_EQ(fileCount(), 2u);
  EXPECT_TRUE(fs::exists(folder + "/tuned.json") && fs::exists(folder + "/notes.txt"));
}

TEST_F(CacheLimit, holds_while_entries_are_written) {
  constexpr uint64_t kLimit = 1 << 20;
  setenv("TILEWRIGHT_CACHE_LIMIT", "1", 1);
  for (int number = 0; number < 40; ++number) {
    EXPECT_TRUE(cache().write(key(number), entry(100'000)));
    EXPECT_LE(bytes(), kLimit + kLimit / 64 + 100'200);
  }
  unsetenv("TILEWRIGHT_CACHE_LIMIT");
  EXPECT_GE(bytes(), kLimit - 100'200) << "no more goes than has to";
}

TEST_F(CacheLimit, none_where_it_is_0_and_nonsense_is_a_warning) {
  setenv("TILEWRIGHT_CACHE_LIMIT", "0", 1);
  for (int number = 0; number < 40; ++number)
    EXPECT_TRUE(cache().write(key(number), entry(100'000)));
  EXPECT_EQ(fileCount(), 40u);
  setenv("TILEWRIGHT_CACHE_LIMIT", "2G", 1);
  EXPECT_EQ(warningOf(vectorAdd()), "compiled kernel is not cached: TILEWRIGHT_CACHE_LIMIT is "
                                    "`2G`, not a whole number from 0 to 1073741824");
  unsetenv("TILEWRIGHT_CACHE_LIMIT");
}

TEST_F(CacheLimit, processes_that_evict_and_write_at_once_lose_nothing) {
  setenv("TILEWRIGHT_CACHE_LIMIT", "1", 1);
  std::vector<int> results = inProcesses(4, [&](int process) {
    bool good = true;
    for (int number = 0; number < 60; ++number) {
      good &= cache().write(key(process % 2 * 1000 + number), entry(100'000)).ok();
      good &= isWholeOrGone(key((process + 1) % 2 * 1000 + number));
    }
    return good;
  });
  EXPECT_EQ(results, std::vector<int>(4));
  unsetenv("TILEWRIGHT_CACHE_LIMIT");
  EXPECT_GT(fileCount(), 0u);
  for (int number = 0; number < 60; ++number)
    EXPECT_TRUE(isWholeOrGone(key(number)) && isWholeOrGone(key(1000 + number)));
}

TEST_F(CacheTest, can_be_switched_off) {
  setenv("TILEWRIGHT_NO_CACHE", "1", 1);
  compile(vectorAdd());
  unsetenv("TILEWRIGHT_NO_CACHE");
  EXPECT_EQ(fileCount(), 0u);
}

TEST(CacheDir, follows_the_environment) {
  setenv("TILEWRIGHT_CACHE_DIR", "/a", 1);
  EXPECT_EQ(defaultCacheDir(), "/a");
  unsetenv("TILEWRIGHT_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/b", 1);
  EXPECT_EQ(defaultCacheDir(), "/b/tilewright");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/c", 1);
  EXPECT_EQ(defaultCacheDir(), "/c/.cache/tilewright");
}
