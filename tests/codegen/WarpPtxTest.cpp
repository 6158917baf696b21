// Warp-wide and packed ops compile to the instruction meant.
#include "tests/codegen/Harness.h"

#include <gtest/gtest.h>

using namespace tilewright::codegen;

namespace {
/// Stores registers `name`, so that nothing of a kernel is dead.
std::string stored(const std::string &name, const std::string &element, const std::string &value,
                   int count) {
  std::string regs = "!cuda.regs<4 x " + element + ">";
  return "cuda.store_global %" + name + "[%c0], %y[%t] {count = " + std::to_string(count) +
         "} : " + regs + ", !cuda.ptr<" + value + ">, i32\n";
}
} // namespace

TEST(Matrices, load_and_store) {
  for (std::string element : {"vector<2xbf16>", "vector<2xf16>", "vector<4xi8>", "f32", "i32"}) {
    std::string regs = "!cuda.regs<4 x " + element + ">";
    std::string loads = "%s = cuda.shared 0, 4096\n%r = cuda.regs : " + regs + "\n", stores;
    std::vector<std::string> loadsWanted, storesWanted;
    for (std::string count : {"1", "2", "4"})
      for (std::string trans : {"", " trans"}) {
        std::string attrs = trans + " {count = " + count + "} : " + regs;
        loads += "cuda.ldmatrix %s, %r[%c0]" + attrs + "\n";
        stores += "cuda.stmatrix %r[%c0], %s" + attrs + "\n";
        std::string shape = "m8n8.x" + count + (trans.empty() ? ".shared" : ".trans.shared");
        loadsWanted.push_back("ldmatrix.sync.aligned." + shape);
        storesWanted.push_back("stmatrix.sync.aligned." + shape);
      }
    expectPtx(kernelIr("", loads), 75, loadsWanted);
    expectPtx(kernelIr("", loads + stores), 90, storesWanted);
  }
}

namespace {
struct Form {
  const char *shape, *operand, *accumulator, *ptx;
  int first;
};
} // namespace

TEST(MatrixProducts, compile) {
  const Form forms[] = {
      {"16 x 8 x 8", "vector<2xf16>", "f32", "m16n8k8.row.col.f32.f16.f16.f32", 75},
      {"8 x 8 x 16", "vector<4xi8>", "i32", "m8n8k16.row.col.s32.s8.s8.s32", 75},
      {"16 x 8 x 16", "vector<2xf16>", "f32", "m16n8k16.row.col.f32.f16.f16.f32", 80},
      {"16 x 8 x 16", "vector<2xbf16>", "f32", "m16n8k16.row.col.f32.bf16.bf16.f32", 80},
      {"16 x 8 x 8", "f32", "f32", "m16n8k8.row.col.f32.tf32.tf32.f32", 80},
      {"16 x 8 x 32", "vector<4xi8>", "i32", "m16n8k32.row.col.s32.s8.s8.s32", 80},
      {"16 x 8 x 32", "vector<4xf8E4M3FN>", "f32", "m16n8k32.row.col.f32.e4m3.e4m3.f32", 89},
      {"16 x 8 x 32", "vector<4xf8E5M2>", "f32", "m16n8k32.row.col.f32.e5m2.e5m2.f32", 89}};
  for (const Form &form : forms) {
    std::string operand = std::string("!cuda.regs<4 x ") + form.operand + ">";
    std::string accumulator = std::string("!cuda.regs<4 x ") + form.accumulator + ">";
    std::string body = "%s = cuda.shared 0, 4096\n%a = cuda.regs : " + operand +
                       "\n%d = cuda.regs : " + accumulator + "\n";
    body += "cuda.load_shared %s, %d[%c0] {count = 4} : " + accumulator + "\n";
    body += "cuda.ldmatrix %s, %a[%c0] {count = 4} : " + operand + "\n";
    body += std::string("cuda.mma ") + form.shape + " %d[%c0], %a[%c0], %a[%c2] : " + accumulator +
            ", " + operand + ", " + operand + "\n";
    body += stored("d", form.accumulator, form.accumulator, 4);
    std::string arguments = std::string("%y: !cuda.ptr<") + form.accumulator + ">";
    expectPtx(kernelIr(arguments, body), form.first, {std::string("mma.sync.aligned.") + form.ptx});
  }
}

TEST(Shuffles, compile_for_values_of_32_bits) {
  for (std::string type : {"f32", "i32", "vector<2xbf16>", "vector<4xi8>"}) {
    std::string regs = "!cuda.regs<4 x " + type + ">", body = "%r = cuda.regs : " + regs + "\n";
    body += "%s = cuda.shared 0, 512\ncuda.ldmatrix %s, %r[%c0] {count = 4} : " + regs + "\n";
    body += "%v = cuda.get %r[%c0] : " + regs + " -> " + type + "\n";
    body += "%a = cuda.shuffle_xor %v, %c16 : " + type + "\n";
    body += "%b = cuda.shuffle_up %a, %c1 : " + type + "\n";
    body += "%c = cuda.shuffle_idx %b, %c0 : " + type + "\n";
    body += "cuda.set %c, %r[%c0] : " + type + ", " + regs + "\n";
    body += "cuda.stmatrix %r[%c0], %s {count = 1} : " + regs;
    expectPtx(kernelIr("", body), 90,
              {"shfl.sync.bfly.b32", "shfl.sync.up.b32", "shfl.sync.idx.b32"});
  }
}

TEST(Votes, compile) {
  std::string body = "%r = cuda.regs : !cuda.regs<4 x i32>\n"
                     "%mine = arith.cmpi eq, %t, %c2 : i32\n"
                     "%any = cuda.vote_any %mine\n"
                     "cuda.warp_sync\n"
                     "%word = arith.select %any, %c1, %c0 : i32\n"
                     "cuda.set %word, %r[%c0] : i32, !cuda.regs<4 x i32>\n" +
                     stored("r", "i32", "i32", 1);
  expectPtx(kernelIr("%y: !cuda.ptr<i32>", body), 75, {"vote.sync.any", "bar.warp.sync"});
}

namespace {
struct Word {
  const char *element, *wide;
  int count;
};
} // namespace

TEST(PackedWords, pack_and_unpack) {
  for (const Word &word :
       {Word{"f16", "f32", 2}, Word{"bf16", "f32", 2}, Word{"i16", "i32", 2}, Word{"i8", "i32", 4},
        Word{"f8E4M3FN", "f32", 4}, Word{"f8E5M2", "f32", 4}}) {
    std::string n = std::to_string(word.count), element = word.element, wide = word.wide;
    std::string type = "vector<" + n + "x" + element + ">", regs = "!cuda.regs<4 x " + type + ">";
    std::string body = "%r = cuda.regs : " + regs + "\n%f = arith.constant 0 : i32\n";
    body += "cuda.load_global %y[%t], %r[%c0] {count = " + n + "} : !cuda.ptr<" + element +
            ">, i32, " + regs + "\n%v = cuda.get %r[%c0] : " + regs + " -> " + type + "\n";
    std::string values, types;
    for (int i = 0; i < word.count; ++i) {
      std::string name = "%v" + std::to_string(word.count - 1 - i);
      body +=
          name + " = cuda.unpack %v[%c" + std::to_string(i) + "] : " + type + " -> " + wide + "\n";
      values += (i ? ", %v" : "%v") + std::to_string(i);
      types += (i ? ", " : "") + wide;
    }
    body += "%w = cuda.pack " + values + " : " + types + " -> " + type + "\n";
    body += "cuda.set %w, %r[%c0] : " + type + ", " + regs + "\n";
    body += stored("r", type, element, word.count);
    std::string ir = kernelIr("%y: !cuda.ptr<" + element + ">", body);
    expectPtx(ir, 75, {});
    if (element == "f16" || element == "bf16")
      expectPtx(ir, 80, {"cvt.rn." + element + "x2.f32"});
    if (element == "f8E4M3FN")
      expectPtx(ir, 89, {"cvt.rn.f16x2.e4m3x2", "cvt.rn.satfinite.e4m3x2.f32"});
    if (element == "f8E5M2")
      expectPtx(ir, 89, {"cvt.rn.f16x2.e5m2x2", "cvt.rn.satfinite.e5m2x2.f32"});
  }
}

TEST(PackedWords, extract) {
  for (const Word &word : {Word{"bf16", "", 2}, Word{"f8E4M3FN", "", 4}}) {
    std::string n = std::to_string(word.count), element = word.element;
    std::string type = "vector<" + n + "x" + element + ">", regs = "!cuda.regs<4 x " + type + ">";
    std::string singles = "!cuda.regs<4 x " + element + ">";
    std::string body = "%r = cuda.regs : " + regs + "\n%e = cuda.regs : " + singles + "\n";
    body += "cuda.load_global %y[%t], %r[%c0] {count = " + n + "} : !cuda.ptr<" + element +
            ">, i32, " + regs + "\n%v = cuda.get %r[%c0] : " + regs + " -> " + type + "\n";
    body += "%x = cuda.extract %v[%c1] : " + type + " -> " + element + "\n";
    body += "cuda.set %x, %e[%c0] : " + element + ", " + singles + "\n";
    body += stored("e", element, element, 1);
    expectPtx(kernelIr("%y: !cuda.ptr<" + element + ">", body), 75, {"st.global"});
  }
}

TEST(PackedWords, keep) {
  std::string regs = "!cuda.regs<4 x vector<2xbf16>>";
  std::string body = "%r = cuda.regs : " + regs +
                     "\ncuda.load_global %y[%t], %r[%c0] {count = 2} : !cuda.ptr<bf16>, i32, " +
                     regs + "\n%v = cuda.get %r[%c0] : " + regs +
                     " -> vector<2xbf16>\n"
                     "%w = cuda.keep %v by %t[%c1] least 26 : vector<2xbf16>\n"
                     "cuda.set %w, %r[%c0] : vector<2xbf16>, " +
                     regs + "\n" + stored("r", "vector<2xbf16>", "bf16", 2);
  expectPtx(kernelIr("%y: !cuda.ptr<bf16>", body), 75, {"prmt.b32", "set.ge.u32.f16x2", "and.b32"});
}
