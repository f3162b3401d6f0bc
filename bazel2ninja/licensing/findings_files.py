"""Findings about files: what is not source, and what is known or suspected not to be free."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from bazel2ninja.licensing import content, tree
from bazel2ninja.licensing.conclusions import Concluded
from bazel2ninja.licensing.finding import Finding, seen_hash
from bazel2ninja.licensing.inheritance import VENDORED, sizes
from bazel2ninja.licensing.reading import SourceTree
from bazel2ninja.licensing.scan import FileScan

_SUSPECTS = re.compile(
    r"(?:^|[_.-])(?:lena|lenna|lena_?\w{0,12}|playboy)(?:[_.-]\w+)*\.(?:png|jpe?g|bmp|gif|tiff?|pgm|ppm|raw|tga|webp|npy|b64)$|"
    r"^(?:rfc\d{3,5}\.txt|.*\.swf|waf)$",
    re.IGNORECASE,
)
_TEST = re.compile(
    r"(?:^|/)(?:test\w*|\w*testdata|fixtures?|corpus|corpora|fuzz\w*|samples?|golden\w*|data)(?:/|$)", re.IGNORECASE
)
_SOURCES = {
    ".pdf": (".tex", ".md", ".rst", ".svg", ".odt", ".ps"),
    ".min.js": (".js",),
    ".png": (".svg", ".xcf"),
    ".ttf": (".sfd", ".ufo", ".glyphs"),
}
_LINKS = 40  # links on one path, as the kernel allows
_EXTENSION_KINDS = {".ipynb": "notebook"}


def kind_of(path: str, scan: FileScan) -> str:
    """The finding that a binary file gives rise to, "" for text."""
    kind = scan.kind
    if kind == "text":
        return ""
    if kind in content.PROGRAMS:
        return "prebuilt"
    if kind in content.ARCHIVES:
        return "archive"
    if kind in content.MODELS or "saved_model" in path or ".ckpt" in path or (".index" in path and "variables" in path):
        return "model"
    if kind in content.IMAGES or kind in content.MEDIA:
        return "media"
    return {"font": "font", "pdf": "document-binary", "unreadable": "unreadable"}.get(kind, "binary-data")


def find(source: SourceTree, concluded: Concluded) -> Iterator[Finding]:
    """All of them, grouped so that one answer serves for one group."""
    yield from _binaries(source)
    yield from _texts(source)
    yield from _links(source)
    yield from _embedded(source, concluded)


def _binaries(source: SourceTree) -> Iterator[Finding]:
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path, scan in source.scans.items():
        if _SUSPECTS.search(tree.name_of(path)):
            groups["dfsg-suspect", path].append(path)
            continue
        kind = kind_of(path, scan)
        if not kind:
            continue
        if kind == "prebuilt":
            groups[kind, _component(path)].append(path)
        elif _TEST.search(path) and kind in ("media", "binary-data", "model", "archive"):
            groups["test-data" if kind == "binary-data" else kind, _component(path)].append(path)
        else:
            groups[kind, _component(path)].append(path)
    for (kind, subject), paths in groups.items():
        content_kinds = sorted({source.scans[path].kind for path in paths})
        seen = seen_hash(kind, *(source.scans[path].sha256 for path in paths))
        detail = f"{len(paths)} files: {', '.join(content_kinds)}"
        notes = sorted({holder for path in paths for holder in source.scans[path].copyrights})
        if notes:
            detail += "; they say: " + "; ".join(notes[:3])
        yield Finding(kind, subject, tuple(paths), detail, seen)


def _component(path: str) -> str:
    """The part of the tree that a person would decide about at once: a vendored project, else the top two directories."""  # noqa: E501
    vendored = VENDORED.search(path)
    if vendored is not None:
        return path[: vendored.end()]
    return "/".join(posixpath.dirname(path).split("/")[:2]) or "."


def _texts(source: SourceTree) -> Iterator[Finding]:
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    generators: Mapping[str, list[str]] = _names(source)
    for path, scan in source.scans.items():
        for mark in scan.marks:
            if mark == "minified" and not _has_source(path, source):
                groups["minified", _component(path)].append(path)
            elif mark == "notebook-output":
                groups["notebook", _component(path)].append(path)
            elif mark.startswith("generated: "):
                words = re.findall(
                    r"[\w./-]+\.(?:py|pl|sh|rb|awk|js|m4|l|y|proto|fbs|in|tmpl|td|go|cc|lua|xml|g4|re|rl|thrift|idl|asn1|erb)\b",
                    mark,
                )
                if words and not any(posixpath.basename(word) in generators for word in words):
                    groups["generated", posixpath.basename(words[0])].append(path)
            elif mark == "unreadable":
                groups["unreadable", path].append(path)
    for (kind, subject), paths in groups.items():
        seen = seen_hash(kind, *(source.scans[path].sha256 for path in paths))
        detail = f"{len(paths)} files"
        if kind == "generated":
            detail = f"generated from or by '{subject}', which is not in the tree"
        yield Finding(kind, subject, tuple(paths), detail, seen)


def _names(source: SourceTree) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in source.scans:
        found[tree.name_of(path)].append(path)
    return found


def _has_source(path: str, source: SourceTree) -> bool:
    if ".min." in path and path.replace(".min.", ".") in source.scans:
        return True
    stem = posixpath.splitext(path)[0]
    return any(stem + extension in source.scans for extension in (".ts", ".coffee", ".scss", ".less", ".jsx"))


def _links(source: SourceTree) -> Iterator[Finding]:
    directories = sizes(source.scans)
    for path, target in source.links.items():
        if tree.leaves_tree(path, target):
            problem = f"leads out of the tree, to '{target}'"
        else:
            end = _end(path, source.links)
            if end is None:
                problem = f"leads to '{target}', and so round in a circle"
            elif end not in source.scans and end not in directories:
                problem = f"leads to '{target}', which does not exist"
            else:
                continue
        yield Finding("link", path, (path,), problem, seen_hash("link", path, target))
    for path, kind in source.odd.items():
        yield Finding("unreadable", path, (path,), kind, seen_hash("odd", path, kind))


def _end(path: str, links: Mapping[str, str]) -> str | None:
    """Where a link ends when the links on its way are followed, None when it does not end."""
    followed = 0
    done = ""
    left = [part for part in path.split("/") if part]
    while left:
        part = left.pop(0)
        if part == "..":
            done = posixpath.dirname(done)
        elif part != ".":
            done = f"{done}/{part}" if done else part
            target = links.get(done)
            if target is not None:
                followed += 1
                if followed > _LINKS or posixpath.isabs(target):
                    return None if followed > _LINKS else target
                done = posixpath.dirname(done)
                left = [*(part for part in target.split("/") if part), *left]
    return done


def _embedded(source: SourceTree, concluded: Concluded) -> Iterator[Finding]:
    groups: dict[str, list[str]] = defaultdict(list)
    copies: dict[str, str] = {}  # directory -> the copy in which it is, "" if in none
    for path in source.scans:
        directory = tree.directory_of(path)
        if directory not in copies:
            match = VENDORED.search(directory)
            copies[directory] = directory[: match.end()] if match is not None else ""
        if copies[directory]:
            groups[copies[directory]].append(path)
    for directory, paths in groups.items():
        code = [
            path
            for path in paths
            if source.scans[path].language not in ("prose", "", "python", "hash") and source.scans[path].kind == "text"
        ]
        if len(code) < 2:
            continue
        expressions = sorted({concluded.files[path].expression for path in code})
        seen = seen_hash("embedded", directory, *expressions)
        yield Finding(
            "embedded-copy", directory, tuple(paths), f"{len(paths)} files, {', '.join(expressions[:5])}", seen
        )
