"""Features of C++ toolchains that projects describe: what is in force, and which flags, tools and variables it gives.

https://bazel.build/docs/cc-toolchain-config-reference.  Where sources, outputs, defines, directories, libraries and the
project's own flags stand on a command line is ours to say: flag groups that name them only mark their place, and must
name them as a GNU compiler takes them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from bazel2ninja.records import dataclass, field
from bazel2ninja.starlark import EvalError

Value = str | tuple[str, ...]

COMPILES = frozenset(
    ("assemble", "preprocess-assemble", "c-compile", "c++-compile", "linkstamp-compile", "c++-header-parsing")
)
LINKS = frozenset(("c++-link-executable", "c++-link-dynamic-library", "c++-link-nodeps-dynamic-library"))
NO_LEGACY_FEATURES = "no_legacy_features"

# Variables of Bazel's that stand for what we place ourselves -> the forms that a word with one may have.
_PLACED_IN_COMPILES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "source_file": ("{}",),
        "output_file": ("{}", "-o{}", "-frandom-seed={}"),
        "dependency_file": ("{}", "-MF{}"),
        "preprocessor_defines": ("-D{}",),
        "quote_include_paths": ("{}", "-iquote{}"),
        "include_paths": ("{}", "-I{}"),
        "system_include_paths": ("{}", "-isystem{}"),
        "framework_include_paths": ("{}", "-F{}"),
        "user_compile_flags": ("{}",),
    }
)
_PLACED_IN_LINKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "output_execpath": ("{}", "-o{}"),
        "linker_param_file": ("{}", "@{}", "-Wl,@{}"),
        "user_link_flags": ("{}",),
    }
)
_LISTS = frozenset(
    (
        *("preprocessor_defines", "quote_include_paths", "include_paths", "system_include_paths"),
        *("framework_include_paths", "user_compile_flags", "user_link_flags"),
    )
)
# Their groups are not looked into: they mark the place of what they iterate over.
_OPAQUE = frozenset(("libraries_to_link", "library_search_directories", "runtime_library_search_directories"))
# Words that stand beside a variable in a group.
_BESIDE = frozenset(("-MD", "-MMD", "-MF", "-c", "-o", "-iquote", "-I", "-isystem", "-F"))
# In our layout of a compile these make the middle; what marks the end of the toolchain's first flags.
_MIDDLE = frozenset(_PLACED_IN_COMPILES) - {"source_file", "user_compile_flags"}
# Features of Bazel's own around the project's, which may be replaced by ones of the same name: name -> the variable.
_BEFORE = MappingProxyType({"preprocessor_defines": "preprocessor_defines", "include_paths": "include_paths"})
_BEFORE_IN_LINKS = MappingProxyType({"libraries_to_link": "libraries_to_link", "user_link_flags": "user_link_flags"})
_AFTER = MappingProxyType({"user_compile_flags": "user_compile_flags"})
_FIRST = ("legacy_compile_flags", "default_compile_flags")

_MARK = re.compile("\0([a-z_]+)\0")
_REFERENCE = re.compile(r"%(?:(%)|\{([^}]*)\}|)")


def _marked(name: str) -> str:
    return f"\0{name}\0"


def _texts(value: Any, name: str) -> tuple[str, ...]:
    found = value.get(name)
    return tuple(str(each) for each in found) if found else ()


def _elements(value: Any, name: str) -> tuple[Any, ...]:
    found = value.get(name)
    return tuple(found) if found else ()


@dataclass(frozen=True, slots=True)
class WithFeatures:
    """with_feature_set()."""

    features: tuple[str, ...]
    without: tuple[str, ...]

    @classmethod
    def of(cls, value: Any) -> WithFeatures:
        return cls(_texts(value, "features"), _texts(value, "not_features"))


def _holds(conditions: tuple[WithFeatures, ...], enabled: frozenset[str]) -> bool:
    return not conditions or any(
        enabled.issuperset(each.features) and enabled.isdisjoint(each.without) for each in conditions
    )


@dataclass(frozen=True, slots=True)
class FlagGroup:
    """flag_group()."""

    flags: tuple[str, ...]
    groups: tuple[FlagGroup, ...]
    iterate_over: str | None
    available: str | None
    not_available: str | None
    true: str | None
    false: str | None
    equal: tuple[str, str] | None

    @classmethod
    def of(cls, value: Any) -> FlagGroup:
        equal = value.get("expand_if_equal")
        return cls(
            _texts(value, "flags"),
            tuple(map(cls.of, _elements(value, "flag_groups"))),
            value.get("iterate_over"),
            value.get("expand_if_available"),
            value.get("expand_if_not_available"),
            value.get("expand_if_true"),
            value.get("expand_if_false"),
            (str(equal.get("name")), str(equal.get("value"))) if equal else None,
        )

    def names(self) -> Iterator[str]:
        """The variables that it or a group in it names, without their fields."""
        named = [self.iterate_over, self.available, self.not_available, self.true, self.false]
        named += [self.equal[0]] if self.equal else []
        named += [match[2] for flag in self.flags for match in _REFERENCE.finditer(flag)]
        yield from (name.partition(".")[0] for name in named if name)
        for group in self.groups:
            yield from group.names()

    def expand(self, variables: Mapping[str, Value]) -> Iterator[str]:
        """The words; raises EvalError for a variable that has no value."""
        hidden = next((name for name in self.names() if name in _OPAQUE and name in variables), None)
        if hidden is not None:
            yield _marked(hidden)
            return
        if not self._expands(variables):
            return
        if self.iterate_over is None:
            yield from self._once(variables)
            return
        values = variables.get(self.iterate_over)
        if values is None:
            raise EvalError(f"the toolchain has no variable '{self.iterate_over}'")
        for value in (values,) if isinstance(values, str) else values:
            yield from self._once({**variables, self.iterate_over: value})

    def _once(self, variables: Mapping[str, Value]) -> Iterator[str]:
        for flag in self.flags:
            yield _expanded(flag, variables)
        for group in self.groups:
            yield from group.expand(variables)

    def _expands(self, variables: Mapping[str, Value]) -> bool:
        return (
            (self.available is None or self.available in variables)
            and (self.not_available is None or self.not_available not in variables)
            and (self.true is None or variables.get(self.true) == "1")
            and (self.false is None or variables.get(self.false) == "0")
            and (self.equal is None or variables.get(self.equal[0]) == self.equal[1])
        )


def _expanded(flag: str, variables: Mapping[str, Value]) -> str:
    def text(match: re.Match[str]) -> str:
        if match[1]:
            return "%"
        if match[2] is None:
            raise EvalError(f"expected '{{' or '%' after '%' in the flag '{flag}'")
        value = variables.get(match[2])
        if value is None:
            raise EvalError(f"the toolchain has no variable '{match[2]}', which the flag '{flag}' names")
        if not isinstance(value, str):
            raise EvalError(f"the variable '{match[2]}', which the flag '{flag}' names, is a list: iterate_over it")
        return value

    return _REFERENCE.sub(text, flag) if "%" in flag else flag


@dataclass(frozen=True, slots=True)
class FlagSet:
    """flag_set(), or env_set() with pairs instead of groups; no actions: those of the action_config that has it."""

    actions: frozenset[str]
    conditions: tuple[WithFeatures, ...]
    groups: tuple[FlagGroup, ...] = ()
    pairs: tuple[tuple[str, str, str | None], ...] = ()

    @classmethod
    def of(cls, value: Any) -> FlagSet:
        return cls(
            frozenset(_texts(value, "actions")),
            tuple(map(WithFeatures.of, _elements(value, "with_features"))),
            tuple(map(FlagGroup.of, _elements(value, "flag_groups"))),
            tuple(
                (str(each.get("key")), str(each.get("value")), each.get("expand_if_available"))
                for each in _elements(value, "env_entries")
            ),
        )


@dataclass(frozen=True, slots=True)
class Tool:
    """tool() of an action_config: a path relative to the toolchain's package, or a file."""

    path: str
    file: Any
    conditions: tuple[WithFeatures, ...]


@dataclass(frozen=True, slots=True)
class Selectable:
    """feature() or action_config(), which has tools."""

    name: str
    enabled: bool
    flag_sets: tuple[FlagSet, ...]
    env_sets: tuple[FlagSet, ...] = ()
    requires: tuple[frozenset[str], ...] = ()
    implies: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()

    @classmethod
    def feature(cls, value: Any) -> Selectable:
        return cls(
            str(value.get("name")),
            bool(value.get("enabled")),
            tuple(map(FlagSet.of, _elements(value, "flag_sets"))),
            tuple(map(FlagSet.of, _elements(value, "env_sets"))),
            tuple(frozenset(_texts(each, "features")) for each in _elements(value, "requires")),
            _texts(value, "implies"),
            _texts(value, "provides"),
        )

    @classmethod
    def action_config(cls, value: Any) -> Selectable:
        return cls(
            str(value.get("action_name")),
            bool(value.get("enabled")),
            tuple(map(FlagSet.of, _elements(value, "flag_sets"))),
            implies=_texts(value, "implies"),
            tools=tuple(
                Tool(
                    str(each.get("path") or ""),
                    each.get("tool"),
                    tuple(map(WithFeatures.of, _elements(each, "with_features"))),
                )
                for each in _elements(value, "tools")
            ),
        )


Parts = tuple[list[str], list[str], list[str]]


def _in_parts(words: Iterable[str], middle: Collection[str], last: str) -> Parts:
    """The words before the variables `middle`, between them and the variable `last`, and after that."""
    parts: Parts = ([], [], [])
    part = 0
    for word in words:
        mark = _MARK.search(word)
        if mark is None:
            parts[part].append(word)
        elif mark[1] == last:
            part = 2
        elif mark[1] in middle:
            part = max(part, 1)
    return parts


@dataclass(frozen=True, slots=True, eq=False)
class ToolchainFeatures:
    """What cc_common.create_cc_toolchain_config_info() was given of features and action_configs."""

    features: tuple[Selectable, ...]
    actions: Mapping[str, Selectable]
    variables: Mapping[str, Value] = field(default_factory=dict)
    _known: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, config: Any) -> ToolchainFeatures:
        """From a CcToolchainConfigInfo; raises EvalError for two features of one name."""
        features = tuple(map(Selectable.feature, _elements(config, "features")))
        actions = tuple(map(Selectable.action_config, _elements(config, "action_configs")))
        names: set[str] = set()
        for each in (*features, *actions):
            if each.name in names:
                raise EvalError(f"the toolchain has two features (or action configs) with the name '{each.name}'")
            names.add(each.name)
        for each in (*features, *actions):
            for implied in each.implies:
                if implied not in names and NO_LEGACY_FEATURES in names:
                    raise EvalError(f"the feature '{each.name}' implies '{implied}', which the toolchain does not have")
        sysroot = config.get("builtin_sysroot")
        variables: dict[str, Value] = {"sysroot": str(sysroot)} if sysroot else {}
        return cls(features, {each.name: each for each in actions}, variables)

    @property
    def _names(self) -> frozenset[str]:
        return frozenset(each.name for each in self.features)

    @property
    def legacy(self) -> bool:
        """Whether Bazel's own features stand around the project's."""
        return NO_LEGACY_FEATURES not in self._names

    def select(self, requested: Iterable[str], unsupported: Iterable[str]) -> frozenset[str]:
        """The names of what is in force; raises EvalError when two provide the same."""
        key = frozenset(requested), frozenset(unsupported)
        if key not in self._known:
            self._known[key] = self._select(*key)
        found: frozenset[str] = self._known[key]
        return found

    def _select(self, requested: frozenset[str], unsupported: frozenset[str]) -> frozenset[str]:
        every = {each.name: each for each in (*self.features, *self.actions.values())}
        wanted = {name for name, each in every.items() if each.enabled or name in requested} - unsupported
        enabled: set[str] = set()
        pending = list(wanted)
        while pending:
            name = pending.pop()
            if name in every and name not in enabled and name not in unsupported:
                enabled.add(name)
                pending += every[name].implies
        while True:
            implied_by_others = {implied for name in enabled for implied in every[name].implies}
            lost = {
                name
                for name in enabled
                if not (name in wanted or name in implied_by_others)
                or any(implied in every and implied not in enabled for implied in every[name].implies)
                or (every[name].requires and not any(needed <= enabled for needed in every[name].requires))
            }
            if not lost:
                break
            enabled -= lost
        providers: dict[str, list[str]] = {}
        for name in every:
            if name in enabled:
                for symbol in every[name].provides:
                    providers.setdefault(symbol, []).append(name)
        for symbol, names in providers.items():
            if len(names) > 1:
                raise EvalError(f"Symbol {symbol} is provided by all of the following features: {' '.join(names)}")
        return frozenset(enabled)

    def compile_flags(self, action: str, enabled: frozenset[str]) -> Parts:
        """Words before defines and directories, between them and the project's flags, and after these."""
        words = self._words(action, enabled, _PLACED_IN_COMPILES)
        # every object is position independent
        return _in_parts((word for word in words if word != "-fPIC"), _MIDDLE, "user_compile_flags")

    def link_flags(self, action: str, enabled: frozenset[str]) -> Parts:
        """Words before the libraries, between them and the project's flags, and after these."""
        words = self._words(action, enabled, _PLACED_IN_LINKS)
        return _in_parts(words, ("libraries_to_link",), "user_link_flags")

    def _words(self, action: str, enabled: frozenset[str], placed: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
        variables = dict(self.variables)
        variables.update((name, (_marked(name),) if name in _LISTS else _marked(name)) for name in placed)
        compiles = placed is _PLACED_IN_COMPILES
        variables["pic" if compiles else "libraries_to_link"] = ""
        if not compiles:
            variables.update(dict.fromkeys(_OPAQUE, ""))
        config = self.actions.get(action)
        if config is not None and action in enabled:
            yield from self._of(config, action, enabled, variables, placed)
        ordered = self.features
        before: Mapping[str, str] = {}
        after: Mapping[str, str] = {}
        if self.legacy:
            ordered = (
                *(each for name in _FIRST for each in self.features if each.name == name),
                *(each for each in self.features if each.name not in _FIRST),
            )
            before, after = (_BEFORE, _AFTER) if compiles else (_BEFORE_IN_LINKS, {})
        names = self._names
        opened = False
        for each in ordered:
            if not opened and each.name not in _FIRST:
                opened = True
                yield from (_marked(variable) for name, variable in before.items() if name not in names)
            if each.name in enabled:
                yield from self._of(each, action, enabled, variables, placed)
        yield from (_marked(variable) for name, variable in after.items() if name not in names)
        if self.legacy and "sysroot" in variables and "sysroot" not in names:
            yield f"--sysroot={variables['sysroot']}"

    def _of(
        self,
        each: Selectable,
        action: str,
        enabled: frozenset[str],
        variables: Mapping[str, Value],
        placed: Mapping[str, tuple[str, ...]],
    ) -> Iterator[str]:
        for flag_set in each.flag_sets:
            if (flag_set.actions and action not in flag_set.actions) or not _holds(flag_set.conditions, enabled):
                continue
            if not flag_set.actions and each.name != action:
                continue
            for group in flag_set.groups:
                try:
                    words = list(group.expand(variables))
                except EvalError as error:
                    raise EvalError(f"the feature '{each.name}': {error.message}") from None
                if any("\0" in word for word in words):
                    _check(each.name, words, placed)
                    yield from (word for word in words if "\0" in word)
                else:
                    yield from words

    def environment(self, action: str, enabled: frozenset[str]) -> dict[str, str]:
        """The environment variables of an action."""
        found: dict[str, str] = {}
        for each in self.features:
            if each.name in enabled:
                for env_set in each.env_sets:
                    if action in env_set.actions and _holds(env_set.conditions, enabled):
                        for name, value, available in env_set.pairs:
                            if available is None or available in self.variables:
                                found[name] = _expanded(value, self.variables)
        return found

    def tool(self, action: str, enabled: frozenset[str]) -> Tool | None:
        """The tool of an action's action_config, None without one; raises EvalError when none fits."""
        config = self.actions.get(action)
        if config is None:
            return None
        for tool in config.tools:
            if _holds(tool.conditions, enabled):
                return tool
        raise EvalError(f"no tool of the action config '{action}' fits the features in force")


def _check(feature: str, words: Iterable[str], placed: Mapping[str, tuple[str, ...]]) -> None:
    """Raises EvalError for a word that says a variable in a way in which we would not place it."""
    for word in words:
        mark = _MARK.search(word)
        if mark is None:
            if word not in _BESIDE:
                raise EvalError(f"the feature '{feature}' has '{word}' beside a variable: this is not supported")
        elif mark[1] not in _OPAQUE and _MARK.sub("{}", word) not in placed[mark[1]]:
            shown = _MARK.sub(r"%{\1}", word)
            raise EvalError(f"the feature '{feature}' says '{shown}': this form is not supported")
