#include "tools/driver/Tuner.h"

#include "planner/Say.h"
#include "support/Files.h"
#include "tools/driver/NumberSearch.h"
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

/// A configuration that takes part in the contest.
struct Contender {
  Attempt attempt;
  std::string title;
  Numbers numbers = {};                ///< Of one without a plan.
  std::vector<std::string> facts = {}; ///< The facts that its plan states.
  Memo::Result compiled = nullptr;
  Outcome outcome = {};
};
using ContenderPtr = std::shared_ptr<Contender>;

} // namespace

/// The choice of the passes, with which the others are compared.
static ContenderPtr choiceOfPasses(const Attempt &wanted) {
  Attempt unplanned = wanted;
  unplanned.config.findsPlan = false;
  return std::make_shared<Contender>(Contender{std::move(unplanned), "the choice of the passes"});
}

static ContenderPtr withPlan(const Attempt &wanted, const passes::Plan &plan) {
  Attempt attempt = withPlans(wanted, plan);
  attempt.others.clear();
  return std::make_shared<Contender>(Contender{std::move(attempt), planner::titleOf(plan)});
}

static ContenderPtr withNumbers(const Attempt &wanted, const Numbers &numbers) {
  return std::make_shared<Contender>(Contender{numbers.applyTo(wanted), numbers.str(), numbers});
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
  auto drop = [&](Error why) {
    contender.compiled = std::make_shared<ErrorOr<Compiled>>(std::move(why));
  };
  if (Status stated = stateFacts(text, contender); !stated)
    return drop(stated.error());
  contender.compiled = memo.get(text, contender.attempt);
  // Spilling is the way out where nothing else fits. Here something else does.
  if (const ErrorOr<Compiled> &compiled = *contender.compiled;
      compiled && !contender.numbers.empty() &&
      compiled->attempt.config.allowSpills != contender.attempt.config.allowSpills)
    drop({compiled->rejected.front()});
}

namespace {

/// One contest, or several in a row.
class Contest {
public:
  Contest(const KernelTextPtr &text, const Call &call, int device, Memo &memo,
          const TuneOptions &options)
      : text(text), call(call), device(device), memo(memo), options(options) {}
  ~Contest() { tell("", 1); }

  /// Sets the outcomes of some contenders that were compiled.
  Status measure(llvm::ArrayRef<ContenderPtr> contenders);
  /// Compiles those in parallel that are not compiled yet.
  void compile(llvm::ArrayRef<ContenderPtr> contenders);

private:
  void tell(const std::string &doing, double share) const {
    if (options.progress)
      options.progress(doing, share);
  }

  const KernelTextPtr &text;
  const Call &call;
  int device;
  Memo &memo;
  const TuneOptions &options;
};

} // namespace

void Contest::compile(llvm::ArrayRef<ContenderPtr> contenders) {
  std::atomic<size_t> next = 0;
  size_t done = 0;
  std::mutex telling;
  auto work = [&] {
    for (size_t i; (i = next++) < contenders.size();) {
      if (!contenders[i]->compiled)
        compileOne(text, *contenders[i], memo);
      std::lock_guard lock(telling);
      ++done;
      tell(fmt::format("compiled {} of {}", done, contenders.size()),
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

Status Contest::measure(llvm::ArrayRef<ContenderPtr> contenders) {
  std::vector<const runtime::Kernel *> kernels;
  std::vector<ContenderPtr> measured;
  for (const ContenderPtr &contender : contenders) {
    const ErrorOr<Compiled> &compiled = *contender->compiled;
    if (!compiled) {
      contender->outcome.dropped = compiled.error().message;
      continue;
    }
    kernels.push_back(&compiled->kernel);
    measured.push_back(contender);
  }
  if (kernels.empty())
    return {};
  TILEWRIGHT_ASSIGN(std::vector<Outcome> outcomes,
                    options.measurer(kernels, call, device, options.progress));
  for (auto [contender, outcome] : llvm::zip(measured, outcomes))
    contender->outcome = outcome;
  return {};
}

/// The fastest; null if none is right.
static ContenderPtr fastestOf(llvm::ArrayRef<ContenderPtr> contenders) {
  ContenderPtr best;
  for (const ContenderPtr &contender : contenders)
    if (contender->outcome.dropped.empty() &&
        (!best || contender->outcome.microseconds < best->outcome.microseconds))
      best = contender;
  return best;
}

/// Starts at the choice of the passes. Each round measures the numbers around those of the fastest
/// so far, together with these two, until none of them is clearly faster. Returns the last round;
/// `all` gets everyone.
static ErrorOr<std::vector<ContenderPtr>> walk(const KernelTextPtr &text, const Attempt &wanted,
                                               Contest &contest, std::vector<ContenderPtr> &all) {
  constexpr size_t kMostRounds = 5;
  constexpr double kFaster = 0.99;
  ContenderPtr first = choiceOfPasses(wanted), best = first;
  all = {first};
  contest.compile(first);
  if (!*first->compiled)
    return first->compiled->error();
  std::set<Numbers> seen = {numbersOf(*text, **first->compiled)};
  std::vector<ContenderPtr> round;
  for (size_t number = 0; number < kMostRounds; ++number) {
    TILEWRIGHT_ASSIGN(std::vector<Numbers> steps, neighbours(text, **best->compiled));
    std::vector<ContenderPtr> others;
    for (const Numbers &numbers : steps)
      if (seen.insert(numbers).second)
        others.push_back(withNumbers(wanted, numbers));
    if (others.empty() && number)
      break;
    round = {first};
    if (best != first)
      round.push_back(best);
    llvm::append_range(round, others);
    llvm::append_range(all, others);
    contest.compile(round);
    TILEWRIGHT_TRY(contest.measure(round));
    ContenderPtr fastest = fastestOf(round);
    if (!fastest || fastest == best ||
        fastest->outcome.microseconds > kFaster * best->outcome.microseconds)
      break;
    best = fastest;
  }
  return round;
}

/// The fastest of the last round, with all as its rivals.
static ErrorOr<TunedPlan> resultOf(const KernelTextPtr &text, const Attempt &wanted,
                                   const Call &call, llvm::ArrayRef<ContenderPtr> last,
                                   llvm::ArrayRef<ContenderPtr> all) {
  TunedPlan result;
  result.launch = LaunchClass::of(*text, wanted, call);
  for (const ContenderPtr &contender : all)
    result.rivals.push_back(
        {contender->title, contender->outcome.microseconds, contender->outcome.dropped});
  ContenderPtr best = fastestOf(last);
  if (!best)
    return Error{fmt::format("none of {} plans of kernel `{}` is right: {}", all.size(),
                             text->kernel, all.front()->outcome.dropped)};
  result.microseconds = best->outcome.microseconds;
  result.plan = best->attempt.config.planText;
  result.numbers = best->numbers;
  result.facts = best->facts;
  return result;
}

ErrorOr<TunedPlan> driver::tune(const KernelTextPtr &text, const Attempt &wanted, const Call &call,
                                int device, Memo &memo, const TuneOptions &options) {
  if (std::string stated = whyStated(*text, wanted.config); !stated.empty())
    return Error{fmt::format("there is nothing to tune for kernel `{}`: {}", text->kernel, stated)};
  int64_t multiprocessors = 0; // those of the GPU that predictions are made for
  if (device >= 0) {
    TILEWRIGHT_ASSIGN(multiprocessors, multiprocessorsOf(device));
  }
  std::vector<ContenderPtr> all, last;
  {
    Contest contest(text, call, device, memo, options);
    std::vector<passes::Plan> plans =
        PlanSearch(text, wanted).finalists(launchOf(call, multiprocessors), options.count);
    if (plans.empty()) {
      TILEWRIGHT_ASSIGN(last, walk(text, wanted, contest, all));
    } else {
      all.push_back(choiceOfPasses(wanted));
      for (const passes::Plan &plan : plans)
        all.push_back(withPlan(wanted, plan));
      contest.compile(all);
      TILEWRIGHT_TRY(contest.measure(all));
      last = all;
    }
  }
  TILEWRIGHT_ASSIGN(TunedPlan result, resultOf(text, wanted, call, last, all));
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
