#include "frontend/Builtins.h"
#include "frontend/Sema.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace tilewright::frontend;
using llvm::StringRef;

void tilewright::frontend::forEachName(const Expr *expr,
                                       llvm::function_ref<void(const Expr &)> visit) {
  if (!expr)
    return;
  if (expr->kind == ExprKind::Name)
    visit(*expr);
  for (const Expr *operand : expr->operands)
    forEachName(operand, visit);
  for (const Keyword &keyword : expr->keywords)
    forEachName(keyword.value, visit);
}

bool tilewright::frontend::isWhole(const Expr *subscript) {
  return subscript->kind == ExprKind::Slice &&
         llvm::all_of(subscript->operands, std::logical_not<>());
}

bool tilewright::frontend::isPart(const Expr *subscript) {
  return subscript->kind == ExprKind::Slice && !isWhole(subscript);
}

bool tilewright::frontend::givesPart(const Expr &expr) {
  return expr.kind == ExprKind::Subscript && llvm::any_of(llvm::drop_begin(expr.operands), isPart);
}

namespace {

/// A name whose tensor an expression may be, whole or cut along some axes.
struct Alias {
  StringRef name;
  llvm::SmallSet<unsigned, 4> cut;
};

/// The argument of a call at a position or of a name; null when absent.
static const Expr *argument(const Expr &call, unsigned position, StringRef name) {
  if (position + 1 < call.operands.size())
    return call.operands[position + 1];
  for (const Keyword &keyword : call.keywords)
    if (keyword.name == name)
      return keyword.value;
  return nullptr;
}

class UseAnalysis {
public:
  UseAnalysis(const Source &source, const llvm::StringMap<const FunctionDecl *> &functions,
              llvm::SmallVectorImpl<const FunctionDecl *> &visiting,
              llvm::DenseMap<const FunctionDecl *, Uses> &known)
      : source(source), functions(functions), visiting(visiting), known(known) {}

  LogicalResult block(llvm::ArrayRef<Stmt *> stmts);
  void close();
  Uses uses;

private:
  void assign(const Expr &target, const Expr &value);
  LogicalResult expr(const Expr *expr);
  LogicalResult call(const Expr &call);
  LogicalResult inlined(const Expr &call, const FunctionDecl &callee);
  void builtin(const Expr &call, BuiltinKind kind);
  void slice(const Expr &subscript, bool read, bool written);
  llvm::SmallVector<Alias> aliases(const Expr *expr);
  bool adopt(const Alias &alias, StringRef name, const Uses &from);
  void extent(const Expr *expr) {
    forEachName(expr, [&](const Expr &name) { uses.extents.insert(name.name); });
  }

  const Source &source;
  const llvm::StringMap<const FunctionDecl *> &functions;
  llvm::SmallVectorImpl<const FunctionDecl *> &visiting;
  llvm::DenseMap<const FunctionDecl *, Uses> &known;
  std::vector<std::pair<const Expr *, const Expr *>> assignments;
};

void UseAnalysis::slice(const Expr &subscript, bool read, bool written) {
  if (givesPart(subscript))
    return; // touches nothing yet
  unsigned rank = subscript.operands.size() - 1;
  for (const Alias &base : aliases(subscript.operands[0])) {
    if (read)
      uses.read.insert(base.name);
    if (written)
      uses.written.insert(base.name);
    for (auto [axis, operand] : llvm::enumerate(llvm::drop_begin(subscript.operands)))
      if (isWhole(operand) && !base.cut.contains(axis))
        uses.whole.insert({base.name.str(), axis, rank});
  }
}

/// The names whose tensors an expression may be or, in a tuple, contain.
llvm::SmallVector<Alias> UseAnalysis::aliases(const Expr *expr) {
  llvm::SmallVector<Alias> found;
  if (!expr)
    return found;
  if (expr->kind == ExprKind::Name)
    found.push_back({expr->name, {}});
  if (givesPart(*expr)) {
    found = aliases(expr->operands[0]);
    for (auto [axis, operand] : llvm::enumerate(llvm::drop_begin(expr->operands)))
      if (isPart(operand))
        for (Alias &alias : found)
          alias.cut.insert(axis);
  }
  if (expr->kind == ExprKind::Tuple)
    for (const Expr *operand : expr->operands)
      llvm::append_range(found, aliases(operand));
  auto callee = functions.end();
  if (expr->kind == ExprKind::Call)
    callee = functions.find(nameOf(expr->operands[0]));
  if (callee == functions.end())
    return found;
  if (auto inner = known.find(callee->second); inner != known.end())
    for (auto [i, param] : llvm::enumerate(callee->second->params))
      if (inner->second.returned.contains(param.name))
        llvm::append_range(found, aliases(argument(*expr, i, param.name)));
  return found;
}

/// Everything that `from` does to `name` is also done to its alias; returns whether that is new.
bool UseAnalysis::adopt(const Alias &alias, StringRef name, const Uses &from) {
  bool isNew = false;
  if (from.read.contains(name))
    isNew |= uses.read.insert(alias.name).second;
  if (from.written.contains(name))
    isNew |= uses.written.insert(alias.name).second;
  std::vector<Uses::Whole> whole;
  for (const auto &[base, axis, rank] : from.whole)
    if (base == name && !alias.cut.contains(axis))
      whole.push_back({alias.name.str(), axis, rank});
  for (Uses::Whole &each : whole)
    isNew |= uses.whole.insert(std::move(each)).second;
  return isNew;
}

void UseAnalysis::builtin(const Expr &call, BuiltinKind kind) {
  switch (kind) {
  case BuiltinKind::Block:
  case BuiltinKind::Span:
    return extent(argument(call, 1, "n"));
  case BuiltinKind::Iota:
    return extent(argument(call, 0, "n"));
  case BuiltinKind::Zeros:
  case BuiltinKind::Full:
    return extent(argument(call, 0, "shape"));
  case BuiltinKind::StartAtZero:
    for (const Alias &tensor : aliases(argument(call, 0, "tensor")))
      uses.written.insert(tensor.name);
    return;
  case BuiltinKind::AtomicAdd:
  case BuiltinKind::AtomicMax:
  case BuiltinKind::AtomicMin:
    if (const Expr *target = argument(call, 0, "slice"))
      if (target->kind == ExprKind::Subscript)
        slice(*target, /*read=*/true, /*written=*/true);
    return;
  default:
    return;
  }
}

LogicalResult UseAnalysis::inlined(const Expr &call, const FunctionDecl &callee) {
  if (llvm::is_contained(visiting, &callee))
    return source.error(call.loc)
           << "`" << callee.name << "` calls itself: functions are inlined, so they cannot recurse";
  std::optional<Uses> inner = usesOf(source, callee, functions, visiting, known);
  if (!inner)
    return failure();
  for (auto [i, param] : llvm::enumerate(callee.params)) {
    const Expr *value = argument(call, i, param.name);
    if (inner->extents.contains(param.name))
      extent(value);
    for (const Alias &alias : aliases(value))
      adopt(alias, param.name, *inner);
  }
  return success();
}

LogicalResult UseAnalysis::call(const Expr &call) {
  StringRef name = nameOf(call.operands[0]);
  if (const Builtin *found = findBuiltin(name))
    builtin(call, found->kind);
  else if (auto callee = functions.find(name); callee != functions.end())
    return inlined(call, *callee->second);
  return success();
}

LogicalResult UseAnalysis::expr(const Expr *expr) {
  if (!expr)
    return success();
  if (expr->kind == ExprKind::Call && failed(call(*expr)))
    return failure();
  for (const Expr *operand : expr->operands)
    if (failed(this->expr(operand)))
      return failure();
  for (const Keyword &keyword : expr->keywords)
    if (failed(this->expr(keyword.value)))
      return failure();
  if (expr->kind == ExprKind::Subscript)
    slice(*expr, /*read=*/true, /*written=*/false);
  return success();
}

void UseAnalysis::assign(const Expr &target, const Expr &value) {
  bool pairs = target.kind == ExprKind::Tuple && value.kind == ExprKind::Tuple &&
               target.operands.size() == value.operands.size();
  if (!pairs)
    return assignments.push_back({&target, &value});
  for (auto [name, element] : llvm::zip(target.operands, value.operands))
    assign(*name, *element);
}

LogicalResult UseAnalysis::block(llvm::ArrayRef<Stmt *> stmts) {
  for (const Stmt *stmt : stmts) {
    if (stmt->kind == StmtKind::Assign) {
      assign(*stmt->target, *stmt->value);
      llvm::SmallVector<const Expr *> targets{stmt->target};
      if (stmt->target->kind == ExprKind::Tuple)
        targets.assign(stmt->target->operands.begin(), stmt->target->operands.end());
      for (const Expr *target : targets) {
        if (target->kind != ExprKind::Subscript)
          continue;
        for (const Expr *operand : target->operands)
          if (failed(expr(operand)))
            return failure();
        slice(*target, /*read=*/stmt->op != TokenKind::End, /*written=*/true);
      }
    }
    if (stmt->kind == StmtKind::Return)
      for (const Alias &alias : aliases(stmt->value))
        uses.returned.insert(alias.name);
    if (failed(expr(stmt->value)) || failed(block(stmt->body)) || failed(block(stmt->orElse)))
      return failure();
  }
  return success();
}

/// Follows assignments backward, to the values that an extent or an alias depends on.
void UseAnalysis::close() {
  for (bool changed = true; changed;) {
    auto size = [&] {
      return uses.extents.size() + uses.whole.size() + uses.read.size() + uses.written.size() +
             uses.returned.size();
    };
    size_t before = size();
    for (auto [target, value] : assignments)
      forEachName(target->kind == ExprKind::Subscript ? nullptr : target, [&](const Expr &name) {
        if (uses.extents.contains(name.name))
          extent(value);
        for (const Alias &alias : aliases(value)) {
          adopt(alias, name.name, uses);
          if (uses.returned.contains(name.name))
            uses.returned.insert(alias.name);
        }
      });
    changed = size() != before;
  }
}

} // namespace

std::optional<Uses>
tilewright::frontend::usesOf(const Source &source, const FunctionDecl &function,
                             const llvm::StringMap<const FunctionDecl *> &functions,
                             llvm::SmallVectorImpl<const FunctionDecl *> &visiting,
                             llvm::DenseMap<const FunctionDecl *, Uses> &known) {
  if (auto it = known.find(&function); it != known.end())
    return it->second;
  if (visiting.size() >= 100) {
    source.error(function.loc) << "functions call each other more than 100 deep";
    return std::nullopt;
  }
  visiting.push_back(&function);
  UseAnalysis analysis(source, functions, visiting, known);
  LogicalResult result = analysis.block(function.body);
  visiting.pop_back();
  if (failed(result))
    return std::nullopt;
  analysis.close();
  return known[&function] = std::move(analysis.uses);
}
