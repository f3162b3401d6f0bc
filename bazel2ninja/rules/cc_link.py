"""From objects and linking contexts to archives, shared libraries and executables.

https://bazel.build/reference/be/c-cpp#cc_binary.linkstatic tells which form of a library a link takes; the order of the
items is that of Bazel's action lists: own objects, then the libraries, a target before those that it depends on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bazel2ninja.analysis.action import CppArchiveAction, CppLinkAction, LinkItem, SymlinkAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.records import dataclass
from bazel2ninja.rules.cc_features import LINK_ACTIONS, FeatureConfiguration
from bazel2ninja.rules.cc_info import LibraryToLink, LinkerInput, LinkingContext
from bazel2ninja.rules.cc_project_toolchain import ARCHIVE

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

_ESCAPES = str.maketrans({"_": "_U", "/": "_S", "\\": "_B", ":": "_C", "@": "_A"})
_VERSION_SCRIPT = re.compile(r"(?:-Wl,)?--version-script[=,](.+)")
_SHARED_NAME = re.compile(r".+\.(so|dylib|dll)|.+\.(so|dylib)(\.\d\w*)+")
_NO = (False, "0", "false", "no")
_SEARCHABLE = re.compile(r"lib.+\.so(\.\d\w*)*")


def escaped_path(path: str) -> str:
    """A path as one component, as Bazel writes it."""
    return path.translate(_ESCAPES)


def is_shared_library_name(name: str) -> bool:
    return _SHARED_NAME.fullmatch(name) is not None


def output_name(target: str, prefix: str, ending: str) -> str:
    """ "a/b" with "lib" and ".so" gives "a/libb.so"."""
    directory, slash, base = target.rpartition("/")
    return f"{directory}{slash}{prefix}{base}{ending}"


def takes_whole_archives(ctx: RuleContext, features: FeatureConfiguration) -> bool:
    """Whether a shared library takes all members of its archives, used or not.

    It does before release 1.0, or with --noincompatible_remove_legacy_whole_archive, unless --nolegacy_whole_archive
    forbids it; then the feature legacy_whole_archive asks for it nevertheless.
    """
    if "force_no_whole_archive" in features.requested:
        return False
    options = dict(ctx.settings.other)
    if options.get("incompatible_remove_legacy_whole_archive", True) not in _NO:
        return False
    return "legacy_whole_archive" in features.requested or options.get("legacy_whole_archive", True) not in _NO


def solib_directory(ctx: RuleContext) -> str:
    """Directory below `bin` in which the program loader finds a link for each shared library."""
    return f"_solib_{ctx.settings.cpu}"


def solib_link(ctx: RuleContext, library: Artifact, *, keep_name: bool, made_here: bool = False) -> Artifact:
    """A link to a shared library in the tree that run paths name.

    keep_name: the library has users that know its name (it was built elsewhere, or says -soname): it gets a directory
    instead of another name.  made_here: by the target itself, so that the directory needs not to say who uses it.
    """
    path = library.exec_path[len(library.root.path) + 1 :] if library.root.path else library.exec_path
    if keep_name:
        directory, _, name = path.rpartition("/")
        place = escaped_path(f"_{directory}")
        if not made_here:
            place = f"{escaped_path(f'_{ctx.label}')}__{place}"
        link_path = f"{solib_directory(ctx)}/{place}/{name}"
    else:
        link_path = f"{solib_directory(ctx)}/lib{escaped_path(path)}"
    link = ctx.declare_below(link_path)
    if link in ctx.generated:
        return link
    ctx.register(
        SymlinkAction(
            **ctx.identity("SolibSymlink"),
            outputs=(link,),
            inputs=(library,),
        )
    )
    return link


def archive(
    ctx: RuleContext, output: Artifact, objects: Sequence[Artifact], features: FeatureConfiguration
) -> Artifact:
    """A static library."""
    tool = features.tool(ARCHIVE)
    ctx.register(
        CppArchiveAction(
            **ctx.identity("CppArchive"),
            outputs=(output,),
            inputs=tuple(objects),
            input_sets=tool.file_sets,
            progress_message=f"Linking {output.short_path}",
            members=tuple(objects),
            program=tool.program,
            environment=dict(tool.environment),
        )
    )
    return output


@dataclass(slots=True)
class _Plan:
    """A link under construction."""

    items: list[LinkItem]
    flags: list[str]
    inputs: dict[Artifact, None]
    runtime: dict[Artifact, None]  # shared libraries that the result loads
    forced: list[Artifact]  # archives that are taken whole though they do not ask for it


def _plan(
    objects: Iterable[Artifact], inputs: Iterable[LinkerInput], *, prefer_shared: bool, whole_archives: bool
) -> _Plan:
    plan = _Plan([], [], {}, {}, [])
    object_kind = "object"
    for file in objects:
        plan.items.append(LinkItem(file, object_kind))
    seen: set[Artifact] = set()
    for entry in inputs:
        for library in entry.libraries:
            _add_library(plan, library, seen, prefer_shared=prefer_shared, whole_archives=whole_archives)
        plan.flags += entry.user_link_flags
        plan.inputs.update(dict.fromkeys(entry.additional_inputs))
    return plan


def _add_library(
    plan: _Plan, library: LibraryToLink, seen: set[Artifact], *, prefer_shared: bool, whole_archives: bool
) -> None:
    static, shared = library.archive, library.shared
    if static is not None and not (prefer_shared and shared is not None):
        if static not in seen:
            seen.add(static)
            whole = library.alwayslink or whole_archives
            plan.items.append(LinkItem(static, "whole_archive" if whole else "archive"))
            if whole and not library.alwayslink:
                plan.forced.append(static)
        return
    if shared is not None:
        if shared not in seen:
            seen.add(shared)
            name = shared.exec_path.rpartition("/")[2]
            plan.items.append(LinkItem(shared, "lib" if _SEARCHABLE.fullmatch(name) else "shared"))
        loaded = library.dynamic_library
        if loaded is not None:
            plan.runtime[loaded] = None
            if library.resolved_dynamic_library is not None:
                plan.inputs[library.resolved_dynamic_library] = None
        return
    for file in library.objects:
        if file not in seen:
            seen.add(file)
            plan.items.append(LinkItem(file, "object"))


def runtime_directories(
    ctx: RuleContext, output: Artifact, libraries: Iterable[Artifact], loaded_as: Artifact | None = None
) -> tuple[str, ...]:
    """Where, from the directory of `output`, the loader finds the libraries; the common tree of links comes first.

    loaded_as: the link by which others load `output`, whose directory is then where it lies.
    """
    root = output.root.path
    solib = solib_directory(ctx)
    ups = ["../" * file.exec_path[len(root) + 1 :].count("/") for file in (output, loaded_as) if file is not None]
    own: list[str] = []
    found: dict[str, None] = {}
    for library in libraries:
        directory = library.exec_path.rpartition("/")[0]
        relative = directory[len(root) + 1 :] if directory == root or directory.startswith(root + "/") else None
        if relative == solib:
            own = [f"{up}{solib}/" for up in ups]
        elif relative is None:
            found.update((f"{up}{'../' * (root.count('/') + 1)}{directory}", None) for up in ups)
        else:
            found.update((f"{up}{relative}", None) for up in ups)
    return (*own, *found)


def version_scripts(flags: Iterable[str], files: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """Those of `files` that the flags name as version scripts."""
    by_path = {file.exec_path: file for file in files}
    matches = (_VERSION_SCRIPT.fullmatch(flag) for flag in flags)
    return tuple(dict.fromkeys(by_path[m.group(1)] for m in matches if m is not None and m.group(1) in by_path))


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """A finished link: its output and the shared libraries that it loads."""

    output: Artifact
    runtime_libraries: tuple[Artifact, ...]


def link(
    ctx: RuleContext,
    output: Artifact,
    features: FeatureConfiguration,
    *,
    kind: str,
    objects: Sequence[Artifact],
    context: LinkingContext,
    prefer_shared: bool,
    flags: Sequence[str] = (),
    additional_inputs: Sequence[Artifact] = (),
    whole_archives: bool = False,
    whole_for_tools: bool = True,
    soname: str | None = None,
    loaded_as: Artifact | None = None,
) -> Linked:
    """Registers the link.  kind as in CppLinkAction; `flags` come before those of the context.

    whole_for_tools: whether flags for tools would have whole archives, too.  loaded_as as in runtime_directories().
    """
    plan = _plan(objects, context.linker_inputs.flatten(), prefer_shared=prefer_shared, whole_archives=whole_archives)
    plan.inputs.update(dict.fromkeys(additional_inputs))
    result = "executable" if kind == "executable" else "shared"
    first, middle, last = features.link_flags(result)
    tool = features.tool(LINK_ACTIONS[result])
    every = [*middle, *flags, *plan.flags, *ctx.settings.linkopts]
    ctx.register(
        CppLinkAction(
            **ctx.identity("CppLink"),
            outputs=(output,),
            inputs=tuple(dict.fromkeys((*(item.artifact for item in plan.items), *plan.inputs))),
            input_sets=tool.file_sets,
            progress_message=f"Linking {output.short_path}",
            kind=kind,
            items=tuple(plan.items),
            flags=tuple(every),
            toolchain_flags=first,
            last_flags=last,
            runtime_directories=runtime_directories(ctx, output, plan.runtime, loaded_as),
            version_scripts=version_scripts(every, plan.inputs),
            soname=soname,
            program=tool.program,
            environment=dict(tool.environment),
            lazy_for_tools=tuple(plan.forced) if whole_archives and not whole_for_tools else (),
        )
    )
    return Linked(output, tuple(plan.runtime))


def library_of_objects(
    ctx: RuleContext,
    name: str,
    features: FeatureConfiguration,
    objects: Sequence[Artifact],
    *,
    alwayslink: bool,
    static_only: bool,
    flags: Sequence[str] = (),
    additional_inputs: Sequence[Artifact] = (),
    static: bool = True,
) -> LibraryToLink:
    """The library of one target's objects: an archive and, unless `static_only`, a shared library without its
    dependencies' code, which the link of a program resolves.
    """
    made = None
    if static:
        made = archive(ctx, ctx.declare(output_name(name, "lib", ".lo" if alwayslink else ".a")), objects, features)
    link_path: Artifact | None = None
    shared: Artifact | None = None
    if not static_only and features.is_enabled("supports_dynamic_linker"):
        shared = ctx.declare(output_name(name, "lib", ".so"))
        link_path = solib_link(ctx, shared, keep_name=False)
        own = LinkerInput(owner=ctx.label, user_link_flags=tuple(flags), additional_inputs=tuple(additional_inputs))
        plain = _plan(objects, (own,), prefer_shared=True, whole_archives=False)
        first, middle, last = features.link_flags("shared")
        tool = features.tool(LINK_ACTIONS["shared"])
        every = [*middle, *plain.flags, *ctx.settings.linkopts]
        ctx.register(
            CppLinkAction(
                **ctx.identity("CppLink"),
                outputs=(shared,),
                inputs=tuple(dict.fromkeys((*objects, *plain.inputs))),
                input_sets=tool.file_sets,
                progress_message=f"Linking {shared.short_path}",
                kind="nodeps_dynamic_library",
                items=tuple(plain.items),
                flags=tuple(every),
                toolchain_flags=first,
                last_flags=last,
                version_scripts=version_scripts(every, plain.inputs),
                program=tool.program,
                environment=dict(tool.environment),
            )
        )
    return LibraryToLink(
        name=output_name(name, "lib", ""),
        pic_static_library=made,
        dynamic_library=link_path,
        resolved_dynamic_library=shared,
        objects=tuple(objects),
        alwayslink=alwayslink,
    )
