"""sh_library, sh_binary and sh_test: https://bazel.build/reference/be/shell"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.action import SymlinkAction
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import DefaultInfo
from bazel2ninja.analysis.runfiles import merge, runfiles_of
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.rules.general import data_attribute, native_rule, table

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

T = AttributeType


def _library(ctx: RuleContext) -> Iterable[Any]:
    files = Depset((), [target.files for name in ("srcs", "deps", "data") for target in ctx.dependencies(name)])
    yield DefaultInfo(
        files=Depset(ctx.files("srcs")),
        runfiles=merge((runfiles_of(transitive=(files,)), ctx.runfiles(collect_data=True, collect_default=True))),
    )


def _program(ctx: RuleContext) -> Iterable[Any]:
    sources = ctx.files("srcs")
    if len(sources) != 1:
        raise ctx.error("you must specify exactly one file in 'srcs'", "srcs")
    program = ctx.declare(ctx.label.name)
    ctx.register(
        SymlinkAction(
            **ctx.identity("ExecutableSymlink"),
            outputs=(program,),
            inputs=(sources[0],),
            executable=True,
        )
    )
    runfiles = ctx.runfiles((program, *sources), collect_data=True, collect_default=True)
    files = Depset((*sources, program))
    return ctx.executable_target(program, runfiles, files)


_LIBRARY = (
    Attribute("srcs", T.LABEL_LIST, allow_files=True),
    Attribute("deps", T.LABEL_LIST, allow_files=True),
    data_attribute(),
)
_PROGRAM = (
    *_LIBRARY,
    Attribute("use_bash_launcher", T.BOOLEAN, irrelevant="it is for Windows"),
    Attribute("bash_version", T.STRING, irrelevant="it had no effect in any release"),
)

SHELL_RULES = table(
    native_rule("sh_library", _LIBRARY, _library),
    native_rule("sh_binary", _PROGRAM, _program, executable=True),
    native_rule("sh_test", _PROGRAM, _program, test=True),
)
