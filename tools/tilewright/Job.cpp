#include "tools/tilewright/Job.h"

#include "frontend/Source.h"
#include "ir/Target.h"
#include "runtime/Driver.h"
#include "support/Files.h"
#include "tools/driver/Builtins.h"
#include "tools/driver/GivenPlan.h"
#include "tools/driver/Gradient.h"
#include "tools/driver/Plans.h"
#include "tools/driver/TunedPlans.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <nlohmann/json.hpp>

using namespace tilewright;
using namespace tilewright::cli;
using frontend::ConstValue;
using frontend::Dtype;
using frontend::Param;
using llvm::StringRef;
using nlohmann::json;

/// What defaults.json says of a kernel; empty for a user's own.
static json defaultsOf(const driver::KernelText &text) {
  static const json all = json::parse(driver::builtinDefaults());
  const std::string &kernel = text.forward ? text.forward->kernel : text.kernel;
  json defaults = text.builtin && all.contains(kernel) ? all[kernel] : json::object();
  if (text.forward)
    defaults.erase("steps"); // they are the forward's
  return defaults;
}

static ErrorOr<std::pair<std::string, std::string>> splitSetting(const std::string &word,
                                                                 const char *option) {
  size_t at = word.find('=');
  if (at == word.npos || at == 0 || at + 1 == word.size())
    return Error{"`" + word + "` after " + option + " is not of the form `name=value`"};
  return std::pair(word.substr(0, at), word.substr(at + 1));
}

static ErrorOr<int64_t> parseInteger(const std::string &text, const std::string &name) {
  int64_t value;
  if (StringRef(text).getAsInteger(10, value))
    return Error{"`" + name + "` must be an integer, not `" + text + "`"};
  return value;
}

static ConstValue parseConst(const std::string &text) {
  StringRef word(text);
  int64_t integer;
  double number;
  if (word.equals_insensitive("true") || word.equals_insensitive("false"))
    return word.equals_insensitive("true");
  if (word.equals_insensitive("none"))
    return std::monostate();
  if (!word.getAsInteger(0, integer))
    return integer;
  if (!word.getAsDouble(number))
    return number;
  if (std::optional<Dtype> dtype = frontend::dtypeFromName(text))
    return *dtype;
  return text;
}

//===- Sizes ----------------------------------------------------------------------------------===//

std::vector<std::string> cli::dimNames(const Job &job) {
  std::vector<std::string> names;
  for (const Step &step : job.steps)
    for (const frontend::DimInfo &dim : step.signature().dims)
      names.push_back(dim.name);
  return names;
}

static Error unknown(const Job &job, const char *what, const std::string &name,
                     const std::vector<std::string> &known) {
  std::vector<StringRef> names(known.begin(), known.end());
  return {"kernel `" + job.name + "` has no " + what + " `" + name + "`" +
          frontend::suggest(name, names)};
}

static Status bindShape(Job &job, const KernelArgs &args) {
  std::vector<std::string> known = dimNames(job);
  for (const std::string &word : args.shape) {
    TILEWRIGHT_ASSIGN(auto setting, splitSetting(word, "--shape"));
    const auto &[name, text] = setting;
    if (!llvm::is_contained(known, name))
      return unknown(job, "dimension", name, known);
    TILEWRIGHT_ASSIGN(job.sizes[name], parseInteger(text, name));
    if (job.sizes[name] < 0)
      return Error{"the dimension `" + name + "` cannot be " + text};
  }
  return {};
}

/// Adds the sizes that a program fixes, where the user says nothing else.
static void fixedShape(Job &job) {
  for (const Step &step : job.steps)
    for (const Param &param : step.signature().params)
      for (const frontend::Dim &dim : param.dims)
        if (!dim.name.empty() && dim.size)
          job.sizes.try_emplace(dim.name, dim.size);
}

/// Adds the default sizes of dimensions that the user left open; they may refer to each other.
static Status defaultShape(Job &job, const json &defaults) {
  if (!defaults.contains("shape"))
    return {};
  std::map<std::string, runtime::Expr> open;
  for (const auto &[name, value] : defaults["shape"].items())
    if (!job.sizes.contains(name)) {
      std::string text = value.is_string() ? value.get<std::string>() : value.dump();
      TILEWRIGHT_ASSIGN(open[name], runtime::Expr::parse(text));
    }
  auto lookup = [&](std::string_view name) -> std::optional<int64_t> {
    auto size = job.sizes.find(std::string(name));
    return size == job.sizes.end() ? std::nullopt : std::optional(size->second);
  };
  for (size_t left = open.size() + 1; open.size() < left;) {
    left = open.size();
    for (auto entry = open.begin(); entry != open.end();)
      if (ErrorOr<int64_t> size = entry->second.eval(lookup)) {
        job.sizes[entry->first] = *size;
        entry = open.erase(entry);
      } else {
        ++entry;
      }
  }
  return {};
}

//===- Dtypes ---------------------------------------------------------------------------------===//

static std::vector<std::string> variableNames(const Job &job) {
  std::vector<std::string> names;
  for (const Step &step : job.steps)
    for (const frontend::DtypeVariable &variable : step.signature().dtypes)
      names.push_back(variable.name);
  return names;
}

static Status bindDtypes(Job &job, const KernelArgs &args, const json &defaults) {
  std::vector<std::string> known = variableNames(job);
  for (const std::string &word : args.dtypes) {
    TILEWRIGHT_ASSIGN(auto setting, splitSetting(word, "--dtype"));
    const auto &[name, text] = setting;
    if (!llvm::is_contained(known, name))
      return unknown(job, "dtype variable", name, known);
    std::optional<Dtype> dtype = frontend::dtypeFromName(text);
    if (!dtype)
      return Error{"there is no dtype `" + text + "`"};
    job.dtypes[name] = *dtype;
  }
  if (defaults.contains("dtypes"))
    for (const auto &[name, value] : defaults["dtypes"].items())
      job.dtypes.try_emplace(name, *frontend::dtypeFromName(value.get<std::string>()));
  for (const Step &step : job.steps)
    for (const frontend::DtypeVariable &variable : step.signature().dtypes)
      job.dtypes.try_emplace(variable.name, variable.allowed.front());
  return {};
}

//===- Values ---------------------------------------------------------------------------------===//

static ErrorOr<runtime::Argument> scalarArgument(const Param &param, const ConstValue &value) {
  bool isFloat = frontend::isFloat(*param.dtype);
  if (const bool *flag = std::get_if<bool>(&value); flag && *param.dtype == Dtype::Bool)
    return runtime::Argument(*flag);
  if (const int64_t *number = std::get_if<int64_t>(&value))
    return isFloat ? runtime::Argument(double(*number)) : runtime::Argument(*number);
  if (const double *number = std::get_if<double>(&value); number && isFloat)
    return runtime::Argument(*number);
  return Error{"`" + param.name + "` is a scalar of dtype `" + dtypeName(*param.dtype).str() +
               "`, not `" + toString(value) + "`"};
}

/// Gives one step the value of one `--set`; false if it has no such name.
static ErrorOr<bool> applySet(Step &step, const std::string &name, const ConstValue &value) {
  const Param *param = step.signature().param(name);
  if (!param)
    return false;
  if (param->kind == Param::Scalar) {
    TILEWRIGHT_ASSIGN(step.scalars[name], scalarArgument(*param, value));
    return true;
  }
  if (param->kind != Param::Tensor) {
    step.settings.emplace_back(name, value);
    return true;
  }
  bool isNone = std::holds_alternative<std::monostate>(value);
  if (!param->optional || (!isNone && value != ConstValue(std::string("given"))))
    return Error{"`" + name + "` is " + (param->optional ? "an optional tensor" : "a tensor") +
                 (param->optional ? ": `--set " + name + "=none` leaves it out, `=given` does not"
                                  : "; `--shape` sets its size")};
  if (isNone)
    step.absent.insert(name);
  else
    step.absent.erase(name);
  return true;
}

static Status bindSets(Job &job, const KernelArgs &args) {
  std::vector<std::string> known;
  for (const Step &step : job.steps)
    for (const Param &param : step.signature().params)
      known.push_back(param.name);
  for (const std::string &word : args.sets) {
    TILEWRIGHT_ASSIGN(auto setting, splitSetting(word, "--set"));
    bool found = false;
    for (Step &step : job.steps) {
      TILEWRIGHT_ASSIGN(bool applied, applySet(step, setting.first, parseConst(setting.second)));
      found |= applied;
    }
    if (!found)
      return unknown(job, "parameter", setting.first, known);
  }
  return {};
}

/// Of an optional tensor that is left out there is no gradient.
static void leaveOutGradients(Job &job) {
  for (Step &step : job.steps)
    if (step.text->forward)
      for (const std::string &name : std::set<std::string>(step.absent))
        step.absent.insert(driver::gradientName(name));
}

/// `rsqrt(D)`, a dimension or a number.
static double evaluateScalar(const json &rule, const Sizes &sizes) {
  if (rule.is_number())
    return rule.get<double>();
  StringRef text = rule.get_ref<const std::string &>();
  bool isRsqrt = text.consume_front("rsqrt(") && text.consume_back(")");
  auto found = sizes.find(text.str());
  int64_t size = found == sizes.end() ? 1 : found->second;
  return isRsqrt ? 1 / std::sqrt(double(std::max<int64_t>(1, size))) : double(size);
}

static void defaultScalars(Job &job, const json &defaults) {
  for (Step &step : job.steps)
    for (const Param &param : step.signature().params) {
      if (param.kind != Param::Scalar || step.scalars.contains(param.name))
        continue;
      if (param.defaultValue) {
        if (auto value = scalarArgument(param, *param.defaultValue))
          step.scalars[param.name] = *value;
      } else if (defaults.contains("scalars") && defaults["scalars"].contains(param.name)) {
        double value = evaluateScalar(defaults["scalars"][param.name], job.sizes);
        bool isFloat = param.dtype == frontend::Dtype::F32;
        step.scalars[param.name] =
            isFloat ? runtime::Argument(value) : runtime::Argument(int64_t(value));
      }
    }
}

//===- Configuration --------------------------------------------------------------------------===//

/// The local GPU's generation, or what a machine without one most likely compiles for.
static std::string defaultTarget() {
  ErrorOr<const runtime::Driver *> driver = runtime::Driver::get();
  if (driver && !(*driver)->devices().empty())
    return (*driver)->devices().front().target();
  return driver::Config().target;
}

static Status bindConfig(Job &job, const KernelArgs &args) {
  std::string stated = driver::statedTarget(*job.steps.front().text, job.config);
  job.config.target = !args.target.empty() ? args.target
                      : !stated.empty()    ? stated
                                           : defaultTarget();
  job.multiprocessorsAtHand = driver::multiprocessorsAtHand(job.config.passTarget());
  if (!args.cuda.empty()) {
    TILEWRIGHT_ASSIGN(job.config.cudaText, readFile(args.cuda));
  }
  job.config.allowSpills = args.allowSpills;
  job.config.lineInfo = args.lineInfo;
  job.config.disabledPasses = args.disabledPasses;
  for (const std::string &word : args.config) {
    TILEWRIGHT_ASSIGN(auto setting, splitSetting(word, "--config"));
    const auto &[name, text] = setting;
    int64_t *field = name == "warps"        ? &job.config.warps
                     : name == "stages"     ? &job.config.stages
                     : name == "min_blocks" ? &job.config.minBlocks
                     : name == "cluster"    ? &job.config.cluster
                                            : nullptr;
    if (!field)
      return Error{"there is no configuration `" + name +
                   "`; there are `warps`, `stages`, `min_blocks` and `cluster`"};
    TILEWRIGHT_ASSIGN(*field, parseInteger(text, name));
    if (*field < 1)
      return Error{"`" + name + "` must be at least 1, not " + text};
  }
  return {};
}

static Status addSteps(Job &job, const driver::KernelTextPtr &first, const json &defaults) {
  if (!defaults.contains("steps")) {
    job.steps.push_back({first, {}, {}, {}, {}});
    if (defaults.contains("absent"))
      job.steps.back().absent = defaults["absent"].get<std::set<std::string>>();
    return {};
  }
  for (const auto &name : defaults["steps"]) {
    TILEWRIGHT_ASSIGN(driver::KernelTextPtr text, driver::loadKernel(name.get<std::string>()));
    job.steps.push_back({std::move(text), {}, {}, {}, {}});
  }
  return {};
}

/// Loads the files of tuned plans that the user names.
static Status bindTuned(Job &job, const KernelArgs &args) {
  for (const std::string &file : args.tuned)
    if (file == driver::kNoPlan)
      job.config.tuned = driver::Config::Tuned::None;
    else
      TILEWRIGHT_TRY(driver::loadTuned(file));
  return {};
}

ErrorOr<Job> cli::makeJob(const KernelArgs &args) {
  TILEWRIGHT_ASSIGN(driver::KernelTextPtr text, driver::loadKernel(args.kernel));
  if (!args.grad && !(args.wrt.empty() && args.given.empty() && args.stored.empty()))
    return Error{"`--wrt`, `--given` and `--stored` are about a gradient: add `--grad`"};
  if (args.grad) {
    TILEWRIGHT_ASSIGN(text, driver::gradientOf(text, {args.wrt, args.given, args.stored}));
  }
  return makeJob(text, args);
}

ErrorOr<Job> cli::makeJob(const driver::KernelTextPtr &text, const KernelArgs &args) {
  json defaults = defaultsOf(*text);
  Job job;
  job.name = text->kernel;
  TILEWRIGHT_TRY(addSteps(job, text, defaults));
  TILEWRIGHT_TRY(bindPlan(job, args));
  TILEWRIGHT_TRY(bindTuned(job, args));
  TILEWRIGHT_TRY(bindShape(job, args));
  fixedShape(job);
  TILEWRIGHT_TRY(defaultShape(job, defaults));
  TILEWRIGHT_TRY(bindDtypes(job, args, defaults));
  TILEWRIGHT_TRY(bindSets(job, args));
  leaveOutGradients(job);
  defaultScalars(job, defaults);
  if (defaults.contains("deviations"))
    for (const auto &[name, rule] : defaults["deviations"].items())
      job.deviations[name] = evaluateScalar(rule, job.sizes);
  for (auto [key, dims] : {std::pair("offsets", &job.offsets), std::pair("indices", &job.indices)})
    if (defaults.contains(key))
      *dims = defaults[key].get<std::map<std::string, std::string>>();
  if (defaults.contains("positive"))
    job.positive = defaults["positive"].get<std::set<std::string>>();
  TILEWRIGHT_TRY(bindConfig(job, args));
  if (!job.config.planText.empty() || !job.config.planEntries.empty())
    TILEWRIGHT_TRY(driver::bindTiles(*text, job.config, job.steps.front().settings, args.plan[0]));
  return job;
}
