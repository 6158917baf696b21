"""Plans of the tuner (docs/tuner.md)."""

import os
import sys

from ._library import library

# A process of its own, since a kernel that hangs cannot be ended within this one.
_MEASURE = (
    "import sys; sys.path[:] = sys.argv[1].split(chr(10)); "
    "from tilewright._library import library; sys.exit(library.measure(*sys.argv[2:4]))"
)


def load_tuned(path):
    """Adds the plans of a file that `tilewright tune` or `tune="auto"` wrote.

    Later launches of these classes take them; what was launched before keeps its plan.
    Raises `tilewright.Error` if the file cannot be read.
    """
    library.load_tuned(os.fspath(path))


def prepare_measuring():
    """Sets the command that starts measuring processes."""
    if sys.executable:
        path = "\n".join(each for each in sys.path if isinstance(each, str))
        library.set_measuring_program([sys.executable, "-c", _MEASURE, path])
