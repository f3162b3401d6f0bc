"""A chroot of another Debian release, for projects that need newer libraries than this machine has.

mmdebstrap makes it, from the archive that the machine's own apt is configured for.  It takes root; nothing that is
mounted for a command is seen outside that command.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from archive import ROOT

# $1: the chroot; then pairs of a directory and its place in the chroot, up to "--"; then the command.
_ENTER = """\
root=$1; shift
mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" || exit 125
while [ "$1" != -- ]; do
    mkdir -p "$root/$2" && mount --bind "$1" "$root/$2" && mount -o remount,bind,ro "$root/$2" || exit 125
    shift 2
done
shift
ip link set lo up 2>/dev/null || true
exec chroot "$root" "$@"
"""
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


def missing() -> str:
    """What keeps this machine from making a chroot, "" when nothing does."""
    if os.geteuid():
        return "it takes root"
    if shutil.which("mmdebstrap") is None:
        return "apt install mmdebstrap"
    probe = ["unshare", "--mount", "--net", "mount", "--bind", "/usr", "/mnt"]
    if subprocess.run(probe, capture_output=True).returncode:
        return "'unshare --mount --net' or a mount in it fails"
    return ""


def mirror() -> str:
    words = [sys.executable, ROOT / "tools/sources", "mirror"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def make(suite: str, packages: Sequence[str], place: Path, foreign: str = "") -> Path:
    """The chroot with these packages; a finished one with the same packages is taken as it is.

    `foreign`: an architecture besides its own, for packages named NAME:ARCHITECTURE.
    """
    done = place / "etc/made-for-tests"
    contents = "".join(f"{name}\n" for name in sorted({suite, foreign, *packages}))
    if done.exists() and done.read_text() == contents:
        return place
    shutil.rmtree(place, ignore_errors=True)
    words = ["mmdebstrap", "--variant=apt", "--mode=root", "--format=directory", f"--include={','.join(packages)}"]
    if foreign:
        own = subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True).stdout
        words += [f"--architectures={own.strip()},{foreign}", '--aptopt=APT::Install-Recommends "false"']
    # a frozen archive has an old signature
    words += ['--aptopt=Acquire::Check-Valid-Until "false"', suite, str(place), mirror()]
    made = subprocess.run(words, capture_output=True, text=True)
    if made.returncode:
        pytest.fail(f"mmdebstrap: {made.stderr[-3000:]}")
    done.write_text(contents)
    return place


def run(
    root: Path, binds: Mapping[Path, str], words: Sequence[str], directory: str = "/", **environment: str
) -> subprocess.CompletedProcess[str]:
    """A command in the chroot, without a network; `binds`: directories that it sees, to read only."""
    pairs = [text for source, place in binds.items() for text in (str(source), place)]
    enter = ["unshare", "--mount", "--net", "sh", "-c", _ENTER, "sh", str(root), *pairs, "--"]
    inner = [
        "env",
        "-i",
        f"PATH={_PATH}",
        "HOME=/root",
        "LC_ALL=C.UTF-8",
        *(f"{k}={v}" for k, v in environment.items()),
    ]
    shell = ["sh", "-c", 'cd "$0" && exec "$@"', directory, *words]
    return subprocess.run(
        [*enter, *inner, *shell],
        env={**os.environ, "PATH": f"{os.environ['PATH']}:{_PATH}"},
        capture_output=True,
        text=True,
        errors="replace",
    )
