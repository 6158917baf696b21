#include "frontend/Builtins.h"
#include "frontend/Const.h"
#include "frontend/Sema.h"

using namespace mlir;
using namespace tilewright::frontend;
using llvm::StringRef;

namespace {

class ParamChecker {
public:
  ParamChecker(const Source &source, const Program::Impl &program, Signature &signature)
      : source(source), program(program), signature(signature) {}
  LogicalResult param(const ParamDecl &decl);

private:
  LogicalResult tensor(const ParamDecl &decl, const Expr &annotation, Param &param);
  LogicalResult dim(const Expr &expr, Param &param);
  LogicalResult dtype(const Expr &expr, Param &param);
  LogicalResult scalar(const ParamDecl &decl, Dtype dtype, Param &param);
  LogicalResult constant(const ParamDecl &decl, Param &param);
  LogicalResult tune(const ParamDecl &decl, Param &param);
  std::optional<ConstValue> value(const Expr &expr) const;

  const Source &source;
  const Program::Impl &program;
  Signature &signature;
};

std::optional<ConstValue> ParamChecker::value(const Expr &expr) const {
  return evaluate(source, expr, [&](StringRef name) -> std::optional<ConstValue> {
    if (auto it = program.constants.find(name); it != program.constants.end())
      return it->second;
    if (std::optional<double> number = findConstant(name))
      return ConstValue(*number);
    if (std::optional<Dtype> dtype = dtypeFromName(name))
      return ConstValue(*dtype);
    return std::nullopt;
  });
}

LogicalResult ParamChecker::dtype(const Expr &expr, Param &param) {
  StringRef name = nameOf(&expr);
  if (std::optional<Dtype> fixed = dtypeFromName(name)) {
    param.dtype = fixed;
    return success();
  }
  auto variable = program.dtypes.find(name);
  if (variable == program.dtypes.end()) {
    llvm::SmallVector<StringRef> candidates(definedNames());
    for (const auto &entry : program.dtypes)
      candidates.push_back(entry.getKey());
    return source.error(expr.loc) << "unknown dtype"
                                  << (name.empty() ? "" : " `" + name.str() + "`")
                                  << suggest(name, candidates);
  }
  param.dtypeVariable = name.str();
  if (llvm::none_of(signature.dtypes, [&](auto &known) { return known.name == name; }))
    signature.dtypes.push_back({name.str(), variable->second});
  return success();
}

LogicalResult ParamChecker::dim(const Expr &expr, Param &param) {
  StringRef name = nameOf(&expr);
  if (program.dims.contains(name)) {
    param.dims.push_back({name.str()});
    if (llvm::none_of(signature.dims, [&](auto &known) { return known.name == name; }))
      signature.dims.push_back({name.str(), false});
    return success();
  }
  if (!name.empty() && !program.constants.contains(name)) {
    llvm::SmallVector<StringRef> candidates;
    for (const auto &entry : program.dims)
      candidates.push_back(entry.getKey());
    return source.error(expr.loc) << "`" << name << "` is not a dimension: declare it with `"
                                  << name << " = dims(\"" << name << "\")`"
                                  << suggest(name, candidates);
  }
  std::optional<ConstValue> size = value(expr);
  if (!size)
    return failure();
  auto *number = std::get_if<int64_t>(&*size);
  if (!number || *number <= 0 || *number > INT32_MAX)
    return source.error(expr.loc) << "a dimension is a name or a positive integer, not `"
                                  << toString(*size) << "`";
  param.dims.push_back({"", *number});
  return success();
}

LogicalResult ParamChecker::tensor(const ParamDecl &decl, const Expr &annotation, Param &param) {
  param.kind = Param::Tensor;
  if (annotation.operands.size() < 3)
    return source.error(annotation.loc)
           << "`Tensor` takes a dtype and dimensions: `Tensor[f32, N]`";
  if (failed(dtype(*annotation.operands[1], param)))
    return failure();
  for (const Expr *operand : llvm::drop_begin(annotation.operands, 2))
    if (failed(dim(*operand, param)))
      return failure();
  bool none = decl.defaultValue && decl.defaultValue->kind == ExprKind::Literal &&
              isNone(decl.defaultValue->value);
  if (none != param.optional || (decl.defaultValue && !none))
    return source.error(decl.loc) << "an optional tensor is written `" << decl.name
                                  << ": Tensor[...] | None = None`";
  if (decl.keywordOnly)
    return source.error(decl.loc) << "the tensor `" << decl.name << "` belongs before the `*`";
  return success();
}

/// Whether a value may stand for a `type` ("bool", "int", …); an int is made a float.
static bool fits(ConstValue &value, StringRef type) {
  if (type == "float" && std::holds_alternative<int64_t>(value))
    value = double(std::get<int64_t>(value));
  return typeOf(value) == type;
}

LogicalResult ParamChecker::scalar(const ParamDecl &decl, Dtype dtype, Param &param) {
  param.kind = Param::Scalar;
  param.dtype = dtype;
  if (dtype != Dtype::F32 && dtype != Dtype::I32 && dtype != Dtype::I64 && dtype != Dtype::Bool)
    return source.error(decl.annotation->loc)
           << "a scalar is `f32`, `i32`, `i64` or `bool`, not `" << dtypeName(dtype) << "`";
  if (decl.keywordOnly)
    return source.error(decl.loc) << "the scalar `" << decl.name
                                  << "` belongs before the `*`: after it stand `const` and `tune`";
  if (!decl.defaultValue)
    return success();
  param.defaultValue = value(*decl.defaultValue);
  if (!param.defaultValue)
    return failure();
  StringRef type = dtype == Dtype::F32 ? "float" : dtype == Dtype::Bool ? "bool" : "int";
  if (!fits(*param.defaultValue, type))
    return source.error(decl.defaultValue->loc) << "the default `" << toString(*param.defaultValue)
                                                << "` is not of type `" << dtypeName(dtype) << "`";
  return success();
}

LogicalResult ParamChecker::constant(const ParamDecl &decl, Param &param) {
  param.kind = Param::Const;
  const Expr &annotation = *decl.annotation;
  StringRef type = annotation.operands.size() == 2 ? nameOf(annotation.operands[1]) : "";
  if (type != "bool" && type != "int" && type != "float" && type != "dtype")
    return source.error(annotation.loc)
           << "`const` takes `bool`, `int`, `float` or `dtype`: `const[int]`";
  param.constType = type.str();
  if (!decl.defaultValue)
    return success();
  param.defaultValue = value(*decl.defaultValue);
  if (!param.defaultValue)
    return failure();
  if (!fits(*param.defaultValue, type))
    return source.error(decl.defaultValue->loc) << "the default `" << toString(*param.defaultValue)
                                                << "` is not of type `" << type << "`";
  return success();
}

LogicalResult ParamChecker::tune(const ParamDecl &decl, Param &param) {
  param.kind = Param::Tune;
  for (const Expr *operand : llvm::drop_begin(decl.annotation->operands)) {
    std::optional<ConstValue> candidate = value(*operand);
    if (!candidate)
      return failure();
    if (!std::holds_alternative<int64_t>(*candidate) && !std::holds_alternative<bool>(*candidate))
      return source.error(operand->loc)
             << "a candidate is an integer or a bool, not `" << toString(*candidate) << "`";
    param.candidates.push_back(*candidate);
  }
  if (!decl.defaultValue)
    return source.error(decl.loc) << "`" << decl.name << "` needs a default: `" << decl.name
                                  << ": tune[...] = " << toString(param.candidates[0]) << "`";
  param.defaultValue = value(*decl.defaultValue);
  if (!param.defaultValue)
    return failure();
  if (!llvm::is_contained(param.candidates, *param.defaultValue)) {
    std::string list;
    for (const ConstValue &candidate : param.candidates)
      list += (list.empty() ? "" : ", ") + toString(candidate);
    return source.error(decl.defaultValue->loc)
           << "the default `" << toString(*param.defaultValue) << "` of `" << decl.name
           << "` is not among the candidates " << list;
  }
  return success();
}

LogicalResult ParamChecker::param(const ParamDecl &decl) {
  Param &param = signature.params.emplace_back();
  param.name = decl.name.str();
  const Expr *annotation = decl.annotation;
  if (!annotation)
    return source.error(decl.loc) << "the parameter `" << decl.name
                                  << "` needs a type, such as `Tensor[f32, N]` or `f32`";
  if (annotation->kind == ExprKind::Binary && annotation->op == TokenKind::Pipe &&
      annotation->operands[1]->kind == ExprKind::Literal &&
      isNone(annotation->operands[1]->value)) {
    param.optional = true;
    annotation = annotation->operands[0];
  }
  StringRef marker = annotation->kind == ExprKind::Subscript ? nameOf(annotation->operands[0]) : "";
  if (marker == "Tensor")
    return tensor(decl, *annotation, param);
  if (param.optional)
    return source.error(decl.loc) << "only a tensor can be optional";
  if (marker == "const" || marker == "tune") {
    if (!decl.keywordOnly)
      return source.error(decl.loc)
             << "`" << decl.name << "` is a `" << marker << "` parameter and belongs after a `*`";
    return marker == "const" ? constant(decl, param) : tune(decl, param);
  }
  StringRef name = nameOf(annotation);
  if (std::optional<Dtype> dtype = dtypeFromName(name))
    return scalar(decl, *dtype, param);
  StringRef written = marker.empty() ? name : marker;
  return source.error(annotation->loc)
         << "a parameter is a `Tensor[...]`, a scalar (`f32`, `i32`, `i64`, `bool`), `const[...]` "
            "or `tune[...]`"
         << (written.empty() ? "" : ", not `" + written.str() + "`")
         << suggest(written, {"Tensor", "const", "tune", "f32", "i32", "i64", "bool"});
}

} // namespace

LogicalResult tilewright::frontend::checkParams(const Source &source, const Program::Impl &program,
                                                const FunctionDecl &function,
                                                Signature &signature) {
  ParamChecker checker(source, program, signature);
  for (const ParamDecl &decl : function.params)
    if (failed(checker.param(decl)))
      return failure();
  return success();
}
