// `tilewright inspect`: a page that shows what became of a kernel.
#include "tools/tilewright/Commands.h"

#include "ir/Target.h"
#include "support/Files.h"
#include "tools/inspector/Inspection.h"
#include "tools/inspector/Page.h"
#include "tools/tilewright/Roofline.h"

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

/// What the kernel has to do at least, and how fast the usual GPU of the target can be.
static std::optional<Object> roofline(const Job &job) {
  const Peak *peak = findPeak("", job.config.passTarget());
  if (!peak || !checkComplete(job))
    return std::nullopt;
  ErrorOr<JobWork> work = workOf(job, job.sizes);
  if (!work)
    return std::nullopt;
  return Object{{"gpu", std::string(peak->gpu)},
                {"flops", work->flops},
                {"bytes", work->bytes},
                {"peak_flops", peak->rate(work->unit)},
                {"peak_bytes", peak->bytes}};
}

static ErrorOr<Object> variantOf(const Job &all, const std::string &title) {
  Job job = all;
  job.steps.resize(1); // one kernel, as for `compile`
  const Step &step = job.steps.front();
  TILEWRIGHT_ASSIGN(std::vector<driver::Attempt> attempts, attemptsFor(job, step));
  inspector::Subject subject{step.text, attempts.front(), {}, title};
  if (checkComplete(job))
    subject.launch = launchFor(job, step, job.sizes);
  TILEWRIGHT_ASSIGN(Object variant, inspector::variantOf(subject));
  if (std::optional<Object> known = roofline(job))
    variant["roofline"] = std::move(*known);
  return variant;
}

/// Puts what other commands measured into the page's data.
static Status addMeasured(const std::string &path, Object &data) {
  TILEWRIGHT_ASSIGN(std::string text, readFile(path));
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  if (!parsed)
    return Error{"`" + path + "` is no JSON: " + llvm::toString(parsed.takeError())};
  bool isUsed = false;
  for (const char *block : {"timeline", "counters", "measured"})
    if (const Object *object = parsed->getAsObject())
      if (const llvm::json::Value *found = object->get(block)) {
        data[block] = *found;
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
