"""Kernels on GPUs, with torch: results, streams, graphs, compilation, processes, several GPUs."""

import multiprocessing
import re
import threading

import pytest

import tilewright as tw
from tilewright import *  # noqa: F403

torch = pytest.importorskip("torch", reason="needs torch")
pytestmark = pytest.mark.gpu

M, N = dims("M N")
E = dtypes(bf16, f16, f32)


@tw.kernel
def scale(x: Tensor[E, M, N], y: Tensor[E, M, N], factor: f32 = 2.0, *, BR: tune[1, 2, 4] = 2):
    rows = block(grid(cdiv(M, BR)), BR)
    y[rows, :] = x[rows, :].to(f32) * factor


@tw.kernel
def add(x: Tensor[E, N], y: Tensor[E, N], z: Tensor[E, N], *, BN: tune[512, 1024] = 1024):
    items = block(grid(cdiv(N, BN)), BN)
    z[items] = x[items] + y[items]


@tw.kernel
def sum_columns(x: Tensor[f32, M, N], sums: Tensor[f32, N]):
    row = block(grid(M), 1)
    atomic_add(sums[:], sum(x[row, :], axis=0))


def random(*shape, dtype=torch.float32, device="cuda"):
    return torch.randn(shape, device=device).to(dtype)


@pytest.fixture
def slow():
    """Keeps the current stream busy for some milliseconds."""
    def work():
        torch.cuda._sleep(50_000_000)

    return work


# ===- Results -------------------------------------------------------------------------------===


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
@pytest.mark.parametrize("shape", [(1, 16, 16), (2, 64, 128), (3, 37, 61)])
def test_moves_every_byte(dtype, shape):
    """Infinities and NaNs stay what they are where nothing is computed."""
    count = shape[0] * shape[1] * shape[2]
    x = (torch.arange(count, device="cuda") % 256).to(torch.uint8).reshape(shape)
    y = torch.empty(x.transpose(-1, -2).shape, dtype=torch.uint8, device="cuda")
    tw.builtin("transpose")(x.view(dtype), y.view(dtype))
    assert torch.equal(y, x.transpose(-1, -2))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_takes_every_dtype(dtype):
    x = random(33, 96, dtype=dtype)
    y = torch.empty_like(x)
    scale(x, y)
    torch.testing.assert_close(y, x * 2)


@pytest.mark.parametrize("make", [
    lambda: random(96, 33).T, lambda: random(33, 192)[:, ::2], lambda: random(33, 97)[:, 1:],
    lambda: random(1, 96).expand(33, 96), lambda: random(66, 96)[::2],
])  # fmt: skip
def test_takes_any_strides(make):
    x = make()
    y = torch.empty(33, 96, device="cuda")
    scale(x, y)
    torch.testing.assert_close(y, x * 2)


def test_takes_empty_tensors():
    x = torch.empty(0, 64, device="cuda")
    scale(x, x)


def test_the_gpu_gives_what_the_reference_gives():
    x = random(17, 80, dtype=torch.bfloat16)
    y, expected = torch.empty_like(x), torch.empty(17, 80, dtype=torch.bfloat16)
    scale(x, y, 0.3)
    scale.reference(x.cpu(), expected, 0.3)
    assert torch.equal(y.cpu(), expected)


# On a GPU that is free, blocks add up their sums together; beside other work, some end before others have
# started, and they do so in groups.
@pytest.mark.parametrize("rows", [1, 100, 3000])
def test_sums_of_all_programs_are_the_same_to_the_bit_beside_other_work(rows):
    x, a = random(rows, 4096), random(4096, 4096)
    found, other = [], torch.cuda.Stream()
    for beside in [False, True] * 20:
        sums = torch.zeros(4096, device="cuda")
        torch.cuda.synchronize()
        if beside:
            with torch.cuda.stream(other):
                a @ a
        sum_columns(x, sums)
        found.append(sums)
    torch.testing.assert_close(found[0], x.sum(0), rtol=1e-4, atol=1e-3)
    assert all(torch.equal(sums, found[0]) for sums in found)


# Rows of odd lengths, in which some words of a sum are nobody's; 8 or 12 warps on an SM (1280, 2304, 13824); a cluster.
@pytest.mark.parametrize("rows, columns", [(301, 513), (37, 1280), (600, 2304), (150, 13824), (40, 50304)])
@pytest.mark.parametrize("name", ["rms_norm", "layer_norm"])
def test_gradients_of_weights_are_the_same_to_the_bit_beside_other_work(name, rows, columns):
    x, dy = (random(rows, columns, dtype=torch.bfloat16) for _ in range(2))
    vectors = {v: random(columns, dtype=torch.bfloat16) for v in ["weight", "bias"][: 1 + (name == "layer_norm")]}
    gradient = tw.grad(tw.builtin(name))
    a, other, found = random(4096, 4096), torch.cuda.Stream(), []
    for beside in [False, True] * 20:
        dx = torch.full_like(x, float("nan"))
        sums = {f"d{v}": torch.full((columns,), float("nan"), device="cuda") for v in vectors}
        torch.cuda.synchronize()
        if beside:
            with torch.cuda.stream(other):
                a @ a
        gradient(x=x, dy=dy, dx=dx, eps=1e-5, **vectors, **sums)
        found.append([dx, *sums.values()])
    leaves = [t.float().requires_grad_() for t in (x, *vectors.values())]
    norm = getattr(torch.nn.functional, name)
    expected = torch.autograd.grad(
        norm(leaves[0], (columns,), *leaves[1:], eps=1e-5), leaves, dy.float())
    torch.testing.assert_close(found[0][0].float(), expected[0], rtol=2e-2, atol=2e-2)
    for sums, reference in zip(found[0][1:], expected[1:], strict=True):
        torch.testing.assert_close(sums, reference, rtol=1e-4, atol=1e-3)
    assert all(torch.equal(a, b) for each in found for a, b in zip(each, found[0], strict=True))


def test_repeated_calls_see_new_contents_and_new_tensors():
    for _ in range(20):
        x, y = random(1000), random(1000)
        z = torch.empty_like(x)
        add(x, y, z)
        add(x, z, z)
        torch.testing.assert_close(z, 2 * x + y)


def test_inspection_is_of_the_last_call():
    x = random(8, 64, dtype=torch.bfloat16)
    scale(x, torch.empty_like(x), BR=4)
    assert scale.explain().startswith("scale (BR = 4")
    major, minor = torch.cuda.get_device_capability()
    assert f"sm_{major}{minor}" in scale.explain()
    assert scale.report()["registers"] > 0
    assert ".visible .entry scale" in scale.ptx()


def test_takes_cupy_arrays_on_their_stream():
    cupy = pytest.importorskip("cupy")
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x = cupy.arange(3000, dtype=cupy.float32)
        z = cupy.zeros_like(x)
        tw.builtin("vector_add")(x, x, z)
    stream.synchronize()
    assert (z == 2 * x).all()


def test_takes_jax_arrays():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("jax has no GPU")
    x = jax.numpy.arange(3000, dtype=jax.numpy.float32)
    z = jax.numpy.zeros_like(x).block_until_ready()
    tw.builtin("vector_add")(x.block_until_ready(), x, z)
    torch.cuda.synchronize()
    assert (z == 2 * x).all()


# ===- Errors --------------------------------------------------------------------------------===


def on_gpu(*shape, dtype=torch.float32):
    return torch.empty(shape, dtype=dtype, device="cuda")


@pytest.mark.parametrize("args, message", [
    (lambda: (on_gpu(4, 4), on_gpu(4, 5)), "argument `y` has size 5 in axis 1 and must have 4"),
    (lambda: (on_gpu(4, 4), on_gpu(4)), "argument `y` has 1 dimensions and must have 2"),
    (lambda: (on_gpu(4, 4), on_gpu(4, 4, dtype=torch.float16)),
     "argument `y` has the dtype `f16` and must have `f32`"),
    (lambda: (on_gpu(4, 4, dtype=torch.float64),) * 2, "no kernel takes arrays of dtype `float64`"),
    (lambda: (on_gpu(4, 4), torch.empty(4, 4)), "argument `y` is in host memory"),
    (lambda: (torch.empty(4, 4), on_gpu(4, 4)), "argument `x` is in host memory"),
    (lambda: (on_gpu(4, 4), on_gpu(4, 4), True), "`factor` is a bool"),
])  # fmt: skip
def test_wrong_arguments_are_named(args, message):
    with pytest.raises(tw.Error, match=re.escape(message)):
        scale(*args())


def test_sizes_are_checked_when_the_code_is_known():
    x = random(1000)
    add(x, x, x)
    with pytest.raises(tw.Error, match="dimension `N` is 1000 in `x`.* but 999 in `z`"):
        add(x, x, x[:999])


# ===- Streams and graphs --------------------------------------------------------------------===


def test_the_current_stream_is_honoured(slow):
    x, y = torch.ones(64, 64, device="cuda"), torch.zeros(64, 64, device="cuda")
    scale.prepare(x, y)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        slow()
        x.fill_(3)  # the kernel must wait for it, and does just if it is on the same stream
        scale(x, y)
    stream.synchronize()
    assert (y == 6).all()


def test_a_call_does_not_wait(slow):
    x = torch.ones(64, 64, device="cuda")
    scale.prepare(x, x)
    torch.cuda.synchronize()
    slow()
    scale(x, x)
    done = torch.cuda.Event()
    done.record()
    assert not done.query()
    torch.cuda.synchronize()


def test_calls_are_captured_into_graphs():
    x, y = random(64, 64), torch.empty(64, 64, device="cuda")
    scale.prepare(x, y)
    scale.prepare(y, y, BR=4)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        scale(x, y)
        scale(y, y, 3.0, BR=4)
    for value in (1, 2):
        x.fill_(value)
        graph.replay()
        torch.cuda.synchronize()
        assert (y == 6 * value).all()


def test_operations_are_captured_into_graphs():
    x = random(64, 256, dtype=torch.bfloat16)
    tw.ops.softmax(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = tw.ops.softmax(x)
    x.copy_(random(64, 256, dtype=torch.bfloat16))
    graph.replay()
    torch.testing.assert_close(y, x.softmax(-1), atol=1e-2, rtol=1e-2)


def test_calls_are_part_of_compiled_graphs():
    @torch.compile(fullgraph=True)
    def f(x):
        y = torch.empty_like(x)
        scale(x + 1, y, BR=4)
        return y * 2

    x = random(64, 64)
    torch.testing.assert_close(f(x), 4 * (x + 1))


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_operations_are_part_of_compiled_graphs(mode):
    def f(x, w):
        return tw.ops.rms_norm(tw.ops.matmul(x, w.T), (128,)) + x[:, :128]

    x, w = random(64, 256, dtype=torch.bfloat16), random(128, 256, dtype=torch.bfloat16)
    compiled = torch.compile(f, fullgraph=True, mode=mode)
    for _ in range(3):
        torch.testing.assert_close(compiled(x, w), f(x, w), atol=2e-2, rtol=2e-2)


# ===- Operations ----------------------------------------------------------------------------===


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_attention_matches_torch(dtype, causal):
    q, k, v = (random(2, 8, 300, 64, dtype=dtype) for _ in range(3))
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    torch.testing.assert_close(tw.ops.attention(q, k, v, causal=causal), expected, atol=2e-2,
                               rtol=2e-2)


def test_products_match_torch():
    x, w = random(200, 512, dtype=torch.bfloat16), random(384, 512, dtype=torch.bfloat16) / 16
    torch.testing.assert_close(tw.ops.matmul(x, w.T), x @ w.T, atol=2e-2, rtol=2e-2)
    torch.testing.assert_close(tw.ops.gelu_linear(x, w),
                               torch.nn.functional.gelu(x @ w.T), atol=2e-2, rtol=2e-2)


def test_scaled_products_match_torch():
    def blocks(scales, rows, columns):
        return scales.repeat_interleave(rows, 0).repeat_interleave(columns, 1)

    x, w = (random(rows, 512).to(torch.float8_e4m3fn) for rows in (200, 384))
    product = x.float() @ w.float().T
    torch.testing.assert_close(tw.ops.matmul_scaled(x, w, 0.5), (product / 2).bfloat16(),
                               atol=0.2, rtol=2e-2)
    s, t = torch.rand(4, 200, device="cuda"), torch.rand(3, 4, device="cuda")
    product = (x.float() * blocks(s.T, 1, 128)) @ (w.float() * blocks(t, 128, 128)).T
    torch.testing.assert_close(tw.ops.matmul_block_scaled(x, w, s, t), product.bfloat16(),
                               atol=0.2, rtol=2e-2)
    g, y = torch.rand(8, 384, device="cuda"), x.bfloat16()
    product = y @ (w.float() * blocks(g.T, 1, 64)).bfloat16().T
    torch.testing.assert_close(tw.ops.matmul_mixed(y, w, g), product, atol=0.2, rtol=2e-2)
    product = (y @ w.bfloat16().T).float() * g[0]
    torch.testing.assert_close(tw.ops.matmul_mixed(y, w, g[:1], group=0), product.bfloat16(), atol=0.2, rtol=2e-2)


def test_linear_cross_entropy_takes_a_tenth_of_the_memory_of_logits():
    rows, words = 8192, 32000
    hidden, weight = (random(n, 512, dtype=torch.bfloat16).requires_grad_() for n in (rows, words))
    labels = torch.randint(words, (rows,), device="cuda")
    gradients = 2 * (hidden.numel() + weight.numel())
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    tw.ops.linear_cross_entropy(hidden, weight, labels).backward()
    assert torch.cuda.max_memory_allocated() - before - gradients < 2 * rows * words / 10


def test_gradients_have_no_backward_and_say_so():
    x = random(8, 64).requires_grad_()
    (dx,) = torch.autograd.grad(tw.ops.softmax(x).pow(2).sum(), x, create_graph=True)
    with pytest.raises(NotImplementedError, match="tilewright.ops.softmax_backward has no backward"):
        dx.sum().backward()


# ===- Threads, processes, several GPUs ------------------------------------------------------===


def test_threads_may_launch_one_kernel_at_once():
    failures = []

    def work():
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(50):
                x = torch.ones(1000, device="cuda")
                add(x, x, x)
                failures.extend([] if (x == 2).all() else [1])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def _compute(device):
    x = torch.ones(1000, device=device)
    add(x, x, x)
    return bool((x == 2).all())


def test_spawned_processes_have_their_own_gpu_state():
    assert _compute("cuda")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(_compute, ["cuda", "cuda"]) == [True, True]


def test_a_forked_process_still_has_the_cpu():
    assert _compute("cuda")
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map(_compute, ["cpu"]) == [True]


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_each_gpu_runs_what_is_on_it():
    for device in ("cuda:0", "cuda:1", "cuda:0"):
        x = random(40, 64, device=device)
        y = torch.empty_like(x)
        scale(x, y)
        torch.testing.assert_close(y, x * 2)
    assert torch.cuda.current_device() == 0


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_tensors_of_two_gpus_are_refused():
    x, y = random(8, 64, device="cuda:0"), random(8, 64, device="cuda:1")
    with pytest.raises(tw.Error, match="argument `y` is on GPU 1 but `x` is on GPU 0"):
        scale(x, y)
