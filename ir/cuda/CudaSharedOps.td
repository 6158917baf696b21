#ifndef TILEWRIGHT_CUDA_SHARED_OPS
#define TILEWRIGHT_CUDA_SHARED_OPS

include "ir/cuda/CudaDialect.td"

def Cuda_SharedOp : Cuda_Op<"shared", [Pure]> {
  let summary = "the address of a region of the block's dynamic shared memory";
  let description = [{
    `bytes` bytes at `offset`; printed as a named constant. `holds` says for people what lies there.
  }];
  let arguments = (ins I64Attr:$offset, I64Attr:$bytes, OptionalAttr<StrAttr>:$holds);
  let builders = [OpBuilder<(ins "int64_t":$offset, "int64_t":$bytes,
                                 CArg<"const ::llvm::Twine &", "{}">:$holds), [{
    build($_builder, $_state, $_builder.getI32Type(), offset, bytes,
          holds.isTriviallyEmpty() ? ::mlir::StringAttr() : $_builder.getStringAttr(holds));
  }]>];
  let results = (outs I32:$address);
  let assemblyFormat = "$offset `,` $bytes attr-dict";
}

def Cuda_LoadSharedOp : Cuda_Op<"load_shared"> {
  let summary = "loads `count` consecutive values from shared memory into registers";
  let description = [{
    C1: count × value size is 1, 2, 4, 8 or 16 bytes and a multiple of the array's element. The
    address is a multiple of the bytes moved.
  }];
  let arguments = (ins Arg<I32, "", [MemRead]>:$address, Arg<Cuda_Regs, "", [MemWrite]>:$regs,
                       I32:$index, I64Attr:$count);
  let assemblyFormat = "$address `,` $regs `[` $index `]` attr-dict `:` type($regs)";
  let hasVerifier = 1;
}

def Cuda_StoreSharedOp : Cuda_Op<"store_shared"> {
  let summary = "stores `count` consecutive values from registers to shared memory";
  let description = "The reverse of load_shared, with its constraints; nothing without predicate.";
  let arguments = (ins Arg<Cuda_Regs, "", [MemRead]>:$regs, I32:$index,
                       Arg<I32, "", [MemWrite]>:$address, Optional<I1>:$predicate, I64Attr:$count);
  let assemblyFormat = [{
    $regs `[` $index `]` `,` $address (`,` $predicate^)? attr-dict `:` type($regs)
  }];
  let hasVerifier = 1;
}

def Cuda_BarrierOp : Cuda_Op<"barrier"> {
  let summary = "waits for all threads of the block; their shared-memory writes are then visible";
  let assemblyFormat = "attr-dict";
}

#endif
