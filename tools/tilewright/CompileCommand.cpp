// `tilewright compile` and `tilewright explain`.
#include "tools/tilewright/Commands.h"

#include "planner/Say.h"
#include "support/Files.h"
#include "tools/driver/Inspect.h"
#include "tools/driver/Listing.h"
#include "tools/driver/Plans.h"
#include "tools/driver/TileSource.h"
#include "tools/tilewright/ShortExplain.h"

#include <cstdio>
#include <fmt/format.h>
#include <llvm/Support/FormatVariadic.h>

using namespace tilewright;
using namespace tilewright::cli;

static ErrorOr<std::string> emitModule(const Step &step, const driver::Attempt &attempt,
                                       std::optional<passes::Stage> stage) {
  TILEWRIGHT_ASSIGN(driver::KernelModule module, driver::moduleAt(step.text, attempt, stage));
  return module.str();
}

static ErrorOr<std::string> emitSource(const Step &step, const driver::Attempt &attempt) {
  TILEWRIGHT_ASSIGN(driver::KernelModule module,
                    driver::moduleAt(step.text, attempt, std::nullopt));
  return driver::tileSource(module.kernel());
}

static ErrorOr<driver::Compiled> build(const Step &step, const driver::Attempt &attempt,
                                       bool lineInfo) {
  runtime::CompileOptions options;
  if (lineInfo)
    options.extraOptions.push_back("-lineinfo");
  return driver::compile(step.text, attempt, options);
}

static ErrorOr<std::string> emitMachine(const Step &step, const driver::Attempt &attempt,
                                        const std::string &what) {
  TILEWRIGHT_ASSIGN(driver::Compiled compiled, build(step, attempt, /*lineInfo=*/what == "ptx"));
  const runtime::CompiledText &text = compiled.kernel.compiled().text;
  if (what == "ptx")
    return driver::annotatePtx(text.ptx, *step.text);
  if (text.cubin.empty())
    return Error{"`" + attempt.config.target + "` has PTX only; a cubin needs `sm_…`"};
  return what == "sass" ? driver::disassemble(text.cubin) : ErrorOr<std::string>(text.cubin);
}

static ErrorOr<std::string> emitJson(const Job &job, const std::vector<Step> &steps,
                                     const std::string &irAfter) {
  llvm::json::Array kernels;
  for (const Step &step : steps) {
    TILEWRIGHT_ASSIGN(std::vector<driver::Attempt> attempts, attemptsFor(job, step));
    for (const driver::Attempt &attempt : attempts) {
      TILEWRIGHT_ASSIGN(llvm::json::Object kernel, driver::inspect(step.text, attempt, irAfter));
      kernels.push_back(std::move(kernel));
    }
  }
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(kernels))).str();
}

static ErrorOr<std::string> emitPlan(const Step &step, const driver::Attempt &attempt,
                                     const std::string &what) {
  if (step.text->isCta() && llvm::StringRef(what).starts_with("tile"))
    return Error{"a kernel written on the `cta` level has no `" + what + "`"};
  if (what == "tile-source")
    return emitSource(step, attempt);
  if (what == "tile-raw")
    return emitModule(step, attempt, std::nullopt);
  if (what == "tile")
    return emitModule(step, attempt, passes::Stage::Tile);
  if (what == "cta")
    return emitModule(step, attempt, passes::Stage::Cta);
  if (what == "cuda-ir")
    return emitModule(step, attempt, passes::Stage::Cuda);
  if (what == "cuda")
    return driver::cudaListing(step.text, attempt);
  return emitMachine(step, attempt, what);
}

/// The text of each plan, behind a line that names it.
static ErrorOr<std::string> emitStep(const Job &job, const Step &step, const std::string &what) {
  TILEWRIGHT_ASSIGN(std::vector<driver::Attempt> attempts, attemptsFor(job, step));
  if (what == "cubin" && attempts.size() > 1)
    return Error{fmt::format("kernel `{}` has {} plans, and a cubin is of one: add `--plan {}`",
                             job.name, attempts.size(), step.text->plans.name(0))};
  std::string all;
  for (const driver::Attempt &attempt : attempts) {
    TILEWRIGHT_ASSIGN(std::string text, emitPlan(step, attempt, what));
    std::string plan = driver::describePlan(*step.text, attempt.plan);
    bool isText = what != "cubin" && !plan.empty();
    all += (isText ? "// " + plan + "\n" : "") + text;
  }
  return all;
}

static Status writeOutput(const std::string &path, const std::string &text) {
  if (!path.empty() && path != "-")
    return writeFileAtomic(path, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    return Error{"standard output could not be written"};
  return {};
}

static Status checkIrAfter(const std::string &emit, const std::string &irAfter) {
  if (irAfter.empty() || emit == "json")
    return {};
  return Error{"`--ir-after` shows IR beside what the passes say: it needs `--emit json`"};
}

Status cli::compile(const CompileOptions &options) {
  TILEWRIGHT_TRY(checkIrAfter(options.emit, options.irAfter));
  TILEWRIGHT_ASSIGN(Job job, makeJob(options.kernel));
  job.config.timelineStamps = options.stamps ? kTimelineStamps : 0;
  if (options.emit == "report") {
    TILEWRIGHT_ASSIGN(std::string text, report(job));
    return writeOutput(options.output, text);
  }
  // One kernel, not the sequence that `run` makes of it: name the others to see them.
  const Step &step = job.steps.front();
  TILEWRIGHT_ASSIGN(std::string text, options.emit == "json"
                                          ? emitJson(job, {step}, options.irAfter)
                                          : emitStep(job, step, options.emit));
  return writeOutput(options.output, text);
}

/// The predicted time of the plan, found or given, and of others.
static std::string explainChoice(const Job &job, const Step &step, const driver::Attempt &attempt) {
  ErrorOr<passes::Plan> plan = passes::Plan::parse(attempt.config.planText);
  if (!plan)
    return "";
  driver::PlanSearch search(step.text, attempt.withoutPlan());
  planner::Launch launch = launchFor(job, step, job.sizes);
  std::optional<planner::Prediction> own = search.predictFor(*plan, launch);
  if (!own)
    return "";
  std::string text =
      fmt::format("  predicted for {}; critical path: {}\n    {}\n  instead\n", str(job.sizes),
                  planner::criticalPathOf(*own).str(), planner::str(*own));
  constexpr size_t kOthers = 5;
  std::vector<std::string> titles = {planner::titleOf(*plan)};
  for (const planner::Ranked &other : search.rank(launch)) {
    std::string title = planner::titleOf(other.plan);
    if (titles.size() > kOthers || llvm::is_contained(titles, title))
      continue;
    text += fmt::format("    {}\n      {}\n", title, planner::str(other.predicted));
    titles.push_back(std::move(title));
  }
  return text;
}

Status cli::explain(const ExplainOptions &options) {
  TILEWRIGHT_TRY(checkIrAfter(options.emit, options.irAfter));
  TILEWRIGHT_ASSIGN(Job job, makeJob(options.kernel));
  if (options.emit == "json") {
    TILEWRIGHT_ASSIGN(std::string text, emitJson(job, job.steps, options.irAfter));
    return writeOutput("", text);
  }
  for (const Step &step : job.steps) {
    TILEWRIGHT_ASSIGN(std::vector<driver::Attempt> attempts, attemptsFor(job, step));
    for (const driver::Attempt &attempt : attempts) {
      if (options.isShort) {
        TILEWRIGHT_ASSIGN(std::string text, explainShortly(job, step, attempt));
        fmt::print("{}", text);
        continue;
      }
      TILEWRIGHT_ASSIGN(std::string text, options.facts
                                              ? driver::explainFacts(step.text, attempt.open())
                                              : driver::explain(step.text, attempt));
      fmt::print("{}", text);
      if (!options.facts)
        fmt::print("{}", explainChoice(job, step, attempt));
    }
  }
  return {};
}
