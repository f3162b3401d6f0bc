"""Debian packages, built in a bookworm chroot without a network: this repository's own, and one that debianize wrote.

The chroots stay beside the source packages.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import debian_chroot
import own_packages
import pytest
from archive import Project, directory, fetch

pytestmark = pytest.mark.real_project

SUITE = "bookworm"
TOOLS = [*own_packages.TOOLS, "python3-numpy", "qemu-user"]
PROJECT = Project(name="re2", source="re2", suite=SUITE, prepare=True)
PLACE = "build"
# Of a first package: its number of a bug report is not known, and its version is the project's.
EXPLAINED = ("initial-upload-closes-no-bugs", "new-package-uses-date-based-version-number")
USE = r"""
#include <re2/re2.h>
#include <cstdio>
int main() { std::puts(RE2::FullMatch("2022-06-01", "(\\d+)-(\\d+)-(\\d+)") ? "matches" : "differs"); }
"""


def run(root: Path, *words: str, at: str = f"/{PLACE}", **environment: str) -> str:
    return own_packages.run(root, *words, at=at, **environment)


def complaints(root: Path, changes: str) -> list[str]:
    return own_packages.complaints(root, f"/{PLACE}/{changes}")


@pytest.fixture(scope="module")
def builder() -> Path:
    """A chroot with what a package build needs, and this repository's own packages installed."""
    reason = debian_chroot.missing()
    if reason:
        pytest.skip(f"NOT TESTED: no package is built in a chroot: {reason}")
    chroots = directory() / "chroots"
    chroots.mkdir(parents=True, exist_ok=True)
    root = debian_chroot.make(SUITE, TOOLS, chroots / f"{SUITE}-packages")
    shutil.rmtree(root / PLACE, ignore_errors=True)
    own_packages.install(root, PLACE)
    return root


# The rotation may take one of the two: each is given the time that the chroot takes.
@pytest.mark.minutes(6)
def test_the_own_packages(builder: Path) -> None:
    """No faults, and what they install passes their autopkgtests."""
    assert complaints(builder, "bazel2ninja_*.changes") == []
    for page in ("man1/bazel2ninja-generate.1.gz", "man5/bazel2ninja.toml.5.gz", "man7/dh-bazel2ninja.7.gz"):
        assert (builder / "usr/share/man" / page).is_file()
    assert "isa-check" in (builder / "usr/share/bash-completion/completions/bazel2ninja").read_text()
    assert (builder / "usr/share/zsh/vendor-completions/_bazel2ninja").is_file()
    assert "<h1>" in (builder / "usr/share/doc/bazel2ninja/html/index.html").read_text()
    for name in ("command-line", "package-build", "levels-and-python"):
        temporary = builder / "tmp" / name
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        at = f"/{PLACE}/bazel2ninja"
        run(builder, f"debian/tests/{name}", at=at, AUTOPKGTEST_TMP=f"/tmp/{name}", DEB_BUILD_OPTIONS="parallel=2")


@pytest.mark.minutes(20)
def test_a_package_that_debianize_wrote(builder: Path, tmp_path: Path) -> None:
    source = fetch(PROJECT)
    places = [f"{PLACE}/one", "var/tmp/elsewhere/deeper/two"]
    names = ["DEBFULLNAME=A Person", "DEBEMAIL=person@example.org", "SOURCE_DATE_EPOCH=1700000000"]
    environments = [
        {"DEB_BUILD_OPTIONS": "parallel=2", "TZ": "UTC"},
        {"DEB_BUILD_OPTIONS": "parallel=1 nocheck", "TZ": "Asia/Tokyo", "LC_ALL": "C", "USER": "somebody"},
    ]
    for place, umask, environment in zip(places, ("022", "002"), environments, strict=True):
        shutil.rmtree(builder / place, ignore_errors=True)
        tree = builder / place / "re2-20220601"
        shutil.copytree(source.resolve(), tree, symlinks=True, ignore=shutil.ignore_patterns("debian", ".pc", ".git"))
        run(builder, "env", *names, "bazel2ninja", "debianize", "--isa=x86-64-v3", "re2-20220601", at=f"/{place}")
        words = ["sh", "-c", f"umask {umask}; dpkg-buildpackage -us -uc -b"]
        log = run(builder, *words, at=f"/{place}/re2-20220601", **environment)
        if "nocheck" not in environment["DEB_BUILD_OPTIONS"]:
            assert "14 tests: 14 passed" in log
    one, two = ({each.name: each.read_bytes() for each in (builder / place).glob("*.deb")} for place in places)
    assert len(one) >= 4 and one == two  # bit for bit, whatever the path, the time zone, the umask and the jobs are

    faults = complaints(builder, "one/re2_*.changes")
    assert [line for line in faults if not any(tag in line for tag in EXPLAINED)] == []

    user = directory() / "chroots" / f"{SUITE}-packages-used"
    debian_chroot.make(SUITE, ["g++", "pkg-config", "qemu-user"], user)
    shutil.rmtree(user / PLACE, ignore_errors=True)
    (user / PLACE).mkdir()
    for name, content in one.items():
        if "dbgsym" not in name:
            (user / PLACE / name).write_bytes(content)
    shutil.copy2(builder / places[0] / "re2-20220601/debian/tests/use-library", user / PLACE)
    (user / PLACE / "use.cc").write_text(USE)
    run(user, "sh", "-c", "dpkg -i *.deb")
    run(user, "sh", "-c", "g++ -o use use.cc $(pkg-config --cflags --libs re2)")
    for processor, level in (("qemu64", ""), ("Nehalem", ""), ("Haswell", "glibc-hwcaps/x86-64-v3/")):
        loaded = debian_chroot.run(
            user, {}, ["qemu-x86_64", "-cpu", processor, "-E", "LD_DEBUG=libs", "./use"], "/build"
        )
        assert loaded.stdout == "matches\n", loaded.stderr
        assert f"calling init: /lib/x86_64-linux-gnu/{level}libre2.so" in loaded.stderr
    (user / "tmp/use-library").mkdir(exist_ok=True)
    for _ in range(2):  # what an earlier run left in the directory is no matter
        run(user, "./use-library", AUTOPKGTEST_TMP="/tmp/use-library")
