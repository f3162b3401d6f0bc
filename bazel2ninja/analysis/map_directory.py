"""ctx.actions.map_directory(): https://bazel.build/rules/lib/builtins/actions#map_directory

What its function makes is only known when ninja runs: see pipeline/map_directory.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.action import MapDirectoryAction
from bazel2ninja.analysis.action_arguments import strings_argument
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import FilesToRun
from bazel2ninja.labels import Label
from bazel2ninja.starlark import (
    EvalError,
    function_location,
    function_module,
    function_name,
    is_starlark_function,
    type_name,
)

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

_FILES = (Artifact, FilesToRun, Depset)
_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "input_directories": ((Artifact,), "File"),
    "additional_inputs": (_FILES, "File, FilesToRunProvider, depset"),
    "output_directories": ((Artifact,), "File"),
    "tools": (_FILES, "File, FilesToRunProvider, depset"),
    "additional_params": ((bool, int, str), "bool, int, string"),
}


def directory_action(
    context: RuleContext,
    implementation: Any,
    given: Mapping[str, Any],
    environment: Any,
    requirements: Any,
    default_environment: bool,
    mnemonic: Any,
) -> MapDirectoryAction:
    """The action; given: the parameters that the function gets.  Raises EvalError for what may not be among them."""
    parameters = {name: _checked(name, value) for name, value in given.items()}
    for name, what in (("input_directories", "input"), ("output_directories", "output")):
        if not parameters[name]:
            raise EvalError(f"actions.map_directory() requires at least one {what}.")
    file, function = _named(implementation)
    inputs: dict[Artifact, None] = {}
    sets: list[Depset] = []
    tools: dict[Artifact, None] = {}
    for name in ("input_directories", "additional_inputs", "tools"):
        for value in parameters[name].values():
            if isinstance(value, Depset):
                sets.append(value)
            elif isinstance(value, FilesToRun):
                if value.executable is not None:
                    inputs[value.executable] = None
                    tools[value.executable] = None
                if value.manifest is not None:
                    inputs[value.manifest] = None
                    sets.append(value.runfiles.files)
            else:
                inputs[value] = None
                if name == "tools":
                    tools[value] = None
    return MapDirectoryAction(
        **context.identity(mnemonic if isinstance(mnemonic, str) else "ExpandedTemplateAction"),
        outputs=tuple(dict.fromkeys(parameters["output_directories"].values())),
        inputs=tuple(inputs),
        input_sets=tuple(sets),
        arguments=(),
        environment=strings_argument("map_directory", "env", environment),
        use_default_shell_environment=default_environment,
        execution_requirements=strings_argument("map_directory", "execution_requirements", requirements),
        tools=tuple(tools),
        file=file,
        function=function,
        digest=context.analyzer.loader.modules.digest(file),
        parameters=parameters,
    )


def _checked(name: str, value: Any) -> dict[str, Any]:
    if value is None and name not in ("input_directories", "output_directories"):
        return {}
    if not isinstance(value, Mapping):
        raise EvalError(
            f"in call to map_directory(), parameter '{name}' got value of type '{type_name(value)}', want 'dict'"
        )
    kinds, wanted = _KINDS[name]
    items: Mapping[Any, Any] = value
    for key, each in items.items():
        if not isinstance(key, str):
            raise EvalError(f"in call to map_directory(), '{name}' got a key of type {type_name(key)}, want string")
        if not isinstance(each, kinds):
            raise EvalError(f"Expected one of [{wanted}]; but got {type_name(each)} in {name}['{key}'].")
        if name.endswith("directories") and isinstance(each, Artifact) and (not each.is_directory or each.is_source):
            raise EvalError(f"{name}['{key}'] must be a directory of declare_directory(), but got {each.exec_path}")
    return dict(value.items())


def _named(function: Any) -> tuple[Label, str]:
    """The .bzl file and the name of a function that can be found again by them; raises EvalError for others."""
    if not is_starlark_function(function):
        raise EvalError(
            "in call to map_directory(), parameter 'implementation' got value of type "
            f"'{type_name(function)}', want 'function'"
        )
    module, name = function_module(function), function_name(function)
    if module.all_globals().get(name) is not function:
        raise EvalError(
            "to avoid unintended retention of analysis data structures, the function (declared at "
            f"{function_location(function)}) must be declared by a top-level def statement"
        )
    return module.label, name
