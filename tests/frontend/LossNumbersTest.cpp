// The losses of kernels_src as the reference interpreter runs them, against their formulas.
#include "tests/frontend/KernelNumbers.h"

using namespace tilewright;
using namespace tilewright::frontend;

namespace {

constexpr int kRows = 7, kWords = 50, kIgnored = 3;
constexpr double kSmoothing = 0.25, kZ = 0.125;

/// What rows of logits and their labels give.
struct Losses {
  Numbers loss, lse, gradient;
};

Losses lossesOf(const Numbers &z, const Numbers &labels, const Numbers &upstream, double smoothing,
                double zLoss) {
  Losses result{Numbers(kRows), Numbers(kRows), Numbers(kRows * kWords)};
  for (int i = 0; i < kRows; ++i) {
    int label = int(labels[i]);
    if (label == kIgnored)
      continue;
    double total = 0, plain = 0;
    for (int j = 0; j < kWords; ++j)
      total += std::exp(z[i * kWords + j]), plain += z[i * kWords + j];
    double lse = result.lse[i] = std::log(total);
    result.loss[i] = (1 - smoothing) * (lse - z[i * kWords + label]) +
                     smoothing * (lse - plain / kWords) + zLoss * lse * lse;
    for (int j = 0; j < kWords; ++j)
      result.gradient[i * kWords + j] =
          upstream[i] * (std::exp(z[i * kWords + j] - lse) * (1 + 2 * zLoss * lse) -
                         smoothing / kWords - (1 - smoothing) * (j == label));
  }
  return result;
}

class LossNumbers : public KernelNumbers {
protected:
  Array &labels() { return harness.array("i64", {0, 49, kIgnored, 17, 4, kIgnored, 31}); }

  Specialisation chosen(bool plain) {
    Specialisation specialisation;
    specialisation.dtypes["E"] = Dtype::F32;
    specialisation.dtypes["I"] = Dtype::I64;
    specialisation.consts["smoothing"] = plain ? 0.0 : kSmoothing;
    specialisation.consts["z_loss"] = plain ? 0.0 : kZ;
    return specialisation;
  }
};

} // namespace

TEST_F(LossNumbers, crossEntropy) {
  for (bool whole : {false, true})
    for (bool plain : {false, true}) {
      Array &z = random("f32", kRows * kWords), &label = labels(), &dloss = random("f32", kRows);
      Array &loss = harness.zeros("f32", kRows), &lse = harness.zeros("f32", kRows);
      Array &loss2 = harness.zeros("f32", kRows), &lse2 = harness.zeros("f32", kRows);
      Array &dz = harness.zeros("f32", kRows * kWords), &dz2 = harness.zeros("f32", kRows * kWords);
      Losses expected = lossesOf(z.values(), label.values(), dloss.values(), plain ? 0 : kSmoothing,
                                 plain ? 0 : kZ);
      Specialisation specialisation = chosen(plain);
      specialisation.consts["BR"] = int64_t(2);
      if (whole)
        specialisation.dims["V"] = kWords;
      else
        specialisation.consts["BV"] = int64_t(16);
      std::string name = whole ? "cross_entropy_rows" : "cross_entropy";
      ViewValue logits = view(z, {kRows, kWords}), l = view(label, {kRows});
      run(name + ".py", name, specialisation,
          {logits, l, view(loss, {kRows}), view(lse, {kRows}), int64_t(kIgnored)});
      run(name + ".py", name + "_gradient", specialisation,
          {logits, l, view(dloss, {kRows}), view(loss2, {kRows}), view(lse2, {kRows}),
           view(dz, {kRows, kWords}), int64_t(kIgnored)});
      if (!whole) {
        run("cross_entropy.py", "cross_entropy_backward", specialisation,
            {logits, l, view(lse, {kRows}), view(dloss, {kRows}), view(dz2, {kRows, kWords}),
             int64_t(kIgnored)});
        expectNear(dz2, expected.gradient, 1e-5);
      }
      expectNear(loss, expected.loss, 1e-5);
      expectNear(loss2, expected.loss, 1e-5);
      expectNear(lse, expected.lse, 1e-5);
      expectNear(lse2, expected.lse, 1e-5);
      expectNear(dz, expected.gradient, 1e-5);
    }
}

/// A row whose label is ignored may hold anything.
TEST_F(LossNumbers, ignoredRowsAreNotRead) {
  Array &z = random("f32", kRows * kWords), &label = labels(), &dloss = random("f32", kRows);
  Numbers spoilt = z.values();
  for (int j = 0; j < kWords; ++j)
    spoilt[2 * kWords + j] = NAN;
  Array &input = harness.array("f32", spoilt), &dz = harness.zeros("f32", kRows * kWords);
  Array &loss = harness.zeros("f32", kRows), &lse = harness.zeros("f32", kRows);
  run("cross_entropy.py", "cross_entropy_gradient", chosen(/*plain=*/false),
      {view(input, {kRows, kWords}), view(label, {kRows}), view(dloss, {kRows}),
       view(loss, {kRows}), view(lse, {kRows}), view(dz, {kRows, kWords}), int64_t(kIgnored)});
  Losses expected = lossesOf(z.values(), label.values(), dloss.values(), kSmoothing, kZ);
  expectNear(loss, expected.loss, 1e-5);
  expectNear(dz, expected.gradient, 1e-5);
}

TEST_F(LossNumbers, linearCrossEntropy) {
  constexpr int kDepth = 20, kParts = 1, kFirst = 30, kPart = 20; // words 30 to 49 as one part
  for (bool plain : {false, true}) {
    Array &hidden = random("f32", kRows * kDepth), &weight = random("f32", kWords * kDepth);
    Array &label = labels(), &dloss = random("f32", kRows);
    Array &parts = harness.zeros("f32", kParts * kRows), &sums = harness.zeros("f32", kRows);
    Array &loss = harness.zeros("f32", kRows), &lse = harness.zeros("f32", kRows);
    Array &dz = harness.zeros("f32", kRows * kPart);
    Numbers h = hidden.values(), w = weight.values(), z(kRows * kWords);
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kWords; ++j)
        for (int k = 0; k < kDepth; ++k)
          z[i * kWords + j] += h[i * kDepth + k] * w[j * kDepth + k];
    Losses expected =
        lossesOf(z, label.values(), dloss.values(), plain ? 0 : kSmoothing, plain ? 0 : kZ);
    Specialisation products;
    products.dtypes["E"] = Dtype::F32;
    if (!plain)
      products.tensors["sums"] = {};
    Specialisation rest = chosen(plain);
    if (!plain)
      rest.tensors["sums"] = {};
    ViewValue x = view(hidden, {kRows, kDepth}), y = view(weight, {kWords, kDepth});
    ViewValue l = view(label, {kRows}), p = view(parts, {kParts, kRows});
    std::vector<Argument> first{x, y, p};
    std::vector<Argument> second{
        x, y, l, p, view(loss, {kRows}), view(lse, {kRows}), int64_t(kIgnored)};
    if (!plain) {
      first.push_back(view(sums, {kParts, kRows}));
      second.push_back(view(sums, {kParts, kRows}));
    }
    run("linear_cross_entropy.py", "linear_cross_entropy", products, first);
    run("linear_cross_entropy.py", "linear_cross_entropy_loss", rest, second);
    expectNear(loss, expected.loss, 1e-5);
    expectNear(lse, expected.lse, 1e-5);

    Array &last = harness.array("f32", Numbers(w.begin() + kFirst * kDepth, w.end()));
    run("linear_cross_entropy.py", "linear_cross_entropy_gradient", chosen(plain),
        {x, view(last, {kPart, kDepth}), l, view(lse, {kRows}), view(dloss, {kRows}),
         view(dz, {kRows, kPart}), int64_t(kWords), int64_t(kFirst), int64_t(kIgnored)});
    Numbers gradient, dhidden = hidden.values();
    for (int i = 0; i < kRows; ++i)
      for (int j = kFirst; j < kWords; ++j)
        gradient.push_back(expected.gradient[i * kWords + j]);
    expectNear(dz, gradient, 1e-4);
    for (int i = 0; i < kRows; ++i)
      for (int k = 0; k < kDepth; ++k)
        for (int j = 0; j < kPart; ++j)
          dhidden[i * kDepth + k] += gradient[i * kPart + j] * w[(kFirst + j) * kDepth + k];
    Specialisation sum;
    sum.dtypes["E"] = sum.dtypes["O"] = Dtype::F32;
    sum.consts["more"] = true;
    run("linear_cross_entropy.py", "linear_cross_entropy_hidden", sum,
        {view(dz, {kRows, kPart}), view(last, {kPart, kDepth}), x});
    expectNear(hidden, dhidden, 1e-4);

    std::vector<double> dweight(kPart * kDepth);
    Array &rows = harness.array("f32", h), &words = random("f32", kPart * kDepth);
    for (int j = 0; j < kPart; ++j)
      for (int k = 0; k < kDepth; ++k) {
        dweight[j * kDepth + k] = words.values()[j * kDepth + k];
        for (int i = 0; i < kRows; ++i)
          dweight[j * kDepth + k] += gradient[i * kPart + j] * h[i * kDepth + k];
      }
    run("linear_cross_entropy.py", "linear_cross_entropy_weight", sum,
        {view(dz, {kRows, kPart}), view(rows, {kRows, kDepth}), view(words, {kPart, kDepth})});
    expectNear(words, dweight, 1e-4);

    Array &factor = harness.array("f32", Numbers{0.25});
    Specialisation floats;
    floats.dtypes["E"] = Dtype::F32;
    floats.dims["K"] = kDepth;
    run("linear_cross_entropy.py", "linear_cross_entropy_scale", floats,
        {view(words, {kPart, kDepth}), view(factor, {1})});
    for (double &each : dweight)
      each *= 0.25;
    expectNear(words, dweight, 1e-4);
  }
}
