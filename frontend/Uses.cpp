#include "frontend/Builtins.h"
#include "frontend/Sema.h"

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

namespace {

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
  LogicalResult expr(const Expr *expr);
  LogicalResult call(const Expr &call);
  LogicalResult inlined(const Expr &call, const FunctionDecl &callee);
  void builtin(const Expr &call, BuiltinKind kind);
  void slice(const Expr &subscript, bool read, bool written);
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
  StringRef base = nameOf(subscript.operands[0]);
  if (base.empty())
    return;
  if (read)
    uses.read.insert(base);
  if (written)
    uses.written.insert(base);
  unsigned rank = subscript.operands.size() - 1;
  for (auto [axis, operand] : llvm::enumerate(llvm::drop_begin(subscript.operands)))
    if (operand->kind == ExprKind::Slice && llvm::all_of(operand->operands, std::logical_not<>()))
      uses.whole.insert({base.str(), axis, rank});
}

/// The argument of a call at a position or of a name; null when absent.
static const Expr *argument(const Expr &call, unsigned position, StringRef name) {
  if (position + 1 < call.operands.size())
    return call.operands[position + 1];
  for (const Keyword &keyword : call.keywords)
    if (keyword.name == name)
      return keyword.value;
  return nullptr;
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
    StringRef name = nameOf(value);
    if (name.empty())
      continue;
    if (inner->read.contains(param.name))
      uses.read.insert(name);
    if (inner->written.contains(param.name))
      uses.written.insert(name);
    for (const auto &[base, axis, rank] : inner->whole)
      if (base == param.name)
        uses.whole.insert({name.str(), axis, rank});
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
  if (expr->kind == ExprKind::Subscript)
    slice(*expr, /*read=*/true, /*written=*/false);
  if (expr->kind == ExprKind::Call && failed(call(*expr)))
    return failure();
  for (const Expr *operand : expr->operands)
    if (failed(this->expr(operand)))
      return failure();
  for (const Keyword &keyword : expr->keywords)
    if (failed(this->expr(keyword.value)))
      return failure();
  return success();
}

LogicalResult UseAnalysis::block(llvm::ArrayRef<Stmt *> stmts) {
  for (const Stmt *stmt : stmts) {
    if (stmt->kind == StmtKind::Assign) {
      assignments.push_back({stmt->target, stmt->value});
      llvm::SmallVector<const Expr *> targets{stmt->target};
      if (stmt->target->kind == ExprKind::Tuple)
        targets.assign(stmt->target->operands.begin(), stmt->target->operands.end());
      for (const Expr *target : targets) {
        if (target->kind != ExprKind::Subscript)
          continue;
        slice(*target, /*read=*/stmt->op != TokenKind::End, /*written=*/true);
        for (const Expr *operand : llvm::drop_begin(target->operands))
          if (failed(expr(operand)))
            return failure();
      }
    }
    if (failed(expr(stmt->value)) || failed(block(stmt->body)) || failed(block(stmt->orElse)))
      return failure();
  }
  return success();
}

/// Follows assignments backward: what an extent's or an alias' value is made of.
void UseAnalysis::close() {
  for (bool changed = true; changed;) {
    auto size = [&] {
      return uses.extents.size() + uses.whole.size() + uses.read.size() + uses.written.size();
    };
    size_t before = size();
    for (auto [target, value] : assignments)
      forEachName(target->kind == ExprKind::Subscript ? nullptr : target, [&](const Expr &name) {
        if (uses.extents.contains(name.name))
          extent(value);
        StringRef alias = nameOf(value);
        if (alias.empty())
          return;
        if (uses.read.contains(name.name))
          uses.read.insert(alias);
        if (uses.written.contains(name.name))
          uses.written.insert(alias);
        std::vector<Uses::Whole> aliased;
        for (const auto &[base, axis, rank] : uses.whole)
          if (base == name.name)
            aliased.push_back({alias.str(), axis, rank});
        uses.whole.insert(aliased.begin(), aliased.end());
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
