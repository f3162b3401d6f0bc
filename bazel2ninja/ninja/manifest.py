"""The whole manifest: variables, rules, what each action adds, names to ask for.

Order and names come from what is said alone, so that equal graphs give equal bytes, however they were found.
"""

from __future__ import annotations

import io
import operator
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from bazel2ninja import __version__
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.diagnostics import Diagnostic
from bazel2ninja.graph.build import BuildGraph
from bazel2ninja.labels import Label
from bazel2ninja.ninja import cpp, spawn, syntax, tests
from bazel2ninja.ninja.context import Context
from bazel2ninja.ninja.flags import ADMISSION
from bazel2ninja.ninja.lower import RULES, lower, lower_missing
from bazel2ninja.ninja.parts import Body, TestFacts
from bazel2ninja.ninja.paths import OUTPUT, SIDE, PathMapper
from bazel2ninja.ninja.sidefiles import SideFiles
from bazel2ninja.ninja.statements import PHONY, Edge
from bazel2ninja.records import dataclass

NONE_MISSING: Mapping[Artifact, str] = MappingProxyType({})


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """`Targets` in ninja's words: nodes for artifacts.

    install: (node, path of the file, path below the prefix, mode).
    """

    labels: Mapping[Label, Sequence[str]]
    default: Sequence[Label]
    tests: Sequence[Label] = ()
    install: Sequence[tuple[str, str, str, str]] = ()
    install_problem: str = ""
    install_links: Sequence[tuple[str, str]] = ()
    prefix: str = ""
    also: Sequence[str] = ()

    @classmethod
    def of(cls, targets: Targets, mapper: PathMapper) -> Names:
        """The same targets; a file of several counts once in each."""
        return cls(
            labels={label: list(dict.fromkeys(mapper.nodes(files))) for label, files in targets.labels.items()},
            default=targets.default,
            tests=targets.tests,
            install=[
                (mapper.node(artifact), mapper.path(artifact.exec_path), path, mode)
                for artifact, path, mode in targets.install
            ],
            install_problem=targets.install_problem,
            install_links=targets.install_links,
            prefix=targets.prefix,
            also=mapper.nodes(targets.also),
        )


@dataclass(frozen=True, slots=True)
class Manifest:
    """`text`: the file; `side_files`: what it refers to, to be written first; `notes`: what a person should know.

    `body`, `names`: what the text was put together from.
    """

    text: bytes
    side_files: SideFiles
    notes: tuple[Diagnostic, ...]
    body: Body
    names: Names


def write(
    graph: BuildGraph,
    targets: Targets,
    context: Context,
    regeneration: Regeneration | None = None,
    missing: Mapping[Artifact, str] = NONE_MISSING,
) -> Manifest:
    """The manifest of `graph`.  missing: source files that are not there, and what whoever needs one is told.

    Raises WorkspaceError for what ninja cannot express.
    """
    parts = {}
    for action in graph.actions.values():
        part = lower(context, action)
        parts[part.key] = part
    for artifact, message in missing.items():
        parts[artifact.exec_path] = lower_missing(context, artifact, message)
    body = Body(parts, context.variables, context.known_sets)
    return compose(context, body, Names.of(targets, context.mapper), regeneration)


def compose(context: Context, body: Body, names: Names, regeneration: Regeneration | None = None) -> Manifest:
    """The manifest with this body, whose actions `context` has lowered or that are known from an earlier run."""
    known = body.tests
    head = list(_head(context, regeneration))
    edges = [*(tests.environment_edges(context, known) if known else ()), *_named(names, known)]
    used = {*body.rules, *(edge.rule for edge in edges)}
    rules = [RULES[name].text() for name in RULES if name in used]
    tail = list(_tail(context, names, regeneration))
    text = io.BytesIO()
    for lines in (head, [""], rules, [""], body.lines(), (edge.text() for edge in edges), [""], tail):
        text.writelines(f"{line}\n".encode("utf-8", "surrogateescape") for line in lines)
    return Manifest(text.getvalue(), context.side_files, tuple(context.project_flags.notes()), body, names)


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
    for compilers in (context.compilers, *context.other_machines.compilers.values()):
        for name, text in compilers.scripts().items():
            context.side_files.add(ADMISSION, name, text, executable=True)
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


_order = operator.attrgetter("order")


def _named(names: Names, known: Sequence[TestFacts]) -> Iterator[Edge]:
    """Phony targets: one for each label, `all`, `test`."""
    for label in sorted(names.labels, key=_order):
        yield Edge(PHONY, [syntax.path(str(label))], list(names.labels[label]))
    default = [syntax.path(str(label)) for label in sorted(names.default, key=_order)]
    yield Edge(PHONY, ["all"], list(dict.fromkeys([*default, *names.also])))
    yield from tests.summary_edges(known, sorted(names.tests, key=_order))


def _tail(context: Context, names: Names, regeneration: Regeneration | None) -> Iterator[str]:
    yield f"build {tests.ALWAYS}: phony"
    yield "rule clean"
    yield f"  command = rm -rf {OUTPUT} {SIDE}/stamps {SIDE}/tests {SIDE}/test-environment {SIDE}/test-summary"
    yield "  description = remove what was built"
    yield f"build clean: clean {tests.ALWAYS}"
    yield from _install(context, names)
    yield "default all"


def _install(context: Context, names: Names) -> Iterator[str]:
    yield "rule install"
    if names.install:
        script = context.side_files.add("", "install.sh", "\n".join(_install_script(names)) + "\n")
        yield f"  command = sh {script}"
        inputs = [*(node for node, *_ in names.install), syntax.path(script)]
    else:
        message = (
            names.install_problem or "nothing here can be installed: no executable or shared library was asked for"
        )
        yield f"  command = echo {syntax.value(syntax.shell_word('error: ' + message))} >&2; exit 1"
        inputs = []
    yield "  description = install"
    yield f"build install: install {' '.join([*inputs, tests.ALWAYS])}"


def _install_script(names: Names) -> Iterator[str]:
    """One command a file: there may be more of them than one command line holds."""
    yield "# Installs below $DESTDIR; run in the output root."
    yield "set -eu"
    if names.prefix:
        yield f'root="${{DESTDIR-}}"{syntax.shell_word(names.prefix)}'
    else:
        yield 'root="${DESTDIR-}${PREFIX:-/usr/local}"'
    for _, file, path, mode in names.install:
        yield f'install -D -m {mode} {syntax.shell_word(file)} "$root"/{syntax.shell_word(path)}'
    for path, goal in names.install_links:
        yield f'ln -sf {syntax.shell_word(goal)} "$root"/{syntax.shell_word(path)}'
