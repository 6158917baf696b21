#ifndef TILEWRIGHT_CUDA_WARP_OPS
#define TILEWRIGHT_CUDA_WARP_OPS

include "ir/cuda/CudaDialect.td"

def Cuda_LdmatrixOp : Cuda_Op<"ldmatrix"> {
  let summary = "loads `count` 8×8 matrices of 16-bit elements, one word of each per lane";
  let description = [{
    Lane 8m+r gives the shared-memory address (a multiple of 16) of row r of matrix m < count (1, 2
    or 4: C1). Word m of lane l holds elements 2(l%4), 2(l%4)+1 of row l/4 of matrix m; with
    `trans`, of column l/4. The words go to the 32-bit elements of `regs` from `index` on. sm_75+.
  }];
  let arguments = (ins Arg<I32, "", [MemRead]>:$address, Arg<Cuda_Regs, "", [MemWrite]>:$regs,
                       I32:$index, I64Attr:$count, UnitAttr:$trans);
  let assemblyFormat = "$address `,` $regs `[` $index `]` (`trans` $trans^)? attr-dict `:` type($regs)";
  let hasVerifier = 1;
}

def Cuda_StmatrixOp : Cuda_Op<"stmatrix"> {
  let summary = "stores `count` 8×8 matrices of 16-bit elements: the reverse of ldmatrix. sm_90+";
  let arguments = (ins Arg<Cuda_Regs, "", [MemRead]>:$regs, I32:$index,
                       Arg<I32, "", [MemWrite]>:$address, I64Attr:$count, UnitAttr:$trans);
  let assemblyFormat = "$regs `[` $index `]` `,` $address (`trans` $trans^)? attr-dict `:` type($regs)";
  let hasVerifier = 1;
}

def Cuda_MmaOp : Cuda_Op<"mma"> {
  let summary = "one warp-wide mma.sync: d += a · b";
  let description = [{
    `mma.sync.aligned.m<m>n<n>k<k>.row.col` with the operand type's fragments (PTX ISA): `d` m·n/32
    accumulators from `d_index`, `a` and `b` 32-bit words (C3) from their indices.

    C1: one of m16n8k8 f16 (sm_75+); m16n8k16 f16, bf16; m16n8k8 f32 (as tf32); m16n8k32 i8 (all
    sm_80+); m8n8k16 i8 (sm_75+); m16n8k32 f8E4M3FN, f8E5M2 (sm_89+); a and b of one type.
    C2: `d` holds i32 where the operands are integers, f32 elsewhere.
  }];
  let arguments = (ins Arg<Cuda_Regs, "", [MemRead, MemWrite]>:$d, I32:$d_index,
                       Arg<Cuda_Regs, "", [MemRead]>:$a, I32:$a_index,
                       Arg<Cuda_Regs, "", [MemRead]>:$b, I32:$b_index,
                       I64Attr:$m, I64Attr:$n, I64Attr:$k);
  let assemblyFormat = [{
    $m `x` $n `x` $k $d `[` $d_index `]` `,` $a `[` $a_index `]` `,` $b `[` $b_index `]` attr-dict
    `:` type($d) `,` type($a) `,` type($b)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// 32-bit words of the a and b fragments, and accumulators, per lane.
    int64_t getAWords() { return getM() * getK() * getOperandBits() / 1024; }
    int64_t getBWords() { return getN() * getK() * getOperandBits() / 1024; }
    int64_t getAccumulators() { return getM() * getN() / 32; }
    int64_t getOperandBits();
  }];
}

// A 32-bit value (f32, i32 or a packed word) crosses lanes; all 32 lanes take part.
class Cuda_Shuffle<string mnemonic>
    : Cuda_Op<mnemonic, [AllTypesMatch<["value", "result"]>]> {
  let arguments = (ins AnyType:$value, I32:$lanes);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value `,` $lanes attr-dict `:` type($value)";
}

def Cuda_ShuffleXorOp : Cuda_Shuffle<"shuffle_xor"> {
  let summary = "the value of lane `lane ^ lanes`";
}

def Cuda_ShuffleUpOp : Cuda_Shuffle<"shuffle_up"> {
  let summary = "the value of lane `lane - lanes`; the own value in the first lanes";
}

def Cuda_ShuffleIdxOp : Cuda_Shuffle<"shuffle_idx"> {
  let summary = "the value of lane `lanes`";
}

def Cuda_VoteAnyOp : Cuda_Op<"vote_any"> {
  let summary = "whether `predicate` is true in any lane of the warp; all 32 lanes take part";
  let description = [{
    ```mlir
    %some = cuda.vote_any %rises
    ```
  }];
  let arguments = (ins I1:$predicate);
  let results = (outs I1:$result);
  let assemblyFormat = "$predicate attr-dict";
}

def Cuda_WarpSyncOp : Cuda_Op<"warp_sync"> {
  let summary = "what the warp's lanes did to memory before comes before what any does behind it";
  let description = [{
    So that one lane may then arrive at a barrier for all. All 32 lanes take part.

    ```mlir
    cuda.warp_sync
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Cuda_ElectOp : Cuda_Op<"elect"> {
  let summary = "true in one lane of the warp, the same each time; all 32 lanes take part. sm_90+";
  let description = [{
    ```mlir
    %one = cuda.elect
    ```
  }];
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

#endif
