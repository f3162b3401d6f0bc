"""What stands for a target of an absent repository, or of an absent package, in an otherwise complete graph.

It has one file, the action of which fails and names the target.  So everything that would need the target needs that
file, and is not built.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.action import FailAction
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.executables import executable_target
from bazel2ninja.rules.cc_info import CcInfo, CompilationContext, LinkingContext
from bazel2ninja.rules.general import native_rule
from bazel2ninja.rules.proto_info import ProtoInfo, proto_fields

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext


def _file_name(target: str) -> str:
    """What rules take for a file of the kind that the target's name promises: x.missing.cc for x.cc."""
    folder, slash, name = target.rpartition("/")
    stem, dot, ending = name.partition(".")
    return f"{folder}{slash}{stem}.missing{dot}{ending}"


def _reason(ctx: RuleContext) -> str:
    if ctx.label in ctx.analyzer.leaves:
        return f"it needs '{ctx.analyzer.leaves[ctx.label][0]}', which is missing"
    return f"its {'repository' if ctx.label.repository else 'package'} is absent"


def _missing(ctx: RuleContext) -> Iterable[Any]:
    file = ctx.declare(_file_name(ctx.label.name))
    ctx.register(
        FailAction(
            mnemonic="Fail",
            owner=ctx.label,
            configuration=ctx.configuration.mnemonic,
            outputs=(file, *(ctx.output(label) for labels in ctx.target.outputs.values() for label in labels)),
            message=f"'{ctx.label}' is missing: {_reason(ctx)}",
        )
    )
    files = Depset((file,))
    context = CompilationContext(headers=files, generated_headers=files)
    return [
        executable_target(ctx, file),
        CcInfo(compilation_context=context, linking_context=LinkingContext()),
        ProtoInfo.instance(proto_fields((file,), (), None, ctx.configuration.bin)),
    ]


MISSING_TARGET = native_rule("missing_target", (), _missing, executable=True)
