#include "tools/driver/CtaText.h"

#include "tools/driver/KernelText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

using testing::HasSubstr;

/// What a program is refused with; its first argument and its body are given.
std::string refusalOf(const std::string &argument, const std::string &body = "return") {
  std::string text = "func.func @f(%x: " + argument +
                     ") attributes {tile.kernel, cta.target = \"sm_90\"} {\n" + body + "\n}\n";
  ErrorOr<KernelTextPtr> kernel = loadKernelText(text, "f.mlir", "");
  return kernel ? "" : kernel.error().message;
}

const std::string kView = R"(!tile.view<?xf32> {tile.name = "x", tile.dims = ["M"]})";

std::string repeated(const std::string &text, size_t times) {
  std::string all;
  while (times-- > 0)
    all += text;
  return all;
}

TEST(CtaText, with_deep_brackets_is_refused) {
  for (auto [open, close] : {std::pair("[", "]"), {"(", ")"}, {"{", "}"}, {"<", ">"}}) {
    EXPECT_FALSE(findFault(repeated(open, 100) + repeated(close, 100)));
    auto fault = findFault("a " + repeated(open, 20000));
    ASSERT_TRUE(fault) << open;
    EXPECT_EQ(fault->at, 102u);
    EXPECT_EQ(fault->what, "brackets are nested more than 100 deep");
  }
  EXPECT_THAT(refusalOf(kView, "%c = arith.constant true\n" + repeated("scf.if %c {\n", 5000)),
              HasSubstr("f.mlir:102:11: error: brackets are nested more than 100 deep"));
}

TEST(CtaText, may_have_many_brackets_side_by_side) {
  EXPECT_FALSE(findFault(repeated("a < b> (c) -> {d}\n", 1000)));
  EXPECT_FALSE(findFault("// " + repeated("(", 1000) + "\n\"" + repeated("[", 1000) + "\\\"[\""));
}

TEST(CtaText, whose_loop_starts_from_what_it_makes_is_refused) {
  EXPECT_THAT(refusalOf(kView, R"(  %c = arith.constant 1 : i32
  %r = scf.for %i = %c to %c step %c iter_args(%a = %b) -> (i32) : i32 {
    %b = arith.addi %a, %c : i32
    scf.yield %b : i32
  }
  return)"),
              HasSubstr("f.mlir:3:53: error: `%b` is used before it is given a value"));
  EXPECT_TRUE(findFault("scf.if %c {\n %c = arith.constant true\n}"));
  EXPECT_TRUE(findFault("scf.if %a {\n %c = f\n}\nscf.if %c {"));
}

TEST(CtaText, gives_values_in_many_ways) {
  EXPECT_FALSE(findFault(R"(func.func @f(%n: i32) {
  %a, %b:2 = "f"() : () -> (i32, i32, i32)
  cta.tiles (%m, %k) of (%n, %n) split (%first to %end) of %n {
    scf.for %i = %first to %end step %k iter_args(%s = %b#1) -> (i32) : i32 {
      scf.if %m { scf.yield %a : i32 }
    }
  }
})"));
}

TEST(CtaText, whose_argument_no_host_can_pass_is_refused) {
  for (const char *type : {"f64", "index", "tensor<4xf32>", "!tile.view<?xf64>"})
    EXPECT_THAT(refusalOf(std::string(type) + R"( {tile.name = "x", tile.dims = ["M"]})"),
                HasSubstr("f.mlir:1:1: error: "))
        << type;
  EXPECT_THAT(refusalOf(R"(!tile.view<?xf32> {tile.name = "x", tile.dims = [1]})"),
              HasSubstr("without `tile.name`, or without a name for each axis in `tile.dims`"));
}

} // namespace
} // namespace tilewright::driver
