#!/usr/bin/env python3
"""Stands in for a disassembler that fails."""

import sys

sys.exit("nvdisasm fatal: it is broken")
