#ifndef TILEWRIGHT_CUDA_REGISTER_OPS
#define TILEWRIGHT_CUDA_REGISTER_OPS

include "ir/cuda/CudaDialect.td"

def Cuda_ThreadIdOp : Cuda_Op<"thread_id", [Pure]> {
  let summary = "the thread's index in its block (`threadIdx.x`)";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Cuda_BlockIdOp : Cuda_Op<"block_id", [Pure]> {
  let summary = "the block's index in the grid (`blockIdx.x`)";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Cuda_GridSizeOp : Cuda_Op<"grid_size", [Pure]> {
  let summary = "how many blocks the grid has (`gridDim.x`)";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Cuda_OpaqueOp : Cuda_Op<"opaque", [AllTypesMatch<["value", "result"]>]> {
  let summary = "the same value, of which the compiler knows nothing";
  let description = [{
    What is computed from the result is computed where it stands: not moved out of a loop, where it
    would hold registers while the loop runs. Reads at its place in the program. C1: a value of 32
    bits.
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Cuda_ReciprocalOp : Cuda_Op<"reciprocal", [Pure]> {
  let summary = "what `cuda.quotient` needs to know of a divisor";
  let description = [{
    `(2^32 - 1) / divisor` as an unsigned number, rounded down, or 1 less; anything for 0.
  }];
  let arguments = (ins I32:$divisor);
  let results = (outs I32:$result);
  let assemblyFormat = "$divisor attr-dict";
}

def Cuda_QuotientOp : Cuda_Op<"quotient", [Pure]> {
  let summary = "`number / divisor`, rounded down, in a few multiplications";
  let description = [{
    For many divisions by one number, whose reciprocal is computed once: an integer division takes
    some 150 cycles on an H200. The high half of number · reciprocal is the quotient or one less,
    since it exceeds number / divisor - 1 for numbers below 2^31.

    Neither number is negative. A divisor of 0 gives anything.

    ```mlir
    %per_band = cuda.reciprocal %band
    %q = cuda.quotient %n, %band, %per_band
    ```
  }];
  let arguments = (ins I32:$number, I32:$divisor, I32:$reciprocal);
  let results = (outs I32:$result);
  let assemblyFormat = "$number `,` $divisor `,` $reciprocal attr-dict";
}

def Cuda_RegsOp : Cuda_Op<"regs"> {
  let summary = "declares a register array, uninitialised";
  let description = "`f32 acc[64];`, named after its location's name.";
  let results = (outs Cuda_Regs:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cuda_GetOp : Cuda_Op<"get"> {
  let summary = "element `index` of a register array";
  let description = "C1: the result is the array's element type. Reads at its place in the program.";
  let arguments = (ins Arg<Cuda_Regs, "", [MemRead]>:$regs, I32:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$regs `[` $index `]` attr-dict `:` type($regs) `->` type($result)";
  let hasVerifier = 1;
}

def Cuda_SetOp : Cuda_Op<"set"> {
  let summary = "assigns element `index` of a register array";
  let description = "C1: the value is of the array's element type.";
  let arguments = (ins AnyType:$value, Arg<Cuda_Regs, "", [MemWrite]>:$regs, I32:$index);
  let assemblyFormat = "$value `,` $regs `[` $index `]` attr-dict `:` type($value) `,` type($regs)";
  let hasVerifier = 1;
}

def Cuda_UnpackOp : Cuda_Op<"unpack", [Pure]> {
  let summary = "one value of a packed word, widened";
  let description = [{
    Value `index` (0 in the lowest bits) of a packed word: floats widen to f32 (exactly), integers
    to i32 (with sign).

    ```mlir
    %x = cuda.unpack %word[%i] : vector<2xbf16> -> f32
    ```
  }];
  let arguments = (ins AnyVector:$word, I32:$index);
  let results = (outs AnyTypeOf<[F32, I32]>:$result);
  let assemblyFormat = "$word `[` $index `]` attr-dict `:` type($word) `->` type($result)";
}

def Cuda_ExtractOp : Cuda_Op<"extract", [Pure]> {
  let summary = "one float of a packed word, as it is";
  let description = [{
    Value `index` (0 in the lowest bits) of a packed word. C1: the result is of the word's element
    type, a float.

    ```mlir
    %x = cuda.extract %word[%i] : vector<4xf8E4M3FN> -> f8E4M3FN
    ```
  }];
  let arguments = (ins AnyVector:$word, I32:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$word `[` $index `]` attr-dict `:` type($word) `->` type($result)";
  let hasVerifier = 1;
}

def Cuda_PackOp : Cuda_Op<"pack", [Pure]> {
  let summary = "a packed word of narrowed values";
  let description = [{
    Converts f32 values to nearest, ties to even (8-bit floats saturate at the largest finite
    value), truncates i32 values; value 0 goes to the lowest bits. C1: as many values as the word
    holds.
  }];
  let arguments = (ins Variadic<AnyTypeOf<[F32, I32]>>:$values);
  let results = (outs AnyVector:$word);
  let assemblyFormat = "$values attr-dict `:` type($values) `->` type($word)";
  let hasVerifier = 1;
}

def Cuda_ReinterpretOp : Cuda_Op<"reinterpret", [Pure]> {
  let summary = "the bits of a packed word as those of other values";
  let description = "C1: both have 32 bits. Moves nothing.";
  let arguments = (ins AnyVector:$bits);
  let results = (outs AnyVector:$word);
  let assemblyFormat = "$bits attr-dict `:` type($bits) `->` type($word)";
  let hasVerifier = 1;
}

def Cuda_PermuteBytesOp : Cuda_Op<"permute_bytes", [Pure, AllTypesMatch<["low", "high", "result"]>]> {
  let summary = "a word of four bytes of two";
  let description = [{
    Digit i (0 lowest) of `digits`, four hexadecimal ones from 0 to 7, says which byte of `low` (0 to
    3) and `high` (4 to 7) is byte i of the result. C1: the words have 32 bits. C2: there are four such digits.

    ```mlir
    %even = cuda.permute_bytes %low, %high by 0x6420 : vector<4xi8>
    ```
  }];
  let arguments = (ins AnyVector:$low, AnyVector:$high, I32Attr:$digits);
  let results = (outs AnyVector:$result);
  let assemblyFormat = "$low `,` $high `by` $digits attr-dict `:` type($low)";
  let hasVerifier = 1;
}

def Cuda_KeepOp : Cuda_Op<"keep", [Pure, AllTypesMatch<["word", "result"]>]> {
  let summary = "two packed values, each 0 where its byte is too small";
  let description = [{
    Byte 2 * `pair` of `bytes` is value 0's, the next one value 1's: a value stays where its byte is
    at least `least`. C1: the word holds two values of 16 bits. C2: 0 <= least <= 256.

    ```mlir
    %kept = cuda.keep %word by %bytes[%pair] least 26 : vector<2xbf16>
    ```
  }];
  let arguments = (ins AnyVector:$word, I32:$bytes, I32:$pair, I64Attr:$least);
  let results = (outs AnyVector:$result);
  let assemblyFormat = "$word `by` $bytes `[` $pair `]` `least` $least attr-dict `:` type($word)";
  let hasVerifier = 1;
}

def Cuda_ConvertOp : Cuda_Op<"convert", [Pure]> {
  let summary = "converts a scalar, with the meaning of `tile.cast`";
  let arguments = (ins AnyType:$source);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def Cuda_RoundTf32Op : Cuda_Op<"round_tf32", [Pure]> {
  let summary = "rounds an f32 to tf32 (nearest, ties away), kept in an f32";
  let arguments = (ins F32:$source);
  let results = (outs F32:$result);
  let assemblyFormat = "$source attr-dict";
}

class Cuda_RegisterBudget<string mnemonic> : Cuda_Op<mnemonic> {
  let arguments = (ins I64Attr:$count);
  let assemblyFormat = "$count attr-dict";
  let hasVerifier = 1;
}

def Cuda_IncreaseRegistersOp : Cuda_RegisterBudget<"increase_registers"> {
  let summary = "waits until the block has registers left for `count` per thread of the warpgroup";
  let description = [{
    At the start of a role, by every warp of its warpgroup. What all warpgroups have in sum never
    exceeds what the block started with. sm_90a+.

    C1: `count` is a multiple of 8 from 24 to 256.

    ```mlir
    cuda.increase_registers 240
    ```
  }];
}

def Cuda_DecreaseRegistersOp : Cuda_RegisterBudget<"decrease_registers"> {
  let summary = "gives registers back to the block, down to `count` per thread of the warpgroup";
  let description = [{
    The reverse of `increase_registers`. C1: as there.

    ```mlir
    cuda.decrease_registers 24
    ```
  }];
}

#endif
