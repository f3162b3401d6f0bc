"""Run the real Bazel (Debian's bazel-bootstrap) offline, with a server and a home of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

# What a Debian build daemon offers: Bazel's toolchain detection must find /usr/bin/gcc and no ccache, no pyenv.
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


class BazelError(Exception):
    """Bazel is missing or refused a command; the text ends with what it said."""


class Bazel:
    """One workspace and the Bazel server that serves it; leave the `with` block and both server and home are gone.

    `overrides`: repository name -> folder, for --override_repository. `flags`: further build flags for every command
    but `info` and `shutdown`.
    """

    def __init__(self, workspace: Path, overrides: Mapping[str, Path], flags: Sequence[str] = ()) -> None:
        self.workspace = workspace.resolve()
        self._flags = [f"--override_repository={name}={path}" for name, path in sorted(overrides.items())]
        self._flags += flags
        self._home = Path(tempfile.mkdtemp(prefix="bazel-oracle-"))
        self._started = False

    def __enter__(self) -> Bazel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def stop_server(self) -> None:
        """Shut the server down; what it fetched and analysed on disk stays, the next command starts another."""
        if self._started:
            self._execute(["shutdown"])
            self._started = False

    def close(self) -> None:
        """Shut the server down and remove all that it wrote."""
        self.stop_server()
        # Bazel's output tree is read-only in places.
        subprocess.run(["chmod", "-R", "u+w", str(self._home)], capture_output=True)
        shutil.rmtree(self._home, ignore_errors=True)

    def run(self, command: str, *arguments: str, accept: Sequence[int] = (0,)) -> str:
        """Standard output of `bazel COMMAND FLAGS ARGUMENTS`. Raises BazelError for an exit status not in `accept`."""
        flags = [] if command in ("info", "shutdown") else self._flags
        done = self._execute([command, *flags, *arguments])
        if done.returncode not in accept:
            raise BazelError(f"bazel {command} ended with status {done.returncode}:\n{done.stderr[-6000:]}")
        return done.stdout

    def run_bytes(self, command: str, *arguments: str) -> bytes:
        """What `bazel COMMAND FLAGS ARGUMENTS` writes to standard output, which is no text. Raises BazelError."""
        done = self._execute([command, *self._flags, *arguments], text=False)
        if done.returncode:
            raise BazelError(f"bazel {command} ended with status {done.returncode}:\n{done.stderr[-6000:]!r}")
        return bytes(done.stdout)

    def status(self, command: str, *arguments: str) -> tuple[int, str]:
        """Exit status and error output (where Bazel reports) of `bazel COMMAND FLAGS ARGUMENTS`."""
        done = self._execute([command, *self._flags, *arguments])
        return done.returncode, done.stderr + done.stdout

    def server_pid(self) -> int:
        """Process id of the server, started if need be."""
        return int(self.run("info", "server_pid"))

    def server_peak_kib(self) -> int:
        """Peak resident memory of the server so far in KiB: VmHWM of proc(5)."""
        status = Path(f"/proc/{self.server_pid()}/status").read_text(encoding="ascii")
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM:")).split()[1])

    def portable(self, text: str) -> str:
        """`text` with this run's folders replaced by /workspace and /output_base."""
        base = re.escape(str(self._home / "root")) + "/[0-9a-f]{32}"
        return re.sub(base, "/output_base", text).replace(str(self.workspace), "/workspace")

    def _execute(self, arguments: Sequence[str], *, text: bool = True) -> subprocess.CompletedProcess[Any]:
        self._started = self._started or arguments[0] != "shutdown"
        # The system rc file stays in force: Debian's sets --install_base there.
        startup = ["--nohome_rc", f"--output_user_root={self._home / 'root'}", "--max_idle_secs=600"]
        environment = {
            "PATH": SYSTEM_PATH,
            "HOME": str(self._home),
            "LC_ALL": "C.UTF-8",
            "USER": os.environ.get("USER", "root"),
            # The `bazel` of Debian is a wrapper that would look for the version a .bazelversion names.
            "USE_BAZEL_VERSION": "latest",
        }
        try:
            return subprocess.run(
                ["bazel", *startup, *arguments], cwd=self.workspace, env=environment, capture_output=True, text=text
            )
        except FileNotFoundError as error:
            raise BazelError("no 'bazel' on this machine: apt-get install bazel-bootstrap (Debian bookworm)") from error
