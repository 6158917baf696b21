"""The words of the language in Python are those of the compiler."""

import ast
import inspect
import pathlib
import re

import pytest

import tilewright as tw
from tilewright import language
from tilewright._library import library

BUILTINS = {str(name): (str(params), str(doc)) for name, params, doc in library.builtin_functions()}
STUB = ast.parse(pathlib.Path(language.__file__).with_suffix(".pyi").read_text())


def parameters(words):
    """["*extents"] or ["a", "b", "acc="] as names."""
    return [word.strip().rstrip("=").lstrip("*") for word in words.split(",")]


@pytest.mark.parametrize("word", [str(word) for word in library.words()])
def test_every_word_is_there(word):
    assert word in tw.__all__ or word in language.PYTHON_WORDS


@pytest.mark.parametrize("name", sorted(set(BUILTINS) - set(language.PYTHON_WORDS)))
def test_every_function_has_signature_and_docstring(name):
    function = getattr(tw, name)
    assert list(inspect.signature(function).parameters) == parameters(BUILTINS[name][0])
    assert function.__doc__


@pytest.mark.parametrize("name", tw.__all__)
def test_every_exported_name_has_a_type(name):
    typed = {node.name for node in STUB.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for node in STUB.body:
        if isinstance(node, ast.AnnAssign):
            typed.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            typed |= {alias.asname or alias.name for alias in node.names}
    assert name in typed or name in ("kernel", "inline")


def test_constants_are_those_of_the_compiler():
    text = (pathlib.Path(__file__).parents[2] / "frontend/Builtins.def").read_text()
    for name, value in re.findall(r"^CONSTANT\((\w+), ([-+\d.e]+),", text, re.MULTILINE):
        assert getattr(tw, name) == float(value)


def test_importing_all_keeps_pythons_functions():
    scope = {}
    exec("from tilewright import *", scope)
    assert not {"sum", "max", "range", "abs", "any"} & set(scope)


def test_dims_and_dtypes_are_declared_as_in_the_language():
    assert [dim.name for dim in tw.dims("B, S T")] == ["B", "S", "T"]
    assert tw.dims("N").name == "N"
    assert tw.dtypes(tw.bf16, bool).allowed == ["bf16", "bool"]
    with pytest.raises(TypeError, match="`dtypes` takes what it may stand for"):
        tw.dtypes("bf16")
