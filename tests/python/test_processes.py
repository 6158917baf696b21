"""Kernels in threads and in forked processes."""

import multiprocessing
import os
import subprocess
import sys
import threading

import numpy as np

import tilewright as tw
from tilewright import *  # noqa: F403

N = dims("N")


@tw.kernel
def add(x: Tensor[f32, N], y: Tensor[f32, N], *, BN: tune[64, 128, 256] = 128):
    items = block(grid(cdiv(N, BN)), BN)
    y[items] = x[items] + y[items]


def added(bn=128):
    x, y = np.full(1000, 2, np.float32), np.ones(1000, np.float32)
    add(x, y, BN=bn)
    return bool((y == 3).all())


def test_threads_may_call_one_kernel_at_once():
    results = []

    def work(index):
        results.extend(added(64 << (index + step) % 3) for step in range(5))

    threads = [threading.Thread(target=work, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 40


def test_threads_may_call_while_one_inspects():
    texts = []
    thread = threading.Thread(target=lambda: texts.extend(add.cuda(tw.Spec((9,), f32),
                                                                   tw.Spec((9,), f32))
                                                          for _ in range(3)))
    thread.start()
    assert all(added() for _ in range(5))
    thread.join()
    assert len(set(texts)) == 1


def test_a_forked_process_goes_on():
    assert added()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, b"right" if added(64) and added(256) else b"wrong")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert os.read(read, 5) == b"right"


def test_worker_processes_compute():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert all(pool.map(added, [64, 128, 256]))


def test_an_interpreter_with_kernels_ends_quietly():
    code = "import tilewright as tw, numpy as np; x = np.ones((4, 4), np.float32);" \
           "tw.builtin('softmax')(x, x); print(x[0, 0])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.stdout, run.stderr, run.returncode) == ("0.25\n", "", 0)
