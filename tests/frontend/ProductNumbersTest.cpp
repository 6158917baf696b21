// The matrix products of kernels_src as the reference interpreter runs them, against their
// formulas.
#include "tests/frontend/KernelNumbers.h"

using namespace tilewright;
using namespace tilewright::frontend;

namespace {

/// a b of [m, k] and [k, n]; a transposed operand is stored the other way round.
Numbers multiply(const Numbers &a, const Numbers &b, int m, int n, int k, bool transposeA,
                 bool transposeB) {
  Numbers c(m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int l = 0; l < k; ++l)
        c[i * n + j] +=
            a[transposeA ? l * m + i : i * k + l] * b[transposeB ? j * k + l : l * n + j];
  return c;
}

} // namespace

TEST_F(KernelNumbers, matmul) {
  constexpr int kM = 40, kN = 37, kK = 50;
  for (auto [type, dtype, out, outDtype] : {std::tuple("f32", Dtype::F32, "f32", Dtype::F32),
                                            {"i8", Dtype::I8, "i32", Dtype::I32},
                                            {"bf16", Dtype::BF16, "f32", Dtype::F32}})
    for (bool transposeA : {false, true})
      for (bool transposeB : {false, true}) {
        Array &a = random(type, kM * kK), &b = random(type, kK * kN);
        Array &c = harness.zeros(out, kM * kN);
        Specialisation specialisation;
        specialisation.dtypes["E"] = dtype;
        specialisation.dtypes["O"] = outDtype;
        for (const char *name : {"BM", "BN", "BK"})
          specialisation.consts[name] = int64_t(32);
        std::string suffix = transposeA ? (transposeB ? "_tt" : "_tn") : transposeB ? "_nt" : "";
        run("matmul.py", "matmul" + suffix, specialisation,
            {transposeA ? view(a, {kK, kM}) : view(a, {kM, kK}),
             transposeB ? view(b, {kN, kK}) : view(b, {kK, kN}), view(c, {kM, kN})});
        expectNear(c, multiply(a.values(), b.values(), kM, kN, kK, transposeA, transposeB), 1e-5);
      }
}

/// Experts without rows, with one, with as many as a tile, with more; one of them is no number,
/// which its neighbours do not see.
TEST_F(KernelNumbers, matmulGrouped) {
  constexpr int kN = 37, kK = 51, kRows[] = {0, 5, 0, 16, 1, 37, 7, 0};
  constexpr int kExperts = std::size(kRows), kNan = 4;
  Numbers cuts{0};
  for (int rows : kRows)
    cuts.push_back(cuts.back() + rows);
  int rows = int(cuts.back());
  Array &a = random("f32", rows * kK), &b = random("f32", kExperts * kN * kK);
  Numbers left = a.values(), right = b.values(), expected;
  for (int expert = 0; expert < kExperts; ++expert) {
    Numbers part(left.begin() + int(cuts[expert]) * kK, left.begin() + int(cuts[expert + 1]) * kK);
    Numbers own(right.begin() + expert * kN * kK, right.begin() + (expert + 1) * kN * kK);
    Numbers product = multiply(part, own, kRows[expert], kN, kK, false, true);
    expected.insert(expected.end(), product.begin(), product.end());
  }
  int from = int(cuts[kNan]), to = int(cuts[kNan + 1]);
  std::fill(left.begin() + from * kK, left.begin() + to * kK, std::nan(""));
  Array &c = harness.zeros("f32", rows * kN);
  Specialisation specialisation;
  specialisation.dtypes["E"] = specialisation.dtypes["O"] = Dtype::F32;
  specialisation.consts["tf32"] = false;
  for (const char *name : {"BM", "BN", "BK"})
    specialisation.consts[name] = int64_t(16);
  run("matmul_grouped.py", "matmul_grouped", specialisation,
      {view(harness.array("f32", left), {rows, kK}), view(b, {kExperts, kN, kK}),
       view(harness.array("i32", cuts), {kExperts + 1}), view(c, {rows, kN})});
  Numbers found = c.values();
  for (int i = from * kN; i < to * kN; ++i) {
    EXPECT_TRUE(std::isnan(found[i]));
    found[i] = expected[i];
  }
  expectNear(harness.array("f32", found), expected, 1e-5);
}

TEST_F(KernelNumbers, geluLinear) {
  constexpr int kM = 20, kN = 24, kK = 40;
  Array &x = random("bf16", kM * kK), &w = random("bf16", kN * kK), &bias = random("bf16", kN);
  for (bool approximate : {false, true}) {
    Array &y = harness.zeros("bf16", kM * kN);
    Specialisation specialisation;
    specialisation.dtypes["E"] = Dtype::BF16;
    specialisation.consts["approximate"] = approximate;
    specialisation.tensors["bias"] = {};
    for (const char *name : {"BM", "BN", "BK"})
      specialisation.consts[name] = int64_t(16);
    run("gelu_linear.py", "gelu_linear", specialisation,
        {view(x, {kM, kK}), view(w, {kN, kK}), view(y, {kM, kN}), view(bias, {kN})});
    Numbers expected = multiply(x.values(), w.values(), kM, kN, kK, false, true);
    for (int i = 0; i < kM * kN; ++i) {
      double v = expected[i] + bias.values()[i % kN];
      double inner = std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v);
      expected[i] = v * (1 + (approximate ? std::tanh(inner) : std::erf(v / std::sqrt(2.0)))) / 2;
    }
    expectNear(y, expected, 1.0 / 128);
  }
}

TEST_F(KernelNumbers, swigluMlp) {
  constexpr int kM = 20, kN = 24, kK = 40;
  Array &x = random("f16", kM * kK), &gate = random("f16", kN * kK), &up = random("f16", kN * kK);
  Array &down = random("f16", kK * kN), &h = harness.zeros("f16", kM * kN);
  Array &y = harness.zeros("f16", kM * kK);
  Specialisation specialisation;
  specialisation.dtypes["E"] = Dtype::F16;
  for (const char *name : {"BM", "BN", "BK"})
    specialisation.consts[name] = int64_t(16);
  run("swiglu_mlp.py", "swiglu_mlp", specialisation,
      {view(x, {kM, kK}), view(gate, {kN, kK}), view(up, {kN, kK}), view(h, {kM, kN})});
  run("swiglu_mlp.py", "swiglu_mlp_down", specialisation,
      {view(h, {kM, kN}), view(down, {kK, kN}), view(y, {kM, kK})});
  Numbers g = multiply(x.values(), gate.values(), kM, kN, kK, false, true);
  Numbers u = multiply(x.values(), up.values(), kM, kN, kK, false, true);
  for (int i = 0; i < kM * kN; ++i)
    g[i] = silu(g[i]) * u[i];
  expectNear(h, g, 1e-3);
  expectNear(y, multiply(h.values(), down.values(), kM, kK, kN, false, true), 1e-3);
}

TEST_F(KernelNumbers, matmulScaled) {
  constexpr int kM = 20, kN = 37, kK = 50;
  for (auto [type, dtype] :
       {std::pair("f8E4M3FN", Dtype::F8E4M3), {"bf16", Dtype::BF16}, {"f32", Dtype::F32}}) {
    Array &a = random(type, kM * kK), &b = random(type, kN * kK);
    Array &c = harness.zeros("f32", kM * kN);
    Specialisation specialisation;
    specialisation.dtypes["E"] = dtype;
    specialisation.dtypes["O"] = Dtype::F32;
    for (const char *name : {"BM", "BN", "BK"})
      specialisation.consts[name] = int64_t(16);
    run("matmul_scaled.py", "matmul_scaled", specialisation,
        {view(a, {kM, kK}), view(b, {kN, kK}), view(c, {kM, kN}), -0.75});
    Numbers expected = multiply(a.values(), b.values(), kM, kN, kK, false, true);
    for (double &number : expected)
      number *= -0.75;
    expectNear(c, expected, 1e-5);
  }
}

/// Operands are worth what their scales make of them: a scale for each `block` columns of a row,
/// and of each `rowBlock` rows. Scales lie by blocks of columns first, or by rows first.
static Numbers scaled(Numbers values, const Numbers &scales, int rows, int columns, int block,
                      int rowBlock, bool rowsFirst) {
  int blocks = (columns + block - 1) / block, rowBlocks = (rows + rowBlock - 1) / rowBlock;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      int row = i / rowBlock, column = j / block;
      values[i * columns + j] *=
          scales[rowsFirst ? row * blocks + column : column * rowBlocks + row];
    }
  return values;
}

TEST_F(KernelNumbers, matmulBlockScaled) {
  constexpr int kM = 20, kN = 150, kK = 300, kRowBlocks = 2, kBlocks = 3;
  for (auto [type, dtype, tile] : {std::tuple("f8E4M3FN", Dtype::F8E4M3, 128),
                                   {"f8E5M2", Dtype::F8E5M2, 32},
                                   {"i8", Dtype::I8, 64}}) {
    Array &a = random(type, kM * kK), &b = random(type, kN * kK);
    Array &aScales = random("f32", kBlocks * kM), &bScales = random("f32", kRowBlocks * kBlocks);
    Array &c = harness.zeros("f32", kM * kN);
    Specialisation specialisation;
    specialisation.dtypes["E"] = dtype;
    specialisation.dtypes["O"] = Dtype::F32;
    specialisation.consts["BM"] = int64_t(16);
    specialisation.consts["BN"] = int64_t(tile);
    run("matmul_block_scaled.py", "matmul_block_scaled", specialisation,
        {view(a, {kM, kK}), view(b, {kN, kK}), view(aScales, {kBlocks, kM}),
         view(bScales, {kRowBlocks, kBlocks}), view(c, {kM, kN})});
    Numbers left = scaled(a.values(), aScales.values(), kM, kK, 128, 1, false);
    Numbers right = scaled(b.values(), bScales.values(), kN, kK, 128, 128, true);
    expectNear(c, multiply(left, right, kM, kN, kK, false, true), 1e-4);
  }
}

TEST_F(KernelNumbers, matmulMixed) {
  constexpr int kM = 20, kN = 37, kK = 150;
  for (auto [type, dtype, group] :
       {std::tuple("f8E4M3FN", Dtype::F8E4M3, 64), {"i8", Dtype::I8, 32}}) {
    int groups = (kK + group - 1) / group;
    Array &a = random("bf16", kM * kK), &b = random(type, kN * kK);
    Array &scales = random("f32", groups * kN), &c = harness.zeros("bf16", kM * kN);
    Specialisation specialisation;
    specialisation.dtypes["E"] = Dtype::BF16;
    specialisation.dtypes["Q"] = dtype;
    specialisation.consts["group"] = int64_t(group);
    for (const char *name : {"BM", "BN", "BK"})
      specialisation.consts[name] = int64_t(16);
    run("matmul_mixed.py", "matmul_mixed", specialisation,
        {view(a, {kM, kK}), view(b, {kN, kK}), view(scales, {groups, kN}), view(c, {kM, kN})});
    // What b is worth is rounded to bf16 before it is multiplied, as in an array of that type.
    Array &right =
        harness.array("bf16", scaled(b.values(), scales.values(), kN, kK, group, 1, false));
    expectNear(c, multiply(a.values(), right.values(), kM, kN, kK, false, true), 1.0 / 128);
  }
}
