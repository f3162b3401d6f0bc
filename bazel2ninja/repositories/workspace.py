"""Where every repository is: the main one, and the external ones as they are asked for.

Who wins, strongest first, for a repository NAME:

1. `--override_repository NAME=PATH`: the directory as it is.
2. The library of the system that `--system-libraries` names.
3. `--vendor DIR`: DIR/NAME.  When the workspace declares NAME by a rule that downloads, the rule runs and the directory
   is what it would have downloaded, so its patches and BUILD files apply; otherwise the directory is taken as it is.
4. The workspace's declaration (WORKSPACE or MODULE.bazel), when it can be carried out with what is on disk.
5. An overlay of the project's profile, then a library of the system, when it is installed as it must be.
6. The built-in repositories.
7. When asked for (build_files_only), the BUILD file that the declaration names, without any source: for graphs.

Names that the registry lists as names of the same repository count in all but 4.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from bazel2ninja.diagnostics import Diagnostic, InternalError, Location, Note, WorkspaceError
from bazel2ninja.filesystem import FileSystem
from bazel2ninja.labels import MAIN_REPOSITORY, Label, PackageIdentifier, RepositoryMapping, parse_label
from bazel2ninja.loading.repository import (
    AbsentRepositoryError,
    Origin,
    OriginKind,
    Overlay,
    Repository,
)
from bazel2ninja.loading.repository_placeholder import AbsentModule
from bazel2ninja.records import replace
from bazel2ninja.repositories.builtin_symbols import BuiltinSymbols
from bazel2ninja.repositories.bzlmod import ModuleGraph
from bazel2ninja.repositories.external import External, NoSystem, OverlaySource
from bazel2ninja.repositories.fetch import Fetcher
from bazel2ninja.repositories.module_extension import module_extension, tag_class
from bazel2ninja.repositories.modules_and_workspace import BESIDE_MODULES, ModulesAndWorkspace
from bazel2ninja.repositories.nearby_projects import name_a_project
from bazel2ninja.repositories.registry import KnownRepository, Registry
from bazel2ninja.repositories.rules import NATIVE_FUNCTIONS, Declaration, RepositoryRule, repository_rule
from bazel2ninja.repositories.store import RepositoryStore
from bazel2ninja.repositories.workspace_file import FILE_NAMES, WorkspaceFile
from bazel2ninja.starlark import CodeCache, Module, Semantics

MODULE_FILE = "MODULE.bazel"


def _is_partial(repository: Repository) -> bool:
    """Whether a repository has, of what the original has, only what was written down for it."""
    return repository.builtin or repository.origin.kind is OriginKind.OVERLAY


class Workspace:
    """The repositories of one run; `open` makes it, and a Loader attaches itself with `attach`."""

    def __init__(
        self,
        filesystem: FileSystem,
        source_directory: str,
        store: RepositoryStore,
        *,
        overrides: Mapping[str, str],
        vendor: Sequence[str],
        environment: Mapping[str, str],
        semantics: Semantics,
        registry: Registry,
        overlay: Callable[[str], Overlay | None] | None = None,
        system: OverlaySource | None = None,
        cache: CodeCache | None = None,
        print: Callable[[str, Location], None] | None = None,
        allow_unsandboxed: bool = False,
        no_execute: Sequence[str] = (),
        bazel_version: str = "",
        build_files_only: bool = False,
        inspect: Callable[[str, str], None] | None = None,
    ):
        self.filesystem = filesystem
        self.source_directory = source_directory
        self.store = store
        self.overrides = dict(overrides)
        self.vendor = tuple(vendor)
        self.semantics = semantics
        self.registry = registry
        self.overlay = overlay
        self.system: OverlaySource = system or NoSystem()
        self.cache = cache
        self.print = print
        self.fetcher = Fetcher(self, environment, allow_unsandboxed=allow_unsandboxed, no_execute=no_execute)
        self._load_module: Callable[[Label], Module] | None = None
        self._repositories: dict[str, Repository] = {}
        self._failures: dict[str, tuple[Diagnostic, ...]] = {}
        self.notices: list[Diagnostic] = []  # warnings, for whoever talks to the user
        self._resolving: list[str] = []
        self._external: External | None = None
        self.modules: ModuleGraph | ModulesAndWorkspace | None = None
        self.workspace_file: WorkspaceFile | None = None
        version_file = self.path(".bazelversion")
        has_version = filesystem.is_file(version_file)
        named = filesystem.read(version_file).decode("utf-8", "replace").strip() if has_version else ""
        self.bazel_version = bazel_version or named
        self.build_files_only = build_files_only
        self.inspect = inspect

    @classmethod
    def open(
        cls,
        filesystem: FileSystem,
        source_directory: str,
        side_directory: str | None,
        *,
        overrides: Mapping[str, str] = MappingProxyType({}),
        vendor: Sequence[str] = (),
        environment: Mapping[str, str] = MappingProxyType({}),
        semantics: Semantics | None = None,
        registry: Registry | None = None,
        overlay: Callable[[str], Overlay | None] | None = None,
        system: OverlaySource | None = None,
        enable_bzlmod: bool = False,
        enable_workspace: bool = True,
        cache: CodeCache | None = None,
        print: Callable[[str, Location], None] | None = None,
        allow_unsandboxed: bool = False,
        no_execute: Sequence[str] = (),
        bazel_version: str = "",
        build_files_only: bool = False,
        inspect: Callable[[str, str], None] | None = None,
    ) -> Workspace:
        """The workspace in a directory; nothing is evaluated yet.

        side_directory: where external/NAME and the records of repositories are kept; None keeps nothing, so that only
        repositories that are directories already can be used.
        overrides: repository name -> directory.  vendor: directories, the first that has a repository counts.
        overlay: the overlay of a repository name, asked for when it would be taken.  system: the same for libraries of
        the system.
        environment: what repository rules may see.  enable_bzlmod: take MODULE.bazel even when there is a WORKSPACE;
        enable_workspace: the latter then serves for what modules do not see.
        bazel_version: what native.bazel_version says, instead of .bazelversion.  build_files_only: a repository that
        is nowhere consists of the BUILD file that its declaration names.
        inspect: called with the name and directory of each repository that a rule has made; raises the rule's failure.
        Raises WorkspaceError when there is neither file, or when an override or vendor directory is none.
        """
        for option, directory in [("--vendor", directory) for directory in vendor] + [
            (f"--override_repository {name}", directory) for name, directory in overrides.items()
        ]:
            if not filesystem.is_directory(directory):
                raise WorkspaceError(f"{option}: no directory {directory!r}")
        workspace = cls(
            filesystem,
            source_directory,
            RepositoryStore(filesystem, source_directory, side_directory),
            overrides=overrides,
            vendor=vendor,
            environment=environment,
            semantics=semantics or Semantics(),
            registry=registry or Registry.read(),
            overlay=overlay,
            system=system,
            cache=cache,
            print=print,
            allow_unsandboxed=allow_unsandboxed,
            no_execute=no_execute,
            bazel_version=bazel_version,
            build_files_only=build_files_only,
            inspect=inspect,
        )
        workspace._find_boundary(enable_bzlmod, enable_workspace)
        return workspace

    def _find_boundary(self, enable_bzlmod: bool, enable_workspace: bool) -> None:
        module_file = self.path(MODULE_FILE)
        has_module = self.filesystem.is_file(module_file)
        workspace_file = next(
            (self.path(name) for name in FILE_NAMES if self.filesystem.is_file(self.path(name))), None
        )
        modules = None
        if has_module and (enable_bzlmod or workspace_file is None):
            self.semantics = replace(self.semantics, unambiguous_labels=True, module_labels=True)
            modules = ModuleGraph(self, module_file)
            beside = self.path(BESIDE_MODULES)
            workspace_file = beside if self.filesystem.is_file(beside) else workspace_file
        if workspace_file is not None and (modules is None or enable_workspace):
            self.workspace_file = WorkspaceFile(
                self.filesystem, workspace_file, self.load_symbols, self.semantics, self.cache, self.print
            )
        if modules is not None:
            both = ModulesAndWorkspace(modules, self.workspace_file) if self.workspace_file is not None else None
            self.modules = self._external = both or modules
        elif self.workspace_file is not None:
            self._external = self.workspace_file
        else:
            raise WorkspaceError(
                Diagnostic(
                    f"no WORKSPACE or MODULE.bazel file in {self.source_directory or '.'!r}",
                    help=name_a_project(self.filesystem, self.source_directory or ".", (MODULE_FILE, *FILE_NAMES)),
                )
            )

    def path(self, relative: str) -> str:
        """A file of the source directory, as the process opens it."""
        return os.path.join(self.source_directory, relative) if self.source_directory not in ("", ".") else relative

    def attach(self, load_module: Callable[[Label], Module]) -> None:
        """Tells how .bzl files are loaded: a Loader calls this once."""
        self._load_module = load_module

    @property
    def external(self) -> External:
        assert self._external is not None
        return self._external

    def repositories_within(self) -> frozenset[str]:
        """Directories of the source tree that the WORKSPACE file declares to be repositories of their own."""
        return self.workspace_file.local_directories() if self.workspace_file is not None else frozenset()

    @property
    def name(self) -> str:
        """Of the main repository in runfiles paths; evaluates the WORKSPACE file."""
        return self.external.name

    @property
    def mapping(self) -> RepositoryMapping:
        """Of the main repository; evaluates the WORKSPACE file."""
        return self.repository(MAIN_REPOSITORY).mapping

    def bzl_globals(self) -> dict[str, object]:
        """What .bzl files have for repositories; `native` is what is added to the module of that name."""
        return {
            "repository_rule": repository_rule,
            "module_extension": module_extension,
            "tag_class": tag_class,
            "native": {**NATIVE_FUNCTIONS, "bazel_version": self.bazel_version},
        }

    # Loading of .bzl files

    def load_module(self, label: Label) -> Module:
        """An evaluated .bzl file; raises WorkspaceError."""
        if self._load_module is None:
            raise InternalError("no loader is attached to the workspace")
        return self._load_module(label)

    def load_symbols(self, label: Label) -> Mapping[str, object]:
        """What load() may bind in WORKSPACE and .bzl files.

        Symbols of a repository that is absent or whose rule fails, and those that a built-in one lacks, are
        placeholders (see `Placeholder`).
        """
        try:
            repository = self._usable(label)
            if _is_partial(repository) and not self.filesystem.is_file(self.file_of(label)):
                raise AbsentRepositoryError(repository.name, self._not_built_in(repository, f"file {str(label)!r}"))
            if repository.origin.kind is OriginKind.BUILD_ONLY and not self.filesystem.is_file(self.file_of(label)):
                declaration = self.external.declaration(repository.name)
                assert declaration is not None
                raise self.not_on_disk(repository.name, declaration, f"it would have {str(label)!r}")
            if self._may_lack(label):
                raise self._absent_file(label)
            symbols = self.load_module(label).globals
        except AbsentRepositoryError as problem:
            return AbsentModule(label, problem)
        if not repository.builtin:
            return symbols

        def lacking(name: str) -> AbsentRepositoryError:
            what = f"symbol {name!r} in {str(label)!r}"
            return AbsentRepositoryError(repository.name, self._not_built_in(repository, what))

        return BuiltinSymbols(symbols, lacking)

    def _may_lack(self, label: Label) -> bool:
        """Whether a .bzl file is one that the source tree lacks and that only declares repositories.

        Whoever repacks a tree removes directories; what WORKSPACE would load from there is as absent as a repository.
        """
        return (
            self.build_files_only
            and label.repository == MAIN_REPOSITORY
            and self.workspace_file is not None
            and self.workspace_file.is_running
            and not self.filesystem.is_file(self.file_of(label))
        )

    def _absent_file(self, label: Label) -> AbsentRepositoryError:
        message = f"the source tree has no file '{label}', which WORKSPACE loads"
        note = Note("repositories that it would have declared are missing")
        if all(notice.message != message for notice in self.notices):
            self.notices.append(Diagnostic(message, severity="warning", notes=(note,)))
        return AbsentRepositoryError(MAIN_REPOSITORY, Diagnostic(message), f"file '{label}'")

    def _usable(self, label: Label) -> Repository:
        """The repository of a .bzl file; one whose rule fails is as good as absent until somebody needs it."""
        try:
            return self.repository(label.repository)
        except AbsentRepositoryError:
            raise
        except WorkspaceError as problem:
            first = problem.diagnostic
            self.notices.append(replace(first, severity="warning"))
            raise AbsentRepositoryError(label.repository, first) from None

    def lacking(self, repository: Repository, what: str) -> Diagnostic | None:
        """The error that a repository which we bring lacks something, None for any other repository."""
        return self._not_built_in(repository, what) if _is_partial(repository) else None

    def _not_built_in(self, repository: Repository, what: str) -> Diagnostic:
        kind = "the built-in repository"
        notes: tuple[Note, ...] = ()
        if repository.origin.kind is OriginKind.OVERLAY:
            kind = "the overlay for the system library behind" if repository.builtin else "what stands for repository"
            notes = (Note(f"'@{repository.name}' is {repository.origin.reason}"),)
        return Diagnostic(
            f"{kind} '@{repository.name}' has no {what}",
            help=self._how_to_provide(repository.name),
            notes=notes,
            cause=f"{what} of @{repository.name}",
        )

    # Repositories

    def repository(self, name: str) -> Repository:
        """A repository by its canonical name, put on disk when this is the first time; "" is the main one.

        Raises AbsentRepositoryError when it is nowhere, and WorkspaceError when its rule fails.
        """
        found = self._repositories.get(name)
        if found is None:
            if name == MAIN_REPOSITORY:
                found = Repository(
                    "",
                    self.source_directory,
                    self.external.mapping(""),
                    Origin(OriginKind.MAIN, "the source directory", self.source_directory),
                )
            else:
                if name in self._resolving:
                    cycle = " -> ".join(f"@{n}" for n in [*self._resolving[self._resolving.index(name) :], name])
                    raise WorkspaceError(f"repository '@{name}' is needed to make itself: {cycle}")
                failure = self._failures.get(name)
                if failure is not None:
                    raise WorkspaceError(*failure)
                self._resolving.append(name)
                try:
                    found = self._resolve(name)
                except AbsentRepositoryError:
                    raise  # a WORKSPACE file that is still running may declare it yet
                except WorkspaceError as problem:
                    self._failures[name] = problem.diagnostics
                    raise
                finally:
                    self._resolving.pop()
            self._repositories[name] = found
        return found

    def repositories(self) -> Iterator[Repository]:
        """Those that have been asked for so far, in the order of their names."""
        for name in sorted(self._repositories):
            yield self._repositories[name]

    def file_of(self, label: Label) -> str:
        """The source file that a label names, as the process opens it; raises as `repository` does."""
        directory = self.repository(label.repository).directory
        return os.path.normpath(os.path.join(directory, label.package.path, label.name))

    def label(self, text: str, base: PackageIdentifier | None = None) -> Label:
        """The label that a text means in the main repository."""
        return parse_label(text, base, self.repository(MAIN_REPOSITORY).mapping)

    def names_of(self, name: str) -> tuple[str, ...]:
        """Every name under which the user may have provided a repository."""
        found: dict[str, None] = {}
        for common in self.external.common_names(name):
            for other in self.registry.names(common):
                found.setdefault(other)
        return tuple(found)

    def _resolve(self, name: str) -> Repository:
        names = self.names_of(name)
        for other in names:
            if other in self.overrides:
                directory = self.overrides[other]
                reason = f"--override_repository {other}={directory}"
                return self._linked(name, directory, Origin(OriginKind.OVERRIDE, reason, directory))
        system = self.system.demanded(names)
        if system is not None:
            return self._overlaid(name, system, builtin=True)
        declaration = self.external.declaration(name)
        vendored = self.vendored_directory(names)
        if vendored is not None:
            reason = f"--vendor: {vendored!r} exists"
            if declaration is None or not declaration.rule.downloads:
                return self._linked(name, vendored, Origin(OriginKind.VENDOR, reason, vendored))
            origin = Origin(
                OriginKind.VENDOR,
                f"{reason}, with what {declaration.rule.name}() makes of it",
                vendored,
                declaration.location,
            )
            return self._made(name, declaration, origin, vendored)
        problem = None
        if declaration is not None:
            origin = Origin(
                OriginKind.DECLARATION, f"declared with {declaration.rule.name}()", "", declaration.location
            )
            try:
                return self._made(name, declaration, origin, None)
            except AbsentRepositoryError as absent:
                problem = absent
        for other in names:
            overlay = self.overlay(other) if self.overlay is not None else None
            if overlay is not None:
                return self._overlaid(name, overlay)
        system = self.system.available(names)
        if system is not None:
            return self._overlaid(name, system, builtin=True)
        known = next((known for other in names if (known := self.registry.find(other)) and known.is_builtin), None)
        if known is not None:
            return self._built_in(name, known, declaration)
        if problem is not None and declaration is not None and self.build_files_only:
            return self._without_sources(name, declaration, problem)
        raise self._noted(problem or self._absent(name), self.system.absence_notes(names))

    @staticmethod
    def _noted(error: AbsentRepositoryError, notes: tuple[Note, ...]) -> AbsentRepositoryError:
        if not notes:
            return error
        first = error.diagnostic
        return AbsentRepositoryError(error.name, replace(first, notes=first.notes + notes))

    def _without_sources(self, name: str, declaration: Declaration, problem: AbsentRepositoryError) -> Repository:
        """The repository as its rule makes it of nothing: the BUILD files of the project for it, and no source."""
        if not any("build_file" in key and value for key, value in declaration.attributes.items()):
            raise problem
        reason = f"declared with {declaration.rule.name}(); its sources are absent, and its BUILD file is the project's"
        made = self.fetcher.fetch(name, declaration, None, empty=True)
        if not any(self.filesystem.is_file(os.path.join(made, build)) for build in ("BUILD.bazel", "BUILD")):
            raise problem
        origin = Origin(OriginKind.BUILD_ONLY, reason, "", declaration.location)
        return Repository(name, made, self.external.mapping(name, made), origin, self.store.link_target(name))

    def _overlaid(self, name: str, overlay: Overlay, builtin: bool = False) -> Repository:
        if overlay.rule:
            return self._by_rule(name, overlay.rule, Origin(OriginKind.OVERLAY, overlay.reason))
        origin = Origin(OriginKind.OVERLAY, overlay.reason, overlay.directory)
        return self._linked(name, overlay.directory, origin, builtin)

    def vendored_directory(self, names: Sequence[str]) -> str | None:
        """The first of DIR/NAME that is a directory, for the directories of --vendor."""
        for directory in self.vendor:
            for name in names:
                path = os.path.join(directory, name)
                if self.filesystem.is_directory(path):
                    return path
        return None

    def _linked(self, name: str, directory: str, origin: Origin, builtin: bool = False) -> Repository:
        placed = self.store.link(name, directory)
        return Repository(name, placed, self.external.mapping(name, placed), origin, directory, builtin)

    def _made(self, name: str, declaration: Declaration, origin: Origin, source: str | None) -> Repository:
        made = self.fetcher.fetch(name, declaration, source)
        if self.inspect is not None:
            try:
                self.inspect(name, made)
            except WorkspaceError as problem:
                note = Note(f"repository '@{name}' is made by {declaration.rule.name}()", declaration.location)
                raise problem.at(declaration.location, note) from None
        sourceless = declaration.rule.downloads and source is None and name in self.fetcher.without_download
        mapping, target = self.external.mapping(name, made), self.store.link_target(name)
        return Repository(name, made, mapping, origin, target, sourceless=sourceless)

    def completion(self, name: str) -> Repository | None:
        """The overlay of the system library whose BUILD files in repository `name` are the project's own.

        Those may lack what a newer release of the library has; see Loader.target.  None when the repository has
        sources, or no installed library is known for it.
        """
        if not self.repository(name).sourceless:
            return None
        other = f"{name}.system"
        if other not in self._repositories:
            overlay = self.system.available(self.names_of(name))
            if overlay is None:
                return None
            self._repositories[other] = self._overlaid(other, overlay, builtin=True)
        return self._repositories[other]

    def _built_in(self, name: str, known: KnownRepository, declaration: Declaration | None) -> Repository:
        reason = "built in"
        if declaration is not None:
            reason += f", because what {declaration.rule.name}() would download is not on disk"
        origin = Origin(
            OriginKind.BUILTIN, reason, known.directory or "", declaration.location if declaration else None
        )
        if known.directory is not None:
            return self._linked(name, known.directory, origin, builtin=True)
        assert known.rule is not None
        return self._by_rule(name, known.rule, origin)

    def _by_rule(self, name: str, text: str, origin: Origin) -> Repository:
        """The repository that a repository rule makes; `text` is "label%symbol"."""
        module, _, symbol = text.partition("%")
        rule = self.load_module(self.label(module)).globals.get(symbol)
        if not isinstance(rule, RepositoryRule):
            raise WorkspaceError(f"{origin.reason}: '{module}' has no repository rule {symbol!r}")
        return self._made(name, Declaration(name, rule, rule.defaults(), {}, original_name=name), origin, None)

    # What is missing

    def _how_to_provide(self, name: str) -> str:
        """One sentence: how the user can put the repository on disk."""
        common = self.external.common_names(name)[-1]
        text = f"vendor it with --vendor DIR, where DIR/{common} holds it, or with --override_repository {common}=PATH"
        known = next((known for n in self.names_of(name) if (known := self.registry.find(n))), None)
        if known is not None and known.debian:
            text += f"; Debian has it as source package {known.debian}"
            if known.library:
                text += f" (libraries: {known.library})"
        return text

    def _absent(self, name: str) -> AbsentRepositoryError:
        notes = self.external.absence_notes(name)
        return AbsentRepositoryError(
            name,
            Diagnostic(f"no repository '@{name}'", help=self._how_to_provide(name), notes=notes, cause=f"@{name}"),
        )

    def not_on_disk(self, name: str, declaration: Declaration, what: str) -> AbsentRepositoryError:
        """The error of a rule that would download something that no --vendor directory holds; `name` is canonical."""
        notes = [Note(f"it is declared here, with {declaration.rule.name}()", declaration.location)]
        return AbsentRepositoryError(
            name,
            Diagnostic(
                f"repository '@{name}' is not on disk: {what}",
                help=self._how_to_provide(name),
                notes=tuple(notes),
                cause=f"@{name}",
            ),
        )

    # What the manifest's regeneration depends on

    @property
    def environment_reads(self) -> Mapping[str, str | None]:
        """Environment variables that repository rules have asked for: value, None when unset."""
        return self.fetcher.environment_reads

    @property
    def program_reads(self) -> Mapping[str, str | None]:
        """Programs that repository rules have looked for in PATH: where they are, None when absent."""
        return self.fetcher.program_reads

    # What WORKSPACE and MODULE.bazel files say besides

    @property
    def bindings(self) -> Mapping[str, tuple[Label | None, Location]]:
        """bind(): name of the target in //external -> what it stands for, and where that was said."""
        return self.workspace_file.evaluate().bindings if self.workspace_file else {}

    @property
    def toolchains(self) -> Sequence[tuple[str, str, Location]]:
        """register_toolchains(): (canonical name of the repository that said it, target pattern, place), in order."""
        if self.modules is not None:
            return self.modules.toolchains
        assert self.workspace_file is not None
        return [("", pattern, where) for pattern, where in self.workspace_file.evaluate().toolchains]

    @property
    def execution_platforms(self) -> Sequence[tuple[str, str, Location]]:
        """register_execution_platforms(), in the same form."""
        if self.modules is not None:
            return self.modules.execution_platforms
        assert self.workspace_file is not None
        return [("", pattern, where) for pattern, where in self.workspace_file.evaluate().execution_platforms]
