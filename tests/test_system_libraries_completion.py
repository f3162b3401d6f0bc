"""A project's own BUILD files for a library of the system, completed by ours where they lack a target."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from repositories_support import write_tree
from system_library_support import StandIn, table

from bazel2ninja.filesystem import Disk
from bazel2ninja.system_libraries import overlay
from bazel2ninja.system_libraries.machine import Installed, Machine

pytestmark = pytest.mark.slow  # each test runs the program, some the compiler

ROOT = Path(__file__).resolve().parent.parent
ARCHIVE = """
def _impl(ctx):
    if ctx.os.environ.get("OWN") == "1":
        ctx.download_and_extract(ctx.attr.urls)
    else:
        for place, label in ctx.attr.builds.items():
            ctx.symlink(Label(label), place)

archive = repository_rule(
    implementation = _impl,
    attrs = {"urls": attr.string_list(), "builds": attr.string_dict()},
    environ = ["OWN"],
)
"""
FILES = {
    "WORKSPACE": 'load("//:archive.bzl", "archive")\n'
    'archive(name = "com_google_absl", urls = ["http://there/x.zip"], builds = {"absl/base/BUILD": "//:base.BUILD"})\n',
    "archive.bzl": ARCHIVE,
    "base.BUILD": 'cc_library(name = "base", linkopts = ["-lown_base"], visibility = ["//visibility:public"])\n',
    "BUILD": """
cc_binary(name = "plain", srcs = ["a.cc"], deps = ["@com_google_absl//absl/base"])
cc_binary(
    name = "more",
    srcs = ["a.cc"],
    deps = ["@com_google_absl//absl/base", "@com_google_absl//absl/base:prefetch"],
)
cc_binary(name = "package", srcs = ["a.cc"], deps = ["@com_google_absl//absl/strings:cord"])
cc_binary(name = "nowhere", srcs = ["a.cc"], deps = ["@com_google_absl//absl/base:cord"])
filegroup(name = "terms", srcs = ["@com_google_absl//:LICENSE"])
""",
    "a.cc": "int main() {}\n",
}


@pytest.fixture
def machine(tmp_path: Path) -> StandIn:
    made = StandIn(tmp_path / "machine")
    made.package("libabsl-dev", "20220623.1-1")
    for name in ("base", "strings", "prefetch", "cord"):
        made.module(f"absl_{name}", version="20220623", libs=f"-labsl_{name}")
    for header in ("absl/base/config.h", "absl/strings/string_view.h"):
        made.header(header)
    write_tree(tmp_path / "src", FILES)
    return made


def generate(machine: StandIn, *words: str) -> tuple[int, str, str]:
    place = machine.root.parent
    done = subprocess.run(
        [sys.executable, "-m", "bazel2ninja", "generate", "src", "-o", "out/build.ninja", *words],
        cwd=place,
        env={**machine.environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    manifest = place / "out/build.ninja"
    return done.returncode, done.stderr, manifest.read_text() if manifest.exists() else ""


def test_nothing_is_added_where_nothing_lacks(machine: StandIn) -> None:
    status, told, text = generate(machine, "//:plain")
    assert (status, told) == (0, "")
    assert "-lown_base" in text and "absl_base" not in text


@pytest.mark.parametrize("again", [False, True])
def test_a_target_that_the_project_does_not_know(machine: StandIn, again: bool) -> None:
    for _ in range(1 + again):  # the second time the repository is there already
        status, told, text = generate(machine, "//:more")
        assert status == 0, told
        assert "libraries of the system stand for repositories: abseil" in told
        assert "-lown_base" in text and "-labsl_prefetch" in text


def test_a_package_that_the_project_does_not_know(machine: StandIn) -> None:
    status, told, text = generate(machine, "//:package")
    assert status == 0, told
    assert "-labsl_cord" in text


def test_the_terms_are_a_target(machine: StandIn) -> None:
    status, told, _ = generate(machine, "//:terms")
    assert status == 0, told


def test_a_target_that_nobody_knows(machine: StandIn) -> None:
    status, told, _ = generate(machine, "//:nowhere")
    assert status == 1
    assert "no such target '@com_google_absl//absl/base:cord': target 'cord' is not declared in package" in told


@pytest.mark.parametrize("words", [("--system-libraries=none",), ("--system-libraries=-abseil",)])
def test_libraries_that_are_ruled_out_complete_nothing(machine: StandIn, words: tuple[str, ...]) -> None:
    status, told, _ = generate(machine, "//:more", *words)
    assert status == 1
    assert "no such target '@com_google_absl//absl/base:prefetch'" in told


def test_a_repository_with_sources_is_complete_as_it_is(machine: StandIn) -> None:
    sources = {"com_google_absl/WORKSPACE": "", "com_google_absl/absl/base/BUILD": FILES["base.BUILD"]}
    write_tree(machine.root.parent / "vendor", sources)
    status, told, _ = generate(machine, "//:more", "--vendor=vendor", "--repo_env=OWN=1")
    assert status == 1
    assert "no such target '@com_google_absl//absl/base:prefetch'" in told


@pytest.mark.parametrize("documented", [True, False])
def test_the_packages_copyright_file_has_the_names_that_projects_use(tmp_path: Path, documented: bool) -> None:
    stand_in = StandIn(tmp_path / "machine")
    builds = {"thing": 'filegroup(name = "COPYING")\n'}
    known = table(
        tmp_path / "data", {"thing": 'summary = "s"\nrepositories = ["thing"]\npackages = ["libthing-dev"]\n'}, builds
    )
    library = known.libraries["thing"]
    stand_in.package("libthing-dev")
    documentation = tmp_path / "doc"
    if documented:
        write_tree(documentation, {"libthing-dev/copyright": "as you like\n"})
    machine = Machine(Disk(), stand_in.environment, documentation=str(documentation))
    checked = machine.check(library)
    assert isinstance(checked, Installed), checked
    place = tmp_path / "overlay"
    overlay.lay(checked, machine, str(place))
    build = (place / "BUILD.bazel").read_text()
    assert ("exports_files" in build) is documented
    assert build.count('"COPYING"') == 1  # the overlay's own stays
    assert not (place / "COPYING").exists()
    if documented:
        assert (place / "LICENSE.md").read_text() == (place / "COPYING.txt").read_text() == "as you like\n"


def test_the_terms_of_a_library_are_a_file(machine: StandIn) -> None:
    place = machine.root.parent / "src"
    (place / "BUILD").write_text('filegroup(name = "terms", srcs = ["@zlib//:COPYING"])\n')
    if not Path("/usr/share/doc/zlib1g-dev/copyright").is_file():
        pytest.skip("NOT TESTED: zlib1g-dev has no copyright file here")
    machine.package("zlib1g-dev")
    machine.module("zlib", version="1.2.13", libs="-lz")
    machine.header("zlib.h")
    status, told, text = generate(machine, "//:terms", "--system-libraries=zlib")
    assert status == 0, told
    assert ".bazel2ninja/external/zlib/COPYING" in text
