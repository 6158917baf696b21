#include "tools/tilewright/TimelineFile.h"

#include "support/Files.h"

#include <filesystem>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::cli;

ErrorOr<Job> cli::withTimeline(Job job, const TimelineOptions &options) {
  constexpr int64_t kFewest = 16, kMost = 1 << 16;
  if (options.file.empty())
    return job;
  if (options.stamps < kFewest || options.stamps > kMost)
    return Error{fmt::format("--timeline-stamps {} is not a number from {} to {}", options.stamps,
                             kFewest, kMost)};
  job.config.timelineStamps = options.stamps;
  job.config.timelineDetail = findTimelineDetail(options.detail).value_or(TimelineDetail::All);
  return job;
}

std::string cli::fileFor(const std::string &file, const Job &job, const Step &step) {
  if (&step == &job.steps.front())
    return file;
  std::filesystem::path path(file);
  return path.replace_extension(step.text->kernel + path.extension().string()).string();
}

Status cli::reportTimeline(const TimelineOptions &options, const Job &job, const Step &step,
                           const StepRecords &records, driver::TimelineRun run) {
  TILEWRIGHT_ASSIGN(driver::Timeline timeline,
                    driver::readTimeline(records.table, records.records, records.isSimulated));
  driver::TimelineSummary summary = driver::summarize(
      timeline, driver::fmasPerClock(job.config.target, records.isSimulated), run.overhead);
  fmt::print("{}", summary.str(timeline));
  run.kernel = step.text->kernel;
  std::string file = fileFor(options.file, job, step);
  TILEWRIGHT_TRY(
      writeFileAtomic(file, driver::timelineTrace(timeline, summary, run, driver::kMostSlices)));
  fmt::print("  {} opens in https://ui.perfetto.dev\n", file);
  return {};
}
