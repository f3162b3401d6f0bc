"""What a kind of rule is: its attributes and what runs when a target of it is analysed.

Native kinds are made by rules/, others by rule() in a .bzl file (https://bazel.build/rules/lib/globals/bzl#rule); after
loading nothing tells them apart but the implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType

from bazel2ninja.diagnostics import Location
from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.records import dataclass, field


class AttributeType(Enum):
    """Bazel's attribute types; the value is the name that messages use."""

    BOOLEAN = "boolean"
    TRISTATE = "tristate"
    INTEGER = "int"
    INTEGER_LIST = "list(int)"
    STRING = "string"
    STRING_LIST = "list(string)"
    STRING_DICT = "dict(string, string)"
    STRING_LIST_DICT = "dict(string, list(string))"
    LABEL = "label"
    LABEL_LIST = "list(label)"
    LABEL_KEYED_STRING_DICT = "dict(label, string)"
    STRING_KEYED_LABEL_DICT = "dict(string, label)"
    LABEL_LIST_DICT = "dict(string, list(label))"
    NODEP_LABEL = "nodep_label"
    NODEP_LABEL_LIST = "list(nodep_label)"
    OUTPUT = "output"
    OUTPUT_LIST = "list(output)"
    LICENSE = "license"

    __hash__ = object.__hash__  # members are singletons; Enum's own runs in Python, a million times in a large project

    @property
    def is_dependency(self) -> bool:
        """Values are labels that the analysis follows."""
        return self in _DEPENDENCIES

    @property
    def is_output(self) -> bool:
        return self in (AttributeType.OUTPUT, AttributeType.OUTPUT_LIST)


_DEPENDENCIES = frozenset(
    (
        AttributeType.LABEL,
        AttributeType.LABEL_LIST,
        AttributeType.LABEL_KEYED_STRING_DICT,
        AttributeType.STRING_KEYED_LABEL_DICT,
        AttributeType.LABEL_LIST_DICT,
    )
)


_EMPTY_DICT: Mapping[object, object] = MappingProxyType({})
_EMPTY_VALUES: Mapping[AttributeType, object] = MappingProxyType(
    {
        AttributeType.BOOLEAN: False,
        AttributeType.TRISTATE: -1,
        AttributeType.INTEGER: 0,
        AttributeType.INTEGER_LIST: (),
        AttributeType.STRING: "",
        AttributeType.STRING_LIST: (),
        AttributeType.STRING_DICT: _EMPTY_DICT,
        AttributeType.STRING_LIST_DICT: _EMPTY_DICT,
        AttributeType.LABEL_LIST: (),
        AttributeType.LABEL_KEYED_STRING_DICT: _EMPTY_DICT,
        AttributeType.STRING_KEYED_LABEL_DICT: _EMPTY_DICT,
        AttributeType.LABEL_LIST_DICT: _EMPTY_DICT,
        AttributeType.NODEP_LABEL_LIST: (),
        AttributeType.OUTPUT_LIST: (),
        AttributeType.LICENSE: (),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class ComputedDefault:
    """A default that depends on other attributes: `compute(*values)` with the values of `attributes`, in order."""

    compute: Callable[..., object]
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ConfigurationField:
    """configuration_field(fragment, name): a label that the configuration gives when the target is analysed."""

    fragment: str
    name: str

    starlark_type = "LateBoundDefault"


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """One attribute of a rule kind.

    default: native Python/Starlark value (labels as `Label`), ComputedDefault or ConfigurationField; None becomes the
    type's empty value.
    allow_files: True, False or a tuple of file name endings (".cc").
    cfg: "target", "exec", "none", or a value of loading/transition.py.
    providers: alternatives, each a tuple of provider keys that a dependency must all have.
    """

    name: str
    type: AttributeType
    default: object = None
    mandatory: bool = False
    allow_empty: bool = True
    allowed_values: tuple[object, ...] = ()
    allow_files: bool | tuple[str, ...] = False
    single_file: bool = False
    allow_rules: tuple[str, ...] | None = None
    providers: tuple[tuple[object, ...], ...] = ()
    aspects: tuple[object, ...] = ()
    executable: bool = False
    cfg: object = "target"
    configurable: bool = True
    irrelevant: str | None = None
    """Why the value has no effect on the build (shown by `explain`); such an attribute is accepted and not read."""
    doc: str = ""
    unseen: bool = False
    """Nothing that a target gives its users depends on the value, so that only an aspect can tell what it is."""
    is_private: bool = field(default=False, init=False)
    """Not to be set in BUILD files."""
    of_subrule: bool = field(default=False, init=False)
    """Declared by a subrule; its name holds the subrule's, and `ctx` does not show it."""

    starlark_type = "Attribute"

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_private", self.name.startswith(("_", "$", ":")))
        object.__setattr__(self, "of_subrule", "%" in self.name)
        if self.default is None:
            object.__setattr__(self, "default", _EMPTY_VALUES.get(self.type))

    def starlark_repr(self) -> str:
        return "<attr>"


@dataclass(slots=True, eq=False)
class RuleClass:
    """A kind of rule.  Mutable only until the .bzl file that makes it has been loaded, when it gets its name.

    implementation: for a native kind `callable(RuleContext) -> providers`; for others a Starlark function.
    outputs: rule(outputs = ...): name -> template ("%{name}.h"), or what returns such a dict: a Starlark function whose
    parameters name attributes, or for a native kind `callable(RuleTarget)`.
    toolchains: (label of the toolchain type, whether it is mandatory).
    exec_groups: name -> loading.transition.ExecGroup.
    subrules: those that the implementation may call; their attributes, and those of a parent's, are among `attributes`.
    parent: the kind that this one extends (rule(parent = ...)); its implementation is what ctx.super() calls.
    """

    name: str
    attributes: Mapping[str, Attribute]
    implementation: object
    native: bool = False
    executable: bool = False
    test: bool = False
    outputs: object = None
    output_to_genfiles: bool = False
    toolchains: tuple[object, ...] = ()  # (Label, mandatory)
    exec_compatible_with: tuple[Label, ...] = ()
    exec_groups: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    cfg: object = None  # incoming transition
    build_setting: object = None  # of config.bool() and the like
    provides: tuple[object, ...] = ()
    fragments: tuple[str, ...] = ()
    initializer: object = None
    subrules: tuple[object, ...] = ()
    location: Location | None = None
    defined_in: Label | None = None  # the .bzl file
    doc: str = ""
    analysis_test: bool = False
    exposes_actions: bool = False  # _skylark_testable: dependents may read the actions (the Actions provider)
    parent: RuleClass | None = None
    own_attributes: frozenset[str] = frozenset()  # those that rule(attrs = ...) names, an initializer's parameters

    # what loading asks of every target of the kind
    mandatory_attributes: tuple[str, ...] = field(default=(), init=False)
    output_attributes: tuple[str, ...] = field(default=(), init=False)
    default_labels: Mapping[PackageIdentifier, tuple[Label, ...]] = field(default_factory=dict, init=False)
    unseen_attributes: frozenset[str] = field(default=frozenset(), init=False)

    def __post_init__(self) -> None:
        attributes = self.attributes.values()
        self.mandatory_attributes = tuple(a.name for a in attributes if a.mandatory and a.name != "name")
        self.output_attributes = tuple(a.name for a in attributes if a.type.is_output)
        self.unseen_attributes = frozenset(a.name for a in attributes if a.unseen)
        labels: dict[PackageIdentifier, tuple[Label, ...]] = {}
        for attribute in attributes:
            if attribute.type.is_dependency and attribute.default:
                default = attribute.default
                for label in default if isinstance(default, tuple | Mapping) else (default,):
                    if isinstance(label, Label):
                        labels[label.package] = (*labels.get(label.package, ()), label)
        self.default_labels = labels

    def public_attributes(self) -> list[str]:
        """Names that a BUILD file may give."""
        return [name for name, attribute in self.attributes.items() if not attribute.is_private]
