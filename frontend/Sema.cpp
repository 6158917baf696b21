#include "frontend/Sema.h"
#include "frontend/Builtins.h"
#include "frontend/Const.h"
#include "frontend/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tilewright::frontend;
using llvm::StringRef;

namespace {

class Checker {
public:
  Checker(const Source &source, Program::Impl &program) : source(source), program(program) {}
  LogicalResult run(llvm::ArrayRef<Borrowed> borrowed);

private:
  LogicalResult assignment(const Stmt &stmt);
  LogicalResult define(const Expr &target, const Expr &value);
  LogicalResult defineDims(llvm::ArrayRef<const Expr *> names, const Expr &value);
  LogicalResult defineDtypes(const Expr &name, const Expr &value);
  LogicalResult borrow(const Borrowed &function);
  LogicalResult functionName(const FunctionDecl &function);
  LogicalResult function(const FunctionDecl &function);
  LogicalResult kernel(const FunctionDecl &function);
  LogicalResult block(llvm::ArrayRef<Stmt *> stmts, const FunctionDecl &function);
  LogicalResult assigned(const Expr &target, const FunctionDecl &function);
  LogicalResult names(const Expr *expr);
  StringRef whatIs(StringRef name) const;
  void collectLocals(llvm::ArrayRef<Stmt *> stmts);
  std::string nearest(StringRef name) const;

  const Source &source;
  Program::Impl &program;
  llvm::StringSet<> locals;
  llvm::DenseMap<const FunctionDecl *, Uses> known;
};

/// What a module-level or built-in name stands for; "" for a free one.
StringRef Checker::whatIs(StringRef name) const {
  if (program.dims.contains(name))
    return "a dimension";
  if (program.dtypes.contains(name))
    return "a dtype variable";
  if (program.constants.contains(name))
    return "a compile-time constant";
  if (program.functions.contains(name) || program.borrowed.contains(name))
    return "a function";
  if (findBuiltin(name))
    return "a built-in function";
  if (dtypeFromName(name))
    return "a dtype";
  if (findConstant(name) || isMarker(name))
    return "a word of the language";
  return "";
}

std::string Checker::nearest(StringRef name) const {
  llvm::SmallVector<StringRef> candidates(definedNames());
  for (const auto &entry : locals)
    candidates.push_back(entry.getKey());
  for (const auto &entry : program.dims)
    candidates.push_back(entry.getKey());
  for (const auto &entry : program.dtypes)
    candidates.push_back(entry.getKey());
  for (const auto &entry : program.constants)
    candidates.push_back(entry.getKey());
  for (const auto &entry : program.functions)
    candidates.push_back(entry.getKey());
  llvm::sort(candidates);
  return suggest(name, candidates);
}

//===- Module level ---------------------------------------------------------------------------===//

LogicalResult Checker::defineDims(llvm::ArrayRef<const Expr *> names, const Expr &value) {
  const auto *text = value.operands.size() == 2 && value.keywords.empty()
                         ? std::get_if<std::string>(&value.operands[1]->value)
                         : nullptr;
  if (!text)
    return source.error(value.loc) << "`dims` takes the names as one string: `dims(\"B S\")`";
  llvm::SmallVector<StringRef> words;
  StringRef rest = *text;
  while (!(rest = rest.ltrim(" ,")).empty()) {
    words.push_back(rest.take_while([](char c) { return c != ' ' && c != ','; }));
    rest = rest.drop_front(words.back().size());
  }
  if (words.size() != names.size())
    return source.error(value.loc)
           << names.size() << " names are assigned but `dims` declares " << words.size();
  for (auto [name, word] : llvm::zip(names, words)) {
    if (name->kind != ExprKind::Name || name->name != word)
      return source.error(name->loc)
             << "the dimension `" << word << "` must be assigned to the same name";
    program.dims[word] = name->loc;
  }
  return success();
}

LogicalResult Checker::defineDtypes(const Expr &name, const Expr &value) {
  std::vector<Dtype> allowed;
  for (const Expr *argument : llvm::drop_begin(value.operands)) {
    std::optional<Dtype> dtype = dtypeFromName(nameOf(argument));
    if (!dtype)
      return source.error(argument->loc)
             << "expected a dtype, such as `bf16`" << suggest(nameOf(argument), definedNames());
    allowed.push_back(*dtype);
  }
  if (allowed.empty() || !value.keywords.empty())
    return source.error(value.loc) << "`dtypes` takes what it may stand for: `dtypes(bf16, f16)`";
  program.dtypes[name.name] = std::move(allowed);
  return success();
}

LogicalResult Checker::define(const Expr &target, const Expr &value) {
  if (target.kind != ExprKind::Name)
    return source.error(target.loc) << "only a name can be assigned at the top of a file";
  if (StringRef what = whatIs(target.name); !what.empty())
    return source.error(target.loc)
           << "`" << target.name << "` is " << what << " and cannot be assigned";
  StringRef callee = value.kind == ExprKind::Call ? nameOf(value.operands[0]) : "";
  if (callee == "dtypes")
    return defineDtypes(target, value);
  if (callee == "dims")
    return defineDims(&target, value);
  std::optional<ConstValue> constant =
      evaluate(source, value, [&](StringRef name) -> std::optional<ConstValue> {
        if (auto it = program.constants.find(name); it != program.constants.end())
          return it->second;
        if (std::optional<double> number = findConstant(name))
          return ConstValue(*number);
        if (std::optional<Dtype> dtype = dtypeFromName(name))
          return ConstValue(*dtype);
        return std::nullopt;
      });
  if (!constant)
    return failure();
  program.constants[target.name] = *constant;
  return success();
}

LogicalResult Checker::assignment(const Stmt &stmt) {
  const Expr &target = *stmt.target, &value = *stmt.value;
  if (target.kind != ExprKind::Tuple)
    return define(target, value);
  if (value.kind == ExprKind::Call && nameOf(value.operands[0]) == "dims") {
    for (const Expr *name : target.operands)
      if (StringRef what = whatIs(nameOf(name)); !what.empty())
        return source.error(name->loc)
               << "`" << name->name << "` is " << what << " and cannot be assigned";
    llvm::SmallVector<const Expr *> names(target.operands.begin(), target.operands.end());
    return defineDims(names, value);
  }
  if (value.kind != ExprKind::Tuple || value.operands.size() != target.operands.size())
    return source.error(value.loc) << target.operands.size() << " names need as many values";
  for (auto [name, element] : llvm::zip(target.operands, value.operands))
    if (failed(define(*name, *element)))
      return failure();
  return success();
}

//===- Functions ------------------------------------------------------------------------------===//

LogicalResult Checker::borrow(const Borrowed &function) {
  auto open = program.constants.find(function.name);
  if (open == program.constants.end() || !isNone(open->second))
    return source.error({}) << "`" << function.name << "` cannot be a function from elsewhere: the "
                            << "file has no `" << function.name << " = None`";
  const auto &functions = function.program->impl->functions;
  auto decl = functions.find(function.function);
  if (decl == functions.end() || decl->second->isKernel)
    return source.error({}) << "there is no `@inline` function `" << function.function << "`";
  program.constants.erase(open);
  program.borrowed[function.name] = function;
  return success();
}

LogicalResult Checker::functionName(const FunctionDecl &function) {
  if (StringRef what = whatIs(function.name); !what.empty())
    return source.error(function.loc) << "`" << function.name << "` is "
                                      << (what == "a function" ? "already a function" : what);
  program.functions[function.name] = &function;
  return success();
}

void Checker::collectLocals(llvm::ArrayRef<Stmt *> stmts) {
  for (const Stmt *stmt : stmts) {
    if (stmt->target && stmt->target->kind != ExprKind::Subscript)
      forEachName(stmt->target, [&](const Expr &name) { locals.insert(name.name); });
    collectLocals(stmt->body);
    collectLocals(stmt->orElse);
  }
}

LogicalResult Checker::names(const Expr *expr) {
  LogicalResult result = success();
  forEachName(expr, [&](const Expr &name) {
    if (succeeded(result) && !locals.contains(name.name) && whatIs(name.name).empty())
      result = source.error(name.loc)
               << "`" << name.name << "` is not defined" << nearest(name.name);
  });
  return result;
}

LogicalResult Checker::assigned(const Expr &target, const FunctionDecl &function) {
  if (target.kind == ExprKind::Tuple) {
    for (const Expr *element : target.operands)
      if (failed(assigned(*element, function)))
        return failure();
    return success();
  }
  if (target.kind == ExprKind::Subscript)
    return names(&target);
  StringRef name = target.name;
  if (StringRef what = whatIs(name); !what.empty())
    return source.error(target.loc) << "`" << name << "` is " << what << " and cannot be assigned";
  if (!function.isKernel)
    return success();
  for (const ParamDecl &param : function.params) {
    if (param.name != name)
      continue;
    if (param.keywordOnly)
      return source.error(target.loc)
             << "`" << name << "` is a compile-time constant and cannot be assigned";
    if (!dtypeFromName(nameOf(param.annotation)))
      return source.error(target.loc)
             << "`" << name << "` is a tensor: write `" << name << "[...] = ...` to store to it";
  }
  return success();
}

LogicalResult Checker::block(llvm::ArrayRef<Stmt *> stmts, const FunctionDecl &function) {
  for (const Stmt *stmt : stmts) {
    if (failed(names(stmt->value)) || (stmt->target && failed(assigned(*stmt->target, function))))
      return failure();
    if (stmt->kind == StmtKind::Return && function.isKernel)
      return source.error(stmt->loc) << "`return` in a kernel is not supported: store the result, "
                                        "or put the rest under `if`";
    if (failed(block(stmt->body, function)) || failed(block(stmt->orElse, function)))
      return failure();
  }
  return success();
}

LogicalResult Checker::function(const FunctionDecl &function) {
  locals.clear();
  for (const ParamDecl &param : function.params) {
    if (StringRef what = whatIs(param.name); !what.empty())
      return source.error(param.loc)
             << "the parameter `" << param.name << "` has the name of " << what;
    if (param.defaultValue && failed(names(param.defaultValue)))
      return failure();
    locals.insert(param.name);
  }
  collectLocals(function.body);
  return block(function.body, function);
}

LogicalResult Checker::kernel(const FunctionDecl &function) {
  Signature signature;
  signature.name = function.name.str();
  signature.doc = function.doc;
  signature.line = function.loc.line;
  if (failed(checkParams(source, program, function, signature)))
    return failure();
  llvm::SmallVector<const FunctionDecl *> visiting;
  std::optional<Uses> uses = usesOf(source, function, program.functions, visiting, known);
  if (!uses)
    return failure();
  for (Param &param : signature.params) {
    if (param.kind != Param::Tensor)
      continue;
    param.read = uses->read.contains(param.name);
    param.written = uses->written.contains(param.name);
    for (const auto &[axis, dim] : llvm::enumerate(param.dims))
      if (!dim.name.empty() && uses->whole.count({param.name, axis, param.dims.size()}))
        uses->extents.insert(dim.name);
  }
  for (DimInfo &dim : signature.dims)
    dim.isStatic = uses->extents.contains(dim.name);
  program.kernels.emplace_back(&function, std::move(signature));
  return success();
}

LogicalResult Checker::run(llvm::ArrayRef<Borrowed> borrowed) {
  for (const Stmt *stmt : program.ast.assignments)
    if (failed(assignment(*stmt)))
      return failure();
  for (const Borrowed &function : borrowed)
    if (failed(borrow(function)))
      return failure();
  for (const FunctionDecl *function : program.ast.functions)
    if (failed(functionName(*function)))
      return failure();
  LogicalResult result = success();
  for (const FunctionDecl *decl : program.ast.functions)
    if (failed(function(*decl)))
      result = failure();
  if (failed(result))
    return failure();
  llvm::SmallVector<const FunctionDecl *> visiting;
  for (const FunctionDecl *decl : program.ast.functions)
    if (decl->isKernel ? failed(kernel(*decl))
                       : !usesOf(source, *decl, program.functions, visiting, known))
      return failure();
  return success();
}

} // namespace

LogicalResult tilewright::frontend::check(const Source &source, Program::Impl &program,
                                          llvm::ArrayRef<Borrowed> borrowed) {
  return Checker(source, program).run(borrowed);
}

//===- The public interface -------------------------------------------------------------------===//

Program::Program() : impl(std::make_unique<Impl>()) {}
Program::~Program() = default;

std::vector<StringRef> Program::kernels() const {
  std::vector<StringRef> names;
  for (const auto &[decl, signature] : impl->kernels)
    names.push_back(signature.name);
  return names;
}

const Signature *Program::signature(StringRef kernel) const {
  for (const auto &[decl, signature] : impl->kernels)
    if (signature.name == kernel)
      return &signature;
  return nullptr;
}

const Param *Signature::param(StringRef name) const {
  for (const Param &param : params)
    if (param.name == name)
      return &param;
  return nullptr;
}

static void declare(const Captured &captured, Program::Impl &program) {
  for (const std::string &dim : captured.dims)
    program.dims[dim] = Loc();
  for (const DtypeVariable &variable : captured.dtypes)
    program.dtypes[variable.name] = variable.allowed;
  for (const auto &[name, value] : captured.constants)
    program.constants[name] = value;
}

std::unique_ptr<Program> tilewright::frontend::parseProgram(StringRef text, StringRef fileName,
                                                            MLIRContext &context,
                                                            const Captured &captured) {
  auto program = std::make_unique<Program>();
  declare(captured, *program->impl);
  program->impl->text = text.str();
  program->impl->file = fileName.str();
  Source source{program->impl->text, program->impl->file, &context};
  std::vector<Token> tokens;
  if (failed(lex(source, tokens)) || failed(parse(source, tokens, program->impl->ast)) ||
      failed(check(source, *program->impl, captured.functions)))
    return nullptr;
  return program;
}
