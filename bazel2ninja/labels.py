"""Names of repositories, packages and targets, and how text becomes one.

https://bazel.build/concepts/labels and https://bazel.build/run/build#specifying-build-targets say what is accepted.
`Label` and `PackageIdentifier` are interned: equal ones are the same object, so they compare and hash at pointer speed.
Their order is that of their text, never of their addresses.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.records import dataclass, field

MAIN_REPOSITORY = ""
"""Canonical name of the main repository."""

_REPOSITORY_NAME = re.compile(r"[A-Za-z0-9_.~+-]*")
# Bazel's own set of characters (LabelValidator), blanks and non-ASCII letters included for target names
_TARGET_CHARACTERS = re.compile(r"[^\x00-\x1f\x7f:\\]+")
_PACKAGE_CHARACTERS = re.compile(r"[^\x00-\x1f\x7f:\\]*")


class LabelSyntaxError(WorkspaceError):
    """The text is not a label."""


def _malformed(text: str, why: str, help: str | None = None) -> LabelSyntaxError:
    return LabelSyntaxError(Diagnostic(f"invalid label {text!r}: {why}", help=help))


@functools.total_ordering
class PackageIdentifier:
    """A package: canonical repository name ("" is the main one) and slash-separated path ("" is the root package)."""

    __slots__ = ("exec_path", "path", "repository")
    _interned: dict[tuple[str, str], PackageIdentifier] = {}  # noqa: RUF012 - the intern table of immutable values

    repository: str
    path: str
    exec_path: str  # of the package's directory in the execution root: "a/b" or "external/repo/a/b"

    def __new__(cls, repository: str, path: str) -> PackageIdentifier:
        found = cls._interned.get((repository, path))
        if found is None:
            found = object.__new__(cls)
            found.repository, found.path = repository, path
            root = f"external/{repository}" if repository else ""
            found.exec_path = f"{root}/{path}" if root and path else root or path
            cls._interned[repository, path] = found
        return found

    def __reduce__(self) -> tuple[object, ...]:
        return PackageIdentifier, (self.repository, self.path)

    def __str__(self) -> str:
        return f"@{self.repository}//{self.path}" if self.repository else f"//{self.path}"

    def __repr__(self) -> str:
        return f"PackageIdentifier({str(self)!r})"

    def __lt__(self, other: PackageIdentifier) -> bool:
        return (self.repository, self.path) < (other.repository, other.path)

    @property
    def workspace_root(self) -> str:
        """ "external/REPO", or "" for the main repository."""
        return f"external/{self.repository}" if self.repository else ""


@functools.total_ordering
class Label:
    """The name of a target.  In Starlark: `Label`, https://bazel.build/rules/lib/builtins/Label."""

    __slots__ = ("_text", "name", "package")
    _interned: dict[tuple[PackageIdentifier, str], Label] = {}  # noqa: RUF012 - the intern table of immutable values
    starlark_type = "Label"

    package: PackageIdentifier
    name: str
    _text: str

    def __new__(cls, package: PackageIdentifier, name: str) -> Label:
        found = cls._interned.get((package, name))
        if found is None:
            found = object.__new__(cls)
            found.package, found.name = package, name
            found._text = f"{package}:{name}"
            cls._interned[package, name] = found
        return found

    def __reduce__(self) -> tuple[object, ...]:
        return Label, (self.package, self.name)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Label({self._text!r})"

    def __lt__(self, other: Label) -> bool:
        return (self.package, self.name) < (other.package, other.name)

    @property
    def order(self) -> tuple[str, str, str]:
        """The place of the label among others, as a key for sorting many."""
        return self.package.repository, self.package.path, self.name

    @property
    def repository(self) -> str:
        return self.package.repository

    @property
    def exec_path(self) -> str:
        """Path of a source file with this label, relative to the execution root."""
        directory = self.package.exec_path
        return f"{directory}/{self.name}" if directory else self.name

    @property
    def short(self) -> str:
        """The label as a person would write it: //a/b instead of //a/b:b."""
        path = self.package.path
        return str(self.package) if path and path.rpartition("/")[2] == self.name else self._text

    def sibling(self, name: str) -> Label:
        """The target `name` of the same package."""
        return Label(self.package, name)

    # What Starlark sees.
    def starlark_repr(self) -> str:
        return f'Label("{self._text}")'

    def starlark_str(self, semantics: Any) -> str:
        """As the release and the kind of workspace have it: //a:b, @//a:b (since Bazel 6) or @@//a:b (with modules)."""
        if semantics.module_labels:
            return f"@{self._text}" if self._text.startswith("@") else f"@@{self._text}"
        if semantics.unambiguous_labels and self._text.startswith("//"):
            return f"@{self._text}"
        return self._text

    def starlark_display(self) -> str:
        return self._text

    @property
    def s_name(self) -> str:
        return self.name

    @property
    def s_package(self) -> str:
        return self.package.path

    @property
    def s_workspace_name(self) -> str:
        return self.package.repository

    @property
    def s_repo_name(self) -> str:
        return self.package.repository

    @property
    def s_workspace_root(self) -> str:
        return self.package.workspace_root

    def s_same_package_label(self, target_name: Any) -> Label:
        _check_text("same_package_label", "target_name", target_name)
        return parse_label(":" + target_name, self.package)

    def s_relative(self, relative_name: Any) -> Label:
        _check_text("relative", "relName", relative_name)
        return parse_label(relative_name, self.package)


def _check_text(function: str, parameter: str, value: object) -> None:
    if not isinstance(value, str):
        raise LabelSyntaxError(Diagnostic(f"in call to {function}(), parameter '{parameter}' must be a string"))


@dataclass(frozen=True, slots=True)
class RepositoryMapping:
    """What the apparent repository names seen inside `owner` stand for.

    `strict` is MODULE.bazel's way: a name that is not listed does not exist.  In WORKSPACE files it stands for itself.
    """

    owner: str = MAIN_REPOSITORY
    names: Mapping[str, str] = field(default_factory=dict)
    strict: bool = False

    def canonical(self, apparent: str) -> str:
        """Canonical name; raises LabelSyntaxError for a name that is not visible from `owner`."""
        if apparent in self.names:
            return self.names[apparent]
        if self.strict and apparent:
            where = f"repository '@{self.owner}'" if self.owner else "the main repository"
            raise LabelSyntaxError(Diagnostic(f"no repository visible as '@{apparent}' from {where}"))
        return apparent


NO_MAPPING = RepositoryMapping()


def check_package_path(path: str, text: str) -> None:
    """Raises LabelSyntaxError when `path` is no package path; `text` is what the user wrote."""
    if path.startswith("/"):
        raise _malformed(text, "package names may not start with '/'")
    if path.endswith("/"):
        raise _malformed(text, "package names may not end with '/'")
    if "//" in path:
        raise _malformed(text, "package names may not contain '//' path separators")
    if not _PACKAGE_CHARACTERS.fullmatch(path):
        raise _malformed(text, "package names may not contain control characters, ':' or '\\'")
    if any(part in (".", "..", "...") or part.strip(".") == "" for part in path.split("/")) and path:
        raise _malformed(text, "package name component contains only '.' characters")


def check_target_name(name: str, text: str) -> None:
    """Raises LabelSyntaxError when `name` is no target name; `text` is what the user wrote."""
    if not name:
        raise _malformed(text, "empty target name")
    if name.startswith("/"):
        raise _malformed(text, "target names may not start with '/'")
    if name.endswith("/"):
        raise _malformed(text, "target names may not end with '/'")
    if "//" in name:
        raise _malformed(text, "target names may not contain '//' path separators")
    if not _TARGET_CHARACTERS.fullmatch(name):
        raise _malformed(text, "target names may not contain control characters, ':' or '\\'")
    for part in name.split("/"):
        if part == "..":
            raise _malformed(text, "target names may not contain up-level references '..'")
        if part == "." and name != ".":
            raise _malformed(text, "target names may not contain '.' as a path segment")


def _parse(text: str, base: PackageIdentifier | None) -> tuple[str | None, bool, str | None, str]:
    """(apparent repository or None, canonical spelling, package path or None, target name) of `text`."""
    repository: str | None = None
    canonical = False
    rest = text
    if text.startswith("@"):
        canonical = text.startswith("@@")
        repository, slashes, tail = text.lstrip("@").partition("//") if text[:3] != "@@@" else ("@", "", "")
        if not _REPOSITORY_NAME.fullmatch(repository):
            raise _malformed(text, f"invalid repository name '@{repository}'")
        if repository in (".", ".."):
            raise _malformed(text, f"repository names are not allowed to be '{repository}'")
        if not slashes:
            if not repository:
                raise _malformed(text, "expected '//' and a package after '@'")
            return repository, canonical, "", repository  # @foo is short for @foo//:foo
        rest = "//" + tail
    if rest.startswith("//"):
        path, colon, name = rest[2:].partition(":")
        check_package_path(path, text)
        if not colon:
            name = path.rpartition("/")[2]
            if not name:
                raise _malformed(text, "empty target name", "write '//:name' for a target of the root package")
        check_target_name(name, text)
        return repository, canonical, path, name
    if base is None:
        raise _malformed(text, "absolute label must begin with '@' or '//'")
    name = rest[1:] if rest.startswith(":") else rest
    if ":" in name:
        raise _malformed(text, "package-relative label with ':' inside", f"write '//{name}' for another package")
    check_target_name(name, text)
    return None, False, None, name


def parse_label(text: str, base: PackageIdentifier | None = None, mapping: RepositoryMapping = NO_MAPPING) -> Label:
    """The label that `text` means inside package `base`; raises LabelSyntaxError (without a location)."""
    repository, canonical, path, name = _parse(text, base)
    if path is None:
        assert base is not None
        return Label(base, name)
    if repository is None:
        owner = base.repository if base is not None else mapping.owner
        return Label(PackageIdentifier(owner, path), name)
    return Label(PackageIdentifier(repository if canonical else mapping.canonical(repository), path), name)


@dataclass(frozen=True, slots=True)
class TargetPattern:
    """//a/..., //a:all, //a:*, @repo//..., -//a/b or a single label, https://bazel.build/run/build#target-patterns.

    `package` is where it starts; `recursive` takes the packages below, too; `name` is a single target's name, None with
    a wildcard; `rules_only` is false for `:*` and `:all-targets`, which also match files.
    """

    package: PackageIdentifier
    name: str | None = None
    recursive: bool = False
    rules_only: bool = True
    negative: bool = False
    text: str = ""
    location: Location | None = None

    def matches_package(self, package: PackageIdentifier) -> bool:
        if package is self.package:
            return True
        if not self.recursive or package.repository != self.package.repository:
            return False
        return not self.package.path or package.path.startswith(self.package.path + "/")


_WILDCARDS = {"all": True, "*": False, "all-targets": False}


def parse_target_pattern(
    text: str, base: PackageIdentifier | None = None, mapping: RepositoryMapping = NO_MAPPING
) -> TargetPattern:
    """The pattern that `text` means on a command line whose working directory is package `base`."""
    negative = text.startswith("-")
    body = text[1:] if negative else text
    base = base or PackageIdentifier(MAIN_REPOSITORY, "")
    repository, path = base.repository, body
    if body.startswith("@"):
        canonical = body.startswith("@@")
        name, slashes, path = body.lstrip("@").partition("//")
        if not slashes:
            label = parse_label(body, base, mapping)
            return TargetPattern(label.package, label.name, negative=negative, text=text)
        repository = name if canonical else mapping.canonical(name)
    elif body.startswith("//"):
        path = body[2:]
    elif body.startswith(":"):
        path = base.path + body
    elif base.path:
        path = f"{base.path}/{body}"
    path, colon, name = path.partition(":")
    recursive = path == "..." or path.endswith("/...")
    if recursive:
        path = path[:-3].rstrip("/")
    check_package_path(path, text)
    package = PackageIdentifier(repository, path)
    if recursive:
        if colon and name not in _WILDCARDS:
            raise _malformed(text, "only ':all', ':*' and ':all-targets' may follow '...'")
        return TargetPattern(package, None, True, _WILDCARDS.get(name, True), negative, text)
    if name in _WILDCARDS:
        return TargetPattern(package, None, False, _WILDCARDS[name], negative, text)
    if not colon:
        name = path.rpartition("/")[2]
    check_target_name(name, text)
    return TargetPattern(package, name, negative=negative, text=text)
