"""What `ninja install` puts where, and the actions that only installing needs.

Nothing that is installed may look for libraries in the build tree.  A program or shared library whose RUNPATH leads
there is linked a second time, from the same objects: with the installed libraries in place of the archives and the
build tree's libraries that they stand for, and with archives in place of the other ones.  Editing the finished file
instead would leave a program that needs libraries which nobody installs.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence

from bazel2ninja.analysis.action import Action, CppArchiveAction, CppLinkAction, LinkItem, SymlinkAction
from bazel2ninja.analysis.artifact import Artifact, ArtifactRoot
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.records import dataclass, field, replace

_CODE = ("object", "archive", "whole_archive")
DIRECTORY = "_install"
"""Directory below `bin` of what is made for installing only."""


@dataclass(frozen=True, slots=True)
class Analysed:
    """The analysed workspace.

    target: by label, as a command line names it; dependencies: the targets that a C++ target compiles and links
    against; generator: the action that makes a file; actions: all of them; text: of a source file, "" for one that the
    build makes.
    """

    target: Callable[[Label], ConfiguredTarget]
    parse: Callable[[str], Label]
    dependencies: Callable[[ConfiguredTarget], Sequence[ConfiguredTarget]]
    generator: Callable[[Artifact], Action | None]
    actions: Sequence[Action]
    configuration: str
    text: Callable[[Artifact], str]

    def named(self, text: str, location: Location | None) -> ConfiguredTarget:
        """The target that a settings file names at `location`; errors are placed there."""
        try:
            return self.target(self.parse(text))
        except WorkspaceError as error:
            raise error.at(location) from None

    def declare(self, path: str, owner: Label) -> Artifact:
        """A file that an action for installing makes."""
        root = f"bazel-out/{self.configuration}/bin"
        return Artifact(f"{root}/{DIRECTORY}/{path}", ArtifactRoot(root), owner)

    def link_of(self, target: ConfiguredTarget) -> CppLinkAction | None:
        """The link that makes a program or shared library; None for a target that is neither."""
        files = [target.executable] if target.executable is not None else []
        for artifact in (*files, *target.files.flatten()):
            action = self.generator(artifact)
            if isinstance(action, CppLinkAction) and action.kind in ("executable", "shared"):
                return action
        return None


@dataclass(frozen=True, slots=True)
class Layout:
    """Directories below the prefix."""

    libraries: str = "lib"
    headers: str = "include"
    programs: str = "bin"


@dataclass(slots=True)
class Installation:
    """files: path below the prefix -> (artifact, mode in octal digits); links: path -> what the link says.

    actions: those that make files for installing only.  prefix: "" when whoever installs says it; problem: why nothing
    can be installed; alone: whether nothing else is to be built.  by_target: target -> paths of its files, if nothing
    but the targets that were asked for decides about them.
    """

    files: dict[str, tuple[Artifact, str]] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    actions: list[Action] = field(default_factory=list)
    prefix: str = ""
    problem: str = ""
    alone: bool = False
    by_target: dict[Label, tuple[str, ...]] | None = None

    def add(self, artifact: Artifact, path: str, mode: str) -> None:
        """Installs a file; raises WorkspaceError when another one takes its place already."""
        present = self.files.setdefault(path, (artifact, mode))
        if present[0] is not artifact or path in self.links:
            raise WorkspaceError(
                Diagnostic(
                    f"both '{present[0].owner}' and '{artifact.owner}' would be installed as '{path}'",
                    help="give one of them another name in debian/bazel2ninja.toml, or name the targets to build",
                )
            )

    def link(self, path: str, goal: str) -> None:
        if path in self.files or self.links.setdefault(path, goal) != goal:
            raise WorkspaceError(Diagnostic(f"two files would be installed as '{path}'"))


class Relinker:
    """Links again what is to be installed.  owners: target -> the installed library that holds its code."""

    def __init__(self, analysed: Analysed, owners: Mapping[Label, Artifact]):
        self._analysed = analysed
        self._owners = owners
        self._archives = {
            action.owner: action.primary_output for action in analysed.actions if isinstance(action, CppArchiveAction)
        }

    def installed(
        self,
        action: CppLinkAction,
        name: str,
        installation: Installation,
        *,
        soname: str | None = None,
        linkopts: Sequence[str] = (),
        holders: Sequence[CppLinkAction] = (),
    ) -> Artifact:
        """The file to install for a link: its own output, or that of a further link which is added.

        name: where the further link's output lies below DIRECTORY; soname, linkopts: what it says other or more;
        holders: links of libraries whose code is taken from them.
        """
        items, shared = self._items(action)
        for holder in holders:
            items = _taken_from(holder, items)
        flags = tuple(flag for flag in action.flags if not is_build_tree_search(flag))
        if soname is not None:
            flags = tuple(flag for flag in flags if not flag.startswith("-Wl,-soname"))
        same = tuple(items) == action.items and not shared and flags == action.flags
        if same and not action.runtime_directories and soname is None and not linkopts:
            return action.output
        items += [LinkItem(library, "shared") for library in shared]
        output = self._analysed.declare(name, action.owner)
        version_scripts = set(action.version_scripts)
        inputs = [file for file in action.inputs if file in version_scripts or not _is_library(file, action)]
        again = replace(
            action,
            outputs=(output,),
            inputs=tuple(dict.fromkeys((*(item.artifact for item in items), *inputs))),
            items=tuple(items),
            flags=(*flags, *linkopts),
            runtime_directories=(),
            progress_message=f"Linking {output.short_path}",
            soname=soname or action.soname,
        )
        installation.actions.append(again)
        return output

    def _items(self, action: CppLinkAction) -> tuple[list[LinkItem], list[Artifact]]:
        """(what is linked in, installed libraries that are linked against)."""
        items: list[LinkItem] = []
        shared: dict[Artifact, None] = {}
        for item in action.items:
            # a library among the srcs is a link of the user's own to it
            installed = None if item.kind == "object" else self._owners.get(self._origin(item.artifact).owner)
            if installed is not None:
                shared[installed] = None
            elif item.kind in ("lib", "shared") and self._is_ours(item.artifact):
                archive = self._archives.get(item.artifact.owner)
                if archive is None:
                    path = item.artifact.exec_path
                    raise WorkspaceError(
                        Diagnostic(
                            f"'{action.owner}' cannot be installed: it needs '{path}' of the build tree",
                            action.location,
                            help=f"install '{item.artifact.owner}' as a [[library]]",
                        )
                    )
                items.append(LinkItem(archive, "archive"))
            else:
                items.append(item)
        return items, list(shared)

    def _is_ours(self, artifact: Artifact) -> bool:
        """Whether the build links a library; one that is only a link to a prebuilt one is not."""
        return isinstance(self._analysed.generator(self._origin(artifact)), CppLinkAction)

    def _origin(self, artifact: Artifact) -> Artifact:
        """The file that a symbolic link, or a link to one, leads to."""
        generator = self._analysed.generator(artifact)
        while isinstance(generator, SymlinkAction) and generator.inputs:
            artifact = generator.inputs[0]
            generator = self._analysed.generator(artifact)
        return artifact


def _taken_from(holder: CppLinkAction, items: Sequence[LinkItem]) -> list[LinkItem]:
    """What is linked when a library that holds some of it comes first.

    Its archives stay, but only for what the library keeps to itself: what the linker finds in it, it does not look for
    in an archive.  Whatever registers itself has been registered by the library.
    """
    held = {item.artifact for item in holder.items if item.kind in _CODE}

    def is_held(item: LinkItem) -> bool:
        return item.kind in _CODE and item.artifact in held

    if not any(map(is_held, items)):
        return list(items)
    own = [
        LinkItem(item.artifact, "archive") if is_held(item) else item
        for item in items
        if item.kind != "object" or not is_held(item)
    ]
    return [LinkItem(holder.output, "shared"), *own]


def is_build_tree_search(flag: str) -> bool:
    """Whether a linker flag is a search path for the loader that is not relative to the file itself or the system's."""
    for option in ("-Wl,-rpath,", "-Wl,-rpath=", "-Wl,--rpath,", "-Wl,--rpath=", "-Wl,-R,", "-Wl,-R"):
        if flag.startswith(option):
            return not flag[len(option) :].startswith("/usr/")
    return False


def _is_library(file: Artifact, action: CppLinkAction) -> bool:
    return any(item.artifact is file for item in action.items) or ".so" in posixpath.basename(file.exec_path)


def programs_of(
    targets: Iterable[ConfiguredTarget], analysed: Analysed, layout: Layout, relinker: Relinker, result: Installation
) -> None:
    """Without settings: programs go to bin/, shared libraries under their own names to lib/."""
    for target in targets:
        action = analysed.link_of(target)
        executable = target.executable
        if action is None:
            if executable is None or not _is_program(target):
                continue
            result.add(executable, f"{layout.programs}/{posixpath.basename(executable.exec_path)}", "755")
            continue
        name = posixpath.basename(action.output.exec_path)
        shared = action.kind == "shared" or ".so" in name
        directory = layout.libraries if shared else layout.programs
        made = relinker.installed(action, f"{directory}/{name}", result)
        result.add(made, f"{directory}/{name}", "644" if shared else "755")


def _is_program(target: ConfiguredTarget) -> bool:
    """Whether the rule kind makes programs; a genrule's only output can be run, too, but is mostly none."""
    return isinstance(target.target, RuleTarget) and target.target.rule_class.executable
