"""The binary packages that a profile plans for a project: their stanzas, their install files, their settings."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from bazel2ninja.records import dataclass

KINDS = ("library", "development", "python")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPackage:
    """One binary package.

    kind: of KINDS.  libraries: (name without "lib", label) of shared libraries, of a development package those whose
    links and headers it holds; soname: what follows ".so." in their SONAMEs; headers: which of their headers are
    installed, "words/api/*", include: below which directory of usr/include, with those that these include, wherever
    they come from; external_headers: (name, label) of headers from other repositories that these include, each in a
    directory of that name.  extensions: (module, label), which take code from extension_libraries; python: labels of
    Python libraries; python_files, python_data: patterns of which of their sources and data are installed;
    distribution: their name for importlib.metadata; install: (label, path below the prefix).  depends: what else it
    needs, as debian/control says it.  examples: (name of a library, source file of the tree and arguments) of programs
    that the package's autopkgtest compiles against that library, and runs in the tree.
    """

    name: str
    kind: str
    summary: str
    reason: str
    libraries: tuple[tuple[str, str], ...] = ()
    soname: str = ""
    headers: tuple[str, ...] = ()
    include: str = ""
    extensions: tuple[tuple[str, str], ...] = ()
    extension_libraries: tuple[str, ...] = ()
    python: tuple[str, ...] = ()
    python_files: tuple[str, ...] = ()
    python_data: tuple[str, ...] = ()
    distribution: str = ""
    install: tuple[tuple[str, str], ...] = ()
    depends: tuple[str, ...] = ()
    external_headers: tuple[tuple[str, str], ...] = ()
    examples: tuple[tuple[str, str], ...] = ()

    @property
    def labels(self) -> list[str]:
        return [
            *(label for _, label in self.libraries),
            *(label for _, label in self.extensions),
            *self.python,
            *(label for label, _ in self.install),
            *(label for _, label in self.external_headers),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageOption:
    """words: options that the packages of these names are built with; architectures: Debian's names, () for all.

    for_compiler: they are words for the C++ compiler, which come last, after those of the packager.
    """

    packages: tuple[str, ...]
    words: tuple[str, ...]
    reason: str
    architectures: tuple[str, ...] = ()
    for_compiler: bool = False


def _filled(text: str, version: Sequence[int]) -> str:
    return text.replace("{version}", ".".join(map(str, version))).replace("{major}", str(version[0]))


def option_planned(values: Mapping[str, Any], version: Sequence[int], *, for_compiler: bool = False) -> PackageOption:
    """An option of a profile's table, see `planned`."""
    return PackageOption(
        packages=tuple(_filled(text, version) for text in values["packages"]),
        words=tuple(values["words"]),
        reason=values["reason"],
        architectures=tuple(values.get("architectures", ())),
        for_compiler=for_compiler,
    )


def planned(values: Mapping[str, Any], version: Sequence[int]) -> PlannedPackage:
    """A package of a profile's table; {version} and {major} stand for the project's."""

    def filled(text: str) -> str:
        return _filled(text, version)

    def pairs(key: str) -> tuple[tuple[str, str], ...]:
        # a label of a generated file may hold "=", a module, library or path does not
        found = (filled(text).partition("=") for text in values.get(key, ()))
        return tuple((name, rest) for name, _, rest in found)

    return PlannedPackage(
        name=filled(values["name"]),
        kind=values["kind"],
        summary=filled(values["summary"]),
        reason=filled(values["reason"]),
        libraries=pairs("libraries"),
        soname=filled(values.get("soname", "")),
        headers=tuple(values.get("headers", ())),
        include=values.get("include", ""),
        extensions=pairs("extensions"),
        extension_libraries=tuple(values.get("extension_libraries", ())),
        python=tuple(filled(text) for text in values.get("python", ())),
        python_files=tuple(values.get("python_files", ())),
        python_data=tuple(values.get("python_data", ())),
        distribution=values.get("distribution", ""),
        install=tuple((label, path) for path, label in pairs("install")),
        depends=tuple(filled(text) for text in values.get("depends", ())),
        external_headers=pairs("external_headers"),
        examples=pairs("examples"),
    )


def chosen(packages: Sequence[PlannedPackage], names: Collection[str]) -> tuple[PlannedPackage, ...]:
    """Those of these names, and those that hold the libraries of a development package among them."""
    wanted = {label for each in packages if each.name in names for _, label in each.libraries}
    return tuple(
        each
        for each in packages
        if each.name in names or (each.kind == "library" and any(label in wanted for _, label in each.libraries))
    )


def stanzas(packages: Sequence[PlannedPackage], summary: str, description: str = "") -> Iterator[str]:
    """The lines of debian/control after the source's own; summary, description: of the project."""
    owners = {name: each.name for each in packages if each.kind == "library" for name, _ in each.libraries}
    for package in packages:
        depends = ["${misc:Depends}"]
        if package.kind == "development":
            needed = dict.fromkeys(owners[name] for name, _ in package.libraries if name in owners)
            depends += [f"{name} (= ${{binary:Version}})" for name in needed]
            depends.append("${bazel2ninja:Depends}")
        else:
            depends.append("${shlibs:Depends}")
        if package.kind == "python":
            depends += ["${python3:Depends}", "${bazel2ninja:Depends}"]
        depends += package.depends
        section = {"library": "libs", "development": "libdevel", "python": "python"}[package.kind]
        yield from ("", f"Package: {package.name}", f"Section: {section}", "Architecture: any")
        if package.kind != "python":
            yield "Multi-Arch: same"
        yield f"Depends: {', '.join(depends)}"
        if package.kind != "development":
            yield "Static-Built-Using: ${bazel2ninja:Static-Built-Using}"
        yield f"Description: {summary} - {package.summary}"
        if description:
            yield from (f" {line}" for line in textwrap.wrap(description, 76))
            yield " ."
        yield from (f" {line}" for line in textwrap.wrap(f"This package holds: {package.summary}.", 76))


def install_files(packages: Sequence[PlannedPackage]) -> dict[str, str]:
    """Name of the file below debian/ -> its text."""
    found = {}
    headers = {name: _headers(each) for each in packages for name, _ in each.libraries if each.kind == "library"}
    for package in packages:
        lines = []
        for name, _ in package.libraries:
            if package.kind == "library":
                lines.append(f"usr/lib/*/lib{name}.so.*")
            else:
                lines += [f"usr/lib/*/lib{name}.so", f"usr/lib/*/pkgconfig/{name}.pc"]
                lines += [f"usr/include/{each}" for each in headers.get(name, ())]
        for name, _ in package.external_headers:
            lines += [f"usr/lib/*/pkgconfig/{name}.pc", f"usr/include/{name}"]
        if package.extensions or package.python:
            lines.append("usr/lib/python3/dist-packages")
        lines += [f"usr/{path}" for _, path in package.install]
        found[f"{package.name}.install"] = "".join(f"{line}\n" for line in dict.fromkeys(lines))
    return found


def _headers(package: PlannedPackage) -> list[str]:
    """The directories below usr/include that the headers of a package's libraries go to."""
    return [package.include] if package.include else [each.removesuffix("/*") for each in package.headers]


_NO_RENAMING = """\

# some are opened by their names; modules have the suffix of their version of Python already
override_dh_python3:
	dh_python3 --no-ext-rename
"""


_CXXFLAGS = """\

ifeq (,$(filter noopt,$(DEB_BUILD_OPTIONS)))
{comments}export DEB_CXXFLAGS_MAINT_APPEND = {words}
endif
"""


def compiler_rules(options: Sequence[PackageOption]) -> str:
    """What debian/rules says about the flags of the C++ compiler, for variables that dh exports."""
    if not options:
        return ""
    comments = "".join(f"# {' '.join(each.words)}: {each.reason}\n" for each in options)
    return _CXXFLAGS.format(comments=comments, words=" ".join(word for each in options for word in each.words))


def further_rules(packages: Sequence[PlannedPackage]) -> str:
    """What debian/rules needs besides, for shared objects that Python code opens by their names."""
    opened = (label for each in packages for label, path in each.install if "/dist-packages/" in path)
    return _NO_RENAMING if any(label.endswith(".so") for label in opened) else ""


_USE = """\
#!/bin/sh
# Programs of the source tree are compiled against the installed package, and run in the tree.
set -eu
use() {
    module=$1 source=$2
    shift 2
    compiler=g++
    case $source in *.c) compiler=gcc ;; esac
    cp "$source" "$AUTOPKGTEST_TMP"
    program=$AUTOPKGTEST_TMP/program
    flags=$(pkg-config --cflags --libs "$module")
    # shellcheck disable=SC2086 # a list of words
    $compiler -o "$program" "$AUTOPKGTEST_TMP/${source##*/}" $flags
    "$program" "$@"
}
"""


def test_files(packages: Sequence[PlannedPackage]) -> dict[str, tuple[str, bool]]:
    """Path below debian/ -> (text, whether it is executable) of the autopkgtests that run the packages' examples."""
    found: dict[str, tuple[str, bool]] = {}
    stanzas = []
    for package in packages:
        if package.examples:
            lines = "".join(f"use {module} {words}\n" for module, words in package.examples)
            found[f"tests/use-{package.name}"] = _USE + lines, True
            stanzas.append(
                f"Tests: use-{package.name}\nDepends: {package.name}, g++, pkgconf\nRestrictions: allow-stderr\n"
            )
    if stanzas:
        found["tests/control"] = "\n".join(stanzas), False
    return found


def settings_tables(packages: Sequence[PlannedPackage], version: str) -> Iterator[str]:
    """The tables of bazel2ninja.toml."""
    present = {name for package in packages if package.kind == "library" for name, _ in package.libraries}
    for package in packages:
        if package.kind == "library":
            for name, label in package.libraries:
                yield from ("", f"# {package.name}: {package.reason}", "[[library]]", f'name = "{name}"')
                yield from (f'targets = ["{label}"]', f'soname = "lib{name}.so.{package.soname}"')
                if package.soname != version:
                    yield f'version = "{version}"'
                if package.headers:
                    yield _array("headers", package.headers)
                if package.include:
                    yield f'include = "{package.include}"'
        for module, label in package.extensions:
            yield from ("", f"# {package.name}", "[[extension]]", f'target = "{label}"', f'module = "{module}"')
            if holders := [name for name in package.extension_libraries if name in present]:
                yield _array("libraries", holders)
        if package.python:
            yield from ("", f"# {package.name}", "[[python_package]]", _array("targets", package.python))
            if package.python_files:
                yield _array("files", package.python_files)
            yield _array("data", package.python_data)
            if package.distribution:
                yield f'distribution = "{package.distribution}"'
        for name, label in package.external_headers:
            yield from ("", f"# {package.name}: headers that others include", "[[headers]]", f'name = "{name}"')
            yield from (f'targets = ["{label}"]', f'include = "{name}"')
    further = [(label, path) for package in packages for label, path in package.install]
    if further:
        yield from ("", "[install]", *(f'"{label}" = "{path}"' for label, path in further))


def _array(name: str, values: Sequence[str]) -> str:
    quoted = ", ".join(f'"{value}"' for value in values)
    return f"{name} = [{quoted}]"
