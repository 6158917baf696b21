#!/bin/sh
# Builds everything and runs every test: the structure checks, then ctest, which includes lit's.
# Tests that need a GPU are skipped where there is none.
set -eu
cd "$(dirname "$0")/.."
./scripts/build.sh
./scripts/check.sh
ctest --test-dir "${BUILD_DIR:-build}" --output-on-failure -j "$(nproc)" "$@"
