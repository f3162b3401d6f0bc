"""Python's exceptions in Starlark's words.  Imported when there is one: the patterns take time to make."""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

import dis
import re
from types import TracebackType
from typing import Any

from ..diagnostics import InternalError, suggestion
from .errors import EvalError
from .operations import index
from .protocol import attribute_names, endless_comparison, to_repr, type_name

_TYPES = {"str": "string", "method": "builtin_function_or_method", "method_descriptor": "builtin_function_or_method"}
_NAME = r"(?:[\w<>.]*\.)?(?:s_)?([\w<>]+)\(\)"

_TYPE_ERRORS: tuple[tuple[re.Pattern, str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), words)
    for pattern, words in (
        (r"unsupported operand type\(s\) for (\S+?)=?: '(.*)' and '(.*)'", r"unsupported binary operation: \2 \1 \3"),
        (r"can only concatenate (\w+) \(not \"(.*)\"\) to \w+", r"unsupported binary operation: \1 + \2"),
        (r"'(\S+)' not supported between instances of '(.*)' and '(.*)'", r"unsupported comparison: \2 <=> \3"),
        (r"bad operand type for unary (\S)(?:abs\(\))?: '(.*)'", r"unsupported unary operation: \1\2"),
        (r"'(.*)' object is not callable", r"'\1' object is not callable"),
        (r"cannot use '(.*)' as a (?:dict key|set element) .*", r"unhashable type: '\1'"),
        (r"unhashable type: '(.*)'", r"unhashable type: '\1'"),
        (r"'(.*)' object is not iterable", r"type '\1' is not iterable"),
        (r"argument of type '(.*)' is not .*", r"unsupported binary operation: string in \1"),
        (r"'(.*)' object is not subscriptable", r"type '\1' has no operator []"),
        (
            r"'(.*)' object does not support item assignment",
            r"can only assign an element in a dictionary or a list, not in a '\1'",
        ),
        (
            r"(?:list|tuple|string|range object) ind(?:ex|ices) must be integers(?: or slices)?, not '?(\w+)'?",
            r"got \1 for sequence index, want int",
        ),
        (r"cannot unpack non-iterable (.*) object", r"got '\1' in sequence assignment"),
    )
)

_CALL_ERRORS: tuple[tuple[re.Pattern, str], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (
            _NAME + r" missing (\d+) required positional arguments?: (.*)",
            r"\1() missing \2 required positional argument\3",
        ),
        (
            _NAME + r" missing (\d+) required keyword-only arguments?: (.*)",
            r"\1() missing \2 required named argument\3",
        ),
        (_NAME + r" got an unexpected keyword argument '(.*?)'.*", r"\1() got unexpected keyword argument '\2'"),
        (
            _NAME + r" got multiple values for (?:keyword )?argument '(.*)'",
            r"\1() got multiple values for parameter '\2'",
        ),
        (
            _NAME + r" got some positional-only arguments passed as keyword arguments: '(.*)'",
            r"\1() got named argument for positional-only parameter '\2'",
        ),
        (_NAME + r" takes no keyword arguments", r"\1() got unexpected keyword argument"),
        (_NAME + r" takes no arguments \((\d+) given\)", r"\1() accepts no positional arguments but got \2"),
        (
            _NAME + r" takes exactly one argument \(0 given\)",
            r"\1() missing 1 required positional argument",
        ),
        (
            _NAME + r" takes exactly (?:one|(\d+)) arguments? \((\d+) given\)",
            r"\1() accepts no more than 1 positional argument but got \3",
        ),
        (
            _NAME + r" takes from (\d+) to (\d+) positional arguments but (\d+) (?:was|were) given",
            r"\1() accepts no more than \3 positional arguments but got \4",
        ),
        (
            _NAME + r" takes 0 positional arguments? but (\d+) (?:was|were) given.*",
            r"\1() does not accept positional arguments, but got \2",
        ),
        (
            _NAME + r" takes (\d+) positional arguments? but (\d+) (?:was|were) given.*",
            r"\1() accepts no more than \2 positional argument\3",
        ),
    )
)


_METHOD = re.compile(r"(?!\S*<locals>)\w\S*\.\w+\(\) takes ")
"""What Python says of a method's arguments counts the value that the method belongs to."""
_COUNTS = re.compile(r"\b\d+(?= to \d| positional argument| (?:was|were) given)")
_KEYWORDS_TOO = re.compile(r"but (\d+) positional arguments? \(and \d+ keyword-only arguments?\) were given")


def explain(
    problem: Exception, innermost: TracebackType | None, starlark: TracebackType | None
) -> tuple[str, str | None] | None:
    """(message, help) for an exception that Starlark code caused, or None for a bug in the host.

    `innermost` is the last entry of the traceback, `starlark` the last one of Starlark code.
    """
    if isinstance(problem, RecursionError):
        if starlark is not None and innermost is not None and innermost.tb_frame.f_code.co_name in _COMPARING:
            operands = _operands(starlark)
            if operands is not None:
                return endless_comparison(*operands), None
        return "maximum call depth exceeded", None
    if isinstance(problem, MemoryError):
        return "out of memory", None
    if innermost is None:
        return None
    namespace = innermost.tb_frame.f_globals
    if "%module" not in namespace and not str(namespace.get("__name__", "")).startswith(__package__ or "?"):
        if isinstance(problem, AttributeError) and innermost.tb_frame.f_code.co_name == "__getattr__":
            return _attribute(problem)  # of a field that a host value computes
        return None
    if isinstance(problem, AttributeError):
        return _attribute(problem)
    if isinstance(problem, NameError):
        return _name(problem)
    if isinstance(problem, KeyError):
        return f"key {to_repr(problem.args[0])} not found in dictionary", None
    if isinstance(problem, ZeroDivisionError):
        return "division by zero", None
    if isinstance(problem, OverflowError):
        return _overflow(problem), None
    if isinstance(problem, IndexError):
        return _index(innermost) or "index out of range", None
    if isinstance(problem, ValueError):
        return _value(problem)
    if isinstance(problem, TypeError):
        if re.search(r"not subscriptable|ind(?:ex|ices) must be", str(problem)):
            message = _index(innermost)
            if message:
                return message, None
        return _type(problem)
    return None


def _operands(trace: TracebackType) -> tuple[Any, Any] | None:
    """The operands of the failed operation of a frame, where both are variables or constants."""
    frame = trace.tb_frame
    loads: list[tuple[bool, Any]] = []
    for instruction in dis.get_instructions(frame.f_code):
        if instruction.offset >= trace.tb_lasti:
            break
        if instruction.opname.startswith("LOAD"):
            names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
            constant = "CONST" in instruction.opname or "SMALL_INT" in instruction.opname
            loads.extend((constant, name) for name in names)
        else:
            loads.clear()
    if len(loads) < 2:
        return None
    first, second = [
        name if constant else frame.f_locals.get(name, frame.f_globals.get(name)) for constant, name in loads[-2:]
    ]
    return first, second


_COMPARING = ("__eq__", "__ne__", "same")


def _index(trace: TracebackType) -> str | None:
    """The message for a failed x[i], or None when its operands are unknown."""
    values = _operands(trace)
    if values is None:
        return None
    try:
        index(*values)
    except EvalError as problem:
        return problem.message
    except (TypeError, InternalError):
        pass
    return None


def _attribute(problem: AttributeError) -> tuple[str, str | None] | None:
    name = problem.name
    if name is None or not name.startswith("s_"):
        return None
    value: Any = problem.obj
    name = name[2:]
    describe = getattr(value, "starlark_missing", None)
    message = describe(name) if describe else f"'{type_name(value)}' value has no field or method '{name}'"
    return message, suggestion(name, attribute_names(value))


def _name(problem: NameError) -> tuple[str, str | None]:
    name = problem.name
    if name is None:
        match = re.search(r"variable '([^']*)'", str(problem))
        name = match.group(1) if match else "?"
    kind = "local" if isinstance(problem, UnboundLocalError) or "free variable" in str(problem) else "global"
    return f"{kind} variable '{name.rstrip('%')}' is referenced before assignment", None


def _overflow(problem: OverflowError) -> str:
    text = str(problem)
    if "float" in text or "int too large" in text:
        return "int too large to convert to float" if "int" in text and "float" in text else "numeric overflow"
    if "repeat" in text or "fit" in text:
        return "integer out of range"
    return "numeric overflow"


def _value(problem: ValueError) -> tuple[str, str | None] | None:
    text = str(problem)
    match = re.match(r"(too many|not enough) values to unpack \(expected (\d+)(?:, got (\d+))?\)", text)
    if match:
        few = "few" if match[1] == "not enough" else "many"
        got = f"got {match[3]}, " if match[3] else ""
        return f"too {few} values to unpack ({got}want {match[2]})", None
    return None


def _starlark_type(name: str) -> str:
    return _TYPES.get(name, name)


def _type(problem: TypeError) -> tuple[str, str | None] | None:
    text = _KEYWORDS_TOO.sub(r"but \1 were given", str(problem).replace("<lambda>", "lambda"))
    if _METHOD.match(text):
        text = _COUNTS.sub(lambda count: str(int(count[0]) - 1), text)
    for pattern, words in _CALL_ERRORS:
        match = pattern.fullmatch(text)
        if match:
            return _call_message(words, match), None
    for pattern, words in _TYPE_ERRORS:
        match = pattern.fullmatch(text)
        if match:
            message = words
            for number, group in enumerate(match.groups(), 1):
                message = message.replace(f"\\{number}", _starlark_type(group or ""))
            return message, None
    return text.replace("s_", "") if "argument" in text or "object" in text else text, None


def _call_message(words: str, match: re.Match) -> str:
    if r"argument\3" in words and "missing" in words:
        names = re.findall(r"'([^']*)'", match[3])
        plural = "s" if len(names) > 1 else ""
        return (
            words.replace(r"\1", match[1])
            .replace(r"\2", match[2])
            .replace(r"argument\3", f"argument{plural}: " + ", ".join(names))
        )
    if r"argument\3" in words:
        plural = "" if match[2] == "1" else "s"
        return (
            words.replace(r"\1", match[1])
            .replace(r"\2", match[2])
            .replace(r"argument\3", f"argument{plural} but got {match[3]}")
        )
    return match.expand(words).replace("no more than 1 positional arguments", "no more than 1 positional argument")
