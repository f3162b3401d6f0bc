"""Aspects: along which edges they go, what they see, and what they add."""

from __future__ import annotations

import pytest
from analysis_support import Analysis, analyse

from bazel2ninja.starlark import to_repr

BZL = """
I = provider(fields = ["v"])
R = provider(fields = ["v"])
S = provider(fields = ["v"])
def _r(ctx):
    return R(v = ctx.attr.n)
r = rule(_r, attrs = {"deps": attr.label_list(), "other": attr.label_list(), "n": attr.int(),
    "srcs": attr.label_list(allow_files = True)}, provides = [R])
plain = rule(lambda ctx: [], attrs = {"deps": attr.label_list()})

def _collect(target, ctx):
    below = [d[I].v for d in ctx.rule.attr.deps if I in d]
    return I(v = [(ctx.label.name, ctx.rule.kind)] + [x for b in below for x in b])
collect = aspect(_collect, attr_aspects = ["deps"])
everywhere = aspect(lambda target, ctx: I(v = [ctx.label.name] + [x for n in ("deps", "other")
    for d in getattr(ctx.rule.attr, n, []) if I in d for x in d[I].v]), attr_aspects = ["*"])
only_r = aspect(lambda target, ctx: I(v = [target[R].v]), attr_aspects = ["deps"], required_providers = [R])
first = aspect(lambda target, ctx: S(v = ctx.label.name + "!"), attr_aspects = ["deps"], provides = [S])
second = aspect(lambda target, ctx: I(v = [target[S].v if S in target else "none"]), attr_aspects = ["deps"],
    required_aspect_providers = [S], provides = [I])
T = provider(fields = ["v"])
third = aspect(lambda target, ctx: T(v = (target[I].v, S in target)), attr_aspects = ["deps"],
    required_aspect_providers = [I])
blind = aspect(lambda target, ctx: I(v = [S in target]), attr_aspects = ["deps"])
needs = aspect(lambda target, ctx: I(v = [target[S].v]), attr_aspects = ["deps"], requires = [first])
def _tuned(target, ctx):
    f = ctx.actions.declare_file(ctx.label.name + "." + ctx.attr.how)
    ctx.actions.write(f, "")
    return [I(v = [f.short_path, ctx.file._t.basename]), OutputGroupInfo(extra = depset([f]))]
tuned = aspect(_tuned, attrs = {"how": attr.string(values = ["slow", "fast"]),
    "_t": attr.label(default = "//a:tool.txt", allow_single_file = True)})
gen = aspect(lambda target, ctx: I(v = [ctx.rule.kind]), apply_to_generating_rules = True)

def _show(ctx):
    return I(v = [d[I].v if I in d else None for d in ctx.attr.d])
def _show_third(ctx):
    return I(v = [d[T].v for d in ctx.attr.d])
thirds = rule(_show_third, attrs = {"d": attr.label_list(aspects = [first, second, third])})
def _rule(*aspects):
    return rule(_show, attrs = {"d": attr.label_list(aspects = aspects, allow_files = True),
        "how": attr.string(default = "fast")})
"""
KINDS = {
    "collects": "collect",
    "everywheres": "everywhere",
    "only_rs": "only_r",
    "twos": "first, second",
    "blinds": "first, blind",
    "needss": "needs",
    "tuneds": "tuned",
    "gens": "gen",
}
RULES = """
r(name = "top", deps = [":mid", ":side"], n = 1)
r(name = "mid", deps = [":low"], other = [":hid"], n = 2)
plain(name = "side", deps = [":low"])
r(name = "low", n = 3)
r(name = "hid", n = 4)
genrule(name = "g", outs = ["g.txt"], cmd = "")
alias(name = "al", actual = ":mid")
exports_files(["tool.txt"])
"""


def _analysis(build: str) -> Analysis:
    names = ", ".join(f'"{kind}"' for kind in (*KINDS, "r", "plain", "thirds"))
    definitions = "".join(f"{kind} = _rule({what})\n" for kind, what in KINDS.items())
    return analyse(f'load(":defs.bzl", {names})\n{RULES}{build}', BZL + definitions)


def _value(build: str) -> str:
    providers = _analysis(build).target("//a:x").providers
    (found,) = [instance for key, instance in providers.items() if getattr(key, "name", "") == "I"]
    return to_repr(found.s_v)


@pytest.mark.parametrize(
    ("build", "value"),
    [
        (
            'collects(name = "x", d = [":top"])',
            '[[("top", "r"), ("mid", "r"), ("low", "r"), ("side", "plain"), ("low", "r")]]',
        ),
        ('everywheres(name = "x", d = [":mid"])', '[["mid", "low", "hid"]]'),
        ('only_rs(name = "x", d = [":top", ":side"])', "[[1], None]"),
        ('twos(name = "x", d = [":mid"])', '[["mid!"]]'),
        ('thirds(name = "x", d = [":mid"])', '[(["mid!"], False)]'),  # what the second one sees, the third does not
        ('blinds(name = "x", d = [":mid"])', "[[False]]"),
        ('needss(name = "x", d = [":mid"])', '[["mid!"]]'),
        ('tuneds(name = "x", d = [":mid"], how = "slow")', '[["a/mid.slow", "tool.txt"]]'),
        ('gens(name = "x", d = ["g.txt", "s.txt"])', '[["genrule"], None]'),
        ('collects(name = "x", d = ["g.txt", ":al"])', '[None, [("mid", "r"), ("low", "r")]]'),
    ],
)
def test_aspects(build: str, value: str) -> None:
    assert _value(build) == value


def test_an_aspect_makes_its_files_once() -> None:
    analysis = _analysis('tuneds(name = "x", d = [":mid"])\ntuneds(name = "y", d = [":mid"])')
    analysis.target("//a:x")
    analysis.target("//a:y")
    assert [action.outputs[0].short_path for action in analysis.actions("FileWrite")] == ["a/mid.fast"]


def test_errors_of_aspects_name_them() -> None:
    analysis = analyse(
        'load(":defs.bzl", "u")\nfilegroup(name = "f")\nu(name = "x", d = ":f")',
        "def _a(target, ctx):\n    fail('no')\nasp = aspect(_a)\n"
        "u = rule(lambda ctx: [], attrs = {'d': attr.label(aspects = [asp])})",
    )
    text = analysis.failure("//a:x")
    assert "no" in text
    assert "note: in aspect asp on //a:f" in text
    assert "note: needed by //a:x" in text
