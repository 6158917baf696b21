#include "tools/driver/TunedPlans.h"

#include "runtime/Cache.h"
#include "support/Env.h"
#include "support/Files.h"
#include "tools/driver/Builtins.h"
#include "tools/driver/KernelModule.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace tilewright;
using namespace tilewright::driver;

//===- Classes --------------------------------------------------------------------------------===//

int64_t driver::roundedSize(int64_t size) {
  return size <= 0 ? 0 : int64_t(1) << std::lround(std::log2(double(size)));
}

/// "E=bf16 causal=true".
static std::string boundWords(const frontend::Specialisation &bound) {
  std::vector<std::string> words;
  for (const auto &dtype : bound.dtypes)
    words.push_back((dtype.getKey() + "=" + dtypeName(dtype.getValue())).str());
  for (const auto &value : bound.consts)
    words.push_back(value.getKey().str() + "=" + toString(value.getValue()));
  for (const auto &size : bound.dims)
    words.push_back(fmt::format("{}={}", size.getKey().str(), size.getValue()));
  std::sort(words.begin(), words.end()); // the maps have no order
  return fmt::format("{}", fmt::join(words, " "));
}

/// "a 16, b 16 strided": the alignment of each tensor, in bytes.
static std::string tensorWords(const frontend::Specialisation &bound) {
  std::vector<std::string> words;
  for (const auto &tensor : bound.tensors) {
    const frontend::TensorFacts &facts = tensor.getValue();
    words.push_back(fmt::format("{} {}{}{}", tensor.getKey().str(), facts.align,
                                facts.strided ? " strided" : "", facts.wide ? " wide" : ""));
  }
  std::sort(words.begin(), words.end());
  return fmt::format("{}", fmt::join(words, ", "));
}

static std::map<std::string, int64_t> sizesOf(const Call &call) {
  std::map<std::string, int64_t> sizes;
  for (auto [param, argument] : llvm::zip(call.params, call.arguments))
    if (const auto *tensor = std::get_if<runtime::TensorRef>(&argument))
      for (unsigned axis = 0; axis < std::min<size_t>(tensor->rank, param->dims.size()); ++axis)
        if (!param->dims[axis].name.empty())
          sizes[param->dims[axis].name] = tensor->shape[axis];
  return sizes;
}

static std::string signWords(const Call &call) {
  std::string words;
  for (auto [param, argument] : llvm::zip(call.params, call.arguments)) {
    const auto *number = std::get_if<double>(&argument);
    const auto *integer = std::get_if<int64_t>(&argument);
    if (number || integer)
      words += "; " + param->name + ((number ? *number > 0 : *integer > 0) ? ">0" : "<=0");
  }
  return words;
}

LaunchClass LaunchClass::of(const KernelText &text, const Attempt &wanted, const Call &call) {
  LaunchClass result{text.kernel, text.contents.hex(), wanted.config.passTarget(), "",
                     sizesOf(call)};
  std::vector<std::string> sizes;
  for (const auto &[name, size] : result.sizes)
    if (!wanted.specialisation.dims.contains(name))
      sizes.push_back(fmt::format("{}~{}", name, roundedSize(size)));
  result.launch =
      fmt::format("{}; {}; {}{}", boundWords(wanted.specialisation),
                  tensorWords(wanted.specialisation), fmt::join(sizes, " "), signWords(call));
  return result;
}

std::string TunedPlan::sizes() const {
  std::vector<std::string> words;
  for (const auto &[name, size] : launch.sizes)
    words.push_back(fmt::format("{}={}", name, size));
  return fmt::format("{}", fmt::join(words, ", "));
}

//===- Lookups --------------------------------------------------------------------------------===//

void TunedPlans::add(TunedPlan result) {
  std::lock_guard lock(mutex);
  auto isSame = [&](const Entry &entry) {
    const LaunchClass &old = entry->launch, &own = result.launch;
    return old.kernel == own.kernel && old.text == own.text && old.target == own.target &&
           old.launch == own.launch && old.sizes == own.sizes;
  };
  std::erase_if(entries, isSame);
  entries.push_back(std::make_shared<const TunedPlan>(std::move(result)));
}

size_t TunedPlans::size() const {
  std::lock_guard lock(mutex);
  return entries.size();
}

bool TunedPlans::knows(std::string_view kernel) const {
  std::lock_guard lock(mutex);
  return llvm::any_of(entries, [&](const Entry &entry) { return entry->launch.kernel == kernel; });
}

static bool isClass(const LaunchClass &a, const LaunchClass &b) {
  return a.kernel == b.kernel && a.target == b.target && a.launch == b.launch;
}

/// By how much sizes differ, all together.
static double distance(const LaunchClass &a, const LaunchClass &b) {
  double sum = 0;
  for (const auto &[name, size] : a.sizes)
    if (auto other = b.sizes.find(name); other != b.sizes.end() && size > 0 && other->second > 0)
      sum += std::abs(std::log2(double(size) / double(other->second)));
  return sum;
}

TunedPlans::Entry TunedPlans::find(const LaunchClass &launch) const {
  std::lock_guard lock(mutex);
  Entry best;
  for (const Entry &entry : llvm::reverse(entries))
    if (isClass(entry->launch, launch) && entry->launch.text == launch.text &&
        (!best || distance(entry->launch, launch) < distance(best->launch, launch)))
      best = entry;
  return best;
}

std::vector<TunedPlans::Entry> TunedPlans::findOlder(const LaunchClass &launch) const {
  std::lock_guard lock(mutex);
  std::vector<Entry> older;
  for (const Entry &entry : llvm::reverse(entries))
    if (isClass(entry->launch, launch) && entry->launch.text != launch.text)
      older.push_back(entry);
  return older;
}

//===- What every launch sees -----------------------------------------------------------------===//

/// Results that cannot be read are reported and left out: no launch fails because of them.
static void readOrTell(TunedPlans &plans, const ErrorOr<std::string> &text,
                       const std::string &path) {
  Status read = text ? plans.read(*text, path) : Status(text.error());
  if (!read)
    fmt::print(stderr, "tilewright: tuned plans are left out: {}\n", read.error().message);
}

TunedPlans &driver::loadedPlans() {
  static TunedPlans plans;
  static std::once_flag once;
  std::call_once(once, [] {
    for (std::string_view text : builtinTuned())
      if (Status read = plans.read(text, "kernels_src/tuned"); !read)
        fmt::print(stderr, "tilewright: {}\n", read.error().message);
    std::string files = getEnv(EnvVar::Tuned).value_or("");
    llvm::SmallVector<llvm::StringRef> paths;
    llvm::StringRef(files).split(paths, ':', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef path : paths)
      readOrTell(plans, readFile(path.str()), path.str());
  });
  return plans;
}

Status driver::loadTuned(const std::string &path) {
  TILEWRIGHT_ASSIGN(std::string text, readFile(path));
  return loadedPlans().read(text, path);
}

std::string driver::usersFile() {
  std::string folder = runtime::defaultCacheDir();
  return folder.empty() ? "" : folder + "/tuned.json";
}

/// They lie beside compiled kernels and decide what runs, so they are trusted like these.
static ErrorOr<std::string> readUsers(const std::string &path) {
  TILEWRIGHT_TRY(checkOwn(runtime::defaultCacheDir()));
  TILEWRIGHT_TRY(checkOwn(path));
  return readFile(path);
}

TunedPlans &driver::usersPlans() {
  static TunedPlans plans;
  static std::once_flag once;
  std::call_once(once, [] {
    if (std::string path = usersFile(); !path.empty() && std::filesystem::exists(path))
      readOrTell(plans, readUsers(path), path);
  });
  return plans;
}

Status driver::saveTuned(const TunedPlan &result, const std::string &path) {
  TunedPlans plans;
  if (std::filesystem::exists(path)) {
    TILEWRIGHT_ASSIGN(std::string text, readFile(path));
    TILEWRIGHT_TRY(plans.read(text, path));
  }
  plans.add(result);
  if (std::filesystem::path folder = std::filesystem::path(path).parent_path(); !folder.empty())
    TILEWRIGHT_TRY(createDirectories(folder.string()));
  return writeFileAtomic(path, plans.json());
}

//===- Whether one fits -----------------------------------------------------------------------===//

ErrorOr<FactLines> driver::factsFor(const KernelTextPtr &text, const Attempt &attempt) {
  TILEWRIGHT_ASSIGN(KernelModule module, KernelModule::lower(text, attempt.specialisation));
  // A plan that states other facts would be refused before the kernel's are read.
  std::string plan = attempt.config.planText;
  if (ErrorOr<passes::Plan> parsed = passes::Plan::parse(plan); !plan.empty() && parsed) {
    parsed->facts.reset();
    plan = parsed->str();
  }
  TILEWRIGHT_ASSIGN(passes::KernelFacts facts, module.facts(attempt.config.options(), plan));
  FactLines result{facts.hash(), {}};
  std::string all = facts.str(/*withSource=*/false);
  for (llvm::StringRef rest = all; !rest.empty(); rest = rest.split('\n').second)
    result.lines.push_back(rest.split('\n').first.trim().str());
  return result;
}

static std::string difference(const std::vector<std::string> &then,
                              const std::vector<std::string> &now) {
  for (size_t i = 0; i < std::max(then.size(), now.size()); ++i) {
    std::string old = i < then.size() ? then[i] : "", own = i < now.size() ? now[i] : "";
    if (old != own)
      return fmt::format("`{}` when it was tuned, {} now", old.empty() ? "nothing" : old,
                         own.empty() ? "nothing" : "`" + own + "`");
  }
  return "";
}

/// The configuration with the plan of a result, or with its numbers.
static Attempt withResult(const Attempt &wanted, const TunedPlan &result) {
  if (result.plan.empty())
    return result.numbers.applyTo(wanted);
  ErrorOr<passes::Plan> plan = passes::Plan::parse(result.plan);
  if (!plan) // what is added has been read
    return wanted;
  Attempt attempt = withPlans(wanted, *plan);
  attempt.others.clear();
  return attempt;
}

std::string driver::misfit(const KernelTextPtr &text, const Attempt &wanted,
                           const TunedPlan &result) {
  std::string which = "the plan that was tuned for " + result.sizes() + " does not fit any more: ";
  if (result.plan.empty())
    return which + "the kernel has another text";
  ErrorOr<FactLines> own = factsFor(text, withResult(wanted, result));
  if (!own)
    return which + own.error().message;
  std::optional<std::string> held = passes::Plan::parse(result.plan)->facts;
  if (held && *held == own->hash)
    return "";
  std::string words = difference(result.facts, own->lines);
  return which + (words.empty() ? fmt::format("it is for facts {}, and the kernel has {}",
                                              held.value_or("that it does not state"), own->hash)
                                : words);
}

/// Looks for a result. Those of older texts of the kernel also count, if their plans fit.
static void choose(TunedChoice &choice, const TunedPlans &plans, const KernelTextPtr &text,
                   const Attempt &wanted, const LaunchClass &launch) {
  choice.result = plans.find(launch);
  for (const TunedPlans::Entry &older : plans.findOlder(launch)) {
    if (choice.result)
      break;
    if (std::string words = misfit(text, wanted, *older); words.empty())
      choice.result = older;
    else
      choice.passedOver.push_back(words);
  }
  choice.isExact = choice.result && choice.result->launch.sizes == launch.sizes;
}

Attempt TunedChoice::apply(const Attempt &wanted) const { return withResult(wanted, *result); }

TunedChoice driver::tunedFor(const KernelTextPtr &text, const Attempt &wanted, const Call &call) {
  TunedChoice choice;
  const Config &config = wanted.config;
  if (config.tuned == Config::Tuned::None || !config.disabledPasses.empty() ||
      !config.planEntries.empty() || !whyStated(*text, config).empty())
    return choice;
  bool seesUsers = config.tuned == Config::Tuned::Auto;
  if (!loadedPlans().knows(text->kernel) && (!seesUsers || !usersPlans().knows(text->kernel)))
    return choice;
  LaunchClass launch = LaunchClass::of(*text, wanted, call);
  choose(choice, loadedPlans(), text, wanted, launch);
  if (seesUsers && !choice.isExact) {
    TunedChoice own;
    choose(own, usersPlans(), text, wanted, launch);
    if (own.result && (own.isExact || !choice.result))
      choice = std::move(own);
  }
  return choice;
}

std::vector<passes::Plan> driver::withTuned(const PlanSearch &search, const planner::Launch &launch,
                                            const TunedChoice &tuned) {
  if (tuned.result && tuned.result->plan.empty())
    return {};
  std::vector<passes::Plan> plans = search.finalists(launch);
  if (!tuned.result)
    return plans;
  constexpr double kSlower = 1.05; // predictions are 5 % off in the median
  passes::Plan plan = *passes::Plan::parse(tuned.result->plan);
  std::optional<planner::Prediction> own = search.predictFor(plan, launch);
  std::optional<planner::Prediction> best =
      plans.empty() ? std::nullopt : search.predictFor(plans.front(), launch);
  if (tuned.isExact || !own || !best || own->total <= kSlower * best->total)
    plans.insert(plans.begin(), std::move(plan));
  return plans;
}
