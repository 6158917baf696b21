// Programs of the `cta` level go the way of any kernel.
#include "support/Files.h"
#include "tools/driver/Interpret.h"
#include "tools/driver/Load.h"
#include "tools/driver/Simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

using frontend::Param;
using runtime::ElementType;
using runtime::TensorRef;
using testing::HasSubstr;

const std::string kFile = TILEWRIGHT_TOOLS_INPUTS "/sums.mlir";

/// 70 rows of 64 columns, and what the program makes of them.
struct CtaProgram : testing::Test {
  KernelTextPtr text = *loadKernel(kFile);
  std::vector<float> x = std::vector<float>(70 * 64, 1.0f), y = std::vector<float>(70 * 64, -1.0f);
  int64_t shape[2] = {70, 64}, strides[2] = {64, 1}, device = -1;

  TensorRef tensor(std::vector<float> &values) {
    return {values.data(), ElementType::F32, 2, shape, strides, int(device)};
  }
  ErrorOr<Call> call(double factor) {
    return arrange(text->signature(), {tensor(x), tensor(y), factor});
  }
  Attempt attempt() {
    Attempt attempt;
    attempt.config.target = text->target;
    return attempt;
  }
  ErrorOr<SimulatedLaunch> simulate(const Call &call) {
    TILEWRIGHT_ASSIGN(Simulation simulation, Simulation::create(text, attempt()));
    std::vector<HostMemory> memories = {
        {x.data(), int64_t(x.size())}, {y.data(), int64_t(y.size())}, {}};
    return simulation.run(call, memories, {});
  }
};

TEST_F(CtaProgram, has_a_signature) {
  const frontend::Signature &signature = text->signature();
  EXPECT_EQ(signature.name, "sums");
  EXPECT_EQ(text->target, "sm_90");
  ASSERT_EQ(signature.params.size(), 3u);
  EXPECT_TRUE(signature.params[0].read && !signature.params[0].written);
  EXPECT_TRUE(!signature.params[1].read && signature.params[1].written);
  EXPECT_EQ(signature.params[0].dtype, frontend::Dtype::F32);
  EXPECT_EQ(signature.params[2].kind, Param::Scalar);
  EXPECT_EQ(signature.params[2].defaultValue, frontend::ConstValue(2.0));
  ASSERT_EQ(signature.dims.size(), 2u);
  EXPECT_FALSE(signature.dims[0].isStatic); // M
  EXPECT_TRUE(signature.dims[1].isStatic);  // D, which the type fixes
  EXPECT_EQ(signature.params[0].dims[1].size, 64);
}

TEST_F(CtaProgram, is_simulated_as_it_is_launched) {
  ErrorOr<SimulatedLaunch> launch = simulate(*call(3.0));
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(launch->messages, "");
  EXPECT_EQ(launch->grid, 2);
  EXPECT_EQ(y[31 * 64], 96.0f); // 32 rows of 3
  EXPECT_EQ(y[32 * 64], 3.0f);
}

TEST_F(CtaProgram, holds_a_launch_to_its_view_types) {
  strides[0] = 65; // rows of 260 bytes
  ErrorOr<SimulatedLaunch> launch = simulate(*call(1.0));
  ASSERT_FALSE(launch);
  EXPECT_THAT(launch.error().message, HasSubstr("`x`"));
  EXPECT_THAT(launch.error().message, HasSubstr("16"));
}

TEST_F(CtaProgram, fixes_sizes) {
  strides[0] = shape[1] = 32;
  ErrorOr<frontend::Specialisation> bound = specialise(text->signature(), *call(1.0), {});
  ASSERT_FALSE(bound);
  EXPECT_THAT(bound.error().message, HasSubstr("has size 32 in axis 1 and must have 64"));
}

TEST_F(CtaProgram, compiles_through_the_entry_point) {
  if (!runtime::Nvrtc::get())
    GTEST_SKIP() << "no NVRTC";
  Function sums = load(kFile);
  ErrorOr<Memo::Result> compiled = sums.find(*call(1.0), {});
  ASSERT_TRUE(compiled) << compiled.error().message;
  ASSERT_TRUE(**compiled) << (*compiled)->error().message;
  EXPECT_EQ((**compiled)->kernel.source().entry, "sums");
  EXPECT_EQ(translate(text, (**compiled)->attempt)->outline.roles.size(), 2u);
}

TEST_F(CtaProgram, is_refused_with_a_line_where_it_is_wrong) {
  auto refusal = [](const std::string &text) {
    ErrorOr<KernelTextPtr> loaded = loadKernelText(text, "sums.mlir", "");
    return loaded ? "" : loaded.error().message;
  };
  std::string program = *readFile(kFile);
  auto without = [&](const std::string &words) {
    std::string text = program;
    text.erase(text.find(words), words.size());
    return text;
  };
  EXPECT_EQ(refusal(program), "");
  EXPECT_THAT(refusal(without(", cta.target = \"sm_90\"")),
              HasSubstr("sums.mlir:14:1: error: needs a target that exists"));
  EXPECT_THAT(refusal(without(", tile.dims = [\"M\", \"D\"]")),
              HasSubstr("sums.mlir:14:1: error: has an argument 0 without `tile.name`, or without "
                        "a name for each axis in `tile.dims`"));
  EXPECT_THAT(refusal(without("private")), HasSubstr("has 2 kernels; it needs one"));
}

} // namespace
} // namespace tilewright::driver
