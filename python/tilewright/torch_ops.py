"""Kernels as torch operations: what torch.compile puts into its graph, and autograd sees."""

import functools
import itertools
import math

import torch

from ._library import Error
from .kernel import builtin, grad

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


class Call:
    """What a backward sees of the call that it differentiates.

    `args`: the operation's arguments, None for those that it does not keep; `results`: its results, if it
    keeps them; `needs`: for each argument, whether its gradient is asked for.
    """

    def __init__(self, args, results, needs):
        self.args, self.results, self.needs = args, results, needs


def _keeper(dropped, keeps_results, hides):
    """Saves the tensors of a call in autograd's way, so that it notices if one is overwritten."""

    def keep(ctx, inputs, output):
        ctx.set_materialize_grads(not hides)
        results = output if isinstance(output, (tuple, list)) else (output,)
        values = [None if i in dropped else value for i, value in enumerate(inputs)]
        values += results if keeps_results else ()
        ctx.places = [isinstance(value, torch.Tensor) for value in values]
        ctx.save_for_backward(*itertools.compress(values, ctx.places))
        ctx.others = [None if is_tensor else value for value, is_tensor in zip(values, ctx.places, strict=True)]
        ctx.arity = len(inputs)

    return keep


def _kept(ctx):
    tensors = iter(ctx.saved_tensors)
    values = [next(tensors) if is_tensor else other for is_tensor, other in zip(ctx.places, ctx.others, strict=True)]
    return Call(values[:ctx.arity], values[ctx.arity:], list(ctx.needs_input_grad))


def _differentiated(name, backward):
    """A backward as torch calls it. Without `backward`, one that says that there is none."""

    def run(ctx, *gradients):
        if backward is None:
            raise NotImplementedError(f"tilewright.ops.{name} has no backward")
        if all(gradient is None for gradient in gradients):
            return (None,) * ctx.arity
        return tuple(backward(_kept(ctx), *gradients))

    return run


class Operation:
    """A torch function of kernels.

    `outputs(*args)` allocates the results, from shapes and dtypes alone; `run(results, *args)` fills
    them. Outside torch.compile and autograd a call costs no more than these two.

    `backward(call, *gradients)` gives the gradient by each argument, None where there is none; see `Call`.
    It calls operations, which torch.compile puts into the graph of the backward. Autograd keeps the arguments
    for it, less the first `drops`, and with `keeps_results` the results. With `hides` nobody else sees the
    results behind the first, and their gradients are None.
    """

    def __init__(self, name, schema, outputs, run, backward=None, drops=0, keeps_results=False, hides=False):
        self._outputs = outputs
        self._run = run
        self.op = _define(name, schema, self._direct, outputs)
        torch.library.register_autograd(
            f"tilewright::{name}", _differentiated(name, backward),
            setup_context=_keeper(range(drops), keeps_results, hides), lib=_library,
        )  # fmt: skip

    def __call__(self, *args):
        if torch.compiler.is_compiling() or not _is_plain(args):
            return self.op(*args)
        return self._direct(*args)

    def _direct(self, *args):
        results = self._outputs(*args)
        self._run(results, *args)
        return results


_PLAIN = (torch.Tensor, torch.nn.Parameter)


def _is_plain(args):
    """Whether nothing but the kernels has to see a call: neither autograd nor tensors that only have a shape."""
    recording = torch.is_grad_enabled()
    for arg in args:
        if isinstance(arg, torch.Tensor) and (type(arg) not in _PLAIN or (recording and arg.requires_grad)):
            return False
    return True


def needs_gradient(args):
    """Whether autograd would record an operation on these arguments."""
    return torch.is_grad_enabled() and any(
        isinstance(arg, torch.Tensor) and arg.requires_grad for arg in args
    )


def frees_graph(kept):
    """In a backward: whether autograd gives up `kept`, what it has kept for it, so that it may be overwritten."""
    if torch.compiler.is_compiling() or not _is_plain(kept):
        return False
    keeps_graph = getattr(torch._C._autograd, "_get_current_graph_task_keep_graph", lambda: True)
    return not keeps_graph()


# ===- Derived gradients ---------------------------------------------------------------------===


@functools.cache
def _gradient(kernel, wanted):
    return grad(builtin(kernel), wrt=wanted)


def shape_of(name):
    """For `derived`: the shape of the argument of this name."""
    return lambda named: named[name].shape


def derived(name, kernel, schema, arguments, results, shared=()):
    """The backward of the operation `name`, which is one kernel, by the gradient that the compiler derives.

    The operation has `schema`, whose tensors are called as the kernel's. `arguments(*args)` gives the kernel's
    arguments by name, its outputs left out. `results` has the names of its outputs and, for each, a function of
    these arguments that gives its shape. To gradients of what is in `shared` several programs add: they are
    f32, and are rounded at the end.
    """
    parameters = schema[1:schema.index(")")]
    names = [parameter.split()[-1] for parameter in parameters.split(", ")]

    def outputs(*args):
        *args, _, wanted = args
        tensors = dict(zip(names, args, strict=True))
        return [
            tensors[x].new_empty(tensors[x].shape, dtype=torch.float32 if x in shared else None) for x in wanted
        ]

    def run(found, *args):
        *args, gradients, wanted = args
        named = arguments(*args)
        given = {f"d{result}": gradient.reshape(shape(named))
                 for (result, shape), gradient in zip(results.items(), gradients, strict=True)}
        asked = {f"d{x}": gradient.view(named[x].shape) for x, gradient in zip(wanted, found, strict=True)}
        _gradient(kernel, tuple(wanted))(**named, **given, **asked)

    operation = Operation(
        f"{name}_backward", f"({parameters}, Tensor[] gradients, str[] wanted) -> Tensor[]", outputs, run
    )

    def backward(call, *gradients):
        wanted = [x for x, needed in zip(names, call.needs, strict=True) if needed]
        found = dict(zip(wanted, operation(*call.args, list(gradients), wanted), strict=True))
        return [found[x].to(arg.dtype) if x in found else None for x, arg in zip(names, call.args, strict=True)]

    return backward


# ===- Arguments -----------------------------------------------------------------------------===


def as_rows(x):
    """A tensor as [rows, last dimension]."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def require(holds, op, message):
    if not holds:
        raise Error(f"tilewright.ops.{op}: {message}")


def refuse_gradients(op, call, **reasons):
    """Raises if the gradient by an argument is asked for that has none; `reasons` by name, in the arguments' order."""
    for (name, reason), needed in zip(reasons.items(), call.needs, strict=False):
        if needed and reason is not None:
            raise NotImplementedError(f"tilewright.ops.{op}: there is no gradient by `{name}`: {reason}")


def of_bytes(*tensors):
    """Why there is no gradient by 8-bit floats, or None where there are none."""
    if any(tensor.dtype.itemsize == 1 for tensor in tensors):
        return "it would be rounded to 8 bits; keep a copy of the tensor in bf16, f16 or f32 and pass it"
    return None


def contiguous_like(x, *rest):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def approximates(op, approximate):
    require(approximate in ("none", "tanh"), op, f'`approximate` is "none" or "tanh", not {approximate!r}')
    return approximate == "tanh"


def dropped_of_256(op, name, probability):
    """A probability as the kernels take it, which draw bytes."""
    if not 0 <= probability < 1:  # torch.compile cannot format what it does not know
        raise Error(f"tilewright.ops.{op}: `{name}` is in [0, 1), not {probability}")
    return min(255, round(256 * probability))
