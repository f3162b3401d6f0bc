"""debian/bazel2ninja.toml: what a Debian package takes of a Bazel workspace, and under which names it installs it.

KEYS, LIBRARY_KEYS and PROGRAM_KEYS are the whole language of the file; its manual page is made from them.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bazel2ninja.debpkg.isa_levels import IsaLevel, levels
from bazel2ninja.debpkg.settings_file import Key, SettingsFile, read
from bazel2ninja.diagnostics import Location

FILE = "debian/bazel2ninja.toml"

KEYS = (
    Key(
        "targets",
        list,
        "target patterns that dh_auto_build builds, as for 'bazel build'; default: those of every [[library]], "
        "[[program]] and of [install], or '//...' when the file names none",
        '["//:words"]',
    ),
    Key("tests", list, "target patterns whose tests dh_auto_test runs; default: none", '["//...", "-//bench/..."]'),
    Key("flags", list, "further options of 'bazel build'; '-c opt' is given always", '["--define=tracing=off"]'),
    Key(
        "architecture_flags",
        dict,
        "such options for one architecture, by Debian's name of it: words as in a shell",
        '{amd64 = "--copt=-mno-sse4.2"}',
    ),
    Key("vendor", list, "directories that hold external repositories, one in each subdirectory", '["debian/vendor"]'),
    Key(
        "repositories",
        dict,
        "external repositories by name: a directory, relative to the source tree or absolute",
        '{com_example_words = "/usr/share/words"}',
    ),
    Key(
        "cmake",
        str,
        "name of a CMake package with an imported target NAME::LIBRARY for every [[library]] and [[headers]]; default: "
        "none is installed",
        '"words"',
    ),
    Key(
        "isa",
        list,
        "processor levels for which every [[library]] is built again, into glibc-hwcaps/LEVEL below the directory of "
        "libraries: x86-64-v2, x86-64-v3, x86-64-v4, power9, power10, z13 to z16; those of other architectures are "
        "left out, and all with DEB_BUILD_OPTIONS=noisa or a build profile pkg.SOURCE.noisa",
        '["x86-64-v3"]',
    ),
    Key(
        "python",
        list,
        "versions of Python that every [[extension]] is built for; default: those whose headers are installed",
        '["3.11"]',
    ),
    Key(
        "dropped_flags",
        list,
        "flags of the project that are taken away although they ask for this very machine, such as -march=native; "
        "without, they are an error",
        '["-march=native"]',
    ),
    Key(
        "install",
        dict,
        "further files: label of a source or generated file = path below the prefix; a path that ends in '/' keeps the "
        "file's name",
        '{"//doc:syntax.txt" = "share/doc/libwords-dev/"}',
    ),
)

LIBRARY_KEYS = (
    Key("name", str, "the name after 'lib' and in '-lNAME'", '"words"', required=True),
    Key(
        "targets",
        list,
        "cc_library targets whose code it holds, or one cc_binary with linkshared or cc_shared_library that is linked "
        "again under the name; what they depend on and no other library names is part of it, too",
        '["//:words"]',
        required=True,
    ),
    Key("soname", str, "the library's SONAME; it must begin with 'libNAME.so'", '"libwords.so.9"', required=True),
    Key(
        "version",
        str,
        "the version in the file's name, libNAME.so.VERSION, to which the SONAME becomes a link; default: the "
        "SONAME is the file's name",
        '"9.0.0"',
    ),
    Key("static", bool, "whether libNAME.a is installed, too; default: false", "true"),
    Key("headers", list, "which public headers are installed: shell patterns over their include paths; default: all",
        '["words/*.h"]'),
    Key("include", str, "directory below include/ that the headers go to; default: include/ itself", '"words-9"'),
    Key("pkg_config", str, 'name of the pkg-config file; "" for none; default: the library\'s name', '"words"'),
    Key("description", str, "its Description; default: the library's name", '"counts words"'),
    Key("requires", list, "its Requires, besides the other libraries of this file that are needed", '["zlib >= 1.2"]'),
    Key("linkopts", list, "further words for the link", '["-Wl,--version-script=debian/words.map"]'),
)  # fmt: skip

HEADERS_KEYS = tuple(
    Key("targets", list, "cc_library targets that have headers only", '["//:words"]', required=True)
    if key.name == "targets"
    else key
    for key in LIBRARY_KEYS
    if key.name in ("name", "targets", "headers", "include", "pkg_config", "description", "requires")
)

PROGRAM_KEYS = (
    Key("target", str, "a cc_binary, or an sh_binary of one script", '"//tools:convert"', required=True),
    Key("name", str, "its name when installed; default: the target's", '"words-convert"'),
    Key("directory", str, "directory below the prefix; default: bin", '"libexec/words"'),
)

EXTENSION_KEYS = (
    Key(
        "target",
        str,
        "a cc_binary with linkshared, or a cc_shared_library",
        '"//words/python:_words.so"',
        required=True,
    ),
    Key("module", str, "its name when imported, with the packages that hold it", '"words._words"', required=True),
    Key(
        "directory",
        str,
        "directory below that of libraries, for a file that is opened by its name: it is called MODULE.so there, and "
        "has a RUNPATH of $ORIGIN; default: dist-packages, with the suffix of each version of Python",
        '"words"',
    ),
    Key(
        "libraries",
        list,
        "names of [[library]] tables: what these hold the module takes from them, and so from their variants for "
        "processor levels, even if the project links it in; default: only code that is the library's alone",
        '["words"]',
    ),
    Key("linkopts", list, "further words for the link", '["-Wl,--version-script=debian/words.map"]'),
)

PYTHON_KEYS = (
    Key(
        "targets",
        list,
        "py_library or py_binary targets: their Python sources, and those of this repository that they need, are "
        "installed in dist-packages under the paths by which they are imported",
        '["//words/python:words"]',
        required=True,
    ),
    Key("files", list, "patterns of the paths below the directory that are installed; default: all", '["words/*"]'),
    Key(
        "data",
        list,
        "patterns of the paths of files in 'data' of these targets that are installed, if 'files' lets them in; "
        "programs and what is linked never are: they have tables of their own; default: all",
        '["words/*.txt"]',
    ),
    Key("directory", str, "directory below dist-packages; default: dist-packages itself", '"vendored"'),
    Key(
        "distribution",
        str,
        "its name for importlib.metadata and pip: NAME-VERSION.dist-info is installed; default: none is",
        '"words"',
    ),
    Key("version", str, "its version; default: that of the package", '"1.0"'),
    Key("summary", str, "one line about it; default: none", '"counts words"'),
    Key(
        "requires",
        list,
        "distributions that it needs, as Requires-Dist has them; dh_python3 makes ${python3:Depends} of them",
        '["numpy >= 1.20"]',
    ),
)

_TABLES = ("library", "headers", "program", "extension", "python_package")
_DISTRIBUTION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")  # of core metadata
_PYTHON_VERSION = re.compile(r"v?\d+(?:\.\d+)*(?:[A-Za-z0-9.+_-]*)")
_SONAME = re.compile(r"lib[A-Za-z0-9+._-]+\.so(\.[A-Za-z0-9._]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """One shared library, see LIBRARY_KEYS; without SONAME what only has headers, see HEADERS_KEYS."""

    name: str
    targets: tuple[str, ...]
    soname: str = ""
    version: str = ""
    static: bool = False
    headers: tuple[str, ...] = ("*",)
    include: str = ""
    pkg_config: str = ""
    description: str = ""
    requires: tuple[str, ...] = ()
    linkopts: tuple[str, ...] = ()
    location: Location | None = None

    @property
    def file_name(self) -> str:
        return f"lib{self.name}.so.{self.version}" if self.version else self.soname

    @property
    def links(self) -> tuple[str, ...]:
        """Names of the links to the file, the SONAME and the one that the linker looks for."""
        return tuple(name for name in dict.fromkeys((self.soname, f"lib{self.name}.so")) if name != self.file_name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program; see PROGRAM_KEYS."""

    target: str
    name: str = ""
    directory: str = "bin"
    location: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """One Python extension module; see EXTENSION_KEYS."""

    target: str
    module: str
    directory: str = ""
    libraries: tuple[str, ...] = ()
    linkopts: tuple[str, ...] = ()
    location: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonPackage:
    """Python sources; see PYTHON_KEYS."""

    targets: tuple[str, ...]
    files: tuple[str, ...] = ("*",)
    data: tuple[str, ...] = ("*",)
    directory: str = ""
    distribution: str = ""
    version: str = ""
    summary: str = ""
    requires: tuple[str, ...] = ()
    location: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FurtherFile:
    """A file of [install]: its label and where it goes below the prefix."""

    label: str
    path: str
    location: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole file.  path: the file's own, "" when there is none."""

    path: str = ""
    targets: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    architecture_flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    vendor: tuple[str, ...] = ()
    repositories: Mapping[str, str] = field(default_factory=dict)
    libraries: tuple[Library, ...] = ()
    programs: tuple[Program, ...] = ()
    install: tuple[FurtherFile, ...] = ()
    extensions: tuple[Extension, ...] = ()
    python_packages: tuple[PythonPackage, ...] = ()
    cmake: str = ""
    isa: tuple[IsaLevel, ...] = ()
    python: tuple[str, ...] = ()
    dropped_flags: tuple[str, ...] = ()

    @property
    def installed_targets(self) -> tuple[str, ...]:
        """Every label that the file says something about installing of."""
        return tuple(
            dict.fromkeys(
                [label for library in self.libraries for label in library.targets]
                + [program.target for program in self.programs]
                + [extension.target for extension in self.extensions]
                + [label for package in self.python_packages for label in package.targets]
                + [further.label for further in self.install]
            )
        )

    @property
    def built_targets(self) -> tuple[str, ...]:
        return self.targets or self.installed_targets or ("//...",)


def parse(path: str, text: str) -> Settings:
    """The settings of a file; raises WorkspaceError that names the place of whatever is wrong."""
    file = read(path, text)
    values = {name: value for name, value in file.values.items() if name not in _TABLES}
    also = (*KEYS, *(Key(name, list, "") for name in _TABLES))
    unknown = [name for name in values if name not in {key.name for key in KEYS}]
    if unknown:  # tables count as near misses as well
        file.table(
            {unknown[0]: None},
            also,
            "the file",
        )
    values = file.table(values, KEYS, "the file")
    libraries = tuple(_library(file, table, index) for index, table in enumerate(_tables(file, "library")))
    programs = tuple(_program(file, table, index) for index, table in enumerate(_tables(file, "program")))
    libraries += tuple(_headers(file, table, index) for index, table in enumerate(_tables(file, "headers")))
    _check_names(file)
    if not re.fullmatch(r"[A-Za-z0-9_.+-]*", values.get("cmake", "")):
        raise file.error(f"'{values['cmake']}' is no name of a CMake package", "cmake")
    if values.get("cmake") and not libraries:
        raise file.error("no [[library]] or [[headers]] for a CMake package", "cmake")
    if values.get("isa") and not libraries:
        raise file.error("no [[library]] that could be built for other processor levels", "isa")
    return Settings(
        path=path,
        targets=tuple(values.get("targets", ())),
        tests=tuple(values.get("tests", ())),
        flags=tuple(values.get("flags", ())),
        architecture_flags={
            name: _words(file, text, "architecture_flags", name)
            for name, text in values.get("architecture_flags", {}).items()
        },
        vendor=tuple(values.get("vendor", ())),
        repositories=dict(values.get("repositories", {})),
        libraries=libraries,
        programs=programs,
        extensions=tuple(_extension(file, table, i) for i, table in enumerate(_tables(file, "extension"))),
        python_packages=tuple(
            _python_package(file, table, i) for i, table in enumerate(_tables(file, "python_package"))
        ),
        python=tuple(values.get("python", ())),
        cmake=values.get("cmake", ""),
        isa=levels(values.get("isa", ()), file.location("isa")),
        dropped_flags=tuple(values.get("dropped_flags", ())),
        install=tuple(
            FurtherFile(
                label=label, path=_inside(file, target, "install", label), location=file.location("install", label)
            )
            for label, target in values.get("install", {}).items()
        ),
    )


def _tables(file: SettingsFile, name: str) -> list[dict[str, object]]:
    tables = file.values.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise file.error(f"'{name}' must be a list of tables", name, help=f"write [[{name}]]")
    return tables


def _library(file: SettingsFile, table: dict[str, object], index: int) -> Library:
    way = ("library", index)
    values = file.table(table, LIBRARY_KEYS, "a library", *way)
    name, soname = values["name"], values["soname"]
    if not _SONAME.fullmatch(soname) or not (soname == f"lib{name}.so" or soname.startswith(f"lib{name}.so.")):
        raise file.error(
            f"'{soname}' is no SONAME of the library '{name}'", *way, "soname", help=f"it begins with 'lib{name}.so'"
        )
    if "/" in name or "/" in values.get("version", ""):
        raise file.error("a library's name and version hold no '/'", *way, "name")
    return Library(
        **_common(file, values, way),
        soname=soname,
        version=values.get("version", ""),
        static=values.get("static", False),
        linkopts=tuple(values.get("linkopts", ())),
    )


def _headers(file: SettingsFile, table: dict[str, object], index: int) -> Library:
    way = ("headers", index)
    values = file.table(table, HEADERS_KEYS, "a table of headers", *way)
    if "/" in values["name"]:
        raise file.error("the name of headers holds no '/'", *way, "name")
    return Library(**_common(file, values, way))


def _common(file: SettingsFile, values: Mapping[str, Any], way: tuple[str, int]) -> dict[str, Any]:
    """What [[library]] and [[headers]] both say."""
    name = values["name"]
    if not values["targets"]:
        raise file.error(f"the library '{name}' has no targets", *way, "targets")
    return {
        "name": name,
        "targets": tuple(values["targets"]),
        "headers": tuple(values.get("headers", ("*",))),
        "include": _inside(file, values.get("include", ""), *way, "include"),
        "pkg_config": values.get("pkg_config", name),
        "description": values.get("description", name),
        "requires": tuple(values.get("requires", ())),
        "location": file.location(*way),
    }


def _program(file: SettingsFile, table: dict[str, object], index: int) -> Program:
    way = ("program", index)
    values = file.table(table, PROGRAM_KEYS, "a program", *way)
    if "/" in values.get("name", ""):
        raise file.error("a program's name holds no '/'", *way, "name", help="'directory' says where it goes")
    return Program(
        target=values["target"],
        name=values.get("name", ""),
        directory=_inside(file, values.get("directory", "bin"), *way, "directory"),
        location=file.location(*way),
    )


def _extension(file: SettingsFile, table: dict[str, object], index: int) -> Extension:
    way = ("extension", index)
    values = file.table(table, EXTENSION_KEYS, "an extension", *way)
    known = [str(each.get("name")) for each in _tables(file, "library")]
    for name in values.get("libraries", ()):
        if name not in known:
            message = f"the file has no [[library]] named '{name}'"
            help = f"there are: {', '.join(known)}" if known else None
            raise file.error(message, *way, "libraries", help=help)
    if not all(part.isidentifier() for part in values["module"].split(".")):
        raise file.error(f"'{values['module']}' is no name of a Python module", *way, "module")
    return Extension(
        target=values["target"],
        module=values["module"],
        directory=_inside(file, values.get("directory", ""), *way, "directory"),
        libraries=tuple(values.get("libraries", ())),
        linkopts=tuple(values.get("linkopts", ())),
        location=file.location(*way),
    )


def _python_package(file: SettingsFile, table: dict[str, object], index: int) -> PythonPackage:
    way = ("python_package", index)
    values = file.table(table, PYTHON_KEYS, "a Python package", *way)
    distribution = values.get("distribution", "")
    if distribution and not _DISTRIBUTION.fullmatch(distribution):
        raise file.error(f"'{distribution}' is no name of a Python distribution", *way, "distribution")
    version = values.get("version", "")
    if version and not _PYTHON_VERSION.fullmatch(version):
        raise file.error(f"'{version}' is no version of a Python distribution", *way, "version")
    for key in ("version", "summary", "requires"):
        if key in values and not distribution:
            raise file.error(f"'{key}' says something about no distribution", *way, key, help="add 'distribution'")
    for key, text in (
        ("summary", values.get("summary", "")),
        *(("requires", text) for text in values.get("requires", ())),
    ):
        if "\n" in text:
            raise file.error(f"'{key}' takes one line", *way, key)
    return PythonPackage(
        targets=tuple(values["targets"]),
        files=tuple(values.get("files", ("*",))),
        data=tuple(values.get("data", ("*",))),
        directory=_inside(file, values.get("directory", ""), *way, "directory"),
        distribution=distribution,
        version=version,
        summary=values.get("summary", ""),
        requires=tuple(values.get("requires", ())),
        location=file.location(*way),
    )


def _words(file: SettingsFile, text: str, *way: str | int) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise file.error(f"cannot be read as words of a shell: {str(error).lower()}", *way) from None


def _inside(file: SettingsFile, path: str, *way: str | int) -> str:
    """A path below the prefix, as it was written; raises WorkspaceError for one that leaves it."""
    if path.startswith("/") or ".." in path.split("/"):
        raise file.error(
            f"'{path}' would be installed outside the package", *way, help="write a path relative to the prefix"
        )
    return path if path.endswith("/") or not path else posixpath.normpath(path)


def _check_names(file: SettingsFile) -> None:
    seen: set[str] = set()
    for kind in ("library", "headers"):
        for index, table in enumerate(_tables(file, kind)):
            name = table["name"]
            if name in seen:
                raise file.error(f"a second library '{name}'", kind, index, "name")
            seen.add(str(name))
