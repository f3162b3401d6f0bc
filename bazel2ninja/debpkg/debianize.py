"""A first debian/ for a Bazel project, complete enough to build, and plain enough to be read through."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from bazel2ninja.debpkg import package_split
from bazel2ninja.debpkg.build_environment import plain_version
from bazel2ninja.debpkg.isa_levels import IsaLevel
from bazel2ninja.debpkg.package_split import PackageOption, PlannedPackage

_DIRECTORY = re.compile(r"(?P<name>[A-Za-z].*?)[-_]v?(?P<version>\d[A-Za-z0-9.+~]*)(?:-[A-Za-z0-9.+~]+)?")
_LEADING = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of the project.

    libraries: public C++ libraries with code; shared: label -> library name of what is a shared library already;
    programs: label -> installed name.  tests: target patterns; size_filter: --test_size_filters, "" for all tests.
    left_out: (label, why) of what looked like something to install or test.  embedded: external repositories whose
    code is linked in.  repositories, vendor, flags: as in the settings file.  headers: include paths.  build_depends:
    further ones.  split_libraries, split_headers: name -> label, instead of one library of everything.  isa: processor
    levels that get a package each.  description: a paragraph about the project.
    """

    source: str
    version: str
    soname_version: str
    maintainer: str
    date: str  # RFC 5322
    summary: str = ""
    homepage: str = ""
    libraries: Sequence[str] = ()
    shared: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, str] = field(default_factory=dict)
    tests: Sequence[str] = ()
    size_filter: str = ""
    left_out: Sequence[tuple[str, str]] = ()
    embedded: Sequence[str] = ()
    repositories: Mapping[str, str] = field(default_factory=dict)
    vendor: Sequence[str] = ()
    flags: Sequence[str] = ()
    architecture_flags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    flag_reasons: Sequence[tuple[str, str]] = ()
    compiler_options: Sequence[PackageOption] = ()
    headers: Sequence[str] = ()
    build_depends: Sequence[str] = ()
    documents: Sequence[str] = ()
    split_libraries: Mapping[str, str] = field(default_factory=dict)
    split_headers: Mapping[str, str] = field(default_factory=dict)
    isa: Sequence[IsaLevel] = ()
    packages: Sequence[PlannedPackage] = ()
    description: str = ""

    @property
    def modules(self) -> list[str]:
        """Names of the pkg-config files."""
        if self.packages:
            return [name for each in self.packages if each.kind == "library" for name, _ in each.libraries]
        return [*self.split_libraries, *self.split_headers] or [self.stem]

    @property
    def stem(self) -> str:
        """The name of the library without "lib"."""
        return self.source.removeprefix("lib") or self.source

    @property
    def has_library(self) -> bool:
        return bool(self.libraries or self.shared)

    @property
    def runtime_package(self) -> str:
        """Debian Policy 8.1: the library's name and the version of its SONAME."""
        dash = "-" if self.stem[-1].isdigit() else ""
        return f"lib{self.stem}{dash}{self.soname_version}".lower()

    def level_package(self, level: IsaLevel) -> str:
        return f"{self.runtime_package}-{level.name.replace('x86-64-', 'amd64')}"

    @property
    def development_package(self) -> str:
        return f"lib{self.stem}-dev".lower()


def name_and_version(directory: str) -> tuple[str, str]:
    """What a directory's name tells: "re2-20220601+dfsg-1" is ("re2", "20220601"); the version may be ""."""
    match = _DIRECTORY.fullmatch(directory)
    name, version = (match["name"], match["version"]) if match else (directory, "")
    name = re.sub(r"[^a-z0-9+.-]+", "-", name.lower()).strip("-.+")
    return name, re.split(r"[+~](?:dfsg|ds)", version)[0]


def default_soname_version(version: str) -> str:
    """The whole version: nothing is known of what the project promises about its binary interface."""
    match = _LEADING.match(version)
    return match[0] if match else "0"


def files(facts: Facts, copyright_text: str) -> dict[str, tuple[str, bool]]:
    """Path below debian/ -> (text, whether it is executable)."""
    found = {
        "control": _control(facts),
        "changelog": _changelog(facts),
        "copyright": copyright_text,
        "bazel2ninja.toml": _settings(facts),
        "source/format": "3.0 (quilt)\n",
        "watch": _watch(facts),
        "salsa-ci.yml": _SALSA_CI,
    }
    if facts.packages:
        found.update(package_split.install_files(facts.packages))
    if facts.documents:
        first = facts.development_package if facts.has_library else facts.source
        if facts.packages:
            first = facts.packages[0].name
        found[f"{first}.docs"] = "".join(f"{name}\n" for name in facts.documents)
    if facts.has_library:
        found[f"{facts.runtime_package}.install"] = "usr/lib/*/lib*.so.*\n"
        found[f"{facts.development_package}.install"] = "".join(
            f"{line}\n" for line in (*(["usr/include"] if facts.headers else []), "usr/lib/*/lib*.so")
        )
        if facts.libraries:
            found[f"{facts.development_package}.install"] += "usr/lib/*/lib*.a\nusr/lib/*/pkgconfig\nusr/lib/*/cmake\n"
            found["tests/control"] = (
                f"Tests: use-library\nDepends: {facts.development_package}, g++, pkgconf\n"
                "Restrictions: allow-stderr, superficial\n"
            )
        if facts.split_libraries:
            found[f"{facts.runtime_package}.lintian-overrides"] = (
                "# Several libraries of one source, which share the version of their SONAMEs.\n"
                f"{facts.runtime_package}: package-name-doesnt-match-sonames *\n"
                + _small_libraries(facts.runtime_package)
            )
            found[f"{facts.development_package}.lintian-overrides"] = (
                "# A target whose functions are all inline has an object, but no code.\n"
                f"{facts.development_package}: no-code-sections *\n"
            )
        for level in facts.isa:
            package = facts.level_package(level)
            found[f"{package}.install"] = f"usr/lib/*/{level.directory}\n"
            found[f"{package}.lintian-overrides"] = (
                "# The loader's cache holds libraries for processor levels, too.\n"
                f"{package}: package-has-unnecessary-activation-of-ldconfig-trigger\n"
            ) + (_small_libraries(package) if facts.split_libraries else "")
    if facts.programs:
        found[f"{facts.source}.install"] = "usr/bin\n"
    result = {path: (text, False) for path, text in found.items()}
    result.update(package_split.test_files(facts.packages))
    result["rules"] = (
        _RULES.replace("\n%:", package_split.compiler_rules(facts.compiler_options) + "\n%:")
        + package_split.further_rules(facts.packages),
        True,
    )
    if facts.libraries:
        result["tests/use-library"] = (_use_library(facts), True)
    return result


_ARCHITECTURES = MappingProxyType({"x86_64": "amd64", "powerpc64le": "ppc64el", "s390x": "s390x"})
_RULES = """\
#!/usr/bin/make -f

export DEB_BUILD_MAINT_OPTIONS = hardening=+all

%:
	dh $@ --buildsystem=bazel2ninja+ninja
"""

_SALSA_CI = """\
---
include:
  - https://salsa.debian.org/salsa-ci-team/pipeline/raw/master/recipes/debian.yml
"""


def _control(facts: Facts) -> str:
    depends = ["debhelper-compat (= 13)", "dh-sequence-bazel2ninja", *facts.build_depends]
    if any(each.kind == "python" for each in facts.packages):
        depends += ["dh-sequence-python3", "python3-all-dev", "python3-numpy"]
    lines = [
        f"Source: {facts.source}",
        f"Section: {'libs' if facts.has_library or facts.packages else 'utils'}",
        "Priority: optional",
        f"Maintainer: {facts.maintainer}",
        "Build-Depends:",
        *(f" {name}," for name in dict.fromkeys(depends)),
        "Standards-Version: 4.6.2",
        *([f"Homepage: {facts.homepage}"] if facts.homepage else []),
        "Rules-Requires-Root: no",
    ]
    summary = facts.summary or f"{facts.source}, built from its Bazel workspace"
    if facts.packages:
        return "\n".join([*lines, *package_split.stanzas(facts.packages, summary, facts.description)]) + "\n"
    libraries = "libraries" if facts.split_libraries or facts.shared else "library"
    if facts.has_library:
        lines += [
            "",
            f"Package: {facts.runtime_package}",
            "Architecture: any",
            "Multi-Arch: same",
            "Depends: ${misc:Depends}, ${shlibs:Depends}",
            "Static-Built-Using: ${bazel2ninja:Static-Built-Using}",
            f"Description: {summary} - shared {libraries}",
            *_wrapped(f"This package holds the shared {libraries} of {facts.source}."),
        ]
        for level in facts.isa:
            lines += _level_stanza(facts, level, f"{summary} - {libraries} for {level.name}")
        lines += [
            "",
            f"Package: {facts.development_package}",
            "Section: libdevel",
            "Architecture: any",
            "Multi-Arch: same",
            f"Depends: {facts.runtime_package} (= ${{binary:Version}}), ${{misc:Depends}}, ${{bazel2ninja:Depends}}",
            f"Description: {summary} - development files",
            *_wrapped(
                f"This package holds the headers, the static {libraries} and the pkg-config "
                f"{'files' if len(facts.modules) > 1 else 'file'} and the CMake package of {facts.source}."
            ),
        ]
    if facts.programs:
        lines += [
            "",
            f"Package: {facts.source}",
            *(["Section: utils"] if facts.has_library else []),
            "Architecture: any",
            "Depends: ${misc:Depends}, ${shlibs:Depends}",
            "Static-Built-Using: ${bazel2ninja:Static-Built-Using}",
            f"Description: {summary} - programs",
            *_wrapped(f"This package holds the programs {', '.join(facts.programs.values())}."),
        ]
    return "\n".join(lines) + "\n"


def _small_libraries(package: str) -> str:
    return (
        "# Libraries of a few functions each: some call the C++ runtime only, some nothing at all.\n"
        f"{package}: library-not-linked-against-libc *\n{package}: shared-library-lacks-prerequisites *\n"
    )


def _level_stanza(facts: Facts, level: IsaLevel, description: str) -> list[str]:
    return [
        "",
        f"Package: {facts.level_package(level)}",
        f"Architecture: {_ARCHITECTURES[level.machine]}",
        "Multi-Arch: same",
        f"Build-Profiles: <!pkg.{facts.source}.noisa>",
        f"Depends: {facts.runtime_package} (= ${{binary:Version}}), ${{misc:Depends}}, ${{shlibs:Depends}}",
        f"Enhances: {facts.runtime_package}",
        "Static-Built-Using: ${bazel2ninja:Static-Built-Using}",
        f"Description: {description}",
        *_wrapped(
            f"The loader takes these libraries instead of those of {facts.runtime_package} on processors that have the "
            f"level {level.name}; on others they lie idle."
        ),
    ]


def _wrapped(text: str) -> list[str]:
    return [f" {line}" for line in textwrap.wrap(text, 76)]


def _changelog(facts: Facts) -> str:
    return (
        f"{facts.source} ({facts.version}-1) UNRELEASED; urgency=medium\n\n  * Initial packaging.\n\n"
        f" -- {facts.maintainer}  {facts.date}\n"
    )


def _watch(facts: Facts) -> str:
    if facts.homepage.startswith("https://github.com/"):
        return (
            "version=4\n"
            r"opts=filenamemangle=s%.*/v?@ANY_VERSION@(@ARCHIVE_EXT@)%@PACKAGE@-$1$2% \ "[:-1]
            + f"\n    {facts.homepage.rstrip('/')}/tags .*/v?@ANY_VERSION@@ARCHIVE_EXT@\n"
        )
    return "version=4\n# The project's place for releases is not known: name it here.\n"


def _settings(facts: Facts) -> str:
    lines = ["# What is built and installed: bazel2ninja.toml(5).", ""]
    flags = list(facts.flags)
    if facts.tests:
        lines.append(_array("tests", facts.tests))
    if facts.size_filter:
        lines.append("# The largest tests take longer than a build daemon should be kept busy.")
        flags.append(f"--test_size_filters={facts.size_filter}")
    lines += [f"# {words}: {reason}" for words, reason in facts.flag_reasons]
    if flags:
        lines.append(_array("flags", flags))
    if facts.vendor:
        lines.append(_array("vendor", facts.vendor))
    if facts.libraries:
        lines.append(f"cmake = {_text(facts.stem)}")
    if facts.isa:
        lines.append(_array("isa", [level.name for level in facts.isa]))
    for label, reason in facts.left_out:
        lines.append(f"# Left out: {label}: {reason}")
    if facts.repositories:
        lines += ["", "[repositories]", *(f"{_text(n)} = {_text(p)}" for n, p in facts.repositories.items())]
    if facts.architecture_flags:
        lines += ["", "[architecture_flags]"]
        lines += [f"{name} = {_text(shlex.join(words))}" for name, words in facts.architecture_flags.items()]
    lines += package_split.settings_tables(facts.packages, plain_version(facts.version))
    if facts.split_libraries:
        lines += _split_tables(facts)
    elif facts.libraries:
        lines += [
            "",
            "# One library of all public C++ libraries.  Its SONAME holds the whole version, as long as nothing is",
            "# known about the stability of the binary interface.",
        ]
        lines += [f"# It embeds code of the external repository @{name}." for name in facts.embedded]
        lines += [
            "[[library]]",
            f"name = {_text(facts.stem)}",
            _array("targets", facts.libraries),
            f"soname = {_text(f'lib{facts.stem}.so.{facts.soname_version}')}",
            "static = true",
            f"description = {_text(facts.summary or facts.source)}",
        ]
    for label, name in facts.shared.items():
        lines += [
            "",
            "# Linked again under a SONAME with a version.",
            "[[library]]",
            f"name = {_text(name)}",
            _array("targets", [label]),
            f"soname = {_text(f'lib{name}.so.{facts.soname_version}')}",
            'pkg_config = ""',
        ]
    for label, name in facts.programs.items():
        lines += ["", "[[program]]", f"target = {_text(label)}", f"name = {_text(name)}"]
    return "\n".join(lines) + "\n"


def _split_tables(facts: Facts) -> list[str]:
    lines = ["", "# A library for each target with code, all of one version, and the headers that have none."]
    for name, label in facts.split_libraries.items():
        lines += [
            "[[library]]",
            f"name = {_text(name)}",
            _array("targets", [label]),
            f"soname = {_text(f'lib{name}.so.{facts.soname_version}')}",
            "static = true",
            "",
        ]
    for name, label in facts.split_headers.items():
        lines += ["[[headers]]", f"name = {_text(name)}", _array("targets", [label]), ""]
    return lines[:-1]


def _use_library(facts: Facts) -> str:
    headers = "\n".join(facts.headers)
    modules = " ".join(facts.modules)
    return f"""\
#!/bin/sh
# Every public header compiles by itself, and a program that includes them links with the library.
set -eu
modules='{modules}'
cd "$AUTOPKGTEST_TMP"
: >all.cc
while read -r header; do
    printf '#include <%s>\\n' "$header" >one.cc
    # shellcheck disable=SC2046,SC2086 # lists of words
    g++ -fsyntax-only $(pkg-config --cflags $modules) one.cc
    cat one.cc >>all.cc
done <<'END'
{headers}
END
echo 'int main() {{ return 0; }}' >>all.cc
# shellcheck disable=SC2046,SC2086 # lists of words
g++ -o all all.cc -Wl,--no-as-needed $(pkg-config --cflags --libs $modules)
./all
"""


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _array(name: str, values: Sequence[str]) -> str:
    flat = f"{name} = [{', '.join(map(_text, values))}]"
    if len(flat) <= 100:
        return flat
    return "\n".join([f"{name} = [", *(f"    {_text(value)}," for value in values), "]"])
