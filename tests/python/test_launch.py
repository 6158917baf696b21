"""The way from Python to the driver, on the GPUs of FakeCuda.cpp; and what it costs."""

import ctypes
import os
import statistics
import sys
import time

import pytest

import tilewright as tw
from tilewright import *  # noqa: F403
from tilewright import frameworks

FAKE = os.environ.get("TILEWRIGHT_LIBCUDA", "")
if "fake_cuda" not in FAKE:
    pytest.skip("needs the fake driver: `ctest -R python_launch_tests`", allow_module_level=True)

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "inputs"))
from fake_arrays import FakeArray  # noqa: E402

driver = ctypes.CDLL(FAKE)
driver.fake_stream.restype = driver.fake_address.restype = ctypes.c_uint64

N = dims("N")
E = dtypes(bf16, f32)


@tw.kernel
def add(x: Tensor[E, N], y: Tensor[E, N], z: Tensor[E, N], *, BN: tune[512, 1024] = 1024):
    items = block(grid(cdiv(N, BN)), BN)
    z[items] = x[items] + y[items]


def arrays(size=5000, **options):
    return [FakeArray((size,), 0x10000 * (i + 1), **options) for i in range(3)]


@pytest.fixture(autouse=True)
def framework(monkeypatch):
    """Fake arrays say what their framework's current stream is."""
    monkeypatch.setitem(frameworks.streams, FakeArray, lambda array: array.current_stream)
    FakeArray.stream = 0


def test_every_fake_gpu_is_seen():
    assert tw.gpu_count() == 2


def test_a_call_launches_once_with_its_grid_and_addresses():
    before = driver.fake_launches()
    add(*arrays())
    assert driver.fake_launches() == before + 1
    assert driver.fake_grid() == 5
    assert [driver.fake_address(i) for i in range(3)] == [0x10000, 0x20000, 0x30000]
    add(*arrays(), BN=512)
    assert driver.fake_grid() == 10


def test_sizes_that_are_not_compiled_in_share_code():
    add(*arrays(512))
    assert driver.fake_grid() == 1
    add(*arrays(4096))
    assert driver.fake_grid() == 4


def test_an_empty_call_launches_nothing():
    before = driver.fake_launches()
    add(*arrays(0))
    assert driver.fake_launches() == before


def test_a_call_takes_the_plan_of_its_sizes():
    product = tw.from_file(os.path.join(os.path.dirname(__file__), "../tools/inputs/product.mlir"))
    for rows, grid in ((16, 9), (65, 2 * 9), (9, 9), (130, 3 * 9)):
        before = driver.fake_launches()
        product(*(FakeArray(shape, dtype="float16") for shape in ((rows, 80), (520, 80), (rows, 520))))
        assert driver.fake_launches() == before + 1
        assert driver.fake_grid() == grid


@pytest.mark.parametrize("device", [0, 1])
def test_the_arrays_say_which_gpu(device):
    add(*arrays(device=device))
    assert driver.fake_device() == device


def test_the_frameworks_current_stream_is_taken():
    for stream in (0x51, 0x52, 0):
        FakeArray.stream = stream
        add(*arrays())
        assert driver.fake_stream() == stream


def test_arrays_of_two_gpus_are_refused():
    x, y, z = arrays()
    with pytest.raises(tw.Error, match="argument `z` is on GPU 1 but `x` is on GPU 0"):
        add(x, y, FakeArray((5000,), device=1))


def test_arrays_of_gpu_and_host_are_refused():
    np = pytest.importorskip("numpy")
    x, y, z = arrays()
    with pytest.raises(tw.Error, match="argument `y` is in host memory"):
        add(x, np.zeros(5000, np.float32), z)


def test_a_gpu_that_is_not_there_is_named():
    with pytest.raises(tw.Error, match="there is no GPU 7: the driver reports 2"):
        add(*arrays(device=7))


def test_sizes_are_checked_when_the_code_is_known():
    x, y, z = arrays()
    add(x, y, z)
    with pytest.raises(tw.Error, match="dimension `N` is 5000 in `x`.* but 4999 in `z`"):
        add(x, y, FakeArray((4999,), 0x30000))


def test_what_the_driver_refuses_is_an_error_with_its_words():
    FakeArray.stream = 0xBAD
    with pytest.raises(tw.Error, match=r"kernel `add`: cannot launch.*a fake error"):
        add(*arrays())


def test_inspection_is_of_the_last_call():
    add(*arrays(dtype="bfloat16"), BN=512)
    assert add.explain().startswith("add (BN = 512")
    assert "on sm_80" in add.explain()
    assert add.report()["target"] == "sm_80"


def test_the_cost_of_a_warm_call_is_recorded(record_property):
    """Without the driver's part. The launch suite of bench/ has the figure of a real GPU."""
    import tvm_ffi

    frameworks.streams.clear()  # as with torch, which needs none
    operands = [tvm_ffi.from_dlpack(array) for array in arrays()]
    for _ in range(100):
        add(*operands)
    times = []
    for _ in range(2000):
        start = time.perf_counter_ns()
        add(*operands)
        times.append(time.perf_counter_ns() - start)
    median = statistics.median(times)
    record_property("nanoseconds", median)
    print(f"a warm call: {median} ns")
