"""ctx.actions: the actions that rules of .bzl files make."""

from __future__ import annotations

import pytest
from analysis_support import Analysis, analyse

from bazel2ninja.analysis.action import ParameterFile, SpawnAction, SymlinkAction, TemplateAction
from bazel2ninja.starlark import Semantics

BIN = "bazel-out/k8-fastbuild/bin/"


def _run(body: str, build: str = 'r(name = "x", srcs = ["one.txt", "two.txt"])', more: str = "") -> Analysis:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return analyse(
        f'load(":defs.bzl", "r")\n{build}',
        f"{more}\ndef _r(ctx):\n    out = ctx.actions.declare_file('out')\n{lines}"
        "r = rule(_r, attrs = {'srcs': attr.label_list(allow_files = True)})\n",
    )


def _words(body: str, more: str = "") -> tuple[str | ParameterFile, ...]:
    run = "ctx.actions.run(outputs = [out], executable = 'prog', arguments = [a])"
    analysis = _run(f"a = ctx.actions.args()\n{body}\n{run}", more=more)
    analysis.target("//a:x")
    action = analysis.action("Action")
    assert isinstance(action, SpawnAction)
    assert action.arguments[0] == "prog"
    return action.arguments[1:]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("a.add('-o', out)\na.add(7)\na.add(ctx.label)", ("-o", BIN + "a/out", "7", "//a:x")),
        ("a.add('v', format = '--x=%s')", ("--x=v",)),
        ("a.add_all(ctx.files.srcs)", ("a/one.txt", "a/two.txt")),
        (
            "a.add_all('--all', depset(ctx.files.srcs), before_each = '-i')",
            ("--all", "-i", "a/one.txt", "-i", "a/two.txt"),
        ),
        ("a.add_all([], omit_if_empty = False, terminate_with = 'end')", ("end",)),
        ("a.add_all('--none', [])", ()),
        ("a.add_all(['p', 'q', 'p'], uniquify = True, format_each = '<%s>')", ("<p>", "<q>")),
        ("a.add_joined('--j', ['p', 'q'], join_with = ',', format_joined = '[%s]')", ("--j", "[p,q]")),
        ("a.add_joined(['p', 'q'], join_with = ':', format_each = '%s%%')", ("p%:q%",)),
        ("a.add_all(ctx.files.srcs, map_each = _base)", ("one.txt", "x", "two.txt", "x")),
        ("l = ['p']\na.add_all(l)\nl.append('q')", ("p",)),
    ],
)
def test_arguments(body: str, words: tuple[str, ...]) -> None:
    assert _words(body, "def _base(f):\n    return [f.basename, 'x']\n") == words


def test_arguments_of_a_parameter_file() -> None:
    (part,) = _words("a.use_param_file('@%s', use_always = True)\na.set_param_file_format('multiline')\na.add('w')")
    assert isinstance(part, ParameterFile)
    assert (part.arguments, part.argument, part.format, part.always) == (("w",), "@%s", "multiline", True)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("a.add(['p'])", "Args.add() doesn't accept vectorized arguments"),
        ("a.add('p', format = 'none')", 'expected string with a single "%s"'),
        ("a.add_all('p')", "expected value of type 'sequence or depset'"),
        ("a.use_param_file('f')", 'expected string with a single "%s"'),
        ("a.add_all(['p'], map_each = lambda x: 3)", "expected map_each to return string, None, or list of strings"),
        ("a.set_param_file_format('xml')", "expected one of 'shell', 'multiline', 'flag_per_line'"),
    ],
)
def test_wrong_arguments(body: str, message: str) -> None:
    run = "ctx.actions.run(outputs = [out], executable = 'prog', arguments = [a])"
    assert message in _run(f"a = ctx.actions.args()\n{body}\n{run}").failure("//a:x")


def test_shell_commands() -> None:
    analysis = _run(
        "ctx.actions.run_shell(outputs = [out], inputs = ctx.files.srcs, command = 'cat $@', arguments = ['p'],"
        " mnemonic = 'Cat', env = {'K': 'v'}, execution_requirements = {'local': ''}, use_default_shell_env = True)"
    )
    analysis.target("//a:x")
    action = analysis.action("Cat")
    assert isinstance(action, SpawnAction)
    assert action.arguments == ("/bin/bash", "-c", "cat $@", "", "p")
    assert dict(action.environment) == {"K": "v"}
    assert action.use_default_shell_environment
    assert [file.exec_path for file in action.all_inputs()] == ["a/one.txt", "a/two.txt"]
    assert str(action.location) == "src/a/BUILD:2:1"


def test_a_shell_command_without_arguments_has_no_dollar_zero() -> None:
    analysis = _run("ctx.actions.run_shell(outputs = [out], command = 'touch x')")
    analysis.target("//a:x")
    action = analysis.action("Action")
    assert isinstance(action, SpawnAction)
    assert action.arguments == ("/bin/bash", "-c", "touch x")


def test_templates() -> None:
    analysis = _run(
        "d = ctx.actions.template_dict()\nd.add('C', 'c')\n"
        "d.add_joined('J', depset(ctx.files.srcs), join_with = ' ', map_each = _base)\n"
        "ctx.actions.expand_template(template = ctx.files.srcs[0], output = out, substitutions = {'A': 'a', 'B': 'b'},"
        " computed_substitutions = d, is_executable = True)",
        more="def _base(f):\n    return f.basename\n",
    )
    analysis.target("//a:x")
    action = analysis.action("TemplateExpand")
    assert isinstance(action, TemplateAction)
    assert action.substitutions == (("A", "a"), ("B", "b"), ("C", "c"), ("J", "one.txt two.txt"))
    assert action.inputs[0].exec_path == "a/one.txt"
    assert action.executable


def test_links() -> None:
    analysis = _run(
        "ctx.actions.symlink(output = out, target_file = ctx.files.srcs[0])\n"
        "l = ctx.actions.declare_symlink('l')\nctx.actions.symlink(output = l, target_path = '/etc/x')"
    )
    analysis.target("//a:x")
    first, second = analysis.actions("Symlink") + analysis.actions("UnresolvedSymlink")
    assert isinstance(first, SymlinkAction)
    assert isinstance(second, SymlinkAction)
    assert first.inputs[0].exec_path == "a/one.txt"
    assert (second.target, second.outputs[0].is_symlink) == ("/etc/x", True)


def test_siblings_and_directories() -> None:
    analysis = _run(
        "s = ctx.actions.declare_file('sub/one')\nt = ctx.actions.declare_file('two', sibling = s)\n"
        "d = ctx.actions.declare_directory('dir')\n"
        "ctx.actions.run(outputs = [out, s, t, d], executable = 'prog')"
    )
    analysis.target("//a:x")
    outputs = analysis.action("Action").outputs
    assert [file.exec_path for file in outputs] == [BIN + "a/out", BIN + "a/sub/one", BIN + "a/sub/two", BIN + "a/dir"]
    assert outputs[3].is_directory


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("ctx.actions.run(outputs = [], executable = 'p')", "parameter 'outputs' must not be empty"),
        ("ctx.actions.run(outputs = ['p'], executable = 'p')", "parameter 'outputs' got value of type 'string'"),
        ("ctx.actions.run(outputs = [out], executable = 3)", "parameter 'executable' got value of type 'int'"),
        ("ctx.actions.run(outputs = [out], executable = 'p', inputs = 'x')", "parameter 'inputs' got value of type"),
        ("ctx.actions.run(executable = 'p')", "missing 1 required named argument: outputs"),
        ("ctx.actions.write(out, 3)", "parameter 'content' got value of type 'int', want 'string or Args'"),
        ("ctx.actions.declare_file('../x')", "is not under package directory"),
        ("ctx.actions.symlink(output = out)", 'Exactly one of "target_file" or "target_path" is required'),
        ("ctx.actions.map_directory()", "map_directory() missing 3 required named arguments: implementation, input_"),
        (
            "ctx.actions.run(outputs = [out], executable = 'p', shadowed_action = 1)",
            "'shadowed_action' is not supported",
        ),
    ],
)
def test_wrong_actions(body: str, message: str) -> None:
    assert message in _run(body).failure("//a:x")


def test_a_directory_cannot_be_listed_beforehand() -> None:
    text = _run(
        "d = ctx.actions.declare_directory('dir')\nctx.actions.run(outputs = [d], executable = 'p')\n"
        "a = ctx.actions.args()\na.add_all([d], map_each = str)\n"
        "ctx.actions.run(outputs = [out], executable = 'p', arguments = [a])"
    ).failure("//a:x")
    assert "cannot list the files of the directory" in text


OLD = (
    "f = ctx.new_file('f')\ng = ctx.new_file(f, 'g')\nh = ctx.new_file(ctx.bin_dir, ctx.files.srcs[0], '%{name}.h')\n"
    "ctx.file_action(output = f, content = 'x', executable = True)\n"
    "ctx.template_action(template = ctx.files.srcs[0], output = g, substitutions = {'A': 'B'})\n"
    "ctx.action(outputs = [h], inputs = ctx.files.srcs + [f], executable = 'p', mnemonic = 'One')\n"
    "ctx.action(outputs = [out], command = 'c', mnemonic = 'Two')\nctx.empty_action(mnemonic = 'None')"
)


def test_the_old_ways_to_make_actions() -> None:
    body = OLD
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    bzl = (
        f"def _r(ctx):\n    out = ctx.actions.declare_file('out')\n{lines}"
        "r = rule(_r, attrs = {'srcs': attr.label_list(allow_files = True)})\n"
    )
    build = 'load(":defs.bzl", "r")\nr(name = "x", srcs = ["one.txt"])'
    analysis = analyse(build, bzl, semantics=Semantics(old_actions_api=True))
    analysis.target("//a:x")
    made = {action.mnemonic: action.outputs[0].short_path for action in analysis.actions()}
    assert made == {"FileWrite": "a/f", "TemplateExpand": "a/g", "One": "a/one.h", "Two": "a/out"}
    assert "field new_file was removed from ctx" in analyse(build, bzl).failure("//a:x")
