"""`bazel2ninja crosscheck`: compare with what Bazel says it would do."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bazel2ninja.commands import workspace_words
from bazel2ninja.configuration.configuration import Settings
from bazel2ninja.crosscheck import dumps, parameter_file
from bazel2ninja.crosscheck.intended import Circumstances, Intended, default_entries, parse
from bazel2ninja.crosscheck.oracle import ActionDump, needed
from bazel2ninja.crosscheck.records import Names
from bazel2ninja.crosscheck.report import Report, crosscheck
from bazel2ninja.crosscheck.targets import TargetDump
from bazel2ninja.diagnostics import Diagnostic, Location, UsageError, WorkspaceError
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.pipeline import target_comparison
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
        "DUMP is told by its content:\n"
        "  actions    'bazel aquery' as text, proto, textproto or jsonproto; an action list as JSON lines; the log of\n"
        "             'bazel build -s'; parameter files of links (NAME-2.params): a file, or a directory of them\n"
        "  targets    'bazel query' as build, graph, label, label_kind, location, maxrank, minrank, proto,\n"
        "             streamed_proto or xml; 'bazel cquery' as build, graph, jsonproto, label, label_kind, proto,\n"
        "             textproto or transitions; a list of labels, a repository's name may stand for its targets\n"
        "  files      'bazel cquery --output=files'\n"
        "Each may be compressed with xz.  A log and the parameter files that it names may be given together.\n"
        "Exit status 3: differences.\n\n" + workspace_words.EPILOG
    )
    parser.add_argument(
        "--against",
        metavar="DUMP",
        action="append",
        default=[],
        help="the dump to compare with; a log may have several",
    )
    parser.add_argument(
        "--query",
        metavar="EXPRESSION",
        help="what query or cquery was asked, such as 'kind(\"source file\", deps(//a:b))'; by default deps(TARGETS) "
        "or all targets of their packages, as the dump looks",
    )
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
    if not own.against:
        raise UsageError(Diagnostic("no dump to compare with", help="write --against DUMP"))
    with borrowed_root() as root, Progress("reading the dump") as progress:
        session = Session(Request(source=source, words=rest, output_root=root, environment=os.environ))
        entries = list(default_entries())
        for name in own.intended:
            entries += parse(session.filesystem.read(name).decode("utf-8", "replace"), name)
        dump = _read(session, own.against)
        names = Names(tuple(dict.fromkeys((session.workspace.name, *own.main_repository))))
        if own.query is not None and not isinstance(dump, TargetDump):
            raise UsageError(Diagnostic("--query is for dumps of query and cquery", help="this one has no targets"))
        progress.step("loading packages" if isinstance(dump, TargetDump) else "analysing")
        if isinstance(dump, TargetDump):
            report = target_comparison.compare(session, dump, names, entries, own.query)
        elif isinstance(dump, ActionDump):
            build = analyse(session)
            progress.step("comparing")
            report = compare_actions(session, build, dump, names, entries)
        else:
            report = target_comparison.compare_files(session, dump, names, entries)
    sys.stdout.write(report.json() + "\n" if own.json else report.text(own.limit))
    return report.status


def _read(session: Session, paths: Sequence[str]) -> dumps.Dump:
    """What all that --against names holds; a directory stands for the parameter files in it."""
    found: list[tuple[str, dumps.Dump]] = []
    for path in paths:
        names = [path]
        if session.filesystem.is_directory(path):
            names = sorted(
                os.path.join(directory, name)
                for directory, _, files in os.walk(path)
                for name in files
                if name.endswith(".params")
            )
            if not names:
                raise WorkspaceError(Diagnostic(f"no parameter file ('*.params') is in '{path}'", Location(path, 1, 1)))
        found += [(name, dumps.read(session.filesystem.read(name), name)) for name in names]
    if len(found) == 1:
        return found[0][1]
    actions = [(name, dump) for name, dump in found if isinstance(dump, ActionDump)]
    for name, dump in found:
        if not isinstance(dump, ActionDump):
            raise WorkspaceError(Diagnostic("only action lists may be given together", Location(name, 1, 1)))
    return parameter_file.merged(actions)


def compare_actions(
    session: Session, build: Build, dump: ActionDump, names: Names, entries: Iterable[Intended]
) -> Report:
    """Our actions of `build` against those of a dump, as the command does it."""
    actions = list(dump.actions)
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
    declared = target_comparison.declared(session, {names.label(action.label) for action in actions if action.label})
    circumstances = Circumstances(
        _command_line_flags(session.configurations.target.settings),
        {label: target.rule_class.name for label, target in declared.items() if isinstance(target, RuleTarget)},
        session.release,
    )
    return crosscheck(
        build.graph.actions.values(),
        replace(dump, actions=tuple(actions)),
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
