"""Which targets a command line means, and what building them takes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence

from bazel2ninja.analysis.action import TestAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.debpkg.installation import Installation
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.graph import build as graph_build
from bazel2ninja.graph.build import BuildGraph
from bazel2ninja.labels import Label, PackageIdentifier, TargetPattern, parse_target_pattern
from bazel2ninja.loading.target import Package, RuleTarget
from bazel2ninja.pipeline.session import Session
from bazel2ninja.records import dataclass, field
from bazel2ninja.rules.test_suite import expand_test_suite, is_test_suite


@dataclass(frozen=True, slots=True)
class TopLevel:
    """A target that the command line asked for, analysed.  `files` is what `bazel build` would make of it.

    runfiles: MANIFEST of the tree that lies beside a program with files to read when it runs; None for tests, whose
    trees are made when they run (https://bazel.build/reference/command-line-reference#flag--build_runfile_links).
    """

    label: Label
    target: ConfiguredTarget
    files: tuple[Artifact, ...]
    testonly: bool
    executable: Artifact | None
    runfiles: Artifact | None = None

    @property
    def made(self) -> tuple[Artifact, ...]:
        """What building the target makes: its files and its runfiles tree."""
        return self.files if self.runfiles is None else (*self.files, self.runfiles)


@dataclass(slots=True)
class Build:
    """The result of the analysis: targets in the order of their labels, the graph of what they need.

    failures: targets (or packages) that could not be analysed, with -k; skipped: those incompatible with the platform.
    installation: what `install` of generate() asked for.  matches: how the patterns came to the targets.
    """

    targets: list[TopLevel]
    graph: BuildGraph
    failures: list[WorkspaceError] = field(default_factory=list)
    skipped: list[Label] = field(default_factory=list)
    installation: Installation = field(default_factory=Installation)
    matches: Matches = field(default_factory=lambda: Matches())


@dataclass(slots=True)
class Matches:
    """What target patterns match, by pattern and package; filled in by who asks the loader, and asked first.

    packages: pattern -> those that it covers.  names: (pattern, package) -> of targets.  expansions: a target that a
    pattern matches -> the tests of a suite, or itself.
    """

    packages: dict[str, list[PackageIdentifier]] = field(default_factory=dict)
    names: dict[tuple[str, PackageIdentifier], tuple[str, ...]] = field(default_factory=dict)
    expansions: dict[Label, tuple[Label, ...]] = field(default_factory=dict)


def wanted_labels(
    session: Session, patterns: Sequence[str], *, with_manual: bool = False, matches: Matches | None = None
) -> tuple[list[Label], set[Label], list[WorkspaceError]]:
    """Labels that the patterns match, those of them that were named one by one, and broken packages (only with -k).

    As in Bazel: wildcards leave out targets tagged "manual" (unless with_manual or --build_manual_tests is said); a
    later pattern with "-" takes labels away.
    """
    keep_going = bool(session.options.run["keep_going"])
    with_manual = with_manual or bool(session.options.run["build_manual_tests"])
    matches = Matches() if matches is None else matches
    failures: list[WorkspaceError] = []
    found: dict[Label, None] = {}
    named: set[Label] = set()
    for text in patterns:
        pattern = parse_target_pattern(text, None, session.workspace.mapping)
        try:
            labels, broken = _matched(session, pattern, with_manual, matches)
        except WorkspaceError as error:
            if not keep_going:
                raise
            failures.append(error)
            continue
        if broken and not keep_going:
            raise broken[0]
        failures += broken
        if pattern.negative:
            for label in labels:
                found.pop(label, None)
        else:
            found.update(dict.fromkeys(labels))
            if pattern.name is not None:
                named.update(labels)
    return sorted(found, key=operator.attrgetter("order")), named, failures


def _matched(
    session: Session, pattern: TargetPattern, with_manual: bool, matches: Matches
) -> tuple[list[Label], list[WorkspaceError]]:
    loader = session.loader
    if pattern.name is not None:
        label = Label(pattern.package, pattern.name)
        if not pattern.negative and (pattern.text, pattern.package) not in matches.names:
            loader.subject(label)
            if label in loader.missing and not loader.is_absent(label.repository):
                loader.own_package(label.package)  # what the user names must be there
            matches.names[pattern.text, pattern.package] = (pattern.name,)
        return [label], []
    packages = matches.packages.get(pattern.text)
    if packages is None:
        packages = list(loader.packages_below(pattern.package)) if pattern.recursive else [pattern.package]
        matches.packages[pattern.text] = packages
    labels: list[Label] = []
    broken: list[WorkspaceError] = []
    for identifier in packages:
        names = matches.names.get((pattern.text, identifier))
        if names is None:
            try:
                package = loader.own_package(identifier)
            except WorkspaceError as error:
                broken.append(error)
                continue
            names = matches.names[pattern.text, identifier] = tuple(_names(package, pattern, with_manual))
        labels += [Label(identifier, name) for name in names]
    if not packages:
        raise WorkspaceError(Diagnostic(f"no packages are below '{pattern.text}'"))
    return labels, broken


def _names(package: Package, pattern: TargetPattern, with_manual: bool) -> Iterator[str]:
    """The names of a package's targets that a wildcard matches."""
    for name, target in sorted(package.targets.items()):
        if isinstance(target, RuleTarget):
            if with_manual or not pattern.rules_only or not _is_manual(target):
                yield target.label.name
        elif not pattern.rules_only and target.kind in ("source file", "generated file"):
            yield name


def _is_manual(target: RuleTarget) -> bool:
    tags = target.attributes.get("tags") or ()
    return isinstance(tags, list | tuple) and "manual" in tags


def analyse(
    session: Session,
    patterns: Sequence[str] = (),
    install: Callable[[Session, Sequence[TopLevel]], Installation] | None = None,
) -> Build:
    """Analyses what the command line asks for, and what installing it takes.

    Raises WorkspaceError for the first target that cannot be analysed; with -k those are in Build.failures.
    """
    keep_going = bool(session.options.run["keep_going"])
    for name in session.profile.always if session.profile is not None else ():
        session.workspace.repository(name)  # its rule raises when what the user says is wrong
    matches = Matches()
    labels, named, failures = wanted_labels(session, patterns or session.targets, matches=matches)
    found: dict[Label, TopLevel] = {}
    skipped: list[Label] = []
    for label in with_suites_expanded(session, labels, failures, keep_going, matches):
        try:
            target = session.analyzer.configured_target(label, session.configurations.target)
        except WorkspaceError as error:
            if not keep_going:
                raise
            failures.append(error)
            continue
        if target.incompatibility is not None:
            if label in named:
                raise WorkspaceError(
                    Diagnostic(
                        f"target '{label}' is incompatible with the target platform: {target.incompatibility}",
                        session.loader.target(label).location,
                    )
                )
            skipped.append(label)
            continue
        found[label] = top_level(label, target)
    session.check_mixture()
    targets = [found[label] for label in sorted(found, key=operator.attrgetter("order"))]
    requested: dict[Artifact, None] = {}
    for top in targets:
        requested.update(dict.fromkeys(top.made))
    wanted = {top.target.actual for top in targets}
    for action in session.analyzer.actions:
        if isinstance(action, TestAction) and action.owner in wanted:
            requested.update(dict.fromkeys(action.outputs))
    installation = install(session, targets) if install is not None else Installation()
    requested.update(dict.fromkeys(artifact for artifact, _ in installation.files.values()))
    graph = graph_build.build([*session.analyzer.actions, *installation.actions], requested)
    return Build(targets, graph, failures, skipped, installation, matches)


def with_suites_expanded(
    session: Session, labels: Iterable[Label], failures: list[WorkspaceError], keep_going: bool, matches: Matches
) -> list[Label]:
    """`labels` with the tests of a suite for the suite; failures: takes what goes wrong when `keep_going`."""
    expanded: dict[Label, None] = {}
    for label in labels:
        try:
            tests = matches.expansions.get(label)
            if tests is None:
                target = session.loader.subject(label)
                tests = tuple(expand_test_suite(session.loader, target)) if is_test_suite(target) else (label,)
                matches.expansions[label] = tests
            expanded.update(dict.fromkeys(tests))
        except WorkspaceError as error:
            if not keep_going:
                raise
            failures.append(error)
    return list(expanded)


def top_level(label: Label, target: ConfiguredTarget) -> TopLevel:
    """What asking for a target on the command line means."""
    files = list(target.files.flatten())
    if target.executable is not None:
        files.append(target.executable)
    rule = target.target
    is_test = isinstance(rule, RuleTarget) and rule.rule_class.test
    testonly = is_test or (isinstance(rule, RuleTarget) and bool(rule.value("testonly")))
    tree = None if is_test else _runfiles_tree(target, files)
    return TopLevel(label, target, tuple(dict.fromkeys(files)), testonly, target.executable, tree)


def _runfiles_tree(target: ConfiguredTarget, files: Sequence[Artifact]) -> Artifact | None:
    """The MANIFEST of a program's tree; None when nothing but what is built anyway would be in it."""
    run = target.files_to_run
    if run.manifest is None:
        return None
    runfiles = run.runfiles
    if runfiles.symlinks or runfiles.root_symlinks or not set(files).issuperset(runfiles.files.flatten()):
        return run.manifest
    return None
