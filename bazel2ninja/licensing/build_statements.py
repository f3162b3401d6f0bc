"""What BUILD files and package descriptions say about licences: read, never run.

BUILD files: https://bazel.build/reference/be/functions#licenses, rules_license's `license()`; the others are the
manifests of other ecosystems, of which only the licence field is read.
"""

from __future__ import annotations

import ast
import json
import posixpath
import re
import tomllib
import warnings
from collections.abc import Iterator

from bazel2ninja.records import dataclass


@dataclass(frozen=True, slots=True)
class Declared:
    """One statement.  kind: "licenses" (Bazel's category), "license" (a rule: its kinds), "license_text" (a file),
    "default_applicable_licenses" (a label), "manifest" (an expression) or "package" (that of a directory, told by
    Composer's list of what it has installed). scope: the target's name, "" for the package; the directory, from
    the file's.
    """

    kind: str
    value: str
    line: int = 0
    scope: str = ""


_BUILD_NAMES = frozenset({"build", "build.bazel", "build.oss", "build.tpl"})
_MANIFESTS = frozenset(
    [
        "package.json",
        "composer.json",
        "installed.json",
        "setup.py",
        "setup.cfg",
        "pyproject.toml",
        "cargo.toml",
        "pom.xml",
        "bower.json",
        "manifest.json",
        "description",
        "info.json",
    ]
)
_LARGEST = 2_000_000  # characters; a larger BUILD file is generated data


def concerns(path: str) -> bool:
    """Whether a file of that name may state licences in a form of its own."""
    name = posixpath.basename(path).lower()
    return (
        name in _BUILD_NAMES
        or name in _MANIFESTS
        or name.endswith((".build", ".bazel", ".gemspec", ".cabal", ".podspec"))
    )


def read(path: str, text: str) -> tuple[Declared, ...]:
    """All statements of a BUILD file or manifest; a file that cannot be parsed states nothing."""
    name = posixpath.basename(path).lower()
    if len(text) > _LARGEST:
        return ()
    try:
        if name in _MANIFESTS or name.endswith((".gemspec", ".cabal", ".podspec")):
            return tuple(_manifest(name, text))
        return tuple(_build(text))
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError, AttributeError):
        return ()


def _build(text: str) -> Iterator[Declared]:
    if "licen" not in text:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in somebody else's strings
        tree = ast.parse(text)
    for statement in tree.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        function = call.func.id
        attributes = {word.arg: word.value for word in call.keywords if word.arg}
        if function == "licenses":
            for value in _strings(call.args[0] if call.args else attributes.get("license_types")):
                yield Declared("licenses", value, call.lineno)
            continue
        scope = "" if function == "package" else next(_strings(attributes.get("name")), "")
        for attribute in (
            "default_applicable_licenses",
            "default_package_metadata",
            "applicable_licenses",
            "package_metadata",
        ):
            for value in _strings(attributes.get(attribute)):
                yield Declared("default_applicable_licenses", value, call.lineno, scope)
        if function == "license":
            for value in _strings(attributes.get("license_kinds")):
                yield Declared("license", value, call.lineno, scope)
            for value in _strings(attributes.get("license_text")):
                yield Declared("license_text", value, call.lineno, scope)
        elif function != "package":
            for value in _strings(attributes.get("licenses")):
                yield Declared("licenses", value, call.lineno, scope)


def _strings(node: ast.expr | None) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.List | ast.Tuple):
        for each in node.elts:
            yield from _strings(each)


_SETUP = re.compile(r"^[ \t]*license[ \t]*=[ \t]*[\"']?([^\"'\n]{2,80})", re.MULTILINE)
_GEM = re.compile(r"licenses?[ \t]*[=:][ \t]*(?:[\[{][ \t]*)?(?::type[ \t]*=>[ \t]*)?[\"']?([^\"'\n\]]{2,80})")
_POM = re.compile(r"<license>\s*<name>([^<]{2,120})</name>")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _installed(table: object) -> Iterator[Declared]:
    """Composer's vendor/composer/installed.json: each package's place and licences, of which one may choose."""
    packages = table.get("packages") if isinstance(table, dict) else table
    for each in packages if isinstance(packages, list) else ():
        licences = each.get("license") if isinstance(each, dict) else None
        place = each.get("install-path") or f"../{each.get('name')}" if licences else None
        if isinstance(licences, list) and isinstance(place, str):
            yield Declared("package", " OR ".join(filter(_is_text, licences)), 0, place)


def _manifest(name: str, text: str) -> Iterator[Declared]:
    values: list[object] = []
    if name.endswith(".json"):
        if '"license' not in text:
            return
        table = json.loads(text)
        if name == "installed.json":
            yield from _installed(table)
            return
        if name == "composer.json" and isinstance(table, dict) and isinstance(table.get("license"), list):
            table = {"license": " OR ".join(filter(_is_text, table["license"]))}
        if isinstance(table, dict):
            values = [
                table.get("license"),
                *(table.get("licenses") or [] if isinstance(table.get("licenses"), list) else []),
            ]
    elif name.endswith(".toml"):
        tables = tomllib.loads(text)
        values = [
            tables.get(key, {}).get("license") for key in ("package", "project") if isinstance(tables.get(key), dict)
        ]
    else:
        pattern = (
            _POM
            if name == "pom.xml"
            else _GEM
            if "." in name and name != "setup.py" and name != "setup.cfg"
            else _SETUP
        )
        values = list(pattern.findall(text[:200_000]))
    for value in values:
        if isinstance(value, dict):
            value = value.get("type") or value.get("text") or value.get("name")
        if isinstance(value, str) and name == "cargo.toml":
            value = value.replace("/", " OR ")  # as it was written before SPDX's expressions
        if isinstance(value, str) and value.strip() and len(value) < 120:
            yield Declared("manifest", value.strip())
