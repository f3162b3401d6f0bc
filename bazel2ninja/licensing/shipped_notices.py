"""The notices to be shipped with a binary: texts of licences as its sources carry them, holders, and NOTICE files.

Nearly every licence wants its text and the copyright statements to go along with a binary; the Apache License 2.0 wants
the NOTICE files of the works in it as well (section 4(d)).
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bazel2ninja.licensing import content, copyrights
from bazel2ninja.licensing.audit import Audit
from bazel2ninja.licensing.binaries import BinaryTerms
from bazel2ninja.licensing.expressions import keys
from bazel2ninja.licensing.inheritance import ancestors
from bazel2ninja.licensing.own_terms import UNKNOWN
from bazel2ninja.licensing.policy import Policy
from bazel2ninja.licensing.system_packages import copyright_file
from bazel2ninja.licensing.words import digest, words

_NOTICE_FILE = re.compile(r"notice(?:\.(?:txt|md|rst))?$", re.IGNORECASE)
_FILES = 3  # named as examples
_RULE = "=" * 78


@dataclass(slots=True)
class _Text:
    """A licence's text as it stands in `source`, with the files and holders that it is shipped for."""

    text: str
    source: str
    licences: set[str] = field(default_factory=set)
    files: list[str] = field(default_factory=list)
    holders: dict[str, None] = field(default_factory=dict)


def write(
    binaries: Sequence[BinaryTerms],
    places: Mapping[str, tuple[str, str]],
    trees: Mapping[str, Audit],
    policy: Policy,
    directory: Path,
) -> str:
    """One document for all binaries. places: exec path -> (directory of its tree, path in it); trees: the audits of
    these directories; directory: that of the reference texts, for licences that are named and whose text is not there.
    """
    parts = []
    for binary in binaries:
        parts += [f"Notices for {_printable(binary.closure.output)}", ""]
        parts += _of(binary, places, trees, policy, directory)
    return "\n".join(parts) + "\n"


def _of(
    binary: BinaryTerms,
    places: Mapping[str, tuple[str, str]],
    trees: Mapping[str, Audit],
    policy: Policy,
    directory: Path,
) -> Iterator[str]:
    texts: dict[str, _Text] = {}
    notices: dict[str, tuple[str, str]] = {}  # words -> (where it stands, text)
    unknown = []
    for expression, paths in binary.terms.items():
        named = keys(expression)
        wanted = policy.obligations(named)
        for path in paths:
            tree, relative = places[path]
            audit = trees[tree]
            if expression == UNKNOWN:
                unknown.append(path)
                continue
            if "notice-file" in wanted:
                for name in _notice_files(audit, relative):
                    text = _read(tree, name)
                    notices.setdefault(digest(words(text)), (_shown(path, relative, name), text))
            if "notice" not in wanted:
                continue
            for name, text, licences in _texts_for(tree, relative, audit, named, directory):
                found = texts.setdefault(digest(words(text)), _Text(text, _shown(path, relative, name)))
                found.licences |= licences
                found.files.append(path)
                found.holders.update(dict.fromkeys(audit.tree.scans[relative].copyrights))
    for where, text in sorted(notices.values()):
        yield from (_RULE, f"NOTICE file {_printable(where)}", _RULE, "", text.strip(), "")
    for each in sorted(texts.values(), key=lambda t: (sorted(t.licences), -len(t.files), t.source)):
        files = sorted(dict.fromkeys(each.files))
        examples = ", ".join(map(_printable, files[:_FILES]))
        more = f" and {len(files) - _FILES} more" if len(files) > _FILES else ""
        yield from (
            _RULE,
            f"{', '.join(sorted(each.licences))}: {examples}{more}",
            f"text: {_printable(each.source)}",
            _RULE,
            "",
        )
        yield from (f"Copyright {_printable(holder)}" for holder in sorted(each.holders))
        yield from ("", each.text.strip("\n"), "")
    if binary.system:
        yield from (_RULE, "Of the system; their terms are in these files", _RULE, "")
        yield from sorted({copyright_file(owner.package) for owner in binary.system.values()})
        yield ""
    if unknown:
        yield from (_RULE, "Nobody has said under which terms these are", _RULE, "")
        yield from map(_printable, sorted(unknown))
        yield ""


def _notice_files(audit: Audit, path: str) -> list[str]:
    """The NOTICE files beside a file and above it."""
    above = set(ancestors(posixpath.dirname(path)))
    return [
        name
        for name, scan in audit.tree.scans.items()
        if scan.whole and posixpath.dirname(name) in above and _NOTICE_FILE.match(posixpath.basename(name))
    ]


def _texts_for(
    tree: str, path: str, audit: Audit, named: frozenset[str], directory: Path
) -> Iterator[tuple[str, str, set[str]]]:
    """(where it stands, text, licences) of what a file's terms are: its own words, a licence file, a reference text."""
    missing = {key for key in named if "exception" not in key.lower()}
    scan = audit.tree.scans[path]
    own = [
        notice
        for notice in scan.notices
        if notice.place != "code" and notice.digest in audit.known and audit.known[notice.digest].basis == "text"
    ]
    if own:
        lines = _read(tree, path).split("\n")
        for notice in own:
            said = {key for each in audit.known[notice.digest].alone for key in keys(each)} & missing
            if said:
                missing -= said
                kept = [copyrights.clean(line) for line in lines[notice.first_line - 1 : notice.last_line]]
                yield path, "\n".join(kept), said
    conclusion = audit.concluded.files[path]
    above = [audit.concluded.governing.get(each) for each in ancestors(posixpath.dirname(path))]
    for source in dict.fromkeys([conclusion.source, *(terms.source for terms in above if terms is not None)]):
        licence_file = audit.tree.scans.get(source)
        if not missing or licence_file is None or not licence_file.whole:
            continue
        said = set()
        for notice in licence_file.notices:
            found = audit.known.get(notice.digest + "w")
            said |= {_family(key) for each in (found.alone if found else ()) for key in keys(each)}
        stated = {key for key in missing if _family(key) in said}
        if stated:
            missing -= stated
            yield source, _read(tree, source), stated
    for key in sorted(missing):
        for name in (key, _family(key) + "-only"):
            reference = directory / "texts" / f"{name}.txt"
            if reference.is_file():
                yield f"reference text of {name}", reference.read_text(encoding="utf-8"), {key}
                break


def _family(key: str) -> str:
    return key.removesuffix("-or-later").removesuffix("-only")


def _read(tree: str, path: str) -> str:
    try:
        with open(os.path.join(tree, path), "rb") as file:
            return content.decode(file.read())[0]
    except OSError:
        return ""


def _shown(path: str, relative: str, name: str) -> str:
    """The exec path of `name`, which stands in the same tree as `relative`, whose exec path is `path`."""
    return path.removesuffix(relative) + name if path.endswith(relative) and not name.startswith("reference") else name


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
