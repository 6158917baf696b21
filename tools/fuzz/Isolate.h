//===- Isolate.h - checks in processes of their own -------------------------------------------===//
//
// A compiler that is being tested may crash or hang. Checks run in forked processes, a batch in
// each; when one dies, its last check is the finding, and the rest of the batch goes to a new
// process. So it does after any other finding: what was found may have left a mark, such as a GPU
// that runs nothing more.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_FUZZ_ISOLATE_H
#define TILEWRIGHT_TOOLS_FUZZ_ISOLATE_H

#include "tools/fuzz/Oracle.h"

#include <functional>

namespace tilewright::fuzz {

struct IsolateOptions {
  unsigned jobs = 1;
  size_t batch = 50;
  unsigned seconds = 600;    ///< That one check may take, on a machine that others use too.
  unsigned cpuSeconds = 0;   ///< Of a processor's time, whoever else uses it; 0: any.
  std::string harmless = ""; ///< The stage of findings after which a process can go on.
};

using Findings = std::vector<std::optional<Finding>>;

/// The results of `check(0)` to `check(count - 1)`. The caller has no other threads.
Findings checkIsolated(size_t count, const std::function<std::optional<Finding>(size_t)> &check,
                       const IsolateOptions &options = {});

} // namespace tilewright::fuzz

#endif
