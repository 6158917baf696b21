#ifndef TILEWRIGHT_CUDA_WGMMA_OPS
#define TILEWRIGHT_CUDA_WGMMA_OPS

include "ir/cuda/CudaDialect.td"

// Matrix products of a warpgroup: four consecutive warps, the first a multiple of four. They run
// asynchronously and read shared memory through the async proxy. sm_90a only.

def Cuda_MatrixDescriptorOp : Cuda_Op<"matrix_descriptor", [Pure]> {
  let summary = "how an operand of wgmma lies in shared memory from `address` on";
  let description = [{
    The 64 bits that wgmma takes for an operand in shared memory; ir/PanelLayout.h derives `leading`
    and `stride` (bytes) from a tile's layout. `address` is where the operand's first row starts;
    its tile starts at a multiple of 8 times the swizzle.

    The address has 18 bits. In a cluster, addresses of shared memory have the block's rank above them
    (bit 24 and up), which would change `leading`: it is masked out.

    C1: `swizzle` is 0, 32, 64 or 128 bytes.
    C2: `leading` and `stride` are multiples of 16 from 0 to 2^18 - 16.

    ```mlir
    %a = cuda.matrix_descriptor %slot {leading = 16, stride = 1024, swizzle = 128}
    ```
  }];
  let arguments = (ins I32:$address, I64Attr:$leading, I64Attr:$stride, I64Attr:$swizzle);
  let results = (outs I64:$descriptor);
  let assemblyFormat = "$address attr-dict";
  let hasVerifier = 1;
}

def Cuda_AdvanceDescriptorOp : Cuda_Op<"advance_descriptor", [Pure]> {
  let summary = "the descriptor of what lies `bytes` bytes further on; a multiple of 16";
  let description = [{
    ```mlir
    %next = cuda.advance_descriptor %a, %c32
    ```
  }];
  let arguments = (ins I64:$descriptor, I32:$bytes);
  let results = (outs I64:$result);
  let assemblyFormat = "$descriptor `,` $bytes attr-dict";
}

def Cuda_WgmmaOp : Cuda_Op<"wgmma", [AttrSizedOperandSegments]> {
  let summary = "starts d = a · b + (accumulate ? d : 0) for a warpgroup";
  let description = [{
    a is 64 × k, b is k × n, k is 32 bytes of elements. `a` is a descriptor or 4 registers of the
    A fragment, `b` a descriptor. `d` and `a` registers must not be touched, nor the operands'
    shared memory overwritten, until a `wgmma_wait` has covered the group that the next
    `wgmma_commit` closes. Without `accumulate`, d is added to.

    Warp w and lane l hold in register 4j + 2r + c of `d` the element of row 16w + l / 4 + 8r and
    column 8j + 2(l % 4) + c.

    C1: n is a multiple of 8 from 8 to 256; for i8, beyond 24 a multiple of 16.
    C2: a and b are both bf16, f16, f32 (read as tf32) or i8, or each is f8E4M3FN or f8E5M2.
    C3: `d` has n / 2 elements from `d_index` on: f32, or i32 for i8.
    C4: `a` in registers is in 32-bit words of its type and has an index; a descriptor has none.
    C5: `trans_a` and `trans_b` (an operand whose rows or columns, not k, are contiguous) need 16-bit
        elements, `trans_a` also a descriptor.

    ```mlir
    cuda.wgmma 256 %acc[%c0], %a, %b trans_b if %later
        : !cuda.regs<128 x f32>, i64, bf16 x bf16
    ```
  }];
  let arguments = (ins I64Attr:$n, Arg<Cuda_Regs, "", [MemRead, MemWrite]>:$d, I32:$d_index,
                       Arg<AnyTypeOf<[I64, Cuda_Regs]>, "", [MemRead]>:$a, Optional<I32>:$a_index,
                       I64:$b, Optional<I1>:$accumulate, TypeAttr:$a_type, TypeAttr:$b_type,
                       UnitAttr:$trans_a, UnitAttr:$trans_b);
  let assemblyFormat = [{
    $n $d `[` $d_index `]` `,` $a (`[` $a_index^ `]`)? (`trans_a` $trans_a^)?
    `,` $b (`trans_b` $trans_b^)? (`if` $accumulate^)? attr-dict
    `:` type($d) `,` type($a) `,` $a_type `x` $b_type
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The depth of one product: 32 bytes of elements.
    int64_t getK() { return 256 / getAType().getIntOrFloatBitWidth(); }
    bool hasARegisters() { return ::llvm::isa<RegsType>(getA().getType()); }
  }];
}

def Cuda_WgmmaFenceOp : Cuda_Op<"wgmma_fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "orders the warpgroup's writes of registers before its next products";
  let description = [{
    Before the first product of a batch, and where `d` or `a` registers were written since. `regs`
    are the arrays whose values must be final here.

    ```mlir
    cuda.wgmma_fence of %acc : !cuda.regs<128 x f32>
    ```
  }];
  let arguments = (ins Variadic<Cuda_Regs>:$regs);
  let assemblyFormat = "(`of` $regs^ `:` type($regs))? attr-dict";
}

def Cuda_WgmmaCommitOp : Cuda_Op<"wgmma_commit"> {
  let summary = "closes the warpgroup's group of products";
  let description = [{
    ```mlir
    cuda.wgmma_commit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Cuda_WgmmaWaitOp : Cuda_Op<"wgmma_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until at most `pending` of the warpgroup's groups are unfinished";
  let description = [{
    `regs` are the arrays that become readable. C1: `pending` is 0 to 7.

    ```mlir
    cuda.wgmma_wait 0, %acc : !cuda.regs<128 x f32>
    ```
  }];
  let arguments = (ins I64Attr:$pending, Variadic<Cuda_Regs>:$regs);
  let assemblyFormat = "$pending (`,` $regs^ `:` type($regs))? attr-dict";
  let hasVerifier = 1;
}

def Cuda_PinRegistersOp : Cuda_Op<"pin_registers"> {
  let summary = "what an array holds is final here, and in registers of its own";
  let description = [{
    No meaning but to the optimizer, which else may carry a sum of products as what is made of it
    later, or choose between sums element by element instead of by a branch.

    ```mlir
    cuda.pin_registers %sum : !cuda.regs<128 x f32>
    ```
  }];
  let arguments = (ins Arg<Cuda_Regs, "", [MemRead, MemWrite]>:$regs);
  let assemblyFormat = "$regs attr-dict `:` type($regs)";
}

def Cuda_SettleOp : Cuda_Op<"settle", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "keeps what an array is computed from above what follows";
  let description = [{
    No meaning but an order in time, which ptxas else keeps only for accesses to memory: it moves a
    `cuda.wgmma_wait` up past arithmetic that is to run beside the products. C1: elements are f32.

    ```mlir
    cuda.settle %total : !cuda.regs<2 x f32>
    ```
  }];
  let arguments = (ins Arg<Cuda_Regs, "", [MemRead]>:$regs);
  let assemblyFormat = "$regs attr-dict `:` type($regs)";
  let hasVerifier = 1;
}

#endif
