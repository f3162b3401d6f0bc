"""The function of a map_directory() action, run while ninja runs: from what directories hold to a script of commands.

https://bazel.build/rules/lib/builtins/template_ctx
"""

from __future__ import annotations

import hashlib
import os
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from bazel2ninja.analysis.action import DirectoryWords, ParameterFile
from bazel2ninja.analysis.args import Args
from bazel2ninja.analysis.artifact import Artifact, ArtifactRoot, TreeFile
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import FilesToRun
from bazel2ninja.analysis.vectors import parameter_text
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.ninja.expand_directories import PARAMETERS_LONG, files_below
from bazel2ninja.ninja.paths import inside
from bazel2ninja.ninja.syntax import shell_word, shell_words
from bazel2ninja.pipeline.record import label_of
from bazel2ninja.records import dataclass
from bazel2ninja.starlark import (
    Dict,
    EvalError,
    List,
    Thread,
    called,
    freeze,
    function_location,
    to_repr,
    type_name,
)


class ExpandedDirectory:
    """A directory of the parameter `input_directories`, and the files in it."""

    starlark_type = "ExpandedDirectory"

    def __init__(self, directory: Artifact, children: List):
        self.s_directory = directory
        self.s_children = children

    def starlark_repr(self) -> str:
        return f"ExpandedDirectory(directory = {to_repr(self.s_directory)}, children = {to_repr(self.s_children)})"


class TemplateArgs(Args):
    """args() of such a function: the files of its input directories are known."""

    def __init__(self, template: TemplateContext):
        super().__init__(template.call)
        self._children = template.children

    def _expand(self, vector: Any) -> Sequence[str | DirectoryWords]:
        values = vector.values.flatten() if isinstance(vector.values, Depset) else vector.values
        if vector.expand_directories:
            values = [file for value in values for file in self._files(value)]
        return super()._expand(vector.with_values(tuple(values)))

    def _files(self, value: Any) -> Sequence[Any]:
        if not isinstance(value, Artifact) or not value.is_directory:
            return (value,)
        if value.exec_path not in self._children:
            raise EvalError(
                f"cannot list the files of the directory '{value.exec_path}', which an action of the same "
                "map_directory() makes: pass expand_directories = False and let the program list it"
            )
        return self._children[value.exec_path]


@dataclass(slots=True)
class _Command:
    """One action: outputs and inputs by exec path."""

    description: str
    outputs: tuple[Artifact, ...]
    inputs: tuple[str, ...]
    words: list[str | ParameterFile] = field(default_factory=list)


class TemplateContext:
    """template_ctx: what the function makes actions with."""

    starlark_type = "template_ctx"

    def __init__(self, thread: Thread, owner: str, inputs: Iterable[ExpandedDirectory], outputs: Iterable[Artifact]):
        self._thread = thread
        self._owner = owner
        self.children = {each.s_directory.exec_path: each.s_children for each in inputs}
        self._outputs = {directory.exec_path: directory for directory in outputs}
        self._declared: set[str] = set()
        self._subdirectories: set[str] = set()
        self.commands: list[_Command] = []

    def starlark_repr(self) -> str:
        return f"<template context for {self._owner}>"

    def call(self, function: Any, *args: Any) -> Any:
        return Thread(self._thread.semantics).call(function, args)

    def s_args(self) -> TemplateArgs:
        return TemplateArgs(self)

    def s_declare_file(self, filename: Any, *, directory: Any) -> TreeFile:
        path = _relative("declare_file", "filename", filename)
        tree = _file("declare_file", "directory", directory)
        if tree.exec_path not in self._outputs:
            raise EvalError(f"Cannot declare file `{filename}` in non-output directory {to_repr(tree)}")
        return self._declare(TreeFile(tree, path))

    def s_declare_subdirectory(self, subdirectory: Any, *, directory: Any) -> TreeFile:
        path = _relative("declare_subdirectory", "subdirectory", subdirectory)
        tree = _file("declare_subdirectory", "directory", directory)
        if tree.exec_path in self._subdirectories:
            raise EvalError(f"Cannot declare subdirectory `{subdirectory}` in another subdirectory {to_repr(tree)}")
        if tree.exec_path not in self._outputs:
            raise EvalError(f"Cannot declare subdirectory `{subdirectory}` in non-output directory {to_repr(tree)}")
        made = self._declare(TreeFile(tree, path, is_directory=True))
        self._subdirectories.add(made.exec_path)
        return made

    def _declare(self, file: TreeFile) -> TreeFile:
        self._declared.add(file.exec_path)
        return file

    def s_run(
        self,
        *,
        outputs: Any,
        executable: Any,
        inputs: Any = (),
        tools: Any = None,
        arguments: Any = (),
        progress_message: Any = None,
    ) -> None:
        read = _files("inputs", inputs)
        for file in read:
            if file.exec_path in self._outputs:
                raise EvalError(f"Output directory {to_repr(file)} cannot be used as an input to template_ctx.run()")
        if isinstance(executable, FilesToRun):
            program = executable.executable
        elif isinstance(executable, Artifact):
            program = executable
        else:
            raise EvalError(f"Expected a File or FilesToRunProvider but got {type_name(executable)}")
        if program is None:
            raise EvalError("in call to run(), 'executable' is a FilesToRunProvider without an executable")
        read.append(program)
        for tool in _sequence("tools", tools):
            if isinstance(tool, Depset):
                read += tool.flatten()
            elif isinstance(tool, FilesToRun):
                read += [tool.executable] if tool.executable is not None else []
            elif isinstance(tool, Artifact):
                read.append(tool)
            else:
                raise EvalError(f"Expected a File, FilesToRunProvider or Depset but got {type_name(tool)}")
        made = tuple(_files("outputs", outputs))
        what = progress_message if isinstance(progress_message, str) else f"ExpandedTemplateAction {self._owner}"
        for file in made:
            if file.exec_path not in self._declared:
                raise EvalError(
                    f"action '{what}' has conflicting output '{file.exec_path}' that is an output of another action, "
                    "thus causing an action conflict. `template_ctx.run()` should only use outputs declared by "
                    "`template_ctx.declare_file()` within the same Starlark implementation function."
                )
        if not made:
            raise EvalError("in call to run(), parameter 'outputs' must not be empty")
        words: list[Any] = [program.exec_path]
        for argument in _sequence("arguments", arguments):
            if isinstance(argument, Args):
                argument.freeze()
                words += argument.command_line_part()
            elif isinstance(argument, str):
                words.append(argument)
            else:
                raise EvalError(
                    f"expected list of strings or ctx.actions.args() for arguments instead of {type_name(argument)}"
                )
        self.commands.append(_Command(what, made, tuple(file.exec_path for file in read), words))


def expand(table: Mapping[str, Any], function: Any, thread: Thread) -> dict[str, str]:
    """Files to be written, path -> content: the script of all commands, and their parameter files.

    Runs in the output root.  Raises WorkspaceError for what the function raises, and for actions that contradict each
    other.
    """
    parameters = {
        name: {key: _value(each) for key, each in given.items()} for name, given in table["parameters"].items()
    }
    expanded = {key: _expanded(directory) for key, directory in parameters["input_directories"].items()}
    outputs = parameters["output_directories"]
    template = TemplateContext(thread, table["owner"], expanded.values(), outputs.values())
    arguments = {name: freeze(Dict(given)) for name, given in {**parameters, "input_directories": expanded}.items()}
    returned = thread.call(called, (function, (template,), arguments))
    if returned is not None:
        raise WorkspaceError(
            Diagnostic(
                f"actions.map_directory() implementation {table['function']} at {function_location(function)} may not "
                f"return a non-None value (got {to_repr(returned)})",
                function_location(function),
            )
        )
    return _script(table, _in_order(template.commands))


def _value(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "file" in value:
        return _artifact(value["file"])
    if "depset" in value:
        return Depset(tuple(map(_artifact, value["depset"])))
    executable, manifest = (each and _artifact(each) for each in value["run"])
    return FilesToRun(executable, manifest)


def _artifact(value: Mapping[str, Any]) -> Artifact:
    root = ArtifactRoot(value["root"])
    return Artifact(value["path"], root, label_of(value["owner"]), is_directory=value.get("directory", False))


def _expanded(directory: Artifact) -> ExpandedDirectory:
    start = len(directory.exec_path) + 1
    files = [TreeFile(directory, path[start:]) for path in files_below(directory.exec_path)]
    return ExpandedDirectory(directory, freeze(List(files)))


def _in_order(commands: Sequence[_Command]) -> list[_Command]:
    """The commands with each after those whose outputs it reads; raises WorkspaceError when that is impossible."""
    makers: dict[str, _Command] = {}
    for command in commands:
        for output in command.outputs:
            if output.exec_path in makers:
                other = makers[output.exec_path]
                raise WorkspaceError(
                    Diagnostic(
                        f"file '{output.exec_path}' is generated by these conflicting actions: {other.description}, "
                        f"{command.description}"
                    )
                )
            makers[output.exec_path] = command
    for path in makers:
        above = posixpath.dirname(path)
        while above:
            if above in makers:
                raise WorkspaceError(
                    Diagnostic(f"One of the output paths '{above}' and '{path}' is a prefix of the other")
                )
            above = posixpath.dirname(above)
    ordered: dict[int, _Command] = {}
    open_commands: set[int] = set()
    pending = list(reversed(commands))
    while pending:
        command = pending[-1]
        needed = [makers[path] for path in command.inputs if path in makers and id(makers[path]) not in ordered]
        if id(command) in ordered or not needed:
            pending.pop()
            open_commands.discard(id(command))
            ordered.setdefault(id(command), command)
            continue
        if id(command) in open_commands:
            raise WorkspaceError(Diagnostic(f"cycle among the actions of map_directory(): {command.description}"))
        open_commands.add(id(command))
        pending += needed
    return list(ordered.values())


def _script(table: Mapping[str, Any], commands: Iterable[_Command]) -> dict[str, str]:
    base = table["output"].removesuffix(".sh")
    assignments = [f"{name}={text}" for name, text in table["environment"].items()]
    files: dict[str, str] = {}
    lines = ["set -e"]
    for number, command in enumerate(commands):
        total = sum(len(word) if isinstance(word, str) else sum(map(len, _texts(word))) for word in command.words)
        words: list[str] = []
        for word in command.words:
            if isinstance(word, str):
                words.append(word)
            elif word.always or total > PARAMETERS_LONG:
                content, rest = parameter_text(_texts(word), word.format)
                path = f"{base}-{number}-{len(words)}.params"
                files[path] = content
                # a script with other parameters is another script
                digest = hashlib.blake2b(content.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
                lines.append(f"# {digest}")
                words += [*rest, word.argument.replace("%s", inside(path))]
            else:
                words += _texts(word)
        places = dict.fromkeys(
            file.exec_path if file.is_directory else posixpath.dirname(file.exec_path) for file in command.outputs
        )
        lines.append(shell_words(["mkdir", "-p", *places]))
        lines.append(shell_words(["env", *assignments, *words]))
        for file in command.outputs:
            path = shell_word(file.exec_path)
            said = shell_word(f"output '{file.exec_path}' was not created")
            lines.append(f"test -e {path} || test -h {path} || {{ printf '%s\\n' {said}; exit 1; }}")
    files[table["output"]] = "\n".join(lines) + "\n"
    return files


def _texts(file: ParameterFile) -> list[str]:
    return [word for word in file.arguments if isinstance(word, str)]  # TemplateArgs leaves nothing else


def write(files: Mapping[str, str]) -> None:
    """Writes what has changed; the rest keeps its time."""
    for path, text in files.items():
        data = text.encode("utf-8", "surrogateescape")
        try:
            with open(path, "rb") as old:
                if old.read() == data:
                    continue
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as new:
            new.write(data)


def _relative(function: str, parameter: str, value: Any) -> str:
    if not isinstance(value, str):
        raise EvalError(
            f"in call to {function}(), parameter '{parameter}' got value of type '{type_name(value)}', want 'string'"
        )
    path = posixpath.normpath(value)
    if path in (".", "..") or path.startswith(("/", "../")):
        raise EvalError(f"the path '{value}' does not stay inside of its directory")
    return path


def _file(function: str, parameter: str, value: Any) -> Artifact:
    if not isinstance(value, Artifact):
        raise EvalError(
            f"in call to {function}(), parameter '{parameter}' got value of type '{type_name(value)}', want 'File'"
        )
    return value


def _sequence(parameter: str, value: Any) -> Sequence[Any]:
    if value is None:
        return ()
    if isinstance(value, Depset):
        return value.flatten()
    if not isinstance(value, list | tuple):
        raise EvalError(f"Expected a list or depset but got {type_name(value)}")
    return value


def _files(parameter: str, value: Any) -> list[Artifact]:
    found = []
    for position, each in enumerate(_sequence(parameter, value)):
        if not isinstance(each, Artifact):
            raise EvalError(f"at index {position} of {parameter}, got element of type {type_name(each)}, want File")
        found.append(each)
    return found
