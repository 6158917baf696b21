// Kernels of kernels_src over rows and elements, as the reference interpreter runs them, against
// their formulas.
#include "tests/frontend/KernelNumbers.h"

#include <algorithm>
#include <numeric>

using namespace tilewright;
using namespace tilewright::frontend;

namespace {
constexpr int kRows = 6, kCols = 45, kSize = kRows * kCols;

Specialisation floats(int64_t columns = 0) {
  Specialisation specialisation;
  specialisation.dtypes["E"] = Dtype::F32;
  if (columns)
    specialisation.dims["D"] = columns;
  return specialisation;
}
} // namespace

/// With what is added before, and what else comes out.
TEST_F(KernelNumbers, normsOfSums) {
  Array &x = random("f32", kSize), &r = random("f32", kSize), &w = random("f32", kCols);
  Array &rms = harness.zeros("f32", kSize), &layer = harness.zeros("f32", kSize);
  Array &sum1 = harness.zeros("f32", kSize), &sum2 = harness.zeros("f32", kSize);
  auto rows = [&](Array &array) { return view(array, {kRows, kCols}); };
  Specialisation specialisation = floats(kCols);
  specialisation.tensors["residual"] = specialisation.tensors["added"] = {};
  specialisation.consts["shift"] = 1.0;
  run("rms_norm.py", "rms_norm", specialisation,
      {rows(x), view(w, {kCols}), rows(rms), 1e-3, rows(r), rows(sum1)});
  specialisation.consts.erase("shift");
  run("layer_norm.py", "layer_norm", specialisation,
      {rows(x), rows(layer), 1e-3, rows(r), rows(sum2)});
  Numbers in = x.values(), root(kSize), norm(kSize);
  for (int i = 0; i < kSize; ++i)
    in[i] += r.values()[i];
  for (int i = 0; i < kRows; ++i) {
    double *row = &in[i * kCols], squares = 0, variance = 0;
    double mean = std::accumulate(row, row + kCols, 0.0) / kCols;
    for (int j = 0; j < kCols; ++j)
      squares += row[j] * row[j], variance += (row[j] - mean) * (row[j] - mean) / kCols;
    for (int j = 0; j < kCols; ++j) {
      root[i * kCols + j] = row[j] / std::sqrt(squares / kCols + 1e-3) * (w.values()[j] + 1);
      norm[i * kCols + j] = (row[j] - mean) / std::sqrt(variance + 1e-3);
    }
  }
  expectNear(sum1, in, 0);
  expectNear(sum2, in, 0);
  expectNear(rms, root, 1e-5);
  expectNear(layer, norm, 1e-5);
}

/// A sum is rounded before it is normalised: what follows is what the stored sum would give.
TEST_F(KernelNumbers, normsOfRoundedSums) {
  Array &x = random("bf16", kSize), &r = harness.array("bf16", Numbers(kSize, 256));
  Array &w = random("bf16", kCols), &sum = harness.zeros("bf16", kSize);
  Array &y = harness.zeros("bf16", kSize), &again = harness.zeros("bf16", kSize);
  auto rows = [&](Array &array) { return view(array, {kRows, kCols}); };
  Specialisation specialisation = floats(kCols);
  specialisation.dtypes["E"] = Dtype::BF16;
  Specialisation withSum = specialisation;
  withSum.tensors["residual"] = withSum.tensors["added"] = {};
  run("rms_norm.py", "rms_norm", withSum,
      {rows(x), view(w, {kCols}), rows(y), 1e-3, rows(r), rows(sum)});
  run("rms_norm.py", "rms_norm", specialisation, {rows(sum), view(w, {kCols}), rows(again), 1e-3});
  expectNear(y, again.values(), 0);
}

TEST_F(KernelNumbers, logSoftmax) {
  Array &x = random("f32", kSize), &y = harness.zeros("f32", kSize);
  run("log_softmax.py", "log_softmax", floats(kCols),
      {view(x, {kRows, kCols}), view(y, {kRows, kCols})});
  Numbers expected = x.values();
  for (int i = 0; i < kRows; ++i) {
    double total = 0;
    for (int j = 0; j < kCols; ++j)
      total += std::exp(x.values()[i * kCols + j]);
    for (int j = 0; j < kCols; ++j)
      expected[i * kCols + j] -= std::log(total);
  }
  expectNear(y, expected, 1e-5);
}

TEST_F(KernelNumbers, activations) {
  Array &x = random("f32", kSize), &up = random("f32", kSize),
        &square = harness.zeros("f32", kSize);
  auto rows = [&](Array &array) { return view(array, {kRows, kCols}); };
  for (bool approximate : {false, true}) {
    Array &y = harness.zeros("f32", kSize), &gated = harness.zeros("f32", kSize);
    Specialisation specialisation = floats();
    specialisation.consts["approximate"] = approximate;
    run("gelu.py", "gelu", specialisation, {rows(x), rows(y)});
    run("gelu.py", "geglu", specialisation, {rows(x), rows(up), rows(gated)});
    Numbers expected = x.values(), product = up.values();
    for (int i = 0; i < kSize; ++i) {
      double v = expected[i];
      double part = approximate ? std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))
                                : std::erf(v / std::sqrt(2.0));
      expected[i] = v * (1 + part) / 2;
      product[i] *= expected[i];
    }
    expectNear(y, expected, 1e-5);
    expectNear(gated, product, 1e-5);
  }
  run("relu2.py", "relu2", floats(), {rows(x), rows(square)});
  Numbers squares = x.values();
  for (double &v : squares)
    v = v > 0 ? v * v : 0;
  expectNear(square, squares, 1e-6);
}

TEST_F(KernelNumbers, embedding) {
  constexpr int kWords = 5;
  Array &ids = harness.array("i64", {0, 4, 2, 2, 7, -3}); // two of them are no words
  Array &weight = random("f32", kWords * kCols), &y = harness.zeros("f32", kSize);
  Specialisation specialisation = floats();
  specialisation.dtypes["I"] = Dtype::I64;
  run("embedding.py", "embedding", specialisation,
      {view(ids, {kRows}), view(weight, {kWords, kCols}), view(y, {kRows, kCols}), int64_t(4)});
  Numbers words = weight.values(), expected;
  for (int id : {0, -1, 2, 2, -1, -1})
    for (int j = 0; j < kCols; ++j)
      expected.push_back(id < 0 ? 0 : words[id * kCols + j]);
  expectNear(y, expected, 0);
}

/// A share of the elements is dropped, which the seed alone chooses; the others are larger for it.
TEST_F(KernelNumbers, dropout) {
  constexpr int kMany = 4000;
  Array &x = harness.array("f32", Numbers(kMany, 1)), &seed = harness.array("i64", {77, 5});
  Array &other = harness.array("i64", {77, 6});
  auto drop = [&](Array &seed, int64_t width) {
    Array &y = harness.zeros("f32", kMany);
    Specialisation specialisation = floats();
    specialisation.consts["dropped"] = int64_t(64);
    specialisation.consts["BN"] = width;
    run("dropout.py", "dropout", specialisation,
        {view(x, {4, kMany / 4}), view(y, {4, kMany / 4}), view(seed, {2})});
    return y.values();
  };
  Numbers first = drop(seed, 1024);
  EXPECT_EQ(drop(seed, 256), first);
  EXPECT_NE(drop(other, 1024), first);
  EXPECT_NEAR(std::count(first.begin(), first.end(), 0), kMany / 4, 150);
  for (double value : first)
    EXPECT_TRUE(value == 0 || std::abs(value - 4.0 / 3) < 1e-6) << value;
}

TEST_F(KernelNumbers, transpose) {
  Array &x = random("f32", 2 * kSize), &y = harness.zeros("f32", 2 * kSize);
  run("transpose.py", "transpose", floats(),
      {view(x, {2, kRows, kCols}), view(y, {2, kCols, kRows})});
  Numbers expected;
  for (int b = 0; b < 2; ++b)
    for (int j = 0; j < kCols; ++j)
      for (int i = 0; i < kRows; ++i)
        expected.push_back(x.values()[b * kSize + i * kCols + j]);
  expectNear(y, expected, 0);
}

/// In the order of values, then of columns; infinities and NaN have their places.
TEST_F(KernelNumbers, topk) {
  constexpr int kLargest = 7, kWidth = 9;
  Numbers numbers{3, 1, 4, 1, 5, 9, 2, 6, 5};
  for (double value : {double(-INFINITY), 2.0, double(-INFINITY), 2.0, double(INFINITY),
                       double(-INFINITY), -3.4e38, double(NAN), double(-INFINITY)})
    numbers.push_back(value);
  Array &x = harness.array("f32", numbers), &values = harness.zeros("f32", 2 * kLargest);
  Array &indices = harness.zeros("i32", 2 * kLargest);
  Specialisation specialisation = floats(kWidth);
  specialisation.dims["K"] = kLargest;
  run("topk.py", "topk", specialisation,
      {view(x, {2, kWidth}), view(values, {2, kLargest}), view(indices, {2, kLargest})});
  expectNear(indices, {5, 7, 4, 8, 2, 0, 6, 4, 7, 1, 3, 6, 0, 2}, 0);
  EXPECT_EQ(values.values(), (Numbers{9, 6, 5, 5, 4, 3, 2, INFINITY, INFINITY, 2, 2,
                                      double(-3.4e38f), -INFINITY, -INFINITY}));

  Array &given = random("f32", 2 * kLargest), &dx = harness.zeros("f32", 2 * kWidth);
  run("topk.py", "topk_backward", floats(kWidth),
      {view(indices, {2, kLargest}), view(given, {2, kLargest}), view(dx, {2, kWidth})});
  Numbers expected(2 * kWidth), dvalues = given.values(), places = indices.values();
  for (int i = 0; i < 2 * kLargest; ++i)
    expected[i / kLargest * kWidth + int(places[i])] = dvalues[i];
  expectNear(dx, expected, 0);
}

/// Scales are those of the rows or blocks, and products of scales and numbers are near the input.
TEST_F(KernelNumbers, quantised) {
  constexpr int kM = 140, kK = 150, kMB = 2, kKB = 2;
  for (auto [type, dtype, largest, unit] : {std::tuple("f8E4M3FN", Dtype::F8E4M3, 448.0, 1 / 16.0),
                                            {"i8", Dtype::I8, 127.0, 0.5 / 127}})
    for (std::string name : {"rows", "blocks", "tiles", "tensor"}) {
      Array &x = random("f32", kM * kK), &q = harness.zeros(type, kM * kK);
      int count = name == "rows"     ? kM
                  : name == "blocks" ? kKB * kM
                  : name == "tiles"  ? kMB * kKB
                                     : 1;
      Array &scales = harness.zeros("f32", count), &top = harness.zeros("f32", 1);
      Specialisation specialisation = floats();
      if (name == "rows")
        specialisation.dims["K"] = kK;
      ViewValue in = view(x, {kM, kK}), out = view(q, {kM, kK});
      std::vector<Argument> arguments{in, out};
      if (name == "tensor") {
        run("quantise.py", "reduce_absmax", specialisation, {in, view(top, {1})});
        arguments = {in, view(top, {1}), out};
      }
      specialisation.dtypes["Q"] = dtype;
      arguments.push_back(name == "blocks"  ? view(scales, {kKB, kM})
                          : name == "tiles" ? view(scales, {kMB, kKB})
                                            : view(scales, {count}));
      run("quantise.py", "quantise_" + name, specialisation, arguments);
      Numbers tops(count), numbers = x.values(), found = q.values();
      auto part = [&](int i, int j) {
        return name == "rows"     ? i
               : name == "blocks" ? j / 128 * kM + i
               : name == "tiles"  ? i / 128 * kKB + j / 128
                                  : 0;
      };
      for (int i = 0; i < kM; ++i)
        for (int j = 0; j < kK; ++j)
          tops[part(i, j)] = std::max(tops[part(i, j)], std::abs(numbers[i * kK + j]));
      for (int i = 0; i < kM; ++i)
        for (int j = 0; j < kK; ++j) {
          double v = numbers[i * kK + j], top = tops[part(i, j)];
          double allowed = unit * (dtype == Dtype::I8 ? top : std::max(std::abs(v), top / 4096));
          ASSERT_NEAR(found[i * kK + j] * top / largest, v, allowed * 1.001) << name;
        }
      for (double &top : tops)
        top /= largest;
      expectNear(scales, tops, 1e-6);
    }
}

TEST_F(KernelNumbers, quantisedZeros) {
  Array &x = harness.zeros("f32", kSize), &q = harness.zeros("i8", kSize);
  Array &scales = harness.zeros("f32", kRows);
  Specialisation specialisation = floats();
  specialisation.dims["K"] = kCols;
  specialisation.dtypes["Q"] = Dtype::I8;
  run("quantise.py", "quantise_rows", specialisation,
      {view(x, {kRows, kCols}), view(q, {kRows, kCols}), view(scales, {kRows})});
  expectNear(q, Numbers(kSize), 0);
}

namespace {
struct Moments {
  Numbers param, mean, square;
};

void step(Moments &state, const Numbers &grad, int from, int to, double rate, double decay,
          int step) {
  for (int i = from; i < to; ++i) {
    double &m = state.mean[i], &s = state.square[i];
    m = 0.9 * m + 0.1 * grad[i];
    s = 0.999 * s + 0.001 * grad[i] * grad[i];
    double up = m / (1 - std::pow(0.9, step)), down = s / (1 - std::pow(0.999, step));
    state.param[i] -= rate * (decay * state.param[i] + up / (std::sqrt(down) + 1e-8));
  }
}
} // namespace

/// One parameter, and several of different lengths, one of them empty.
TEST_F(KernelNumbers, adamw) {
  constexpr int kCount = 700;
  const Numbers offsets{0, 300, 300, 310, 700}, rates{0.5, 9, 0.25, 0.125}, decays{0.5, 9, 0, 0.25};
  for (bool grouped : {false, true}) {
    Array &p = random("f32", kCount), &g = random("f32", kCount);
    Array &m = harness.zeros("f32", kCount), &s = harness.zeros("f32", kCount);
    Moments expected{p.values(), m.values(), s.values()};
    Specialisation specialisation;
    specialisation.dtypes["P"] = specialisation.dtypes["G"] = Dtype::F32;
    specialisation.consts["BN"] = int64_t(64);
    for (int64_t count : {1, 2, 3}) {
      auto all = [&](Array &array) { return view(array, {kCount}); };
      if (grouped) {
        Array &o = harness.array("i32", offsets);
        run("adamw.py", "adamw_grouped", specialisation,
            {all(p), all(g), all(m), all(s), view(o, {5}), view(harness.array("f32", rates), {4}),
             view(harness.array("f32", decays), {4}), count, 0.9, 0.999, 1e-8});
        for (int x = 0; x < 4; ++x)
          step(expected, g.values(), int(offsets[x]), int(offsets[x + 1]), rates[x], decays[x],
               int(count));
      } else {
        run("adamw.py", "adamw", specialisation,
            {all(p), all(g), all(m), all(s), 0.5, count, 0.9, 0.999, 1e-8, 0.25});
        step(expected, g.values(), 0, kCount, 0.5, 0.25, int(count));
      }
    }
    expectNear(p, expected.param, 1e-4);
    expectNear(m, expected.mean, 1e-5);
    expectNear(s, expected.square, 1e-5);
  }
}
