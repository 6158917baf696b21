//===- Kernel.cpp - Kernels, compiled as they are called ------------------===//

#include "tilewright/Kernel.h"

#include "cpp/Arguments.h"
#include "runtime/Cache.h"
#include "support/Files.h"
#include "tools/driver/GivenPlan.h"
#include "tools/driver/Gradient.h"
#include "tools/driver/Interpret.h"
#include "tools/driver/Load.h"
#include "tools/driver/Plans.h"

#include <optional>

using namespace tilewright;

struct Kernel::State {
  driver::KernelTextPtr text;
  driver::Config config = {};
  bool targetGiven = false;
  driver::Memo memo = {};
  std::optional<driver::Function> function = {};
};

Kernel::Kernel(std::shared_ptr<State> state) : state(std::move(state)) {}

//===- Making one -----------------------------------------------------------------------------===//

ErrorOr<Kernel> Kernel::create(std::shared_ptr<State> state, const KernelOptions &options) {
  driver::Config &config = state->config;
  state->targetGiven = !options.target.empty();
  if (state->targetGiven)
    config.target = options.target;
  config.warps = options.warps;
  config.stages = options.stages;
  if (options.plan == driver::kNoPlan) {
    config.findsPlan = false;
  } else if (!options.plan.empty()) {
    TILEWRIGHT_TRY(driver::statePlan(config, options.plan, {}));
    driver::Settings tiles;
    TILEWRIGHT_TRY(driver::bindTiles(*state->text, config, tiles));
  }
  state->function.emplace(state->text, config);
  return Kernel(std::move(state));
}

ErrorOr<Kernel> Kernel::load(const std::string &what, const KernelOptions &options) {
  TILEWRIGHT_ASSIGN(driver::KernelTextPtr text, driver::loadKernel(what));
  return create(std::make_shared<State>(std::move(text)), options);
}

ErrorOr<Kernel> Kernel::fromText(const std::string &text, const std::string &name,
                                 const KernelOptions &options, const std::string &file) {
  TILEWRIGHT_ASSIGN(driver::KernelTextPtr parsed, driver::loadKernelText(text, file, name));
  return create(std::make_shared<State>(std::move(parsed)), options);
}

ErrorOr<Kernel> Kernel::gradient(const std::vector<std::string> &wrt,
                                 const std::vector<std::string> &given,
                                 const std::vector<std::string> &stored,
                                 const KernelOptions &options) const {
  TILEWRIGHT_ASSIGN(driver::KernelTextPtr text,
                    driver::gradientOf(state->text, {wrt, given, stored}));
  return create(std::make_shared<State>(std::move(text)), options);
}

//===- Calling it -----------------------------------------------------------------------------===//

static driver::Settings lowerSettings(const Settings &settings) {
  driver::Settings lowered;
  for (const auto &[name, value] : settings)
    std::visit([&, &name = name](auto given) { lowered.emplace_back(name, given); }, value);
  return lowered;
}

Status Kernel::launch(Stream stream, const std::vector<Argument> &arguments,
                      const Settings &settings) const {
  TILEWRIGHT_ASSIGN(LoweredArguments lowered, lowerArguments(arguments, /*keepAbsent=*/true));
  return state->function->launch(stream, lowered.list, lowerSettings(settings));
}

Status Kernel::prepare(const std::vector<Argument> &arguments, const Settings &settings) const {
  TILEWRIGHT_ASSIGN(LoweredArguments lowered, lowerArguments(arguments, /*keepAbsent=*/true));
  return state->function->prepare(lowered.list, lowerSettings(settings));
}

Status Kernel::interpret(const std::vector<Argument> &arguments, const Settings &settings) const {
  const driver::KernelTextPtr &text = state->text;
  TILEWRIGHT_ASSIGN(LoweredArguments lowered, lowerArguments(arguments, /*keepAbsent=*/true));
  TILEWRIGHT_ASSIGN(driver::Call call, driver::arrange(text->signature(), lowered.list));
  TILEWRIGHT_ASSIGN(driver::Attempt wanted,
                    driver::attemptOf(*text, state->config, call, lowerSettings(settings)));
  TILEWRIGHT_TRY(driver::choosePlan(text, call, /*device=*/-1, wanted));
  TILEWRIGHT_ASSIGN(driver::KernelModule module,
                    driver::KernelModule::lower(text, wanted.specialisation, wanted.plan));
  TILEWRIGHT_TRY(driver::interpret(module, call));
  return {};
}

//===- Saving it ------------------------------------------------------------------------------===//

/// The generation that a kernel is saved for if the caller names none.
static std::string targetFor(const driver::KernelText &text, const driver::Config &config,
                             int device) {
  if (std::string stated = driver::statedTarget(text, config); !stated.empty())
    return stated;
  ErrorOr<const runtime::Driver *> driver = runtime::Driver::get();
  ErrorOr<const runtime::DeviceInfo *> gpu =
      driver ? (*driver)->device(std::max(0, device)) : Error{"none"};
  return gpu ? (*gpu)->target() : config.target;
}

Status Kernel::save(const std::string &path, const std::vector<Argument> &arguments,
                    const Settings &settings) const {
  const driver::KernelTextPtr &text = state->text;
  TILEWRIGHT_ASSIGN(LoweredArguments lowered, lowerArguments(arguments, /*keepAbsent=*/true));
  TILEWRIGHT_ASSIGN(driver::Call call, driver::arrange(text->signature(), lowered.list));
  TILEWRIGHT_ASSIGN(driver::Attempt wanted,
                    driver::attemptOf(*text, state->config, call, lowerSettings(settings)));
  int device = driver::deviceOf(call);
  if (!state->targetGiven)
    wanted.config.target = targetFor(*text, state->config, device);
  TILEWRIGHT_ASSIGN(driver::Memo::Result found,
                    driver::Plans(text, wanted).find(call, device, state->memo));
  if (!*found)
    return found->error();
  const runtime::Kernel &kernel = (*found)->kernel;
  return writeFileAtomic(path,
                         runtime::packCompiled(kernel.source(), kernel.compiled().text).pack());
}
