"""Results of the analysis as rows of plain values, and back: what one step gives, as bytes that say the same each time.

An object is a row: a letter for its kind, then what it holds.  Rows name each other by number, so that what several
results share is one object again afterwards: sets are put in order by identity.  A row of the same step is named by a
negative number, from -1; one of another step by its number in the whole store.  What is known by its name alone (files,
labels, providers, configurations) is written by name.
"""

from __future__ import annotations

import hashlib
import marshal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from bazel2ninja.analysis import providers_builtin, runfiles
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.provider import Provider, ProviderInstance
from bazel2ninja.analysis.providers_builtin import FilesToRun, OutputGroupInfoProvider, OutputGroups
from bazel2ninja.analysis.runfiles import Runfiles, SymlinkEntry
from bazel2ninja.configuration.configuration import Configuration
from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.loading.target import OutputFile, PackageGroup, RuleTarget, SourceFile
from bazel2ninja.rules import cc_info
from bazel2ninja.starlark import Dict, List, Struct
from bazel2ninja.starlark.states import FROZEN

RECORDS: tuple[type, ...] = (
    FilesToRun,
    Runfiles,
    SymlinkEntry,
    cc_info.CompilationContext,
    cc_info.LinkingContext,
    cc_info.LinkerInput,
    cc_info.LibraryToLink,
    cc_info.CompilationOutputs,
    cc_info.LinkingOutputs,
)
"""Classes that are nothing but their slots."""
LISTS: tuple[type, ...] = (List, FROZEN[List])
DICTS: tuple[type, ...] = (Dict, FROZEN[Dict], dict, MappingProxyType)
_CONSTANTS = frozenset((Provider, OutputGroupInfoProvider, Depset, OutputGroups, *RECORDS))
"""Classes of which a module of ours may hold an instance under a name."""
_SHORT = 3  # so many texts stand in a row themselves; longer tuples are shared


class OpaqueResultError(Exception):
    """A value that has no row: a function, say."""


class Writer:
    """Gives numbers to objects, and writes results.

    paths: exec path -> what `Analyzer.known_artifact` takes; texts: name of a tuple of texts -> the tuple, marshalled.
    """

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.paths: dict[str, tuple[str, str, bool, bool]] = {}
        self.texts: dict[bytes, bytes] = {}
        self.next = 1
        self._own: dict[int, int] = {}
        self._rows: list[Any] = []
        self._alive: list[Any] = []  # an address says nothing of an object that is gone
        self._names: dict[int, bytes] = {}
        self._constants: dict[int, tuple[str, str, str]] = {}
        for module, values in list(sys.modules.items()):
            if module.startswith(("bazel2ninja.analysis.", "bazel2ninja.rules.")):
                for name, value in vars(values).items():
                    if type(value) in _CONSTANTS:
                        self._constants.setdefault(id(value), ("K", module, name))

    def write(self, result: Any, facts: Sequence[Any] = ()) -> tuple[bytes, list[Any]]:
        """(the rows of a result, the objects that have them); facts: of the step, besides.

        Raises OpaqueResultError.
        """
        if result.__class__ is ConfiguredTarget and result.target.__class__ is SourceFile:
            objects = _parts_of_source(result)
            if objects is not None:
                return SOURCE + str(result.label).encode("utf-8", "surrogateescape"), objects
        self._own, self._rows, objects = {}, [], []
        self._objects = objects
        token = self._token(result)
        return marshal.dumps([token, self._rows, list(facts)], 2), objects

    def adopt(self, objects: Sequence[Any], start: int) -> None:
        """Gives the objects of a result their numbers in the store."""
        for position, each in enumerate(objects):
            self.numbers[id(each)] = start + position
        self._alive.append(objects)

    def _token(self, value: Any) -> Any:
        kind = value.__class__
        if kind is str or value is None or kind is bool:
            return value
        if kind is Artifact:
            return self._artifact(value)
        known = self.numbers.get(id(value)) or self._own.get(id(value))
        if known is not None:
            return known
        constant = self._constants.get(id(value))
        if constant is not None:
            return constant
        if kind is tuple:
            return self._tuple(value)
        writing = _WRITERS.get(kind)
        if writing is not None:
            return writing(self, value)
        make = _ROWS.get(kind)
        if make is None:
            raise OpaqueResultError(kind)
        number = self._own[id(value)] = -len(self._rows) - 1
        self._rows.append(None)
        self._objects.append(value)
        self._rows[-number - 1] = make(self, value)
        return number

    def _artifact(self, value: Artifact) -> bytes:
        found = self._names.get(id(value))
        if found is None:
            path = value.exec_path
            found = self._names[id(value)] = path.encode("utf-8", "surrogateescape")
            self._alive.append(value)
            if path not in self.paths:
                self.paths[path] = (value.root.path, str(value.owner), value.is_directory, value.is_symlink)
        return found

    def name_texts(self, name: bytes, value: tuple[str, ...]) -> None:
        """Tells the name of a tuple of texts."""
        self._names[id(value)] = name
        self._alive.append(value)

    def _tuple(self, value: tuple[Any, ...]) -> Any:
        if len(value) > _SHORT and all(each.__class__ is str for each in value):
            name = self._names.get(id(value))
            if name is None:
                content = marshal.dumps(value, 2)
                name = hashlib.blake2b(content, digest_size=8).digest()
                self.name_texts(name, value)
                self.texts[name] = content
            return ("T", name)
        token = self._token
        return [token(each) for each in value]

    # Values that are known by name.

    def _label(self, value: Label) -> Any:
        return ("L", str(value))

    def _package(self, value: PackageIdentifier) -> Any:
        return ("Q", value.repository, value.path)

    def _number(self, value: float) -> Any:
        return ("#", value)

    def _configuration(self, value: Configuration) -> Any:
        return ("M", value.mnemonic)

    def _provider(self, value: Provider) -> Any:
        label = getattr(value.module, "label", None)
        if not isinstance(label, Label) or not value.name:
            raise OpaqueResultError(value)
        return ("P", str(label), value.name)

    def _class(self, value: type) -> Any:
        raise OpaqueResultError(value)

    # Objects.

    def _depset(self, value: Depset) -> Any:
        token = self._token
        return ("D", value.order, [token(each) for each in value.direct], [token(each) for each in value.transitive])

    def _instance(self, value: ProviderInstance) -> Any:
        fields = value.__dict__
        names = [name for name in fields if name[:2] == "s_"]
        token = self._token
        provider = token(value.provider)
        return ("I", provider, "frozen" in fields, names, [token(fields[name]) for name in names])

    def _struct(self, value: Struct) -> Any:
        fields = value.__dict__
        names = [name for name in fields if name[:2] == "s_"]
        return ("S", "frozen" in fields, names, [self._token(fields[name]) for name in names])

    def _target(self, value: ConfiguredTarget) -> Any:
        token = self._token
        unseen = providers_builtin.TestResult
        providers = [(token(key), token(each)) for key, each in value.providers.items() if key is not unseen]
        target = value.target
        if isinstance(target, RuleTarget):
            kind: Any = ("rule", str(target.label), target.class_name, target.is_testonly)
        elif isinstance(target, SourceFile):
            kind = ("source", str(target.label))
        elif isinstance(target, OutputFile):
            kind = ("output", str(target.label), str(target.generating_rule))
        else:
            assert isinstance(target, PackageGroup)
            kind = ("group", str(target.label))
        legacy = [(name, token(each)) for name, each in value.legacy.items()]
        configuration = "" if value.configuration is None else value.configuration.mnemonic
        return ("C", kind, configuration, str(value.label), providers, legacy)

    def _groups(self, value: OutputGroups) -> Any:
        return ("G", [(name, self._token(files)) for name, files in value.groups.items()])

    def _list(self, value: list[Any]) -> Any:
        return ("[", LISTS.index(value.__class__), [self._token(each) for each in value])

    def _dict(self, value: Mapping[Any, Any]) -> Any:
        token = self._token
        return ("{", DICTS.index(value.__class__), [(token(key), token(each)) for key, each in value.items()])


SOURCE = b"file "
"""Before the label of a source file: such results are all alike."""
_DEFAULT_INFO = ("K", providers_builtin.__name__, "DefaultInfo")
_NO_RUNFILES = ("K", runfiles.__name__, "EMPTY_RUNFILES")


def is_source(content: bytes) -> bool:
    """Whether this is the result of a source file."""
    return content.startswith(SOURCE)


def _parts_of_source(result: ConfiguredTarget) -> list[Any] | None:
    """The objects that a source file's result consists of, in the order of `_source_rows`; None if it is unusual."""
    info: Any = result.providers.get(providers_builtin.DefaultInfo)
    if info is None or len(result.providers) > 1 or result.label is not result.actual or result.configuration:
        return None
    files, run = info.s_files, info.s_files_to_run
    usual = (
        info.s_data_runfiles is runfiles.EMPTY_RUNFILES
        and info.s_default_runfiles is runfiles.EMPTY_RUNFILES
        and run.runfiles is runfiles.EMPTY_RUNFILES
        and run.manifest is None
        and files.direct == (run.executable,)
        and not files.transitive
        and run.executable.is_source
        and run.executable.owner is result.label
    )
    return [result, info, files, run] if usual else None


def source_rows(name: bytes, path: bytes) -> list[Any]:
    """The rows of the result of a source file."""
    text = name.decode("utf-8", "surrogateescape")
    fields = ["s_files", "s_data_runfiles", "s_default_runfiles", "s_files_to_run"]
    return [
        ("C", ("source", text), "", text, [(_DEFAULT_INFO, -2)], []),
        ("I", _DEFAULT_INFO, False, fields, [-3, _NO_RUNFILES, _NO_RUNFILES, -4]),
        ("D", "default", [path], []),
        ("R", RECORDS.index(FilesToRun), [path, None, _NO_RUNFILES]),
    ]


def _record_writer(number: int) -> Callable[[Writer, Any], Any]:
    names: tuple[str, ...] = RECORDS[number].__slots__  # type: ignore[attr-defined]

    def write(self: Writer, value: Any) -> Any:
        token = self._token
        return ("R", number, [token(getattr(value, name)) for name in names])

    return write


_WRITERS: Mapping[type, Callable[[Writer, Any], Any]] = {
    Label: Writer._label,
    PackageIdentifier: Writer._package,
    Configuration: Writer._configuration,
    Provider: Writer._provider,
    int: Writer._number,
    float: Writer._number,
    type: Writer._class,
}
_ROWS: Mapping[type, Callable[[Writer, Any], Any]] = {
    Depset: Writer._depset,
    ProviderInstance: Writer._instance,
    Struct: Writer._struct,
    ConfiguredTarget: Writer._target,
    OutputGroups: Writer._groups,
    **{kind: _record_writer(number) for number, kind in enumerate(RECORDS)},
    **dict.fromkeys(LISTS, Writer._list),
    **dict.fromkeys(DICTS, Writer._dict),
}


def renumbered(token: Any, number: Callable[[int], int]) -> Any:
    """A row or token with other numbers for the rows of the same step: number(negative one)."""
    kind = token.__class__
    if kind is int:
        return number(token) if token < 0 else token
    if kind is list:
        return [renumbered(each, number) for each in token]
    if kind is tuple:
        if token[0] == "R":
            return ("R", token[1], renumbered(token[2], number))
        if token[0] in ("[", "{"):
            return (token[0], token[1], renumbered(token[2], number))
        if token[0] == "#":
            return token
        return tuple([renumbered(each, number) for each in token])
    return token


def joined(content: bytes, start: int, known: Iterable[Mapping[int, Any]]) -> tuple[Any, list[Any]]:
    """(what a result is, rows that are new) when rows that `known` ones say already are those.

    start: the number of the first new row.  Each known row counts once: objects that are equal are not the same.
    """
    token, rows, _ = marshal.loads(content)
    by_text: dict[bytes, list[int]] = {}
    for each in known:
        for number, row in each.items():
            by_text.setdefault(marshal.dumps(row, 2), []).append(number)
    numbers: dict[int, int] = {}
    fresh: list[Any] = []

    def number_of(own: int) -> int:
        found = numbers.get(own)
        if found is None:
            row = renumbered(rows[-own - 1], number_of)
            same = by_text.get(marshal.dumps(row, 2))
            if same:
                found = same.pop(0)
            else:
                found = start + len(fresh)
                fresh.append(row)
            numbers[own] = found
        return found

    return renumbered(token, number_of), fresh
