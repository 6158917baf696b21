#!/bin/sh
# The presubmit: what can be checked of the source without building it.
set -eu
cd "$(dirname "$0")/.."
ruff=${BUILD_DIR:-build}/venv/bin/ruff # scripts/python_env.sh puts it there
[ -x "$ruff" ] || ruff=ruff
python3 scripts/check_layers.py
python3 scripts/check_coverage.py
"$ruff" check --quiet
git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' ':!bench/results' |
  xargs clang-format-19 --dry-run -Werror
