// Integers are computed as the kernel would compute them. Where a number is divided by c, or a loop
// goes to it in steps of c, the values tried are multiples of c, one more than 0, and one more than
// a multiple. To these come the values at which branches and loops change (Thresholds.h).
#include "passes/check/ConcreteSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <set>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::passes;

//===- Choices --------------------------------------------------------------------------------===//

int64_t Choices::choose(const std::string &name, function_ref<Candidates()> candidates,
                        const Thresholds::Numbers &kept) {
  if (std::optional<int64_t> known = chosen(name))
    return *known;
  choices.push_back({name, candidates()});
  Candidates &all = choices.back().candidates;
  if (generator)
    return all[choices.back().index = (*generator)() % all.size()];
  // Combinations multiply, so later numbers get few candidates.
  Candidates few = all;
  if (choices.size() > 4 && all.size() > 2)
    few = {all.front(), all.back()};
  else if (choices.size() > 2 && all.size() > 4)
    few = {all[0], all[1], all[all.size() / 2], all.back()};
  llvm::erase_if(
      all, [&](int64_t number) { return !llvm::is_contained(few, number) && !kept.count(number); });
  return all.front();
}

std::optional<int64_t> Choices::chosen(const std::string &name) const {
  for (const Choice &choice : choices)
    if (choice.name == name)
      return choice.candidates[choice.index];
  return std::nullopt;
}

bool Choices::next() {
  if (generator) {
    choices.clear();
    return true;
  }
  while (!choices.empty() && choices.back().index + 1 == choices.back().candidates.size())
    choices.pop_back();
  if (choices.empty())
    return false;
  ++choices.back().index;
  return true;
}

std::string Choices::str() const {
  std::string text;
  for (const Choice &choice : choices)
    if (!StringRef(choice.name).contains('(')) // values read from memory have no name
      text += (text.empty() ? "" : ", ") + choice.name + " = " +
              std::to_string(choice.candidates[choice.index]);
  return text;
}

const Recipe &Choices::recipeOf(Operation *outer) {
  auto [known, isNew] = recipes.try_emplace(outer);
  Recipe &recipe = known->second;
  if (!isNew)
    return recipe;
  std::string text;
  llvm::raw_string_ostream stream(text);
  DenseMap<Value, size_t> inner; // by their order
  auto add = [&](ValueRange values) {
    for (Value value : values)
      inner.try_emplace(value, inner.size());
  };
  auto visit = [&](Operation *op) {
    stream << op->getName() << op->getAttrDictionary() << "(";
    for (Value operand : op->getOperands())
      if (auto known = inner.find(operand); known != inner.end()) {
        stream << "%" << known->second << ", ";
      } else {
        stream << "input, ";
        recipe.inputs.push_back(operand);
      }
    stream << ")";
    add(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block.getArguments());
    bool computes = op == outer || op->getNumRegions() != 0 ||
                    op->hasTrait<OpTrait::IsTerminator>() || isa<tile::LoadOp>(op) ||
                    isMemoryEffectFree(op);
    return computes ? WalkResult::advance() : WalkResult::interrupt();
  };
  if (!outer->walk<WalkOrder::PreOrder>(visit).wasInterrupted())
    recipe.number = numbers.try_emplace(text, numbers.size() + 1).first->second;
  return recipe;
}

//===- Integers -------------------------------------------------------------------------------===//

/// The number of a block's first tiles that are chosen. Later tiles repeat them in the same order.
static constexpr int64_t kTileKinds = 4;

/// The divisors of a value on its way to loop bounds.
static void collectDivisors(Value value, llvm::SmallSet<int64_t, 4> &divisors) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    APInt divisor;
    bool divides = isa<arith::CeilDivSIOp, arith::DivSIOp, arith::FloorDivSIOp>(user) &&
                   use.getOperandNumber() == 0 &&
                   matchPattern(user->getOperand(1), m_ConstantInt(&divisor));
    if (auto loop = dyn_cast<scf::ForOp>(user))
      divides = use.getOperandNumber() < 2 && matchPattern(loop.getStep(), m_ConstantInt(&divisor));
    bool shifts = isa<arith::ShRSIOp>(user) && use.getOperandNumber() == 0 &&
                  matchPattern(user->getOperand(1), m_ConstantInt(&divisor));
    if (divides)
      divisors.insert(divisor.getSExtValue());
    else if (shifts)
      divisors.insert(int64_t(1) << divisor.getZExtValue());
    else if (user->getNumRegions() == 0 && user->getNumResults() == 1 &&
             user->getResult(0).getType().isInteger(32))
      collectDivisors(user->getResult(0), divisors);
  }
}

Choices::Candidates Scalars::candidatesFor(Value value) {
  if (value.getType().isInteger(1))
    return {0, 1};
  llvm::SmallSet<int64_t, 4> divisors;
  collectDivisors(value, divisors);
  if (divisors.empty())
    divisors.insert(1);
  std::set<int64_t> all = {0, 1};
  for (int64_t divisor : divisors) {
    all.insert(divisor + 1);
    for (int64_t count = 1; count <= longest; ++count)
      all.insert(count * divisor);
  }
  for (int64_t change : choices.thresholds.of(value))
    if (change >= 0)
      all.insert(change);
  return Choices::Candidates(all.begin(), all.end());
}

std::optional<int64_t> Scalars::choose(Value value, const std::string &name) {
  if (name.empty()) {
    if (problem == Trial::Possible)
      giveUp(value.getLoc());
    return std::nullopt;
  }
  if (onlyKnown)
    return choices.chosen(name);
  return choices.choose(name, [&] { return candidatesFor(value); }, choices.thresholds.of(value));
}

/// A name that is equal for values that are computed alike; empty if there is none.
std::string Scalars::nameOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto kernel = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (!kernel)
      return "";
    auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr);
    return name ? name.str() : "argument " + std::to_string(argument.getArgNumber());
  }
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<tile::DimOp>(op))
    if (auto view = dyn_cast<BlockArgument>(dim.getView())) {
      auto kernel = cast<func::FuncOp>(view.getOwner()->getParentOp());
      auto dims = kernel.getArgAttrOfType<ArrayAttr>(view.getArgNumber(), tile::kDimsAttr);
      return dims ? cast<StringAttr>(dims[dim.getAxis()]).str()
                  : "size " + std::to_string(dim.getAxis()) + " of " + nameOf(view);
    }
  std::string text = textOf(op);
  if (text.empty() || op->getNumResults() == 1)
    return text;
  return text + "#" + std::to_string(cast<OpResult>(value).getResultNumber());
}

/// The text of a computation, including its regions and inputs; empty if there is none.
std::string Scalars::textOf(Operation *op) {
  const Recipe &recipe = choices.recipeOf(op);
  if (!recipe.number)
    return "";
  std::string text = op->getName().getStringRef().str() + " " + std::to_string(recipe.number) + "(";
  for (Value input : recipe.inputs) {
    std::string part = inputText(input);
    if (part.empty())
      return "";
    text += part + ", ";
  }
  return text + ")";
}

/// A number where there is one, else a name.
std::string Scalars::inputText(Value value) {
  if (!value.getType().isSignlessInteger())
    return nameOf(value);
  std::optional<int64_t> number = of(value);
  return number ? std::to_string(*number) : "";
}

std::optional<int64_t> Scalars::argument(BlockArgument argument) {
  auto tiles = dyn_cast<cta::TilesOp>(argument.getOwner()->getParentOp());
  if (!tiles)
    return choose(argument, nameOf(argument));
  if (llvm::is_contained(tiles.getPart(), argument))
    return part(tiles, argument == tiles.getPart()[1]);
  return coordinate(tiles, argument.getArgNumber());
}

/// A coordinate of a tile: the first, the middle, the last, and the values at which something
/// changes.
std::optional<int64_t> Scalars::coordinate(cta::TilesOp tiles, unsigned axis) {
  std::optional<int64_t> extent = of(tiles.getExtents()[axis]);
  if (!extent)
    return std::nullopt;
  if (*extent < 1)
    return impossible();
  int64_t kind = tile % kTileKinds;
  std::string name = "axis " + std::to_string(axis) + " of tile " + std::to_string(kind);
  if (onlyKnown)
    return choices.chosen(name);
  Thresholds::Numbers changes =
      choices.thresholds.ofAxis(tiles->getParentOfType<func::FuncOp>(), axis);
  auto candidates = [&] {
    int64_t last = std::min(*extent, longest) - 1;
    std::set<int64_t> places = {0, last};
    if (kind == 0)
      places.insert(last / 2);
    for (int64_t change : changes)
      if (change >= 0 && change < *extent)
        places.insert(change);
    return Choices::Candidates(places.begin(), places.end());
  };
  // Two consecutive tiles that are neither first nor last are enough.
  return choices.choose(name, candidates, kind < 2 ? changes : Thresholds::Numbers());
}

/// The first step of a tile's part, or the step behind its last: all steps, the first, or the last.
std::optional<int64_t> Scalars::part(cta::TilesOp tiles, bool end) {
  std::optional<int64_t> steps = of(tiles.getLength());
  if (!steps)
    return std::nullopt;
  auto pick = [&](const char *what, Choices::Candidates candidates) -> std::optional<int64_t> {
    std::string name = what + (" of tile " + std::to_string(tile % kTileKinds));
    if (onlyKnown)
      return choices.chosen(name);
    return choices.choose(name, [&] { return candidates; });
  };
  if (*steps < 2)
    return end ? std::max<int64_t>(*steps, 0) : 0;
  std::optional<int64_t> first = pick("first step", {0, *steps - 1});
  if (!end || !first)
    return first;
  return *first > 0 ? steps : pick("end", {*steps, 1});
}

std::optional<int64_t> Scalars::compute(Operation *op, ArrayRef<int64_t> operands) {
  int64_t a = operands[0], b = operands.size() > 1 ? operands[1] : 0;
  bool divides = isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::RemSIOp>(op);
  bool isTooFar = isa<arith::ShRSIOp>(op) && (b < 0 || b >= 32);
  if ((divides && b == 0) || isTooFar)
    return impossible();
  using Result = std::optional<int64_t>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return a + b; })
      .Case([&](arith::SubIOp) { return a - b; })
      .Case([&](arith::MulIOp) { return a * b; })
      .Case([&](arith::DivSIOp) { return a / b; })
      .Case([&](arith::FloorDivSIOp) { return llvm::divideFloorSigned(a, b); })
      .Case([&](arith::CeilDivSIOp) { return llvm::divideCeilSigned(a, b); })
      .Case([&](arith::ShRSIOp) { return a >> b; })
      .Case([&](arith::RemSIOp) { return a % b; })
      .Case([&](arith::MinSIOp) { return std::min(a, b); })
      .Case([&](arith::MaxSIOp) { return std::max(a, b); })
      .Case([&](arith::AndIOp) { return a & b; })
      .Case([&](arith::OrIOp) { return a | b; })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case([&](arith::SelectOp) { return a ? b : operands[2]; })
      .Case([&](arith::CmpIOp compare) {
        return arith::applyCmpPredicate(compare.getPredicate(), APInt(64, a, true),
                                        APInt(64, b, true));
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<int64_t> Scalars::of(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<func::FuncOp, cta::TilesOp>(op->getParentOp()))
    return evaluate(value);
  bool isOfTile = isa<cta::TilesOp>(op->getParentOp());
  if (isOfTile && knownTile != tile) {
    knownOfTile.clear();
    knownTile = tile;
  }
  auto &numbers = isOfTile ? knownOfTile : known;
  if (auto before = numbers.find(value); before != numbers.end())
    return before->second;
  std::optional<int64_t> number = evaluate(value);
  if (number)
    numbers[value] = *number;
  return number;
}

std::optional<int64_t> Scalars::evaluate(Value value) {
  if (auto counter = counters.find(value); counter != counters.end())
    return counter->second;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return value.getType().isInteger(1) ? constant.getZExtValue() : constant.getSExtValue();
  if (auto block = dyn_cast<BlockArgument>(value))
    return argument(block);
  Operation *op = value.getDefiningOp();
  if (isa<cta::WarpgroupOp>(op))
    return warpgroup;
  bool computed =
      isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::FloorDivSIOp,
          arith::CeilDivSIOp, arith::ShRSIOp, arith::RemSIOp, arith::MinSIOp, arith::MaxSIOp,
          arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp, arith::CmpIOp>(op);
  if (!computed)
    return choose(value, nameOf(value));
  SmallVector<int64_t> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> number = of(operand);
    if (!number)
      return std::nullopt;
    operands.push_back(*number);
  }
  return compute(op, operands);
}

bool passes::isNoLaunch(func::FuncOp kernel, Choices &choices) {
  auto known = [&](Value value) {
    Scalars scalars(choices, /*longest=*/0);
    scalars.onlyKnown = true;
    return scalars.of(value);
  };
  bool noLaunch = false;
  kernel.walk([&](Operation *op) {
    if (auto assertion = dyn_cast<tile::AssertOp>(op))
      noLaunch |=
          assertion.getCondition().getType().isInteger(1) && known(assertion.getCondition()) == 0;
    if (auto tiles = dyn_cast<cta::TilesOp>(op))
      for (Value extent : tiles.getExtents())
        if (std::optional<int64_t> count = known(extent))
          noLaunch |= *count < 1;
  });
  return noLaunch;
}
