"""The terms of what a target makes: its closure in the graph, each file looked up in the audit of its tree."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence

from bazel2ninja.analysis.action import CppCompileAction
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.licensing import binaries, ninja_log, system_packages
from bazel2ninja.licensing.audit import Audit
from bazel2ninja.licensing.binaries import BinaryTerms
from bazel2ninja.licensing.closure import closures
from bazel2ninja.licensing.linked_archives import LinkedArchives
from bazel2ninja.licensing.policy import Policy
from bazel2ninja.ninja.paths import SIDE, PathMapper
from bazel2ninja.pipeline.build import analyse
from bazel2ninja.pipeline.session import Session
from bazel2ninja.records import dataclass, field

_SYSTEM = ("/usr/", "/lib", "/etc/", "/bin/", "/sbin/")


@dataclass(frozen=True, slots=True)
class Contents:
    """binaries: one for each file that the targets make; failures: targets that could not be analysed, with -k.

    trees: the audits that were asked, by directory: that of the source tree and those of repositories. places: exec
    path of what was looked up -> (directory of its tree, path in it).
    """

    binaries: tuple[BinaryTerms, ...]
    failures: tuple[WorkspaceError, ...] = ()
    trees: Mapping[str, Audit] = field(default_factory=dict)
    places: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def contents(
    session: Session, audit: Audit, audit_of: Callable[[str], Audit], policy: Policy, *, built: bool
) -> Contents:
    """The terms of every file that the session's targets make.

    audit: of the session's source tree; audit_of: the same for another directory; built: ninja has run in the session's
    output root, so that what the compiler read is known. Raises WorkspaceError when that is said and there is no log of
    ninja's, and as `analyse` does.
    """
    build = analyse(session)
    root = session.request.output_root
    mapper = PathMapper.between(root, session.source)
    log = ninja_log.read(os.path.join(root, SIDE, ".ninja_deps")) if built else {}
    trees = _Trees(session, mapper, audit, audit_of)
    environment = session.request.environment
    compiler = shlex.split(environment.get("CXX", "")) or ["g++"]

    def headers_of(action: CppCompileAction) -> Sequence[str] | None:
        read = log.get(mapper.path(action.object.exec_path))
        return None if read is None else [trees.exec_path(path) for path in read]

    outputs = [file.exec_path for top in build.targets for file in top.files if build.graph.generator(file) is not None]
    found = tuple(
        binaries.terms_of(closure, trees.expression, policy, system_packages.owners, trees.system_path)
        for closure in closures(
            build.graph,
            dict.fromkeys(outputs),
            headers_of,
            trees.disk,
            LinkedArchives(compiler, environment).of,
        )
    )
    return Contents(found, tuple(build.failures), trees.audits, trees.places)


class _Trees:
    """Files of closures on disk, and the audits of the trees that they are in."""

    def __init__(self, session: Session, mapper: PathMapper, audit: Audit, audit_of: Callable[[str], Audit]):
        self._session = session
        self._mapper = mapper
        self._audit_of = audit_of
        self._source = os.path.realpath(session.source)
        self.audits = {self._source: audit}
        self._repositories: dict[str, str] = {}
        self.places: dict[str, tuple[str, str]] = {}
        directories = {os.path.realpath(session.request.output_root): ""}
        for repository in session.workspace.repositories():
            directories[os.path.realpath(repository.directory)] = (
                "" if repository.is_main else f"external/{repository.name}/"
            )
        # the innermost first: a repository inside of another's directory
        self._directories = sorted(directories.items(), reverse=True)

    def exec_path(self, path: str) -> str:
        """The exec path of what ninja's log names.

        GCC gives the real path of a header that it finds through -isystem, when that is shorter: so a file of the
        workspace or of a repository may have an absolute name there.
        """
        if path.startswith("/"):
            for directory, prefix in self._directories:
                if path.startswith(directory + os.sep):
                    return prefix + path[len(directory) + 1 :]
        return self._mapper.exec_path(path)

    def disk(self, path: str) -> str:
        return os.path.join(self._session.request.output_root, self._mapper.path(path))

    def expression(self, path: str) -> str | None:
        """The terms of an exec path, None for what is in no tree."""
        tree, relative = self._place(path)
        if not tree:
            return None
        audit = self.audits.get(tree)
        if audit is None:
            audit = self.audits[tree] = self._audit_of(tree)
        conclusion = audit.concluded.files.get(relative)
        return conclusion.expression if conclusion is not None else None

    def system_path(self, path: str) -> str:
        """Where a file of the system is, "" for files of the source tree and of repositories."""
        if path.startswith("/"):
            return path
        tree, relative = self._place(path)
        return "" if tree else relative

    def _place(self, path: str) -> tuple[str, str]:
        """(directory of the tree, path in it), or ("", absolute path) for a file elsewhere."""
        found = self.places.get(path)
        if found is None:
            found = self.places[path] = self._find(path)
        return found

    def _find(self, path: str) -> tuple[str, str]:
        real = os.path.realpath(self.disk(path))
        trees = [self._source]
        if path.startswith("external/"):
            name = path.split("/", 2)[1]
            if name not in self._repositories:
                self._repositories[name] = os.path.realpath(self.disk(f"external/{name}"))
            trees.insert(0, self._repositories[name])
            if trees[0].startswith(self._source + os.sep):
                trees.reverse()  # a repository inside of the source tree is part of it
        elsewhere = self._linked_from(path)
        if elsewhere and not f"{elsewhere}/".startswith(_SYSTEM):
            trees.append(elsewhere)
        for tree in trees:
            if real.startswith(tree + os.sep):
                return tree, real[len(tree) + 1 :]
        return "", real

    def _linked_from(self, path: str) -> str:
        """The directory whose files a repository consists of by links, "" for a file that is in the repository."""
        parts = path.split("/")
        for end in range(3, len(parts) + 1):
            place = self.disk("/".join(parts[:end]))
            if os.path.islink(place):
                return os.path.dirname(os.path.realpath(place))
        return ""
