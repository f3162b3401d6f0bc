"""A loaded package as bytes, for a later run in which nothing that it was made from has changed.

The format is Python's own (https://docs.python.org/3/library/pickle.html), with rule kinds by their name.
Reading it makes nothing but values that packages are made of.
"""

from __future__ import annotations

import functools
import io
import pickle
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from bazel2ninja.diagnostics import Diagnostic, Location, Note
from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.loading.call_sites import CallSites
from bazel2ninja.loading.rule_class import RuleClass
from bazel2ninja.loading.select import Select, SelectList
from bazel2ninja.loading.target import (
    OutputFile,
    Package,
    PackageDefaults,
    PackageGroup,
    RuleTarget,
    SourceFile,
    Visibility,
)

RuleClasses = Callable[[Label | None, str], RuleClass | None]
"""(the .bzl file or None for a native kind, its name there) -> the kind; None when there is none."""


def to_bytes(package: Package, kinds: RuleClasses) -> bytes | None:
    """A package; None for one that holds what only loading can make."""
    if package.scopes:
        return None
    stream = io.BytesIO()
    try:
        _Pickler(stream, kinds).dump(package)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError):
        return None
    return stream.getvalue()


def from_bytes(content: bytes, kinds: RuleClasses) -> Package:
    """The package that `to_bytes` has written.

    Raises pickle.UnpicklingError for what it cannot have written, and when a kind of rule is not there any more.
    """
    try:
        found = _Unpickler(io.BytesIO(content), kinds).load()
    except pickle.UnpicklingError:
        raise
    except (ValueError, TypeError, AttributeError, EOFError, IndexError, KeyError, ImportError) as problem:
        raise pickle.UnpicklingError(str(problem)) from problem
    if not isinstance(found, Package):
        raise pickle.UnpicklingError("no package")
    return found


def _read_only(content: dict[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(content)


def _kind(file: Label | None, name: str) -> RuleClass:
    """Stands for what a reader of its own does."""
    raise pickle.UnpicklingError(name)


def _sites(path: str) -> CallSites:
    return CallSites(path, None)


_CALLABLES: Mapping[tuple[str, str], Callable[..., object]] = {
    (each.__module__, each.__qualname__): each
    for each in (
        Diagnostic,
        Label,
        Location,
        Note,
        OutputFile,
        Package,
        PackageDefaults,
        PackageGroup,
        PackageIdentifier,
        RuleTarget,
        Select,
        SelectList,
        SourceFile,
        Visibility,
        _read_only,
        _sites,
    )
}


class _Pickler(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, kinds: RuleClasses):
        super().__init__(stream, 5)
        # nothing here leads back to the pickler, which has every object of the package: garbage is not collected
        self.dispatch_table = {
            MappingProxyType: lambda mapping: (_read_only, (dict(mapping),)),
            RuleClass: functools.partial(_name_of, kinds),
            CallSites: lambda sites: (_sites, (sites.path,)),
        }


def _name_of(kinds: RuleClasses, kind: RuleClass) -> tuple[Any, ...]:
    if kinds(kind.defined_in, kind.name) is not kind:
        raise pickle.PicklingError("a kind without a name")
    return _kind, (kind.defined_in, kind.name)


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, kinds: RuleClasses):
        super().__init__(stream)
        self._kinds = kinds

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == (_kind.__module__, _kind.__qualname__):
            return functools.partial(_kind_of, self._kinds)
        try:
            return _CALLABLES[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a package") from None


def _kind_of(kinds: RuleClasses, file: Label | None, name: str) -> RuleClass:
    found = kinds(file, name)
    if found is None:
        raise pickle.UnpicklingError(f"no rule '{name}'")
    return found
