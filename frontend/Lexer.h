//===- Lexer.h - text to tokens ---------------------------------------------------------------===//
#ifndef TILEWRIGHT_FRONTEND_LEXER_H
#define TILEWRIGHT_FRONTEND_LEXER_H

#include "frontend/Source.h"

#include <vector>

namespace tilewright::frontend {

enum class TokenKind {
#define TOKEN(name, text) name,
#define PUNCT(name, text) name,
#define KEYWORD(name, text) Kw##name,
#include "frontend/Tokens.def"
};

/// The spelling of punctuation or a keyword, a description of any other kind.
llvm::StringRef spelling(TokenKind kind);

struct Token {
  TokenKind kind;
  Loc loc;
  llvm::StringRef text; // a string without its quotes
};

/// Tokens up to and with End. Indentation becomes Indent and Dedent; lines inside brackets join.
mlir::LogicalResult lex(const Source &source, std::vector<Token> &tokens);

} // namespace tilewright::frontend

#endif
