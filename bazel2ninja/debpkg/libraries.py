"""The shared libraries of a package: which target's code goes into which, their links, headers and pkg-config files."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bazel2ninja.analysis.action import CppArchiveAction, CppLinkAction, LinkItem, WriteAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.debpkg import cmake_config
from bazel2ninja.debpkg.cmake_config import CMakeTarget
from bazel2ninja.debpkg.installation import Analysed, Installation, Layout, Relinker
from bazel2ninja.debpkg.settings import Library
from bazel2ninja.diagnostics import Diagnostic, Note, WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.rules.cc_info import CcInfo, LinkerInput, compilation_context_of, linking_context_of

_INCLUDE = re.compile(r"""^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]""", re.MULTILINE)


@dataclass(slots=True)
class _Plan:
    """One library under construction.

    needs: the libraries that it links against, by name, all of them; registers: whether it does something for programs
    that use no symbol of it.
    """

    library: Library
    output: Artifact
    roots: list[ConfiguredTarget]
    base: CppLinkAction | None = None  # the link that is repeated under the library's name
    members: list[ConfiguredTarget] = field(default_factory=list)
    needs: dict[str, None] = field(default_factory=dict)
    registers: bool = False
    objects: dict[Artifact, None] = field(default_factory=dict)
    linkopts: list[str] = field(default_factory=list)


class Libraries:
    """All [[library]] tables together.  Each target's code is in one of them at most."""

    def __init__(self, libraries: Sequence[Library], analysed: Analysed, layout: Layout):
        self._analysed = analysed
        self._layout = layout
        self._named: dict[Label, str] = {}  # target that a table names -> name of the library
        self._owner: dict[Label, str] = {}
        self._plans: dict[str, _Plan] = {}
        for library in libraries:
            self._plans[library.name] = self._plan(library)
        self._order = self._ordered()
        for name in self._order:
            self._assign(self._plans[name])

    def owners(self) -> dict[Label, Artifact]:
        """Target -> the file of the library that holds its code."""
        return {
            label: self._plans[name].output for label, name in self._owner.items() if self._plans[name].library.soname
        }

    def install(self, result: Installation, relinker: Relinker, prefix: str, version: str) -> None:
        """Adds everything about the libraries to `result`."""
        for name in self._order:
            plan = self._plans[name]
            if plan.library.soname:
                self._link(plan, result, relinker)
                directory = self._layout.libraries
                result.add(plan.output, f"{directory}/{plan.library.file_name}", "644")
                for link in plan.library.links:
                    goal = plan.library.file_name if link == plan.library.soname else plan.library.soname
                    result.link(f"{directory}/{link}", goal)
            self._headers(plan, result)
            if plan.library.pkg_config:
                self._pkg_config(plan, result, prefix, version)

    def link(self, name: str, result: Installation) -> CppLinkAction | None:
        """How a library is linked, for which `install` has been called."""
        output = self._plans[name].output
        made = next((action for action in result.actions if action.outputs == (output,)), None)
        action = made or self._analysed.generator(output)
        return action if isinstance(action, CppLinkAction) else None

    def files(self) -> list[tuple[Library, Artifact]]:
        """Each library and its installed file, after those that it needs; `install` has made the links."""
        plans = (self._plans[name] for name in self._order)
        return [(plan.library, plan.output) for plan in plans if plan.library.soname]

    # Which code goes where.

    def _plan(self, library: Library) -> _Plan:
        roots = [self._analysed.named(text, library.location) for text in library.targets]
        for root in roots:
            other = self._named.setdefault(root.actual, library.name)
            if other != library.name:
                raise WorkspaceError(
                    Diagnostic(f"'{root.actual}' is named by '{other}' and '{library.name}'", library.location)
                )
        bases = [self._analysed.link_of(root) for root in roots]
        base = bases[0] if len(roots) == 1 else None
        for root, link in zip(roots, bases, strict=True):
            if link is not None and (base is None or link.kind != "shared"):
                raise WorkspaceError(
                    Diagnostic(
                        f"'{root.actual}' cannot be part of the library '{library.name}': it is linked already",
                        library.location,
                        help="name cc_library targets, or one target that is a shared library, alone",
                    )
                )
            if link is None and root.get(CcInfo) is None:
                raise WorkspaceError(
                    Diagnostic(f"'{root.actual}' of the library '{library.name}' is no C++ library", library.location)
                )
        output = self._analysed.declare(f"{self._layout.libraries}/{library.file_name}", roots[0].actual)
        return _Plan(library, output, roots, base)

    def _closure(self, roots: Iterable[ConfiguredTarget]) -> dict[Label, ConfiguredTarget]:
        found: dict[Label, ConfiguredTarget] = {}
        pending = list(reversed(list(roots)))
        while pending:
            target = pending.pop()
            if target.actual in found:
                continue
            found[target.actual] = target
            pending += [
                dependency
                for dependency in reversed(self._analysed.dependencies(target))
                if dependency.get(CcInfo) is not None
            ]
        return found

    def _ordered(self) -> list[str]:
        """Names of the libraries, one after those that it needs."""
        for name, plan in self._plans.items():
            needed = (self._named.get(label) for label in self._closure(plan.roots))
            plan.needs = dict.fromkeys(other for other in needed if other is not None and other != name)
        order: list[str] = []
        pending = list(self._plans)
        while pending:
            ready = [name for name in pending if all(other in order for other in self._plans[name].needs)]
            if not ready:
                cycle = ", ".join(f"'{name}'" for name in pending)
                raise WorkspaceError(
                    Diagnostic(f"the libraries {cycle} need each other", self._plans[pending[0]].library.location)
                )
            order += ready
            pending = [name for name in pending if name not in ready]
        return order

    def _assign(self, plan: _Plan) -> None:
        name = plan.library.name
        if plan.base is not None:
            # the project decides what is linked in and what of it can be used from outside: only who links with the
            # library itself gets it, and several may hold the same code
            plan.members = list(self._closure(plan.roots).values())
            self._owner.update((root.actual, name) for root in plan.roots)
            return
        for label, target in self._closure(plan.roots).items():
            owner = self._owner.setdefault(label, name)
            if owner == name:
                plan.members.append(target)
                if not plan.library.soname and _has_objects(target, label):
                    raise WorkspaceError(
                        Diagnostic(
                            f"'{label}', which the headers '{name}' need, has code that no library holds",
                            plan.library.location,
                            help="name it in the 'targets' of a [[library]]",
                        )
                    )
            elif owner not in plan.needs and _has_code(target, label):
                raise WorkspaceError(
                    Diagnostic(
                        f"the code of '{label}' would be in both libraries '{owner}' and '{name}'",
                        plan.library.location,
                        help="name it in the 'targets' of a library that both need",
                        notes=(Note(f"'{owner}' is described here", self._plans[owner].library.location),),
                    )
                )

    # Links.

    def _link(self, plan: _Plan, result: Installation, relinker: Relinker) -> None:
        library = plan.library
        if plan.base is not None:
            name = f"{self._layout.libraries}/{library.file_name}"
            plan.output = relinker.installed(plan.base, name, result, soname=library.soname, linkopts=library.linkopts)
            return
        items, inputs = self._items(plan)
        if not items:
            raise WorkspaceError(
                Diagnostic(
                    f"the library '{library.name}' has no code: its targets only have headers",
                    library.location,
                    help="write [[headers]], without SONAME",
                )
            )
        # every symbol must be found: a library that lacks one would only be noticed by its users
        flags = ["-Wl,-z,defs", *library.linkopts, *plan.linkopts]
        owner = plan.roots[0].actual
        result.actions.append(
            CppLinkAction(
                mnemonic="CppLink",
                owner=owner,
                configuration=self._analysed.configuration,
                outputs=(plan.output,),
                inputs=tuple(dict.fromkeys((*(item.artifact for item in items), *inputs))),
                progress_message=f"Linking {plan.output.short_path}",
                kind="shared",
                items=tuple(items),
                flags=tuple(flags),
                soname=library.soname,
            )
        )
        if library.static:
            archive = self._analysed.declare(f"{self._layout.libraries}/lib{library.name}.a", owner)
            members = tuple(plan.objects)
            result.actions.append(
                CppArchiveAction(
                    mnemonic="CppArchive",
                    owner=owner,
                    configuration=self._analysed.configuration,
                    outputs=(archive,),
                    inputs=members,
                    progress_message=f"Linking {archive.short_path}",
                    members=members,
                )
            )
            result.add(archive, f"{self._layout.libraries}/lib{library.name}.a", "644")

    def _items(self, plan: _Plan) -> tuple[list[LinkItem], list[Artifact]]:
        """(what is linked, what the link reads besides); fills in the plan's objects and linkopts."""
        linking = [linking_context_of(root.get(CcInfo)) for root in plan.roots]
        further: dict[Artifact, str] = {}
        inputs: dict[Artifact, None] = {}
        needed: dict[str, None] = {}
        together = Depset((), tuple(context.linker_inputs for context in linking), "topological")
        entries: Sequence[LinkerInput] = together.flatten()
        for entry in entries:
            owner = self._owner.setdefault(entry.owner, plan.library.name)
            if owner != plan.library.name:
                needed[owner] = None
                continue
            plan.linkopts += entry.user_link_flags
            inputs.update(dict.fromkeys(entry.additional_inputs))
            for each in entry.libraries:
                shared = each.resolved_dynamic_library or each.shared
                plan.registers = plan.registers or each.alwayslink
                if each.objects:
                    plan.objects.update(dict.fromkeys(each.objects))
                elif each.archive is not None:
                    further[each.archive] = "whole_archive" if each.alwayslink else "archive"
                elif shared is not None:
                    further[shared] = "shared"
        items = [LinkItem(file, "object") for file in plan.objects]
        items += [LinkItem(file, kind) for file, kind in further.items()]
        if items:
            items += [
                LinkItem(self._plans[name].output, "shared" if self._plans[name].registers else "shared_as_needed")
                for name in needed
                if name != plan.library.name and self._plans[name].library.soname
            ]
        return items, list(inputs)

    # Headers and pkg-config.

    def _headers(self, plan: _Plan, result: Installation) -> None:
        """The public headers that are asked for, and the private ones that they include."""
        patterns = plan.library.headers
        matched: set[str] = set()
        offered: dict[str, Artifact] = {}
        pending: list[tuple[str, Artifact]] = []
        repository = plan.roots[0].actual.package.repository
        for target in plan.members:
            context = compilation_context_of(target.get(CcInfo))
            directories = (*context.includes, *context.system_includes)
            if target.actual.package.repository != repository:
                continue
            if self._owner.get(target.actual, plan.library.name) != plan.library.name:
                continue
            public = (*context.direct_public_headers, *context.direct_textual_headers)
            for header in (*public, *context.direct_private_headers):
                if header.owner.package.repository != repository:
                    continue  # gathered by a rule from what it depends on; that has a package or table of its own
                offered.update((path, header) for path in include_paths(header, directories))
            for header in public:
                if header.owner.package.repository != repository:
                    continue
                for path in include_paths(header, directories):
                    chosen = [pattern for pattern in patterns if fnmatch.fnmatchcase(path, pattern)]
                    matched.update(chosen)
                    if chosen:
                        pending.append((path, header))
                        break
        while pending:
            path, header = pending.pop()
            place = posixpath.join(self._layout.headers, plan.library.include, path)
            if place in result.files:  # several targets may offer the same header
                continue
            result.add(header, place, "644")
            for name in _INCLUDE.findall(self._analysed.text(header)):
                for candidate in (posixpath.normpath(posixpath.join(posixpath.dirname(path), name)), name):
                    if candidate in offered:
                        pending.append((candidate, offered[candidate]))
                        break
        for pattern in patterns:
            if pattern not in matched and pattern != "*":
                raise WorkspaceError(
                    Diagnostic(
                        f"no public header of the library '{plan.library.name}' matches '{pattern}'",
                        plan.library.location,
                    )
                )

    def _pkg_config(self, plan: _Plan, result: Installation, prefix: str, version: str) -> None:
        library = plan.library
        requires = [*library.requires]
        through = {other for name in plan.needs for other in self._plans[name].needs}  # these bring them along
        requires += [
            other for name in plan.needs if name not in through and (other := self._plans[name].library.pkg_config)
        ]
        root = plan.roots[0].get(CcInfo)
        defines = [] if root is None else list(dict.fromkeys(self._defines(plan)))
        include = posixpath.join("${includedir}", library.include).rstrip("/")
        lines = [
            f"prefix={prefix}",
            f"libdir=${{prefix}}/{self._layout.libraries}",
            f"includedir=${{prefix}}/{self._layout.headers}",
            "",
            f"Name: {library.name}",
            f"Description: {library.description or library.name}",
            f"Version: {version or library.version or '0'}",
        ]
        if requires:
            lines.append(f"Requires: {', '.join(requires)}")
        if library.soname:
            lines.append(f"Libs: -L${{libdir}} -l{library.name}")
        private = [word for word in plan.linkopts if word.startswith("-l") or word == "-pthread"]
        if private:
            lines.append(f"Libs.private: {' '.join(dict.fromkeys(private))}")
        lines.append(" ".join([f"Cflags: -I{include}", *(f"-D{define}" for define in defines)]))
        path = f"{self._layout.libraries}/pkgconfig/{library.pkg_config}.pc"
        self._write(path, "\n".join(lines) + "\n", plan, result)

    def install_cmake(self, package: str, result: Installation, version: str) -> None:
        """Adds a CMake package with a target for each library."""
        targets = []
        for name in self._order:
            plan = self._plans[name]
            through = {other for need in plan.needs for other in self._plans[need].needs}
            targets.append(
                CMakeTarget(
                    name=name,
                    file=f"{self._layout.libraries}/{plan.library.file_name}" if plan.library.soname else "",
                    soname=plan.library.soname,
                    include=posixpath.join(self._layout.headers, plan.library.include).rstrip("/"),
                    defines=tuple(dict.fromkeys(self._defines(plan))),
                    needs=tuple(need for need in plan.needs if need not in through),
                )
            )
        directory, configuration, version_path = cmake_config.paths(package, self._layout.libraries)
        first = self._plans[self._order[0]]
        self._write(configuration, cmake_config.config(package, targets, directory), first, result)
        self._write(version_path, cmake_config.version_file(version or "0"), first, result)

    def _write(self, path: str, content: str, plan: _Plan, result: Installation) -> None:
        output = self._analysed.declare(path, plan.roots[0].actual)
        result.actions.append(
            WriteAction(
                mnemonic="FileWrite",
                owner=output.owner,
                configuration=self._analysed.configuration,
                outputs=(output,),
                content=content,
            )
        )
        result.add(output, path, "644")

    def _defines(self, plan: _Plan) -> Iterable[str]:
        """What compiling against the library needs; the other libraries' own are in their pkg-config files."""
        others = {
            define
            for name in plan.needs
            for root in self._plans[name].roots
            if root.get(CcInfo) is not None
            for define in compilation_context_of(root.get(CcInfo)).defines
        }
        for root in plan.roots:
            info = root.get(CcInfo)
            if info is not None:
                yield from (define for define in compilation_context_of(info).defines if define not in others)


def include_path(header: Artifact, directories: Iterable[str]) -> str:
    """The path by which users include a header: below the innermost of the include directories, else from the root."""
    return include_paths(header, directories)[0]


def include_paths(header: Artifact, directories: Iterable[str]) -> list[str]:
    """All paths by which a header can be included, the shortest first and that from the root of the repository last.

    A link below _virtual_includes has the first only: nobody writes the other one.
    """
    path = header.exec_path
    found = sorted({path[len(each) + 1 :] for each in directories if path.startswith(each + "/")}, key=len)
    if found and "/_virtual_includes/" in path:
        return found
    if header.root.path:
        path = path[len(header.root.path) + 1 :]
    return [*found, path.split("/", 2)[2] if path.startswith("external/") else path]


def _has_code(target: ConfiguredTarget, label: Label) -> bool:
    entries = linking_context_of(target.get(CcInfo)).linker_inputs.flatten()
    return any(entry.owner == label and entry.libraries for entry in entries)


def _has_objects(target: ConfiguredTarget, label: Label) -> bool:
    entries = linking_context_of(target.get(CcInfo)).linker_inputs.flatten()
    return any(entry.owner == label and any(each.objects for each in entry.libraries) for entry in entries)
