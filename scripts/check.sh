#!/bin/sh
# The presubmit: what can be checked of the source without building it.
set -eu
cd "$(dirname "$0")/.."
python3 scripts/check_layers.py
python3 scripts/check_coverage.py
git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' ':!bench/results' |
  xargs clang-format-19 --dry-run -Werror
