"""C++ toolchains that a project describes: --crosstool_top, registered ones, their features, tools and errors.

The workspace and what Bazel 4.2.3 would do for it are in data/oracles.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from cc_support import CcAnalysis
from robust_support import run

from bazel2ninja.cli import main
from bazel2ninja.labels import parse_label
from bazel2ninja.rules.cc_toolchain_features import ToolchainFeatures
from bazel2ninja.starlark import EvalError, Struct

ORACLES = Path(__file__).parent / "data/oracles"
WORKSPACE = ORACLES / "crosstool"
SUITE = "--crosstool_top=//tools:suite"

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="the toolchains are for k8")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("suite", ["--crosstool_top=//tools:alias_of_suite", "--features=louder"]),
        ("explicit", [SUITE, "--compiler=explicit", "--copt=-DCMD", "-c", "opt"]),
        ("registered", ["--incompatible_enable_cc_toolchain_resolution", "--extra_toolchains=//tools:registered"]),
    ],
)
def test_the_same_as_bazel(
    name: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    against = f"--against={ORACLES}/crosstool-{name}.jsonl.xz"
    assert main(["crosscheck", *words, against, str(WORKSPACE), "//lib:greet"]) == 0, capsys.readouterr().out
    assert main(["crosscheck", against, str(WORKSPACE), "//lib:greet"]) == 3, "the machine's own compiler"
    capsys.readouterr()
    assert main(["crosscheck", SUITE, "--compiler=other", "--copt=-DX", against, str(WORKSPACE), "//lib:greet"]) == 3
    out = capsys.readouterr().out
    assert ("-DTOOLCHAIN=OTHER" in out) == (name != "registered")


def test_another_program_is_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(WORKSPACE, "ws")
    config = Path("ws/tools/config.bzl")
    config.write_text(config.read_text().replace('path = "compiler.sh"', 'path = "other/compiler.sh"'))
    against = f"--against={ORACLES}/crosstool-suite.jsonl.xz"
    assert main(["crosscheck", SUITE, "--features=louder", against, "ws", "//lib:greet"]) == 3
    out = capsys.readouterr().out
    assert "has in excess program tools/other/compiler.sh" in out
    assert "lacks program tools/compiler.sh" in out


@pytest.mark.parametrize("memory", ["--memory=none", "--memory=2G"])
def test_the_named_compiler_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: str) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(WORKSPACE, "ws")
    log = tmp_path / "log"
    environment = {**os.environ, "COMPILER_LOG": str(log)}
    made = run("generate", memory, "-o", "build.ninja", "ws", SUITE, "--compiler=explicit", "-c", "opt", "//lib:greet")
    assert (made.status, made.err) == (0, "")
    subprocess.run(["ninja", "--quiet"], check=True, env=environment)
    assert subprocess.run(["bazel-out/k8-opt/bin/lib/greet"]).returncode == 0
    lines = log.read_text().splitlines()
    assert sorted(line.split(" -")[0].split(" rcsD")[0] for line in lines) == ["archiver", *["other (explicit)"] * 4]
    assert sum(" -c " in line and "-DEARLY" in line and "-DLATE" in line for line in lines) == 3
    (link,) = [line for line in lines if "-lstdc++ -lm" in line]
    assert re.search(r"-Wl,-z,now .*greet\.pic\.o .*libhello\.a -Wl,-z,relro -lpthread -lstdc\+\+ -lm", link)
    log.unlink()
    wrapper = Path("ws/tools/other/compiler.sh")
    wrapper.write_text(wrapper.read_text() + "# another\n")
    subprocess.run(["ninja", "--quiet"], check=True, env=environment)
    assert len(log.read_text().splitlines()) == 5, "what the toolchain consists of counts as an input"


@pytest.mark.parametrize(
    ("words", "program", "flag"),
    [
        ([], "ws/tools/compiler.sh", "-DTOOLCHAIN=WRAPPED"),
        (["--host_crosstool_top=@bazel_tools//tools/cpp:toolchain"], "$cxx_for_build", "-DDEFINED"),
        (
            ["--host_crosstool_top=//tools:alias_of_suite", "--host_compiler=explicit"],
            "ws/tools/other/compiler.sh",
            "-DNEEDS_OPT",
        ),
    ],
)
def test_tools_of_a_build_for_another_machine(
    words: list[str], program: str, flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(WORKSPACE, "ws")
    tools = Path("ws/tools/BUILD")
    tools.write_text(tools.read_text().replace('"k8": ', '"aarch64": ":other", "k8": '))
    with Path("ws/lib/BUILD").open("a") as file:
        file.write('genrule(name = "g", outs = ["g.txt"], cmd = "$(location :greet) >$@", tools = [":greet"])\n')
    made = run("generate", "--memory=none", "ws", "--cpu=aarch64", SUITE, *words, "//lib:g", "//lib:hello")
    assert (made.status, made.err) == (0, "")
    edges = re.findall(r"^build bazel-out/(\S+?)/\S+/hello\.pic\.o: .*\n((?:  .*\n)+)", made.out, re.MULTILINE)
    found = {}
    for directory, text in edges:
        variables = dict(re.findall(r"^  (\w+) = (.*)$", text, re.MULTILINE))
        options = variables["options"].removeprefix("$")
        shared = re.search(rf"^{re.escape(options)} = (.*)$", made.out, re.MULTILINE)
        found["exec" in directory] = variables["cxx"], (shared[1] if shared else options).split()
    assert found[False][0] == "ws/tools/compiler.sh"
    assert "-DTOOLCHAIN=OTHER" in found[False][1]
    assert found[True][0] == program
    assert flag in found[True][1]


@pytest.mark.parametrize(
    ("words", "place", "message"),
    [
        (
            [SUITE, "--compiler=nope"],
            "ws/tools/BUILD:6:1",
            "cc_toolchain_suite '//tools:suite' does not contain a toolchain for cpu 'k8' and compiler 'nope'.",
        ),
        (
            [SUITE, "--cpu=mips"],
            "ws/tools/BUILD:6:1",
            "cc_toolchain_suite '//tools:suite' does not contain a toolchain for cpu 'mips'",
        ),
        (
            ["--crosstool_top=//lib:hello"],
            "ws/lib/BUILD:1:1",
            "'//lib:hello', which '--crosstool_top' names, is no cc_toolchain_suite",
        ),
        (["--crosstool_top=//tools:absent"], "ws/lib/BUILD:1:1", "no such target '//tools:absent'"),
        (
            [SUITE, "--compiler=explicit", "--features=first_alternative", "--features=second_alternative"],
            "ws/lib/BUILD:1:1",
            "'//tools:explicit': Symbol alternative is provided by all of the following features: first_alternative",
        ),
    ],
)
def test_what_cannot_be(
    words: list[str],
    place: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(WORKSPACE, "ws")
    assert main(["generate", "-o", "build.ninja", "ws", *words, "//lib:greet"]) == 1
    first = capsys.readouterr().err.splitlines()[0]
    assert first.startswith(f"{place}: error: ")
    assert message in first


def test_toolchains_of_a_crosstool_file_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(WORKSPACE, "ws")
    suite = """
cc_toolchain_suite(name = "old", toolchains = {"local|compiler": ":old_toolchain"})
cc_toolchain(name = "old_toolchain", all_files = ":files", cpu = "local")
"""
    with Path("ws/tools/BUILD").open("a") as file:
        file.write(suite)
    assert main(["generate", "-o", "build.ninja", "ws", "--crosstool_top=//tools:old", "//lib:greet"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(": ")[2] for line in lines if "warning" in line] == [
        "warning: '//tools:old' has toolchains of a CROSSTOOL file only, which is not read: CC and CXX compile"
    ]
    assert "compiler.sh" not in Path("build.ninja").read_text()


def struct(**fields: object) -> Struct:
    return Struct(**fields)


def group(*flags: str, **more: object) -> Struct:
    return struct(flags=list(flags), flag_groups=more.pop("groups", []), **more)


def feature(name: str, *groups: Struct, enabled: bool = True, **more: object) -> Struct:
    actions = ["c++-compile", "c++-link-executable"]
    sets = [struct(actions=actions, with_features=[], flag_groups=list(groups))] if groups else []
    return struct(name=name, enabled=enabled, flag_sets=sets, **more)


def toolchain(*features: Struct, **more: object) -> ToolchainFeatures:
    return ToolchainFeatures.of(struct(features=list(features), **more))


def test_which_features_are_in_force() -> None:
    found = toolchain(
        feature("on"),
        feature("asked", enabled=False, implies=["implied"]),
        feature("implied", enabled=False, implies=["user_compile_flags"]),
        feature("either", requires=[struct(features=["absent"]), struct(features=["on", "implied"])]),
        feature("leans", implies=["either"]),
    )
    assert found.select([], []) == {"on"}
    assert found.select(["asked", "unknown"], []) == {"on", "asked", "implied", "either", "leans"}
    assert found.select(["asked"], ["implied"]) == {"on"}
    assert found.select(["asked"], ["on"]) == {"asked", "implied"}


def test_what_flag_groups_expand_to() -> None:
    found = toolchain(
        feature("no_legacy_features"),
        feature("first", group("a%%b"), group("no", expand_if_available="nothing")),
        feature("second", group("yes", expand_if_not_available="nothing")),
        feature(
            "root", group(groups=[group("--sysroot=%{sysroot}")], expand_if_equal=struct(name="sysroot", value="/r"))
        ),
        feature("other_root", group("no", expand_if_equal=struct(name="sysroot", value="/s"))),
        feature("user", group("%{user_compile_flags}", iterate_over="user_compile_flags")),
        feature("last", group("z")),
        builtin_sysroot="/r",
    )
    enabled = found.select([], [])
    assert found.compile_flags("c++-compile", enabled) == (["a%b", "yes", "--sysroot=/r"], [], ["z"])
    assert found.compile_flags("assemble", enabled) == ([], [], [])


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (group("-x%{undefined}"), "the toolchain has no variable 'undefined', which the flag '-x%{undefined}' names"),
        (group("100%"), "expected '{' or '%' after '%' in the flag '100%'"),
        (group("%{include_paths}"), "the variable 'include_paths', which the flag '%{include_paths}' names, is a list"),
        (
            group("-Xc", "-D%{preprocessor_defines}", iterate_over="preprocessor_defines"),
            "the feature 'x' has '-Xc' beside a variable: this is not supported",
        ),
        (
            group("/D%{preprocessor_defines}", iterate_over="preprocessor_defines"),
            "the feature 'x' says '/D%{preprocessor_defines}': this form is not supported",
        ),
    ],
)
def test_flag_groups_that_cannot_be(flags: Struct, message: str) -> None:
    found = toolchain(feature("x", flags))
    with pytest.raises(EvalError, match=re.escape(message)):
        found.compile_flags("c++-compile", found.select([], []))


def test_two_features_of_one_name() -> None:
    with pytest.raises(EvalError, match=r"two features \(or action configs\) with the name 'x'"):
        toolchain(feature("x"), feature("x"))


CONFIG = """
def _impl(ctx):
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        features = [],
        toolchain_identifier = "mine",
        compiler = "cc",
        target_libc = "libc",
        target_system_name = "system",
        cxx_builtin_include_directories = ["/inc"],
        tool_paths = [struct(name = "gcc", path = "bin/cc"), struct(name = "ar", path = "/abs/ar")],
        make_variables = [struct(name = "MINE", value = "own")],
    )

config = rule(_impl)

def _shown(ctx):
    toolchain = ctx.attr._toolchain[CcToolchainInfo]
    features = cc_common.configure_features(ctx = ctx, cc_toolchain = toolchain)
    words = [toolchain.compiler, toolchain.compiler_executable, toolchain.ar_executable, toolchain.toolchain_id]
    words += [cc_common.get_tool_for_action(feature_configuration = features, action_name = "c++-compile")]
    words += toolchain.built_in_include_directories + [file.path for file in toolchain.all_files.to_list()]
    words += [ctx.var["MINE"], ctx.var["CC"]]
    ctx.actions.write(ctx.outputs.out, " ".join(words))

CcToolchainInfo = cc_common.CcToolchainInfo

shown = rule(
    _shown,
    attrs = {"out": attr.output(), "_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain")},
)
"""


def test_what_rules_see() -> None:
    files = {
        "t/config.bzl": CONFIG,
        "t/BUILD": """
load(":config.bzl", "config", "shown")
cc_toolchain_suite(name = "suite", toolchains = {"k8": ":cc"})
cc_toolchain(name = "cc", toolchain_config = ":config", all_files = ":files")
config(name = "config")
filegroup(name = "files", srcs = ["bin/cc"])
shown(name = "shown", out = "shown.txt")
cc_library(name = "a", srcs = ["a.cc"])
""",
        "t/bin/cc": "",
        "t/a.cc": "",
    }
    run = CcAnalysis(files, other={"crosstool_top": parse_label("//t:suite")})
    run.target("//t:shown")
    assert run.made("t/shown.txt").content == "cc t/bin/cc /abs/ar mine t/bin/cc /inc t/bin/cc own t/bin/cc"
    compiled = run.compile("//t:a", "t/_objs/a/a.pic.o")
    assert compiled.program == "t/bin/cc"
    assert [file.exec_path for file in compiled.program_files[0].flatten()] == ["t/bin/cc"]  # type: ignore[attr-defined]
    assert run.archive("//t:a", "t/liba.a").program == "/abs/ar"


def test_a_toolchain_without_a_compiler() -> None:
    files = {
        "t/config.bzl": CONFIG.replace('struct(name = "gcc", path = "bin/cc"), ', ""),
        "t/BUILD": """
load(":config.bzl", "config")
cc_toolchain_suite(name = "suite", toolchains = {"k8": ":cc"})
cc_toolchain(name = "cc", toolchain_config = ":config")
config(name = "config")
cc_library(name = "a", srcs = ["a.cc"])
""",
        "t/a.cc": "",
    }
    message = CcAnalysis(files, other={"crosstool_top": parse_label("//t:suite")}).failure("//t:a")
    assert "the C++ toolchain '//t:cc' has no tool for the action 'c++-compile'" in message
