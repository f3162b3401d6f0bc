"""What repository rules and module extensions can do with files, programs and downloads.

https://bazel.build/rules/lib/builtins/repository_ctx and https://bazel.build/rules/lib/builtins/module_ctx.  Whatever
is written, linked, unpacked, renamed or deleted lies in the directory of the context; whatever is read is remembered.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bazel2ninja.diagnostics import Diagnostic
from bazel2ninja.labels import Label
from bazel2ninja.loading.repository import AbsentRepositoryError
from bazel2ninja.repositories.archive import file_digest, inside, unpack
from bazel2ninja.repositories.inputs import RepositoryInputs, file_state, listing_state
from bazel2ninja.repositories.path import RepositoryOs, RepositoryPath, exec_result
from bazel2ninja.starlark import EvalError, Struct, caller_location, type_name

if TYPE_CHECKING:
    from bazel2ninja.repositories.workspace import Workspace

_KEPT_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TZ")  # of the builder's, for programs that rules run
_DEFAULT_TIMEOUT = 600  # seconds, as in Bazel


class FileContext:
    """The part of repository_ctx that module_ctx has, too.

    name: for messages.  directory: as the process opens it, where everything is written.
    """

    def __init__(self, workspace: Workspace, name: str, directory: str):
        self.workspace = workspace
        self.name = name
        self.directory = directory
        self.root = os.path.abspath(directory)
        self.inputs = RepositoryInputs()
        self.environment = workspace.fetcher.environment
        # directories and files of vendored trees that the repository holds as links: path below root -> target
        self._borrowed: dict[str, str] = {}
        self.downloaded = False  # whether anything was, or would have been

    # What is read

    def _is_own(self, path: str) -> bool:
        return inside(path, self.root)

    def read_state(self, path: str) -> None:
        """Remembers that the rule depends on a file, a directory's existence, or their absence."""
        if not self._is_own(path):
            spelled = self.workspace.store.spelled(path)
            self.inputs.files.setdefault(spelled, file_state(path))

    def read_listing(self, path: str) -> None:
        """Remembers that the rule depends on the names in a directory."""
        if not self._is_own(path):
            spelled = self.workspace.store.spelled(path)
            self.inputs.directories.setdefault(spelled, listing_state(path))

    def read_environment(self, name: str) -> str | None:
        """The value of an environment variable; remembers that the rule depends on it."""
        value = self.environment.get(name)
        self.inputs.environment.setdefault(name, value)
        return value

    # Paths

    def resolve(self, value: Any, what: str = "path") -> str:
        """The absolute path that a string (relative to the repository), a Label or a path means."""
        if isinstance(value, RepositoryPath):
            return value.path
        if isinstance(value, Label):
            return os.path.abspath(self.workspace.file_of(value))
        if isinstance(value, str):
            return os.path.normpath(os.path.join(self.root, value))
        raise EvalError(f"{what} got value of type '{type_name(value)}', want 'string, Label or path'")

    def _own(self, value: Any, what: str) -> str:
        """A path that is to be written; raises EvalError when it is not in the repository's directory."""
        path = self.resolve(value, what)
        if not inside(path, self.root):
            raise EvalError(
                Diagnostic(
                    f"{what} {_shown(value)} is outside of the directory of '@{self.name}'",
                    help="a repository rule writes in its own repository only",
                )
            )
        if os.path.islink(self.root):
            raise EvalError(f"repository '@{self.name}' is a link by now, and nothing can be written there")
        if path == self.root:
            return path
        self._take_directories(os.path.dirname(path))
        self._check_real(os.path.dirname(path), value, what)
        return path

    def _check_real(self, path: str, value: Any, what: str) -> None:
        if not inside(os.path.realpath(path), os.path.realpath(self.root)):
            raise EvalError(f"{what} {_shown(value)} leaves the directory of '@{self.name}' through a symbolic link")

    def _directory(self, value: Any, what: str) -> str:
        """The path of a directory in which files are to be made; it exists then."""
        path = self._own(value, what)
        self._take_directories(path)
        self._check_real(path, value, what)
        os.makedirs(path, exist_ok=True)
        return path

    def _replaceable(self, value: Any, what: str) -> str:
        """The same, with the directory made and what stands there removed, so that no link is written through."""
        path = self._own(value, what)
        if path == self.root:
            raise EvalError(f"{what} {_shown(value)} is the directory of '@{self.name}' itself")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.islink(path) or os.path.isfile(path):
            self._borrowed.pop(path, None)
            os.unlink(path)
        return path

    # Vendored trees are linked, not copied; what a rule changes becomes the repository's own first.

    def borrow_tree(self, source: str, destination: str) -> None:
        """Makes the entries of a directory, except version control, entries of `destination`, as links."""
        os.makedirs(destination, exist_ok=True)
        self.read_listing(os.path.abspath(source))
        for name in sorted(os.listdir(source)):
            if name in (".git", ".hg", ".svn"):
                continue
            place = os.path.join(destination, name)
            if os.path.isdir(place) and not os.path.islink(place):
                self.borrow_tree(os.path.join(source, name), place)
                continue
            self.workspace.store.place_link(os.path.join(source, name), place)
            self._borrowed[place] = os.path.join(source, name)

    def _take_directories(self, path: str) -> None:
        """Every borrowed directory on the way to `path` becomes a directory of links."""
        relative = os.path.relpath(path, self.root)
        place = self.root
        for part in [] if relative == "." else relative.split(os.sep):
            place = os.path.join(place, part)
            source = self._borrowed.get(place)
            if source is not None and os.path.isdir(source):
                del self._borrowed[place]
                os.unlink(place)
                self.borrow_tree(source, place)

    def _take_all(self) -> None:
        """Copies everything that is borrowed: a program is about to run and may change it."""
        while self._borrowed:
            place, source = self._borrowed.popitem()
            if not os.path.islink(place):
                continue
            os.unlink(place)
            if os.path.isdir(source):
                self.borrow_tree(source, place)
            else:
                self.read_state(os.path.abspath(source))
                with open(source, "rb") as original, open(place, "xb") as copy:
                    copy.write(original.read())
                os.chmod(place, 0o755 if os.access(source, os.X_OK) else 0o644)

    # What Starlark sees

    @property
    def s_os(self) -> RepositoryOs:
        return RepositoryOs(self)

    def s_path(self, path: Any) -> RepositoryPath:
        return RepositoryPath(self.resolve(path), self)

    def s_getenv(self, name: Any, default: Any = None) -> Any:
        value = self.read_environment(name)
        return default if value is None else value

    def s_which(self, program: Any) -> RepositoryPath | None:
        if not isinstance(program, str) or "/" in program or not program:
            raise EvalError(f"which() takes the name of a program, not a path: {_shown(program)}")
        found = self.workspace.fetcher.find_program(program)
        self.inputs.programs[program] = found
        return None if found is None else RepositoryPath(os.path.abspath(found), self)

    def s_read(self, path: Any, *, watch: Any = "auto") -> str:
        place = self.resolve(path)
        self.read_state(place)
        try:
            with open(place, "rb") as file:
                return file.read().decode("utf-8", "surrogateescape")
        except OSError as error:
            raise EvalError(f"cannot read {place!r}: {(error.strerror or '').lower()}") from None

    def s_file(self, path: Any, content: Any = "", executable: Any = True, legacy_utf8: Any = False) -> None:
        if not isinstance(content, str):
            raise EvalError(f"in call to file(), parameter 'content' got value of type '{type_name(content)}'")
        self._write(self._replaceable(path, "file"), content.encode("utf-8", "surrogateescape"), bool(executable))

    def _write(self, place: str, content: bytes, executable: bool) -> None:
        with open(place, "xb") as file:
            file.write(content)
        os.chmod(place, 0o755 if executable else 0o644)

    def s_watch(self, path: Any) -> None:
        place = self.resolve(path)
        self.read_state(place)
        if os.path.isdir(place):
            self.read_listing(place)

    def s_report_progress(self, status: Any = "") -> None:
        """Progress is not shown."""

    def s_execute(
        self,
        arguments: Any,
        timeout: Any = _DEFAULT_TIMEOUT,
        environment: Any = None,
        quiet: Any = True,
        working_directory: Any = "",
    ) -> Struct:
        command = [self._argument(argument) for argument in _sequence(arguments, "arguments")]
        if not command:
            raise EvalError("execute() needs at least the name of a program")
        program = os.path.basename(command[0])
        if program in self.workspace.fetcher.no_execute:
            raise EvalError(f"repository '@{self.name}' would run {program!r}, which --no-execute forbids")
        if "/" not in command[0]:
            found = self.workspace.fetcher.find_program(command[0])
            self.inputs.programs[command[0]] = found
            if found is None:
                return exec_result(256, "", f"{command[0]}: no such program\n")
        directory = self.resolve(working_directory or "", "working_directory")
        self._take_all()
        variables = {name: self.environment[name] for name in _KEPT_ENVIRONMENT if name in self.environment}
        variables.setdefault("PATH", os.defpath)
        variables["HOME"] = "/nonexistent"
        for name, value in self.inputs.environment.items():
            if value is not None:
                variables[name] = value
        for name, value in (environment or {}).items():
            if value is None:
                variables.pop(name, None)
            else:
                variables[name] = str(value)
        done = self.workspace.fetcher.confinement.run(command, self.root, directory, variables, float(timeout))
        self.inputs.runs.append({"arguments": command, "directory": directory, "status": done.return_code})
        stdout = done.stdout.decode("utf-8", "surrogateescape")
        stderr = done.stderr.decode("utf-8", "surrogateescape")
        if not quiet and self.workspace.print is not None and (stdout or stderr):
            self.workspace.print(stdout + stderr, caller_location())
        return exec_result(done.return_code, stdout, stderr)

    def _argument(self, value: Any) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, RepositoryPath | Label):
            path = self.resolve(value)
            self.read_state(path)
            return path
        if value.__class__ is int:
            return str(value)
        raise EvalError(
            f"in call to execute(), an argument has type '{type_name(value)}', want 'string, path or Label'"
        )

    # Archives and downloads

    def s_extract(
        self,
        archive: Any,
        output: Any = "",
        strip_prefix: Any = "",
        *,
        stripPrefix: Any = "",
        rename_files: Any = None,
        watch_archive: Any = "auto",
        type: Any = "",
    ) -> None:
        self.downloaded = True
        source = self.resolve(archive, "archive")
        self.read_state(source)
        self._unpack(source, output, type, strip_prefix or stripPrefix, rename_files)

    def _unpack(self, archive: str, output: Any, type: str, strip_prefix: str, rename: Any) -> None:
        place = self._directory(output, "output")
        unpack(archive, place, type=type, strip_prefix=strip_prefix, rename=dict(rename or {}))

    def _download_source(self) -> str | None:
        """A directory that stands for the unpacked download."""
        return None

    def _names(self) -> tuple[str, ...]:
        """Names under which a vendored archive may lie, besides those of its URLs."""
        return ()

    def _find(self, url: Any, sha256: str) -> str:
        urls = [url] if isinstance(url, str) else [str(item) for item in _sequence(url, "url")]
        found = self.workspace.fetcher.find_download(urls, sha256, self._names())
        if found is None:
            raise self._not_on_disk(urls)
        self.read_state(os.path.abspath(found))
        return found

    def _not_on_disk(self, urls: list[str]) -> Exception:
        return EvalError(
            f"{self.name} would download {urls[-1] if urls else 'a file'}, and nothing is downloaded:"
            " put the file into a directory of --vendor"
        )

    def s_download(
        self,
        url: Any,
        output: Any = "",
        sha256: Any = "",
        executable: Any = False,
        allow_fail: Any = False,
        canonical_id: Any = "",
        auth: Any = None,
        headers: Any = None,
        *,
        integrity: Any = "",
        block: Any = True,
    ) -> Struct:
        digest = sha256 or sha256_of_integrity(integrity)
        self.downloaded = True
        try:
            found = self._find(url, digest)
        except (EvalError, AbsentRepositoryError):
            if allow_fail:
                return Struct(success=False)
            raise
        with open(found, "rb") as file:
            content = file.read()
        self._write(self._replaceable(output, "output"), content, bool(executable))
        done = _downloaded(found, digest)
        return done if block else Struct(wait=lambda: done)

    def s_download_and_extract(
        self,
        url: Any,
        output: Any = "",
        sha256: Any = "",
        type: Any = "",
        strip_prefix: Any = "",
        allow_fail: Any = False,
        canonical_id: Any = "",
        auth: Any = None,
        headers: Any = None,
        *,
        integrity: Any = "",
        rename_files: Any = None,
        stripPrefix: Any = "",
    ) -> Struct:
        prefix = strip_prefix or stripPrefix
        digest = sha256 or sha256_of_integrity(integrity)
        self.downloaded = True
        source = self._download_source()
        if source is not None:
            place = self._directory(output, "output")
            inner = os.path.normpath(os.path.join(source, prefix))
            if not inside(inner, os.path.normpath(source)):
                raise EvalError(f"strip_prefix {prefix!r} leads out of the vendored directory {source!r}")
            self.borrow_tree(inner if prefix and os.path.isdir(inner) else source, place)
            return Struct(success=True, sha256=digest, integrity=integrity)
        try:
            found = self._find(url, digest)
        except (EvalError, AbsentRepositoryError):
            if allow_fail:
                return Struct(success=False)
            raise
        self._unpack(found, output, type, prefix, rename_files)
        return _downloaded(found, digest)


def _downloaded(path: str, sha256: str) -> Struct:
    digest = sha256 or file_digest(path)
    return Struct(success=True, sha256=digest, integrity="")


def sha256_of_integrity(integrity: Any) -> str:
    """The hexadecimal SHA-256 sum that a subresource integrity value gives, "" for none or another algorithm."""
    if not isinstance(integrity, str) or not integrity.startswith("sha256-"):
        return ""
    try:
        return base64.b64decode(integrity[len("sha256-") :], validate=True).hex()
    except binascii.Error:
        raise EvalError(f"invalid integrity value {integrity!r}") from None


def _sequence(value: Any, what: str) -> Iterable[Any]:
    if not isinstance(value, list | tuple):
        raise EvalError(f"parameter '{what}' got value of type '{type_name(value)}', want 'sequence'")
    return value


def _shown(value: Any) -> str:
    return repr(value.path if isinstance(value, RepositoryPath) else str(value))
