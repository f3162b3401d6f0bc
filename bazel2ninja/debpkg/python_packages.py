"""Python extension modules and packages in dist-packages, or in a directory of their own.

An extension module is linked against the installed libraries, so that it profits from their variants: the loader never
looks into glibc-hwcaps for a file that is opened by its path, as every module is.
"""

from __future__ import annotations

import fnmatch
import posixpath
from collections.abc import Iterator, Mapping, Sequence

from bazel2ninja.analysis.action import CppCompileAction, CppLinkAction, SymlinkAction, WriteAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.debpkg import dist_info
from bazel2ninja.debpkg.installation import Analysed, Installation, Layout, Relinker
from bazel2ninja.debpkg.python_objects import PythonObjects
from bazel2ninja.debpkg.python_versions import PythonVersion
from bazel2ninja.debpkg.rebuild import Rebuild
from bazel2ninja.debpkg.settings import Extension, PythonPackage
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.rules.python import PyInfo

DIST_PACKAGES = "lib/python3/dist-packages"
"""Debian Python Policy 2.5, below /usr."""


def install_extension(
    extension: Extension,
    holders: Sequence[CppLinkAction],
    versions: Sequence[PythonVersion],
    objects: PythonObjects,
    analysed: Analysed,
    layout: Layout,
    relinker: Relinker,
    result: Installation,
) -> None:
    """Adds one extension module, for each version if its objects depend on the version.

    holders: links of the libraries that it takes code from.
    """
    target = analysed.named(extension.target, extension.location)
    action = analysed.link_of(target)
    if action is None or action.kind != "shared":
        raise WorkspaceError(
            Diagnostic(
                f"'{target.actual}' is no shared library, as an extension module must be",
                extension.location,
                help="name a cc_binary with linkshared = 1 or a cc_shared_library",
            )
        )
    parents, _, name = extension.module.rpartition(".")
    private = bool(extension.directory)
    search = ("-Wl,-rpath,$ORIGIN",) if private else ()
    made = relinker.installed(
        action,
        f"python/{extension.module.replace('.', '/')}.so",
        result,
        linkopts=(*search, *extension.linkopts),
        holders=holders,
    )
    if private:
        directory = posixpath.join(layout.libraries, extension.directory)
    else:
        directory = posixpath.join(DIST_PACKAGES, parents.replace(".", "/"))
    for version in versions:
        file = _ForVersion(version, objects, {made}, analysed, result).file(made)
        if file is made:  # the same for all versions
            result.add(file, posixpath.join(directory, f"{name}.so"), "644")
            return
        if private and len(versions) > 1:
            raise WorkspaceError(
                Diagnostic(
                    f"the extension '{extension.module}' differs from version to version of Python, but its name in "
                    f"'{extension.directory}' does not",
                    extension.location,
                    help=f'choose one: python = ["{versions[-1].version}"]',
                )
            )
        suffix = ".so" if private else version.suffix
        result.add(file, posixpath.join(directory, f"{name}{suffix}"), "644")


class _ForVersion(Rebuild):
    def __init__(
        self,
        version: PythonVersion,
        objects: PythonObjects,
        linked: set[Artifact],
        analysed: Analysed,
        result: Installation,
    ):
        super().__init__(f"python{version.version}", linked, analysed, result)
        self._version = version
        self._objects = objects

    def compile_flags(self, action: CppCompileAction) -> tuple[str, ...]:
        if action.language in ("c", "c++") and self._objects.depends(action):
            return (f"-I{self._version.include}",)
        return ()


def install_package(
    package: PythonPackage, version: str, modules: Sequence[str], analysed: Analysed, result: Installation
) -> None:
    """Adds the sources and data of Python targets, those of this repository that they depend on included.

    A directory below a package that has an __init__.py gets one, too, as it has where Bazel runs programs.  version: of
    the package that is built; modules: names of extension modules, which belong to the distribution.
    """
    places: dict[str, Artifact] = {}
    data: dict[str, Artifact] = {}
    for text in package.targets:
        target = analysed.named(text, package.location)
        info = target.get(PyInfo)
        if info is None:
            raise WorkspaceError(Diagnostic(f"'{target.actual}' is no Python library", package.location))
        roots = sorted(info.s_imports.flatten(), key=len, reverse=True)
        sources = [each for each in info.s_transitive_sources.flatten() if not each.short_path.startswith("../")]
        if not sources:
            raise WorkspaceError(Diagnostic(f"'{target.actual}' has no Python sources", package.location))
        for source in sources:
            path = _import_path(source, roots)
            if _one_of(package.files, path):
                places[path] = source
        known = set(info.s_transitive_sources.flatten())
        for file in target.default_runfiles.files.flatten():
            path = _import_path(file, roots)
            if (
                file in known
                or path.startswith("../")
                or not (_one_of(package.files, path) and _one_of(package.data, path))
            ):
                continue
            if not _is_program(file, analysed):
                _check_plain(file, package)
                data[path] = file
    for path, file in {**data, **places}.items():
        result.add(file, posixpath.join(DIST_PACKAGES, package.directory, path), "644")
    for path, source in _without_init(places):
        empty = analysed.declare(f"python/{posixpath.join(package.directory, path)}", source.owner)
        write = WriteAction(
            mnemonic="FileWrite",
            owner=empty.owner,
            configuration=analysed.configuration,
            outputs=(empty,),
            content="",
        )
        result.actions.append(write)
        result.add(empty, posixpath.join(DIST_PACKAGES, package.directory, path), "644")
    if package.distribution:
        names = [path.partition("/")[0].removesuffix(".py") for path in places]
        names += [name.partition(".")[0] for name in modules]
        dist_info.install(package, names, version, posixpath.join(DIST_PACKAGES, package.directory), analysed, result)


def _import_path(file: Artifact, roots: Sequence[str]) -> str:
    """Where a file is below the directory of sys.path that it is imported from; roots: those directories."""
    for root in roots:
        inside = root.partition("/")[2]  # after the workspace's name
        if inside and file.short_path.startswith(inside + "/"):
            return file.short_path[len(inside) + 1 :]
    return file.short_path


def _one_of(patterns: Sequence[str], path: str) -> bool:
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def _is_program(file: Artifact, analysed: Analysed) -> bool:
    """Whether it is linked, or starts a program with runfiles: installing takes more than copying it."""
    if file.is_source:
        return False
    action = analysed.generator(file)
    if isinstance(action, CppLinkAction):
        return True
    if isinstance(action, SymlinkAction) and action.inputs and _is_program(action.inputs[0], analysed):
        return True
    maker = analysed.target(file.owner)
    is_binary = isinstance(maker.target, RuleTarget) and maker.target.rule_class.executable
    return is_binary and maker.executable is file


def _check_plain(file: Artifact, package: PythonPackage) -> None:
    if file.is_directory:
        raise WorkspaceError(
            Diagnostic(
                f"'{file.owner}', which is data of a Python package, makes a directory: its files are not known yet",
                package.location,
                help="leave it out with 'data', and install it in debian/rules",
            )
        )


def _without_init(places: Mapping[str, Artifact]) -> Iterator[tuple[str, Artifact]]:
    """(path of an __init__.py that is missing below a package with one, a source beside or below it)."""
    done: set[str] = set()
    for path, source in places.items():
        parts = path.split("/")[:-1]
        directories = ["/".join(parts[: end + 1]) for end in range(len(parts))]
        regular = False
        for directory in directories:
            init = f"{directory}/__init__.py"
            if init in places:
                regular = True
            elif regular and init not in done:
                done.add(init)
                yield init, source
