//===- Ast.h - what the parser makes: plain nodes in one arena --------------------------------===//
#ifndef TILEWRIGHT_FRONTEND_AST_H
#define TILEWRIGHT_FRONTEND_AST_H

#include "frontend/Frontend.h"
#include "frontend/Lexer.h"
#include "llvm/ADT/SmallVector.h"

#include <deque>

namespace tilewright::frontend {

struct Expr;

struct Keyword {
  llvm::StringRef name;
  Loc loc;
  Expr *value;
};

enum class ExprKind {
  Name,        // name
  Literal,     // value
  Unary,       // op operands[0]           op: Minus, Plus, Tilde, KwNot
  Binary,      // operands[0] op operands[1]
  Compare,     // likewise; op KwIs with `negated` for `is not`
  Logical,     // likewise; op KwAnd, KwOr
  Conditional, // operands: then, condition, else
  Call,        // operands: callee, arguments…; keywords
  Subscript,   // operands: base, subscripts…
  Attribute,   // operands[0] . name
  Tuple,       // operands
  Slice,       // lower : upper : step, each null when absent
};

struct Expr {
  ExprKind kind = ExprKind::Literal;
  Loc loc;
  TokenKind op = TokenKind::End;
  bool negated = false;
  llvm::StringRef name;
  ConstValue value;
  llvm::SmallVector<Expr *, 3> operands;
  std::vector<Keyword> keywords;
  unsigned depth = 1;
};

enum class StmtKind {
  Assign,   // target = value, or target op= value when op is set
  Evaluate, // value
  For,      // for target in value: body
  While,    // while value: body
  If,       // if value: body else: orElse
  Assert,   // assert value, message
  Return,   // return value (may be null)
  Pass,
};

struct Stmt {
  StmtKind kind;
  Loc loc;
  TokenKind op = TokenKind::End;
  Expr *target = nullptr, *value = nullptr;
  std::string message;
  std::vector<Stmt *> body, orElse;
};

struct ParamDecl {
  llvm::StringRef name;
  Loc loc;
  Expr *annotation = nullptr, *defaultValue = nullptr;
  bool keywordOnly = false;
};

struct FunctionDecl {
  llvm::StringRef name;
  Loc loc;
  bool isKernel = false;
  std::vector<ParamDecl> params;
  std::vector<Stmt *> body;
  std::string doc;
};

/// A file: its module-level assignments and functions, in order, and the arena that holds them.
struct Ast {
  std::vector<Stmt *> assignments;
  std::vector<FunctionDecl *> functions;
  std::deque<Expr> exprs;
  std::deque<Stmt> stmts;
  std::deque<FunctionDecl> decls;
};

} // namespace tilewright::frontend

#endif
