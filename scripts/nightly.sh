#!/bin/sh
# What finds bugs and takes longer than CI has. Writes what became of each stage to docs/nightly.md.
#   scripts/nightly.sh [STAGE…]      all of them, or some:
#     debug    everything with assertions, every test
#     asan     everything with AddressSanitizer and UndefinedBehaviorSanitizer, every test
#     threads  the Python package's threads: what they share of it under ThreadSanitizer
#     runtime  scripts/sanitize.sh
#     edits    every edit of EditTest
#     fuzz     2,000 random programs and 2,000 random plans, for all targets
#     texts    100,000 changed kernels and 5,000 changed `cta` programs, with the compiler of `asan`
# `edits` and `fuzz` use $BUILD_DIR (default: build). A part of a stage says so in its row:
#   $TARGETS   what `debug` and `asan` build, else all; they then run the text tests alone
#   $PERCENT   how much of `fuzz` and `texts` to run, else 100
set -eu
cd "$(dirname "$0")/.."
./scripts/setup.sh
build=${BUILD_DIR:-build}
logs=$build/nightly
mkdir -p "$logs"
# LLVM's allocators poison what they have not handed out yet; the installed LLVM, which is built
# without AddressSanitizer, does not unpoison it.
export ASAN_OPTIONS=allow_user_poisoning=0
export LSAN_OPTIONS="use_tls=0:suppressions=$PWD/scripts/lsan.supp:print_suppressions=0"

# record STAGE RESULT: replaces the stage's row.
record() {
  row="| $1 | $(git rev-parse --short HEAD) | $(date -u +%F) | $2 |"
  awk -v stage="| $1 |" -v row="$row" '
    index($0, stage) == 1 { print row; next } { print }' docs/nightly.md >"$logs/nightly.md"
  cp "$logs/nightly.md" docs/nightly.md
}

# build_and_test PRESET
build_and_test() {
  ./scripts/python_env.sh "build-$1/venv"
  cmake --preset "$1"
  # shellcheck disable=SC2086 # a list of words
  ninja -C "build-$1" ${TARGETS:-}
  ctest --test-dir "build-$1" --output-on-failure -LE gpu -j "$(nproc)" ${TARGETS:+-R '^lit$'}
}

debug() {
  build_and_test debug
}

asan() {
  build_and_test asan
}

threads() {
  cmake --preset tsan -B build-tsan-python -DTILEWRIGHT_RUNTIME_ONLY=OFF -DTILEWRIGHT_TESTS=OFF \
    "-DTILEWRIGHT_SANITIZE_FOLDERS=support;runtime;tools/driver;python"
  ninja -C build-tsan-python tilewright_python
  # Python, torch, the passes and the static LLVM are not instrumented: what they do is not reported.
  LD_PRELOAD=$(gcc -print-file-name=libtsan.so) PYTHONPATH=build-tsan-python/python \
    TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
    "$build/venv/bin/python" -m pytest -q tests/python/test_processes.py
}

runtime() {
  ./scripts/sanitize.sh
}

edits() {
  ninja -C "$build" hopper_tests
  "$build/tests/hopper/hopper_tests" --gtest_also_run_disabled_tests --gtest_brief=1 \
    --gtest_filter='*DISABLED_all_are_refused_or_right*'
}

# part COUNT
part() {
  echo $(($1 * ${PERCENT:-100} / 100))
}

fuzz() {
  ninja -C "$build" tilewright
  "$build/tools/tilewright/tilewright" fuzz --seed 1 --count "$(part 2000)" --no-gpu \
    --target sm_75,sm_80,sm_86,sm_89,sm_90,sm_100,sm_120
  "$build/tools/tilewright/tilewright" fuzz --seed 1 --count "$(part 2000)" \
    --plans tests/fuzz/kernels.txt
}

texts() {
  cmake --preset asan
  ninja -C build-asan tilewright
  build-asan/tools/tilewright/tilewright fuzz --seed 1 --count "$(part 100000)" --seconds 20 \
    --texts kernels_src,tests/fuzz --save "$logs/texts"
  build-asan/tools/tilewright/tilewright fuzz --seed 1 --count "$(part 5000)" --seconds 60 \
    --texts tests/hopper --save "$logs/texts"
}

# What ran of a stage, where it is not all.
part_of() {
  case $1 in
    debug | asan) echo "${TARGETS:+ ($TARGETS; text tests)}" ;;
    fuzz | texts) echo "${PERCENT:+ ($PERCENT %)}" ;;
  esac
}

failed=0
for stage in ${*:-debug asan threads runtime edits fuzz texts}; do
  start=$(date +%s)
  echo "nightly: $stage, see $logs/$stage.log"
  (set -e; "$stage") >"$logs/$stage.log" 2>&1 & # in the condition itself, -e would have no effect
  if wait $!; then
    outcome=passed
  else
    outcome=FAILED failed=1
  fi
  record "$stage" "$outcome in $((($(date +%s) - start) / 60)) min$(part_of "$stage")"
  tail -n 3 "$logs/$stage.log"
done
exit $failed
