"""Measures the bars of the mma.sync generation beside their peers, in one run.

    python3 bench/bars.py --cli build/tools/tilewright/tilewright --out bench/results/h200/bars.json

Needs a GPU, torch for the peers, and the command line. Each row is checked against the reference by
`tilewright run` before it is timed; times are medians of 50 with the L2 flushed, peers in the same
process order, on random data.
"""

import argparse
import json
import re
import subprocess

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

FLUSH_BYTES = 256 << 20
REPEATS = 50


def median_us(call):
    """Median time of `call` in microseconds, with the L2 flushed before each."""
    flush = torch.empty(FLUSH_BYTES, dtype=torch.int8, device="cuda")
    for _ in range(5):
        call()
    times = []
    for _ in range(REPEATS):
        flush.zero_()
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop) * 1000)
    return sorted(times)[REPEATS // 2]


def ours(cli, *arguments):
    """Runs a kernel through the command line: whether it was correct, and its median time."""
    run = subprocess.run([cli, "run", *arguments], capture_output=True, text=True)
    times = re.findall(r"([\d.]+) us \(median", run.stdout)
    correct = run.returncode == 0 and ": ok" in run.stdout and "WRONG" not in run.stdout
    if not times:
        raise RuntimeError(run.stdout + run.stderr)
    return correct, sum(float(t) for t in times)


def copy_us(total_bytes):
    """A device copy that reads and writes `total_bytes` in all."""
    source = torch.randn(total_bytes // 8, device="cuda")
    target = torch.empty_like(source)
    return median_us(lambda: target.copy_(source))


def attention_us(causal):
    q, k, v = (torch.randn(4, 16, 4096, 128, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return median_us(lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal))


def matmul_us():
    a, b = (torch.randn(4096, 4096, device="cuda", dtype=torch.float16) for _ in range(2))
    return median_us(lambda: a @ b)


def rows(cli):
    n = 1 << 28
    for dtype, size in (("f32", 4), ("bf16", 2)):
        yield bandwidth(cli, "vector_add", dtype, n, 3 * n * size)
        yield bandwidth(cli, "reduce_sum", dtype, n, n * size)
    flops = 2 * 4096**3
    for kernel in ("matmul", "matmul_nt", "matmul_tn", "matmul_tt"):
        yield arithmetic(cli, kernel, ["--dtype", "E=f16,O=f16"], flops, "cuBLAS", matmul_us(), 350)
    flops = 4 * 4 * 16 * 4096 * 4096 * 128
    full = ["--dtype", "E=bf16", "--shape", "B=4,S=4096,H=16,D=128"]
    yield arithmetic(cli, "attention", full, flops, "FlashAttention-2", attention_us(False), 300)
    causal = [*full, "--set", "causal=true"]
    yield arithmetic(
        cli, "attention", causal, flops / 2, "FlashAttention-2", attention_us(True), None
    )


def bandwidth(cli, kernel, dtype, n, total_bytes):
    correct, time = ours(cli, kernel, "--shape", f"N={n}", "--dtype", f"E={dtype}")
    peer = copy_us(total_bytes)
    rate = total_bytes / time / 1000
    return {
        "kernel": kernel, "arguments": f"N={n} E={dtype}", "correct": correct, "us": time,
        "GB/s": round(rate), "peer": "device copy", "peer GB/s": round(total_bytes / peer / 1000),
        "ratio": round(peer / time, 3), "bar": "ratio >= 0.9",
    }


def arithmetic(cli, kernel, arguments, flops, peer_name, peer, bar):
    correct, time = ours(cli, kernel, *arguments)
    return {
        "kernel": kernel, "arguments": " ".join(arguments), "correct": correct, "us": time,
        "TFLOP/s": round(flops / time / 1e6, 1), "peer": peer_name,
        "peer TFLOP/s": round(flops / peer / 1e6, 1), "ratio": round(peer / time, 3),
        "bar": f"TFLOP/s >= {bar}" if bar else None,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cli", required=True, help="the tilewright command")
    parser.add_argument("--out", required=True, help="the JSON to write")
    parser.add_argument("--commit", default="", help="the commit that was built")
    options = parser.parse_args()
    result = {
        "commit": options.commit, "gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
        "method": "median of 50, L2 flushed, random data, checked first", "rows": [],
    }
    for row in rows(options.cli):
        print(row, flush=True)
        result["rows"].append(row)
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
