"""A file with a given content, for what a script would have written into the source tree before the build."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.action import WriteAction
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import DefaultInfo
from bazel2ninja.diagnostics import Location
from bazel2ninja.labels import Label
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.loading.target import PUBLIC, RuleTarget
from bazel2ninja.rules.general import native_rule

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext


def _written(ctx: RuleContext) -> Iterable[Any]:
    file = ctx.declare(ctx.label.name)
    ctx.register(
        WriteAction(
            mnemonic="FileWrite",
            owner=ctx.label,
            configuration=ctx.configuration.mnemonic,
            outputs=(file,),
            content=str(ctx.attribute("content")),
        )
    )
    return [DefaultInfo(files=Depset((file,)), runfiles=ctx.runfiles((file,)))]


_WRITTEN_FILE = native_rule("written_file", (Attribute("content", AttributeType.STRING, configurable=False),), _written)


def written_file(label: Label, content: str, place: Location) -> RuleTarget:
    """The target that makes the file of its own name; `place` is where it was asked for."""
    return RuleTarget(label, _WRITTEN_FILE, {"name": label.name, "content": content}, PUBLIC, ((place, "<toplevel>"),))
