"""Debian sid's Bazel on TensorFlow 2.14.1, in a chroot and without a network; record_tensorflow_2_14 lays out PLACE.

PLACE holds `tree` (the sources with the one line less that Bazel 7 refuses), `repositories` (what both sides read),
`rules` (what only Bazel needs).  The chroot has bazel-bootstrap, the bazel-rules-* packages, g++ and python3.
"""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/real_projects"))

import debian_chroot  # noqa: E402  (beside the tests that share them)
import tensorflow_standins  # noqa: E402, F401

# Of the system, by files of the tree's own; abseil's files there lack targets, a stand-in has them.
SYSTEM = (
    "com_google_absl,flatbuffers,com_google_protobuf,com_googlesource_code_re2,snappy,zlib,png,gif,libjpeg_turbo,curl,"
    "double_conversion,jsoncpp_git,nsync,org_sqlite,pybind11,icu,hwloc,six_archive,wrapt,termcolor_archive,"
    "typing_extensions_archive,absl_py,astor_archive,astunparse_archive,gast_archive,dill_archive,tblib_archive,"
    "opt_einsum_archive,pasta,cython,nasm,boringssl,com_github_grpc_grpc"
)
SETTINGS = {
    "TF_SYSTEM_LIBS": SYSTEM,
    "TF_PYTHON_VERSION": "3.11",
    "PYTHON_BIN_PATH": "/usr/bin/python3",
    "PYTHON_LIB_PATH": "/usr/lib/python3/dist-packages",
}
# Rule packages of Debian: repository -> directory in the chroot.
DEBIAN = {
    "bazel_skylib": "/usr/share/bazel/tools/skylib",
    "bazel_features": "/usr/share/bazel/tools/features",
    "platforms": "/usr/share/bazel/tools/platforms",
    "rules_java": "/usr/share/bazel/rules/java",
    "rules_java_builtin": "/usr/share/bazel/rules/java",
    "rules_cc": "/usr/share/bazel/rules/cc",
    "rules_license": "/usr/share/bazel/rules/license",
    "rules_pkg": "/usr/share/bazel/rules/pkg",
    "rules_proto": "/usr/share/bazel/rules/proto",
    "rules_python": "/usr/share/bazel/rules/python",
}
# One shell, so that the server lives and dies in one namespace.  $1: the file for the dump.
_COLD = """\
set -e
bazel() { /usr/bin/bazel --nohome_rc --output_user_root=/root/output --max_idle_secs=600 "$@"; }
trap 'bazel shutdown >/dev/null 2>&1' EXIT
start=$(date +%s.%N)
bazel aquery ARGUMENTS >"$1"
end=$(date +%s.%N)
set -- /root/output/*/server/server.pid.txt
echo "measured $start $end $(sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\) kB/\\1/p' "/proc/$(cat "$1")/status")"
"""


class SidBazelError(Exception):
    """Bazel refused a command; the text ends with what it said."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One cold aquery.  seconds: with the start of the server; peak_kib: of the server; dump: jsonproto."""

    seconds: float
    peak_kib: int
    dump: bytes


def cold(chroot: Path, place: Path, target: str) -> Measured:
    """aquery of deps(target) by a new server, and the end of that server; Bazel's repositories stay on disk."""
    overrides = dict(DEBIAN)
    overrides |= {path.name: f"/place/rules/{path.name}" for path in sorted((place / "rules").iterdir())}
    overrides |= {path.name: f"/place/repositories/{path.name}" for path in sorted((place / "repositories").iterdir())}
    words = ["--enable_workspace", "--noenable_bzlmod", "--output=jsonproto"]
    words += [f"--override_repository={name}={path}" for name, path in overrides.items()]
    words += [f"--repo_env={name}={value}" for name, value in SETTINGS.items()]
    script = _COLD.replace("ARGUMENTS", shlex.join([*words, f"deps({target})"]))
    done = debian_chroot.run(
        chroot, {place: "/place"}, ["bash", "-c", script, "bash", "/root/dump"], "/place/tree", USER="root"
    )
    if done.returncode:
        raise SidBazelError((done.stderr + done.stdout)[-6000:])
    _, start, end, peak = done.stdout.split()[-4:]
    return Measured(float(end) - float(start), int(peak), (chroot / "root/dump").read_bytes())
