"""Repositories: what they are, where they came from, and the errors of those that are not there."""

from __future__ import annotations

from enum import Enum

from bazel2ninja.diagnostics import Diagnostic, Location, Note, WorkspaceError
from bazel2ninja.labels import MAIN_REPOSITORY, NO_MAPPING, RepositoryMapping
from bazel2ninja.records import dataclass


class OriginKind(Enum):
    """Who said where a repository is, strongest first."""

    MAIN = "main"
    OVERRIDE = "--override_repository"
    VENDOR = "--vendor"
    DECLARATION = "declared"
    OVERLAY = "overlay"
    BUILTIN = "built in"
    BUILD_ONLY = "BUILD files only"


@dataclass(frozen=True, slots=True)
class Origin:
    """Why a repository is the one it is.  `reason` is a sentence for the user; `path` is what the reason speaks of."""

    kind: OriginKind
    reason: str
    path: str = ""
    location: Location | None = None

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, slots=True)
class Overlay:
    """What stands for a repository that nobody has; `reason` is a sentence for the user.

    directory: with BUILD files, for a library of the system.  rule: "label%symbol" of a repository rule, seen from the
    main repository, that makes it instead; directory is "" then.
    """

    directory: str
    reason: str
    rule: str = ""


@dataclass(slots=True, eq=False)
class Repository:
    """A repository that is on disk.

    directory: as the process opens it; "SIDE/external/NAME" for every repository but the main one.
    target: what `directory` is a symbolic link to, None where it is a directory of its own.
    builtin: its files are ours, and are read with the newest semantics whatever release the workspace asks for.
    sourceless: its rule can download and did not: the project's own BUILD files for a library of the system.
    """

    name: str
    directory: str
    mapping: RepositoryMapping
    origin: Origin
    target: str | None = None
    builtin: bool = False
    sourceless: bool = False

    @property
    def is_main(self) -> bool:
        return self.name == MAIN_REPOSITORY


@dataclass(frozen=True, slots=True)
class PlaceholderCall:
    """A call, while the WORKSPACE file was evaluated, of something that an absent repository would have defined.

    source: "repository '@NAME'", or the file of the source tree that is absent.
    """

    symbol: str
    source: str
    location: Location
    name: str = ""  # of the repository that it would have declared, where the call gives one

    def note(self) -> Note:
        declared = f" for {self.name!r}" if self.name else ""
        return Note(f"'{self.symbol}' of the absent {self.source} was called{declared}", self.location)


class AbsentRepositoryError(WorkspaceError):
    """A repository is needed and is nowhere to be found; `name` is its canonical name.

    `what` names what is absent in a sentence; it is something else when a file of the source tree is.
    """

    def __init__(self, name: str, diagnostic: Diagnostic, what: str = ""):
        super().__init__(diagnostic)
        self.name = name
        self.what = what or f"repository '@{name}'"


def no_mapping(owner: str) -> RepositoryMapping:
    """Names stand for themselves, seen from `owner`."""
    return RepositoryMapping(owner) if owner else NO_MAPPING
