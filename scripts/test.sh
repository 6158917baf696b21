#!/bin/sh
# Builds everything and runs every test: the runtime under sanitizers, then ctest, which includes
# lit's and the checks of check.sh.
# Tests that need a GPU are skipped where there is none.
set -eu
cd "$(dirname "$0")/.."
./scripts/build.sh
./scripts/sanitize.sh
ctest --test-dir "${BUILD_DIR:-build}" --output-on-failure -j "$(nproc)" "$@"
