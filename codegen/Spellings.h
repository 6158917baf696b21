//===- Spellings.h - the table from op names to their text ------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_SPELLINGS_H
#define TILEWRIGHT_CODEGEN_SPELLINGS_H

#include "codegen/Printer.h"

#include "llvm/ADT/StringMap.h"

#include <functional>

namespace tilewright::codegen {

/// How one op prints: as an expression, or as a statement.
struct Spelling {
  /// Empty text: this form of the op has no spelling.
  std::function<Text(Printer &, mlir::Operation *)> expression;
  std::function<mlir::LogicalResult(Printer &, mlir::Operation *)> statement;
  /// The expression has a name even if it is used once.
  bool alwaysNamed = false;
  /// All lanes of a warp evaluate the expression together.
  bool convergent = false;
};

class Spellings {
public:
  /// Prints `Op` as the expression that `spell(Printer &, Op)` gives.
  template <typename Op, typename Fn> Spelling &expression(Fn spell) {
    Spelling &spelling = table[Op::getOperationName()];
    spelling.expression = [spell](Printer &p, mlir::Operation *op) -> Text {
      return spell(p, llvm::cast<Op>(op));
    };
    return spelling;
  }

  /// Prints `Op` as what `print(Printer &, Op)` emits.
  template <typename Op, typename Fn> void statement(Fn print) {
    table[Op::getOperationName()].statement = [print](Printer &p, mlir::Operation *op) {
      return print(p, llvm::cast<Op>(op));
    };
  }

  const Spelling *find(mlir::OperationName name) const {
    auto found = table.find(name.getStringRef());
    return found == table.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<Spelling> table;
};

/// The table of all ops, made from these groups.
const Spellings &allSpellings();

void addIntegers(Spellings &spellings);
void addFloats(Spellings &spellings);
void addConversions(Spellings &spellings);
void addControl(Spellings &spellings);
void addRegisters(Spellings &spellings);
void addGlobal(Spellings &spellings);
void addShared(Spellings &spellings);
void addWarp(Spellings &spellings);
void addAsync(Spellings &spellings);
void addTimeline(Spellings &spellings);

} // namespace tilewright::codegen

#endif
