"""Running the programs that repository rules start, confined.

Each run has a user, mount and network namespace of its own: no network, the source tree read-only, nothing of the
builder's environment but what the rule asked for.  https://www.man7.org/linux/man-pages/man1/unshare.1.html.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.loading.repository_store import RepositoryStore

_TIMED_OUT = 256  # the return code that Bazel gives a program that ran too long

# $1: source tree, $2: our side directory (which may lie in the source tree), $3: working directory, then the command
_READ_ONLY_SOURCE = """\
mount --bind "$2" "$2" && mount --rbind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 125
cd "$3" || exit 125
shift 3
exec "$@"
"""


@dataclass(frozen=True, slots=True)
class Result:
    """return_code is 256 when the program ran too long."""

    return_code: int
    stdout: bytes
    stderr: bytes


class Confinement:
    """How programs are confined on this machine, found out when the first one runs."""

    def __init__(self, store: RepositoryStore, allow_unsandboxed: bool):
        self._store = store
        self._allow_unsandboxed = allow_unsandboxed
        self._kind: str | None = None

    @property
    def kind(self) -> str:
        """ "source read-only, no network", "no network" or "none"; raises WorkspaceError when "none" is not allowed."""
        if self._kind is None:
            self._kind = self._probe()
        return self._kind

    def _probe(self) -> str:
        if shutil.which("unshare") is None:
            return self._unconfined("there is no program 'unshare'")
        if shutil.which("mount") and self._works(self._prefix("source read-only, no network", os.getcwd())):
            return "source read-only, no network"
        if self._works(self._prefix("no network", os.getcwd())):
            return "no network"
        return self._unconfined("user namespaces are not available")

    def _unconfined(self, why: str) -> str:
        if self._allow_unsandboxed:
            return "none"
        raise WorkspaceError(
            Diagnostic(
                f"cannot confine the programs of repository rules: {why}",
                help="--allow_unsandboxed runs them as they are",
            )
        )

    def _works(self, prefix: Sequence[str]) -> bool:
        return subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0

    def _prefix(self, kind: str, directory: str) -> list[str]:
        if kind == "none":
            return []
        if kind == "no network":
            return ["unshare", "--user", "--map-root-user", "--net", "--"]
        source = os.path.abspath(self._store.source_directory or ".")
        side = os.path.abspath(self._store.side_directory or ".")
        return [
            *("unshare", "--user", "--map-root-user", "--net", "--mount", "--"),
            *("sh", "-c", _READ_ONLY_SOURCE, "sh", source, side, directory),
        ]

    def run(self, arguments: Sequence[str], directory: str, environment: Mapping[str, str], timeout: float) -> Result:
        """Runs a program in a directory; raises WorkspaceError when it cannot be started.  `timeout` in seconds."""
        command = [*self._prefix(self.kind, directory), *arguments]
        try:
            done = subprocess.run(
                command,
                cwd=directory,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired as expired:
            return Result(_TIMED_OUT, expired.stdout or b"", expired.stderr or b"")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise WorkspaceError(f"cannot run {arguments[0]!r}: {reason}") from None
        return Result(done.returncode, done.stdout, done.stderr)
