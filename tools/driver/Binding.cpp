#include "tools/driver/Binding.h"

#include "frontend/Source.h"

#include <limits>

using namespace tilewright;
using namespace tilewright::driver;
using frontend::ConstValue;
using frontend::Param;
using frontend::Signature;
using frontend::Specialisation;
using runtime::Argument;
using runtime::TensorRef;

static std::string quoted(const Signature &signature, const Param &param) {
  return "kernel `" + signature.name + "`: argument `" + param.name + "`";
}

bool driver::isNone(const Argument &argument) {
  const TensorRef *tensor = std::get_if<TensorRef>(&argument);
  return tensor && !tensor->shape && !tensor->data;
}

static std::optional<Argument> defaultArgument(const Param &param) {
  if (!param.defaultValue)
    return std::nullopt;
  if (const bool *flag = std::get_if<bool>(&*param.defaultValue))
    return Argument(*flag);
  if (const int64_t *number = std::get_if<int64_t>(&*param.defaultValue))
    return frontend::isFloat(*param.dtype) ? Argument(double(*number)) : Argument(*number);
  if (const double *number = std::get_if<double>(&*param.defaultValue))
    return Argument(*number);
  return std::nullopt;
}

static Status checkKind(const Signature &signature, const Param &param, const Argument &argument) {
  bool isTensor = std::holds_alternative<TensorRef>(argument);
  if (isTensor == (param.kind == Param::Tensor))
    return {};
  return Error{quoted(signature, param) +
               (isTensor ? " must be a scalar, not a tensor" : " must be a tensor, not a scalar")};
}

ErrorOr<Call> driver::arrange(const Signature &signature, const std::vector<Argument> &arguments) {
  Call call;
  size_t next = 0;
  for (const Param &param : signature.params) {
    if (param.kind != Param::Tensor && param.kind != Param::Scalar)
      continue;
    std::optional<Argument> argument;
    if (next < arguments.size())
      argument = arguments[next++];
    else if (param.kind == Param::Scalar)
      argument = defaultArgument(param);
    else if (param.optional)
      argument = kNone;
    if (!argument)
      return Error{quoted(signature, param) + " is missing; " + std::to_string(arguments.size()) +
                   " arguments were given"};
    TILEWRIGHT_TRY(checkKind(signature, param, *argument));
    if (isNone(*argument) && !param.optional)
      return Error{quoted(signature, param) + " is not optional"};
    if (isNone(*argument))
      continue;
    call.params.push_back(&param);
    call.arguments.push_back(*argument);
  }
  if (next < arguments.size())
    return Error{"kernel `" + signature.name + "` takes " + std::to_string(next) +
                 " arguments, not " + std::to_string(arguments.size())};
  return call;
}

static Status bindDtype(const Signature &signature, const Param &param, const TensorRef &tensor,
                        Specialisation &result) {
  std::string_view found = nameOf(tensor.type);
  std::optional<frontend::Dtype> dtype = frontend::dtypeFromName({found.data(), found.size()});
  if (!dtype)
    return Error{quoted(signature, param) + " has the dtype `" + std::string(found) +
                 "`, which kernels cannot take"};
  std::optional<frontend::Dtype> expected = param.dtype;
  if (!param.dtypeVariable.empty()) {
    auto [entry, isNew] = result.dtypes.try_emplace(param.dtypeVariable, *dtype);
    expected = entry->second;
  }
  if (*expected != *dtype)
    return Error{
        quoted(signature, param) + " has the dtype `" + std::string(found) + "` and must have `" +
        dtypeName(*expected).str() + "`" +
        (param.dtypeVariable.empty() ? "" : ", the value of `" + param.dtypeVariable + "`")};
  return {};
}

static Status bindDims(const Signature &signature, const Param &param, const TensorRef &tensor,
                       llvm::StringMap<int64_t> &sizes) {
  if (tensor.rank != param.dims.size())
    return Error{quoted(signature, param) + " has " + std::to_string(tensor.rank) +
                 " dimensions and must have " + std::to_string(param.dims.size())};
  for (unsigned axis = 0; axis < tensor.rank; ++axis) {
    const frontend::Dim &dim = param.dims[axis];
    int64_t size = tensor.shape[axis];
    if (size > std::numeric_limits<int32_t>::max())
      return Error{quoted(signature, param) + " has size " + std::to_string(size) + " in axis " +
                   std::to_string(axis) + "; a dimension is smaller than 2147483648"};
    int64_t expected =
        dim.name.empty() || dim.size ? dim.size : sizes.try_emplace(dim.name, size).first->second;
    if (size != expected)
      return Error{quoted(signature, param) + " has size " + std::to_string(size) + " in axis " +
                   std::to_string(axis) + " and must have " + std::to_string(expected) +
                   (dim.name.empty() ? "" : ", the value of `" + dim.name + "`")};
  }
  return {};
}

static Status bindFacts(const Signature &signature, const Param &param, const TensorRef &tensor,
                        Specialisation &result) {
  runtime::TensorFacts known = runtime::facts(tensor, param.written);
  unsigned bytes = bytesOf(tensor.type);
  if (known.alignment < bytes && !runtime::isEmpty(tensor))
    return Error{quoted(signature, param) + " is misaligned: its addresses are multiples of " +
                 std::to_string(known.alignment) + " bytes, elements of `" +
                 std::string(nameOf(tensor.type)) + "` need " + std::to_string(bytes)};
  frontend::TensorFacts &facts = result.tensors[param.name];
  facts.align = std::max(known.alignment, bytes);
  facts.strided = !known.unitInnerStride;
  facts.wide = !known.index32;
  return {};
}

static Status bindSettings(const Signature &signature, const Settings &settings,
                           Specialisation &result) {
  for (const auto &[name, value] : settings) {
    const Param *param = signature.param(name);
    if (param && (param->kind == Param::Const || param->kind == Param::Tune)) {
      result.consts[name] = value;
      continue;
    }
    std::vector<llvm::StringRef> names;
    for (const Param &each : signature.params)
      if (each.kind == Param::Const || each.kind == Param::Tune)
        names.push_back(each.name);
    return Error{"kernel `" + signature.name + "` has no constant `" + name + "`" +
                 frontend::suggest(name, names)};
  }
  return {};
}

ErrorOr<Specialisation> driver::specialise(const Signature &signature, const Call &call,
                                           const Settings &settings) {
  Specialisation result;
  llvm::StringMap<int64_t> sizes;
  for (auto [param, argument] : llvm::zip(call.params, call.arguments)) {
    const TensorRef *tensor = std::get_if<TensorRef>(&argument);
    if (!tensor)
      continue;
    TILEWRIGHT_TRY(bindDtype(signature, *param, *tensor, result));
    TILEWRIGHT_TRY(bindDims(signature, *param, *tensor, sizes));
    TILEWRIGHT_TRY(bindFacts(signature, *param, *tensor, result));
  }
  for (const frontend::DimInfo &dim : signature.dims)
    if (auto size = sizes.find(dim.name); dim.isStatic && size != sizes.end())
      result.dims[dim.name] = size->second;
  TILEWRIGHT_TRY(bindSettings(signature, settings, result));
  return result;
}
