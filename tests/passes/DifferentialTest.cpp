// The passes keep a kernel's meaning: the reference interpreter gives the same numbers before and
// after those of the tile level, for sizes around and between tile boundaries, and those of the cta
// level, for each way to bring tiles.
#include "passes/Passes.h"
#include "passes/Pipeline.h"
#include "tests/passes/TileKernels.h"
#include "tests/simulator/Harness.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using tilewright::simulator::Argument;
using tilewright::simulator::Array;
using tilewright::simulator::Harness;
using tilewright::simulator::makeView;

namespace tilewright::passes {
namespace {

/// One argument: a scalar, or an array of this shape with random contents.
struct Input {
  std::string type;
  std::vector<int64_t> shape;
  double scalar = 0;
};

class Differential : public ::testing::Test {
protected:
  /// Runs `text` as it is and after the passes; every array must come out alike.
  void check(const std::string &text, const std::vector<Input> &inputs, double tolerance = 1e-4) {
    compare(text, passed(text, addTilePasses), inputs, tolerance);
  }

  /// The same after all that comes before the cuda level.
  void checkCta(const std::string &text, const std::vector<Input> &inputs,
                double tolerance = 1e-4) {
    for (const char *target : {"sm_75", "sm_80", "sm_90"}) {
      SCOPED_TRACE(target);
      auto addAll = [&](PassManager &manager) {
        PipelineOptions options;
        options.target = target;
        addPasses(manager, options, Stage::Cta);
      };
      compare(text, passed(text, addAll), inputs, tolerance);
    }
  }

private:
  void compare(const std::string &text, const std::string &changed,
               const std::vector<Input> &inputs, double tolerance) {
    std::vector<std::vector<double>> before = run(text, inputs), after = run(changed, inputs);
    ASSERT_EQ(before.size(), after.size()) << harness.errors << changed;
    for (size_t i = 0; i < before.size(); ++i)
      for (size_t j = 0; j < before[i].size(); ++j)
        ASSERT_TRUE(isClose(before[i][j], after[i][j], tolerance))
            << "array " << i << ", element " << j << ": " << before[i][j] << " became "
            << after[i][j];
  }

  static bool isClose(double a, double b, double tolerance) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) == std::isnan(b);
    return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(a));
  }

  static void addTilePasses(PassManager &manager) {
    OpPassManager &kernel = manager.nest<func::FuncOp>();
    auto clean = [&] {
      kernel.addPass(createCanonicalizerPass());
      kernel.addPass(createCSEPass());
    };
    clean();
    kernel.addPass(createPadTiles());
    clean();
    kernel.addPass(createSplitMaskedLoops());
    clean();
    kernel.addPass(createSimplifyMath());
    clean();
  }

  std::string passed(const std::string &text, llvm::function_ref<void(PassManager &)> add) {
    auto module = parseSourceString<ModuleOp>(text, &harness.context);
    PassManager manager(&harness.context);
    add(manager);
    EXPECT_TRUE(module && succeeded(manager.run(*module)));
    std::string result;
    llvm::raw_string_ostream stream(result);
    module->print(stream);
    return result;
  }

  std::vector<std::vector<double>> run(const std::string &text, const std::vector<Input> &inputs) {
    std::mt19937 random(7);
    std::vector<Argument> arguments;
    std::vector<Array *> arrays;
    for (const Input &input : inputs) {
      if (input.shape.empty()) {
        arguments.push_back(input.type == "i32" ? Argument(int64_t(input.scalar))
                                                : Argument(input.scalar));
        continue;
      }
      arrays.push_back(&harness.array(input.type, contents(input, random)));
      arguments.emplace_back(makeView(arrays.back()->buffer, input.shape));
    }
    EXPECT_TRUE(harness.run(text, arguments)) << harness.errors << text;
    std::vector<std::vector<double>> results;
    for (Array *array : arrays)
      results.push_back(array->values());
    return results;
  }

  /// Normal numbers; small indices, some of them outside, for integers.
  static std::vector<double> contents(const Input &input, std::mt19937 &random) {
    int64_t count = 1;
    for (int64_t size : input.shape)
      count *= size;
    std::vector<double> values(count);
    std::normal_distribution<double> normal;
    for (double &value : values)
      value = input.type == "i32" ? int64_t(random() % 40) - 2 : normal(random);
    return values;
  }

  Harness harness;
};

TEST_F(Differential, Attention) {
  struct Tiles {
    int64_t m, n, d;
  };
  for (Tiles tiles : {Tiles{16, 16, 16}, {32, 16, 24}, {16, 40, 8}, {24, 20, 37}, {10, 7, 3}})
    for (auto [s, t] : std::vector<std::pair<int64_t, int64_t>>{
             {1, 1}, {1, 97}, {15, 17}, {16, 16}, {31, 48}, {48, 31}, {64, 41}, {41, 120}})
      for (bool causal : {false, true})
        for (int64_t window : {0, 5, 50}) {
          SCOPED_TRACE(::testing::Message()
                       << tiles.m << "x" << tiles.n << "x" << tiles.d << " S=" << s << " T=" << t
                       << " causal=" << causal << " window=" << window);
          std::string text = attention(tiles.m, tiles.n, tiles.d, causal, window, "f32");
          check(text, {{"f32", {1, s, 2, tiles.d}},
                       {"f32", {1, t, 1, tiles.d}},
                       {"f32", {1, t, 1, tiles.d}},
                       {"f32", {1, s, 2, tiles.d}},
                       {"f32", {1, 2, s}},
                       {"f32", {}, 0.4}});
        }
}

TEST_F(Differential, AttentionInBf16) {
  check(attention(32, 24, 20, true, 30, "bf16"),
        {{"bf16", {2, 70, 2, 20}},
         {"bf16", {2, 75, 1, 20}},
         {"bf16", {2, 75, 1, 20}},
         {"bf16", {2, 70, 2, 20}},
         {"f32", {2, 2, 70}},
         {"f32", {}, 0.4}},
        0.02);
}

TEST_F(Differential, Matmul) {
  for (auto [m, n, k] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{
           {1, 1, 1}, {16, 16, 16}, {17, 31, 33}, {40, 8, 47}, {5, 70, 64}, {33, 20, 7}})
    for (auto [bm, bn, bk] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{
             {16, 16, 16}, {32, 24, 8}, {10, 7, 5}, {1, 100, 12}})
      check(matmul(bm, bn, bk), {{"f32", {m, k}}, {"f32", {k, n}}, {"f32", {m, n}}});
}

TEST_F(Differential, MatmulThroughChannels) {
  for (auto [bm, bn, bk] :
       std::vector<std::tuple<int64_t, int64_t, int64_t>>{{64, 64, 32}, {10, 7, 5}, {1, 100, 12}})
    for (int64_t k : {1, 33, 128})
      checkCta(matmul(bm, bn, bk), {{"f32", {40, k}}, {"f32", {k, 31}}, {"f32", {40, 31}}});
}

TEST_F(Differential, AttentionThroughChannels) {
  for (bool causal : {false, true})
    checkCta(attention(32, 24, 20, causal, 0, "bf16"),
             {{"bf16", {1, 40, 2, 20}},
              {"bf16", {1, 75, 1, 20}},
              {"bf16", {1, 75, 1, 20}},
              {"bf16", {1, 40, 2, 20}},
              {"f32", {1, 2, 40}},
              {"f32", {}, 0.4}},
             0.02);
}

TEST_F(Differential, Softmax) {
  for (int64_t columns : {1, 2, 7, 16, 37, 100, 1000})
    check(softmax(columns), {{"f32", {3, columns}}, {"f32", {3, columns}}});
}

TEST_F(Differential, IndexTiles) {
  for (int64_t extent : {5, 8, 37})
    check(gather(extent), {{"f32", {30, 11}}, {"i32", {90}}, {"f32", {30, 11}}});
}

TEST_F(Differential, InPlace) {
  for (int64_t extent : {5, 9, 37})
    for (int64_t count : {1, 36, 37, 38, 90})
      check(scale(extent), {{"f32", {count}}});
}

TEST_F(Differential, Parts) {
  for (int64_t extent : {5, 8})
    for (auto [start, size] : {std::pair{0, 40}, {3, 0}, {40, 0}, {7, 1}, {3, 17}, {8, 16}}) {
      std::vector<Input> inputs{{"f32", {40, 24}},
                                {"f32", {40, 24}},
                                {"i32", {}, double(start)},
                                {"i32", {}, double(size)}};
      check(parts(extent), inputs);
      checkCta(parts(extent), inputs);
    }
}

} // namespace
} // namespace tilewright::passes
