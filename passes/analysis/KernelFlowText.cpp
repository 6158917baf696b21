// Facts of a kernel as lines that are short enough to be read at a glance.
#include "passes/analysis/KernelFlow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::passes {

using namespace mlir;

//===- Scalars --------------------------------------------------------------------------------===//

namespace {

/// An expression as the host writes it, with `tile[0]` for a coordinate of the tile, and how
/// tightly it binds.
struct Text {
  std::string text;
  int binds = 3; ///< 1: a sum; 2: a product; 3: a name, a number or a call.

  std::string inside(int least) const { return binds < least ? "(" + text + ")" : text; }
};

} // namespace

static Text textOf(Value value);

static Text infix(Value a, StringRef symbol, Value b, int binds, bool isAssociative) {
  return {textOf(a).inside(binds) + " " + symbol.str() + " " +
              textOf(b).inside(isAssociative ? binds : binds + 1),
          binds};
}

static Text callOf(StringRef name, Operation *op) {
  return {name.str() + "(" + textOf(op->getOperand(0)).text + ", " +
          textOf(op->getOperand(1)).text + ")"};
}

static std::string argumentName(BlockArgument argument) {
  auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr);
  return name ? name.str() : "…";
}

static std::string dimName(tile::DimOp dim) {
  auto view = cast<BlockArgument>(tile::tensorOf(dim.getView()));
  auto kernel = cast<func::FuncOp>(view.getOwner()->getParentOp());
  auto names = kernel.getArgAttrOfType<ArrayAttr>(view.getArgNumber(), tile::kDimsAttr);
  return names ? cast<StringAttr>(names[dim.getAxis()]).str() : "…";
}

static Text textOf(Value value) {
  APInt number, other;
  if (matchPattern(value, m_ConstantInt(&number)))
    return {std::to_string(number.getSExtValue())};
  if (auto argument = dyn_cast<BlockArgument>(value))
    return {isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? argumentName(argument) : "…"};
  Operation *op = value.getDefiningOp();
  auto isConstant = [&](APInt *constant) {
    return matchPattern(op->getOperand(1), m_ConstantInt(constant));
  };
  return llvm::TypeSwitch<Operation *, Text>(op)
      .Case([](tile::ProgramIdOp id) { return Text{"tile[" + std::to_string(id.getAxis()) + "]"}; })
      .Case([](tile::DimOp dim) { return Text{dimName(dim)}; })
      .Case([](tile::LoadOp load) {
        std::vector<std::string> places;
        for (Value index : load.getIndices())
          places.push_back(textOf(index).text);
        return Text{argumentName(cast<BlockArgument>(tile::tensorOf(load.getView()))) + "[" +
                    llvm::join(places, ", ") + "]"};
      })
      .Case([&](arith::AddIOp add) {
        if (isConstant(&number) && number.isNegative())
          return Text{
              textOf(add.getLhs()).inside(1) + " - " + std::to_string(-number.getSExtValue()), 1};
        return infix(add.getLhs(), "+", add.getRhs(), 1, true);
      })
      .Case([](arith::SubIOp sub) { return infix(sub.getLhs(), "-", sub.getRhs(), 1, false); })
      .Case([](arith::MulIOp mul) { return infix(mul.getLhs(), "*", mul.getRhs(), 2, true); })
      .Case<arith::DivSIOp, arith::FloorDivSIOp>(
          [](auto div) { return infix(div.getLhs(), "//", div.getRhs(), 2, false); })
      .Case([](arith::RemSIOp rem) { return infix(rem.getLhs(), "%", rem.getRhs(), 2, false); })
      .Case([&](arith::ShRSIOp shift) {
        if (!isConstant(&other))
          return Text{"…"};
        return Text{textOf(shift.getLhs()).inside(2) + " // " +
                        std::to_string(int64_t(1) << other.getSExtValue()),
                    2};
      })
      .Case([](arith::CeilDivSIOp div) { return callOf("cdiv", div); })
      .Case([](arith::MinSIOp min) { return callOf("min", min); })
      .Case([](arith::MaxSIOp max) { return callOf("max", max); })
      .Case([](arith::SelectOp select) {
        return Text{textOf(select.getTrueValue()).inside(1) + " if … else " +
                        textOf(select.getFalseValue()).text,
                    0};
      })
      .Default([](Operation *) { return Text{"…"}; });
}

//===- Details --------------------------------------------------------------------------------===//

/// "axis 1", "axes 0 and 1"
static std::string axesText(ArrayRef<int64_t> axes) {
  std::vector<std::string> numbers;
  for (int64_t axis : axes)
    numbers.push_back(std::to_string(axis));
  return (axes.size() == 1 ? "axis " : "axes ") + llvm::join(numbers, " and ");
}

std::string detailsOf(const Stream &stream) {
  return stream.alike.empty() ? "" : "; alike along " + axesText(stream.alike);
}

static std::string wayOf(const Chain &chain) {
  StringRef way = chain.operand == Chain::Sum ? ""
                  : chain.isShared            ? " through shared memory"
                                              : " through registers";
  return way.str() + (chain.isLate ? ", an iteration before" : "");
}

std::string detailsOf(const ProductFact &product) {
  static constexpr StringLiteral kOperands[] = {"left from ", "right from ", "added to "};
  std::string text;
  for (size_t at = 0; at < product.chains.size(); ++at) {
    const Chain &chain = product.chains[at];
    text += (at ? ", " : "; ") + kOperands[chain.operand].str() + chain.from;
    for (; at + 1 < product.chains.size(); ++at) { // more chains of the same kind
      const Chain &next = product.chains[at + 1];
      if (next.operand != chain.operand || wayOf(next) != wayOf(chain))
        break;
      text += " and " + next.from;
    }
    text += wayOf(chain);
  }
  return text;
}

static std::string tripsText(scf::ForOp loop) {
  bool isCount =
      matchPattern(loop.getLowerBound(), m_Zero()) && matchPattern(loop.getStep(), m_One());
  std::string end = textOf(loop.getUpperBound()).text;
  return isCount ? end + " times"
                 : "from " + textOf(loop.getLowerBound()).text + " to " + end + " by " +
                       textOf(loop.getStep()).text;
}

static std::string stateText(const Carried &carried) {
  std::string sum = carried.product.empty() ? "a sum" : "the sum of " + carried.product;
  std::string of = carried.product.empty() ? "" : " of " + carried.product;
  switch (carried.state) {
  case State::Sum:
    return sum + (carried.isFromZero ? " from zero" : "");
  case State::Maximum:
    return "a maximum";
  case State::Minimum:
    return "a minimum";
  case State::Scaled:
    return sum + " under a maximum";
  case State::Recurrence:
    return "a recurrence" + of;
  case State::Other:
    return "another value" + of;
  }
  llvm_unreachable("a state of its own");
}

std::string detailsOf(const LoopFact &fact, bool withSource) {
  std::string trips = withSource ? tripsText(fact.loop)
                                 : (fact.axes.empty() ? "" : "by " + axesText(fact.axes)) +
                                       (fact.isRead ? " by memory" : "");
  std::vector<std::string> carried;
  for (const Carried &each : fact.carried)
    carried.push_back(stateText(each) + (each.isRead ? " that it reads" : ""));
  return "; " + trips + (carried.empty() ? "" : ", carries " + llvm::join(carried, ", "));
}

std::string detailsOf(const End &end) {
  return end.notByTma.empty() ? "; TMA can" : "; TMA cannot: " + end.notByTma;
}

} // namespace tilewright::passes
