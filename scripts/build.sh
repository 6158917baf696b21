#!/bin/sh
# Configures and builds in $BUILD_DIR (default: build); the arguments are what to build.
set -eu
cd "$(dirname "$0")/.."
./scripts/setup.sh
build=${BUILD_DIR:-build}
./scripts/python_env.sh "$build/venv"
[ -f "$build/build.ninja" ] || cmake -G Ninja -S . -B "$build"
ninja -C "$build" "$@"
