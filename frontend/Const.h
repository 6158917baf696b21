//===- Const.h - arithmetic on compile-time values --------------------------------------------===//
#ifndef TILEWRIGHT_FRONTEND_CONST_H
#define TILEWRIGHT_FRONTEND_CONST_H

#include "frontend/Ast.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewright::frontend {

inline bool isNone(const ConstValue &value) { return value.index() == 0; }
inline bool isNumber(const ConstValue &v) { return v.index() >= 1 && v.index() <= 3; }

/// "bool", "int", …: the type of a value as the language names it.
llvm::StringRef typeOf(const ConstValue &value);

/// An int or bool as an integer.
std::optional<int64_t> asInt(const ConstValue &value);
/// Any number as a double.
double asDouble(const ConstValue &value);
/// What `if` makes of a value; nothing for strings and dtypes.
std::optional<bool> truth(const ConstValue &value);

/// The results of Python's operators. Nothing with a message in `error` when there is none.
std::optional<ConstValue> foldUnary(TokenKind op, const ConstValue &operand, std::string &error);
std::optional<ConstValue> foldBinary(TokenKind op, const ConstValue &left, const ConstValue &right,
                                     std::string &error);
std::optional<ConstValue> foldCompare(TokenKind op, const ConstValue &left, const ConstValue &right,
                                      std::string &error);

/// The value of an expression of constants; names are looked up. Nothing after an error, which it
/// reported.
std::optional<ConstValue>
evaluate(const Source &source, const Expr &expr,
         llvm::function_ref<std::optional<ConstValue>(llvm::StringRef)> lookUp);

} // namespace tilewright::frontend

#endif
