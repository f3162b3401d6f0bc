"""The installed libraries once more, for processors above the baseline: glibc-hwcaps/LEVEL/libNAME.so.VERSION.

Only what the level changes is made again: objects from C and C++, the archives that hold them, the links.  Generated
sources, tools and tests are those of the baseline, so no generator runs twice.  The set is linked against itself: which
functions a library has out of line depends on the level.
"""

from __future__ import annotations

import dataclasses
import posixpath
from collections.abc import Iterable, Mapping

from bazel2ninja.analysis.action import Action, CppArchiveAction, CppCompileAction, CppLinkAction, LinkItem
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.debpkg.installation import DIRECTORY, Analysed, Installation, Layout
from bazel2ninja.debpkg.isa_levels import IsaLevel
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
    variants = _Variants(level, analysed, {file: library for library, file in chosen}, result)
    for library, file in chosen:
        directory = posixpath.join(layout.libraries, level.directory)
        result.add(variants.file(file), f"{directory}/{library.file_name}", "644")
        if library.soname != library.file_name:
            result.link(f"{directory}/{library.soname}", library.file_name)


class _Variants:
    """What becomes of each file at one level."""

    def __init__(
        self, level: IsaLevel, analysed: Analysed, libraries: Mapping[Artifact, Library], result: Installation
    ):
        self._level = level
        self._analysed = analysed
        self._libraries = libraries
        self._result = result
        self._of_installing = {output: action for action in result.actions for output in action.outputs}
        self._files: dict[Artifact, Artifact] = {}

    def file(self, file: Artifact) -> Artifact:
        """The variant of a file, or the file itself when the level changes nothing about it."""
        known = self._files.get(file)
        if known is None:
            action = self._of_installing.get(file) or self._analysed.generator(file)
            known = self._files[file] = self._made(file, action)
        return known

    def _made(self, file: Artifact, action: Action | None) -> Artifact:
        if isinstance(action, CppCompileAction):
            return self._compiled(action)
        if isinstance(action, CppArchiveAction):
            members = tuple(map(self.file, action.members))
            if members == action.members:
                return file
            others = tuple(each for each in action.inputs if each not in set(action.members))
            return self._again(action, file, inputs=(*members, *others), members=members)
        if isinstance(action, CppLinkAction) and file in self._libraries:
            items = tuple(LinkItem(self.file(item.artifact), item.kind) for item in action.items)
            given = {item.artifact for item in action.items}
            others = tuple(each for each in action.inputs if each not in given)
            flags = (*action.flags, self._level.mark) if self._level.mark else action.flags
            inputs = tuple(dict.fromkeys((*(item.artifact for item in items), *others)))
            return self._again(action, file, inputs=inputs, items=items, flags=flags)
        return file

    def _compiled(self, action: CppCompileAction) -> Artifact:
        """An object for the level, unless its source is not compiled, or is meant for one processor anyhow.

        The level's option stands before the project's own, so that a kernel with -m options of its own keeps them.
        """
        asked = (*action.toolchain_flags, *action.copts, *action.last_flags)
        if action.language not in ("c", "c++") or any(word.startswith(("-march=", "-mcpu=")) for word in asked):
            return action.object
        flags = (*action.toolchain_flags, self._level.compile)
        return self._again(action, action.object, toolchain_flags=flags, outputs=(self._place(action.object),))

    def _again(self, action: Action, file: Artifact, **changes: object) -> Artifact:
        output = self._place(file)
        changes.setdefault("outputs", (output,))
        message = f"{action.progress_message} for {self._level.name}" if action.progress_message else ""
        again = dataclasses.replace(action, progress_message=message, **changes)  # type: ignore[arg-type]
        self._result.actions.append(again)
        return again.primary_output

    def _place(self, file: Artifact) -> Artifact:
        path = file.exec_path
        inside = path[len(file.root.path) + 1 :] if file.root.path else path
        inside = inside.removeprefix(f"{DIRECTORY}/")
        return self._analysed.declare(f"isa/{self._level.name}/{inside}", file.owner)
