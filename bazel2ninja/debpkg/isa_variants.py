"""The installed libraries once more, for processors above the baseline: glibc-hwcaps/LEVEL/libNAME.so.VERSION.

The set is linked against itself: which functions a library has out of line depends on the level.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from bazel2ninja.analysis.action import CppCompileAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.debpkg.installation import DIRECTORY, Analysed, Installation, Layout
from bazel2ninja.debpkg.isa_levels import IsaLevel
from bazel2ninja.debpkg.rebuild import Rebuild
from bazel2ninja.debpkg.settings import Library

PLACE = f"{DIRECTORY}/isa"
"""Directory below `bin` of everything that is made for levels; the level's name follows."""


def install(
    level: IsaLevel,
    libraries: Iterable[tuple[Library, Artifact]],
    analysed: Analysed,
    layout: Layout,
    result: Installation,
) -> None:
    """Adds the variants of installed libraries to `result`, which has their links already."""
    chosen = list(libraries)
    variants = _Variants(level, {file for _, file in chosen}, analysed, result)
    for library, file in chosen:
        directory = posixpath.join(layout.libraries, level.directory)
        result.add(variants.file(file), f"{directory}/{library.file_name}", "644")
        if library.soname != library.file_name:
            result.link(f"{directory}/{library.soname}", library.file_name)


class _Variants(Rebuild):
    def __init__(self, level: IsaLevel, linked: set[Artifact], analysed: Analysed, result: Installation):
        super().__init__(f"isa/{level.name}", linked, analysed, result)
        self._level = level

    def compile_flags(self, action: CppCompileAction) -> tuple[str, ...]:
        """None for what is not compiled, or is meant for one processor anyhow.

        The level's option stands before the project's own, so that a kernel with -m options of its own keeps them.
        """
        asked = (*action.toolchain_flags, *action.copts, *action.last_flags)
        if action.language not in ("c", "c++") or any(word.startswith(("-march=", "-mcpu=")) for word in asked):
            return ()
        return (self._level.compile,)

    def link_flags(self) -> tuple[str, ...]:
        return (self._level.mark,) if self._level.mark else ()
