"""Running Starlark: threads, call stacks, modules, and the turning of Python's exceptions into Starlark errors."""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any

from ..diagnostics import Diagnostic, InternalError, Location, WorkspaceError, suggestion
from ..records import replace
from .context import running_thread
from .errors import EvalError
from .operations import literal_arguments, operators
from .program import Program
from .protocol import type_name
from .semantics import Semantics
from .strings import dispatchers
from .structs import freeze
from .universe import universe


class Module:
    """An executed file.

    `globals` maps its public names (no leading underscore; what load() bound only with reexports) to values; `label` is
    for the host to set; `doc` is the file's documentation string or None.
    """

    starlark_type = "module"

    def __init__(self, program: Program, label: Any = None, reexports: bool = False):
        self.reexports = reexports
        self.program = program
        self.path = program.path
        self.doc = program.doc
        self.label = label
        self.namespace: dict[str, Any] = {}
        # by id(code): lines, columns, places that were asked for
        self.positions: dict[int, tuple[array[int], array[int], dict[int, Location], CodeType]] = {}

    def get(self, name: str) -> Any:
        """A global by its name in the file, private ones included; raises KeyError."""
        try:
            return self.namespace[name + "%" if name in self.program.renamed else name]
        except KeyError:
            raise KeyError(name) from None

    @property
    def globals(self) -> dict[str, Any]:
        found = self.all_globals()
        if self.reexports:
            bound = (local for _, bindings, _ in self.program.loads for local, _ in bindings)
            found = {**{name: self.get(name) for name in bound}, **found}
        return {name: value for name, value in found.items() if not name.startswith("_")}

    def all_globals(self) -> dict[str, Any]:
        """What the file itself defines, private names included."""
        namespace, renamed = self.namespace, self.program.renamed
        found = {}
        for name in self.program.exported:
            key = name + "%" if name in renamed else name
            if key in namespace:
                found[name] = namespace[key]
        return found


def current_thread() -> Thread:
    """The thread that the calling builtin runs in."""
    try:
        return running_thread.get()
    except LookupError:
        raise InternalError("no Starlark thread is running") from None


class Thread:
    """One evaluation: its semantics, where print() goes, and whatever the host attaches in `data`."""

    def __init__(
        self,
        semantics: Semantics | None = None,
        print: Callable[[str, Location], None] | None = None,
        data: dict | None = None,
    ):
        self.semantics = semantics or Semantics()
        self.print = print or _print_to_stderr
        self.data: dict = {} if data is None else data

    def call(self, function: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None) -> Any:
        """Calls a Starlark callable from the host; raises EvalError."""
        if not callable(function):
            raise EvalError(f"'{type_name(function)}' object is not callable")
        return self._run(function, args, kwargs or {})

    def _run(self, function: Callable, args: Any, kwargs: Mapping[str, Any]) -> Any:
        token = running_thread.set(self)
        try:
            return function(*args, **kwargs)
        except WorkspaceError as problem:
            raise self._placed(problem) from problem.__cause__
        except (InternalError, KeyboardInterrupt, SystemExit):
            raise
        except Exception as problem:
            raise self._translated(problem) from None
        finally:
            running_thread.reset(token)

    def _placed(self, problem: WorkspaceError) -> WorkspaceError:
        """The same error with the place and the call stack added."""
        frames = _traceback_frames(problem.__traceback__)
        first = problem.diagnostic
        owner = getattr(problem, "thread", None)
        if frames and ((owner is None and not first.frames) or owner is self):
            where = first.location or frames[-1][0]
            placed = replace(first, location=where, frames=(*frames, *first.frames))
            result = EvalError(placed, *problem.diagnostics[1:]) if type(problem) is WorkspaceError else problem
            result.diagnostics = (placed, *problem.diagnostics[1:])
            if isinstance(result, EvalError):
                result.thread = self
                result.builtin = result.builtin or _raising_builtin(problem.__traceback__)
            return result
        return problem

    def _translated(self, problem: Exception) -> Exception:
        from .explain import explain

        trace = problem.__traceback__
        innermost = trace
        last_starlark = None
        while innermost is not None:
            if "%module" in innermost.tb_frame.f_globals:
                last_starlark = innermost
            if innermost.tb_next is None:
                break
            innermost = innermost.tb_next
        explained = explain(problem, innermost, last_starlark)
        if explained is None:
            where = f" at {_position(last_starlark.tb_frame, last_starlark.tb_lasti)}" if last_starlark else ""
            bug = InternalError(f"{type(problem).__name__}: {problem}{where}")
            bug.__cause__ = problem
            return bug
        message, help = explained
        frames = _traceback_frames(trace)
        result = EvalError(Diagnostic(message, frames[-1][0] if frames else None, help=help, frames=frames))
        result.thread = self
        return result


_BOUNDARY: CodeType = Thread._run.__code__


def _print_to_stderr(text: str, location: Location) -> None:
    print(f"DEBUG: {location}: {text}", file=sys.stderr)


def _position(frame: FrameType, instruction: int) -> Location:
    """The place of an instruction of a frame; columns in compiled code count characters."""
    code = frame.f_code
    known = frame.f_globals["%module"].positions
    found = known.get(id(code))
    if found is None:  # a BUILD file asks with each of its rules
        places = list(code.co_positions())
        found = known[id(code)] = (
            array("l", [place[0] or 0 for place in places]),
            array("l", [-1 if place[2] is None else place[2] for place in places]),
            {},
            code,
        )
    lines, columns, made, _ = found
    place = made.get(instruction)
    if place is None:  # a macro makes many targets at each of its places
        index = (instruction + 1) // 2
        if index >= len(lines):
            place = Location(code.co_filename, code.co_firstlineno)
        else:
            place = Location(code.co_filename, lines[index], columns[index] + 1)
        made[instruction] = place
    return place


def _function_name(code: CodeType) -> str:
    name = code.co_name
    return "<toplevel>" if name == "<module>" else "lambda" if name == "<lambda>" else name


def _raising_builtin(trace: TracebackType | None) -> str:
    """The name of the host function that the innermost Starlark frame called, or ""."""
    name = ""
    after = False
    while trace is not None:
        code = trace.tb_frame.f_code
        if "%module" in trace.tb_frame.f_globals:
            name, after = "", True
        elif after and code is not _BOUNDARY:
            name, after = code.co_name.strip("_").removeprefix("s_"), False
        trace = trace.tb_next
    return name


_COMPREHENSIONS = ("<listcomp>", "<dictcomp>", "<genexpr>", "<setcomp>")


def _traceback_frames(trace: TracebackType | None) -> tuple[tuple[Location, str], ...]:
    """The Starlark frames of a traceback up to the next thread boundary, outermost first."""
    frames: list[tuple[Location, str]] = []
    first = True
    while trace is not None:
        frame = trace.tb_frame
        if frame.f_code is _BOUNDARY:
            if not first:
                break
        elif "%module" in frame.f_globals:
            where = _position(frame, trace.tb_lasti)
            if frame.f_code.co_name in _COMPREHENSIONS and frames:
                frames[-1] = (where, frames[-1][1])
            else:
                frames.append((where, _function_name(frame.f_code)))
        first = False
        trace = trace.tb_next
    return tuple(frames)


def _running_frames() -> Iterator[FrameType]:
    """The Starlark frames of the running thread, innermost first."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code is _BOUNDARY:
            return
        if "%module" in frame.f_globals:
            yield frame
        frame = frame.f_back  # type: ignore[assignment]


def call_stack() -> tuple[tuple[Location, str], ...]:
    """(place, function name) of the running thread's active functions, outermost first."""
    stack: list[tuple[Location, str]] = []
    inner: Location | None = None
    for frame in _running_frames():
        where = inner or _position(frame, frame.f_lasti)
        inner = None
        if frame.f_code.co_name in _COMPREHENSIONS:
            inner = where
            continue
        stack.append((where, _function_name(frame.f_code)))
    return tuple(reversed(stack))


def called(function: Callable, args: Any, kwargs: Mapping[str, Any]) -> Any:
    """`function(*args, **kwargs)` with what Starlark code gave: arguments that do not fit are that code's error."""
    return function(*args, **kwargs)


def caller_location() -> Location:
    """Where the Starlark code stands that called the running builtin."""
    for frame in _running_frames():
        return _position(frame, frame.f_lasti)
    return Location("<builtin>")


def caller_module() -> Module | None:
    """The module whose code called the running builtin."""
    for frame in _running_frames():
        return frame.f_globals["%module"]
    return None


def outermost_module() -> Module | None:
    """The module whose code is at the bottom of the running thread's stack."""
    module = None
    for frame in _running_frames():
        module = frame.f_globals["%module"]
    return module


def check_recursion() -> None:
    """Called by a function that may be active already; raises EvalError when it is, in this thread."""
    frame = sys._getframe(1)
    code = frame.f_code
    caller = frame.f_back
    while caller is not None and caller.f_code is not _BOUNDARY:
        if caller.f_code is code:
            raise EvalError(f"function '{_function_name(code)}' called recursively")
        caller = caller.f_back


def environment(semantics: Semantics, predeclared: Mapping[str, Any]) -> dict[str, Any]:
    """What compiled code finds besides its module's globals: helpers, the universal names, the predeclared ones."""
    return {
        **operators(semantics),
        **dispatchers(),
        **universe(semantics),
        **predeclared,
        "%enter": check_recursion,
    }


def execute(
    program: Program,
    thread: Thread,
    predeclared: Mapping[str, Any],
    load: Callable[[str, Location], Mapping[str, Any]],
    *,
    label: Any = None,
) -> Module:
    """Runs a program to its end and freezes what it made.

    `load(module, location)` gives the public names of a loaded module and is called as the load statements are
    reached.  Raises EvalError, or what `load` raises.
    """
    module = Module(program, label, thread.semantics.transitive_loads)
    namespace = module.namespace

    def load_symbols(index: int) -> tuple:
        name, bindings, where = program.loads[index]
        try:
            symbols = load(name, where)
        except WorkspaceError as problem:
            raise problem.at(where) from problem.__cause__
        values = []
        for _, symbol in bindings:
            if symbol not in symbols:
                raise EvalError(
                    Diagnostic(
                        f"file '{name}' does not contain symbol '{symbol}'", where, help=suggestion(symbol, symbols)
                    )
                )
            values.append(symbols[symbol])
        return tuple(values)

    namespace["__builtins__"] = (
        predeclared.names if isinstance(predeclared, Environment) else environment(thread.semantics, predeclared)
    )
    namespace["%module"] = module
    namespace["%load"] = load_symbols
    namespace["%literals"] = lambda number: literal_arguments(program.literals[number])
    thread._run(exec, (program.code, namespace), {})
    freeze_module(module)
    return module


class Environment(Mapping[str, Any]):
    """A prepared environment that several executions share; see `environment`.

    It holds a plain dict: only of those does the interpreter remember where a name was found.
    """

    def __init__(self, names: dict[str, Any]):
        self.names = names

    def __getitem__(self, name: str) -> Any:
        return self.names[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def freeze_module(module: Module) -> None:
    """Freezes everything that the module's own globals refer to."""
    for value in module.all_globals().values():
        freeze(value)


def function_name(function: Any) -> str:
    """The name that a function was defined with."""
    name = function.__name__
    return "lambda" if name == "<lambda>" else name.removeprefix("s_")


def function_location(function: Any) -> Location:
    """Where a Starlark function is defined."""
    code = function.__code__
    return Location(code.co_filename, code.co_firstlineno, 1)


def function_module(function: Any) -> Module:
    """The module that defines a Starlark function."""
    return function.__globals__["%module"]


def function_parameters(function: Any) -> tuple[str, ...]:
    """The names of a Starlark function's parameters, *args and **kwargs without stars last."""
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return code.co_varnames[:count]


def is_starlark_function(value: Any) -> bool:
    return value.__class__ is FunctionType and "%module" in value.__globals__
