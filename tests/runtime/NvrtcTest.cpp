#include "TestKernels.h"
#include "runtime/Compile.h"
#include "runtime/Doctor.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::runtime;

class NvrtcTest : public testing::Test {
protected:
  void SetUp() override {
    ErrorOr<const Nvrtc *> found = Nvrtc::get();
    if (!found)
      GTEST_SKIP() << found.error().message;
    nvrtc = *found;
  }

  const Nvrtc *nvrtc = nullptr;
};

class NvrtcTarget : public NvrtcTest, public testing::WithParamInterface<const char *> {};

TEST_P(NvrtcTarget, compiles_a_kernel) {
  ErrorOr<CompiledKernel> kernel = compileKernel(vectorAdd(GetParam()), {.useCache = false});
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_NE(kernel->text.ptx.find("vector_add"), std::string::npos);
  EXPECT_GT(kernel->resources.registers, 3u);
  EXPECT_LT(kernel->resources.registers, 40u);
  EXPECT_EQ(kernel->resources.frameBytes, 0u);
  EXPECT_EQ(kernel->spills.storeBytes, 0u);
  EXPECT_NE(
      kernel->text.log.find("Used " + std::to_string(kernel->resources.registers) + " registers"),
      std::string::npos)
      << kernel->text.log;
}

INSTANTIATE_TEST_SUITE_P(targets, NvrtcTarget,
                         testing::Values("sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100a",
                                         "sm_120"));

TEST_F(NvrtcTest, virtual_target_gives_ptx_only) {
  ErrorOr<CompiledKernel> kernel = compileKernel(vectorAdd("compute_90"), {.useCache = false});
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_TRUE(kernel->text.cubin.empty());
  EXPECT_FALSE(kernel->text.ptx.empty());
}

TEST_F(NvrtcTest, unknown_target_lists_the_known_ones) {
  ErrorOr<CompiledText> text = nvrtc->compile("", "x.cu", "sm_35", {});
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("does not compile for `sm_35`; it knows"), std::string::npos);
  EXPECT_NE(text.error().message.find("sm_90"), std::string::npos);
}

TEST_F(NvrtcTest, rejected_text_gives_the_compilers_messages) {
  ErrorOr<CompiledText> text =
      nvrtc->compile("#line 7 \"my.py\"\n__global__ void f() { oops; }", "x.cu", "sm_90", {});
  ASSERT_FALSE(text);
  const std::string &message = text.error().message;
  EXPECT_NE(message.find(" cannot compile `x.cu` for `sm_90`: "), std::string::npos) << message;
  EXPECT_NE(message.find("my.py(7): error"), std::string::npos) << message;
}

TEST_F(NvrtcTest, its_stamp_is_that_of_its_file) {
  if (nvrtc->path().find('/') == std::string::npos)
    GTEST_SKIP() << "found by a plain name";
  EXPECT_EQ(nvrtcStamp(), nvrtcStamp());
  EXPECT_NE(nvrtcStamp().find(nvrtc->path() + ":"), std::string::npos) << nvrtcStamp();
}

TEST_F(NvrtcTest, missing_library_is_an_error_not_a_crash) {
  ErrorOr<Nvrtc> missing = Nvrtc::load("/nowhere/libnvrtc.so.13");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("/nowhere/libnvrtc.so.13"), std::string::npos);
}

TEST(Nvrtc, another_library_lacks_its_functions) {
  EXPECT_EQ(Nvrtc::load("libm.so.6").error().message,
            "`libm.so.6` lacks `nvrtcGetProgramLog`: NVRTC 11.2 or newer is needed");
}

/// A library with NVRTC's functions, of which one fails (inputs/FakeNvrtc.cpp).
static ErrorOr<Nvrtc> loadFailingAt(const char *function) {
  setenv("FAKE_NVRTC_FAILS", function, 1);
  return Nvrtc::load(FAKE_NVRTC);
}

TEST(Nvrtc, one_that_does_not_work_is_an_error) {
  EXPECT_EQ(loadFailingAt("nvrtcVersion").error().message,
            "`" FAKE_NVRTC "` does not report its version");
  EXPECT_EQ(loadFailingAt("nvrtcGetSupportedArchs").error().message,
            "`" FAKE_NVRTC "` does not report its architectures");
  ErrorOr<Nvrtc> nvrtc = loadFailingAt("nvrtcCreateProgram");
  ASSERT_TRUE(nvrtc) << nvrtc.error().message;
  EXPECT_EQ(nvrtc->compile("", "x.cu", "sm_90", {}).error().message,
            "NVRTC cannot start: it fails");
  unsetenv("FAKE_NVRTC_FAILS");
}

TEST_P(NvrtcTarget, static_shared_memory_excludes_the_systems) {
  KernelSource source = vectorAdd(GetParam());
  source.text = R"(extern "C" __global__ void vector_add(float *p) {
  __shared__ float tile[512];
  tile[threadIdx.x] = p[0];
  __syncthreads();
  p[1] = tile[3];
})";
  ErrorOr<CompiledKernel> kernel = compileKernel(source, {.useCache = false});
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_EQ(kernel->resources.staticSharedBytes, 2048u);
}

TEST_F(NvrtcTest, cubin_tells_stack_spills_and_shared_memory) {
  KernelSource source = vectorAdd();
  source.entry = "heavy";
  // More live values than 32 registers hold, and an array that is indexed at run time.
  source.text = R"(extern "C" __global__ __launch_bounds__(1024, 2) void heavy(float *p, int n) {
  __shared__ float tile[512];
  float v[64];
  int local[32];
  #pragma unroll
  for (int i = 0; i < 64; ++i) v[i] = p[i * n];
  for (int i = 0; i < 32; ++i) local[i] = p[i] > 0;
  tile[threadIdx.x & 511] = v[3];
  __syncthreads();
  float s = tile[n & 511] + local[n & 31];
  #pragma unroll
  for (int i = 0; i < 64; ++i) { s = s * v[i] + v[63 - i]; p[i] = s; }
})";
  ErrorOr<CompiledKernel> kernel = compileKernel(source, {.useCache = false});
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_EQ(kernel->resources.registers, 32u);
  EXPECT_EQ(kernel->resources.staticSharedBytes, 2048u);
  EXPECT_GE(kernel->resources.frameBytes, 128u);
  EXPECT_GT(kernel->spills.storeBytes, 0u);
  EXPECT_NE(
      kernel->text.log.find(std::to_string(kernel->resources.frameBytes) + " bytes stack frame"),
      std::string::npos)
      << kernel->text.log;
}

TEST_F(NvrtcTest, cubin_without_the_kernel_is_an_error) {
  CompiledText text = *nvrtc->compile(vectorAdd().text, "x.cu", "sm_90", {});
  EXPECT_EQ(readCubinInfo(text.cubin, "other").error().message,
            "compiled code has no kernel `other`");
  EXPECT_EQ(readCubinInfo("garbage", "vector_add").error().message,
            "compiled code is not a 64-bit ELF file");
  for (size_t size = 0; size < text.cubin.size(); size += 97)
    (void)readCubinInfo(std::string_view(text.cubin).substr(0, size), "vector_add");
}

//===- Where it is looked for -----------------------------------------------------------------===//

namespace fs = std::filesystem;

/// A file tree with copies of NVRTC, which are empty, and an environment that leads to none yet.
class NvrtcSearch : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "tilewright-nvrtc-XXXXXX";
    root = mkdtemp(pattern.data());
    for (const char *variable : kVariables) {
      const char *value = getenv(variable);
      before.push_back(value ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(variable);
    }
  }
  void TearDown() override {
    for (size_t i = 0; i < before.size(); ++i)
      before[i] ? setenv(kVariables[i], before[i]->c_str(), 1) : unsetenv(kVariables[i]);
    fs::remove_all(root);
  }

  std::string library(const std::string &folder) {
    fs::create_directories(root / folder);
    std::ofstream(root / folder / "libnvrtc.so.13") << "";
    return (root / folder / "libnvrtc.so.13").string();
  }
  /// The place of a file among the candidates of a runtime in this folder.
  size_t rankOf(const std::string &file, const std::string &ownFolder) const {
    std::vector<std::string> all = nvrtcCandidates((root / ownFolder).string());
    auto found = std::find(all.begin(), all.end(), file);
    EXPECT_NE(found, all.end()) << file;
    return static_cast<size_t>(found - all.begin());
  }

  static constexpr const char *kVariables[] = {"TILEWRIGHT_NVRTC", "TILEWRIGHT_CUDA_HOME",
                                               "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV"};
  std::vector<std::optional<std::string>> before;
  fs::path root;
};

TEST_F(NvrtcSearch, toolkit_and_wheel_go_before_folders_beside_the_binary) {
  std::string home = library("toolkit/lib64"), path = library("other/lib64"),
              wheel = library("venv/lib/python3.11/site-packages/nvidia/cu13/lib"),
              beside = library("app/bin/nvidia/cu13/lib");
  setenv("CUDA_HOME", (root / "toolkit").c_str(), 1);
  setenv("CUDA_PATH", (root / "other").c_str(), 1);
  setenv("VIRTUAL_ENV", (root / "venv").c_str(), 1);
  EXPECT_EQ(rankOf(home, "app/bin"), 0u);
  EXPECT_EQ(rankOf(path, "app/bin"), 1u);
  EXPECT_LT(rankOf("libnvrtc.so.13", "app/bin"), rankOf(wheel, "app/bin"));
  EXPECT_LT(rankOf(wheel, "app/bin"), rankOf(beside, "app/bin"));
  EXPECT_EQ(rankOf(beside, "app/bin"), nvrtcCandidates((root / "app/bin").string()).size() - 1);
}

TEST_F(NvrtcSearch, a_python_package_takes_the_wheel_of_its_own_environment) {
  std::string own = library("mine/site-packages/nvidia/cu13/lib"),
              other = library("venv/lib/python3.11/site-packages/nvidia/cu13/lib");
  setenv("VIRTUAL_ENV", (root / "venv").c_str(), 1);
  EXPECT_LT(rankOf(own, "mine/site-packages/tilewright"),
            rankOf(other, "mine/site-packages/tilewright"));
}

TEST_F(NvrtcSearch, a_full_path_is_the_only_place) {
  setenv("TILEWRIGHT_NVRTC", "/some/libnvrtc.so", 1);
  EXPECT_EQ(nvrtcCandidates(library("app/nvidia/cu13/lib")),
            std::vector<std::string>{"/some/libnvrtc.so"});
}

//===- Options --------------------------------------------------------------------------------===//

class NvrtcOptions : public testing::Test {
protected:
  void TearDown() override { unsetenv("TILEWRIGHT_WATCHDOG"); }
  ErrorOr<std::vector<std::string>> with(const char *watchdog) {
    setenv("TILEWRIGHT_WATCHDOG", watchdog, 1);
    return nvrtcOptions(vectorAdd(), {});
  }
};

TEST_F(NvrtcOptions, the_watchdog_is_a_number) {
  std::vector<std::string> options = *with("0250");
  EXPECT_NE(std::find(options.begin(), options.end(), "-DTILEWRIGHT_WATCHDOG=250"), options.end());
}

TEST_F(NvrtcOptions, no_watchdog_by_default_or_with_0) {
  for (const char *never : {"", "0"})
    EXPECT_EQ(*with(never), (std::vector<std::string>{"-Xptxas=-v"})) << never;
}

TEST_F(NvrtcOptions, nonsense_as_the_watchdog_is_an_error) {
  for (const char *nonsense : {"soon", "10ms", "-1", "1e3", " 5", "86400001",
                               "99999999999999999999", "1;--include-path=/"}) {
    ErrorOr<std::vector<std::string>> options = with(nonsense);
    ASSERT_FALSE(options) << nonsense;
    EXPECT_EQ(options.error().message, "TILEWRIGHT_WATCHDOG is `" + std::string(nonsense) +
                                           "`, not a whole number from 0 to 86400000");
    EXPECT_EQ(compileKernel(vectorAdd(), {.useCache = false}).error().message,
              options.error().message);
  }
}

TEST(CompileLog, finds_the_kernels_own_spills) {
  const char *log = "ptxas info    : Function properties for other\n"
                    "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
                    "ptxas info    : Function properties for mine\n"
                    "    0 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n";
  EXPECT_EQ(parseSpills(log, "mine")->storeBytes, 12u);
  EXPECT_EQ(parseSpills(log, "mine")->loadBytes, 16u);
  EXPECT_EQ(parseSpills(log, "absent").error().message,
            "the compilation log has no report on `absent`");
}

TEST(CompileLog, finds_performance_notes) {
  std::vector<std::string> notes = performanceNotes(
      "ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async serialized\n"
      "ptxas info    : Used 168 registers\n");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("C7511"), std::string::npos);
}

TEST(Doctor, says_what_is_there_and_what_is_missing) {
  DoctorReport report = examine();
  EXPECT_TRUE(report.driver.found == report.driver.problem.empty());
  EXPECT_TRUE(report.nvrtc.found == report.nvrtc.problem.empty());
  EXPECT_NE(report.str().find("run on a GPU: "), std::string::npos);
}
