"""From a build to build.ninja and the files beside it, and back again when something has changed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence

from bazel2ninja.analysis.action import Action, CppCompileAction, FailAction, TestAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.shell import tokenize
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.ninja import admission, execroot, flags, regeneration
from bazel2ninja.ninja.context import TIMEOUTS, Context, TestOptions
from bazel2ninja.ninja.context import Options as NinjaOptions
from bazel2ninja.ninja.flags import Compilers, OtherMachines
from bazel2ninja.ninja.manifest import NONE_MISSING, Manifest, Regeneration, Targets, write
from bazel2ninja.ninja.paths import SIDE, PathMapper
from bazel2ninja.ninja.regeneration import State
from bazel2ninja.ninja.sidefiles import SideFiles
from bazel2ninja.pipeline import record
from bazel2ninja.pipeline.build import Build
from bazel2ninja.pipeline.record import Record
from bazel2ninja.pipeline.session import Session
from bazel2ninja.records import dataclass

MANIFEST = "build.ninja"
ENVIRONMENT = (*flags.ENVIRONMENT, "DEB_BUILD_ARCH", "DEB_HOST_ARCH", "PATH")
"""The process's environment variables that a manifest depends on, besides those that options and rules name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What `generate` is told besides Bazel's options."""

    launcher: str = ""
    link_jobs: int = 0
    heavy_compiles: tuple[str, ...] = ()
    heavy_jobs: int = 1
    memory: str = ""  # what compiles and links may take together: bytes or "auto", "" for no limit
    manifest: str = MANIFEST  # relative to the output root
    command: tuple[str, ...] = ()  # the words that made it, for making it again


def make(session: Session, build: Build, wishes: Wishes, missing: Mapping[Artifact, str] = NONE_MISSING) -> Manifest:
    """The manifest of `build`; nothing is written yet.

    missing: source files that are not there, and what whoever needs one is told.
    """
    context, again = context_of(session, wishes, build.graph.generator)
    return write(build.graph, _targets(session, build), context, again, missing)


def context_of(
    session: Session, wishes: Wishes, generator: Callable[[Artifact], Action | None]
) -> tuple[Context, Regeneration]:
    """What lowering actions takes, and how the manifest is made again."""
    request = session.request
    mapper = PathMapper.between(request.output_root, session.source)
    prefix = session.configurations.target.tool_prefix
    compilers = Compilers.from_environment(
        request.environment, wishes.launcher, admission=_admission(wishes), prefix=prefix
    )
    options = NinjaOptions(
        workspace_name=session.workspace.name,
        python=python_words(request.environment),
        action_environment=_action_environment(session),
        link_jobs=wishes.link_jobs,
        heavy_compiles=wishes.heavy_compiles,
        heavy_jobs=wishes.heavy_jobs,
        tests=_test_options(session),
    )
    again = Regeneration(
        command=(*python_words(request.environment), "-P", "-m", "bazel2ninja", "regenerate"),
        depfile=regeneration.DEPFILE,
        manifest=wishes.manifest,
    )
    machines = _other_machines(session, wishes)
    return Context(generator, mapper, compilers, options, SideFiles(), machines), again


def _admission(wishes: Wishes) -> tuple[str, ...]:
    """The words before a compile or link that wait for memory; without `site`, since each of them starts Python."""
    if not wishes.memory:
        return ()
    return (sys.executable, "-IS", os.path.abspath(admission.__file__), wishes.memory, f"{SIDE}/memory")


def _other_machines(session: Session, wishes: Wishes) -> OtherMachines:
    """The compilers of configurations that are for another machine than the target configuration is.

    Those for the machine that builds are told by CC_FOR_BUILD and its like; a third machine, to which a transition
    leads, has the target's flags.
    """
    environment = session.request.environment
    words = _admission(wishes)
    target = session.configurations.target.tool_prefix
    compilers: dict[str, Compilers] = {}
    suffixes: dict[str, str] = {}
    for configuration in session.configurations:
        prefix = configuration.tool_prefix
        if prefix == target:
            continue
        suffix = suffixes[configuration.mnemonic] = (
            "_" + prefix.rstrip("-").replace("-", "_") if prefix else "_for_build"
        )
        if suffix in compilers:
            continue
        if prefix:
            flags_only = {name: text for name, text in environment.items() if name not in ("CC", "CXX", "AR")}
            compilers[suffix] = Compilers.from_environment(flags_only, wishes.launcher, admission=words, prefix=prefix)
        else:
            compilers[suffix] = Compilers.from_environment(
                environment, wishes.launcher, admission=words, suffix=flags.FOR_BUILD
            )
    return OtherMachines(compilers, suffixes)


def lay(session: Session, manifest: Manifest) -> None:
    """Writes what the manifest refers to: side files and the execution root; comes before the manifest itself.

    An end at any moment leaves either the old manifest or the new one, and ninja then makes it again: the depfile,
    which `remember` writes at last, is away in the meantime.
    """
    root = session.request.output_root
    regeneration.doubt(root)
    manifest.side_files.write(root)
    execroot.lay(root, PathMapper.between(root, session.source))


def remember(
    session: Session,
    wishes: Wishes,
    make_record: Callable[[Mapping[str, str]], Record | None],
    old: State | None = None,
    changed: Iterable[str] = (),
) -> None:
    """Writes what the manifest was made from; comes after the manifest itself.

    make_record: given what the paths that were read are called, makes what the next run may know.  old, changed: the
    state from which only what has changed was made again.
    """
    root = session.request.output_root
    read = {*ENVIRONMENT, *session.environment_reads}
    reads = dict(session.filesystem.reads)
    # the message of such an action tells a line's number, so comments count in the file that it names
    shown = [
        action.location.path
        for action in session.analyzer.actions
        if isinstance(action, FailAction) and action.location
    ]
    reads.update((path, "file") for path in shown if path in reads)
    names: dict[str, str] = {}
    state = regeneration.record(
        root,
        reads,
        wishes.command,
        regeneration.environment_of(sorted(read), session.request.environment),
        names,
        old,
    )
    if old is not None:
        state = regeneration.renewed(old, state, root, changed)
    record.save(root, make_record(names), regeneration.save(root, state))
    regeneration.write_depfile(root, wishes.manifest, state)


def python_words(environment: Mapping[str, str]) -> tuple[str, ...]:
    """How to start a Python that has bazel2ninja: this one, with the same PYTHONPATH when there is one."""
    path = environment.get("PYTHONPATH")
    if path:
        places = os.pathsep.join(os.path.abspath(place) for place in path.split(os.pathsep) if place)
        return ("env", f"PYTHONPATH={places}", sys.executable)
    return (sys.executable,)


def _action_environment(session: Session) -> dict[str, str]:
    environment = session.request.environment
    found = {}
    for name, value in session.configurations.target.settings.action_environment:
        known = environment.get(name) if value is None else value
        if known is not None:
            found[name] = known
    return found


def _test_options(session: Session) -> TestOptions:
    run = session.options.run
    return TestOptions(
        filter=str(run.get("test_filter") or ""),
        run_under=_run_under(session),
        arguments=_texts(run.get("test_arg")),
        environment=dict(session.configurations.target.settings.test_environment),
        timeouts=_timeouts(run.get("test_timeout")),
    )


def _run_under(session: Session) -> tuple[str, ...]:
    """The words of --run_under=COMMAND."""
    text = str(dict(session.configurations.target.settings.other).get("run_under") or "")
    try:
        words = tokenize(text)
    except WorkspaceError as problem:
        raise WorkspaceError(Diagnostic(f"--run_under={text}: {problem.diagnostic.message}")) from None
    if words and words[0].startswith(("//", "@")):
        raise WorkspaceError(Diagnostic(f"--run_under={text}: the label of a program is not supported, only a command"))
    return words


def _timeouts(value: object) -> Mapping[str, int]:
    """--test_timeout=SECONDS for all sizes, or four numbers for short, moderate, long and eternal ones."""
    if not value:
        return TIMEOUTS
    try:
        numbers = [int(part) for part in str(value).split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 4):
        raise WorkspaceError(Diagnostic(f"--test_timeout: expected one number of seconds or four, got {value!r}"))
    numbers *= 4 // len(numbers)
    return {name: number if number > 0 else TIMEOUTS[name] for name, number in zip(TIMEOUTS, numbers, strict=True)}


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, tuple) else ()


def _targets(session: Session, build: Build) -> Targets:
    run = session.options.run
    installation = build.installation
    plain = [top for top in build.targets if not top.testonly]
    tests = {action.owner: action for action in build.graph.actions.values() if isinstance(action, TestAction)}
    chosen = [
        top.target.actual
        for top in build.targets
        if top.target.actual in tests and test_wanted(tests[top.target.actual], session)
    ]
    labels: dict[Label, Sequence[Artifact]] = {top.label: top.made for top in build.targets}
    default = [] if run.get("build_tests_only") or installation.alone else [top.label for top in plain]
    files = [(artifact, path, mode) for path, (artifact, mode) in installation.files.items()]
    return Targets(
        labels=labels,
        default=default,
        tests=chosen,
        install=files,
        install_links=list(installation.links.items()),
        install_problem=installation.problem,
        prefix=installation.prefix,
        also=[artifact for artifact, _, _ in files] if installation.prefix or installation.alone else (),
    )


def test_wanted(action: TestAction, session: Session) -> bool:
    """--test_tag_filters, --test_size_filters, --test_timeout_filters."""
    run = session.options.run
    return (
        _passes(action.tags, _texts(run.get("test_tag_filters")))
        and _passes((action.size,), _texts(run.get("test_size_filters")))
        and _passes((action.timeout,), _texts(run.get("test_timeout_filters")))
    )


def _passes(words: Iterable[str], filters: Sequence[str]) -> bool:
    """Bazel's filters: a "-" refuses; when there are others, one of them is needed."""
    present = set(words)
    needed = [word for word in filters if not word.startswith("-")]
    return not any(word[1:] in present for word in filters if word.startswith("-")) and (
        not needed or any(word.lstrip("+") in present for word in needed)
    )


def count_summary(actions: Iterable[Action]) -> str:
    """ "401 compiles, 384 links, 12 others", for people."""
    compiles = others = 0
    by_kind: dict[str, int] = {}
    for action in actions:
        if isinstance(action, CppCompileAction):
            compiles += 1
        elif action.mnemonic in ("CppLink", "CppArchive"):
            by_kind[action.mnemonic] = by_kind.get(action.mnemonic, 0) + 1
        else:
            others += 1
    links, archives = by_kind.get("CppLink", 0), by_kind.get("CppArchive", 0)
    return f"{compiles} compiles, {archives} archives, {links} links, {others} other actions"
