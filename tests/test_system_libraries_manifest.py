"""The manifest of a workspace that uses libraries of the system: its flags, and what it is made again for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from repositories_support import write_tree
from system_library_support import StandIn

from bazel2ninja.system_libraries.library import SystemLibraryTable

pytestmark = pytest.mark.slow  # each test runs the program, some the compiler

ROOT = Path(__file__).resolve().parent.parent
BUILD = 'cc_binary(name = "a", srcs = ["a.cc"], deps = ["@eigen//:eigen", "@net_zlib//:zlib"])\n'


@pytest.fixture
def machine(tmp_path: Path) -> StandIn:
    made = StandIn(tmp_path / "machine")
    made.package("zlib1g-dev")
    made.package("libeigen3-dev")
    made.module("zlib", version="1.2.13", libs="-lz", cflags="-DZ=1")
    made.header("zlib.h")
    elsewhere = tmp_path / "machine/elsewhere"
    write_tree(elsewhere, {"Eigen/Core": "", "unsupported/Eigen/CXX11/Tensor": ""})
    made.module("eigen3", version="3.4.0", cflags=f"-I{elsewhere}")
    write_tree(tmp_path / "src", {"WORKSPACE": "", "BUILD": BUILD, "a.cc": "int main() {}\n"})
    return made


def run(machine: StandIn, *words: str, place: str = ".", status: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "bazel2ninja", *words],
        cwd=machine.root.parent / place,
        env={**machine.environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stderr


def manifest(machine: StandIn) -> str:
    return (machine.root.parent / "out/build.ninja").read_text()


def test_flags_and_the_note(machine: StandIn) -> None:
    told = run(machine, "generate", "src", "-o", "out/build.ninja")
    assert told == (
        "note: libraries of the system stand for repositories: eigen (libeigen3-dev 99.1-1); zlib (zlib1g-dev 99.1-1)\n"
    )
    text = manifest(machine)
    assert "-lz" in text and "-DZ=1" in text
    place = f".bazel2ninja/external/eigen/include{machine.root}/elsewhere"
    assert f"-isystem {place}" in text
    assert os.path.exists(machine.root.parent / "out" / place / "Eigen/Core")
    assert "machine/include" not in text.replace("CPPFLAGS", "").split("-isystem", 1)[1].split("\n")[0]


@pytest.mark.parametrize(("words", "status"), [([], 1), (["--@net_zlib//:flag=1"], 2)])
def test_a_cross_build_takes_packages_of_its_architecture(machine: StandIn, words: list[str], status: int) -> None:
    """Whether a target reaches the library or a flag does, before platforms are known."""
    (machine.root / "pc/zlib.pc").unlink()
    machine.architectures = {"zlib1g-dev": "amd64", "libeigen3-dev": "arm64"}
    machine.package()
    told = run(machine, "generate", "src", "-o", "out/build.ninja", "--cpu=aarch64", *words, status=status)
    assert "'zlib' could serve, but package 'zlib1g-dev' is not installed for arm64" in told
    assert "; install for arm64: zlib1g-dev" in told and "'eigen' could" not in told


def test_an_edit_is_made_from_the_record(machine: StandIn) -> None:
    """A whole run says which libraries of the system serve; a run from the record has nothing new to say."""
    place = machine.root.parent
    run(machine, "generate", "src", "-o", "out/build.ninja")
    for text in (
        BUILD.replace("srcs =", 'copts = ["-DEDITED"], srcs ='),
        BUILD + 'cc_library(name = "b", srcs = ["a.cc"], deps = ["@net_zlib//:zlib"])\n',
        BUILD,
        BUILD.replace(', "@net_zlib//:zlib"', ""),
    ):
        (place / "src/BUILD").write_text(text)
        assert run(machine, "regenerate", place="out") == ""
        regenerated = manifest(machine)
        run(machine, "generate", "src", "-o", "cold/build.ninja")
        assert regenerated == (place / "cold/build.ninja").read_text()


def test_a_library_that_comes_with_an_edit_is_a_whole_run(machine: StandIn) -> None:
    place = machine.root.parent
    (place / "src/BUILD").write_text(BUILD.replace(', "@net_zlib//:zlib"', ""))
    run(machine, "generate", "src", "-o", "out/build.ninja")
    (place / "src/BUILD").write_text(BUILD)
    assert "libraries of the system stand" in run(machine, "regenerate", place="out")
    regenerated = manifest(machine)
    run(machine, "generate", "src", "-o", "cold/build.ninja")
    assert regenerated == (place / "cold/build.ninja").read_text()


def test_the_manifest_is_made_again_when_a_pc_file_changes(machine: StandIn) -> None:
    run(machine, "generate", "src", "-o", "out/build.ninja")
    before = manifest(machine)
    run(machine, "regenerate", place="out")
    assert manifest(machine) == before
    machine.module("zlib", version="1.2.13", libs="-lz -lmore", cflags="-DZ=2")
    run(machine, "regenerate", place="out")
    assert "-lmore" in manifest(machine) and "-DZ=2" in manifest(machine)
    (machine.root / "elsewhere/Eigen/Core").unlink()
    assert "header <Eigen/Core> is not found" in run(machine, "regenerate", place="out", status=1)


def test_overlays_that_stay_the_same_keep_their_times(machine: StandIn) -> None:
    run(machine, "generate", "src", "-o", "out/build.ninja")
    overlay = machine.root.parent / "out/.bazel2ninja/system/zlib"
    times = {path: path.lstat().st_mtime_ns for path in overlay.rglob("*")}
    (overlay / "stale.bzl").touch()
    run(machine, "generate", "src", "-o", "out/build.ninja")
    assert {path: path.lstat().st_mtime_ns for path in overlay.rglob("*") if path.is_file()} == {
        path: time for path, time in times.items() if path.is_file()
    }


def test_modules_that_require_themselves_or_each_other(machine: StandIn) -> None:
    """As absl_strings.pc does in sid."""
    library = SystemLibraryTable.read().libraries["abseil"]
    machine.install(library)
    version = "20260526"
    machine.module("absl_strings", version=version, libs="-labsl_strings", requires="absl_strings absl_base")
    machine.module("absl_base", version=version, libs="-labsl_base", requires="absl_config")
    machine.module("absl_config", version=version, libs="-labsl_config", cflags="-DCONFIG=1", requires="absl_base")
    build = 'cc_binary(name = "a", srcs = ["a.cc"], deps = ["@com_google_absl//absl/strings"])\n'
    write_tree(machine.root.parent / "src", {"BUILD": build})
    run(machine, "generate", "src", "-o", "out/build.ninja")
    text = manifest(machine)
    words = text.split("words = ", 1)[1].split("\n")[0].split()
    libraries = [word for word in words if word.startswith("-labsl")]
    assert libraries[0] == "-labsl_strings" and sorted(libraries[1:]) == ["-labsl_base", "-labsl_config"]
    assert "-DCONFIG=1" in text


def test_two_copies_end_in_an_error(machine: StandIn) -> None:
    """The headers of libpng include those of zlib."""
    machine.package("libpng-dev")
    machine.module("libpng", libs="-lpng")
    machine.header("png.h")
    source = {
        "src/BUILD": 'cc_library(name = "a", deps = ["@png//:png", "@zlib//:zlib"])\n',
        "vendor/zlib/BUILD": 'cc_library(name = "zlib", visibility = ["//visibility:public"])\n',
    }
    write_tree(machine.root.parent, source)
    told = run(machine, "generate", "src", "-o", "out/build.ninja", "--vendor=vendor", status=1)
    assert "the system library 'libpng', which serves '@png', includes the system's 'zlib'" in told
    assert "repository '@zlib' (--vendor: 'vendor/zlib' exists)" in told
    run(machine, "generate", "src", "-o", "out/build.ninja", "--vendor=vendor", "--system-libraries=zlib")


def test_a_target_that_an_overlay_lacks(machine: StandIn) -> None:
    write_tree(machine.root.parent, {"src/BUILD": 'cc_library(name = "a", deps = ["@zlib//:zlibb"])\n'})
    assert "did you mean" in run(machine, "generate", "src", "-o", "out/build.ninja", status=1)
    write_tree(machine.root.parent, {"src/BUILD": 'load("@zlib//:defs.bzl", "zlib_rule")\nzlib_rule(name = "a")\n'})
    told = run(machine, "generate", "src", "//:a", "-o", "out/build.ninja", status=1)
    assert "the overlay for the system library behind '@zlib' has no file '@zlib//:defs.bzl'" in told


def test_an_unknown_library_is_an_error_of_usage(machine: StandIn) -> None:
    told = run(machine, "generate", "src", "--system-libraries=zlip", "-o", "out/build.ninja", status=2)
    assert told == "error: --system-libraries: no system library 'zlip' is known\nhelp: did you mean 'zlib'?\n"


def test_old_rules_of_protobuf(machine: StandIn) -> None:
    """proto_gen and py_proto_library, which the BUILD files of projects load from protobuf itself."""
    machine.install(SystemLibraryTable.read().libraries["protobuf"])
    build = """
load("@com_google_protobuf//:protobuf.bzl", "proto_gen", "py_proto_library")
proto_gen(
    name = "base_genproto",
    srcs = ["base.proto"],
    includes = ["."],
    deps = ["@com_google_protobuf//:cc_wkt_protos_genproto"],
)
proto_gen(
    name = "main_genproto",
    srcs = ["main.proto"],
    outs = ["main.pb.cc", "main.pb.h"],
    gen_cc = 1,
    deps = [":base_genproto"],
    protoc = "@com_google_protobuf//:protoc",
)
cc_library(name = "main", srcs = ["main.pb.cc", "main.pb.h"])
py_proto_library(name = "message", srcs = ["message.proto"], deps = [])
"""
    files = {"src/a/BUILD": build, "src/a/base.proto": "", "src/a/main.proto": "", "src/a/message.proto": ""}
    write_tree(machine.root.parent, files)
    run(machine, "generate", "src", "//a/...", "-o", "out/build.ninja")
    text = (machine.root.parent / "out/build.ninja").read_text()
    (command,) = [line for line in text.splitlines() if "--cpp_out=bazel-out/k8-fastbuild/bin " in line]
    assert "-I. -Ibazel-out/k8-fastbuild/bin -Ia -Ibazel-out/k8-fastbuild/bin/a" in command
    assert "-Iexternal/com_google_protobuf/src" in command and command.endswith("a/main.proto")
    assert "--python_out=bazel-out/k8-fastbuild/bin a/message.proto" in text


def test_a_proto_gen_of_the_project_takes_the_one_of_protobuf(machine: StandIn) -> None:
    """It asks for a provider by its name, as rules could give one until Bazel 8."""
    machine.install(SystemLibraryTable.read().libraries["protobuf"])
    rule = """
def _proto_gen(ctx):
    out = ctx.actions.declare_file("flags")
    flags = [f for d in ctx.attr.deps for f in d.proto.import_flags]
    ctx.actions.run_shell(outputs = [out], command = " ".join(["echo"] + flags))
    return [DefaultInfo(files = depset([out]))]
proto_gen = rule(implementation = _proto_gen, attrs = {"deps": attr.label_list(providers = ["proto"])})
"""
    name = "@com_google_protobuf//:well_known_types_py_pb2_genproto"
    build = f'load(":gen.bzl", "proto_gen")\nproto_gen(name = "g", deps = ["{name}"])\n'
    write_tree(machine.root.parent, {"src/a/BUILD": build, "src/a/gen.bzl": rule})
    run(machine, "generate", "src", "--bazel_release=6.1.0", "//a:g", "-o", "out/build.ninja")
    assert "-Iexternal/com_google_protobuf/src" in (machine.root.parent / "out/build.ninja").read_text()
    told = run(machine, "generate", "src", "--bazel_release=8.0.0", "//a:g", "-o", "out/build.ninja", status=1)
    assert "does not have mandatory providers: 'proto'" in told


def test_what_the_library_lacks_is_told_once_with_its_version(machine: StandIn) -> None:
    """A project may want a target of a later release, and who reads of it has to know which one is there."""
    users = "".join(f'cc_library(name = "u{i}", deps = ["@net_zlib//:later"])\n' for i in range(3))
    write_tree(machine.root.parent / "src", {"BUILD": users})
    told = run(machine, "generate", "-k", "src", "-o", "out/build.ninja", status=1)
    assert told.count("error: no such target '@net_zlib//:later'") == 1
    assert "note: '@net_zlib' is system library zlib (zlib1g-dev 99.1-1), because nothing else provides it\n" in told
    assert "note: 2 further targets need it\n" in told
