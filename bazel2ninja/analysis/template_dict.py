"""ctx.actions.template_dict(): https://bazel.build/rules/lib/builtins/TemplateDict"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bazel2ninja.analysis.action_arguments import text_argument
from bazel2ninja.analysis.args import Args
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.starlark import EvalError, type_name


class TemplateDict:
    """ctx.actions.template_dict(): substitutions whose values are joined when the analysis ends."""

    starlark_type = "TemplateDict"

    def __init__(self, call: Callable[..., Any]):
        self._call = call
        self._entries: list[tuple[str, Callable[[], str]]] = []

    def s_add(self, key: Any, value: Any) -> TemplateDict:
        text_argument("add", "key", key)
        text_argument("add", "value", value)
        self._entries.append((key, lambda: value))
        return self

    def s_add_joined(
        self,
        key: Any,
        values: Any,
        *,
        join_with: Any,
        map_each: Any,
        uniquify: Any = False,
        format_joined: Any = None,
        allow_closure: Any = False,
    ) -> TemplateDict:
        if not isinstance(values, Depset):
            raise EvalError(
                f"in call to add_joined(), parameter 'values' got value of type '{type_name(values)}', want 'depset'"
            )

        def joined() -> str:
            args = Args(self._call)
            args.s_add_joined(
                values,
                join_with=join_with,
                map_each=map_each,
                uniquify=uniquify,
                format_joined=format_joined,
                omit_if_empty=False,
                expand_directories=False,
            )
            (word,) = args.words()
            assert isinstance(word, str)
            return word

        self._entries.append((key, joined))
        return self

    def substitutions(self) -> list[tuple[str, str]]:
        return [(key, value()) for key, value in self._entries]
