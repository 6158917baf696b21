// Every built-in kernel, compiled by NVRTC for every generation: the machine code exists, spills
// nothing, and uses the instructions that the generation has. Needs no GPU.
#include "tests/kernels/Case.h"
#include "tools/driver/Builtins.h"
#include "tools/tilewright/Job.h"

#include "runtime/Nvrtc.h"

#include <atomic>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <thread>

using namespace tilewright;
using kernels::splitWords;

namespace {

constexpr const char *kTargets[] = {"sm_75", "sm_80",  "sm_86", "sm_89",
                                    "sm_90", "sm_100", "sm_120"};

std::vector<std::string> allKernels() {
  std::vector<std::string> kernels;
  for (const driver::BuiltinFile &file : driver::builtinFiles())
    for (const std::string &kernel : driver::kernelNames(file.text))
      kernels.push_back(kernel);
  return kernels;
}

/// One specialisation for contiguous, aligned tensors of the default sizes.
struct Request {
  std::string kernel, target;
  std::vector<std::string> dtypes, settings;
  bool findsPlan = true;

  std::string str() const {
    std::string text = kernel + " " + target;
    for (const std::string &word : dtypes)
      text += " " + word;
    for (const std::string &word : settings)
      text += " " + word;
    return text;
  }
};

ErrorOr<driver::Compiled> compile(const Request &request, const runtime::CompileOptions &options) {
  cli::KernelArgs args;
  args.kernel = request.kernel;
  args.target = request.target;
  args.dtypes = request.dtypes;
  args.sets = request.settings;
  if (!request.findsPlan)
    args.plan = {std::string(driver::kNoPlan)};
  TILEWRIGHT_ASSIGN(cli::Job job, cli::makeJob(args));
  TILEWRIGHT_ASSIGN(driver::Attempt wanted, cli::attemptFor(job, job.steps[0], job.sizes));
  return driver::compile(job.steps[0].text, wanted, options);
}

/// Compiles the requests on two threads, without the cache on disk.
using Result = std::unique_ptr<ErrorOr<driver::Compiled>>;
std::vector<Result> compileAll(const std::vector<Request> &requests) {
  std::vector<Result> results(requests.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < requests.size();)
      results[i] =
          std::make_unique<ErrorOr<driver::Compiled>>(compile(requests[i], {.useCache = false}));
  };
  std::thread other(work);
  work();
  other.join();
  return results;
}

class TargetsTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (ErrorOr<const runtime::Nvrtc *> nvrtc = runtime::Nvrtc::get(); !nvrtc)
      GTEST_SKIP() << nvrtc.error().message;
  }
};

int number(const std::string &target) { return std::stoi(target.substr(3)); }

} // namespace

static std::string nameOf(const testing::TestParamInfo<const char *> &info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Targets, TargetsTest, testing::ValuesIn(kTargets), nameOf);

/// The dtypes that a kernel is compiled for, each as the words after `--dtype`; a variable that
/// does not allow one of them has its default.
static std::vector<std::vector<std::string>> dtypesOf(const std::string &kernel) {
  std::vector<std::vector<std::string>> result;
  driver::KernelTextPtr text = *driver::loadKernel(kernel);
  const frontend::Signature &signature = text->signature();
  for (frontend::Dtype dtype :
       {frontend::Dtype::F16, frontend::Dtype::BF16, frontend::Dtype::F32}) {
    std::vector<std::string> words;
    for (const frontend::DtypeVariable &variable : signature.dtypes)
      if (llvm::is_contained(variable.allowed, dtype))
        words.push_back(variable.name + "=" + dtypeName(dtype).str());
    if (!words.empty())
      result.push_back(words);
  }
  return result;
}

TEST_P(TargetsTest, compilesEveryKernelWithoutSpills) {
  std::vector<Request> requests;
  for (const std::string &kernel : allKernels())
    for (const std::vector<std::string> &dtypes : dtypesOf(kernel))
      requests.push_back({kernel, GetParam(), dtypes, {}});
  std::vector<Result> results = compileAll(requests);
  for (size_t i = 0; i < requests.size(); ++i) {
    const Request &request = requests[i];
    const ErrorOr<driver::Compiled> &result = *results[i];
    if (!result) {
      ADD_FAILURE() << request.str() << ": " << result.error().message;
      continue;
    }
    const runtime::CompiledKernel &code = result->kernel.compiled();
    EXPECT_FALSE(code.text.cubin.empty()) << request.str();
    // Around a loop that multiplies, registers may be put aside; nowhere else.
    const runtime::ProductLoops &loops = code.resources.productLoops;
    if (loops.found)
      EXPECT_EQ(loops.localAccesses, 0u) << request.str();
    else
      EXPECT_EQ(code.spills.storeBytes + code.spills.loadBytes + code.resources.frameBytes, 0u)
          << request.str();
    for (const std::string &reason : result->rejected)
      fmt::print("{}: not at its first configuration: {}\n", request.str(), reason);
  }
}

namespace {

/// An instruction that a kernel's PTX must have from one generation on, until another.
struct Form {
  const char *kernel, *dtypes, *settings;
  int from, before;
  const char *instruction;
};

constexpr int kNever = 1000;
constexpr Form kForms[] = {
    {"matmul", "E=f16", "", 75, 80, "mma.sync.aligned.m16n8k8.row.col.f32.f16"},
    {"matmul", "E=f16", "", 80, kNever, "mma.sync.aligned.m16n8k16.row.col.f32.f16"},
    {"matmul", "E=bf16", "", 80, kNever, "mma.sync.aligned.m16n8k16.row.col.f32.bf16"},
    {"matmul_nt", "E=f32", "", 80, kNever, "mma.sync.aligned.m16n8k8.row.col.f32.tf32"},
    {"matmul_nt", "E=i8,O=i32", "", 80, kNever, "mma.sync.aligned.m16n8k32.row.col.s32.s8"},
    {"matmul_nt", "E=i8,O=i32", "", 75, 80, "mma.sync.aligned.m8n8k16.row.col.s32.s8"},
    {"matmul_nt", "E=i8,O=i32", "", 75, kNever, "ldmatrix"},
    {"matmul_nt", "E=f8e4m3", "", 89, kNever, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3"},
    {"matmul_nt", "E=f8e5m2", "", 89, kNever, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2"},
    {"matmul_scaled", "E=f8e4m3", "", 89, kNever, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3"},
    {"matmul_block_scaled", "E=f8e4m3", "", 89, kNever,
     "mma.sync.aligned.m16n8k32.row.col.f32.e4m3"},
    {"matmul_block_scaled", "E=i8", "", 80, kNever, "mma.sync.aligned.m16n8k32.row.col.s32.s8"},
    {"matmul_mixed", "E=bf16", "", 80, kNever, "mma.sync.aligned.m16n8k16.row.col.f32.bf16"},
    {"matmul", "E=f32,O=f32", "tf32=false", 75, kNever, "fma.rn.f32"},
    {"matmul", "E=f16,O=f16", "", 90, kNever, "stmatrix.sync.aligned.m8n8.x4"},
    {"gelu_linear", "E=bf16", "", 90, kNever, "stmatrix.sync.aligned.m8n8.x4"},
    {"attention", "E=bf16", "", 90, kNever, "stmatrix.sync.aligned.m8n8.x4"},
};
constexpr const char *kProducts[] = {"matmul",
                                     "matmul_nt",
                                     "matmul_tn",
                                     "matmul_tt",
                                     "matmul_scaled",
                                     "matmul_mixed",
                                     "matmul_grouped",
                                     "gelu_linear",
                                     "swiglu_mlp",
                                     "swiglu_mlp_down",
                                     "attention",
                                     "attention_varlen",
                                     "linear_cross_entropy",
                                     "linear_cross_entropy_gradient",
                                     "linear_cross_entropy_hidden",
                                     "linear_cross_entropy_weight"};

} // namespace

TEST_P(TargetsTest, usesTheInstructionsOfTheGeneration) {
  std::vector<Form> forms(std::begin(kForms), std::end(kForms));
  for (const char *kernel : kProducts) {
    forms.push_back({kernel, "E=f16", "", 75, kNever, "ldmatrix.sync.aligned"});
    forms.push_back({kernel, "E=f16", "", 75, 80, "mma.sync.aligned.m16n8k8.row.col.f32.f16"});
    forms.push_back({kernel, "E=f16", "", 80, kNever, "mma.sync.aligned.m16n8k16.row.col.f32.f16"});
    forms.push_back({kernel, "E=f16", "", 80, kNever, "cp.async.c"});
  }
  std::map<std::string, Request> requests; // forms may share one
  std::map<std::string, std::vector<std::string>> instructions;
  int generation = number(GetParam());
  for (const Form &form : forms)
    if (generation >= form.from && generation < form.before) {
      Request request{form.kernel, GetParam(), splitWords(form.dtypes, ','),
                      splitWords(form.settings, ','), /*findsPlan=*/false};
      requests.emplace(request.str(), request);
      instructions[request.str()].push_back(form.instruction);
    }
  std::vector<Request> list;
  for (const auto &[name, request] : requests)
    list.push_back(request);
  std::vector<Result> results = compileAll(list);
  for (size_t i = 0; i < list.size(); ++i) {
    ASSERT_TRUE(*results[i]) << list[i].str() << ": " << results[i]->error().message;
    const std::string &ptx = (*results[i])->kernel.compiled().text.ptx;
    for (const std::string &instruction : instructions[list[i].str()])
      EXPECT_NE(ptx.find(instruction), std::string::npos)
          << list[i].str() << " has no " << instruction;
    if (generation < 90) {
      EXPECT_EQ(ptx.find("stmatrix"), std::string::npos) << list[i].str();
    }
  }
}

/// What is found for large, aligned tensors multiplies by warpgroup, and copies by TMA.
TEST(FoundPlans, useWgmmaAndTma) {
  if (ErrorOr<const runtime::Nvrtc *> nvrtc = runtime::Nvrtc::get(); !nvrtc)
    GTEST_SKIP() << nvrtc.error().message;
  std::vector<Request> list;
  for (const char *kernel :
       {"matmul", "matmul_nt", "matmul_tn", "matmul_tt", "gelu_linear", "swiglu_mlp",
        "swiglu_mlp_down", "attention", "linear_cross_entropy_gradient",
        "linear_cross_entropy_hidden", "linear_cross_entropy_weight"})
    list.push_back({kernel, "sm_90", {"E=bf16"}, {}});
  list.push_back({"attention", "sm_90", {"E=f16"}, {"causal=true"}});
  list.push_back({"matmul_scaled", "sm_90", {"E=f8e4m3"}, {}});
  std::vector<Result> results = compileAll(list);
  for (auto [request, result] : llvm::zip(list, results)) {
    ASSERT_TRUE(*result) << request.str() << ": " << result->error().message;
    const std::string &ptx = (*result)->kernel.compiled().text.ptx;
    for (const char *instruction : {"wgmma.mma_async.sync.aligned.m64n", "cp.async.bulk.tensor.",
                                    ".global.shared::cta", "setmaxnreg.inc"})
      EXPECT_NE(ptx.find(instruction), std::string::npos)
          << request.str() << " has no " << instruction;
    for (const char *instruction : {"ld.local", "st.local", "mma.sync"})
      EXPECT_EQ(ptx.find(instruction), std::string::npos)
          << request.str() << " has " << instruction;
  }
}

/// How long it takes is measured by bench/ (suite `compile`).
TEST(CompiledKernels, areFoundInTheCache) {
  if (ErrorOr<const runtime::Nvrtc *> nvrtc = runtime::Nvrtc::get(); !nvrtc)
    GTEST_SKIP() << nvrtc.error().message;
  std::string folder = (std::filesystem::temp_directory_path() / "tilewright-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(folder.data()));
  runtime::CompileOptions options;
  options.cacheDir = folder;
  for (const std::string &kernel : allKernels()) {
    Request request{kernel, driver::Config().target, {}, {}};
    ErrorOr<driver::Compiled> first = compile(request, options);
    ErrorOr<driver::Compiled> second = compile(request, options);
    ASSERT_TRUE(first) << request.str() << ": " << first.error().message;
    ASSERT_TRUE(second) << request.str() << ": " << second.error().message;
    EXPECT_TRUE(second->kernel.compiled().fromCache) << request.str();
    EXPECT_EQ(second->kernel.compiled().text.cubin, first->kernel.compiled().text.cubin)
        << request.str();
  }
  std::filesystem::remove_all(folder);
}
