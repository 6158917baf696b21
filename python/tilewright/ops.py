"""The kernels of the package as torch functions.

They allocate their results, take tensors with any strides, and run on the current stream. On CPU
tensors the reference interpreter runs them, slowly. All work under torch.compile and autograd. A gradient
has the dtype of what it is the gradient of. What has none raises a NotImplementedError that says why,
when `backward` reaches it; there are no second gradients except of products, rotations and what is made of these.
Wrong arguments raise `tilewright.Error`, which names the argument of the kernel.
"""

from __future__ import annotations

try:
    import torch  # noqa: F401
except ImportError as error:
    raise ImportError("tilewright.ops needs torch: `pip install torch`") from error

from .ops_attention import attention, attention_varlen
from .ops_elements import dropout, geglu, gelu, swiglu
from .ops_layers import gelu_linear, swiglu_mlp
from .ops_losses import cross_entropy, embedding, linear_cross_entropy
from .ops_products import matmul, matmul_block_scaled, matmul_grouped, matmul_mixed, matmul_scaled
from .ops_rope import rope, rope_
from .ops_rows import add_layer_norm, add_rms_norm, layer_norm, log_softmax, relu2, rms_norm, softmax

__all__ = [
    "add_layer_norm", "add_rms_norm", "attention", "attention_varlen", "cross_entropy", "dropout", "embedding",
    "geglu", "gelu", "gelu_linear", "layer_norm", "linear_cross_entropy", "log_softmax", "matmul",
    "matmul_block_scaled", "matmul_grouped", "matmul_mixed", "matmul_scaled", "relu2", "rms_norm", "rope",
    "rope_", "softmax", "swiglu", "swiglu_mlp",
]  # fmt: skip
