"""Time from a kernel's source to its first result, with an empty cache on disk and a filled one."""

from __future__ import annotations

from bench.cases import Case, Suite

SHAPES: dict[str, dict[str, int]] = {
    "adamw": {"N": 65536},
    "adamw_grouped": {"N": 65536, "X": 4},
    "attention": {"B": 1, "S": 512, "H": 2, "G": 2, "D": 128},
    "attention_backward_keys": {"B": 1, "S": 512, "H": 2, "G": 2, "D": 128},
    "attention_backward_queries": {"B": 1, "S": 512, "H": 2, "G": 2, "D": 128},
    "attention_scaled": {"B": 1, "S": 512, "H": 2, "G": 2, "D": 128},
    "attention_varlen": {"B": 2, "S": 256, "H": 2, "G": 2, "D": 128},
    "attention_varlen_backward_keys": {"B": 2, "S": 256, "H": 2, "G": 2, "D": 128},
    "attention_varlen_backward_queries": {"B": 2, "S": 256, "H": 2, "G": 2, "D": 128},
    "attention_wide": {"B": 1, "S": 512, "H": 2, "G": 2, "D": 128},
    "cross_entropy": {"M": 64, "V": 32000},
    "cross_entropy_backward": {"M": 64, "V": 32000},
    "cross_entropy_gradient": {"M": 64, "V": 32000},
    "cross_entropy_rows": {"M": 64, "V": 8192},
    "cross_entropy_rows_gradient": {"M": 64, "V": 8192},
    "dropout": {"M": 64, "N": 8192},
    "embedding": {"N": 64, "V": 1000, "D": 4096},
    "geglu": {"M": 64, "N": 8192},
    "gelu": {"M": 64, "N": 8192},
    "gelu_linear": {"M": 512, "N": 512, "K": 512},
    "gelu_linear_backward": {"M": 512, "N": 512, "K": 512},
    "gemm_persistent": {"M": 512, "N": 512, "K": 512},
    "layer_norm": {"M": 64, "D": 4096},
    "linear_cross_entropy": {"M": 512, "V": 2048, "K": 512},
    "log_softmax": {"M": 64, "D": 4096},
    "matmul": {"M": 512, "N": 512, "K": 512},
    "matmul_block_scaled": {"M": 512, "N": 512, "K": 512},
    "matmul_grouped": {"M": 512, "N": 512, "K": 512, "X": 4},
    "matmul_grouped_nn": {"M": 512, "N": 512, "K": 512, "X": 4},
    "matmul_grouped_tn": {"M": 512, "N": 512, "K": 512, "X": 4},
    "matmul_mixed": {"M": 512, "N": 512, "K": 512},
    "matmul_mixed_nn": {"M": 512, "N": 512, "K": 512},
    "matmul_nt": {"M": 512, "N": 512, "K": 512},
    "matmul_scaled": {"M": 512, "N": 512, "K": 512},
    "matmul_tn": {"M": 512, "N": 512, "K": 512},
    "matmul_tt": {"M": 512, "N": 512, "K": 512},
    "quantise_blocks": {"M": 64, "K": 4096},
    "quantise_rows": {"M": 64, "K": 4096},
    "quantise_tensor": {"M": 64, "K": 4096},
    "quantise_tiles": {"M": 128, "K": 4096},
    "reduce_absmax": {"M": 64, "K": 4096},
    "reduce_max": {"N": 65536},
    "reduce_max_rows": {"M": 64, "D": 4096},
    "reduce_sum": {"N": 65536},
    "reduce_sum_rows": {"M": 64, "D": 4096},
    "relu2": {"M": 64, "N": 8192},
    "rms_norm": {"M": 64, "D": 4096},
    "rope": {"B": 1, "S": 256, "H": 4, "G": 2, "D": 128},
    "rope_computed": {"B": 1, "S": 256, "H": 4, "G": 2, "D": 128},
    "rope_computed_into": {"B": 1, "S": 256, "H": 4, "G": 2, "D": 128},
    "rope_into": {"B": 1, "S": 256, "H": 4, "G": 2, "D": 128},
    "softmax": {"M": 64, "D": 4096},
    "swiglu": {"M": 64, "N": 8192},
    "swiglu_mlp": {"M": 512, "N": 512, "K": 512},
    "swiglu_mlp_backward": {"M": 512, "N": 512, "K": 512},
    "swiglu_mlp_input": {"M": 512, "N": 512, "K": 512},
    "topk": {"M": 64, "D": 4096, "K": 8},
    "topk_backward": {"M": 64, "D": 4096, "K": 8},
    "transpose": {"B": 4, "M": 256, "N": 256},
    "vector_add": {"N": 65536},
}
EIGHT_BITS = ("attention_scaled", "matmul_block_scaled", "matmul_scaled")

SUITE = Suite(
    name="compile",
    summary="from source to first result",
    metric="ms",
    clock="compile",
    rounds=3,
    cases=tuple(
        Case(kernel, shape, "f8e4m3" if kernel in EIGHT_BITS else "bf16", {"cache": cache})
        for kernel, shape in SHAPES.items()
        for cache in ("cold", "disk")
    ),
)
