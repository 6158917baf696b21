#ifndef TILEWRIGHT_CUDA_DIALECT
#define TILEWRIGHT_CUDA_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Cuda_Dialect : Dialect {
  let name = "cuda";
  let cppNamespace = "::tilewright::cuda";
  let summary = "what one thread does: each op prints as one statement of CUDA C++";
  let description = [{
    A kernel is a `func.func` with `cuda.kernel` (unit), `cuda.threads`, `cuda.min_blocks`,
    `cuda.shared_bytes` and `cuda.cluster` (i32) attributes; its arguments are `!cuda.ptr`s,
    `!cuda.tensor_map`s and scalars, each with `tile.name`. Scalar arithmetic is `arith` and `math`;
    control flow is `scf`. A `scf.for` with the attribute `cuda.unroll` is unrolled, whole (unit) or
    by a factor (i32, a power of two); every other is not.

    Shared-memory addresses are i32 byte addresses. Tiles live in register arrays (`!cuda.regs`),
    variables that ops read and write in place; an array of 16- or 8-bit values holds them packed
    in 32-bit words, as `vector<2xbf16>` or `vector<4xi8>` elements.
  }];
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

class Cuda_Op<string mnemonic, list<Trait> traits = []> : Op<Cuda_Dialect, mnemonic, traits>;

def Cuda_Ptr : TypeDef<Cuda_Dialect, "Ptr"> {
  let mnemonic = "ptr";
  let summary = "a pointer to global memory: `!cuda.ptr<bf16>`";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

def Cuda_Regs : TypeDef<Cuda_Dialect, "Regs"> {
  let mnemonic = "regs";
  let summary = "an array of registers per thread: `!cuda.regs<32 x vector<2xbf16>>`";
  let description = [{
    `size` elements; an element is a scalar (i1, i8, i16, i32, i64, f8, f16, bf16, f32) or a packed
    32-bit word (`vector<2x16-bit>`, `vector<4x8-bit>`).
  }];
  let parameters = (ins "int64_t":$size, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $size `x` $elementType `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Values per array element: 1, or the length of the packed word.
    int64_t getPack() const;
    /// The type of one value.
    ::mlir::Type getValueType() const;
  }];
}

def Cuda_Lane : TypeDef<Cuda_Dialect, "Lane"> {
  let mnemonic = "lane";
  let summary = "a lane of the timeline, a variable: where its next record begins";
}

def Cuda_TensorMap : TypeDef<Cuda_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "how TMA copies boxes of a tensor: `!cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>`";
  let description = [{
    A parameter of the kernel, encoded by the host. `box` is what one copy moves; its axes are axes
    of the tensor, outermost first. `swizzle` is the width in bytes of the rows whose 16-byte chunks
    are permuted in shared memory, or 0. `tf32`, behind it, says that copies to shared memory round
    f32 elements to tf32.

    C1: a box has 1 to 5 axes of 1 to 256 elements.
    C2: its innermost axis is a multiple of 16 bytes and, with a swizzle, no wider than that.
    C3: the swizzle is 0, 32, 64 or 128 bytes. C4: what is rounded to tf32 is f32.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$box, "int64_t":$swizzle, "bool":$tf32);
  let assemblyFormat = "`<` $box `,` `swizzle` custom<Swizzle>($swizzle, $tf32) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes that one copy counts towards an mbarrier.
    int64_t getBytes() const;
  }];
}

#endif
