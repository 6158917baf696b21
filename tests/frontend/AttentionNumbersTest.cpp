// Attention against sums in f64, dense and of packed sequences.
#include "tests/frontend/KernelNumbers.h"

namespace tilewright::frontend {

constexpr int64_t kHeads = 4, kGroups = 2, kDepth = 16;
constexpr double kScale = 0.25;

class AttentionNumbers : public KernelNumbers {
protected:
  struct Masks {
    bool causal;
    int64_t window;
  };

  static Specialisation specialisation(Masks masks) {
    Specialisation result;
    result.dtypes["E"] = Dtype::F16;
    result.dims["D"] = kDepth;
    result.consts["causal"] = masks.causal;
    result.consts["window"] = masks.window;
    result.consts["BM"] = result.consts["BN"] = int64_t(16);
    return result;
  }

  /// Adds what query s of a sequence's `queries` is, from its rows of q, k and v: gives the sum of
  /// exponentials. Keys follow each other by kGroups rows.
  static double row(const double *q, const double *k, const double *v, int64_t s, int64_t queries,
                    int64_t keys, Masks masks, double *o) {
    double total = 0;
    int64_t last = s + keys - queries;
    for (int64_t t = 0; t < keys; ++t) {
      if ((masks.causal && t > last) || (masks.window > 0 && t <= last - masks.window))
        continue;
      double score = 0;
      for (int64_t d = 0; d < kDepth; ++d)
        score += q[d] * k[t * kGroups * kDepth + d];
      total += std::exp(kScale * score);
      for (int64_t d = 0; d < kDepth; ++d)
        o[d] += std::exp(kScale * score) * v[t * kGroups * kDepth + d];
    }
    for (int64_t d = 0; d < kDepth && total > 0; ++d)
      o[d] /= total;
    return total;
  }

  static int64_t groupOf(int64_t head) { return head / (kHeads / kGroups); }
};

TEST_F(AttentionNumbers, dense) {
  constexpr int64_t kBatch = 2;
  struct Case {
    int64_t queries, keys;
    Masks masks;
  };
  for (auto [queries, keys, masks] : {Case{40, 40, {false, 0}},
                                      {37, 53, {true, 0}},
                                      {53, 37, {true, 0}},
                                      {30, 70, {true, 9}},
                                      {1, 65, {true, 0}}}) {
    SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys");
    Array &q = random("f16", kBatch * queries * kHeads * kDepth);
    Array &k = random("f16", kBatch * keys * kGroups * kDepth);
    Array &v = random("f16", kBatch * keys * kGroups * kDepth);
    Array &o = harness.zeros("f16", kBatch * queries * kHeads * kDepth);
    Array &lse = harness.zeros("f32", kBatch * kHeads * queries);
    Specialisation dense = specialisation(masks);
    dense.dims["DV"] = kDepth;
    run("attention.py", "attention", dense,
        {view(q, {kBatch, queries, kHeads, kDepth}), view(k, {kBatch, keys, kGroups, kDepth}),
         view(v, {kBatch, keys, kGroups, kDepth}), view(o, {kBatch, queries, kHeads, kDepth}),
         view(lse, {kBatch, kHeads, queries}), kScale});
    Numbers Q = q.values(), K = k.values(), V = v.values();
    Numbers expected(Q.size()), logs(kBatch * kHeads * queries);
    for (int64_t b = 0; b < kBatch; ++b)
      for (int64_t h = 0; h < kHeads; ++h)
        for (int64_t s = 0; s < queries; ++s) {
          int64_t at = ((b * queries + s) * kHeads + h) * kDepth;
          int64_t first = (b * keys * kGroups + groupOf(h)) * kDepth;
          logs[(b * kHeads + h) * queries + s] =
              std::log(row(&Q[at], &K[first], &V[first], s, queries, keys, masks, &expected[at]));
        }
    expectNear(o, expected, 4e-3);
    expectNear(lse, logs, 1e-4);
  }
}

/// Lengths that meet tiles of 16 in every way, none and long ones; queries and keys differ.
TEST_F(AttentionNumbers, packedSequences) {
  constexpr int64_t kQueries[] = {0, 1, 63, 64, 65, 127, 0, 5, 300, 31, 1},
                    kKeys[] = {3, 65, 63, 1, 130, 0, 0, 1000, 300, 17, 1};
  constexpr int64_t kSequences = std::size(kQueries);
  Numbers queryOffsets{0}, keyOffsets{0};
  int64_t longest = 0;
  for (int64_t b = 0; b < kSequences; ++b) {
    queryOffsets.push_back(queryOffsets.back() + double(kQueries[b]));
    keyOffsets.push_back(keyOffsets.back() + double(kKeys[b]));
    longest = std::max(longest, kQueries[b]);
  }
  int64_t queries = int64_t(queryOffsets.back()), keys = int64_t(keyOffsets.back());
  for (Masks masks : {Masks{false, 0}, {true, 0}, {false, 9}, {true, 40}}) {
    SCOPED_TRACE(testing::Message() << "causal " << masks.causal << ", window " << masks.window);
    Array &q = random("f16", queries * kHeads * kDepth);
    Array &k = random("f16", keys * kGroups * kDepth);
    Array &v = random("f16", keys * kGroups * kDepth);
    Array &queryCuts = harness.array("i32", queryOffsets);
    Array &keyCuts = harness.array("i32", keyOffsets);
    Array &o = harness.array("f16", Numbers(queries * kHeads * kDepth, 99));
    Array &lse = harness.array("f32", Numbers(kHeads * queries, 99));
    run("attention_varlen.py", "attention_varlen", specialisation(masks),
        {view(q, {queries, kHeads, kDepth}), view(k, {keys, kGroups, kDepth}),
         view(v, {keys, kGroups, kDepth}), view(queryCuts, {kSequences + 1}),
         view(keyCuts, {kSequences + 1}), view(o, {queries, kHeads, kDepth}),
         view(lse, {kHeads, queries}), longest, kScale});
    Numbers Q = q.values(), K = k.values(), V = v.values();
    Numbers expected(Q.size()), logs(kHeads * queries);
    for (int64_t b = 0; b < kSequences; ++b)
      for (int64_t h = 0; h < kHeads; ++h)
        for (int64_t s = 0; s < kQueries[b]; ++s) {
          int64_t query = int64_t(queryOffsets[b]) + s, at = (query * kHeads + h) * kDepth;
          int64_t first = (int64_t(keyOffsets[b]) * kGroups + groupOf(h)) * kDepth;
          logs[h * queries + query] = std::log(row(&Q[at], K.data() + first, V.data() + first, s,
                                                   kQueries[b], kKeys[b], masks, &expected[at]));
        }
    expectNear(o, expected, 4e-3);
    expectNear(lse, logs, 1e-4);
  }
}

} // namespace tilewright::frontend
