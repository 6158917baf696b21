// A kernel as a whole: its grid, its types, its parameters, its file.
#include "tools/fuzz/Generator.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::fuzz;

static constexpr int64_t kMostElements = 4096;

int64_t fuzz::elementsOf(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::string fuzz::tupleText(const Shape &shape) {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + ", ";
  if (shape.size() > 1)
    text.resize(text.size() - 2);
  else
    text.pop_back();
  return "(" + text + ")";
}

//===- Types ----------------------------------------------------------------------------------===//

Dtype Generator::drawDtype() {
  static constexpr Dtype kDtypes[] = {Dtype::F32,    Dtype::I32, Dtype::F16,  Dtype::BF16,
                                      Dtype::I8,     Dtype::I16, Dtype::Bool, Dtype::F8E4M3,
                                      Dtype::F8E5M2, Dtype::I64};
  return kDtypes[choices.weighted({10, 8, 5, 5, 3, 2, 3, 2, 2, 2})];
}

Dtype Generator::drawNumeric() {
  Dtype dtype = drawDtype();
  return isNumeric(dtype) ? dtype : Dtype::I32;
}

Dtype Generator::drawSumDtype() {
  return choices.pick({Dtype::F32, Dtype::F32, Dtype::F32, Dtype::I32});
}

/// Integers are always exact, floats mostly.
bool Generator::drawExactness(Dtype dtype) {
  return !frontend::isFloat(dtype) || !isNumeric(dtype) || !choices.chance(45);
}

/// One of the few extents that the kernel's tiles have, so that they meet.
int64_t Generator::drawExtent() { return choices.pick(extents); }

/// The extent of the inner dimension of a product.
int64_t Generator::drawDepth() {
  int64_t depth = choices.pick({8, 16, 24, 32, 40, 1, 3, 5, 12, 37});
  return depthOfLoop && choices.chance(80) ? depthOfLoop : depth;
}

Shape Generator::drawShape() {
  Shape shape;
  size_t rank = choices.weighted({2, 4, 8, 1});
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t extent = drawExtent();
    if (elementsOf(shape) * extent <= (rank == 3 ? kMostElements / 2 : kMostElements))
      shape.push_back(extent);
  }
  return shape;
}

/// Extents that a product may have; some of the odd ones become multiples of the instructions'.
Shape Generator::drawMatrixShape() {
  Shape shape;
  for (int axis = 0; axis < 2; ++axis) {
    int64_t extent = drawExtent();
    shape.push_back(extent % 8 && choices.chance(50) ? 8 * choices.between(1, 4) : extent);
  }
  return shape;
}

/// Often the shape of a variable that is there.
Type Generator::drawType() {
  Dtype dtype = drawDtype();
  bool repeats = !variables.empty() && choices.chance(40);
  return {dtype, repeats ? choices.pick(variables).type.shape : drawShape()};
}

//===- Grid -----------------------------------------------------------------------------------===//

void Generator::drawExtents() {
  static const std::vector<int64_t> kOdd = {1,  2,  3,  4,  5,  7,  9,  12,
                                            13, 17, 20, 31, 33, 37, 50, 64};
  for (int i = 0; i < 3; ++i)
    extents.push_back(choices.chance(55) ? 8 * choices.between(1, 6) : choices.pick(kOdd));
}

void Generator::drawGrid() {
  static const char *const kPrograms[] = {"i", "j", "h"},
                           *const kRanges[] = {"rows", "cols", "deep"},
                           *const kDims[] = {"M", "N", "L"};
  size_t rank = 1 + choices.weighted({5, 4, 1});
  std::string programs, counts;
  std::vector<std::string> lines;
  for (size_t i = 0; i < rank; ++i) {
    GridAxis axis{kPrograms[i], "", 1, choices.between(1, 3), ""};
    std::string count = std::to_string(axis.count);
    if (i == 0 || choices.chance(70)) {
      axis.extent = drawExtent();
      axis.range = kRanges[i];
      axis.dim = kDims[i];
      dims[axis.dim] = (axis.count - 1) * axis.extent + choices.between(1, axis.extent);
      count = fmt::format("cdiv({}, {})", axis.dim, axis.extent);
      lines.push_back(fmt::format("{} = block({}, {})", axis.range, axis.program, axis.extent));
      ranges.push_back({axis.range, axis.extent, axis.dim, double(axis.count * axis.extent - 1)});
    }
    programs += (i ? ", " : "") + axis.program;
    counts += (i ? ", " : "") + count;
    grid.push_back(axis);
  }
  line(fmt::format("{} = grid({})", programs, counts));
  for (const std::string &text : lines)
    line(text);
}

//===- File -----------------------------------------------------------------------------------===//

/// Stores what nothing used, so that it is not dead.
void Generator::storeUnused(size_t first, unsigned percent) {
  int stores = 0;
  for (size_t i = variables.size(); i-- > first && stores < 3;)
    if (!variables[i].isUsed && !variables[i].isReadOnly && choices.chance(percent)) {
      Variable variable = variables[i];
      store({variable.name, variable.type, variable.facts});
      ++stores;
    }
}

void Generator::finishStores() {
  storeUnused(0, 90);
  bool hasResult = std::any_of(tensors.begin(), tensors.end(), [](auto &t) { return t.isWritten; });
  if (!hasResult)
    storeValue(0);
}

/// Lets some of the tensors that programs add to start at zero, whatever they hold.
std::string Generator::starts() {
  std::string text;
  for (const Tensor &tensor : tensors)
    if (tensor.isAtomic && choices.chance(40))
      text += "    start_at_zero(" + tensor.plan.name + ")\n";
  return text;
}

std::string Generator::header(const std::map<std::string, int64_t> &declared) const {
  std::string names, words;
  for (const auto &[name, size] : declared) {
    names += (names.empty() ? "" : ", ") + name;
    words += (words.empty() ? "" : " ") + name;
  }
  std::string text = "from tilewright import *\n\n";
  return names.empty() ? text + "\n" : text + names + " = dims(\"" + words + "\")\n\n\n";
}

std::string Generator::parameters() const {
  std::string text;
  for (const Tensor &tensor : tensors) {
    text +=
        (text.empty() ? "" : ", ") + tensor.plan.name + ": Tensor[" + dtypeName(tensor.dtype).str();
    for (const std::string &dim : tensor.dims)
      text += ", " + dim;
    text += "]";
  }
  for (const ScalarParam &scalar : scalars)
    text += fmt::format(", {}: {}", scalar.name, dtypeName(scalar.dtype).str());
  return text;
}

Case Generator::draw() {
  drawExtents();
  drawGrid();
  budget = 10;
  statements(/*depth=*/2, 85);
  finishStores();
  Case result;
  for (const Tensor &tensor : tensors) {
    result.tensors.push_back(tensor.plan);
    for (const std::string &dim : tensor.dims)
      if (auto size = dims.find(dim); size != dims.end())
        result.dims.insert(*size);
  }
  // A dimension that no tensor has is an ordinary number.
  for (const auto &[name, size] : dims)
    if (!result.dims.contains(name) && isNamed(name))
      scalars.push_back({name, Dtype::I32, double(size)});
  for (const ScalarParam &scalar : scalars)
    result.scalars[scalar.name] = scalar.value;
  result.text = header(result.dims) + functions + "@kernel\ndef fuzz(" + parameters() + "):\n" +
                starts() + body;
  return result;
}

/// Whether the kernel's text may name this dimension: `D37` stands only in annotations.
bool Generator::isNamed(const std::string &dim) const { return dim[0] != 'D'; }

Case fuzz::drawCase(Choices &choices) { return Generator(choices).draw(); }
