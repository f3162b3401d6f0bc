"""From words to settings: the native options, user-defined build settings, --config and --flag_alias.

https://bazel.build/docs/user-manual and https://bazel.build/run/bazelrc.  Words come from the sections of .bazelrc that
the command inherits and then from the command line; --config=NAME is replaced where it stands by what the files say for
NAME; --enable_platform_specific_config by the config "linux".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from bazel2ninja.configuration.bazelrc import INHERITED, Argument, Bazelrc
from bazel2ninja.configuration.configuration import Settings
from bazel2ninja.configuration.contradictions import contradictions
from bazel2ninja.configuration.option_table import (
    OLD_DEFAULTS,
    OLD_NAMES,
    Option,
    abbreviated,
    effective_options,
    native_options,
)
from bazel2ninja.configuration.option_values import OptionValueError, convert, merged, settings_with
from bazel2ninja.configuration.platforms import HostPlatform, constraints_of_cpu, host_platform, target_cpu
from bazel2ninja.diagnostics import Diagnostic, Location, Note, UsageError, WorkspaceError, suggestion
from bazel2ninja.labels import NO_MAPPING, RepositoryMapping
from bazel2ninja.records import dataclass, field, replace

PLATFORM_CONFIG = "linux"
"""The config that --enable_platform_specific_config means on this system."""

_USER_FLAG = re.compile(
    r"--(?P<no>no)?(?P<label>(?:@@?[^/=]*)?//[^=]*|@@?[^/=]+)(?:(?P<equals>=)(?P<value>.*))?", re.DOTALL
)
_NATIVE = re.compile(r"--(?P<name>[^=]*)(?:(?P<equals>=)(?P<value>.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class BuildSettingFlag:
    """--//pkg:name=value as written: what it means is known when the target `label` has been loaded.

    value: None for `--//pkg:name` alone; `negated` for `--no//pkg:name`.  config: as for GivenOption.
    """

    label: str
    value: str | None
    negated: bool = False
    location: Location | None = None
    config: str = ""


@dataclass(frozen=True, slots=True)
class GivenOption:
    """One native option as it was given, for explanations; `text` is the value as written, "" for none.

    config: of the command line, which brought it by way of an rc file; "" for what came otherwise.
    """

    option: Option
    text: str
    value: object
    location: Location | None
    config: str = ""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line and the .bazelrc files ask for.

    settings: without build_settings, and with constraints only as far as --cpu tells (see target_settings).
    build_setting_flags: user-defined flags, in order.  targets: the words that are no options.
    repository_environment: --repo_env (and --action_env) as (name, value).
    run: the further options of effect "run" and "test" by name, converted, with defaults.
    semantics: switches of the language as (name, on).  configs: every --config that was taken, those that another one
    asks for included.  given: every native option, in order, after defaults that were
    other ones in the release asked for.
    """

    settings: Settings
    host: HostPlatform
    platforms: tuple[str, ...] = ()
    host_platform: str | None = None
    build_setting_flags: tuple[BuildSettingFlag, ...] = ()
    repository_environment: tuple[tuple[str, str], ...] = ()
    override_repositories: tuple[tuple[str, str], ...] = ()
    extra_toolchains: tuple[str, ...] = ()
    vendor: tuple[str, ...] = ()
    semantics: tuple[tuple[str, bool], ...] = ()
    run: Mapping[str, object] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    given: tuple[GivenOption, ...] = ()
    configs: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


def _error(message: str, argument: Argument, help: str | None = None, notes: tuple[Note, ...] = ()) -> WorkspaceError:
    kind = WorkspaceError if argument.location else UsageError
    return kind(Diagnostic(message, argument.location, help=help, notes=notes, length=len(argument.text)))


class _Parser:
    """Reads lists of words; what it found stands in `given`, `flags` and `targets`."""

    def __init__(self, rc: Bazelrc, sections: Sequence[str], mapping: RepositoryMapping, release: tuple[int, ...]):
        self.rc = rc
        self.sections = sections
        self.mapping = mapping
        self.release = release
        self.given: list[GivenOption] = []
        self.flags: list[BuildSettingFlag] = []
        self.targets: list[str] = []
        self.warnings: list[Diagnostic] = list(rc.warnings)
        self.aliases: dict[str, str] = {}
        self.configs: dict[str, None] = {}
        self._named = ""  # the config of the command line that is being read

    def parse(self, arguments: Sequence[Argument], configs: tuple[tuple[str, Argument], ...] = ()) -> None:
        words = iter(arguments)
        options_end = False
        for argument in words:
            text = argument.text
            if options_end or not text.startswith("-") or text == "-":
                self._target(argument)
            elif text == "--":
                options_end = True
            elif text.startswith("-//"):
                self._target(argument)
            elif text.startswith(("--//", "--@", "--no//", "--no@")):
                self._user_flag(argument)
            elif text.startswith("--"):
                self._native(argument, words, configs)
            else:
                self._short(argument, words, configs)

    def _target(self, argument: Argument) -> None:
        self.targets.append(argument.text)

    def _user_flag(self, argument: Argument) -> None:
        match = _USER_FLAG.fullmatch(argument.text)
        if match is None:
            raise _error(f"invalid option syntax {argument.text!r}", argument)
        if match["no"] and match["equals"]:
            raise _error(f"unexpected value after the boolean option {argument.text!r}", argument)
        self.flags.append(
            BuildSettingFlag(match["label"], match["value"], bool(match["no"]), argument.location, self._named)
        )

    def _short(self, argument: Argument, words: Iterable[Argument], configs: tuple[tuple[str, Argument], ...]) -> None:
        text = argument.text
        option = abbreviated(text[1:2]) if len(text) == 2 or text[2:] == "-" else None
        if option is None:
            raise _error(f"invalid option syntax {text!r}", argument, "long options begin with '--'")
        if text[2:] == "-":
            if not option.negatable:
                raise _error(f"option {text!r} is not boolean", argument)
            self._add(option, argument, "", False)
            return
        self._value(option, argument, None, words)

    def _native(self, argument: Argument, words: Iterable[Argument], configs: tuple[tuple[str, Argument], ...]) -> None:
        match = _NATIVE.fullmatch(argument.text)
        assert match is not None
        name, value = match["name"], match["value"]
        if name in ("config", "bazelrc"):
            if value is None:
                following = next(iter(words), None)
                if following is None:
                    raise _error(f"expected a value after '--{name}'", argument)
                value = following.text
            if name == "config":
                self._config(value, argument, configs)
            return
        if name in self.aliases:
            self.flags.append(BuildSettingFlag(self.aliases[name], value, False, argument.location, self._named))
            return
        if name.startswith("no") and name[2:] in self.aliases:
            self.flags.append(BuildSettingFlag(self.aliases[name[2:]], None, True, argument.location, self._named))
            return
        options = native_options()
        option = options.get(OLD_NAMES.get(name, name))
        negated = False
        if option is None and name.startswith("no"):
            positive = name[2:].removeprefix("_")
            option = options.get(OLD_NAMES.get(positive, positive))
            negated = option is not None
            if option is not None and not option.negatable:
                raise _error(f"option '--{option.name}' is not boolean: it has no form '--{name}'", argument)
        if option is None:
            near = suggestion(name, [*options, *self.aliases, "config"])
            raise _error(f"unrecognized option '--{name}'", argument, near.replace("'", "'--", 1) if near else None)
        if not option.builds:
            if argument.section == "common":
                return
            raise _error(f"option '--{name}' is not one of 'build'", argument, "in an rc file, move it to 'common'")
        self._check_release(option, argument)
        if negated:
            if value is not None:
                raise _error(f"unexpected value after the boolean option '--{name}'", argument)
            self._add(option, argument, "", False)
            return
        self._value(option, argument, value, words)

    def _check_release(self, option: Option, argument: Argument) -> None:
        def dotted(release: tuple[int, ...]) -> str:
            return ".".join(str(part) for part in release)

        message = ""
        if self.release and option.since and self.release < option.since:
            message = f"option '--{option.name}' came with Bazel {dotted(option.since)}"
        elif self.release and option.until and self.release >= option.until:
            message = f"option '--{option.name}' was removed in Bazel {dotted(option.until)}"
        if message:
            message += f", the workspace wants {dotted(self.release)}"
            self.warnings.append(Diagnostic(message, argument.location, "warning", length=len(argument.text)))

    def _value(self, option: Option, argument: Argument, text: str | None, words: Iterable[Argument]) -> None:
        if text is None and option.negatable:
            self._add(option, argument, "", True)
            return
        if option.type == "void":
            self._add(option, argument, text or "", True)
            return
        if text is None:
            following = next(iter(words), None)
            if following is None:
                raise _error(f"expected a value after '--{option.name}'", argument)
            text = following.text
        try:
            self._add(option, argument, text, convert(option, text, self.mapping))
        except OptionValueError as problem:
            raise _error(f"while parsing option '--{option.name}={text}': {problem}", argument, problem.help) from None

    def _add(self, option: Option, argument: Argument, text: str, value: object) -> None:
        if option.effect == "unsupported" and value != option.default:
            raise _error(f"option '--{option.name}' is not supported", argument)
        if option.name == "flag_alias" and isinstance(value, tuple):
            self.aliases[value[0]] = value[1]
        self.given.append(GivenOption(option, text, value, argument.location, self._named))

    def _config(self, name: str, argument: Argument, configs: tuple[tuple[str, Argument], ...]) -> None:
        if any(name == outer for outer, _ in configs):
            chain = " -> ".join([outer for outer, _ in configs] + [name])
            notes = tuple(Note(f"'--config={outer}'", where.location) for outer, where in configs)
            raise _error(f"config expansion has a cycle: {chain}", argument, notes=notes)
        if not self.rc.defines(name, self.sections):
            elsewhere = name in self.rc.configs
            near = suggestion(name, (c for c in self.rc.configs if self.rc.defines(c, self.sections)))
            sections = next((line.section for line in self.rc.lines if line.config == name), "")
            help = f"it is defined for {sections!r} only" if elsewhere else near
            raise _error(f"config value {name!r} is not defined in any rc file", argument, help)
        self.configs[name] = None
        before = self._named
        if argument.location is None:
            self._named = name
        for section in self.sections:
            self.parse(self.rc.arguments(section, name), (*configs, (name, argument)))
        self._named = before

    def platform_config(self) -> None:
        """Puts the config of this system where the last --enable_platform_specific_config stands."""
        position = None
        for index, given in enumerate(self.given):
            if given.option.name == "enable_platform_specific_config":
                position = index
        if position is None or self.given[position].value is not True:
            return
        if not self.rc.defines(PLATFORM_CONFIG, self.sections):
            return
        tail = self.given[position + 1 :]
        del self.given[position + 1 :]
        origin = Argument("--enable_platform_specific_config", self.given[position].location)
        self._config(PLATFORM_CONFIG, origin, ())
        self.given.extend(tail)


def _run(
    arguments: Sequence[str], rc: Bazelrc, command: str, mapping: RepositoryMapping, release: tuple[int, ...]
) -> _Parser:
    parser = _Parser(rc, INHERITED[command], mapping, release)
    for section in parser.sections:
        parser.parse(rc.arguments(section))
    parser.parse([Argument(text) for text in arguments])
    parser.platform_config()
    return parser


def parse(
    arguments: Sequence[str],
    rc: Bazelrc | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
    *,
    command: str = "build",
    mapping: RepositoryMapping = NO_MAPPING,
    release: tuple[int, ...] = (),
    host: HostPlatform | None = None,
) -> Options:
    """The options of a build; what `test` sections say about running tests is added.

    environment: the process's, from which --repo_env=NAME takes values.  mapping: of the main repository, for labels.
    release: of the Bazel that the workspace asks for, () for the newest.  Raises UsageError for a mistake on the
    command line, WorkspaceError with file, line and column for one in an rc file.
    """
    rc = rc or Bazelrc()
    parser = _run(arguments, rc, command, mapping, release)
    host = host or host_platform(environment)
    given = [*_old_defaults(release), *parser.given]
    if command == "build" and any(line.section == "test" for line in rc.lines):
        with_tests = _run(arguments, rc, "test", mapping, release)
        given = [g for g in given if not _is_test(g)] + [g for g in with_tests.given if _is_test(g)]
    return _options(given, parser, environment, host)


def _old_defaults(release: tuple[int, ...]) -> list[GivenOption]:
    """Options whose default was another one in `release`."""
    found = []
    for name, (value, changed) in OLD_DEFAULTS.items():
        if release and release < changed:
            found.append(GivenOption(native_options()[name], "", value, None))
    return found


def _is_test(given: GivenOption) -> bool:
    return given.option.effect == "test" or given.option.name == "test_env"


def _options(given: list[GivenOption], parser: _Parser, environment: Mapping[str, str], host: HostPlatform) -> Options:
    values: dict[str, object] = {}
    for one in given:
        values[one.option.name] = merged(one.option, values.get(one.option.name, one.option.default), one.value)
    settings = settings_with(Settings(cpu=target_cpu(environment) or host.cpu), values)
    constraints = constraints_of_cpu(settings.cpu) or ()
    settings = replace(
        settings, platforms=(), constraints=host.constraints if settings.cpu == host.cpu else constraints
    )
    run = {
        option.name: values.get(option.name, option.default)
        for option in effective_options()
        if option.effect in ("run", "test")
    }
    semantics: dict[str, bool] = {}
    for one in given:
        if one.option.effect == "semantics":
            semantics[one.option.field.lstrip("!")] = bool(one.value) != one.option.field.startswith("!")
    repository_environment: dict[str, str] = {}
    for name in ("action_env", "repo_env"):
        pairs = values.get(name, ())
        assert isinstance(pairs, tuple)
        for variable, value in pairs:
            known = environment.get(variable) if value is None else value
            if known is not None:
                repository_environment[variable] = known
    platforms = values.get("platforms", ())
    assert isinstance(platforms, tuple)
    host_label = values.get("host_platform")
    return Options(
        settings=settings,
        host=host,
        platforms=tuple(str(label) for label in platforms),
        host_platform=str(host_label) if host_label else None,
        build_setting_flags=tuple(parser.flags),
        repository_environment=tuple(sorted(repository_environment.items())),
        override_repositories=_pairs(run["override_repository"]),
        extra_toolchains=_texts(run["extra_toolchains"]),
        vendor=_texts(run["vendor"]),
        semantics=tuple(sorted(semantics.items())),
        run=MappingProxyType(run),
        targets=tuple(parser.targets),
        given=tuple(given),
        configs=tuple(parser.configs),
        warnings=(*parser.warnings, *contradictions(given, parser.flags)),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, tuple) else ()


def _pairs(value: object) -> tuple[tuple[str, str], ...]:
    return tuple((str(name), str(text)) for name, text in value) if isinstance(value, tuple) else ()
