// `tilewright tune`: measures the best plans on the GPU.
#include "tools/driver/Tuner.h"
#include "tools/tilewright/Check.h"
#include "tools/tilewright/Commands.h"

#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::cli;
using driver::TunedPlan;

static std::vector<std::string> programOf(const TuneOptions &options) {
  if (options.measurer.empty())
    return {"/proc/self/exe", "measure"};
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(options.measurer).split(words, ' ', -1, /*KeepEmpty=*/false);
  return {words.begin(), words.end()};
}

static void print(const TunedPlan &result) {
  fmt::print("{} on {}: {}\n", result.launch.kernel,
             result.gpu.empty() ? result.launch.target : result.gpu, result.sizes());
  fmt::print("{:>10}  plan\n", "us");
  bool isOpen = true; // whether the fastest is yet to come
  for (const TunedPlan::Rival &rival : result.rivals) {
    llvm::StringRef why = llvm::StringRef(rival.dropped).split('\n').first;
    bool isFastest = isOpen && why.empty() && rival.microseconds == result.microseconds;
    isOpen &= !isFastest;
    if (why.empty())
      fmt::print("{:10.2f}  {}{}\n", rival.microseconds, rival.plan,
                 isFastest ? "  <- the fastest" : "");
    else
      fmt::print("{:>10}  {}: dropped: {}\n", "", rival.plan, why.str());
  }
}

/// The GPU that measures. With a measuring program of the user's, there may be none here.
static ErrorOr<int> deviceFor(const TuneOptions &options) {
  ErrorOr<const runtime::Driver *> driver = runtime::Driver::get();
  if (driver && !(*driver)->devices().empty())
    return 0;
  if (!options.measurer.empty())
    return -1;
  return Error{"tuning needs a GPU: " +
               (driver ? std::string("the driver reports none") : driver.error().message)};
}

static Status tuneStep(const Job &job, const Step &step, int device, const TuneOptions &options) {
  if (step.text->isCta())
    return Error{"`" + step.text->kernel +
                 "` is a program of the `cta` level, which states its "
                 "plan"};
  TILEWRIGHT_ASSIGN(driver::Attempt wanted, openAttempt(job, step, job.sizes));
  TILEWRIGHT_ASSIGN(Operands operands, placeholders(job, step, job.sizes));
  driver::Memo memo;
  driver::TuneOptions tuning{.count = options.count,
                             .measurer = driver::measureInChild(programOf(options),
                                                                hintsFor(job, step, options.seed),
                                                                options.seconds),
                             .progress = driver::progressBar("tuning " + step.text->kernel)};
  TILEWRIGHT_ASSIGN(TunedPlan result,
                    driver::tune(step.text, wanted, operands.call, device, memo, tuning));
  print(result);
  std::string file = options.output.empty() ? driver::usersFile() : options.output;
  if (file.empty())
    return Error{"there is no folder for results: set TILEWRIGHT_CACHE_DIR, or add `-o FILE`"};
  TILEWRIGHT_TRY(driver::saveTuned(result, file));
  fmt::print("kept in {}\n", file);
  return {};
}

Status cli::tune(const TuneOptions &options) {
  TILEWRIGHT_ASSIGN(Job job, makeJob(options.kernel));
  TILEWRIGHT_TRY(checkComplete(job));
  TILEWRIGHT_ASSIGN(int device, deviceFor(options));
  TILEWRIGHT_TRY(checkSizes(job, job.sizes));
  for (const Step &step : job.steps)
    TILEWRIGHT_TRY(tuneStep(job, step, device, options));
  return {};
}
