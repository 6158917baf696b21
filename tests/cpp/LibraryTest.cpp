// The C++ library, as a program sees it: nothing here includes anything but its headers.
#include <tilewright/Bundle.h>
#include <tilewright/Gpu.h>
#include <tilewright/Kernel.h>
#include <tilewright/Version.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

using namespace tilewright;

namespace {

constexpr const char *kText = R"(
from tilewright import *
M, N = dims("M N")
@kernel
def shifted(x: Tensor[f32, M, N], y: Tensor[f32, M, N], b: Tensor[f32, N] | None = None, a: f32 = 2,
            *, twice: const[bool] = False):
    rows = block(grid(M), 1)
    z = x[rows, :] * a
    z = z + z if twice else z
    y[rows, :] = z + b[:][None, :] if b is not None else z
)";

struct Program {
  std::vector<float> x = {1, 2, 3, 4, 5, 6}, y = std::vector<float>(6), b = {10, 20, 30};
  Tensor input{x.data(), ElementType::F32, {2, 3}}, output{y.data(), ElementType::F32, {2, 3}},
      bias{b.data(), ElementType::F32, {3}};
  ErrorOr<Kernel> kernel = Kernel::fromText(kText);

  std::vector<float> interpreted(const std::vector<Argument> &arguments,
                                 const Settings &settings = {}) {
    Status done = kernel ? kernel->interpret(arguments, settings) : Status(kernel.error());
    EXPECT_TRUE(done) << done.error().message;
    return y;
  }
};

using Floats = std::vector<float>;

TEST(CppKernel, interprets_a_text_with_scalars_settings_and_optional_tensors) {
  Program p;
  EXPECT_EQ(p.interpreted({p.input, p.output}), (Floats{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(p.interpreted({p.input, p.output, p.bias, 1.0}), (Floats{11, 22, 33, 14, 25, 36}));
  EXPECT_EQ(p.interpreted({p.input, p.output, Absent{}, 3}), (Floats{3, 6, 9, 12, 15, 18}));
  EXPECT_EQ(p.interpreted({p.input, p.output}, {{"twice", true}}), (Floats{4, 8, 12, 16, 20, 24}));
}

TEST(CppKernel, gives_the_kernel_of_its_gradient) {
  Program p;
  Floats dx(6);
  Tensor computed{dx.data(), ElementType::F32, {2, 3}};
  ErrorOr<Kernel> gradient = p.kernel->gradient({"x"}, {"y"});
  ASSERT_TRUE(gradient) << gradient.error().message;
  Status done = gradient->interpret({p.input, p.input, computed, Absent{}, 3.0});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(dx, (Floats{3, 6, 9, 12, 15, 18}));
  EXPECT_EQ(p.kernel->gradient({"z"}).error().message.rfind("kernel `shifted` has no input `z`", 0),
            0u);
}

TEST(CppKernel, takes_tensors_by_their_strides) {
  Program p;
  p.input.strides = {1, 2}; // columns behind each other
  EXPECT_EQ(p.interpreted({p.input, p.output, Absent{}, 1.0}), (Floats{1, 3, 5, 2, 4, 6}));
  p.input.strides = {1};
  EXPECT_EQ(p.kernel->interpret({p.input, p.output}).error().message,
            "argument 0 has 2 axes and 1 strides");
}

TEST(CppKernel, runs_built_in_kernels) {
  Program p;
  ErrorOr<Kernel> softmax = Kernel::load("softmax");
  ASSERT_TRUE(softmax) << softmax.error().message;
  Status done = softmax->interpret({p.input, p.output});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_NEAR(p.y[0] + p.y[1] + p.y[2], 1, 1e-6);
  EXPECT_NEAR(p.y[2] / p.y[1], std::exp(1.0), 1e-5);
}

TEST(CppKernel, errors_say_what_was_found) {
  EXPECT_NE(Kernel::load("sofmax").error().message.find("sofmax"), std::string::npos);
  std::string message = Kernel::fromText("@kernel\ndef k(:\n", "", {}, "mine.py").error().message;
  EXPECT_NE(message.find("mine.py:2:"), std::string::npos) << message;
  Program p;
  EXPECT_NE(p.kernel->interpret({p.input}).error().message.find("shifted"), std::string::npos);
  ErrorOr<Kernel> planned = Kernel::load("matmul_nt", {.plan = "nonsense"});
  EXPECT_FALSE(planned);
}

//===- Bundles --------------------------------------------------------------------------------===//

class CppBundle : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "tilewright-cpp-XXXXXX";
    folder = mkdtemp(pattern.data());
    path = folder + "/kernel.tw";
    Program p;
    ErrorOr<Kernel> kernel = Kernel::fromText(kText, "shifted", {.target = "sm_80"});
    ASSERT_TRUE(kernel) << kernel.error().message;
    if (Status saved = kernel->save(path, {p.input, p.output, p.bias, 1.0}); !saved)
      GTEST_SKIP() << saved.error().message; // which asks for NVRTC
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string folder, path;
};

TEST_F(CppBundle, is_what_was_saved) {
  ErrorOr<Bundle> bundle = Bundle::load(path);
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_EQ(bundle->name(), "shifted");
  EXPECT_EQ(bundle->target(), "sm_80");
}

TEST_F(CppBundle, damage_is_an_error) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  for (size_t at : {size_t(0), bytes.size() / 2, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] ^= 1;
    std::ofstream(path, std::ios::binary) << damaged;
    ErrorOr<Bundle> bundle = Bundle::load(path);
    ASSERT_FALSE(bundle);
    EXPECT_TRUE(bundle.error().message.starts_with("cannot load `" + path + "`: "));
  }
}

TEST_F(CppBundle, an_archive_without_a_kernel_is_an_error) {
  constexpr std::string_view kNothing = "\xc5\x0c\x5b\xc9\xee\xaa\x13\xa5"; // its checksum
  std::ofstream(path, std::ios::binary) << "tilewright 2\n" << kNothing;
  EXPECT_EQ(Bundle::load(path).error().message,
            "cannot load `" + path + "`: it does not hold a compiled kernel");
}

TEST_F(CppBundle, launching_it_on_host_memory_is_an_error) {
  Program p;
  ErrorOr<Bundle> bundle = Bundle::load(path);
  ASSERT_TRUE(bundle);
  EXPECT_FALSE(bundle->launch(nullptr, {p.input, p.output, p.bias, 1.0}));
  EXPECT_FALSE(bundle->launch(nullptr, {p.input}));
}

//===- The rest -------------------------------------------------------------------------------===//

TEST(CppGpuMemory, copies_what_it_holds_and_no_more) {
  if (gpuCount() == 0) {
    EXPECT_FALSE(GpuMemory::allocate(4));
    return;
  }
  ErrorOr<GpuMemory> memory = GpuMemory::allocate(8);
  ASSERT_TRUE(memory) << memory.error().message;
  double in = 5, out = 0;
  EXPECT_TRUE(memory->copyFrom(&in, 8));
  EXPECT_TRUE(memory->copyTo(&out, 8));
  EXPECT_EQ(out, 5);
  EXPECT_EQ(memory->copyTo(&out, 9).error().message, "cannot copy 9 bytes: the memory has 8");
}

TEST(CppVersion, is_three_numbers_and_a_commit) {
  int numbers[3];
  EXPECT_EQ(std::sscanf(version(), "%d.%d.%d", &numbers[0], &numbers[1], &numbers[2]), 3);
  EXPECT_EQ(std::string(commit()).find_first_not_of("0123456789abcdef"), std::string::npos);
}

} // namespace
