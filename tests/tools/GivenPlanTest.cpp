// Plans as users of the C++ API hand them in.
#include "tools/driver/GivenPlan.h"

#include "support/Files.h"
#include "tools/driver/Inspect.h"
#include "tools/driver/Load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

using runtime::ElementType;
using runtime::TensorRef;
using testing::HasSubstr;

const std::string kPlan = *readFile(TILEWRIGHT_TOOLS_INPUTS "/../../plans/gemm_persistent.plan");

/// The arguments of c = a · bᵀ in bf16, in host memory that nobody reads.
struct Product {
  int64_t shapes[3][2] = {{300, 200}, {520, 200}, {300, 520}};
  int64_t strides[3][2] = {{200, 1}, {200, 1}, {520, 1}};
  std::vector<runtime::Argument> arguments() {
    std::vector<runtime::Argument> all;
    for (int i = 0; i < 3; ++i)
      all.push_back(TensorRef{reinterpret_cast<void *>(uintptr_t(4096)), ElementType::BF16, 2,
                              shapes[i], strides[i], -1});
    return all;
  }
};

class GivenPlan : public testing::Test {
protected:
  Product product;

  ErrorOr<Attempt> attempt(const Config &config, const Settings &settings = {},
                           const std::string &kernel = "matmul_nt") {
    KernelTextPtr text = *loadKernel(kernel);
    TILEWRIGHT_ASSIGN(Call call, arrange(text->signature(), product.arguments()));
    return attemptOf(*text, config, call, settings);
  }
  std::string refusal(const Config &config, const Settings &settings = {},
                      const std::string &kernel = "matmul_nt") {
    ErrorOr<Attempt> made = attempt(config, settings, kernel);
    return made ? "" : made.error().message;
  }
};

TEST_F(GivenPlan, is_carried_out) {
  ErrorOr<Attempt> made = attempt({.planText = kPlan});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->str(loadKernel("matmul_nt").value()->signature()), "BM = 128, BN = 256, BK = 64");
  ErrorOr<Translated> translated = translate(*loadKernel("matmul_nt"), *made);
  ASSERT_TRUE(translated) << translated.error().message;
  EXPECT_EQ(translated->source.threads, 384u);
  EXPECT_THAT(translated->source.text, HasSubstr("wgmma_m64n256k16_bf16("));
}

TEST_F(GivenPlan, makes_other_code_than_another) {
  ErrorOr<std::string> shallow =
      givenPlan(kPlan, {"channels.s1: tma, 3 slots", "channels.s2: tma, 3 slots"});
  ASSERT_TRUE(shallow) << shallow.error().message;
  KernelTextPtr text = *loadKernel("matmul_nt");
  Attempt deep = *attempt({.planText = kPlan}), other = *attempt({.planText = *shallow});
  EXPECT_NE(memoKey(*text, deep), memoKey(*text, other));
  EXPECT_NE(translate(text, deep)->source.sharedBytes, translate(text, other)->source.sharedBytes);
}

TEST_F(GivenPlan, is_explained_with_what_its_numbers_stand_for) {
  ErrorOr<std::string> text = explain(*loadKernel("matmul_nt"), *attempt({.planText = kPlan}));
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("\n    products  p1: wgmma 64x256x16, warps 8x1\n"));
  EXPECT_THAT(*text, HasSubstr("\n    #   s1  loads a: 128x64 bf16, in a loop, line "));
}

TEST_F(GivenPlan, that_is_wrong_is_refused_before_anything_is_compiled) {
  EXPECT_EQ(givenPlan("plan 1 of k for sm_90\ntiles BM", {}, "k.plan").error().message,
            "k.plan:2:7: `BM` stands where a tile parameter and its extent, such as `BM 128`, "
            "or `rows in 2 parts`, is expected");
  EXPECT_EQ(refusal({.planText = "plan 2 of k for sm_90"}),
            "plan:1:6: `2` stands where `1`, the version of plans that is known, is expected");
  EXPECT_EQ(refusal({.planText = kPlan}, {}, "matmul"),
            "plan: is a plan of kernel `matmul_nt`, not of `matmul`");
  EXPECT_EQ(refusal({.planText = "plan 1 of matmul_nt for sm_90\ntiles BQ 8"}),
            "plan: kernel `matmul_nt` has no tile extent `BQ`; it has `BM`, `BN`, `BK`");
  EXPECT_EQ(refusal({.planText = kPlan}, {{"BN", int64_t(128)}}),
            "plan: `BN` is 256 in the plan of kernel `matmul_nt`, and is set to 128");
  EXPECT_EQ(refusal({.planText = kPlan}, {{"BN", int64_t(256)}}), "");
  EXPECT_EQ(refusal({.warps = 4, .planText = kPlan}),
            "kernel `matmul_nt` has a plan, which states its roles and slots: `warps` cannot be 4 "
            "besides");
  EXPECT_EQ(refusal({.planText = kPlan}, {}, TILEWRIGHT_TOOLS_INPUTS "/product.mlir"),
            "`product` is a program of the `cta` level, which states its plan");
}

TEST_F(GivenPlan, that_is_wrong_is_reported_at_the_launch) {
  Status status = load("matmul_nt", {.planText = "plan 1 of"}).launch(nullptr, product.arguments());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "plan:1:1: `plan 1 of` stands where `plan 1 of KERNEL for "
                                    "TARGET` is expected");
}

TEST(StatedTarget, is_that_of_the_plan) {
  KernelTextPtr text = *loadKernel("matmul_nt");
  EXPECT_EQ(statedTarget(*text, {}), "");
  EXPECT_EQ(statedTarget(*text, {.planText = "plan 1 of matmul_nt for sm_80"}), "sm_80");
}

} // namespace
} // namespace tilewright::driver
