//===- Printer.h - statements and expressions of a kernel -------------------------------------===//
//
// An op without side effects whose value is used once is not printed as a statement: its text waits
// and becomes a part of its user's expression. It gets a name if the expression would be too long,
// if it would move into a loop, or if an operand is about to change.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_PRINTER_H
#define TILEWRIGHT_CODEGEN_PRINTER_H

#include "codegen/MadeFunctions.h"
#include "codegen/Names.h"
#include "codegen/PrintCuda.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"

#include <map>
#include <optional>
#include <string>

namespace tilewright::codegen {

/// How tightly the outermost operator of an expression binds, as in C++.
enum class Binding {
  Conditional,
  Or,
  And,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relation,
  Shift,
  Sum,
  Product,
  Unary,
  Primary
};

/// An expression's text.
struct Text {
  std::string text;
  Binding binding = Binding::Primary;
};

/// The text of a constant: `1e-05f`, `bf16(0x3f80)`; nothing if it has none. With `typed`, an
/// integer that C++ would take for an i32 shows its type: `i64(4)`.
std::optional<Text> literal(mlir::TypedAttr value, bool typed);

/// The C++ type that holds a value of type `type`, or none.
std::optional<llvm::StringRef> typeName(mlir::Type type);

struct Spelling;

class Printer {
public:
  explicit Printer(const PrintOptions &options) : options(options) {}

  /// Prints the ops of a block, but not its terminator.
  mlir::LogicalResult printBody(mlir::Block &block);

  //===- For expressions: each operand may be asked for once -----------------------------------===

  /// An operand's text. With `typed`, its literals show their type: i64(4).
  Text text(mlir::Value value, bool typed = false);
  /// The same, in parentheses if it binds less tightly than `least`.
  std::string operand(mlir::Value value, Binding least = Binding::Conditional);
  std::string typedOperand(mlir::Value value, Binding least = Binding::Conditional);
  Text binary(mlir::Value lhs, llvm::StringRef op, mlir::Value rhs, Binding binding);
  /// `function(operands…)`
  Text call(const llvm::Twine &function, mlir::ValueRange operands);
  /// `regs[index]`
  std::string element(mlir::Value regs, mlir::Value index);
  /// Notes that the expression reads a register array.
  void noteRead(mlir::Value regs) { current.reads.push_back(regs); }
  /// Gives a name to an operand that all lanes of a warp must evaluate together.
  void nameConvergent(mlir::Value value);
  /// Gives a name to an operand whose value may change while a loop runs.
  void nameUnstable(mlir::Value value);

  //===- For statements ------------------------------------------------------------------------===

  void line(const llvm::Twine &text);
  void openBlock(const llvm::Twine &head);
  void closeBlock();
  /// Ends a block and starts another: `} else {`.
  void nextBlock(llvm::StringRef text);
  /// Removes a block that is empty, from its head at `position` on.
  void closeEmptyBlock(size_t position);
  /// Declares a variable for `value`, initialised if `initial` is not empty.
  std::string declare(mlir::Value value, const llvm::Twine &initial, bool constant);
  /// Gives `value` the name `name`; the value of a variable may change.
  void bind(mlir::Value value, const llvm::Twine &name, bool variable = false);
  /// Names the longest operands while the text of `op` would be too long.
  void shorten(mlir::Operation *op);
  /// Assigns values to variables, all at once.
  void assign(llvm::ArrayRef<std::string> variables, mlir::ValueRange values);
  /// Gives names to expressions that cannot wait until the regions of `op` have run, except its
  /// operands.
  void settle(mlir::Operation *op, bool loop);
  /// Emits the `#line` and the comment of a statement.
  void locate(mlir::Location location);

  /// Notes that the kernel calls `function`, and returns its name.
  std::string made(MadeFunction function);

  std::string takeOutput() { return std::move(output); }
  /// The definitions of all generated functions.
  std::string takeMade();
  size_t position() const { return output.size(); }
  Names names;

private:
  /// What an expression depends on besides the values it names.
  struct Dependence {
    llvm::SmallVector<mlir::Value, 2> reads;     // register arrays
    llvm::SmallVector<std::string, 2> variables; // loop-carried ones
    bool convergent = false;
    void add(const Dependence &other);
  };
  struct Waiting : Dependence {
    Text text;
  };
  struct Named {
    std::string name;
    bool variable;
  };

  /// Tells the options where a statement begins.
  void note(mlir::FileLineColLoc place);
  std::string indentation() const { return std::string(2 * depth, ' '); }
  mlir::LogicalResult print(mlir::Operation *op);
  mlir::LogicalResult printExpression(mlir::Operation *op, const Spelling &spelling);
  /// Prints the statement that names a waiting value.
  void define(mlir::Value value);
  /// Gives names to expressions that read a register array which `op` writes.
  void settleWrites(mlir::Operation *op);

  const PrintOptions &options;
  std::string output;
  std::map<std::string, std::string> madeFunctions; // texts by name
  unsigned depth = 0;
  llvm::DenseMap<mlir::Value, Named> named;
  llvm::DenseMap<mlir::Value, Waiting> waiting;
  llvm::SmallVector<mlir::Value> waitingOrder;
  Dependence current;                                        // of the expression being built
  std::optional<std::pair<std::string, unsigned>> commented; // the source line last shown
  std::optional<std::pair<std::string, unsigned>>
      directed; // the position that the compiler assumes
};

} // namespace tilewright::codegen

#endif
