"""String formatting: the % operator and string.format, without attribute or index access."""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

import math
from typing import Any

from .context import running_semantics
from .errors import EvalError
from .protocol import float_text, int_text, quote, to_repr, to_str, type_name


def format_percent(template: str, arguments: Any) -> str:
    """template % arguments."""
    parts: list[str] = []
    values = arguments if arguments.__class__ is tuple else (arguments,)
    used = 0
    start = 0
    size = len(template)
    while True:
        percent = template.find("%", start)
        if percent < 0:
            parts.append(template[start:])
            break
        parts.append(template[start:percent])
        if percent + 1 >= size:
            raise EvalError(f"incomplete format pattern ends with %: {quote(template)}")
        verb = template[percent + 1]
        start = percent + 2
        if verb == "%":
            parts.append("%")
            continue
        if verb == "(" and isinstance(arguments, dict):
            end = template.find(")", start)
            if end < 0:
                raise EvalError(f"incomplete format key in {quote(template)}")
            key = template[start:end]
            if key not in arguments:
                raise EvalError(f"key {quote(key)} not found in dictionary")
            if end + 1 >= size:
                raise EvalError(f"incomplete format pattern ends with %: {quote(template)}")
            parts.append(_verb(template[end + 1], arguments[key], template))
            start = end + 2
            used = len(values)
            continue
        if used >= len(values):
            if verb not in _VERBS:
                raise EvalError(_unsupported(verb, template))
            raise EvalError(f"not enough arguments for format pattern {quote(template)}: {to_repr(values)}")
        parts.append(_verb(verb, values[used], template))
        used += 1
    if used < len(values):
        raise EvalError("not all arguments converted during string formatting")
    return "".join(parts)


_VERBS = "srdoxXeEfFgGc"


def _unsupported(verb: str, template: str) -> str:
    return f'unsupported format character "{verb}" at index {template.find("%" + verb) + 1} in {quote(template)}'


def decimal(value: Any) -> str:
    """What %d writes."""
    return _verb("d", value, "%d")


def _verb(verb: str, value: Any, template: str) -> str:
    if verb == "s":
        return value if value.__class__ is str else to_str(value)
    if verb == "r":
        return to_repr(value)
    if verb in "doxX":
        if value.__class__ is float:
            if not math.isfinite(value):
                raise EvalError(f"got {float_text(value)}, want a finite number")
            value = int(value)
        elif value.__class__ is not int:
            raise EvalError(f"got {type_name(value)} for '%{verb}' format, want int or float")
        return int_text(value) if verb == "d" else format(value, verb)
    if verb in "eEfFgG":
        if value.__class__ not in (int, float):
            raise EvalError(f"got {type_name(value)} for '%{verb}' format, want int or float")
        number = float(value)
        if not math.isfinite(number):
            return float_text(number)
        return float_text(number) if verb in "gG" else format(number, "." + "6" + verb)
    if verb == "c" and running_semantics().specified_strings:
        if value.__class__ is int and 0 <= value < 0x110000:
            return chr(value)
        if value.__class__ is str and len(value) == 1:
            return value
        raise EvalError(f"%c format requires a single-character string or an int, not {type_name(value)}")
    raise EvalError(_unsupported(verb, template))


def format_method(template: str, arguments: tuple, keywords: dict[str, Any]) -> str:
    """template.format(*arguments, **keywords)."""
    parts: list[str] = []
    position = 0
    automatic: bool | None = None
    count = 0
    size = len(template)
    while position < size:
        character = template[position]
        if character == "}":
            if template[position + 1 : position + 2] != "}":
                raise EvalError("Found '}' without matching '{'")
            parts.append("}")
            position += 2
        elif character == "{":
            if template[position + 1 : position + 2] == "{":
                parts.append("{")
                position += 2
                continue
            end = template.find("}", position)
            if end < 0:
                raise EvalError("Found '{' without matching '}'")
            name = template[position + 1 : end]
            position = end + 1
            name, bang, conversion = name.partition("!")
            if not name or name.removeprefix("-").isdigit():
                if automatic is not None and automatic is bool(name):
                    raise EvalError("Cannot mix manual and automatic numbering of positional fields")
                automatic = not name
                number = int(name) if name else count
                count += 1
                if not 0 <= number < len(arguments):
                    raise EvalError(f"No replacement found for index {number}")
                value = arguments[number]
            else:
                if "{" in name:
                    raise EvalError("Nested replacement fields are not supported")
                for forbidden in "[.,:":
                    if forbidden in name:
                        raise EvalError(f"Invalid character '{forbidden}' inside replacement field")
                if name not in keywords:
                    raise EvalError(f"Missing argument '{name}'")
                value = keywords[name]
            if bang and conversion not in ("s", "r"):
                raise EvalError(f"unknown conversion '!{conversion}'")
            parts.append(to_repr(value) if conversion == "r" else to_str(value))
        else:
            next_brace = len(template)
            for brace in "{}":
                found = template.find(brace, position)
                if 0 <= found < next_brace:
                    next_brace = found
            parts.append(template[position:next_brace])
            position = next_brace
    return "".join(parts)
