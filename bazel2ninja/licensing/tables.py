"""What tables of a project say of its files, one pattern of paths after the other.

REUSE.toml (https://reuse.software/spec-3.3/), and Debian's machine-readable form where a project itself has it: as
.reuse/dep5, or as a licence file at the root.
"""

from __future__ import annotations

import os
import posixpath
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.licensing import dep5, expressions
from bazel2ninja.licensing.cache import Cache
from bazel2ninja.licensing.classification import classify_texts
from bazel2ninja.licensing.expressions import DebianNames
from bazel2ninja.licensing.inheritance import Terms, ancestors
from bazel2ninja.licensing.reading import SourceTree
from bazel2ninja.licensing.scan import FileScan, is_licence_file
from bazel2ninja.licensing.tree import name_of
from bazel2ninja.licensing.words import digest, words

_LONGEST = 1_000_000  # bytes of a table
_EVERYTHING = frozenset({"*", "**", "**/*"})
_WILD = re.compile(r"[*?\\]")
_STARS = 8  # in one pattern; with more of them a match may take for ever


def read(tree: SourceTree, cache: Cache, directory: Path) -> dict[str, Terms]:
    """path -> what a table says of it; "" -> what one at the root says of everything that it does not name.

    A table counts for what is below its directory, the deepest one first; in a table the last pattern that matches.
    """
    found: dict[str, Terms] = {}
    own = frozenset(posixpath.dirname(path) for path, scan in tree.scans.items() if scan.whole and scan.notices)
    tables = [path for path in tree.scans if path.endswith("REUSE.toml") and name_of(path) == "REUSE.toml"]
    for path in sorted(tables, key=lambda each: -each.count("/")):
        _reuse(path, tree, own, found)
    for path, scan in tree.scans.items():
        # a licence file in any other form is read whole
        at_root = "/" not in path and scan.kind == "text" and not scan.whole and is_licence_file(path)
        if (at_root or path == ".reuse/dep5") and scan.size <= _LONGEST:
            _machine_readable(path, tree, own, found, cache, directory)
    return found


def _reuse(path: str, tree: SourceTree, own: frozenset[str], found: dict[str, Terms]) -> None:
    try:
        with open(os.path.join(tree.root, path), "rb") as file:
            entries = tomllib.loads(file.read(_LONGEST).decode()).get("annotations", [])
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return
    rules: list[tuple[list[str], str]] = []
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict):
            tags = _strings(entry.get("SPDX-License-Identifier"))
            said = [tag for tag in map(expressions.normal, tags) if tag]
            if said:
                rules.append((_strings(entry.get("path")), expressions.joined(said)))
    base = posixpath.dirname(path)
    _apply(path, rules, base, tree.scans, own, found, _glob)


def _machine_readable(
    path: str, tree: SourceTree, own: frozenset[str], found: dict[str, Terms], cache: Cache, directory: Path
) -> None:
    def classify(text: str) -> str:
        said = words(text)
        key = digest(said) + "w"
        return classify_texts({key: (" ".join(said), True)}, cache, directory)[key].expression

    try:
        document = dep5.parse(os.path.join(tree.root, path), DebianNames(directory), classify)
    except WorkspaceError:
        return
    rules = [(list(stanza.globs), stanza.expression) for stanza in document.stanzas if stanza.expression]
    _apply(path, rules, "", tree.scans, own, found, dep5.glob_pattern)


def _apply(
    source: str,
    rules: list[tuple[list[str], str]],
    base: str,
    scans: Mapping[str, FileScan],
    own: frozenset[str],
    found: dict[str, Terms],
    pattern: Callable[[str], re.Pattern[str]],
) -> None:
    """Enters the last rule that matches a path below `base`; at the root one for everything is the project's.

    own: directories with a licence file.
    """
    if not base:
        general = [expression for globs, expression in rules if _EVERYTHING.intersection(globs)]
        if general:
            found.setdefault("", Terms(general[0], source, (general[0],), (general[0],)))
    if not base or base in own:
        # a licence file beside the table tells more exactly what everything there has
        rules = [rule for rule in rules if not _EVERYTHING.intersection(rule[0])]
    compiled = []
    for globs, expression in reversed(rules):
        depths = {glob: len(posixpath.dirname(_WILD.split(glob)[0])) for glob in globs if glob.count("*") <= _STARS}
        globs = sorted(depths, key=depths.__getitem__, reverse=True)
        if globs:
            matching = re.compile("|".join(f"({pattern(glob).pattern})" for glob in globs), re.DOTALL)
            compiled.append((matching, [depths[glob] for glob in globs], expression))
    prefix = base + "/" if base else ""
    for path in scans if compiled else ():
        if path.startswith(prefix) and path not in found:
            name = path[len(prefix) :]
            for matching, lengths, expression in compiled:
                match = matching.fullmatch(name)
                if match is not None and match.lastindex is not None:
                    # a licence file further down is nearer than a pattern that does not name its directory
                    if _licensed(posixpath.dirname(path), own) <= len(prefix) + lengths[match.lastindex - 1]:
                        found[path] = Terms(expression, source)
                    break


def _licensed(directory: str, own: frozenset[str]) -> int:
    """The length of the nearest directory that has a licence file, 0 for the root or none."""
    return len(next((above for above in ancestors(directory) if above in own), ""))


def _strings(value: object) -> list[str]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]


def _glob(glob: str) -> re.Pattern[str]:
    """`*` any run of characters but slashes, `**` slashes too; a backslash takes the next one as it is."""
    parts = []
    at = 0
    while at < len(glob):
        if glob.startswith("*", at):
            end = at
            while glob.startswith("*", end):
                end += 1
            parts.append("[^/]*" if end == at + 1 else ".*")
            at = end
            continue
        at += glob[at] == "\\" and at + 1 < len(glob)
        parts.append(re.escape(glob[at]))
        at += 1
    return re.compile("".join(parts), re.DOTALL)
