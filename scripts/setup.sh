#!/bin/sh
# Installs what building and testing need on Debian 12, beside the CUDA toolkit. Does nothing, and
# quickly, when all of it is there.
set -eu

packages="cmake ninja-build g++ ccache mold clang-format-19 python3 python3-venv
  llvm-19-dev libmlir-19-dev mlir-19-tools llvm-19-tools libzstd-dev zlib1g-dev
  libcli11-dev nlohmann-json3-dev libfmt-dev libgtest-dev libgmock-dev pkgconf
  libjs-codemirror libjs-d3 node-diff chromium"

missing=
for package in $packages; do
  case "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" in
    *"ok installed") ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
echo "installing:$missing"
$as_root apt-get update -q
# shellcheck disable=SC2086 # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
