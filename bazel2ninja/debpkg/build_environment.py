"""What the environment of a Debian package build says.

DEB_BUILD_OPTIONS: https://www.debian.org/doc/debian-policy/ch-source.html#debian-rules-and-deb-build-options;
DEB_BUILD_PROFILES: https://wiki.debian.org/BuildProfileSpec.  Compiler flags come from dpkg-buildflags(1) by way of
debhelper, in CFLAGS and the like.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bazel2ninja.diagnostics import Diagnostic, WorkspaceError

_FIRST_LINE = re.compile(r"(?P<source>[a-z0-9][a-z0-9+.-]+) \((?P<version>[^()\s]+)\) [^;]+;")
# what Debian calls a machine that the kernel calls otherwise
_ARCHITECTURES = MappingProxyType(
    {"x86_64": "amd64", "aarch64": "arm64", "ppc64le": "ppc64el", "i686": "i386", "armv7l": "armhf"}
)


@dataclass(frozen=True, slots=True)
class BuildEnvironment:
    """options, profiles: the words of the two variables; multiarch: "x86_64-linux-gnu", "" outside package builds.

    host_architecture: Debian's name of what the packages are for, "" when the environment does not say.
    """

    options: frozenset[str] = frozenset()
    profiles: frozenset[str] = frozenset()
    multiarch: str = ""
    host_type: str = ""
    host_architecture: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> BuildEnvironment:
        return cls(
            options=frozenset(environment.get("DEB_BUILD_OPTIONS", "").split()),
            profiles=frozenset(environment.get("DEB_BUILD_PROFILES", "").split()),
            multiarch=environment.get("DEB_HOST_MULTIARCH", ""),
            host_type=environment.get("DEB_HOST_GNU_TYPE", ""),
            host_architecture=environment.get("DEB_HOST_ARCH", ""),
        )

    @property
    def tests(self) -> bool:
        """Whether tests are built and run; without, neither they nor what only they need is looked at."""
        return "nocheck" not in self.options and "nocheck" not in self.profiles

    @property
    def isa(self) -> bool:
        """Whether libraries are built for processors above the baseline, too."""
        return "noisa" not in self.options and not any(profile.endswith(".noisa") for profile in self.profiles)

    @property
    def machine(self) -> str:
        """What the packages are for, first word of the GNU triplet: "x86_64"; outside package builds this machine."""
        return (self.host_type or platform.machine()).partition("-")[0]

    @property
    def architecture(self) -> str:
        """Debian's name of what the packages are for: "amd64"; outside package builds that of this machine."""
        return self.host_architecture or _ARCHITECTURES.get(platform.machine(), platform.machine())


def upstream_version(changelog: str, path: str = "debian/changelog") -> str:
    """The upstream version of a changelog's first entry, without epoch and Debian revision."""
    first = next((line for line in changelog.splitlines() if line.strip()), "")
    match = _FIRST_LINE.match(first)
    if match is None:
        raise WorkspaceError(Diagnostic(f"'{path}' does not begin with the entry of a version"))
    version = match["version"].rpartition(":")[2]
    return version.rpartition("-")[0] or version


def plain_version(version: str) -> str:
    """An upstream version without what Debian's repacking adds: "2.14.1+dfsg" is "2.14.1"."""
    return re.split(r"[+~](?:dfsg|ds|really|git|\d{8})", version)[0]
