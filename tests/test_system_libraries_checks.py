"""Which library of the system serves which repository, and the checks that it must pass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from repositories_support import open_workspace, write_tree
from system_library_support import StandIn, table

from bazel2ninja.diagnostics import UsageError, WorkspaceError, render
from bazel2ninja.filesystem import Disk
from bazel2ninja.loading.repository import OriginKind
from bazel2ninja.repositories.workspace import Workspace
from bazel2ninja.system_libraries.library import Choice, in_range
from bazel2ninja.system_libraries.machine import Installed, Machine, NotInstalled, Purpose, upstream_version
from bazel2ninja.system_libraries.pkg_config import PkgConfig
from bazel2ninja.system_libraries.table import SystemLibraries

STONE = """
summary = "stones"
repositories = ["stone", "com_stone"]
packages = ["libstone-dev | libstone2-dev"]
modules = ["stone"]
headers = ["stone/stone.h"]
libraries = ["stone"]
programs = ["stonec"]
version = ">= 2, < 100"
"""
PEBBLE = """
summary = "pebbles, on stones"
repositories = ["pebble"]
packages = ["libpebble-dev"]
headers = ["pebble.h"]
brings = ["stone"]
"""
SAND = """
summary = "sand, whose .pc file requires that of stones"
repositories = ["sand"]
modules = ["sand"]
"""
DATA = {"stone": STONE, "pebble": PEBBLE, "sand": SAND}


@pytest.fixture
def machine(tmp_path: Path) -> StandIn:
    made = StandIn(tmp_path / "machine")
    for library in table(tmp_path / "data", DATA).libraries.values():
        made.install(library)
    return made


def libraries(machine: StandIn, *options: str) -> SystemLibraries:
    root = machine.root.parent
    return SystemLibraries(machine.machine(), options, str(root / "side"), root / "data")


def workspace(machine: StandIn, text: str = "", *options: str, **more: Any) -> Workspace:
    root = machine.root.parent
    return open_workspace(root, {"WORKSPACE": text}, system=libraries(machine, *options), **more)


def problems(machine: StandIn, name: str = "stone") -> tuple[str, ...]:
    made = libraries(machine)
    checked = made.checked(made.table.libraries[name])
    return checked.problems if isinstance(checked, NotInstalled) else ()


def message(error: WorkspaceError) -> str:
    return "\n".join(render(each) for each in error.diagnostics)


def test_one_that_is_installed_tells_what_it_is(machine: StandIn) -> None:
    made = libraries(machine)
    checked = made.checked(made.table.libraries["stone"])
    assert isinstance(checked, Installed)
    assert str(checked) == "stone (libstone-dev 99.1-1)"
    assert checked.version == "99.1"
    assert problems(machine) == ()


def test_each_check_bites(machine: StandIn) -> None:
    (machine.root / "include/stone/stone.h").unlink()
    (machine.root / "lib/libstone.so").unlink()
    (machine.root / "bin/stonec").unlink()
    machine.module("stone", version="1.9")
    assert problems(machine) == (
        "its version is 1.9, and >= 2, < 100 is wanted",
        "header <stone/stone.h> is not found",
        "library -lstone is not found",
        "program 'stonec' is not in PATH",
    )


def test_the_package_or_the_module_is_enough(machine: StandIn) -> None:
    machine.packages.clear()
    machine.package()
    assert problems(machine) == ()  # built by hand: pkg-config knows it
    assert problems(machine, "pebble") == ("package 'libpebble-dev' is not installed",)
    machine.package("libstone2-dev", "3.0-1")
    (machine.root / "pc/stone.pc").unlink()
    assert problems(machine) == ("pkg-config knows no module 'stone'",)


def test_packages_of_another_architecture_do_not_count(machine: StandIn) -> None:
    (machine.root / "pc/stone.pc").unlink()
    machine.architectures = {"libstone-dev": "amd64", "libpebble-dev": "arm64"}
    machine.package()
    machine.program(
        "aarch64-linux-gnu-g++", f"#!/bin/sh\nprintf '#include <...>\\n {machine.root}/include\\nEnd of search list'\n"
    )
    made = libraries(machine)
    assert isinstance(made.checked(made.table.libraries["pebble"]), Installed)  # for a machine that nobody named
    made.serve(Purpose("arm64", crosses=True, prefix="aarch64-linux-gnu-", multiarch="aarch64-linux-gnu"))
    stone, pebble = (made.checked(made.table.libraries[name]) for name in ("stone", "pebble"))
    assert isinstance(pebble, Installed)
    assert isinstance(stone, NotInstalled)
    assert stone.problems[0] == "package 'libstone-dev' or 'libstone2-dev' is not installed for arm64"
    assert "; install for arm64: libstone-dev" in made.absence_notes(["stone"])[0].message
    made.serve(Purpose("amd64"))
    assert made.machine.packages(["libstone-dev", "libpebble-dev"]) == {"libstone-dev": "99.1-1"}


def test_tools_for_another_machine_are_asked(tmp_path: Path) -> None:
    asked: list[str] = []

    def run(words: Sequence[str]) -> str | None:
        asked.append(words[0])
        return "" if words[0].endswith("g++") else None

    machine = Machine(Disk(), {}, run)
    assert machine.library_directories and asked == ["g++"]  # which the manifest runs, too, whatever c++ is
    asked.clear()
    machine.serve(Purpose("i386", crosses=True, prefix="i686-linux-gnu-", multiarch="i386-linux-gnu"))
    assert machine.library_directories and machine.include_directories
    assert "/usr/lib/i386-linux-gnu/pkgconfig" in machine.pkg_config.directories
    assert asked == ["i686-linux-gnu-g++", "i686-linux-gnu-g++", "i686-linux-gnu-pkg-config"]
    with pytest.raises(WorkspaceError, match="cannot run 'mine'"):
        _ = PkgConfig(Disk(), {"PKG_CONFIG": "mine"}, run, prefix="x-", multiarch="x").directories


def test_without_dpkg_headers_decide(machine: StandIn) -> None:
    machine.program("dpkg-query", "#!/bin/sh\nexit 127\n")
    assert problems(machine, "pebble") == ()
    (machine.root / "include/pebble.h").unlink()
    assert problems(machine, "pebble") == ("header <pebble.h> is not found",)


def test_a_damaged_pc_file_is_a_problem_with_its_place(machine: StandIn) -> None:
    machine.module("stone", libs="${nowhere}")
    (problem,) = problems(machine)
    assert problem.endswith("stone.pc:5: variable 'nowhere' is not defined")


def test_versions() -> None:
    assert in_range("3.21.12", ">= 3") and in_range("3", ">= 3.0") and in_range("3.4.1", "= 3.4")
    assert in_range("20220601+dfsg", ">= 20210000, < 20230701")
    assert not in_range("3.21", ">= 3.22") and not in_range("3.4", "< 3.4") and not in_range("git", ">= 0")
    assert in_range("3.3.9", "< 3.4") and in_range("3.4.2", "<= 3.4") and not in_range("3.4.2", "> 3.4")
    assert upstream_version("1:1.2.13.dfsg-1") == "1.2.13.dfsg" and upstream_version("2-1-3") == "2-1"


def test_the_option(machine: StandIn) -> None:
    known = libraries(machine).table
    assert Choice.parse([], known) == Choice()
    chosen = Choice.parse(["com_stone,libpebble-dev", "-stone"], known)
    assert (chosen.named, chosen.refused, chosen.automatic) == (frozenset({"pebble"}), frozenset({"stone"}), True)
    everything = Choice.parse(["all,-stone"], known)
    assert not everything.demands(known.libraries["stone"]) and everything.demands(known.libraries["sand"])
    assert Choice.parse(["stone,none"], known) == Choice(automatic=False)
    with pytest.raises(UsageError) as caught:
        Choice.parse(["stome"], known)
    assert message(caught.value) == (
        "error: --system-libraries: no system library 'stome' is known\nhelp: did you mean 'stone'?"
    )


def test_a_missing_repository_is_served(machine: StandIn) -> None:
    repository = workspace(machine).repository("com_stone")
    assert repository.origin.kind is OriginKind.OVERLAY
    assert str(repository.origin) == "system library stone (libstone-dev 99.1-1), because nothing else provides it"
    assert (Path(repository.directory) / "BUILD.bazel").exists()


def test_precedence(machine: StandIn) -> None:
    root = machine.root.parent
    write_tree(root, {"theirs/BUILD": "", "vendor/stone/BUILD": ""})
    local = 'local_repository(name = "stone", path = "../theirs")'
    vendor = {"vendor": [str(root / "vendor")]}

    def kind(text: str, *options: str, **more: Any) -> OriginKind:
        return workspace(machine, text, *options, **more).repository("stone").origin.kind

    assert kind(local) is OriginKind.DECLARATION
    assert kind("", **vendor) is OriginKind.VENDOR
    assert kind(local, "stone") is OriginKind.OVERLAY
    assert kind(local, "all", **vendor) is OriginKind.OVERLAY
    assert kind(local, "all,-stone", **vendor) is OriginKind.VENDOR
    assert kind(local, "all", overrides={"stone": str(root / "theirs")}) is OriginKind.OVERRIDE


def test_one_that_is_asked_for_and_not_there_says_what_to_install(machine: StandIn) -> None:
    (machine.root / "pc/stone.pc").unlink()
    made = workspace(machine, "", "all")  # nothing is said until the repository is reached
    made.repository("pebble")
    with pytest.raises(WorkspaceError) as caught:
        made.repository("stone")
    assert message(caught.value) == (
        "error: the system library 'stone' cannot serve repository '@stone': pkg-config knows no module 'stone'\n"
        "help: install it with: apt install libstone-dev; or leave it out with --system-libraries=-stone and vendor "
        "the repository"
    )


def test_one_that_could_serve_is_named_with_a_missing_repository(machine: StandIn) -> None:
    (machine.root / "include/pebble.h").unlink()
    with pytest.raises(WorkspaceError) as caught:
        workspace(machine).repository("pebble")
    assert message(caught.value).splitlines()[-1] == (
        "note: the system library 'pebble' could serve, but header <pebble.h> is not found; install it with: "
        "apt install libpebble-dev"
    )
    with pytest.raises(WorkspaceError) as caught:
        workspace(machine, "", "none").repository("stone")
    assert "note: the system library 'stone' is ruled out by --system-libraries" in message(caught.value)


def mixture(machine: StandIn, user: str, copy: str | None, *options: str) -> str:
    """The error when `user` comes from the system and `copy` from a vendored directory; "" for none."""
    root = machine.root.parent
    write_tree(root, {f"vendor/{copy}/BUILD": ""} if copy else {})
    made = workspace(
        machine, 'workspace(name = "stone")' if copy is None else "", vendor=[str(root / "vendor")] if copy else []
    )
    names = [user, copy or ""]
    used = [((made.name,) if not name else made.names_of(name), made.repository(name)) for name in names]
    assert isinstance(made.system, SystemLibraries)
    try:
        made.system.check_mixture(used)
    except WorkspaceError as error:
        return message(error)
    return ""


def test_two_copies_of_a_library_do_not_mix(machine: StandIn) -> None:
    told = mixture(machine, "pebble", "com_stone")
    assert told.startswith(
        "error: the system library 'pebble', which serves '@pebble', includes the system's 'stone', and repository "
        "'@com_stone' (--vendor: "
    )
    assert "--system-libraries=stone, Debian package libstone-dev" in told and "--system-libraries=-pebble" in told


def test_the_workspace_itself_may_be_the_other_copy(machine: StandIn) -> None:
    assert "and this workspace itself is another copy of that library" in mixture(machine, "pebble", None)


def test_what_a_pc_file_requires_is_brought_along(machine: StandIn) -> None:
    assert mixture(machine, "sand", "com_stone") == ""
    machine.module("sand", requires="stone")
    assert "includes the system's 'stone'" in mixture(machine, "sand", "com_stone")


def test_libraries_that_bring_nothing_mix(machine: StandIn) -> None:
    assert mixture(machine, "stone", "pebble") == ""
