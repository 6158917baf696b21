"""Words and losses as torch functions; see ops.py."""

from __future__ import annotations

import functools

import torch
from torch import Tensor

from ._library import CompileError
from .kernel import builtin
from .torch_ops import Operation, as_rows, contiguous_like, derived, frees_graph, needs_gradient, require

__all__ = ["embedding", "cross_entropy", "linear_cross_entropy"]


def _embedding_arguments(ids, weight, padding):
    return {"ids": ids.reshape(-1), "weight": weight, "padding": padding}


def _embedding_run(y, ids, weight, padding):
    builtin("embedding")(ids.reshape(-1), weight, as_rows(y), padding)


_embedding_schema = "(Tensor ids, Tensor weight, int padding)"
_embedding = Operation(
    "embedding", _embedding_schema + " -> Tensor",
    lambda ids, weight, padding: weight.new_empty((*ids.shape, weight.shape[1])), _embedding_run,
    derived("embedding", "embedding", _embedding_schema, _embedding_arguments,
            {"y": lambda named: (*named["ids"].shape, named["weight"].shape[1])}, {"weight"}),
)  # fmt: skip


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """The rows of `weight` that `input` names, as torch's embedding.

    input: int64 or int32 of any shape [...], weight: [V, D], bf16, f16 or f32; gives [..., D]. Words with the
    index `padding_idx`, and those that no row has, give 0 and no gradient. Gradients are summed in f32.
    """
    require(weight.dim() == 2, "embedding", f"`weight` has {weight.dim()} dimensions and must have 2")
    if padding_idx is None:
        padding_idx = -1
    elif padding_idx < 0:
        padding_idx += weight.shape[0]
    return _embedding(input, weight, padding_idx)


def _entropy_outputs(x, *rest):
    rows = x.shape[:-1]
    return x.new_empty(rows, dtype=torch.float32), x.new_empty(rows, dtype=torch.float32)


def _cross_entropy_run(results, logits, labels, ignore, smoothing, z_loss):
    loss, lse = (t.view(-1) for t in results)
    builtin("cross_entropy")(as_rows(logits), labels.reshape(-1), loss, lse, ignore, smoothing=smoothing,
                             z_loss=z_loss)


def _cross_entropy_back_run(dlogits, logits, labels, lse, dloss, ignore, smoothing, z_loss):
    builtin("cross_entropy_backward")(as_rows(logits), labels.reshape(-1), lse.reshape(-1), dloss.reshape(-1),
                                      as_rows(dlogits), ignore, smoothing=smoothing, z_loss=z_loss)


_cross_entropy_back = Operation(
    "cross_entropy_backward",
    "(Tensor logits, Tensor labels, Tensor lse, Tensor dloss, int ignore, float smoothing, float z_loss) -> Tensor",
    contiguous_like, _cross_entropy_back_run,
)  # fmt: skip


def _cross_entropy_backward(call, dloss, _):
    logits, labels, *options = call.args
    return [_cross_entropy_back(logits, labels, call.results[1], dloss, *options), *[None] * 4]


_cross_entropy = Operation(
    "cross_entropy",
    "(Tensor logits, Tensor labels, int ignore, float smoothing, float z_loss) -> (Tensor, Tensor)",
    _entropy_outputs, _cross_entropy_run, _cross_entropy_backward, keeps_results=True, hides=True,
)  # fmt: skip


def _reduced(op, loss, target, ignore_index, reduction):
    require(reduction in ("none", "mean", "sum"), op,
             f'`reduction` is "none", "mean" or "sum", not {reduction!r}')
    if reduction == "none":
        return loss
    return loss.sum() if reduction == "sum" else loss.sum() / (target != ignore_index).sum()


def cross_entropy(input: Tensor, target: Tensor, *, ignore_index: int = -100, reduction: str = "mean",
                  label_smoothing: float = 0.0, z_loss: float = 0.0) -> Tensor:
    """-log(softmax(input)[target]) of rows of logits, in f32.

    input: [..., V], bf16, f16 or f32, target: [...], int64 or int32; each is in [0, V) or `ignore_index`, whose
    rows have loss 0. `reduction`: "none" gives f32 [...], "sum" their sum, "mean" that over the rows that count.
    `label_smoothing` is torch's. `z_loss` adds z_loss * log(sum(exp(input)))^2 to each row. Nothing of the size
    of the logits is written but their gradient.
    """
    require(input.shape[:-1] == target.shape, "cross_entropy",
             f"`input` is {list(input.shape)} and `target` {list(target.shape)}: all dimensions but the last")
    loss, _ = _cross_entropy(input, target, ignore_index, float(label_smoothing), float(z_loss))
    return _reduced("cross_entropy", loss, target, ignore_index, reduction)


_PART = 128  # as linear_cross_entropy.py has it
_FEWEST_ROWS = 512  # of a part; the sums of dweight are read and written once for each


def _linear_entropy_run(results, hidden, weight, labels, ignore, smoothing, z_loss):
    loss, lse = (t.view(-1) for t in results)
    rows, parts = as_rows(hidden), -(-weight.shape[0] // _PART)
    logs = hidden.new_empty((parts, rows.shape[0]), dtype=torch.float32)
    sums = torch.empty_like(logs) if smoothing > 0 else None
    builtin("linear_cross_entropy")(rows, weight, logs, sums)
    builtin("linear_cross_entropy_loss")(rows, weight, labels.reshape(-1), logs, loss, lse, ignore, sums,
                                         smoothing=smoothing, z_loss=z_loss)


def _linear_entropy_back_outputs(hidden, weight, *rest):
    needs_weight = rest[-1]
    return contiguous_like(hidden), weight.new_empty(weight.shape if needs_weight else 0)


def _linear_entropy_back_run(results, hidden, weight, labels, lse, dloss, ignore, smoothing, z_loss, needs_weight):
    """Takes a 32nd of the words at a time, whose gradients are as much memory as the sum of `dhidden` or less."""
    dhidden, dweight = results
    rows, labels, lse, dloss = as_rows(hidden), *(t.reshape(-1) for t in (labels, lse, dloss))
    words = weight.shape[0]
    step = _PART * max(1, -(-words // (32 * _PART)))
    total = torch.empty(rows.shape, dtype=torch.float32, device=rows.device)
    for start in range(0, words, step):
        part = weight[start:start + step]
        dlogits = rows.new_empty((rows.shape[0], part.shape[0]))
        builtin("linear_cross_entropy_gradient")(rows, part, labels, lse, dloss, dlogits, words, start, ignore,
                                                 smoothing=smoothing, z_loss=z_loss)
        builtin("linear_cross_entropy_hidden")(dlogits, part, total, more=start > 0)
        if needs_weight:
            builtin("matmul_tn")(dlogits, rows, dweight[start:start + step], tf32=False)
    as_rows(dhidden).copy_(total)


_linear_entropy_back = Operation(
    "linear_cross_entropy_backward",
    "(Tensor hidden, Tensor weight, Tensor labels, Tensor lse, Tensor dloss, int ignore, float smoothing, "
    "float z_loss, bool needs_weight) -> (Tensor, Tensor)",
    _linear_entropy_back_outputs, _linear_entropy_back_run,
)  # fmt: skip


def _linear_entropy_backward(call, dloss, _):
    hidden, weight, labels, *options = call.args
    needs = call.needs
    dhidden, dweight = _linear_entropy_back(hidden, weight, labels, call.results[1], dloss, *options, needs[1])
    return [dhidden, dweight if needs[1] else None, *[None] * 4]


_linear_entropy = Operation(
    "linear_cross_entropy",
    "(Tensor hidden, Tensor weight, Tensor labels, int ignore, float smoothing, float z_loss) -> (Tensor, Tensor)",
    _entropy_outputs, _linear_entropy_run, _linear_entropy_backward, keeps_results=True, hides=True,
)  # fmt: skip


def _scale(gradient, factor):
    builtin("linear_cross_entropy_scale")(as_rows(gradient), factor.reshape(1))


def _scaled_run(scaled, gradient, factor):
    scaled.copy_(gradient)
    _scale(scaled, factor)


_scaled = Operation(
    "linear_cross_entropy_scaled", "(Tensor gradient, Tensor factor) -> Tensor",
    lambda gradient, factor: contiguous_like(gradient), _scaled_run,
)  # fmt: skip


@functools.cache
def _loss_and_gradient(device, dtype, words, smoothing, z_loss):
    """The kernel for rows of so many words: the one that reads them once, where the GPU can hold a row."""
    logits = torch.empty((1, words), dtype=dtype, device=device)
    labels = torch.empty(1, dtype=torch.int64, device=device)
    numbers = torch.empty(1, dtype=torch.float32, device=device)
    once = builtin("cross_entropy_rows_gradient")
    try:
        once.prepare(logits, labels, *[numbers] * 3, logits, smoothing=smoothing, z_loss=z_loss)
    except CompileError:  # a thread would need more registers than there are
        return builtin("cross_entropy_gradient")
    return once


def _linear_entropy_step_outputs(hidden, weight, labels, share, ignore, smoothing, z_loss, needs_weight):
    return share.new_empty(()), *_linear_entropy_back_outputs(hidden, weight, needs_weight)


def _linear_entropy_step_run(results, hidden, weight, labels, share, ignore, smoothing, z_loss, needs_weight):
    """Takes a tenth of the rows at a time, but no fewer than _FEWEST_ROWS: so many logits are in memory."""
    total, dhidden, dweight = results
    hidden, dhidden, labels = as_rows(hidden), as_rows(dhidden), labels.reshape(-1)
    rows, words = hidden.shape[0], weight.shape[0]
    step = max(_FEWEST_ROWS, rows // 10 // _PART * _PART)
    loss, lse = (torch.empty(rows, dtype=torch.float32, device=hidden.device) for _ in range(2))
    chunk = hidden.new_empty((min(rows, step), words))
    loss_and_gradient = _loss_and_gradient(hidden.device, hidden.dtype, words, smoothing, z_loss)
    if needs_weight and rows == 0:
        dweight.zero_()
    for start in range(0, rows, step):
        part = slice(start, start + step)
        logits = chunk[:len(labels[part])]
        builtin("matmul_nt")(hidden[part], weight, logits, tf32=False)
        loss_and_gradient(logits, labels[part], share.expand(rows)[part], loss[part], lse[part], logits, ignore,
                          smoothing=smoothing, z_loss=z_loss)
        builtin("linear_cross_entropy_hidden")(logits, weight, dhidden[part])
        if needs_weight:
            builtin("linear_cross_entropy_weight")(logits, hidden[part], dweight, more=start > 0)
    total.copy_(loss.sum() * share)


def _linear_entropy_step_backward(call, dtotal, *_):
    gradients = call.results[1:2 + call.needs[1]]
    if frees_graph(gradients):
        for gradient in gradients:
            _scale(gradient, dtotal)
    else:
        gradients = [_scaled(gradient, dtotal) for gradient in gradients]
    return [*gradients, *[None] * (8 - len(gradients))]


_linear_entropy_step = Operation(
    "linear_cross_entropy_step",
    "(Tensor hidden, Tensor weight, Tensor labels, Tensor share, int ignore, float smoothing, float z_loss, "
    "bool needs_weight) -> (Tensor, Tensor, Tensor)",
    _linear_entropy_step_outputs, _linear_entropy_step_run, _linear_entropy_step_backward, drops=4,
    keeps_results=True, hides=True,
)  # fmt: skip


def linear_cross_entropy(input: Tensor, weight: Tensor, target: Tensor, *, ignore_index: int = -100,
                         reduction: str = "mean", label_smoothing: float = 0.0, z_loss: float = 0.0) -> Tensor:
    """`cross_entropy` of the logits input weight^T, which are never stored as a whole.

    input: [..., K], weight: [V, K], bf16, f16 or f32, target: [...]; the rest is as in `cross_entropy`.

    Where a gradient is asked for, a mean or sum computes it beside the loss, a tenth of the rows at a time: three
    products, and less than a tenth of the logits' memory (or 512 rows of them). The backward multiplies it by
    the gradient of the loss, in place unless the graph is kept; a gradient of 1 costs nothing. Sums of the
    weight's gradient are rounded to its dtype behind each part. With `reduction` "none" the backward computes the
    logits again, a part of the words at a time: four products, a 32nd of the logits' memory, and an f32 of each
    number of `input`.
    """
    require(input.shape[:-1] == target.shape, "linear_cross_entropy",
             f"`input` is {list(input.shape)} and `target` {list(target.shape)}: all dimensions but the last")
    if reduction in ("mean", "sum") and needs_gradient((input, weight)):
        count = (target != ignore_index).sum() if reduction == "mean" else torch.ones((), device=target.device)
        return _linear_entropy_step(input, weight, target, count.float().reciprocal(), ignore_index,
                                    float(label_smoothing), float(z_loss), weight.requires_grad)[0]
    loss, _ = _linear_entropy(input, weight, target, ignore_index, float(label_smoothing), float(z_loss))
    return _reduced("linear_cross_entropy", loss, target, ignore_index, reduction)
