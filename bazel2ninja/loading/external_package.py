"""Packages that no BUILD file makes: //external, with the targets of bind() in WORKSPACE, and //tools/defaults."""

from __future__ import annotations

from collections.abc import Mapping

from bazel2ninja.diagnostics import Location
from bazel2ninja.labels import Label, PackageIdentifier, parse_label
from bazel2ninja.loading.rule_class import RuleClass
from bazel2ninja.loading.target import PUBLIC, Package, PackageDefaults, RuleTarget, Target

EXTERNAL = PackageIdentifier("", "external")
TOOLS_DEFAULTS = PackageIdentifier("", "tools/defaults")
"""The tools of the command line as targets, until Bazel 0.23 (--incompatible_disable_tools_defaults_package)."""

Bindings = Mapping[str, tuple[Label | None, Location]]
"""Name -> what it stands for (None: nothing), and the place of the bind()."""


def tools_defaults_package(kind: RuleClass, directory: str) -> Package:
    """The package //tools/defaults: the C++ toolchain."""
    bindings: Bindings = {
        "crosstool": (parse_label("@bazel_tools//tools/cpp:current_cc_toolchain"), Location("built in"))
    }
    return external_package(bindings, kind, directory, TOOLS_DEFAULTS)


def external_package(
    bindings: Bindings, kind: RuleClass, directory: str, identifier: PackageIdentifier = EXTERNAL
) -> Package:
    """The package with a target of the given kind (one with an attribute `actual`) for each binding."""
    targets: dict[str, Target] = {}
    for name, (actual, location) in bindings.items():
        attributes: dict[str, object] = {"name": name}
        if actual is not None:
            attributes["actual"] = actual
        targets[name] = RuleTarget(
            Label(identifier, name), kind, attributes, PUBLIC, ((location, "<toplevel>"), (location, "bind"))
        )
    return Package(identifier, Label(identifier, "WORKSPACE"), directory, targets, PackageDefaults())
