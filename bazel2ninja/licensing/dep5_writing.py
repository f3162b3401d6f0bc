"""A debian/copyright made of what the audit found: few stanzas, every file covered, proved by reading it back."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from debian.copyright import Copyright, FilesParagraph, License, LicenseParagraph

from bazel2ninja.licensing import globs
from bazel2ninja.licensing.audit import Audit
from bazel2ninja.licensing.dep5 import glob_pattern
from bazel2ninja.licensing.expressions import DebianNames, keys
from bazel2ninja.licensing.own_terms import UNKNOWN

FORMAT = "https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
_COMMON = {  # /usr/share/common-licenses
    "Apache-2.0": "Apache-2.0",
    "Artistic-1.0-Perl": "Artistic",
    "CC0-1.0": "CC0-1.0",
    "GFDL-1.2": "GFDL-1.2",
    "GFDL-1.3": "GFDL-1.3",
    "GPL-1.0": "GPL-1",
    "GPL-2.0": "GPL-2",
    "GPL-3.0": "GPL-3",
    "LGPL-2.0": "LGPL-2",
    "LGPL-2.1": "LGPL-2.1",
    "LGPL-3.0": "LGPL-3",
    "MPL-1.1": "MPL-1.1",
    "MPL-2.0": "MPL-2.0",
}
_YEAR = re.compile(r"(?:19|20)\d\d(?:[-\u2013,](?:(?:19|20)?\d\d|present))*", re.IGNORECASE)


def write(audit: Audit, directory: Path, name: str) -> str:
    """The file's text. name: the upstream's name, for the header."""
    names = DebianNames(directory)
    values = {path: conclusion.expression for path, conclusion in audit.concluded.files.items()}
    values = {path: value for path, value in values.items() if not path.startswith("debian/")}
    stanzas: dict[tuple[int, str], list[str]] = defaultdict(list)
    for level, pattern, value in globs.fewest(values):
        stanzas[level, value].append(pattern)
    ordered = sorted(stanzas.items(), key=lambda item: item[0])
    holders = _holders(audit, values, [(value, patterns) for (_, value), patterns in ordered])
    document = Copyright()
    document.header.upstream_name = name  # type: ignore[assignment]
    for index, ((_, value), patterns) in enumerate(ordered):
        synopsis = names.to_debian(value) if value != UNKNOWN else "UNKNOWN"
        lines = holders[index] or ["not stated"]
        document.add_files_paragraph(
            FilesParagraph.create(patterns, "\n".join(lines).replace("\n", "\n           "), License(synopsis, ""))
        )
    for key in sorted({key for value in values.values() for key in keys(value)}):
        if "exception" in key or key == UNKNOWN:
            continue
        document.add_license_paragraph(
            LicenseParagraph.create(License(names.to_debian(key), _text(key, directory, audit)))
        )
    return str(document.dump())


def _text(key: str, directory: Path, audit: Audit) -> str:
    family = key.removesuffix("-only").removesuffix("-or-later")
    if family in _COMMON:
        later = " or any later version" if key.endswith("-or-later") else ""
        return (
            f"On Debian systems, the full text of this licence{later and ' (version named below' + later + ')'} is in\n"
            f"/usr/share/common-licenses/{_COMMON[family]}."
        )
    path = directory / "texts" / f"{key}.txt"
    if path.is_file():
        return path.read_text(encoding="utf-8").strip()
    for scan in audit.tree.scans.values():
        for notice in scan.notices:
            found = audit.known.get(notice.digest + ("w" if scan.whole else ""))
            if found is not None and found.expression == key:
                return notice.excerpt
    return "The terms are not stated further."


def _holders(audit: Audit, values: Mapping[str, str], stanzas: list[tuple[str, list[str]]]) -> list[list[str]]:
    """Holders of each stanza, from the files that it decides; their years brought together."""
    patterns = [(value, [_matcher(p) for p in globs_]) for value, globs_ in stanzas]
    found: list[dict[str, set[str]]] = [{} for _ in stanzas]
    for path in values:
        index = next(i for i in range(len(patterns) - 1, -1, -1) if any(match(path) for match in patterns[i][1]))
        for statement in audit.tree.scans[path].copyrights:
            years = set(_YEAR.findall(statement))
            holder = _YEAR.sub("", statement).strip(" ,")
            if holder:
                found[index].setdefault(holder, set()).update(years)
    return [_merged(table) for table in found]


def _matcher(pattern: str):  # type: ignore[no-untyped-def]
    if not any(c in pattern for c in "*?\\"):
        return pattern.__eq__
    if pattern.endswith("/*") and not any(c in pattern[:-1] for c in "*?\\"):
        prefix = pattern[:-1]
        return lambda path: path.startswith(prefix)
    return glob_pattern(pattern).fullmatch


def _merged(table: Mapping[str, Iterable[str]]) -> list[str]:
    lines = []
    for holder in sorted(table, key=str.lower):
        years = sorted({year for text in table[holder] for year in re.findall(r"(?:19|20)\d\d", text)})
        span = "" if not years else years[0] if len(years) == 1 else f"{years[0]}-{years[-1]}"
        lines.append(f"{span} {holder}".strip())
    return lines


def covered(document: str, values: Mapping[str, str], directory: Path) -> list[str]:
    """Paths to which a written document does not give their terms: empty when it is right."""
    names = DebianNames(directory)
    parsed = Copyright(document.splitlines())
    stanzas = [
        ([glob_pattern(glob) for glob in paragraph.files], paragraph.license.synopsis)  # type: ignore[attr-defined]
        for paragraph in parsed.all_files_paragraphs()
    ]
    wrong = []
    for path, value in values.items():
        said = next((s for patterns, s in reversed(stanzas) if any(p.fullmatch(path) for p in patterns)), None)
        wanted = names.to_debian(value) if value != UNKNOWN else "UNKNOWN"
        if said != wanted:
            wrong.append(path)
    return wrong
