"""Actions whose command line is opaque to us: they run in a forest of links in which Bazel's paths are true.

The shell script `run.sh` does what Bazel's strategy does: old outputs go away first, the environment is the declared
one, output is shown when the action fails, a declared output that is missing is a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bazel2ninja.analysis.action import ParameterFile, SpawnAction
from bazel2ninja.analysis.shell import escape
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.ninja import syntax
from bazel2ninja.ninja.context import Context
from bazel2ninja.ninja.paths import EXECUTION_ROOT
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
_PARAMETERS_LONG = 32_768  # bytes; Bazel's min_param_file_size


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
    mapper = context.mapper
    edge = Edge("spawn", mapper.nodes(action.outputs), implicit=context.inputs(action))
    edge.implicit.append("$run")
    text = _command(context, action, edge)
    if "\0" in text:
        raise WorkspaceError(Diagnostic("a command cannot hold the character NUL"))
    if len(text) > _LONG or not syntax.writable(text):
        name = f"{action.primary_output.exec_path}.sh"
        script = context.side_files.add("commands", name, f"exec env {text}\n")
        edge.implicit.append(syntax.path(script))
        edge.variables["words"] = f"{_environment(action)} {syntax.value(syntax.shell_words(['sh', _inside(script)]))}"
    else:
        edge.variables["words"] = f"{_environment(action)} {syntax.value(text)}"
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
    yield edge


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


def _inside(path: str) -> str:
    """A path of the output root as seen from the execution root."""
    return "../" * (EXECUTION_ROOT.count("/") + 1) + path


def _command(context: Context, action: SpawnAction, edge: Edge) -> str:
    """Assignments and words, for `env`."""
    words = [f"{name}={text}" for name, text in _sorted(action.environment).items()]
    total = sum(len(word) if isinstance(word, str) else sum(map(len, word.arguments)) for word in action.arguments)
    count = 0
    for word in action.arguments:
        if isinstance(word, str):
            words.append(word)
        elif word.always or total > _PARAMETERS_LONG:
            content, rest = _parameters(word)
            path = context.side_files.add("params", f"{action.primary_output.exec_path}-{count}.params", content)
            count += 1
            edge.implicit.append(syntax.path(path))
            words += rest
            words.append(word.argument.replace("%s", _inside(path)))
        else:
            words += word.arguments
    return syntax.shell_words(words)


def _sorted(environment: Mapping[str, str]) -> dict[str, str]:
    return dict(sorted(environment.items()))


def _parameters(file: ParameterFile) -> tuple[str, list[str]]:
    """Content of a parameter file, and the words that stay on the command line.

    https://bazel.build/rules/lib/builtins/Args#set_param_file_format
    """
    if file.format == "shell":
        return "".join(escape(word) + "\n" for word in file.arguments), []
    if file.format == "multiline":
        return "".join(word + "\n" for word in file.arguments), []
    lines: list[str] = []
    rest: list[str] = []
    open_flag = False
    for word in file.arguments:
        if word.startswith("--"):
            lines.append(word)
            open_flag = "=" not in word
        elif open_flag:
            lines[-1] += "=" + word
            open_flag = False
        else:
            rest.append(word)
    return "".join(line + "\n" for line in lines), rest
