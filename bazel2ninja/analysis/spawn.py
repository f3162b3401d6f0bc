"""What ctx.actions.run() and run_shell() are given, on its way to a SpawnAction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.action import Action, DirectoryWords, ParameterFile, SpawnAction
from bazel2ninja.analysis.action_arguments import file_argument, strings_argument
from bazel2ninja.analysis.args import Args
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import FilesToRun
from bazel2ninja.starlark import EvalError, caller_location, type_name

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext
    from bazel2ninja.analysis.subrules import SubruleContext

_DEFAULT_MNEMONIC = "Action"


class Spawn:
    """A SpawnAction while its parts are gathered; subrule: the context of the subrule that makes it."""

    def __init__(
        self,
        context: RuleContext,
        function: str,
        outputs: Any,
        inputs: Any,
        arguments: Any,
        environment: Any,
        requirements: Any,
        subrule: SubruleContext | None = None,
    ):
        self.context = context
        self.subrule = subrule
        self.function = function
        self.location = caller_location()
        if not isinstance(outputs, list | tuple):
            raise EvalError(
                f"in call to {function}(), parameter 'outputs' got value of type '{type_name(outputs)}', "
                "want 'sequence of Files'"
            )
        self.outputs = tuple(file_argument(function, "outputs", output) for output in outputs)
        if not self.outputs:
            raise EvalError(f"in call to {function}(), parameter 'outputs' must not be empty")
        self.inputs: dict[Artifact, None] = {}
        self.input_sets: list[Depset] = []
        self.tools: dict[Artifact, None] = {}
        self._add_inputs(inputs)
        if not isinstance(arguments, list | tuple):
            raise EvalError(
                f"in call to {function}(), parameter 'arguments' got value of type '{type_name(arguments)}', "
                "want 'sequence'"
            )
        for position, argument in enumerate(arguments):
            if not isinstance(argument, str | Args):
                raise EvalError(
                    f"at index {position} of arguments, got element of type {type_name(argument)}, want string or Args"
                )
        self.arguments = tuple(arguments)
        self.environment = strings_argument(function, "env", environment)
        self.requirements = strings_argument(function, "execution_requirements", requirements)

    def refuse(self, shadowed_action: Any) -> None:
        if shadowed_action is not None:
            raise EvalError(f"in call to {self.function}(), 'shadowed_action' is not supported")

    def _add_inputs(self, inputs: Any) -> None:
        if isinstance(inputs, Depset):
            self.input_sets.append(inputs)
            return
        if not isinstance(inputs, list | tuple):
            raise EvalError(
                f"in call to {self.function}(), parameter 'inputs' got value of type '{type_name(inputs)}', "
                "want 'sequence of Files or depset'"
            )
        for each in inputs:
            if isinstance(each, Depset):
                self.input_sets.append(each)
                continue
            self.inputs[file_argument(self.function, "inputs", each)] = None
            if self.context.analyzer.semantics.old_actions_api and self.context.files_to_run(each) is not None:
                self.add_tool(each)  # tools were given as inputs, and brought their runfiles

    def add_tools(self, tools: Any) -> None:
        if tools is None:
            return
        if isinstance(tools, Depset):
            tools = tools.flatten()
        if not isinstance(tools, Iterable):
            raise EvalError(
                f"in call to {self.function}(), parameter 'tools' got value of type '{type_name(tools)}', "
                "want 'sequence or depset'"
            )
        for tool in tools:
            self.add_tool(tool)

    def add_tool(self, tool: Any, parameter: str = "tools") -> None:
        if isinstance(tool, Artifact):
            if self.subrule is not None:
                self.subrule.check_tool(tool, parameter)
            run = self.context.files_to_run(tool)
            if run is None:
                self.inputs[tool] = None
                self.tools[tool] = None
                return
            tool = run
        if isinstance(tool, ConfiguredTarget):
            tool = tool.files_to_run
        if isinstance(tool, Depset):
            self.input_sets.append(tool)
        elif isinstance(tool, FilesToRun):
            if tool.executable is not None:
                self.inputs[tool.executable] = None
                self.tools[tool.executable] = None
            if tool.manifest is not None:
                self.inputs[tool.manifest] = None
                self.input_sets.append(tool.runfiles.files)
        else:
            raise EvalError(
                f"in call to {self.function}(), 'tools' holds an element of type '{type_name(tool)}', "
                "want 'File, FilesToRunProvider or depset'"
            )

    def register(self, program: tuple[str, ...], mnemonic: Any, progress_message: Any, default_env: Any) -> None:
        context = self.context

        def make() -> Action:
            words: list[str | DirectoryWords | ParameterFile] = list(program)
            for argument in self.arguments:
                if isinstance(argument, Args):
                    argument.freeze()
                    words.extend(argument.command_line_part())
                else:
                    words.append(argument)
            return SpawnAction(
                **context.identity(mnemonic or _DEFAULT_MNEMONIC),
                outputs=self.outputs,
                inputs=tuple(self.inputs),
                input_sets=tuple(self.input_sets),
                arguments=tuple(words),
                environment=self.environment,
                use_default_shell_environment=bool(default_env),
                execution_requirements=self.requirements,
                tools=tuple(self.tools),
                progress_message=progress_message if isinstance(progress_message, str) else "",
            )

        context.register(make, self.outputs)
