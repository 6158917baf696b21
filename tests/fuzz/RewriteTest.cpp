// Loops of an online softmax, drawn at random, before and after the rewrites that change what they
// compute: a peak that lags or is 0, terms of rows that are taken from it, sums that are made
// behind the loop. Each is refused, or gives the same numbers, and NaN and infinity where they
// were.
#include "tools/fuzz/Choices.h"
#include "tools/fuzz/Run.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::fuzz;

namespace {

/// A kernel with its inputs and the plan that rewrites its loop.
struct SoftmaxCase {
  Case test;
  std::string plan;
  std::vector<std::pair<std::string, double>> poison; ///< Tensors that have this value somewhere.
  bool isWrong = false;                               ///< The loop is none whose peak may lag.
};

class SoftmaxDrawer {
public:
  explicit SoftmaxDrawer(uint64_t seed) : choices(seed) {}
  SoftmaxCase draw();

private:
  std::string start();
  std::string scores();
  std::string update();
  std::string ends();
  void drawPlan();
  void drawInputs();

  Choices choices;
  SoftmaxCase result;
  bool hasSink = false, isPositive = false;
};

} // namespace

/// What is there before the first keys: nothing, or a sink.
std::string SoftmaxDrawer::start() {
  hasSink = choices.chance(30);
  std::string peak = hasSink ? "sink[rows]" : "full((64,), LOWEST, f32)";
  std::string total = !hasSink             ? "zeros((64,), f32)"
                      : choices.chance(50) ? "full((64,), 1.0, f32)"
                                           : "zeros((64,), f32) + 0.5";
  return fmt::format("    acc, peak, total = zeros((64, 16), f32), {}, {}\n", peak, total);
}

std::string SoftmaxDrawer::scores() {
  std::string scale = choices.pick<const char *>({"scale * LOG2E", "scale", "LOG2E", "-0.7"});
  std::string s = fmt::format("s * ({})", scale);
  if (choices.chance(25)) // a soft-cap, which may need no maximum
    s = fmt::format("tanh({}) * {}", s, choices.pick<const char *>({"5.0", "50.0", "300.0"}));
  if (choices.chance(30))
    s += " + bias[cols][None, :]";
  if (choices.chance(30)) // terms of rows, alone and with columns
    s += choices.pick<const char *>(
        {" - lift[rows][:, None]", " - 0.25 * (rows[:, None] - cols[None, :]).to(f32)",
         " - scale * abs(rows[:, None].to(f32) - cols[None, :].to(f32))"});
  const char *mask = choices.pick<const char *>(
      {"", " & (cols[None, :] <= rows[:, None] + (T - S))", " & (rows[:, None] % 3 != 0)",
       " & (cols[None, :] % 5 != rows[:, None] % 5)"});
  return fmt::format("        s = where((cols[None, :] < T){}, {}, -inf)\n", mask, s);
}

/// The sums, right or wrong.
std::string SoftmaxDrawer::update() {
  std::string weights = "exp2(s - best[:, None])", added = "sum(p, axis=1)", old = "total * shrink",
              sum = "acc * shrink[:, None]", left = "p";
  if (choices.chance(25))
    left = choices.pick<const char *>({"p * factor[cols][None, :]", "p * 0.5"});
  if (choices.chance(20))
    added += " * 2";
  result.isWrong = choices.chance(35);
  if (result.isWrong)
    switch (choices.below(6)) {
    case 0:
      sum = "acc";
      break;
    case 1:
      old = "total";
      break;
    case 2:
      added += " + 1e-6";
      break;
    case 3: // its state
      weights += " + peak[:, None]";
      break;
    case 4: // other rows
      left = "(p + sum(p, axis=0)[None, :])";
      break;
    default:
      weights = "exp2(s - peak[:, None])";
    }
  return fmt::format("        best = maximum(peak, max(s, axis=1))\n"
                     "        p = {}\n"
                     "        shrink = exp2(peak - best)\n"
                     "        total = {} + {}\n"
                     "        acc = {} + dot({}, v[cols, :])\n"
                     "        peak = best\n",
                     weights, old, added, sum, left);
}

std::string SoftmaxDrawer::ends() {
  bool bare = choices.chance(10); // which depends on the peak
  result.isWrong |= bare;
  std::string o = bare                 ? "acc"
                  : choices.chance(50) ? "where(total[:, None] > 0, acc / total[:, None], 0)"
                                       : "acc / total[:, None]";
  return fmt::format("    o[rows, :] = {}\n    lse[rows] = (peak + log2(total)) / LOG2E\n", o);
}

void SoftmaxDrawer::drawPlan() {
  isPositive = choices.chance(60);
  bool late = choices.chance(60);
  result.plan = fmt::format(
      "plan 1 of softmax for sm_90\n{}  roles load: 1 warp, s1, s2, s3; compute: 4 warps\n"
      "  products p1: wgmma 64x16x8, warps 4x1; p2: wgmma 64x16x8, warps 4x1\n"
      "  loops l1: late peak {}{}\n"
      "  channels s1: tma, 2 slots; s2: tma, 2 slots; s3: tma, 2 slots\n",
      isPositive ? "  when scale > 0\n" : "", choices.pick({8, 1, 20}), late ? ", late sums" : "");
}

void SoftmaxDrawer::drawInputs() {
  Case &test = result.test;
  test.dims = {{"S", choices.between(1, 100)}, {"T", choices.between(1, 70)}};
  test.scalars["scale"] =
      choices.pick({0.3, 1.0, 4.0}) * (isPositive || choices.chance(60) ? 1 : -1);
  double wide = choices.pick({1.0, 3.0, 8.0}); // so that peaks move by much or little
  auto add = [&](const char *name, bool isFilled, double most) {
    test.tensors.push_back({name, cli::Memory::Contiguous, isFilled, -most, most, 0,
                            uint64_t(choices.below(1000)), 0});
  };
  add("q", true, wide);
  for (const char *name : {"k", "v", "bias", "factor"})
    add(name, true, 2);
  add("sink", true, 5);
  add("lift", true, 5);
  add("o", false, 0);
  add("lse", false, 0);
  for (const char *name : {"q", "k", "v", "bias", "sink", "lift"})
    if (choices.chance(12))
      result.poison.emplace_back(name, choices.pick<double>({NAN, INFINITY, -INFINITY}));
}

SoftmaxCase SoftmaxDrawer::draw() {
  result.test.text =
      "from tilewright import *\n\nS, T = dims(\"S T\")\n\n\n@kernel\n"
      "def softmax(q: Tensor[f32, S, 16], k: Tensor[f32, T, 16], v: Tensor[f32, T, 16],\n"
      "            bias: Tensor[f32, T], factor: Tensor[f32, T], sink: Tensor[f32, S],\n"
      "            lift: Tensor[f32, S], o: Tensor[f32, S, 16], lse: Tensor[f32, S], scale: f32):\n"
      "    m = grid(cdiv(S, 64))\n    rows = block(m, 64)\n    Q = q[rows, :]\n" +
      start() +
      "    for n in range(cdiv(T, 16)):\n        cols = block(n, 16)\n"
      "        s = dot(Q, k[cols, :].T)\n" +
      scores() + update() + ends();
  drawPlan();
  drawInputs();
  return result;
}

//===- Running --------------------------------------------------------------------------------===//

/// The first element that differs, in words; empty if none does.
static std::string differenceOf(const Tensors &found, const Tensors &expected) {
  for (const char *name : {"o", "lse"}) {
    cli::HostTensor a = found.at(name).gather(), b = expected.at(name).gather();
    for (int64_t i = 0; i < b.size(); ++i) {
      double x = a.value(i), y = b.value(i);
      bool same =
          x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= 1e-4 * (1 + std::abs(y));
      if (!same)
        return fmt::format("`{}` is {} instead of {} at {}", name, x, y,
                           cli::coordinates(i, b.shape));
    }
  }
  return "";
}

static void poison(Run &run, const SoftmaxCase &drawn, Choices &choices) {
  for (const auto &[name, value] : drawn.poison) {
    cli::StridedTensor &tensor = run.initial.at(name);
    cli::HostTensor values = tensor.gather();
    if (values.size() == 0)
      continue;
    values.set(choices.below(uint32_t(values.size())), value);
    tensor.scatter(values);
  }
}

namespace {

struct Outcome {
  int rewritten = 0;      ///< Passes that changed the loop.
  std::string difference; ///< After one of them.
  std::string refusal;
};

} // namespace

static Outcome rewrite(const SoftmaxCase &drawn, uint64_t seed) {
  Outcome outcome;
  ErrorOr<Run> run = Run::create(drawn.test);
  if (!run)
    return {0, run.error().message, ""};
  Choices choices(seed);
  poison(*run, drawn, choices);
  Tensors expected = run->initial;
  auto before = run->lower(), module = run->lower();
  if (!before || !module)
    return {0, "the kernel could not be lowered: " + before.error().message, ""};
  if (Status status = run->interpret(*before, expected); !status)
    return {0, status.error().message, ""};
  auto observe = [&](llvm::StringRef pass) {
    bool isRewrite = pass == "relax-peaks" || pass == "shift-peaks" || pass == "delay-sums";
    if (!isRewrite || !outcome.difference.empty())
      return;
    ++outcome.rewritten;
    Tensors found = run->initial;
    Status status = run->interpret(*module, found);
    outcome.difference = status ? differenceOf(found, expected) : status.error().message;
    if (!outcome.difference.empty())
      outcome.difference = "after " + pass.str() + ": " + outcome.difference;
  };
  passes::PipelineOptions options;
  options.target = "sm_90";
  if (Status status = module->carryOut(options, drawn.plan, observe); !status)
    outcome.refusal = status.error().message;
  return outcome;
}

TEST(Rewrites, giveTheSameNumbersOrAreRefused) {
  constexpr uint64_t kSeeds = 400;
  int rewritten = 0, refused = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SoftmaxCase drawn = SoftmaxDrawer(seed).draw();
    Outcome outcome = rewrite(drawn, seed);
    EXPECT_EQ(outcome.difference, "") << "seed " << seed << "\n" << drawn.test.str() << drawn.plan;
    bool isRewritten = outcome.rewritten > 0;
    EXPECT_FALSE(isRewritten && drawn.isWrong) << "seed " << seed << "\n"
                                               << drawn.test.str() << drawn.plan;
    EXPECT_NE(isRewritten, outcome.refusal.find("late peak of loop") != std::string::npos)
        << "seed " << seed << "\n"
        << outcome.refusal;
    ++(isRewritten ? rewritten : refused);
  }
  EXPECT_GT(rewritten, int(kSeeds) / 3);
  EXPECT_GT(refused, int(kSeeds) / 3);
}
