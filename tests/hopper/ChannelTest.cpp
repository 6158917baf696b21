// Channels in places that a program may put them in: each program is clean and right in the
// simulator, in eager, lazy and random schedules.
#include "runtime/Compile.h"
#include "tests/hopper/ProgramRun.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::hopper;

namespace {

const char *const kTypes = R"(
!tile = tensor<64x64xbf16>
!one = !cta.channel<1 x !tile>
!two = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!acc = tensor<64x64xf32>
!sum = !cta.pending<!acc>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>
#product = #cta.wgmma<64x64x16>
)";

/// A kernel over a[M, K], b[N, K] and c[M, N] whose blocks share out tiles of 64 rows and columns.
/// `roles` may ask for `%TILES`, the loop over them with the place of each, and `%END`.
std::string kernelOf(const std::string &channels, std::string roles) {
  auto replaceAll = [&](const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = roles.find(from, at)) != std::string::npos; at += to.size())
      roles.replace(at, from.size(), to);
  };
  replaceAll("%TILES", R"(cta.tiles (%i, %j) of (%mt, %nt) {
      %row = arith.muli %i, %c64 : i32
      %col = arith.muli %j, %c64 : i32)");
  replaceAll("%END", "}");
  return kTypes + std::string(R"(
func.func @k(%a: !view {tile.name = "a", tile.dims = ["M", "K"]},
    %b: !view {tile.name = "b", tile.dims = ["N", "K"]},
    %c: !out {tile.name = "c", tile.dims = ["M", "N"]})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %N = tile.dim %b, 0 : !view
  %K = tile.dim %a, 1 : !view
  %mt = arith.ceildivsi %M, %c64 : i32
  %nt = arith.ceildivsi %N, %c64 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  tile.grid [%c2]
)") + channels +
         roles + "  return\n}\n";
}

ProgramRun runOf(const std::string &text, int64_t M, int64_t N, int64_t K) {
  ProgramRun run(lowerProgram(text));
  run.tensor("bf16", M, K);
  run.tensor("bf16", N, K);
  run.tensor("f32", M, N);
  run.numbers = {{"M", M}, {"N", N}, {"K", K}};
  return run;
}

//===- What a role puts for itself ------------------------------------------------------------===//

/// c = (a · bᵀ) · b for tiles of b with 64 rows, by way of a slot that the role itself reads.
std::string ownPut() {
  return kernelOf(R"(
  %as = cta.channel tma : !two
  %bs = cta.channel tma : !two
  %ps = cta.channel put : !two
)",
                  R"(
  cta.role "load" warps 1 {
    %TILES
      cta.load %a[%row, %c0] extents [64, 64] through %as : !view, !two
      cta.load %b[%col, %c0] extents [64, 64] through %bs : !view, !two
    %END
  }
  cta.role "use" warps 4 {
    %TILES
      %s = cta.wait %as : !two -> !slot
      %t = cta.wait %bs : !two -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %t by #product over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> !acc
      cta.release %s : !slot
      %h = tile.cast %d : !acc -> !tile
      %u = cta.acquire %ps : !two -> !slot
      cta.put %h, %u : !tile, !slot
      cta.commit %u : !slot
      %v = cta.wait %ps : !two -> !slot
      %e2 = cta.begin : !sum
      %p2 = cta.mma %e2, %v, %t by #product over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
      %d2 = cta.await %p2 : !sum -> !acc
      cta.release %t : !slot
      cta.release %v : !slot
      tile.store %d2, %c[%row, %col] extents [64, 64] : !acc, !out, i32, i32
    %END
  }
)");
}

TEST(Channels, a_role_multiplies_what_it_put) {
  for (const char *slots : {"!one", "!two"}) {
    std::string text = ownPut();
    for (const char *use : {"%ps : ", "channel put : "})
      for (size_t at = 0; (at = text.find(use, at)) != std::string::npos;) {
        at += strlen(use);
        text.replace(at, 4, slots);
      }
    ProgramRun run = runOf(text, 200, 64, 64);
    run.expect(/*grid=*/2, [&](int64_t m, int64_t n) {
      Expected sum{0, 0};
      for (int64_t j = 0; j < 64; ++j) {
        Expected between = rounded(run.product(0, m, 1, j));
        sum.value += between.value * run.at(1, n, j);
        sum.tolerance += between.tolerance * std::abs(run.at(1, n, j)) + 1e-4f;
      }
      return sum;
    });
  }
}

/// Attention backward in small: s = k · qᵀ and dp = v · doᵀ, of which ds = s ∘ dp; dv = pᵀ · do, dk
/// = ds · q and, with ds transposed through a slot, dq = dsᵀ · k.
TEST(Channels, attention_backward_puts_what_it_transposes) {
  ProgramRun run(lowerProgram(textOf("backward.mlir")));
  int64_t M = 136, T = 200;
  run.tensor("bf16", M, 64); // q
  run.tensor("bf16", M, 64); // do
  run.tensor("bf16", T, 64); // k
  run.tensor("bf16", T, 64); // v
  run.tensor("f32", T, 64);  // dk
  run.tensor("f32", T, 64);  // dv
  run.tensor("f32", M, 64);  // dq
  run.numbers = {{"M", M}, {"T", T}, {"D", int64_t(64)}};
  auto expected = [&](int64_t m, int64_t d) {
    Expected sum{0, 0};
    for (int64_t t = 0; t < T; ++t) {
      Expected s = run.product(2, t, 0, m), dp = run.product(3, t, 1, m);
      Expected ds = rounded({s.value * dp.value, s.tolerance * std::abs(dp.value) +
                                                     dp.tolerance * std::abs(s.value) + 1e-6f});
      sum.value += ds.value * run.at(2, t, d);
      sum.tolerance += ds.tolerance * std::abs(run.at(2, t, d)) + 1e-5f;
    }
    return sum;
  };
  run.expect(/*grid=*/2, expected, /*adds=*/true, /*random=*/6);
}

//===- Channels that seem to go together ------------------------------------------------------===//

TEST(Channels, one_slot_may_be_given_back_before_the_other_is_waited_for) {
  ProgramRun run = runOf(kernelOf(R"(
  %as = cta.channel tma : !one
  %bs = cta.channel tma : !one
)",
                                  R"(
  cta.role "load" warps 1 {
    %TILES
      cta.load %a[%row, %c0] extents [64, 64] through %as : !view, !one
      cta.load %b[%col, %c0] extents [64, 64] through %bs : !view, !one
      cta.load %a[%row, %c64] extents [64, 64] through %as : !view, !one
      cta.load %b[%col, %c64] extents [64, 64] through %bs : !view, !one
    %END
  }
  cta.role "use" warps 4 {
    %TILES
      %e = cta.begin : !sum
      %s1 = cta.wait %as : !one -> !slot
      %t1 = cta.wait %bs : !one -> !slot
      %p1 = cta.mma %e, %s1, %t1 by #product over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
      %d1 = cta.await %p1 : !sum -> !acc
      cta.release %s1 : !slot
      %s2 = cta.wait %as : !one -> !slot
      cta.release %t1 : !slot
      %t2 = cta.wait %bs : !one -> !slot
      %p2 = cta.mma %d1, %s2, %t2 by #product over 4x1 {b_transposed} : !acc, !slot, !slot -> !sum
      %d = cta.await %p2 : !sum -> !acc
      cta.release %s2 : !slot
      cta.release %t2 : !slot
      tile.store %d, %c[%row, %col] extents [64, 64] : !acc, !out, i32, i32
    %END
  }
)"),
                         200, 72, 128);
  run.expect(/*grid=*/2, [&](int64_t m, int64_t n) { return run.product(0, m, 1, n); });
}

TEST(Channels, one_slot_may_be_filled_after_an_answer_to_the_other) {
  ProgramRun run = runOf(kernelOf(R"(
  %as = cta.channel tma : !one
  %bs = cta.channel tma : !one
  %xs = cta.channel put : !one
)",
                                  R"(
  cta.role "load" warps 1 {
    %TILES
      %sa = cta.acquire %as : !one -> !slot
      %sb = cta.acquire %bs : !one -> !slot
      cta.copy %a[%row, %c0] extents [64, 64], %sa : !view, !slot
      cta.commit %sa : !slot
      %x = cta.wait %xs : !one -> !slot
      cta.release %x : !slot
      cta.copy %b[%col, %c0] extents [64, 64], %sb : !view, !slot
      cta.commit %sb : !slot
    %END
  }
  cta.role "use" warps 4 {
    %TILES
      %e = cta.begin : !sum
      %x = cta.acquire %xs : !one -> !slot
      %s = cta.wait %as : !one -> !slot
      %got = cta.get %s : !slot -> !tile
      cta.put %got, %x : !tile, !slot
      cta.commit %x : !slot
      %t = cta.wait %bs : !one -> !slot
      %p = cta.mma %e, %s, %t by #product over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> !acc
      cta.release %s : !slot
      cta.release %t : !slot
      tile.store %d, %c[%row, %col] extents [64, 64] : !acc, !out, i32, i32
    %END
  }
)"),
                         200, 72, 64);
  run.expect(/*grid=*/2, [&](int64_t m, int64_t n) { return run.product(0, m, 1, n); });
}

//===- Roles that read nothing ----------------------------------------------------------------===//

/// c = 0, by a role that lets as many slots pass as a tensor has steps, and now and then
/// multiplies.
std::string passing(const std::string &body) {
  return kernelOf("  %as = cta.channel tma : !one\n", R"(
  cta.role "load" warps 1 {
    scf.for %q = %c0 to %steps step %c1 : i32 {
      cta.load %a[%c0, %c0] extents [64, 64] through %as : !view, !one
    }
  }
  cta.role "pass" warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    scf.for %q = %c0 to %steps step %c1 : i32 {
      %s = cta.wait %as : !one -> !slot
)" + body + R"(
      cta.release %s : !slot
    }
    tile.store %zero, %c[%c0, %c0] extents [64, 64] : !acc, !out, i32, i32
  }
)");
}

TEST(Channels, warps_that_only_wait_stay_together) {
  const char *const bodies[] = {"", R"(
      %odd = arith.remsi %q, %c2 : i32
      %some = arith.cmpi eq, %odd, %c0 : i32
      scf.if %some {
        %e = cta.begin : !sum
        %p = cta.mma %e, %s, %s by #product over 4x1 : !sum, !slot, !slot -> !sum
        %d = cta.await %p : !sum -> !acc
        tile.store %d, %c[%c64, %c0] extents [64, 64] : !acc, !out, i32, i32
      })"};
  for (const char *body : bodies) {
    ProgramRun run = runOf(passing(body), 64, 64, 64 * 12);
    run.expect(/*grid=*/1, [](int64_t, int64_t) { return Expected{0, 0}; });
  }
}

//===- Programs for other targets -------------------------------------------------------------===//

TEST(Channels, programs_without_wgmma_compile) {
  const std::pair<const char *, std::vector<const char *>> programs[] = {
      {"gemm_sm_80.mlir", {"sm_80", "sm_86", "sm_89", "sm_90", "sm_120"}},
      {"gemm_sm_120.mlir", {"sm_120", "sm_100", "sm_90"}}};
  for (const auto &[file, targets] : programs)
    for (std::string target : targets) {
      SCOPED_TRACE(file + (" for " + target));
      std::string text = textOf(file);
      size_t at = text.find("cta.target = \"") + strlen("cta.target = \"");
      text.replace(at, text.find('"', at) - at, target);
      runtime::KernelSource source;
      lowerProgram(text, &source);
      auto compiled = runtime::compileKernel(source, {.useCache = false});
      ASSERT_TRUE(compiled) << compiled.error().message;
      EXPECT_EQ(compiled->spills.storeBytes + compiled->spills.loadBytes, 0u);
    }
}

} // namespace
