"""run_examples.py FILE ROOT: runs what stands behind `$ ` in a document's code blocks, in ROOT; the rest of the block
must be what it prints, but for times and numbers of instructions.
"""

import re
import subprocess
import sys


def lasting(text):
    """What does not change with every machine and version."""
    text = re.sub(r"\d+\.\d+ s\b", "… s", text)
    return re.sub(r"^  instructions .*", "", text, flags=re.MULTILINE).strip()


document = open(sys.argv[1]).read()
examples = re.findall(r"^```\n\$ (.*)\n((?:.*\n)*?)```", document, re.MULTILINE)
assert examples, "no example"
for command, expected in examples:
    run = subprocess.run(command, shell=True, cwd=sys.argv[2], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if lasting(run.stdout) != lasting(expected):
        sys.exit(f"`{command}` prints\n{run.stdout}")
    print(f"as the document says: {command}")
