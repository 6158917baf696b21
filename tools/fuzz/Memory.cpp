// Slices of tensors: what a program reads and writes.
#include "tools/fuzz/Generator.h"

#include <cmath>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::fuzz;
using cli::Memory;

static bool isSize(const std::string &dim) { return std::isdigit(dim[0]); }

//===- Tensors --------------------------------------------------------------------------------===//

/// A size in a tensor's annotation, as a number or as the name of a dimension.
std::string Generator::sizeName(int64_t size) {
  size = std::max<int64_t>(size, 1);
  if (choices.chance(70))
    return std::to_string(size);
  std::string name = fmt::format("D{}", size);
  dims[name] = size;
  return name;
}

Memory Generator::drawMemory(bool isInput) {
  static constexpr Memory kForms[] = {Memory::Contiguous, Memory::Padded,   Memory::OddPitch,
                                      Memory::Misaligned, Memory::Strided,  Memory::Reversed,
                                      Memory::Backwards,  Memory::Broadcast};
  return kForms[choices.weighted({12, 2, 2, 2, 2, 2, 1, isInput ? 1u : 0u})];
}

/// Values of which sums stay exact; sometimes arbitrary reals.
Facts Generator::drawContents(Dtype dtype, TensorPlan &plan) {
  plan.seed = choices.below(1000);
  if (dtype == Dtype::Bool) {
    plan.low = 0, plan.high = 1;
  } else if (isInteger(dtype) || isNarrow8(dtype)) {
    plan.low = -4, plan.high = 4;
  } else if (choices.chance(25)) {
    plan.low = -2, plan.high = 2, plan.step = 0;
    return {plan.low, plan.high, 0, kAnyGrain};
  } else {
    int grain = int(choices.below(3));
    plan.step = std::ldexp(1.0, -grain);
    plan.low = -std::ldexp(4.0, -grain), plan.high = -plan.low;
    return {plan.low, plan.high, 0, grain};
  }
  return {plan.low, plan.high, 0, 0};
}

Tensor &Generator::newTensor(const char *prefix, Dtype dtype, std::vector<std::string> sizes) {
  Tensor tensor;
  tensor.plan.name = fresh(prefix);
  tensor.dtype = dtype;
  tensor.dims = std::move(sizes);
  tensors.push_back(std::move(tensor));
  return tensors.back();
}

//===- Loads ----------------------------------------------------------------------------------===//

/// A subscript that takes `extent` elements. `dim` is the dimension's name or size; when empty, it
/// is chosen here.
std::string Generator::subscript(int64_t extent, std::string &dim) {
  std::vector<const Range *> fitting;
  for (const Range &range : ranges)
    if (range.extent == extent)
      fitting.push_back(&range);
  unsigned ranged = fitting.empty() ? 0 : 1;
  bool isFixed = !dim.empty();
  bool isWhole = !isFixed || (isSize(dim) ? std::stoll(dim) : dims[dim]) == extent;
  size_t form = choices.weighted({12 * ranged, isWhole ? 4u : 0u, 4, 4 * ranged, 2, 2, 2, 2});
  auto size = [&](int64_t value) {
    if (!isFixed)
      dim = sizeName(value);
  };
  if ((form == 0 || form == 3) && ranged) {
    const Range &range = *choices.pick(fitting);
    if (!isFixed)
      dim = range.dim;
    std::string offset = choices.pick({" + 1", " - 1", " + 3", " + 8"});
    return form == 0 ? range.name : range.name + offset;
  }
  switch (form) {
  case 1:
    size(extent);
    return ":";
  case 4:
    size(extent + choices.between(0, 3));
    return fmt::format("span({}, {})", choices.between(0, 3), extent);
  case 5: {
    size(extent + choices.between(0, 5));
    Expr start = expr({{Dtype::I32, {}}, true, 1});
    return fmt::format("span({}, {})", start.text, extent);
  }
  case 6: {
    int64_t step = choices.between(2, 4);
    size(extent * step - choices.between(0, 5));
    return fmt::format("iota({}) * {} + {}", extent, step, choices.between(0, 2));
  }
  case 7: {
    size(extent + choices.between(0, 5));
    Expr index = expr({{Dtype::I32, {extent}}, true, 1});
    return index.text;
  }
  default:
    size(extent + choices.between(0, 3) - 1);
    return fmt::format("iota({})", extent);
  }
}

/// An index that drops a dimension.
std::string Generator::scalarSubscript(std::string &dim) {
  if (dim.empty())
    dim = sizeName(choices.between(2, 4));
  if (choices.chance(50))
    return std::to_string(choices.below(3));
  Expr index = expr({{Dtype::I32, {}}, true, 1});
  // A constant index below 0 is an error, any other reads outside.
  return index.facts.low < 0 ? "max(" + index.text + ", 0)" : index.text;
}

Generator::Made Generator::makeLoad(const Want &want) {
  if (isInline)
    return std::nullopt;
  const Shape &shape = want.type.shape;
  size_t rank = std::max<size_t>(1, shape.size());
  std::vector<size_t> fitting;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!tensors[i].isWritten && tensors[i].dtype == want.type.dtype &&
        tensors[i].dims.size() >= rank && tensors[i].dims.size() <= shape.size() + 1)
      fitting.push_back(i);
  bool isNew = fitting.empty() || choices.chance(60);
  size_t reused = isNew ? 0 : choices.pick(fitting);
  bool hasExtra =
      isNew ? shape.empty() || choices.chance(15) : tensors[reused].dims.size() > shape.size();
  std::vector<std::string> sizes =
      isNew ? std::vector<std::string>(shape.size() + hasExtra) : tensors[reused].dims;
  std::string subscripts;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    bool drops = hasExtra && axis == 0;
    std::string one =
        drops ? scalarSubscript(sizes[axis]) : subscript(shape[axis - hasExtra], sizes[axis]);
    subscripts += (axis ? ", " : "") + one;
  }
  if (isNew) {
    Tensor &tensor = newTensor("x", want.type.dtype, sizes);
    tensor.facts = drawContents(tensor.dtype, tensor.plan);
    tensor.plan.memory = drawMemory(/*isInput=*/true);
    reused = tensors.size() - 1;
  }
  const Tensor &tensor = tensors[reused];
  std::string text = fmt::format("{}[{}]", tensor.plan.name, subscripts);
  Facts fill{0, 0, 0, 0};
  if (isNumeric(tensor.dtype) && choices.chance(15)) {
    double value = double(choices.between(-2, 2));
    fill = {value, value, 0, 0};
    text = fmt::format("load({}, fill={})", text, value);
  }
  return accept(want, text, hull(tensor.facts, fill));
}

/// What this program has stored before, or found there.
Generator::Made Generator::makeOwnedLoad(const Want &want) {
  std::vector<const Tensor *> fitting;
  for (const Tensor &tensor : tensors)
    if (tensor.isWritten && tensor.plan.isFilled && !tensor.isAtomic &&
        tensor.dtype == want.type.dtype && tensor.shape == want.type.shape)
      fitting.push_back(&tensor);
  if (fitting.empty() || isInline)
    return std::nullopt;
  const Tensor &tensor = *choices.pick(fitting);
  return accept(want, fmt::format("{}[{}]", tensor.plan.name, tensor.slice), tensor.facts);
}

//===- Stores ---------------------------------------------------------------------------------===//

/// Subscripts that give every program its own elements, for a slice of this shape.
std::string Generator::ownSlice(const Shape &shape, std::vector<std::string> &sizes) {
  std::string subscripts;
  std::vector<bool> isTaken(grid.size());
  for (int64_t extent : shape) {
    size_t axis = 0;
    while (axis < grid.size() &&
           (isTaken[axis] || grid[axis].range.empty() || grid[axis].extent != extent))
      ++axis;
    std::string one, dim;
    if (axis < grid.size()) {
      isTaken[axis] = true;
      one = grid[axis].range;
      dim = grid[axis].dim;
    } else {
      size_t form = choices.weighted({4, 4, 1, 1});
      dim = sizeName(form == 0 ? extent : extent + choices.between(0, 2) - 1);
      one = form == 0   ? ":"
            : form == 1 ? fmt::format("iota({})", extent)
            : form == 2 ? fmt::format("span(1, {})", extent)
                        : fmt::format("{} - iota({})", extent - 1, extent);
    }
    subscripts += (subscripts.empty() ? "" : ", ") + one;
    sizes.push_back(dim);
  }
  for (size_t axis = 0; axis < grid.size(); ++axis)
    if (!isTaken[axis]) {
      subscripts = grid[axis].program + (subscripts.empty() ? "" : ", ") + subscripts;
      sizes.insert(sizes.begin(), std::to_string(grid[axis].count));
    }
  return subscripts;
}

/// The dtype to store a value in: its own, or one that it turns into by itself.
Dtype Generator::storedDtype(const Expr &value) {
  Dtype dtype = value.type.dtype;
  if (!choices.chance(25))
    return dtype;
  if (dtype == Dtype::F32)
    dtype = choices.pick({Dtype::F16, Dtype::BF16, Dtype::F8E4M3, Dtype::F8E5M2});
  else if (dtype == Dtype::I8 || dtype == Dtype::I16)
    dtype = Dtype::I32;
  return rounded(dtype, value.facts) ? dtype : value.type.dtype;
}

/// Stores a value to a tensor of its own.
void Generator::store(const Expr &value) {
  std::vector<std::string> sizes;
  Dtype dtype = storedDtype(value);
  std::string slice = ownSlice(value.type.shape, sizes);
  Tensor &tensor = newTensor("y", dtype, sizes);
  tensor.slice = slice;
  tensor.shape = value.type.shape;
  tensor.isWritten = true;
  tensor.plan.isFilled = false;
  tensor.plan.memory = drawMemory(/*isInput=*/false);
  tensor.plan.error =
      (dtype == value.type.dtype ? value.facts : *rounded(dtype, value.facts)).error;
  line(fmt::format("{}[{}] = {}", tensor.plan.name, slice, value.text));
}
