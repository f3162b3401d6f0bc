"""From the settings and the analysed workspace to what is installed."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from bazel2ninja.analysis.action import CppLinkAction, SymlinkAction
from bazel2ninja.debpkg import isa_variants
from bazel2ninja.debpkg.installation import Analysed, Installation, Layout, Relinker
from bazel2ninja.debpkg.isa_levels import IsaLevel
from bazel2ninja.debpkg.libraries import Libraries
from bazel2ninja.debpkg.python_objects import PythonObjects
from bazel2ninja.debpkg.python_packages import install_extension, install_package
from bazel2ninja.debpkg.python_versions import PythonVersion
from bazel2ninja.debpkg.settings import FurtherFile, Program, Settings
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.rules.cc_info import CcInfo


def installation(
    settings: Settings,
    analysed: Analysed,
    layout: Layout,
    prefix: str,
    version: str,
    levels: Sequence[IsaLevel] = (),
    versions: Sequence[PythonVersion] = (),
    objects: PythonObjects | None = None,
) -> Installation:
    """Everything that the settings ask for; raises WorkspaceError that names the entry which cannot be had.

    levels: for which of the processor levels the libraries are built again; versions: of Python, and objects, which
    tells what depends on them, for extension modules.
    """
    result = Installation()
    libraries = Libraries(settings.libraries, analysed, layout)
    relinker = Relinker(analysed, libraries.owners())
    libraries.install(result, relinker, prefix, version)
    if settings.cmake:
        libraries.install_cmake(settings.cmake, result, version)
    for level in levels:
        isa_variants.install(level, libraries.files(), analysed, layout, result)
    for program in settings.programs:
        _program(program, analysed, relinker, result)
    for extension in settings.extensions:
        assert objects is not None
        holders = [link for name in extension.libraries if (link := libraries.link(name, result)) is not None]
        install_extension(extension, holders, versions, objects, analysed, layout, relinker, result)
    modules = [extension.module for extension in settings.extensions if not extension.directory]
    for package in settings.python_packages:
        install_package(package, version, modules, analysed, result)
    for further in settings.install:
        _further(further, analysed, relinker, result)
    return result


def _program(program: Program, analysed: Analysed, relinker: Relinker, result: Installation) -> None:
    target = analysed.named(program.target, program.location)
    name = program.name or posixpath.basename(target.actual.name)
    path = posixpath.join(program.directory, name)
    action = analysed.link_of(target)
    if action is not None:
        result.add(relinker.installed(action, path, result), path, "755")
        return
    executable = target.executable
    if executable is None:
        kind = "C++ library: it is installed by a [[library]]" if target.get(CcInfo) is not None else "program"
        raise WorkspaceError(Diagnostic(f"'{target.actual}' is no {kind}", program.location))
    generator = analysed.generator(executable)
    if not executable.is_source and not isinstance(generator, SymlinkAction):
        raise WorkspaceError(
            Diagnostic(
                f"'{target.actual}' cannot be installed: only programs that are linked and single scripts can be",
                program.location,
                help="it needs its runfiles; install its files in debian/rules",
            )
        )
    result.add(executable, path, "755")


def _further(further: FurtherFile, analysed: Analysed, relinker: Relinker, result: Installation) -> None:
    target = analysed.named(further.label, further.location)
    files = target.files.flatten()
    if not further.path.endswith("/") and len(files) != 1:
        raise WorkspaceError(
            Diagnostic(
                f"'{target.actual}' has {len(files)} files, and one path is given for them",
                further.location,
                help="a path that ends in '/' keeps their names",
            )
        )
    for file in files:
        name = posixpath.basename(file.exec_path)
        path = further.path + name if further.path.endswith("/") else further.path
        action = analysed.generator(file)
        if isinstance(action, CppLinkAction) and action.kind in ("executable", "shared"):
            mode = "755" if action.kind == "executable" else "644"
            result.add(relinker.installed(action, path, result), path, mode)
        else:
            result.add(file, path, "644")
