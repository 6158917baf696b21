"""with_pkg_config.py PREFIX LIBRARY SOURCE PROGRAM: builds a program by what pkg-config says."""

import os
import pathlib
import subprocess
import sys

prefix, library, source, program = sys.argv[1:]
[folder] = pathlib.Path(prefix).rglob("pkgconfig")


def ask(*options):
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder)}
    return subprocess.check_output(["pkg-config", *options, library], text=True,
                                   env=environment).split()


libraries = ask("--variable=libdir")[0]
assert pathlib.Path(libraries).resolve().is_relative_to(pathlib.Path(prefix).resolve()), libraries
subprocess.run([os.environ.get("CXX", "c++"), *ask("--cflags"), source, "-o", program,
                *ask("--libs"), f"-Wl,-rpath,{libraries}"], check=True)
