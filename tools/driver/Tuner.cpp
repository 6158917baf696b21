#include "tools/driver/Tuner.h"

#include "planner/Say.h"
#include "support/Files.h"
#include "tools/driver/PlanSearch.h"
#include "tools/driver/Plans.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::driver;

namespace {

/// A plan that takes part in the contest.
struct Contender {
  Attempt attempt;
  std::string title;
  std::vector<std::string> facts = {}; ///< The facts that its plan states.
  Memo::Result compiled = nullptr;
};

} // namespace

/// The choice of the passes, with which the others are compared, and then the best plans.
static std::vector<Contender> contendersFor(const Attempt &wanted,
                                            const std::vector<passes::Plan> &plans) {
  std::vector<Contender> result;
  Attempt unplanned = wanted;
  unplanned.config.findsPlan = false;
  result.push_back({std::move(unplanned), "the choice of the passes"});
  for (const passes::Plan &plan : plans) {
    Attempt attempt = withPlans(wanted, plan);
    attempt.others.clear();
    result.push_back({std::move(attempt), planner::titleOf(plan)});
  }
  return result;
}

/// Makes a plan state the facts with which it is measured.
static Status stateFacts(const KernelTextPtr &text, Contender &contender) {
  std::string &planText = contender.attempt.config.planText;
  if (planText.empty())
    return {};
  TILEWRIGHT_ASSIGN(passes::Plan plan, passes::Plan::parse(planText));
  TILEWRIGHT_ASSIGN(FactLines facts, factsFor(text, contender.attempt));
  plan.facts = facts.hash;
  planText = plan.str();
  contender.facts = std::move(facts.lines);
  return {};
}

static void compileOne(const KernelTextPtr &text, Contender &contender, Memo &memo) {
  Status stated = stateFacts(text, contender);
  contender.compiled = stated ? memo.get(text, contender.attempt)
                              : std::make_shared<ErrorOr<Compiled>>(stated.error());
}

/// Compiles them in parallel.
static void compileAll(const KernelTextPtr &text, std::vector<Contender> &contenders, Memo &memo,
                       const Progress &progress) {
  std::atomic<size_t> next = 0;
  size_t done = 0;
  std::mutex telling;
  auto work = [&] {
    for (size_t i; (i = next++) < contenders.size();) {
      compileOne(text, contenders[i], memo);
      std::lock_guard lock(telling);
      ++done;
      if (progress)
        progress(fmt::format("compiled {} of {}", done, contenders.size()),
                 double(done) / double(contenders.size()));
    }
  };
  std::vector<std::thread> threads;
  size_t count = std::min<size_t>(contenders.size(), std::thread::hardware_concurrency());
  for (size_t i = 1; i < count; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

/// The outcomes of all, of which those that compile are measured.
static ErrorOr<std::vector<Outcome>> measureAll(const std::vector<Contender> &contenders,
                                                const Call &call, int device,
                                                const TuneOptions &options) {
  std::vector<Outcome> outcomes(contenders.size());
  std::vector<const runtime::Kernel *> kernels;
  std::vector<size_t> numbers;
  for (auto [number, contender] : llvm::enumerate(contenders)) {
    const ErrorOr<Compiled> &compiled = *contender.compiled;
    if (!compiled) {
      outcomes[number].dropped = compiled.error().message;
      continue;
    }
    kernels.push_back(&compiled->kernel);
    numbers.push_back(number);
  }
  if (kernels.empty())
    return outcomes;
  TILEWRIGHT_ASSIGN(std::vector<Outcome> measured,
                    options.measurer(kernels, call, device, options.progress));
  for (auto [number, outcome] : llvm::zip(numbers, measured))
    outcomes[number] = outcome;
  return outcomes;
}

/// The fastest, with the others as its rivals.
static ErrorOr<TunedPlan> resultOf(const KernelTextPtr &text, const Attempt &wanted,
                                   const Call &call, const std::vector<Contender> &contenders,
                                   const std::vector<Outcome> &outcomes) {
  TunedPlan result;
  result.launch = LaunchClass::of(*text, wanted, call);
  const Contender *best = nullptr;
  for (auto [contender, outcome] : llvm::zip(contenders, outcomes)) {
    result.rivals.push_back({contender.title, outcome.microseconds, outcome.dropped});
    if (!outcome.dropped.empty() || (best && outcome.microseconds >= result.microseconds))
      continue;
    best = &contender;
    result.microseconds = outcome.microseconds;
  }
  if (!best)
    return Error{fmt::format("none of {} plans of kernel `{}` is right: {}", contenders.size(),
                             text->kernel, outcomes.front().dropped)};
  result.plan = best->attempt.config.planText;
  result.facts = best->facts;
  return result;
}

ErrorOr<TunedPlan> driver::tune(const KernelTextPtr &text, const Attempt &wanted, const Call &call,
                                int device, Memo &memo, const TuneOptions &options) {
  int64_t multiprocessors = 0; // those of the GPU that predictions are made for
  if (device >= 0) {
    TILEWRIGHT_ASSIGN(multiprocessors, multiprocessorsOf(device));
  }
  PlanSearch search(text, wanted);
  std::vector<passes::Plan> plans =
      search.finalists(launchOf(call, multiprocessors), options.count);
  if (plans.empty())
    return Error{fmt::format("kernel `{}` has no plans to choose from: {}", text->kernel,
                             fmt::join(search.refused(), "; "))};
  std::vector<Contender> contenders = contendersFor(wanted, plans);
  compileAll(text, contenders, memo, options.progress);
  ErrorOr<std::vector<Outcome>> outcomes = measureAll(contenders, call, device, options);
  if (options.progress)
    options.progress("", 1);
  if (!outcomes)
    return outcomes.error();
  TILEWRIGHT_ASSIGN(TunedPlan result, resultOf(text, wanted, call, contenders, *outcomes));
  if (ErrorOr<const runtime::Driver *> gpus = runtime::Driver::get())
    if (ErrorOr<const runtime::DeviceInfo *> gpu = (*gpus)->device(std::max(0, device)))
      result.gpu = (*gpu)->name;
  return result;
}

ErrorOr<Timed> driver::timeOnGpu(const runtime::Kernel &kernel, const Call &call, int device,
                                 const Measurer &measurer) {
  TILEWRIGHT_ASSIGN(const runtime::Driver *gpus, runtime::Driver::get());
  TILEWRIGHT_ASSIGN(const runtime::DeviceInfo *gpu, gpus->device(device));
  TILEWRIGHT_ASSIGN(std::vector<Outcome> outcomes, measurer({&kernel}, call, device, {}));
  if (!outcomes.front().dropped.empty())
    return Error{outcomes.front().dropped};
  return Timed{gpu->name, outcomes.front().microseconds};
}

void driver::tuneForUser(const KernelTextPtr &text, const Attempt &wanted, const Call &call,
                         int device, Memo &memo) {
  ErrorOr<TunedPlan> result = tune(text, wanted, call, device, memo,
                                   {.measurer = measureInChild(measuringProgram()),
                                    .progress = progressBar("tuning " + text->kernel)});
  if (!result) {
    fmt::print(stderr, "tilewright: `{}` is not tuned: {}\n", text->kernel, result.error().message);
    return;
  }
  usersPlans().add(*result);
  std::string file = usersFile();
  if (Status saved = file.empty() ? Status() : saveTuned(*result, file); !saved)
    fmt::print(stderr, "tilewright: {}\n", saved.error().message);
}

//===- In a child -----------------------------------------------------------------------------===//

namespace {

/// A file that goes with its scope.
struct TemporaryFile {
  std::string path;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

} // namespace

Measurer driver::measureInChild(std::vector<std::string> program, DataHints hints,
                                double limitSeconds) {
  return [=](const std::vector<const runtime::Kernel *> &kernels, const Call &call, int device,
             const Progress &progress) -> ErrorOr<std::vector<Outcome>> {
    static std::atomic<unsigned> number = 0;
    TILEWRIGHT_ASSIGN(std::string contest, packContest(kernels, call, std::max(0, device), hints));
    TemporaryFile file{(std::filesystem::temp_directory_path() /
                        fmt::format("tilewright-contest-{}-{}", getpid(), number++))
                           .string()};
    TILEWRIGHT_TRY(writeFileAtomic(file.path, contest));
    auto start = [&](const std::set<size_t> &leftOut) {
      std::vector<std::string> words = program;
      words.push_back(file.path);
      words.push_back(fmt::format("{}", fmt::join(leftOut, ",")));
      return startProgram(std::move(words));
    };
    return superviseContest(kernels.size(), start, limitSeconds, progress);
  };
}

//===- The bar --------------------------------------------------------------------------------===//

Progress driver::progressBar(const std::string &title) {
  if (!isatty(STDERR_FILENO))
    return {};
  return [title, last = std::string()](const std::string &doing, double share) mutable {
    constexpr int kWidth = 30;
    int filled = std::clamp(int(share * kWidth), 0, kWidth);
    std::string line = fmt::format("\r\033[K{} [{}{}] {}", title, std::string(filled, '#'),
                                   std::string(kWidth - filled, ' '), doing);
    if (doing.empty())
      line = "\r\033[K";
    if (line != last)
      fmt::print(stderr, "{}", last = line);
  };
}
