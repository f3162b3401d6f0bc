"""Providers: the named records by which rules pass information on.

Source: "Providers" in Bazel's documentation (bazel.build/extending/rules#providers) and the function provider().
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..diagnostics import suggestion
from ..starlark import Dict, EvalError, List, Struct, called, caller_location, is_callable, to_repr, type_name
from ..starlark.errors import error


class ProviderInstance(Struct):
    """What calling a Provider gives: an immutable record that knows its provider."""

    provider: Provider

    def __init__(self, provider: Provider, fields: Mapping[str, Any]):
        instance = self.__dict__
        instance["provider"] = provider
        for name, value in fields.items():
            instance["s_" + name] = value

    def starlark_name(self) -> str:
        return self.provider.name if self.provider.name else "struct"

    def starlark_identity(self) -> Provider:
        return self.provider

    def starlark_missing(self, name: str) -> str:
        """The message for a field that there is not."""
        return f"'{self.starlark_name()}' value has no field or method '{name}'"

    def __add__(self, other: Any) -> Any:
        if isinstance(other, ProviderInstance) and other.provider is not self.provider:
            raise EvalError(
                "Cannot use '+' operator on instances of different providers "
                f"({self.provider.name} and {other.provider.name})"
            )
        return super().__add__(other)


class Provider:
    """A provider symbol: callable with its fields by keyword.

    `name` is empty until the symbol is exported by the .bzl file that assigns it.  `fields` are the allowed names, or
    None for any.  `init` takes the call's arguments and gives the fields as a mapping.
    """

    starlark_type = "Provider"

    def __init__(
        self,
        name: str = "",
        fields: Iterable[str] | None = None,
        init: Callable[..., Mapping[str, Any]] | None = None,
        doc: str | None = None,
    ):
        self.name = name
        self.fields: tuple[str, ...] | None = None if fields is None else tuple(fields)
        self.init = init
        if init is not None and name:
            init.__qualname__ = name  # which messages about its arguments show
        self.doc = doc
        self.module: Any = None  # the module that exports it; for the host

    def __call__(self, *args: Any, **kwargs: Any) -> ProviderInstance:
        if self.init is None:
            if args:
                raise EvalError(f"{self._shown()}: unexpected positional arguments")
            return self.instance(kwargs)
        fields = called(self.init, args, kwargs)
        if not isinstance(fields, Mapping):
            raise EvalError(f"got {type_name(fields)} for provider initializer callback, want dict")
        return self.instance(fields)

    def instance(self, fields: Mapping[str, Any]) -> ProviderInstance:
        """An instance with these fields, past any `init`; raises EvalError for an unknown field."""
        if self.fields is not None:
            unknown = [name for name in fields if name not in self.fields]
            if unknown:
                raise error(
                    f"got unexpected field '{unknown[0]}' in call to instantiate provider {self._shown()}"
                    if len(unknown) == 1
                    else f"got unexpected fields {', '.join(map(repr, unknown))} in call to instantiate provider "
                    f"{self._shown()}",
                    suggestion(unknown[0], self.fields),
                )
        return ProviderInstance(self, fields)

    def _shown(self) -> str:
        return self.name or "<no name>"

    def export(self, name: str, module: Any = None) -> None:
        """Gives an unnamed provider the name of the global that it is assigned to."""
        if not self.name:
            self.name = name
            self.module = module

    def starlark_export(self, module: Any, name: str) -> None:
        """What the loader calls when a finished .bzl file has the provider as a global."""
        self.export(name, module)

    def starlark_freeze(self, freeze: Callable[[Any], Any]) -> None:
        freeze(self.init)

    def starlark_repr(self) -> str:
        return f"<provider {self.name}>" if self.name else "<anonymous provider>"


class RawConstructor:
    """The second result of provider(init = ...): makes instances without calling `init`."""

    starlark_type = "builtin_function_or_method"

    def __init__(self, provider: Provider):
        self.provider = provider

    def __call__(self, *args: Any, **fields: Any) -> ProviderInstance:
        if args:
            raise EvalError(f"{self.provider._shown()}: unexpected positional arguments")
        return self.provider.instance(fields)

    def starlark_repr(self) -> str:
        return f"<raw constructor for {self.provider._shown()}>"


def provider(doc: Any = None, *, fields: Any = None, init: Any = None) -> Any:
    """The Starlark function provider(doc = None, *, fields = None, init = None)."""
    if doc is not None and doc.__class__ is not str:
        raise EvalError(
            f"in call to provider(), parameter 'doc' got value of type '{type_name(doc)}', want 'string or NoneType'"
        )
    names = None
    if fields is not None:
        if not isinstance(fields, (List, Dict, tuple)):
            raise EvalError(
                f"in call to provider(), parameter 'fields' got value of type '{type_name(fields)}', "
                "want 'sequence or dict or NoneType'"
            )
        names = tuple(fields)
        for position, name in enumerate(names):
            if name.__class__ is not str:
                raise EvalError(f"at index {position} of fields, got element of type {type_name(name)}, want string")
    if init is None:
        return Provider("", names, doc=doc)
    if not is_callable(init):
        raise EvalError(f"got {to_repr(init)} for 'init', want a callable")
    where = caller_location()

    def fields_of(*args: Any, **kwargs: Any) -> Mapping[str, Any]:
        made = called(init, args, kwargs)
        if not isinstance(made, Dict):
            raise EvalError(f"got {type_name(made)} for provider initializer callback at {where}, want dict")
        for name in made:
            if name.__class__ is not str:
                raise EvalError(
                    f"got dict<{type_name(name)}, ...> for provider initializer callback, want dict<string, ...>"
                )
        return made

    symbol = Provider("", names, fields_of, doc)
    return symbol, RawConstructor(symbol)
