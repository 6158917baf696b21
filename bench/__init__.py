"""Tilewright beside its peers: `python -m bench` measures, `python -m bench.plot` draws."""
