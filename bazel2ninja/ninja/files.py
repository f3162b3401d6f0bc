"""Actions whose result is known beforehand or needs no compiler: texts, links, trees of links, failures."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator

from bazel2ninja.analysis.action import (
    FailAction,
    RunfilesTreeAction,
    SymlinkAction,
    TemplateAction,
    WriteAction,
)
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.diagnostics import Diagnostic, InternalError, WorkspaceError
from bazel2ninja.ninja import directories, syntax
from bazel2ninja.ninja.context import Context
from bazel2ninja.ninja.parts import digest
from bazel2ninja.ninja.paths import SIDE
from bazel2ninja.ninja.statements import PHONY, RESTAT, Edge, Rule

RULES = (
    Rule("write", "cmp -s $in $out || { rm -rf $out && cp $in $out; }", "write $out", RESTAT),
    Rule(
        "write_executable",
        "{ cmp -s $in $out && test -x $out; } || { rm -rf $out && cp $in $out && chmod 755 $out; }",
        "write $out",
        RESTAT,
    ),
    Rule("expand", "$python -P -m bazel2ninja.ninja.expand $words", "expand $out", RESTAT),
    Rule("symlink", "rm -rf $out && ln -s $words $out", "symlink $out"),
    Rule(
        "symlink_stamped",
        "mkdir -p $directory && rm -rf $link && ln -s $words $link && touch $out",
        "symlink $link",
    ),
    Rule("runfiles", "$python -P -m bazel2ninja.ninja.runfiles $words $out", "runfiles $out"),
    Rule("fail", "printf '%s\\n' $words >&2; exit 1", "fail"),
)


def lower_write(context: Context, action: WriteAction) -> Iterator[Edge]:
    if not isinstance(action.content, str):
        yield from directories.lower_write(context, action)
        return
    output = action.primary_output
    written = context.side_files.add("write", output.exec_path, action.content)
    rule = "write_executable" if action.executable else "write"
    yield Edge(rule, [context.mapper.node(output)], [syntax.path(written)], context.inputs(action))


def lower_template(context: Context, action: TemplateAction) -> Iterator[Edge]:
    output = action.primary_output
    template = action.inputs[0]
    table = json.dumps(
        {"executable": action.executable, "substitutions": action.substitutions}, ensure_ascii=False, indent=1
    )
    substitutions = context.side_files.add("expand", f"{output.exec_path}.json", table + "\n")
    paths = [context.mapper.path(template.exec_path), output.exec_path, substitutions]
    yield Edge(
        "expand",
        [context.mapper.node(output)],
        [context.mapper.node(template)],
        [syntax.path(substitutions), *context.inputs(action, (template,))],
        variables={"words": syntax.value(syntax.shell_words(paths))},
    )


def lower_symlink(context: Context, action: SymlinkAction) -> Iterator[Edge]:
    mapper = context.mapper
    output = action.primary_output
    directory = posixpath.dirname(output.exec_path)
    if action.target is not None:
        target = action.target
    else:
        path = mapper.path(action.inputs[0].exec_path)
        target = path if path.startswith("/") else posixpath.relpath(path, directory)
    edge = Edge("symlink", [mapper.node(output)], implicit=context.inputs(action))
    edge.variables["words"] = syntax.value(syntax.shell_word(target))
    if mapper.stamp(output):
        edge.rule = "symlink_stamped"
        edge.variables["link"] = syntax.value(syntax.shell_word(output.exec_path))
        edge.variables["directory"] = syntax.value(syntax.shell_word(directory))
    yield edge


def lower_runfiles(context: Context, action: RunfilesTreeAction) -> Iterator[Edge]:
    if len(action.outputs) != 1:
        raise InternalError(f"a runfiles tree of '{action.owner}' with more outputs than its MANIFEST")
    path = context.mapper.path
    lines = [f"{name}\t{path(artifact.exec_path) if artifact else ''}\n" for name, artifact in action.entries.items()]
    lines += _external_links(action, context.options.workspace_name)
    text = "".join(lines)
    if text.count("\n") != len(lines) or text.count("\t") != len(lines):
        for name, line in zip(action.entries, lines, strict=True):
            if line.count("\n") != 1 or "\t" in name:
                raise WorkspaceError(
                    Diagnostic(f"runfiles cannot hold a name with a tab or line break: {name!r}", action.location)
                )
    listing = context.side_files.add("runfiles", f"{action.directory}.list", text)
    edge = Edge(
        "runfiles",
        [context.mapper.node(action.primary_output)],
        implicit=[syntax.path(listing), *context.inputs(action)],
    )
    edge.variables["words"] = syntax.value(syntax.shell_words([listing, action.directory]))
    yield edge


def _external_links(action: RunfilesTreeAction, workspace_name: str) -> list[str]:
    """Lines for WORKSPACE/external/REPOSITORY, where programs of the time before Bazel 8 look for other repositories.

    See --legacy_external_runfiles; one link for each repository does, as nothing else lies there.
    """
    tops = dict.fromkeys(name.partition("/")[0] for name in action.entries if "/" in name)
    tops.pop(workspace_name, None)
    within = f"{workspace_name}/external"
    if not tops or any(f"{name}/".startswith(f"{within}/") for name in action.entries):
        return []
    return [f"{within}/{name}\t{action.directory}/{name}\n" for name in tops]


def lower_fail(context: Context, action: FailAction) -> Iterator[Edge]:
    where = f"{action.location}: " if action.location else ""
    edge = Edge("fail", context.mapper.nodes(action.outputs), implicit=context.inputs(action))
    edge.variables["words"] = _shown(f"{where}error: '{action.owner}': {action.message}")
    yield edge


def missing_source(context: Context, artifact: Artifact, message: str) -> list[Edge]:
    """What fails instead of a source file that is not there.

    Without it ninja refuses everything as soon as one target wants such a file.  The file itself is the output of a
    phony edge only: ninja makes the directories of what commands make, here in the source tree.
    """
    node = context.mapper.node(artifact)
    refusal = f"{SIDE}/missing/{digest(node)}"
    return [Edge("fail", [refusal], variables={"words": _shown(message)}), Edge(PHONY, [node], [refusal])]


def _shown(message: str) -> str:
    return syntax.value(syntax.shell_words(message.splitlines()))
