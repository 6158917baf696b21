//===- TimelineFile.h - the timeline of a run, printed and written ----------------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_TIMELINEFILE_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_TIMELINEFILE_H

#include "tools/driver/TimelineTrace.h"
#include "tools/tilewright/Commands.h"

namespace tilewright::cli {

/// The records of a step's last run.
struct StepRecords {
  driver::TimelineTable table;
  std::vector<std::byte> records;
  bool isSimulated = false;
};

/// The job with time stamps in its kernels; fails if there cannot be so many records.
ErrorOr<Job> withTimeline(Job job, const TimelineOptions &options);

/// The file for a step of what is written for each: that of a job's first step has the name that
/// the user gives, "trace.json"; others have the kernel's in it, "trace.swiglu_mlp_down.json".
std::string fileFor(const std::string &file, const Job &job, const Step &step);

/// Prints the summary and writes the trace.
Status reportTimeline(const TimelineOptions &options, const Job &job, const Step &step,
                      const StepRecords &records, driver::TimelineRun run);

} // namespace tilewright::cli

#endif
