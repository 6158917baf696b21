//===- Launch.cpp - Checking and packing the arguments of one launch ------===//

#include "runtime/Launch.h"

#include "runtime/ScalarEncoding.h"
#include "runtime/TensorMaps.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace tilewright::runtime {

// Messages are built only on failure; the way of a good launch allocates nothing.

static std::string str(int64_t value) { return std::to_string(value); }
static std::string quoted(const std::string &name) { return "`" + name + "`"; }

static const std::string &nameOfArg(const Arg &arg) {
  return std::visit([](const auto &value) -> const std::string & { return value.name; }, arg);
}

static std::string dimList(const TensorArg &tensor) {
  std::string list;
  for (const DimRef &dim : tensor.dims) {
    list += list.empty() ? "" : ", ";
    list += dim.name.empty() ? str(*dim.size) : dim.name;
  }
  return list;
}

Status LaunchPlan::bind(std::span<const Argument> args, const Driver &driver,
                        BoundLaunch &bound) const {
  TILEWRIGHT_TRY(bindArguments(args, bound));
  TILEWRIGHT_TRY(checkDevice(args, driver, bound));
  return bindParams(args, &driver, bound);
}

bool LaunchPlan::limitBlocks(int device, int64_t blocks) {
  auto index = static_cast<size_t>(device);
  if (mostBlocks.size() <= index)
    mostBlocks.resize(index + 1);
  return std::exchange(mostBlocks[index], blocks) != blocks;
}

Status LaunchPlan::bindOnHost(std::span<const Argument> args, int64_t multiprocessors,
                              BoundLaunch &bound) const {
  TILEWRIGHT_TRY(bindArguments(args, bound));
  bound.values[kMultiprocessorsSlot] = multiprocessors;
  return bindParams(args, nullptr, bound);
}

/// Fills `bound.values` but for what depends on the device.
Status LaunchPlan::bindArguments(std::span<const Argument> args, BoundLaunch &bound) const {
  if (args.size() != source.args.size()) {
    std::string names;
    for (const Arg &arg : source.args)
      names += (names.empty() ? "" : ", ") + nameOfArg(arg);
    return fail("got " + str(static_cast<int64_t>(args.size())) + " arguments but it takes " +
                str(static_cast<int64_t>(source.args.size())) + " (" + names + ")");
  }
  for (unsigned index = 0; index < args.size(); ++index) {
    if (std::holds_alternative<TensorArg>(source.args[index])) {
      TILEWRIGHT_TRY(bindTensor(index, args[index], bound));
      continue;
    }
    const auto &scalar = *std::get_if<ScalarArg>(&source.args[index]);
    std::byte bytes[8];
    if (Status encoded = encodeScalar(args[index], scalar.type, bytes); !encoded)
      return fail("argument " + quoted(scalar.name) + " " + encoded.error().message);
    bound.values[scalarSlots[index]] = decodeScalar(bytes, scalar.type);
  }
  return {};
}

/// Computes the grid from `bound.values`, finds what is set to 0, checks the facts, packs the
/// parameters.
Status LaunchPlan::bindParams(std::span<const Argument> args, const Driver *driver,
                              BoundLaunch &bound) const {
  TILEWRIGHT_TRY(evaluate(bound));
  bound.zeroed.clear();
  for (unsigned index = 0; index < args.size(); ++index)
    if (const auto *expected = std::get_if<TensorArg>(&source.args[index]))
      if (expected->zeroing == Zeroing::BeforeLaunch ||
          (expected->zeroing == Zeroing::WithoutPrograms && bound.grid == 0))
        addRows(*std::get_if<TensorRef>(&args[index]), bound.zeroed);
  if (bound.grid == 0)
    return {};
  for (unsigned index = 0; index < args.size(); ++index)
    if (const auto *expected = std::get_if<TensorArg>(&source.args[index]))
      TILEWRIGHT_TRY(checkFacts(*expected, *std::get_if<TensorRef>(&args[index])));
  for (size_t index = 0; index < source.params.size(); ++index)
    TILEWRIGHT_TRY(packParam(index, args, driver, bound));
  return {};
}

Status LaunchPlan::bindTensor(unsigned index, const Argument &arg, BoundLaunch &bound) const {
  const auto &expected = *std::get_if<TensorArg>(&source.args[index]);
  const auto *tensor = std::get_if<TensorRef>(&arg);
  if (!tensor)
    return fail("argument " + quoted(expected.name) +
                " is a scalar but the kernel expects a tensor");
  if (tensor->rank != expected.dims.size())
    return fail("argument " + quoted(expected.name) + " has rank " + str(tensor->rank) +
                " but the kernel expects rank " + str(static_cast<int64_t>(expected.dims.size())) +
                " (" + dimList(expected) + ")");
  if (tensor->type != expected.type)
    return fail("argument " + quoted(expected.name) + " has element type " +
                std::string(nameOf(tensor->type)) + " but the kernel expects " +
                std::string(nameOf(expected.type)));
  return bindDims(index, *tensor, bound);
}

Status LaunchPlan::bindDims(unsigned index, const TensorRef &tensor, BoundLaunch &bound) const {
  const auto &expected = *std::get_if<TensorArg>(&source.args[index]);
  for (unsigned axis = 0; axis < tensor.rank; ++axis) {
    const DimRef &dim = expected.dims[axis];
    const Dim &use = dims[index][axis];
    int64_t size = tensor.shape[axis];
    auto here = [&] { return quoted(expected.name) + " (axis " + str(axis) + ")"; };
    if (size < 0)
      return fail("the size of " + here() + " is negative: " + str(size));
    if (use.slot != kNoSlot && !use.defines && bound.values[use.slot] != ExprValue(size)) {
      const Slot &first = slots[use.slot];
      return fail("dimension " + quoted(dim.name) + " is " + str(bound.values[use.slot]) + " in " +
                  quoted(nameOfArg(source.args[first.argument])) + " (axis " + str(first.axis) +
                  ") but " + str(size) + " in " + here());
    }
    if (dim.size && *dim.size != size)
      return fail((dim.name.empty() ? "the size" : "dimension " + quoted(dim.name)) + " of " +
                  here() + " is " + str(size) + " but the kernel was compiled for " +
                  str(*dim.size));
    if (use.slot != kNoSlot)
      bound.values[use.slot] = size;
  }
  return {};
}

Status LaunchPlan::checkDevice(std::span<const Argument> args, const Driver &driver,
                               BoundLaunch &bound) const {
  int first = -1;
  for (unsigned index = 0; index < args.size(); ++index) {
    const auto *tensor = std::get_if<TensorRef>(&args[index]);
    if (!tensor)
      continue;
    const std::string &name = nameOfArg(source.args[index]);
    if (tensor->device < 0)
      return fail("argument " + quoted(name) + " is in host memory");
    if (!tensor->data && !isEmpty(*tensor))
      return fail("argument " + quoted(name) + " has a null address");
    if (first < 0)
      first = static_cast<int>(index);
    else if (tensor->device != bound.device)
      return fail("argument " + quoted(name) + " is on GPU " + str(tensor->device) + " but " +
                  quoted(nameOfArg(source.args[static_cast<size_t>(first)])) + " is on GPU " +
                  str(bound.device));
    bound.device = tensor->device;
  }
  if (first < 0) {
    TILEWRIGHT_ASSIGN(bound.device, driver.currentDevice());
  }
  TILEWRIGHT_ASSIGN(const DeviceInfo *device, driver.device(bound.device));
  // Whole clusters; how many of them run at once is known with the code (limitBlocks).
  int64_t most = device->multiprocessors;
  most = std::max<int64_t>(most - most % source.clusterSize, source.clusterSize);
  if (auto index = static_cast<size_t>(bound.device);
      index < mostBlocks.size() && mostBlocks[index])
    most = std::min(most, mostBlocks[index]);
  bound.values[kMultiprocessorsSlot] = most;
  return {};
}

Status LaunchPlan::evaluate(BoundLaunch &bound) const {
  for (const LaunchCheck &check : source.checks) {
    ErrorOr<int64_t> holds = check.condition.eval(bound.values);
    if (holds && *holds)
      continue;
    std::string reason = holds ? "" : ": " + holds.error().message;
    if (std::string with = check.condition.describeValues(bound.values); holds && !with.empty())
      reason = ": " + with;
    return fail((check.message.empty() ? "assertion failed" : check.message) + " (" +
                quoted(check.condition.str()) + reason + ")" +
                (check.location.empty() ? "" : " at " + check.location));
  }
  ErrorOr<int64_t> grid = source.grid.eval(bound.values);
  if (!grid)
    return fail("cannot compute the grid: " + grid.error().message);
  bound.grid = *grid;
  bound.values[kProgramsSlot] = *grid;
  auto what = [&] { return "its grid " + quoted(source.grid.str()) + " is " + str(*grid); };
  if (*grid < 0 || *grid > std::numeric_limits<int32_t>::max())
    return fail(what() + "; 0 to 2147483647 programs can be launched");
  if (*grid % source.clusterSize != 0)
    return fail(what() + ", not a multiple of the cluster size " + str(source.clusterSize));
  return {};
}

Status LaunchPlan::checkFacts(const TensorArg &expected, const TensorRef &tensor) const {
  TensorFacts found = facts(tensor);
  auto what = [&] { return "argument " + quoted(expected.name) + " "; };
  if (found.alignment < expected.alignment && !isEmpty(tensor))
    return fail(what() + "is aligned to " + str(found.alignment) +
                " bytes (address and strides) but the kernel was compiled for " +
                str(expected.alignment));
  if (expected.unitInnerStride && !found.unitInnerStride && !isEmpty(tensor))
    return fail(what() + "has stride " + str(tensor.strides[tensor.rank - 1]) +
                " along its last axis but the kernel was compiled for 1");
  if (expected.index32 && !found.index32)
    return fail(what() + "has elements beyond offset 2147483647 but the kernel was compiled for "
                         "32-bit offsets");
  return {};
}

Status LaunchPlan::packSize(const Param &param, int64_t value, std::byte *out) const {
  if (param.type == ElementType::I32 && value != static_cast<int32_t>(value))
    return fail((param.kind == ParamKind::Dim ? "dimension " : "stride ") + quoted(param.name) +
                " is " + str(value) + " but the kernel was compiled for 32 bits");
  std::memcpy(out, &value, bytesOf(param.type));
  return {};
}

Status LaunchPlan::packParam(size_t index, std::span<const Argument> args, const Driver *driver,
                             BoundLaunch &bound) const {
  const Param &param = source.params[index];
  std::byte *out = bound.params.data() + offsets[index];
  if (param.kind == ParamKind::Dim)
    return packSize(param, *std::get_if<int64_t>(&bound.values[valueSlots[index]]), out);
  if (param.kind == ParamKind::Number) {
    ErrorOr<int64_t> value = param.value.eval(bound.values);
    if (!value)
      return fail("cannot compute parameter " + quoted(param.name) + ": " + value.error().message);
    bound.values[valueSlots[index]] = *value;
    std::memcpy(out, &*value, bytesOf(param.type));
    return {};
  }
  if (isRuntimeMemory(param.kind))
    return {};
  const Argument &arg = args[param.argument];
  if (param.kind == ParamKind::Scalar)
    return encodeScalar(arg, param.type, out);

  const auto &tensor = *std::get_if<TensorRef>(&arg);
  if (param.kind == ParamKind::Pointer) {
    std::memcpy(out, &tensor.data, sizeof(tensor.data));
    return {};
  }
  if (param.kind == ParamKind::Stride) {
    // Libraries leave anything in the stride of a single element; it is multiplied by 0 only.
    bool single = tensor.shape[param.axis] <= 1;
    return packSize(param, single ? 0 : tensor.strides[param.axis], out);
  }
  TensorMap map = {};
  if (!driver) {
    std::memcpy(out, &map, sizeof(map));
    return {};
  }
  if (Status encoded = encodeTensorMap(*driver, tensor, param.map, map); !encoded)
    return fail("argument " + quoted(nameOfArg(source.args[param.argument])) + " " +
                encoded.error().message);
  std::memcpy(out, &map, sizeof(map));
  return {};
}

} // namespace tilewright::runtime
