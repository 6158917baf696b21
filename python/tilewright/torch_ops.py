"""Kernels as torch operations: what torch.compile puts into its graph, and autograd sees."""

import itertools

import torch

_library = torch.library.Library("tilewright", "FRAGMENT")
_numbers = itertools.count()

_TYPES = {"f32": "float", "i32": "int", "i64": "int", "bool": "bool"}
_CONSTANTS = {"bool": "bool", "int": "int", "float": "float", "dtype": "str"}


def _define(name, schema, run, fake):
    """Defines `tilewright::name`; `fake` gives its results' shapes without running it."""
    _library.define(name + schema)
    _library.impl(name, run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"tilewright::{name}", fake, lib=_library)
    return getattr(torch.ops.tilewright, name).default


# ===- Any kernel ----------------------------------------------------------------------------===


def _parameter(position, parameter):
    """A parameter of a kernel in torch's schema language."""
    name, kind = parameter["name"], parameter["kind"]
    default = f"={parameter['default']}" if "default" in parameter else ""
    if kind == "tensor":
        alias = f"(a{position}!)" if parameter["written"] else ""
        return f"Tensor{alias}? {name}=None" if parameter["optional"] else f"Tensor{alias} {name}"
    if kind == "scalar":
        return f"{_TYPES[parameter['type']]} {name}{default}"
    type_ = _CONSTANTS[parameter["type"]] if kind == "const" else (
        "bool" if isinstance(parameter["default"], bool) else "int"
    )
    if type_ == "str" and default:
        default = f'="{parameter["default"]}"'
    return f"{type_} {name}{default}"


def _schema(signature):
    parameters = [_parameter(i, p) for i, p in enumerate(signature["params"])]
    constants = [i for i, p in enumerate(signature["params"]) if p["kind"] in ("const", "tune")]
    if constants:
        parameters.insert(constants[0], "*")
    return f"({', '.join(parameters)}) -> ()"


def kernel_op(kernel, signature):
    """A kernel as an operation that changes the tensors it writes and gives nothing."""
    name = f"kernel_{signature['name']}_{next(_numbers)}"
    return _define(name, _schema(signature), kernel.run, lambda *args, **named: None)


# ===- Functions with results ----------------------------------------------------------------===


def _no_backward(name):
    def backward(context, *gradients):
        raise NotImplementedError(f"tilewright.ops.{name}: no backward yet")

    return backward


class Operation:
    """A torch function of kernels.

    `outputs(*args)` allocates the results, from shapes and dtypes alone; `run(results, *args)` fills
    them. Outside torch.compile and autograd a call costs no more than these two.
    """

    def __init__(self, name, schema, outputs, run):
        self._outputs = outputs
        self._run = run
        self._op = _define(name, schema, self._direct, outputs)
        torch.library.register_autograd(
            f"tilewright::{name}", _no_backward(name), lib=_library
        )

    def __call__(self, *args):
        if torch.compiler.is_compiling() or needs_gradient(args):
            return self._op(*args)
        return self._direct(*args)

    def _direct(self, *args):
        results = self._outputs(*args)
        self._run(results, *args)
        return results


def needs_gradient(args):
    """Whether autograd would record an operation on these arguments."""
    return torch.is_grad_enabled() and any(
        isinstance(arg, torch.Tensor) and arg.requires_grad for arg in args
    )
