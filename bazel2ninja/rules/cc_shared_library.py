"""cc_shared_library: a shared library with the code of its dependencies, each target linked once.

https://bazel.build/reference/be/c-cpp#cc_shared_library.  A library that another cc_shared_library among `dynamic_deps`
exports is taken from there; everything behind it is not looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.provider import Provider
from bazel2ninja.analysis.providers_builtin import DefaultInfo, OutputGroupInfo
from bazel2ninja.analysis.runfiles import merge
from bazel2ninja.labels import Label, parse_label
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.records import replace
from bazel2ninja.rules import cc_attributes
from bazel2ninja.rules.cc_info import (
    CcInfo,
    LibraryToLink,
    LinkerInput,
    LinkingContext,
    linking_context,
)
from bazel2ninja.rules.cc_link import link, output_name, solib_link, takes_whole_archives
from bazel2ninja.rules.proto_info import ProtoInfo
from bazel2ninja.starlark import List

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

_T = AttributeType
_MORE_THAN_ONCE = "LINKABLE_MORE_THAN_ONCE"

CcSharedLibraryInfo = Provider(
    "CcSharedLibraryInfo", ("dynamic_deps", "exports", "link_once_static_libs", "linker_input")
)

CcSharedLibraryHintInfo = Provider("CcSharedLibraryHintInfo", ("attributes", "owners"))
"""https://bazel.build/rules/lib/providers/CcSharedLibraryHintInfo; `owners` is not looked at."""

ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("deps", _T.LABEL_LIST, providers=((CcInfo,),)),
    Attribute("roots", _T.LABEL_LIST, providers=((CcInfo,),)),
    Attribute("dynamic_deps", _T.LABEL_LIST, providers=((CcSharedLibraryInfo,),)),
    Attribute("exports_filter", _T.STRING_LIST),
    Attribute("static_deps", _T.STRING_LIST, irrelevant="what is linked statically follows from the dependencies"),
    Attribute("shared_lib_name", _T.STRING),
    Attribute("user_link_flags", _T.STRING_LIST),
    Attribute("additional_linker_inputs", _T.LABEL_LIST, allow_files=True),
    Attribute("win_def_file", _T.LABEL, allow_files=True, irrelevant="it concerns Windows only"),
    Attribute(
        "experimental_disable_topo_sort_do_not_use_remove_before_7_0", _T.BOOLEAN, irrelevant="libraries are sorted"
    ),
)


def _children(ctx: RuleContext, target: ConfiguredTarget) -> list[ConfiguredTarget]:
    """What a target depends on through any attribute, attributes in the order of their names.

    Only kinds of rules that say that they provide CcInfo (or ProtoInfo, or a hint) count: others end the search, as in
    Bazel.  A hint may name the attributes that matter.
    """
    if target.configuration is None:
        return []
    groups = ctx.analyzer.context(target).prerequisites
    hint = target.get(CcSharedLibraryHintInfo)
    hinted = None if hint is None else hint.get("attributes")
    names = sorted(groups if hinted is None else set(groups).intersection(hinted))
    every = {dependency.target.actual: dependency.target for name in names for dependency in groups[name]}
    return [child for child in every.values() if isinstance(child.target, RuleTarget) and _takes_part(child.target)]


def _takes_part(target: RuleTarget) -> bool:
    return any(provider in (CcInfo, ProtoInfo, CcSharedLibraryHintInfo) for provider in target.rule_class.provides)


class _Separation:
    """Which targets' code is linked here, which comes from other shared libraries, and in what order."""

    def __init__(self, ctx: RuleContext, roots: Sequence[ConfiguredTarget], exported: dict[Label, LinkerInput]):
        self.static: dict[Label, bool] = {}  # label -> may be linked into several libraries
        self.dynamic: set[Label] = set()
        self.order: list[Label] = []  # a target before those that it depends on
        self.children: dict[Label, list[Label]] = {}  # of static ones
        done: list[Label] = []
        entered: set[Label] = set()
        stack: list[tuple[Label, Iterable[ConfiguredTarget]]] = []

        def enter(target: ConfiguredTarget) -> None:
            label = target.actual
            if label in entered:
                return
            entered.add(label)
            children: list[ConfiguredTarget] = []
            if label in exported:
                self.dynamic.add(label)
            else:
                tags = target.target.attributes.get("tags", ()) if isinstance(target.target, RuleTarget) else ()
                self.static[label] = _MORE_THAN_ONCE in tags  # type: ignore[operator]
                children = _children(ctx, target)
                self.children[label] = [child.actual for child in children]
            stack.append((label, iter(reversed(children))))

        for root in reversed(roots):
            enter(root)
            while stack:
                label, children = stack[-1]
                for child in children:
                    before = len(stack)
                    enter(child)
                    if len(stack) > before:
                        break
                else:
                    done.append(label)
                    stack.pop()
        self.order = done[::-1]

    def first_with_code(self, roots: Iterable[ConfiguredTarget], with_code: Collection[Label]) -> set[Label]:
        """The roots; in the place of those without code, the first targets below that have some."""
        found: set[Label] = set()
        pending = [root.actual for root in roots]
        seen = set(pending)
        for label in pending:  # it grows
            if label in with_code:
                found.add(label)
                continue
            below = [child for child in self.children.get(label, ()) if child not in seen]
            seen.update(below)
            pending += below
        return found


def _infos(dynamic: Iterable[ConfiguredTarget]) -> list[tuple[tuple[Label, ...], LinkerInput, tuple[Label, ...]]]:
    """(exports, the library, what it has linked) of shared libraries and of those behind them, each once."""
    found: dict[LinkerInput, tuple[tuple[Label, ...], LinkerInput, tuple[Label, ...]]] = {}
    for target in dynamic:
        info = target.get(CcSharedLibraryInfo)
        own = (_labels(info.s_exports), info.s_linker_input, _labels(info.s_link_once_static_libs))
        found[own[1]] = own
        for exports, linker_input in info.s_dynamic_deps.flatten():
            found.setdefault(linker_input, (_labels(exports), linker_input, ()))
    return list(found.values())


def _labels(texts: Iterable[str]) -> tuple[Label, ...]:
    return tuple(parse_label(text) for text in texts)


def _exports_map(ctx: RuleContext, dynamic: Iterable[ConfiguredTarget]) -> dict[Label, LinkerInput]:
    exported: dict[Label, LinkerInput] = {}
    for exports, linker_input, _ in _infos(dynamic):
        for label in exports:
            other = exported.setdefault(label, linker_input)
            if other is not linker_input:
                raise ctx.error(
                    f"two shared libraries export the same symbols, '{other.owner}' and '{linker_input.owner}' "
                    f"both export '{label}'",
                    "dynamic_deps",
                )
    return exported


def _inputs_by_owner(roots: Iterable[ConfiguredTarget]) -> dict[Label, list[LinkerInput]]:
    found: dict[Label, dict[LinkerInput, None]] = {}
    for context in cc_attributes.linking_contexts_of(roots):
        for linker_input in context.linker_inputs.flatten():
            found.setdefault(linker_input.owner, {})[linker_input] = None
    return {owner: list(inputs) for owner, inputs in found.items()}


def _matches(pattern: str, label: Label, own: Label) -> bool:
    """Whether an element of exports_filter names the label."""
    subpackages = "__subpackages__"
    parsed = parse_label(pattern, own.package)
    if parsed.repository != label.repository:
        return False
    if parsed.name == subpackages:
        path = parsed.package.path
        return not path or label.package.path == path or label.package.path.startswith(path + "/")
    if parsed.name == "__pkg__":
        return parsed.package is label.package
    return parsed is label


def _has_code(linker_input: LinkerInput) -> bool:
    """Whether there is something to link statically."""
    return any(library.archive is not None or library.objects for library in linker_input.libraries)


def _always(linker_input: LinkerInput) -> LinkerInput:
    """The same input with all members of its archives."""
    libraries = tuple(
        replace(library, alwayslink=True, dynamic_library=None, resolved_dynamic_library=None)
        if library.archive is not None or library.objects
        else library
        for library in linker_input.libraries
    )
    return replace(linker_input, libraries=libraries)


def exclude_shared(
    ctx: RuleContext,
    linking: LinkingContext,
    dynamic: Sequence[ConfiguredTarget],
    direct: Sequence[ConfiguredTarget],
) -> LinkingContext:
    """`linking` with the shared libraries of `dynamic` in the place of what they export.

    What is only needed by what they export is in them, too: implementation_deps for instance.
    """
    exported = _exports_map(ctx, dynamic)
    separation = _Separation(ctx, direct, exported)
    kept: dict[LinkerInput, None] = {}
    for linker_input in linking.linker_inputs.flatten():
        owner = linker_input.owner
        if owner in separation.dynamic:
            kept[exported[owner]] = None
        elif owner in separation.static or owner is ctx.label:
            kept[linker_input] = None
    for _, linker_input, _ in _infos(dynamic):
        kept.setdefault(linker_input)
    return linking_context(kept)


def cc_shared_library(ctx: RuleContext) -> Iterable[Any]:
    roots = (*ctx.dependencies("deps"), *ctx.dependencies("roots"))
    if not roots:
        raise ctx.error("at least one target must be given", "deps")
    dynamic = ctx.dependencies("dynamic_deps")
    exported = _exports_map(ctx, dynamic)
    for root in roots:
        if root.actual in exported:
            raise ctx.error(
                f"'{root.actual}' is already exported by '{exported[root.actual].owner}' of 'dynamic_deps'", "deps"
            )
    separation = _Separation(ctx, roots, exported)
    # --experimental_link_static_libraries_once
    only_once = dict(ctx.settings.other).get("experimental_link_static_libraries_once", True) is not False
    elsewhere = {label: linker_input for _, linker_input, linked in _infos(dynamic) for label in linked}
    by_owner = _inputs_by_owner(roots)
    direct = {root.actual for root in roots}
    with_code = {
        owner for owner, inputs in by_owner.items() if owner in separation.static and any(map(_has_code, inputs))
    }
    always = separation.first_with_code(roots, with_code)
    filters = ctx.attribute("exports_filter")
    # Bazel forgets the flags of targets without code of their own, so of libraries of the system
    drops_flags = cc_attributes.features_of(ctx).is_enabled("shared_libraries_drop_flags_of_empty_targets")
    exports = dict.fromkeys(root.actual for root in roots)
    chosen: dict[LinkerInput, None] = {}
    precompiled: list[LibraryToLink] = []
    once: list[Label] = []
    for label in separation.order:
        if label in separation.dynamic:
            chosen[exported[label]] = None
            continue
        for linker_input in by_owner.get(label, ()):
            if drops_flags and not linker_input.libraries:
                continue
            if only_once and label in elsewhere and _has_code(linker_input) and not separation.static[label]:
                raise ctx.error(
                    f"'{label}' is already linked statically in '{elsewhere[label].owner}' but not exported by it",
                    "dynamic_deps",
                )
            precompiled += [
                library
                for library in linker_input.libraries
                if library.archive is None and library.dynamic_library is not None
            ]
            chosen[_always(linker_input) if label in always else linker_input] = None
            if label not in direct and any(_matches(pattern, label, ctx.label) for pattern in filters):
                exports[label] = None
        if not separation.static[label] and label in by_owner:
            once.append(label)
    for _, linker_input, _ in _infos(dynamic):
        chosen.setdefault(linker_input)
    return _link(ctx, linking_context(chosen), dynamic, tuple(exports), once, precompiled)


def _link(
    ctx: RuleContext,
    context: LinkingContext,
    dynamic: Sequence[ConfiguredTarget],
    exports: Sequence[Label],
    once: Sequence[Label],
    precompiled: Sequence[LibraryToLink],
) -> Iterable[Any]:
    name = ctx.expand(ctx.attribute("shared_lib_name"), "shared_lib_name")
    output = ctx.declare(name or output_name(ctx.label.name, "lib", ".so"))
    extra = ctx.dependencies("additional_linker_inputs")
    expander = ctx.location_expander(extra)
    flags = [expander.expand(text) for text in ctx.attribute("user_link_flags")]
    features = cc_attributes.features_of(ctx)
    as_tool = cc_attributes.features_of(ctx, as_tool=True)
    if ctx.analyzer.semantics.needed_members:
        features, as_tool = (each.requesting("force_no_whole_archive") for each in (features, as_tool))
    loaded_as = solib_link(ctx, output, keep_name=True, made_here=True)
    linked = link(
        ctx,
        output,
        features,
        kind="shared",
        objects=(),
        context=context,
        prefer_shared=False,
        flags=flags,
        additional_inputs=ctx.files("additional_linker_inputs"),
        whole_archives=takes_whole_archives(ctx, features),
        whole_for_tools=takes_whole_archives(ctx, as_tool),
        loaded_as=loaded_as,
    )
    library = LibraryToLink(
        name=output_name(ctx.label.name, "lib", ""),
        dynamic_library=loaded_as,
        resolved_dynamic_library=output,
    )
    files: tuple[Artifact, ...] = (output, *linked.runtime_libraries)
    runfiles = merge([ctx.runfiles(files=files), *(target.data_runfiles for target in dynamic)])
    behind: dict[tuple[tuple[str, ...], LinkerInput], None] = {}
    for exported, linker_input, _ in _infos(dynamic):
        behind[tuple(map(str, exported)), linker_input] = None
    return [
        DefaultInfo(files=Depset((output,)), runfiles=runfiles),
        OutputGroupInfo(main_shared_library_output=Depset((output,))),
        CcSharedLibraryInfo(
            dynamic_deps=Depset(tuple(behind)),
            exports=List(map(str, exports)),
            link_once_static_libs=List(map(str, once)),
            linker_input=LinkerInput(owner=ctx.label, libraries=(library, *precompiled)),
        ),
    ]
