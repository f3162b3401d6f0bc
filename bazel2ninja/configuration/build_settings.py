"""User-defined build settings: https://bazel.build/extending/config#user-defined-build-settings.

A build setting is a target of a rule with `build_setting = config.TYPE()`, or a native label_flag or label_setting.
What a flag's text means is known when its target has been loaded; then the settings of the run are complete.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from bazel2ninja.configuration.configuration import Settings
from bazel2ninja.configuration.option_values import OptionValueError, boolean
from bazel2ninja.configuration.options import BuildSettingFlag, Options
from bazel2ninja.configuration.platforms import HostPlatform, TargetSource, cpu_of_constraints, platform_constraints
from bazel2ninja.diagnostics import Diagnostic, Location, UsageError, WorkspaceError
from bazel2ninja.labels import MAIN_REPOSITORY, NO_MAPPING, Label, PackageIdentifier, RepositoryMapping, parse_label
from bazel2ninja.loading.repository import AbsentRepositoryError
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.loading.transition import BuildSetting
from bazel2ninja.records import dataclass, replace

DEFAULT_ATTRIBUTE = "build_setting_default"
_LABEL_SETTINGS = {"label_flag": True, "label_setting": False}


@dataclass(frozen=True, slots=True)
class Setting:
    """A build setting that has been found.  type: as of BuildSetting, or "label"; default: a value of that type."""

    label: Label
    type: str
    flag: bool
    multiple: bool
    default: object
    location: Location


def setting_of(target: RuleTarget) -> Setting | None:
    """The build setting that a target is, or None."""
    kind = target.rule_class.name
    declared = target.rule_class.build_setting
    if isinstance(declared, BuildSetting):
        default = target.value(DEFAULT_ATTRIBUTE)
        multiple = declared.allow_multiple or declared.repeatable
        if multiple and not isinstance(default, tuple):
            default = (default,) if default else ()
        if declared.type == "bool":
            default = bool(default)
        return Setting(target.label, declared.type, declared.flag, multiple, default, target.location)
    if target.rule_class.native and kind in _LABEL_SETTINGS:
        return Setting(
            target.label, "label", _LABEL_SETTINGS[kind], False, target.value(DEFAULT_ATTRIBUTE), target.location
        )
    return None


def find_setting(loader: TargetSource, label: Label, location: Location | None = None) -> Setting:
    """The build setting `label`, aliases followed; raises WorkspaceError when it is none."""
    seen = [label]
    while True:
        target = loader.target(seen[-1])
        setting = setting_of(target) if isinstance(target, RuleTarget) else None
        if setting is not None:
            return setting
        actual = None
        if isinstance(target, RuleTarget) and target.rule_class.name == "alias":
            actual = target.value("actual")
        if not isinstance(actual, Label) or actual in seen:
            raise WorkspaceError(Diagnostic(f"{label.short} is a {target.kind}, not a build setting", location))
        seen.append(actual)


def convert(setting: Setting, text: str, base: PackageIdentifier, mapping: RepositoryMapping = NO_MAPPING) -> object:
    """The value that `text` means for one occurrence of the flag; raises OptionValueError."""
    kind = setting.type
    if kind == "bool":
        return boolean(text)
    if kind == "int":
        try:
            return int(text)
        except ValueError:
            raise OptionValueError(f"{text!r} is not an int") from None
    if kind in ("string_list", "string_set"):
        words = tuple(word for word in text.split(",") if word)
        return tuple(sorted(set(words))) if kind == "string_set" else words
    if kind == "label":
        try:
            return parse_label(text, base, mapping)
        except WorkspaceError as problem:
            raise OptionValueError(problem.diagnostic.message) from None
    return (text,) if setting.multiple else text


def checked(setting: Setting, value: object) -> object:
    """A Starlark value (of a transition) as a value of `setting`; raises OptionValueError for another type."""
    wanted = {"bool": bool, "int": int, "label": Label, "string": str}.get(setting.type)
    if setting.type in ("string_list", "string_set") or setting.multiple:
        if isinstance(value, Iterable) and not isinstance(value, str | bytes):
            items = tuple(value)
            if all(isinstance(item, str) for item in items):
                return tuple(sorted(set(items))) if setting.type == "string_set" else items
        raise OptionValueError(f"expected a list of strings, got {value!r}")
    if setting.type == "label" and isinstance(value, str):
        return parse_label(value, setting.label.package)
    if wanted is None or not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        raise OptionValueError(f"expected {setting.type}, got {value!r}")
    return value


def value_of(settings: Settings, setting: Setting) -> object:
    """What `setting` is in a configuration."""
    for label, value in settings.build_settings:
        if label is setting.label:
            return value
    return setting.default


def with_values(settings: Settings, values: Iterable[tuple[Setting, object]]) -> Settings:
    """`settings` with build settings changed; a value equal to the default leaves no trace."""
    known = dict(settings.build_settings)
    for setting, value in values:
        if value == setting.default and type(value) is type(setting.default):
            known.pop(setting.label, None)
        else:
            known[setting.label] = value
    found = tuple(sorted(known.items(), key=lambda item: item[0]))
    return settings if found == settings.build_settings else replace(settings, build_settings=found)


def _flag_values(
    flags: Iterable[BuildSettingFlag],
    loader: TargetSource,
    mapping: RepositoryMapping,
    missing: Collection[Label],
    warn: Callable[[Diagnostic], None] | None,
) -> list[tuple[Setting, object]]:
    root = PackageIdentifier(MAIN_REPOSITORY, "")
    found: dict[Label, tuple[Setting, object]] = {}
    for flag in flags:
        error = WorkspaceError if flag.location else UsageError
        spelling = f"--{'no' if flag.negated else ''}{flag.label}"
        label = None
        try:
            label = parse_label(flag.label, root, mapping)
            setting = find_setting(loader, label, flag.location)
        except WorkspaceError as problem:
            cause = problem.diagnostic
            absent = isinstance(problem, AbsentRepositoryError) or label in missing
            if absent and flag.location is not None and warn is not None:
                # nobody but targets of that repository can read it, and an rc file speaks for all of a project
                why = cause.message if isinstance(problem, AbsentRepositoryError) else "its repository is absent"
                text = f"option '{spelling}' is left out: {why}"
                warn(Diagnostic(text, flag.location, severity="warning", length=len(spelling)))
                continue
            message = f"option '{spelling}': {cause.message}"
            raise error(Diagnostic(message, flag.location, help=cause.help, notes=cause.notes)) from None
        if not setting.flag:
            raise error(Diagnostic(f"{label.short} cannot be set on the command line (flag = False)", flag.location))
        if flag.negated and setting.type != "bool":
            raise error(Diagnostic(f"option '{spelling}': {label.short} is not a boolean setting", flag.location))
        if flag.value is None:
            if setting.type != "bool":
                raise error(Diagnostic(f"expected a value after '{spelling}'", flag.location))
            value: object = not flag.negated
        else:
            try:
                value = convert(setting, flag.value, root, mapping)
            except OptionValueError as problem:
                message = f"while parsing option '{spelling}={flag.value}': {problem}"
                raise error(Diagnostic(message, flag.location)) from None
        if setting.multiple and setting.label in found:
            before = found[setting.label][1]
            assert isinstance(before, tuple) and isinstance(value, tuple)
            value = before + value
        found[setting.label] = (setting, value)
    return list(found.values())


def _constraints_named_by(option: str, text: str, options: Options, loader: TargetSource) -> tuple[Label, ...]:
    """Constraint values of the platform that an option names; errors are placed where the option stands."""
    try:
        return platform_constraints(loader, parse_label(text))
    except WorkspaceError as problem:
        cause = problem.diagnostic
        if cause.location is not None:
            raise
        place = next((given.location for given in reversed(options.given) if given.option.name == option), None)
        error = WorkspaceError if place else UsageError
        message = f"option '--{option}={text}': {cause.message}"
        raise error(Diagnostic(message, place, help=cause.help, notes=cause.notes)) from None


def execution_host(options: Options, loader: TargetSource) -> HostPlatform:
    """The platform that tools run on: --host_platform, or the machine that builds."""
    if options.host_platform is None:
        return options.host
    constraints = _constraints_named_by("host_platform", options.host_platform, options, loader)
    return HostPlatform(cpu_of_constraints(constraints) or options.host.cpu, constraints)


def target_settings(
    options: Options,
    loader: TargetSource,
    mapping: RepositoryMapping = NO_MAPPING,
    missing: Collection[Label] = (),
    warn: Callable[[Diagnostic], None] | None = None,
) -> Settings:
    """The settings of the target configuration, with what only loaded targets tell: build settings and platforms.

    mapping: of the main repository.  missing: labels that something else stands for, their repositories being absent.
    warn: takes a flag of an rc file whose repository is absent; without it such a flag is an error.
    Raises UsageError or WorkspaceError for a flag that is none or a bad value.
    """
    settings = options.settings
    if options.platforms:
        platform = parse_label(options.platforms[0])
        constraints = _constraints_named_by("platforms", options.platforms[0], options, loader)
        cpu = cpu_of_constraints(constraints)
        explicit = any(given.option.name == "cpu" for given in options.given)
        settings = replace(
            settings,
            platforms=(platform,),
            constraints=constraints,
            cpu=settings.cpu if explicit or cpu is None else cpu,
        )
    return with_values(settings, _flag_values(options.build_setting_flags, loader, mapping, missing, warn))
