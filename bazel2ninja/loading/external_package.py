"""The package //external, which no BUILD file makes: bind() of WORKSPACE files puts its targets there."""

from __future__ import annotations

from collections.abc import Mapping

from bazel2ninja.diagnostics import Location
from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.loading.rule_class import RuleClass
from bazel2ninja.loading.target import PUBLIC, Package, PackageDefaults, RuleTarget, Target

EXTERNAL = PackageIdentifier("", "external")

Bindings = Mapping[str, tuple[Label | None, Location]]
"""Name -> what it stands for (None: nothing), and the place of the bind()."""


def external_package(bindings: Bindings, kind: RuleClass, directory: str) -> Package:
    """The package with a target of the given kind (one with an attribute `actual`) for each binding."""
    targets: dict[str, Target] = {}
    for name, (actual, location) in bindings.items():
        attributes: dict[str, object] = {"name": name}
        if actual is not None:
            attributes["actual"] = actual
        targets[name] = RuleTarget(
            Label(EXTERNAL, name), kind, attributes, PUBLIC, ((location, "<toplevel>"), (location, "bind"))
        )
    return Package(EXTERNAL, Label(EXTERNAL, "WORKSPACE"), directory, targets, PackageDefaults())
