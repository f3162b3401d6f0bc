"""Running repository rules, and knowing when that is not needed.

A repository that a rule made is kept as long as the rule, its attributes and everything that it read are unchanged.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bazel2ninja import __version__
from bazel2ninja.diagnostics import Diagnostic, InternalError, Note, WorkspaceError
from bazel2ninja.labels import Label, parse_label
from bazel2ninja.loading.repository import AbsentRepositoryError
from bazel2ninja.records import replace
from bazel2ninja.repositories.archive import ARCHIVE_ENDINGS, file_digest
from bazel2ninja.repositories.context import RepositoryContext
from bazel2ninja.repositories.execute import Confinement
from bazel2ninja.repositories.inputs import RepositoryInputs, file_state
from bazel2ninja.repositories.rules import Declaration
from bazel2ninja.repositories.store import remove
from bazel2ninja.starlark import Thread, to_repr

if TYPE_CHECKING:
    from bazel2ninja.repositories.workspace import Workspace

_FORMAT = 2  # of the record; counts up when repositories must be made anew


class Fetcher:
    """Makes repositories by their rules, and remembers what all rules have read."""

    def __init__(
        self,
        workspace: Workspace,
        environment: Mapping[str, str],
        *,
        allow_unsandboxed: bool,
        no_execute: Sequence[str],
    ):
        self.workspace = workspace
        self.environment = dict(environment)
        self.confinement = Confinement(workspace.store, workspace.vendor, allow_unsandboxed)
        self.no_execute = frozenset(no_execute)
        self.environment_reads: dict[str, str | None] = {}
        self.program_reads: dict[str, str | None] = {}
        self._digests: dict[str, str] = {}
        self.without_download: set[str] = set()  # repositories whose rules downloaded nothing

    def find_program(self, name: str) -> str | None:
        """Where a program is in the PATH of the rules, None when it is not."""
        return shutil.which(name, path=self.environment.get("PATH", os.defpath))

    def fetch(self, name: str, declaration: Declaration, source: str | None, *, empty: bool = False) -> str:
        """Makes the repository, or finds that it is still good; returns its directory.

        source: a directory that stands for the archive that the rule would download.  empty: what is downloaded is
        taken to be empty, and what would change it is not done.
        """
        store = self.workspace.store
        directory = store.directory(name)
        key = self._key(name, declaration, "nothing downloaded" if empty else source)
        record = store.record(name)
        if record is not None and record.get("key") == key:
            inputs = RepositoryInputs.from_record(record)
            if inputs is not None and inputs.unchanged(self.environment, self.find_program):
                self.remember(inputs)
                if not record.get("downloaded", True):
                    self.without_download.add(name)
                return directory
        earlier = store.clear(name)
        context = RepositoryContext(self.workspace, name, declaration, directory, source, empty)
        try:
            self._run(declaration, context)
        except BaseException:
            remove(directory)
            remove(earlier)
            raise
        finally:
            self.remember(context.inputs)
        context.finish()
        store.settle(name, earlier)
        if not context.downloaded:
            self.without_download.add(name)
        store.write_record(name, {"key": key, "downloaded": context.downloaded, **context.inputs.as_record()})
        return directory

    def _run(self, declaration: Declaration, context: RepositoryContext) -> None:
        rule = declaration.rule
        for variable in rule.environ:
            context.read_environment(variable)
        thread = Thread(
            self.workspace.semantics if not self._is_builtin(declaration) else None,
            self.workspace.print,
            {"repository": context},
        )
        note = Note(f"repository '@{context.name}' is made by {rule.name}()", declaration.location)
        try:
            thread.call(rule.implementation, (context,))
        except AbsentRepositoryError as problem:
            # where it is wanted matters, and its notes say where it is declared
            first = replace(problem.diagnostic, location=None, frames=())
            raise AbsentRepositoryError(problem.name, first) from None
        except WorkspaceError as problem:
            raise problem.at(declaration.location, note) from problem.__cause__

    def _is_builtin(self, declaration: Declaration) -> bool:
        label = declaration.rule.label
        return label is not None and self.workspace.repository(label.repository).builtin

    def _key(self, name: str, declaration: Declaration, source: str | None) -> str:
        """A digest of what the repository is made from, apart from what its rule reads on the way."""
        rule = declaration.rule
        parts = [str(_FORMAT), __version__, name, rule.name, str(rule.label), source or ""]
        if rule.label is not None:
            parts += [f"{label}={self._digest(label)}" for label in self._loaded_by(rule.label)]
        parts += [f"{key}={_text(value)}" for key, value in sorted(declaration.attributes.items())]
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()

    def _digest(self, label: Label) -> str:
        """Of a .bzl file's content."""
        path = self.workspace.file_of(label)
        if path not in self._digests:
            self._digests[path] = file_state(path)
        return self._digests[path]

    def _loaded_by(self, label: Label) -> list[Label]:
        """A .bzl file and those that it loads, directly or not, sorted; absent ones are left out."""
        found, pending = {label}, [label]
        while pending:
            current = pending.pop()
            mapping = self.workspace.repository(current.repository).mapping
            for text, _, _ in self.workspace.load_module(current).program.loads:
                loaded = parse_label(text, current.package, mapping)
                try:
                    if loaded not in found and self.workspace.filesystem.is_file(self.workspace.file_of(loaded)):
                        found.add(loaded)
                        pending.append(loaded)
                except WorkspaceError:
                    continue  # a placeholder stands for what it defines
        return sorted(found)

    def remember(self, inputs: RepositoryInputs) -> None:
        """Makes what a rule has read known to those who regenerate the manifest."""
        self.environment_reads.update(inputs.environment)
        self.program_reads.update(inputs.programs)
        reads = self.workspace.filesystem.reads
        for path, state in inputs.files.items():
            reads.setdefault(path, "absent" if state == "absent" else "file" if state != "directory" else "directory")
        for path in inputs.directories:
            reads[path] = "directory"

    # Downloads

    def find_download(self, urls: Sequence[str], sha256: str, names: Sequence[str]) -> str | None:
        """A file in a --vendor directory that a download would give, None when there is none.

        It is called like the last part of a URL, like the SHA-256 sum, or like the repository with an archive's ending.
        Raises WorkspaceError when the only such file has another sum.
        """
        wanted = list(dict.fromkeys(_basename(url) for url in urls))
        if sha256:
            wanted += [sha256, *(sha256 + ending for ending in ARCHIVE_ENDINGS)]
        wanted += [name + ending for name in names for ending in ARCHIVE_ENDINGS]
        wrong: list[tuple[str, str]] = []
        for directory in self.workspace.vendor:
            for name in wanted:
                path = os.path.join(directory, name)
                if not name or not os.path.isfile(path):
                    continue
                found = file_digest(path)
                if not sha256 or found == sha256.lower():
                    return path
                wrong.append((path, found))
        if wrong:
            path, found = wrong[0]
            raise WorkspaceError(
                Diagnostic(
                    f"{path!r} has the SHA-256 sum {found}, and the rule wants {sha256}",
                    help="to use other sources than the declared ones, unpack them and use --override_repository",
                )
            )
        return None


def _basename(url: str) -> str:
    """The last part of a URL's path that looks like a file name (".../foo.tar.gz/download" is foo.tar.gz)."""
    parts = [part for part in url.split("?", 1)[0].split("#", 1)[0].split("/") if part]
    for part in reversed(parts[-2:]):
        if part.lower().endswith(ARCHIVE_ENDINGS):
            return part
    return parts[-1] if parts else ""


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_text(key)}:{_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple):
        return "[" + ",".join(map(_text, value)) + "]"
    if isinstance(value, Label):
        return str(value)
    try:
        return to_repr(value)
    except InternalError:
        return repr(value)
