"""Which files are tests, and the tools and substitutions that their RUN lines may use."""

import glob
import os

import lit.formats

config.name = "tilewright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".py", ".mlir", ".test"]
config.excludes = ["lit.cfg.py", "lit.site.cfg.py", "inputs", "python", "bench", "examples",
                   "hopper", "inspector"]
config.test_source_root = os.path.join(config.source_root, "tests")
config.test_exec_root = os.path.join(config.binary_root, "tests")

tools = sorted(glob.glob(os.path.join(config.binary_root, "tools", "*", "")))
config.environment["PATH"] = os.pathsep.join(
    [*tools, config.llvm_tools, config.environment["PATH"]]
)
toolkit = [os.path.join("/usr/local/cuda/bin", name) for name in ("ncu", "nvdisasm", "cuobjdump")]
if not any(os.path.exists(program) for program in toolkit):
    config.available_features.add("no-cuda-toolkit")
if "ASAN_OPTIONS" in os.environ:
    config.environment["ASAN_OPTIONS"] = os.environ["ASAN_OPTIONS"]
if config.sanitizers:
    config.available_features.add("sanitizers")
config.substitutions += [
    ("%kernels", os.path.join(config.source_root, "kernels_src")),
    ("%root", config.source_root),
    ("%build", config.binary_root),
    ("%python", config.python),
]
