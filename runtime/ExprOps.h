//===- ExprOps.h - The operator table of Expr -------------------*- C++ -*-===//

#pragma once

#include "runtime/Expr.h"

#include <array>

namespace tilewright::runtime {

enum class ExprForm : uint8_t { Leaf, Infix, Prefix, Call };

struct ExprOpInfo {
  ExprOp op;
  std::string_view spelling;
  ExprForm form;
  int precedence;
};

inline constexpr std::array kExprOps = {
    ExprOpInfo{ExprOp::Constant, "", ExprForm::Leaf, 9},
    ExprOpInfo{ExprOp::Name, "", ExprForm::Leaf, 9},
#define TILEWRIGHT_EXPR_OP(enumerator, spelling, form, precedence)                                 \
  ExprOpInfo{ExprOp::enumerator, spelling, ExprForm::form, precedence},
#include "runtime/Expr.def"
};

constexpr const ExprOpInfo &exprOpInfo(ExprOp op) { return kExprOps[static_cast<size_t>(op)]; }

} // namespace tilewright::runtime
