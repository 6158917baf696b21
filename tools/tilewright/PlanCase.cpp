#include "tools/tilewright/PlanCase.h"

#include "tools/driver/GivenPlan.h"
#include "tools/driver/PlanSearch.h"
#include "tools/fuzz/PlanDraw.h"
#include "tools/tilewright/SimulatedStep.h"

#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::cli;
using fuzz::Choices;
using fuzz::Finding;
using fuzz::kRefused;
using passes::Plan;

//===- Sizes ----------------------------------------------------------------------------------===//

/// Draws how many tiles of each dimension there are: three for a block, as few run at once.
static std::vector<int64_t> drawCounts(Choices &choices, size_t dims) {
  if (dims == 1)
    return {choices.between(9, 12)};
  std::vector<int64_t> counts =
      choices.pick<std::vector<int64_t>>({{3, 3}, {5, 2}, {2, 5}, {9, 1}, {1, 9}, {4, 3}});
  counts.resize(dims, 1);
  return counts;
}

/// By how much the last tile of a dimension is too long: mostly rows stay a multiple of 16 bytes.
static int64_t drawLess(Choices &choices, int64_t extent) {
  if (extent == 1 || !choices.chance(50))
    return 0;
  int64_t unit = choices.chance(5) ? 1 : 16;
  return unit * choices.below(uint32_t(std::max<int64_t>(1, extent / unit)));
}

/// Draws a dimension's extent, which the plan states.
static int64_t drawExtent(Choices &choices, const TiledDim &dim, Plan &plan) {
  int64_t extent = choices.pick(dim.extents);
  if (!dim.parameter.empty())
    plan.tiles.push_back({dim.parameter, extent});
  return extent;
}

Sizes PlanCase::sizesOf(int64_t iterations) const {
  Sizes result = sizes;
  result[subject.loop.dim] = std::max<int64_t>(0, iterations * extent - less);
  return result;
}

std::vector<int64_t> PlanCase::iterations() const {
  int64_t depth = 1;
  for (const Plan::Channel &channel : plan.channels)
    if (channel.kind != "store" && channel.slots < 8)
      depth = std::max(depth, channel.slots);
  std::vector<int64_t> result{depth + 1, 0, 1, depth - 1, depth};
  std::sort(result.begin() + 1, result.end());
  result.erase(std::unique(result.begin() + 1, result.end()), result.end());
  return result;
}

ErrorOr<Job> PlanCase::jobAt(const Sizes &at) const {
  KernelArgs args = subject.kernel;
  args.target = "sm_90";
  args.plan = {std::string(driver::kNoPlan)};
  for (const auto &[dim, size] : at)
    args.shape.push_back(fmt::format("{}={}", dim, size));
  TILEWRIGHT_ASSIGN(Job job, makeJob(args));
  TILEWRIGHT_TRY(checkComplete(job));
  job.config.planText = plan.str();
  Step &step = job.steps.front();
  TILEWRIGHT_TRY(driver::bindTiles(*step.text, job.config, step.settings));
  return job;
}

//===- Drawing --------------------------------------------------------------------------------===//

/// Draws the rest of the plan, by what the kernel has with these tiles.
static Status drawByFacts(Choices &choices, PlanCase &test) {
  TILEWRIGHT_ASSIGN(Job job, test.jobAt(test.sizesOf(2)));
  const Step &step = job.steps.front();
  TILEWRIGHT_ASSIGN(driver::Attempt attempt, attemptFor(job, step, job.sizes));
  auto lower = [&] { return driver::KernelModule::lower(step.text, attempt.specialisation); };
  TILEWRIGHT_ASSIGN(driver::KernelModule module, lower());
  TILEWRIGHT_ASSIGN(driver::KernelModule whole, lower());
  passes::PipelineOptions options = job.config.options();
  ErrorOr<passes::KernelFacts> facts = module.facts(options, test.plan.str());
  if (!facts) { // tiles that cannot be cut, or joined, so: what is drawn will be refused
    Plan plan = test.plan;
    plan.parts.clear();
    plan.programs.clear();
    facts = whole.facts(options, plan.str());
  }
  if (!facts)
    return facts.error();
  auto grid = *module.kernel().getBody().front().getOps<tile::GridOp>().begin();
  if (choices.chance(10))
    test.plan.facts = facts->hash();
  fuzz::drawPlan(choices, *facts, int64_t(grid.getExtents().size()), test.plan);
  for (bool more = choices.chance(20); more; more = choices.chance(20))
    fuzz::spoilPlan(choices, test.plan);
  return {};
}

/// Draws sizes of tiles of these extents; those along the first dimension, whole.
static int64_t drawSizes(Choices &choices, PlanCase &test,
                         llvm::function_ref<int64_t(const TiledDim &)> extentOf) {
  std::vector<int64_t> counts = drawCounts(choices, test.subject.tiles.size()), wholes;
  for (auto [dim, count] : llvm::zip(test.subject.tiles, counts)) {
    int64_t extent = extentOf(dim);
    wholes.push_back(extent * count);
    test.sizes[dim.dim] = wholes.back() - drawLess(choices, extent);
  }
  test.extent = extentOf(test.subject.loop);
  test.less = drawLess(choices, test.extent);
  return wholes.front();
}

/// As many times more tiles as an SM has under way at once; `whole` is what was drawn.
static void addTiles(PlanCase &test, int64_t whole) {
  constexpr int64_t kMostTimes = 4;
  const Plan::Blocks &blocks = test.plan.blocks;
  int64_t times = std::max<int64_t>(1, blocks.perSm) * std::max<int64_t>(1, blocks.turns);
  test.sizes[test.subject.tiles.front().dim] += whole * (std::min(times, kMostTimes) - 1);
}

ErrorOr<PlanCase> PlanCase::draw(Choices &choices, const std::vector<PlanSubject> &subjects) {
  PlanCase test;
  test.subject = choices.pick(subjects);
  TILEWRIGHT_ASSIGN(driver::KernelTextPtr text, driver::loadKernel(test.subject.kernel.kernel));
  test.plan.kernel = text->kernel;
  test.plan.target = "sm_90";
  for (const frontend::Param &param : text->signature().params)
    if (param.kind == frontend::Param::Scalar && frontend::isFloat(*param.dtype) &&
        choices.chance(50))
      test.plan.positive.push_back(param.name);
  int64_t whole = drawSizes(
      choices, test, [&](const TiledDim &dim) { return drawExtent(choices, dim, test.plan); });
  if (choices.chance(15))
    test.plan.parts.push_back(
        {choices.chance(25) ? "columns" : "rows", choices.chance(15) ? 3 : 2});
  if (choices.chance(15))
    test.plan.programs.push_back(
        {choices.chance(25) ? "columns" : "rows", choices.chance(15) ? 3 : 2});
  TILEWRIGHT_TRY(drawByFacts(choices, test));
  addTiles(test, whole);
  return test;
}

//===- Finding --------------------------------------------------------------------------------===//

/// Draws a size that users have: few rows, or some thousands, mostly of whole 16 bytes.
static int64_t drawLaunchSize(Choices &choices) {
  int64_t size = int64_t(1) << choices.between(3, 13);
  size += choices.below(uint32_t(size));
  return choices.chance(90) ? (size + 15) / 16 * 16 : size;
}

ErrorOr<PlanCase> PlanCase::find(Choices &choices, const std::vector<PlanSubject> &subjects) {
  PlanCase test;
  test.subject = choices.pick(subjects);
  KernelArgs args = test.subject.kernel;
  args.target = "sm_90";
  Sizes launch;
  for (const TiledDim &dim : test.subject.tiles)
    launch[dim.dim] = drawLaunchSize(choices);
  launch[test.subject.loop.dim] = drawLaunchSize(choices);
  for (const auto &[dim, size] : launch)
    args.shape.push_back(fmt::format("{}={}", dim, size));
  TILEWRIGHT_ASSIGN(Job job, makeJob(args));
  const Step &step = job.steps.front();
  TILEWRIGHT_ASSIGN(driver::Attempt wanted, openAttempt(job, step, job.sizes));
  driver::PlanSearch search(step.text, wanted);
  std::vector<Plan> plans = search.finalists(launchFor(job, step, job.sizes));
  if (plans.empty())
    return Error{
        fmt::format("no plans are found for {}, at {}", test.subject.words, cli::str(launch))};
  test.plan = choices.pick(plans);
  int64_t whole = drawSizes(choices, test, [&](const TiledDim &dim) {
    auto stated = llvm::find_if(
        test.plan.tiles, [&](const Plan::Tile &tile) { return tile.parameter == dim.parameter; });
    return stated == test.plan.tiles.end() ? dim.extents.front() : stated->extent;
  });
  addTiles(test, whole);
  return test;
}

//===- Checking -------------------------------------------------------------------------------===//

/// Whether an error is that a verifier does not take what a pass has made: a fault, but for the ops
/// that are a plan's entries, whose rules are the plan's.
static bool isInvalidIr(llvm::StringRef message) {
  auto [before, after] = message.split("' op ");
  static constexpr llvm::StringLiteral kEntries[] = {"'cta.tiles", "'cta.role",    "'cta.mma",
                                                     "'cta.raise", "'cta.channel", "'cta.copy",
                                                     "'cta.store"};
  return !after.empty() && llvm::none_of(kEntries, [before = before](llvm::StringRef op) {
    return before.ends_with(op);
  });
}

/// What an error of the compiler is: a refusal of the plan, or a fault of its own.
static Finding refusalOf(const Error &error) {
  llvm::StringRef message = error.message;
  bool isFault = message.empty() || isInvalidIr(message) || message.contains("was to be\n") ||
                 message.contains("operand #") || message.contains("a fault of its own") ||
                 message.contains("which the next launch would find");
  return {isFault ? "compiler" : kRefused, error.message};
}

/// Compares what is not 0 in both. Rows that see nothing are no measure of the size of others.
static Comparison compareOthers(const HostTensor &found, const HostTensor &expected) {
  std::vector<int64_t> places;
  for (int64_t at = 0; at < expected.size(); ++at)
    if (found.value(at) != 0 || expected.value(at) != 0)
      places.push_back(at);
  HostTensor a(found.type, {int64_t(places.size())}), b(expected.type, a.shape);
  for (auto [to, from] : llvm::enumerate(places)) {
    a.set(to, found.value(from));
    b.set(to, expected.value(from));
  }
  Comparison result = compare(a, b);
  if (!result.ok())
    result.first = places[result.first];
  return result;
}

/// The first output that is not the interpreter's, in words; empty if all are.
static std::string differenceOf(const Job &job, const HostTensors &found,
                                const HostTensors &expected) {
  for (const auto &[name, access] : accesses(job)) {
    if (!access.written)
      continue;
    const HostTensor &reference = expected.at(name);
    if (Comparison result = compareOthers(found.at(name), reference); !result.ok())
      return describeDifference(job, name, reference, result);
  }
  return "";
}

std::optional<Finding> cli::checkRun(const Job &job, const ScheduleChoice &schedule,
                                     Finding (*refusalOf)(const Error &)) {
  const Step &step = job.steps.front();
  ErrorOr<driver::Attempt> attempt = attemptFor(job, step, job.sizes);
  if (!attempt)
    return Finding{"front end", attempt.error().message};
  ErrorOr<driver::Simulation> simulation = driver::Simulation::create(step.text, *attempt);
  if (!simulation)
    return refusalOf(simulation.error());
  HostTensors found = makeTensors(job, job.sizes, /*seed=*/1), expected = found;
  simulator::MachineOptions machine;
  machine.schedule = schedule.schedule;
  machine.seed = schedule.seed;
  machine.count = false;
  ErrorOr<driver::SimulatedLaunch> launch =
      simulateOn(job, step, *simulation, job.sizes, found, machine);
  if (!launch) // a grid that is no multiple of a cluster, say
    return refusalOf(launch.error());
  if (!launch->result.isClean())
    return Finding{"simulator", launch->messages};
  if (Status status = interpretJob(job, job.sizes, expected); !status)
    return Finding{"reference", status.error().message};
  std::string difference = differenceOf(job, found, expected);
  return difference.empty() ? std::nullopt : std::optional(Finding{"numbers", difference});
}

std::string ScheduleChoice::str() const {
  using simulator::Schedule;
  std::string name = schedule == Schedule::Lazy    ? "lazy"
                     : schedule == Schedule::Eager ? "eager"
                                                   : "random";
  return fmt::format("--schedule {}{}", name, seed ? fmt::format(" --seed {}", seed) : "");
}

std::string PlanCase::str(const Sizes &at, const ScheduleChoice &schedule) const {
  std::string shape;
  for (const auto &[dim, size] : at)
    shape += fmt::format("{}{}={}", shape.empty() ? "" : ",", dim, size);
  return fmt::format("{}# tilewright simulate {} --target sm_90 --shape {} {} --plan …\n",
                     plan.str(), subject.words, shape, schedule.str());
}

/// Checks a plan where its loop runs so often.
static std::optional<Finding> checkAt(const PlanCase &test, int64_t iterations,
                                      const ScheduleChoice &schedule) {
  Sizes sizes = test.sizesOf(iterations);
  ErrorOr<Job> job = test.jobAt(sizes);
  std::optional<Finding> finding =
      job ? checkRun(*job, schedule, refusalOf) : refusalOf(job.error());
  if (finding && finding->stage != kRefused)
    finding->message += "\n" + test.str(sizes, schedule);
  return finding;
}

static constexpr simulator::Schedule kSchedules[] = {
    simulator::Schedule::Lazy, simulator::Schedule::Eager, simulator::Schedule::Random};

std::optional<Finding> cli::checkPlan(const PlanCase &test) {
  for (auto [run, iterations] : llvm::enumerate(test.iterations()))
    if (auto finding = checkAt(test, iterations, {kSchedules[run % std::size(kSchedules)]}))
      return finding;
  return std::nullopt;
}

std::optional<Finding> cli::checkFoundPlan(const PlanCase &test) {
  constexpr uint64_t kSeeds = 8; // of random schedules
  if (auto finding = checkPlan(test))
    return finding;
  int64_t iterations = test.iterations().front();
  if (auto finding = checkAt(test, iterations, {simulator::Schedule::Eager}))
    return finding;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed)
    if (auto finding = checkAt(test, iterations, {simulator::Schedule::Random, seed}))
      return finding;
  return std::nullopt;
}
