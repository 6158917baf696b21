// What each group of ops computes.
#include "simulator/NarrowFloat.h"
#include "tests/simulator/machine/MachineHarness.h"

#include <random>

using namespace tilewright::simulator;

namespace {

class Numbers : public MachineTest {
protected:
  /// What a body leaves in `%out`, with one element per lane: it stores `%result`.
  template <typename T>
  std::vector<T> evaluate(const std::string &type, const std::string &body, int lanes = 32) {
    std::vector<T> out(lanes, T(-77));
    load({"%out: !cuda.ptr<" + type + ">",
          R"(
      %thread = cuda.thread_id
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %lane = arith.sitofp %thread : i32 to f32
      )" + body +
              R"(
      %store = cuda.regs : !cuda.regs<1 x )" +
              type + R"(>
      cuda.set %result, %store[%c0] : )" +
              type + ", !cuda.regs<1 x " + type + R"(>
      cuda.store_global %store[%c0], %out[%thread] {count = 1} : !cuda.regs<1 x )" +
              type + ">, !cuda.ptr<" + type + ">, i32",
          lanes, 4096});
    MachineResult result = run({pointer(out, type)});
    EXPECT_EQ(kinds(result), "") << testing::PrintToString(messages);
    return out;
  }
};

//===- Elements -------------------------------------------------------------------------------===//

TEST_F(Numbers, integers_and_booleans) {
  auto values = evaluate<int32_t>("i32", R"(
      %c3 = arith.constant 3 : i32
      %q = arith.divsi %thread, %c3 : i32
      %odd = arith.andi %thread, %c1 : i32
      %is = arith.cmpi eq, %odd, %c1 : i32
      %m = arith.constant -5 : i32
      %result = arith.select %is, %m, %q : i32)");
  EXPECT_EQ(values[6], 2);
  EXPECT_EQ(values[7], -5);
}

TEST_F(Numbers, quotients_by_a_reciprocal_are_those_of_a_division) {
  for (int32_t divisor : {1, 2, 3, 7, 11, 64, 1000, 65535, 65537, 69273666, INT32_MAX}) {
    // The largest number, those around multiples of the divisor, and others in between.
    auto values = evaluate<int32_t>("i32", "%divisor = arith.constant " + std::to_string(divisor) +
                                               R"( : i32
      %reciprocal = cuda.reciprocal %divisor
      %step = arith.constant 69273666 : i32
      %spread = arith.muli %thread, %step : i32
      %most = arith.constant 2147483647 : i32
      %number = arith.subi %most, %spread : i32
      %whole = cuda.quotient %number, %divisor, %reciprocal
      %multiple = arith.muli %whole, %divisor : i32
      %again = cuda.quotient %multiple, %divisor, %reciprocal
      %same = arith.cmpi eq, %again, %whole : i32
      %none = arith.constant -1 : i32
      %result = arith.select %same, %whole, %none : i32)");
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_EQ(values[lane], (INT32_MAX - lane * 69273666) / divisor) << divisor;
  }
}

TEST_F(Numbers, wide_integers) {
  auto values = evaluate<int64_t>("i64", R"(
      %wide = arith.extsi %thread : i32 to i64
      %large = arith.constant 5000000000 : i64
      %result = arith.muli %wide, %large : i64)");
  EXPECT_EQ(values[31], 155000000000);
}

TEST_F(Numbers, a_vote_counts_every_lane) {
  for (int voter : {5, 31, 32}) {
    auto values = evaluate<int32_t>("i32", "%voter = arith.constant " + std::to_string(voter) +
                                               R"( : i32
      %mine = arith.cmpi eq, %thread, %voter : i32
      %any = cuda.vote_any %mine
      %result = arith.select %any, %c1, %c0 : i32)");
    EXPECT_EQ(values, std::vector<int32_t>(32, voter < 32)) << voter;
  }
}

TEST_F(Numbers, narrow_floats_round_once) {
  auto values = evaluate<uint16_t>("bf16", R"(
      %c = arith.constant 1.01 : f32
      %product = arith.mulf %lane, %c : f32
      %narrow = cuda.convert %product : f32 -> bf16
      %result = arith.addf %narrow, %narrow : bf16)");
  for (int lane = 0; lane < 32; ++lane) {
    float narrow = roundTo<BFloat16>(float(lane) * 1.01f);
    EXPECT_EQ(values[lane], encode<BFloat16>(narrow + narrow));
  }
}

TEST_F(Numbers, conversions_saturate_and_truncate) {
  auto values = evaluate<int8_t>("i8", R"(
      %c = arith.constant 10.7 : f32
      %product = arith.mulf %lane, %c : f32
      %result = cuda.convert %product : f32 -> i8)");
  EXPECT_EQ(values[3], 32);
  EXPECT_EQ(values[31], 127);
}

TEST_F(Numbers, booleans_become_one) {
  auto values = evaluate<float>("f32", R"(
      %c5 = arith.constant 5 : i32
      %less = arith.cmpi slt, %thread, %c5 : i32
      %result = cuda.convert %less : i1 -> f32)");
  EXPECT_EQ(values[4], 1.0f);
  EXPECT_EQ(values[5], 0.0f);
}

TEST_F(Numbers, functions) {
  auto values = evaluate<float>("f32", R"(
      %e = math.exp2 %lane : f32
      %result = math.sqrt %e : f32)");
  EXPECT_EQ(values[10], 32.0f);
}

//===- Packed words ---------------------------------------------------------------------------===//

TEST_F(Numbers, pack_and_unpack_floats) {
  auto values = evaluate<float>("f32", R"(
      %minus = arith.negf %lane : f32
      %word = cuda.pack %lane, %minus : f32, f32 -> vector<2xf16>
      %low = cuda.unpack %word[%c0] : vector<2xf16> -> f32
      %high = cuda.unpack %word[%c1] : vector<2xf16> -> f32
      %c100 = arith.constant 100.0 : f32
      %scaled = arith.mulf %high, %c100 : f32
      %result = arith.addf %low, %scaled : f32)");
  EXPECT_EQ(values[9], 9.0f - 900.0f);
}

TEST_F(Numbers, pack_and_unpack_integers) {
  auto values = evaluate<int32_t>("i32", R"(
      %m = arith.subi %c0, %thread : i32
      %word = cuda.pack %c0, %c1, %thread, %m : i32, i32, i32, i32 -> vector<4xi8>
      %c3 = arith.constant 3 : i32
      %result = cuda.unpack %word[%c3] : vector<4xi8> -> i32)");
  EXPECT_EQ(values[17], -17);
}

TEST_F(Numbers, extract_bits_as_they_are) {
  auto values = evaluate<int32_t>("i32", R"(
      %minus = arith.subi %c0, %thread : i32
      %word = cuda.pack %thread, %minus : i32, i32 -> vector<2xi16>
      %halves = cuda.reinterpret %word : vector<2xi16> -> vector<2xbf16>
      %half = cuda.extract %halves[%c1] : vector<2xbf16> -> bf16
      %high = arith.bitcast %half : bf16 to i16
      %wide = arith.extsi %high : i16 to i32
      %bytes = cuda.reinterpret %word : vector<2xi16> -> vector<4xf8E4M3FN>
      %byte = cuda.extract %bytes[%c1] : vector<4xf8E4M3FN> -> f8E4M3FN
      %second = arith.bitcast %byte : f8E4M3FN to i8
      %zero = arith.extsi %second : i8 to i32
      %result = arith.addi %wide, %zero : i32)");
  EXPECT_EQ(values[17], -17);
}

TEST_F(Numbers, keep_what_bytes_are_large_enough_for) {
  auto values = evaluate<int32_t>("i32", R"(
      %high_bytes = arith.constant 437846016 : i32
      %bytes = arith.addi %high_bytes, %thread : i32
      %minus = arith.subi %c0, %thread : i32
      %word = cuda.pack %thread, %minus : i32, i32 -> vector<2xi16>
      %low = cuda.keep %word by %bytes[%c0] least 26 : vector<2xi16>
      %high = cuda.keep %word by %bytes[%c1] least 26 : vector<2xi16>
      %first = cuda.unpack %low[%c0] : vector<2xi16> -> i32
      %second = cuda.unpack %high[%c1] : vector<2xi16> -> i32
      %left_out = cuda.unpack %high[%c0] : vector<2xi16> -> i32
      %sum = arith.addi %first, %left_out : i32
      %c100 = arith.constant 100 : i32
      %scaled = arith.muli %second, %c100 : i32
      %result = arith.addi %sum, %scaled : i32)");
  EXPECT_EQ(values[25], -2500); // bytes 25, 0, 25, 26
  EXPECT_EQ(values[26], 26 - 2600);
}

//===- Control --------------------------------------------------------------------------------===//

TEST_F(Numbers, lanes_leave_a_loop_at_different_times) {
  auto values = evaluate<int32_t>("i32", R"(
      %sum, %last = scf.for %i = %c0 to %thread step %c1 iter_args(%s = %c0, %p = %c0) -> (i32, i32) : i32 {
        %t = arith.addi %s, %i : i32
        scf.yield %t, %s : i32, i32
      }
      %c1000 = arith.constant 1000 : i32
      %high = arith.muli %last, %c1000 : i32
      %result = arith.addi %sum, %high : i32)");
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[5], 10 + 6000);
  EXPECT_EQ(values[31], 465 + 435000);
}

TEST_F(Numbers, a_yield_swaps_what_a_loop_carries) {
  auto values = evaluate<int32_t>("i32", R"(
      %c3 = arith.constant 3 : i32
      %a, %b = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %thread, %y = %c1) -> (i32, i32) : i32 {
        scf.yield %y, %x : i32, i32
      }
      %c10 = arith.constant 10 : i32
      %high = arith.muli %a, %c10 : i32
      %result = arith.addi %high, %b : i32)");
  EXPECT_EQ(values[7], 17);
}

TEST_F(Numbers, branches_yield_per_lane) {
  auto values = evaluate<int32_t>("i32", R"(
      %c16 = arith.constant 16 : i32
      %low = arith.cmpi slt, %thread, %c16 : i32
      %result = scf.if %low -> (i32) {
        scf.yield %thread : i32
      } else {
        %n = arith.subi %c0, %thread : i32
        scf.yield %n : i32
      })");
  EXPECT_EQ(values[15], 15);
  EXPECT_EQ(values[16], -16);
}

TEST_F(Numbers, a_while_loop_per_lane) {
  // The number of halvings until 0.
  auto values = evaluate<int32_t>("i32", R"(
      %rest, %result = scf.while (%x = %thread, %n = %c0) : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi sgt, %x, %c0 : i32
        scf.condition(%more) %x, %n : i32, i32
      } do {
      ^bb0(%x: i32, %n: i32):
        %half = arith.shrsi %x, %c1 : i32
        %m = arith.addi %n, %c1 : i32
        scf.yield %half, %m : i32, i32
      })");
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[31], 5);
}

//===- Memory ---------------------------------------------------------------------------------===//

TEST_F(Numbers, predicated_loads_keep_what_registers_hold) {
  std::vector<int16_t> in = iota<int16_t>(256), out(64, -1);
  load({"%out: !cuda.ptr<i16>, %in: !cuda.ptr<i16>", R"(
      %thread = cuda.thread_id
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c7 = arith.constant 7 : i32
      %r = cuda.regs : !cuda.regs<1 x vector<2xi16>>
      %none = cuda.pack %c7, %c7 : i32, i32 -> vector<2xi16>
      cuda.set %none, %r[%c0] : vector<2xi16>, !cuda.regs<1 x vector<2xi16>>
      %low = arith.cmpi slt, %thread, %c2 : i32
      %at = arith.muli %thread, %c2 : i32
      cuda.load_global %in[%at], %r[%c0], %low {count = 2} : !cuda.ptr<i16>, i32, !cuda.regs<1 x vector<2xi16>>
      cuda.store_global %r[%c0], %out[%at] {count = 2} : !cuda.regs<1 x vector<2xi16>>, !cuda.ptr<i16>, i32)"});
  EXPECT_EQ(kinds(run({pointer(out, "i16"), pointer(in, "i16")})), "");
  EXPECT_EQ(out[3], 3);
  EXPECT_EQ(out[4], 7);
}

TEST_F(Numbers, copies_fill_with_zeros) {
  std::vector<int32_t> in = iota<int32_t>(256), out(128, -1);
  load({"%out: !cuda.ptr<i32>, %in: !cuda.ptr<i32>", R"(
      %thread = cuda.thread_id
      %c0 = arith.constant 0 : i32
      %c4 = arith.constant 4 : i32
      %c16 = arith.constant 16 : i32
      %base = cuda.shared 0, 512
      %byte = arith.muli %thread, %c16 : i32
      %to = arith.addi %base, %byte : i32
      %from = arith.muli %thread, %c4 : i32
      %valid = arith.remsi %byte, %c16 : i32
      %eight = arith.constant 8 : i32
      cuda.cp_async %to, %in[%from], %eight {bytes = 16} : !cuda.ptr<i32>, i32
      cuda.cp_async_commit
      cuda.cp_async_wait 0
      %r = cuda.regs : !cuda.regs<4 x i32>
      cuda.load_shared %to, %r[%c0] {count = 4} : !cuda.regs<4 x i32>
      cuda.store_global %r[%c0], %out[%from] {count = 4} : !cuda.regs<4 x i32>, !cuda.ptr<i32>, i32)",
        32, 512});
  EXPECT_EQ(kinds(run({pointer(out, "i32"), pointer(in, "i32")})), "");
  EXPECT_EQ(out[5], 5);
  EXPECT_EQ(out[6], 0);
}

TEST_F(Numbers, atomics) {
  std::vector<float> out = {std::nanf(""), -1.0f, 5.0f};
  load({"%out: !cuda.ptr<f32>", R"(
      %thread = cuda.thread_id
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %lane = arith.sitofp %thread : i32 to f32
      cuda.atomic "max" %lane, %out[%c0] : f32, !cuda.ptr<f32>, i32
      cuda.atomic "min" %lane, %out[%c1] : f32, !cuda.ptr<f32>, i32
      cuda.atomic "add" %lane, %out[%c2] : f32, !cuda.ptr<f32>, i32)"});
  EXPECT_EQ(kinds(run({pointer(out, "f32")})), "");
  EXPECT_EQ(out, (std::vector<float>{31.0f, -1.0f, 5.0f + 496.0f}));
}

//===- Warps ----------------------------------------------------------------------------------===//

TEST_F(Numbers, shuffles) {
  auto values = evaluate<int32_t>("i32", R"(
      %c3 = arith.constant 3 : i32
      %c100 = arith.constant 100 : i32
      %x = cuda.shuffle_xor %thread, %c3 : i32
      %u = cuda.shuffle_up %thread, %c3 : i32
      %i = cuda.shuffle_idx %thread, %c3 : i32
      %a = arith.muli %x, %c100 : i32
      %b = arith.addi %a, %u : i32
      %c = arith.muli %b, %c100 : i32
      %result = arith.addi %c, %i : i32)");
  EXPECT_EQ(values[1], (2 * 100 + 1) * 100 + 3);
  EXPECT_EQ(values[8], (11 * 100 + 5) * 100 + 3);
}

/// Each of 16 × 8 elements stored as its number; what ldmatrix gives every lane.
TEST_F(Numbers, matrices) {
  for (bool transposed : {false, true}) {
    std::string flag = transposed ? "trans " : "";
    auto values = evaluate<int32_t>("i32", R"(
      %base = cuda.shared 0, 4096
      %c2 = arith.constant 2 : i32
      %c4 = arith.constant 4 : i32
      %c8 = arith.constant 8 : i32
      %c15 = arith.constant 15 : i32
      %c16 = arith.constant 16 : i32
      %r = cuda.regs : !cuda.regs<4 x vector<2xi16>>
      scf.for %i = %c0 to %c2 step %c1 : i32 {
        %half = arith.muli %thread, %c2 : i32
        %c64 = arith.constant 64 : i32
        %tile = arith.muli %i, %c64 : i32
        %n = arith.addi %half, %tile : i32
        %next = arith.addi %n, %c1 : i32
        %word = cuda.pack %n, %next : i32, i32 -> vector<2xi16>
        cuda.set %word, %r[%c0] : vector<2xi16>, !cuda.regs<4 x vector<2xi16>>
        %bytes = arith.muli %n, %c2 : i32
        %at = arith.addi %base, %bytes : i32
        cuda.store_shared %r[%c0], %at {count = 2} : !cuda.regs<4 x vector<2xi16>>
      } {cuda.unroll}
      %row = arith.andi %thread, %c15 : i32
      %offset = arith.muli %row, %c16 : i32
      %address = arith.addi %base, %offset : i32
      %m = cuda.regs : !cuda.regs<2 x vector<2xi16>>
      cuda.ldmatrix %address, %m[%c0] )" + flag +
                                               R"({count = 2} : !cuda.regs<2 x vector<2xi16>>
      %c1024 = arith.constant 1024 : i32
      %second = arith.addi %address, %c1024 : i32
      cuda.stmatrix %m[%c0], %second )" + flag +
                                               R"({count = 2} : !cuda.regs<2 x vector<2xi16>>
      %copy = cuda.regs : !cuda.regs<2 x vector<2xi16>>
      cuda.ldmatrix %second, %copy[%c0] )" + flag +
                                               R"({count = 2} : !cuda.regs<2 x vector<2xi16>>
      %last = cuda.get %copy[%c1] : !cuda.regs<2 x vector<2xi16>> -> vector<2xi16>
      %low = cuda.unpack %last[%c0] : vector<2xi16> -> i32
      %high = cuda.unpack %last[%c1] : vector<2xi16> -> i32
      %c1000 = arith.constant 1000 : i32
      %scaled = arith.muli %high, %c1000 : i32
      %result = arith.addi %low, %scaled : i32)");
    for (int lane = 0; lane < 32; ++lane) {
      int major = lane / 4, minor = 2 * (lane % 4);
      int low = transposed ? 64 + minor * 8 + major : 64 + major * 8 + minor;
      int high = transposed ? low + 8 : low + 1;
      EXPECT_EQ(values[lane], low + 1000 * high) << lane;
    }
  }
}

struct MmaForm {
  const char *word, *accumulator;
  int m, n, k, pack;
};

/// Runs one mma on random fragments and compares with the definition.
class Mma : public Numbers, public testing::WithParamInterface<MmaForm> {};

double decodeAs(const std::string &word, uint32_t bits) {
  if (word == "vector<2xf16>")
    return decode<Float16>(bits & 0xffff);
  if (word == "vector<2xbf16>")
    return decode<BFloat16>(bits & 0xffff);
  if (word == "vector<4xf8E4M3FN>")
    return decode<Float8E4M3FN>(bits & 0xff);
  if (word == "vector<4xf8E5M2>")
    return decode<Float8E5M2>(bits & 0xff);
  if (word == "f32")
    return std::bit_cast<float>(bits & 0xffffe000);
  return int8_t(bits & 0xff);
}

/// Bits of small values of each format.
uint32_t randomValue(const std::string &word, std::mt19937 &random) {
  int value = int(random() % 9) - 4;
  if (word == "vector<2xf16>")
    return encode<Float16>(float(value));
  if (word == "vector<2xbf16>")
    return encode<BFloat16>(float(value));
  if (word == "vector<4xf8E4M3FN>")
    return encode<Float8E4M3FN>(float(value));
  if (word == "vector<4xf8E5M2>")
    return encode<Float8E5M2>(float(value));
  return word == "f32" ? std::bit_cast<uint32_t>(float(value)) : uint32_t(value) & 0xff;
}

TEST_P(Mma, multiplies) {
  const MmaForm &form = GetParam();
  int p = form.pack, bits = 32 / p, aWords = form.m * form.k / (32 * p);
  int bWords = form.n * form.k / (32 * p), accumulators = form.m * form.n / 32;
  std::mt19937 random(7);
  std::vector<uint32_t> a(32 * aWords), b(32 * bWords), d(32 * accumulators, 0);
  std::vector<double> left(form.m * form.k), right(form.k * form.n);
  auto fill = [&](std::vector<uint32_t> &words, int count, auto place) {
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < count; ++i)
        for (int j = 0; j < p; ++j) {
          uint32_t value = randomValue(form.word, random);
          words[lane * count + i] |= bits == 32 ? value : value << (bits * j);
          place(lane, i, j) = decodeAs(form.word, value);
        }
  };
  // The fragments as the PTX ISA lists them: group and thread of a lane, then by word.
  fill(a, aWords, [&](int lane, int i, int j) -> double & {
    int row = lane / 4 + (form.m == 16 ? 8 * (i % 2) : 0);
    int block = form.m == 16 ? i / 2 : i;
    return left[row * form.k + block * 4 * p + lane % 4 * p + j];
  });
  fill(b, bWords, [&](int lane, int i, int j) -> double & {
    return right[(i * 4 * p + lane % 4 * p + j) * form.n + lane / 4];
  });
  std::string type = form.word, sum = form.accumulator;
  auto regs = [](int count, const std::string &element) {
    return "!cuda.regs<" + std::to_string(count) + " x " + element + ">";
  };
  std::string body = "\n%thread = cuda.thread_id\n%c0 = arith.constant 0 : i32\n";
  // Words are loaded as i32 and become what they are by way of shared memory.
  auto throughShared = [&](const std::string &name, int count, const std::string &element) {
    std::string text = "%" + name + " = cuda.regs : " + regs(count, element) + "\n";
    for (int i = 0; i < count; ++i) {
      std::string k = name + std::to_string(i);
      text += "%i" + k + " = arith.constant " + std::to_string(i) + " : i32\n%n" + k +
              " = arith.constant " + std::to_string(count) + " : i32\n%b" + k +
              " = arith.muli %thread, %n" + k + " : i32\n%a" + k + " = arith.addi %b" + k + ", %i" +
              k + " : i32\n%t" + k + " = cuda.regs : !cuda.regs<1 x i32>\ncuda.load_global %p" +
              name + "[%a" + k + "], %t" + k +
              "[%c0] {count = 1} : !cuda.ptr<i32>, i32, !cuda.regs<1 x i32>\n%m" + k +
              " = cuda.shared 0, 4096\n%four" + k + " = arith.constant 4 : i32\n%o" + k +
              " = arith.muli %thread, %four" + k + " : i32\n%at" + k + " = arith.addi %m" + k +
              ", %o" + k + " : i32\ncuda.store_shared %t" + k + "[%c0], %at" + k +
              " {count = 1} : !cuda.regs<1 x i32>\ncuda.load_shared %at" + k + ", %" + name +
              "[%i" + k + "] {count = " + std::to_string(element == sum ? 1 : p) +
              "} : " + regs(count, element) + "\n";
    }
    return text;
  };
  body += throughShared("a", aWords, type) + throughShared("b", bWords, type) +
          throughShared("d", accumulators, sum);
  body += "cuda.mma " + std::to_string(form.m) + " x " + std::to_string(form.n) + " x " +
          std::to_string(form.k) + " %d[%c0], %a[%c0], %b[%c0] : " + regs(accumulators, sum) +
          ", " + regs(aWords, type) + ", " + regs(bWords, type) + "\n";
  for (int i = 0; i < accumulators; ++i) {
    std::string k = std::to_string(i);
    body += "%s" + k + " = cuda.get %d[%id" + k + "] : " + regs(accumulators, sum) + " -> " + sum +
            "\n%f" + k + " = " +
            (sum == "f32" ? "arith.fptosi %s" + k + " : f32 to i32"
                          : "arith.addi %s" + k + ", %c0 : i32") +
            "\ncuda.set %f" + k + ", %td" + k + "[%c0] : i32, !cuda.regs<1 x i32>\n" +
            "cuda.store_global %td" + k + "[%c0], %pd[%ad" + k +
            "] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32\n";
  }
  load({"%pa: !cuda.ptr<i32>, %pb: !cuda.ptr<i32>, %pd: !cuda.ptr<i32>", body, 32, 4096});
  MachineResult result = run({pointer(a, "i32"), pointer(b, "i32"), pointer(d, "i32")});
  ASSERT_EQ(kinds(result), "") << testing::PrintToString(messages);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < accumulators; ++i) {
      int row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
      double expected = 0;
      for (int k = 0; k < form.k; ++k)
        expected += left[row * form.k + k] * right[k * form.n + column];
      EXPECT_EQ(double(int32_t(d[lane * accumulators + i])), expected) << lane << " " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Forms, Mma,
                         testing::Values(MmaForm{"vector<2xf16>", "f32", 16, 8, 8, 2},
                                         MmaForm{"vector<2xf16>", "f32", 16, 8, 16, 2},
                                         MmaForm{"vector<2xbf16>", "f32", 16, 8, 16, 2},
                                         MmaForm{"f32", "f32", 16, 8, 8, 1},
                                         MmaForm{"vector<4xi8>", "i32", 16, 8, 32, 4},
                                         MmaForm{"vector<4xi8>", "i32", 8, 8, 16, 4},
                                         MmaForm{"vector<4xf8E4M3FN>", "f32", 16, 8, 32, 4},
                                         MmaForm{"vector<4xf8E5M2>", "f32", 16, 8, 32, 4}));

} // namespace
