"""subrule(): declared by rules, aspects and other subrules, called from their implementations."""

from __future__ import annotations

import pytest
from analysis_support import Analysis, analyse

from bazel2ninja.configuration.configuration import Settings

USE = 'load(":defs.bzl", "r")\nr(name = "x")\n'
INFO = "Info = provider()\n"


def value(bzl: str, build: str = USE, **options: object) -> object:
    """The field `v` of what the rule r in `bzl` gives as Info."""
    run = analyse(build, INFO + bzl, **options)
    (info,) = [each for key, each in run.target("//a:x").providers.items() if getattr(key, "name", "") == "Info"]
    return info.get("v")


def failure(bzl: str, build: str = USE) -> str:
    return analyse(build, INFO + bzl).failure("//a:x")


TOOLS = 'filegroup(name = "t", srcs = ["f"])\nfilegroup(name = "u")\n'


def test_a_subrule_returns_what_its_implementation_returns() -> None:
    bzl = """
_s = subrule(implementation = lambda ctx, a, b = 1: (str(ctx.label), a, b))
r = rule(implementation = lambda ctx: [Info(v = _s("p", b = 2))], subrules = [_s])
"""
    assert value(bzl) == ("@//a:x", "p", 2)


def test_label_attributes_are_targets_lists_and_files() -> None:
    bzl = """
def _impl(ctx, _t, _l, _f):
    return (type(_t), _t.label.name, [each.label.name for each in _l], _f.path)
_s = subrule(_impl if False else implementation, attrs = {}) if False else subrule(
    implementation = _impl,
    attrs = {
        "_t": attr.label(default = ":t"),
        "_l": attr.label_list(default = [":t", ":u"]),
        "_f": attr.label(default = ":f", allow_single_file = True),
    },
)
r = rule(implementation = lambda ctx: [Info(v = (_s(), dir(ctx.attr), dir(ctx.files)))], subrules = [_s])
""".replace("subrule(_impl if False else implementation, attrs = {}) if False else ", "")
    given, attributes, files = value(bzl, TOOLS + USE)  # type: ignore[misc]
    assert given == ("Target", "t", ["t", "u"], "a/f")
    assert not [name for name in (*attributes, *files) if "%" in name or name in ("_t", "_l", "_f")]


def test_an_executable_is_what_runs_it() -> None:
    files = {
        "a/BUILD": 'load(":tool.bzl", "tool")\ntool(name = "tool")\n' + USE,
        "a/tool.bzl": "def _i(ctx):\n    f = ctx.actions.declare_file(ctx.label.name + '.sh')\n"
        "    ctx.actions.write(f, '', True)\n    return [DefaultInfo(executable = f)]\n"
        "tool = rule(_i, executable = True)\n",
        "a/defs.bzl": """
def _impl(ctx, _tool, program):
    out = ctx.actions.declare_file(ctx.label.name + ".out")
    ctx.actions.run(executable = _tool.executable if program else _tool, outputs = [out])
    return DefaultInfo(files = depset([out]))
_s = subrule(
    implementation = _impl,
    attrs = {"_tool": attr.label(default = ":tool", executable = True, cfg = "exec")},
)
r = rule(
    implementation = lambda ctx: [_s(program = ctx.attr.program)],
    attrs = {"program": attr.bool()},
    subrules = [_s],
)
""",
    }
    run = Analysis(files)
    run.target("//a:x")
    (action,) = run.actions("Action")
    assert [file.exec_path for file in action.tools] == ["bazel-out/k8-fastbuild/bin/a/tool.sh"]  # type: ignore[attr-defined]
    assert any(file.exec_path.endswith("tool.sh.runfiles/MANIFEST") for file in action.inputs)
    files["a/BUILD"] = files["a/BUILD"].replace('"x"', '"x", program = True')
    assert "for 'executable', expected FilesToRunProvider, got File" in Analysis(files).failure("//a:x")


def test_an_aspect_calls_subrules() -> None:
    bzl = """
_s = subrule(implementation = lambda ctx, _t: _t.label.name, attrs = {"_t": attr.label(default = ":t")})
_a = aspect(implementation = lambda target, ctx: [Info(v = _s())], subrules = [_s])
r = rule(implementation = lambda ctx: [ctx.attr.dep[Info]], attrs = {"dep": attr.label(aspects = [_a])})
"""
    build = TOOLS + 'load(":defs.bzl", "r")\nr(name = "x", dep = ":u")\n'
    assert value(bzl, build) == "t"
    assert "aspect '//a:defs.bzl%_a' must declare '_s' in 'subrules'" in failure(
        bzl.replace("v = _s())], subrules = [_s]", "v = _s())]"), build
    )


def test_subrules_call_those_that_they_declare() -> None:
    bzl = """
_A = subrule(implementation = lambda ctx, _t: _t.label.name, attrs = {"_t": attr.label(default = ":t")})
_B = subrule(implementation = lambda ctx: _A(), subrules = [_A])
_C = subrule(implementation = lambda ctx: _B(), subrules = [_B])
r = rule(implementation = lambda ctx: [Info(v = (_C(), _C(), _A()))], subrules = [_C, _A])
"""
    assert value(bzl, TOOLS + USE) == ("t", "t", "t")
    undeclared = bzl.replace("lambda ctx: _A(), subrules = [_A]", "lambda ctx: _A()")
    assert "subrule _B must declare _A in 'subrules'" in failure(undeclared, TOOLS + USE)
    assert "rule 'r' must declare '_A' in 'subrules'" in failure(bzl.replace("[_C, _A]", "[_C]"), TOOLS + USE)


PARENT = """
s = subrule(implementation = lambda ctx, _t: _t.label.name, attrs = {"_t": attr.label(default = ":t")})
def _parent(ctx):
    return [Info(v = s())]
p = rule(implementation = _parent, extendable = True, subrules = [s])
"""


def test_a_parent_calls_its_own_subrules_and_a_child_those_that_it_declares() -> None:
    child = PARENT + "r = rule(implementation = lambda ctx: ctx.super(), parent = p)\n"
    assert value(child, TOOLS + USE) == "t"
    calling = PARENT + "r = rule(implementation = lambda ctx: (ctx.super(), s())[0], parent = p)\n"
    assert "rule 'r' must declare 's' in 'subrules'" in failure(calling, TOOLS + USE)
    assert value(calling.replace("parent = p)", "parent = p, subrules = [s])"), TOOLS + USE) == "t"
    other = calling.replace("extendable = True, subrules = [s]", "extendable = True")
    assert "rule 'p' must declare 's' in 'subrules'" in failure(
        other.replace("parent = p)", "parent = p, subrules = [s])"), TOOLS + USE
    )


@pytest.mark.parametrize(
    ("bzl", "message"),
    [
        ("_s = subrule(implementation = lambda ctx: 0)\n_s()\n", "_s can only be called from a rule or aspect impl"),
        (
            "l = [subrule(implementation = lambda ctx: 0)]\nl[0]()\n",
            "Invalid subrule hasn't been exported by a bzl file",
        ),
        (
            "r = rule(implementation = lambda ctx: [], subrules = [subrule(implementation = lambda ctx: 0)])",
            "Invalid subrule hasn't been exported by a bzl file",
        ),
        (
            "subrule(implementation = lambda ctx: 0, attrs = {'foo': attr.label(default = ':x')})",
            "illegal attribute name 'foo': subrules may only define private attributes (whose names begin with '_').",
        ),
        (
            "subrule(implementation = lambda ctx: 0, attrs = {'_foo': attr.label(default = lambda: '')})",
            "illegal default value for attribute '_foo': subrules cannot define computed defaults.",
        ),
        (
            "subrule(implementation = lambda ctx: 0, attrs = {'_foo': attr.int()})",
            "bad type for attribute '_foo': subrule attributes may only be label or lists of labels.",
        ),
        (
            "subrule(implementation = lambda ctx: 0, attrs = {'_foo': attr.label()})",
            "for attribute '_foo': no default value specified",
        ),
        (
            (
                "t = transition(implementation = lambda s, a: {}, inputs = [], outputs = [])\n"
                "subrule(implementation = lambda ctx: 0, attrs = {'_foo': attr.label(cfg = t)})"
            ),
            "bad cfg for attribute '_foo': subrules may only have target/exec attributes.",
        ),
        (
            "subrule(implementation = lambda ctx: 0, toolchains = ['//t1', '//t2'])",
            "subrules may require at most 1 toolchain, got: [",
        ),
        (
            "r = rule(implementation = lambda ctx: [], subrules = ['s'])",
            "at index 0 of subrules, got element of type string, want Subrule",
        ),
        (
            (
                "_s = subrule(implementation = lambda: 0)\n"
                "r = rule(implementation = lambda ctx: [_s()], subrules = [_s])\n"
            ),
            "lambda() does not accept positional arguments, but got 1",
        ),
        (
            (
                "_s = subrule(implementation = lambda ctx, _t: 0, attrs = {'_t': attr.label_list()})\n"
                "r = rule(implementation = lambda ctx: [_s(_t = 1)], subrules = [_s])\n"
            ),
            "got invalid named argument: '_t' is an implicit dependency and cannot be overridden",
        ),
        (
            (
                "_s = subrule(implementation = lambda ctx: ctx)\n"
                "r = rule(implementation = lambda ctx: [_s().label], subrules = [_s])\n"
            ),
            "cannot access field or method 'label' of subrule context outside of its own implementation function",
        ),
        (
            (
                "_s = subrule(implementation = lambda ctx: ctx.actions)\n"
                "r = rule(implementation = lambda ctx: [_s().declare_file('f')], subrules = [_s])\n"
            ),
            "cannot access field or method 'actions.declare_file' of subrule context outside of its own implementation",
        ),
        (
            (
                "_s = subrule(implementation = lambda ctx, rule_ctx: rule_ctx.label)\n"
                "r = rule(implementation = lambda ctx: [_s(ctx)], subrules = [_s])\n"
            ),
            "cannot access field or method 'label' of rule context for '//a:x' outside of its own rule implementation",
        ),
        (
            (
                "_s = subrule(implementation = lambda ctx, actions: actions.declare_file('f'))\n"
                "r = rule(implementation = lambda ctx: [_s(ctx.actions)], subrules = [_s])\n"
            ),
            "cannot access field or method 'actions.declare_file' of rule context for '//a:x' outside of its own",
        ),
        (
            (
                "_s = subrule(implementation = lambda ctx: ctx.actions.run(toolchain = 'foo', executable = 'x',"
                " outputs = [ctx.actions.declare_file('f')]))\n"
                "r = rule(implementation = lambda ctx: [_s()], subrules = [_s])\n"
            ),
            "'toolchain' may not be specified in subrules",
        ),
        (
            (
                "_s = subrule(implementation = lambda ctx: ctx.actions.run(exec_group = 'foo', executable = 'x',"
                " outputs = [ctx.actions.declare_file('f')]))\n"
                "r = rule(implementation = lambda ctx: [_s()], subrules = [_s])\n"
            ),
            "'exec_group' may not be specified in subrules",
        ),
        (
            (
                "_s = subrule(implementation = lambda ctx: ctx.fragments.py, fragments = ['cpp'])\n"
                "r = rule(implementation = lambda ctx: [_s()], fragments = ['py'], subrules = [_s])\n"
            ),
            (
                "_s has to declare 'py' as a required fragment in order to access it. Please update the 'fragments' "
                'argument of the subrule definition (for example: fragments = ["py"])'
            ),
        ),
        (
            (
                "_s = subrule(implementation = lambda ctx: ctx.fragments.foobar, fragments = ['java', 'cpp'])\n"
                "r = rule(implementation = lambda ctx: [_s()], subrules = [_s])\n"
            ),
            "There is no configuration fragment named 'foobar'. Available fragments: 'java', 'cpp'",
        ),
        (
            (
                "_s = subrule(implementation = lambda ctx: ctx.toolchains)\n"
                "r = rule(implementation = lambda ctx: [_s()], subrules = [_s])\n"
            ),
            "subrules using toolchains must enable automatic exec-groups",
        ),
        (
            (
                "_s = subrule(implementation = lambda ctx: ctx.attr)\n"
                "r = rule(implementation = lambda ctx: [_s()], subrules = [_s])\n"
            ),
            "'subrule_ctx' value has no field or method 'attr'",
        ),
    ],
)
def test_misuse(bzl: str, message: str) -> None:
    found = failure(bzl)
    assert message in found
    assert "a/defs.bzl:" in found


def test_the_rule_can_be_used_again_after_a_failed_call_elsewhere() -> None:
    bzl = """
def _impl(ctx):
    _s(ctx)
    return [Info(v = (ctx.label.name, ctx.actions.declare_file("f").basename, repr(_s)))]
def _sub(ctx, other):
    return ctx.label
_s = subrule(implementation = _sub)
r = rule(implementation = _impl, subrules = [_s])
"""
    assert "have no generating action" in failure(bzl)
    written = bzl.replace('ctx.actions.declare_file("f").basename', "ctx.label.package")
    assert value(written) == ("x", "a", "<subrule _s>")


def test_a_toolchain_of_a_subrule_is_found_for_the_rule() -> None:
    files = {
        "a/BUILD": """
load(":defs.bzl", "r", "tc")
toolchain_type(name = "type")
toolchain_type(name = "other")
tc(name = "impl")
toolchain(name = "toolchain", toolchain_type = ":type", toolchain = ":impl")
r(name = "x")
""",
        "a/defs.bzl": """
Info = provider()
tc = rule(implementation = lambda ctx: [platform_common.ToolchainInfo(v = 7)])
def _sub(ctx):
    return (ctx.toolchains["//a:type"].v, "//a:other" in ctx.toolchains)
_s = subrule(implementation = _sub, toolchains = ["//a:type"])
def _impl(ctx):
    return [Info(v = _s())]
r = rule(
    implementation = _impl,
    attrs = {"_use_auto_exec_groups": attr.bool(default = True)},
    toolchains = [config_common.toolchain_type("//a:other", mandatory = False)],
    subrules = [_s],
)
""",
    }
    run = Analysis(files, toolchains=("//a:toolchain",))
    (info,) = [each for key, each in run.target("//a:x").providers.items() if getattr(key, "name", "") == "Info"]
    assert info.get("v") == (7, False)
    assert "No matching toolchains found for types //a:type" in Analysis(files).failure("//a:x")
    without = {**files, "a/defs.bzl": files["a/defs.bzl"].replace('"_use_auto', '"_do_not_use_auto')}
    refused = Analysis(without, toolchains=("//a:toolchain",)).failure("//a:x")
    assert "subrules using toolchains must enable automatic exec-groups" in refused


def test_auto_exec_groups_may_be_an_option() -> None:
    bzl = """
_s = subrule(implementation = lambda ctx: dir(ctx.toolchains))
r = rule(implementation = lambda ctx: [Info(v = _s())], subrules = [_s])
"""
    assert value(bzl, settings=Settings(other=(("incompatible_auto_exec_groups", True),))) is not None
