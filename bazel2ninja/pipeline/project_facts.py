"""What of a workspace a Debian package would install and test."""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
from collections.abc import Iterable

from bazel2ninja.analysis.action import CppLinkAction, TestAction
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.debpkg.libraries import include_path
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.pipeline.build import wanted_labels
from bazel2ninja.pipeline.session import Session
from bazel2ninja.records import dataclass, field
from bazel2ninja.rules.cc_info import CcInfo, compilation_context_of, linking_context_of

_ASIDE = re.compile(r"(test|example|sample|bench|benchmark|demo|tutorial|fuzz)s?(ing|ers?|data)?")
_SHARED = re.compile(r"lib(.+)\.so(\.\d+)*")
_LARGE = ("large", "enormous")


@dataclass(slots=True)
class ProjectFacts:
    """See debpkg.debianize.Facts.  libraries: with those that have headers only, when another one has code.

    packages, test_packages: of the libraries of the system that the targets, or only the tests, are built against.
    """

    has_code: bool = False
    libraries: list[str] = field(default_factory=list)
    shared: dict[str, str] = field(default_factory=dict)
    programs: dict[str, str] = field(default_factory=dict)
    tests: list[str] = field(default_factory=list)
    large_tests: int = 0
    left_out: list[tuple[str, str]] = field(default_factory=list)
    embedded: dict[str, None] = field(default_factory=dict)
    headers: dict[str, None] = field(default_factory=dict)
    packages: list[str] = field(default_factory=list)
    test_packages: list[str] = field(default_factory=list)
    public: list[ConfiguredTarget] = field(default_factory=list)


def gather(session: Session) -> ProjectFacts:
    """Analyses every target of the workspace; those that cannot be are left out, with the reason."""
    facts = ProjectFacts()
    labels, _, failures = wanted_labels(session, ("//...",))
    facts.left_out += [(str(e.diagnostic.location or "a package"), e.diagnostic.message) for e in failures]
    tests: list[Label] = []
    broken = bool(failures)
    first = {label for label in labels if _may_be_installed(session, label)}
    others = (label for label in labels if label not in first)
    for label in (*(each for each in labels if each in first), None, *others):
        if label is None:  # what is reached from here on is for tests only
            facts.packages = _system_packages(session)
            continue
        try:
            target = session.analyzer.configured_target(label, session.configurations.target)
        except WorkspaceError as error:
            broken = True
            facts.left_out.append((str(label), error.diagnostic.message))
            continue
        if target.incompatibility is None and isinstance(target.target, RuleTarget) and target.actual == label:
            if target.target.rule_class.test:
                tests.append(label)
            elif _is_for_others(target.target):
                _add(session, target, facts)
    facts.test_packages = [name for name in _system_packages(session) if name not in facts.packages]
    if not facts.has_code:
        facts.left_out += [(label, "a library of headers only") for label in facts.libraries]
        facts.libraries = []
    if tests:
        facts.tests = [str(label) for label in tests] if broken else ["//..."]
    actions = (action for action in session.analyzer.actions if isinstance(action, TestAction))
    facts.large_tests = sum(action.size in _LARGE for action in actions)
    return facts


def _may_be_installed(session: Session, label: Label) -> bool:
    try:
        target = session.loader.target(label)
    except WorkspaceError:
        return False
    return isinstance(target, RuleTarget) and not target.rule_class.test and _is_for_others(target)


def _system_packages(session: Session) -> list[str]:
    used = session.system_libraries.used.values()
    return list(dict.fromkeys(package for installed in used for package in installed.library.wanted_packages))


def _is_for_others(target: RuleTarget) -> bool:
    aside = any(
        _ASIDE.fullmatch(part) for part in re.split(r"[/_.-]", f"{target.label.package.path}/{target.label.name}")
    )
    return target.visibility.public and not aside and not target.value("testonly")


def _add(session: Session, target: ConfiguredTarget, facts: ProjectFacts) -> None:
    label = str(target.actual)
    kind = target.kind
    executable = target.executable
    link = session.analyzer.generating_action(executable) if executable is not None else None
    if kind == "cc_shared_library":
        files = target.files.flatten()
        link = session.analyzer.generating_action(files[0]) if files else None
    if isinstance(link, CppLinkAction):
        name = posixpath.basename(link.output.exec_path)
        shared = _SHARED.fullmatch(name)
        if shared is not None:
            facts.shared[label] = shared[1]
        elif link.kind == "executable":
            facts.programs[label] = name
        else:
            facts.left_out.append((label, f"a shared library whose name '{name}' does not begin with 'lib'"))
        return
    info = target.get(CcInfo)
    if info is None or "library" not in kind:
        return
    entries = linking_context_of(info).linker_inputs.flatten()
    context = compilation_context_of(info)
    if any(entry.libraries for entry in entries):
        facts.has_code = True
    elif not context.direct_public_headers:
        return
    facts.libraries.append(label)
    facts.public.append(target)
    for entry in entries:
        if entry.libraries and entry.owner.package.repository:
            facts.embedded[entry.owner.package.repository] = None
    for header in context.direct_public_headers:
        if header.exec_path.endswith((".h", ".hh", ".hpp", ".hxx")):
            facts.headers[include_path(header, (*context.includes, *context.system_includes))] = None


def packages_of(paths: Iterable[str]) -> list[str]:
    """Names of the Debian packages that own absolute paths; none for what no package owns, or without dpkg."""
    found: dict[str, None] = {}
    for path in paths:
        if not os.path.isabs(path):
            continue
        try:
            result = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True, check=False)
        except OSError:
            return []
        if result.returncode == 0:
            found[result.stdout.split(": ")[0].split(",")[0].partition(":")[0]] = None
    return list(found)
