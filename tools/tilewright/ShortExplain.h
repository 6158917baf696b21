//===- ShortExplain.h - what was decided, on one screen ---------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_SHORTEXPLAIN_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_SHORTEXPLAIN_H

#include "tools/tilewright/Job.h"

namespace tilewright::cli {

/// At most 24 lines of at most 100 characters: the plan with its predicted time, the plans that
/// lost, and the decisions of the passes, equal ones once. What does not fit is counted.
ErrorOr<std::string> explainShortly(const Job &job, const Step &step,
                                    const driver::Attempt &attempt);

} // namespace tilewright::cli

#endif
