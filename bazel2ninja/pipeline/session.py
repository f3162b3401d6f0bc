"""A workspace opened with the options of one command: everything up to the analysis, made in order, each once."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bazel2ninja import profile, profile_check
from bazel2ninja.analysis.analyzer import Analyzer
from bazel2ninja.analysis.bzl_globals import bzl_globals
from bazel2ninja.configuration.bazelrc import read_bazelrc
from bazel2ninja.configuration.build_settings import execution_host, target_settings
from bazel2ninja.configuration.conditions import Conditions
from bazel2ninja.configuration.configuration import Configurations
from bazel2ninja.configuration.options import Options, parse
from bazel2ninja.configuration.platforms import HostPlatform, debian_architecture, multiarch
from bazel2ninja.diagnostics import Diagnostic, Location, UsageError
from bazel2ninja.filesystem import Disk
from bazel2ninja.labels import Label, PackageIdentifier, check_package_path, parse_label
from bazel2ninja.loading.loader import Loader
from bazel2ninja.loading.repository import Overlay
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.records import dataclass, field, replace
from bazel2ninja.repositories.workspace import Workspace
from bazel2ninja.rules import cc_toolchain
from bazel2ninja.rules.missing import MISSING_TARGET
from bazel2ninja.rules.native import NATIVE, native_bzl_globals
from bazel2ninja.rules.written_file import written_file
from bazel2ninja.starlark import CodeCache, Semantics
from bazel2ninja.system_libraries.machine import Machine, Purpose
from bazel2ninja.system_libraries.table import SystemLibraries

SIDE_DIRECTORY = ".bazel2ninja"
_VERSION_FILE = ".bazelversion"

_RELEASE = re.compile(r"(\d+(?:\.\d+)*)")
_MOVING = re.compile(r"(latest|last_\w+|rolling)(-\d+)?|[0-9a-f]{40}")  # names of no release, as Bazelisk takes them


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a command asks for.

    source: the workspace's directory as the user wrote it.  words: Bazel's options and target patterns.
    output_root: ninja's working directory.  environment: the process's.  skipped: directories that are not looked into,
    as the process opens them.
    """

    source: str
    words: Sequence[str] = ()
    output_root: str = "."
    environment: Mapping[str, str] = field(default_factory=dict)
    command: str = "build"
    skipped: Sequence[str] = ()

    @property
    def side_directory(self) -> str:
        return os.path.normpath(os.path.join(self.output_root, SIDE_DIRECTORY))


@contextlib.contextmanager
def borrowed_root() -> Iterator[str]:
    """An output root for a command that only looks: the current directory if it is one, else a temporary one."""
    if os.path.isdir(SIDE_DIRECTORY):
        yield "."
        return
    import tempfile  # of no use to most commands

    with tempfile.TemporaryDirectory(prefix="bazel2ninja.") as directory:
        yield directory


class Session:
    """The services of the stages for one request.

    The .bazelrc files and the options are read at once, so that a wrong option is told first; WORKSPACE and packages
    when something asks for them.
    """

    def __init__(self, request: Request, *, print_to_stderr: bool = True):
        self.request = request
        self.filesystem = Disk()
        source = os.path.normpath(request.source)
        if not self.filesystem.is_directory(source):
            kind = "is no directory" if os.path.exists(source) else "does not exist"
            raise UsageError(Diagnostic(f"source directory '{request.source}' {kind}"))
        self.source = source
        startup = _startup_words(request.words)
        self.profile = self._profile(startup)
        named = wanted_release(self.filesystem, source)
        self.release = startup.release or named or (self.profile.release if self.profile is not None else ())
        rc = read_bazelrc(
            self.filesystem,
            source,
            startup.rc_files,
            workspace_file=not startup.ignore_workspace_rc,
            tools_file=bool(self.release) and Semantics.for_bazel(".".join(map(str, self.release))).tools_rc_file,
        )
        if self.profile is not None:
            rc = replace(rc, lines=(*self.profile.lines, *rc.lines, *self.profile.late_lines))
        self.options: Options = parse(
            startup.rest, rc, request.environment, command=request.command, release=self.release
        )
        if self.profile is not None:
            self.profile.check_configs(self.options.configs)
        self.semantics = self._semantics()
        cache = CodeCache(os.path.join(request.side_directory, "cache"))
        self.system_libraries = SystemLibraries(
            Machine(self.filesystem, request.environment),
            _texts(self.options.run.get("system-libraries")),
            request.side_directory,
        )
        # opening the workspace may ask already, and platforms are known later only
        self.system_libraries.serve(_purpose(self.options.settings.constraints, self.options.host))
        self.workspace = Workspace.open(
            self.filesystem,
            source,
            request.side_directory,
            overrides=dict(self.options.override_repositories),
            vendor=self.options.vendor,
            environment=dict(self.options.repository_environment),
            semantics=self.semantics,
            overlay=self._overlay,
            build_files_only=bool(self.options.run.get("allow-missing-repositories")),
            system=self.system_libraries,
            enable_bzlmod=self._enabled("enable_bzlmod", not self.release or self.release >= (7,)),
            enable_workspace=self._enabled("enable_workspace", self.release < (8,)),
            allow_unsandboxed=bool(self.options.run.get("allow-unsandboxed")),
            no_execute=_texts(self.options.run.get("no-execute")),
            bazel_version="" if self.release == named else ".".join(map(str, self.release)),
            cache=cache,
            print=_print if print_to_stderr else None,
            inspect=self._inspect,
        )
        self.semantics = self.workspace.semantics
        self.workspace.notices += _unknown_version(self.filesystem, source)
        self.loader = Loader(
            self.workspace,
            NATIVE,
            {**bzl_globals(), **native_bzl_globals(self.workspace.bzl_globals())},
            self.semantics,
            cache,
            deleted_packages=self._deleted_packages(),
            skipped_directories=self._skipped_directories(),
            print=_print if print_to_stderr else None,
            provided=self._provided(),
            missing_rule=MISSING_TARGET if self.options.run.get("allow-missing-repositories") else None,
        )
        self.warnings = list(self.options.warnings)
        settings = target_settings(
            self.options, self.loader, self.workspace.mapping, self.loader.missing, self.warnings.append
        )
        if not settings.compiler or settings.compiler == "gcc":
            settings = replace(settings, compiler=compiler_of(request.environment))
        host = replace(
            execution_host(self.options, self.loader), compiler=compiler_of(request.environment, "CC_FOR_BUILD")
        )
        self.configurations = Configurations(settings, host.tool_prefix)
        self.system_libraries.serve(_purpose(settings.constraints, host))
        self.conditions = Conditions(
            self.loader,
            self.configurations,
            check_visibility=bool(self.options.run["incompatible_enforce_config_setting_visibility"]),
            private_by_default=bool(self.options.run["incompatible_config_setting_private_default_visibility"]),
        )
        self.analyzer = Analyzer(
            self.loader,
            self.configurations,
            self.conditions,
            host=host,
            workspace_name=self.workspace.name,
            semantics=self.semantics,
            registered_toolchains=self._registered_toolchains,
            builtin_toolchains={cc_toolchain.TOOLCHAIN_TYPE: cc_toolchain.builtin_toolchain},
            given_options={one.option.name: one.value for one in self.options.given},
            make_variables=lambda configuration: cc_toolchain.make_variables(
                configuration, self.analyzer.project_toolchains.get(configuration)
            ),
        )
        self.analyzer.notices = self.warnings

    @property
    def environment_reads(self) -> frozenset[str]:
        """The environment variables that the build depends on, for making the manifest again."""
        asked = self.profile.environment if self.profile is not None else {}
        return frozenset((*self.workspace.environment_reads, *asked))

    @property
    def targets(self) -> tuple[str, ...]:
        """The target patterns of the command line, or those that the profile gives, or everything."""
        return self.options.targets or (self.profile.targets if self.profile is not None else ()) or ("//...",)

    def _inspect(self, repository: str, directory: str) -> None:
        """The profile's checks of a repository."""
        profile_check.run(self.profile.checks if self.profile is not None else (), repository, directory)

    def _profile(self, startup: _Startup) -> profile.Profile | None:
        if startup.no_profile:
            return None
        return profile.find(self.filesystem, self.source, self.request.environment, path=startup.profile)

    def _provided(self) -> dict[Label, RuleTarget]:
        """The files that the profile gives."""
        files = self.profile.files if self.profile is not None else {}
        return {
            label: written_file(label, content, place)
            for label, (content, place) in ((parse_label(text), found) for text, found in files.items())
        }

    def _overlay(self, name: str) -> Overlay | None:
        found = self.profile.repositories.get(name) if self.profile is not None else None
        return Overlay(*found) if found is not None else None

    def check_mixture(self) -> None:
        """Raises WorkspaceError when what has been analysed uses two copies of a library whose headers meet."""
        workspace = self.workspace
        missing = {label.repository for label in self.loader.missing if self.loader.is_absent(label.repository)}
        used = sorted(set(self.analyzer.analysed_repositories()) - missing)
        named = [((workspace.name,) if not name else workspace.names_of(name), name) for name in used]
        self.system_libraries.check_mixture((names, workspace.repository(name)) for names, name in named)

    def _registered_toolchains(self) -> list[tuple[str, str, Location | None]]:
        return [*(("", text, None) for text in self.options.extra_toolchains), *self.workspace.toolchains]

    def _enabled(self, option: str, default: bool) -> bool:
        value = self.options.run.get(option)
        return default if value is None else bool(value)

    def _semantics(self) -> Semantics:
        base = Semantics.for_bazel(".".join(map(str, self.release))) if self.release else Semantics.tolerant()
        return replace(base, **dict(self.options.semantics))

    def _deleted_packages(self) -> list[PackageIdentifier]:
        found = []
        for text in _texts(self.options.run.get("deleted_packages")):
            path = text.removeprefix("//")
            check_package_path(path, text)
            found.append(PackageIdentifier("", path))
        return found

    def _skipped_directories(self) -> list[str]:
        """The output root's own directories, in case it lies inside the source tree."""
        root = self.request.output_root
        own = [os.path.normpath(os.path.join(root, name)) for name in (SIDE_DIRECTORY, "bazel-out")]
        return [*own, *map(os.path.normpath, self.request.skipped)]


@dataclass(frozen=True, slots=True)
class _Startup:
    """What must be known before the other words are read: Bazel's startup options, and two of ours.

    release: of Bazel, by --bazel_release.  profile: a file, None for a built-in profile that recognises the tree.
    """

    rc_files: tuple[str, ...]
    ignore_workspace_rc: bool
    release: tuple[int, ...]
    profile: str | None
    no_profile: bool
    rest: tuple[str, ...]


def _purpose(constraints: tuple[Label, ...], host: HostPlatform) -> Purpose:
    """What machine the system's libraries are for: that of the target configuration."""
    prefix = host.tool_prefix(constraints)
    return Purpose(
        architecture=debian_architecture(constraints) or "",
        crosses=bool(prefix),
        prefix=prefix,
        multiarch=multiarch(prefix.rstrip("-")),
    )


def _startup_words(words: Iterable[str]) -> _Startup:
    files: list[str] = []
    ignore = no_profile = False
    release: tuple[int, ...] = ()
    own_profile: str | None = None
    rest: list[str] = []
    pending = iter(words)
    for word in pending:
        name, equals, value = word.partition("=")
        if name in ("--profile", "--bazel_release") and not equals:
            value = next(pending, "")
        if name == "--bazelrc" and equals:
            files.append(value)
        elif word in ("--noworkspace_rc", "--ignore_all_rc_files"):
            ignore = True
        elif word == "--noprofile":
            no_profile = True
        elif name == "--profile":
            own_profile = value
        elif name == "--bazel_release":
            release = _release(value)
            if not release:
                raise UsageError(Diagnostic(f"--bazel_release: no release number: {value!r}", help="such as 6.1.0"))
        elif word == "--":
            rest += [word, *pending]
        elif word not in ("--workspace_rc", "--nohome_rc", "--nosystem_rc"):
            rest.append(word)
    return _Startup(tuple(files), ignore, release, own_profile, no_profile, tuple(rest))


def wanted_release(filesystem: Disk, source: str) -> tuple[int, ...]:
    """The Bazel release that the tree's .bazelversion names, () when there is none or it names no number.

    A name before a slash is that of a fork, as Bazelisk has it.
    """
    named = _version_named(filesystem, source)
    return () if _MOVING.fullmatch(named) else _release(named)


def _version_named(filesystem: Disk, source: str) -> str:
    path = os.path.join(source, _VERSION_FILE)
    words = filesystem.read(path).decode("utf-8", "replace").split() if filesystem.is_file(path) else ()
    return words[0].rpartition("/")[2] if words else ""


def _unknown_version(filesystem: Disk, source: str) -> Iterator[Diagnostic]:
    """A warning when .bazelversion says something that is no version."""
    named = _version_named(filesystem, source)
    if named and not _release(named) and not _MOVING.fullmatch(named):
        yield Diagnostic(
            f"{named!r} names no release of Bazel",
            Location(os.path.join(source, _VERSION_FILE), 1, 1),
            "warning",
            help="write a number such as 6.1.0",
        )


def _release(text: str) -> tuple[int, ...]:
    match = _RELEASE.match(text)
    return tuple(int(part) for part in match[1].split(".")) if match else ()


def compiler_of(environment: Mapping[str, str], variable: str = "CC") -> str:
    """ "clang" or "gcc": what $CC names, which conditions on the compiler ask for."""
    words = environment.get(variable, "").split()
    program = os.path.basename(words[-1] if words[:1] == ["ccache"] else words[0]) if words else ""
    return "clang" if program.startswith("clang") else "gcc"


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, tuple) else ()


def _print(text: str, location: Location) -> None:
    print(f"{location}: debug: {text}", file=sys.stderr)
