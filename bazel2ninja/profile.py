"""Profiles: what is known about a project and its versions, as data (profiles/*.toml, or a file of the user's).

A profile recognises a tree by what its files say, and gives what nobody said: target patterns, options, the Bazel
release that the tree was written for, stand-ins for repositories.  Every entry has a reason and may hold for some
versions only.  Options of a profile come before those of .bazelrc and of the command line, so both win over it; those
with `after_bazelrc` come between the two, and so does what a variable of the environment means: somebody has set it.
"""

from __future__ import annotations

import os
import posixpath
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from bazel2ninja.configuration.bazelrc import Argument, RcLine
from bazel2ninja.debpkg.package_split import KINDS, PackageOption, PlannedPackage, option_planned, planned
from bazel2ninja.diagnostics import Diagnostic, Location, Note, UsageError, WorkspaceError, suggestion
from bazel2ninja.filesystem import FileSystem
from bazel2ninja.profile_check import Check, Component, Incompatibility
from bazel2ninja.records import dataclass, field

DIRECTORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "profiles")

_PARTS = (  # of a package
    *("libraries", "soname", "headers", "include", "external_headers", "extensions", "extension_libraries", "python"),
    *("python_files", "python_data", "distribution", "install", "depends", "examples"),
)
_ENTRIES = (
    *("release", "target", "option", "environment", "repository", "file", "package", "check", "always"),
    *("component", "incompatibility", "contradiction", "build_dependency", "package_option", "package_cxxflags"),
)
_KEYS: Mapping[str, tuple[str, ...]] = {
    "": ("name", "recognise", "project", *_ENTRIES),
    "project": ("summary", "homepage", "description"),
    "recognise": ("workspace", "version"),
    "recognise.version": ("file", "patterns"),
    "release": ("reason", "versions", "bazel"),
    "target": ("reason", "versions", "patterns"),
    "option": ("reason", "versions", "words", "config", "after_bazelrc"),
    "environment": ("reason", "versions", "name", "values", "words", "config", "each_word"),
    "repository": ("reason", "versions", "name", "directory", "rule"),
    "file": ("reason", "versions", "label", "content"),
    "always": ("reason", "versions", "repository"),
    "contradiction": ("reason", "versions", "configs"),
    "package": ("reason", "versions", "name", "kind", "summary", *_PARTS),
    "build_dependency": ("reason", "versions", "packages"),
    "package_option": ("reason", "versions", "packages", "words", "architectures"),
    "package_cxxflags": ("reason", "versions", "packages", "words"),
    "check": ("reason", "versions", "repository", "file", "version", "asked", "item", "what", "of", "help", "needs"),
    "component": ("reason", "versions", "name", "repository", "file", "version"),
    "incompatibility": (*("reason", "versions", "files", "pattern", "unless", "with", "range", "symptom", "remedy"),),
}
_OPTIONAL = (
    *("versions", "values", "config", "each_word", "after_bazelrc", "needs", "unless", "with", "range"),
    *("architectures", *_PARTS),
)
_LISTS = ("patterns", "words", "values", "files", "configs", "packages")
_HEADER = re.compile(r"\s*\[\[?\s*([\w.]+)\s*\]?\]\s*(#.*)?")
_KEY = re.compile(r"\s*([\w-]+)\s*=")
_COMPARISON = re.compile(r"(>=|<=|>|<|==)\s*(\d+(?:\.\d+)*)")
_WORKSPACE_FILES = ("WORKSPACE.bazel", "WORKSPACE", "MODULE.bazel")

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile as it holds for one tree.

    version: of the project.  release: of Bazel, () when the profile does not say.  lines: options, to be read before
    those of .bazelrc, and late_lines after them.  targets: patterns for a command line that has none.
    repositories: name -> (directory, reason, rule) of stand-ins: a directory beside the profile, or "label%symbol" of a
    repository rule of the tree (the other is "").  files: label -> (content, place) of files that some script would
    write into the source tree beforehand.  environment: the variables that were asked for: value, None when unset.
    packages: the binary packages that `debianize` makes; build_dependencies: Debian packages that building them
    takes and no library of the system brings; package_options: what some of them are built with; project: texts
    about it. checks: of what repository rules made. always: repositories that are made though no target may need
    them, since their rules refuse wrong settings. components: how to tell their versions. incompatibilities: what
    is known not to build or not to work, by file. contradictions: (configs that cannot all be asked for, why,
    place).
    """

    name: str
    path: str
    version: Version
    release: Version
    lines: tuple[RcLine, ...]
    targets: tuple[str, ...]
    repositories: Mapping[str, tuple[str, str, str]]
    environment: Mapping[str, str | None]
    late_lines: tuple[RcLine, ...]
    files: Mapping[str, tuple[str, Location]]
    packages: tuple[PlannedPackage, ...] = ()
    checks: tuple[Check, ...] = ()
    always: tuple[str, ...] = ()
    components: tuple[Component, ...] = ()
    incompatibilities: tuple[Incompatibility, ...] = ()
    contradictions: tuple[tuple[tuple[str, ...], str, Location], ...] = ()
    build_dependencies: tuple[str, ...] = ()
    package_options: tuple[PackageOption, ...] = ()
    project: Mapping[str, str] = field(default_factory=dict)

    def check_configs(self, configs: Collection[str]) -> None:
        """Raises UsageError when `configs` holds all of those that cannot be asked for together."""
        for names, reason, location in self.contradictions:
            if set(names) <= set(configs):
                named = " and ".join(f"'--config={name}'" for name in names)
                note = Note(f"profile {self.name} says so", location)
                raise UsageError(Diagnostic(f"{named} exclude each other: {reason}", help="take one", notes=(note,)))


@dataclass(frozen=True, slots=True)
class _Entry:
    table: str
    values: Mapping[str, Any]
    location: Location
    versions: tuple[tuple[str, Version], ...]

    def holds(self, version: Version) -> bool:
        return all(_compares(version, sign, limit) for sign, limit in self.versions)


def _compares(version: Version, sign: str, limit: Version) -> bool:
    length = max(len(version), len(limit))
    left = version + (0,) * (length - len(version))
    right = limit + (0,) * (length - len(limit))
    return {">=": left >= right, "<=": left <= right, ">": left > right, "<": left < right, "==": left == right}[sign]


class ProfileFile:
    """One file, checked.  Raises WorkspaceError with file and line for anything that has no meaning."""

    def __init__(self, text: str, path: str):
        self.path = path
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            place = re.search(r"line (\d+), column (\d+)", str(problem))
            where = Location(path, int(place[1]), int(place[2])) if place else Location(path)
            raise WorkspaceError(Diagnostic(f"not TOML: {str(problem).partition(' (at')[0].lower()}", where)) from None
        self._lines = _line_numbers(text)
        self._check_keys("", 0, data)
        self.name = self._text("", 0, data, "name")
        recognise = data.get("recognise", {})
        self._check_keys("recognise", 0, recognise)
        self.workspace = self._text("recognise", 0, recognise, "workspace")
        self.version_files: list[tuple[str, list[re.Pattern[str]]]] = []
        for index, row in enumerate(recognise.get("version", ())):
            self._check_keys("recognise.version", index, row)
            where = self._place("recognise.version", index, "patterns")
            patterns = [_pattern(text, where) for text in self._texts("recognise.version", index, row, "patterns")]
            self.version_files.append((self._text("recognise.version", index, row, "file"), patterns))
        project = data.get("project", {})
        self._check_keys("project", 0, project)
        self.project = {key: self._text("project", 0, project, key) for key in project}
        self.entries = tuple(
            self._entry(table, index, row) for table in _ENTRIES for index, row in enumerate(data.get(table, ()))
        )

    def _place(self, table: str, index: int, key: str = "") -> Location:
        line = self._lines.get((table, index, key)) or self._lines.get((table, index, "")) or 0
        return Location(self.path, line)

    def _check_keys(self, table: str, index: int, row: object) -> None:
        if not isinstance(row, dict):
            raise WorkspaceError(Diagnostic(f"'{table}' of a profile is a table", self._place(table, index)))
        for key in row:
            if key not in _KEYS[table]:
                owner = f"'{table}' of a profile" if table else "a profile"
                message = f"{owner} has no key '{key}'"
                help = suggestion(key, _KEYS[table]) or "known keys: " + ", ".join(_KEYS[table])
                raise WorkspaceError(Diagnostic(message, self._place(table, index, key), help=help))

    def _text(self, table: str, index: int, row: Mapping[str, Any], key: str) -> str:
        value = row.get(key)
        if not isinstance(value, str) or not value:
            owner = f"'{table}' of a profile" if table else "a profile"
            message = f"'{key}' of {owner} must be a text"
            raise WorkspaceError(Diagnostic(message, self._place(table, index, key)))
        return value

    def _texts(self, table: str, index: int, row: Mapping[str, Any], key: str) -> list[str]:
        value = row.get(key)
        if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
            message = f"'{key}' of '{table}' of a profile must be a list of texts"
            raise WorkspaceError(Diagnostic(message, self._place(table, index, key)))
        return value

    def _entry(self, table: str, index: int, row: Mapping[str, Any]) -> _Entry:
        self._check_keys(table, index, row)
        for key in _KEYS[table]:
            if key in ("directory", "rule") and key not in row:
                continue
            if key in _OPTIONAL:
                continue
            if key in _LISTS:
                self._texts(table, index, row, key)
            else:
                self._text(table, index, row, key)
        for key in ("values", "architectures", *_PARTS):
            if key in row and key not in ("soname", "include", "distribution"):
                self._texts(table, index, row, key)
        for key in ("include", "distribution"):
            if key in row:
                self._text(table, index, row, key)
        if table == "package":
            self._check_package(index, row)
        if table == "repository" and ("directory" in row) == ("rule" in row):
            message = "'repository' of a profile has either a 'directory' or a 'rule'"
            raise WorkspaceError(Diagnostic(message, self._place(table, index)))
        if "%" not in row.get("rule", "%"):
            message = "'rule' of 'repository' of a profile is not 'LABEL%SYMBOL'"
            raise WorkspaceError(Diagnostic(message, self._place(table, index, "rule")))
        if ("with" in row) != ("range" in row):
            message = "'with' and 'range' of 'incompatibility' of a profile belong together"
            raise WorkspaceError(Diagnostic(message, self._place(table, index)))
        place = self._place(table, index, "versions")
        return _Entry(table, row, self._place(table, index), _versions(row.get("versions", ""), place))

    def _check_package(self, index: int, row: Mapping[str, Any]) -> None:
        if row["kind"] not in KINDS:
            message = f"'{row['kind']}' is no kind of a package"
            raise WorkspaceError(
                Diagnostic(message, self._place("package", index, "kind"), help=f"kinds: {', '.join(KINDS)}")
            )
        if row["kind"] == "library":
            self._text("package", index, row, "soname")
        for key in ("libraries", "extensions", "install", "external_headers", "examples"):
            for text in row.get(key, ()):
                if "=" not in text:
                    message = f"'{text}' of '{key}' of a package is not 'NAME=LABEL'"
                    raise WorkspaceError(Diagnostic(message, self._place("package", index, key)))

    def recognise(self, filesystem: FileSystem, source: str) -> Version | None:
        """The version of the project in a tree, None when the tree is not this project or tells no version."""
        if not self._is_workspace(filesystem, source):
            return None
        for name, patterns in self.version_files:
            path = posixpath.join(source, name)
            if not filesystem.is_file(path):
                continue
            text = filesystem.read(path).decode("utf-8", "replace")
            found = [match for match in (pattern.search(text) for pattern in patterns) if match is not None]
            if len(found) == len(patterns):
                numbers = ".".join(match[1] for match in found).split(".")
                return tuple(int(number) for number in numbers if number.isdigit())
        return None

    def _is_workspace(self, filesystem: FileSystem, source: str) -> bool:
        return is_workspace(filesystem, source, self.workspace)

    def applied(self, version: Version, environment: Mapping[str, str]) -> Profile:
        """What the profile says about a version, in an environment."""
        release: Version = ()
        targets: dict[str, None] = {}
        lines: list[RcLine] = []
        repositories: dict[str, tuple[str, str, str]] = {}
        asked: dict[str, str | None] = {}
        late: list[RcLine] = []
        always: list[str] = []
        files: dict[str, tuple[str, Location]] = {}
        packages: list[PlannedPackage] = []
        checks: list[Check] = []
        components: list[Component] = []
        incompatibilities: list[Incompatibility] = []
        contradictions: list[tuple[tuple[str, ...], str, Location]] = []
        build_dependencies: list[str] = []
        package_options: list[PackageOption] = []
        for entry in self.entries:
            if not entry.holds(version):
                continue
            values = entry.values
            if entry.table == "release":
                release = _version(values["bazel"])
            elif entry.table == "package":
                packages.append(planned(values, version))
            elif entry.table == "build_dependency":
                build_dependencies += values["packages"]
            elif entry.table in ("package_option", "package_cxxflags"):
                for_compiler = entry.table == "package_cxxflags"
                package_options.append(option_planned(values, version, for_compiler=for_compiler))
            elif entry.table == "target":
                targets.update(dict.fromkeys(values["patterns"]))
            elif entry.table == "repository":
                directory = values.get("directory", "")
                if directory:
                    directory = os.path.join(os.path.dirname(self.path), directory)
                reason = f"profile {self.name}: {values['reason']}"
                repositories[values["name"]] = (directory, reason, values.get("rule", ""))
            elif entry.table == "always":
                always.append(values["repository"])
            elif entry.table == "check":
                checks.append(self._check(entry))
            elif entry.table == "component":
                version_pattern = _pattern(values["version"], entry.location)
                components.append(Component(values["name"], values["repository"], values["file"], version_pattern))
            elif entry.table == "incompatibility":
                incompatibilities.append(self._incompatibility(entry))
            elif entry.table == "contradiction":
                contradictions.append((tuple(values["configs"]), values["reason"], entry.location))
            elif entry.table == "file":
                files[values["label"]] = values["content"], entry.location
            elif entry.table == "option" and values.get("after_bazelrc"):
                late.append(_line(entry, values["words"], "build"))
            elif entry.table == "option":
                lines.append(_line(entry, values["words"]))
            else:
                name = values["name"]
                asked[name] = value = environment.get(name)
                if value is not None and ("values" not in values or value in values["values"]):
                    late.append(_line(entry, _replaced(values["words"], value, bool(values.get("each_word"))), "build"))
        return Profile(
            self.name,
            self.path,
            version,
            release,
            tuple(lines),
            tuple(targets),
            repositories,
            asked,
            tuple(late),
            files,
            tuple(packages),
            tuple(checks),
            tuple(always),
            tuple(components),
            tuple(incompatibilities),
            tuple(contradictions),
            tuple(build_dependencies),
            tuple(package_options),
            self.project,
        )

    def _check(self, entry: _Entry) -> Check:
        values, where = entry.values, entry.location
        needs = values.get("needs")
        if not isinstance(needs, dict) or not needs or not all(isinstance(text, str) for text in needs.values()):
            raise WorkspaceError(Diagnostic("'needs' of 'check' of a profile is a table of version ranges", where))
        return Check(
            values["repository"],
            values["file"],
            _pattern(values["version"], where),
            _pattern(values["asked"], where),
            _pattern(values["item"], where, groups=0),
            values["what"],
            values["of"],
            {name: (text, _range(text, where)) for name, text in needs.items()},
            values["help"],
            self.name,
        )

    def _incompatibility(self, entry: _Entry) -> Incompatibility:
        values, where = entry.values, entry.location
        unless, limits = values.get("unless"), values.get("range")
        return Incompatibility(
            tuple(values["files"]),
            _pattern(values["pattern"], where, groups=0, flags=re.MULTILINE),
            _pattern(unless, where, groups=0, flags=re.MULTILINE) if unless is not None else None,
            values.get("with", ""),
            limits or "",
            _range(limits, where) if limits is not None else lambda version: True,
            values["symptom"],
            values["reason"],
            values["remedy"],
            self.name,
            where,
        )


def _replaced(words: Sequence[str], value: str, each_word: bool) -> Iterator[str]:
    for part in value.split() if each_word else (value,):
        for word in words:
            yield word.replace("{value}", part)


def _line(entry: _Entry, words: Iterator[str] | Sequence[str], section: str = "always") -> RcLine:
    arguments = tuple(Argument(word, entry.location, section) for word in words)
    return RcLine(section, entry.values.get("config"), arguments, entry.location)


def _range(text: str, where: Location) -> Callable[[Version], bool]:
    """Whether a version is in a range such as ">= 5.0, < 12"."""
    limits = _versions(text, where)
    return lambda version: all(_compares(version, sign, limit) for sign, limit in limits)


def _pattern(text: str, where: Location, groups: int = 1, flags: int = 0) -> re.Pattern[str]:
    """groups: how many it must have, 0 for any number."""
    try:
        found = re.compile(text, flags)
    except re.error as problem:
        raise WorkspaceError(Diagnostic(f"not a regular expression: {text!r}: {problem}", where)) from None
    if groups and found.groups != groups:
        raise WorkspaceError(Diagnostic(f"the pattern {text!r} must have one group, the number", where))
    return found


def _version(text: str) -> Version:
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def _versions(text: object, where: Location) -> tuple[tuple[str, Version], ...]:
    """ ">= 2.0, < 2.4" as (sign, version) pairs."""
    found = []
    for part in str(text).split(","):
        if not part.strip():
            continue
        match = _COMPARISON.fullmatch(part.strip())
        if match is None:
            help = "write comparisons with commas between them, such as '>= 2.0, < 2.4'"
            raise WorkspaceError(Diagnostic(f"not a comparison of versions: {part.strip()!r}", where, help=help))
        found.append((match[1], _version(match[2])))
    return tuple(found)


def _line_numbers(text: str) -> dict[tuple[str, int, str], int]:
    """(table, its position among tables of that name, key) -> line; key "" is the table's header."""
    found: dict[tuple[str, int, str], int] = {}
    counts: dict[str, int] = {}
    table, index = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.fullmatch(line)
        key = _KEY.match(line)
        if header:
            table = header[1]
            index = counts.get(table, 0)
            counts[table] = index + 1
            found[table, index, ""] = number
        elif key:
            found.setdefault((table, index, key[1]), number)
    for name, _, _ in list(found):  # a key of the top level may be a table
        found.setdefault(("", 0, name), found.get((name, 0, ""), 0))
    return found


def read(filesystem: FileSystem, path: str) -> ProfileFile:
    """A profile of the user's; raises WorkspaceError when it cannot be read."""
    if not filesystem.is_file(path):
        raise WorkspaceError(Diagnostic(f"no profile {path!r}", help="--profile names a TOML file"))
    return ProfileFile(filesystem.read(path).decode("utf-8", "replace"), path)


def _may_recognise(filesystem: FileSystem, path: str, source: str) -> bool:
    """Whether the workspace of a built-in profile is that of a tree, or cannot be told without reading all of it."""
    text = filesystem.read(path).decode("utf-8", "replace")
    found = re.search(r"^\[recognise\]\nworkspace = \"([\w-]+)\"$", text, re.MULTILINE)
    return found is None or is_workspace(filesystem, source, found[1])


def is_workspace(filesystem: FileSystem, source: str, name: str) -> bool:
    """Whether a tree's files say that its workspace, or module, has a name."""
    named = re.compile(rf"^(?:workspace|module)\(\s*name\s*=\s*[\"']{re.escape(name)}[\"']", re.MULTILINE)
    for file in _WORKSPACE_FILES:
        path = posixpath.join(source, file)
        if filesystem.is_file(path) and named.search(filesystem.read(path).decode("utf-8", "replace")):
            return True
    return False


def find(
    filesystem: FileSystem, source: str, environment: Mapping[str, str], *, path: str | None = None
) -> Profile | None:
    """The profile of a tree: of the file `path`, or the built-in one that recognises the tree.

    Raises WorkspaceError when the file does not recognise the tree.
    """
    if path is not None:
        file = read(filesystem, path)
        version = file.recognise(filesystem, source)
        if version is None:
            message = f"the profile {path!r} is not for this tree: its workspace is not '{file.workspace}'"
            if file._is_workspace(filesystem, source):
                message = f"the profile {path!r} finds no version in the files of this tree"
            raise WorkspaceError(Diagnostic(message))
        return file.applied(version, environment)
    for name in sorted(os.listdir(DIRECTORY)):
        if name.endswith(".toml") and _may_recognise(filesystem, os.path.join(DIRECTORY, name), source):
            file = read(filesystem, os.path.join(DIRECTORY, name))
            version = file.recognise(filesystem, source)
            if version is not None:
                return file.applied(version, environment)
    return None
