// The kernels of kernels_src, lowered and run by the reference interpreter, against their formulas.
#include "tests/frontend/KernelNumbers.h"

using namespace tilewright;
using namespace tilewright::frontend;

TEST_F(KernelNumbers, vectorAdd) {
  Array &x = random("bf16", 5000), &y = random("bf16", 5000), &z = harness.zeros("bf16", 5000);
  Specialisation specialisation;
  specialisation.dtypes["E"] = Dtype::BF16;
  run("vector_add.py", "vector_add", specialisation,
      {view(x, {5000}), view(y, {5000}), view(z, {5000})});
  Numbers expected = x.values();
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] += y.values()[i];
  expectNear(z, expected, 1.0 / 256);
}

TEST_F(KernelNumbers, reductions) {
  Array &x = random("f32", 3000), &total = harness.zeros("f32", 1);
  Array &largest = harness.array("f32", {-INFINITY});
  Specialisation specialisation;
  specialisation.dtypes["E"] = Dtype::F32;
  specialisation.consts["PROGRAMS"] = int64_t(3);
  specialisation.consts["BN"] = int64_t(256);
  run("reduce_sum.py", "reduce_sum", specialisation, {view(x, {3000}), view(total, {1})});
  run("reduce_max.py", "reduce_max", specialisation, {view(x, {3000}), view(largest, {1})});
  double sum = 0, max = -INFINITY;
  for (double value : x.values())
    sum += value, max = std::max(max, value);
  expectNear(total, {sum}, 1e-5);
  expectNear(largest, {max}, 0);
}

TEST_F(KernelNumbers, rowKernels) {
  constexpr int kRows = 10, kCols = 48;
  Array &x = random("f32", kRows * kCols), &w = random("f32", kCols), &b = random("f32", kCols);
  Array &sums = harness.zeros("f32", kRows), &maxima = harness.zeros("f32", kRows);
  Array &softmax = harness.zeros("f32", kRows * kCols);
  Array &rms = harness.zeros("f32", kRows * kCols), &layer = harness.zeros("f32", kRows * kCols);
  Specialisation specialisation;
  specialisation.dtypes["E"] = Dtype::F32;
  specialisation.dims["D"] = kCols;
  ViewValue input = view(x, {kRows, kCols});
  run("reduce_max.py", "reduce_max_rows", specialisation, {input, view(maxima, {kRows})});
  run("softmax.py", "softmax", specialisation, {input, view(softmax, {kRows, kCols})});
  run("rms_norm.py", "rms_norm", specialisation,
      {input, view(w, {kCols}), view(rms, {kRows, kCols}), 1e-3});
  Specialisation affine = specialisation, mixed = specialisation;
  affine.tensors["weight"] = affine.tensors["bias"] = {};
  run("layer_norm.py", "layer_norm", affine,
      {input, view(layer, {kRows, kCols}), 1e-3, view(w, {kCols}), view(b, {kCols})});
  mixed.dtypes["O"] = Dtype::F32;
  run("reduce_sum.py", "reduce_sum_rows", mixed, {input, view(sums, {kRows})});

  Numbers in = x.values(), weight = w.values(), bias = b.values();
  Numbers sumOf(kRows), maxOf(kRows, -INFINITY), soft(in.size()), root(in.size()), norm(in.size());
  for (int i = 0; i < kRows; ++i) {
    double squares = 0, exps = 0, variance = 0;
    for (int j = 0; j < kCols; ++j) {
      double v = in[i * kCols + j];
      sumOf[i] += v, maxOf[i] = std::max(maxOf[i], v), squares += v * v, exps += std::exp(v);
    }
    for (int j = 0; j < kCols; ++j)
      variance += std::pow(in[i * kCols + j] - sumOf[i] / kCols, 2) / kCols;
    for (int j = 0; j < kCols; ++j) {
      int at = i * kCols + j;
      soft[at] = std::exp(in[at]) / exps;
      root[at] = in[at] / std::sqrt(squares / kCols + 1e-3) * weight[j];
      norm[at] = (in[at] - sumOf[i] / kCols) / std::sqrt(variance + 1e-3) * weight[j] + bias[j];
    }
  }
  expectNear(sums, sumOf, 1e-5);
  expectNear(maxima, maxOf, 0);
  expectNear(softmax, soft, 1e-5);
  expectNear(rms, root, 1e-5);
  expectNear(layer, norm, 1e-5);
}

TEST_F(KernelNumbers, rope) {
  constexpr int kBatch = 2, kLength = 11, kHeads = 3, kGroups = 1, kDepth = 16, kOffset = 5;
  for (bool computed : {false, true})
    for (bool interleaved : {false, true}) {
      int pairs = computed ? kDepth / 2 : 6; // the table turns a part of the head
      Array &q = random("f32", kBatch * kLength * kHeads * kDepth);
      Array &k = random("f32", kBatch * kLength * kGroups * kDepth);
      auto angle = [&](int p, int j) { return p * std::pow(100.0, -2.0 * j / kDepth); };
      Numbers cosines, sines;
      for (int p = 0; p < 20; ++p)
        for (int j = 0; j < pairs; ++j)
          cosines.push_back(std::cos(angle(p, j))), sines.push_back(std::sin(angle(p, j)));
      auto turned = [&](Numbers x, int heads) {
        for (int row = 0; row < kBatch * kLength * heads; ++row)
          for (int j = 0; j < pairs; ++j) {
            int first = row * kDepth + (interleaved ? 2 * j : j);
            int second = first + (interleaved ? 1 : pairs);
            double t = angle(row / heads % kLength + kOffset, j), a = x[first], b = x[second];
            x[first] = a * std::cos(t) - b * std::sin(t);
            x[second] = b * std::cos(t) + a * std::sin(t);
          }
        return x;
      };
      Numbers q0 = q.values(), k0 = k.values(), q1 = turned(q0, kHeads), k1 = turned(k0, kGroups);
      Specialisation specialisation;
      specialisation.dtypes["E"] = Dtype::F32;
      specialisation.consts["interleaved"] = interleaved;
      std::vector<Argument> arguments{view(q, {kBatch, kLength, kHeads, kDepth}),
                                      view(k, {kBatch, kLength, kGroups, kDepth})};
      if (computed) {
        specialisation.dims["D"] = kDepth;
        arguments.insert(arguments.end(), {100.0, int64_t(kOffset)});
      } else {
        specialisation.dtypes["T"] = Dtype::F32;
        specialisation.dims["R"] = pairs;
        arguments.insert(arguments.end(),
                         {view(harness.array("f32", cosines), {20, pairs}),
                          view(harness.array("f32", sines), {20, pairs}), int64_t(kOffset)});
      }
      run("rope.py", computed ? "rope_computed" : "rope", specialisation, arguments);
      expectNear(q, q1, 1e-5);
      expectNear(k, k1, 1e-5);
      specialisation.consts["inverse"] = true;
      run("rope.py", computed ? "rope_computed" : "rope", specialisation, arguments);
      expectNear(q, q0, 1e-5);
      expectNear(k, k0, 1e-5);
    }
}

TEST_F(KernelNumbers, swiglu) {
  Array &gate = random("f32", 3 * 700), &up = random("f32", 3 * 700);
  Array &y = harness.zeros("f32", 3 * 700);
  Specialisation specialisation;
  specialisation.dtypes["E"] = Dtype::F32;
  specialisation.consts["BN"] = int64_t(256);
  run("swiglu.py", "swiglu", specialisation,
      {view(gate, {3, 700}), view(up, {3, 700}), view(y, {3, 700})});
  Numbers expected = gate.values();
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = silu(expected[i]) * up.values()[i];
  expectNear(y, expected, 1e-5);
}
