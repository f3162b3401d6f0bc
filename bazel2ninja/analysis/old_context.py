"""How rules made files and actions before there was ctx.actions (Bazel < 1.0): ctx.new_file, ctx.action ...

Source: the reference of ctx in the documentation of Bazel 0.26, "Deprecated" entries.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.artifact import Artifact, ArtifactRoot
from bazel2ninja.starlark import EvalError, type_name

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext


class OldContext:
    """Methods of ctx that exist only with Semantics.old_actions_api."""

    def _old(self: RuleContext, name: str) -> None:  # type: ignore[misc]
        if not self.analyzer.semantics.old_actions_api:
            raise EvalError(
                f"field {name} was removed from ctx, use ctx.actions instead; releases of Bazel before 1.0 had it"
            )

    def s_new_file(self: RuleContext, first: Any, second: Any = None, third: Any = None) -> Artifact:  # type: ignore[misc]
        """new_file(NAME), (ROOT, NAME), (SIBLING, NAME) or (ROOT, SIBLING, PATTERN with %{name})."""
        self._old("new_file")
        if isinstance(first, str) and second is None:
            return self.declare(posixpath.normpath(first))
        if isinstance(first, ArtifactRoot) and isinstance(second, str) and third is None:
            return self.declare(posixpath.normpath(second))
        if isinstance(first, Artifact) and isinstance(second, str):
            return self.s_actions.s_declare_file(second, sibling=first)  # type: ignore[no-any-return]
        if isinstance(first, ArtifactRoot) and isinstance(second, Artifact) and isinstance(third, str):
            name = third.replace("%{name}", posixpath.splitext(second.s_basename)[0])
            return self.s_actions.s_declare_file(name, sibling=second)  # type: ignore[no-any-return]
        given = ", ".join(type_name(value) for value in (first, second, third) if value is not None)
        raise EvalError(f"new_file() cannot be called with arguments of types ({given})")

    def s_action(  # type: ignore[misc]
        self: RuleContext,
        *,
        outputs: Any,
        inputs: Any = (),
        executable: Any = None,
        tools: Any = None,
        arguments: Any = (),
        mnemonic: Any = None,
        command: Any = None,
        progress_message: Any = None,
        use_default_shell_env: Any = False,
        env: Any = None,
        execution_requirements: Any = None,
        input_manifests: Any = None,
    ) -> None:
        self._old("action")
        if (executable is None) == (command is None):
            raise EvalError("You must specify either 'command' or 'executable' argument")
        common = {
            "outputs": outputs,
            "inputs": inputs,
            "tools": tools,
            "arguments": arguments,
            "mnemonic": mnemonic,
            "progress_message": progress_message,
            "use_default_shell_env": use_default_shell_env,
            "env": env,
            "execution_requirements": execution_requirements,
        }
        if executable is not None:
            self.s_actions.s_run(executable=executable, **common)
        else:
            self.s_actions.s_run_shell(command=command, **common)

    def s_file_action(self: RuleContext, output: Any, content: Any, executable: Any = False) -> None:  # type: ignore[misc]
        self._old("file_action")
        self.s_actions.s_write(output, content, executable)

    def s_template_action(  # type: ignore[misc]
        self: RuleContext, *, template: Any, output: Any, substitutions: Any, executable: Any = False
    ) -> None:
        self._old("template_action")
        self.s_actions.s_expand_template(
            template=template, output=output, substitutions=substitutions, is_executable=executable
        )

    def s_empty_action(self: RuleContext, *, mnemonic: Any, inputs: Any = ()) -> None:  # type: ignore[misc]
        self._old("empty_action")
