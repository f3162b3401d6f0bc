"""genrule: https://bazel.build/reference/be/general#genrule"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.action import SpawnAction, WriteAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import DefaultInfo
from bazel2ninja.analysis.runfiles import EMPTY_RUNFILES, runfiles_of
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.labels import parse_label
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.rules.general import native_rule, table

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

T = AttributeType
SHELL = "/bin/bash"
LONGEST_COMMAND = 64000
"""Characters; a longer command goes into a script, as in Bazel, for the kernel limits the length of an argument."""
_SETUP = "_genrule_setup"
_WINDOWS = "commands for Windows are not run"


def _one(files: tuple[Artifact, ...], variable: str, what: str) -> str:
    if not files:
        raise WorkspaceError(Diagnostic(f"variable '{variable}' : no {what} file"))
    if len(files) > 1:
        raise WorkspaceError(Diagnostic(f"variable '{variable}' : more than one {what} file"))
    return files[0].exec_path


def command_variable(ctx: RuleContext, name: str, inputs: tuple[Artifact, ...], outputs: tuple[Artifact, ...]) -> Any:
    """The value of a variable that only a genrule's command has; None for any other name."""
    if name == "SRCS":
        return " ".join(file.exec_path for file in inputs)
    if name == "OUTS":
        return " ".join(file.exec_path for file in outputs)
    if name == "<":
        return _one(inputs, "$<", "input")
    if name == "@":
        return _one(outputs, "$@", "output")
    directory = posixpath.join(ctx.configuration.bin, ctx.label.package.exec_path).rstrip("/")
    if name == "RULEDIR":
        return directory
    if name == "@D":
        return posixpath.dirname(outputs[0].exec_path) if len(outputs) == 1 else directory
    return None


def _genrule(ctx: RuleContext) -> Iterable[Any]:
    outputs = ctx.outputs("outs")
    if ctx.attribute("heuristic_label_expansion"):
        raise ctx.error(
            "heuristic_label_expansion is not supported; write $(location ...)", "heuristic_label_expansion"
        )
    if ctx.attribute("executable") and len(outputs) > 1:
        raise ctx.error(
            "if genrules produce executables, they are allowed only one output. If you need the executable=1 "
            "argument, then you should split this genrule into genrules producing single outputs",
            "executable",
        )
    attribute = "cmd_bash" if ctx.attribute("cmd_bash") else "cmd"
    text = ctx.attribute(attribute)
    if not text and not ctx.is_explicit(attribute):
        raise ctx.error("missing value for `cmd` attribute, you can also set `cmd_bash`", "cmd")
    sources = ctx.files("srcs")
    command = ctx.expand(text, attribute, extra_variables=lambda name: command_variable(ctx, name, sources, outputs))
    setup = ctx.files(_SETUP)
    script = f"source {setup[0].exec_path}; {command}"
    inputs: dict[Artifact, None] = dict.fromkeys(sources)
    tools: dict[Artifact, None] = {}
    sets: list[Depset] = []
    for name in ("tools", "exec_tools"):
        for target in ctx.dependencies(name):
            inputs.update(dict.fromkeys(target.files.flatten()))
            run = target.files_to_run
            if run.executable is None:
                continue
            inputs[run.executable] = None
            tools[run.executable] = None
            if run.manifest is not None:
                inputs[run.manifest] = None
                sets.append(run.runfiles.files)
    for target in ctx.dependencies("toolchains"):
        sets.append(target.files)
    inputs.update(dict.fromkeys(setup))
    arguments: tuple[str, ...] = (SHELL, "-c", script)
    if len(script) > LONGEST_COMMAND:
        file = _script_file(ctx, script)
        inputs[file] = None
        arguments = (SHELL, file.exec_path)
    ctx.register(
        SpawnAction(
            **ctx.identity("Genrule"),
            outputs=outputs,
            inputs=tuple(inputs),
            input_sets=tuple(sets),
            arguments=arguments,
            use_default_shell_environment=True,
            tools=tuple(tools),
            progress_message=ctx.attribute("message"),
        )
    )
    files = Depset(outputs)
    yield DefaultInfo(
        files=files,
        default_runfiles=EMPTY_RUNFILES,
        data_runfiles=runfiles_of(transitive=(files,)),
        executable=outputs[0] if ctx.attribute("executable") else None,
    )


def _script_file(ctx: RuleContext, script: str) -> Artifact:
    file = ctx.declare(f"{ctx.label.name}.genrule_script.sh")
    ctx.register(
        WriteAction(
            **ctx.identity("FileWrite"),
            outputs=(file,),
            content=f"#!{SHELL}\n{script}\n",
            executable=True,
        )
    )
    return file


GENRULE_RULES = table(
    native_rule(
        "genrule",
        (
            Attribute("srcs", T.LABEL_LIST, allow_files=True),
            Attribute("outs", T.OUTPUT_LIST, mandatory=True, allow_empty=False),
            Attribute("cmd", T.STRING),
            Attribute("cmd_bash", T.STRING),
            Attribute("cmd_bat", T.STRING, irrelevant=_WINDOWS),
            Attribute("cmd_ps", T.STRING, irrelevant=_WINDOWS),
            Attribute("tools", T.LABEL_LIST, allow_files=True, cfg="exec"),
            Attribute("exec_tools", T.LABEL_LIST, allow_files=True, cfg="exec"),
            Attribute("executable", T.BOOLEAN, configurable=False),
            Attribute("local", T.BOOLEAN, irrelevant="every action runs locally"),
            Attribute("message", T.STRING),
            Attribute("stamp", T.TRISTATE, 0, irrelevant="no build has a stamp: builds repeat"),
            Attribute("output_to_bindir", T.BOOLEAN, configurable=False, irrelevant="there is one output directory"),
            Attribute("output_licenses", T.LICENSE, configurable=False, irrelevant="it informs people"),
            Attribute("heuristic_label_expansion", T.BOOLEAN, configurable=False),
            Attribute(
                _SETUP,
                T.LABEL,
                parse_label("@bazel_tools//tools/genrule:genrule-setup.sh"),
                allow_files=True,
                cfg="exec",
            ),
        ),
        _genrule,
    )
)
