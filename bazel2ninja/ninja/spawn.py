"""Actions whose command line is opaque to us: they run in a forest of links in which Bazel's paths are true.

The shell script `run.sh` does what Bazel's strategy does: old outputs go away first, the environment is the declared
one, output is shown when the action fails, a declared output that is missing is a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bazel2ninja.analysis.action import SpawnAction
from bazel2ninja.analysis.vectors import parameter_text
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.ninja import directories, syntax
from bazel2ninja.ninja.context import Context
from bazel2ninja.ninja.expand_directories import PARAMETERS_LONG
from bazel2ninja.ninja.paths import inside
from bazel2ninja.ninja.statements import RESTAT, Edge, Rule

RUN = r"""#!/bin/sh
# Runs one action in the execution root:
#   run.sh (OUTPUT | -d DIRECTORY STAMP | -l LINK STAMP)... -- COMMAND...
# Every output can be executed, as Bazel has it: a script that a genrule writes is a program without more ado.
# An output that comes out as it was before keeps its time, so that nothing which depends on it is made again.

aside() {
	while [ "$1" != -- ]; do
		case $1 in
		-[dl])
			rm -rf "$2" "$3" || exit
			case $1 in
			-d) mkdir -p "$2" ;;
			-l) mkdir -p "$(dirname "$2")" ;;
			esac || exit
			shift 3
			;;
		*)
			rm -rf "$1.before" || exit
			if [ -d "$1" ] && [ ! -h "$1" ]; then
				rm -rf "$1" || exit
			elif [ -e "$1" ] || [ -h "$1" ]; then
				mv "$1" "$1.before" || exit
			fi
			shift
			;;
		esac
	done
}

settle() {
	while [ "$1" != -- ]; do
		case $1 in
		-[dl])
			if [ -e "$2" ] || [ -h "$2" ]; then
				touch "$3" || exit
			else
				missing "$2"
			fi
			shift 3
			;;
		*)
			if [ ! -e "$1" ] && [ ! -h "$1" ]; then
				missing "$1"
				rm -f "$1.before"
				shift
				continue
			fi
			if [ -f "$1" ] && [ ! -h "$1" ] && [ ! -x "$1" ]; then
				chmod +x "$1" || exit
			fi
			if [ -f "$1.before" ] && [ ! -h "$1.before" ] && [ ! -h "$1" ] && cmp -s "$1" "$1.before"; then
				mv -f "$1.before" "$1" || exit
			else
				rm -f "$1.before" || exit
			fi
			shift
			;;
		esac
	done
}

missing() {
	printf "output '%s' was not created\n" "$1"
	status=1
}

forget() {
	while [ "$1" != -- ]; do
		case $1 in
		-[dl])
			rm -rf "$2" "$3"
			shift 3
			;;
		*)
			rm -rf "$1" "$1.before"
			shift
			;;
		esac
	done
}

run() {
	while [ "$1" != -- ]; do shift; done
	shift
	cd .bazel2ninja/execroot && exec "$@"
}

aside "$@"
status=0
output=$( (run "$@") 2>&1 </dev/null) || status=$?
if [ "$status" = 0 ]; then
	settle "$@"
fi
if [ "$status" != 0 ]; then
	if [ -n "$output" ]; then
		printf '%s\n' "$output"
	fi
	forget "$@"
fi
exit "$status"
"""

RULES = (
    Rule("spawn", "sh $run $out -- $words", "$what", RESTAT),
    Rule("spawn_stamped", "sh $run $results -- $words", "$what", RESTAT),
)

_BASE = {"PATH": "/bin:/usr/bin:/usr/local/bin", "PYTHONDONTWRITEBYTECODE": "1"}
_LONG = 32_000  # characters of a command; beyond, it goes into a file


def definitions(context: Context) -> list[str]:
    """Variables of the manifest: how to start an action, with and without the default environment of shells."""
    # the two that a builder may set without changing what is built
    passed = " ".join(f'${{{name}:+"{name}=${name}"}}' for name in ("SOURCE_DATE_EPOCH", "TMPDIR"))
    bare = f"env -i {syntax.shell_words(f'{name}={text}' for name, text in _BASE.items())} {passed}"
    given = {**_BASE, **context.options.action_environment}
    for name, text in given.items():
        if not syntax.writable(name + text):
            raise WorkspaceError(
                Diagnostic(f"option '--action_env={name}': ninja cannot express a line break or NUL: {text!r}")
            )
    default = f"env -i {syntax.shell_words(f'{name}={text}' for name, text in given.items())} {passed}"
    return [
        f"run = {context.side_files.add('', 'run.sh', RUN)}",
        f"env = {syntax.value(bare)}",
        f"shell_env = {syntax.value(default)}",
    ]


def lower_spawn(context: Context, action: SpawnAction) -> Iterator[Edge]:
    if directories.needed(action.arguments):
        written, script = directories.command_edge(context, action, _assignments(action))
        yield written
        yield script_edge(context, action, script, written.outputs)
        return
    edge = _edge(context, action)
    _add_command(context, action, edge)
    yield edge


def script_edge(context: Context, action: SpawnAction, script: str, made: Sequence[str]) -> Edge:
    """The edge that runs a script, which another edge makes among the nodes `made`, in place of the action's words."""
    edge = _edge(context, action)
    edge.implicit += made
    edge.variables["words"] = f"{_environment(action)} {_script(script)}"
    return edge


def _edge(context: Context, action: SpawnAction) -> Edge:
    """The action's edge without its words."""
    mapper = context.mapper
    edge = Edge("spawn", mapper.nodes(action.outputs), implicit=context.inputs(action))
    edge.implicit.append("$run")
    if any(mapper.stamp(output) for output in action.outputs):
        edge.rule = "spawn_stamped"
        results: list[str] = []
        for output in action.outputs:
            stamp = mapper.stamp(output)
            if stamp:
                results += ["-d" if output.is_directory else "-l", output.exec_path, stamp]
            else:
                results.append(output.exec_path)
        edge.variables["results"] = syntax.value(syntax.shell_words(results))
    edge.variables["what"] = syntax.value(_description(action))
    return edge


def _add_command(context: Context, action: SpawnAction, edge: Edge) -> None:
    text = _command(context, action, edge)
    if "\0" in text:
        raise WorkspaceError(Diagnostic("a command cannot hold the character NUL"))
    if len(text) > _LONG or not syntax.writable(text):
        name = f"{action.primary_output.exec_path}.sh"
        script = context.side_files.add("commands", name, f"exec env {text}\n")
        edge.implicit.append(syntax.path(script))
        edge.variables["words"] = f"{_environment(action)} {_script(script)}"
    else:
        edge.variables["words"] = f"{_environment(action)} {syntax.value(text)}"


def _script(path: str) -> str:
    return syntax.value(syntax.shell_words(["sh", inside(path)]))


def _description(action: SpawnAction) -> str:
    """The progress message with its placeholders filled in, on one line.

    https://bazel.build/rules/lib/builtins/actions#run
    """
    text = " ".join(action.progress_message.split())
    if "%{" in text:
        first = action.inputs[0].exec_path if action.inputs else ""
        text = text.replace("%{label}", str(action.owner)).replace("%{input}", first)
        text = text.replace("%{output}", action.primary_output.exec_path)
    return text or f"{action.mnemonic} {action.owner}"


def _environment(action: SpawnAction) -> str:
    return "$shell_env" if action.use_default_shell_environment else "$env"


def _command(context: Context, action: SpawnAction, edge: Edge) -> str:
    """Assignments and words, for `env`."""
    words = _assignments(action)
    parts: Sequence[Any] = action.arguments  # texts and parameter files of texts: nothing depends on directories
    total = sum(len(word) if isinstance(word, str) else sum(map(len, word.arguments)) for word in parts)
    count = 0
    for word in parts:
        if isinstance(word, str):
            words.append(word)
        elif word.always or total > PARAMETERS_LONG:
            content, rest = parameter_text(word.arguments, word.format)
            path = context.side_files.add("params", f"{action.primary_output.exec_path}-{count}.params", content)
            count += 1
            edge.implicit.append(syntax.path(path))
            words += rest
            words.append(word.argument.replace("%s", inside(path)))
        else:
            words += word.arguments
    return syntax.shell_words(words)


def _assignments(action: SpawnAction) -> list[str]:
    return [f"{name}={text}" for name, text in sorted(action.environment.items())]
