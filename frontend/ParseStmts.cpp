#include "frontend/Parser.h"
#include "frontend/ParserImpl.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilewright::frontend;
using llvm::StringRef;

//===- Tokens ---------------------------------------------------------------------------------===//

/// A token as an error message names it.
static std::string describe(const Token &token) {
  switch (token.kind) {
  case TokenKind::End:
  case TokenKind::Newline:
  case TokenKind::Indent:
  case TokenKind::Dedent:
  case TokenKind::String:
    return spelling(token.kind).str();
  default:
    return ("`" + token.text.take_front(40) + "`").str();
  }
}

InFlightDiagnostic Parser::unexpected(StringRef wanted) {
  return source.error(peek().loc) << "expected " << wanted << ", found " << describe(peek());
}

LogicalResult Parser::expect(TokenKind kind, StringRef where) {
  if (accept(kind))
    return success();
  bool described = kind == TokenKind::Name || kind == TokenKind::Newline ||
                   kind == TokenKind::Indent || kind == TokenKind::String;
  StringRef quote = described ? "" : "`";
  if (at(TokenKind::Unsupported))
    return unsupported(), failure();
  return unexpected((quote + spelling(kind) + quote + " " + where).str());
}

std::nullptr_t Parser::unsupported() {
  const Token &token = peek();
  StringRef hint = llvm::StringSwitch<StringRef>(token.text)
#define UNSUPPORTED(text, hint) .Case(text, hint)
#include "frontend/Tokens.def"
                       .Default("");
  source.error(token.loc) << "`" << token.text << "` is not supported: " << hint;
  return nullptr;
}

//===- Statements -----------------------------------------------------------------------------===//

Stmt *Parser::make(StmtKind kind, Loc loc) {
  Stmt &node = ast.stmts.emplace_back();
  node.kind = kind;
  node.loc = loc;
  return &node;
}

LogicalResult Parser::endOfLine() {
  if (at(TokenKind::Semicolon))
    return source.error(peek().loc) << "`;` is not supported: write one statement per line";
  return expect(TokenKind::Newline, "after the statement");
}

LogicalResult Parser::statement(std::vector<Stmt *> &block) {
  Nesting nesting(*this);
  if (nesting.tooDeep())
    return failure();
  Stmt *stmt = nullptr;
  switch (peek().kind) {
  case TokenKind::KwIf:
    stmt = ifStatement();
    break;
  case TokenKind::KwFor:
  case TokenKind::KwWhile:
    stmt = loop();
    break;
  case TokenKind::Indent:
    return source.error(peek().loc) << "the line is indented but opens no block";
  case TokenKind::KwDef:
  case TokenKind::At:
    return source.error(peek().loc) << "functions inside functions are not supported: move it to "
                                       "the top of the file as an `@inline def`";
  case TokenKind::KwElse:
  case TokenKind::KwElif:
    return source.error(peek().loc) << "`" << peek().text << "` belongs to no `if`";
  case TokenKind::KwFrom:
  case TokenKind::KwImport:
    return source.error(peek().loc) << "imports inside functions are not supported";
  default:
    stmt = simple();
    if (stmt && failed(endOfLine()))
      return failure();
  }
  if (!stmt)
    return failure();
  block.push_back(stmt);
  return success();
}

Stmt *Parser::simple() {
  Loc loc = peek().loc;
  if (accept(TokenKind::KwPass))
    return make(StmtKind::Pass, loc);
  if (at(TokenKind::KwAssert))
    return assertion();
  if (accept(TokenKind::KwReturn)) {
    Stmt *stmt = make(StmtKind::Return, loc);
    if (startsExpr() && !(stmt->value = exprs()))
      return nullptr;
    return stmt;
  }
  return assignment();
}

Stmt *Parser::assertion() {
  Stmt *stmt = make(StmtKind::Assert, take().loc);
  stmt->value = expr();
  if (!stmt->value)
    return nullptr;
  stmt->message = "assertion failed";
  if (accept(TokenKind::Comma)) {
    if (!at(TokenKind::String)) {
      unexpected("the assertion's message as a string");
      return nullptr;
    }
    Expr *text = string();
    stmt->message = std::get<std::string>(text->value);
  }
  return stmt;
}

/// The operator of `op=`, or End.
static TokenKind augmented(TokenKind kind) {
  switch (kind) {
  case TokenKind::PlusEqual:
    return TokenKind::Plus;
  case TokenKind::MinusEqual:
    return TokenKind::Minus;
  case TokenKind::StarEqual:
    return TokenKind::Star;
  case TokenKind::SlashEqual:
    return TokenKind::Slash;
  case TokenKind::SlashSlashEqual:
    return TokenKind::SlashSlash;
  case TokenKind::PercentEqual:
    return TokenKind::Percent;
  case TokenKind::StarStarEqual:
    return TokenKind::StarStar;
  case TokenKind::AmpEqual:
    return TokenKind::Amp;
  case TokenKind::PipeEqual:
    return TokenKind::Pipe;
  case TokenKind::CaretEqual:
    return TokenKind::Caret;
  case TokenKind::LessLessEqual:
    return TokenKind::LessLess;
  case TokenKind::GreaterGreaterEqual:
    return TokenKind::GreaterGreater;
  default:
    return TokenKind::End;
  }
}

LogicalResult Parser::checkTarget(const Expr *target, bool nested) {
  if (target->kind == ExprKind::Name || target->kind == ExprKind::Subscript)
    return success();
  if (target->kind == ExprKind::Tuple && !nested && !target->operands.empty()) {
    for (const Expr *element : target->operands)
      if (failed(checkTarget(element, /*nested=*/true)))
        return failure();
    return success();
  }
  return source.error(target->loc)
         << "only a variable, a tensor's slice or a tuple of these can be assigned";
}

Stmt *Parser::assignment() {
  Loc loc = peek().loc;
  Expr *target = exprs();
  if (!target)
    return nullptr;
  TokenKind op = augmented(peek().kind);
  if (at(TokenKind::AtEqual)) {
    source.error(peek().loc) << "`@=` is not supported: write `acc += dot(a, b)`";
    return nullptr;
  }
  if (at(TokenKind::Colon) && target->kind == ExprKind::Name) {
    source.error(peek().loc) << "annotations on variables are not supported: write `"
                             << target->name << " = ...`";
    return nullptr;
  }
  if (!at(TokenKind::Equal) && op == TokenKind::End) {
    Stmt *stmt = make(StmtKind::Evaluate, loc);
    stmt->value = target;
    return stmt;
  }
  take();
  if (failed(checkTarget(target, /*nested=*/op != TokenKind::End)))
    return nullptr;
  Stmt *stmt = make(StmtKind::Assign, loc);
  stmt->op = op;
  stmt->target = target;
  stmt->value = exprs();
  if (stmt->value && at(TokenKind::Equal)) {
    source.error(peek().loc) << "chained assignments are not supported: write one per line";
    return nullptr;
  }
  return stmt->value ? stmt : nullptr;
}

LogicalResult Parser::suite(std::vector<Stmt *> &block, StringRef after) {
  if (failed(expect(TokenKind::Colon, ("after `" + after + "`").str())))
    return failure();
  if (!at(TokenKind::Newline)) {
    Stmt *stmt = simple();
    if (!stmt || failed(endOfLine()))
      return failure();
    block.push_back(stmt);
    return success();
  }
  take();
  if (!at(TokenKind::Indent))
    return source.error(peek().loc) << "expected an indented block after `" << after << "`";
  take();
  while (!at(TokenKind::Dedent) && !at(TokenKind::End))
    if (failed(statement(block)))
      return failure();
  accept(TokenKind::Dedent);
  return success();
}

/// `elif` nests in `else`; each counts as one level, so a long chain is an error, not a crash.
Stmt *Parser::ifStatement() {
  Nesting nesting(*this);
  if (nesting.tooDeep())
    return nullptr;
  const Token &keyword = take();
  Stmt *stmt = make(StmtKind::If, keyword.loc);
  stmt->value = expr();
  if (!stmt->value || failed(suite(stmt->body, keyword.text)))
    return nullptr;
  if (at(TokenKind::KwElif)) {
    Stmt *rest = ifStatement();
    if (!rest)
      return nullptr;
    stmt->orElse.push_back(rest);
  } else if (accept(TokenKind::KwElse)) {
    if (failed(suite(stmt->orElse, "else")))
      return nullptr;
  }
  return stmt;
}

Stmt *Parser::loop() {
  const Token &keyword = take();
  bool isFor = keyword.kind == TokenKind::KwFor;
  Stmt *stmt = make(isFor ? StmtKind::For : StmtKind::While, keyword.loc);
  if (isFor) {
    const Token &name = peek();
    if (failed(expect(TokenKind::Name, "after `for`")))
      return nullptr;
    stmt->target = make(ExprKind::Name, name.loc);
    stmt->target->name = name.text;
    if (at(TokenKind::Comma)) {
      source.error(peek().loc) << "a `for` loop has one variable";
      return nullptr;
    }
    if (failed(expect(TokenKind::KwIn, "after the loop's variable")))
      return nullptr;
  }
  stmt->value = expr();
  if (!stmt->value || failed(suite(stmt->body, keyword.text)))
    return nullptr;
  if (at(TokenKind::KwElse)) {
    source.error(peek().loc) << "`else` after a loop is not supported";
    return nullptr;
  }
  return stmt;
}

//===- Files ----------------------------------------------------------------------------------===//

LogicalResult Parser::import() {
  Loc loc = peek().loc;
  bool from = take().kind == TokenKind::KwFrom;
  StringRef module = peek().text;
  if (!from || (module != "tilewright" && module != "__future__"))
    return source.error(loc) << "only `from tilewright import *` can be imported"
                             << (at(TokenKind::Name) ? ", not `" + module.str() + "`" : "");
  take();
  if (failed(expect(TokenKind::KwImport, "after the module")))
    return failure();
  if (!accept(TokenKind::Star)) {
    bool bracket = accept(TokenKind::LParen);
    do {
      if (failed(expect(TokenKind::Name, "to import")))
        return failure();
    } while (accept(TokenKind::Comma) && at(TokenKind::Name));
    if (bracket && failed(expect(TokenKind::RParen, "after the names")))
      return failure();
  }
  return endOfLine();
}

LogicalResult Parser::params(FunctionDecl &decl) {
  bool keywordOnly = false;
  while (!at(TokenKind::RParen)) {
    if (at(TokenKind::StarStar) || (at(TokenKind::Star) && peek(1).kind == TokenKind::Name))
      return source.error(peek().loc)
             << "`" << peek().text << peek(1).text << "` is not supported: name each parameter";
    if (at(TokenKind::Slash))
      return source.error(peek().loc) << "`/` among parameters is not supported";
    if (accept(TokenKind::Star)) {
      if (keywordOnly)
        return source.error(peek().loc) << "`*` is given twice";
      keywordOnly = true;
    } else {
      ParamDecl param{peek().text, peek().loc};
      param.keywordOnly = keywordOnly;
      if (failed(expect(TokenKind::Name, "for a parameter")))
        return failure();
      if (accept(TokenKind::Colon) && !(param.annotation = expr()))
        return failure();
      if (accept(TokenKind::Equal) && !(param.defaultValue = expr()))
        return failure();
      for (const ParamDecl &other : decl.params)
        if (other.name == param.name)
          return source.error(param.loc) << "the parameter `" << param.name << "` is given twice";
      if (!keywordOnly && !param.defaultValue && !decl.params.empty() &&
          decl.params.back().defaultValue)
        return source.error(param.loc) << "`" << param.name << "` has no default but follows `"
                                       << decl.params.back().name << "`, which has one";
      decl.params.push_back(param);
    }
    if (!accept(TokenKind::Comma))
      break;
  }
  return expect(TokenKind::RParen, "at the end of the parameters");
}

LogicalResult Parser::function() {
  bool isKernel = false;
  if (at(TokenKind::KwDef))
    return source.error(peek().loc)
           << "write `@kernel` or `@inline` above `def " << peek(1).text.take_front(40) << "`";
  take();
  Loc loc = peek().loc;
  Expr *decorator = expr();
  if (!decorator)
    return failure();
  StringRef name = decorator->name;
  if (decorator->kind != ExprKind::Name && decorator->kind != ExprKind::Attribute)
    name = "";
  if (name != "kernel" && name != "inline")
    return source.error(loc) << "unknown decorator" << (name.empty() ? "" : " `" + name.str() + "`")
                             << ": a function is an `@kernel` or an `@inline`";
  isKernel = name == "kernel";
  if (failed(endOfLine()))
    return failure();
  if (at(TokenKind::At))
    return source.error(peek().loc) << "a function has one decorator";
  if (failed(expect(TokenKind::KwDef, ("after `@" + name + "`").str())))
    return failure();
  FunctionDecl &decl = ast.decls.emplace_back();
  decl.name = peek().text;
  decl.loc = peek().loc;
  decl.isKernel = isKernel;
  if (failed(expect(TokenKind::Name, "after `def`")) ||
      failed(expect(TokenKind::LParen, "after the function's name")) || failed(params(decl)))
    return failure();
  if (accept(TokenKind::Arrow) && !expr())
    return failure();
  if (failed(suite(decl.body, "def")))
    return failure();
  const Stmt *first = decl.body.front();
  if (first->kind == StmtKind::Evaluate && first->value->kind == ExprKind::Literal &&
      std::holds_alternative<std::string>(first->value->value)) {
    decl.doc = std::get<std::string>(first->value->value);
    decl.body.erase(decl.body.begin());
  }
  ast.functions.push_back(&decl);
  return success();
}

LogicalResult Parser::file() {
  while (!at(TokenKind::End)) {
    LogicalResult result = success();
    switch (peek().kind) {
    case TokenKind::KwFrom:
    case TokenKind::KwImport:
      result = import();
      break;
    case TokenKind::At:
    case TokenKind::KwDef:
      result = function();
      break;
    case TokenKind::Newline:
      take();
      break;
    case TokenKind::String:
      result = string() ? endOfLine() : failure();
      break;
    case TokenKind::Unsupported:
      return unsupported(), failure();
    case TokenKind::Name:
      if (Stmt *stmt = assignment(); !stmt || failed(endOfLine())) {
        return failure();
      } else if (stmt->kind != StmtKind::Assign || stmt->op != TokenKind::End) {
        return source.error(stmt->loc) << "only imports, constants and functions stand at the top "
                                          "of a file";
      } else {
        ast.assignments.push_back(stmt);
      }
      break;
    case TokenKind::Indent:
      return source.error(peek().loc) << "the line is indented but opens no block";
    default:
      return source.error(peek().loc) << "only imports, constants and functions stand at the top "
                                         "of a file";
    }
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult tilewright::frontend::parse(const Source &source, llvm::ArrayRef<Token> tokens,
                                          Ast &ast) {
  return Parser(source, tokens, ast).file();
}
