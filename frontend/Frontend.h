//===- Frontend.h - kernels as text to the tile dialect ---------------------------------------===//
//
// `parseProgram` reads a file of kernels and checks what needs no sizes; `Program::signature` says
// what a host must bind; `lower` makes the tile module of one kernel for one binding. Errors are
// diagnostics of the MLIRContext at file:line:column.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_FRONTEND_FRONTEND_H
#define TILEWRIGHT_FRONTEND_FRONTEND_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilewright::frontend {

enum class Dtype {
#define DTYPE(enumerator, ...) enumerator,
#include "frontend/Dtypes.def"
};

llvm::StringRef dtypeName(Dtype dtype);
std::optional<Dtype> dtypeFromName(llvm::StringRef name);
mlir::Type dtypeToType(Dtype dtype, mlir::MLIRContext &context);
bool isFloat(Dtype dtype);

/// A compile-time value: None, bool, int, float, dtype or string.
using ConstValue = std::variant<std::monostate, bool, int64_t, double, Dtype, std::string>;

/// The value as the language writes it.
std::string toString(const ConstValue &value);

/// One dimension of a tensor parameter: a name, or a literal size. (A program of the `cta` level
/// may fix the size of a name.)
struct Dim {
  std::string name; // empty for a literal
  int64_t size = 0; // of a literal, or where a name has one
};

struct Param {
  enum Kind { Tensor, Scalar, Const, Tune };
  Kind kind;
  std::string name;
  /// Tensor and scalar: the dtype, or the name of the dtype variable that the host binds.
  std::optional<Dtype> dtype;
  std::string dtypeVariable;
  /// Tensor.
  std::vector<Dim> dims;
  bool optional = false, read = false, written = false;
  /// Const: "bool", "int", "float" or "dtype".
  std::string constType;
  /// Tune: what the tuner may choose from.
  std::vector<ConstValue> candidates;
  /// Scalar, const and tune.
  std::optional<ConstValue> defaultValue;
};

struct DimInfo {
  std::string name;
  bool isStatic; // a tile extent depends on it: the host must bind it
};

struct DtypeVariable {
  std::string name;
  std::vector<Dtype> allowed;
};

/// What a host needs to call a kernel.
struct Signature {
  std::string name, doc;
  unsigned line;
  std::vector<Param> params;
  std::vector<DimInfo> dims;         // in order of first use in the tensor parameters
  std::vector<DtypeVariable> dtypes; // likewise
  const Param *param(llvm::StringRef name) const;
};

/// What is known of a tensor argument's addresses (see !tile.view).
struct TensorFacts {
  int64_t align = 0; // bytes; 0: the element size
  bool strided = false, wide = false;
};

/// What the host binds before lowering; every key is a name of the signature.
struct Specialisation {
  llvm::StringMap<Dtype> dtypes;
  llvm::StringMap<int64_t> dims;        // every static dimension; others may be given
  llvm::StringMap<ConstValue> consts;   // const and tune parameters; the rest take their defaults
  llvm::StringMap<TensorFacts> tensors; // an optional tensor is given just if it is listed here
};

/// A parsed and name-checked file. Owns its text and refers to no context.
class Program {
public:
  Program();
  ~Program();
  std::vector<llvm::StringRef> kernels() const;
  /// Null when the file has no such kernel.
  const Signature *signature(llvm::StringRef kernel) const;

  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// An `@inline` function of another text. It stands for a name that a text leaves open, by
/// `name = None`: there it is called, and `name is not None`. It keeps the names and the lines of
/// its own text.
struct Borrowed {
  std::string name;
  std::shared_ptr<const Program> program;
  std::string function;
  Dtype gives; // of the numbers that it returns
};

/// Names that a text refers to and does not declare, as the Python module around a kernel holds
/// them. None may be a word of the language.
struct Captured {
  std::vector<std::string> dims;
  std::vector<DtypeVariable> dtypes;
  std::vector<std::pair<std::string, ConstValue>> constants;
  std::vector<Borrowed> functions;
};

/// Null after an error.
std::unique_ptr<Program> parseProgram(llvm::StringRef text, llvm::StringRef fileName,
                                      mlir::MLIRContext &context, const Captured &captured = {});

/// The module with one `func.func @kernel`; null after an error.
mlir::OwningOpRef<mlir::ModuleOp> lower(const Program &program, llvm::StringRef kernel,
                                        const Specialisation &specialisation,
                                        mlir::MLIRContext &context);

} // namespace tilewright::frontend

#endif
