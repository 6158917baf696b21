#include "ir/cuda/Cuda.h"

#include "ir/ProductForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

// `128`, or `128, tf32`.
static mlir::ParseResult parseSwizzle(mlir::AsmParser &parser, int64_t &swizzle, bool &tf32) {
  if (parser.parseInteger(swizzle))
    return mlir::failure();
  tf32 = succeeded(parser.parseOptionalComma());
  return tf32 ? parser.parseKeyword("tf32") : mlir::success();
}
static void printSwizzle(mlir::AsmPrinter &printer, int64_t swizzle, bool tf32) {
  printer << swizzle << (tf32 ? ", tf32" : "");
}

#include "ir/cuda/CudaDialect.cpp.inc"
#include "ir/cuda/CudaEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/cuda/CudaTypes.cpp.inc"
#define GET_OP_CLASSES
#include "ir/cuda/CudaOps.cpp.inc"

using namespace mlir;
using namespace tilewright::cuda;

void CudaDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/cuda/CudaTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/cuda/CudaOps.cpp.inc"
      >();
}

LogicalResult CudaDialect::verifyOperationAttribute(Operation *op, NamedAttribute named) {
  if (named.getName() != kUnrollAttr || isa<UnitAttr>(named.getValue()))
    return success();
  auto factor = dyn_cast<IntegerAttr>(named.getValue());
  if (factor && factor.getValue().isPowerOf2())
    return success();
  return op->emitOpError() << "is unrolled whole (a unit attribute) or by a power of two, not by "
                           << named.getValue();
}

int64_t RegsType::getPack() const {
  auto word = llvm::dyn_cast<VectorType>(getElementType());
  return word ? word.getNumElements() : 1;
}

Type RegsType::getValueType() const { return getElementTypeOrSelf(getElementType()); }

LogicalResult RegsType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t size,
                               Type element) {
  if (size <= 0)
    return emitError() << "a register array has at least one element, not " << size;
  if (auto word = llvm::dyn_cast<VectorType>(element)) {
    if (word.getNumElements() * word.getElementTypeBitWidth() != 32)
      return emitError() << "a packed word has 32 bits, not " << word;
    return success();
  }
  if (!element.isIntOrFloat())
    return emitError() << "registers hold scalars and packed words, not " << element;
  return success();
}

LogicalResult GetOp::verify() {
  if (getResult().getType() != getRegs().getType().getElementType()) // C1
    return emitOpError() << "reads " << getResult().getType() << " from " << getRegs().getType();
  return success();
}

LogicalResult SetOp::verify() {
  if (getValue().getType() != getRegs().getType().getElementType()) // C1
    return emitOpError() << "assigns " << getValue().getType() << " in " << getRegs().getType();
  return success();
}

LogicalResult PackOp::verify() {
  auto word = cast<VectorType>(getWord().getType());
  if (int64_t(getValues().size()) != word.getNumElements()) // C1
    return emitOpError() << "packs " << getValues().size() << " values into " << word;
  return success();
}

LogicalResult ExtractOp::verify() {
  Type element = getElementTypeOrSelf(getWord().getType());
  if (getResult().getType() != element || !isa<FloatType>(element)) // C1
    return emitOpError() << "gives a float of " << getWord().getType() << ", not "
                         << getResult().getType();
  return success();
}

LogicalResult ReinterpretOp::verify() {
  for (Type type : {getBits().getType(), getWord().getType()})
    if (auto word = cast<VectorType>(type);
        word.getNumElements() * word.getElementTypeBitWidth() != 32) // C1
      return emitOpError() << "takes the bits of a packed word, of 32 bits, for another; " << type
                           << " has " << word.getNumElements() * word.getElementTypeBitWidth();
  return success();
}

LogicalResult PermuteBytesOp::verify() {
  auto word = cast<VectorType>(getLow().getType());
  if (word.getNumElements() * word.getElementTypeBitWidth() != 32) // C1
    return emitOpError() << "takes bytes of words of 32 bits, not of " << word;
  if (getDigits() & ~0x7777u) // C2
    return emitOpError() << "has digits beyond 7, or more than four";
  return success();
}

LogicalResult KeepOp::verify() {
  auto word = cast<VectorType>(getWord().getType());
  if (word.getNumElements() != 2 || word.getElementTypeBitWidth() != 16) // C1
    return emitOpError() << "keeps values of " << word << "; they are two of 16 bits";
  if (getLeast() > 256) // C2
    return emitOpError() << "compares bytes with " << getLeast() << "; 0 to 256 make sense";
  return success();
}

/// Checks the bytes that one vector access moves between memory and `regs`.
static LogicalResult verifyCount(Operation *op, RegsType regs, int64_t count) {
  int64_t bits = std::max<int64_t>(8, regs.getValueType().getIntOrFloatBitWidth());
  int64_t bytes = count * bits / 8;
  bool allowed = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
  if (count <= 0 || !allowed || count % regs.getPack() != 0) // C1
    return op->emitOpError() << "moves " << count << " values (" << bytes << " bytes) of " << regs;
  return success();
}

static LogicalResult verifyGlobal(Operation *op, PtrType ptr, RegsType regs, int64_t count) {
  if (ptr.getElementType() != regs.getValueType()) // C2
    return op->emitOpError() << "moves values between " << ptr << " and " << regs;
  return verifyCount(op, regs, count);
}

LogicalResult LoadGlobalOp::verify() {
  return verifyGlobal(*this, getPtr().getType(), getRegs().getType(), getCount());
}
LogicalResult StoreGlobalOp::verify() {
  return verifyGlobal(*this, getPtr().getType(), getRegs().getType(), getCount());
}
LogicalResult LoadSharedOp::verify() { return verifyCount(*this, getRegs().getType(), getCount()); }
LogicalResult StoreSharedOp::verify() {
  return verifyCount(*this, getRegs().getType(), getCount());
}

LogicalResult OpaqueOp::verify() {
  Type type = getValue().getType();
  auto vector = dyn_cast<VectorType>(type);
  Type element = getElementTypeOrSelf(type);
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (bits * (vector ? vector.getNumElements() : 1) != 32) // C1
    return emitOpError() << "takes a value of 32 bits, not " << type;
  return success();
}

LogicalResult StoreAsyncOp::verify() {
  RegsType regs = getRegs().getType();
  if (regs.getPack() * regs.getValueType().getIntOrFloatBitWidth() != 32) // C1
    return emitOpError() << "stores 32-bit words, not elements of " << regs;
  return success();
}

LogicalResult CpAsyncOp::verify() {
  if (getBytes() != 4 && getBytes() != 8 && getBytes() != 16) // C1
    return emitOpError() << "copies 4, 8 or 16 bytes, not " << getBytes();
  return success();
}

static LogicalResult verifyMatrices(Operation *op, RegsType regs, int64_t count) {
  if (count != 1 && count != 2 && count != 4) // C1
    return op->emitOpError() << "moves 1, 2 or 4 matrices, not " << count;
  if (regs.getPack() * regs.getValueType().getIntOrFloatBitWidth() != 32)
    return op->emitOpError() << "moves 32-bit words, not elements of " << regs;
  return success();
}
LogicalResult LdmatrixOp::verify() {
  return verifyMatrices(*this, getRegs().getType(), getCount());
}
LogicalResult StmatrixOp::verify() {
  return verifyMatrices(*this, getRegs().getType(), getCount());
}

int64_t MmaOp::getOperandBits() { return getA().getType().getValueType().getIntOrFloatBitWidth(); }

LogicalResult MmaOp::verify() {
  Type value = getA().getType().getValueType();
  int64_t m = getM(), n = getN(), k = getK();
  bool known = llvm::any_of(productForms(), [&](const ProductForm &form) {
    return form.unit == ProductUnit::MmaSync && form.hasShape({m, n, k}) &&
           form.multiplies(value, /*tf32=*/true);
  });
  if (!known || getB().getType().getValueType() != value) // C1
    return emitOpError() << "has no m" << m << "n" << n << "k" << k << " form for " << value;
  bool isInteger = value.isInteger();
  Type sum = getD().getType().getElementType();
  if (isInteger ? !sum.isSignlessInteger(32) : !sum.isF32()) // C2
    return emitOpError() << "sums products of " << value << " in " << (isInteger ? "i32" : "f32")
                         << ", not " << sum;
  if (getOperandBits() * getA().getType().getPack() != 32 ||
      getOperandBits() * getB().getType().getPack() != 32) // C3
    return emitOpError() << "needs operands in 32-bit words";
  return success();
}
