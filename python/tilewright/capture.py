"""From a decorated function to the text that the compiler reads.

Every line of the kernel and of the `@inline` functions that it calls keeps its line number in the
user's file; all other lines are empty. So a message names the user's file, line and text. Other
names that the kernel uses (dimensions, dtypes, constants) are passed as values.
"""

import ast
import builtins
import contextlib
import inspect
import linecache
import sys
import textwrap
import types

from . import language
from ._library import CompileError

WORDS = frozenset(language.__all__) | frozenset(language.PYTHON_WORDS) | {"kernel", "inline"}


class Inline:
    """A function that kernels inline."""

    def __init__(self, function, scope):
        self.function = function
        self.scope = scope
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    def __call__(self, *args, **kwargs):
        raise TypeError(f"`{self.__name__}` is inlined by kernels, which Python does not run")


def scope_of(function, depth=None):
    """What the names of a function mean where it is defined, `depth` frames up if it is now."""
    scope = dict(function.__globals__)
    if depth is not None:
        scope.update(sys._getframe(depth + 1).f_locals)
    closure = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    for name, cell in closure:
        with contextlib.suppress(ValueError):  # assigned after the decorator
            scope[name] = cell.cell_contents
    return scope


class Captured:
    """A kernel's text and all that it refers to."""

    def __init__(self, function, scope, decorator="kernel"):
        self.function = function
        self.file = function.__code__.co_filename
        self.lines = []
        self.values = {"dims": [], "dtypes": {}, "constants": {}, "aliases": {}}
        self._functions = set()
        self._add(function, decorator, scope)

    @staticmethod
    def of_inline(function):
        """An `@inline` function, or a function that becomes one."""
        if isinstance(function, Inline):
            return Captured(function.function, function.scope, "inline")
        if not isinstance(function, types.FunctionType) or function.__name__ == "<lambda>":
            raise CompileError(f"a function of the tile language is a `def`, not {function!r}")
        return Captured(function, scope_of(function), "inline")

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    def _add(self, function, decorator, scope):
        self._functions.add(function)
        lines, first = source_lines(function)
        tree = ast.parse("".join(lines)).body[0]
        without_modules(tree, lines, scope)
        self._place(lines, first, tree, decorator)
        for name in free_names(tree):
            if name in scope:
                self._capture(name, scope[name], function)

    def _place(self, lines, first, tree, decorator):
        """Puts a function's lines where they are in the file; the decorator stands before `def`."""
        if len(self.lines) < first - 1 + len(lines):
            self.lines += [""] * (first - 1 + len(lines) - len(self.lines))
        start = tree.lineno - 1
        for index in range(start, len(lines)):
            self.lines[first - 1 + index] = lines[index].rstrip("\n")
        above = first - 2 + start
        if above < 0 or self.lines[above]:
            self._fail(self.function, f"`{tree.name}` needs an empty line above, or `@{decorator}`")
        self.lines[above] = "@" + decorator

    def _capture(self, name, value, user):
        if name in WORDS:
            if value is not getattr(language, name, None) and not is_python_own(name, value):
                self._fail(user, f"`{name}` is a word of the language and cannot mean anything else")
        elif isinstance(value, language.Dim):
            if value.name != name:
                self._fail(user, f"the dimension `{value.name}` must be assigned to the same name, "
                                 f"not `{name}`")
            self.values["dims"].append(name)
        elif isinstance(value, language.DTypeVariable):
            self.values["dtypes"][name] = value.allowed
        elif language.dtype_name(value):
            self.values["aliases"][name] = language.dtype_name(value)
        elif isinstance(value, Inline):
            self._capture_inline(name, value, user)
        elif isinstance(value, (bool, int, float, str)):
            self.values["constants"][name] = value

    def _capture_inline(self, name, value, user):
        if value.function in self._functions:
            return
        if value.function.__code__.co_filename != self.file:
            self._fail(user, f"`{name}` is an `@inline` function of another file "
                             f"({value.function.__code__.co_filename}); it must be in the kernel's")
        self._add(value.function, "inline", value.scope)

    def _fail(self, user, what):
        raise CompileError(f"{self.file}:{user.__code__.co_firstlineno}: error: {what}")


def is_python_own(name, value):
    return value is getattr(builtins, name, None) or type(value).__module__ == __package__ + ".kernel"


def remember_command():
    """Makes the text of `python -c TEXT` known where Python looks for sources."""
    words = getattr(sys, "orig_argv", [])
    if "-c" in words[:-1] and "<string>" not in linecache.cache:
        text = words[words.index("-c") + 1]
        lines = text.splitlines(keepends=True)
        linecache.cache["<string>"] = (len(text), None, lines, "<string>")


def source_lines(function):
    """A function's lines, not indented, and the number of the first."""
    if function.__module__ == "__main__":
        remember_command()
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        raise CompileError(
            f"the source of `{function.__name__}` cannot be read ({error}): a kernel is compiled "
            "from its text, so it must be in a file or a notebook cell"
        ) from None
    return textwrap.dedent("".join(lines)).splitlines(keepends=True), first


def without_modules(tree, lines, scope):
    """Blanks the `tw.` of `tw.dot(…)`, where `tw` is this package: the language has no modules."""
    package = sys.modules[__package__]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            continue
        if scope.get(node.value.id) not in (package, language):
            continue
        row = node.value.lineno - 1
        line = lines[row].encode()
        begin = node.value.col_offset
        end = line.index(b".", node.value.end_col_offset) + 1
        lines[row] = (line[:begin] + b" " * (end - begin) + line[end:]).decode()
        node.value.id = ""


def free_names(tree):
    """The names that a function uses and does not assign, in order, each once."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    decorators = {node for each in tree.decorator_list for node in ast.walk(each)}
    return list(dict.fromkeys(
        node.id for node in names if node.id and node.id not in bound and node not in decorators
    ))
