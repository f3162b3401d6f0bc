"""Libraries that are installed in several releases side by side, each in a directory of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from repositories_support import open_workspace
from system_library_support import StandIn, table

from bazel2ninja.diagnostics import UsageError, WorkspaceError, render
from bazel2ninja.system_libraries.library import Choice, SystemLibraryTable
from bazel2ninja.system_libraries.machine import Installed, NotInstalled
from bazel2ninja.system_libraries.table import SystemLibraries

BRICK = """
summary = "bricks"
repositories = ["brick"]
packages = ["libbrick-{variant}-dev", "brick-tools"]
variants = ["9", "8"]
prefix = "brick-{variant}"
headers = ["brick/brick.h"]
libraries = ["brick{variant}"]
programs = ["brickc"]
version = ">= 8, < 10"

[links]
"include" = "{prefix}/include"
"none" = "{prefix}/none"
"""
BUILD = """
load(":installed.bzl", "LINKS", "PREFIX", "VARIANT")
load(":system_library.bzl", "system_library")
system_library(name = "brick", includes = ["include"], linkopts = ["-L%s/lib" % PREFIX, "-lbrick" + VARIANT])
[filegroup(name = "has_" + link) for link in LINKS]
"""


@pytest.fixture
def known(tmp_path: Path) -> SystemLibraryTable:
    return table(
        tmp_path / "data", {"brick": BRICK, "clay": 'summary = "c"\nrepositories = ["clay"]\n'}, {"brick": BUILD}
    )


@pytest.fixture
def machine(tmp_path: Path, known: SystemLibraryTable) -> StandIn:
    return StandIn(tmp_path / "machine")


def install(machine: StandIn, known: SystemLibraryTable, *variants: str) -> None:
    for variant in variants:
        machine.install(known.libraries["brick"], variant)
        machine.package(f"libbrick-{variant}-dev", f"1:{variant}.0.1-1")
        own = machine.root / f"lib/brick-{variant}"
        (own / "include/brick").mkdir()
        (machine.root / "include/brick/brick.h").unlink(missing_ok=True)
        (own / "include/brick/brick.h").touch()
        (machine.root / f"lib/libbrick{variant}.so").rename(own / f"lib/libbrick{variant}.so")
        (own / "bin/brickc").touch(0o755)


def checked(machine: StandIn, *options: str) -> Installed | NotInstalled:
    root = machine.root.parent
    made = SystemLibraries(machine.machine(), options, str(root / "side"), root / "data")
    return made.checked(made.table.libraries["brick"])


def test_the_first_that_is_there_serves(machine: StandIn, known: SystemLibraryTable) -> None:
    absent = checked(machine)
    assert isinstance(absent, NotInstalled)
    assert absent.problems[0] == "package 'libbrick-9-dev' is not installed"
    install(machine, known, "8")
    older = checked(machine)
    assert isinstance(older, Installed)
    assert (older.library.variant, older.version) == ("8", "8.0.1")
    install(machine, known, "9")
    both = checked(machine)
    assert isinstance(both, Installed)
    assert (both.library.variant, both.version) == ("9", "9.0.1")
    assert str(both) == "brick (libbrick-9-dev 1:9.0.1-1, brick-tools 99.1-1)"


def test_what_is_in_its_directory_is_found(machine: StandIn, known: SystemLibraryTable) -> None:
    install(machine, known, "9", "8")
    machine.program("brickc")  # of PATH: not the one that goes with the library
    found = checked(machine, "brick=8")
    assert isinstance(found, Installed)
    own = machine.root / "lib/brick-8"
    assert found.prefix == str(own)
    assert found.programs == {"brickc": str(own / "bin/brickc")}
    assert found.links == {"include": str(own / "include")}


def test_each_check_bites(machine: StandIn, known: SystemLibraryTable) -> None:
    install(machine, known, "8")
    machine.package("libbrick-8-dev", "1:10.1-1")
    own = machine.root / "lib/brick-8"
    (own / "include/brick/brick.h").unlink()
    (own / "lib/libbrick8.so").unlink()
    (own / "bin/brickc").unlink()
    (machine.root / "bin/brickc").unlink()
    found = checked(machine, "brick=8")
    assert isinstance(found, NotInstalled)
    assert found.problems == (
        "its version is 10.1, and >= 8, < 10 is wanted",
        "header <brick/brick.h> is not found",
        "library -lbrick8 is not found",
        "program 'brickc' is not in PATH",
    )
    for path in (own / "include/brick", own / "include", own / "lib", own / "bin", own):
        path.rmdir()
    gone = checked(machine, "brick=8")
    assert isinstance(gone, NotInstalled)
    assert gone.problems == ("no directory 'brick-8' is beside the libraries of the system",)


def test_the_option_only_picks(known: SystemLibraryTable) -> None:
    chosen = Choice.parse(["brick=8", "clay"], known)
    assert chosen.variants == {"brick": "8"} and chosen.named == {"clay"}
    assert Choice.parse(["brick=8,all"], known).variants == {"brick": "8"}
    assert Choice.parse(["brick=8", "brick=9"], known).variants == {"brick": "9"}
    for word, told in (("brick=7", "it has 9, 8"), ("clay=1", "it has one only")):
        with pytest.raises(UsageError) as caught:
            Choice.parse([word], known)
        name, _, variant = word.partition("=")
        text = render(caught.value.diagnostics[0])
        assert text == f"error: --system-libraries: '{name}' has no '{variant}'\nhelp: {told}"


def test_the_overlay_and_what_to_install(machine: StandIn, known: SystemLibraryTable) -> None:
    root = machine.root.parent

    def repository(*options: str) -> Path:
        system = SystemLibraries(machine.machine(), options, str(root / "side"), root / "data")
        return Path(open_workspace(root, {"WORKSPACE": ""}, system=system).repository("brick").directory)

    install(machine, known, "8", "9")
    text = (repository("brick=8") / "installed.bzl").read_text()
    assert f'PREFIX = "{machine.root}/lib/brick-8"' in text and 'VARIANT = "8"' in text
    assert 'LINKS = ["include"]' in text
    (machine.root / "lib/brick-8/include/brick/brick.h").unlink()
    assert 'VARIANT = "9"' in (repository() / "installed.bzl").read_text()
    with pytest.raises(WorkspaceError) as caught:
        repository("brick=8")
    assert "apt install libbrick-8-dev brick-tools" in render(caught.value.diagnostics[0])
