#include "codegen/Printer.h"

#include "codegen/Spellings.h"
#include "ir/cuda/Cuda.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

/// Operands of an expression or statement get names until the rest fits into this many characters.
static constexpr size_t kLongestOperands = 68;
/// A name for a shorter operand saves nothing.
static constexpr size_t kLongestAtom = 16;

void Printer::Dependence::add(const Dependence &other) {
  llvm::append_range(reads, other.reads);
  llvm::append_range(variables, other.variables);
  convergent |= other.convergent;
}

//===- Ops ------------------------------------------------------------------------------------===//

static LogicalResult checkTypes(Operation *op) {
  auto check = [&](Type type) -> LogicalResult {
    if (typeName(type) ||
        isa<cuda::PtrType, cuda::RegsType, cuda::LaneType, cuda::TensorMapType>(type))
      return success();
    return op->emitOpError("has no CUDA spelling: no C++ type holds ") << type;
  };
  for (Type type : op->getOperandTypes())
    if (failed(check(type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(check(type)))
      return failure();
  return success();
}

LogicalResult Printer::printBody(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(print(&op)))
      return failure();
  return success();
}

LogicalResult Printer::print(Operation *op) {
  const Spelling *spelling = allSpellings().find(op->getName());
  if (!spelling)
    return op->emitOpError("has no CUDA spelling");
  if (failed(checkTypes(op)))
    return failure();
  if (spelling->expression)
    return printExpression(op, *spelling);
  shorten(op);
  settleWrites(op);
  if (op->getNumRegions() == 0)
    locate(op->getLoc());
  current = {};
  return spelling->statement(*this, op);
}

LogicalResult Printer::printExpression(Operation *op, const Spelling &spelling) {
  if (op->use_empty())
    return success();
  shorten(op);
  current = {};
  Waiting expression;
  expression.text = spelling.expression(*this, op);
  if (expression.text.text.empty())
    return op->emitOpError("has no CUDA spelling for these types");
  expression.add(current);
  expression.convergent |= spelling.convergent;
  Value value = op->getResult(0);
  waiting[value] = std::move(expression);
  waitingOrder.push_back(value);
  if (!op->hasOneUse() || spelling.alwaysNamed)
    define(value);
  return success();
}

//===- Waiting expressions --------------------------------------------------------------------===//

Text Printer::text(Value value, bool typed) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return *literal(cast<TypedAttr>(constant), typed);
  if (auto found = waiting.find(value); found != waiting.end()) {
    Text expression = std::move(found->second.text);
    current.add(found->second);
    waiting.erase(found);
    llvm::erase(waitingOrder, value);
    return expression;
  }
  const Named &known = named.find(value)->second;
  if (known.variable)
    current.variables.push_back(known.name);
  return {known.name, Binding::Primary};
}

void Printer::define(Value value) {
  Dependence outer = std::move(current);
  std::string initial = this->text(value).text;
  locate(value.getLoc());
  declare(value, initial, /*constant=*/true);
  current = std::move(outer);
}

void Printer::shorten(Operation *op) {
  while (true) {
    size_t total = 0, most = kLongestAtom;
    Value longest;
    for (Value operand : op->getOperands()) {
      auto found = waiting.find(operand);
      size_t size = found == waiting.end() ? 0 : found->second.text.text.size();
      total += size;
      if (size > most) {
        most = size;
        longest = operand;
      }
    }
    if (total <= kLongestOperands || !longest)
      return;
    define(longest);
  }
}

void Printer::nameConvergent(Value value) {
  if (auto found = waiting.find(value); found != waiting.end() && found->second.convergent)
    define(value);
}

void Printer::nameUnstable(Value value) {
  if (auto found = waiting.find(value); found != waiting.end())
    if (found->second.convergent || !found->second.reads.empty())
      define(value);
}

void Printer::settle(Operation *op, bool loop) {
  for (Value value : llvm::to_vector(waitingOrder)) {
    const Waiting &expression = waiting[value];
    Operation *user = *value.user_begin();
    bool moves = loop && op->isProperAncestor(user);
    bool changes = expression.convergent || !expression.reads.empty();
    if (moves || (changes && user != op))
      define(value);
  }
}

void Printer::settleWrites(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects<MemoryEffects::Write>(effects);
  for (const MemoryEffects::EffectInstance &effect : effects)
    for (Value value : llvm::to_vector(waitingOrder))
      if (*value.user_begin() != op && llvm::is_contained(waiting[value].reads, effect.getValue()))
        define(value);
}

//===- Text of expressions --------------------------------------------------------------------===//

static std::string parenthesised(Text text, Binding least) {
  return text.binding < least ? "(" + text.text + ")" : text.text;
}

std::string Printer::operand(Value value, Binding least) {
  return parenthesised(text(value, /*typed=*/false), least);
}

std::string Printer::typedOperand(Value value, Binding least) {
  return parenthesised(text(value, /*typed=*/true), least);
}

static Binding tighter(Binding binding) { return Binding(int(binding) + 1); }

/// Operands of `&`, `|`, `^` and shifts get parentheses where many readers would not know the
/// precedence.
static Binding leastOperand(Binding binding) {
  bool bitwise =
      binding == Binding::Shift || (binding >= Binding::BitOr && binding <= Binding::BitAnd);
  return bitwise ? Binding::Unary : binding;
}

Text Printer::binary(Value lhs, StringRef op, Value rhs, Binding binding) {
  Binding least = leastOperand(binding);
  if (binding == Binding::Or)
    least = tighter(Binding::And);
  std::string left = operand(lhs, least);
  std::string right = operand(rhs, least == binding ? tighter(binding) : least);
  return {left + " " + op.str() + " " + right, binding};
}

Text Printer::call(const Twine &function, ValueRange operands) {
  std::string text = function.str() + "(";
  for (auto [i, value] : llvm::enumerate(operands))
    text += (i ? ", " : "") + typedOperand(value);
  return {text + ")", Binding::Primary};
}

std::string Printer::element(Value regs, Value index) {
  return operand(regs) + "[" + operand(index) + "]";
}

//===- Text of statements ---------------------------------------------------------------------===//

void Printer::line(const Twine &text) {
  std::string content = text.str();
  if (!content.empty())
    output += indentation() + content;
  output += "\n";
  if (directed)
    ++directed->second;
}

void Printer::openBlock(const Twine &head) {
  line(head + " {");
  names.pushScope();
  ++depth;
}

void Printer::closeBlock() {
  --depth;
  names.popScope();
  line("}");
}

void Printer::nextBlock(StringRef text) {
  --depth;
  names.popScope();
  line(text);
  names.pushScope();
  ++depth;
}

void Printer::closeEmptyBlock(size_t position) {
  --depth;
  names.popScope();
  output.resize(position);
  directed.reset();
}

void Printer::bind(Value value, const Twine &name, bool variable) {
  named[value] = {name.str(), variable};
}

std::string Printer::declare(Value value, const Twine &initial, bool constant) {
  std::string name = names.fresh(wantedName(value)), text = initial.str();
  line((constant ? "const " : "") + *typeName(value.getType()) + " " + name +
       (text.empty() ? "" : " = ") + text + ";");
  bind(value, name, !constant);
  return name;
}

void Printer::assign(ArrayRef<std::string> variables, ValueRange values) {
  SmallVector<std::string> texts;
  for (auto [i, value] : llvm::enumerate(values)) {
    current = {};
    std::string text = operand(value);
    // The variables before this one have their new values by then.
    bool overwritten = llvm::any_of(variables.take_front(i), [&](const std::string &variable) {
      return llvm::is_contained(current.variables, variable);
    });
    if (overwritten) {
      std::string next = names.fresh("next_" + variables[i]);
      line("const " + *typeName(value.getType()) + " " + next + " = " + text + ";");
      text = next;
    }
    texts.push_back(text);
  }
  for (auto [variable, text] : llvm::zip(variables, texts))
    if (variable != text)
      line(variable + " = " + text + ";");
}

void Printer::note(FileLineColLoc place) {
  if (!options.statements)
    return;
  while (!options.statements->empty() && options.statements->back().offset >= output.size())
    options.statements->pop_back(); // what was printed there is gone
  options.statements->push_back({output.size(), place});
}

void Printer::locate(Location location) {
  auto place = sourceOf(location);
  if (!place)
    return;
  note(*place);
  std::pair<std::string, unsigned> wanted(place->getFilename().str(), place->getLine());
  if (options.sourceLine && commented != wanted) {
    commented = wanted;
    if (std::string text = options.sourceLine(wanted.first, wanted.second); !text.empty()) {
      if (!StringRef(output).ends_with("{\n"))
        line("");
      line("// " + Twine(wanted.second) + ": " + StringRef(text).trim());
    }
  }
  if (options.lineDirectives && directed != wanted) {
    output += "#line " + std::to_string(wanted.second) + " \"" + wanted.first + "\"\n";
    directed = wanted;
  }
}

std::string Printer::made(MadeFunction function) {
  madeFunctions.try_emplace(function.name, std::move(function.text));
  return function.name;
}

std::string Printer::takeMade() {
  std::string text;
  for (const auto &[name, definition] : madeFunctions)
    text += definition + "\n";
  return text;
}
