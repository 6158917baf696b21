"""exit_code.py CODE COMMAND...: succeeds if the command exits with the code."""

import subprocess
import sys

code = subprocess.run(sys.argv[2:]).returncode
if code != int(sys.argv[1]):
    sys.exit(f"exit code {code} instead of {sys.argv[1]}")
