"""Loads packages and .bzl files, each once, and finds targets by label.

https://bazel.build/concepts/build-files and https://bazel.build/concepts/labels.  What failed once fails again with the
same diagnostics; nothing that failed hides another package.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from bazel2ninja.diagnostics import Diagnostic, Location, Note, WorkspaceError, suggestion
from bazel2ninja.filesystem import FileSystem
from bazel2ninja.labels import Label, PackageIdentifier, RepositoryMapping, TargetPattern
from bazel2ninja.loading.attributes import LabelConverter
from bazel2ninja.loading.call_sites import CallSites
from bazel2ninja.loading.environment import NO_PRELUDE, Environments
from bazel2ninja.loading.errors import BrokenPackageError, NoSuchPackageError, NoSuchTargetError
from bazel2ninja.loading.external_package import (
    EXTERNAL,
    TOOLS_DEFAULTS,
    Bindings,
    external_package,
    tools_defaults_package,
)
from bazel2ninja.loading.globber import Globber
from bazel2ninja.loading.macro_scope import MacroScope
from bazel2ninja.loading.module_loader import ModuleLoader
from bazel2ninja.loading.package_builder import PackageBuilder
from bazel2ninja.loading.package_functions import package_defaults
from bazel2ninja.loading.package_places import PackagePlaces
from bazel2ninja.loading.patterns import expand
from bazel2ninja.loading.remembered import Remembered
from bazel2ninja.loading.repository import AbsentRepositoryError, OriginKind
from bazel2ninja.loading.repository_defaults import RepositoryDefaults, repository_defaults
from bazel2ninja.loading.rule_class import RuleClass
from bazel2ninja.loading.rule_function import RuleFunction
from bazel2ninja.loading.select import Select
from bazel2ninja.loading.target import (
    PUBLIC,
    Package,
    PackageDefaults,
    RuleTarget,
    SourceFile,
    Target,
)
from bazel2ninja.loading.visible import invisible, is_visible
from bazel2ninja.records import replace
from bazel2ninja.starlark import (
    CodeCache,
    Dialect,
    Module,
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
    source_directory: str

    @property
    def name(self) -> str:
        """Of the main repository in runfiles paths."""
        ...

    @property
    def bindings(self) -> Bindings:
        """What bind() declares."""
        ...

    def repository(self, name: str) -> Repository:
        """By canonical name; raises WorkspaceError when it is not there."""
        ...

    def repositories_within(self) -> Collection[str]:
        """Directories of the source tree that are repositories of their own."""
        ...

    def attach(self, load_module: Callable[[Label], Module]) -> None:
        """Takes what loads .bzl files, for the files that declare repositories."""
        ...

    def lacking(self, repository: Repository, what: str) -> Diagnostic | None:
        """The error that a repository which we bring lacks something, None for any other repository."""
        ...

    def completion(self, name: str) -> Repository | None:
        """What has the targets that the project's own BUILD files for a library of the system may lack."""
        ...

    def load_symbols(self, label: Label) -> Mapping[str, object]:
        """The public names of a .bzl file, or what stands for them when its repository is absent."""
        ...


class Loader:
    """The packages of a workspace.

    natives: rule kinds of BUILD files by name.  bzl_globals: what upper layers add to .bzl files; values may be
    `environment.PerFile`; values with a method `starlark_export(module: Label, name: str)` get it called when they are
    a global of a finished .bzl file.  deleted_packages: as on the command line.  skipped_directories: as the process
    opens them, those that are no part of the source tree (the output root's own).  missing_rule: stands for targets of
    absent repositories, errors without it.  provided: targets that packages have besides their own.
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
        missing_rule: RuleClass | None = None,
        provided: Mapping[Label, RuleTarget] = MappingProxyType({}),
    ):
        self.workspace = workspace
        self.filesystem = workspace.filesystem
        self.semantics = semantics
        self.places = PackagePlaces(
            self.filesystem,
            self.repository,
            deleted_packages,
            skipped_directories,
            lambda name: self._defaults[name].ignored,
            workspace.repositories_within,
            workspace.lacking,
        )
        self._cache = cache
        self._print = print
        self.recall: Callable[[PackageIdentifier], Package | None] | None = None  # packages that need not be made
        self.missing_rule = missing_rule  # of what stands for targets of absent repositories; None: they are errors
        self._provided = provided
        self.missing: dict[Label, RuleTarget] = {}  # what stands for targets of absent repositories
        self.consulted: set[Label] = set()  # whose definitions anything but their own analysis has looked at
        self.consulted_packages: set[PackageIdentifier] = set()  # the same of packages as a whole
        self._environments = Environments(natives, bzl_globals)
        self._natives = natives
        self._alias = natives.get("alias")
        self._completed: dict[Label, RuleTarget] = {}
        self._packages = Remembered(self._load_package)
        self._defaults = Remembered(self._read_repository_defaults)
        self._preludes = Remembered(self._read_prelude)
        self._converters: dict[PackageIdentifier, LabelConverter] = {}
        self._selects: dict[tuple[object, ...], Select] = {}
        self._globbers: dict[PackageIdentifier, Globber] = {}
        self.modules = ModuleLoader(self, self._environments, cache, print)
        workspace.attach(self.module)

    # Repositories.

    def repository(self, name: str) -> Repository:
        """The repository of a canonical name; raises WorkspaceError when it is missing."""
        return self.workspace.repository(name)

    @property
    def workspace_name(self) -> str:
        """Of the main repository in runfiles paths."""
        return self.workspace.name

    def semantics_of(self, repository: Repository) -> Semantics:
        """What the files of a repository are read with: ours are written for the newest release."""
        if not getattr(repository, "builtin", False):
            return self.semantics
        labels = self.semantics
        return Semantics(unambiguous_labels=labels.unambiguous_labels, module_labels=labels.module_labels)

    def mapping(self, repository: str) -> RepositoryMapping:
        """How a repository sees the names of others; an absent one for which a leaf stands sees none."""
        try:
            return self.repository(repository).mapping
        except AbsentRepositoryError:
            if self.missing_rule is None:
                raise
            return RepositoryMapping(repository)

    def converter(self, package: PackageIdentifier) -> LabelConverter:
        """How texts in the files of a package become labels."""
        found = self._converters.get(package)
        if found is None:
            mapping = self.mapping(package.repository)
            found = self._converters[package] = LabelConverter(package, mapping, self._selects)
        return found

    # .bzl files.

    def module(self, label: Label) -> Module:
        """An executed .bzl file; raises WorkspaceError, for a cycle of loads, too."""
        return self.modules.module(label)

    def load_closure(self, package: Package) -> list[Label]:
        """Every .bzl file that a package loads, directly or not, in the order of first sight."""
        return self.modules.closure(package.loads)

    # Packages.

    def package(self, identifier: PackageIdentifier) -> Package:
        """A loaded package; raises NoSuchPackageError, BrokenPackageError, or the error of a missing repository."""
        self.consulted_packages.add(identifier)
        return self._packages[identifier]

    def own_package(self, identifier: PackageIdentifier) -> Package:
        """The same for who keeps in mind that what it makes of the package is made of this package."""
        return self._packages[identifier]

    @property
    def incomplete(self) -> bool:
        """Whether a package could not be loaded, or something stands for what nobody has."""
        return self._packages.failed or bool(self.missing)

    @property
    def packages(self) -> Mapping[PackageIdentifier, Package]:
        """Those that have been loaded."""
        return self._packages.values

    def globber(self, package: PackageIdentifier, directory: str) -> Globber:
        """The files of a package."""
        found = self._globbers.get(package)
        if found is None:
            found = self._globbers[package] = Globber(
                self.filesystem, directory, self.places.border_test(package), self.places.deleted_below(package)
            )
        return found

    def _read_repository_defaults(self, name: str) -> RepositoryDefaults:
        """What the REPO.bazel file of a repository says."""
        repository = self.repository(name)
        return repository_defaults(self.filesystem, repository.directory, self.semantics_of(repository), self._cache)

    def _read_prelude(self, name: str) -> Mapping[str, object]:
        """What every BUILD file of a repository finds besides: all that //tools/build_rules:prelude_bazel has.

        Bazel describes it nowhere but in its release notes; the package must exist.
        """
        package = PackageIdentifier(name, "tools/build_rules")
        label = Label(package, "prelude_bazel")
        directory = self.places.directory(package)
        path = f"{directory}/{label.name}" if directory != "." else label.name
        if not self.filesystem.is_file(path) or not self.places.exists(package):
            return NO_PRELUDE
        return self.modules.every_name(label)

    def rule_class(self, file: Label | None, name: str) -> RuleClass | None:
        """The kind of rule that a .bzl file calls `name`, or the native one (file None); None when there is none.

        Raises WorkspaceError when the file cannot be loaded.
        """
        if file is None:
            return self._natives.get(name)
        try:
            found = self.module(file).get(name)
        except KeyError:
            return None
        return found.rule_class if isinstance(found, RuleFunction) else None

    def _load_package(self, identifier: PackageIdentifier) -> Package:
        recalled = self.recall(identifier) if self.recall is not None else None
        if recalled is not None:
            return recalled
        if identifier is EXTERNAL and self._alias is not None and not self.places.exists(identifier):
            return external_package(self.workspace.bindings, self._alias, self.workspace.source_directory)
        if identifier is TOOLS_DEFAULTS and self.semantics.tools_defaults_package and self._alias is not None:
            return tools_defaults_package(self._alias, self.workspace.source_directory)
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
        source = self.filesystem.read_program(path)
        semantics = self.semantics_of(repository)
        prelude = self._preludes[identifier.repository]
        names = self._environments.build_names(semantics)
        program = compile_source(
            source,
            path,
            dialect=Dialect.BUILD,
            semantics=semantics,
            predeclared=names | prelude.keys() if prelude else names,
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
        builder.module = getattr(repository, "module", None)
        builder.defaults, builder.default_visibility = package_defaults(
            builder,
            self._defaults[identifier.repository].arguments,
            builder.defaults,
            builder.default_visibility,
            "repo",
        )
        loads, symbols = self.modules.load_all(program, identifier)
        thread = Thread(semantics, self._print, {"package": builder})
        try:
            module = execute(
                program,
                thread,
                self._environments.build(semantics, prelude),
                lambda name, where: symbols[name],
                label=builder.build_file,
            )
            for expand in builder.finalizers:
                thread.call(expand)
            module.namespace.clear()  # nobody loads from a BUILD file, and a module and its names are a cycle
        except WorkspaceError as problem:
            raise BrokenPackageError(*builder.errors, *problem.diagnostics) from problem.__cause__
        return builder.finish(loads)

    # Targets.

    def target(self, label: Label, wanted_by: RuleTarget | None = None) -> Target:
        """The target of a label; raises NoSuchTargetError with a suggestion, or what `package` raises.

        wanted_by: the rule that depends on it, for the message.
        """
        self.consulted.add(label)
        return self.subject(label, wanted_by)

    def subject(self, label: Label, wanted_by: RuleTarget | None = None) -> Target:
        """The same for whose result stands for `label` alone: the step of the analysis that is named after it."""
        try:
            package = self._packages[label.package]
        except WorkspaceError as problem:
            removed = isinstance(problem, NoSuchPackageError)  # who repacks a tree leaves directories out
            completed = self._completing(label) if removed else None
            if completed is not None:
                return completed
            if self.missing_rule is not None and (removed or self.is_incomplete(label.repository)):
                return self._missing_target_of(label, self.missing_rule)
            if wanted_by is None:
                raise
            raise problem.at(wanted_by.location, *_wanted_by(label, wanted_by)) from None
        found = package.targets.get(label.name)
        if label in self._provided and (found is None or self._is_absent_file(found, package)):
            return self._provided[label]
        if found is None:
            completed = self._completing(label)
            if completed is not None:
                return completed
            rule = self.missing_rule
            if rule is not None and (label.name in package.absent or self.is_incomplete(label.repository)):
                return self._missing_target_of(label, rule)
            if label.name in package.absent:
                absent = package.absent[label.name]
                note = Note(f"target '{label}' would be made by it")
                raise NoSuchTargetError(replace(absent, notes=(*absent.notes, note, *_wanted_by(label, wanted_by))))
            raise NoSuchTargetError(self._missing_target(label, package, wanted_by))
        return found

    def _completing(self, label: Label) -> RuleTarget | None:
        """An alias for a target that a project's BUILD file for a library of the system lacks, and ours has."""
        if label in self._completed or self._alias is None or not label.repository:
            return self._completed.get(label)
        other = self.workspace.completion(label.repository)
        if other is None:
            return None
        actual = Label(PackageIdentifier(other.name, label.package.path), label.name)
        try:
            target = self.package(actual.package).targets.get(label.name)
        except NoSuchPackageError:
            return None
        if target is None or target.location is None:
            return None
        frames = ((target.location, "<toplevel>"),)
        found = RuleTarget(label, self._alias, {"name": label.name, "actual": actual}, PUBLIC, frames)
        return self._completed.setdefault(label, found)

    def _is_absent_file(self, target: Target, package: Package) -> bool:
        path = f"{package.directory}/{target.label.name}"
        return isinstance(target, SourceFile) and not self.filesystem.is_file(path)

    def is_absent(self, repository: str) -> bool:
        """Whether a repository is nowhere to be found."""
        try:
            self.repository(repository)
        except AbsentRepositoryError:
            return True
        return False

    def is_built_in(self, repository: str) -> bool:
        """Whether the repository is one of those that come with this program."""
        try:
            return self.repository(repository).origin.kind is OriginKind.BUILTIN
        except WorkspaceError:
            return False

    def is_incomplete(self, repository: str) -> bool:
        """Whether a repository is absent, or something smaller stands for it."""
        try:
            found = self.repository(repository)
            return found.sourceless or found.origin.kind in (OriginKind.BUILD_ONLY, OriginKind.OVERLAY)
        except AbsentRepositoryError:
            return True
        except WorkspaceError:
            return False

    def _missing_target_of(self, label: Label, rule: RuleClass) -> RuleTarget:
        """What stands for a target that nobody can load."""
        found = self.missing.get(label)
        if found is None:
            place = Location(f"{label.package.exec_path or '.'}/BUILD")
            found = self.missing[label] = RuleTarget(label, rule, {}, PUBLIC, ((place, "<toplevel>"),))
        return found

    def _missing_target(self, label: Label, package: Package, wanted_by: RuleTarget | None) -> Diagnostic:
        where = f"{package.directory}/{package.build_file.name}"
        path = label.package.path
        message = f"no such target '{label}': target '{label.name}' is not declared in package '{path}'"
        notes = (
            Note(f"the package is defined by {where}"),
            *_wanted_by(label, wanted_by),
            *_possible_makers(label, package),
        )
        globber = self.globber(label.package, package.directory)
        border = globber.crosses_border(label.name) if "/" in label.name else None
        if border is not None:
            inner = PackageIdentifier(label.repository, f"{path}/{border}" if path else border)
            message = f"invalid label '{label}': '{inner.path}' is a package of its own"
            help: str | None = f"write '{Label(inner, label.name[len(border) + 1 :])}'"
        elif self.filesystem.is_file(f"{package.directory}/{label.name}"):
            help = f"a source file of this name exists: add 'exports_files([\"{label.name}\"])' to {where}"
        else:
            lacking = self.workspace.lacking(self.repository(label.repository), f"target '{label}'")
            help = suggestion(label.name, package.targets) or (lacking.help if lacking is not None else None)
            notes += lacking.notes if lacking is not None else ()
        place = wanted_by.location if wanted_by else None
        return Diagnostic(message, place, help=help, notes=notes, cause=message)

    def check_source(self, source: SourceFile, wanted_by: RuleTarget | None = None) -> str:
        """Path of a source file as the process opens it; raises NoSuchTargetError when there is no such file."""
        package = self._packages[source.label.package]
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
                notes=(*_wanted_by(source.label, wanted_by), *_possible_makers(source.label, package)),
            )
        )

    # Visibility.

    def scope(self, label: Label) -> MacroScope | None:
        """The call of a symbolic macro that declared a target of a loaded package."""
        package = self._packages.values.get(label.package)
        return package.scopes.get(label.name) if package is not None else None

    def is_visible(self, consumer: Label, dependency: Target) -> bool:
        """Whether the target `consumer` may depend on `dependency`: see visible.is_visible."""
        return is_visible(self, consumer, dependency)

    def check_visibility(self, consumer: RuleTarget, dependency: Target | Label) -> None:
        """Raises WorkspaceError when `consumer` may not depend on `dependency`."""
        if isinstance(dependency, Label):
            dependency = self.target(dependency, consumer)
        if not is_visible(self, consumer.label, dependency):
            raise WorkspaceError(invisible(self, consumer, dependency))

    # Many packages at once.

    def packages_below(self, start: PackageIdentifier) -> Iterable[PackageIdentifier]:
        """Every package at or below a directory."""
        return self.places.packages_below(start)

    def expand(
        self,
        patterns: Iterable[TargetPattern | str],
        *,
        accept: Callable[[Target], bool] = lambda target: True,
        report: Callable[[WorkspaceError], None] | None = None,
        base: PackageIdentifier | None = None,
    ) -> list[Label]:
        """The labels that target patterns match: see patterns.expand."""
        return expand(self, patterns, accept=accept, report=report, base=base)

    def labels(self, pattern: str) -> list[Label]:
        """The labels that one target pattern matches."""
        return self.expand([pattern])


def _wanted_by(label: Label, wanted_by: RuleTarget | None) -> tuple[Note, ...]:
    return (Note(f"'{label}' is wanted by '{wanted_by.label}'", wanted_by.location),) if wanted_by is not None else ()


def _possible_makers(label: Label, package: Package) -> list[Note]:
    """The calls of absent macros that may have made a target: without a name, or with one that its name begins with."""
    return [
        Note(f"the call for '{name}' may have made it, but: {absent.message}", absent.location)
        for name, absent in package.absent.items()
        if label.name.startswith(name) or name.endswith("()")
    ]


__all__ = ["BrokenPackageError", "Loader", "NoSuchPackageError", "NoSuchTargetError", "RepositorySource"]
