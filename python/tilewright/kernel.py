"""Kernels as Python objects."""

import functools
import json
import os
import pathlib

from . import capture, frameworks, tuned
from ._library import Error, library
from .language import DType, dtype_name
from .page import page_of

_CONFIG = ("target", "warps", "stages", "min_blocks", "cluster", "plan", "tune")


class Spec:
    """Shape and dtype in place of an array, for `explain`, `ptx`, …

    It counts as contiguous and aligned. `dtype` is a word of the language (`bf16`, `"bf16"`).
    """

    def __init__(self, shape, dtype):
        self.shape = tuple(shape)
        self.dtype = dtype

    def __repr__(self):
        return f"Spec({self.shape}, {self.dtype})"


class Report(dict):
    """The resources of a compiled kernel: registers, shared memory, spills, occupancy. Prints as a table."""

    def __str__(self):
        rows = ((key.replace("_", " "), value) for key, value in self.items() if value != [])
        return "\n".join(f"{key:18} {value}" for key, value in rows)


class Timeline:
    """What each role of a kernel did when. Prints as a summary.

    `data` is the block of the inspector's page (docs/inspector.md), with lanes and shares.
    """

    def __init__(self, text, file):
        self._text, self._file = text, file

    def __str__(self):
        return self._text

    @functools.cached_property
    def data(self):
        return json.loads(self._file)["timeline"]

    def save(self, file):
        """Writes a trace that https://ui.perfetto.dev opens."""
        pathlib.Path(file).write_text(self._file, encoding="utf-8")


class Kernel:
    """A kernel: call it with arrays and numbers in the order of its declaration.

    The arrays of a call are all on one GPU, or all in host memory. On a GPU the kernel starts on the
    framework's current stream, and the call does not wait. In host memory the reference interpreter
    runs it. torch, CuPy, JAX and NumPy arrays are passed by DLPack, without copies. Parameters may
    be given by name; `const` and `tune` parameters must be. The first call with new dtypes,
    compiled-in sizes, constants or alignments compiles.

    Raises `tilewright.Error` if arguments do not match the declaration, and
    `tilewright.CompileError` if the kernel has an error.
    """

    def __init__(self, handle, config):
        self._handle = handle
        self._config = config
        signature = library.signature(handle)
        self.__name__ = str(signature["name"])
        self.__doc__ = str(signature["doc"]) or None
        self._parameters = [p for p in signature["params"] if p["kind"] in ("tensor", "scalar")]
        self._positions = {str(p["name"]): i for i, p in enumerate(self._parameters)}
        self.constants = {
            str(p["name"]): p.get("default") for p in signature["params"]
            if p["kind"] in ("const", "tune")
        }
        self._bound = {"call": {}, "prepare": {}, "reference": {}}
        self._planned = {}
        frameworks.adopt()
        self._launch = library.bind(handle, {}, "call")
        self._traced = frameworks.traceable(self, signature)

    def __call__(self, *args, **named):
        """Runs the kernel; see the class."""
        if frameworks.is_compiling():
            return self._traced(*args, **named)
        launch = self._known(named) if named else self._launch
        if launch is None or frameworks.streams:
            self.run(*args, **named)
        else:
            launch(*args)

    def run(self, *args, **named):
        """A call that torch.compile does not look into."""
        args, settings = self._arrange(args, named)
        with frameworks.current_stream(args):
            self._function("call", settings)(*args)

    def prepare(self, *args, **named):
        """Compiles and loads the code for these arguments, without running it.

        A call whose code is loaded may be captured into a CUDA graph.
        """
        args, settings = self._arrange(args, named)
        self._function("prepare", settings)(*args)

    def reference(self, *args, **named):
        """Runs the kernel on the CPU over arrays in host memory, in place.

        The result defines the kernel's meaning. Races between programs, and accesses outside an
        array, are reported with the line of the kernel.
        """
        args, settings = self._arrange(args, named)
        self._function("reference", settings)(*args)

    def explain(self, *args, target="", plan=None, **named):
        """What the compiler decided and why, as text, for these arguments or those of the last call.

        `target` is a GPU generation, `"sm_80"`; the default is the GPU at hand. `plan` is as in
        `configured`. Arrays may be given as `Spec`, or as torch's meta tensors.
        """
        return str(self._inspect("explain", args, target, plan, named))

    def cuda(self, *args, target="", plan=None, **named):
        """The CUDA C++ text, with the kernel's lines as comments; arguments as for `explain`."""
        return str(self._inspect("cuda", args, target, plan, named))

    def ptx(self, *args, target="", plan=None, **named):
        """The PTX, with the kernel's lines as comments; arguments as for `explain`."""
        return str(self._inspect("ptx", args, target, plan, named))

    def report(self, *args, target="", plan=None, **named):
        """The resources of the code, as a `Report`; arguments as for `explain`."""
        found = self._inspect("report", args, target, plan, named)
        return Report((str(key), plain(value)) for key, value in found.items())

    def inspect(self, *args, target="", plan=None, against=(), **named):
        """A page that shows what became of the kernel, line by line, and why; see `Page`.

        `against` has targets (`"sm_80"`) and plans to show beside. Arguments as for `explain`. If they
        are arrays on a GPU, the page has the measured time, of a process that runs the kernel on
        arrays like them (docs/tuner.md).
        """
        tuned.prepare_measuring()
        shown = [(None, target, plan)]
        for other in against:
            is_target = str(other).startswith("sm_")
            shown.append((str(other), other, None) if is_target else (_plan_title(other), target, other))
        return page_of((title, str(self._inspect("page", args, where, how, named))) for title, where, how in shown)

    def timeline(self, *args, stamps=8192, detail="all", **named):
        """Runs the kernel with time stamps; a `Timeline`.

        On a GPU it takes nanoseconds, and the kernel runs a few times. Over arrays in host memory the
        machine simulator runs it for the GPU at hand or sm_90, and counts instructions: take small
        sizes. A role of a block keeps its first `stamps` time stamps (docs/timeline.md). `detail` says what
        is stamped: all, slots (not the waits for products, whose stamps slow a GPU most) or tiles.
        """
        args, settings = self._arrange(args, named)
        return Timeline(*map(str, library.timeline(self._handle)(settings, stamps, detail, *args)))

    def plans(self, *args, target="", count=8, **named):
        """The planner's best plans for these arguments, as pairs (text, predicted microseconds).

        A call takes the first that compiles, unless there is a tuned plan (docs/planner.md).
        `configured(plan=text)` is the kernel with another plan. Arguments as for `explain`.
        """
        args, settings = self._arrange(args, named)
        found = iter(library.finalists(self._handle)(settings, target, count, *map(described, args)))
        return [(str(text), next(found)) for text in found]

    def configured(self, **config):
        """The same kernel with `target`, `warps`, `stages`, `min_blocks` or `cluster` stated, or a `plan`, or `tune`.

        A plan says how the kernel runs (docs/plans.md). It is a text; a path to a file with one; or
        a list of one of these and entries that replace its own,
        `[Path("gemm.plan"), "channels.s1: tma, 5 slots"]`; or entries alone, for the plan that the
        planner finds. The same plan gives the same kernel, with its compiled code.

        `tune="auto"` measures plans at the first launch of each class, and keeps the fastest in the
        user's file (docs/tuner.md). `tune="none"` uses no tuned plans, not even those of
        `tilewright.load_tuned`.
        """
        unknown = set(config) - set(_CONFIG)
        if unknown:
            raise TypeError(f"there is no configuration `{min(unknown)}`; there are "
                            + ", ".join(f"`{name}`" for name in _CONFIG))
        if config.get("plan") is not None:
            config["plan"] = plan_words(config["plan"])
        if config.get("tune") == "auto":
            tuned.prepare_measuring()
        config = {**self._config, **config}
        if config.get("tune") is None:
            config.pop("tune", None)
        if config.get("plan") is None:
            config.pop("plan", None)
            return self._load(config)
        key = tuple(sorted(config.items()))
        if key not in self._planned:
            self._planned[key] = self._load(config)
        return self._planned[key]

    def _load(self, config):
        raise NotImplementedError

    def __repr__(self):
        return f"<tilewright kernel {self.__name__}>"

    def _inspect(self, what, args, target, plan, named):
        if plan is not None:
            return self.configured(plan=plan)._inspect(what, args, target, None, named)
        args, settings = self._arrange(args, named)
        function = library.inspector(self._handle, what)
        return function(settings, target, *map(described, args))

    def _known(self, named):
        """The function of a call with these constants, if there was one before."""
        try:
            return self._bound["call"].get(tuple(named.items()))
        except TypeError:  # an array, which has no hash
            return None

    def _function(self, how, settings):
        """The library's function of the arguments, with constants bound."""
        bound, key = self._bound[how], tuple(settings.items())
        if key not in bound:
            bound[key] = library.bind(self._handle, settings, how)
        return bound[key]

    def _arrange(self, args, named):
        """Positional arguments and constants; parameters given by name are put in their place."""
        settings = {}
        given = {}
        for name, value in named.items():
            if name in self._positions:
                given[self._positions[name]] = value
            else:
                settings[name] = value.name if isinstance(value, DType) else value
        if not given:
            return args, settings
        args = list(args)
        for position in range(len(args), max(given) + 1):
            args.append(self._default(position) if position not in given else given.pop(position))
        if given:
            name = self._parameters[min(given)]["name"]
            raise Error(f"kernel `{self.__name__}`: argument `{name}` is given twice")
        return args, settings

    def _default(self, position):
        parameter = self._parameters[position]
        if "default" not in parameter and not parameter["optional"]:
            raise Error(f"kernel `{self.__name__}`: argument `{parameter['name']}` is missing")
        return parameter.get("default")


class _TextKernel(Kernel):
    """A kernel of a Python function."""

    def __init__(self, captured, config):
        self._captured = captured
        self.__wrapped__ = captured.function
        self.__module__ = captured.function.__module__
        super().__init__(
            library.load(captured.text, captured.file, captured.function.__name__, captured.values,
                         config),
            config,
        )

    def _load(self, config):
        return _TextKernel(self._captured, config)


class _NamedKernel(Kernel):
    """A kernel that comes with the package, or one of a file."""

    def __init__(self, what, config):
        self._what = what
        super().__init__(library.load_named(what, config), config)

    def _load(self, config):
        return _NamedKernel(self._what, config)


class _BorrowingKernel(Kernel):
    """A kernel that comes with the package, with functions for names that it leaves open."""

    def __init__(self, what, functions, config):
        self._what, self._functions = what, functions
        super().__init__(library.load_borrowing(what, functions, config), config)

    def _load(self, config):
        return _BorrowingKernel(self._what, self._functions, config)


class _GradientKernel(Kernel):
    """The gradient of a kernel."""

    def __init__(self, forward, of, config):
        self._forward, self._of = forward, of
        super().__init__(library.gradient(forward._handle, *of, config), config)

    def _load(self, config):
        return _GradientKernel(self._forward, self._of, config)


def kernel(function):
    """Makes a kernel of a function in the tile language.

    Python never runs the function: its text is compiled. Everything except sizes is checked here. The
    text may use dimensions, dtypes, numbers and `@inline` functions around it, whose values are
    captured now. Raises `tilewright.CompileError` with file, line and text of an error.
    """
    return _TextKernel(capture.Captured(function, capture.scope_of(function, 1)), {})


def inline(function):
    """Makes a function that kernels inline. It may return a tuple; it cannot recurse."""
    return capture.Inline(function, capture.scope_of(function, 1))


@functools.cache
def builtin(name):
    """A kernel that comes with the package, by its name."""
    return _NamedKernel(name, {})


def grad(forward, wrt=(), given=(), stored=()):
    """The kernel that computes a kernel's gradient by the inputs `wrt`, from those of the outputs `given`.

    Without names, by all inputs of floats, and of all outputs of floats. It takes the parameters of
    the forward, but `dy` in place of each output `y`, and then `dx` for each `x` of `wrt`, which it
    adds to where several programs load one element: set it to 0 before (docs/gradients.md). Outputs
    `stored` it also takes, as the forward has left them: what a loop carries is known where each
    iteration has stored it. What cannot be differentiated is a `tilewright.CompileError` with its
    line, when it is called.
    """
    return _GradientKernel(forward, (list(wrt), list(given), list(stored)), {})


def borrowing(name, functions):
    """A kernel of the package; `functions` has (function, dtype of its results) by open names."""
    borrowed = []
    for open_name, (function, dtype) in functions.items():
        captured = capture.Captured.of_inline(function)
        borrowed.append((open_name, captured.text, captured.file, captured.function.__name__,
                         captured.values, dtype))
    return _BorrowingKernel(name, borrowed, {})


def from_file(file):
    """A kernel of a file: `"my.py:kernel"`, or `"gemm.mlir"`, a program of the `cta` level.

    Such a program states its roles, its channels and the order of its products, for one GPU
    generation (docs/cta.md). It is called, checked and explained like any kernel.
    """
    return _NamedKernel(str(file), {})


def builtin_kernels():
    """The names of the kernels that come with the package."""
    return [str(name) for name in library.builtin_kernels()]


def _plan_title(plan):
    return f"plan {str(plan).splitlines()[0]}"


def described(argument):
    """An argument for inspection: what has no memory becomes [dtype, size, …]."""
    is_meta = getattr(getattr(argument, "device", None), "type", None) == "meta"
    if not is_meta and not isinstance(argument, Spec):
        return argument
    name = frameworks.torch_dtype_name(argument.dtype) if is_meta else argument.dtype
    return [dtype_name(name) or name, *map(int, argument.shape)]


def plan_words(plan):
    """A plan as the library takes it: (file, text, entry, …)."""
    first, *entries = [plan] if isinstance(plan, (str, os.PathLike)) else plan
    if isinstance(first, str):
        return ("plan", first, *entries)
    return (os.fspath(first), pathlib.Path(first).read_text(encoding="utf-8"), *entries)


def plain(value):
    """A value of the library as Python's own."""
    if isinstance(value, (bool, int, float)):
        return value
    return str(value) if isinstance(value, str) else [str(each) for each in value]


def gpu_count():
    """The number of GPUs that the CUDA driver reports; 0 without a driver."""
    return library.gpu_count()
