"""The fields and methods of ctx that are not about actions."""

from __future__ import annotations

from dataclasses import replace

import pytest
from analysis_support import analyse

from bazel2ninja.configuration.configuration import Settings
from bazel2ninja.configuration.platforms import cpu_constraint, os_constraint
from bazel2ninja.starlark import to_repr

SETTINGS = Settings(
    compilation_mode="opt",
    defines=(("K", "v"),),
    features=("from_command", "-gone"),
    copts=("-g",),
    action_environment=(("E", "1"), ("INHERITED", None)),
    constraints=(cpu_constraint("x86_64"), os_constraint("linux")),
)
BIN = "bazel-out/k8-opt/bin"


def _value(expression: str, more: str = "", attrs: str = "", rule: str = "", build: str = "") -> str:
    analysis = analyse(
        'package(features = ["from_package"])\nload(":defs.bzl", "r", "v")\n'
        'filegroup(name = "two", srcs = ["p.txt", "q.txt"])\nv(name = "vars")\n'
        'sh_binary(name = "tool", srcs = ["t.sh"], data = ["d.txt"])\n'
        'r(name = "x", srcs = ["p.txt"], two = [":two"], features = ["own", "-not_this"], toolchains = [":vars"],'
        f' tool = ":tool"{build})',
        "I = provider(fields = ['v'])\n"
        "def _v(ctx):\n    return platform_common.TemplateVariableInfo({'FROM_TARGET': '1'})\nv = rule(_v)\n"
        f"{more}\ndef _r(ctx):\n    return I(v = {expression})\n"
        "r = rule(_r, attrs = {'srcs': attr.label_list(allow_files = True), 'two': attr.label_list(),"
        " 'data': attr.label_list(allow_files = True), 'tool': attr.label(executable = True, cfg = 'exec'),"
        f" {attrs}}}{rule})\n",
        settings=SETTINGS,
    )
    providers = analysis.target("//a:x").providers
    (found,) = [instance for key, instance in providers.items() if getattr(key, "name", "") == "I"]
    return to_repr(found.s_v)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("ctx.label", 'Label("//a:x")'),
        ("ctx.workspace_name", '"ws"'),
        ("ctx.build_file_path", '"a/BUILD"'),
        ("(ctx.bin_dir.path, ctx.genfiles_dir.path)", f'("{BIN}", "{BIN}")'),
        ("ctx.features", '["from_command", "from_package", "own"]'),
        ("ctx.disabled_features", '["gone", "not_this"]'),
        ('(ctx.var["COMPILATION_MODE"], ctx.var["K"], ctx.var["FROM_TARGET"])', '("opt", "v", "1")'),
        ("ctx.configuration.default_shell_env", '{"E": "1"}'),
        ("(ctx.configuration.coverage_enabled, ctx.configuration.is_tool_configuration())", "(False, False)"),
        ("ctx.fragments.cpp.copts", '["-g"]'),
        ("ctx.fragments.cpp.compilation_mode()", '"opt"'),
        ("ctx.fragments.proto.experimental_protoc_opts", "[]"),
        ("ctx.fragments.proto.cc_proto_library_header_suffixes", '[".pb.h"]'),
        ("ctx.coverage_instrumented()", "False"),
        ("ctx.tokenize(\"a 'b c'\")", '["a", "b c"]'),
        ('ctx.expand_location("$(location p.txt) $(K)")', '"a/p.txt $(K)"'),
        ('ctx.expand_location("$(locations :two)", ctx.attr.two)', '"a/p.txt a/q.txt"'),
        ('ctx.expand_make_variables("cmd", "$(K) $(X) $$y", {"X": "$(K)2"})', '"v v2 $y"'),
        ('ctx.resolve_command(command = "$(location p.txt)", expand_locations = True)[1]',
         '["/bin/bash", "-c", "a/p.txt"]'),
        ("[f.basename for f in ctx.resolve_tools(tools = [ctx.attr.tool])[0].to_list()]",
         '["t.sh", "tool", "MANIFEST", "d.txt"]'),
        ("ctx.executable.tool.path", f'"{BIN}/a/tool"'),
        ("ctx.info_file.path", '"bazel-out/stable-status.txt"'),
        ("[n for n in dir(ctx.files) if n in ('srcs', 'two', 'name')]", '["srcs", "two"]'),
        ("ctx.attr.testonly", "False"),
    ],
)  # fmt: skip
def test_fields(expression: str, value: str) -> None:
    assert _value(expression) == value


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("ctx.fragments.java", "the configuration fragment 'java' is not supported"),
        ("ctx.rule", "'rule' is only available in aspect implementations"),
        ("ctx.build_setting_value", "attempting to access 'build_setting_value' of non-build setting //a:x"),
        ("ctx.toolchains['//a:none']", "toolchain type //a:none was requested but only types [] are configured"),
        ("ctx.exec_groups['none']", "unrecognized exec group 'none' requested"),
        ("ctx.expand_location('$(location nope)')", "is not a declared prerequisite of this rule"),
        ("ctx.expand_make_variables('cmd', '$(NOPE)', {})", "in cmd attribute of r rule //a:x: $(NOPE) not defined"),
        ("ctx.super()", "the rule is not extending another rule"),
        ("ctx.created_actions()", "ctx.created_actions() is not supported"),
        ("apple_common.platform", "apple_common.platform is not supported"),
        ("JavaInfo()", "JavaInfo is not supported"),
        ("ctx.nothing", "'ctx' value has no field or method 'nothing'"),
        ("ctx.attr.two[0].nothing", "'Target' value has no field or method 'nothing'"),
        ("ctx.attr.two[0][3]", "type Target only supports indexing by object constructors, got int instead"),
        ("ctx.attr.two[0][I]", "<target //a:two> (rule 'filegroup') doesn't contain declared provider 'I'"),
        ("ctx.runfiles(files = ['x'])", "parameter 'files' must be a sequence of Files"),
    ],
)
def test_wrong_uses(expression: str, message: str) -> None:
    analysis = analyse(
        'load(":defs.bzl", "r")\nfilegroup(name = "two")\nr(name = "x", two = [":two"])',
        f"I = provider()\ndef _r(ctx):\n    return I(v = {expression})\n"
        "r = rule(_r, attrs = {'two': attr.label_list()})",
    )
    assert message in analysis.failure("//a:x")


def test_a_default_may_depend_on_other_attributes() -> None:
    more = "def _default(n):\n    return 'computed ' + str(n)\n"
    attrs = "'n': attr.int(default = 3), '_c': attr.string(default = _default)"
    assert _value("ctx.attr._c", more, attrs, build=", n = 4") == '"computed 4"'


def test_a_default_may_come_from_the_configuration() -> None:
    attrs = "'_m': attr.label(default = configuration_field('cpp', 'custom_malloc'))"
    assert _value("ctx.attr._m", attrs=attrs) == "None"
    wrong = "'_m': attr.label(default = configuration_field('cpp', 'custom_maloc'))"
    with pytest.raises(Exception, match="invalid configuration field name 'custom_maloc' on fragment 'cpp'"):
        _value("ctx.attr._m", attrs=wrong)


def test_platform_constraints() -> None:
    attrs = "'_c': attr.label_list(default = ['@platforms//os:linux', '@platforms//os:windows'])"
    expression = "[ctx.target_platform_has_constraint(c[platform_common.ConstraintValueInfo]) for c in ctx.attr._c]"
    assert _value(expression, attrs=attrs) == "[True, False]"


def test_execution_groups_have_toolchains() -> None:
    more = "toolchain_name = '//a:kind'\n"
    rule = (
        ", exec_groups = {'g': exec_group(toolchains = [config_common.toolchain_type('//a:kind', mandatory = False)])}"
    )
    analysis = analyse(
        'load(":defs.bzl", "r")\ntoolchain_type(name = "kind")\nr(name = "x")',
        f"I = provider()\n{more}def _r(ctx):\n"
        "    return I(v = (ctx.exec_groups['g'].toolchains['//a:kind'], 'g' in ctx.exec_groups))\n"
        f"r = rule(_r{rule})",
        settings=replace(SETTINGS, features=()),
    )
    (found,) = [i for key, i in analysis.target("//a:x").providers.items() if getattr(key, "name", "") == "I"]
    assert to_repr(found.s_v) == "(None, True)"


RUNFILES = """
I = provider()
def _lib(ctx):
    return DefaultInfo(runfiles = ctx.runfiles(files = ctx.files.srcs, symlinks = {"link": ctx.files.srcs[0]},
        root_symlinks = {"root/link": ctx.files.srcs[0]}, collect_data = True))
lib = rule(_lib, attrs = {"srcs": attr.label_list(allow_files = True), "data": attr.label_list(allow_files = True)})
def _r(ctx):
    r = ctx.runfiles(collect_default = True)
    r = r.merge(ctx.runfiles(transitive_files = depset(ctx.files.data))).merge_all([])
    return I(v = [[f.short_path for f in r.files.to_list()], [(s.path, s.target_file.short_path)
        for s in r.symlinks.to_list()], [s.path for s in r.root_symlinks.to_list()]])
r = rule(_r, attrs = {"deps": attr.label_list(), "data": attr.label_list(allow_files = True)})
"""


def test_runfiles_are_gathered() -> None:
    analysis = analyse(
        'load(":defs.bzl", "lib", "r")\nlib(name = "l", srcs = ["l.txt"], data = ["d.txt", ":fg"])\n'
        'filegroup(name = "fg", srcs = ["f.txt"])\nr(name = "x", deps = [":l"], data = ["own.txt"])',
        RUNFILES,
    )
    (found,) = [i for key, i in analysis.target("//a:x").providers.items() if getattr(key, "name", "") == "I"]
    files, links, roots = found.s_v
    assert sorted(files) == ["a/d.txt", "a/f.txt", "a/l.txt", "a/own.txt"]
    assert list(links) == [("link", "a/l.txt")]
    assert list(roots) == ["root/link"]
    entries = analysis.target("//a:l").default_runfiles.entries("ws")
    assert list(entries) == ["root/link", "ws/a/d.txt", "ws/a/f.txt", "ws/a/l.txt", "ws/link"]
