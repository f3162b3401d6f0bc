"""Values of native options: from text, added up, in and out of Settings, and as Starlark sees them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bazel2ninja.configuration.configuration import PerFileCopt, Settings
from bazel2ninja.configuration.option_table import Option, native_options
from bazel2ninja.diagnostics import WorkspaceError, suggestion
from bazel2ninja.labels import NO_MAPPING, Label, RepositoryMapping, parse_label
from bazel2ninja.records import replace

_TRUE = frozenset(("1", "true", "t", "yes", "y"))
_FALSE = frozenset(("0", "false", "f", "no", "n"))


class OptionValueError(ValueError):
    """A text is no value of an option; `help` may hold a suggestion."""

    def __init__(self, message: str, help: str | None = None):
        super().__init__(message)
        self.help = help


def boolean(text: str) -> bool:
    """The truth value that Bazel's command line reads; raises OptionValueError."""
    lower = text.lower()
    if lower in _TRUE:
        return True
    if lower in _FALSE:
        return False
    raise OptionValueError(f"{text!r} is not a boolean")


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise OptionValueError("variable definitions must be in the form of a 'name=value' assignment")
    return name, value


def _variable(text: str) -> tuple[str, str | None]:
    name, equals, value = text.partition("=")
    if not name:
        raise OptionValueError("variable definitions must be in the form of 'name=value' or 'name'")
    return name, value if equals else None


def _per_file(text: str) -> PerFileCopt:
    """`+regex,-regex@flag,flag`; a comma in a flag or expression is written with a backslash before it."""
    patterns, at, flags = text.partition("@")
    if not at:
        raise OptionValueError("expected 'expressions@flags'")
    includes: list[str] = []
    excludes: list[str] = []
    for pattern in (part.replace("\\,", ",") for part in re.split(r"(?<!\\),", patterns) if part):
        group = excludes if pattern.startswith("-") else includes
        expression = pattern[1:] if pattern[0] in "+-" else pattern
        try:
            re.compile(expression)
        except re.error as problem:
            raise OptionValueError(f"invalid regular expression {expression!r}: {problem}") from None
        group.append(expression)
    words = tuple(part.replace("\\,", ",") for part in re.split(r"(?<!\\),", flags) if part)
    return PerFileCopt(tuple(includes), tuple(excludes), words)


def _label(text: str, mapping: RepositoryMapping) -> Label:
    if not text.startswith(("//", "@")):
        text = "//" + text.removeprefix(":") if "/" in text else "//:" + text.removeprefix(":")
    try:
        return parse_label(text, None, mapping)
    except WorkspaceError as problem:
        raise OptionValueError(problem.diagnostic.message) from None


def convert(option: Option, text: str, mapping: RepositoryMapping = NO_MAPPING) -> object:
    """The value of one occurrence of `option`; raises OptionValueError."""
    kind = option.type
    if kind == "boolean":
        return boolean(text)
    if kind == "tristate":
        return "auto" if text.lower() in ("auto", "-1") else boolean(text)
    if kind == "integer":
        try:
            return int(text)
        except ValueError:
            raise OptionValueError(f"{text!r} is not an int") from None
    if kind == "words":
        return tuple(word for word in text.split(",") if word)
    if kind == "label":
        return _label(text, mapping) if text else None
    if kind == "labels":
        return tuple(_label(word, mapping) for word in text.split(",") if word)
    if kind == "assignment":
        return _assignment(text)
    if kind == "variable":
        return _variable(text)
    if kind == "per_file":
        return _per_file(text)
    if option.choices and text not in option.choices:
        raise OptionValueError(
            f"not one of {', '.join(repr(choice) for choice in option.choices)}", suggestion(text, option.choices)
        )
    return text


def merged(option: Option, before: object, value: object) -> object:
    """What an option is after one more occurrence: repeatable ones add up, of equal names the last holds."""
    if not option.repeatable:
        return value
    assert isinstance(before, tuple)
    if option.type in ("assignment", "variable"):
        assert isinstance(value, tuple)
        return (*(pair for pair in before if pair[0] != value[0]), value)
    if option.type == "words":
        assert isinstance(value, tuple)
        return before + value
    return (*before, value)


def settings_with(settings: Settings, values: Mapping[str, object]) -> Settings:
    """`settings` with native options (name -> converted value) set; options of other effects are passed over."""
    changes: dict[str, object] = {}
    other = dict(settings.other)
    options = native_options()
    for name, value in values.items():
        option = options[name]
        if option.effect == "settings":
            if name in ("define", "action_env", "test_env"):
                assert isinstance(value, tuple)
                value = tuple(sorted(value))
            changes[option.field] = value
        elif option.name == "compiler":
            changes["compiler"] = value or Settings().compiler
            other = {**other, "compiler": value} if value else {n: v for n, v in other.items() if n != "compiler"}
        elif option.selectable:
            if value == _default(option):
                other.pop(name, None)
            else:
                other[name] = value
    if "other" in changes or other != dict(settings.other):
        changes["other"] = tuple(sorted(other.items(), key=lambda item: item[0]))
    if "compilation_mode" in changes and not changes["compilation_mode"]:
        del changes["compilation_mode"]
    return replace(settings, **changes) if changes else settings  # type: ignore[arg-type]


def _default(option: Option) -> object:
    if option.type == "label" and isinstance(option.default, str):
        return parse_label(option.default)
    return option.default


def value_in(settings: Settings, option: Option) -> object:
    """The converted value that `settings` has for a selectable option."""
    if option.effect == "settings":
        return getattr(settings, option.field)
    for name, value in settings.other:
        if name == option.name:
            return value
    return _default(option)


def text_of(value: object) -> str:
    """A converted value as the command line would spell it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, PerFileCopt):
        patterns = [*value.includes, *("-" + pattern for pattern in value.excludes)]
        return ",".join(p.replace(",", "\\,") for p in patterns) + "@" + ",".join(value.flags)
    if isinstance(value, tuple):
        return ",".join(text_of(item) for item in value)
    return "" if value is None else str(value)
