"""struct(), and the freezing and conversion of values."""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any

from .context import running_semantics
from .errors import EvalError
from .protocol import equal, type_name
from .sets import FrozenSet, StarlarkSet
from .states import FROZEN, FROZEN_TYPES
from .values import Dict, FrozenBoolDict, FrozenDict, FrozenList, List, key_hash, set_item


class Struct:
    """An immutable record; the field `x` is the Python attribute `s_x`."""

    starlark_type = "struct"

    def __init__(self, **fields: Any):
        instance = self.__dict__
        for name, value in fields.items():
            instance["s_" + name] = value

    def starlark_name(self) -> str:
        """What stands before the parenthesis in the text of the value."""
        return "struct"

    def starlark_fields(self) -> list[tuple[str, Any]]:
        """The fields, sorted by name."""
        return [(name, self.__dict__["s_" + name]) for name in self.field_names()]

    def field_names(self) -> list[str]:
        return sorted(name[2:] for name in self.__dict__ if name[:2] == "s_")

    def get(self, name: str, default: Any = None) -> Any:
        """A field for the host's use, or `default`."""
        return self.__dict__.get("s_" + name, default)

    def starlark_missing(self, name: str) -> str:
        """The message for a field that there is not."""
        return f"'{type_name(self)}' value has no field or method '{name}'"

    def __getattr__(self, name: str) -> Any:
        if name == "s_to_json":
            return self.to_json
        if name == "s_to_proto":
            return self.to_proto
        raise AttributeError(name=name, obj=self)

    def to_json(self) -> str:
        """The method that old Bazel releases give a struct which has no field of this name."""
        from .json_module import encode

        if not running_semantics().struct_to_json:
            raise EvalError(self.starlark_missing("to_json"))
        return encode(self)

    def to_proto(self) -> str:
        """The other such method."""
        from .text_proto import encode_text

        if not running_semantics().struct_to_json:
            raise EvalError(self.starlark_missing("to_proto"))
        return encode_text(self)

    def starlark_dir(self) -> list[str]:
        return self.field_names()

    def starlark_identity(self) -> Any:
        """What two structs must share, besides their fields, to be equal."""
        return None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Struct) or self.starlark_identity() is not other.starlark_identity():
            return False
        mine, theirs = self.field_names(), other.field_names()
        return mine == theirs and all(equal(self.get(n), other.get(n)) for n in mine)

    def __hash__(self) -> int:
        return hash((id(self.starlark_identity()), *((n, _field_hash(self.get(n))) for n in self.field_names())))

    def starlark_freeze(self, freeze_value: Any) -> None:
        for value in self.__dict__.values():
            freeze_value(value)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Struct) or other.__class__ is not self.__class__:
            return NotImplemented
        common = sorted(set(self.field_names()) & set(other.field_names()))
        if common:
            raise EvalError(f"cannot add struct instances with common field '{common[0]}'")
        result = self.__class__.__new__(self.__class__)
        result.__dict__.update(self.__dict__)
        result.__dict__.update(other.__dict__)
        return result


def _field_hash(value: Any) -> int:
    """hash() of a field.  A struct counts as immutable, so may be a key, once the lists and dicts in it are frozen."""
    kind = value.__class__
    if kind is FrozenList:
        return hash(tuple(map(_field_hash, value)))
    if kind in _FROZEN_KEYED:
        return hash(frozenset(map(key_hash, value)))
    return key_hash(value)


_FROZEN_KEYED = (FrozenDict, FrozenBoolDict, FrozenSet)
_ATOMS = frozenset({str, int, bool, float, type(None), range, bytes})


def freeze(value: Any) -> Any:
    """Makes a value immutable, with all that it refers to; returns it."""
    pending = [value]
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        kind = item.__class__
        if kind in _ATOMS or kind in FROZEN_TYPES:
            continue
        frozen = FROZEN.get(kind)
        if frozen is not None:
            item.__class__ = frozen
            pending.extend(item)
            if isinstance(item, Dict):
                pending.extend(dict.values(item))
        elif kind is tuple:
            if id(item) not in seen:
                seen.add(id(item))
                pending.extend(item)
        elif kind is FunctionType:
            if id(item) not in seen and (item.__closure__ or item.__defaults__ or item.__kwdefaults__):
                seen.add(id(item))
                pending.extend(item.__defaults__ or ())
                pending.extend((item.__kwdefaults__ or {}).values())
                for cell in item.__closure__ or ():
                    try:
                        pending.append(cell.cell_contents)
                    except ValueError:
                        continue
        else:
            method = getattr(item, "starlark_freeze", None)
            if method is not None and id(item) not in seen:
                seen.add(id(item))
                method(pending.append)
    return value


def to_starlark(value: Any) -> Any:
    """A Starlark value for plain Python data: list to List, dict to Dict, tuples and their elements likewise."""
    if isinstance(value, (List, Dict, StarlarkSet)):
        return value
    if isinstance(value, list):
        return List(map(to_starlark, value))
    if isinstance(value, tuple):
        return tuple(map(to_starlark, value))
    if isinstance(value, Mapping):
        result = Dict()
        for key, item in value.items():
            set_item(result, to_starlark(key), to_starlark(item))
        return result
    type_name(value)
    return value
