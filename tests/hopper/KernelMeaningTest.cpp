// Programs written by hand mean what plain kernels of the language do, on the same arguments.
#include "tests/hopper/Meaning.h"

#include "tools/driver/KernelModule.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::hopper;
using frontend::Dtype;

namespace {

struct Pair {
  const char *program; // a file of this folder
  const char *kernel;  // a built-in, or a file beside this folder
  llvm::StringMap<Dtype> dtypes;
  llvm::StringMap<int64_t> dims; // that tile extents depend on
  Trial trial;
};

Trial trialOf(const Numbers1d &numbers) {
  Trial trial;
  trial.numbers = numbers;
  return trial;
}

/// Sizes that are no multiples of tiles.
Trial matrices(int64_t KB = 0) {
  return trialOf({{"M", int64_t(150)},
                  {"N", int64_t(304)},
                  {"K", int64_t(208)},
                  {"KB", KB},
                  {"NB", int64_t(3)},
                  {"scale", 0.25}});
}

const Pair kPairs[] = {
    {"gemm_persistent.mlir", "matmul_nt", {{"E", Dtype::BF16}, {"O", Dtype::BF16}}, {}, matrices()},
    {"gemm_e4m3.mlir", "matmul_scaled", {{"E", Dtype::F8E4M3}, {"O", Dtype::BF16}}, {}, matrices()},
    {"gemm_block_scaled.mlir",
     "matmul_block_scaled",
     {{"E", Dtype::F8E4M3}, {"O", Dtype::BF16}},
     {},
     matrices(/*KB=*/2)},
    {"gemm_mixed.mlir",
     "matmul_mixed",
     {{"E", Dtype::BF16}, {"Q", Dtype::F8E4M3}},
     {},
     matrices(/*KB=*/4)},
    {"swiglu.mlir", "swiglu_mlp", {{"E", Dtype::BF16}}, {}, matrices()},
    {"attention.mlir",
     "attention",
     {{"E", Dtype::BF16}},
     {{"D", 128}, {"DV", 128}},
     trialOf({{"B", int64_t(2)},
              {"S", int64_t(136)},
              {"T", int64_t(200)},
              {"H", int64_t(2)},
              {"G", int64_t(1)},
              {"scale", 0.5}})},
    {"backward.mlir",
     "../plans/inputs/backward.py",
     {},
     {{"D", 64}},
     trialOf({{"M", int64_t(136)}, {"T", int64_t(200)}, {"D", int64_t(64)}})},
};

ErrorOr<std::string> textOf(const Pair &pair) {
  frontend::Specialisation specialisation;
  specialisation.dtypes = pair.dtypes;
  specialisation.dims = pair.dims;
  bool isFile = llvm::StringRef(pair.kernel).ends_with(".py");
  TILEWRIGHT_ASSIGN(driver::KernelTextPtr kernel,
                    isFile ? driver::loadKernelText(hopper::textOf(pair.kernel), pair.kernel, "")
                           : driver::loadKernel(pair.kernel));
  TILEWRIGHT_ASSIGN(driver::KernelModule module,
                    driver::KernelModule::lower(kernel, specialisation));
  return module.str();
}

class KernelMeaning : public testing::TestWithParam<Pair> {};

TEST_P(KernelMeaning, is_that_of_the_program) {
  ErrorOr<std::string> kernel = textOf(GetParam());
  ASSERT_TRUE(kernel) << kernel.error().message;
  expectSameMeaning(hopper::textOf(GetParam().program), *kernel, GetParam().trial);
}

INSTANTIATE_TEST_SUITE_P(Programs, KernelMeaning, testing::ValuesIn(kPairs), [](const auto &info) {
  return llvm::StringRef(info.param.program).split('.').first.str();
});

} // namespace
