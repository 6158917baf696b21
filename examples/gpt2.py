"""GPT-2 124M from Hugging Face with three of its layers swapped for Tilewright's kernels.

    python examples/gpt2.py                    # random weights, by way of a checkpoint
    python examples/gpt2.py --checkpoint DIR   # a folder that save_pretrained() wrote

The original and the swapped model must choose the same tokens in f32, with and without a KV cache,
and give the same logits in bf16. On a GPU both are then timed, beside torch.compile.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.masking_utils import AttentionMaskInterface, flash_attention_mask
from transformers.modeling_utils import AttentionInterface

from tilewright import ops

# How much larger the error of the swapped model's bf16 logits may be than the original's.
BF16_FACTOR = 1.5

TINY = {"n_layer": 2, "n_head": 2, "n_embd": 128, "vocab_size": 512}


def attention(module, query, key, value, attention_mask, scaling=None, **_):
    """Causal attention over [B, H, S, D] as transformers calls it.

    Raises ValueError where causality is not all: for padding, and for a cache of fixed size.
    """
    if attention_mask is not None:
        raise ValueError("neither padded sequences nor a static KV cache are supported")
    q, k, v = (x.transpose(1, 2) for x in (query, key, value))
    return ops.attention(q, k, v, causal=True, scale=scaling, layout="bshd"), None


class GeluMlp(nn.Module):
    """GPT-2's feed-forward layer: its first product with bias and GELU is one kernel."""

    def __init__(self, mlp: nn.Module) -> None:
        super().__init__()
        # transformers stores [in, out]; the kernel reads rows of [out, in].
        self.weight = nn.Parameter(mlp.c_fc.weight.detach().T.contiguous())
        self.bias = mlp.c_fc.bias
        self.c_proj = mlp.c_proj

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.c_proj(ops.gelu_linear(x, self.weight, self.bias, approximate="tanh"))


class LayerNorm(nn.LayerNorm):
    """torch's layer with our kernel."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ops.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)


def swap_layers(model: GPT2LMHeadModel) -> GPT2LMHeadModel:
    """Replaces attention, half of each feed-forward layer and all layer norms, in place."""
    if model.config.activation_function not in ("gelu_new", "gelu_pytorch_tanh"):
        raise ValueError(f"`{model.config.activation_function}` is not GELU's tanh form")
    AttentionInterface.register("tilewright", attention)
    AttentionMaskInterface.register("tilewright", flash_attention_mask)  # None: causal alone
    model.set_attn_implementation("tilewright")
    for block in model.transformer.h:
        block.mlp = GeluMlp(block.mlp)
    for module in model.modules():
        if type(module) is nn.LayerNorm:
            module.__class__ = LayerNorm
    return model


def write_random_checkpoint(folder: str, config: GPT2Config) -> None:
    """A checkpoint of random weights: large enough for the layers to decide what comes next."""
    torch.manual_seed(0)
    config.initializer_range = 0.06
    GPT2LMHeadModel(config).save_pretrained(folder)


def load(folder: str, device: str, dtype: torch.dtype, swapped: bool) -> GPT2LMHeadModel:
    model = GPT2LMHeadModel.from_pretrained(folder, dtype=dtype).to(device).eval()
    return swap_layers(model) if swapped else model


@torch.no_grad()
def generate(model, prompt: torch.Tensor, count: int, **options) -> torch.Tensor:
    """The `count` most likely tokens after each prompt."""
    return model.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        do_sample=False,
        max_new_tokens=count,
        min_new_tokens=count,
        eos_token_id=None,
        pad_token_id=0,
        **options,
    )[:, prompt.shape[1] :]


def relative_error(out: torch.Tensor, reference: torch.Tensor) -> float:
    return ((out.float() - reference).norm() / reference.norm()).item()


def check_tokens(folder: str, device: str, prompt: torch.Tensor, count: int) -> bool:
    """In f32: the same greedy tokens, with and without a KV cache."""
    models = [load(folder, device, torch.float32, swapped) for swapped in (False, True)]
    same = True
    for cache in (True, False):
        original, ours = (generate(model, prompt, count, use_cache=cache) for model in models)
        equal = torch.equal(original, ours)
        print(
            f"f32, {'with' if cache else 'without'} KV cache: {original.numel()} tokens, "
            f"{original.unique().numel()} different: {'the same' if equal else 'DIFFERENT'}"
        )
        same &= equal
    return same


@torch.no_grad()
def check_logits(folder: str, device: str, prompt: torch.Tensor) -> bool:
    """In bf16: logits as near to the f32 model's as the original's are."""
    exact = load(folder, device, torch.float32, swapped=False)(prompt).logits
    original, ours = (
        relative_error(load(folder, device, torch.bfloat16, swapped)(prompt).logits, exact)
        for swapped in (False, True)
    )
    close = ours <= BF16_FACTOR * original  # also wrong for NaN
    print(
        f"bf16 logits against f32: error {ours:.2e}, the original's {original:.2e}: "
        f"{'ok' if close else 'TOO LARGE'}"
    )
    return close


def seconds(call: Callable[[], object], repeats: int = 3) -> float:
    """Median time of a call, warm."""
    for _ in range(2):
        call()
    times = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def decoding_rate(model, prompt: torch.Tensor, count: int, **options) -> float:
    """New tokens a second, all sequences together, KV cache on."""
    return prompt.shape[0] * count / seconds(lambda: generate(model, prompt, count, **options))


@torch.no_grad()
def forward_rate(model, tokens: torch.Tensor) -> float:
    """Tokens a second that pass through the model at once: no KV cache."""

    def call():
        with torch.no_grad():
            model(tokens, use_cache=False, logits_to_keep=1)

    return tokens.numel() / seconds(call)


def time_models(folder: str, prompt: torch.Tensor, count: int) -> dict[str, dict[str, float]]:
    """Prints and gives tokens a second in bf16."""
    original, ours = (load(folder, "cuda", torch.bfloat16, swapped) for swapped in (False, True))
    long = torch.randint(original.config.vocab_size, (8, 1024), device="cuda")
    print(
        f"\nbf16 tokens/s: forward over {tuple(long.shape)}, without KV cache; {count} new tokens"
    )
    print(f"after {tuple(prompt.shape)}, with KV cache\n{'':32}{'forward':>12}{'decoding':>12}")
    # transformers compiles the decoding step itself, over a cache of fixed size.
    rows = {
        "transformers, eager": (original, original, {}),
        "with Tilewright": (ours, ours, {}),
        "torch.compile": (torch.compile(original), original, {"cache_implementation": "static"}),
        "with Tilewright, torch.compile": (torch.compile(ours), None, {}),
    }
    rates: dict[str, dict[str, float]] = {}
    for name, (forward, decoder, options) in rows.items():
        rates[name] = {"forward": forward_rate(forward, long)}
        if decoder is not None:
            rates[name]["decoding"] = decoding_rate(decoder, prompt, count, **options)
        print(f"{name:32}", *(f"{rate:11,.0f}" for rate in rates[name].values()), flush=True)
    return rates


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checkpoint", help="a folder with config.json and model.safetensors")
    parser.add_argument("--batch", type=int, default=8, help="sequences")
    parser.add_argument("--prompt", type=int, default=64, help="tokens of each prompt")
    parser.add_argument("--tokens", type=int, default=128, help="tokens to generate")
    parser.add_argument("--tiny", action="store_true", help="a few small layers, for the CPU")
    parser.add_argument("--out", type=Path, help="a JSON file for the tokens a second")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    with contextlib.ExitStack() as stack:
        folder = options.checkpoint
        if folder is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            size = TINY if options.tiny else {}
            write_random_checkpoint(folder, GPT2Config(**size, bos_token_id=0, eos_token_id=0))
        vocabulary = GPT2Config.from_pretrained(folder).vocab_size
        torch.manual_seed(1)
        prompt = torch.randint(vocabulary, (options.batch, options.prompt), device=device)
        same = check_tokens(folder, device, prompt, options.tokens)
        close = check_logits(folder, device, prompt)
        if device == "cuda":
            rates = time_models(folder, prompt, options.tokens)
            if options.out:
                options.out.write_text(
                    json.dumps({"gpu": torch.cuda.get_device_name(), **rates}, indent=1)
                )
    return 0 if same and close else 1


if __name__ == "__main__":
    sys.exit(main())
