"""What transformers calls in a patched model: attention, its masks, and the loss; see patched.py."""

from __future__ import annotations

import torch

from . import ops
from ._library import Error

_DTYPES = (torch.bfloat16, torch.float16, torch.float32)


def takes(x, *parameters):
    """Whether kernels take tensors of these dtypes together."""
    return x.dtype in _DTYPES and all(p.dtype == x.dtype for p in parameters)


def attention(module, query, key, value, attention_mask, dropout=0.0, scaling=None, is_causal=None,
              sliding_window=None, softcap=None, head_mask=None, s_aux=None, **_):
    """Attention as transformers calls it; `attention_mask` is what `mask` gave, or None."""
    if head_mask is not None:
        raise Error("tilewright: attention takes no `head_mask`; unpatch the model")
    if not takes(query, key, value):
        from transformers.integrations.sdpa_attention import sdpa_attention_forward

        return sdpa_attention_forward(module, query, key, value, attention_mask, dropout=dropout, scaling=scaling,
                                      is_causal=is_causal)
    if is_causal is None:
        is_causal = attention_mask is None and getattr(module, "is_causal", True)
    if attention_mask is not None:
        attention_mask = attention_mask[..., : key.shape[2]].to(query.dtype)
    sinks = None if s_aux is None else s_aux.float()
    output = ops.attention(
        query, key, value, causal=is_causal, window=sliding_window or 0 if is_causal else 0, scale=scaling,
        softcap=softcap or 0.0, bias=attention_mask, sinks=sinks, dropout=dropout,
    )  # fmt: skip
    return output.transpose(1, 2).contiguous(), None


def mask(batch_size, cache_position, kv_length, kv_offset=0, attention_mask=None, local_size=None,
         allow_is_causal_skip=True, dtype=torch.float32, **options):
    """What `attention` adds to scores: f[B, 1, S, T], 0 or -inf; None where every query sees what it does in
    causal attention, within the window of the layer."""
    from transformers.masking_utils import sdpa_mask

    if attention_mask is None and allow_is_causal_skip:
        return None
    options.pop("allow_torch_fix", None)
    seen = sdpa_mask(
        batch_size=batch_size, cache_position=cache_position, kv_length=kv_length, kv_offset=kv_offset,
        attention_mask=attention_mask, allow_is_causal_skip=False, allow_torch_fix=False, **options,
    )  # fmt: skip
    if not torch.compiler.is_compiling() and cache_position[-1] + 1 == kv_offset + kv_length:
        key = torch.arange(kv_length, device=seen.device) + kv_offset
        usual = key <= cache_position[:, None]
        if local_size is not None:
            usual &= key > cache_position[:, None] - local_size
        if torch.equal(seen, usual.expand_as(seen)):
            return None
    return torch.zeros(seen.shape, dtype=dtype, device=seen.device).masked_fill_(~seen, -torch.inf)


def shifted(labels, ignore_index):
    """The label of each position is the next word."""
    return torch.nn.functional.pad(labels, (0, 1), value=ignore_index)[..., 1:]


def mean(loss, labels, ignore_index, num_items_in_batch):
    """As transformers divide a sum of losses."""
    if num_items_in_batch is None:
        return loss / (labels != ignore_index).sum()
    if torch.is_tensor(num_items_in_batch):
        num_items_in_batch = num_items_in_batch.to(loss.device)
    return loss / num_items_in_batch


def causal_loss(logits, labels, vocab_size, num_items_in_batch=None, ignore_index=-100, shift_labels=None, **_):
    """transformers' ForCausalLMLoss by `ops.cross_entropy`; logits are not copied to f32."""
    labels = shifted(labels, ignore_index) if shift_labels is None else shift_labels
    labels = labels.to(logits.device)
    logits = logits if takes(logits) else logits.float()
    loss = ops.cross_entropy(logits, labels.reshape(logits.shape[:-1]), ignore_index=ignore_index, reduction="sum")
    return mean(loss, labels, ignore_index, num_items_in_batch)
