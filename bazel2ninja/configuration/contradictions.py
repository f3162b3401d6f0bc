"""Configs of one command line that ask for opposite things.

Bazel takes the last value without a word.  That is how a config is meant to be refined by .bazelrc, but two names that
a user writes side by side (`--config=v1 --config=v2`) were both wanted, and one of them is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from bazel2ninja.configuration.option_table import Option
from bazel2ninja.diagnostics import Diagnostic, Location, Note
from bazel2ninja.records import dataclass

_WITHOUT_EFFECT = ("irrelevant", "test")


class Given(Protocol):
    """A native option as it was given; `config`: the --config of the command line that brought it, or ""."""

    @property
    def option(self) -> Option: ...
    @property
    def text(self) -> str: ...
    @property
    def value(self) -> object: ...
    @property
    def location(self) -> Location | None: ...
    @property
    def config(self) -> str: ...


class Flag(Protocol):
    """A user-defined build setting as it was given."""

    @property
    def label(self) -> str: ...
    @property
    def value(self) -> str | None: ...
    @property
    def negated(self) -> bool: ...
    @property
    def location(self) -> Location | None: ...
    @property
    def config(self) -> str: ...


@dataclass(frozen=True, slots=True)
class _Said:
    config: str
    what: str  # such as "--define=api"
    value: str
    location: Location | None


def contradictions(given: Iterable[Given], flags: Iterable[Flag]) -> list[Diagnostic]:
    """A warning for each thing that two configs of the command line set to different values, with both places."""
    found = []
    last: dict[str, dict[str, _Said]] = {}
    for said in (*_native(given), *_user_defined(flags)):
        last.setdefault(said.what, {})[said.config] = said
    for what, by_config in last.items():
        values = list(by_config.values())
        if len({said.value for said in values}) < 2:
            continue
        names = " and ".join(f"'--config={said.config}'" for said in values)
        texts = " and ".join(f"'{said.value}'" for said in values)
        message = f"{names} contradict each other: they set {what} to {texts}"
        notes = tuple(Note(f"'--config={said.config}' says '{said.value}'", said.location) for said in values)
        help = f"the last one counts, as in Bazel: '{values[-1].value}'; leave the other out"
        found.append(Diagnostic(message, severity="warning", help=help, notes=notes))
    return found


def _native(given: Iterable[Given]) -> Iterator[_Said]:
    for one in given:
        option = one.option
        if not one.config or option.effect in _WITHOUT_EFFECT:
            continue
        if option.type in ("assignment", "variable") and isinstance(one.value, tuple):
            name, value = one.value
            yield _Said(one.config, f"--{option.name}={name}", str(value), one.location)
        elif not option.repeatable:
            value = str(one.value).lower() if isinstance(one.value, bool) else one.text
            yield _Said(one.config, f"--{option.name}", value, one.location)


def _user_defined(flags: Iterable[Flag]) -> Iterator[_Said]:
    for flag in flags:
        if flag.config:
            value = flag.value if flag.value is not None else str(not flag.negated).lower()
            yield _Said(flag.config, f"--{flag.label}", value, flag.location)
