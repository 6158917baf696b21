import pytest

try:
    import torch
except ImportError:
    torch = None


def pytest_collection_modifyitems(items):
    """Tests marked `gpu` need torch on a CUDA GPU."""
    if torch is not None and torch.cuda.is_available():
        return
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason="needs a GPU and torch"))
