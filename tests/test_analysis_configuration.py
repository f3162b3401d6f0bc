"""Configurations in the analysis: select(), transitions, build settings, toolchains, incompatible targets, checks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from analysis_support import Analysis, analyse

from bazel2ninja.configuration.configuration import Settings
from bazel2ninja.configuration.platforms import cpu_constraint, os_constraint
from bazel2ninja.starlark import Semantics, to_repr

LINUX = Settings(constraints=(cpu_constraint("x86_64"), os_constraint("linux")))
BZL = """
I = provider(fields = ["v"])
def _flag(ctx):
    return I(v = ctx.build_setting_value)
string_flag = rule(_flag, build_setting = config.string(flag = True))

def _show(ctx):
    d = ctx.attr.d
    return I(v = [each[I].v for each in d] if type(d) == "list" else (d[I].v if d else None))
def _flip(settings, attr):
    return {"//a:flag": settings["//a:flag"] + "+" + attr.to}
flip = transition(implementation = _flip, inputs = ["//a:flag"], outputs = ["//a:flag"])
def _split(settings, attr):
    return {"one": {"//a:flag": "1"}, "two": {"//a:flag": "2"}}
split = transition(implementation = _split, inputs = [], outputs = ["//a:flag"])
def _opt(settings, attr):
    return {"//command_line_option:compilation_mode": "opt", "//command_line_option:copt": ["-Dx"]}
opt = transition(implementation = _opt, inputs = [], outputs = ["//command_line_option:compilation_mode",
    "//command_line_option:copt"])
def _file(ctx):
    f = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(f, "")
    return [DefaultInfo(files = depset([f])), I(v = f.path)]
file = rule(_file)
ATTRS = {"d": attr.label(), "to": attr.string(default = "x")}
show = rule(_show, attrs = ATTRS)
flipped = rule(_show, attrs = dict(ATTRS, d = attr.label(cfg = flip)))
both = rule(_show, attrs = dict(ATTRS, d = attr.label(cfg = split)))
self_flipped = rule(_show, attrs = ATTRS, cfg = flip)
opt_file = rule(_file, cfg = opt)
def _both_split(ctx):
    return I(v = {k: t[I].v for k, t in ctx.split_attr.d.items()})
both_split = rule(_both_split, attrs = {"d": attr.label(cfg = split)})
tool = rule(_show, attrs = {"d": attr.label(cfg = "exec")})
"""
FLAG = (
    'load(":defs.bzl", "string_flag", "show", "flipped", "both", "both_split", "self_flipped", "opt_file", "file")\n'
    'string_flag(name = "flag", build_setting_default = "0")\n'
)


def _value(analysis: Analysis, label: str = "//a:x") -> str:
    providers = analysis.target(label).providers
    (found,) = [instance for key, instance in providers.items() if getattr(key, "name", "") == "I"]
    return to_repr(found.s_v)


def test_a_build_setting_has_its_default() -> None:
    assert _value(analyse(FLAG, BZL), "//a:flag") == '"0"'


@pytest.mark.parametrize(
    ("build", "value"),
    [
        ('show(name = "x", d = ":flag")', '"0"'),
        ('flipped(name = "x", d = ":flag", to = "y")', '["0+y"]'),
        ('both(name = "x", d = ":flag")', '["1", "2"]'),
        ('both_split(name = "x", d = ":flag")', '{"one": "1", "two": "2"}'),
        ('self_flipped(name = "x", d = ":flag", to = "z")', '"0+z"'),
        ('show(name = "x", d = ":y")\nself_flipped(name = "y", d = ":flag")', '"0+x"'),
    ],
)
def test_transitions(build: str, value: str) -> None:
    assert _value(analyse(FLAG + build, BZL)) == value


def test_a_transition_moves_the_outputs() -> None:
    analysis = analyse(FLAG + 'opt_file(name = "x")\nfile(name = "y")', BZL)
    assert _value(analysis, "//a:y") == '"bazel-out/k8-fastbuild/bin/a/y"'
    assert _value(analysis).startswith('"bazel-out/k8-opt-ST-')
    assert analysis.target("//a:x").configuration.settings.copts == ("-Dx",)  # type: ignore[union-attr]


def test_tools_are_built_in_the_same_configuration() -> None:
    analysis = analyse('load(":defs.bzl", "tool", "file")\ntool(name = "x", d = ":y")\nfile(name = "y")', BZL)
    assert _value(analysis) == '"bazel-out/k8-fastbuild/bin/a/y"'


def test_select_takes_a_branch() -> None:
    build = (
        'config_setting(name = "opt", values = {"compilation_mode": "opt"})\n'
        'filegroup(name = "x", srcs = ["a"] + select({":opt": ["b"], "//conditions:default": ["c"]}))'
    )
    assert analyse(build).files("//a:x") == ["a/a", "a/c"]
    assert analyse(build, settings=replace(LINUX, compilation_mode="opt")).files("//a:x") == ["a/a", "a/b"]


def test_select_without_a_match() -> None:
    text = analyse(
        'config_setting(name = "opt", values = {"compilation_mode": "opt"})\n'
        'filegroup(name = "x", srcs = select({":opt": ["b"]}, no_match_error = "go away"))'
    ).failure("//a:x")
    assert "configurable attribute 'srcs' of //a:x doesn't match this configuration: go away" in text


INCOMPATIBLE = (
    'filegroup(name = "x", srcs = [":y"])\n'
    'filegroup(name = "y", target_compatible_with = ["@platforms//os:windows"])\n'
    'filegroup(name = "z", target_compatible_with = ["@platforms//os:linux"])'
)


def test_incompatible_targets_and_their_dependents() -> None:
    analysis = analyse(INCOMPATIBLE)
    assert analysis.target("//a:y").incompatibility == "target platform lacks @platforms//os:windows"
    assert "@platforms//os:windows" in (analysis.target("//a:x").incompatibility or "")
    assert analysis.target("//a:z").incompatibility is None


TOOLCHAINS = """
package(default_visibility = ["//visibility:public"])
load(":defs.bzl", "tc", "use", "maybe")
toolchain_type(name = "type")
alias(name = "type_alias", actual = ":type")
tc(name = "windows_tc", v = "w")
tc(name = "linux_tc", v = "l")
toolchain(name = "t1", toolchain = ":windows_tc", toolchain_type = ":type",
    target_compatible_with = ["@platforms//os:windows"])
toolchain(name = "t2", toolchain = ":linux_tc", toolchain_type = ":type_alias",
    target_compatible_with = ["@platforms//os:linux"])
use(name = "x")
maybe(name = "m")
"""
TOOLCHAINS_BZL = """
I = provider(fields = ["v"])
def _tc(ctx):
    return platform_common.ToolchainInfo(v = ctx.attr.v)
tc = rule(_tc, attrs = {"v": attr.string()})
def _use(ctx):
    t = ctx.toolchains
    return I(v = (t["//a:type"].v, t[Label("//a:type_alias")].v, "//a:type" in t))
use = rule(_use, toolchains = ["//a:type_alias"])
def _maybe(ctx):
    return I(v = ctx.toolchains["//a:type"])
maybe = rule(_maybe, toolchains = [config_common.toolchain_type("//a:type", mandatory = False)])
"""


def test_the_first_fitting_toolchain_is_taken() -> None:
    assert _value(analyse(TOOLCHAINS, TOOLCHAINS_BZL, toolchains=("//a:all",))) == '("l", "l", True)'


def test_a_missing_toolchain() -> None:
    analysis = analyse(TOOLCHAINS, TOOLCHAINS_BZL, toolchains=("//a:t1", "@absent//:all"))
    text = analysis.failure("//a:x")
    assert "No matching toolchains found for types //a:type" in text
    assert "//a:t1 is not for the target platform" in text
    assert "@absent//:all is in a repository that is absent" in text
    assert _value(analysis, "//a:m") == "None"


CHECKS_BZL = """
I = provider(fields = ["v"])
def _r(ctx):
    return I(v = 1)
r = rule(_r, attrs = {
    "cc": attr.label_list(allow_files = [".cc"]),
    "one": attr.label(allow_single_file = True),
    "i": attr.label(providers = [I]),
    "any": attr.label_list(),
    "tool": attr.label(executable = True, cfg = "exec"),
    "kinds": attr.label(allow_rules = ["genrule"]),
})
"""
CHECKS = (
    'load(":defs.bzl", "r")\nfilegroup(name = "f", srcs = ["p.cc", "q.txt"])\nfilegroup(name = "t", srcs = ["q.txt"])\n'
    'filegroup(name = "hidden", srcs = ["p.cc"], testonly = True)\n'
)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ('cc = ["q.txt"]', "in cc attribute of r rule //a:x: source file '//a:q.txt' is misplaced here (expected .cc)"),
        ('cc = [":t"]', "'//a:t' does not produce any r cc files (expected .cc)"),
        ('any = ["q.txt"]', "source file '//a:q.txt' is misplaced here (expected no files)"),
        ('one = ":f"', "'//a:f' must produce a single file"),
        ('i = ":f"', "'//a:f' does not have mandatory providers: 'I'"),
        ('tool = ":f"', "'//a:f' does not refer to a valid executable target"),
        ('kinds = ":f"', "filegroup rule '//a:f' is misplaced here (expected genrule)"),
        ('any = [":hidden"]', "non-test target '//a:x' depends on testonly target '//a:hidden'"),
        ('any = ["//b:private"]', "target '//b:private' is not visible from target '//a:x'"),
        ('any = ["//b:nowhere"]', "no such target '//b:nowhere'"),
    ],
)
def test_dependencies_are_checked(arguments: str, message: str) -> None:
    analysis = Analysis(
        {
            "a/BUILD": f'{CHECKS}r(name = "x", {arguments})',
            "a/defs.bzl": CHECKS_BZL,
            "b/BUILD": 'filegroup(name = "private")',
        }
    )
    text = analysis.failure("//a:x")
    assert message in text
    assert "src/a/BUILD:5" in text


def test_what_the_checks_let_through() -> None:
    build = CHECKS + 'r(name = "x", cc = [":f"], one = ":t", i = ":y", any = [":f"], tool = "q.txt")\nr(name = "y")'
    text = analyse(build, CHECKS_BZL).failure("//a:x")
    assert "source file '//a:q.txt' is misplaced here" in text
    build = build.replace('tool = "q.txt"', 'tool = ":t"')
    assert _value(analyse(build, CHECKS_BZL)) == "1"


def test_the_name_of_a_file_behind_an_alias_counts() -> None:
    build = CHECKS + 'alias(name = "other", actual = "{}")\nr(name = "x", cc = [":other"], i = ":y")\nr(name = "y")'
    assert _value(analyse(build.format("p.cc"), CHECKS_BZL)) == "1"
    assert "is misplaced here (expected .cc)" in analyse(build.format("q.txt"), CHECKS_BZL).failure("//a:x")


def test_cycles() -> None:
    text = analyse(
        'filegroup(name = "x", srcs = [":y"])\n'
        'filegroup(name = "y", srcs = [":z"])\nfilegroup(name = "z", srcs = [":y"])'
    ).failure("//a:x")
    assert "error: cycle in the dependency graph: //a:y" in text
    assert "note: depends on //a:z (src/a/BUILD:3" in text
    assert "note: which depends on //a:y (src/a/BUILD:2" in text


def test_a_chain_of_any_length() -> None:
    depth = 3000
    rules = "\n".join(f'filegroup(name = "f{i}", srcs = [":f{i + 1}"])' for i in range(depth))
    analysis = analyse(f'{rules}\nfilegroup(name = "f{depth}", srcs = ["end.txt"])')
    assert analysis.files("//a:f0") == ["a/end.txt"]


def test_label_flags_point_elsewhere() -> None:
    build = (
        'label_flag(name = "x", build_setting_default = ":y")\nfilegroup(name = "y", srcs = ["y.txt"])\n'
        'filegroup(name = "z", srcs = ["z.txt"])\nfilegroup(name = "user", srcs = [":x"])'
    )
    assert analyse(build).files("//a:user") == ["a/y.txt"]
    analysis = analyse(build)
    flag, other = analysis.target("//a:x").label, analysis.target("//a:z").label
    changed = analyse(build, settings=replace(LINUX, build_settings=((flag, other),)))
    assert changed.files("//a:user") == ["a/z.txt"]


def test_providers_named_by_text_are_fields_of_targets() -> None:
    bzl = (
        "def _old(ctx):\n    return struct(mine = 1)\nold = rule(_old)\n"
        "r = rule(lambda ctx: [], attrs = {'d': attr.label_list(providers = ['mine', 'files_to_run'])})"
    )
    build = 'load(":defs.bzl", "old", "r")\nold(name = "o")\nr(name = "x", d = [":o"])\nr(name = "y", d = [":x"])'
    analysis = analyse(build, bzl, semantics=Semantics(legacy_struct_providers=True))
    assert analysis.files("//a:x") == []
    assert "'//a:x' does not have mandatory providers: 'mine', 'files_to_run'" in analysis.failure("//a:y")


def test_an_alias_of_a_testonly_target_needs_no_testonly() -> None:
    analysis = analyse(
        'alias(name = "al", actual = ":t")\nfilegroup(name = "t", testonly = True)\n'
        'filegroup(name = "x", srcs = [":al"])'
    )
    assert analysis.files("//a:al") == []
    assert "depends on testonly target '//a:al'" in analysis.failure("//a:x")
