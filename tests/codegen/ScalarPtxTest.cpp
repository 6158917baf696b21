// Scalar ops of every type compile for every target.
#include "tests/codegen/Harness.h"

#include <gtest/gtest.h>

using namespace tilewright::codegen;

namespace {

/// Loads %a, %b, %c of one type, computes `body` giving %r of type `result`, stores %r.
std::string computing(const std::string &type, const std::string &result, const std::string &body) {
  std::string regs = "!cuda.regs<1 x " + type + ">", ptr = "!cuda.ptr<" + type + ">";
  std::string text;
  for (std::string name : {"a", "b", "c"}) {
    text += "%r" + name + " = cuda.regs : " + regs + "\n";
    text += "cuda.load_global %x[%t], %r" + name + "[%c0] {count = 1} : " + ptr + ", i32, " + regs +
            "\n";
    text += "%" + name + " = cuda.get %r" + name + "[%c0] : " + regs + " -> " + type + "\n";
  }
  std::string out = "!cuda.regs<1 x " + result + ">";
  text += body + "\n%out = cuda.regs : " + out + "\n";
  text += "cuda.set %r, %out[%c0] : " + result + ", " + out + "\n";
  text += "cuda.store_global %out[%c0], %y[%t] {count = 1} : " + out + ", !cuda.ptr<" + result +
          ">, i32";
  return kernelIr("%x: " + ptr + ", %y: !cuda.ptr<" + result + ">", text);
}

/// All ops in one kernel, each on the sum of what came before.
std::string chained(const std::string &type, const std::string &add,
                    const std::vector<std::string> &ops) {
  std::string body = "%s0 = " + add + " %a, %b : " + type + "\n";
  int i = 0;
  for (const std::string &op : ops) {
    std::string previous = "%s" + std::to_string(i), n = std::to_string(++i);
    body += "%o" + n + " = " + op + "\n%s" + n + " = " + add + " " + previous + ", %o" + n + " : " +
            type + "\n";
  }
  return body + "%r = " + add + " %s" + std::to_string(i) + ", %c : " + type;
}

} // namespace

class Integers : public testing::TestWithParam<std::string> {};

TEST_P(Integers, compile_for_every_target) {
  std::string type = GetParam();
  std::vector<std::string> ops;
  for (std::string name :
       {"addi",       "subi",      "muli",      "divsi", "divui", "remsi", "remui",
        "floordivsi", "ceildivsi", "ceildivui", "andi",  "ori",   "xori",  "shli",
        "shrsi",      "shrui",     "maxsi",     "minsi", "maxui", "minui"})
    ops.push_back("arith." + name + " %a, %b : " + type);
  ops.push_back("math.absi %a : " + type);
  for (std::string predicate : {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
    ops.push_back("arith.select %q" + predicate + ", %a, %b : " + type);
  std::string body = chained(type, "arith.addi", ops), tests;
  for (std::string predicate : {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
    tests += "%q" + predicate + " = arith.cmpi " + predicate + ", %a, %b : " + type + "\n";
  expectPtx(computing(type, type, tests + body), 75, {"ld.global", "st.global"});
}

INSTANTIATE_TEST_SUITE_P(types, Integers, testing::Values("i8", "i16", "i32", "i64"));

class Floats : public testing::TestWithParam<std::string> {};

TEST_P(Floats, compile_for_every_target) {
  std::string type = GetParam();
  std::vector<std::string> ops;
  for (std::string name :
       {"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf", "arith.minimumf",
        "arith.maxnumf", "arith.minnumf", "math.powf", "math.copysign", "math.atan2"})
    ops.push_back(name + " %a, %b : " + type);
  for (std::string name :
       {"math.absf",  "math.exp",   "math.exp2",  "math.expm1", "math.log",       "math.log2",
        "math.log10", "math.log1p", "math.sqrt",  "math.rsqrt", "math.tanh",      "math.erf",
        "math.floor", "math.ceil",  "math.trunc", "math.round", "math.roundeven", "math.atan",
        "math.cbrt",  "math.sinh",  "math.cosh",  "arith.negf"})
    ops.push_back(name + " %a : " + type);
  ops.push_back("math.fma %a, %b, %c : " + type);
  std::string tests;
  for (std::string predicate : {"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt",
                                "uge", "ult", "ule", "une", "uno"}) {
    tests += "%q" + predicate + " = arith.cmpf " + predicate + ", %a, %b : " + type + "\n";
    ops.push_back("arith.select %q" + predicate + ", %a, %b : " + type);
  }
  expectPtx(computing(type, type, tests + chained(type, "arith.addf", ops)), 75,
            {"ex2.approx.ftz.f32", "lg2.approx.f32", "sqrt.approx.f32", "rsqrt.approx.f32",
             "div.full.f32"});
}

INSTANTIATE_TEST_SUITE_P(types, Floats,
                         testing::Values("f32", "f16", "bf16", "f8E4M3FN", "f8E5M2"));

TEST(Scalars, sine_and_cosine_use_no_local_memory) {
  expectPtx(computing("f32", "f32",
                      chained("f32", "arith.addf",
                              {"math.sin %a : f32", "math.cos %a : f32", "math.tan %a : f32"})),
            75, {});
}

TEST(Scalars, nan_propagates_in_one_instruction) {
  expectPtx(computing("f32", "f32", "%r = arith.maximumf %a, %b : f32"), 80, {"max.NaN.f32"});
  expectPtx(computing("f32", "f32", "%r = arith.minimumf %a, %b : f32"), 80, {"min.NaN.f32"});
}

//===- Conversions ----------------------------------------------------------------------------===//

class Convert : public testing::TestWithParam<std::string> {};

TEST_P(Convert, compiles_to_every_type) {
  std::string from = GetParam(), regs = "!cuda.regs<1 x " + from + ">";
  std::string arguments = "%x: !cuda.ptr<" + from + ">";
  std::string body = "%ra = cuda.regs : " + regs + "\ncuda.load_global %x[%t], %ra[%c0] " +
                     "{count = 1} : !cuda.ptr<" + from + ">, i32, " + regs +
                     "\n%a = cuda.get %ra[%c0] : " + regs + " -> " + from + "\n";
  int i = 0;
  for (std::string to :
       {"i1", "i8", "i16", "i32", "i64", "f8E4M3FN", "f8E5M2", "f16", "bf16", "f32"}) {
    std::string n = std::to_string(++i), out = "!cuda.regs<1 x " + to + ">";
    arguments += ", %y" + n + ": !cuda.ptr<" + to + ">";
    body += "%v" + n + " = cuda.convert %a : " + from + " -> " + to + "\n%r" + n +
            " = cuda.regs : " + out + "\ncuda.set %v" + n + ", %r" + n + "[%c0] : " + to + ", " +
            out + "\ncuda.store_global %r" + n + "[%c0], %y" + n + "[%t] {count = 1} : " + out +
            ", !cuda.ptr<" + to + ">, i32\n";
  }
  expectPtx(kernelIr(arguments, body), 75, {});
}

INSTANTIATE_TEST_SUITE_P(types, Convert,
                         testing::Values("i1", "i8", "i16", "i32", "i64", "f8E4M3FN", "f8E5M2",
                                         "f16", "bf16", "f32"));

TEST(Conversions, use_the_instructions_of_the_target) {
  expectPtx(computing("f32", "f16", "%r = arith.truncf %a : f32 to f16"), 75, {"cvt.rn.f16.f32"});
  expectPtx(computing("f16", "f32", "%r = arith.extf %a : f16 to f32"), 75, {"cvt.f32.f16"});
  expectPtx(computing("f32", "bf16", "%r = arith.truncf %a : f32 to bf16"), 80,
            {"cvt.rn.bf16.f32"});
  expectPtx(computing("f32", "f8E4M3FN", "%r = cuda.convert %a : f32 -> f8E4M3FN"), 89,
            {"cvt.rn.satfinite.e4m3x2.f32"});
  expectPtx(computing("f32", "f8E5M2", "%r = cuda.convert %a : f32 -> f8E5M2"), 89,
            {"cvt.rn.satfinite.e5m2x2.f32"});
  expectPtx(computing("f32", "i32", "%r = cuda.convert %a : f32 -> i32"), 75, {"cvt.rzi.s32.f32"});
  expectPtx(computing("f32", "f32", "%r = cuda.round_tf32 %a"), 80, {"cvt.rna.tf32.f32"});
  expectPtx(computing("f32", "f32", "%r = cuda.round_tf32 %a"), 75, {});
}

TEST(Conversions, of_arith_compile) {
  for (std::string to : {"i16", "i32", "i64"})
    expectPtx(
        computing("i8", to,
                  "%i = arith.trunci %b : i8 to i1\n"
                  "%d = arith.extsi %a : i8 to " +
                      to + "\n%e = arith.extui %a : i8 to " + to +
                      "\n%f = arith.extsi %i : i1 to " + to + "\n%g = arith.extui %i : i1 to " +
                      to + "\n%h = arith.addi %d, %e : " + to + "\n%j = arith.addi %f, %g : " + to +
                      "\n%k = arith.muli %h, %j : " + to + "\n%l = arith.trunci %k : " + to +
                      " to i8\n%m = arith.uitofp %k : " + to +
                      " to f32\n%n = arith.sitofp %l : i8 to f32\n"
                      "%o = arith.addf %m, %n : f32\n%r = arith.fptosi %o : f32 to " +
                      to),
        75, {});
  expectPtx(computing("f32", "i32", "%r = arith.fptoui %a : f32 to i32"), 75, {"cvt.rzi.u32.f32"});
  expectPtx(computing("i1", "f32", "%r = arith.sitofp %a : i1 to f32"), 75, {});
  expectPtx(computing("f32", "i32", "%r = arith.bitcast %a : f32 to i32"), 75, {});
  expectPtx(computing("i32", "f32", "%r = arith.bitcast %a : i32 to f32"), 75, {});
  expectPtx(computing("bf16", "i16", "%r = arith.bitcast %a : bf16 to i16"), 75, {});
  expectPtx(computing("i32", "i64",
                      "%i = arith.index_cast %a : i32 to index\n"
                      "%j = arith.index_castui %b : i32 to index\n"
                      "%k = arith.addi %i, %j : index\n"
                      "%r = arith.index_cast %k : index to i64"),
            75, {});
}
