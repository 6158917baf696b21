#include "python/Kernel.h"

#include "tools/driver/GivenPlan.h"
#include "tools/driver/Interpret.h"
#include "tools/driver/Plans.h"
#include "tools/driver/Simulate.h"

#include "llvm/ADT/StringExtras.h"

#include <tvm/ffi/extra/c_env_api.h>

using namespace tilewright;
using namespace tilewright::python;
using driver::Attempt;
using driver::Call;
using driver::Settings;

KernelObj::KernelObj(driver::KernelTextPtr text, driver::Config config)
    : source(text), config(config), stated(driver::statedTarget(*text, config)),
      function(std::move(text), std::move(config)) {}

const driver::Compiled &KernelObj::find(const Call &call, const Settings &settings) {
  driver::Memo::Result result = orRaise(function.find(call, settings));
  if (!*result)
    raise(result->error(), kCompileError);
  // The function keeps what it found.
  lastCompiled.store(&**result, std::memory_order_relaxed);
  return **result;
}

void KernelObj::call(const Arguments &arguments, const Settings &settings) {
  if (arguments.device < 0 && (arguments.hasTensors || !runtime::Driver::get()))
    return interpret(arguments, settings);
  Call call = orRaise(driver::arrange(signature(), arguments.list));
  auto &compiled = const_cast<driver::Compiled &>(find(call, settings));
  void *stream = TVMFFIEnvGetStream(kDLCUDA, std::max(0, arguments.device));
  orRaise(compiled.kernel.launch(static_cast<runtime::Stream>(stream), call.arguments));
}

void KernelObj::prepare(const Arguments &arguments, const Settings &settings) {
  if (arguments.device < 0)
    return;
  orRaise(function.prepare(arguments.list, settings));
}

void KernelObj::interpret(const Arguments &arguments, const Settings &settings) {
  Call call = orRaise(driver::arrange(signature(), arguments.list));
  // The target is left open: asking for it would initialise CUDA, which does not survive a fork.
  Attempt wanted = orRaise(driver::attemptOf(*source, config, call, settings));
  orRaise(driver::choosePlan(source, call, /*device=*/-1, wanted));
  driver::KernelModule module = orRaise(
      driver::KernelModule::lower(source, wanted.specialisation, wanted.plan), kCompileError);
  {
    std::lock_guard lock(mutex);
    lastInterpreted = std::move(wanted);
    lastCompiled.store(nullptr, std::memory_order_relaxed);
  }
  orRaise(driver::interpret(module, call));
}

//===- What became of a call ------------------------------------------------------------------===//

static bool hasGpu() {
  ErrorOr<const runtime::Driver *> driver = runtime::Driver::get();
  return driver && !(*driver)->devices().empty();
}

/// The generation of a GPU, or the default on a machine without one.
static std::string targetOf(int device) {
  if (!hasGpu())
    return driver::Config().target;
  return orRaise((*runtime::Driver::get())->device(std::max(0, device)))->target();
}

void KernelObj::chooseTarget(Attempt &wanted, const std::string &target, int device) const {
  if (!target.empty())
    wanted.config.target = target;
  else if (!stated.empty() && device < 0 && config.target == driver::Config().target)
    wanted.config.target = stated;
  else if (config.target == driver::Config().target)
    wanted.config.target = targetOf(device);
}

Subject KernelObj::lastSubject(const std::string &target) {
  if (const driver::Compiled *last = lastCompiled.load(std::memory_order_relaxed)) {
    Attempt wanted = last->wanted;
    if (!target.empty() && target != wanted.config.target) {
      wanted = wanted.open();
      wanted.config.target = target;
    }
    return {std::move(wanted), nullptr};
  }
  std::lock_guard lock(mutex);
  if (!lastInterpreted)
    raise({"kernel `" + source->kernel +
           "` has not been called: give the arguments of a call, arrays or "
           "`tilewright.Spec(shape, dtype)`"});
  Attempt wanted = *lastInterpreted;
  chooseTarget(wanted, target, -1);
  return {std::move(wanted), nullptr};
}

Attempt KernelObj::wantedFor(const Call &call, const Arguments &arguments, const Settings &settings,
                             const std::string &target) const {
  Attempt wanted = orRaise(driver::attemptOf(*source, config, call, settings));
  chooseTarget(wanted, target, arguments.device);
  bool forGpu = source->plans.asksMultiprocessors() && hasGpu();
  orRaise(driver::choosePlan(source, call, std::max(forGpu ? 0 : -1, arguments.device), wanted));
  return wanted;
}

/// The number of SMs that plans are found for: of the arrays' GPU, if it is of the target.
static int64_t multiprocessorsFor(int device, const Attempt &wanted) {
  std::string target = wanted.config.passTarget();
  return device >= 0 && targetOf(device) == target ? orRaise(driver::multiprocessorsOf(device))
                                                   : driver::multiprocessorsAtHand(target);
}

Subject KernelObj::subject(const Arguments &arguments, const Settings &settings,
                           const std::string &target) {
  if (arguments.list.empty())
    return lastSubject(target);
  Call call = orRaise(driver::arrange(signature(), arguments.list));
  Attempt wanted = wantedFor(call, arguments, settings, target);
  driver::PlanSearch search(source, wanted);
  int64_t multiprocessors = multiprocessorsFor(arguments.device, wanted);
  driver::TunedChoice tuned = driver::tunedFor(source, wanted, call);
  wanted.passedOver = tuned.passedOver;
  if (!tuned.numbers().empty())
    wanted = tuned.apply(wanted);
  else if (!search.empty())
    wanted = driver::withPlans(
        wanted, driver::withTuned(search, driver::launchOf(call, multiprocessors), tuned));
  Subject subject{std::move(wanted), nullptr, driver::launchOf(call, multiprocessors)};
  int device = arguments.device;
  if (device >= 0 && targetOf(device) == subject.wanted.config.passTarget())
    subject.time = [call, device](const runtime::Kernel &kernel) {
      return driver::timeOnGpu(kernel, call, device,
                               driver::measureInChild(driver::measuringProgram()));
    };
  return subject;
}

std::vector<planner::Ranked> KernelObj::plans(const Arguments &arguments, const Settings &settings,
                                              const std::string &target, size_t count) {
  Call call = orRaise(driver::arrange(signature(), arguments.list));
  Attempt wanted = wantedFor(call, arguments, settings, target);
  driver::PlanSearch search(source, wanted);
  planner::Launch launch = driver::launchOf(call, multiprocessorsFor(arguments.device, wanted));
  std::vector<planner::Ranked> result;
  for (passes::Plan &plan : search.finalists(launch, count)) {
    planner::Prediction predicted = *search.predictFor(plan, launch);
    result.push_back({std::move(plan), predicted});
  }
  if (result.empty())
    raise({"kernel `" + source->kernel +
           "` has no plans to choose from: " + llvm::join(search.refused(), "; ")});
  return result;
}

const driver::Compiled &KernelObj::compiled(Subject &subject) {
  if (!subject.compiled)
    subject.compiled = inspected.get(source, subject.wanted);
  if (!*subject.compiled)
    raise(subject.compiled->error(), kCompileError);
  return **subject.compiled;
}

//===- Timelines ------------------------------------------------------------------------------===//

/// Launches more than once: the first run finds cold caches.
driver::Timeline KernelObj::recordOnGpu(const Call &call, Subject subject, int device) {
  constexpr int kLaunches = 3;
  auto &code = const_cast<driver::Compiled &>(compiled(subject));
  auto stream = static_cast<runtime::Stream>(TVMFFIEnvGetStream(kDLCUDA, device));
  for (int i = 0; i < kLaunches; ++i)
    orRaise(code.kernel.launch(stream, call.arguments));
  std::vector<std::byte> records = orRaise(code.kernel.readEvents(stream, device));
  driver::Translated translated = orRaise(driver::translate(source, code.attempt), kCompileError);
  return orRaise(driver::readTimeline(*translated.outline.timeline, records,
                                      /*isSimulated=*/false));
}

/// The elements of a tensor's memory from its first on.
static int64_t extentOf(const runtime::TensorRef &tensor) {
  int64_t last = 0;
  for (unsigned axis = 0; axis < tensor.rank; ++axis) {
    if (tensor.shape[axis] == 0)
      return 0;
    last += (tensor.shape[axis] - 1) * tensor.strides[axis];
  }
  return last + 1;
}

driver::Timeline KernelObj::recordOnCpu(const Call &call, const Attempt &wanted) {
  driver::Simulation simulation =
      orRaise(driver::Simulation::create(source, wanted), kCompileError);
  std::vector<driver::HostMemory> memories;
  for (const runtime::Argument &argument : call.arguments) {
    const auto *tensor = std::get_if<runtime::TensorRef>(&argument);
    memories.push_back(tensor ? driver::HostMemory{tensor->data, extentOf(*tensor)}
                              : driver::HostMemory());
  }
  simulator::MachineOptions options;
  options.schedule = simulator::Schedule::Timed;
  driver::SimulatedLaunch launch = orRaise(simulation.run(call, memories, options));
  if (!launch.result.isClean())
    raise({launch.messages});
  return orRaise(driver::readTimeline(*driver::timelineTable(simulation.kernel()), launch.events,
                                      /*isSimulated=*/true));
}

std::pair<std::string, std::string> KernelObj::timeline(const Arguments &arguments,
                                                        const Settings &settings, int64_t stamps,
                                                        TimelineDetail detail) {
  Subject subject = this->subject(arguments, settings, "");
  auto stamp = [&](Attempt &attempt) {
    attempt.config.timelineStamps = stamps;
    attempt.config.timelineDetail = detail;
  };
  stamp(subject.wanted);
  llvm::for_each(subject.wanted.others, stamp);
  std::string target = subject.wanted.config.target;
  bool isSimulated = arguments.device < 0;
  Call call = orRaise(driver::arrange(signature(), arguments.list));
  driver::Timeline timeline = isSimulated ? recordOnCpu(call, subject.wanted)
                                          : recordOnGpu(call, subject, arguments.device);
  driver::TimelineSummary summary =
      driver::summarize(timeline, driver::fmasPerClock(target, isSimulated));
  std::string from = "simulator";
  if (!isSimulated)
    from = orRaise((*runtime::Driver::get())->device(arguments.device))->name;
  return {summary.str(timeline),
          driver::timelineTrace(timeline, summary, {source->kernel, from, std::nullopt},
                                driver::kMostSlices)};
}
