#include "tests/kernels/KernelCall.h"

#include "tests/kernels/Tolerance.h"

#include "ir/tile/Tile.h"

#include <cmath>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::kernels;
using frontend::Param;

static cli::KernelArgs argsOf(const Case &test, const std::string &target) {
  cli::KernelArgs args;
  args.kernel = test.kernel;
  args.target = target;
  args.shape = splitWords(test.shape, ',');
  args.sets = splitWords(test.settings, ',');
  args.dtypes = splitWords(test.dtypes, ',');
  return args;
}

ErrorOr<KernelCall> KernelCall::create(const Case &test, const std::string &target) {
  KernelCall call;
  call.which = test;
  TILEWRIGHT_ASSIGN(call.work, cli::makeJob(argsOf(test, target)));
  call.work.steps.resize(1);
  TILEWRIGHT_TRY(cli::checkComplete(call.work));
  uint64_t seed = 1;
  for (const Param &param : call.step().signature().params) {
    if (param.kind != Param::Tensor || call.step().absent.contains(param.name) ||
        call.storageOf(param.name) != param.name)
      continue;
    StridedTensor tensor(call.work.typeOf(param), call.work.shapeOf(param, call.work.sizes),
                         test.memory, !param.written);
    cli::HostTensor values(tensor.type, tensor.shape);
    if (param.read)
      call.work.fill(values, param.name, call.work.sizes, seed++, 1);
    else
      values.poison();
    tensor.scatter(values);
    call.tensors.emplace(param.name, std::move(tensor));
  }
  return call;
}

const std::string &KernelCall::storageOf(const std::string &param) const {
  static const std::map<std::string, std::string> inputs = {
      {"y", "x"}, {"added", "residual"}, {"dlogits", "logits"}};
  auto input = inputs.find(param);
  return which.memory == Memory::InPlace && input != inputs.end() ? input->second : param;
}

bool KernelCall::isWritten(const std::string &storage) const {
  for (const Param &param : step().signature().params)
    if (param.kind == Param::Tensor && param.written && storageOf(param.name) == storage)
      return true;
  return false;
}

ErrorOr<driver::Call> KernelCall::arguments(const cli::AddressOf &addressOf, int device) const {
  std::vector<runtime::Argument> arguments;
  for (const Param &param : step().signature().params) {
    if (param.kind == Param::Scalar)
      arguments.push_back(step().scalars.at(param.name));
    if (param.kind != Param::Tensor)
      continue;
    if (step().absent.contains(param.name)) {
      arguments.push_back(driver::kNone);
      continue;
    }
    const StridedTensor &tensor = tensors.at(storageOf(param.name));
    char *base = static_cast<char *>(addressOf(storageOf(param.name)));
    arguments.push_back(runtime::TensorRef{base + tensor.origin * int64_t(bytesOf(tensor.type)),
                                           tensor.type, unsigned(tensor.shape.size()),
                                           tensor.shape.data(), tensor.strides.data(), device});
  }
  return driver::arrange(step().signature(), arguments);
}

ErrorOr<driver::Call> KernelCall::placeholders(int device) const {
  static char placeholder alignas(256)[256];
  return arguments([](auto &) { return placeholder; }, device);
}

ErrorOr<driver::Attempt> KernelCall::attempt() const {
  TILEWRIGHT_ASSIGN(driver::Call call, placeholders(-1));
  driver::Attempt attempt{work.config, {}};
  TILEWRIGHT_ASSIGN(attempt.specialisation,
                    driver::specialise(step().signature(), call, step().settings));
  return attempt;
}

ErrorOr<driver::Attempt> KernelCall::planned() const {
  TILEWRIGHT_ASSIGN(driver::Call call, placeholders(-1));
  TILEWRIGHT_ASSIGN(driver::Attempt wanted, attempt());
  driver::PlanSearch search(step().text, wanted);
  if (search.empty())
    return wanted;
  return driver::withPlans(wanted, search.finalists(driver::launchOf(call, 0)));
}

ErrorOr<driver::Memo::Result> KernelCall::taken(int device, driver::Memo &memo) const {
  TILEWRIGHT_ASSIGN(driver::Call call, placeholders(device));
  TILEWRIGHT_ASSIGN(driver::Attempt wanted, attempt());
  return driver::Plans(step().text, wanted).find(call, device, memo);
}

Status KernelCall::interpret(Tensors &data, bool optimized, uint64_t perturbation) const {
  auto address = [&](const std::string &name) -> void * { return data.at(name).storage.data(); };
  TILEWRIGHT_ASSIGN(driver::Call call, arguments(address, -1));
  TILEWRIGHT_ASSIGN(driver::Attempt wanted, attempt());
  TILEWRIGHT_ASSIGN(driver::KernelModule module,
                    driver::KernelModule::lower(step().text, wanted.specialisation));
  if (optimized)
    TILEWRIGHT_TRY(module.run(wanted.config.options(), passes::Stage::Tile));
  std::map<std::string, simulator::Buffer> buffers;
  std::vector<simulator::Argument> values;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    if (const double *number = std::get_if<double>(&call.arguments[i]))
      values.push_back(*number);
    else if (const int64_t *number = std::get_if<int64_t>(&call.arguments[i]))
      values.push_back(*number);
    else if (const bool *flag = std::get_if<bool>(&call.arguments[i]))
      values.push_back(int64_t(*flag));
    else {
      const std::string &storage = storageOf(call.params[i]->name);
      StridedTensor &tensor = data.at(storage);
      auto view = mlir::cast<tile::ViewType>(module.kernel().getArgumentTypes()[i]);
      simulator::Buffer &buffer = buffers[storage];
      buffer = {view.getElementType(), tensor.storage.data(), tensor.capacity(), true};
      values.push_back(simulator::ViewValue{&buffer,
                                            tensor.origin,
                                            {tensor.shape.begin(), tensor.shape.end()},
                                            {tensor.strides.begin(), tensor.strides.end()}});
    }
  }
  simulator::Options options;
  options.threads = 1; // cases run in parallel
  options.perturbation = perturbation;
  if (auto statistics = module.interpret(values, options); !statistics)
    return std::move(statistics).error();
  return {};
}

/// Whether an output differs by no more than a plan may make it differ. Weights of attention are
/// rounded to the operands' dtype: where they lie near the middle of two numbers, a little makes a
/// step of them. So the reference with other roundings says what is typical. Weights of 8 bits are
/// rounded relative to the peak so far, which depends on the order of the keys: each may be a step
/// away. Tensor cores add products of 8 bits with 13 bits.
static bool mayDiffer(const KernelCall &call, const std::string &name, const cli::HostTensor &found,
                      const cli::HostTensor &expected) {
  if (!call.test().kernel.starts_with("attention")) {
    runtime::ElementType operand = call.job().typeOf(call.step().signature().params.front());
    Tolerance tolerance = toleranceFor(call, name, expected);
    tolerance.absolute *= 2;
    return bytesOf(operand) == 1 && !compare(found, expected, tolerance).count;
  }
  if (call.test().kernel == "attention_scaled" && name == "o") {
    constexpr double kStep = 0x1p-3;
    double largest = 0;
    for (int64_t i = 0; i < expected.size(); ++i)
      largest = std::max(largest, std::abs(expected.value(i)));
    return !compare(found, expected, Tolerance{.absolute = kStep * largest}).count;
  }
  std::vector<cli::HostTensor> others;
  for (uint64_t perturbation : {1, 2}) {
    Tensors other = call.tensors;
    if (!call.interpret(other, /*optimized=*/false, perturbation))
      return false;
    others.push_back(other.at(name).gather());
  }
  return driver::compare(found, expected, {&others[0], &others[1]}).ok();
}

/// What is wrong with one output.
static std::string findDifference(const KernelCall &call, const std::string &name,
                                  const StridedTensor &found, const StridedTensor &expected,
                                  bool isPlanned) {
  cli::HostTensor a = found.gather(), b = expected.gather();
  // No case has NaN as its result: this would be an element that nobody wrote.
  for (int64_t i = 0; i < b.size(); ++i)
    if (std::isnan(b.value(i)))
      return "the reference gives NaN at " + cli::coordinates(i, b.shape) + " of `" + name + "`";
  Difference difference = compare(a, b, toleranceFor(call, name, b));
  if (!difference.count || (isPlanned && mayDiffer(call, name, a, b)))
    return "";
  return fmt::format("`{}`: {} of {} elements differ, first at {}: {:.8g} instead of {:.8g} "
                     "(allowed {:.2g}); worst {:.3g} times what is allowed",
                     name, difference.count, b.size(), cli::coordinates(difference.first, b.shape),
                     a.value(difference.first), b.value(difference.first), difference.allowed,
                     difference.worst);
}

std::string kernels::findFault(const KernelCall &call, const Tensors &found,
                               const Tensors &expected, bool isPlanned) {
  for (const auto &[name, tensor] : found) {
    if (!call.isWritten(name)) {
      if (tensor.storage != call.tensors.at(name).storage)
        return "the input `" + name + "` was written to";
      continue;
    }
    if (std::optional<int64_t> at = findBrokenGuard(tensor))
      return fmt::format("`{}` was written outside its elements, at offset {}", name, *at);
    if (std::string fault = findDifference(call, name, tensor, expected.at(name), isPlanned);
        !fault.empty())
      return fault;
  }
  return "";
}
