"""The package's torch modules beside torch's own."""

import pytest

import tilewright as tw

torch = pytest.importorskip("torch", reason="needs torch")
nn, F = torch.nn, torch.nn.functional


def numbers(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


class Gelu(nn.Module):
    """The parameters of a linear layer under its own names."""

    def __init__(self, approximate="none", **options):
        super().__init__()
        self.weight, self.bias = nn.Linear(37, 21, **options).parameters()
        self.approximate = approximate

    def forward(self, x):
        return F.gelu(F.linear(x, self.weight, self.bias), approximate=self.approximate)


class Gated(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.gate_proj, self.up_proj = (nn.Linear(37, 21, bias=False, **options) for _ in range(2))
        self.down_proj = nn.Linear(21, 37, bias=False, **options)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


CASES = {
    "rms_norm": (lambda **o: tw.modules.RMSNorm(37, eps=1e-5, **o), lambda **o: nn.RMSNorm(37, eps=1e-5, **o)),
    "rms_norm_of_two": (lambda **o: tw.modules.RMSNorm((5, 37), **o), lambda **o: nn.RMSNorm((5, 37), **o)),
    "rms_norm_plain": (lambda **o: tw.modules.RMSNorm(37, elementwise_affine=False, **o),
                       lambda **o: nn.RMSNorm(37, elementwise_affine=False, **o)),
    "layer_norm": (lambda **o: tw.modules.LayerNorm(37, **o), lambda **o: nn.LayerNorm(37, **o)),
    "layer_norm_scaled": (lambda **o: tw.modules.LayerNorm(37, bias=False, **o),
                          lambda **o: nn.LayerNorm(37, bias=False, **o)),
    "gelu_linear": (lambda **o: tw.modules.GeluLinear(37, 21, **o), Gelu),
    "gelu_linear_tanh": (lambda **o: tw.modules.GeluLinear(37, 21, approximate="tanh", **o),
                         lambda **o: Gelu("tanh", **o)),
    "swiglu": (lambda **o: tw.modules.SwiGLU(37, 21, **o), Gated),
}  # fmt: skip


def pair(name, dtype):
    """Ours and torch's with the same parameters, which are no multiples of one number."""
    ours, theirs = (make(dtype=dtype) for make in CASES[name])
    for i, parameter in enumerate(theirs.parameters()):
        nn.init.normal_(parameter, mean=i == 0, std=0.3)
    ours.load_state_dict(theirs.state_dict())
    return ours, theirs


def trained(module, x):
    """The result, and the gradients by the input and the parameters."""
    x = x.clone().requires_grad_()
    y = module(x)
    y.backward(numbers(*y.shape).to(y.dtype))
    return [y, x.grad, *(p.grad for p in module.parameters())]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_module_takes_the_place_of_torchs(name, dtype):
    ours, theirs = pair(name, dtype)
    tolerance = {torch.float32: 1e-5, torch.float16: 1e-2, torch.bfloat16: 6e-2}[dtype]
    x = numbers(3, 5, 37).to(dtype)
    for found, expected in zip(trained(ours, x), trained(theirs, x), strict=True):
        assert found.dtype == dtype
        scale = tolerance * max(1, expected.abs().max().item())
        torch.testing.assert_close(found, expected, atol=scale, rtol=tolerance)


@pytest.mark.parametrize("name", CASES)
def test_module_can_be_compiled(name):
    ours, _ = pair(name, torch.float32)
    x = numbers(3, 5, 37)
    expected = trained(ours, x)
    ours.zero_grad()
    torch.compiler.reset()
    compiled = torch.compile(ours, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(trained(compiled, x), expected)


@pytest.mark.parametrize("name", ["rms_norm", "layer_norm"])
def test_norm_of_another_dtype_than_its_parameters_has_that_of_its_input(name):
    ours, theirs = pair(name, torch.float32)
    x = numbers(3, 5, 37).bfloat16()
    y, dx, dweight, *_ = trained(ours, x)
    assert (y.dtype, dx.dtype, dweight.dtype) == (torch.bfloat16, torch.bfloat16, torch.float32)
    torch.testing.assert_close(y.float(), theirs(x.float()), atol=3e-2, rtol=3e-2)


@pytest.mark.parametrize("name", ["gelu_linear", "swiglu"])
def test_product_takes_the_dtype_of_autocast(name):
    ours, theirs = pair(name, torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        found = trained(ours, numbers(3, 5, 37))
    assert found[0].dtype == torch.bfloat16 and found[1].dtype == torch.float32
    for each, expected in zip(found, trained(theirs, numbers(3, 5, 37)), strict=True):
        torch.testing.assert_close(each.float(), expected, atol=0.1 * expected.abs().max().item(), rtol=0.1)


def test_rotary_has_the_angles_of_rope():
    q, k = numbers(2, 4, 9, 16), numbers(2, 2, 9, 16)
    rotary = tw.modules.Rotary(500.0, interleaved=True)
    torch.testing.assert_close(rotary(q, k, 3), tw.ops.rope(q, k, offset=3, base=500.0, interleaved=True))
    assert str(rotary) == "Rotary(base=500.0, interleaved=True, layout='bhsd')"


def test_modules_name_their_options():
    assert "approximate='tanh'" in str(tw.modules.GeluLinear(3, 4, approximate="tanh"))


LABELS = torch.tensor([[3, 36, -100, 3, 20], [11, 3, 7, 7, 4], [-100, 20, 1, 2, 0]])


@pytest.mark.parametrize("options", [{}, {"reduction": "sum"}, {"reduction": "none"}, {"label_smoothing": 0.1},
                                     {"ignore_index": 3}], ids=str)  # fmt: skip
def test_cross_entropy_is_torchs(options):
    labels = LABELS if "ignore_index" not in options else LABELS.clamp(min=0)
    ours, theirs = tw.modules.CrossEntropyLoss(**options), nn.CrossEntropyLoss(**options)
    shapes = ((15, 37), labels.flatten()), ((3, 37, 5), labels), ((37,), labels[0, 1])
    for logits, target in ((numbers(*shape), target) for shape, target in shapes):
        grads = []
        for loss in (ours, theirs):
            z = logits.clone().requires_grad_()
            result = loss(z, target)
            result.sum().backward()
            grads.append((result, z.grad))
        torch.testing.assert_close(*grads, atol=1e-5, rtol=1e-4)


def test_cross_entropy_of_a_linear_layer_has_no_logits():
    layer, x = nn.Linear(21, 37, bias=False), numbers(3, 5, 21)
    ours, theirs = tw.modules.LinearCrossEntropyLoss(z_loss=0.1), tw.modules.CrossEntropyLoss(z_loss=0.1)
    found = [ours(x, layer.weight, LABELS), theirs(layer(x).movedim(-1, 1), LABELS)]
    torch.testing.assert_close(*found)
    torch.testing.assert_close(*(torch.autograd.grad(loss, layer.weight)[0] for loss in found))
    assert str(ours).startswith("LinearCrossEntropyLoss(ignore_index=-100, reduction='mean', ")


def test_embedding_takes_the_place_of_torchs():
    ours, theirs = tw.modules.Embedding(21, 37, padding_idx=2), nn.Embedding(21, 37, padding_idx=2)
    ours.load_state_dict(theirs.state_dict())
    words = LABELS.clamp(0, 20)
    for module in (ours, theirs):
        module(words).pow(2).sum().backward()
    torch.testing.assert_close(ours(words), theirs(words))
    torch.testing.assert_close(ours.weight.grad, theirs.weight.grad)
    with pytest.raises(tw.Error, match="modules.Embedding: it has no `max_norm`"):
        tw.modules.Embedding(21, 37, max_norm=1.0)
