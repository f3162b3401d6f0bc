"""The whole manifest: variables, rules, edges in the order of the analysis, names to ask for.

Order, names and numbers come from the graph alone, so that equal graphs give equal bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bazel2ninja import __version__
from bazel2ninja.analysis.action import TestAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.diagnostics import Diagnostic, Note, WorkspaceError
from bazel2ninja.graph.build import BuildGraph
from bazel2ninja.labels import Label
from bazel2ninja.ninja import cpp, spawn, syntax, tests
from bazel2ninja.ninja.context import Context, Options
from bazel2ninja.ninja.flags import ONE_MACHINE, Compilers, OtherMachines
from bazel2ninja.ninja.lower import RULES, lower
from bazel2ninja.ninja.paths import OUTPUT, SIDE, PathMapper
from bazel2ninja.ninja.sidefiles import SideFiles
from bazel2ninja.ninja.statements import PHONY, Edge
from bazel2ninja.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """What a person can ask ninja for.

    labels: target -> the files that building it means; default: the labels of `all`; tests: the labels of `test`;
    install: (file, its path below the prefix, file mode in octal digits); install_problem: why there is nothing, if it
    is not for want of programs; install_links: (path below the prefix, what the symbolic link says); prefix: fixed when
    it is given, else $PREFIX.  also: files of `all` besides those of the labels.
    """

    labels: Mapping[Label, Sequence[Artifact]]
    default: Sequence[Label]
    tests: Sequence[Label] = ()
    install: Sequence[tuple[Artifact, str, str]] = ()
    install_problem: str = ""
    install_links: Sequence[tuple[str, str]] = ()
    prefix: str = ""
    also: Sequence[Artifact] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Regeneration:
    """How ninja makes the manifest again: the words of the command, and the depfile that says when."""

    command: tuple[str, ...]
    depfile: str
    manifest: str = "build.ninja"


@dataclass(frozen=True, slots=True)
class Manifest:
    """`text`: the file; `side_files`: what it refers to, to be written first; `notes`: what a person should know."""

    text: bytes
    side_files: SideFiles
    notes: tuple[Diagnostic, ...]


def write(
    graph: BuildGraph,
    targets: Targets,
    options: Options,
    mapper: PathMapper,
    compilers: Compilers,
    regeneration: Regeneration | None = None,
    other_machines: OtherMachines = ONE_MACHINE,
) -> Manifest:
    """The manifest of `graph`.

    Raises WorkspaceError for what ninja cannot express.
    """
    context = Context(graph, mapper, compilers, options, SideFiles(), other_machines)
    actions = list(graph.actions.values())
    test_actions = [action for action in actions if isinstance(action, TestAction)]
    head = list(_head(context, regeneration))
    if test_actions:
        for edge in tests.environment_edges(context, test_actions):
            context.emit(edge)
    for action in actions:
        try:
            lower(context, action)
        except WorkspaceError as error:
            raise error.at(action.location, Note(f"in {action.mnemonic} of {action.owner}")) from error.__cause__
    for edge in _named(context, targets, test_actions):
        context.emit(edge)
    rules = [RULES[name].text() for name in RULES if name in context.rules]
    tail = list(_tail(context, targets, regeneration))
    text = "\n".join([*head, "", *rules, "", *context.edges, "", *tail, ""])
    return Manifest(text.encode("utf-8", "surrogateescape"), context.side_files, tuple(context.project_flags.notes()))


def refusal(message: str) -> bytes:
    """What goes to standard output instead of a manifest: ninja must not take it for "no work to do"."""
    reason = syntax.path(" ".join(message.replace("\0", "?").split()) or "unknown reason")
    return f"build all: bazel2ninja_could_not_generate_this_manifest {reason}\n".encode("utf-8", "surrogateescape")


def _head(context: Context, regeneration: Regeneration | None) -> Iterator[str]:
    options = context.options
    yield f"# Made by bazel2ninja {__version__}; a change here is lost when it is made again."
    yield "ninja_required_version = 1.11"
    yield f"builddir = {SIDE}"
    yield syntax.PIPE
    yield from context.compilers.definitions()
    for suffix, compilers in context.other_machines.compilers.items():
        yield from compilers.definitions(suffix)
    yield f"prefix_maps = {cpp.prefix_maps(context.mapper)}"
    yield f"python = {syntax.value(syntax.shell_words(options.python))}"
    yield from spawn.definitions(context)
    # an empty name is no pool
    yield f"link_pool = {'link' if options.link_jobs else ''}".rstrip()
    if options.link_jobs:
        yield f"pool link\n  depth = {options.link_jobs}"
    if options.heavy_compiles:
        yield f"pool heavy\n  depth = {options.heavy_jobs}"
    yield "pool exclusive\n  depth = 1"
    if regeneration is not None:
        yield ""
        yield "rule regenerate"
        yield f"  command = {syntax.value(syntax.shell_words(regeneration.command))}"
        yield "  description = look whether the manifest is up to date"
        yield f"  depfile = {syntax.value(regeneration.depfile)}"
        yield "  generator = 1"
        yield "  restat = 1"
        yield "  pool = console"
        yield f"build {syntax.path(regeneration.manifest)}: regenerate"


def _named(context: Context, targets: Targets, test_actions: Sequence[TestAction]) -> Iterator[Edge]:
    """Phony targets: one for each label, `all`, `test`."""
    mapper = context.mapper
    for label in sorted(targets.labels):
        files = dict.fromkeys(mapper.nodes(targets.labels[label]))
        yield Edge(PHONY, [syntax.path(str(label))], list(files))
    default = [syntax.path(str(label)) for label in sorted(targets.default)]
    yield Edge(PHONY, ["all"], list(dict.fromkeys([*default, *mapper.nodes(targets.also)])))
    yield from tests.summary_edges(context, test_actions, sorted(targets.tests))


def _tail(context: Context, targets: Targets, regeneration: Regeneration | None) -> Iterator[str]:
    yield f"build {tests.ALWAYS}: phony"
    yield "rule clean"
    yield f"  command = rm -rf {OUTPUT} {SIDE}/stamps {SIDE}/tests {SIDE}/test-environment {SIDE}/test-summary"
    yield "  description = remove what was built"
    yield f"build clean: clean {tests.ALWAYS}"
    yield from _install(context, targets)
    yield "default all"


def _install(context: Context, targets: Targets) -> Iterator[str]:
    yield "rule install"
    if targets.install:
        script = context.side_files.add("", "install.sh", "\n".join(_install_script(context, targets)) + "\n")
        yield f"  command = sh {script}"
        inputs = [*context.mapper.nodes(artifact for artifact, _, _ in targets.install), syntax.path(script)]
    else:
        message = (
            targets.install_problem or "nothing here can be installed: no executable or shared library was asked for"
        )
        yield f"  command = echo {syntax.value(syntax.shell_word('error: ' + message))} >&2; exit 1"
        inputs = []
    yield "  description = install"
    yield f"build install: install {' '.join([*inputs, tests.ALWAYS])}"


def _install_script(context: Context, targets: Targets) -> Iterator[str]:
    """One command a file: there may be more of them than one command line holds."""
    yield "# Installs below $DESTDIR; run in the output root."
    yield "set -eu"
    if targets.prefix:
        yield f'root="${{DESTDIR-}}"{syntax.shell_word(targets.prefix)}'
    else:
        yield 'root="${DESTDIR-}${PREFIX:-/usr/local}"'
    for artifact, path, mode in targets.install:
        file = syntax.shell_word(context.mapper.path(artifact.exec_path))
        yield f'install -D -m {mode} {file} "$root"/{syntax.shell_word(path)}'
    for path, goal in targets.install_links:
        yield f'ln -sf {syntax.shell_word(goal)} "$root"/{syntax.shell_word(path)}'
