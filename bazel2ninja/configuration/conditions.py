"""Which branch of a select() is taken: https://bazel.build/docs/configurable-attributes.

A key is a config_setting, a constraint_value, or an alias of one (skylib's config_setting_group is a chain of aliases).
Among several that match, one whose settings are a strict superset of another's is more specialised and wins; what then
remains must have equal values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from bazel2ninja.configuration import build_settings
from bazel2ninja.configuration.configuration import Configuration, Configurations
from bazel2ninja.configuration.option_table import OLD_NAMES, native_options
from bazel2ninja.configuration.option_values import OptionValueError, convert, text_of, value_in
from bazel2ninja.configuration.platforms import TargetSource, constraint_value
from bazel2ninja.diagnostics import Diagnostic, Location, Note, WorkspaceError, suggestion
from bazel2ninja.labels import Label
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.loading.select import DEFAULT_CONDITION, Select, SelectList
from bazel2ninja.loading.target import RuleTarget, Target
from bazel2ninja.records import dataclass, replace

CONDITION_KINDS = ("config_setting", "constraint_value")


class Loader(TargetSource, Protocol):
    """What Conditions needs of the loader."""

    def check_visibility(self, consumer: RuleTarget, dependency: Target) -> None:
        """Raises WorkspaceError when `consumer` may not see `dependency`."""
        ...


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that a condition asks for.

    kind: "option", "define", "flag" or "constraint"; wanted and actual: as text.
    """

    kind: str
    name: str
    wanted: str
    actual: str
    holds: bool

    def __str__(self) -> str:
        if self.kind == "constraint":
            return f"the platform is {'' if self.holds else 'not '}{self.wanted}"
        name = {"define": f"--define={self.name}=", "option": f"--{self.name}=", "flag": f"--{self.name}="}[self.kind]
        if self.holds:
            return f"{name}{self.wanted} holds"
        return f"{name}{self.wanted} is wanted, it is {self.actual or 'not set'}"


@dataclass(frozen=True, slots=True)
class Match:
    """Whether a condition holds in a configuration, and why.  label: of the target behind aliases."""

    label: Label
    matched: bool
    requirements: tuple[Requirement, ...]
    settings: frozenset[tuple[str, str, str]]
    location: Location | None

    def __bool__(self) -> bool:
        return self.matched

    def refines(self, other: Match) -> bool:
        """More specialised than `other`: asks for everything that it asks for, and more."""
        return self.settings > other.settings

    @property
    def why(self) -> str:
        """The reasons in one line: those that fail, or all when it matches."""
        shown = [str(r) for r in self.requirements if r.holds or not self.matched if r.holds == self.matched]
        return "; ".join(shown)


class Conditions:
    """Decides conditions for configurations, each once.

    feature_flag: asked for the value of a flag_values key that is no build setting but provides FeatureFlagInfo (a rule
    that the analysis must run); returns None when the target provides none.  private_by_default and check_visibility:
    --incompatible_config_setting_private_default_visibility and --incompatible_enforce_config_setting_visibility.
    """

    def __init__(
        self,
        loader: Loader,
        configurations: Configurations,
        *,
        check_visibility: bool = True,
        private_by_default: bool = False,
        feature_flag: Callable[[Label, Configuration], str | None] | None = None,
    ):
        self._loader = loader
        self.configurations = configurations
        self._check_visibility = check_visibility
        self._private_by_default = private_by_default
        self.feature_flag = feature_flag
        self._known: dict[tuple[Label, Configuration], Match] = {}
        self._running: list[Label] = []

    def matches(self, label: Label, configuration: Configuration, location: Location | None = None) -> Match:
        """Whether the condition `label` holds; raises WorkspaceError for what is no condition or asks for nonsense.

        location: of the select() that names it.
        """
        key = (label, configuration)
        found = self._known.get(key)
        if found is None:
            if label in self._running:
                chain = " -> ".join(each.short for each in [*self._running[self._running.index(label) :], label])
                raise WorkspaceError(Diagnostic(f"condition depends on itself: {chain}", location))
            self._running.append(label)
            try:
                found = self._known[key] = self._decide(label, configuration, location)
            finally:
                self._running.pop()
        return found

    def _decide(self, label: Label, configuration: Configuration, location: Location | None) -> Match:
        if label is DEFAULT_CONDITION:  # an alias of skylib's config_setting_group may end here
            return Match(label, True, (), frozenset(), None)
        target = self._loader.target(label)
        if isinstance(target, RuleTarget):
            kind = target.rule_class.name
            if kind == "alias":
                actual = self.resolve(
                    target.value("actual"), target.rule_class.attributes["actual"], configuration, None, target
                )
                if not isinstance(actual, Label):
                    raise WorkspaceError(Diagnostic(f"alias {label.short} has no 'actual'", target.location))
                return self.matches(actual, configuration, target.location)
            if kind == "config_setting":
                return self._config_setting(target, configuration)
            if kind == "constraint_value":
                requirement = self._constraint(target.label, configuration, target.location)
                return _match(target, [requirement])
        raise WorkspaceError(
            Diagnostic(
                f"{label.short} is a {target.kind}, which is not a valid key of select()",
                location,
                help="a key is a config_setting, a constraint_value or an alias of one",
                notes=(Note("it is defined here", target.location),),
            )
        )

    def _config_setting(self, target: RuleTarget, configuration: Configuration) -> Match:
        requirements: list[Requirement] = []
        values = _mapping(target, "values")
        defines = _mapping(target, "define_values")
        flags = _mapping(target, "flag_values")
        constraints = target.value("constraint_values")
        constraints = constraints if isinstance(constraints, tuple) else ()
        if not (values or defines or flags or constraints):
            raise WorkspaceError(
                Diagnostic(
                    f"config_setting {target.label.short} asks for nothing: one of 'values', 'define_values', "
                    "'flag_values' or 'constraint_values' must be given",
                    target.location,
                )
            )
        for name, text in values.items():
            requirements.append(self._option(target, str(name), str(text), configuration))
        for name, text in defines.items():
            requirements.append(_define(str(name), str(text), configuration))
        for label, text in flags.items():
            assert isinstance(label, Label)
            requirements.append(self._flag(target, label, str(text), configuration))
        for label in constraints:
            requirements.append(self._constraint(label, configuration, target.location))
        return _match(target, requirements)

    def _option(self, target: RuleTarget, name: str, text: str, configuration: Configuration) -> Requirement:
        options = native_options()
        option = options.get(OLD_NAMES.get(name, name))
        if option is None or not option.selectable:
            near = suggestion(name, (o.name for o in options.values() if o.selectable))
            why = "unknown option" if option is None else "option that is not part of the configuration"
            raise WorkspaceError(
                Diagnostic(f"config_setting {target.label.short}: {why}: '{name}'", target.location, help=near)
            )
        try:
            wanted = convert(option, text)
        except OptionValueError as problem:
            raise WorkspaceError(
                Diagnostic(
                    f"config_setting {target.label.short}: '{name}' cannot be {text!r}: {problem}",
                    target.location,
                    help=problem.help,
                )
            ) from None
        if option.type == "assignment":
            assert isinstance(wanted, tuple)
            return _define(wanted[0], wanted[1], configuration)
        actual = value_in(configuration.settings, option)
        holds = actual == wanted
        if option.repeatable:
            assert isinstance(actual, tuple)
            parts = wanted if option.type == "words" and isinstance(wanted, tuple) else (wanted,)
            holds = all(part in actual for part in parts)
        return Requirement("option", option.name, text, text_of(actual), holds)

    def _flag(self, target: RuleTarget, label: Label, text: str, configuration: Configuration) -> Requirement:
        named = self._loader.target(label)
        try:
            setting = build_settings.find_setting(self._loader, label, target.location)
        except WorkspaceError as problem:
            value = self._feature(named, configuration)
            if value is None:
                message = f"config_setting {target.label.short}: {problem.diagnostic.message}"
                raise WorkspaceError(Diagnostic(message, target.location)) from None
            return Requirement("flag", label.short, text, value, value == text)
        try:
            wanted = build_settings.convert(setting, text, target.label.package)
        except OptionValueError as problem:
            message = f"config_setting {target.label.short}: {label.short} cannot be {text!r}: {problem}"
            raise WorkspaceError(Diagnostic(message, target.location)) from None
        actual = build_settings.value_of(configuration.settings, setting)
        if isinstance(actual, tuple):
            if not isinstance(wanted, tuple) or len(wanted) != 1:
                raise WorkspaceError(
                    Diagnostic(
                        f"config_setting {target.label.short}: {text!r} is not a valid value for {label.short}: "
                        "only single, exact values are allowed",
                        target.location,
                        help="skylib's selects.config_setting_group combines several conditions",
                    )
                )
            holds = wanted[0] in actual
        else:
            holds = actual == wanted
        return Requirement("flag", setting.label.short, text, text_of(actual), holds)

    def _feature(self, target: Target, configuration: Configuration) -> str | None:
        if self.feature_flag is not None:
            return self.feature_flag(target.label, configuration)
        return None

    def _constraint(self, label: Label, configuration: Configuration, location: Location) -> Requirement:
        value = constraint_value(self._loader, label, location)
        constraints = configuration.settings.constraints
        holds = value.label in constraints
        if not holds and value.default is not None:
            default = constraint_value(self._loader, value.default, location).label
            holds = default is value.label and not any(
                constraint_value(self._loader, other, location).setting is value.setting for other in constraints
            )
        actual = ", ".join(constraint.short for constraint in constraints)
        return Requirement("constraint", value.setting.short, value.label.short, actual, holds)

    def resolve(
        self,
        value: object,
        attribute: Attribute,
        configuration: Configuration,
        default: object = None,
        owner: RuleTarget | None = None,
    ) -> object:
        """`value` with the branches of its select()s taken: a plain list (tuple), dict, text, label or number.

        default: what a branch None stands for.  owner: the target whose attribute it is, for messages and visibility.
        Raises WorkspaceError when no branch matches, or several do and differ.
        """
        if not isinstance(value, SelectList):
            return value
        parts = []
        for element in value.elements:
            part = self.choose(element, attribute, configuration, owner)[1] if isinstance(element, Select) else element
            part = default if part is None else part
            if part is not None:
                parts.append(part)
        if len(parts) < 2:
            return parts[0] if parts else None
        return _concatenated(parts, attribute, owner)

    def choose(
        self, select: Select, attribute: Attribute, configuration: Configuration, owner: RuleTarget | None = None
    ) -> tuple[Label, object]:
        """The key that is taken, and its value."""
        found: list[tuple[Label, Match, object]] = []
        tried: list[tuple[Label, Match]] = []
        for key, value in select.branches.items():
            assert isinstance(key, Label)
            if key is DEFAULT_CONDITION:
                continue
            try:
                match = self._visible_match(key, configuration, select.location, owner)
            except WorkspaceError as error:
                first = error.diagnostic
                raise error.retold(replace(first, location=first.location or select.location)) from error.__cause__
            tried.append((key, match))
            if not match.matched or any(before.refines(match) for _, before, _ in found):
                continue
            found = [entry for entry in found if not match.refines(entry[1])]
            found.append((key, match, value))
        if not found:
            if DEFAULT_CONDITION in select.branches:
                return DEFAULT_CONDITION, select.branches[DEFAULT_CONDITION]
            raise _no_match(select, attribute, owner, tried)
        if any(value != found[0][2] for _, _, value in found[1:]):
            raise _ambiguous(select, attribute, owner, found)
        return found[0][0], found[0][2]

    def _visible_match(
        self, key: Label, configuration: Configuration, location: Location | None, owner: RuleTarget | None
    ) -> Match:
        """The match, where `owner` may see the condition; of an alias, what it stands for counts."""
        match = self.matches(key, configuration, location)
        if self._check_visibility and owner is not None and key.package is not owner.label.package:
            target = self._loader.target(match.label) if match.label is not DEFAULT_CONDITION else None
            if isinstance(target, RuleTarget) and (
                self._private_by_default
                or target.rule_class.name != "config_setting"
                or "visibility" in target.attributes
            ):
                self._loader.check_visibility(owner, target)
        return match


def _mapping(target: RuleTarget, name: str) -> Mapping[object, object]:
    value = target.value(name)
    if not value:
        return {}
    if not isinstance(value, Mapping):
        raise WorkspaceError(Diagnostic(f"'{name}' of {target.label.short} is not a dict", target.location))
    return value


def _define(name: str, text: str, configuration: Configuration) -> Requirement:
    actual = dict(configuration.settings.defines).get(name)
    return Requirement("define", name, text, actual or "", actual == text)


def _match(target: RuleTarget, requirements: list[Requirement]) -> Match:
    return Match(
        target.label,
        all(requirement.holds for requirement in requirements),
        tuple(requirements),
        frozenset((r.kind, "" if r.kind == "constraint" else r.name, r.wanted) for r in requirements),
        target.location,
    )


def _concatenated(parts: list[object], attribute: Attribute, owner: RuleTarget | None) -> object:
    first = parts[0]
    if isinstance(first, Mapping):
        merged: dict[object, object] = {}
        for part in parts:
            if isinstance(part, Mapping):
                merged.update(part)
        return merged
    if isinstance(first, tuple) and all(isinstance(part, tuple) for part in parts):
        joined = tuple(item for part in parts if isinstance(part, tuple) for item in part)
        if attribute.type is AttributeType.LABEL_LIST and len(set(joined)) != len(joined):
            raise _duplicated(joined, attribute, owner)
        return joined
    if isinstance(first, str) and all(isinstance(part, str) for part in parts):
        return "".join(str(part) for part in parts)
    if type(first) is int and all(type(part) is int for part in parts):
        return sum(part for part in parts if isinstance(part, int))
    where = owner.location if owner else None
    raise WorkspaceError(Diagnostic(f"values of attribute '{attribute.name}' cannot be added", where))


def _duplicated(labels: tuple[object, ...], attribute: Attribute, owner: RuleTarget | None) -> WorkspaceError:
    """The error of a label that several parts of a sum bring; only the chosen branches count, as in Bazel 7."""
    twice = next(label for index, label in enumerate(labels) if label in labels[:index])
    where = f"in {attribute.name} attribute of {owner.kind} {owner.label}: " if owner else ""
    return WorkspaceError(Diagnostic(f"{where}label '{twice}' is duplicated", owner.location if owner else None))


def _subject(attribute: Attribute, owner: RuleTarget | None) -> str:
    return f"configurable attribute '{attribute.name}'" + (f" of {owner.label.short}" if owner else "")


def _no_match(
    select: Select, attribute: Attribute, owner: RuleTarget | None, tried: list[tuple[Label, Match]]
) -> WorkspaceError:
    message = f"{_subject(attribute, owner)} doesn't match this configuration"
    if select.no_match_error:
        message += f": {select.no_match_error}"
    notes = tuple(Note(f"{key.short} does not match: {match.why}", match.location) for key, match in tried)
    help = None if select.no_match_error else "a branch '//conditions:default' would be taken"
    location = select.location or (owner.location if owner else None)
    return WorkspaceError(Diagnostic(message, location, help=help, notes=notes))


def _ambiguous(
    select: Select, attribute: Attribute, owner: RuleTarget | None, found: list[tuple[Label, Match, object]]
) -> WorkspaceError:
    names = " and ".join(key.short for key, _, _ in found)
    notes = tuple(Note(f"{key.short} matches: {match.why}", match.location) for key, match, _ in found)
    return WorkspaceError(
        Diagnostic(
            f"{_subject(attribute, owner)}: ambiguous match: {names} match and differ in value",
            select.location or (owner.location if owner else None),
            help="one must ask for all that the other asks for and more, or both give the same value",
            notes=notes,
        )
    )
