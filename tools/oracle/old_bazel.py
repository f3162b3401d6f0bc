"""TensorFlow 2.0.0 under Bazel 0.26.1, from what record_tensorflow_2_0 laid out; tensorflow_2_0.py has the targets."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

SYSTEM = "grpc,icu,com_github_googlecloudplatform_google_cloud_cpp"


class OldBazelError(Exception):
    """Bazel refused a command; the text ends with what it said."""


class OldBazel:
    """program: Bazel; tree: the sources; place: with `repositories`, `rules` and `configured.bazelrc`."""

    def __init__(self, program: Path, tree: Path, place: Path):
        self.tree = tree
        self.repositories = sorted((place / "repositories").iterdir())
        self._overridden = [*self.repositories, *sorted((place / "rules").iterdir())]
        self._startup = [program, "--nohome_rc", "--nosystem_rc", f"--bazelrc={place}/configured.bazelrc"]
        self._startup += [f"--output_user_root={place}/root", "--max_idle_secs=300"]
        (place / "home").mkdir(exist_ok=True)
        self._environment = {
            "HOME": str(place / "home"),
            "USER": "user",
            "LC_ALL": "C.UTF-8",
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "PYTHON_BIN_PATH": "/usr/bin/python3",
            "TF_SYSTEM_LIBS": SYSTEM,
            "TF_IGNORE_MAX_BAZEL_VERSION": "1",
        }

    def _run(self, *words: object) -> bytes:
        done = subprocess.run([*self._startup, *words], cwd=self.tree, env=self._environment, capture_output=True)
        if done.returncode:
            raise OldBazelError(done.stderr.decode(errors="replace")[-6000:])
        return done.stdout

    def aquery(self, target: str) -> bytes:
        """The dump of deps(target) as text."""
        overrides = [f"--override_repository={path.name}={path}" for path in self._overridden]
        return self._run("aquery", *overrides, "--output=text", f"deps({target})")

    def cold(self, target: str) -> tuple[float, int]:
        """Seconds of an aquery with the start of its server, and the server's peak memory in KiB."""
        self.stop()
        start = time.monotonic()
        self.aquery(target)
        seconds = time.monotonic() - start
        process = int(self._run("info", "server_pid"))
        status = Path(f"/proc/{process}/status").read_text()
        found = re.search(r"^VmHWM:\s*(\d+)", status, re.MULTILINE)
        assert found is not None
        return seconds, int(found[1])

    def stop(self) -> None:
        """Ends the server."""
        self._run("shutdown")
