#include "python/Arguments.h"

#include <tvm/ffi/container/tensor.h>

using namespace tilewright;
using namespace tilewright::python;
using runtime::ElementType;
using runtime::TensorRef;
namespace ffi = tvm::ffi;

void python::raise(const Error &error, const char *kind) {
  throw ffi::Error(kind, error.message, "");
}

static ElementType elementType(DLDataType dtype) {
  auto is = [&](int code, int bits) { return dtype.code == code && dtype.bits == bits; };
  if (dtype.lanes == 1) {
    for (auto [code, bits, type] : std::initializer_list<std::tuple<int, int, ElementType>>{
             {kDLBool, 8, ElementType::Bool},
             {kDLInt, 8, ElementType::I8},
             {kDLUInt, 8, ElementType::U8},
             {kDLInt, 16, ElementType::I16},
             {kDLInt, 32, ElementType::I32},
             {kDLInt, 64, ElementType::I64},
             {kDLFloat8_e4m3fn, 8, ElementType::F8E4M3},
             {kDLFloat8_e5m2, 8, ElementType::F8E5M2},
             {kDLFloat, 16, ElementType::F16},
             {kDLBfloat, 16, ElementType::BF16},
             {kDLFloat, 32, ElementType::F32}})
      if (is(code, bits))
        return type;
  }
  raise({"no kernel takes arrays of dtype `" + std::string(ffi::DLDataTypeToString(dtype)) + "`"});
}

/// The ordinal of the GPU, or -1 for host memory.
static int deviceOf(DLDevice device) {
  switch (device.device_type) {
  case kDLCPU:
  case kDLCUDAHost:
    return -1;
  case kDLCUDA:
  case kDLCUDAManaged:
    return device.device_id;
  default:
    raise({"an array is on a device that kernels cannot reach (DLPack device type " +
           std::to_string(device.device_type) + "); give arrays on a CUDA GPU or on the CPU"});
  }
}

static void fillContiguous(int64_t *strides, const int64_t *shape, unsigned rank) {
  int64_t stride = 1;
  for (unsigned axis = rank; axis-- > 0; stride *= shape[axis])
    strides[axis] = stride;
}

TensorRef Arguments::tensor(const DLTensor &tensor) {
  hasTensors = true;
  TensorRef result;
  result.data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  result.type = elementType(tensor.dtype);
  result.rank = tensor.ndim;
  result.shape = tensor.shape;
  result.strides = tensor.strides;
  result.device = deviceOf(tensor.device);
  device = std::max(device, result.device);
  if (!tensor.strides && tensor.ndim > 0) {
    extents.push_back(std::make_unique<int64_t[]>(tensor.ndim));
    fillContiguous(extents.back().get(), tensor.shape, tensor.ndim);
    result.strides = extents.back().get();
  }
  return result;
}

TensorRef Arguments::described(const ffi::Array<ffi::Any> &words) {
  // Only facts are taken from the address.
  static char placeholder alignas(256)[256];
  hasTensors = true;
  std::string dtype = words[0].cast<std::string>();
  std::optional<ElementType> type = runtime::elementTypeByName(dtype);
  if (!type)
    raise({"there is no dtype `" + dtype + "`"});
  unsigned rank = words.size() - 1;
  extents.push_back(std::make_unique<int64_t[]>(2 * rank + 1));
  int64_t *shape = extents.back().get(), *strides = shape + rank;
  for (unsigned axis = 0; axis < rank; ++axis)
    shape[axis] = words[axis + 1].cast<int64_t>();
  fillContiguous(strides, shape, rank);
  return {placeholder, *type, rank, shape, strides, -1};
}

runtime::Argument Arguments::argument(ffi::AnyView value) {
  switch (value.type_index()) {
  case ffi::TypeIndex::kTVMFFIDLTensorPtr:
  case ffi::TypeIndex::kTVMFFITensor:
    return tensor(*value.cast<DLTensor *>());
  case ffi::TypeIndex::kTVMFFINone:
    return driver::kNone;
  case ffi::TypeIndex::kTVMFFIBool:
    return value.cast<bool>();
  case ffi::TypeIndex::kTVMFFIInt:
    return value.cast<int64_t>();
  case ffi::TypeIndex::kTVMFFIFloat:
    return value.cast<double>();
  case ffi::TypeIndex::kTVMFFIArray:
    return described(value.cast<ffi::Array<ffi::Any>>());
  default:
    throw ffi::Error(
        "TypeError",
        "an argument is an array, a number, a bool or None, not `" + value.GetTypeKey() + "`", "");
  }
}

Arguments::Arguments(ffi::PackedArgs args) {
  list.reserve(args.size());
  for (int i = 0; i < args.size(); ++i)
    list.push_back(argument(args[i]));
}

frontend::ConstValue python::constValue(const ffi::Any &value) {
  switch (value.type_index()) {
  case ffi::TypeIndex::kTVMFFINone:
    return std::monostate();
  case ffi::TypeIndex::kTVMFFIBool:
    return value.cast<bool>();
  case ffi::TypeIndex::kTVMFFIInt:
    return value.cast<int64_t>();
  case ffi::TypeIndex::kTVMFFIFloat:
    return value.cast<double>();
  default:
    return value.cast<std::string>();
  }
}

ffi::Any python::toAny(const frontend::ConstValue &value) {
  if (const auto *flag = std::get_if<bool>(&value))
    return *flag;
  if (const auto *integer = std::get_if<int64_t>(&value))
    return *integer;
  if (const auto *number = std::get_if<double>(&value))
    return *number;
  if (const auto *dtype = std::get_if<frontend::Dtype>(&value))
    return ffi::String(frontend::dtypeName(*dtype).str());
  if (const auto *text = std::get_if<std::string>(&value))
    return ffi::String(*text);
  return nullptr;
}

driver::Settings python::settingsOf(const frontend::Signature &signature,
                                    const ffi::Map<ffi::String, ffi::Any> &settings) {
  driver::Settings result;
  for (const auto &[key, value] : settings) {
    std::string name = key;
    frontend::ConstValue constant = constValue(value);
    const frontend::Param *param = signature.param(name);
    const auto *word = std::get_if<std::string>(&constant);
    if (param && param->constType == "dtype" && word)
      if (std::optional<frontend::Dtype> dtype = frontend::dtypeFromName(*word))
        constant = *dtype;
    result.emplace_back(std::move(name), std::move(constant));
  }
  return result;
}
