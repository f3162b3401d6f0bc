"""Which targets of ours a dump of `bazel query` or `bazel cquery` is to be compared with."""

from __future__ import annotations

from collections.abc import Iterable

from bazel2ninja.crosscheck import query
from bazel2ninja.crosscheck.compare import Difference, located
from bazel2ninja.crosscheck.intended import Circumstances, Intended, sort_out
from bazel2ninja.crosscheck.records import Names
from bazel2ninja.crosscheck.report import Report
from bazel2ninja.crosscheck.targets import TargetDump
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.labels import Label, parse_label, parse_target_pattern
from bazel2ninja.loading.target import RuleTarget, Target
from bazel2ninja.pipeline.build import analyse
from bazel2ninja.pipeline.loaded_targets import LoadedTargets
from bazel2ninja.pipeline.session import Session
from bazel2ninja.query import language
from bazel2ninja.query.evaluate import Evaluator

_FIELDS = frozenset(("target", "kind", "dependency", "repository", "attribute", "file"))
"""What may differ in lists of targets and files; other intended differences are about actions."""


class _Answers:
    """Our side of a comparison (bazel2ninja.crosscheck.query.Answers)."""

    def __init__(self, session: Session, configured: bool):
        self.session = session
        self.evaluator = Evaluator(LoadedTargets(session), chosen=self.chosen if configured else None)

    def dependencies(self, label: Label) -> Iterable[Label]:
        return self.evaluator.dependencies(label)

    def chosen(self, target: RuleTarget, attribute: str) -> object:
        configuration = self.session.configurations.target
        declared = target.rule_class.attributes[attribute]
        return self.session.conditions.resolve(target.value(attribute), declared, configuration, None, target)


def compare(
    session: Session, dump: TargetDump, names: Names, entries: Iterable[Intended], expression: str | None
) -> Report:
    """The targets of a dump and ours.

    expression: what query or cquery was asked.  Without one it is taken for deps(TARGETS) when TARGETs are named one by
    one, or when the dump holds targets of other repositories than they do; else for the targets of their packages.
    Kinds of targets (rules, source files, generated files) of which the dump has none are left out.  Raises
    WorkspaceError for what cannot be loaded.
    """
    answers = _Answers(session, dump.configured)
    asked = expression is not None
    patterns = [parse_target_pattern(text, None, session.workspace.mapping) for text in session.targets]
    if expression is None and not dump.by_name:
        here = {pattern.package.repository for pattern in patterns}
        outside = dump.repositories or any(_repository(names.label(t.label)) not in here for t in dump.targets)
        if outside or all(pattern.name is not None for pattern in patterns):
            expression = f"deps({' + '.join(session.targets)})"
    if expression is None:
        ours = all_targets(session)
    else:
        labels = answers.evaluator.evaluate(language.parse(expression))
        ours = [session.loader.target(label) for label in labels]
    if not asked:
        ours = _of_the_kinds(dump, ours, names)
    found: list[Difference] = []
    if not dump.by_name:
        found += query.compare_targets(dump, ours, names, answers)
    if any(target.attributes for target in dump.targets):
        rules = [target for target in ours if isinstance(target, RuleTarget)]
        found += query.compare_attributes(dump, rules, names, answers)
    known = {str(target.label): target for target in ours}
    rule_classes = {label: target.rule_class.name for label, target in known.items() if isinstance(target, RuleTarget)}
    whole = [d.label[1:] for d in found if d.field == "repository"]
    visited = answers.evaluator.visited_repositories()
    reached = {name for name in whole if names.repositories.get(name, name) in visited}
    absent = {name for name in reached if session.loader.is_incomplete(names.repositories.get(name, name))}
    found = [d for d in found if d.field != "repository" or d.label[1:] not in absent]
    entries = [entry for entry in entries if not entry.fields.isdisjoint(_FIELDS)]
    unexplained, absorbed = sort_out(found, entries, Circumstances(rules=rule_classes, release=session.release))
    placed = located(unexplained, {label: target.location for label, target in known.items()})
    count = len(dump.targets) + len(dump.repositories)
    lacking = sum(difference.field in ("target", "repository") and difference.kind == "missing" for difference in found)
    told = ", ".join(f"@{name}" for name in sorted(absent))
    notes = (f"repositories that are absent here: {told}",) if absent else ()
    compared = count - lacking - len(absent & dump.repositories)
    return Report(count, len(ours), compared, tuple(placed), tuple(absorbed), "targets", notes)


def _repository(label: str) -> str:
    return label[1:].partition("//")[0] if label.startswith("@") else ""


def all_targets(session: Session) -> list[Target]:
    """All targets of the packages that the target patterns name."""
    found: list[Target] = []
    for text in session.targets:
        pattern = parse_target_pattern(text, None, session.workspace.mapping)
        packages = session.loader.packages_below(pattern.package) if pattern.recursive else [pattern.package]
        for identifier in packages:
            found += session.loader.package(identifier).targets.values()
    return found


def _coarse(kind: str) -> str:
    return "rule" if kind.endswith(" rule") else kind


def _of_the_kinds(dump: TargetDump, ours: list[Target], names: Names) -> list[Target]:
    """Those of `ours` that are rules, source files ... as something in the dump is."""
    known = {str(target.label): target for target in ours}
    kinds = set()
    for target in dump.targets:
        own = known.get(names.label(target.label))
        if target.kind:
            kinds.add(_coarse(target.kind))
        elif own is not None:
            kinds.add(_coarse(own.kind))
    return [target for target in ours if _coarse(target.kind) in kinds]


def compare_files(session: Session, files: tuple[str, ...], names: Names, entries: Iterable[Intended]) -> Report:
    """What `bazel cquery --output=files` lists, and what building the same targets makes here."""
    build = analyse(session)
    wanted = set(names.texts(files))
    ours = {names.text(file.exec_path): top for top in build.targets for file in top.files}
    found = [Difference("", "", path, "file", "missing", path) for path in sorted(wanted - ours.keys())]
    for path in sorted(ours.keys() - wanted):
        rule = ours[path].target.target
        found.append(Difference(str(rule.label), rule.kind, path, "file", "extra", path, location=rule.location))
    entries = [entry for entry in entries if not entry.fields.isdisjoint(_FIELDS)]
    unexplained, absorbed = sort_out(found, entries, Circumstances(release=session.release))
    compared = len(wanted & ours.keys())
    return Report(len(wanted), len(ours), compared, tuple(unexplained), tuple(absorbed), "files")


def declared(session: Session, labels: Iterable[str]) -> dict[str, Target]:
    """The targets of these labels; those that we cannot load are left out."""
    found = {}
    for text in labels:
        try:
            found[text] = session.loader.target(parse_label(text))
        except WorkspaceError:
            continue
    return found
