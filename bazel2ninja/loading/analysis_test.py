"""testing.analysis_test(): https://bazel.build/rules/lib/toplevel/testing#analysis_test"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bazel2ninja.loading import arguments
from bazel2ninja.loading.package_builder import current_package
from bazel2ninja.starlark import EvalError, current_thread

if TYPE_CHECKING:
    from bazel2ninja.loading.bzl_file import BzlFile

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def analysis_test_function(file: BzlFile) -> Callable[..., None]:
    """The function for one .bzl file: it declares a rule kind NAME_test and the only target of it, NAME."""

    def analysis_test(
        name: Any,
        implementation: Any,
        attrs: Any = None,
        fragments: Any = (),
        toolchains: Any = (),
        attr_values: Any = None,
    ) -> None:
        if current_thread().data.get("package") is None:
            raise EvalError("analysis_test can only be called in a BUILD thread")
        package = current_package("analysis_test")
        if not isinstance(name, str):
            raise arguments.wrong_type(name, "analysis_test", "name", "string")
        arguments.function(implementation, "analysis_test", "implementation")
        if not _NAME.fullmatch(name):
            raise EvalError(f"'name' is limited to Starlark identifiers, got {name}")
        values = arguments.mapping(attr_values, "analysis_test", "attr_values")
        if "name" in values:
            raise EvalError("'name' cannot be set or overridden in 'attr_values'")
        kind = file.rule(
            implementation, test=True, attrs=attrs, fragments=fragments, toolchains=toolchains, analysis_test=True
        ).rule_class
        kind.name = f"{name}_test"  # of no .bzl file: nobody else can have the kind
        package.add_rule(kind, {"name": name, **values})

    return analysis_test
