#include "tools/fuzz/Oracle.h"

#include "ir/tile/Tile.h"
#include "runtime/Compile.h"
#include "tools/driver/Binding.h"
#include "tools/driver/Compiler.h"
#include "tools/driver/KernelModule.h"
#include "tools/driver/Simulate.h"

#include <cmath>
#include <deque>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::fuzz;
using frontend::Param;

namespace {

using Tensors = std::map<std::string, cli::StridedTensor>;

/// A case with its kernel parsed and its arguments made.
class Run {
public:
  static ErrorOr<Run> create(const Case &test);

  ErrorOr<driver::KernelModule> lower() const {
    return driver::KernelModule::lower(kernel, specialisation);
  }
  /// Runs a module of the tile level on tensors.
  Status interpret(driver::KernelModule &module, Tensors &tensors) const;
  /// Runs a compiled kernel on tensors, by its instructions.
  ErrorOr<driver::SimulatedLaunch> simulate(driver::Simulation &simulation, Tensors &tensors,
                                            const simulator::MachineOptions &options) const;
  /// The first element that is not as expected, in words; empty if all are.
  std::string compare(const Tensors &found) const;

  driver::KernelTextPtr kernel;
  frontend::Specialisation specialisation;
  Tensors initial, expected;

private:
  explicit Run(const Case &test) : test(&test) {}
  Status makeTensors();
  std::vector<runtime::Argument> arguments(Tensors &tensors) const;

  const Case *test;
};

} // namespace

static const TensorPlan *planOf(const Case &test, const std::string &name) {
  for (const TensorPlan &plan : test.tensors)
    if (plan.name == name)
      return &plan;
  return nullptr;
}

Status Run::makeTensors() {
  for (const Param &param : kernel->signature().params) {
    if (param.kind != Param::Tensor)
      continue;
    const TensorPlan *plan = planOf(*test, param.name);
    if (!plan)
      return Error{"the case says nothing of the tensor `" + param.name + "`"};
    std::vector<int64_t> shape;
    for (const frontend::Dim &dim : param.dims) {
      auto size = test->dims.find(dim.name);
      if (!dim.name.empty() && size == test->dims.end())
        return Error{"the case says nothing of the dimension `" + dim.name + "`"};
      shape.push_back(dim.name.empty() ? dim.size : size->second);
    }
    llvm::StringRef dtype = dtypeName(param.dtype.value());
    initial.emplace(
        param.name,
        makeTensor(*plan, *runtime::elementTypeByName({dtype.data(), dtype.size()}), shape));
  }
  return {};
}

/// The arguments in the order of the declaration.
std::vector<runtime::Argument> Run::arguments(Tensors &tensors) const {
  std::vector<runtime::Argument> result;
  for (const Param &param : kernel->signature().params) {
    if (param.kind == Param::Tensor) {
      cli::StridedTensor &tensor = tensors.at(param.name);
      result.push_back(runtime::TensorRef{
          tensor.storage.data() + tensor.origin * int64_t(bytesOf(tensor.type)), tensor.type,
          unsigned(tensor.shape.size()), tensor.shape.data(), tensor.strides.data(), -1});
      continue;
    }
    auto scalar = test->scalars.find(param.name);
    double value = scalar == test->scalars.end() ? 0 : scalar->second;
    if (frontend::isFloat(*param.dtype))
      result.push_back(value);
    else if (*param.dtype == frontend::Dtype::Bool)
      result.push_back(value != 0);
    else
      result.push_back(int64_t(value));
  }
  return result;
}

ErrorOr<Run> Run::create(const Case &test) {
  Run run(test);
  TILEWRIGHT_ASSIGN(run.kernel, driver::loadKernelText(test.text, "fuzz.py", ""));
  TILEWRIGHT_TRY(run.makeTensors());
  TILEWRIGHT_ASSIGN(driver::Call call,
                    driver::arrange(run.kernel->signature(), run.arguments(run.initial)));
  TILEWRIGHT_ASSIGN(run.specialisation, driver::specialise(run.kernel->signature(), call, {}));
  return run;
}

Status Run::interpret(driver::KernelModule &module, Tensors &tensors) const {
  std::deque<simulator::Buffer> buffers;
  std::vector<simulator::Argument> values;
  std::vector<runtime::Argument> given = arguments(tensors);
  const std::vector<Param> &params = kernel->signature().params;
  for (size_t i = 0; i < given.size(); ++i) {
    if (const bool *flag = std::get_if<bool>(&given[i]))
      values.push_back(int64_t(*flag));
    else if (const int64_t *number = std::get_if<int64_t>(&given[i]))
      values.push_back(*number);
    else if (const double *number = std::get_if<double>(&given[i]))
      values.push_back(*number);
    else {
      cli::StridedTensor &tensor = tensors.at(params[i].name);
      auto view = mlir::cast<tile::ViewType>(module.kernel().getArgumentTypes()[i]);
      buffers.push_back({view.getElementType(), tensor.storage.data(), tensor.capacity(), true});
      values.push_back(simulator::ViewValue{&buffers.back(),
                                            tensor.origin,
                                            {tensor.shape.begin(), tensor.shape.end()},
                                            {tensor.strides.begin(), tensor.strides.end()}});
    }
  }
  simulator::Options options;
  options.threads = 1;
  if (auto statistics = module.interpret(values, options); !statistics)
    return std::move(statistics).error();
  return {};
}

ErrorOr<driver::SimulatedLaunch> Run::simulate(driver::Simulation &simulation, Tensors &tensors,
                                               const simulator::MachineOptions &options) const {
  TILEWRIGHT_ASSIGN(driver::Call call, driver::arrange(kernel->signature(), arguments(tensors)));
  std::vector<driver::HostMemory> memories;
  for (const Param *param : call.params) {
    memories.emplace_back();
    if (param->kind == Param::Tensor) {
      cli::StridedTensor &tensor = tensors.at(param->name);
      memories.back() = {tensor.storage.data(), tensor.capacity()};
    }
  }
  return simulation.run(call, memories, options);
}

static std::string compareTensor(const std::string &name, const cli::StridedTensor &found,
                                 const cli::StridedTensor &expected, double allowed) {
  if (found.storage == expected.storage)
    return "";
  if (std::optional<int64_t> at = findBrokenGuard(found))
    return fmt::format("`{}` was written outside its elements, at offset {}", name, *at);
  cli::HostTensor a = found.gather(), b = expected.gather();
  for (int64_t i = 0; i < b.size(); ++i) {
    double x = a.value(i), y = b.value(i);
    if (x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= allowed)
      continue;
    return fmt::format("`{}` is {:.9g} instead of {:.9g} at {} (allowed {:.3g})", name, x, y,
                       cli::coordinates(i, b.shape), allowed);
  }
  return "";
}

std::string Run::compare(const Tensors &found) const {
  for (const auto &[name, tensor] : found) {
    std::string fault = compareTensor(name, tensor, expected.at(name), planOf(*test, name)->error);
    if (!fault.empty())
      return fault;
  }
  return "";
}

//===- Stages ---------------------------------------------------------------------------------===//

/// The interpreter after every pass of the tile level that changed something.
static std::optional<Finding> checkPasses(const Run &run, const OracleOptions &options) {
  ErrorOr<driver::KernelModule> module = run.lower();
  if (!module)
    return Finding{"front end", module.error().message};
  std::optional<Finding> finding;
  auto observe = [&](llvm::StringRef pass) {
    if (finding)
      return;
    Tensors tensors = run.initial;
    std::string stage = "pass " + pass.str();
    if (Status status = run.interpret(*module, tensors); !status)
      finding = Finding{stage, status.error().message};
    else if (std::string fault = run.compare(tensors); !fault.empty())
      finding = Finding{stage, fault};
  };
  passes::PipelineOptions pipeline;
  pipeline.disabled = options.disabledPasses;
  if (Status status = module->run(pipeline, passes::Stage::Tile, observe); !status && !finding)
    finding = Finding{"tile passes", status.error().message};
  return finding;
}

/// Whether the tiles are too many for the target's shared memory, as the compiler says it. That a
/// program is refused so is right.
static bool isMisfit(const Error &error) {
  return error.message.find("bytes of shared memory") != std::string::npos;
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
static std::optional<Finding> checkSchedule(const Run &run, const std::string &target,
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

static std::optional<Finding> checkTarget(const Run &run, const std::string &target,
                                          const OracleOptions &options) {
  driver::Attempt attempt;
  attempt.config.target = target;
  attempt.config.allowSpills = true;
  attempt.config.disabledPasses = options.disabledPasses;
  attempt.specialisation = run.specialisation;
  ErrorOr<driver::Simulation> simulation = driver::Simulation::create(run.kernel, attempt);
  if (!simulation)
    return isMisfit(simulation.error())
               ? std::nullopt
               : std::optional(Finding{target + ": compile", simulation.error().message});
  if (options.simulate)
    for (simulator::Schedule schedule : {simulator::Schedule::Eager, simulator::Schedule::Lazy})
      if (auto finding = checkSchedule(run, target, *simulation, schedule))
        return finding;
  return options.machineCode ? checkMachineCode(run, attempt) : std::nullopt;
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
  if (std::optional<Finding> finding = checkPasses(*run, options))
    return finding;
  for (const std::string &target : options.targets)
    if (std::optional<Finding> finding = checkTarget(*run, target, options))
      return finding;
  return std::nullopt;
}
