// Accesses to memory of every type and width compile, to the instruction meant.
#include "tests/codegen/Harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tilewright::codegen;

namespace {
struct Registers {
  std::string element; // of the array
  std::string value;   // of memory
  int pack, bytes;     // values per element, bytes per value
};

std::ostream &operator<<(std::ostream &stream, const Registers &registers) {
  return stream << registers.element;
}

std::string suffix(int bytes) {
  static const char *const names[] = {"u8", "u16", "b32", "v2.b32", "v4.b32"};
  int log = 0;
  while (1 << log < bytes)
    ++log;
  return names[log];
}
} // namespace

class Accesses : public testing::TestWithParam<Registers> {
protected:
  /// Lines for each number of bytes that one access of this type moves.
  template <typename Write> std::string forEachWidth(Write write) {
    const Registers &type = GetParam();
    std::string text;
    for (int bytes = type.bytes * type.pack; bytes <= 16; bytes *= 2)
      text += write(bytes, "{count = " + std::to_string(bytes / type.bytes) + "}");
    return text;
  }

  std::string regs() const { return "!cuda.regs<16 x " + GetParam().element + ">"; }
  std::string ptr() const { return "!cuda.ptr<" + GetParam().value + ">"; }
};

TEST_P(Accesses, move_global_memory) {
  std::vector<std::string> wanted = {"@inside ld.global", "@inside st.global"};
  std::string body = "%r = cuda.regs : " + regs() + "\n%o = arith.extsi %t : i32 to i64\n";
  body += forEachWidth([&](int bytes, const std::string &count) {
    for (std::string access : {"ld.global.nc.", "ld.global.", "st.global."})
      wanted.push_back(access + suffix(bytes));
    std::string load = " " + count + " : " + ptr() + ", ", store = " " + count + " : " + regs();
    return "cuda.load_global %x[%t], %r[%c0]" + load + "i32, " + regs() +
           "\ncuda.store_global %r[%c0], %y[%o], %p" + store + ", " + ptr() + ", i64" +
           "\ncuda.load_global %y[%o], %r[%c0], %p" + load + "i64, " + regs() +
           "\ncuda.store_global %r[%c0], %y[%t]" + store + ", " + ptr() + ", i32\n";
  });
  expectPtx(kernelIr("%x: " + ptr() + " {cuda.read_only}, %y: " + ptr(), body), 75, wanted);
}

TEST_P(Accesses, move_shared_memory) {
  std::vector<std::string> wanted = {"bar.sync"};
  std::string body = "%s = cuda.shared 1024, 512\n%r = cuda.regs : " + regs() + "\n";
  body += "%u = arith.muli %t, %c16 : i32\n%a = arith.addi %s, %u : i32\n";
  body += forEachWidth([&](int bytes, const std::string &count) {
    for (std::string access : {"ld.shared.", "st.shared."})
      wanted.push_back(access + suffix(bytes));
    return "cuda.load_shared %a, %r[%c0] " + count + " : " + regs() +
           "\ncuda.barrier\ncuda.store_shared %r[%c0], %a, %p " + count + " : " + regs() +
           "\ncuda.store_shared %r[%c0], %a " + count + " : " + regs() + "\n";
  });
  expectPtx(kernelIr("", body), 75, wanted);
}

INSTANTIATE_TEST_SUITE_P(
    types, Accesses,
    testing::Values(Registers{"i1", "i1", 1, 1}, Registers{"i8", "i8", 1, 1},
                    Registers{"i16", "i16", 1, 2}, Registers{"i32", "i32", 1, 4},
                    Registers{"i64", "i64", 1, 8}, Registers{"f8E4M3FN", "f8E4M3FN", 1, 1},
                    Registers{"f8E5M2", "f8E5M2", 1, 1}, Registers{"f16", "f16", 1, 2},
                    Registers{"bf16", "bf16", 1, 2}, Registers{"f32", "f32", 1, 4},
                    Registers{"vector<2xf16>", "f16", 2, 2},
                    Registers{"vector<2xbf16>", "bf16", 2, 2},
                    Registers{"vector<2xi16>", "i16", 2, 2}, Registers{"vector<4xi8>", "i8", 4, 1},
                    Registers{"vector<4xf8E4M3FN>", "f8E4M3FN", 4, 1},
                    Registers{"vector<4xf8E5M2>", "f8E5M2", 4, 1}));

// As words they would be moved to other registers first, while products are under way.
TEST(Sums, are_stored_from_the_registers_they_are_in) {
  std::string regs = "!cuda.regs<8 x f32>";
  std::string body = "%r = cuda.regs : " + regs + "\ncuda.pin_registers %r : " + regs +
                     "\ncuda.store_global %r[%c4], %x[%t] {count = 1} : " + regs +
                     ", !cuda.ptr<f32>, i32";
  std::string text = printed(kernelIr("%x: !cuda.ptr<f32>", body));
  for (int arch : targetsFrom(75))
    EXPECT_THAT(compiled(text, arch), testing::ContainsRegex("st.global.b32 \\[%rd[0-9]+\\], %f"));
}

TEST(Atomics, compile_to_reductions) {
  auto atomic = [](const std::string &kind, const std::string &type) {
    return kernelIr("%x: !cuda.ptr<" + type + ">, %v: " + type,
                    "cuda.atomic \"" + kind + "\" %v, %x[%t], %p : " + type + ", !cuda.ptr<" +
                        type + ">, i32\ncuda.atomic \"" + kind + "\" %v, %x[%c0] : " + type +
                        ", !cuda.ptr<" + type + ">, i32");
  };
  expectPtx(atomic("add", "f32"), 75, {"red.global.add.f32"});
  expectPtx(atomic("add", "i32"), 75, {"red.global.add.s32"});
  expectPtx(atomic("max", "i32"), 75, {"red.global.max.s32"});
  expectPtx(atomic("min", "i32"), 75, {"red.global.min.s32"});
  expectPtx(atomic("max", "f32"), 75, {"red.global.max.s32", "red.global.min.u32"});
  expectPtx(atomic("min", "f32"), 75, {"red.global.min.s32", "red.global.max.u32"});
  expectPtx(atomic("add", "f16"), 75, {"red.global.add.noftz.f16"});
  expectPtx(atomic("add", "bf16"), 75, {});
  expectPtx(atomic("add", "bf16"), 90, {"red.global.add.noftz.bf16"});
}

TEST(Atomics, counters_wrap) {
  std::string body = "%old = cuda.atomic_inc %x, %n : !cuda.ptr<i32>\n"
                     "%next = cuda.atomic_inc %x, %old : !cuda.ptr<i32>";
  expectPtx(kernelIr("%x: !cuda.ptr<i32>, %n: i32", body), 75, {"atom.global.inc.u32"});
}

// Seen by all blocks of the grid: what came before a flag is, and whoever takes it lowers it.
TEST(Flags, are_released_and_acquired_for_the_whole_gpu) {
  std::string body = "cuda.flag_raise %x[%n] : !cuda.ptr<i32>\n"
                     "cuda.flag_take %x[%t] : !cuda.ptr<i32>";
  expectPtx(
      kernelIr("%x: !cuda.ptr<i32>, %n: i32", body), 75,
      {"st.release.gpu.global.u32", "ld.acquire.gpu.global.u32", "st.relaxed.gpu.global.u32"});
}

TEST(Flags, that_count_release_and_acquire) {
  std::string body = "%before = cuda.flag_count %x[%n], %n : !cuda.ptr<i32>\n"
                     "cuda.flag_raise %x[%before] : !cuda.ptr<i32>";
  expectPtx(kernelIr("%x: !cuda.ptr<i32>, %n: i32", body), 75, {"atom.acq_rel.gpu.global.inc.u32"});
  for (std::string order : {"release", "relaxed"}) {
    body = "%before = cuda.flag_count %x[%n], %n order " + order +
           " : !cuda.ptr<i32>\ncuda.flag_raise %x[%before] : !cuda.ptr<i32>";
    expectPtx(kernelIr("%x: !cuda.ptr<i32>, %n: i32", body), 75,
              {"atom." + order + ".gpu.global.inc.u32"});
  }
}

TEST(Flags, are_settled_once_and_awaited_without_lowering_them) {
  std::string body = "%way = cuda.flag_settle %x[%n], %n : !cuda.ptr<i32>\n"
                     "cuda.flag_await %x[%way], %n : !cuda.ptr<i32>";
  expectPtx(kernelIr("%x: !cuda.ptr<i32>, %n: i32", body), 75,
            {"atom.relaxed.gpu.global.cas.b32", "ld.acquire.gpu.global.u32"});
}

TEST(Flags, are_waited_for_as_long_as_a_watchdog_lets) {
  for (const char *wait : {"cuda.flag_take %x[%t]", "cuda.flag_await %x[%t], %t"}) {
    std::string text =
        printed(kernelIr("%x: !cuda.ptr<i32>", std::string(wait) + " : !cuda.ptr<i32>"));
    EXPECT_EQ(compiled(text, 90).find("trap"), std::string::npos);
    EXPECT_NE(compiled("#define TILEWRIGHT_WATCHDOG 100\n" + text, 90).find("trap"),
              std::string::npos);
  }
}

TEST(AsyncCopies, compile_from_sm_80_on) {
  for (int bytes : {4, 8, 16}) {
    std::string count = "{bytes = " + std::to_string(bytes) + "}";
    std::string body = "%s = cuda.shared 0, 512\n";
    body += "cuda.cp_async %s, %x[%t] " + count + " : !cuda.ptr<f16>, i32\n";
    body += "cuda.cp_async %s, %x[%t], %n " + count + " : !cuda.ptr<f16>, i32\n";
    body += "cuda.cp_async_commit\ncuda.cp_async_wait 2\ncuda.cp_async_wait 0";
    expectPtx(kernelIr("%x: !cuda.ptr<f16>, %n: i32", body), 80,
              {bytes == 16 ? "cp.async.cg.shared.global" : "cp.async.ca.shared.global",
               "cp.async.commit_group", "cp.async.wait_group 2", "cp.async.wait_group 0"});
  }
}
