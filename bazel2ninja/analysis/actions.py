"""ctx.actions: https://bazel.build/rules/lib/builtins/actions"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.action import (
    Action,
    DirectoryWords,
    ParameterFile,
    SpawnAction,
    SymlinkAction,
    TemplateAction,
    Words,
    WriteAction,
)
from bazel2ninja.analysis.args import Args
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import FilesToRun
from bazel2ninja.analysis.vectors import written_text
from bazel2ninja.starlark import EvalError, Thread, caller_location, current_thread, type_name

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

SHELL = "/bin/bash"
_DEFAULT_MNEMONIC = "Action"


class TemplateDict:
    """ctx.actions.template_dict(): substitutions whose values are joined when the analysis ends."""

    starlark_type = "TemplateDict"

    def __init__(self, call: Callable[..., Any]):
        self._call = call
        self._entries: list[tuple[str, Callable[[], str]]] = []

    def s_add(self, key: Any, value: Any) -> TemplateDict:
        _text("add", "key", key)
        _text("add", "value", value)
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


def _text(function: str, parameter: str, value: Any) -> str:
    if not isinstance(value, str):
        raise EvalError(
            f"in call to {function}(), parameter '{parameter}' got value of type '{type_name(value)}', want 'string'"
        )
    return value


def _file(function: str, parameter: str, value: Any) -> Artifact:
    if not isinstance(value, Artifact):
        raise EvalError(
            f"in call to {function}(), parameter '{parameter}' got value of type '{type_name(value)}', want 'File'"
        )
    return value


def _strings(function: str, parameter: str, value: Any) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(
        isinstance(key, str) and isinstance(text, str) for key, text in value.items()
    ):
        raise EvalError(f"in call to {function}(), parameter '{parameter}' must be a dict of strings")
    return dict(value.items())


class Actions:
    """Makes the actions of one rule (or aspect)."""

    starlark_type = "actions"

    def __init__(self, context: RuleContext):
        self._context = context

    def starlark_repr(self) -> str:
        return f"actions for {self._context.label}"

    def _open(self, method: str) -> RuleContext:
        if self._context.is_finished:
            raise EvalError(f"actions.{method}() is called outside of its rule's implementation function")
        return self._context

    # Files.

    def _declare(self, method: str, name: Any, sibling: Any, **kind: bool) -> Artifact:
        context = self._open(method)
        _text(method, "filename", name)
        if not name or name.startswith("/") or ".." in name.split("/"):
            raise EvalError(f"the output artifact '{name}' is not under package directory")
        if sibling is None:
            return context.declare(posixpath.normpath(name), **kind)
        root = _file(method, "sibling", sibling).root.path
        directory = posixpath.dirname(sibling.exec_path[len(root) + 1 :] if root else sibling.exec_path)
        return context.declare_below(posixpath.normpath(posixpath.join(directory, name)), **kind)

    def s_declare_file(self, filename: Any, *, sibling: Any = None) -> Artifact:
        return self._declare("declare_file", filename, sibling)

    def s_declare_directory(self, filename: Any, *, sibling: Any = None) -> Artifact:
        return self._declare("declare_directory", filename, sibling, directory=True)

    def s_declare_symlink(self, filename: Any, *, sibling: Any = None) -> Artifact:
        return self._declare("declare_symlink", filename, sibling, symlink=True)

    def s_declare_shareable_artifact(self, path: Any, artifact_root: Any = None) -> Artifact:
        context = self._open("declare_shareable_artifact")
        return context.declare_below(posixpath.normpath(_text("declare_shareable_artifact", "path", path)))

    # Actions.

    def s_args(self) -> Args:
        return Args(self._caller())

    def s_template_dict(self) -> TemplateDict:
        return TemplateDict(self._caller())

    def _caller(self) -> Callable[..., Any]:
        """Runs a function of map_each, when the implementation's own thread has ended."""
        context = self._open("args")
        semantics = current_thread().semantics
        return lambda function, *args: Thread(semantics, data={"map_each": context.label}).call(function, args)

    def s_do_nothing(self, *, mnemonic: Any, inputs: Any = ()) -> None:
        self._open("do_nothing")

    def s_write(
        self,
        output: Any,
        content: Any,
        is_executable: Any = False,
        *,
        mnemonic: Any = None,
        execution_requirements: Any = None,
    ) -> None:
        context = self._open("write")
        _file("write", "output", output)
        if not isinstance(content, str | Args):
            raise EvalError(
                f"in call to write(), parameter 'content' got value of type '{type_name(content)}', "
                "want 'string or Args'"
            )

        def make() -> Action:
            text: str | Words
            form = "shell"
            directories: tuple[Artifact, ...] = ()
            if isinstance(content, Args):
                content.freeze()
                form = content.parameter_file_format
                text, directories = _written(content, form)
            else:
                text = content
            return WriteAction(
                **context.identity(mnemonic or "FileWrite"),
                outputs=(output,),
                inputs=directories,
                content=text,
                content_format=form,
                executable=bool(is_executable),
            )

        context.register(make, (output,))

    def s_expand_template(
        self,
        *,
        template: Any,
        output: Any,
        substitutions: Any = None,
        is_executable: Any = False,
        computed_substitutions: Any = None,
    ) -> None:
        context = self._open("expand_template")
        _file("expand_template", "template", template)
        _file("expand_template", "output", output)
        fixed = _strings("expand_template", "substitutions", substitutions)

        def make() -> Action:
            computed = computed_substitutions.substitutions() if computed_substitutions is not None else []
            return TemplateAction(
                **context.identity("TemplateExpand"),
                outputs=(output,),
                inputs=(template,),
                substitutions=(*fixed.items(), *computed),
                executable=bool(is_executable),
            )

        context.register(make, (output,))

    def s_symlink(
        self,
        *,
        output: Any,
        target_file: Any = None,
        target_path: Any = None,
        target_type: Any = None,
        is_executable: Any = False,
        progress_message: Any = None,
        use_exec_root_for_source: Any = None,
    ) -> None:
        context = self._open("symlink")
        _file("symlink", "output", output)
        if (target_file is None) == (target_path is None):
            raise EvalError('Exactly one of "target_file" or "target_path" is required')
        if target_file is not None:
            _file("symlink", "target_file", target_file)
            if output.is_symlink:
                raise EvalError(
                    'symlink() with "target_file" param requires that "output" be declared as a file or '
                    "directory, not a symlink"
                )
        elif not output.is_symlink:
            raise EvalError(
                'symlink() with "target_path" param requires that "output" be declared as a symlink, not '
                "a file or directory"
            )
        mnemonic = "ExecutableSymlink" if is_executable else "Symlink"
        context.register(
            SymlinkAction(
                **context.identity(mnemonic if target_file is not None else "UnresolvedSymlink"),
                outputs=(output,),
                inputs=() if target_file is None else (target_file,),
                target=None if target_path is None else _text("symlink", "target_path", target_path),
                executable=bool(is_executable),
            )
        )

    def s_run(
        self,
        *,
        outputs: Any,
        executable: Any,
        inputs: Any = (),
        unused_inputs_list: Any = None,
        tools: Any = None,
        arguments: Any = (),
        mnemonic: Any = None,
        progress_message: Any = None,
        use_default_shell_env: Any = False,
        env: Any = None,
        execution_requirements: Any = None,
        input_manifests: Any = None,
        exec_group: Any = None,
        shadowed_action: Any = None,
        resource_set: Any = None,
        toolchain: Any = None,
    ) -> None:
        spawn = _Spawn(self._open("run"), "run", outputs, inputs, arguments, env, execution_requirements)
        spawn.refuse(shadowed_action)
        spawn.add_tools(tools)
        if isinstance(executable, str):
            program = executable
        elif isinstance(executable, Artifact):
            program = executable.exec_path
            spawn.add_tool(executable)
        elif isinstance(executable, FilesToRun):
            if executable.executable is None:
                raise EvalError("in call to run(), 'executable' is a FilesToRunProvider without an executable")
            program = executable.executable.exec_path
            spawn.add_tool(executable)
        else:
            raise EvalError(
                f"in call to run(), parameter 'executable' got value of type '{type_name(executable)}', "
                "want 'File, string or FilesToRunProvider'"
            )
        spawn.register((program,), mnemonic, progress_message, use_default_shell_env)

    def s_run_shell(
        self,
        *,
        outputs: Any,
        command: Any,
        inputs: Any = (),
        tools: Any = None,
        arguments: Any = (),
        mnemonic: Any = None,
        progress_message: Any = None,
        use_default_shell_env: Any = False,
        env: Any = None,
        execution_requirements: Any = None,
        input_manifests: Any = None,
        exec_group: Any = None,
        shadowed_action: Any = None,
        resource_set: Any = None,
        toolchain: Any = None,
    ) -> None:
        spawn = _Spawn(self._open("run_shell"), "run_shell", outputs, inputs, arguments, env, execution_requirements)
        spawn.refuse(shadowed_action)
        spawn.add_tools(tools)
        if isinstance(command, str):
            # the empty word is $0; without arguments there is none
            words: tuple[str, ...] = (SHELL, "-c", command, *([""] if arguments else []))
        elif isinstance(command, list | tuple) and all(isinstance(word, str) for word in command):
            if arguments:
                raise EvalError("'arguments' must be empty if 'command' is a sequence of strings")
            words = tuple(command)
        else:
            raise EvalError(
                f"in call to run_shell(), parameter 'command' got value of type '{type_name(command)}', want 'string'"
            )
        spawn.register(words, mnemonic, progress_message, use_default_shell_env)

    def s_map_directory(self, **arguments: Any) -> None:
        raise EvalError("actions.map_directory() is not supported: what it does depends on files that the build makes")

    def s_transform_info_file(self, **arguments: Any) -> None:
        raise EvalError("actions.transform_info_file() is not supported")

    def s_transform_version_file(self, **arguments: Any) -> None:
        raise EvalError("actions.transform_version_file() is not supported")


def _written(content: Args, form: str) -> tuple[str | Words, tuple[Artifact, ...]]:
    """What write() writes: a text, or words and the directories whose files are among them."""
    words = content.words()
    known = [word for word in words if isinstance(word, str)]
    if len(known) == len(words):
        return written_text(known, form), ()
    parts = [value for word in words if isinstance(word, DirectoryWords) for value in word.values]
    return tuple(words), tuple(dict.fromkeys(value for value in parts if isinstance(value, Artifact)))


class _Spawn:
    """A SpawnAction while its parts are gathered."""

    def __init__(
        self,
        context: RuleContext,
        function: str,
        outputs: Any,
        inputs: Any,
        arguments: Any,
        environment: Any,
        requirements: Any,
    ):
        self.context = context
        self.function = function
        self.location = caller_location()
        if not isinstance(outputs, list | tuple):
            raise EvalError(
                f"in call to {function}(), parameter 'outputs' got value of type '{type_name(outputs)}', "
                "want 'sequence of Files'"
            )
        self.outputs = tuple(_file(function, "outputs", output) for output in outputs)
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
        self.environment = _strings(function, "env", environment)
        self.requirements = _strings(function, "execution_requirements", requirements)

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
            self.inputs[_file(self.function, "inputs", each)] = None
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

    def add_tool(self, tool: Any) -> None:
        if isinstance(tool, Artifact):
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
