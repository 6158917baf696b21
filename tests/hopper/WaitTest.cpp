// What stands between a product and where it is awaited: loops and branches that run any number of
// times leave the product, and the slots that it reads, alone.
#include "tests/hopper/ProgramRun.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::hopper;

namespace {

/// c[M, N] = a[M, K] · b[N, K]ᵀ in tiles of 64×64; `use` is what one role does with a tile whose
/// slots another fills by `load`, and ends with the result `%d`.
std::string program(const std::string &load, const std::string &use) {
  return R"(
!tile = tensor<64x64xbf16>
!ring = !cta.channel<4 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!rows = tensor<64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>
func.func @product(%a: !view {tile.name = "a", tile.dims = ["M", "K"]},
    %b: !view {tile.name = "b", tile.dims = ["N", "K"]},
    %c: !out {tile.name = "c", tile.dims = ["M", "N"]}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %M = tile.dim %a, 0 : !view
  %N = tile.dim %b, 0 : !view
  %K = tile.dim %a, 1 : !view
  %m_tiles = arith.ceildivsi %M, %c64 : i32
  %n_tiles = arith.ceildivsi %N, %c64 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  %pairs = arith.ceildivsi %K, %c128 : i32
  %blocks = arith.muli %m_tiles, %n_tiles : i32
  tile.grid [%blocks]
  %as = cta.channel tma : !ring
  %bs = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%m_tiles, %n_tiles) {
      %row = arith.muli %i, %c64 : i32
      %column = arith.muli %j, %c64 : i32
)" + load +
         R"(
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%m_tiles, %n_tiles) {
      %row = arith.muli %i, %c64 : i32
      %column = arith.muli %j, %c64 : i32
      %ones = arith.constant dense<1.0> : !rows
      %e = cta.begin : !sum
)" + use +
         R"(
      tile.store %d, %c[%row, %column] extents [64, 64] : !acc, !out, i32, i32
    }
  }
  return
}
)";
}

/// Fills one slot of each ring from column %k on.
const std::string kLoadStep =
    "cta.load %a[%row, %k] extents [64, 64] through %as : !view, !ring\n"
    "cta.load %b[%column, %k] extents [64, 64] through %bs : !view, !ring\n";
const std::string kLoadOnce = "%k = arith.muli %c0, %c64 : i32\n" + kLoadStep;
const std::string kLoadAll = "scf.for %i_step = %c0 to %steps step %c1 : i32 {\n"
                             "%k = arith.muli %i_step, %c64 : i32\n" +
                             kLoadStep + "}\n";
const std::string kLoadPairs =
    "scf.for %pair = %c0 to %pairs step %c1 : i32 {\n"
    "%k = arith.muli %pair, %c128 : i32\n" +
    kLoadStep +
    "%k2 = arith.addi %k, %c64 : i32\n"
    "cta.load %a[%row, %k2] extents [64, 64] through %as : !view, !ring\n"
    "cta.load %b[%column, %k2] extents [64, 64] through %bs : !view, !ring\n}\n";

/// A product of one step, read by `%p`.
std::string product(const std::string &before, const std::string &p, const std::string &suffix) {
  std::string s = "%s" + suffix, t = "%t" + suffix;
  return s + " = cta.wait %as : !ring -> !slot\n" + t + " = cta.wait %bs : !ring -> !slot\n" + p +
         " = cta.mma " + before + ", " + s + ", " + t +
         " by #cta.wgmma<64x64x16> over 4x1 {b_transposed}"
         " : !sum, !slot, !slot -> !sum\n";
}

std::string release(const std::string &after, const std::string &suffix) {
  return "cta.release %s" + suffix + " : !slot after " + after + " : !sum\ncta.release %t" +
         suffix + " : !slot after " + after + " : !sum\n";
}

/// A loop of arithmetic that ends with ones.
const char *const kLoop = R"(
      %y = scf.for %q = %c0 to %n step %c1 iter_args(%x = %ones) -> (!rows) : i32 {
        %w = arith.mulf %x, %x : !rows
        scf.yield %w : !rows
      }
)";

const char *const kScaled = R"(
      %columns = tile.expand_dims %y, 1 : !rows -> tensor<64x1xf32>
      %factors = tile.broadcast %columns : tensor<64x1xf32> -> !acc
      %d = arith.mulf %total, %factors : !acc
)";

float always(int64_t) { return 1; }
float ifAny(int64_t n) { return n > 0; }

/// Runs a program over K columns with `n` from 0 to 3; the result is the product, times a factor.
void expectProduct(const std::string &load, const std::string &use, int64_t K,
                   float (*factor)(int64_t n) = always) {
  for (int64_t n = 0; n < 4; ++n) {
    SCOPED_TRACE("n = " + std::to_string(n));
    ProgramRun run(lowerProgram(program(load, use)));
    run.tensor("bf16", 100, K);
    run.tensor("bf16", 72, K);
    run.tensor("f32", 100, 72);
    run.numbers = {{"M", int64_t(100)}, {"N", int64_t(72)}, {"K", K}, {"n", n}};
    run.expect(/*grid=*/2,
               [&](int64_t row, int64_t column) {
                 Expected sum = run.product(0, row, 1, column);
                 return Expected{sum.value * factor(n), sum.tolerance + 1e-6f};
               },
               /*adds=*/false, /*random=*/6);
  }
}

TEST(Waits, a_loop_of_arithmetic_stands_behind_a_product) {
  expectProduct(kLoadOnce,
                product("%e", "%p", "") + release("%p", "") + kLoop +
                    "%total = cta.await %p : !sum -> !acc\n" + kScaled,
                64);
}

TEST(Waits, a_loop_of_arithmetic_stands_behind_the_main_loop) {
  expectProduct(
      kLoadAll,
      "%sum = scf.for %k = %c0 to %steps step %c1 iter_args(%x0 = %e) -> (!sum) : i32 {\n" +
          product("%x0", "%p", "") + release("%p", "") + "scf.yield %p : !sum\n}\n" + kLoop +
          "%total = cta.await %sum : !sum -> !acc\n" + kScaled,
      200);
}

TEST(Waits, a_loop_of_arithmetic_stands_in_the_main_loop) {
  expectProduct(kLoadAll,
                "%sum, %y = scf.for %k = %c0 to %steps step %c1 iter_args(%x0 = %e, %y0 = %ones)"
                " -> (!sum, !rows) : i32 {\n" +
                    product("%x0", "%p", "") + release("%p", "") +
                    "%yy = scf.for %q = %c0 to %n step %c1 iter_args(%x = %y0) -> (!rows) : i32 {\n"
                    "%w = arith.mulf %x, %x : !rows\nscf.yield %w : !rows\n}\n"
                    "scf.yield %p, %yy : !sum, !rows\n}\n"
                    "%total = cta.await %sum : !sum -> !acc\n" +
                    kScaled,
                200);
}

TEST(Waits, a_branch_with_a_loop_stands_behind_a_product) {
  expectProduct(kLoadOnce, product("%e", "%p", "") + release("%p", "") + R"(
      %on = arith.cmpi sgt, %n, %c1 : i32
      %y = scf.if %on -> !rows {
        %yy = scf.for %q = %c0 to %c1 step %c1 iter_args(%x = %ones) -> (!rows) : i32 {
          %w = arith.mulf %x, %x : !rows
          scf.yield %w : !rows
        }
        scf.yield %yy : !rows
      } else {
        scf.yield %ones : !rows
      }
      %total = cta.await %p : !sum -> !acc
)" + kScaled,
                64);
}

TEST(Waits, a_loop_on_a_condition_with_products_stands_behind_a_product) {
  expectProduct(kLoadOnce, product("%e", "%p", "") + R"(
      %last = scf.while (%q = %c0) : (i32) -> (i32) {
        %go = arith.cmpi slt, %q, %n : i32
        scf.condition(%go) %q : i32
      } do {
      ^bb0(%q: i32):
        %e2 = cta.begin : !sum
        %p2 = cta.mma %e2, %s, %t
            by #cta.wgmma<64x64x16> over 4x1 {b_transposed}
            : !sum, !slot, !slot -> !sum
        %d2 = cta.await %p2 : !sum -> !acc
        tile.store %d2, %c[%row, %column] extents [64, 64] : !acc, !out, i32, i32
        %r = arith.addi %q, %c1 : i32
        scf.yield %r : i32
      }
      %d = cta.await %p : !sum -> !acc
      cta.release %s : !slot
      cta.release %t : !slot
)",
                64);
}

// Each ring gives two slots to one pair of products, and both go back behind the second.
TEST(Waits, two_slots_of_a_ring_go_back_after_one_product) {
  expectProduct(
      kLoadPairs,
      "%sum = scf.for %k = %c0 to %pairs step %c1 iter_args(%x0 = %e) -> (!sum) : i32 {\n" +
          product("%x0", "%p", "") + product("%p", "%p2", "2") + release("%p2", "") +
          release("%p2", "2") + "scf.yield %p2 : !sum\n}\n%d = cta.await %sum : !sum -> !acc\n",
      256);
}

// A tile that is rescaled again and again is what it was before each time.
TEST(Waits, a_tile_of_outside_a_loop_is_rescaled_in_it) {
  expectProduct(kLoadOnce, product("%e", "%p", "") + release("%p", "") + R"(
      %total = cta.await %p : !sum -> !acc
      %twice = arith.constant dense<2.0> : !rows
      %zero = arith.constant dense<0.0> : !acc
      %scaled = scf.for %q = %c0 to %n step %c1 iter_args(%x = %zero) -> (!acc) : i32 {
        %r = cta.rescale %total, %twice : !acc, !rows
        scf.yield %r : !acc
      }
      %half = arith.constant dense<0.5> : !acc
      %d = arith.mulf %scaled, %half : !acc
)",
                64, ifAny);
}

} // namespace
