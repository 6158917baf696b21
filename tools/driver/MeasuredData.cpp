#include "tools/driver/MeasuredData.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <unistd.h>

using namespace tilewright;
using namespace tilewright::driver;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;
using runtime::Archive;
using runtime::Argument;
using runtime::TensorRef;

/// What buffers are aligned to.
static constexpr uintptr_t kAlignment = 256;

//===- Packing --------------------------------------------------------------------------------===//

/// Elements from the first to the last; nothing where a stride is negative.
static std::optional<int64_t> elementsOf(const TensorRef &tensor) {
  int64_t elements = 1;
  for (unsigned axis = 0; axis < tensor.rank; ++axis) {
    if (tensor.shape[axis] == 0)
      return 0;
    if (tensor.strides[axis] < 0 && tensor.shape[axis] > 1)
      return std::nullopt;
    elements += (tensor.shape[axis] - 1) * tensor.strides[axis];
  }
  return elements;
}

static ErrorOr<std::string> bytesOnGpu(const TensorRef &tensor, size_t count) {
  TILEWRIGHT_ASSIGN(const runtime::Driver *driver, runtime::Driver::get());
  TILEWRIGHT_ASSIGN(auto scope, runtime::ContextScope::enter(*driver, tensor.device));
  std::string bytes(count, 0);
  TILEWRIGHT_TRY(driver->check(
      driver->api().memcpyDtoH(
          bytes.data(), runtime::DeviceAddress(reinterpret_cast<uintptr_t>(tensor.data)), count),
      "cannot read a tensor"));
  return bytes;
}

/// The contents that a tensor needs; nothing if random data are good enough.
static ErrorOr<std::optional<std::string>> contentsOf(const frontend::Param &param,
                                                      const TensorRef &tensor, int64_t elements,
                                                      const DataHints &hints) {
  if (auto given = hints.contents.find(param.name); given != hints.contents.end())
    return std::optional(std::string(given->second.begin(), given->second.end()));
  bool isFloat = info(tensor.type).kind == runtime::ElementKind::Float;
  if (isFloat || !param.read || tensor.device < 0 || elements == 0)
    return std::optional<std::string>();
  TILEWRIGHT_ASSIGN(std::string bytes, bytesOnGpu(tensor, elements * bytesOf(tensor.type)));
  return std::optional(std::move(bytes));
}

static Status packTensor(Object &entry, Archive &file, const frontend::Param &param,
                         const TensorRef &tensor, const DataHints &hints) {
  std::optional<int64_t> elements = elementsOf(tensor);
  if (!elements)
    return Error{"argument `" + param.name + "` has a negative stride, which is not measured"};
  auto deviation = hints.deviations.find(param.name);
  entry = Object{{"name", param.name},
                 {"type", llvm::StringRef(nameOf(tensor.type))},
                 {"shape", Array(llvm::ArrayRef(tensor.shape, tensor.rank))},
                 {"strides", Array(llvm::ArrayRef(tensor.strides, tensor.rank))},
                 {"elements", *elements},
                 {"offset", int64_t(reinterpret_cast<uintptr_t>(tensor.data) % kAlignment)},
                 {"deviation", deviation == hints.deviations.end() ? 1 : deviation->second},
                 {"read", param.read},
                 {"written", param.written}};
  TILEWRIGHT_ASSIGN(std::optional<std::string> contents,
                    contentsOf(param, tensor, *elements, hints));
  if (contents)
    file.add("contents/" + param.name, std::move(*contents));
  return {};
}

Status driver::packData(Archive &file, const Call &call, int device, const DataHints &hints) {
  Array arguments;
  for (auto [param, argument] : llvm::zip(call.params, call.arguments)) {
    Object entry;
    if (const auto *tensor = std::get_if<TensorRef>(&argument))
      TILEWRIGHT_TRY(packTensor(entry, file, *param, *tensor, hints));
    else if (const auto *integer = std::get_if<int64_t>(&argument))
      entry["integer"] = *integer;
    else if (const auto *flag = std::get_if<bool>(&argument))
      entry["flag"] = *flag;
    else
      entry["number"] = std::get<double>(argument);
    arguments.push_back(std::move(entry));
  }
  Object all{{"device", device}, {"arguments", std::move(arguments)}};
  file.add("call", llvm::formatv("{0}", Value(std::move(all))).str());
  return {};
}

//===- Making ---------------------------------------------------------------------------------===//

static std::vector<int64_t> numbersOf(const Object &entry) {
  std::vector<int64_t> numbers;
  for (llvm::StringRef name : {"shape", "strides"})
    if (const Array *array = entry.getArray(name))
      for (const Value &number : *array)
        numbers.push_back(number.getAsInteger().value_or(0));
  return numbers;
}

static HostTensor initialOf(const Object &entry, runtime::ElementType type, int64_t elements,
                            std::optional<std::string> contents, size_t seed) {
  HostTensor tensor(type, {elements});
  if (contents && contents->size() == tensor.bytes.size())
    tensor.bytes.assign(contents->begin(), contents->end());
  else
    tensor.randomize(seed, entry.getNumber("deviation").value_or(1));
  return tensor;
}

Status MeasuredData::addTensor(const Object &entry, std::optional<std::string> contents,
                               const runtime::Driver &driver) {
  std::string name = entry.getString("name").value_or("").str();
  auto type = runtime::elementTypeByName(std::string_view(entry.getString("type").value_or("")));
  std::vector<int64_t> extents = numbersOf(entry);
  if (!type || extents.size() % 2)
    return Error{"tensor `" + name + "` cannot be read"};
  int64_t elements = entry.getInteger("elements").value_or(0);
  size_t offset = size_t(entry.getInteger("offset").value_or(0));
  TILEWRIGHT_ASSIGN(
      runtime::DeviceBuffer buffer,
      runtime::DeviceBuffer::allocate(driver, offset + size_t(elements) * bytesOf(*type), ordinal));
  Tensor tensor{name,
                *type,
                entry.getBoolean("read").value_or(true),
                entry.getBoolean("written").value_or(true),
                extents,
                elements,
                offset,
                {},
                std::move(buffer)};
  if (tensor.read) {
    tensor.initial = initialOf(entry, *type, elements, std::move(contents), 1 + tensors.size());
    TILEWRIGHT_TRY(tensor.restore());
    if (!tensor.written)
      tensor.initial = {};
  }
  tensors.push_back(std::make_unique<Tensor>(std::move(tensor)));
  const Tensor &kept = *tensors.back();
  unsigned rank = unsigned(kept.extents.size() / 2);
  list.push_back(TensorRef{static_cast<char *>(kept.buffer.data()) + offset, *type, rank,
                           kept.extents.data(), kept.extents.data() + rank, ordinal});
  return {};
}

Status MeasuredData::addArgument(const Object &entry, Archive &file,
                                 const runtime::Driver &driver) {
  if (std::optional<llvm::StringRef> name = entry.getString("name"))
    return addTensor(entry, file.take("contents/" + name->str()), driver);
  if (std::optional<int64_t> integer = entry.getInteger("integer"))
    list.push_back(*integer);
  else if (std::optional<bool> flag = entry.getBoolean("flag"))
    list.push_back(*flag);
  else
    list.push_back(entry.getNumber("number").value_or(0));
  return {};
}

ErrorOr<MeasuredData> MeasuredData::unpack(Archive &file, const runtime::Driver &driver,
                                           const std::function<void()> &alive) {
  llvm::Expected<Value> parsed = llvm::json::parse(file.take("call").value_or(""));
  if (!parsed)
    return Error{"the call cannot be read: " + llvm::toString(parsed.takeError())};
  const Object *call = parsed->getAsObject();
  const Array *arguments = call ? call->getArray("arguments") : nullptr;
  if (!arguments)
    return Error{"the call has no arguments"};
  MeasuredData data;
  data.ordinal = int(call->getInteger("device").value_or(0));
  for (const Value &argument : *arguments) {
    alive();
    if (const Object *entry = argument.getAsObject())
      TILEWRIGHT_TRY(data.addArgument(*entry, file, driver));
  }
  return data;
}

//===- Running --------------------------------------------------------------------------------===//

Status MeasuredData::Tensor::restore() {
  return initial.bytes.empty()
             ? Status()
             : buffer.copyFrom(initial.bytes.data(), initial.bytes.size(), offset);
}

Status MeasuredData::reset(runtime::Stream stream) {
  for (const std::unique_ptr<Tensor> &tensor : tensors)
    if (tensor->read)
      TILEWRIGHT_TRY(tensor->restore());
    else
      TILEWRIGHT_TRY(tensor->buffer.fill(0xff, stream));
  return {};
}

/// The whole tensor, or pieces from all over it if it is too large to compare.
ErrorOr<HostTensor> MeasuredData::Tensor::download() const {
  constexpr int64_t kMost = int64_t(1) << 25, kPieces = 4096;
  size_t size = bytesOf(type);
  if (elements <= kMost) {
    HostTensor result(type, {elements});
    TILEWRIGHT_TRY(buffer.copyTo(result.bytes.data(), result.bytes.size(), offset));
    return result;
  }
  constexpr int64_t kPiece = kMost / kPieces;
  HostTensor result(type, {kMost});
  for (int64_t piece = 0; piece < kPieces; ++piece) {
    int64_t from = (elements - kPiece) / (kPieces - 1) * piece;
    TILEWRIGHT_TRY(buffer.copyTo(result.bytes.data() + size_t(piece * kPiece) * size,
                                 size_t(kPiece) * size, offset + size_t(from) * size));
  }
  return result;
}

ErrorOr<HostTensors> MeasuredData::results() const {
  HostTensors results;
  for (const std::unique_ptr<Tensor> &tensor : tensors)
    if (tensor->written) {
      TILEWRIGHT_ASSIGN(results[tensor->name], tensor->download());
    }
  return results;
}

runtime::ElementType MeasuredData::coarsest() const {
  runtime::ElementType type = runtime::ElementType::F32;
  for (const std::unique_ptr<Tensor> &tensor : tensors)
    if (epsilon(tensor->type) > epsilon(type))
      type = tensor->type;
  return type;
}
