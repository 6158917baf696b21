"""A step of AdamW, Adam with decoupled weight decay (Loshchilov and Hutter, 2019), in place.

    mean   = beta1 mean + (1 - beta1) g            square = beta2 square + (1 - beta2) g^2
    param -= rate (decay param + (mean / (1 - beta1^step)) / (sqrt(square / (1 - beta2^step)) + eps))

param, grad: [N], mean, square: [N] in f32, which start from 0; `step` counts from 1. Computed in f32.

    adamw          one parameter, of any shape, flattened
    adamw_grouped  X parameters in one launch, which lie one behind the other in tensors of N elements: parameter x
                   from offsets[x] to offsets[x + 1], with its own rates[x] and decays[x]; offsets: [X + 1], from 0
                   on, and they do not fall
"""

from tilewright import *

N, X, X1 = dims("N X X1")  # X1 is X + 1
P = dtypes(f32, bf16, f16)
G = dtypes(f32, bf16, f16)


@inline
def one_less_power(base, exponent):
    """1 - base^exponent, by squaring: exact to a few units even for the first step."""
    result, square, left = 1.0, base, exponent
    while left > 0:
        result = result * square if left % 2 == 1 else result
        square, left = square * square, left // 2
    return 1 - result


@inline
def update(param, grad, mean, square, items, rate, decay, step, beta1, beta2, eps):
    p, g = param[items].to(f32), grad[items].to(f32)
    m = beta1 * mean[items] + (1 - beta1) * g
    s = beta2 * square[items] + (1 - beta2) * g * g
    size = sqrt(s) * rsqrt(one_less_power(beta2, step)) + eps
    param[items] = p - rate * (decay * p + m / (one_less_power(beta1, step) * size))
    mean[items], square[items] = m, s


@kernel
def adamw(param: Tensor[P, N], grad: Tensor[G, N], mean: Tensor[f32, N], square: Tensor[f32, N],
          rate: f32, step: i32, beta1: f32 = 0.9, beta2: f32 = 0.999, eps: f32 = 1e-8, decay: f32 = 0.01,
          *, BN: tune[1024, 2048, 4096] = 1024):
    """One program per BN elements."""
    assert step > 0, "steps count from 1"
    update(param, grad, mean, square, block(grid(cdiv(N, BN)), BN), rate, decay, step, beta1, beta2, eps)


@kernel
def adamw_grouped(param: Tensor[P, N], grad: Tensor[G, N], mean: Tensor[f32, N], square: Tensor[f32, N],
                  offsets: Tensor[i32, X1], rates: Tensor[f32, X], decays: Tensor[f32, X],
                  step: i32, beta1: f32 = 0.9, beta2: f32 = 0.999, eps: f32 = 1e-8,
                  *, BN: tune[1024, 2048, 4096] = 2048):
    """One program per BN elements, which begin at multiples of BN, whatever parameters they are of."""
    assert X1 == X + 1, "offsets has one number more than there are parameters"
    assert step > 0, "steps count from 1"
    j = grid(cdiv(N, BN))
    items, total = block(j, BN), offsets[X]
    x, behind = 0, X  # x: the parameter of the first element
    while behind - x > 1:
        middle = (x + behind) // 2
        starts = offsets[middle] <= j * BN
        x, behind = middle if starts else x, behind if starts else middle
    rate, decay = full((BN,), rates[x], f32), full((BN,), decays[x], f32)
    x += 1
    while offsets[x] < min(j * BN + BN, total):
        later = items >= offsets[x]
        rate, decay = where(later, rates[x], rate), where(later, decays[x], decay)
        x += 1
    update(param[0:total], grad[0:total], mean[0:total], square[0:total], items, rate, decay, step, beta1, beta2,
           eps)
