"""From one configuration to another: the dicts of Starlark transitions, and the exec transition.

https://bazel.build/extending/config#user-defined-transitions.  The analysis runs the Starlark function; here its
settings are made ("//command_line_option:copt" or the label of a build setting -> value) and its result is applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bazel2ninja.configuration import build_settings
from bazel2ninja.configuration.configuration import PerFileCopt, Settings
from bazel2ninja.configuration.option_table import OLD_NAMES, Option, native_options
from bazel2ninja.configuration.option_values import OptionValueError, convert, settings_with, text_of, value_in
from bazel2ninja.configuration.platforms import (
    HostPlatform,
    TargetSource,
    constraints_of_cpu,
    cpu_of_constraints,
    platform_constraints,
)
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError, suggestion
from bazel2ninja.labels import Label
from bazel2ninja.records import replace

OPTION_PACKAGE = "command_line_option"
"""//command_line_option:NAME stands for a native option."""


def _option(label: Label, location: Location | None) -> Option | None:
    if label.package.path != OPTION_PACKAGE:
        return None
    options = native_options()
    option = options.get(OLD_NAMES.get(label.name, label.name))
    if option is None:
        names = (o.name for o in options.values() if o.selectable)
        raise WorkspaceError(Diagnostic(f"unknown option '{label.name}'", location, help=suggestion(label.name, names)))
    return option


def _starlark(value: object) -> object:
    """A converted option value as Starlark sees it: definitions and per-file options as text, lists as tuples."""
    if isinstance(value, PerFileCopt):
        return text_of(value)
    if isinstance(value, tuple):
        return tuple(_pair_text(item) for item in value)
    return value


def _pair_text(item: object) -> object:
    if isinstance(item, tuple) and len(item) == 2:
        return item[0] if item[1] is None else f"{item[0]}={item[1]}"
    return _starlark(item)


def read(
    settings: Settings, inputs: Mapping[str, Label], loader: TargetSource, location: Location | None = None
) -> dict[str, object]:
    """The `settings` argument of a transition's function: the inputs as written -> their values."""
    found: dict[str, object] = {}
    for written, label in inputs.items():
        option = _option(label, location)
        if option is None:
            found[written] = build_settings.value_of(settings, build_settings.find_setting(loader, label, location))
        elif option.selectable:
            found[written] = _starlark(value_in(settings, option))
        else:
            found[written] = _starlark(option.default)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


def _native_value(option: Option, value: object) -> object:
    if value is None and not option.repeatable:
        return option.default
    items = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    if option.repeatable:
        if not items:
            raise OptionValueError(f"expected a list, got {value!r}")
        converted: list[object] = []
        for item in value:  # type: ignore[attr-defined]
            one = convert(option, text_of(item) if not isinstance(item, str) else item)
            converted.extend(one if option.type == "words" and isinstance(one, tuple) else (one,))
        if option.type in ("assignment", "variable"):
            converted = list({pair[0]: pair for pair in converted if isinstance(pair, tuple)}.values())
        return tuple(converted)
    if items:
        return convert(option, ",".join(text_of(item) for item in value))  # type: ignore[attr-defined]
    if option.type == "boolean" and not isinstance(value, bool | int | str):
        raise OptionValueError(f"expected boolean, got {value!r}")
    return convert(option, text_of(value))


def apply(
    settings: Settings,
    outputs: Mapping[str, Label],
    values: Mapping[str, object],
    loader: TargetSource,
    location: Location | None = None,
) -> Settings:
    """`settings` after a transition that declares `outputs` (as written -> label) has returned `values`.

    Raises WorkspaceError for a key that is not declared, a declared one that is missing, or a value of a wrong type.
    """
    for key in values:
        if key not in outputs:
            raise WorkspaceError(
                Diagnostic(
                    f"transition function returned undeclared output '{key}'",
                    location,
                    help=suggestion(str(key), outputs) or "name it in 'outputs' of transition()",
                )
            )
    missing = [key for key in outputs if key not in values]
    if missing:
        names = ", ".join(repr(key) for key in missing)
        raise WorkspaceError(
            Diagnostic(f"transition outputs {names} were not defined by transition function", location)
        )
    native: dict[str, object] = {}
    own: list[tuple[build_settings.Setting, object]] = []
    for key, value in values.items():
        option = _option(outputs[key], location)
        try:
            if option is None:
                setting = build_settings.find_setting(loader, outputs[key], location)
                own.append((setting, build_settings.checked(setting, value)))
            elif option.selectable:
                converted = _native_value(option, value)
                if option.effect == "unsupported" and converted != option.default:
                    raise OptionValueError("the option is not supported")
                native[option.name] = converted
        except OptionValueError as problem:
            raise WorkspaceError(Diagnostic(f"transition output '{key}': {problem}", location)) from None
    changed = build_settings.with_values(settings_with(settings, native), own)
    return _follow(settings, changed, native, loader, location)


def _follow(
    before: Settings, after: Settings, native: Mapping[str, object], loader: TargetSource, location: Location | None
) -> Settings:
    """Constraints and processor agree again after --cpu or --platforms has changed."""
    if after.platforms and after.platforms != before.platforms:
        constraints = platform_constraints(loader, after.platforms[0], location)
        cpu = after.cpu if "cpu" in native else cpu_of_constraints(constraints) or after.cpu
        return replace(after, constraints=constraints, cpu=cpu)
    if after.cpu != before.cpu:
        constraints = constraints_of_cpu(after.cpu) or ()
        return replace(after, constraints=constraints, platforms=())
    return after


def exec_settings(settings: Settings, top: Settings, host: HostPlatform) -> Settings:
    """The settings for tools that `settings` need.

    A native build has one configuration for tools: the target configuration of the command line, `top`.  Else the
    host's options (--host_copt ...) replace the target's, as Bazel's exec transition does.
    """
    if settings.is_exec:
        return settings
    if host.runs(settings.constraints):
        return top

    def option(name: str) -> Any:
        return value_in(settings, native_options()[name])

    return replace(
        settings,
        compilation_mode=str(option("host_compilation_mode")),
        cpu=str(option("host_cpu") or host.cpu),
        compiler=str(option("host_compiler") or host.compiler),
        copts=option("host_copt"),
        conlyopts=option("host_conlyopt"),
        cxxopts=option("host_cxxopt"),
        linkopts=option("host_linkopt"),
        per_file_copts=option("host_per_file_copt"),
        features=option("host_features"),
        action_environment=tuple(sorted(option("host_action_env"))) or settings.action_environment,
        force_pic=False,
        platforms=(),
        constraints=host.constraints,
        other=_with_crosstool(settings.other, option("host_crosstool_top")),
        is_exec=True,
    )


def _with_crosstool(other: tuple[tuple[str, object], ...], host: object) -> tuple[tuple[str, object], ...]:
    """--host_crosstool_top in the place of --crosstool_top, if there is one."""
    if host is None:
        return other
    return tuple(sorted({**dict(other), "crosstool_top": host}.items()))
