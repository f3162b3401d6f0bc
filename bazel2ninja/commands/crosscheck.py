"""`bazel2ninja crosscheck`: compare with what Bazel says it would do."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Sequence

from bazel2ninja.commands import workspace_words
from bazel2ninja.configuration.configuration import Settings
from bazel2ninja.crosscheck import dumps, query
from bazel2ninja.crosscheck.compare import Difference
from bazel2ninja.crosscheck.intended import Circumstances, Intended, default_entries, parse
from bazel2ninja.crosscheck.oracle import OracleAction, needed
from bazel2ninja.crosscheck.records import Names
from bazel2ninja.crosscheck.report import Report, crosscheck
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.labels import parse_label, parse_target_pattern
from bazel2ninja.loading.target import RuleTarget, Target
from bazel2ninja.pipeline.build import Build, analyse
from bazel2ninja.pipeline.progress import Progress
from bazel2ninja.pipeline.session import Request, Session, borrowed_root

USAGE = "bazel2ninja crosscheck [OPTION...] SRC [TARGET...] --against DUMP"
_RUN_BY_BAZEL = ("TestRunner", "SymlinkTree", "SourceSymlinkManifest", "RunfilesTree")
# Before Bazel 7.4 the files of a runfiles tree hang on such a file, which nothing in an action list reads.
_RUNFILES_MIDDLEMAN = re.compile(r"/internal/_middlemen/.*-runfiles$")
_FLAGS = ("host_copt", "host_cxxopt", "host_conlyopt", "host_linkopt")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = USAGE
    parser.epilog = (
        "DUMP is what 'bazel aquery' prints as text, textproto or jsonproto, what 'bazel query' prints as label_kind\n"
        "or build, or an action list as JSON lines; each may be compressed with xz.  Exit status 3: differences.\n\n"
        + workspace_words.EPILOG
    )
    parser.add_argument("--against", metavar="DUMP", required=True, help="the dump to compare with")
    parser.add_argument(
        "--intended",
        metavar="FILE",
        action="append",
        default=[],
        help="further intended differences (TOML); may be given several times",
    )
    parser.add_argument(
        "--main-repository",
        metavar="NAME",
        action="append",
        default=[],
        help="another name that the dump has for the main repository",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="differences to print (default: all)")


def run(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    own, source, rest = workspace_words.split(parser, words)
    with borrowed_root() as root, Progress("reading the dump") as progress:
        session = Session(Request(source=source, words=rest, output_root=root, environment=os.environ))
        entries = list(default_entries())
        for name in own.intended:
            entries += parse(session.filesystem.read(name).decode("utf-8", "replace"), name)
        content = dumps.decompressed(session.filesystem.read(own.against), own.against)
        names = Names(tuple(dict.fromkeys((session.workspace.name, *own.main_repository))))
        targets = _query_dump(content, own.against)
        if targets is not None:
            progress.step("loading packages")
            report = _compare_targets(session, targets, names)
        else:
            actions = dumps.read_actions(content, own.against)
            progress.step("analysing")
            build = analyse(session)
            progress.step("comparing")
            report = compare_actions(session, build, actions, names, entries)
    sys.stdout.write(report.json() + "\n" if own.json else report.text(own.limit))
    return report.status


def compare_actions(
    session: Session, build: Build, actions: list[OracleAction], names: Names, entries: Iterable[Intended]
) -> Report:
    """Our actions of `build` against those of a dump, as the command does it."""
    requested = {str(top.label) for top in build.targets} | {str(top.target.actual) for top in build.targets}
    if any(action.inputs for action in actions if action.mnemonic == "CppCompile"):
        # a whole dump: it lists two to three times what a build needs
        wanted = [file.exec_path for top in build.targets for file in top.files]
        for action in actions:
            run = action.mnemonic in _RUN_BY_BAZEL or any(map(_RUNFILES_MIDDLEMAN.search, action.outputs))
            if run and names.label(action.label) in requested:
                wanted += action.outputs
        # what we make is compared even when nothing in the dump uses it: Bazel 7 does not list the headers of compiles
        wanted += [output.exec_path for action in build.graph.actions.values() for output in action.outputs]
        actions = needed(actions, wanted)
    declared = _declared(session, {names.label(action.label) for action in actions})
    circumstances = Circumstances(
        _command_line_flags(session.configurations.target.settings),
        {label: target.rule_class.name for label, target in declared.items() if isinstance(target, RuleTarget)},
        session.release,
    )
    return crosscheck(
        build.graph.actions.values(),
        actions,
        names=names,
        entries=entries,
        circumstances=circumstances,
        locations={label: target.location for label, target in declared.items()},
        requested=requested,
    )


def _command_line_flags(settings: Settings) -> frozenset[str]:
    flags = {*settings.copts, *settings.cxxopts, *settings.conlyopts, *settings.linkopts}
    for name, value in settings.other:
        if name in _FLAGS and isinstance(value, tuple):
            flags.update(value)
    return frozenset(flags)


def _declared(session: Session, labels: Iterable[str]) -> dict[str, Target]:
    """The targets of these labels; those that we cannot load are left out."""
    found = {}
    for text in labels:
        try:
            found[text] = session.loader.target(parse_label(text))
        except WorkspaceError:
            continue
    return found


def _query_dump(content: bytes, name: str) -> list[query.QueryTarget] | None:
    """The targets of a dump of `bazel query`, None when it is none."""
    head = content[:4096].decode("utf-8", "replace").lstrip()
    if re.match(r"(source file|generated file|package group|\w+ rule) \S*//", head):
        return query.read_label_kind(content.decode("utf-8", "replace"), name)
    if re.match(r"(# \S+:\d+:\d+\n)?\w+\(\n  name = ", head):
        return query.read_build(content.decode("utf-8", "replace"), name)
    return None


def _compare_targets(session: Session, theirs: list[query.QueryTarget], names: Names) -> Report:
    found: list[Difference]
    ours = _targets(session)
    if any(target.attributes for target in theirs):
        rules = [target for target in ours if isinstance(target, RuleTarget)]
        found = query.compare_attributes(theirs, rules)
        count = len(rules)
    else:
        kinds = {target.kind for target in theirs}
        if "source file" not in kinds:  # the dump has rules only
            ours = [target for target in ours if isinstance(target, RuleTarget)]
        found = query.compare_targets(theirs, ours, names)
        count = len(ours)
    return Report(len(theirs), count, len(theirs), tuple(found), (), "targets")


def _targets(session: Session) -> list[Target]:
    """All targets of the packages that the target patterns name."""
    found: list[Target] = []
    for text in session.targets:
        pattern = parse_target_pattern(text, None, session.workspace.mapping)
        packages = session.loader.packages_below(pattern.package) if pattern.recursive else [pattern.package]
        for identifier in packages:
            found += session.loader.package(identifier).targets.values()
    return found
