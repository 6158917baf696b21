// `tilewright fuzz`: random programs, each by every executor.
#include "tools/tilewright/Commands.h"

#include "ir/Target.h"
#include "tools/fuzz/Session.h"

#include <fmt/format.h>
#include <thread>

using namespace tilewright;
using namespace tilewright::cli;

static fuzz::SessionOptions sessionOptions(const FuzzOptions &options) {
  fuzz::SessionOptions session;
  session.seed = options.seed;
  session.count = options.count;
  session.oracle.targets = options.targets;
  session.oracle.disabledPasses = options.disabledPasses;
  session.oracle.simulate = options.simulate;
  session.machineCodeEvery = options.machineCodeEvery;
  session.jobs = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  session.blame = options.blame;
  session.saveFolder = options.save;
  if (options.targets.empty())
    for (const Target &target : allTargets())
      session.oracle.targets.push_back(target.name.str());
  return session;
}

static Status replayFiles(const FuzzOptions &options, const fuzz::SessionOptions &session) {
  fuzz::OracleOptions oracle = session.oracle;
  oracle.machineCode = options.machineCodeEvery > 0;
  size_t faults = 0;
  for (const std::string &path : options.replay) {
    TILEWRIGHT_ASSIGN(std::optional<fuzz::Finding> finding, fuzz::replay(path, oracle));
    fmt::print("{}: {}\n", path, finding ? finding->stage + ": " + finding->message : "no finding");
    faults += finding.has_value();
  }
  return faults ? Error{fmt::format("{} of {} programs fail", faults, options.replay.size())}
                : Status();
}

Status cli::fuzz(const FuzzOptions &options) {
  fuzz::SessionOptions session = sessionOptions(options);
  if (options.print) {
    for (uint64_t i = 0; i < options.count; ++i)
      fmt::print("{}\n", fuzz::caseOfSeed(options.seed + i).str());
    return {};
  }
  if (!options.replay.empty())
    return replayFiles(options, session);
  TILEWRIGHT_ASSIGN(bool isClean, fuzz::runSession(session));
  return isClean ? Status() : Error{"the programs above are not compiled as they should be"};
}
