// Loops that add up products, drawn at random, before and after sums are added an iteration later.
// Each is refused, or gives the same numbers bit by bit, and NaN and infinity where they were.
#include "passes/Passes.h"
#include "tools/fuzz/Choices.h"
#include "tools/fuzz/Run.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::fuzz;

namespace {

struct SumsCase {
  Case test;
  std::string plan;
  std::vector<std::pair<std::string, double>> poison; ///< Tensors that have this value somewhere.
  bool isWrong = false;                               ///< What is added late cannot be.
};

class SumsDrawer {
public:
  explicit SumsDrawer(uint64_t seed) : choices(seed) {}
  SumsCase draw();

private:
  std::string factor();
  std::string wrong(const std::string &product);
  std::string body();
  void drawPlan();
  void drawInputs();

  Choices choices;
  SumsCase result;
};

} // namespace

/// What a product is multiplied by, of an iteration, of the program or of the launch.
std::string SumsDrawer::factor() {
  return choices.pick<const char *>({"0.5", "scale", "u[k, rows][:, None]", "w[cols][None, :]",
                                     "(u[k, rows] * scale)[:, None]",
                                     "(u[k, rows] * w[k])[:, None]", "w[k]", "k.to(f32)",
                                     "where(w[cols] > 0, w[cols], scale)[None, :]"});
}

/// Something that zeros do not make 0, or that is no sum.
std::string SumsDrawer::wrong(const std::string &product) {
  result.isWrong = true;
  switch (choices.below(6)) {
  case 0:
    return fmt::format("        c0 = c0 + (1e-6 - {})\n", product);
  case 1:
    return fmt::format("        c0 = c0 + exp2({})\n", product);
  case 2:
    return fmt::format("        c0 = c0 + {} * c0\n", product);
  case 3:
    return fmt::format("        c0 = maximum(c0, {})\n", product);
  case 4:
    return fmt::format("        c0 = c0 + where(w[cols][None, :] > 0, {}, 1.0)\n", product);
  default:
    return fmt::format("        c0 = c0 * 0.5 + {}\n", product);
  }
}

std::string SumsDrawer::body() {
  std::string text = "        depth = block(k, 16)\n"
                     "        p = dot(a[rows, depth], b[cols, depth].T)\n"
                     "        q = dot(a[rows, depth], d[cols, depth].T)\n";
  std::string late = choices.chance(50) ? "q" : fmt::format("(q * {})", factor());
  if (choices.chance(30))
    return text + wrong(late) + fmt::format("        c1 += p * {}\n", factor());
  if (choices.chance(25)) // both of them
    return text +
           fmt::format("        c0 += p * {} + q * {}\n        c1 += p\n", factor(), factor());
  if (choices.chance(25)) // one of them twice
    return text + fmt::format("        c0 += q * {}\n        c1 += {} - p\n", factor(), late);
  std::string update = choices.pick<const char *>({"c0 += {}", "c0 = {} + c0", "c0 = c0 + -{}"});
  return text + "        " + fmt::format(fmt::runtime(update), late + " * " + factor()) +
         fmt::format("\n        c1 += p * {}\n", factor());
}

void SumsDrawer::drawPlan() {
  const char *order =
      choices.pick<const char *>({"add p2, start p1, await p1, start p2, await p2",
                                  "start p1, await p1, add p2, start p2, await p2",
                                  "start p1, start p2, await p1, add p2, await p2"});
  result.plan = fmt::format(
      "plan 1 of sums for sm_90\n  roles load: 1 warp, s1, s2, s3; compute: 4 warps\n"
      "  products p1: wgmma 64x16x8, warps 4x1; p2: wgmma 64x16x8, warps 4x1\n"
      "  loops l1: {}\n  channels s1: tma, 2 slots; s2: tma, 2 slots; s3: tma, 2 slots\n",
      order);
}

void SumsDrawer::drawInputs() {
  Case &test = result.test;
  test.dims = {{"M", choices.between(1, 100)},
               {"N", choices.between(1, 40)},
               {"K", choices.between(1, 60)},
               {"KB", 4}};
  test.scalars["steps"] = double(choices.below(5));
  test.scalars["scale"] = choices.pick<double>({0.3, -2.0, 0.0, INFINITY, NAN});
  auto add = [&](const char *name, bool isFilled) {
    test.tensors.push_back(
        {name, cli::Memory::Contiguous, isFilled, -2, 2, 0, uint64_t(choices.below(1000)), 0});
  };
  for (const char *name : {"a", "b", "d", "u", "w"})
    add(name, true);
  for (const char *name : {"x", "y"})
    add(name, false);
  for (const char *name : {"a", "b", "d", "u", "w"})
    if (choices.chance(12))
      result.poison.emplace_back(name, choices.pick<double>({NAN, INFINITY, -INFINITY}));
}

SumsCase SumsDrawer::draw() {
  result.test.text =
      "from tilewright import *\n\nM, N, K, KB = dims(\"M N K KB\")\n\n\n@kernel\n"
      "def sums(a: Tensor[f32, M, K], b: Tensor[f32, N, K], d: Tensor[f32, N, K],\n"
      "         u: Tensor[f32, KB, M], w: Tensor[f32, N], x: Tensor[f32, M, N],\n"
      "         y: Tensor[f32, M, N], scale: f32, steps: i32):\n"
      "    m, n = grid(cdiv(M, 64), cdiv(N, 16))\n"
      "    rows, cols = block(m, 64), block(n, 16)\n" +
      std::string(choices.chance(70)
                      ? "    c0, c1 = zeros((64, 16), f32), zeros((64, 16), f32)\n"
                      : "    c0, c1 = full((64, 16), 1.5, f32), zeros((64, 16), f32)\n") +
      "    for k in range(steps):\n" + body() + "    x[rows, cols] = c0\n    y[rows, cols] = c1\n";
  drawPlan();
  drawInputs();
  return result;
}

//===- Running --------------------------------------------------------------------------------===//

/// The first element that differs, in words; empty if none does.
static std::string differenceOf(const Tensors &found, const Tensors &expected) {
  for (const char *name : {"x", "y"}) {
    cli::HostTensor a = found.at(name).gather(), b = expected.at(name).gather();
    for (int64_t i = 0; i < b.size(); ++i)
      if (a.value(i) != b.value(i) && !(std::isnan(a.value(i)) && std::isnan(b.value(i))))
        return fmt::format("`{}` is {} instead of {} at {}", name, a.value(i), b.value(i),
                           cli::coordinates(i, b.shape));
  }
  return "";
}

static void poison(Run &run, const SumsCase &drawn, Choices &choices) {
  for (const auto &[name, value] : drawn.poison) {
    cli::StridedTensor &tensor = run.initial.at(name);
    cli::HostTensor values = tensor.gather();
    if (values.size() == 0)
      continue;
    values.set(choices.below(uint32_t(values.size())), value);
    tensor.scatter(values);
  }
}

/// Runs the passes that bind a plan and sink sums; an error if they refuse it.
static Status sink(driver::KernelModule &module, const std::string &plan) {
  if (auto facts = module.facts({}, plan); !facts)
    return facts.error();
  std::string message;
  mlir::func::FuncOp kernel = module.kernel();
  mlir::ScopedDiagnosticHandler handler(kernel.getContext(), [&](mlir::Diagnostic &diagnostic) {
    message += diagnostic.str();
    return mlir::success();
  });
  mlir::PassManager manager(kernel.getContext(), "func.func");
  manager.addPass(passes::createBindPlan({plan, "sm_90"}));
  manager.addPass(passes::createSinkSums());
  return succeeded(manager.run(kernel)) ? Status() : Status(Error{message});
}

namespace {

struct Outcome {
  std::string refusal, difference;
};

} // namespace

static Outcome rewrite(const SumsCase &drawn, uint64_t seed) {
  ErrorOr<Run> run = Run::create(drawn.test);
  if (!run)
    return {"", run.error().message};
  Choices choices(seed);
  poison(*run, drawn, choices);
  Tensors expected = run->initial, found = run->initial;
  auto before = run->lower(), module = run->lower();
  if (!before || !module)
    return {"", "the kernel could not be lowered: " + before.error().message};
  if (auto facts = before->facts({}, drawn.plan); !facts)
    return {"", facts.error().message};
  if (Status status = run->interpret(*before, expected); !status)
    return {"", status.error().message};
  if (Status status = sink(*module, drawn.plan); !status)
    return {status.error().message, ""};
  Status status = run->interpret(*module, found);
  return {"", status ? differenceOf(found, expected) : status.error().message};
}

TEST(LateSums, areTheSameOrRefused) {
  constexpr uint64_t kSeeds = 400;
  int sunk = 0, refused = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SumsCase drawn = SumsDrawer(seed).draw();
    Outcome outcome = rewrite(drawn, seed);
    EXPECT_EQ(outcome.difference, "") << "seed " << seed << "\n" << drawn.test.str() << drawn.plan;
    EXPECT_EQ(!outcome.refusal.empty(), drawn.isWrong) << "seed " << seed << "\n"
                                                       << outcome.refusal << "\n"
                                                       << drawn.test.str() << drawn.plan;
    ++(outcome.refusal.empty() ? sunk : refused);
  }
  EXPECT_GT(sunk, int(kSeeds) / 3);
  EXPECT_GT(refused, int(kSeeds) / 8);
}
