#!/bin/sh
# Builds support/ and runtime/, which need no LLVM, twice, and runs their tests: with
# AddressSanitizer and UndefinedBehaviorSanitizer, and with ThreadSanitizer. Two minutes.
set -eu
cd "$(dirname "$0")/.."
./scripts/setup.sh
export LSAN_OPTIONS="use_tls=0:suppressions=$PWD/scripts/lsan.supp:print_suppressions=0"
for sanitizers in address,undefined thread; do
  folder=${BUILD_DIR:-build}/runtime-${sanitizers%,*}
  cmake -G Ninja -S . -B "$folder" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DTILEWRIGHT_RUNTIME_ONLY=ON \
    -DTILEWRIGHT_SANITIZE=$sanitizers >/dev/null
  ninja -C "$folder"
  ctest --test-dir "$folder" --output-on-failure -LE gpu -j "$(nproc)"
done
