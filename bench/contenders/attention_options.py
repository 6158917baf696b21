"""Causal attention with options, one a case; beside FlexAttention where that has a short form."""

from __future__ import annotations

from collections.abc import Callable

import torch

from bench.cases import OURS, Case
from bench.contenders import common, ours
from bench.contenders.attention import hidden_keys
from bench.contenders.common import DTYPES, checked, compiled, empty, random
from bench.measure import Lineup

SOFTCAP = 30.0
DROPPED = 26  # Of 256 weights.
SEED = (20240229, 7)


def philox(counter: list[torch.Tensor], key: tuple[int, int]) -> list[torch.Tensor]:
    """Philox4x32-7 of numbers of 32 bits in int64."""
    low = 0xFFFFFFFF

    def product(a, b):
        """The high and the low half of a * b."""
        return ((a & 0xFFFF) * b // 65536 + (a >> 16) * b) >> 16, a * b & low

    first, second = key
    for _ in range(7):
        high0, low0 = product(counter[0], 0xD2511F53)
        high1, low1 = product(counter[2], 0xCD9E8D57)
        counter = [high1 ^ counter[1] ^ first, low1, high0 ^ counter[3] ^ second, low0]
        first, second = first + 0x9E3779B9 & low, second + 0xBB67AE85 & low
    return counter


def random_bytes(seed: tuple[int, int], stream: int, s: int, t: int) -> torch.Tensor:
    """[s, t]: as the language has them (docs/language.md)."""
    calls = torch.arange(-(-t // 64) * 4, device=common.DEVICE)
    rows = torch.arange(s, device=common.DEVICE)
    counter = [*torch.broadcast_tensors(
        calls[None, :], rows[:, None], torch.tensor(stream, device=common.DEVICE),
        torch.tensor(seed[1], device=common.DEVICE),
    )]  # fmt: skip
    words = philox(counter, (seed[0] & 0xFFFFFFFF, seed[0] >> 32))
    columns = torch.arange(t, device=common.DEVICE)
    call, byte = columns // 64 * 4 + columns // 2 % 4, columns % 2 + columns // 8 % 8 * 2
    chosen = torch.stack(words)[byte // 4, :, call].T
    return chosen >> (byte % 4 * 8) & 255


class Options:
    """What a case adds: arguments of the kernel, and what they do to one head's scores."""

    def __init__(self, option: str, b: int, h: int, s: int, dtype: torch.dtype):
        self.option = option
        self.arguments: dict[str, object] = {}
        if option == "softcap":
            self.arguments = {"softcap": SOFTCAP}
        elif option == "slopes":
            heads = torch.arange(1, h + 1, device=common.DEVICE)
            self.arguments = {"slopes": 2.0 ** (-8 * heads / h)}
        elif option == "sinks":
            self.arguments = {"sinks": torch.randn(h, device=common.DEVICE)}
        elif option == "bias":
            self.arguments = {"bias": random(1, h, s, s, dtype=dtype).expand(b, h, s, s)}
        elif option == "dropout":
            self.arguments = {"seed": torch.tensor(SEED, device=common.DEVICE), "dropped": DROPPED}

    def scored(self, z: torch.Tensor, b: int, h: int) -> torch.Tensor:
        if self.option == "softcap":
            return SOFTCAP * torch.tanh(z / SOFTCAP)
        if self.option == "slopes":
            place = torch.arange(len(z), device=common.DEVICE)
            return z - self.arguments["slopes"][h] * (place[:, None] - place).abs()
        if self.option == "bias":
            return z + self.arguments["bias"][b, h]
        return z

    def weights(self, z: torch.Tensor, b: int, h: int, heads: int) -> torch.Tensor:
        if self.option == "sinks":
            sink = self.arguments["sinks"][h].expand(len(z), 1)
            return torch.cat([z, sink], 1).softmax(-1)[:, :-1]
        p = z.softmax(-1)
        if self.option != "dropout":
            return p
        kept = random_bytes(SEED, b * heads + h, *z.shape) >= DROPPED
        return p * kept * (256 / (256 - DROPPED))


def exact(q, k, v, options: Options) -> torch.Tensor:
    """Causal attention in f32 over [B, S, H, D], one head at a time."""
    result = torch.empty(q.shape, device=q.device)
    heads = q.shape[2]
    hidden = hidden_keys(q.shape[1], True, 0, q.device)
    for b in range(q.shape[0]):
        for h in range(heads):
            z = q[b, :, h].float() @ k[b, :, h].float().T * q.shape[3] ** -0.5
            z = options.scored(z, b, h).masked_fill_(hidden, -torch.inf)
            result[b, :, h] = options.weights(z, b, h, heads) @ v[b, :, h].float()
    return result


def flex(q, k, v, options: Options) -> Callable[[], torch.Tensor]:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    slopes = options.arguments.get("slopes")

    def capped(z, b, h, query, key):
        return SOFTCAP * torch.tanh(z / SOFTCAP)

    def sloped(z, b, h, query, key):
        return z - slopes[h] * (query - key).abs()

    s = q.shape[1]
    mask = create_block_mask(lambda b, h, i, j: j <= i, None, None, s, s, device=q.device)
    heads_first = [x.transpose(1, 2).contiguous() for x in (q, k, v)]
    score = capped if slopes is None else sloped
    attend = compiled(flex_attention)
    return lambda: attend(*heads_first, score_mod=score, block_mask=mask).transpose(1, 2)


def lineup(case: Case) -> Lineup:
    b, s, h, d = (case.shape[name] for name in "BSHD")
    option = str(case.settings.get("option", "plain"))
    q, k, v = (random(b, s, h, d, dtype=DTYPES[case.dtype]) for _ in range(3))
    o, lse = torch.empty_like(q), empty(b, h, s)
    options = Options(option, b, h, s, q.dtype)
    reference = exact(q, k, v, options)

    def by_ours():
        kernel = ours.kernel("attention")
        return lambda: (
            kernel(q, k, v, o, lse, d**-0.5, causal=True, **options.arguments), o
        )[1]  # fmt: skip

    contenders = {OURS: lambda: checked(by_ours(), reference, (o, lse))}
    if option in ("softcap", "slopes"):
        contenders["FlexAttention"] = lambda: checked(flex(q, k, v, options), reference)
    return Lineup(contenders)
