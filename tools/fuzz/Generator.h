//===- Generator.h - random well-typed kernels ------------------------------------------------===//
//
// `drawCase` makes a kernel from a sequence of choices. What may stand somewhere is listed in
// tables of productions (Expressions.cpp, Statements.cpp): one row per form, with how often it is
// drawn, where it applies and the function that makes it. A production is asked for a value of a
// given type and returns text with the type and facts of what it made; it draws its operands in the
// same way.
//
// Parameters come into being when an expression first uses them, so a program that shrinks loses
// the tensors it no longer reads.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_FUZZ_GENERATOR_H
#define TILEWRIGHT_TOOLS_FUZZ_GENERATOR_H

#include "tools/fuzz/Case.h"
#include "tools/fuzz/Choices.h"
#include "tools/fuzz/Facts.h"

#include <functional>

namespace tilewright::fuzz {

/// The case that a sequence of choices stands for.
Case drawCase(Choices &choices);

using Shape = std::vector<int64_t>;
int64_t elementsOf(const Shape &shape);
/// "(3, 4)", "(3,)".
std::string tupleText(const Shape &shape);

struct Type {
  Dtype dtype = Dtype::F32;
  Shape shape; ///< Empty for a scalar.
  bool operator==(const Type &) const = default;
};

/// An expression of the language.
struct Expr {
  std::string text;
  Type type;
  Facts facts;
};

/// What an expression is to be.
struct Want {
  Type type;
  bool exact = true;
  int depth = 0; ///< How many operations deep it may become.

  Want deeper() const { return {type, exact, depth - 1}; }
  Want of(Dtype dtype) const { return {{dtype, type.shape}, exact, depth - 1}; }
  Want of(Shape shape) const { return {{type.dtype, std::move(shape)}, exact, depth - 1}; }
};

struct Variable {
  std::string name;
  Type type;
  Facts facts;
  int loops = 0; ///< How many loops surround its first assignment.
  /// In a loop that carries it: what every value assigned to it must satisfy.
  std::optional<Facts> bound;
  bool isUsed = false;
  bool isReadOnly = false;
};

/// An index range: `rows = block(i, 12)`.
struct Range {
  std::string name;
  int64_t extent = 0;
  std::string dim; ///< The dimension that it runs over.
  double last = 0; ///< The largest index that it may hold.
};

/// A tensor parameter.
struct Tensor {
  TensorPlan plan;
  Dtype dtype;
  std::vector<std::string> dims; ///< Names or sizes.
  Facts facts;
  /// Written: the one slice that is stored to, the same in every program.
  std::string slice;
  Shape shape;
  bool isWritten = false, isAtomic = false;
};

/// An axis of the grid.
struct GridAxis {
  std::string program; ///< The variable of its program id.
  std::string range;   ///< The variable of its index range, or empty.
  int64_t extent = 1;  ///< Of a program's part.
  int64_t count = 1;   ///< Of programs.
  std::string dim;
};

class Generator {
public:
  explicit Generator(Choices &choices) : choices(choices) {}
  Case draw();

private:
  using Made = std::optional<Expr>;

  struct Production {
    const char *name;
    unsigned weight;
    bool (*applies)(const Want &);
    Made (Generator::*make)(const Want &);
  };
  struct StatementForm {
    const char *name;
    unsigned weight;
    bool isNested; // holds other statements
    void (Generator::*make)(int depth);
  };
  static const std::vector<Production> &productions();
  static const std::vector<StatementForm> &statementForms();

  // Kernel.cpp
  void drawExtents();
  void drawGrid();
  void storeUnused(size_t first, unsigned percent);
  void finishStores();
  std::string starts();
  std::string header(const std::map<std::string, int64_t> &declared) const;
  std::string parameters() const;
  bool isNamed(const std::string &dim) const;
  Type drawType();
  Dtype drawDtype();
  Dtype drawNumeric();
  Dtype drawSumDtype();
  bool drawExactness(Dtype dtype);
  int64_t drawExtent();
  int64_t drawDepth();
  Shape drawShape();
  Shape drawMatrixShape();
  std::string fresh(const char *prefix) { return prefix + std::to_string(names[prefix]++); }

  // Expressions.cpp
  Expr expr(const Want &want);
  Expr leaf(const Want &want);
  std::pair<Expr, Expr> operands(const Want &want);
  Expr repeated(const Want &want);
  std::pair<std::string, double> indexText(int64_t extent);
  static Expr constant(const Type &type, double value);
  Made accept(const Want &want, std::string text, const std::optional<Facts> &facts) const;
  Made makeConstant(const Want &want);
  Made makeVariable(const Want &want);
  Made makeCastVariable(const Want &want);
  Made convert(const Expr &value, const Want &want) const;
  Made makeIndex(const Want &want);
  Made makeScalarInput(const Want &want);
  Made makeUnary(const Want &want);
  Made makeBinary(const Want &want);
  Made makeExtreme(const Want &want);
  Made makeFma(const Want &want);
  Made makePower(const Want &want);
  Made makeDivision(const Want &want);
  Made makeIntegerDivision(const Want &want);
  Made makeBits(const Want &want);
  Made makeShift(const Want &want);
  Made makeRounding(const Want &want);
  Made makeMaths(const Want &want);
  Made makeCast(const Want &want);
  Made makeMixed(const Want &want);

  // Selections.cpp
  std::string limitText(double last);
  Made makeComparison(const Want &want);
  Made makeMask(const Want &want);
  Made makeLogic(const Want &want);
  Made makeWhere(const Want &want);
  Made makeTernary(const Want &want);

  // Tiles.cpp
  std::optional<Shape> unreduced(const Shape &shape, size_t &axis);
  std::string axisText(size_t axis, size_t rank);
  Expr leftOperand(const Want &want);
  Made makeTranspose(const Want &want);
  Made makeReduce(const Want &want);
  Made makeArgReduce(const Want &want);
  Made makeScan(const Want &want);
  Made makeDot(const Want &want);
  Made makeInlineCall(const Want &want);

  // Memory.cpp
  Made makeLoad(const Want &want);
  Made makeOwnedLoad(const Want &want);
  std::string sizeName(int64_t size);
  cli::Memory drawMemory(bool isInput);
  Facts drawContents(Dtype dtype, TensorPlan &plan);
  Tensor &newTensor(const char *prefix, Dtype dtype, std::vector<std::string> sizes);
  std::string subscript(int64_t extent, std::string &dim);
  std::string scalarSubscript(std::string &dim);
  std::string ownSlice(const Shape &shape, std::vector<std::string> &sizes);
  Dtype storedDtype(const Expr &value);
  void store(const Expr &value);

  // Statements.cpp
  void statements(int depth, unsigned percent);
  void line(const std::string &text);
  void suite(const std::function<void()> &inside);
  Variable &define(const std::string &name, Type type, Facts facts);
  void reassign(size_t index);
  Expr condition();
  std::string tripCount(double &most, Range &blocks);
  void carry(double most, int depth, const std::function<void()> &before);
  void defineBlocks(const Range &blocks, const std::string &counter);
  void assignNew(int depth);
  void assignAgain(int depth);
  void storeValue(int depth);
  void updateInPlace(int depth);
  void atomicUpdate(int depth);
  void branch(int depth);
  void forLoop(int depth);
  void whileLoop(int depth);
  void sumLoop(int depth);
  void rotationLoop(int depth);
  void softmaxLoop(int depth);
  void softmaxRows(int depth);

  Choices &choices;
  std::map<std::string, int> names;
  std::vector<int64_t> extents;
  std::vector<GridAxis> grid;
  std::vector<Range> ranges;
  std::vector<Variable> variables;
  std::vector<Tensor> tensors;
  std::map<std::string, int64_t> dims;
  struct ScalarParam {
    std::string name;
    Dtype dtype;
    double value;
  };
  std::vector<ScalarParam> scalars;
  std::string functions, body;
  int indent = 1, loops = 0, branches = 0, budget = 0;
  bool isInline = false;
  int64_t depthOfLoop = 0; ///< The extent of the blocks that the innermost loop takes, or 0.
  double trips = 1;        ///< How often the statement being drawn runs at most.
};

} // namespace tilewright::fuzz

#endif
