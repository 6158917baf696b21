// Lets the launch compute numbers that follow from sizes alone: a warp would spend a few hundred
// cycles on them in front of its first load, in one dependent chain of integer operations
// (docs/hopper.md, The way to the first load).
//
// The launch computes them whether or not the kernel would come to them, so whatever divides is
// kept from being 0.
#include "passes/Passes.h"

#include "ir/cuda/Cuda.h"
#include "ir/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_COMPUTEATLAUNCH
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Integer operations of a thread, about: of a division by a power of two, by another constant, by
/// a number that is not known; and of a reciprocal.
constexpr int kByPower = 2, kByConstant = 5, kByNumber = 30, kReciprocal = 12;
/// What is worth a parameter: a division. Less is soon computed, and ptxas can do so where the
/// number is needed; a kernel with few registers left spilled with one more parameter.
constexpr int kLeast = kByConstant;
/// Longer expressions are not written: what they need twice stands in them twice.
constexpr int kMostOperators = 16;

/// How tight an operator binds in the text form (runtime/Expr.def).
enum Precedence { kComparison = 4, kSum = 5, kProduct = 6, kCall = 9 };

/// A number that the launch can compute.
struct Number {
  std::string text; ///< As runtime::Expr has it.
  /// The same with the expressions of parameters in place of their names; empty if it has none.
  std::string whole = {};
  Precedence precedence = kCall;
  int operators = 0;
  int cost = 0; ///< Operations that the kernel needs to compute it.
  bool canBeNegative = false;

  /// The same for numbers that are the same, whichever parts of them have names.
  const std::string &key() const { return whole.empty() ? text : whole; }
};

struct ComputeAtLaunch : impl::ComputeAtLaunchBase<ComputeAtLaunch> {
  void runOnOperation() override;

private:
  std::optional<Number> argumentNumber(BlockArgument argument);
  std::optional<Number> numberOf(Value value);
  std::optional<Number> numberOf(Operation *op);
  std::optional<Number> quotient(Operation *op, StringRef symbol, bool isCall);
  std::string nameFor(Value value);
  Number pass(Value value, const Number &number);
  void dropUnused();

  llvm::DenseMap<Value, Number> numbers;
  llvm::StringMap<Value> passed; ///< The parameter that has a number, by the number's key.
  llvm::StringSet<> names;       ///< Those in use.
};

} // namespace

static bool isLoop(Operation *op) {
  return isa<scf::WhileOp>(op) ||
         (isa<scf::ForOp>(op) && !isa_and_nonnull<UnitAttr>(op->getAttr(cuda::kUnrollAttr)));
}

/// How many loops an op runs in; a loop's end is tested in each of its iterations.
static int64_t depthOf(Operation *op) {
  int64_t depth = 0;
  for (; op; op = op->getParentOp())
    depth += isLoop(op);
  return depth;
}

/// Has a register hold the end of each loop with products. ptxas would compute it again in each
/// iteration from what is in uniform registers, or load it from the parameters (attention with 512
/// keys: 1 % slower).
static void keepEnds(func::FuncOp kernel, int64_t often) {
  llvm::SetVector<Operation *> loops;
  kernel.walk([&](cuda::WgmmaOp product) {
    Operation *loop = product->getParentOp();
    while (loop && !isLoop(loop))
      loop = loop->getParentOp();
    if (isa_and_nonnull<scf::ForOp>(loop) && depthOf(loop) >= often)
      loops.insert(loop);
  });
  for (Operation *op : loops) {
    auto loop = cast<scf::ForOp>(op);
    Value end = loop.getUpperBound();
    if (matchPattern(end, m_Constant()))
      continue;
    OpBuilder builder(loop);
    loop.setUpperBound(builder.create<cuda::OpaqueOp>(end.getLoc(), end.getType(), end));
  }
}

static std::string operand(const Number &number, int least) {
  return number.precedence < least ? "(" + number.text + ")" : number.text;
}

/// `a op b`, or `op(a, b)`.
static Number combined(const Number &a, StringRef symbol, const Number &b, Precedence precedence,
                       int cost) {
  Number result;
  result.text = precedence == kCall ? (symbol + "(" + a.text + ", " + b.text + ")").str()
                                    : operand(a, precedence) + " " + symbol.str() + " " +
                                          operand(b, precedence + 1);
  constexpr size_t kLongest = 2000; // characters; longer ones are not compared
  if (a.key().size() + b.key().size() < kLongest)
    result.whole = ("(" + a.key() + " " + symbol + " " + b.key() + ")").str();
  result.precedence = precedence;
  result.operators = a.operators + b.operators + 1;
  result.cost = a.cost + b.cost + cost;
  result.canBeNegative = a.canBeNegative || b.canBeNegative;
  return result;
}

static Number constantNumber(int64_t value) {
  return {.text = std::to_string(value), .canBeNegative = value < 0};
}

/// The least value that divides: a kernel that divides by 0 does so where it does not matter.
static Number divisor(const Number &by) { return combined(by, "max", constantNumber(1), kCall, 0); }

std::optional<Number> ComputeAtLaunch::argumentNumber(BlockArgument argument) {
  func::FuncOp kernel = getOperation();
  if (argument.getOwner() != &kernel.getBody().front() || !argument.getType().isInteger(32))
    return std::nullopt;
  auto host = kernel.getArgAttrOfType<DictionaryAttr>(argument.getArgNumber(), cuda::kParamAttr);
  auto kind = host ? host.getAs<StringAttr>("kind") : StringAttr();
  if (!kind || (kind != "dim" && kind != "scalar" && kind != "number"))
    return std::nullopt;
  return Number{.text = host.getAs<StringAttr>("source").str(), .canBeNegative = kind == "scalar"};
}

std::optional<Number> ComputeAtLaunch::numberOf(Value value) {
  if (auto known = numbers.find(value); known != numbers.end())
    return known->second;
  APInt constant;
  if (value.getType().isInteger(32) && matchPattern(value, m_ConstantInt(&constant)))
    return constantNumber(constant.getSExtValue());
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? argumentNumber(argument) : std::nullopt;
}

/// A division, which rounds as Python's: a truncating one must have no negative operand.
std::optional<Number> ComputeAtLaunch::quotient(Operation *op, StringRef symbol, bool isCall) {
  std::optional<Number> number = numberOf(op->getOperand(0)), by = numberOf(op->getOperand(1));
  bool truncates = isa<arith::DivSIOp, arith::RemSIOp>(op);
  bool mayRoundUp = by && (by->canBeNegative || (truncates && number && number->canBeNegative));
  if (!number || !by || (mayRoundUp && !isa<cuda::QuotientOp>(op))) // it takes no negative ones
    return std::nullopt;
  APInt value;
  bool isConstant = matchPattern(op->getOperand(1), m_ConstantInt(&value));
  if (isConstant && value.isZero())
    return std::nullopt;
  int cost = !isConstant ? kByNumber : value.isPowerOf2() ? kByPower : kByConstant;
  return combined(*number, symbol, isConstant ? *by : divisor(*by), isCall ? kCall : kProduct,
                  cost);
}

std::optional<Number> ComputeAtLaunch::numberOf(Operation *op) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  auto both = [&](StringRef symbol, Precedence precedence) -> std::optional<Number> {
    std::optional<Number> a = numberOf(op->getOperand(0)), b = numberOf(op->getOperand(1));
    return a && b ? std::optional(combined(*a, symbol, *b, precedence, 1)) : std::nullopt;
  };
  auto sum = [&]() -> std::optional<Number> {
    std::optional<Number> a = numberOf(op->getOperand(0));
    APInt added;
    bool isLess = matchPattern(op->getOperand(1), m_ConstantInt(&added)) && added.isNegative();
    if (!a || !isLess)
      return both("+", kSum);
    Number less = combined(*a, "-", constantNumber(-added.getSExtValue()), kSum, 1);
    less.canBeNegative = true;
    return less;
  };
  auto difference = [&]() -> std::optional<Number> {
    std::optional<Number> number = both("-", kSum);
    if (number)
      number->canBeNegative = true;
    return number;
  };
  auto greatest = [&]() -> std::optional<Number> {
    std::optional<Number> number = both("max", kCall);
    if (number)
      number->canBeNegative =
          numberOf(op->getOperand(0))->canBeNegative && numberOf(op->getOperand(1))->canBeNegative;
    return number;
  };
  auto comparison = [&](arith::CmpIOp compare) -> std::optional<Number> {
    StringRef symbol =
        llvm::StringSwitch<StringRef>(arith::stringifyCmpIPredicate(compare.getPredicate()))
            .Case("eq", "==")
            .Case("ne", "!=")
            .Case("slt", "<")
            .Case("sle", "<=")
            .Case("sgt", ">")
            .Case("sge", ">=")
            .Default("");
    return symbol.empty() ? std::nullopt : both(symbol, kComparison);
  };
  auto choice = [&](arith::SelectOp select) -> std::optional<Number> {
    std::optional<Number> is = numberOf(select.getCondition());
    std::optional<Number> a = numberOf(select.getTrueValue()), b = numberOf(select.getFalseValue());
    if (!is || !a || !b)
      return std::nullopt;
    // No operator of expressions chooses, but comparisons are 0 or 1.
    Number first = combined(*is, "*", *a, kProduct, 1);
    if (b->text == "0")
      return first;
    Number isNot = combined(constantNumber(1), "-", *is, kSum, 0);
    return combined(first, "+", combined(isNot, "*", *b, kProduct, 0), kSum, 0);
  };
  auto shifted = [&](arith::ShRSIOp shift) -> std::optional<Number> {
    std::optional<Number> number = numberOf(shift.getLhs());
    APInt bits;
    if (!number || !matchPattern(shift.getRhs(), m_ConstantInt(&bits)))
      return std::nullopt;
    return combined(*number, "//", constantNumber(int64_t(1) << bits.getZExtValue()), kProduct, 1);
  };
  auto reciprocal = [&](cuda::ReciprocalOp reciprocal) -> std::optional<Number> {
    std::optional<Number> by = numberOf(reciprocal.getDivisor());
    if (!by)
      return std::nullopt;
    Number number = combined(constantNumber(std::numeric_limits<uint32_t>::max()), "//",
                             divisor(*by), kProduct, kReciprocal);
    number.canBeNegative = true; // as the signed number that the kernel gets
    return number;
  };
  return llvm::TypeSwitch<Operation *, std::optional<Number>>(op)
      .Case([&](arith::AddIOp) { return sum(); })
      .Case([&](arith::SubIOp) { return difference(); })
      .Case([&](arith::MulIOp) { return both("*", kProduct); })
      .Case([&](arith::MinSIOp) { return both("min", kCall); })
      .Case([&](arith::MaxSIOp) { return greatest(); })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, cuda::QuotientOp>(
          [&](auto) { return quotient(op, "//", /*isCall=*/false); })
      .Case([&](arith::RemSIOp) { return quotient(op, "%", /*isCall=*/false); })
      .Case([&](arith::CeilDivSIOp) { return quotient(op, "cdiv", /*isCall=*/true); })
      .Case([&](arith::CmpIOp compare) { return comparison(compare); })
      .Case([&](arith::SelectOp select) { return choice(select); })
      .Case([&](cuda::GridSizeOp) { return Number{.text = "num_programs"}; })
      .Case(shifted)
      .Case(reciprocal)
      .Default([](Operation *) { return std::nullopt; });
}

/// Whether expressions can have a name.
static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char each) { return llvm::isAlnum(each) || each == '_'; });
}

/// The name of a number, which no other one has that expressions may use.
std::string ComputeAtLaunch::nameFor(Value value) {
  auto named = dyn_cast<NameLoc>(value.getLoc());
  bool hasName = named && isIdentifier(named.getName());
  std::string wanted = hasName ? named.getName().str() : "number", name = wanted;
  for (int count = 2; !names.insert(name).second; ++count)
    name = wanted + "_" + std::to_string(count);
  return name;
}

/// The parameter that has a number.
Number ComputeAtLaunch::pass(Value value, const Number &number) {
  Value &argument = passed[number.key()];
  if (!argument) {
    func::FuncOp kernel = getOperation();
    Builder builder(kernel.getContext());
    unsigned index = kernel.getNumArguments();
    std::string name = nameFor(value);
    auto zero = builder.getI64IntegerAttr(0);
    auto host = builder.getDictionaryAttr(
        {builder.getNamedAttr("argument", zero), builder.getNamedAttr("axis", zero),
         builder.getNamedAttr("kind", builder.getStringAttr("number")),
         builder.getNamedAttr("source", builder.getStringAttr(number.text))});
    auto attributes = builder.getDictionaryAttr(
        {builder.getNamedAttr(tile::kNameAttr, builder.getStringAttr(name)),
         builder.getNamedAttr(cuda::kParamAttr, host)});
    kernel.insertArgument(index, value.getType(), attributes, value.getLoc());
    argument = kernel.getArgument(index);
    numbers[argument] = {
        .text = name, .whole = number.key(), .canBeNegative = number.canBeNegative};
  }
  value.replaceAllUsesWith(argument);
  return numbers[argument];
}

/// Sizes that only such numbers needed.
void ComputeAtLaunch::dropUnused() {
  func::FuncOp kernel = getOperation();
  for (unsigned index = kernel.getNumArguments(); index-- > 0;) {
    auto host = kernel.getArgAttrOfType<DictionaryAttr>(index, cuda::kParamAttr);
    if (host && host.getAs<StringAttr>("kind") == "dim" && kernel.getArgument(index).use_empty())
      kernel.eraseArgument(index);
  }
}

void ComputeAtLaunch::runOnOperation() {
  func::FuncOp kernel = getOperation();
  if (!kernel->hasAttr(cuda::kKernelAttr))
    return;
  for (StringRef name :
       {"num_sms", "num_programs", "min", "max", "cdiv", "and", "or", "not", "inf", "nan"})
    names.insert(name); // mean something in expressions
  if (auto given = kernel->getAttrOfType<ArrayAttr>(cuda::kNamesAttr))
    for (Attribute name : given)
      names.insert(cast<StringAttr>(name).getValue());
  // Loops in a loop over tiles, or the only ones.
  int64_t often = 1;
  kernel.walk([&](Operation *op) { often = std::max(often, std::min<int64_t>(depthOf(op), 2)); });
  keepEnds(kernel, often);
  // ptxas keeps no parameter in a register: there it would be loaded in each iteration.
  auto runsSeldom = [&](Operation *op) { return depthOf(op) < often; };
  SmallVector<Operation *> known;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::optional<Number> number = numberOf(op);
    if (!number)
      return;
    known.push_back(op);
    number->text.clear(), number->whole.clear(); // would repeat what is used twice
    numbers[op->getResult(0)] = *number;
  });
  // In order: what is passed has a name, and makes what follows from it short and cheap.
  for (Operation *op : known) {
    Value value = op->getResult(0);
    std::optional<Number> number = numberOf(op);
    if (!number || number->operators > kMostOperators) {
      numbers.erase(value);
      continue;
    }
    bool isNeeded = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return user->getNumResults() != 1 || !numbers.contains(user->getResult(0));
    });
    bool isPassed = isNeeded && number->cost >= kLeast && value.getType().isInteger(32) &&
                    llvm::all_of(op->getUsers(), runsSeldom);
    numbers[value] = isPassed ? pass(value, *number) : *number;
  }
  for (Operation *op : llvm::reverse(known))
    if (isOpTriviallyDead(op))
      op->erase();
  dropUnused();
}

} // namespace tilewright::passes
