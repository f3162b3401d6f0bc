"""ctx.actions: https://bazel.build/rules/lib/builtins/actions"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.action import (
    Action,
    DirectoryWords,
    SymlinkAction,
    TemplateAction,
    Words,
    WriteAction,
)
from bazel2ninja.analysis.action_arguments import file_argument, strings_argument, text_argument
from bazel2ninja.analysis.args import Args
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.map_directory import directory_action
from bazel2ninja.analysis.providers_builtin import FilesToRun
from bazel2ninja.analysis.spawn import Spawn
from bazel2ninja.analysis.template_dict import TemplateDict
from bazel2ninja.analysis.vectors import written_text
from bazel2ninja.starlark import EvalError, Thread, current_thread, type_name

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext
    from bazel2ninja.analysis.subrules import SubruleContext

SHELL = "/bin/bash"


class Actions:
    """Makes the actions of one rule (or aspect)."""

    starlark_type = "actions"

    def __init__(self, context: RuleContext, subrule: SubruleContext | None = None):
        self._context = context
        self._subrule = subrule

    def starlark_repr(self) -> str:
        return f"actions for {self._context.label}"

    def _open(self, method: str) -> RuleContext:
        (self._subrule or self._context).check_open(f"actions.{method}")
        return self._context

    def _register(self, method: str) -> RuleContext:
        """The context for a method that adds an action, which an analysis test may not do."""
        context = self._open(method)
        if context.target.rule_class.analysis_test and context.aspect is None:
            raise EvalError(
                "implementation function of a rule with analysis_test=true may not register actions. Analysis test "
                "rules may only return success/failure information via AnalysisTestResultInfo."
            )
        return context

    def _spawn(self, method: str, exec_group: Any, toolchain: Any, *given: Any) -> Spawn:
        context = self._register(method)
        self._refuse_groups(exec_group, toolchain)
        outputs, inputs, arguments, environment, requirements = given
        return Spawn(context, method, outputs, inputs, arguments, environment, requirements, self._subrule)

    def _refuse_groups(self, exec_group: Any, toolchain: Any) -> None:
        if self._subrule is not None:
            if exec_group is not None:
                raise EvalError("'exec_group' may not be specified in subrules")
            if toolchain is not ...:
                raise EvalError("'toolchain' may not be specified in subrules")

    # Files.

    def _declare(self, method: str, name: Any, sibling: Any, **kind: bool) -> Artifact:
        context = self._open(method)
        text_argument(method, "filename", name)
        if not name or name.startswith("/") or ".." in name.split("/"):
            raise EvalError(f"the output artifact '{name}' is not under package directory")
        if sibling is None:
            return context.declare(posixpath.normpath(name), **kind)
        root = file_argument(method, "sibling", sibling).root.path
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
        return context.declare_below(posixpath.normpath(text_argument("declare_shareable_artifact", "path", path)))

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
        self._register("do_nothing")

    def s_write(
        self,
        output: Any,
        content: Any,
        is_executable: Any = False,
        *,
        mnemonic: Any = None,
        execution_requirements: Any = None,
    ) -> None:
        context = self._register("write")
        file_argument("write", "output", output)
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
        context = self._register("expand_template")
        file_argument("expand_template", "template", template)
        file_argument("expand_template", "output", output)
        fixed = strings_argument("expand_template", "substitutions", substitutions)

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
        context = self._register("symlink")
        file_argument("symlink", "output", output)
        if (target_file is None) == (target_path is None):
            raise EvalError('Exactly one of "target_file" or "target_path" is required')
        if target_file is not None:
            file_argument("symlink", "target_file", target_file)
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
                target=None if target_path is None else text_argument("symlink", "target_path", target_path),
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
        toolchain: Any = ...,
    ) -> None:
        spawn = self._spawn("run", exec_group, toolchain, outputs, inputs, arguments, env, execution_requirements)
        spawn.refuse(shadowed_action)
        spawn.add_tools(tools)
        if isinstance(executable, str):
            program = executable
        elif isinstance(executable, Artifact):
            program = executable.exec_path
            spawn.add_tool(executable, "executable")
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
        toolchain: Any = ...,
    ) -> None:
        spawn = self._spawn("run_shell", exec_group, toolchain, outputs, inputs, arguments, env, execution_requirements)
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

    def s_map_directory(
        self,
        *,
        implementation: Any,
        input_directories: Any,
        output_directories: Any,
        additional_inputs: Any = None,
        tools: Any = None,
        additional_params: Any = None,
        execution_requirements: Any = None,
        exec_group: Any = None,
        toolchain: Any = ...,
        use_default_shell_env: Any = False,
        env: Any = None,
        mnemonic: Any = None,
    ) -> None:
        given = {
            "input_directories": input_directories,
            "additional_inputs": additional_inputs,
            "output_directories": output_directories,
            "tools": tools,
            "additional_params": additional_params,
        }
        context = self._register("map_directory")
        self._refuse_groups(exec_group, toolchain)
        context.register(
            directory_action(
                context, implementation, given, env, execution_requirements, bool(use_default_shell_env), mnemonic
            )
        )

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
