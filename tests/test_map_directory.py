"""ctx.actions.map_directory(): declared by rules, expanded and run by ninja."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from analysis_support import analyse

from bazel2ninja.analysis.action import MapDirectoryAction

ROOT = Path(__file__).resolve().parent.parent

HELPERS = """
def seed(ctx, name, names):
    out = ctx.actions.declare_directory(ctx.label.name + "_" + name)
    ctx.actions.run_shell(
        outputs = [out],
        inputs = ctx.files.seed,
        command = "for i in %s $(cat %s); do mkdir -p $(dirname %s/$i); echo $i > %s/$i; done" % (
            " ".join(names),
            ctx.file.seed.path,
            out.path,
            out.path,
        ),
    )
    return out

def impl(template_ctx, input_directories, output_directories, additional_inputs, tools, additional_params):
    middle = []
    for file in input_directories["in"].children:
        made = template_ctx.declare_file(file.tree_relative_path + ".out", directory = output_directories["first"])
        args = template_ctx.args()
        args.add(made)
        args.add_all([file, additional_inputs["data"]], format_each = "%s")
        if additional_params["param_file"]:
            args.use_param_file("@%s", use_always = True)
        template_ctx.run(
            outputs = [made],
            inputs = [file, additional_inputs["data"]],
            executable = tools["cat"],
            arguments = [args],
        )
        middle.append(made)
    all = template_ctx.declare_file("all", directory = output_directories["second"])
    args = template_ctx.args()
    args.add_all([all], expand_directories = False)
    args.add_all(middle)
    args.add_all([input_directories["in"].directory])
    template_ctx.run(
        outputs = [all],
        inputs = middle,
        executable = tools["cat"],
        arguments = [args, additional_params["word"]],
    )
"""

RULE = """
load(":helpers.bzl", "impl", "seed")
def _r(ctx):
    first = ctx.actions.declare_directory(ctx.label.name + "_first")
    second = ctx.actions.declare_directory(ctx.label.name + "_second")
    ctx.actions.map_directory(
        implementation = impl,
        input_directories = {"in": seed(ctx, "in", ["a", "d/b c".replace(" ", "")])},
        output_directories = {"first": first, "second": second},
        additional_inputs = {"data": ctx.file.data},
        tools = {"cat": ctx.attr._cat.files_to_run},
        additional_params = {"param_file": ctx.attr.param_file, "word": "--marker"},
        env = {"PREFIX": "> "},
    )
    return [DefaultInfo(files = depset([first, second]))]
r = rule(
    _r,
    attrs = {
        "seed": attr.label(allow_single_file = True),
        "data": attr.label(allow_single_file = True),
        "param_file": attr.bool(),
        "_cat": attr.label(default = "//:cat", executable = True, cfg = "exec"),
    },
)
"""

CAT = """#!/bin/sh
out=$1
shift
case $out in @*) set -- $(cat "${out#@}"); out=$1; shift ;; esac
: > "$out"
for each in "$@"; do
    if test -f "$each"; then sed "s/^/$PREFIX/" "$each" >> "$out"; else echo "$each" >> "$out"; fi
done
"""


def workspace(root: Path, param_file: bool = False) -> Path:
    source = root / "src"
    source.mkdir()
    for name, text in {
        "WORKSPACE": "",
        "BUILD": 'load(":defs.bzl", "r")\nsh_binary(name = "cat", srcs = ["cat.sh"])\n'
        f'r(name = "x", seed = "seed.txt", data = "data.txt", param_file = {param_file})\n',
        "defs.bzl": RULE,
        "helpers.bzl": HELPERS,
        "cat.sh": CAT,
        "seed.txt": "",
        "data.txt": "data\n",
    }.items():
        (source / name).write_text(text)
    (source / "cat.sh").chmod(0o755)
    out = root / "out"
    out.mkdir()
    return out


def run(out: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(words, cwd=out, env=environment, capture_output=True, text=True, timeout=300)


def generate(out: Path) -> None:
    done = run(out, sys.executable, "-P", "-m", "bazel2ninja", "generate", "../src", "-o", "build.ninja")
    assert done.returncode == 0, done.stderr


def ninja(out: Path) -> str:
    done = run(out, "ninja", "//:x")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("param_file", [False, True])
def test_it_runs_what_the_function_wants(tmp_path: Path, param_file: bool) -> None:
    out = workspace(tmp_path, param_file)
    generate(out)
    ninja(out)
    made = out / "bazel-out/k8-fastbuild/bin"
    assert (made / "x_first/a.out").read_text() == "> a\n> data\n"
    assert (made / "x_first/d/bc.out").read_text() == "> d/bc\n> data\n"
    whole = "> > a\n> > data\n> > d/bc\n> > data\n> a\n> d/bc\n--marker\n"
    assert (made / "x_second/all").read_text() == whole
    assert "no work to do" in ninja(out)


@pytest.mark.slow
def test_it_follows_the_directory_and_the_function(tmp_path: Path) -> None:
    out = workspace(tmp_path)
    generate(out)
    ninja(out)
    made = out / "bazel-out/k8-fastbuild/bin"
    (tmp_path / "src/seed.txt").write_text("new\n")
    ninja(out)
    assert (made / "x_first/new.out").read_text() == "> new\n> data\n"
    (tmp_path / "src/seed.txt").write_text("\n")
    (tmp_path / "src/data.txt").write_text("other\n")
    ninja(out)
    assert sorted(path.name for path in (made / "x_first").iterdir()) == ["a.out", "d"]
    assert (made / "x_first/a.out").read_text() == "> a\n> other\n"
    (tmp_path / "src/helpers.bzl").write_text(HELPERS.replace('+ ".out"', '+ ".made"'))
    ninja(out)
    assert sorted(path.name for path in (made / "x_first").iterdir()) == ["a.made", "d"]
    assert "no work to do" in ninja(out)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("return 1", "actions.map_directory() implementation impl at ../src/helpers.bzl:"),
        ("fail('This is a test failure.')", "This is a test failure."),
        (
            "template_ctx.declare_file('child', directory = input_directories['in'].directory)",
            "Cannot declare file `child` in non-output directory <generated file x_in>",
        ),
        (
            (
                "[template_ctx.run(outputs = [template_ctx.declare_file('c', directory = output_directories['first'])],"
                " executable = tools['cat']) for i in range(2)]"
            ),
            "file 'bazel-out/k8-fastbuild/bin/x_first/c' is generated by these conflicting actions:",
        ),
        (
            (
                "template_ctx.run(outputs = [output_directories['first']], executable = tools['cat'],"
                " progress_message = 'some action')"
            ),
            "action 'some action' has conflicting output 'bazel-out/k8-fastbuild/bin/x_first' that is an output of",
        ),
        (
            "template_ctx.run(outputs = [], inputs = [output_directories['first']], executable = tools['cat'])",
            "Output directory <generated file x_first> cannot be used as an input to template_ctx.run()",
        ),
        (
            (
                "[template_ctx.run(outputs = [template_ctx.declare_file(n, directory = output_directories['first'])],"
                " executable = tools['cat']) for n in ('p', 'p/q')]"
            ),
            (
                "One of the output paths 'bazel-out/k8-fastbuild/bin/x_first/p' and 'bazel-out/k8-fastbuild/bin/"
                "x_first/p/q' is a prefix of the other"
            ),
        ),
        (
            (
                "sub = template_ctx.declare_subdirectory('s', directory = output_directories['first']);"
                " template_ctx.declare_subdirectory('t', directory = sub)"
            ),
            "Cannot declare subdirectory `t` in another subdirectory <generated file x_first/s>",
        ),
        (
            "template_ctx.run(outputs = [], executable = 'cat')",
            "Expected a File or FilesToRunProvider but got string",
        ),
    ],
)
def test_errors_of_the_function_are_failures_of_the_build(tmp_path: Path, line: str, message: str) -> None:
    out = workspace(tmp_path)
    (tmp_path / "src/helpers.bzl").write_text(HELPERS.replace("    middle = []\n", f"    middle = []\n    {line}\n"))
    generate(out)
    done = run(out, "ninja", "//:x")
    assert done.returncode == 1
    assert message in done.stdout
    assert "Traceback" not in done.stdout
    assert "in map_directory() of //:x" in done.stdout


USE = 'load(":defs.bzl", "r")\nr(name = "x")\n'
CALL = """
def impl(template_ctx, **kwargs):
    pass
def _r(ctx):
    i = ctx.actions.declare_directory("i")
    o = ctx.actions.declare_directory("o")
    f = ctx.actions.declare_file("f")
    ctx.actions.run_shell(outputs = [i, f], command = "")
    ctx.actions.map_directory({})
    return [DefaultInfo(files = depset([o]))]
r = rule(_r)
"""
PLAIN = 'implementation = impl, input_directories = {"i": i}, output_directories = {"o": o}'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (PLAIN.replace('{"i": i}', "{}"), "actions.map_directory() requires at least one input."),
        (PLAIN.replace('{"o": o}', "{}"), "actions.map_directory() requires at least one output."),
        (
            PLAIN.replace("= impl", "= lambda template_ctx, **kwargs: None"),
            "the function (declared at src/a/defs.bzl:",
        ),
        (
            PLAIN + ', tools = {"t": "x"}',
            "Expected one of [File, FilesToRunProvider, depset]; but got string in tools['t'].",
        ),
        (
            PLAIN + ', additional_params = {"t": [1]}',
            "Expected one of [bool, int, string]; but got list in additional_params['t'].",
        ),
        (PLAIN.replace('"i": i', '"i": f'), "input_directories['i'] must be a directory of declare_directory()"),
        (
            PLAIN.replace("impl,", "3,"),
            "in call to map_directory(), parameter 'implementation' got value of type 'int', want 'function'",
        ),
    ],
)
def test_misuse(arguments: str, message: str) -> None:
    assert message in analyse(USE, CALL.replace("{}", arguments, 1)).failure("//a:x")


def test_the_action() -> None:
    run = analyse(USE, CALL.replace("{}", PLAIN + ', mnemonic = "M"', 1))
    run.target("//a:x")
    action = run.action("M")
    assert isinstance(action, MapDirectoryAction)
    assert [file.exec_path for file in action.outputs] == ["bazel-out/k8-fastbuild/bin/a/o"]
    assert [file.exec_path for file in action.inputs] == ["bazel-out/k8-fastbuild/bin/a/i"]
    assert (str(action.file), action.function) == ("//a:defs.bzl", "impl")
