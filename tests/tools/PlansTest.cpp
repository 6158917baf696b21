// A kernel with several plans: which one a call takes, when it is compiled, what is refused.
#include "tools/driver/Plans.h"

#include "runtime/ScalarEncoding.h"
#include "support/Files.h"
#include "tools/driver/Interpret.h"
#include "tools/driver/Load.h"
#include "tools/driver/Simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

using runtime::ElementType;
using runtime::TensorRef;
using testing::HasSubstr;

const std::string kFile = TILEWRIGHT_TOOLS_INPUTS "/product.mlir";

/// The program with some words replaced, everywhere.
std::string edited(const std::vector<std::pair<std::string, std::string>> &edits) {
  std::string text = *readFile(kFile);
  for (const auto &[from, to] : edits) {
    EXPECT_NE(text.find(from), text.npos) << from;
    for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
      text.replace(at, from.size(), to);
  }
  return text;
}

std::string refusal(const std::vector<std::pair<std::string, std::string>> &edits) {
  ErrorOr<KernelTextPtr> loaded = loadKernelText(edited(edits), "product.mlir", "");
  return loaded ? "" : loaded.error().message;
}

/// The arguments of c = a · bᵀ in host memory.
struct Product {
  static constexpr int64_t kColumns = 72, kDepth = 80;
  struct Matrix {
    Matrix(int64_t rows, int64_t columns)
        : shape{rows, columns}, strides{columns, 1}, bits(rows * columns + 8) {}
    TensorRef ref(int64_t from = 0) {
      return {bits.data() + from, ElementType::F16, 2, shape, strides, -1};
    }
    int64_t shape[2], strides[2];
    std::vector<uint16_t> bits;
  };

  explicit Product(int64_t rows) : a(rows, kDepth), b(kColumns, kDepth), c(rows, kColumns) {
    for (size_t i = 0; i < a.bits.size(); ++i)
      a.bits[i] = f16(double(i % 7) - 3);
    for (size_t i = 0; i < b.bits.size(); ++i)
      b.bits[i] = f16(double(i % 5) - 2);
  }
  static uint16_t f16(double value) {
    std::byte bytes[8];
    EXPECT_TRUE(runtime::encodeScalar(value, ElementType::F16, bytes));
    uint16_t bits;
    std::memcpy(&bits, bytes, sizeof(bits));
    return bits;
  }
  Call call(const KernelText &text, int64_t from = 0) {
    return *arrange(text.signature(), {a.ref(from), b.ref(), c.ref()});
  }
  std::vector<HostMemory> memories() {
    return {{a.bits.data(), int64_t(a.bits.size())},
            {b.bits.data(), int64_t(b.bits.size())},
            {c.bits.data(), int64_t(c.bits.size()), /*initialized=*/false}};
  }

  Matrix a, b, c;
};

Attempt attemptOn(const KernelTextPtr &text, const Call &call) {
  Attempt attempt;
  attempt.config.target = text->target;
  EXPECT_TRUE(choosePlan(text, call, deviceOf(call), attempt));
  return attempt;
}

TEST(Plans, have_the_name_of_their_kernel) {
  KernelTextPtr text = *loadKernel(kFile);
  EXPECT_EQ(text->kernel, "product");
  EXPECT_EQ(text->signature().name, "product");
  EXPECT_EQ(text->plans.size(), 2u);
  EXPECT_EQ(describePlan(*text, 0), "plan 1 of 2, `few_rows`: where M <= 16");
  EXPECT_EQ(describePlan(*text, 1), "plan 2 of 2, `many_rows`: where no other is taken");
  EXPECT_EQ(describePlan(**loadKernel("matmul"), 0), "");
}

TEST(Plans, are_simulated_and_interpreted_on_both_sides_of_the_condition) {
  KernelTextPtr text = *loadKernel(kFile);
  for (int64_t rows : {1, 16, 17, 70}) {
    Product found(rows), expected(rows);
    Call call = found.call(*text), reference = expected.call(*text);
    Attempt attempt = attemptOn(text, call);
    EXPECT_EQ(attempt.plan, rows <= 16 ? 0u : 1u);
    ErrorOr<Simulation> simulation = Simulation::create(text, attempt);
    ASSERT_TRUE(simulation) << simulation.error().message;
    EXPECT_EQ(simulation->source().entry, rows <= 16 ? "few_rows" : "many_rows");
    ErrorOr<SimulatedLaunch> launch = simulation->run(call, found.memories(), {});
    ASSERT_TRUE(launch) << launch.error().message;
    EXPECT_EQ(launch->messages, "");
    KernelModule module = *KernelModule::lower(text, {}, attempt.plan);
    ErrorOr<simulator::Statistics> interpreted = interpret(module, reference);
    ASSERT_TRUE(interpreted) << interpreted.error().message;
    EXPECT_EQ(found.c.bits, expected.c.bits) << rows << " rows";
  }
}

TEST(Plans, run_only_launches_that_they_are_for) {
  KernelTextPtr text = *loadKernel(kFile);
  Product product(70);
  Call call = product.call(*text);
  Attempt attempt = attemptOn(text, call);
  attempt.plan = 0;
  ErrorOr<SimulatedLaunch> launch =
      Simulation::create(text, attempt)->run(call, product.memories(), {});
  ASSERT_FALSE(launch);
  EXPECT_THAT(launch.error().message,
              HasSubstr("kernel `few_rows`: the plan is for other launches (`M <= 16`: `M` = 70)"));
  KernelModule module = *KernelModule::lower(text, {}, 0);
  ErrorOr<simulator::Statistics> interpreted = interpret(module, call);
  ASSERT_FALSE(interpreted);
  EXPECT_THAT(interpreted.error().message, HasSubstr("the plan is for other launches"));
}

TEST(Plans, may_differ_in_what_they_need_of_addresses) {
  // Without its condition the first plan takes what is aligned.
  std::string program = edited({{"    cta.when %few\n", ""}});
  std::string rest = program.substr(program.find("func.func @many_rows"));
  program.resize(program.size() - rest.size());
  for (size_t at = 0; (at = rest.find("!view", at)) != rest.npos; at += 9)
    rest.replace(at, 5, "!any_view");
  program = "!any_view = !tile.view<?x?xf16, align 4>\n" + program + rest;
  ErrorOr<KernelTextPtr> text = loadKernelText(program, "product.mlir", "");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(describePlan(**text, 0),
            "plan 1 of 2, `few_rows`: where `a` is aligned to 16 bytes and `b` is aligned to 16 "
            "bytes and `c` is aligned to 16 bytes");
  Product product(70);
  EXPECT_EQ(attemptOn(*text, product.call(**text)).plan, 0u);
  EXPECT_EQ(attemptOn(*text, product.call(**text, /*from=*/2)).plan, 1u);
}

TEST(Plans, are_compiled_when_they_are_taken) {
  if (!runtime::Nvrtc::get())
    GTEST_SKIP() << "no NVRTC";
  // The second plan does not fit.
  ErrorOr<KernelTextPtr> text =
      loadKernelText(edited({{"<3 x !many>", "<90 x !many>"}}), "product.mlir", "");
  ASSERT_TRUE(text) << text.error().message;
  Function function(text);
  Product few(9), many(90);
  ErrorOr<Memo::Result> first = function.find(few.call(**text), {});
  ASSERT_TRUE(first && **first) << (first ? (*first)->error() : first.error()).message;
  EXPECT_EQ((**first)->kernel.source().entry, "few_rows");
  EXPECT_EQ((**first)->kernel.source().checks.front().selects, true);
  ErrorOr<Memo::Result> second = function.find(many.call(**text), {});
  ASSERT_TRUE(second);
  ASSERT_FALSE(**second);
  EXPECT_THAT((*second)->error().message, HasSubstr("product.mlir:"));
  EXPECT_EQ(*function.find(few.call(**text), {}), *first);
}

TEST(Plans, are_refused_where_a_launch_could_take_none) {
  EXPECT_THAT(refusal({{"    %rows = ", "    %more = arith.cmpi sgt, %M, %c64 : i32\n"
                                        "    cta.when %more\n    %rows = "}}),
              HasSubstr("product.mlir:77: error: the last plan, `many_rows`, is for `M > 64` only; "
                        "it takes all launches that no other does"));
  EXPECT_THAT(refusal({{"    cta.when %few\n", ""}}),
              HasSubstr("product.mlir:13: error: plan `few_rows` takes all launches, so "
                        "`many_rows` behind it gets none; give it a condition, or put it last"));
}

TEST(Plans, are_chosen_by_what_the_host_knows) {
  EXPECT_THAT(refusal({{"    cta.when %few\n",
                        "    %t = tile.load %a[%c0, %c0] extents [16, 64] : !view, i32, i32 -> "
                        "!few_a\n    %id = tile.program_id 0\n"
                        "    %first = arith.cmpi eq, %id, %c0 : i32\n    cta.when %first\n"}}),
              HasSubstr("product.mlir:29: error: plan `few_rows` has a condition that the host "
                        "does not know before a launch; compute it from sizes, scalar arguments "
                        "and `cta.sms`, by arithmetic and comparisons"));
}

TEST(Plans, take_the_same_arguments) {
  // The first plan only: what it is called stands in front.
  auto inFirst = [](const std::string &from, const std::string &to) {
    std::string text = *readFile(kFile);
    text.replace(text.find(from), from.size(), to);
    ErrorOr<KernelTextPtr> loaded = loadKernelText(text, "product.mlir", "");
    return loaded ? "" : loaded.error().message;
  };
  EXPECT_THAT(inFirst("\"b\", tile.dims = [\"N\", \"K\"]", "\"w\", tile.dims = [\"N\", \"K\"]"),
              HasSubstr("product.mlir:64:3: error: plan `many_rows` takes as argument 1 `b: "
                        "f16[N, K]`, which it reads, `few_rows` `w: f16[N, K]`, which it reads"));
  EXPECT_THAT(inFirst("      %c: !view {tile.name = \"c\", tile.dims = [\"M\", \"N\"]})",
                      "      %c: !view {tile.name = \"c\", tile.dims = [\"M\", \"N\"]},\n"
                      "      %x: f32 {tile.name = \"x\"})"),
              HasSubstr("plan `many_rows` takes 3 arguments, `few_rows` 4; the plans of a kernel "
                        "take the same"));
  EXPECT_THAT(inFirst("cta.target = \"sm_80\"", "cta.target = \"sm_90\""),
              HasSubstr("product.mlir:64:3: error: plan `many_rows` is for \"sm_80\", `few_rows` "
                        "for \"sm_90\"; the plans of a kernel are for one target"));
  EXPECT_THAT(inFirst("tile.store %rounded, %c[%c0", "tile.store %rounded, %a[%c0"),
              HasSubstr("product.mlir:64:3: error: plan `many_rows` takes as argument 0 `a: "
                        "f16[M, K]`, which it reads, `few_rows` `a: f16[M, K]`, which it reads "
                        "and writes; the plans of a kernel take, read and write the same"));
}

TEST(Plans, stand_in_a_module_with_the_name_of_the_kernel) {
  EXPECT_THAT(refusal({{"module @product", "module"}}),
              HasSubstr("has 2 kernels; it needs one, and functions beside it are `private`; plans "
                        "of one kernel stand in `module @its_name"));
}

} // namespace
} // namespace tilewright::driver
