"""What a result was measured on, and what the GPU does while it is measured."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("torch", "triton", "tilewright", "numpy")


def missing() -> list[str]:
    """What a measurement needs and this machine lacks, in words; empty if it can run."""
    try:
        import torch
    except ImportError:
        return ["PyTorch, for the peers: `pip install torch`"]
    return [] if torch.cuda.is_available() else ["an NVIDIA GPU that PyTorch can use"]


def commit() -> str:
    """The commit that is measured: $TILEWRIGHT_COMMIT, or git's; empty where neither says."""
    stated = os.environ.get("TILEWRIGHT_COMMIT")
    if stated:
        return stated
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def describe() -> dict:
    """GPU, commit and versions, as they go into every result. Needs a GPU."""
    import torch

    versions = {name: version(name) for name in PACKAGES}
    versions |= {
        "python": platform.python_version(),
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
        "driver": driver_version(),
    }
    return {
        "gpu": torch.cuda.get_device_name(),
        "commit": commit(),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": {name: value for name, value in versions.items() if value is not None},
    }


def slug(gpu: str) -> str:
    """The folder of a GPU's results: `NVIDIA H200` is `h200`."""
    words = [word for word in gpu.lower().split() if word not in ("nvidia", "geforce")]
    return "-".join(words)


def nvml():
    """NVML and the handle of the GPU that torch uses; None where there is no such library."""
    try:
        import pynvml
    except ImportError:
        return None
    import torch

    try:
        pynvml.nvmlInit()
        uuid = f"GPU-{torch.cuda.get_device_properties(0).uuid}"
        return pynvml, pynvml.nvmlDeviceGetHandleByUUID(uuid)
    except pynvml.NVMLError:
        return None


def driver_version() -> str | None:
    found = nvml()
    return found[0].nvmlSystemGetDriverVersion() if found else None


def sensors() -> Callable[[], tuple[float, float]] | None:
    """A function that reads (watts, SM clock in MHz); None where NVML is absent."""
    found = nvml()
    if found is None:
        return None
    library, device = found

    def read() -> tuple[float, float]:
        watts = library.nvmlDeviceGetPowerUsage(device) / 1000
        return watts, float(library.nvmlDeviceGetClockInfo(device, library.NVML_CLOCK_SM))

    return read
