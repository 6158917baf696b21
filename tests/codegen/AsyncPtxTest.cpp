// Barriers, tensor copies and products of a warpgroup compile to the instruction meant.
#include "tests/codegen/Harness.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::codegen;

TEST(Barriers, compile) {
  std::string body = R"(%s = cuda.shared 0, 8
    cuda.mbarrier_init %s, 7
    cuda.fence mbarrier_init
    cuda.fence async_shared
    cuda.fence async_global
    cuda.fence acq_rel_cluster
    cuda.mbarrier_arrive %s
    cuda.mbarrier_arrive_expect_tx %s, %c16
    cuda.mbarrier_wait %s, %c1
    cuda.mbarrier_inval %s
    cuda.named_barrier_arrive %c3, 64
    cuda.named_barrier_sync %c2, 32)";
  expectPtx(kernelIr("", body), targetsWith(Feature::BarrierBytes),
            {"mbarrier.init.shared::cta.b64", "fence.mbarrier_init.release.cluster",
             "fence.proxy.async.shared::cta", "fence.proxy.async.global", "fence.acq_rel.cluster",
             "mbarrier.arrive.shared::cta.b64", "mbarrier.arrive.expect_tx.shared::cta.b64",
             "mbarrier.try_wait.parity.shared::cta.b64", "mbarrier.inval.shared::cta.b64",
             "bar.arrive", "bar.sync"});
}

// The first try stands in front of the loop that has the others.
TEST(Barriers, are_tried_once_beside_what_follows) {
  auto tries = [](const std::string &wait) {
    std::string ir = kernelIr("", "%s = cuda.shared 0, 8\n" + wait + " %s, %c1");
    std::string ptx = compiled(printed(ir), 90), word = "mbarrier.try_wait";
    int count = 0;
    for (size_t at = 0; (at = ptx.find(word, at)) != std::string::npos; at += word.size())
      ++count;
    return count;
  };
  EXPECT_EQ(tries("cuda.mbarrier_wait"), 1);
  EXPECT_EQ(tries("cuda.mbarrier_wait beside"), 2);
}

TEST(Clusters, compile) {
  std::string body = R"(%s = cuda.shared 0, 8
    %rank = cuda.cluster_rank
    %peer = cuda.mapa %s, %rank
    cuda.mbarrier_arrive_remote %peer
    cuda.mbarrier_arrive_remote relaxed %peer
    %word = cuda.regs : <1 x f32>
    cuda.store_async %word[%c0], %peer, %peer : <1 x f32>
    cuda.cluster_arrive
    cuda.cluster_wait
    cuda.cluster_arrive relaxed
    cuda.cluster_wait)";
  expectPtx(kernelIr("", body), targetsWith(Feature::Clusters),
            {"%cluster_ctarank", "mapa.shared::cluster.u32",
             "mbarrier.arrive.release.cluster.shared::cluster.b64",
             "mbarrier.arrive.relaxed.cluster.shared::cluster.b64",
             "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32",
             "barrier.cluster.arrive.release", "barrier.cluster.arrive.relaxed",
             "barrier.cluster.wait.acquire"});
}

TEST(DependentLaunches, compile) {
  std::string body = "cuda.grid_wait\ncuda.grid_launch_dependents";
  expectPtx(kernelIr("", body), targetsWith(Feature::DependentLaunch),
            {"griddepcontrol.wait", "griddepcontrol.launch_dependents"});
}

TEST(ElectedThreads, compile) {
  std::string body = R"(%s = cuda.shared 0, 8
    %one = cuda.elect
    scf.if %one {
      cuda.mbarrier_arrive %s
    })";
  expectPtx(kernelIr("", body), targetsWith(Feature::Elect), {"elect.sync"});
}

TEST(RegisterBudgets, compile) {
  std::string body = R"(scf.if %p {
      cuda.increase_registers 240
    } else {
      cuda.decrease_registers 24
    })";
  expectPtx(kernelIr("", body, 256), targetsWith(Feature::Registers),
            {"setmaxnreg.inc.sync.aligned.u32 240", "setmaxnreg.dec.sync.aligned.u32 24"});
}

namespace {
/// `!cuda.tensor_map<tensor<1x1x64xf32>, …>` of `rank` axes.
std::string mapType(int rank, const std::string &element = "f32") {
  std::string shape;
  for (int i = 1; i < rank; ++i)
    shape += "2x";
  return "!cuda.tensor_map<tensor<" + shape + "64x" + element + ">, swizzle 0>";
}

std::string coordinates(int rank) {
  std::string text;
  for (int i = 0; i < rank; ++i)
    text += (i ? ", %c" : "%c") + std::to_string(i);
  return "[" + text + "]";
}
} // namespace

TEST(TensorCopies, compile_for_every_rank) {
  for (int rank = 1; rank <= 5; ++rank) {
    std::string type = " : " + mapType(rank), at = coordinates(rank);
    std::string shape = std::to_string(rank) + "d", hint = ".L2::cache_hint";
    std::string shared = "%s = cuda.shared 0, 8192\n%bar = cuda.shared 8192, 8\n";
    std::string body = shared, multicasts = shared;
    for (std::string hint : {"", " hint evict_first", " hint evict_last", " hint evict_normal"}) {
      body += "cuda.tma_load %map" + at + ", %s, %bar" + hint + type + "\n";
      body += "cuda.tma_store %s, %map" + at + hint + type + "\n";
      body += "cuda.tma_reduce_add %s, %map" + at + hint + type + "\n";
      body += "cuda.tma_prefetch %map" + at + hint + type + "\n";
      multicasts += "cuda.tma_load %map" + at + ", %s, %bar multicast %c3" + hint + type + "\n";
    }
    body += "cuda.tma_prefetch_map %map" + type +
            "\ncuda.bulk_commit\ncuda.bulk_wait 0\ncuda.bulk_wait 1 read\n";
    std::string copy = "cp.async.bulk.tensor." + shape;
    std::string toBlock = copy + ".shared::cta.global.mbarrier::complete_tx::bytes";
    std::string toBlocks =
        copy + ".shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster";
    std::string map = "%map: " + mapType(rank);
    expectPtx(kernelIr(map, body), targetsWith(Feature::Tma),
              {toBlock + " ", toBlock + hint,
               "cp.async.bulk.tensor." + shape + ".global.shared::cta.bulk_group ",
               "cp.async.bulk.tensor." + shape + ".global.shared::cta.bulk_group" + hint,
               "cp.reduce.async.bulk.tensor." + shape + ".global.shared::cta.add.bulk_group ",
               "cp.async.bulk.prefetch.tensor." + shape + ".L2.global ", "prefetch.tensormap",
               "cp.async.bulk.commit_group", "cp.async.bulk.wait_group ",
               "cp.async.bulk.wait_group.read "});
    expectPtx(kernelIr(map, multicasts), targetsWith(Feature::Multicast),
              {toBlocks + " ", toBlocks + hint});
  }
}

namespace {
struct Operands {
  const char *a, *b, *ptx;
  int k;
  bool narrow = false; // 16-bit: may be transposed
};

/// A kernel with one product, whose sums it stores.
std::string productIr(const Operands &operands, int n, const std::string &a,
                      const std::string &suffix) {
  bool integers = std::string(operands.a) == "i8";
  std::string sum = integers ? "i32" : "f32";
  std::string acc = "!cuda.regs<" + std::to_string(n / 2) + " x " + sum + ">";
  std::string words = operands.a == std::string("f32")
                          ? "f32"
                          : "vector<" + std::to_string(operands.k / 8) + "x" + operands.a + ">";
  std::string aType = a.starts_with("%d") ? "i64" : "!cuda.regs<4 x " + words + ">";
  std::string body = "%s = cuda.shared 0, 65536\n%acc = cuda.regs : " + acc + "\n";
  body += "%d = cuda.matrix_descriptor %s {leading = 16, stride = 1024, swizzle = 128}\n"
          "%e = cuda.advance_descriptor %d, %c16\n";
  if (!a.starts_with("%d"))
    body += "%a = cuda.regs : " + aType +
            "\ncuda.load_shared %s, %a[%c0] {count = " + std::to_string(operands.k / 2) +
            "} : " + aType + "\n";
  std::string types = " : " + acc + ", " + aType + ", " + operands.a + " x " + operands.b;
  body += "cuda.wgmma_fence\n";
  body += "cuda.wgmma " + std::to_string(n) + " %acc[%c0], " + a + ", %d" + suffix + " if %no" +
          types + "\n";
  body += "cuda.wgmma " + std::to_string(n) + " %acc[%c0], " + a + ", %e" + suffix + types + "\n";
  body += "cuda.wgmma_commit\ncuda.wgmma_wait 0, %acc : " + acc + "\n";
  for (int i = 0; i < n / 2; i += 4)
    body += "%i" + std::to_string(i) + " = arith.constant " + std::to_string(i) +
            " : i32\ncuda.store_global %acc[%i" + std::to_string(i) +
            "], %y[%t] {count = 4} : " + acc + ", !cuda.ptr<" + sum + ">, i32\n";
  return kernelIr("%y: !cuda.ptr<" + sum + ">", "%no = arith.constant false\n" + body, 128);
}
} // namespace

TEST(WarpgroupProducts, compile_for_every_type) {
  const Operands all[] = {{"bf16", "bf16", "f32.bf16.bf16", 16, true},
                          {"f16", "f16", "f32.f16.f16", 16, true},
                          {"f32", "f32", "f32.tf32.tf32", 8},
                          {"f8E4M3FN", "f8E4M3FN", "f32.e4m3.e4m3", 32},
                          {"f8E4M3FN", "f8E5M2", "f32.e4m3.e5m2", 32},
                          {"f8E5M2", "f8E5M2", "f32.e5m2.e5m2", 32},
                          {"i8", "i8", "s32.s8.s8", 32}};
  for (const Operands &operands : all) {
    std::string wanted =
        "wgmma.mma_async.sync.aligned.m64n64k" + std::to_string(operands.k) + "." + operands.ptx;
    std::vector<std::string> instructions = {wanted, "wgmma.fence.sync.aligned",
                                             "wgmma.commit_group.sync.aligned",
                                             "wgmma.wait_group.sync.aligned 0"};
    for (std::string a : {"%d", "%a[%c0]"})
      expectPtx(productIr(operands, 64, a, ""), targetsWith(Feature::Wgmma), instructions);
    if (!operands.narrow)
      continue;
    expectPtx(productIr(operands, 64, "%d trans_a", " trans_b"), targetsWith(Feature::Wgmma),
              instructions);
    expectPtx(productIr(operands, 64, "%a[%c0]", " trans_b"), targetsWith(Feature::Wgmma),
              instructions);
  }
}

TEST(WarpgroupProducts, compile_for_every_n) {
  for (int n = 8; n <= 256; n += 8)
    expectPtx(productIr({"bf16", "bf16", "", 16, true}, n, "%d", ""), targetsWith(Feature::Wgmma),
              {"m64n" + std::to_string(n) + "k16.f32.bf16.bf16"});
  for (int n : {8, 16, 24, 32, 48, 112, 256})
    expectPtx(productIr({"i8", "i8", "", 32}, n, "%d", ""), targetsWith(Feature::Wgmma),
              {"m64n" + std::to_string(n) + "k32.s32.s8.s8"});
}
