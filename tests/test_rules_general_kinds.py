"""Native kinds of no language, and those of shell and Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from analysis_support import Analysis, analyse

from bazel2ninja.analysis.action import RunfilesTreeAction, SpawnAction, SymlinkAction, TestAction, WriteAction
from bazel2ninja.labels import parse_label
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.rules.native import NATIVE
from bazel2ninja.rules.test_suite import expand_test_suite

BIN = "bazel-out/k8-fastbuild/bin/"
SETUP = "source external/bazel_tools/tools/genrule/genrule-setup.sh; "


def _command(build: str, label: str = "//a:g") -> str:
    analysis = analyse(build)
    analysis.target(label)
    (action,) = [each for each in analysis.actions("Genrule") if str(each.owner) == label]
    assert isinstance(action, SpawnAction)
    assert action.arguments[:2] == ("/bin/bash", "-c")
    command = action.arguments[2]
    assert isinstance(command, str)
    assert command.startswith(SETUP)
    return command[len(SETUP) :]


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ('srcs = ["i"], outs = ["o"], cmd = "cp $< $@"', f"cp a/i {BIN}a/o"),
        (
            'srcs = ["i", "j"], outs = ["o", "d/p"], cmd = "$(SRCS) $(OUTS) $(@D) $(RULEDIR)"',
            f"a/i a/j {BIN}a/o {BIN}a/d/p {BIN}a {BIN}a",
        ),
        (
            'outs = ["d/p"], cmd = "$(@D) $(RULEDIR) $(BINDIR) $(GENDIR)"',
            f"{BIN}a/d {BIN}a bazel-out/k8-fastbuild/bin bazel-out/k8-fastbuild/bin",
        ),
        (
            'srcs = [":fg"], outs = ["o"], cmd = "$(locations :fg) $(location o) $$(echo $$x)"',
            f"a/p a/q {BIN}a/o $(echo $x)",
        ),
        ('outs = ["o"], tools = [":tool"], cmd = "$(location :tool) $(execpath :tool)"', f"{BIN}a/tool {BIN}a/tool"),
        ('outs = ["o"], cmd = "no", cmd_bash = "yes $(TARGET_CPU) $(COMPILATION_MODE)"', "yes k8 fastbuild"),
    ],
)
def test_genrule_commands(arguments: str, command: str) -> None:
    build = (
        'filegroup(name = "fg", srcs = ["p", "q"])\nsh_binary(name = "tool", srcs = ["t.sh"])\n'
        f'genrule(name = "g", {arguments})'
    )
    assert _command(build) == command


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            'outs = ["o", "p"], cmd = "$@"',
            "in cmd attribute of genrule rule //a:g: variable '$@' : more than one output",
        ),
        ('outs = ["o"], cmd = "$<"', "variable '$<' : no input file"),
        ('outs = ["o"], cmd = "$(location x)"', "is not a declared prerequisite of this rule"),
        ('outs = ["o"], cmd = "$(NOPE)"', "$(NOPE) not defined"),
        ('outs = ["o"], cmd = "${x}"', "syntax is not supported"),
        ('outs = ["o"]', "missing value for `cmd` attribute"),
        ('outs = ["o", "p"], cmd = "", executable = True', "they are allowed only one output"),
        ('outs = ["o"], cmd = "", heuristic_label_expansion = True', "heuristic_label_expansion is not supported"),
    ],
)
def test_wrong_genrules(arguments: str, message: str) -> None:
    assert message in analyse(f'genrule(name = "g", {arguments})').failure("//a:g")


def test_the_tools_of_a_genrule_bring_their_runfiles() -> None:
    analysis = analyse(
        'sh_binary(name = "tool", srcs = ["t.sh"], data = ["d"])\n'
        'genrule(name = "g", outs = ["o"], tools = [":tool"], cmd = "$(location :tool)", message = "Hi")'
    )
    analysis.target("//a:g")
    action = analysis.action("Genrule")
    assert isinstance(action, SpawnAction)
    assert [file.exec_path for file in action.tools] == [BIN + "a/tool"]
    inputs = {file.exec_path for file in action.all_inputs()}
    assert {"a/d", "a/t.sh", BIN + "a/tool", BIN + "a/tool.runfiles/MANIFEST"} < inputs
    assert action.progress_message == "Hi"
    assert action.use_default_shell_environment


def test_a_long_command_is_a_script() -> None:
    run = analyse('genrule(name = "g", outs = ["o"], cmd = "echo %s" % ("x" * 64000))')
    run.target("//a:g")
    action, script = run.action("Genrule"), run.action("FileWrite")
    assert isinstance(action, SpawnAction)
    assert action.arguments == ("/bin/bash", "bazel-out/k8-fastbuild/bin/a/g.genrule_script.sh")
    assert isinstance(script, WriteAction) and script.executable
    assert script.outputs[0] in action.inputs
    assert script.content == f"#!/bin/bash\n{SETUP}echo {'x' * 64000}\n"


def test_a_genrule_may_make_a_tool() -> None:
    build = (
        'genrule(name = "t", outs = ["t.sh"], cmd = "", executable = True)\n'
        'genrule(name = "g", outs = ["o"], tools = [":t"], cmd = "$(location :t)")'
    )
    assert _command(build) == f"{BIN}a/t.sh"


def test_an_alias_is_known_by_its_own_name() -> None:
    analysis = analyse(
        'alias(name = "al", actual = ":fg")\nfilegroup(name = "fg", srcs = ["p"])\n'
        'genrule(name = "g", srcs = [":al"], outs = ["o"], cmd = "$(location :al)")'
    )
    target = analysis.target("//a:al")
    assert (str(target.label), str(target.actual)) == ("//a:al", "//a:fg")
    assert analysis.files("//a:al") == ["a/p"]
    analysis.target("//a:g")
    assert "a/p" in str(analysis.action("Genrule").arguments)  # type: ignore[attr-defined]


def test_shell_programs() -> None:
    analysis = analyse(
        'sh_library(name = "l", srcs = ["l.sh"], data = ["d"])\n'
        'sh_test(name = "t", srcs = ["t.sh"], deps = [":l"], env = {"K": "$(location d) $(TARGET_CPU)"}, data = ["d"],'
        ' env_inherit = ["HOME"])'
    )
    analysis.target("//a:t")
    link = analysis.action("ExecutableSymlink")
    assert isinstance(link, SymlinkAction)
    assert link.inputs[0].exec_path == "a/t.sh"
    tree = analysis.action("SymlinkTree")
    assert isinstance(tree, RunfilesTreeAction)
    assert set(tree.entries) == {"ws/a/t", "ws/a/t.sh", "ws/a/l.sh", "ws/a/d"}
    test = analysis.action("TestRunner")
    assert isinstance(test, TestAction)
    assert dict(test.environment) == {"K": "a/d k8"}
    assert test.inherited_environment == ("HOME",)


PYTHON = """
py_library(name = "l", srcs = ["sub/l.py"], imports = ["sub"])
py_binary(name = "p", srcs = ["p.py"], deps = [":l"], data = ["d"])
"""


def _lay_out(analysis: Analysis, root: Path, sources: dict[str, str]) -> Path:
    """Makes the runfiles tree and the program of //a:p below `root`, as a build would."""
    for path, text in sources.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    write, tree = analysis.action("FileWrite"), analysis.action("SymlinkTree")
    assert isinstance(write, WriteAction)
    assert isinstance(tree, RunfilesTreeAction)
    program = root / write.outputs[0].exec_path
    program.parent.mkdir(parents=True)
    program.write_text(write.content)
    program.chmod(0o755)
    for path, file in tree.entries.items():
        link = root / tree.directory / path
        link.parent.mkdir(parents=True, exist_ok=True)
        if file is None:
            link.touch()
        else:
            os.symlink(root / file.exec_path, link)
    return program


def test_a_python_program_runs(tmp_path: Path) -> None:
    analysis = analyse(PYTHON)
    analysis.target("//a:p")
    program = _lay_out(
        analysis,
        tmp_path,
        {
            "a/sub/l.py": "VALUE = 6",
            "a/p.py": "import sys, l, a.sub.l\nprint(l.VALUE * 7, a.sub.l is not l, sys.argv[1:])",
            "a/d": "",
        },
    )
    run = subprocess.run([sys.executable, program, "x y"], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("42 True ['x y']\n", "")


def test_packages_of_a_python_program() -> None:
    analysis = analyse(PYTHON + 'py_binary(name = "q", srcs = ["p.py"], main = "p.py", legacy_create_init = 0)')
    analysis.target("//a:p")
    analysis.target("//a:q")
    first, second = analysis.actions("SymlinkTree")
    assert isinstance(first, RunfilesTreeAction)
    assert isinstance(second, RunfilesTreeAction)
    assert [path for path, file in first.entries.items() if file is None] == [
        "ws/a/__init__.py",
        "ws/a/sub/__init__.py",
    ]
    assert None not in second.entries.values()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            'srcs = ["x.py"]',
            "corresponding default 'p.py' does not appear in srcs. Add it or override default file name",
        ),
        ('srcs = ["xp.py"]', "corresponding default 'p.py' does not appear in srcs"),
        ('srcs = ["a/p.py", "b/p.py"]', "default main file name 'p.py' matches multiple files.  Perhaps specify"),
        ('srcs = ["a/x.py", "b/x.py"], main = "x.py"', "multiple files: e.g., 'a/a/x.py' and 'a/b/x.py'"),
        ('srcs = ["x.py"], main = "x"', "in main attribute of py_binary rule //a:p: main must end in '.py'"),
        ('srcs = ["p.py"], imports = ["../../.."]', "references a path above the execution root"),
        ('srcs = ["p.txt"]', "is misplaced here (expected .py, .py3)"),
    ],
)
def test_wrong_python_programs(arguments: str, message: str) -> None:
    assert message in analyse(f'py_binary(name = "p", {arguments})').failure("//a:p")


SUITES = """
sh_test(name = "small_test", srcs = ["x.sh"], size = "small", tags = ["fast"])
sh_test(name = "big_test", srcs = ["x.sh"], size = "large")
sh_test(name = "hand_test", srcs = ["x.sh"], tags = ["manual"])
test_suite(name = "all_tests")
test_suite(name = "fast", tags = ["fast"])
test_suite(name = "not_large", tags = ["-large"])
test_suite(name = "named", tests = [":big_test", ":nested"])
test_suite(name = "nested", tests = ["small_test", ":hand_test"])
test_suite(name = "loop", tests = [":loop"])
test_suite(name = "wrong", tests = [":x.sh"])
"""


def _suite(name: str) -> list[str]:
    loader = analyse(SUITES).loader
    target = loader.target(parse_label(f"//a:{name}"))
    assert isinstance(target, RuleTarget)
    return [label.name for label in expand_test_suite(loader, target)]


def test_test_suites() -> None:
    assert _suite("all_tests") == ["big_test", "small_test"]
    assert _suite("fast") == ["small_test"]
    assert _suite("not_large") == ["small_test"]
    assert _suite("named") == ["big_test", "small_test", "hand_test"]


@pytest.mark.parametrize(("name", "message"), [("loop", "contains itself"), ("wrong", "expecting a test")])
def test_wrong_test_suites(name: str, message: str) -> None:
    with pytest.raises(Exception, match=message):
        _suite(name)


@pytest.mark.parametrize("kind", ["java_library", "android_binary", "genquery", "config_feature_flag"])
def test_kinds_that_are_not_supported_are_errors_when_reached(kind: str) -> None:
    extra = ', expression = "x", scope = []' if kind == "genquery" else ""
    build = f'{kind}(name = "x"{extra})\nfilegroup(name = "y")'
    analysis = analyse(build)
    assert analysis.files("//a:y") == []
    text = analysis.failure("//a:x")
    assert f"in {kind} rule //a:x: {kind} is not supported" in text


def test_every_attribute_of_a_native_kind_has_a_use_or_a_reason() -> None:
    """Attributes that no implementation names must say why they have no effect."""
    rules = Path(__file__).resolve().parent.parent / "bazel2ninja"
    text = "\n".join(
        path.read_text()
        for layer in ("rules", "analysis", "loading", "configuration", "pipeline")
        for path in (rules / layer).rglob("*.py")
    )
    silent = sorted(
        {
            f"{kind.name}.{attribute.name}"
            for kind in NATIVE.values()
            for attribute in kind.attributes.values()
            if "refused" not in kind.implementation.__qualname__  # type: ignore[attr-defined]
            and attribute.irrelevant is None
            and not attribute.is_private
            and text.count(f'"{attribute.name}"') < 2
        }
    )
    assert silent == []


def test_environments_are_declared_and_not_checked() -> None:
    analysis = analyse(
        'environment(name = "e")\nenvironment(name = "f", fulfills = [":e"])\n'
        'environment_group(name = "g", defaults = [":e"], environments = [":e", ":f"])\n'
        'filegroup(name = "x", srcs = [":y"], restricted_to = [":f"])\n'
        'filegroup(name = "y", compatible_with = [":e"])\n'
    )
    assert analysis.files("//a:x") == analysis.files("//a:g") == []


def test_main_must_be_a_source() -> None:
    text = analyse(PYTHON + 'py_binary(name = "q", srcs = ["p.py"], main = "other.py")').failure("//a:q")
    assert "in srcs attribute of py_binary rule //a:q: could not find 'other.py' as specified by 'main'" in text


@pytest.mark.parametrize("main", ["", ', main = "q.py"', ', main = "sub/q.py"'])
def test_main_is_found_by_the_end_of_its_path(main: str) -> None:
    """The label that main names need not be a file: only its name counts."""
    analysis = analyse(f'py_test(name = "q", srcs = ["sub/q.py", "r.py"]{main})')
    analysis.target("//a:q")
    write = analysis.action("FileWrite")
    assert isinstance(write, WriteAction)
    assert "'ws/a/sub/q.py'" in write.content


def test_a_program_named_like_a_file() -> None:
    text = analyse('py_binary(name = "p.py", srcs = ["x.py"])').failure("//a:p.py")
    assert "in name attribute of py_binary rule //a:p.py: name must not end in '.py'" in text
