"""The machine that builds, and what --cpu and --platforms mean as constraint values.

https://bazel.build/extending/platforms; names of constraint values are those of https://github.com/bazelbuild/platforms.
The names that --cpu takes are those of Bazel's own C++ toolchain configuration, older than platforms.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Mapping
from typing import Protocol

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError, suggestion
from bazel2ninja.labels import Label, parse_label
from bazel2ninja.loading.target import RuleTarget, Target
from bazel2ninja.records import dataclass

# constraint value of @platforms//cpu: names that --cpu takes for it (the first is what Bazel itself says on such a
# host), machine names of uname -m, Debian's architecture
_CPUS: tuple[tuple[str, tuple[str, ...], tuple[str, ...], str], ...] = (
    ("x86_64", ("k8", "x86_64", "amd64", "haswell", "darwin", "darwin_x86_64", "x64_windows"), ("x86_64",), "amd64"),
    ("x86_32", ("piii", "x86", "i386", "i486", "i586", "i686"), ("i386", "i486", "i586", "i686"), "i386"),
    ("aarch64", ("aarch64", "arm64", "arm64-v8a", "darwin_arm64"), ("aarch64", "arm64"), "arm64"),
    ("armv7", ("armhf", "armeabi-v7a", "armv7", "armv7a"), ("armv7l",), "armhf"),
    ("arm", ("arm", "armeabi", "armel"), ("armv5tel", "armv6l"), "armel"),
    ("ppc64le", ("ppc", "ppc64le", "ppc64el"), ("ppc64le",), "ppc64el"),
    ("ppc", ("ppc64",), ("ppc64", "ppc"), "ppc64"),
    ("s390x", ("s390x",), ("s390x",), "s390x"),
    ("riscv64", ("riscv64",), ("riscv64",), "riscv64"),
    ("mips64", ("mips64", "mips64el"), ("mips64",), "mips64el"),
    ("loongarch64", ("loongarch64", "loong64"), ("loongarch64",), "loong64"),
    ("wasm32", ("wasm32", "wasm"), (), ""),
)
_GNU_TYPES = {  # constraint value of @platforms//cpu: the prefix of cross compilers, as Debian's packages have it
    "x86_64": "x86_64-linux-gnu",
    "x86_32": "i686-linux-gnu",
    "aarch64": "aarch64-linux-gnu",
    "armv7": "arm-linux-gnueabihf",
    "arm": "arm-linux-gnueabi",
    "ppc64le": "powerpc64le-linux-gnu",
    "ppc": "powerpc64-linux-gnu",
    "s390x": "s390x-linux-gnu",
    "riscv64": "riscv64-linux-gnu",
    "mips64": "mips64el-linux-gnuabi64",
    "loongarch64": "loongarch64-linux-gnu",
}
_OTHER_SYSTEMS = {
    "darwin": "macos",
    "darwin_x86_64": "macos",
    "darwin_arm64": "macos",
    "x64_windows": "windows",
    "armeabi-v7a": "android",
    "arm64-v8a": "android",
}


def cpu_constraint(name: str) -> Label:
    """@platforms//cpu:NAME."""
    return parse_label(f"@platforms//cpu:{name}")


def os_constraint(name: str) -> Label:
    """@platforms//os:NAME."""
    return parse_label(f"@platforms//os:{name}")


def constraints_of_cpu(cpu: str) -> tuple[Label, ...] | None:
    """Constraint values for a name that --cpu takes, None for an unknown one, which a toolchain may have."""
    for name, legacy, _, _ in _CPUS:
        if cpu in legacy or cpu == name:
            return cpu_constraint(name), os_constraint(_OTHER_SYSTEMS.get(cpu, "linux"))
    return None


def cpu_of_constraints(constraints: tuple[Label, ...]) -> str | None:
    """What --cpu would say on a Linux machine with these constraint values; None when no processor is among them."""
    for name, legacy, _, _ in _CPUS:
        if cpu_constraint(name) in constraints:
            return legacy[0]
    return None


def debian_architecture(constraints: tuple[Label, ...]) -> str | None:
    """Debian's name of the processor among `constraints`, "arm64" for instance."""
    for name, _, _, debian in _CPUS:
        if cpu_constraint(name) in constraints:
            return debian or None
    return None


def gnu_type(constraints: tuple[Label, ...]) -> str | None:
    """The GNU name of a Linux machine with these constraint values, "aarch64-linux-gnu"; None for another machine."""
    if os_constraint("linux") in constraints:
        for name, found in _GNU_TYPES.items():
            if cpu_constraint(name) in constraints:
                return found
    return None


def multiarch(gnu: str) -> str:
    """The name of Debian's directories for a GNU name: both are the same but for i386."""
    return re.sub(r"^i\d86-", "i386-", gnu)


def cpu_for_compiler(program: str) -> str | None:
    """What --cpu would say of the machine that a cross compiler is for, by its name: "aarch64-linux-gnu-gcc-12"."""
    for name, legacy, _, _ in _CPUS:
        if name in _GNU_TYPES and os.path.basename(program).startswith(f"{_GNU_TYPES[name]}-"):
            return legacy[0]
    return None


def target_cpu(environment: Mapping[str, str]) -> str | None:
    """What --cpu is by default when a cross build says so: by DEB_HOST_ARCH or the name of the compiler; else None."""
    architecture = environment.get("DEB_HOST_ARCH", "")
    if architecture and architecture != debian_architecture(host_platform(environment).constraints):
        return next((legacy[0] for _, legacy, _, debian in _CPUS if debian == architecture), None)
    for variable in ("CC", "CXX"):
        for word in environment.get(variable, "").split()[:2]:  # the first may be a compiler cache
            cpu = cpu_for_compiler(word)
            if cpu is not None:
                return cpu
    return None


@dataclass(frozen=True, slots=True)
class HostPlatform:
    """The machine that builds: its name for --cpu, its constraint values, and what its compiler is when it crosses."""

    cpu: str
    constraints: tuple[Label, ...]
    compiler: str = "gcc"

    def runs(self, constraints: tuple[Label, ...]) -> bool:
        """Whether programs for a platform with `constraints` run on the host: same processor, same system."""
        return set(self.constraints) <= set(constraints)

    def tool_prefix(self, constraints: tuple[Label, ...]) -> str:
        """What the names of compilers for a platform begin with: "aarch64-linux-gnu-", "" for the host's own."""
        if self.runs(constraints):
            return ""
        found = gnu_type(constraints)
        return f"{found}-" if found else ""


def host_platform(
    environment: Mapping[str, str], machine: str | None = None, pointer_size: int | None = None
) -> HostPlatform:
    """The host: DEB_BUILD_ARCH (dpkg-architecture(1)) when a package build says it, else what the kernel says.

    machine: as `uname -m`; pointer_size: bytes, a 32-bit user land may run on a 64-bit kernel.  Raises WorkspaceError
    for an unknown architecture.
    """
    architecture = environment.get("DEB_BUILD_ARCH", "")
    if architecture:
        for name, legacy, _, debian in _CPUS:
            if debian == architecture:
                return HostPlatform(legacy[0], (cpu_constraint(name), os_constraint("linux")))
        raise WorkspaceError(
            Diagnostic(
                f"unknown architecture {architecture!r} in the environment variable 'DEB_BUILD_ARCH'",
                help=suggestion(architecture, (row[3] for row in _CPUS)),
            )
        )
    machine = machine or os.uname().machine
    if (pointer_size or struct.calcsize("P")) == 4:
        machine = {"x86_64": "i686", "aarch64": "armv7l", "armv8l": "armv7l"}.get(machine, machine)
    for name, legacy, machines, _ in _CPUS:
        if machine in machines:
            return HostPlatform(legacy[0], (cpu_constraint(name), os_constraint("linux")))
    raise WorkspaceError(Diagnostic(f"unknown machine {machine!r}: no constraint value of '@platforms//cpu' is for it"))


class TargetSource(Protocol):
    """What finds targets: the loader."""

    def target(self, label: Label) -> Target:
        """The target; raises WorkspaceError when there is none."""
        ...


def rule_target(loader: TargetSource, label: Label, kinds: tuple[str, ...], location: Location | None) -> RuleTarget:
    """The target `label`, aliases followed; raises WorkspaceError when it is of none of the `kinds` of rule."""
    seen = []
    current = label
    while True:
        target = loader.target(current)
        if isinstance(target, RuleTarget):
            if target.rule_class.name in kinds:
                return target
            actual = target.value("actual") if target.rule_class.name == "alias" else None
            if isinstance(actual, Label):
                if actual in seen:
                    raise WorkspaceError(Diagnostic(f"alias cycle at {actual.short}", target.location))
                seen.append(actual)
                current = actual
                continue
        raise WorkspaceError(
            Diagnostic(f"{label.short} is a {target.kind}, expected {' or '.join(kinds)}", location or target.location)
        )


@dataclass(frozen=True, slots=True)
class ConstraintValue:
    """constraint_value(): a value of a setting; `default` is the value that a platform has when it says nothing."""

    label: Label
    setting: Label
    default: Label | None


def constraint_value(loader: TargetSource, label: Label, location: Location | None = None) -> ConstraintValue:
    """The constraint value that `label` names, aliases followed."""
    target = rule_target(loader, label, ("constraint_value",), location)
    named = target.value("constraint_setting")
    if not isinstance(named, Label):
        raise WorkspaceError(Diagnostic(f"{label.short} has no constraint_setting", target.location))
    setting = rule_target(loader, named, ("constraint_setting",), target.location)
    default = setting.value("default_constraint_value")
    return ConstraintValue(target.label, setting.label, default if isinstance(default, Label) else None)


def platform_constraints(
    loader: TargetSource, label: Label, location: Location | None = None, children: tuple[Label, ...] = ()
) -> tuple[Label, ...]:
    """Constraint values of a platform(), its parents' included, sorted; its own win over a parent's.

    Raises WorkspaceError for two values of one setting, a cycle of parents, or what is not supported (flags).
    """
    target = rule_target(loader, label, ("platform",), location)
    if target.label in children:
        raise WorkspaceError(Diagnostic(f"platform {target.label.short} is its own parent", target.location))
    if target.attributes.get("flags"):
        raise WorkspaceError(
            Diagnostic(f"platform {target.label.short} sets flags, which is not supported", target.location)
        )
    values: dict[Label, Label] = {}
    parents = target.value("parents")
    for parent in parents if isinstance(parents, tuple) else ():
        for inherited in platform_constraints(loader, parent, target.location, (*children, target.label)):
            values[constraint_value(loader, inherited).setting] = inherited
    own: dict[Label, Label] = {}
    listed = target.value("constraint_values")
    for named in listed if isinstance(listed, tuple) else ():
        value = constraint_value(loader, named, target.location)
        if own.setdefault(value.setting, value.label) is not value.label:
            raise WorkspaceError(
                Diagnostic(
                    f"platform {target.label.short} has two values of {value.setting.short}: "
                    f"{own[value.setting].short} and {value.label.short}",
                    target.location,
                )
            )
    return tuple(sorted({**values, **own}.values()))
