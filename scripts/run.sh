#!/bin/sh
# Builds the command line, then runs attention and the gated feed-forward layer: compares both with
# the reference and, on a machine with a GPU, times them. With arguments: `tilewright` with these.
set -eu
cd "$(dirname "$0")/.."
./scripts/build.sh tilewright
tilewright=${BUILD_DIR:-build}/tools/tilewright/tilewright
if [ $# -gt 0 ]; then
  exec "$tilewright" "$@"
fi
"$tilewright" run attention
"$tilewright" run swiglu_mlp
