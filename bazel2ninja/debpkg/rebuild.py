"""Making a part of what is installed again, with other options: for a processor level, for a version of Python.

Only what the options change is made again: objects, the archives that hold them, the links.  Generated sources, tools
and tests are shared, so no generator runs twice.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from bazel2ninja.analysis.action import Action, CppArchiveAction, CppCompileAction, CppLinkAction, LinkItem
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.debpkg.installation import DIRECTORY, Analysed, Installation


class Rebuild:
    """What becomes of each file.

    name: the directory below `bin`/DIRECTORY of what is made; linked: the links that are made again, not only used.
    """

    def __init__(self, name: str, linked: Collection[Artifact], analysed: Analysed, result: Installation):
        self._name = name
        self._linked = linked
        self._analysed = analysed
        self._result = result
        self._of_installing = {output: action for action in result.actions for output in action.outputs}
        self._files: dict[Artifact, Artifact] = {}

    def compile_flags(self, action: CppCompileAction) -> tuple[str, ...]:
        """Further flags of a compile, () when its object stays; they stand before the project's own."""
        raise NotImplementedError

    def link_flags(self) -> tuple[str, ...]:
        """Further flags of each link."""
        return ()

    def file(self, file: Artifact) -> Artifact:
        """What takes the place of a file; the file itself when nothing changes about it."""
        known = self._files.get(file)
        if known is None:
            action = self._of_installing.get(file) or self._analysed.generator(file)
            known = self._files[file] = self._made(file, action)
        return known

    def _made(self, file: Artifact, action: Action | None) -> Artifact:
        if isinstance(action, CppCompileAction):
            flags = self.compile_flags(action)
            if not flags:
                return file
            return self._again(action, file, toolchain_flags=(*action.toolchain_flags, *flags))
        if isinstance(action, CppArchiveAction):
            members = tuple(map(self.file, action.members))
            if members == action.members:
                return file
            others = tuple(each for each in action.inputs if each not in set(action.members))
            return self._again(action, file, inputs=(*members, *others), members=members)
        if isinstance(action, CppLinkAction) and file in self._linked:
            items = tuple(LinkItem(self.file(item.artifact), item.kind) for item in action.items)
            if not self.link_flags() and [item.artifact for item in items] == [item.artifact for item in action.items]:
                return file
            given = {item.artifact for item in action.items}
            others = tuple(each for each in action.inputs if each not in given)
            inputs = tuple(dict.fromkeys((*(item.artifact for item in items), *others)))
            return self._again(action, file, inputs=inputs, items=items, flags=(*action.flags, *self.link_flags()))
        return file

    def _again(self, action: Action, file: Artifact, **changes: object) -> Artifact:
        path = file.exec_path
        inside = path[len(file.root.path) + 1 :] if file.root.path else path
        output = self._analysed.declare(f"{self._name}/{inside.removeprefix(f'{DIRECTORY}/')}", file.owner)
        message = f"{action.progress_message} for {self._name}" if action.progress_message else ""
        again = dataclasses.replace(
            action, outputs=(output,), progress_message=message, **changes  # type: ignore[arg-type]
        )  # fmt: skip
        self._result.actions.append(again)
        return output
