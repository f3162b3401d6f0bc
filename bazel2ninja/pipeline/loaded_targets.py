"""What the evaluation of queries asks of the loading stage."""

from __future__ import annotations

from collections.abc import Iterable

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.labels import Label, PackageIdentifier, parse_target_pattern
from bazel2ninja.loading.target import Package, Target
from bazel2ninja.pipeline.build import wanted_labels
from bazel2ninja.pipeline.session import Session


class LoadedTargets:
    """The loading stage as the evaluation sees it (bazel2ninja.query.evaluate.TargetSource)."""

    def __init__(self, session: Session):
        self.session = session
        self.failures: list[WorkspaceError] = []

    def target(self, label: Label) -> Target:
        return self.session.loader.target(label)

    def package(self, identifier: PackageIdentifier) -> Package:
        return self.session.loader.package(identifier)

    def labels(self, pattern: str) -> Iterable[Label]:
        parse_target_pattern(pattern, None, self.session.workspace.mapping)
        labels, _, failures = wanted_labels(self.session, [pattern], with_manual=True)
        self.failures += failures
        return labels

    def load_closure(self, package: Package) -> Iterable[Label]:
        return self.session.loader.load_closure(package)

    def is_visible(self, consumer: Label, dependency: Target) -> bool:
        return self.session.loader.is_visible(consumer, dependency)
