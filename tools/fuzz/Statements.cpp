// Statements. Loops and branches draw their bodies in the same way.
#include "tools/fuzz/Generator.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::fuzz;

/// How deep the expressions of a statement become.
static constexpr int kDepth = 3;

const std::vector<Generator::StatementForm> &Generator::statementForms() {
  using G = Generator;
  static const std::vector<StatementForm> table = {
      {"new variable", 12, false, &G::assignNew},
      {"assignment", 4, false, &G::assignAgain},
      {"store", 3, false, &G::storeValue},
      {"in place", 3, false, &G::updateInPlace},
      {"atomic", 2, false, &G::atomicUpdate},
      {"if", 5, true, &G::branch},
      {"for", 5, true, &G::forLoop},
      {"while", 2, true, &G::whileLoop},
      {"sum", 6, true, &G::sumLoop},
      {"softmax", 3, false, &G::softmaxLoop},
      {"softmax of rows", 3, false, &G::softmaxRows},
      {"rotation", 2, true, &G::rotationLoop},
  };
  return table;
}

void Generator::line(const std::string &text) {
  body += std::string(4 * indent, ' ') + text + "\n";
}

/// One statement after the other, as long as the choices say.
void Generator::statements(int depth, unsigned percent) {
  while (budget > 0) {
    Choices::Part part(choices);
    if (!choices.chance(percent))
      return;
    --budget;
    std::vector<unsigned> weights;
    for (const StatementForm &form : statementForms())
      weights.push_back(form.isNested && depth == 0 ? 0 : form.weight);
    (this->*statementForms()[choices.weighted(weights)].make)(depth - 1);
  }
}

/// An indented body; what it defines ends with it.
void Generator::suite(const std::function<void()> &inside) {
  size_t known = variables.size(), knownRanges = ranges.size(), start = body.size();
  ++indent;
  inside();
  storeUnused(known, 50);
  if (body.size() == start)
    line("pass");
  --indent;
  variables.resize(known);
  ranges.resize(knownRanges);
}

Variable &Generator::define(const std::string &name, Type type, Facts facts) {
  variables.push_back({name, std::move(type), facts, loops});
  return variables.back();
}

//===- Values ---------------------------------------------------------------------------------===//

void Generator::assignNew(int) {
  Type type = drawType();
  Expr value = expr({type, drawExactness(type.dtype), kDepth});
  std::string name = fresh("v");
  line(name + " = " + value.text);
  define(name, type, value.facts);
}

void Generator::assignAgain(int depth) {
  std::vector<size_t> open;
  for (size_t i = variables.size(); i-- > 0;)
    if (!variables[i].isReadOnly && (variables[i].loops == loops || variables[i].bound))
      open.push_back(i);
  if (open.empty())
    return assignNew(depth);
  reassign(choices.pick(open));
}

/// Gives a variable a new value that respects what the loops around it rely on.
void Generator::reassign(size_t index) {
  Want want{variables[index].type, variables[index].facts.isExact(), kDepth - 1};
  Expr value = expr(want);
  Variable &variable = variables[index];
  if (variable.bound) {
    const Facts &bound = *variable.bound;
    bool fits = value.facts.low >= bound.low && value.facts.high <= bound.high;
    if (value.facts.grain > bound.grain)
      value.text = "floor(" + value.text + ")";
    if (!fits)
      value.text = fmt::format("minimum(maximum({}, {}), {})", value.text, bound.low, bound.high);
  }
  line(variable.name + " = " + value.text);
  if (!variable.bound)
    variable.facts = branches ? hull(variable.facts, value.facts) : value.facts;
}

void Generator::storeValue(int) {
  Type type = drawType();
  store(expr({type, drawExactness(type.dtype), kDepth}));
}

/// Changes a tensor that holds values before: load, compute, store.
void Generator::updateInPlace(int) {
  Type type = drawType();
  if (!isNumeric(type.dtype))
    type.dtype = Dtype::I32;
  std::vector<size_t> fitting;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].isWritten && tensors[i].plan.isFilled && !tensors[i].isAtomic)
      fitting.push_back(i);
  if (fitting.empty() || choices.chance(50)) {
    std::vector<std::string> sizes;
    std::string slice = ownSlice(type.shape, sizes);
    Tensor &tensor = newTensor("z", type.dtype, sizes);
    tensor.slice = slice;
    tensor.shape = type.shape;
    tensor.isWritten = true;
    tensor.plan.low = -8, tensor.plan.high = 8, tensor.plan.seed = choices.below(1000);
    tensor.facts = {-8, 8, 0, 0}; // a slice outside the tensor reads 0
    tensor.plan.memory = drawMemory(/*isInput=*/false);
    fitting = {tensors.size() - 1};
  }
  size_t index = choices.pick(fitting);
  std::string slice = tensors[index].plan.name + "[" + tensors[index].slice + "]";
  Expr value = expr({{tensors[index].dtype, tensors[index].shape}, true, kDepth - 1});
  std::string text = fmt::format("({} + {})", slice, value.text);
  if (!rounded(tensors[index].dtype, sum(value.facts, tensors[index].facts)))
    text = value.text;
  if (value.facts.grain > 0)
    text = "floor(" + text + ")";
  line(fmt::format("{} = minimum(maximum({}, -8), 8)", slice, text));
}

/// Adds to elements that programs share: exactly, so that the order does not matter.
void Generator::atomicUpdate(int) {
  Dtype dtype = choices.pick({Dtype::I32, Dtype::F32, Dtype::F16, Dtype::BF16});
  size_t kind = dtype == Dtype::F16 || dtype == Dtype::BF16 ? 0 : choices.below(3);
  int64_t extent = drawExtent();
  Shape shape{extent};
  if (choices.chance(40))
    shape.push_back(std::min<int64_t>(drawExtent(), 32));
  Expr value = expr({{dtype, shape}, true, kDepth - 1});
  std::vector<std::string> sizes(shape.size());
  std::string subscripts;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    subscripts += (axis ? ", " : "") + subscript(shape[axis], sizes[axis]);
  double programs = 1;
  for (const GridAxis &axis : grid)
    programs *= double(axis.count);
  // A gather may name one element as often as it has elements.
  Facts all = total(value.facts, programs * trips * double(elementsOf(shape)));
  all = sum(all, {-4, 4, 0, 0});
  bool isSafe =
      std::ldexp(all.size(), all.grain) <= 2 / unitOf(dtype == Dtype::I32 ? Dtype::F32 : dtype);
  if (!isSafe && (kind == 0 || value.facts.grain > 2))
    return;
  Tensor &tensor = newTensor("a", dtype, sizes);
  tensor.isWritten = tensor.isAtomic = true;
  tensor.plan.low = -4, tensor.plan.high = 4, tensor.plan.seed = choices.below(1000);
  static constexpr const char *kNames[] = {"atomic_add", "atomic_max", "atomic_min"};
  line(fmt::format("{}({}[{}], {})", kNames[kind], tensor.plan.name, subscripts, value.text));
}

//===- Control flow ---------------------------------------------------------------------------===//

Expr Generator::condition() { return expr({{Dtype::Bool, {}}, true, 2}); }

void Generator::branch(int depth) {
  line("if " + condition().text + ":");
  ++branches;
  suite([&] { statements(depth, 70); });
  if (choices.chance(25)) {
    line("elif " + condition().text + ":");
    suite([&] { statements(depth, 70); });
  }
  if (choices.chance(50)) {
    line("else:");
    suite([&] { statements(depth, 70); });
  }
  --branches;
}

/// What a loop runs over, with the most iterations that it may have. A loop over a dimension also
/// gives `blocks` of it.
std::string Generator::tripCount(double &most, Range &blocks) {
  switch (choices.weighted({4, 3, 2, 2})) {
  case 0: {
    blocks.extent = drawDepth();
    int64_t count = choices.between(1, 3);
    int64_t size = (count - 1) * blocks.extent + choices.between(1, blocks.extent);
    blocks.name = fresh("r");
    blocks.dim = fresh("K");
    blocks.last = double(count * blocks.extent - 1);
    dims[blocks.dim] = size;
    most = double(count);
    return fmt::format("cdiv({}, {})", blocks.dim, blocks.extent);
  }
  case 1: {
    most = double(choices.between(0, 4));
    std::string name = fresh("n");
    scalars.push_back({name, Dtype::I32, most});
    return name;
  }
  case 2: {
    int64_t start = choices.between(0, 4), step = choices.between(1, 2);
    most = double(choices.between(0, 3));
    int64_t stop = start + step * int64_t(most);
    if (choices.chance(30))
      return fmt::format("{}, {}, {}", stop, start, -step);
    return fmt::format("{}, {}, {}", start, stop, step);
  }
  default:
    most = 3;
    return fmt::format("max(min({}, 3), 0)", expr({{Dtype::I32, {}}, true, 2}).text);
  }
}

/// Draws the body of a loop that may change some of the variables before it.
void Generator::carry(double most, int depth, const std::function<void()> &before) {
  std::vector<size_t> carried;
  std::vector<std::optional<Facts>> outer;
  for (size_t i = variables.size(); i-- > 0 && carried.size() < 3;) {
    Variable &variable = variables[i];
    bool isOpen = variable.loops == loops || variable.bound;
    bool isBounded = isNumeric(variable.type.dtype) || variable.type.dtype == Dtype::Bool;
    if (!isOpen || !isBounded || variable.isReadOnly || !variable.facts.isExact() ||
        !choices.chance(50))
      continue;
    outer.push_back(variable.bound);
    carried.push_back(i);
    if (!variable.bound)
      variable.bound = variable.facts = variable.type.dtype == Dtype::Bool
                                            ? Facts{0, 1, 0, 0}
                                            : hull(variable.facts, {-8, 8, 0, 0});
  }
  double outside = trips;
  int64_t depthOutside = std::exchange(depthOfLoop, 0);
  trips *= std::max(1.0, most);
  suite([&] {
    ++loops, ++branches;
    before();
    statements(depth, 60);
    for (size_t index : carried)
      if (choices.chance(80))
        reassign(index);
    --loops, --branches;
  });
  trips = outside;
  depthOfLoop = depthOutside;
  for (size_t i = 0; i < carried.size(); ++i)
    variables[carried[i]].bound = outer[i];
}

void Generator::forLoop(int depth) {
  double most = 0;
  Range blocks;
  std::string bounds = tripCount(most, blocks), counter = fresh("k");
  line(fmt::format("for {} in range({}):", counter, bounds));
  carry(most, depth, [&] {
    // A loop of constant bounds counts up to 10.
    define(counter, {Dtype::I32, {}}, {-8, 10, 0, 0}).isReadOnly = true;
    defineBlocks(blocks, counter);
  });
}

/// `r0 = block(k0, 8)`, where a loop runs over a dimension.
void Generator::defineBlocks(const Range &blocks, const std::string &counter) {
  if (blocks.name.empty())
    return;
  line(fmt::format("{} = block({}, {})", blocks.name, counter, blocks.extent));
  ranges.push_back(blocks);
  depthOfLoop = blocks.extent;
}

void Generator::whileLoop(int depth) {
  std::string counter = fresh("w");
  int64_t most = choices.between(0, 3);
  line(counter + " = 0");
  define(counter, {Dtype::I32, {}}, {0, double(most), 0, 0}).isReadOnly = true;
  std::string test = choices.chance(50) ? " and " + condition().text : "";
  line(fmt::format("while {} < {}{}:", counter, most, test));
  carry(double(most), depth, [] {});
  ++indent;
  line(counter + " += 1");
  --indent;
}

/// A sum over a loop: the shape of most kernels.
void Generator::sumLoop(int depth) {
  Type type{drawSumDtype(), drawMatrixShape()};
  bool exact = drawExactness(type.dtype);
  std::string name = fresh("acc"), counter = fresh("k");
  double most = 0;
  Range blocks;
  line(fmt::format("{} = {}", name, constant(type, 0).text));
  std::string bounds = tripCount(most, blocks);
  line(fmt::format("for {} in range({}):", counter, bounds));
  std::optional<Facts> facts;
  carry(most, depth, [&] {
    define(counter, {Dtype::I32, {}}, {-8, 10, 0, 0}).isReadOnly = true;
    defineBlocks(blocks, counter);
    if (choices.chance(20))
      statements(depth, 40);
    Expr value = *makeConstant({type, exact, 0});
    size_t form = choices.weighted({3, 2});
    Made made = form == 0 ? makeDot({type, exact, kDepth}) : std::nullopt;
    value = made ? *made : expr({type, exact, kDepth});
    facts = rounded(type.dtype, total(value.facts, most));
    if (facts && (facts->isExact() || !exact)) {
      line(fmt::format("{} += {}", name, value.text));
      return;
    }
    facts = hull(value.facts, {0, 0, 0, 0});
    line(fmt::format("{} = maximum({}, {})", name, name, value.text));
  });
  define(name, type, *facts);
}

/// A loop whose variables change places: `v0, v1 = v1, v0`.
void Generator::rotationLoop(int depth) {
  Type type = drawType();
  if (!isNumeric(type.dtype))
    type.dtype = Dtype::I32;
  size_t first = variables.size(), count = size_t(choices.between(2, 3));
  Facts all{-8, 8, 0, 0};
  std::string places, values;
  for (size_t i = 0; i < count; ++i) {
    Expr value = expr({type, true, kDepth - 1});
    std::string name = fresh("v");
    line(name + " = " + value.text);
    all = hull(all, define(name, type, value.facts).facts);
    places += (i ? ", " : "") + name;
    values += i ? name + ", " : "";
  }
  values += variables[first].name;
  for (size_t i = first; i < variables.size(); ++i)
    variables[i].bound = variables[i].facts = all;
  double most = 0;
  Range blocks;
  std::string bounds = tripCount(most, blocks), counter = fresh("k");
  line(fmt::format("for {} in range({}):", counter, bounds));
  carry(most, depth, [&] {
    define(counter, {Dtype::I32, {}}, {-8, 10, 0, 0}).isReadOnly = true;
    defineBlocks(blocks, counter);
    line(places + " = " + values);
  });
  for (size_t i = first; i < variables.size(); ++i) {
    variables[i].bound.reset();
    variables[i].isUsed = false; // each is stored in the end
  }
}

/// A softmax of whole rows. A mask may hide all of one.
void Generator::softmaxRows(int) {
  Shape shape = drawMatrixShape();
  std::string id = fresh("t");
  Expr z = *makeLoad({{choices.pick({Dtype::F16, Dtype::BF16, Dtype::F32}), shape}});
  line(fmt::format("z{} = {}.to(f32)", id, z.text));
  if (choices.chance(50)) {
    Expr mask = expr({{Dtype::Bool, shape}, true, 2});
    line(fmt::format("z{0} = where({1}, z{0}, -inf)", id, mask.text));
  }
  line(fmt::format("e{0} = exp2(z{0} - max(z{0}, axis=1)[:, None])", id));
  line(fmt::format("total{0} = sum(e{0}, axis=1)[:, None]", id));
  line(fmt::format("v{0} = where(total{0} > 0, e{0} / total{0}, 0)", id));
  constexpr Facts kShare{0, 1, 0x1p-10, kAnyGrain};
  define("v" + id, {Dtype::F32, shape}, kShare);
}

/// Attention's loop: a running maximum rescales what was summed before. Its masks may hide a whole
/// row, or all of a block.
void Generator::softmaxLoop(int) {
  int64_t rows = drawMatrixShape()[0], width = drawMatrixShape()[1];
  Dtype dtype = choices.pick({Dtype::F16, Dtype::BF16, Dtype::F32});
  Range keys{fresh("r"), drawDepth(), fresh("K"), 0};
  int64_t count = choices.between(1, 3);
  keys.last = double(count * keys.extent - 1);
  dims[keys.dim] = (count - 1) * keys.extent + choices.between(1, keys.extent);
  std::string id = fresh("t"), counter = fresh("k"), name = dtypeName(dtype).str();
  Expr query = *makeLoad({{dtype, {rows, width}}});
  line(fmt::format("q{} = {}", id, query.text));
  line(fmt::format("acc{0}, total{0} = zeros(({1}, {2}), f32), zeros(({1},), f32)", id, rows,
                   width));
  line(fmt::format("peak{} = full(({},), LOWEST, f32)", id, rows));
  line(fmt::format("for {} in range(cdiv({}, {})):", counter, keys.dim, keys.extent));
  suite([&] {
    defineBlocks(keys, counter);
    Expr key = *makeLoad({{dtype, {keys.extent, width}}});
    Expr value = *makeLoad({{dtype, {keys.extent, width}}});
    Expr mask = expr({{Dtype::Bool, {rows, keys.extent}}, true, 2});
    std::string bound = fmt::format("({}[None, :] < {})", keys.name, keys.dim);
    line(fmt::format("s = where({} & {}, dot(q{}, {}.T) * 0.125, -inf)", mask.text, bound, id,
                     key.text));
    line(fmt::format("best = maximum(peak{}, max(s, axis=1))", id));
    line("p = exp2(s - best[:, None])");
    line(fmt::format("shrink = exp2(peak{} - best)", id));
    line(fmt::format("total{0} = total{0} * shrink + sum(p, axis=1)", id));
    line(fmt::format("acc{0} = acc{0} * shrink[:, None] + dot(p.to({1}), {2})", id, name,
                     value.text));
    line(fmt::format("peak{} = best", id));
  });
  depthOfLoop = 0;
  line(fmt::format("v{0} = where(total{0}[:, None] > 0, acc{0} / total{0}[:, None], 0)", id));
  // An average of the values; the weights are rounded to the operands' dtype.
  constexpr Facts kAverage{-4, 4, 0x1p-4, kAnyGrain};
  define("v" + id, {Dtype::F32, {rows, width}}, kAverage);
}
