"""Calls of symbolic macros, as what they declare remembers them."""

from __future__ import annotations

from collections.abc import Iterator

from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.starlark import EvalError


class MacroScope:
    """The call of a symbolic macro whose targets are being declared.

    defined_in: the package of the .bzl file that defines the macro: where its targets are, as visibility sees it.
    passed: the labels that the caller gave, those of select() conditions included.
    """

    __slots__ = ("called_by_file", "defined_in", "kind", "name", "parent", "passed")

    def __init__(
        self,
        name: str,
        kind: str,
        defined_in: PackageIdentifier,
        parent: MacroScope | None,
        called_by_file: bool,
        passed: frozenset[Label] = frozenset(),
    ):
        self.name = name
        self.kind = kind
        self.defined_in = defined_in
        self.parent = parent
        self.called_by_file = called_by_file  # not by another macro
        self.passed = passed

    def check_name(self, name: str, kind: str) -> None:
        """Raises EvalError unless `name` belongs to this macro's name space."""
        own = self.name
        if name == own or (name.startswith(own) and name[len(own)] in "_-."):
            return
        raise EvalError(
            f"target '{name}' of a {kind} rule, declared in symbolic macro '{own}' ({self.kind}), violates macro naming"
            f" rules: it has to be '{own}' or to start with '{own}_', '{own}-' or '{own}.'"
        )


def places(package: PackageIdentifier, scope: MacroScope | None, label: Label) -> Iterator[PackageIdentifier]:
    """From where `label` may be seen when something of `package`, declared in `scope`, depends on it.

    A target of a macro is where the macro is defined; a label that the caller passed on is the caller's to see, too
    (https://bazel.build/concepts/visibility, "Visibility and symbolic macros").
    """
    while scope is not None:
        yield scope.defined_in
        if label not in scope.passed:
            return
        scope = scope.parent
    yield package
