//===- Lowering.h - the state of lowering one kernel, shared by the Lower*.cpp files ----------===//
//
// Lowering walks the syntax tree once, like an interpreter: what is known now (constants, dtypes,
// static dimensions, branches on these) is computed, the rest becomes operations. `Term` is what an
// expression stands for.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_FRONTEND_LOWERING_H
#define TILEWRIGHT_FRONTEND_LOWERING_H

#include "frontend/Builtins.h"
#include "frontend/Const.h"
#include "frontend/Sema.h"
#include "ir/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tilewright::frontend {

struct Term {
  enum Kind { Const, Scalar, Tile, Range, Tensor, Tuple };
  Kind kind = Const;
  ConstValue constant;
  mlir::Value value;            // the scalar, the tile, the first index of the range, the view
  int64_t extent = 0;           // of a range
  llvm::StringRef name;         // of the variable that a range was assigned to
  const Param *param = nullptr; // of a tensor
  std::vector<Term> elements;   // of a tuple

  static Term ofConst(ConstValue value) {
    Term term;
    term.constant = std::move(value);
    return term;
  }
  static Term of(mlir::Value value) {
    Term term;
    term.kind = mlir::isa<mlir::RankedTensorType>(value.getType()) ? Tile : Scalar;
    term.value = value;
    return term;
  }
  static Term ofRange(mlir::Value start, int64_t extent) {
    Term term;
    term.kind = Range;
    term.value = start;
    term.extent = extent;
    return term;
  }
  static Term ofTuple(std::vector<Term> elements) {
    Term term;
    term.kind = Tuple;
    term.elements = std::move(elements);
    return term;
  }
  /// Whether it can take part in arithmetic.
  bool isData() const {
    return kind == Scalar || kind == Tile || kind == Range || (kind == Const && isNumber(constant));
  }
  llvm::SmallVector<int64_t> shape() const;
  /// Null for a constant, whose type adapts.
  mlir::Type elementType() const;
};

/// The most elements that a tile may have.
inline constexpr int64_t kMaxTileElements = int64_t(1) << 22;
bool isTileSize(llvm::ArrayRef<int64_t> shape);

/// A type or a term as an error message names it.
std::string typeName(mlir::Type elementType);
std::string describe(const Term &term);
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// Whether an integer (or every element of a tile) is certain to be at least 0.
bool isNonNegative(mlir::Value value, unsigned depth = 8);

/// The elements that a subscript names, ready for tile.load, tile.store and tile.atomic.
struct Access {
  mlir::Value view;
  llvm::SmallVector<mlir::Value> indices;
  llvm::SmallVector<int64_t> extents, shape;
  mlir::Type elementType;
};

class Lowering {
public:
  Lowering(const Program::Impl &program, const FunctionDecl &kernel, const Signature &signature,
           const Specialisation &specialisation, mlir::MLIRContext &context)
      : program(program), kernel(kernel), signature(signature), specialisation(specialisation),
        source{program.text, program.file, &context}, builder(&context) {}

  mlir::OwningOpRef<mlir::ModuleOp> run();

private:
  using Result = mlir::FailureOr<Term>;
  struct Frame {
    llvm::StringMap<Term> variables;
    llvm::StringMap<const Stmt *> ended; // variables that ended with this loop or branch
    std::optional<Term> result;
    unsigned runtimeDepth; // of the call
  };

  // Lower.cpp: the kernel and its arguments.
  mlir::LogicalResult checkSpecialisation();
  mlir::LogicalResult checkConst(llvm::StringRef name, const ConstValue &value);
  mlir::LogicalResult checkKnown(llvm::StringRef what, llvm::StringRef name,
                                 llvm::ArrayRef<llvm::StringRef> candidates);
  bool isGiven(const Param &param) const;
  mlir::FailureOr<mlir::Type> viewType(const Param &param);
  mlir::FailureOr<mlir::func::FuncOp> function();
  Result dim(llvm::StringRef name, Loc loc);
  Result lookUp(llvm::StringRef name, Loc loc);

  // LowerStmts.cpp: statements and control flow.
  mlir::LogicalResult block(llvm::ArrayRef<Stmt *> stmts);
  mlir::LogicalResult statement(const Stmt &stmt);
  mlir::LogicalResult assignment(const Stmt &stmt);
  mlir::LogicalResult assign(const Expr &target, Term value);
  mlir::LogicalResult evaluateStmt(const Stmt &stmt);
  mlir::LogicalResult assertion(const Stmt &stmt);
  mlir::LogicalResult ifStatement(const Stmt &stmt);
  mlir::LogicalResult forLoop(const Stmt &stmt);
  mlir::LogicalResult whileLoop(const Stmt &stmt);
  mlir::LogicalResult returnStatement(const Stmt &stmt);
  Result condition(const Expr &expr);

  // LowerLoops.cpp: what a loop or a branch hands on.
  struct Carried {
    llvm::StringRef name;
    Term initial, inside; // before the loop; as the body sees it
    bool skip = false;    // the body leaves it as it is
    mlir::Type hint;      // the scalar or tile that a literal must begin as
  };
  std::vector<Carried> carriedBy(const Stmt &loop);
  mlir::LogicalResult initialise(Loc loc, Carried &carried,
                                 llvm::SmallVectorImpl<mlir::Value> &out);
  mlir::FailureOr<bool> settle(const Stmt &loop, std::vector<Carried> &carried,
                               llvm::SmallVectorImpl<mlir::Value> &yields);
  void finish(const Stmt &loop, llvm::ArrayRef<Carried> carried,
              const llvm::StringMap<Term> &before, mlir::ValueRange results);
  mlir::FailureOr<bool> tryFor(const Stmt &stmt, std::vector<Carried> &carried, mlir::Value start,
                               mlir::Value stop, int64_t step, mlir::Value reversedFrom);
  mlir::FailureOr<bool> tryWhile(const Stmt &stmt, std::vector<Carried> &carried);
  mlir::LogicalResult branch(const Stmt &stmt, mlir::Value condition);
  mlir::FailureOr<Term> merge(const Stmt &stmt, llvm::StringRef name, Term &a, Term &b,
                              mlir::Block *aBlock, mlir::Block *bBlock,
                              llvm::SmallVectorImpl<mlir::Value> &aYields,
                              llvm::SmallVectorImpl<mlir::Value> &bYields);

  // LowerExprs.cpp: expressions.
  Result expr(const Expr &expr);
  Result unary(const Expr &expr);
  Result unary(Loc loc, TokenKind op, const Term &operand);
  Result binary(const Expr &expr);
  Result addDot(const Expr &sum, Term other, const Expr &dot, bool dotFirst);
  Result compare(const Expr &expr);
  Result logical(const Expr &expr);
  Result conditional(const Expr &expr);
  Result attribute(const Expr &expr);
  Result tuple(const Expr &expr);
  Result number(const Expr &expr); // a term that isData()
  mlir::FailureOr<int64_t> constInt(const Expr &expr, llvm::StringRef what);

  // LowerArith.cpp: elementwise arithmetic.
  mlir::FailureOr<mlir::Value> constant(Loc loc, const ConstValue &value, mlir::Type type);
  mlir::FailureOr<mlir::Value> materialise(Loc loc, const Term &term, mlir::Type type = {});
  mlir::Value castTo(Loc loc, mlir::Value value, mlir::Type elementType);
  mlir::Value broadcast(Loc loc, mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::FailureOr<llvm::SmallVector<int64_t>> commonShape(Loc loc, llvm::StringRef what,
                                                          llvm::ArrayRef<const Term *> terms);
  mlir::FailureOr<mlir::Type> commonType(Loc loc, llvm::StringRef what,
                                         llvm::ArrayRef<const Term *> terms);
  /// The terms as values of one shape and element type.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  unify(Loc loc, llvm::StringRef what, llvm::ArrayRef<const Term *> terms, mlir::Type type = {});
  mlir::LogicalResult checkArithmetic(Loc loc, llvm::StringRef what, mlir::Type type);
  Result binary(Loc loc, TokenKind op, const Term &left, const Term &right);
  Result shifted(Loc loc, TokenKind op, const Term &left, const Term &right);
  Result power(Loc loc, const Term &base, const Term &exponent);
  Result compare(Loc loc, TokenKind op, const Term &left, const Term &right);
  mlir::Value floorDivide(Loc loc, mlir::Value a, mlir::Value b);
  mlir::Value modulo(Loc loc, mlir::Value a, mlir::Value b);
  Result convert(Loc loc, const Term &term, Dtype dtype);
  /// `term` as what is stored to elements of `type`.
  mlir::FailureOr<mlir::Value> toStore(Loc loc, const Term &term, mlir::Type type,
                                       llvm::ArrayRef<int64_t> shape);
  mlir::Value splatConstant(Loc loc, mlir::TypedAttr value, llvm::ArrayRef<int64_t> shape);

  // LowerAccess.cpp: slices.
  mlir::LogicalResult checkRank(const Expr &subscript, const Term &tensor);
  mlir::FailureOr<Access> access(const Expr &subscript, const Term &tensor);
  mlir::LogicalResult index(const Expr &expr, const Term &tensor, unsigned axis, Access &access);
  Result size(Loc loc, const Term &tensor, unsigned axis);
  mlir::FailureOr<mlir::Value> bound(const Expr *expr, mlir::Value low, mlir::Value high);
  Result part(const Expr &expr, Term tensor);
  Result subscript(const Expr &expr);
  Result tileSubscript(const Expr &expr, const Term &base);
  mlir::FailureOr<Term> load(Loc loc, const Access &access, const Term *fill = nullptr);
  mlir::LogicalResult store(const Expr &target, TokenKind op, const Expr *rhs, const Term &value);
  Result startAtZero(const Expr &call, const Expr &tensor);
  Result atomic(const Expr &call, tile::AtomicKind kind, const Expr &slice, const Expr &value);

  // LowerCalls.cpp: calls.
  using Arguments = llvm::SmallVector<const Expr *, 4>; // by parameter; null when left out
  Result call(const Expr &expr);
  Result inlineCall(const Expr &expr, const FunctionDecl &callee);
  Result borrowedCall(const Expr &expr, const Borrowed &borrowed);
  mlir::FailureOr<Arguments> bind(const Expr &call, const Builtin &builtin);
  Result builtinCall(const Expr &call, const Builtin &builtin);
  Result grid(const Expr &call);
  Result indexRange(const Expr &call, BuiltinKind kind, const Arguments &arguments);
  Result loadCall(const Arguments &arguments);
  Result fill(const Expr &call, const Expr &shape, Term value, const Expr &dtype);
  mlir::FailureOr<llvm::SmallVector<int64_t>> shapeArgument(const Expr &expr);
  mlir::FailureOr<Dtype> dtypeArgument(const Expr &expr);

  // LowerMaths.cpp: elementwise built-ins.
  Result maths(Loc loc, const Builtin &builtin, const Term &x);
  Result elementwise(Loc loc, const Builtin &builtin, llvm::ArrayRef<Term> terms);
  Result where(Loc loc, llvm::ArrayRef<Term> terms);
  Result cdiv(Loc loc, const Term &a, const Term &b);
  Result tanh(const Expr &call, const Builtin &builtin, const Arguments &arguments);
  Result randomBytes(Loc loc, llvm::ArrayRef<Term> terms);

  // LowerMatrix.cpp: reductions and matrix products.
  Result reduce(const Expr &call, const Builtin &builtin, const Arguments &arguments);
  Result largestOf(const Expr &call, const Builtin &builtin, const Arguments &arguments);
  mlir::FailureOr<int64_t> axisArgument(const Expr &expr, int64_t rank);
  Result dot(const Expr &call, const Arguments &arguments, const Term *accumulator);

  // Shared.
  mlir::Location at(Loc loc) const { return source.location(loc); }
  mlir::InFlightDiagnostic error(Loc loc) const { return source.error(loc); }
  mlir::Type i32() { return builder.getI32Type(); }
  mlir::Value i32Constant(Loc loc, int64_t value);
  void nameTerm(Term &term, llvm::StringRef name);
  bool spend(Loc loc);

  const Program::Impl &program;
  const FunctionDecl &kernel;
  const Signature &signature;
  const Specialisation &specialisation;
  Source source;
  mlir::OpBuilder builder;
  mlir::func::FuncOp func;
  Frame *frame = nullptr;
  llvm::StringMap<Term> dims;
  mlir::Operation *lastDim = nullptr;
  unsigned runtimeDepth = 0; // enclosing loops and branches that are operations
  unsigned callDepth = 0;
  unsigned work = 0;
  bool gridSeen = false, memorySeen = false;
};

} // namespace tilewright::frontend

#endif
