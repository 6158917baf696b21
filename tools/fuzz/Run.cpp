#include "tools/fuzz/Run.h"

#include "ir/tile/Tile.h"
#include "runtime/Device.h"
#include "tools/driver/Binding.h"

#include <cmath>
#include <deque>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::fuzz;
using frontend::Param;

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

std::vector<runtime::Argument> Run::arguments(const Tensors &tensors, const AddressOf &addressOf,
                                              int device) const {
  std::vector<runtime::Argument> result;
  for (const Param &param : kernel->signature().params) {
    if (param.kind == Param::Tensor) {
      const cli::StridedTensor &tensor = tensors.at(param.name);
      char *base = static_cast<char *>(addressOf(param.name));
      result.push_back(runtime::TensorRef{base + tensor.origin * int64_t(bytesOf(tensor.type)),
                                          tensor.type, unsigned(tensor.shape.size()),
                                          tensor.shape.data(), tensor.strides.data(), device});
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

std::vector<runtime::Argument> Run::onHost(Tensors &tensors) const {
  auto address = [&](const std::string &name) { return tensors.at(name).storage.data(); };
  return arguments(tensors, address, /*device=*/-1);
}

ErrorOr<Run> Run::create(const Case &test) {
  Run run(test);
  TILEWRIGHT_ASSIGN(
      run.kernel,
      driver::loadKernelText(std::string(test.linesBefore, '\n') + test.text, test.file, ""));
  TILEWRIGHT_TRY(run.makeTensors());
  TILEWRIGHT_ASSIGN(driver::Call call,
                    driver::arrange(run.kernel->signature(), run.onHost(run.initial)));
  TILEWRIGHT_ASSIGN(run.specialisation, driver::specialise(run.kernel->signature(), call, {}));
  return run;
}

Status Run::interpret(driver::KernelModule &module, Tensors &tensors) const {
  std::deque<simulator::Buffer> buffers;
  std::vector<simulator::Argument> values;
  std::vector<runtime::Argument> given = onHost(tensors);
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
  TILEWRIGHT_ASSIGN(driver::Call call, driver::arrange(kernel->signature(), onHost(tensors)));
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

Status Run::launch(runtime::Kernel &compiled, Tensors &tensors) const {
  constexpr int kDevice = 0;
  TILEWRIGHT_ASSIGN(const runtime::Driver *driver, runtime::Driver::get());
  std::map<std::string, runtime::DeviceBuffer> buffers;
  for (const auto &[name, tensor] : tensors) {
    TILEWRIGHT_ASSIGN(runtime::DeviceBuffer buffer,
                      runtime::DeviceBuffer::allocate(*driver, tensor.storage.size(), kDevice));
    TILEWRIGHT_TRY(buffer.copyFrom(tensor.storage.data(), tensor.storage.size()));
    buffers.emplace(name, std::move(buffer));
  }
  auto address = [&](const std::string &name) { return buffers.at(name).data(); };
  TILEWRIGHT_ASSIGN(driver::Call call,
                    driver::arrange(kernel->signature(), arguments(tensors, address, kDevice)));
  TILEWRIGHT_ASSIGN(runtime::OwnedStream stream, runtime::OwnedStream::create(*driver, kDevice));
  TILEWRIGHT_TRY(compiled.launch(stream.get(), call.arguments));
  TILEWRIGHT_TRY(stream.synchronize());
  for (auto &[name, tensor] : tensors)
    TILEWRIGHT_TRY(buffers.at(name).copyTo(tensor.storage.data(), tensor.storage.size()));
  return {};
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
