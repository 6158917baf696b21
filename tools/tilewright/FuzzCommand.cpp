// `tilewright fuzz`: random programs, each by every executor.
#include "tools/tilewright/Commands.h"

#include "ir/Target.h"
#include "support/Files.h"
#include "tools/fuzz/Session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>

using namespace tilewright;
using namespace tilewright::cli;

/// The target that stands for the GPU of this machine.
static constexpr const char *kNative = "native";

/// The GPU to run on, if there is one and it is wanted; an error where its target is asked for.
static ErrorOr<std::optional<fuzz::Gpu>> chooseGpu(const FuzzOptions &options) {
  bool isNamed = llvm::is_contained(options.targets, kNative);
  if (options.print || (!options.gpu && !isNamed))
    return std::nullopt;
  ErrorOr<fuzz::Gpu> gpu = fuzz::findGpu();
  if (!gpu && isNamed)
    return Error{"`--target native` needs a GPU: " + gpu.error().message};
  return gpu ? std::optional(*gpu) : std::nullopt;
}

static ErrorOr<std::vector<std::string>> targetsOf(const FuzzOptions &options,
                                                   const std::optional<fuzz::Gpu> &gpu) {
  std::vector<std::string> known;
  for (const Target &target : allTargets())
    known.push_back(target.name.str());
  std::vector<std::string> targets = options.targets;
  if (gpu)
    std::replace(targets.begin(), targets.end(), std::string(kNative), gpu->target);
  for (const std::string &target : targets)
    if (!llvm::is_contained(known, target))
      return Error{fmt::format("there is no target `{}`; there are {}, and native", target,
                               fmt::join(known, ", "))};
  return targets.empty() ? known : targets;
}

static ErrorOr<fuzz::SessionOptions> sessionOptions(const FuzzOptions &options) {
  fuzz::SessionOptions session;
  TILEWRIGHT_ASSIGN(std::optional<fuzz::Gpu> gpu, chooseGpu(options));
  TILEWRIGHT_ASSIGN(session.oracle.targets, targetsOf(options, gpu));
  if (options.gpu)
    session.oracle.gpu = gpu;
  session.seed = options.seed;
  session.count = options.count;
  session.oracle.disabledPasses = options.disabledPasses;
  session.oracle.simulate = options.simulate;
  session.machineCodeEvery = options.machineCodeEvery;
  session.jobs = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  session.blame = options.blame;
  session.saveFolder = options.save;
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
  if (!options.save.empty())
    TILEWRIGHT_TRY(createDirectories(options.save));
  if (!options.plans.empty())
    return fuzzPlans(options);
  if (!options.programs.empty())
    return fuzzPrograms(options);
  if (!options.texts.empty())
    return fuzzTexts(options);
  TILEWRIGHT_ASSIGN(fuzz::SessionOptions session, sessionOptions(options));
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
