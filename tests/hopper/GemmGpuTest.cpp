// Runs the programs of this folder through the runtime and compares with products on the CPU.
#include "runtime/Kernel.h"
#include "tests/hopper/DeviceMatrix.h"
#include "tests/hopper/HopperGpu.h"
#include "tests/hopper/Program.h"

using namespace tilewright;
using namespace tilewright::runtime;
using hopper::expectProduct;
using hopper::HopperGpu;
using Matrix = hopper::DeviceMatrix;

namespace {

using Sizes = std::array<int64_t, 3>;

class Gemm : public HopperGpu, public testing::WithParamInterface<Sizes> {
protected:
  void launch(const KernelSource &source, const std::vector<Argument> &args) {
    ErrorOr<Kernel> kernel = Kernel::build(source, {.useCache = false});
    ASSERT_TRUE(kernel) << kernel.error().message;
    ASSERT_OK(kernel->launch(nullptr, args));
  }
};

TEST_P(Gemm, equals_the_product_on_the_cpu) {
  auto [M, N, K] = GetParam();
  Matrix a(*driver, ElementType::BF16, M, K), b(*driver, ElementType::BF16, N, K);
  Matrix c(*driver, ElementType::BF16, M, N);
  a.fill(1);
  b.fill(2);
  ASSERT_OK(c.buffer.fill(0xff));
  launch(hopper::gemm(), {a.ref(), b.ref(), c.ref()});
  c.fetch();
  expectProduct(a, [&](int64_t k, int64_t n) { return b.at(n, k); }, c, 1.0f / 128);
}

TEST_P(Gemm, split_k_equals_the_product_on_the_cpu) {
  auto [M, N, K] = GetParam();
  for (int64_t splits : {1, 3}) {
    Matrix a(*driver, ElementType::F16, M, K), b(*driver, ElementType::F16, K, N);
    Matrix c(*driver, ElementType::F32, M, N);
    a.fill(3);
    b.fill(4);
    ASSERT_OK(c.buffer.fill(0));
    launch(hopper::splitK(), {a.ref(), b.ref(), c.ref(), splits});
    c.fetch();
    expectProduct(a, [&](int64_t k, int64_t n) { return b.at(k, n); }, c, 1e-5f);
  }
}

/// A program of which most of five blocks have a part of a tile or two.
KernelSource sharing(const char *program) {
  KernelSource source;
  hopper::lowerProgram(
      hopper::replaced(program, {{"least 16", "least 1"}, {"cta.sms", "arith.constant 5"}}),
      &source);
  return source;
}

class Programs : public Gemm {
protected:
  /// Launches a program three times on each of two streams, the second time on another a.
  void expectOnTwoStreams(const KernelSource &source);
  /// Runs a program with a scale for each row of a, each 128 rows of b and 128 columns of both.
  void expectBlockScaled(const KernelSource &source);
};

TEST_P(Programs, equal_the_product_on_the_cpu) {
  auto [M, N, K] = GetParam();
  for (const char *program : {"gemm_cooperative.mlir", "gemm_persistent.mlir", "gemm_pingpong.mlir",
                              "gemm_stream_k.mlir"}) {
    SCOPED_TRACE(program);
    Matrix a(*driver, ElementType::BF16, M, K), b(*driver, ElementType::BF16, N, K);
    Matrix c(*driver, ElementType::BF16, M, N);
    a.fill(1);
    b.fill(2);
    ASSERT_OK(c.buffer.fill(0xff));
    launch(hopper::programSource(program), {a.ref(), b.ref(), c.ref()});
    c.fetch();
    expectProduct(a, [&](int64_t k, int64_t n) { return b.at(n, k); }, c, 1.0f / 128);
  }
}

void Programs::expectOnTwoStreams(const KernelSource &source) {
  auto [M, N, K] = GetParam();
  Matrix a(*driver, ElementType::BF16, M, K), other(*driver, ElementType::BF16, M, K);
  Matrix b(*driver, ElementType::BF16, N, K);
  Matrix c(*driver, ElementType::BF16, M, N), d(*driver, ElementType::BF16, M, N);
  a.fill(1);
  other.fill(3);
  b.fill(2);
  ErrorOr<Kernel> kernel = Kernel::build(source, {.useCache = false});
  ASSERT_TRUE(kernel) << kernel.error().message;
  ErrorOr<OwnedStream> stream = OwnedStream::create(*driver);
  ASSERT_TRUE(stream) << stream.error().message;
  for (Matrix *left : {&a, &other, &a}) {
    ASSERT_OK(c.buffer.fill(0xff));
    ASSERT_OK(d.buffer.fill(0xff, stream->get()));
    ASSERT_OK(kernel->launch(nullptr, std::vector<Argument>{left->ref(), b.ref(), c.ref()}));
    ASSERT_OK(kernel->launch(stream->get(), std::vector<Argument>{left->ref(), b.ref(), d.ref()}));
  }
  ASSERT_OK(stream->synchronize());
  for (Matrix *result : {&c, &d}) {
    result->fetch();
    expectProduct(a, [&](int64_t k, int64_t n) { return b.at(n, k); }, *result, 1.0f / 128);
  }
}

// Each launch finds its counter of tiles at 0, and streams do not share one.
TEST_P(Programs, queues_equal_the_product_on_the_cpu) {
  KernelSource source;
  hopper::lowerProgram(
      hopper::replaced("gemm_persistent.mlir", {{"grouped 16 {", "grouped 16 queue {"}}), &source);
  expectOnTwoStreams(source);
}

// Each launch finds all flags lowered, and streams do not share them, nor the memory that parts are
// left in.
TEST_P(Programs, shared_tiles_equal_the_product_on_the_cpu) {
  expectOnTwoStreams(sharing("gemm_stream_k.mlir"));
}

// Tiles of 128 rows leave out the steps of 64 columns in which all of their rows are above the
// diagonal; some are of no steps.
TEST_P(Programs, tiles_of_different_lengths_equal_the_product_on_the_cpu) {
  auto [M, N, K] = GetParam();
  Matrix a(*driver, ElementType::BF16, M, K), b(*driver, ElementType::BF16, N, K);
  Matrix c(*driver, ElementType::BF16, M, N);
  b.fill(2);
  for (const KernelSource &source :
       {hopper::programSource("gemm_triangular.mlir"), sharing("gemm_triangular.mlir")})
    for (int64_t diagonal : {-200, 0, 70}) {
      a.fill(1);
      ASSERT_OK(c.buffer.fill(0xff));
      launch(source, {a.ref(), b.ref(), c.ref(), diagonal});
      c.fetch();
      for (int64_t m = 0; m < M; ++m) {
        int64_t reach = std::max<int64_t>(0, (m / 128 + 1) * 128 + diagonal);
        for (int64_t k = (reach + 63) / 64 * 64; k < K; ++k)
          a.values[size_t(m * K + k)] = 0;
      }
      expectProduct(a, [&](int64_t k, int64_t n) { return b.at(n, k); }, c, 1.0f / 128);
    }
}

TEST_P(Programs, gemm_e4m3_equals_the_product_on_the_cpu) {
  auto [M, N, someK] = GetParam();
  int64_t K = (someK + 15) / 16 * 16; // rows of whole 16 bytes
  Matrix a(*driver, ElementType::F8E4M3, M, K), b(*driver, ElementType::F8E4M3, N, K);
  Matrix c(*driver, ElementType::BF16, M, N);
  a.fill(1);
  b.fill(2);
  for (const KernelSource &source :
       {hopper::programSource("gemm_e4m3.mlir"), sharing("gemm_e4m3.mlir")}) {
    ASSERT_OK(c.buffer.fill(0xff));
    launch(source, {a.ref(), b.ref(), c.ref(), 1.0});
    c.fetch();
    expectProduct(
        a, [&](int64_t k, int64_t n) { return b.at(n, k); }, c, 1.0f / 128,
        hopper::kSumsOf8BitFloats);
  }
}

void Programs::expectBlockScaled(const KernelSource &source) {
  auto [M, N, someK] = GetParam();
  int64_t K = (someK + 15) / 16 * 16, blocks = (K + 127) / 128;
  Matrix a(*driver, ElementType::F8E4M3, M, K), b(*driver, ElementType::F8E4M3, N, K);
  Matrix aScales(*driver, ElementType::F32, blocks, M, /*alignment=*/4);
  Matrix bScales(*driver, ElementType::F32, (N + 127) / 128, blocks, /*alignment=*/4);
  Matrix c(*driver, ElementType::BF16, M, N);
  a.fill(1);
  b.fill(2);
  aScales.fill(3);
  bScales.fill(4);
  ASSERT_OK(c.buffer.fill(0xff));
  launch(source, {a.ref(), b.ref(), aScales.ref(), bScales.ref(), c.ref()});
  c.fetch();
  for (int64_t m = 0; m < M; ++m)
    for (int64_t n = 0; n < N; ++n) {
      float sum = 0, magnitude = 0;
      for (int64_t k = 0; k < K; ++k) {
        float scale = aScales.at(k / 128, m) * bScales.at(n / 128, k / 128);
        float term = a.at(m, k) * b.at(n, k) * scale;
        sum += term;
        magnitude += std::abs(term);
      }
      // The hardware keeps some 14 bits of a sum of 128 products.
      ASSERT_NEAR(c.at(m, n), sum, std::abs(sum) / 128 + magnitude / 4096)
          << "element " << m << ", " << n;
    }
}

TEST_P(Programs, gemm_block_scaled_equals_the_product_on_the_cpu) {
  expectBlockScaled(hopper::programSource("gemm_block_scaled.mlir"));
}

TEST_P(Programs, gemm_block_scaled_tall_equals_the_product_on_the_cpu) {
  expectBlockScaled(hopper::programSource("gemm_block_scaled_tall.mlir"));
  expectBlockScaled(sharing("gemm_block_scaled_tall.mlir"));
}

TEST_P(Programs, gemm_mixed_equals_the_product_on_the_cpu) {
  auto [M, N, someK] = GetParam();
  int64_t K = (someK + 15) / 16 * 16;
  Matrix a(*driver, ElementType::BF16, M, K), b(*driver, ElementType::F8E4M3, N, K);
  Matrix scales(*driver, ElementType::F32, (K + 63) / 64, N), c(*driver, ElementType::BF16, M, N);
  a.fill(1);
  b.fill(2);
  scales.fill(3);
  ASSERT_OK(c.buffer.fill(0xff));
  launch(hopper::programSource("gemm_mixed.mlir"), {a.ref(), b.ref(), scales.ref(), c.ref()});
  c.fetch();
  auto dequantised = [&](int64_t k, int64_t n) {
    return simulator::roundTo<simulator::BFloat16>(b.at(n, k) * scales.at(k / 64, n));
  };
  expectProduct(a, dequantised, c, 1.0f / 128);
}

TEST_P(Programs, gemm_split_k_equals_the_product_on_the_cpu) {
  auto [M, N, K] = GetParam();
  Matrix a(*driver, ElementType::BF16, M, K), b(*driver, ElementType::BF16, N, K);
  Matrix c(*driver, ElementType::F32, M, N);
  a.fill(3);
  b.fill(4);
  ASSERT_OK(c.buffer.fill(0));
  launch(hopper::programSource("gemm_split_k.mlir"), {a.ref(), b.ref(), c.ref(), int64_t(3)});
  c.fetch();
  expectProduct(a, [&](int64_t k, int64_t n) { return b.at(n, k); }, c, 1e-5f);
}

TEST_P(Programs, swiglu_equals_the_products_on_the_cpu) {
  auto [M, N, K] = GetParam();
  Matrix x(*driver, ElementType::BF16, M, K), gate(*driver, ElementType::BF16, N, K);
  Matrix up(*driver, ElementType::BF16, N, K), h(*driver, ElementType::BF16, M, N);
  x.fill(1);
  gate.fill(2);
  up.fill(3);
  ASSERT_OK(h.buffer.fill(0xff));
  launch(hopper::programSource("swiglu.mlir"), {x.ref(), gate.ref(), up.ref(), h.ref()});
  h.fetch();
  for (int64_t m = 0; m < M; ++m)
    for (int64_t n = 0; n < N; ++n) {
      float g = 0, u = 0;
      for (int64_t k = 0; k < K; ++k) {
        g += x.at(m, k) * gate.at(n, k);
        u += x.at(m, k) * up.at(n, k);
      }
      float value = g / (1 + std::exp(-g)) * u;
      float tolerance = std::abs(value) / 128 + 1e-5f * float(K) * (1 + std::abs(u) + std::abs(g));
      ASSERT_NEAR(h.at(m, n), value, tolerance) << "element " << m << ", " << n;
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Programs,
                         testing::Values(Sizes{128, 256, 64}, Sizes{256, 256, 512}, Sizes{1, 8, 8},
                                         Sizes{77, 200, 264}, Sizes{333, 520, 1000},
                                         Sizes{2000, 3000, 328}));

class LargePrograms : public Gemm {};

// 144 tiles of 33 steps: of the 12 behind the first 132, which all blocks have one of, 25 blocks
// make 16 steps each.
TEST_P(LargePrograms, tiles_left_over_are_shared) {
  auto [M, N, K] = GetParam();
  Matrix a(*driver, ElementType::BF16, M, K), b(*driver, ElementType::BF16, N, K);
  Matrix c(*driver, ElementType::BF16, M, N);
  a.fill(1);
  b.fill(2);
  ErrorOr<Kernel> kernel =
      Kernel::build(hopper::programSource("gemm_stream_k.mlir"), {.useCache = false});
  ASSERT_TRUE(kernel) << kernel.error().message;
  for (int launch = 0; launch < 2; ++launch) {
    ASSERT_OK(c.buffer.fill(0xff));
    ASSERT_OK(kernel->launch(nullptr, std::vector<Argument>{a.ref(), b.ref(), c.ref()}));
    c.fetch();
    expectProduct(
        a, [&](int64_t k, int64_t n) { return b.at(n, k); }, c, 1.0f / 128, hopper::kExactSums,
        /*every=*/13);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LargePrograms, testing::Values(Sizes{1500, 3000, 2104}));

class Chain : public Gemm {};

TEST_P(Chain, equals_the_products_on_the_cpu) {
  auto [M, D, T] = GetParam();
  Matrix q(*driver, ElementType::BF16, M, D), k(*driver, ElementType::BF16, T, D);
  Matrix v(*driver, ElementType::BF16, T, D), d(*driver, ElementType::F32, M, D);
  q.fill(5);
  k.fill(6);
  v.fill(7);
  ASSERT_OK(d.buffer.fill(0xff));
  launch(hopper::chain(), {q.ref(), k.ref(), v.ref(), d.ref()});
  d.fetch();
  for (int64_t m = 0; m < M; ++m)
    for (int64_t n = 0; n < D; ++n) {
      float sum = 0, magnitude = 0;
      for (int64_t t = 0; t < T; ++t) {
        float score = 0;
        for (int64_t i = 0; i < D; ++i)
          score += q.at(m, i) * k.at(t, i);
        float term = simulator::roundTo<simulator::BFloat16>(score) * v.at(t, n);
        sum += term;
        magnitude += std::abs(term);
      }
      // A score next to a tie may round the other way.
      ASSERT_NEAR(d.at(m, n), sum, magnitude / 256) << "element " << m << ", " << n;
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Chain,
                         testing::Values(Sizes{128, 64, 64}, Sizes{256, 64, 512},
                                         Sizes{77, 64, 200}, Sizes{333, 64, 1000}));

INSTANTIATE_TEST_SUITE_P(Sizes, Gemm,
                         testing::Values(Sizes{128, 128, 64}, Sizes{128, 128, 512},
                                         Sizes{256, 384, 1024}, Sizes{1, 8, 8}, Sizes{77, 200, 264},
                                         Sizes{333, 72, 1000}));

} // namespace
