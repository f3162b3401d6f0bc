"""dep.cc and dep.proto, for trees of the time before CcInfo and ProtoInfo."""

from __future__ import annotations

from cc_support import CcAnalysis

from bazel2ninja.analysis.action import WriteAction
from bazel2ninja.starlark import Semantics

BZL = """
def _impl(ctx):
    cc, proto = ctx.attr.lib.cc, ctx.attr.proto.proto
    ctx.actions.write(ctx.outputs.out, " ".join(
        [f.basename for f in cc.transitive_headers.to_list()] + cc.compile_flags + cc.link_flags +
        [f.basename for f in cc.libs.to_list()] + [f.basename for f in proto.transitive_sources.to_list()],
    ))

r = rule(implementation = _impl, attrs = {"lib": attr.label(), "proto": attr.label()}, outputs = {"out": "%{name}.x"})

def _asks(ctx):
    ctx.actions.write(ctx.outputs.out, str(hasattr(ctx.attr.lib, "cc")))

asks = rule(implementation = _asks, attrs = {"lib": attr.label()}, outputs = {"out": "%{name}.x"})
"""
BUILD = """
load(":d.bzl", "asks", "r")
cc_library(name = "l", srcs = ["l.cc"], hdrs = ["l.h"], defines = ["D"], linkopts = ["-lz"])
proto_library(name = "p", srcs = ["p.proto"])
r(name = "old", lib = ":l", proto = ":p")
asks(name = "new", lib = ":l")
"""
FILES = {"p/BUILD": BUILD, "p/d.bzl": BZL, "p/l.cc": "", "p/l.h": "", "p/p.proto": ""}


def content(run: CcAnalysis, name: str) -> str:
    run.target(f"//p:{name}")
    action = run.made(f"p/{name}.x")
    assert isinstance(action, WriteAction)
    return action.content


def test_the_fields_of_old() -> None:
    run = CcAnalysis(FILES, semantics=Semantics.for_bazel("0.24.1"))
    assert content(run, "old").split() == [
        *("l.h", "-DD", "-iquote", ".", "-iquote", "bazel-out/k8-fastbuild/bin", "-lz", "libl.a", "p.proto")
    ]


def test_the_fields_are_gone_today() -> None:
    assert content(CcAnalysis(FILES), "new") == "False"
    assert "'cc'" in CcAnalysis(FILES).failure("//p:old")
