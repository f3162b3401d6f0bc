"""The settings a target is analysed with, as one frozen value.

https://bazel.build/extending/config.  `Configurations` hands out one object for equal settings, so that a configured
target is found by (label, configuration) at pointer speed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from bazel2ninja.labels import Label
from bazel2ninja.records import dataclass, fields, replace


@dataclass(frozen=True, slots=True)
class PerFileCopt:
    """--per_file_copt=INCLUDE,-EXCLUDE@FLAG,FLAG: regular expressions over label or path of a source."""

    includes: tuple[str, ...]
    excludes: tuple[str, ...]
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings under Bazel's option names; those that never change a target's actions are not here.

    build_settings: user-defined build settings that differ from their default, sorted: (label, value).
    other: every further native option that config_setting(values = ...) or a transition may name, sorted:
    (name without dashes, text or tuple of texts).
    constraints: constraint values of the target platform.
    """

    compilation_mode: str = "fastbuild"
    cpu: str = "k8"
    compiler: str = "gcc"
    copts: tuple[str, ...] = ()
    conlyopts: tuple[str, ...] = ()
    cxxopts: tuple[str, ...] = ()
    linkopts: tuple[str, ...] = ()
    per_file_copts: tuple[PerFileCopt, ...] = ()
    defines: tuple[tuple[str, str], ...] = ()  # --define, last one wins, sorted by name
    features: tuple[str, ...] = ()  # a leading "-" disables
    dynamic_mode: str = "default"
    force_pic: bool = False
    action_environment: tuple[tuple[str, str | None], ...] = ()  # None: the value of the builder's environment
    test_environment: tuple[tuple[str, str | None], ...] = ()
    platforms: tuple[Label, ...] = ()
    constraints: tuple[Label, ...] = ()
    build_settings: tuple[tuple[Label, object], ...] = ()
    other: tuple[tuple[str, object], ...] = ()
    is_exec: bool = False


class Configuration:
    """Settings with an identity and an output directory.

    `mnemonic` is "k8-fastbuild", with "-exec" and "-ST-HASH" as Bazel adds them for what a transition changed;
    `output` is "bazel-out/MNEMONIC"; generated files lie in `bin` = output + "/bin".  tool_prefix: what the names of
    compilers and their tools begin with, "" for those of the machine that builds.
    """

    __slots__ = ("bin", "mnemonic", "output", "settings", "tool_prefix")

    def __init__(self, settings: Settings, mnemonic: str, tool_prefix: str = ""):
        self.settings = settings
        self.mnemonic = mnemonic
        self.tool_prefix = tool_prefix
        self.output = f"bazel-out/{mnemonic}"
        self.bin = self.output + "/bin"

    def __repr__(self) -> str:
        return f"Configuration({self.mnemonic})"

    def __lt__(self, other: Configuration) -> bool:
        return self.mnemonic < other.mnemonic


class Configurations:
    """All configurations of one run.  The first is the target configuration that the command line asked for.

    tool_prefix: what compilers for constraint values are called, see HostPlatform.
    """

    def __init__(self, target: Settings, tool_prefix: Callable[[tuple[Label, ...]], str] = lambda constraints: ""):
        self._known: dict[Settings, Configuration] = {}
        self._tool_prefix = tool_prefix
        self.top = target
        self.target = self.of(target)

    def of(self, settings: Settings) -> Configuration:
        """The configuration with these settings."""
        found = self._known.get(settings)
        if found is None:
            prefix = self._tool_prefix(settings.constraints)
            found = self._known[settings] = Configuration(settings, self._mnemonic(settings), prefix)
        return found

    def __iter__(self) -> Iterator[Configuration]:
        return iter(self._known.values())

    def _mnemonic(self, settings: Settings) -> str:
        base = f"{settings.cpu}-{settings.compilation_mode}"
        if settings.is_exec:
            base += "-exec"
        plain = replace(
            self.top,
            cpu=settings.cpu,
            compilation_mode=settings.compilation_mode,
            is_exec=settings.is_exec,
        )
        if settings == plain:
            return base
        changed = [
            f"{field.name}={getattr(settings, field.name)!r}"
            for field in fields(settings)
            if getattr(settings, field.name) != getattr(plain, field.name)
        ]
        return f"{base}-ST-{hashlib.sha256(chr(0).join(changed).encode()).hexdigest()[:12]}"
