"""`dataclass` for classes that every run makes: the same words and meaning as the standard library's, made faster.

The standard decorator writes and compiles six functions for a frozen class, half a millisecond each time the program
starts, and there are more than a hundred such classes.  This one compiles `__init__` only, when the first instance is
made; the other methods are closures.  `frozen` is left to mypy: an instance that guards itself takes three times as
long to make.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        frozen: bool = False,
        slots: bool = False,
        eq: bool = True,
        kw_only: bool = False,
    ) -> Any:
        """Source: https://docs.python.org/3/library/dataclasses.html."""

        def decorate(plain: type) -> type:
            given = plain.__dict__
            own = {name for name in ("__eq__", "__hash__", "__repr__") if name in given}
            if given.get("__hash__", ...) is None and "__eq__" in own:
                own.discard("__hash__")  # what Python itself puts beside an __eq__
            if plain.__doc__ is None:
                plain.__doc__ = ""  # the standard decorator would work out a signature to put there
            made: Any = dataclasses.dataclass(plain, init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)
            fields = dataclasses.fields(made)
            names = [field.name for field in fields]
            if "__init__" not in given:
                made.__init__ = _late_init_of(made, fields)
            if "__repr__" not in own:
                made.__repr__ = _repr_of(names)
            if eq:
                values = _getter(names)
                if "__eq__" not in own:
                    made.__eq__ = _eq_of(values)
                if frozen and "__hash__" not in own:
                    made.__hash__ = _hash_of(values)
                elif "__hash__" not in own:
                    made.__hash__ = None
            return made

        return decorate if cls is None else decorate(cls)


def _late_init_of(owner: Any, fields: tuple[dataclasses.Field[Any], ...]) -> Callable[..., None]:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        owner.__init__ = made = _init_of(owner, fields)
        made(self, *args, **kwargs)

    return __init__


def _init_of(owner: Any, fields: tuple[dataclasses.Field[Any], ...]) -> Callable[..., None]:
    absent = dataclasses.MISSING
    names: dict[str, Any] = {"__absent": absent}
    positional = ["self"]
    keywords: list[str] = []
    lines: list[str] = []
    for field in fields:
        name = field.name
        names[f"__default_{name}"], names[f"__factory_{name}"] = field.default, field.default_factory
        factory = field.default_factory is not absent
        required = field.default is absent and not factory
        if field.init:
            parameter = name if required else f"{name}={'__absent' if factory else f'__default_{name}'}"
            (keywords if field.kw_only else positional).append(parameter)
            made = f"__factory_{name}() if {name} is __absent else {name}" if factory else name
        elif required:
            continue
        else:
            made = f"__factory_{name}()" if factory else f"__default_{name}"
        lines.append(f"    self.{name} = {made}\n")
    if hasattr(owner, "__post_init__"):
        lines.append("    self.__post_init__()\n")
    parameters = ", ".join([*positional, *(["*", *keywords] if keywords else [])])
    exec(f"def __init__({parameters}):\n{''.join(lines) or '    pass'}", names)
    result: Callable[..., None] = names["__init__"]
    return result


def _getter(names: list[str]) -> Callable[[Any], Any]:
    return operator.attrgetter(*names) if names else lambda record: ()


def _repr_of(names: list[str]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({fields})"

    return __repr__


def _eq_of(values: Callable[[Any], Any]) -> Callable[[Any, object], Any]:
    def __eq__(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self is other or values(self) == values(other)

    return __eq__


def _hash_of(values: Callable[[Any], Any]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


__all__ = ["dataclass"]
