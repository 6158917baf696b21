//===- ParserImpl.h - the parser's state, shared by ParseExprs and ParseStmts -----------------===//
#ifndef TILEWRIGHT_FRONTEND_PARSERIMPL_H
#define TILEWRIGHT_FRONTEND_PARSERIMPL_H

#include "frontend/Ast.h"

namespace tilewright::frontend {

/// Recursive descent. Functions that give a node give null after an error, which they reported.
class Parser {
public:
  Parser(const Source &source, llvm::ArrayRef<Token> tokens, Ast &ast)
      : source(source), tokens(tokens), ast(ast) {}

  mlir::LogicalResult file();

private:
  // Tokens.
  const Token &peek(unsigned ahead = 0) const {
    return tokens[std::min<size_t>(pos + ahead, tokens.size() - 1)];
  }
  bool at(TokenKind kind) const { return peek().kind == kind; }
  const Token &take() { return tokens[pos + 1 < tokens.size() ? pos++ : pos]; }
  bool accept(TokenKind kind) { return at(kind) && (take(), true); }
  mlir::LogicalResult expect(TokenKind kind, llvm::StringRef where);
  mlir::InFlightDiagnostic unexpected(llvm::StringRef wanted);
  std::nullptr_t unsupported();

  // Expressions.
  Expr *expr();
  Expr *exprs(); // a tuple when there is a comma
  Expr *logical(TokenKind op);
  Expr *negation();
  Expr *comparison();
  Expr *binary(int precedence);
  Expr *unary();
  Expr *power();
  Expr *postfix();
  Expr *atom();
  Expr *parenthesis();
  Expr *integer();
  Expr *floating();
  Expr *string();
  Expr *call(Expr *callee);
  Expr *subscripts(Expr *base);
  Expr *subscript();
  Expr *make(ExprKind kind, Loc loc, llvm::ArrayRef<Expr *> operands = {},
             TokenKind op = TokenKind::End);
  bool startsExpr() const;

  // Statements.
  mlir::LogicalResult statement(std::vector<Stmt *> &block);
  Stmt *simple();
  Stmt *assignment();
  Stmt *assertion();
  Stmt *ifStatement();
  Stmt *loop();
  mlir::LogicalResult suite(std::vector<Stmt *> &block, llvm::StringRef after);
  mlir::LogicalResult checkTarget(const Expr *target, bool nested = false);
  mlir::LogicalResult endOfLine();
  Stmt *make(StmtKind kind, Loc loc);

  // Files.
  mlir::LogicalResult import();
  mlir::LogicalResult function();
  mlir::LogicalResult params(FunctionDecl &decl);

  /// Counts the recursion; false, with an error, when it is too deep.
  struct Nesting {
    explicit Nesting(Parser &parser) : parser(parser) { ++parser.depth; }
    ~Nesting() { --parser.depth; }
    bool tooDeep();
    Parser &parser;
  };

  const Source &source;
  llvm::ArrayRef<Token> tokens;
  Ast &ast;
  size_t pos = 0;
  unsigned depth = 0;
};

} // namespace tilewright::frontend

#endif
