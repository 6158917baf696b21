#!/bin/sh
# Puts all that the built package needs into one folder, for a machine without network:
#   scripts/python_bundle.sh FOLDER [PYTHON_VERSION]      then there: PYTHONPATH=FOLDER python …
# The library serves every Python; apache-tvm-ffi and pytest are fetched for that version (3.12).
set -eu
cd "$(dirname "$0")/.."
folder=$1
version=${2:-3.12}
build=${BUILD_DIR:-build}
./scripts/build.sh tilewright_python
rm -rf "$folder"
mkdir -p "$folder"
"$build/venv/bin/python" -m pip install --quiet --disable-pip-version-check --target "$folder" \
  --python-version "$version" --implementation cp --platform manylinux_2_28_x86_64 \
  --only-binary=:all: apache-tvm-ffi pytest
cp -RL "$build/python/tilewright" "$folder/tilewright"
rm -rf "$folder/bin"
find "$folder" -name __pycache__ -prune -exec rm -rf {} +
du -sh "$folder"
