"""`dataclass` for classes that every run makes: the same words and meaning as the standard library's, made faster.

The standard decorator writes and compiles six functions for a frozen class, half a millisecond each time the program
starts, and there are more than a hundred such classes; its module brings along `inspect` and `dis`.  This one compiles
`__init__` only, when the first instance is made; the other methods are closures.  `frozen` is left to mypy: an instance
that guards itself takes three times as long to make.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any


class _Missing:
    """That there is no default."""


class Field:
    """As dataclasses.Field, as far as it goes."""

    __slots__ = ("default", "default_factory", "init", "kw_only", "name")

    def __init__(self, default: Any, default_factory: Any, init: bool, kw_only: bool | None):
        self.name = ""
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.kw_only = kw_only

    @property
    def _field_type(self) -> object:
        """What the standard library's own functions ask for."""
        import dataclasses

        return dataclasses._FIELD  # type: ignore[attr-defined]


if TYPE_CHECKING:
    from dataclasses import dataclass, field, fields, replace
else:

    def field(
        *, default: Any = _Missing, default_factory: Any = _Missing, init: bool = True, kw_only: bool | None = None
    ) -> Any:
        """Source: https://docs.python.org/3/library/dataclasses.html#dataclasses.field."""
        return Field(default, default_factory, init, kw_only)

    def fields(record: Any) -> tuple[Field, ...]:
        """Source: https://docs.python.org/3/library/dataclasses.html#dataclasses.fields."""
        return tuple(record.__dataclass_fields__.values())

    def replace(record: Any, /, **changes: Any) -> Any:
        """Source: https://docs.python.org/3/library/dataclasses.html#dataclasses.replace."""
        for each in record.__dataclass_fields__.values():
            if each.init and each.name not in changes:
                changes[each.name] = getattr(record, each.name)
        return record.__class__(**changes)

    def dataclass(
        cls: type | None = None,
        /,
        *,
        frozen: bool = False,
        slots: bool = False,
        eq: bool = True,
        order: bool = False,
        kw_only: bool = False,
    ) -> Any:
        """Source: https://docs.python.org/3/library/dataclasses.html."""

        def decorate(plain: type) -> type:
            given = plain.__dict__
            own = {name for name in ("__eq__", "__hash__", "__repr__") if name in given}
            if given.get("__hash__", ...) is None and "__eq__" in own:
                own.discard("__hash__")  # what Python itself puts beside an __eq__
            made: Any = _with_fields(plain, slots, kw_only)
            known = made.__dataclass_fields__
            names = list(known)
            made.__match_args__ = tuple(each.name for each in known.values() if each.init and not each.kw_only)
            if "__init__" not in given:
                made.__init__ = _late_init_of(made, known.values())
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
            if order:
                for name in ("__lt__", "__le__", "__gt__", "__ge__"):
                    setattr(made, name, _comparison_of(_getter(names), getattr(operator, name)))
            return made

        return decorate if cls is None else decorate(cls)


def _with_fields(plain: type, slots: bool, kw_only: bool) -> type:
    """The class with its fields in __dataclass_fields__, and in __slots__ if they are to be there."""
    known: dict[str, Any] = {}
    for base in plain.__mro__[-1:0:-1]:
        known.update(base.__dict__.get("__dataclass_fields__", ()))
    inherited = set(known)
    given = plain.__dict__
    own: dict[str, Any] = {}
    for name, annotation in plain.__annotations__.items():
        if "ClassVar" in str(annotation):
            continue
        found = given.get(name, _Missing)
        if found.__class__.__module__ == "dataclasses":
            found = _converted(found)
        if found.__class__ is not Field or found.name:
            found = Field(found, _Missing, True, None)
        found.name = name
        if found.kw_only is None:
            found.kw_only = kw_only
        known[name] = own[name] = found
    if slots:
        names = {name: value for name, value in given.items() if name not in ("__dict__", "__weakref__", *own)}
        names["__slots__"] = tuple(name for name in own if name not in inherited)
        qualified = plain.__qualname__
        plain = type(plain)(plain.__name__, plain.__bases__, names)
        plain.__qualname__ = qualified
    else:
        for name, found in own.items():
            if found.default is not _Missing:
                setattr(plain, name, found.default)
            elif name in given:
                delattr(plain, name)
    plain.__dataclass_fields__ = known  # type: ignore[attr-defined]
    return plain


def _converted(found: Any) -> Any:
    """A field of the standard library's as one of ours."""
    from dataclasses import MISSING

    default, factory = (_Missing if each is MISSING else each for each in (found.default, found.default_factory))
    return Field(default, factory, found.init, None if found.kw_only is MISSING else found.kw_only)


def _late_init_of(owner: Any, known: Iterable[Any]) -> Callable[..., None]:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        owner.__init__ = made = _init_of(owner, known)
        made(self, *args, **kwargs)

    return __init__


def _init_of(owner: Any, known: Iterable[Any]) -> Callable[..., None]:
    absent = _Missing
    names: dict[str, Any] = {"__absent": absent}
    positional = ["self"]
    keywords: list[str] = []
    lines: list[str] = []
    for field in known:
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


def _comparison_of(values: Callable[[Any], Any], compare: Callable[[Any, Any], bool]) -> Callable[[Any, object], Any]:
    def compared(self: Any, other: object) -> Any:
        return compare(values(self), values(other)) if other.__class__ is self.__class__ else NotImplemented

    return compared


def _hash_of(values: Callable[[Any], Any]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


__all__ = ["dataclass", "field", "fields", "replace"]
