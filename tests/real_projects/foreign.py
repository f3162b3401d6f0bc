"""Packages of another architecture: unpacked trees of them, and commands that run in such a tree by qemu-user.

Nothing is configured, so no maintainer script runs.  Programs of the other architecture are started by the kernel
(binfmt_misc), which is told about qemu in a user namespace of its own: nothing outside a command changes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from debian_chroot import mirror

TRIPLETS = {
    "arm64": "aarch64-linux-gnu",
    "ppc64el": "powerpc64le-linux-gnu",
    "s390x": "s390x-linux-gnu",
    "riscv64": "riscv64-linux-gnu",
    "i386": "i386-linux-gnu",
    "armhf": "arm-linux-gnueabihf",
}
# What a tree needs besides, for commands to run in it.
BASE = ("base-files", "coreutils", "dash", "dpkg", "grep", "libc-bin", "sed")
QEMU = "qemu-aarch64-static"
_MERGED = ("bin", "lib", "sbin")
# What a maintainer script would have done.
_ALTERNATIVES = {"c++": "g++", "cc": "gcc"}
# binfmt_misc's documentation in the kernel, "How to use it": the first 20 bytes of an ELF file, e_machine 183
_MAGIC = r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
_MASK = r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
# The first line of input tells that the namespace has its users.  $1: for the kernel; then as debian_chroot's.
_ENTER = """\
read -r go || exit 125
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc || exit 125
printf %s "$1" > /proc/sys/fs/binfmt_misc/register || exit 125
root=$2; shift 2
mount --rbind /proc "$root/proc" && mount --rbind /dev "$root/dev" || exit 125
while [ "$1" != -- ]; do
    mkdir -p "$root/$2" && mount --bind "$1" "$root/$2" && mount -o remount,bind,ro "$root/$2" || exit 125
    shift 2
done
shift
exec chroot "$root" "$@" < /dev/null
"""


def missing() -> str:
    """What keeps this machine from running programs for arm64 in a tree, "" when nothing does."""
    if shutil.which(QEMU) is None:
        return "apt install qemu-user-static"
    mount = ["mount", "-t", "binfmt_misc", "binfmt_misc", "/proc/sys/fs/binfmt_misc"]
    probe = ["unshare", "--user", "--map-root-user", "--mount", "--net", *mount]
    if subprocess.run(probe, capture_output=True).returncode:
        return "'unshare --user --mount --net' fails, or the kernel has no binfmt_misc for it (Linux 6.7)"
    return ""


def unpacked(suite: str, architecture: str, packages: Sequence[str], place: Path) -> Path:
    """A tree with these packages and all that they depend on, and dpkg's list of them; taken as it is when finished."""
    done = place / "unpacked-for-tests"
    if done.exists():
        return place
    shutil.rmtree(place, ignore_errors=True)
    words = ["mmdebstrap", "--variant=extract", "--mode=root", "--format=directory", "--skip=check/qemu,cleanup/apt"]
    words += [f"--architectures={architecture}", f"--include={','.join(packages)}"]
    words += ['--aptopt=Acquire::Check-Valid-Until "false"', '--aptopt=APT::Install-Recommends "false"']
    made = subprocess.run([*words, suite, str(place), mirror()], capture_output=True, text=True)
    if made.returncode:
        pytest.fail(f"mmdebstrap: {made.stderr[-3000:]}")
    stanzas = list(_stanzas(place / "var/cache/apt/archives"))
    (place / "var/lib/dpkg/status").write_text("\n".join(stanzas))
    shutil.rmtree(place / "var/cache/apt/archives")
    for name in _MERGED:
        if not os.path.lexists(place / name):
            (place / name).symlink_to(f"usr/{name}")
    for name, program in _ALTERNATIVES.items():
        if os.path.lexists(place / "usr/bin" / program) and not os.path.lexists(place / "usr/bin" / name):
            (place / "usr/bin" / name).symlink_to(program)
    for name in ("dev", "proc", "sys", "tmp"):
        (place / name).mkdir(exist_ok=True)
    done.touch()
    return place


def _stanzas(archives: Path) -> Iterator[str]:
    fields = ("Package", "Version", "Architecture", "Multi-Arch", "Maintainer", "Description")
    for package in sorted(archives.glob("*.deb")):
        words = ["dpkg-deb", "-f", str(package), *fields]
        text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        yield "Status: install ok installed\n" + text


def environment(root: Path, architecture: str) -> dict[str, str]:
    """Makes tools of this machine look at an unpacked tree: clang compiles for every architecture."""
    triplet = TRIPLETS[architecture]
    target = f"--target={triplet} --sysroot={root}"
    return {
        "DEB_BUILD_ARCH": "amd64",
        "DEB_HOST_ARCH": architecture,
        "CC": f"clang {target}",
        "CXX": f"clang++ {target}",
        "LDFLAGS": f"-L{root}/usr/lib/{triplet}",
        "DPKG_ADMINDIR": f"{root}/var/lib/dpkg",
        "PKG_CONFIG_LIBDIR": f"{root}/usr/lib/{triplet}/pkgconfig:{root}/usr/share/pkgconfig",
        "PKG_CONFIG_SYSROOT_DIR": str(root),
    }


def run(
    root: Path, binds: Mapping[Path, str], words: Sequence[str], directory: str = "/", **variables: str
) -> subprocess.CompletedProcess[str]:
    """A command in an unpacked tree for arm64, without a network; `binds`: directories that it sees, to read only."""
    format = f":qemu-aarch64:M::{_MAGIC}:{_MASK}:{shutil.which(QEMU)}:PF"
    pairs = [text for source, place in binds.items() for text in (str(source), place)]
    enter = ["unshare", "--user", "--mount", "--net", "sh", "-c", _ENTER, "sh", format, str(root), *pairs, "--"]
    inner = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8"]
    inner += [f"{name}={text}" for name, text in variables.items()]
    shell = ["sh", "-c", 'cd "$0" && exec "$@"', directory, *words]
    with subprocess.Popen(
        [*enter, *inner, *shell],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        outside = os.readlink("/proc/self/ns/user")
        while process.poll() is None and os.readlink(f"/proc/{process.pid}/ns/user") == outside:
            time.sleep(0.01)
        for name in ("uid_map", "gid_map"):  # every user is itself
            Path(f"/proc/{process.pid}/{name}").write_text("0 0 4294967295")
        output, errors = process.communicate("go\n")
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)
