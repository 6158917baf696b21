// `tilewright inspect`: a page that shows what became of a kernel.
#include "ir/Target.h"
#include "runtime/Driver.h"
#include "support/Files.h"
#include "tools/inspector/Inspection.h"
#include "tools/inspector/Page.h"
#include "tools/tilewright/Check.h"
#include "tools/tilewright/Commands.h"

#include <cstdio>

using namespace tilewright;
using namespace tilewright::cli;
using llvm::json::Object;

/// The arguments of another variant: a target, or what `--plan` takes.
static KernelArgs against(KernelArgs args, const std::string &other) {
  if (findTarget(other))
    args.target = other;
  else
    args.plan = {other};
  return args;
}

/// Measures a step where a GPU of its target is at hand.
static std::function<ErrorOr<driver::Timed>(const runtime::Kernel &)> timerOf(const Job &job,
                                                                              const Step &step) {
  constexpr int kDevice = 0;
  constexpr uint64_t kSeed = 1;
  ErrorOr<const runtime::Driver *> driver = runtime::Driver::get();
  if (!driver || (*driver)->devices().empty() ||
      (*driver)->devices().front().target() != job.config.passTarget())
    return {};
  return [&job, &step](const runtime::Kernel &kernel) -> ErrorOr<driver::Timed> {
    TILEWRIGHT_TRY(checkSizes(job, job.sizes));
    TILEWRIGHT_ASSIGN(Operands operands, placeholders(job, step, job.sizes));
    return driver::timeOnGpu(
        kernel, operands.call, kDevice,
        driver::measureInChild({"/proc/self/exe", "measure"}, hintsFor(job, step, kSeed)));
  };
}

static ErrorOr<Object> variantOf(const Job &all, const std::string &title) {
  Job job = all;
  job.steps.resize(1); // one kernel, as for `compile`
  const Step &step = job.steps.front();
  TILEWRIGHT_ASSIGN(std::vector<driver::Attempt> attempts, attemptsFor(job, step));
  inspector::Subject subject{step.text, attempts.front(), {}, title};
  if (checkComplete(job)) {
    subject.launch = launchFor(job, step, job.sizes);
    subject.time = timerOf(job, step);
  }
  return inspector::variantOf(subject);
}

/// Puts what was measured elsewhere into the page's data.
static Status addMeasured(const std::string &path, Object &data) {
  TILEWRIGHT_ASSIGN(std::string text, readFile(path));
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  if (!parsed)
    return Error{"`" + path + "` is no JSON: " + llvm::toString(parsed.takeError())};
  Object &own = *data.getArray("variants")->front().getAsObject();
  bool isUsed = false;
  for (const char *block : {"timeline", "counters", "measured"})
    if (const Object *object = parsed->getAsObject())
      if (const llvm::json::Value *found = object->get(block)) {
        (block == std::string_view("measured") ? own : data)[block] = *found;
        isUsed = true;
      }
  if (!isUsed)
    return Error{"`" + path +
                 "` has none of `timeline`, `counters`, `measured` (docs/inspector.md)"};
  return {};
}

static ErrorOr<Object> dataOf(const InspectOptions &options) {
  TILEWRIGHT_ASSIGN(Job job, makeJob(options.kernel));
  std::vector<Object> variants;
  TILEWRIGHT_ASSIGN(Object own, variantOf(job, ""));
  variants.push_back(std::move(own));
  for (const std::string &other : options.against) {
    TILEWRIGHT_ASSIGN(Job otherJob, makeJob(against(options.kernel, other)));
    std::string title = findTarget(other) ? other : job.config.target + ", plan " + other;
    TILEWRIGHT_ASSIGN(Object variant, variantOf(otherJob, title));
    variants.push_back(std::move(variant));
  }
  const Step &step = job.steps.front();
  Object data =
      inspector::inspectionOf(*step.text, launchFor(job, step, job.sizes), std::move(variants));
  for (const std::string &path : options.with)
    TILEWRIGHT_TRY(addMeasured(path, data));
  return data;
}

Status cli::inspect(const InspectOptions &options) {
  TILEWRIGHT_ASSIGN(Object data, dataOf(options));
  std::string text = options.emit == "json" ? inspector::embeddable(std::move(data)) + "\n"
                                            : inspector::pageOf(std::move(data));
  if (!options.output.empty() && options.output != "-")
    return writeFileAtomic(options.output, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    return Error{"standard output could not be written"};
  return {};
}
