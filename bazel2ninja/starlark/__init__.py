"""The Starlark language: compiling and running of BUILD, .bzl and plain Starlark files.

Programs
    compile_source(source: bytes, path, *, dialect, semantics, predeclared: Collection[str], cache=None) -> Program
        raises WorkspaceError with every syntax and name error of the file.
        Program.loads: tuple of (module string, ((local name, name in the module), ...), Location).
    execute(program, thread, predeclared: Mapping[str, object], load, *, label=None) -> Module
        load(module string, Location) -> Mapping of public names, called where the load statement stands.
        `predeclared` may be an Environment made once by `Environment(environment(semantics, names))`.
        Module.globals: public names; .all_globals(): private ones too; .get(name); .label (the host's); .doc; .path.
    Dialect.BUILD, BZL, WORKSPACE, PLAIN; Semantics(...), Semantics.for_bazel("0.26.1"); CodeCache(directory).

Threads
    Thread(semantics=None, print=None, data=None): print(text, Location); data is the host's dict.
    thread.call(function, args=(), kwargs=None): runs a Starlark callable; raises EvalError with frames.
    current_thread(), call_stack() -> ((Location, function name), ...) outermost first, caller_location(),
    caller_module(), outermost_module(): for builtins, about the thread that runs them.

Host functions are plain Python functions, bound methods, or objects with __call__ and `starlark_type`.
    @builtin("name") gives a Python function its Starlark name.  Its signature says what it accepts:
    `def f(a, /, b=None, *, c)`; wrong arguments become Starlark errors by themselves.  It raises EvalError("message"):
    place and stack are added.

Host values are objects of classes with
    starlark_type: str                    what type() gives; a class without it is no Starlark value (InternalError)
    s_NAME                                attributes, properties and methods that Starlark sees as x.NAME
    __getattr__(self, "s_NAME")           for computed fields; raise AttributeError(name="s_NAME", obj=self)
    starlark_dir(self) -> names           computed fields for dir()
    starlark_missing(self, name) -> str   the message when there is no such field
    starlark_repr(self) / starlark_str(self, semantics) / starlark_display(self) -> str (of print)
    starlark_iterate(self) -> iterable    makes it iterable; __len__ for len()
    starlark_freeze(self, freeze)         calls freeze(value) on what it refers to
    __bool__, __eq__, __hash__ (None: not a dict key), __lt__, __getitem__, __contains__, __call__,
    __add__/__radd__, __or__/__ror__ ...  operators; return NotImplemented to refuse

Values
    int, float, str, bytes, bool, None, tuple, range are Python's; List, Dict, StarlarkSet (also Set), Struct are ours
    (subclasses of list and dict: isinstance(v, List) holds for frozen ones too).
    Struct(**fields): fields are attributes s_NAME; .get(name), .field_names().
    freeze(v), type_name(v), to_repr(v), to_str(v), truth(v), equal(a, b), less(a, b), iterate(v), is_callable(v),
    to_starlark(python data).
    function_name(f), function_location(f), function_module(f), function_parameters(f), is_starlark_function(f).

Errors
    EvalError(WorkspaceError): .message, .frames ((Location, function name), ...) outermost first; FrozenError.
"""

from .errors import EvalError, FrozenError
from .program import CodeCache, Program, compile_source
from .protocol import equal, is_callable, less, to_repr, to_str, truth, type_name
from .semantics import Dialect, Semantics
from .sets import StarlarkSet
from .sets import StarlarkSet as Set
from .structs import Struct, freeze, to_starlark
from .text_proto import ProtoModule
from .thread import (
    Environment,
    Module,
    Thread,
    call_stack,
    called,
    caller_location,
    caller_module,
    current_thread,
    environment,
    execute,
    function_location,
    function_module,
    function_name,
    function_parameters,
    is_starlark_function,
    outermost_module,
)
from .universe import builtin
from .values import Dict, List, iterate

__all__ = [
    "CodeCache",
    "Dialect",
    "Dict",
    "Environment",
    "EvalError",
    "FrozenError",
    "List",
    "Module",
    "Program",
    "ProtoModule",
    "Semantics",
    "Set",
    "StarlarkSet",
    "Struct",
    "Thread",
    "builtin",
    "call_stack",
    "called",
    "caller_location",
    "caller_module",
    "compile_source",
    "current_thread",
    "environment",
    "equal",
    "execute",
    "freeze",
    "function_location",
    "function_module",
    "function_name",
    "function_parameters",
    "is_callable",
    "is_starlark_function",
    "iterate",
    "less",
    "outermost_module",
    "to_repr",
    "to_starlark",
    "to_str",
    "truth",
    "type_name",
]
