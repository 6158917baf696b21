// The expressions of a `tile` program, as text of the language.
#include "tools/driver/SourcePrinter.h"

#include "frontend/Builtins.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::driver;

SourcePrinter::SourcePrinter(func::FuncOp kernel) : kernel(kernel) {
  for (StringRef word : frontend::definedNames())
    used.insert(word);
}

std::string driver::dtypeOf(Type type) {
  type = getElementTypeOrSelf(type);
#define DTYPE(enumerator, name, isFloat, bits, getter)                                             \
  if (type == Builder(type.getContext()).getter)                                                   \
    return name;
#include "frontend/Dtypes.def"
  return "f32";
}

static SmallVector<int64_t> shapeOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? SmallVector<int64_t>(tensor.getShape()) : SmallVector<int64_t>();
}

/// "(4, 64)", "(4,)".
static std::string tupleOf(ArrayRef<int64_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

/// The shape of arithmetic on two shapes.
static SmallVector<int64_t> joined(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<int64_t> shape(a);
  for (size_t i = 0; i < b.size(); ++i)
    shape[a.size() - 1 - i] = std::max(a[a.size() - 1 - i], b[b.size() - 1 - i]);
  return shape;
}

void SourcePrinter::refuse(Operation *op, const std::string &why) {
  if (!error)
    error = Error{"`" + op->getName().getStringRef().str() + "` " + why};
}

//===- Names ----------------------------------------------------------------------------------===//

std::string SourcePrinter::fresh(StringRef wanted) {
  std::string base = wanted.empty() ? "t" : wanted.str(), name = base;
  for (int i = 2; !used.insert(name).second; ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

std::string SourcePrinter::nameOf(Value value) {
  std::string &name = names[value];
  if (name.empty()) {
    auto named = dyn_cast<NameLoc>(value.getLoc());
    name = fresh(named ? named.getName().getValue() : StringRef());
  }
  return name;
}

std::string SourcePrinter::nameOfSize(Value view, int64_t axis) {
  auto argument = cast<BlockArgument>(tile::tensorOf(view));
  auto attr = kernel.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), tile::kDimsAttr);
  int64_t size = cast<tile::ViewType>(argument.getType()).getShape()[axis];
  return ShapedType::isDynamic(size) ? cast<StringAttr>(attr[axis]).str() : std::to_string(size);
}

//===- Expressions ----------------------------------------------------------------------------===//

std::string SourcePrinter::literal(Attribute value) {
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = splat.getSplatValue<Attribute>();
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getType().isInteger(1) ? (integer.getValue().isZero() ? "False" : "True")
                                          : std::to_string(integer.getInt());
  double number = cast<FloatAttr>(value).getValueAsDouble();
  if (!std::isfinite(number))
    return std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{:.9g}", number);
  return text.find_first_of(".e") == text.npos ? text + ".0" : text;
}

/// What has no cost, wherever it stands.
static bool isFree(Operation *op) {
  return isa<arith::ConstantOp, tile::DimOp, tile::BroadcastOp, tile::SplatOp, tile::ExpandDimsOp>(
      op);
}

static bool isUsedOnceHere(Operation *op) {
  if (!op->getResult(0).hasOneUse())
    return false;
  Operation *user = *op->getResult(0).user_begin();
  if (user->getBlock() != op->getBlock() || isa<scf::YieldOp>(user))
    return false;
  return !isFree(user) || isUsedOnceHere(user);
}

bool driver::isInline(Operation *op) {
  if (isFree(op))
    return true;
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && isPure(op) &&
         !isa<tile::SubviewOp, tile::ProgramIdOp>(op) && isUsedOnceHere(op);
}

Words SourcePrinter::words(Value value) {
  if (auto known = names.find(value); known != names.end())
    return {known->second, Words::Atom, shapeOf(value)};
  Operation *op = value.getDefiningOp();
  if (!op || !isInline(op))
    return {nameOf(value), Words::Atom, shapeOf(value)};
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    std::string text = literal(constant.getValue());
    return {text, text[0] == '-' ? Words::Sum : Words::Atom, {}};
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    return words(broadcast.getSource());
  if (auto splat = dyn_cast<tile::SplatOp>(op))
    return words(splat.getValue());
  Words found = compute(op);
  constexpr size_t kLong = 60;
  if (found.text.size() < kLong || isFree(op))
    return found;
  line(nameOf(value) + " = " + found.text);
  return {nameOf(value), Words::Atom, shapeOf(value)};
}

/// With the shape and the dtype that the value has, whatever it meets.
Words SourcePrinter::explicitly(Value value) {
  Words found = words(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || ArrayRef(found.shape) == type.getShape())
    return found;
  std::string shape = tupleOf(type.getShape()), dtype = dtypeOf(type);
  if (found.shape.empty())
    return {fmt::format("full({}, {}, {})", shape, found.text, dtype), Words::Atom,
            SmallVector<int64_t>(type.getShape())};
  if (type.getElementType().isInteger(1))
    return {fmt::format("{} & full({}, True, bool)", found.in(Words::Bits), shape), Words::Bits,
            SmallVector<int64_t>(type.getShape())};
  return {fmt::format("{} + zeros({}, {})", found.in(Words::Sum), shape, dtype), Words::Sum,
          SmallVector<int64_t>(type.getShape())};
}

/// Arithmetic whose operands together have the result's shape; else one of them is made to.
Words SourcePrinter::elementwise(Operation *op, ArrayRef<Words> operands, const std::string &text,
                                 Words::Level level) {
  SmallVector<int64_t> shape;
  for (const Words &operand : operands)
    shape = joined(shape, operand.shape);
  SmallVector<int64_t> wanted = shapeOf(op->getResult(0));
  Words result{text, level, shape};
  if (shape == wanted)
    return result;
  std::string dtype = dtypeOf(op->getResult(0).getType());
  bool isBool = dtype == "bool";
  return {fmt::format("{} {} full({}, {}, {})", result.in(isBool ? Words::Bits : Words::Sum),
                      isBool ? "&" : "+", tupleOf(wanted), isBool ? "True" : "0", dtype),
          isBool ? Words::Bits : Words::Sum, wanted};
}

/// What stands right of an operator binds more tightly: a - (b - c). So does what stands left of a
/// comparison, or of a word.
Words SourcePrinter::binary(Operation *op, StringRef sign, Words::Level level) {
  Words a = words(op->getOperand(0)), b = words(op->getOperand(1));
  auto tighter = Words::Level(level + 1);
  std::string text = fmt::format("{} {} {}", a.in(level <= Words::Compare ? tighter : level),
                                 sign.str(), b.in(tighter));
  return elementwise(op, {a, b}, text, level);
}

Words SourcePrinter::call(Operation *op, StringRef function) {
  SmallVector<Words> operands;
  std::string list;
  for (Value operand : op->getOperands()) {
    operands.push_back(words(operand));
    list += (list.empty() ? "" : ", ") + operands.back().text;
  }
  return elementwise(op, operands, function.str() + "(" + list + ")");
}

/// `&` and `|`, which for single conditions are words.
Words SourcePrinter::bits(Operation *op, StringRef sign, StringRef word) {
  bool isCondition = op->getResult(0).getType().isInteger(1);
  return binary(op, isCondition ? word : sign, isCondition ? Words::Choice : Words::Bits);
}

int64_t driver::extentOfBlock(Value start) {
  APInt factor;
  auto product = start.getDefiningOp<arith::MulIOp>();
  if (!product || !matchPattern(product.getRhs(), m_ConstantInt(&factor)))
    return 0;
  auto isBlock = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    auto extents = user->getAttrOfType<DenseI64ArrayAttr>("extents");
    if (!extents)
      return false;
    // Indices are the last operands but for the fill of a load.
    bool hasFill = isa<tile::LoadOp>(user) && cast<tile::LoadOp>(user).getFill();
    int64_t first = user->getNumOperands() - hasFill - extents.size();
    int64_t axis = int64_t(use.getOperandNumber()) - first;
    return axis >= 0 && axis < extents.size() && factor == extents[axis];
  };
  return llvm::all_of(start.getUses(), isBlock) ? factor.getSExtValue() : 0;
}

std::string SourcePrinter::blockOf(Value start) {
  auto product = start.getDefiningOp<arith::MulIOp>();
  return fmt::format("block({}, {})", words(product.getLhs()).text, extentOfBlock(start));
}

std::string SourcePrinter::index(Value view, int64_t axis, Value at, int64_t extent) {
  if (extent == tile::kGather)
    return explicitly(at).text;
  if (extent == 0)
    return words(at).text;
  if (matchPattern(at, m_Zero()) && cast<tile::ViewType>(view.getType()).getShape()[axis] == extent)
    return ":";
  if (extentOfBlock(at) == extent)
    return names.contains(at) ? nameOf(at) : blockOf(at);
  return fmt::format("span({}, {})", words(at).text, extent);
}

std::string SourcePrinter::access(Value view, ValueRange indices, ArrayRef<int64_t> extents) {
  SmallVector<std::string> parts;
  for (auto [axis, at] : llvm::enumerate(indices))
    parts.push_back(index(view, int64_t(axis), at, extents[axis]));
  return fmt::format("{}[{}]", nameOf(view), fmt::join(parts, ", "));
}

/// Operations that are a function or an operator of the language, by name.
static StringRef functionOf(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("arith.ceildivsi", "cdiv")
      .Cases("arith.maximumf", "arith.maxsi", "maximum")
      .Cases("arith.minimumf", "arith.minsi", "minimum")
      .Cases("math.absf", "math.absi", "abs")
      .Case("math.roundeven", "round")
      .Case("tile.random_bytes", "random_bytes")
      .Cases("math.exp", "math.exp2", "math.log", "math.log2", "math.sqrt", "math.rsqrt",
             op->getName().stripDialect())
      .Cases("math.sin", "math.cos", "math.tanh", "math.erf", "math.floor", "math.ceil", "math.fma",
             op->getName().stripDialect())
      .Default("");
}

static std::pair<StringRef, Words::Level> operatorOf(Operation *op) {
  using Pair = std::pair<StringRef, Words::Level>;
  return llvm::StringSwitch<Pair>(op->getName().getStringRef())
      .Cases("arith.addf", "arith.addi", Pair("+", Words::Sum))
      .Cases("arith.subf", "arith.subi", Pair("-", Words::Sum))
      .Cases("arith.mulf", "arith.muli", Pair("*", Words::Product))
      .Case("arith.divf", Pair("/", Words::Product))
      .Case("arith.floordivsi", Pair("//", Words::Product))
      .Default(Pair("", Words::Atom));
}

static StringRef comparisonOf(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    constexpr StringRef kSigns[] = {"", "==", ">", ">=", "<", "<="};
    int64_t predicate = int64_t(compare.getPredicate());
    return predicate < 6
               ? kSigns[predicate]
               : StringRef(compare.getPredicate() == arith::CmpFPredicate::UNE ? "!=" : "");
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    constexpr StringRef kSigns[] = {"==", "!=", "<", "<=", ">", ">="};
    int64_t predicate = int64_t(compare.getPredicate());
    return predicate < 6 ? kSigns[predicate] : StringRef();
  }
  return {};
}

static std::string axisOf(Value source, int64_t axis) {
  return cast<RankedTensorType>(source.getType()).getRank() == 1 ? ""
                                                                 : fmt::format(", axis={}", axis);
}

Words SourcePrinter::compute(Operation *op) {
  Value result = op->getResult(0);
  auto atom = [&](const std::string &text) { return Words{text, Words::Atom, shapeOf(result)}; };
  if (StringRef function = functionOf(op); !function.empty())
    return call(op, function);
  if (auto [sign, level] = operatorOf(op); !sign.empty())
    return binary(op, sign, level);
  if (StringRef sign = comparisonOf(op); !sign.empty())
    return binary(op, sign, Words::Compare);
  if (isa<arith::AndIOp>(op))
    return bits(op, "&", "and");
  if (isa<arith::OrIOp>(op))
    return bits(op, "|", "or");
  if (auto negation = dyn_cast<arith::NegFOp>(op)) {
    Words operand = words(negation.getOperand());
    return elementwise(op, {operand}, "-" + operand.in(Words::Product), Words::Sum);
  }
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return call(op, "where");
  if (auto dim = dyn_cast<tile::DimOp>(op))
    return atom(nameOfSize(dim.getView(), dim.getAxis()));
  if (auto cast = dyn_cast<tile::CastOp>(op)) {
    Words source = words(cast.getSource());
    return {source.in(Words::Atom) + ".to(" + dtypeOf(cast.getType()) + ")", Words::Atom,
            source.shape};
  }
  if (auto range = dyn_cast<tile::RangeOp>(op)) {
    int64_t size = range.getType().getDimSize(0);
    return atom(matchPattern(range.getStart(), m_Zero())
                    ? fmt::format("iota({})", size)
                    : fmt::format("span({}, {})", words(range.getStart()).text, size));
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    SmallVector<std::string> subscripts(expand.getType().getRank(), ":");
    subscripts[expand.getAxis()] = "None";
    return atom(fmt::format("{}[{}]", explicitly(expand.getSource()).in(Words::Atom),
                            fmt::join(subscripts, ", ")));
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op);
      transpose && transpose.getType().getRank() == 2)
    return atom(explicitly(transpose.getSource()).in(Words::Atom) + ".T");
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return atom(fmt::format("{}({}{})", tile::stringifyReduceKind(reduce.getKind()).str(),
                            explicitly(reduce.getSource()).text,
                            axisOf(reduce.getSource(), reduce.getAxis())));
  if (auto reduce = dyn_cast<tile::ArgReduceOp>(op))
    return atom(fmt::format("arg{}({}{})", tile::stringifyReduceKind(reduce.getKind()).str(),
                            explicitly(reduce.getSource()).text,
                            axisOf(reduce.getSource(), reduce.getAxis())));
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return atom(fmt::format("cumsum({}{})", explicitly(scan.getSource()).text,
                            axisOf(scan.getSource(), scan.getAxis())));
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    std::string product =
        fmt::format("dot({}, {}{})", explicitly(dot.getA()).text, explicitly(dot.getB()).text,
                    dot.getTf32() ? ", tf32=True" : "");
    bool fromZero =
        matchPattern(dot.getAcc(), m_AnyZeroFloat()) || matchPattern(dot.getAcc(), m_Zero());
    return fromZero ? atom(product)
                    : Words{explicitly(dot.getAcc()).in(Words::Sum) + " + " + product, Words::Sum,
                            shapeOf(result)};
  }
  refuse(op, "has no word in the language");
  return atom("None");
}
