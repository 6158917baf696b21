#include "tools/driver/Load.h"

#include "tools/driver/GivenPlan.h"
#include "tools/driver/Plans.h"

#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"

#include <shared_mutex>

using namespace tilewright;
using namespace tilewright::driver;
using runtime::Argument;
using runtime::TensorRef;

namespace {

/// What distinguishes calls that need different code, without a string or a map.
struct Fingerprint {
  llvm::SmallVector<int64_t, 48> words;

  void add(int64_t word) { words.push_back(word); }
  void add(const std::string &text) {
    add(int64_t(size_t(llvm::hash_value(text))));
    add(text.size());
  }
  bool operator==(const Fingerprint &other) const { return words == other.words; }
};

struct FingerprintHash {
  size_t operator()(const Fingerprint &value) const {
    return llvm::hash_combine_range(value.words.begin(), value.words.end());
  }
};

void addTensor(Fingerprint &print, const TensorRef &tensor, const frontend::Param &param,
               const llvm::StringMap<bool> &staticDims) {
  runtime::TensorFacts facts = runtime::facts(tensor, param.written);
  print.add(int64_t(tensor.type) | int64_t(tensor.rank) << 8 | int64_t(facts.alignment) << 16 |
            int64_t(facts.unitInnerStride) << 32 | int64_t(facts.index32) << 33 |
            int64_t(tensor.device) << 40);
  for (unsigned axis = 0; axis < std::min<size_t>(tensor.rank, param.dims.size()); ++axis)
    if (staticDims.contains(param.dims[axis].name))
      print.add(tensor.shape[axis]);
}

void addValue(Fingerprint &print, const frontend::ConstValue &value) {
  print.add(value.index());
  if (const bool *flag = std::get_if<bool>(&value))
    print.add(*flag);
  else if (const int64_t *number = std::get_if<int64_t>(&value))
    print.add(*number);
  else
    print.add(toString(value));
}

} // namespace

struct Function::State {
  ErrorOr<KernelTextPtr> text;
  Config config;
  bool targetGiven;
  llvm::StringMap<bool> staticDims;
  Memo memo;
  std::shared_mutex mutex;
  std::unordered_map<Fingerprint, std::shared_ptr<Plans>, FingerprintHash> known;

  Fingerprint fingerprint(const Call &call, const Settings &settings) const {
    Fingerprint print;
    for (auto [param, argument] : llvm::zip(call.params, call.arguments))
      if (const TensorRef *tensor = std::get_if<TensorRef>(&argument)) {
        print.add(int64_t(reinterpret_cast<intptr_t>(param)));
        addTensor(print, *tensor, *param, staticDims);
      }
    for (const auto &[name, value] : settings) {
      print.add(name);
      addValue(print, value);
    }
    return print;
  }

  /// The target of the GPU that holds the tensors. If they are in host memory, the target that a
  /// program of the `cta` level names.
  ErrorOr<std::string> targetOf(const Call &call) const {
    if (targetGiven)
      return config.target;
    int device = deviceOf(call);
    if (device < 0 && (*text)->isCta())
      return (*text)->target;
    TILEWRIGHT_ASSIGN(const runtime::Driver *driver, runtime::Driver::get());
    TILEWRIGHT_ASSIGN(const runtime::DeviceInfo *info, driver->device(std::max(0, device)));
    return info->target();
  }

  /// The plans for a call's types, facts and settings.
  ErrorOr<std::shared_ptr<Plans>> plansOf(const Call &call, const Settings &settings) {
    Fingerprint print = fingerprint(call, settings);
    {
      std::shared_lock lock(mutex);
      if (auto found = known.find(print); found != known.end())
        return found->second;
    }
    TILEWRIGHT_ASSIGN(Attempt wanted, attemptOf(**text, config, call, settings));
    TILEWRIGHT_ASSIGN(wanted.config.target, targetOf(call));
    auto plans = std::make_shared<Plans>(*text, std::move(wanted));
    std::unique_lock lock(mutex);
    return known.try_emplace(std::move(print), std::move(plans)).first->second;
  }
};

Function::Function(ErrorOr<KernelTextPtr> text, Config config)
    : state(
          new State{std::move(text), config, !(config.target == Config().target), {}, {}, {}, {}}) {
  if (!state->text)
    return;
  for (const frontend::DimInfo &dim : (*state->text)->signature().dims)
    if (dim.isStatic)
      state->staticDims[dim.name] = true;
}

ErrorOr<Memo::Result> Function::find(const Call &call, const Settings &settings) const {
  TILEWRIGHT_ASSIGN(std::shared_ptr<Plans> plans, state->plansOf(call, settings));
  return plans->find(call, deviceOf(call), state->memo);
}

Status Function::launch(runtime::Stream stream, const std::vector<Argument> &arguments,
                        const Settings &settings) const {
  if (!state->text)
    return state->text.error();
  TILEWRIGHT_ASSIGN(Call call, arrange((*state->text)->signature(), arguments));
  TILEWRIGHT_ASSIGN(Memo::Result compiled, find(call, settings));
  if (!*compiled)
    return compiled->error();
  return (*compiled)->kernel.launch(stream, call.arguments);
}

Status Function::prepare(const std::vector<Argument> &arguments, const Settings &settings) const {
  if (!state->text)
    return state->text.error();
  TILEWRIGHT_ASSIGN(Call call, arrange((*state->text)->signature(), arguments));
  TILEWRIGHT_ASSIGN(Memo::Result compiled, find(call, settings));
  if (!*compiled)
    return compiled->error();
  for (const Argument &argument : call.arguments)
    if (const TensorRef *tensor = std::get_if<TensorRef>(&argument))
      return (*compiled)->kernel.prepare(std::max(0, tensor->device));
  return (*compiled)->kernel.prepare();
}

driver::Function tilewright::load(std::string_view kernel, driver::Config config) {
  return driver::Function(driver::loadKernel(kernel), std::move(config));
}
