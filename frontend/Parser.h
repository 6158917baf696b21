//===- Parser.h - tokens to syntax tree; the grammar is grammar.txt ---------------------------===//
#ifndef TILEWRIGHT_FRONTEND_PARSER_H
#define TILEWRIGHT_FRONTEND_PARSER_H

#include "frontend/Ast.h"

namespace tilewright::frontend {

/// Stops at the first error. Nodes refer to the source's text.
mlir::LogicalResult parse(const Source &source, llvm::ArrayRef<Token> tokens, Ast &ast);

} // namespace tilewright::frontend

#endif
