"""What a package is made of."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bazel2ninja.diagnostics import Diagnostic, Location
from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.loading.call_sites import CallSites
from bazel2ninja.loading.macro_scope import MacroScope
from bazel2ninja.loading.rule_class import RuleClass
from bazel2ninja.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Visibility:
    """Who may depend on a target: everybody, nobody outside the package, or packages and package groups."""

    public: bool = False
    packages: tuple[tuple[PackageIdentifier, bool], ...] = ()  # (package, with everything below it)
    groups: tuple[Label, ...] = ()


PUBLIC = Visibility(public=True)
PRIVATE = Visibility()


@dataclass(slots=True, eq=False)
class RuleTarget:
    """A rule in a package.

    attributes: only those given (explicitly or by a macro), converted: labels are `Label`s, select()s are
    `SelectList`s of converted branches, lists are tuples.  Defaults are in the rule class; `value(name)` looks there.
    frames: the call stack that made it, outermost (the BUILD file) first: (location, function name).
    """

    label: Label
    rule_class: RuleClass
    attributes: Mapping[str, object]
    visibility: Visibility
    frames: tuple[tuple[Location, str], ...] = ()
    outputs: Mapping[str, tuple[Label, ...]] = field(default_factory=dict)  # attribute or outputs= key -> labels
    generator_function: str = ""
    package_defaults: PackageDefaults | None = None
    sites: CallSites | None = None  # of the BUILD file

    @property
    def location(self) -> Location:
        return self.frames[0][0]

    @property
    def generator_name(self) -> str:
        """The name given to the macro call that made the target; "" for a rule that the BUILD file itself calls."""
        if not self.generator_function:
            return ""
        given = self.sites.name_argument(self.location) if self.sites is not None else None
        return given or self.label.name

    @property
    def kind(self) -> str:
        """As `query` prints it: "cc_library rule"."""
        return f"{self.rule_class.name} rule"

    @property
    def class_name(self) -> str:
        """The name of the rule class."""
        return self.rule_class.name

    @property
    def is_testonly(self) -> bool:
        """Whether only tests may depend on a rule: by its attribute, its package's default or because it is a test."""
        given = self.attributes.get("testonly")
        if given is not None:
            return bool(given)
        return self.rule_class.test or (self.package_defaults is not None and self.package_defaults.testonly)

    def value(self, name: str) -> object:
        """What the BUILD file says, or the default of the attribute (still a ComputedDefault and the like)."""
        if name in self.attributes:
            return self.attributes[name]
        if name in _PACKAGE_DEFAULTS and self.package_defaults is not None:
            given = getattr(self.package_defaults, _PACKAGE_DEFAULTS[name])
            if given:
                return given
        return self.rule_class.attributes[name].default


_PACKAGE_DEFAULTS: Mapping[str, str] = MappingProxyType(
    {
        "testonly": "testonly",
        "deprecation": "deprecation",
        "applicable_licenses": "applicable_licenses",
        "package_metadata": "applicable_licenses",
        "licenses": "licenses",
    }
)
"""Attributes whose default package() may give -> field of PackageDefaults.  (Its features add to a rule's own.)"""


@dataclass(frozen=True, slots=True, eq=False)
class SourceFile:
    """A file of the package's directory, named in a rule, glob() or exports_files()."""

    label: Label
    visibility: Visibility
    location: Location
    kind = "source file"


@dataclass(frozen=True, slots=True, eq=False)
class OutputFile:
    """A file that a rule of the same package makes and that has a label of its own."""

    label: Label
    generating_rule: Label
    location: Location
    visibility: Visibility
    kind = "generated file"


@dataclass(frozen=True, slots=True, eq=False)
class PackageGroup:
    """package_group().  `specifications`: (package, with everything below, negated); public/private as flags."""

    label: Label
    specifications: tuple[tuple[PackageIdentifier, bool, bool], ...]
    includes: tuple[Label, ...]
    public: bool
    location: Location
    kind = "package group"
    visibility = PUBLIC


Target = RuleTarget | SourceFile | OutputFile | PackageGroup


@dataclass(frozen=True, slots=True, eq=False)
class PackageDefaults:
    """What package() said: defaults for the package's targets."""

    visibility: Visibility = PRIVATE
    testonly: bool = False
    features: tuple[str, ...] = ()
    copts: tuple[str, ...] = ()
    applicable_licenses: tuple[Label, ...] = ()
    deprecation: str | None = None
    licenses: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Package:
    """A loaded BUILD file."""

    identifier: PackageIdentifier
    build_file: Label
    directory: str  # as the process opens it
    targets: dict[str, Target]
    defaults: PackageDefaults
    loads: tuple[Label, ...] = ()  # .bzl files, direct
    absent: Mapping[str, Diagnostic] = field(default_factory=dict)
    """Names of targets that a macro or rule of an absent repository would have made: why they are not there."""
    scopes: Mapping[str, MacroScope] = field(default_factory=dict)
    """Names of the rules that symbolic macros have declared: by which call."""
