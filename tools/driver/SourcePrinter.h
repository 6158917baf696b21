//===- SourcePrinter.h - how a `tile` program becomes text ------------------------------------===//
//
// Every value becomes a variable, but for those that read better where they are used: literals,
// sizes, ranges of indices, and values that are used once by arithmetic. Broadcasts are left to the
// language, where what is computed has the right shape without them.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_SOURCEPRINTER_H
#define TILEWRIGHT_TOOLS_DRIVER_SOURCEPRINTER_H

#include "ir/tile/Tile.h"
#include "support/ErrorOr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSet.h"

namespace tilewright::driver {

/// An expression, with how tightly its outermost operator binds, and the shape that it has.
struct Words {
  enum Level { Choice, Compare, Bits, Sum, Product, Atom };
  std::string text;
  Level level = Atom;
  llvm::SmallVector<int64_t> shape = {};

  std::string in(Level around) const { return level < around ? "(" + text + ")" : text; }
};

class SourcePrinter {
public:
  explicit SourcePrinter(mlir::func::FuncOp kernel);
  ErrorOr<std::string> print();

private:
  // The frame.
  void header();
  std::string parameter(mlir::BlockArgument argument);
  void block(mlir::Block &block);
  void statement(mlir::Operation *op);
  void loop(mlir::scf::ForOp loop);
  void branch(mlir::scf::IfOp branch);
  void line(const std::string &text) { body += std::string(indent * 4, ' ') + text + "\n"; }
  void assign(mlir::ValueRange names, llvm::ArrayRef<std::string> values);

  // Names.
  std::string fresh(llvm::StringRef wanted);
  std::string nameOf(mlir::Value value);
  std::string nameOfSize(mlir::Value view, int64_t axis);

  // Expressions.
  Words words(mlir::Value value);
  Words explicitly(mlir::Value value);
  Words elementwise(mlir::Operation *op, llvm::ArrayRef<Words> operands, const std::string &text,
                    Words::Level level = Words::Atom);
  Words compute(mlir::Operation *op);
  Words binary(mlir::Operation *op, llvm::StringRef sign, Words::Level level);
  Words call(mlir::Operation *op, llvm::StringRef function);
  Words bits(mlir::Operation *op, llvm::StringRef sign, llvm::StringRef word);
  std::string access(mlir::Value view, mlir::ValueRange indices, llvm::ArrayRef<int64_t> extents);
  std::string blockOf(mlir::Value start);
  std::string index(mlir::Value view, int64_t axis, mlir::Value index, int64_t extent);
  std::string literal(mlir::Attribute value);
  void refuse(mlir::Operation *op, const std::string &why);

  mlir::func::FuncOp kernel;
  std::string head, body;
  size_t indent = 1;
  llvm::StringSet<> used;
  llvm::DenseMap<mlir::Value, std::string> names;
  std::vector<std::string> dims;
  std::optional<Error> error;
};

/// Whether an op's value is written where it is used.
bool isInline(mlir::Operation *op);
/// The extent n of a block [i n, i n + n) whose start is used for nothing else; else 0.
int64_t extentOfBlock(mlir::Value start);
/// The language's name of a value's elements.
std::string dtypeOf(mlir::Type type);

} // namespace tilewright::driver

#endif
