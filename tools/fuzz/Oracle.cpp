#include "tools/fuzz/Oracle.h"

#include "runtime/Compile.h"
#include "tools/driver/Compiler.h"
#include "tools/fuzz/Run.h"

#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::fuzz;

/// Whether the tiles are too many for the target's shared memory, as the compiler says it. That a
/// program is refused so is right.
static bool isMisfit(const Error &error) {
  return error.message.find("bytes of shared memory") != std::string::npos;
}

/// Whether all ops of a kernel are those of whole tiles.
static bool isInterpreted(mlir::func::FuncOp kernel) {
  auto check = [](mlir::Operation *op) {
    return simulator::isInterpreted(op) ? mlir::WalkResult::advance()
                                        : mlir::WalkResult::interrupt();
  };
  return !kernel.getBody().walk(check).wasInterrupted();
}

/// The interpreter after every pass of the tile and cta levels that changed something.
static std::optional<Finding> checkPasses(const Run &run, const std::string &target,
                                          const OracleOptions &options) {
  ErrorOr<driver::KernelModule> module = run.lower();
  if (!module)
    return Finding{"front end", module.error().message};
  std::optional<Finding> finding;
  auto observe = [&](llvm::StringRef pass) {
    if (finding || !isInterpreted(module->kernel()))
      return;
    Tensors tensors = run.initial;
    std::string stage = target + ": pass " + pass.str();
    if (Status status = run.interpret(*module, tensors); !status)
      finding = Finding{stage, status.error().message};
    else if (std::string fault = run.compare(tensors); !fault.empty())
      finding = Finding{stage, fault};
  };
  passes::PipelineOptions pipeline;
  pipeline.target = target;
  pipeline.allowSpills = true;
  pipeline.disabled = options.disabledPasses;
  Status status = module->run(pipeline, passes::Stage::Cta, observe);
  if (!status && !finding && !isMisfit(status.error()))
    finding = Finding{target + ": passes", status.error().message};
  return finding;
}

/// Prints the text and compiles it, for machines that have NVRTC.
static std::optional<Finding> checkMachineCode(const Run &run, const driver::Attempt &attempt) {
  const std::string &target = attempt.config.target;
  ErrorOr<driver::Translated> translated = driver::translateFitting(run.kernel, attempt);
  if (!translated)
    return Finding{target + ": text", translated.error().message};
  runtime::CompileOptions options;
  options.useCache = false;
  auto code = runtime::compileKernel(translated->source, options);
  return code ? std::nullopt
              : std::optional(Finding{target + ": machine code", code.error().message});
}

/// One simulated run, which must find nothing and give what is expected.
static std::optional<Finding> checkProgram(const Run &run, const std::string &target,
                                           driver::Simulation &simulation,
                                           simulator::Schedule schedule) {
  simulator::MachineOptions options;
  options.schedule = schedule;
  options.count = false;
  Tensors tensors = run.initial;
  ErrorOr<driver::SimulatedLaunch> launch = run.simulate(simulation, tensors, options);
  std::string stage = target + ": simulator";
  if (!launch)
    return Finding{stage, launch.error().message};
  if (!launch->result.isClean())
    return Finding{stage, launch->messages};
  std::string fault = run.compare(tensors);
  return fault.empty() ? std::nullopt : std::optional(Finding{stage, fault});
}

/// A run on the GPU, where it can run what is generated for this target.
static std::optional<Finding> checkGpu(const Run &run, driver::Attempt attempt, const Gpu &gpu) {
  std::string stage = attempt.config.target + ": GPU";
  attempt.config.target = gpu.runs(attempt.config.target);
  if (attempt.config.target.empty())
    return std::nullopt;
  runtime::CompileOptions options;
  options.useCache = false;
  ErrorOr<driver::Compiled> compiled = driver::compile(run.kernel, attempt, options);
  if (!compiled)
    return Finding{stage, compiled.error().message};
  Tensors tensors = run.initial;
  if (Status status = run.launch(compiled->kernel, tensors); !status)
    return Finding{stage, status.error().message};
  std::string fault = run.compare(tensors);
  return fault.empty() ? std::nullopt : std::optional(Finding{stage, fault});
}

static driver::Attempt attemptOf(const Run &run, const std::string &target) {
  driver::Attempt attempt;
  attempt.config.target = target;
  attempt.config.allowSpills = true;
  attempt.specialisation = run.specialisation;
  return attempt;
}

bool fuzz::isRefusedForSize(const Case &test, const std::string &target) {
  ErrorOr<Run> run = Run::create(test);
  if (!run)
    return false;
  auto simulation = driver::Simulation::create(run->kernel, attemptOf(*run, target));
  return !simulation && isMisfit(simulation.error());
}

static std::optional<Finding> checkTarget(const Run &run, const std::string &target,
                                          const OracleOptions &options) {
  driver::Attempt attempt = attemptOf(run, target);
  attempt.config.disabledPasses = options.disabledPasses;
  ErrorOr<driver::Simulation> simulation = driver::Simulation::create(run.kernel, attempt);
  if (!simulation)
    return isMisfit(simulation.error())
               ? std::nullopt
               : std::optional(Finding{target + ": compile", simulation.error().message});
  if (options.simulate)
    for (simulator::Schedule schedule : {simulator::Schedule::Eager, simulator::Schedule::Lazy})
      if (auto finding = checkProgram(run, target, *simulation, schedule))
        return finding;
  if (options.machineCode)
    if (auto finding = checkMachineCode(run, attempt))
      return finding;
  return options.gpu ? checkGpu(run, attempt, *options.gpu) : std::nullopt;
}

std::optional<Finding> fuzz::check(const Case &test, const OracleOptions &options) {
  ErrorOr<Run> run = Run::create(test);
  if (!run)
    return Finding{"front end", run.error().message};
  ErrorOr<driver::KernelModule> module = run->lower();
  if (!module)
    return Finding{"front end", module.error().message};
  run->expected = run->initial;
  if (Status status = run->interpret(*module, run->expected); !status)
    return Finding{"reference", status.error().message};
  for (const std::string &target : options.targets) {
    if (std::optional<Finding> finding = checkPasses(*run, target, options))
      return finding;
    if (std::optional<Finding> finding = checkTarget(*run, target, options))
      return finding;
  }
  return std::nullopt;
}
