"""Running the programs that repository rules start, confined.

Each run has a user, mount and network namespace of its own: no network; the source tree, vendored sources and other
repositories read-only; nothing of the environment of the builder but what the rule asked for.  A process in a chroot
may make no user namespace (clone(2), EPERM), but root needs none for the other two.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.records import dataclass
from bazel2ninja.repositories.store import RepositoryStore

_TIMED_OUT = 256  # the return code that Bazel gives a program that ran too long
_AS_USER = ("unshare", "--user", "--map-root-user")
_AS_ROOT = ("unshare",)

# $1: the directory that may be written, $2: working directory, then read-only directories up to "--", then the command.
# The first is mounted on itself before those that it may lie in, so that it stays writable.
_READ_ONLY = """\
mount --bind "$1" "$1" || exit 125
directory=$2
shift 2
while [ "$1" != -- ]; do
    mount --rbind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 125
    shift
done
shift
cd "$directory" || exit 125
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

    def __init__(self, store: RepositoryStore, vendor: Sequence[str], allow_unsandboxed: bool):
        self._store = store
        self._vendor = tuple(vendor)
        self._allow_unsandboxed = allow_unsandboxed
        self._kind: str | None = None
        self._unshare: tuple[str, ...] = ()

    def kind(self, own: str) -> str:
        """ "source read-only, no network", "no network" or "none"; raises WorkspaceError when "none" is not allowed."""
        if self._kind is None:
            self._kind = self._probe(own)
        return self._kind

    def _probe(self, own: str) -> str:
        import shutil

        if shutil.which("unshare") is None:
            return self._unconfined("there is no program 'unshare'")
        kinds = ["source read-only, no network"] if shutil.which("mount") else []
        for kind in [*kinds, "no network"]:
            for self._unshare in (_AS_USER, _AS_ROOT):
                if self._works(self._prefix(kind, own, own)):
                    return kind
        return self._unconfined("there are no user namespaces, and this is not root")

    def _unconfined(self, why: str) -> str:
        if self._allow_unsandboxed:
            return "none"
        raise WorkspaceError(
            Diagnostic(
                f"cannot confine the programs of repository rules: {why}",
                help="--allow-unsandboxed runs them as they are",
            )
        )

    def _works(self, prefix: Sequence[str]) -> bool:
        import subprocess  # most runs start no program

        return subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0

    def _prefix(self, kind: str, own: str, directory: str) -> list[str]:
        if kind == "none":
            return []
        if kind == "no network":
            return [*self._unshare, "--net", "--"]
        found = [self._store.side_directory or own, self._store.source_directory or ".", *self._vendor]
        # what lies in another one comes first: --rbind takes its mount along
        read_only = sorted(dict.fromkeys(map(os.path.abspath, found)), key=lambda path: -path.count("/"))
        return [
            *(*self._unshare, "--net", "--mount", "--"),
            *("sh", "-c", _READ_ONLY, "sh", own, directory, *read_only, "--"),
        ]

    def run(
        self, arguments: Sequence[str], own: str, directory: str, environment: Mapping[str, str], timeout: float
    ) -> Result:
        """Runs a program in `directory`; `own` is what it may write, both absolute.  `timeout` is in seconds.

        Raises WorkspaceError when it cannot be started, or not be confined.
        """
        import signal
        import subprocess

        command = [*self._prefix(self.kind(own), own, directory), *arguments]
        try:
            process = subprocess.Popen(
                command,
                cwd=directory,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise WorkspaceError(f"cannot run {arguments[0]!r}: {reason}") from None
        with process:
            try:
                stdout, stderr = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # the program, and what it has started
                stdout, stderr = process.communicate()
                return Result(_TIMED_OUT, stdout, stderr)
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return Result(process.returncode, stdout, stderr)
