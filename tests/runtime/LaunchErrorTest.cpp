// Launches and descriptions that are refused, and what is said of them.
#include "LaunchTest.h"

#include <cmath>
#include <functional>

using namespace tilewright;
using namespace tilewright::runtime;

using LaunchErrorTest = LaunchTest;

TEST_F(LaunchErrorTest, reports_the_number_of_arguments) {
  Kernel kernel = make(attention());
  std::vector<Argument> two = {q.ref(), k.ref()};
  EXPECT_EQ(kernel.launch(nullptr, two).error().message,
            "kernel `attention`: got 2 arguments but it takes 4 (q, k, scale, window)");
}

TEST_F(LaunchErrorTest, reports_rank_and_element_type) {
  k.rank = 3;
  EXPECT_EQ(failure(), "kernel `attention`: argument `k` has rank 3 but the kernel expects rank 4 "
                       "(B, T, G, D)");
  k.rank = 4;
  k.type = ElementType::F32;
  EXPECT_EQ(failure(),
            "kernel `attention`: argument `k` has element type f32 but the kernel expects bf16");
}

TEST_F(LaunchErrorTest, reports_dimensions_that_disagree) {
  k.shape[0] = 3;
  EXPECT_EQ(failure(),
            "kernel `attention`: dimension `B` is 2 in `q` (axis 0) but 3 in `k` (axis 0)");
  k.shape[0] = 2;
  q.shape[3] = k.shape[3] = 128;
  EXPECT_EQ(failure(),
            "kernel `attention`: dimension `D` of `q` (axis 3) is 128 but the kernel was "
            "compiled for 64");
  q.shape[3] = 64;
  q.shape[1] = -1;
  EXPECT_EQ(failure(), "kernel `attention`: the size of `q` (axis 1) is negative: -1");
}

TEST_F(LaunchErrorTest, reports_addresses_it_cannot_use) {
  k.data = nullptr;
  EXPECT_EQ(failure(), "kernel `attention`: argument `k` has a null address");
  k.device = -1;
  EXPECT_EQ(failure(), "kernel `attention`: argument `k` is in host memory");
  k.data = q.data;
  k.device = 1;
  EXPECT_EQ(failure(), "kernel `attention`: argument `k` is on GPU 1 but `q` is on GPU 0");
  q.device = k.device = 5;
  EXPECT_EQ(failure(), "there is no GPU 5: the driver reports 2");
}

TEST_F(LaunchErrorTest, reports_facts_that_do_not_hold) {
  q.data = reinterpret_cast<void *>(0x10008);
  EXPECT_EQ(failure(),
            "kernel `attention`: argument `q` is aligned to 8 bytes (address and strides) "
            "but the kernel was compiled for 16");
  q.data = k.data;
  q.strides[1] = 514;
  EXPECT_EQ(failure(),
            "kernel `attention`: argument `q` is aligned to 4 bytes (address and strides) "
            "but the kernel was compiled for 16");
  q.strides[1] = 512;
  q.strides[3] = 2;
  EXPECT_EQ(failure(), "kernel `attention`: argument `q` has stride 2 along its last axis but the "
                       "kernel was compiled for 1");
  q.strides[3] = 1;
  q.strides[0] = int64_t(1) << 31;
  EXPECT_EQ(failure(), "kernel `attention`: argument `q` has elements beyond offset 2147483647 but "
                       "the kernel was compiled for 32-bit offsets");
}

TEST_F(LaunchErrorTest, reports_a_failed_assert_with_its_values) {
  q.shape[2] = 6;
  EXPECT_EQ(failure(), "kernel `attention`: query heads must be a multiple of key/value heads "
                       "(`H % G == 0`: `H` = 6, `G` = 4) at attention.py:9");
  k.shape[2] = 0;
  EXPECT_EQ(failure(),
            "kernel `attention`: query heads must be a multiple of key/value heads (`H % G == 0`: "
            "`H % G` divides by zero with `H` = 6, `G` = 0) at attention.py:9");
}

TEST_F(LaunchErrorTest, reports_a_failed_assert_over_a_float) {
  auto refused = [](const std::string &value) {
    return "kernel `attention`: scale is positive (`scale > 0.0`: `scale` = " + value +
           ") at attention.py:10";
  };
  for (auto [value, text] : {std::pair(-0.1, "-0.1"), {0.0, "0.0"}, {std::nan(""), "nan"}}) {
    scale = value;
    EXPECT_EQ(failure(), refused(text));
  }
  scale = 1e-60; // 0 for the kernel, whose scale is an f32
  EXPECT_EQ(failure(), refused("0.0"));
}

TEST_F(LaunchErrorTest, reports_scalars_of_the_wrong_kind) {
  Kernel kernel = make(attention());
  auto with = [&](Argument scale, Argument windowValue) {
    std::vector<Argument> list = {q.ref(), k.ref(), scale, windowValue};
    Status status = kernel.launch(nullptr, list);
    return status ? "no failure" : status.error().message;
  };
  EXPECT_EQ(with(1.0, 1.5), "kernel `attention`: argument `window` is the float 1.500000 but the "
                            "kernel expects an integer of type i32");
  EXPECT_EQ(with(1.0, int64_t(1) << 40), "kernel `attention`: argument `window` is 1099511627776, "
                                         "which does not fit in i32");
  EXPECT_EQ(with(true, int64_t(1)), "kernel `attention`: argument `scale` is a bool but the kernel "
                                    "expects a float of type f32");
  EXPECT_EQ(with(q.ref(), int64_t(1)), "kernel `attention`: argument `scale` is a tensor but the "
                                       "kernel expects a scalar of type f32");
  EXPECT_EQ(with(int64_t(1), int64_t(1)), "no failure");
}

TEST_F(LaunchErrorTest, reports_a_scalar_in_place_of_a_tensor) {
  std::vector<Argument> list = {q.ref(), 1.0, scale, window};
  EXPECT_EQ(make(attention()).launch(nullptr, list).error().message,
            "kernel `attention`: argument `k` is a scalar but the kernel expects a tensor");
}

TEST_F(LaunchErrorTest, reports_scalars_of_types_that_take_none) {
  KernelSource source = attention();
  auto with = [&](ElementType type) {
    std::get<ScalarArg>(source.args[2]).type = source.params[4].type = type;
    source.checks.clear();
    return failure(source);
  };
  EXPECT_EQ(with(ElementType::Bool),
            "kernel `attention`: argument `scale` is a number but the kernel expects bool");
  EXPECT_EQ(with(ElementType::F8E4M3),
            "kernel `attention`: argument `scale` has type f8e4m3, which scalars cannot have");
}

TEST_F(LaunchErrorTest, reports_a_grid_that_has_no_value) {
  KernelSource source = attention();
  source.grid = *Expr::parse("S // (window - 7)");
  EXPECT_EQ(failure(source), "kernel `attention`: cannot compute the grid: `S // (window - 7)` "
                             "divides by zero with `S` = 256, `window` = 7");
}

TEST_F(LaunchErrorTest, reports_grids_that_cannot_be_launched) {
  KernelSource source = attention();
  source.grid = *Expr::parse("S * 100000000");
  EXPECT_EQ(failure(source), "kernel `attention`: its grid `S * 100000000` is 25600000000; 0 to "
                             "2147483647 programs can be launched");
  source.grid = *Expr::parse("S - 1000");
  EXPECT_EQ(failure(source), "kernel `attention`: its grid `S - 1000` is -744; 0 to 2147483647 "
                             "programs can be launched");
  source.grid = *Expr::parse("S + 1");
  source.clusterSize = 2;
  EXPECT_EQ(failure(source),
            "kernel `attention`: its grid `S + 1` is 257, not a multiple of the cluster size 2");
}

TEST_F(LaunchErrorTest, reports_the_drivers_refusal) {
  Kernel kernel = make(attention());
  fakeState().launchResult = 719;
  EXPECT_EQ(
      kernel.launch(nullptr, args()).error().message,
      "kernel `attention`: cannot launch 32 programs of 384 threads and 204800 bytes of shared "
      "memory: no luck (CUDA_ERROR_TEST)");
}

TEST_F(LaunchErrorTest, shared_memory_that_does_not_fit_is_reported_before_loading) {
  KernelSource source = attention();
  source.sharedBytes = 1 << 20;
  EXPECT_EQ(failure(source),
            "kernel `attention`: needs 1048576 bytes of shared memory; `Fake GPU` has 232448");
  EXPECT_EQ(fakeState().moduleLoads, 0);
}

TEST_F(LaunchErrorTest, contradictory_descriptions_are_refused) {
  auto reason = [](const std::function<void(KernelSource &)> &spoil) {
    KernelSource source = attention();
    spoil(source);
    ErrorOr<LaunchPlan> plan = LaunchPlan::create(source);
    return plan ? "no failure" : plan.error().message;
  };
  EXPECT_EQ(reason([](auto &s) { s.grid = Expr::name("X"); }),
            "kernel `attention`: `X` in `X` is neither a dimension nor a scalar argument");
  EXPECT_EQ(reason([](auto &s) { s.params[2].name = "X"; }),
            "kernel `attention`: parameter `X` names no dimension");
  EXPECT_EQ(reason([](auto &s) { s.params[0].argument = 2; }),
            "kernel `attention`: parameter `q` takes an address from a scalar");
  EXPECT_EQ(reason([](auto &s) { s.args.push_back(ScalarArg{"B", ElementType::I32}); }),
            "kernel `attention`: `B` is declared twice");
  EXPECT_EQ(reason([](auto &s) {
              s.params.push_back({.kind = ParamKind::Workspace, .name = "space", .bytes = 24});
            }),
            "kernel `attention`: parameter `space` has 24 bytes per block; a workspace has a "
            "multiple of 16");
  for (ParamKind kind :
       {ParamKind::TileCounter, ParamKind::Workspace, ParamKind::Flags, ParamKind::Events})
    EXPECT_EQ(reason([kind](auto &s) {
                s.params.resize(8, {.kind = kind, .name = "again", .bytes = 16});
              }),
              "kernel `attention`: parameter `again` is the second of its kind; a kernel has at "
              "most one");
  EXPECT_EQ(reason([](auto &s) { s.clusterSize = 0; }),
            "kernel `attention`: a cluster of 0 programs");
  EXPECT_EQ(reason([](auto &s) { std::get<TensorArg>(s.args[0]).alignment = 12; }),
            "kernel `attention`: alignment 12 of `q` is not 1, 2, 4, 8 or 16");
  EXPECT_EQ(reason([](auto &s) { std::get<TensorArg>(s.args[0]).dims[3] = {}; }),
            "kernel `attention`: axis 3 of `q` has neither a name nor a size");
  EXPECT_EQ(reason([](auto &s) { std::get<TensorArg>(s.args[0]).dims[3].name = "num_sms"; }),
            "kernel `attention`: `num_sms` is both a dimension and a scalar");
  EXPECT_EQ(reason([](auto &s) { s.params.resize(5000, s.params[2]); }),
            "kernel `attention`: it has 5000 parameters of 20016 bytes; at most " +
                std::to_string(kMaxParams) + " of " + std::to_string(kMaxParamBytes) +
                " bytes can be passed");
  EXPECT_EQ(reason([](auto &s) { s.threads = 2048; }),
            "kernel `attention`: 2048 threads per program; 1 to 1024 can be launched");
}
