"""Loads packages and .bzl files, each once, and finds targets by label.

https://bazel.build/concepts/build-files and https://bazel.build/concepts/labels.  What failed once fails again with the
same diagnostics; nothing that failed hides another package.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from bazel2ninja.diagnostics import Diagnostic, Location, Note, WorkspaceError, suggestion
from bazel2ninja.filesystem import FileSystem
from bazel2ninja.labels import MAIN_REPOSITORY, Label, LabelSyntaxError, PackageIdentifier, RepositoryMapping
from bazel2ninja.loading.attributes import LabelConverter
from bazel2ninja.loading.bzl_file import BzlFile
from bazel2ninja.loading.call_sites import CallSites
from bazel2ninja.loading.environment import Environments
from bazel2ninja.loading.globber import Globber
from bazel2ninja.loading.package_builder import PackageBuilder
from bazel2ninja.loading.package_places import NoSuchPackageError, PackagePlaces
from bazel2ninja.loading.rule_class import RuleClass
from bazel2ninja.loading.target import (
    OutputFile,
    Package,
    PackageDefaults,
    PackageGroup,
    RuleTarget,
    SourceFile,
    Target,
)
from bazel2ninja.loading.visibility import matches, specification_matches
from bazel2ninja.starlark import (
    CodeCache,
    Dialect,
    Module,
    Program,
    Semantics,
    Thread,
    compile_source,
    execute,
)

if TYPE_CHECKING:
    from bazel2ninja.loading.repository import Repository


class RepositorySource(Protocol):
    """What Loader asks of a Workspace."""

    filesystem: FileSystem

    def repository(self, name: str) -> Repository:
        """By canonical name; raises WorkspaceError when it is not there."""
        ...


class NoSuchTargetError(WorkspaceError):
    """The package exists and declares no such target."""


class BrokenPackageError(WorkspaceError):
    """The package exists and its BUILD file, or what it loads, is wrong."""


@dataclass(frozen=True, slots=True)
class _Failure:
    """A remembered error, with its diagnostics as they were before any caller added to them."""

    error: WorkspaceError
    diagnostics: tuple[Diagnostic, ...]

    def again(self) -> WorkspaceError:
        self.error.diagnostics = self.diagnostics
        return self.error.with_traceback(None)


T = TypeVar("T")


class Loader:
    """The packages of a workspace.

    natives: rule kinds of BUILD files by name.  bzl_globals: what upper layers add to .bzl files; values may be
    `environment.PerFile`; values with a method `starlark_export(module: Label, name: str)` get it called when they are
    a global of a finished .bzl file.  deleted_packages: as on the command line.  skipped_directories: directories, as the
    process opens them, that are no part of the source tree (the output root's own).
    """

    def __init__(
        self,
        workspace: RepositorySource,
        natives: Mapping[str, RuleClass],
        bzl_globals: Mapping[str, object],
        semantics: Semantics,
        cache: CodeCache | None = None,
        *,
        deleted_packages: Collection[PackageIdentifier] = (),
        skipped_directories: Collection[str] = (),
        print: Callable[[str, Location], None] | None = None,
    ):
        self.workspace = workspace
        self.filesystem = workspace.filesystem
        self.semantics = semantics
        self.places = PackagePlaces(self.filesystem, self.repository, deleted_packages, skipped_directories)
        self._cache = cache
        self._print = print
        self._environments = Environments(natives, bzl_globals)
        self._packages: dict[PackageIdentifier, Package | _Failure] = {}
        self._modules: dict[Label, Module | _Failure] = {}
        self._bzl_files: dict[Label, BzlFile] = {}
        self._repositories: dict[str, Repository | _Failure] = {}
        self._converters: dict[PackageIdentifier, LabelConverter] = {}
        self._globbers: dict[PackageIdentifier, Globber] = {}
        self._loading: list[Label] = []

    # Repositories.

    def repository(self, name: str) -> Repository:
        """The repository of a canonical name; raises WorkspaceError when it is missing."""
        return self._remembered(self._repositories, name, lambda: self.workspace.repository(name))

    def _remembered(self, known: dict[Any, Any], key: object, make: Callable[[], T]) -> T:
        found = known.get(key)
        if found is None:
            try:
                found = make()
            except WorkspaceError as problem:
                known[key] = _Failure(problem, problem.diagnostics)
                raise
            known[key] = found
        elif found.__class__ is _Failure:
            raise found.again()
        return found

    def _semantics_of(self, repository: Repository) -> Semantics:
        return Semantics() if getattr(repository, "builtin", False) else self.semantics

    def converter(self, package: PackageIdentifier) -> LabelConverter:
        """How texts in the files of a package become labels."""
        found = self._converters.get(package)
        if found is None:
            mapping: RepositoryMapping = self.repository(package.repository).mapping
            found = self._converters[package] = LabelConverter(package, mapping)
        return found

    # .bzl files.

    def module(self, label: Label) -> Module:
        """An executed .bzl file; raises WorkspaceError, for a cycle of loads, too."""
        found = self._modules.get(label)
        if found is None and label in self._loading:
            chain = [*self._loading[self._loading.index(label) :], label]
            raise WorkspaceError(
                Diagnostic(
                    f"cycle of load() statements: '{label}' loads itself",
                    notes=tuple(Note(f"'{a}' loads '{b}'") for a, b in itertools.pairwise(chain)),
                )
            )
        return self._remembered(self._modules, label, lambda: self._load_module(label))

    def bzl_file(self, label: Label) -> BzlFile:
        """What a .bzl file that has been loaded said about itself."""
        self.module(label)
        return self._bzl_files[label]

    def _load_module(self, label: Label) -> Module:
        repository = self.repository(label.repository)
        directory = self.places.build_file(label.package)[0]
        path = f"{directory}/{label.name}" if directory != "." else label.name
        if not self.filesystem.is_file(path):
            raise NoSuchTargetError(self._missing_bzl(label, directory))
        file = self._bzl_files[label] = BzlFile(label, self.converter(label.package))
        semantics = self._semantics_of(repository)
        program = compile_source(
            self.filesystem.read(path),
            path,
            dialect=Dialect.BZL,
            semantics=semantics,
            predeclared=self._environments.bzl_names,
            cache=self._cache,
        )
        self._loading.append(label)
        try:
            modules = self._load_all(program, label.package)
            module = execute(
                program,
                Thread(semantics, self._print, {"bzl_file": file}),
                self._environments.bzl(file, semantics),
                lambda name, where: modules[name],
                label=label,
            )
        finally:
            self._loading.pop()
        for name, value in module.all_globals().items():
            export = getattr(value, "starlark_export", None)
            if export is not None:
                export(label, name)
        return module

    def _missing_bzl(self, label: Label, directory: str) -> Diagnostic:
        folder, _, name = f"{directory}/{label.name}".rpartition("/")
        names: list[str] = []
        if self.filesystem.is_directory(folder or "."):
            names = [entry for entry, kind in self.filesystem.entries(folder or ".") if kind == "file"]
        return Diagnostic(
            f"cannot load '{label}': no such file", help=suggestion(name, [n for n in names if n.endswith(".bzl")])
        )

    def _load_all(self, program: Program, package: PackageIdentifier) -> dict[str, Mapping[str, object]]:
        """The public names of every file that a program loads, by the text of the load statement."""
        found: dict[str, Mapping[str, object]] = {}
        for text, _, where in program.loads:
            if text not in found:
                found[text] = self._load_for(text, where, package)[1].globals
        return found

    def _load_for(self, text: str, where: Location, package: PackageIdentifier) -> tuple[Label, Module]:
        """The file that a load statement at `where` in `package` names; errors have that place."""
        try:
            label = self.load_label(text, package)
            module = self.module(label)
        except WorkspaceError as problem:
            if problem.diagnostic.location is None:
                raise problem.at(where) from None
            raise problem.at(None, Note(f"loaded as '{text}' here", where)) from None
        file = self._bzl_files[label]
        if not file.is_visible_from(package):
            raise WorkspaceError(
                Diagnostic(
                    f"'{label}' is not visible for loading from package '{package}'",
                    where,
                    notes=(Note("the file's visibility() declaration is here", file.visibility_location),),
                )
            )
        return label, module

    def load_label(self, text: str, package: PackageIdentifier) -> Label:
        """What the text of a load statement in a file of `package` means; raises LabelSyntaxError."""
        if not text.startswith(("//", "@", ":")):
            raise LabelSyntaxError(
                Diagnostic(
                    f"invalid load of {text!r}: a load statement's label starts with '//', ':' or '@'",
                    help=f"write ':{text}' for a file of the same package",
                )
            )
        label = self.converter(package)(text)
        if not label.name.endswith((".bzl", ".scl")):
            raise LabelSyntaxError(
                Diagnostic(f"invalid load of {text!r}: the label must reference a file with extension '.bzl' or '.scl'")
            )
        directory = self.places.build_file(label.package)[0]
        if "/" in label.name:
            border = self.globber(label.package, directory).crosses_border(label.name)
            if border is not None:
                inner = f"{label.package.path}/{border}" if label.package.path else border
                rest = label.name[len(border) + 1 :]
                raise LabelSyntaxError(
                    Diagnostic(
                        f"label '{label}' crosses the boundary of package '{inner}'",
                        help=f"write '{Label(PackageIdentifier(label.repository, inner), rest)}'",
                    )
                )
        return label

    # Packages.

    def package(self, identifier: PackageIdentifier) -> Package:
        """A loaded package; raises NoSuchPackageError, BrokenPackageError, or the error of a missing repository."""
        return self._remembered(self._packages, identifier, lambda: self._load_package(identifier))

    def globber(self, package: PackageIdentifier, directory: str) -> Globber:
        """The files of a package."""
        found = self._globbers.get(package)
        if found is None:
            found = self._globbers[package] = Globber(self.filesystem, directory, self.places.border_test(package))
        return found

    def _load_package(self, identifier: PackageIdentifier) -> Package:
        repository = self.repository(identifier.repository)
        directory, build_name = self.places.build_file(identifier)
        path = f"{directory}/{build_name}" if directory != "." else build_name
        try:
            return self._run_build_file(identifier, repository, directory, path, build_name)
        except BrokenPackageError:
            raise
        except WorkspaceError as problem:
            raise BrokenPackageError(*problem.diagnostics) from problem.__cause__

    def _run_build_file(
        self, identifier: PackageIdentifier, repository: Repository, directory: str, path: str, build_name: str
    ) -> Package:
        source = self.filesystem.read(path)
        semantics = self._semantics_of(repository)
        program = compile_source(
            source,
            path,
            dialect=Dialect.BUILD,
            semantics=semantics,
            predeclared=self._environments.build_names,
            cache=self._cache,
        )
        builder = PackageBuilder(
            identifier,
            Label(identifier, build_name),
            directory,
            self.converter(identifier),
            self.globber(identifier, directory),
            CallSites(path, source),
            semantics,
            PackageDefaults(),
        )
        loads: list[Label] = []
        symbols: dict[str, Mapping[str, object]] = {}
        for text, _, where in program.loads:
            if text not in symbols:
                label, module = self._load_for(text, where, identifier)
                loads.append(label)
                symbols[text] = module.globals
        thread = Thread(semantics, self._print, {"package": builder})
        try:
            execute(
                program,
                thread,
                self._environments.build(semantics),
                lambda name, where: symbols[name],
                label=builder.build_file,
            )
            for expand in builder.finalizers:
                thread.call(expand)
        except WorkspaceError as problem:
            raise BrokenPackageError(*builder.errors, *problem.diagnostics) from problem.__cause__
        return builder.finish(loads)

    # Targets.

    def target(self, label: Label, wanted_by: RuleTarget | None = None) -> Target:
        """The target of a label; raises NoSuchTargetError with a suggestion, or what `package` raises.

        wanted_by: the rule that depends on it, for the message.
        """
        try:
            package = self.package(label.package)
        except WorkspaceError as problem:
            if wanted_by is None:
                raise
            raise problem.at(
                wanted_by.location, Note(f"'{label}' is wanted by '{wanted_by.label}'", wanted_by.location)
            ) from None
        found = package.targets.get(label.name)
        if found is None:
            raise NoSuchTargetError(self._missing_target(label, package, wanted_by))
        return found

    def _missing_target(self, label: Label, package: Package, wanted_by: RuleTarget | None) -> Diagnostic:
        where = f"{package.directory}/{package.build_file.name}"
        path = label.package.path
        message = f"no such target '{label}': target '{label.name}' is not declared in package '{path}'"
        notes = [Note(f"the package is defined by {where}")]
        if wanted_by is not None:
            notes.append(Note(f"wanted by '{wanted_by.label}'", wanted_by.location))
        globber = self.globber(label.package, package.directory)
        border = globber.crosses_border(label.name) if "/" in label.name else None
        if border is not None:
            inner = PackageIdentifier(label.repository, f"{path}/{border}" if path else border)
            message = f"invalid label '{label}': '{inner.path}' is a package of its own"
            help: str | None = f"write '{Label(inner, label.name[len(border) + 1 :])}'"
        elif self.filesystem.is_file(f"{package.directory}/{label.name}"):
            help = f"a source file of this name exists: add 'exports_files([\"{label.name}\"])' to {where}"
        else:
            help = suggestion(label.name, package.targets)
        return Diagnostic(message, wanted_by.location if wanted_by else None, help=help, notes=tuple(notes))

    def check_source(self, source: SourceFile, wanted_by: RuleTarget | None = None) -> str:
        """Path of a source file as the process opens it; raises NoSuchTargetError when there is no such file."""
        package = self.package(source.label.package)
        path = f"{package.directory}/{source.label.name}" if package.directory != "." else source.label.name
        if self.filesystem.is_file(path) or self.filesystem.is_directory(path):
            return path
        folder = path.rpartition("/")[0] or "."
        siblings = (
            [name for name, kind in self.filesystem.entries(folder)] if self.filesystem.is_directory(folder) else []
        )
        close = suggestion(path.rpartition("/")[2], {*siblings, *package.targets} - {source.label.name})
        raise NoSuchTargetError(
            Diagnostic(
                f"missing input file '{source.label}': there is neither a file nor a rule of this name",
                wanted_by.location if wanted_by else source.location,
                help=close,
                notes=(Note(f"wanted by '{wanted_by.label}'", wanted_by.location),) if wanted_by else (),
            )
        )

    # Visibility.

    def is_visible(self, consumer: PackageIdentifier, dependency: Target) -> bool:
        """Whether targets of the package `consumer` may depend on `dependency`."""
        if consumer is dependency.label.package:
            return True
        visibility = dependency.visibility
        if visibility.public or matches(visibility.packages, consumer):
            return True
        return any(self.group_contains(group, consumer) for group in visibility.groups)

    def group_contains(self, group: Label, package: PackageIdentifier) -> bool:
        """Whether a package_group(), with those it includes, contains a package."""
        pending, seen = [group], {group}
        while pending:
            label = pending.pop()
            target = self.target(label)
            if not isinstance(target, PackageGroup):
                raise WorkspaceError(
                    Diagnostic(f"'{label}' is used as a package group, but is a {target.kind}", target.location)
                )
            if specification_matches(target.public, target.specifications, package):
                return True
            fresh = [included for included in target.includes if included not in seen]
            pending += fresh
            seen.update(fresh)
        return False

    def check_visibility(self, consumer: RuleTarget, dependency: Target) -> None:
        """Raises WorkspaceError when `consumer` may not depend on `dependency`."""
        if self.is_visible(consumer.label.package, dependency):
            return
        what = dependency
        if isinstance(dependency, OutputFile):
            what = self.target(dependency.generating_rule)
        raise WorkspaceError(
            Diagnostic(
                f"target '{dependency.label}' is not visible from target '{consumer.label}'",
                consumer.location,
                help=f"add '{consumer.label.package}:__pkg__' to the visibility of '{what.label}'"
                if consumer.label.package.path
                else None,
                notes=(Note(f"'{what.label}' is declared here", what.location),),
            )
        )

    # Many packages at once.

    def packages_below(self, start: PackageIdentifier) -> Iterable[PackageIdentifier]:
        """Every package at or below a directory, sorted."""
        return self.places.packages_below(start)


__all__ = ["MAIN_REPOSITORY", "BrokenPackageError", "Loader", "NoSuchPackageError", "NoSuchTargetError"]
