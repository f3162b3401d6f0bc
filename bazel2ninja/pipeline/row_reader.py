"""Objects of the rows that an earlier run has written, see `rows.Writer`: made when somebody asks for them."""

from __future__ import annotations

import functools
import importlib
import marshal
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.configured_target import NO_LEGACY, ConfiguredTarget
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.provider import ProviderInstance
from bazel2ninja.analysis.providers_builtin import OutputGroups
from bazel2ninja.configuration.configuration import Configuration
from bazel2ninja.diagnostics import Location
from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.loading.target import PRIVATE, OutputFile, RuleTarget, SourceFile
from bazel2ninja.pipeline.changes import UnusableRecordError
from bazel2ninja.pipeline.rows import DICTS, LISTS, RECORDS, SOURCE, Writer, renumbered, source_rows
from bazel2ninja.starlark import Struct

NOWHERE = Location("")
"""Where a target is that has not been loaded."""


class KnownTarget(RuleTarget):
    """A rule of which only what its users ask is known; for all else its package is loaded."""

    __slots__ = ("_class_name", "_loader", "_testonly")

    def __init__(self, label: Label, class_name: str, testonly: bool, loader: Any):
        self.label = label
        self._class_name = class_name
        self._testonly = testonly
        self._loader = loader

    @property
    def class_name(self) -> str:
        return self._class_name

    @property
    def is_testonly(self) -> bool:
        return self._testonly


def _of_the_real_one(name: str) -> property:
    def get(self: KnownTarget) -> Any:
        return getattr(self._loader.subject(self.label), name)

    return property(get)


for _name in RuleTarget.__slots__:
    if _name != "label":
        setattr(KnownTarget, _name, _of_the_real_one(_name))
del _name


class Reader:
    """Makes objects of rows.

    starts: the numbers of the first rows of results, ascending; contents: of the result at a position of `starts`.
    writer: gets to know what is made.
    """

    def __init__(
        self,
        starts: Sequence[int],
        contents: Sequence[bytes],
        paths: Mapping[str, tuple[str, str, bool, bool]],
        texts: Mapping[bytes, bytes],
        writer: Writer,
        analyzer: Any,
        label_of: Callable[[str], Label],
        configuration_of: Callable[[str], Configuration],
    ):
        self._starts = list(starts)
        self._contents = list(contents)
        self._paths = paths
        self._texts = texts
        self._writer = writer
        self._analyzer = analyzer
        self._label = functools.cache(label_of)
        self._configuration = functools.cache(configuration_of)
        self._objects: dict[int, Any] = {}
        self._results: dict[int, list[Any]] = {}
        self._artifacts: dict[bytes, Artifact] = {}
        self._tuples: dict[bytes, tuple[str, ...]] = {}

    def read(self, position: int) -> Any:
        """The result at a position of `starts`."""
        token = self._rows(position)[0]
        return self._value(token, self._starts[position])

    def _rows(self, position: int) -> list[Any]:
        found = self._results.get(position)
        if found is None:
            content = self._contents[position]
            if content.startswith(SOURCE):
                name = content[len(SOURCE) :]
                label = self._label(name.decode("utf-8", "surrogateescape"))
                artifact = self._analyzer.source_artifact(label)
                path = artifact.exec_path.encode("utf-8", "surrogateescape")
                self._artifacts[path] = artifact
                found = [-1, source_rows(name, path), []]
            else:
                found = marshal.loads(content)
            self._results[position] = found
        return found

    def add(self, start: int, content: bytes) -> int:
        """Takes a result whose rows begin at `start`, after all others; returns its position."""
        self._starts.append(start)
        self._contents.append(content)
        return len(self._starts) - 1

    def facts(self, position: int) -> list[Any]:
        """Those of a result."""
        return self._rows(position)[2]  # type: ignore[no-any-return]

    def absolute_rows(self, position: int) -> dict[int, Any]:
        """The rows of a result by their numbers, which stand in them, too."""
        start = self._starts[position]
        rows = self._rows(position)[1]
        return {start + place: renumbered(row, lambda own: start - own - 1) for place, row in enumerate(rows)}

    def absolute(self, position: int) -> Any:
        """What a result is: the number of a row, say."""
        start = self._starts[position]
        return renumbered(self._rows(position)[0], lambda own: start - own - 1)

    def _object(self, number: int) -> Any:
        found = self._objects.get(number)
        if found is None:
            position = bisect_right(self._starts, number) - 1
            start = self._starts[position]
            rows = self._rows(position)[1]
            if number - start >= len(rows):
                raise UnusableRecordError(number)
            row = rows[number - start]
            found = self._objects[number] = _BUILDERS[row[0]](self, row, start)
            self._writer.adopt((found,), number)
        return found

    def _value(self, token: Any, start: int) -> Any:
        kind = token.__class__
        if kind is int:
            number = token if token > 0 else start - token - 1
            found = self._objects.get(number)
            return self._object(number) if found is None else found
        if kind is bytes:
            found = self._artifacts.get(token)
            return self._artifact(token) if found is None else found
        if kind is str or kind is bool or token is None:
            return token
        if kind is list:
            return tuple([self._value(each, start) for each in token])
        return _NAMED[token[0]](self, token)

    def _values(self, tokens: Iterable[Any], start: int) -> list[Any]:
        value = self._value
        return [value(each, start) for each in tokens]

    def _artifact(self, name: bytes) -> Artifact:
        path = name.decode("utf-8", "surrogateescape")
        root, owner, directory, symlink = self._writer.paths.get(path) or self._paths[path]
        found: Artifact = self._analyzer.known_artifact(
            path, root, self._label(owner), directory=directory, symlink=symlink
        )
        self._artifacts[name] = found
        return found

    # Values that are known by name.

    def _constant(self, token: Any) -> Any:
        return getattr(importlib.import_module(token[1]), token[2])

    def _long_tuple(self, token: Any) -> Any:
        found = self._tuples.get(token[1])
        if found is None:
            content = self._writer.texts.get(token[1]) or self._texts[token[1]]
            found = self._tuples[token[1]] = marshal.loads(content)
            self._writer.name_texts(token[1], found)
        return found

    def _provider(self, token: Any) -> Any:
        return self._analyzer.loader.module(self._label(token[1])).get(token[2])

    # Objects.

    def _depset(self, row: Any, start: int) -> Depset:
        found = object.__new__(Depset)
        found.order, found._flat = row[1], None
        found.direct = tuple(self._values(row[2], start))
        found.transitive = tuple(self._values(row[3], start))
        return found

    def _instance(self, row: Any, start: int) -> ProviderInstance:
        found = object.__new__(ProviderInstance)
        fields = found.__dict__
        fields["provider"] = self._value(row[1], start)
        fields.update(zip(row[3], self._values(row[4], start), strict=True))
        if row[2]:
            fields["frozen"] = True
        return found

    def _struct(self, row: Any, start: int) -> Struct:
        found = object.__new__(Struct)
        found.__dict__.update(zip(row[2], self._values(row[3], start), strict=True))
        if row[1]:
            found.__dict__["frozen"] = True
        return found

    def _target(self, row: Any, start: int) -> ConfiguredTarget:
        _, (kind, *rest), mnemonic, label, providers, legacy = row
        own = self._label(rest[0])
        target: Any
        if kind == "rule":
            target = KnownTarget(own, rest[1], rest[2], self._analyzer.loader)
        elif kind == "source":
            target = SourceFile(own, PRIVATE, NOWHERE)
        elif kind == "output":
            target = OutputFile(own, self._label(rest[1]), NOWHERE, PRIVATE)
        else:
            target = self._analyzer.loader.subject(own)
        value = self._value
        return ConfiguredTarget(
            target,
            self._configuration(mnemonic) if mnemonic else None,
            {value(key, start): value(each, start) for key, each in providers},
            label=self._label(label),
            legacy={name: value(each, start) for name, each in legacy} if legacy else NO_LEGACY,
        )

    def _groups(self, row: Any, start: int) -> OutputGroups:
        return OutputGroups({name: self._value(each, start) for name, each in row[1]})

    def _record(self, row: Any, start: int) -> Any:
        kind = RECORDS[row[1]]
        found = object.__new__(kind)
        for name, value in zip(kind.__slots__, self._values(row[2], start), strict=True):
            setattr(found, name, value)
        return found

    def _list(self, row: Any, start: int) -> Any:
        return LISTS[row[1]](self._values(row[2], start))

    def _dict(self, row: Any, start: int) -> Any:
        value = self._value
        return DICTS[row[1]]({value(key, start): value(each, start) for key, each in row[2]})


_NAMED: Mapping[str, Callable[[Reader, Any], Any]] = {
    "K": Reader._constant,
    "T": Reader._long_tuple,
    "P": Reader._provider,
    "L": lambda self, token: self._label(token[1]),
    "Q": lambda self, token: PackageIdentifier(token[1], token[2]),
    "#": lambda self, token: token[1],
    "M": lambda self, token: self._configuration(token[1]),
}
_BUILDERS: Mapping[str, Callable[[Reader, Any, int], Any]] = {
    "D": Reader._depset,
    "I": Reader._instance,
    "S": Reader._struct,
    "C": Reader._target,
    "G": Reader._groups,
    "R": Reader._record,
    "[": Reader._list,
    "{": Reader._dict,
}
