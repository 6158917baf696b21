//===- LaunchPlan.cpp - Preparing launches of one kernel ------------------===//

#include "runtime/Launch.h"

#include "runtime/TensorMaps.h"

#include <algorithm>
#include <bit>

namespace tilewright::runtime {

Error LaunchPlan::fail(const std::string &what) const {
  return Error{"kernel `" + source.entry + "`: " + what};
}

ErrorOr<LaunchPlan> LaunchPlan::create(const KernelSource &source) {
  LaunchPlan plan;
  plan.source = source;
  plan.source.text.clear();
  if (source.threads == 0 || source.threads > 1024)
    return plan.fail(std::to_string(source.threads) +
                     " threads per program; 1 to 1024 can be launched");
  if (source.clusterSize == 0)
    return plan.fail("a cluster of 0 programs");
  TILEWRIGHT_TRY(plan.addArguments());
  TILEWRIGHT_TRY(plan.addParams());
  TILEWRIGHT_TRY(plan.addExpressions());
  return plan;
}

/// Gives every dimension name and every scalar argument a slot.
Status LaunchPlan::addArguments() {
  auto slotOf = [&](const std::string &name) {
    auto it =
        std::find_if(slots.begin(), slots.end(), [&](auto &slot) { return slot.name == name; });
    return static_cast<unsigned>(it - slots.begin());
  };
  slots.push_back({.name = std::string(kNumMultiprocessors)});
  slots.push_back({.name = std::string(kNumPrograms)});
  for (unsigned index = 0; index < source.args.size(); ++index) {
    std::vector<Dim> &axes = dims.emplace_back();
    scalarSlots.push_back(kNoSlot);
    if (const auto *scalar = std::get_if<ScalarArg>(&source.args[index])) {
      if (slotOf(scalar->name) < slots.size())
        return fail("`" + scalar->name + "` is declared twice");
      scalarSlots.back() = static_cast<unsigned>(slots.size());
      slots.push_back({.name = scalar->name, .argument = index});
      continue;
    }
    const auto &tensor = *std::get_if<TensorArg>(&source.args[index]);
    ++tensorCount;
    if (!std::has_single_bit(tensor.alignment) || tensor.alignment > 16)
      return fail("alignment " + std::to_string(tensor.alignment) + " of `" + tensor.name +
                  "` is not 1, 2, 4, 8 or 16");
    for (unsigned axis = 0; axis < tensor.dims.size(); ++axis) {
      const DimRef &dim = tensor.dims[axis];
      Dim &use = axes.emplace_back();
      if (dim.name.empty() && !dim.size)
        return fail("axis " + std::to_string(axis) + " of `" + tensor.name +
                    "` has neither a name nor a size");
      if (dim.name.empty())
        continue;
      use.slot = slotOf(dim.name);
      use.defines = use.slot == slots.size();
      if (use.defines)
        slots.push_back({dim.name, index, axis});
      else if (dims[slots[use.slot].argument].empty() || use.slot < kFirstSlot)
        return fail("`" + dim.name + "` is both a dimension and a scalar");
    }
  }
  return {};
}

static unsigned sizeOf(const Param &param) {
  switch (param.kind) {
  case ParamKind::Pointer:
  case ParamKind::TileCounter:
  case ParamKind::Workspace:
  case ParamKind::Flags:
  case ParamKind::Events:
    return sizeof(void *);
  case ParamKind::TensorMap:
    return sizeof(TensorMap);
  case ParamKind::Dim:
  case ParamKind::Stride:
  case ParamKind::Scalar:
  case ParamKind::Number:
    return bytesOf(param.type);
  }
  return 0;
}

/// Lays the parameters out, each aligned to its own size, and checks what they refer to.
Status LaunchPlan::addParams() {
  for (const Param &param : source.params) {
    unsigned alignment = param.kind == ParamKind::TensorMap ? alignof(TensorMap) : sizeOf(param);
    paramBytes = (paramBytes + alignment - 1) / alignment * alignment;
    offsets.push_back(static_cast<unsigned>(paramBytes));
    paramBytes += sizeOf(param);
    valueSlots.push_back(kNoSlot);
    if (param.kind == ParamKind::Dim || param.kind == ParamKind::Number)
      TILEWRIGHT_TRY(findValue(param));
    if (std::string problem = problemOf(param); !problem.empty())
      return fail("parameter `" + param.name + "` " + problem);
    if (isRuntimeMemory(param.kind))
      memory.push_back({param.kind, offsets.back()});
  }
  if (paramBytes > kMaxParamBytes || offsets.size() > kMaxParams)
    return fail("it has " + std::to_string(offsets.size()) + " parameters of " +
                std::to_string(paramBytes) + " bytes; at most " + std::to_string(kMaxParams) +
                " of " + std::to_string(kMaxParamBytes) + " bytes can be passed");
  return {};
}

/// Finds the slot of a dimension, or adds that of a number, for the parameter that is added.
Status LaunchPlan::findValue(const Param &param) {
  auto found = std::find_if(slots.begin() + kFirstSlot, slots.end(),
                            [&](const Slot &slot) { return slot.name == param.name; });
  if (param.kind == ParamKind::Dim) {
    if (found == slots.end() || dims[found->argument].empty())
      return fail("parameter `" + param.name + "` names no dimension");
    valueSlots.back() = static_cast<unsigned>(found - slots.begin());
    return {};
  }
  if (found != slots.end())
    return fail("`" + param.name + "` is declared twice");
  valueSlots.back() = static_cast<unsigned>(slots.size());
  slots.push_back({.name = param.name});
  return {};
}

/// Why a parameter cannot be filled; empty if it can.
std::string LaunchPlan::problemOf(const Param &param) const {
  bool isNumber = param.kind == ParamKind::Number;
  bool isSize = isNumber || param.kind == ParamKind::Dim || param.kind == ParamKind::Stride;
  if (isSize && param.type != ElementType::I32 && param.type != ElementType::I64)
    return "has type " + std::string(nameOf(param.type)) + "; sizes and numbers are i32 or i64";
  if (isNumber || param.kind == ParamKind::Dim)
    return "";
  if (isRuntimeMemory(param.kind))
    return problemOfMemory(param);
  if (param.argument >= source.args.size())
    return "refers to argument " + std::to_string(param.argument) + " of " +
           std::to_string(source.args.size());
  const auto *tensor = std::get_if<TensorArg>(&source.args[param.argument]);
  if ((param.kind == ParamKind::Scalar) == (tensor != nullptr))
    return tensor ? "takes a scalar from a tensor" : "takes an address from a scalar";
  if (param.kind == ParamKind::Stride && param.axis >= tensor->dims.size())
    return "refers to an axis that `" + tensor->name + "` does not have";
  if (param.kind != ParamKind::TensorMap)
    return "";
  std::string problem = runtime::problemOf(param.map, *tensor);
  return problem.empty() ? "" : "of argument `" + tensor->name + "` " + problem;
}

/// The same, where `memory` has the parameters before this one.
std::string LaunchPlan::problemOfMemory(const Param &param) const {
  if (std::any_of(memory.begin(), memory.end(), [&](auto &m) { return m.kind == param.kind; }))
    return "is the second of its kind; a kernel has at most one";
  bool hasBytes = param.kind == ParamKind::Workspace || param.kind == ParamKind::Events;
  if (hasBytes && (param.bytes == 0 || param.bytes % 16 != 0))
    return "has " + std::to_string(param.bytes) +
           " bytes per block; a workspace has a multiple of 16";
  return "";
}

/// Resolves the names in expressions to slots. A number may use those before it.
Status LaunchPlan::addExpressions() {
  std::vector<std::string> names;
  for (const Slot &slot : slots)
    names.push_back(slot.name);
  names[kProgramsSlot].clear();
  for (size_t index = 0; index < source.params.size(); ++index)
    if (source.params[index].kind == ParamKind::Number)
      names[valueSlots[index]].clear();
  auto resolve = [&](Expr &expr) -> Status {
    ErrorOr<Expr> resolved = expr.withNames(names);
    if (!resolved)
      return fail(resolved.error().message);
    expr = std::move(*resolved);
    return {};
  };
  TILEWRIGHT_TRY(resolve(source.grid));
  for (LaunchCheck &check : source.checks)
    TILEWRIGHT_TRY(resolve(check.condition));
  names[kProgramsSlot] = kNumPrograms;
  for (size_t index = 0; index < source.params.size(); ++index) {
    Param &param = source.params[index];
    if (param.kind != ParamKind::Number)
      continue;
    TILEWRIGHT_TRY(resolve(param.value));
    names[valueSlots[index]] = param.name;
  }
  return {};
}

BoundLaunch LaunchPlan::makeBound() const {
  BoundLaunch bound;
  bound.params.resize(paramBytes);
  bound.values.resize(slots.size());
  return bound;
}

} // namespace tilewright::runtime
