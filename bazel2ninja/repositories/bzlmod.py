"""External repositories by MODULE.bazel files: https://bazel.build/external/overview#bzlmod.

There is no registry: a module is what the user provides (--override_repository, --vendor), what an override in the root
module names, or what is built in.  Canonical names are those of Bazel 8: "NAME+" for a module, "NAME+VERSION" where
multiple_version_override() keeps several, "OWNER+EXTENSION+REPOSITORY" for what a module extension makes.
"""

from __future__ import annotations

import os
import re
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bazel2ninja.diagnostics import Diagnostic, Location, Note, WorkspaceError
from bazel2ninja.labels import Label, PackageIdentifier, RepositoryMapping, parse_label
from bazel2ninja.loading.attributes import LabelConverter
from bazel2ninja.loading.repository import AbsentRepositoryError
from bazel2ninja.loading.repository_placeholder import Placeholder
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.records import dataclass, replace
from bazel2ninja.repositories.module_extension import ModuleContext, ModuleExtension
from bazel2ninja.repositories.module_file import ExtensionUse, ModuleFile, Override, RuleUse, read_module_file
from bazel2ninja.repositories.rules import (
    LOCAL_REPOSITORY,
    Declaration,
    Declarations,
    RepositoryRule,
    convert_attributes,
)
from bazel2ninja.starlark import EvalError, Thread

if TYPE_CHECKING:
    from bazel2ninja.repositories.workspace import Workspace

_ROOT = PackageIdentifier("", "")
_MODULE_FILE = "MODULE.bazel"
_WITHOUT_SUFFIX = frozenset(("bazel_tools", "platforms", "local_config_platform"))  # named so in every Bazel release


def canonical_name(module: str, version: str = "") -> str:
    """Of the repository of a module."""
    return module if module in _WITHOUT_SUFFIX else f"{module}+{version}"


def _module_archive(context: Any) -> None:
    attributes = context.declaration.attributes
    context.s_download_and_extract(
        list(attributes["urls"]), integrity=attributes["integrity"], strip_prefix=attributes["strip_prefix"]
    )
    for patch in attributes["patches"]:
        context.s_patch(patch, attributes["patch_strip"])
    if attributes["patch_cmds"]:
        for command in attributes["patch_cmds"]:
            done = context.s_execute(["bash", "-c", command])
            if done.get("return_code"):
                raise EvalError(f"patch command {command!r} failed: {done.get('stderr')}")


_T = AttributeType
_MODULE_ARCHIVE = RepositoryRule(
    _module_archive,
    {
        attribute.name: attribute
        for attribute in (
            Attribute("urls", _T.STRING_LIST),
            Attribute("integrity", _T.STRING),
            Attribute("strip_prefix", _T.STRING),
            Attribute("patches", _T.LABEL_LIST),
            Attribute("patch_strip", _T.INTEGER),
            Attribute("patch_cmds", _T.STRING_LIST),
        )
    },
    native_name="archive_override",
)


@dataclass(frozen=True, slots=True)
class _ExtensionRepository:
    """A repository that an extension should make."""

    file: Label  # of the .bzl file
    extension: str
    name: str
    location: Location | None


class ModuleGraph:
    """The modules, read as they are needed; the counterpart of WorkspaceFile."""

    def __init__(self, workspace: Workspace, path: str):
        self._workspace = workspace
        self._files: dict[str, ModuleFile] = {}  # by canonical name of the repository
        self._mappings: dict[str, RepositoryMapping] = {}
        self._made: dict[str, _ExtensionRepository] = {}
        self._rule_uses: dict[str, tuple[str, RuleUse]] = {}
        self._declared: dict[tuple[Label, str], Mapping[str, Declaration]] = {}
        self._apparent: dict[str, tuple[str, ...]] = {}  # canonical name -> names that the root module uses for it
        self.root = self._read(path, "", is_root=True)

    def _read(self, path: str, canonical: str, *, is_root: bool) -> ModuleFile:
        workspace = self._workspace
        file = read_module_file(
            workspace.filesystem,
            path,
            is_root=is_root,
            semantics=workspace.semantics,
            cache=workspace.cache,
            print=workspace.print,
        )
        self._files[canonical] = file
        if not is_root:
            self._compare_versions(canonical, file)
        if is_root:
            self.root = file
        self._mappings[canonical] = self._mapping_of(file, canonical)
        return file

    def _compare_versions(self, canonical: str, file: ModuleFile) -> None:
        """Warns when a module on disk is older than one that has been read wants it to be.

        Where the root module says what to take, no version is compared, as in Bazel.
        """
        override = self.root.overrides.get(file.name)
        if not file.version or (override is not None and override.function != "multiple_version_override"):
            return
        for other in self._files.values():
            for dependency in other.dependencies:
                if self._canonical(dependency.module, dependency.version) != canonical or not dependency.version:
                    continue
                if _version_key(dependency.version) > _version_key(file.version):
                    self._workspace.notices.append(
                        Diagnostic(
                            f"module {dependency.module!r} is wanted in version {dependency.version} and is on disk in"
                            f" version {file.version}",
                            dependency.location,
                            severity="warning",
                        )
                    )

    def _canonical(self, module: str, version: str) -> str:
        """Of a dependency; the version counts only where the root module keeps several."""
        override = self.root.overrides.get(module)
        if override is not None and override.function == "multiple_version_override":
            versions = list(override.arguments.get("versions", ()))
            if version not in versions:
                version = next(
                    (v for v in sorted(versions, key=_version_key) if _version_key(v) > _version_key(version)),
                    versions[-1] if versions else version,
                )
            return canonical_name(module, version)
        if module == self.root.name:
            return ""
        return canonical_name(module)

    def _mapping_of(self, file: ModuleFile, canonical: str) -> RepositoryMapping:
        names = {"": canonical if canonical else "", "bazel_tools": "bazel_tools"}
        names["local_config_platform"] = "local_config_platform"
        if file.repo_name:
            names[file.repo_name] = canonical
        for dependency in file.dependencies:
            if dependency.repo_name is not None:
                self._add(
                    names,
                    dependency.repo_name,
                    self._canonical(dependency.module, dependency.version),
                    dependency.location,
                )
        # an extension's file is named with the names of the dependencies
        before = RepositoryMapping(canonical, _Visible(canonical, names))
        for use in file.extensions:
            label = self._extension_file(use, canonical, before)
            for apparent, name in use.imports.items():
                made = f"{label.repository}+{use.name}+{name}"
                self._made.setdefault(made, _ExtensionRepository(label, use.name, name, use.location))
                self._add(names, apparent, made, use.location)
        for apparent, rule_use in file.rule_uses.items():
            made = f"{canonical}+{rule_use.rule}+{apparent}"
            self._rule_uses[made] = canonical, rule_use
            self._add(names, apparent, made, rule_use.location)
        if file.is_root:
            for apparent, target in names.items():
                if target and apparent:
                    self._apparent[target] = (*self._apparent.get(target, ()), apparent)
        names.pop("")
        return RepositoryMapping(canonical, _Visible(canonical, names))

    @staticmethod
    def _add(names: dict[str, str], apparent: str, canonical: str, location: Location) -> None:
        if names.get(apparent, canonical) != canonical:
            raise WorkspaceError(Diagnostic(f"the repository name '@{apparent}' is given twice", location))
        names[apparent] = canonical

    def _extension_file(self, use: ExtensionUse, owner: str, mapping: RepositoryMapping) -> Label:
        try:
            return parse_label(use.file, PackageIdentifier(owner, ""), mapping)
        except WorkspaceError as problem:
            raise problem.at(use.location) from None

    # What Workspace asks

    @property
    def name(self) -> str:
        """Of the main repository in runfiles paths."""
        return "_main"

    def common_names(self, name: str) -> tuple[str, ...]:
        """Names under which a user may speak of a repository, the shortest last."""
        made = self._extension_repository(name)
        if made is not None:
            return (name, *self._apparent.get(name, ()), made.name)
        if name in self._rule_uses:
            return (name, self._rule_uses[name][1].arguments["name"])
        module, plus, version = name.partition("+")
        found = [name]
        if plus:
            if version:
                found.append(f"{module}+{version}")
            found += self._apparent.get(name, ())
            found.append(module)
        return tuple(dict.fromkeys(found))

    def mapping(self, name: str, directory: str = "") -> RepositoryMapping:
        """What the names seen inside a repository stand for; `directory` is where it is."""
        found = self._mappings.get(name)
        if found is None:
            path = os.path.join(directory, _MODULE_FILE)
            made = self._made.get(name)
            if made is not None:
                found = self._mapping_of_made(name, made)
            elif name in self._rule_uses:
                found = RepositoryMapping(name, _Visible(name, self.mapping(self._rule_uses[name][0]).names))
            elif directory and self._workspace.filesystem.is_file(path) and name not in _WITHOUT_SUFFIX:
                self._read(path, name, is_root=False)
                found = self._mappings[name]
            else:
                found = RepositoryMapping(name, _ByRegistry(self))
            self._mappings[name] = found
        return found

    def _mapping_of_made(self, name: str, made: _ExtensionRepository) -> RepositoryMapping:
        """What an extension makes sees what the extension's module sees, and the other repositories it makes."""
        try:
            seen = self._repository_mapping(made.file.repository).names
        except AbsentRepositoryError:  # the user has provided what the absent extension would have made
            return RepositoryMapping(name, _ByRegistry(self))
        prefix = name[: -len(made.name)]
        beside = {other: prefix + other for other in self._declared.get((made.file, made.extension), ())}
        if isinstance(seen, _ByRegistry):
            return RepositoryMapping(name, ChainMap(beside, seen))  # type: ignore[arg-type]
        return RepositoryMapping(name, _Visible(name, {**seen, **beside}))

    def _repository_mapping(self, name: str) -> RepositoryMapping:
        return self._workspace.repository(name).mapping if name else self._mappings[""]

    def makes(self, name: str) -> bool:
        """Whether a canonical name is that of a module, or of what an extension or a rule of a module makes."""
        return "+" in name or name in self._made or name in self._rule_uses or name in _WITHOUT_SUFFIX

    def declaration(self, name: str) -> Declaration | None:
        """The rule that makes a repository, None for a module that must be provided.

        Raises AbsentRepositoryError for a name that is not visible where it was written.
        """
        invisible = _INVISIBLE.fullmatch(name)
        if invisible is not None:
            owner = f"repository '@{invisible[2]}'" if invisible[2] else "the main repository"
            raise AbsentRepositoryError(name, Diagnostic(f"no repository visible as '@{invisible[1]}' from {owner}"))
        made = self._extension_repository(name)
        if made is not None:
            try:
                return self._evaluate(made.file, made.extension).get(made.name)
            except WorkspaceError as problem:
                raise problem.at(made.location) from problem.__cause__
        if name in self._rule_uses:
            return self._of_rule_use(name)
        module = name.partition("+")[0]
        override = self.root.overrides.get(module)
        return self._of_override(name, module, override) if override is not None else None

    def _extension_repository(self, name: str) -> _ExtensionRepository | None:
        made = self._made.get(name)
        return self._guess(name) if made is None and name.count("+") >= 2 else made

    def _guess(self, name: str) -> _ExtensionRepository | None:
        """An extension's repository that no use_repo() names: another repository of the same extension refers to it."""
        for canonical, other in self._made.items():
            prefix = canonical[: -len(other.name)]
            if name.startswith(prefix) and name != prefix:
                made = _ExtensionRepository(other.file, other.extension, name[len(prefix) :], None)
                self._made[name] = made
                return made
        return None

    def _of_override(self, name: str, module: str, override: Override) -> Declaration | None:
        arguments = dict(override.arguments)
        labels = LabelConverter(_ROOT, self._mappings[""])
        if override.function == "local_path_override":
            rule, given = LOCAL_REPOSITORY, {"path": arguments.get("path")}
        elif override.function == "multiple_version_override":
            return None
        else:
            patched = any(arguments.get(key) for key in ("patches", "patch_cmds"))
            if override.function == "single_version_override" and not patched:
                return None
            urls = arguments.get("urls") or arguments.get("url") or ()
            rule = _MODULE_ARCHIVE
            given = {
                "urls": [urls] if isinstance(urls, str) else list(urls),
                "integrity": arguments.get("integrity", ""),
                "strip_prefix": arguments.get("strip_prefix", ""),
                "patches": arguments.get("patches") or [],
                "patch_strip": arguments.get("patch_strip", 0),
                "patch_cmds": arguments.get("patch_cmds") or [],
            }
        try:
            values = convert_attributes(override.function, rule.attributes, given, labels, module)
        except WorkspaceError as problem:
            raise problem.at(override.location) from None
        return Declaration(name, rule, values, given, frames=((override.location, "<toplevel>"),), original_name=module)

    def _of_rule_use(self, name: str) -> Declaration:
        owner, use = self._rule_uses[name]
        mapping = self._repository_mapping(owner)
        label = parse_label(use.file, PackageIdentifier(owner, ""), mapping)
        symbols = self._workspace.load_symbols(label)
        rule = symbols.get(use.rule)
        if isinstance(rule, Placeholder):
            raise rule.error()
        if not isinstance(rule, RepositoryRule):
            raise WorkspaceError(Diagnostic(f"'{label}' has no repository rule '{use.rule}'", use.location))
        declarations = Declarations(LabelConverter(PackageIdentifier(owner, ""), mapping))
        thread = Thread(self._workspace.semantics, self._workspace.print, {"declarations": declarations})
        try:
            thread.call(rule, (), use.arguments)
        except WorkspaceError as problem:
            raise problem.at(use.location) from problem.__cause__
        return replace(next(iter(declarations.by_name.values())), frames=((use.location, "<toplevel>"),))

    def wanted_version(self, name: str) -> str:
        """The highest version of a module that bazel_dep() asks for, "" when none is said; `name` is canonical."""
        wanted = {
            dependency.version
            for file in self._files.values()
            for dependency in file.dependencies
            if dependency.version and self._canonical(dependency.module, dependency.version) == name
        }
        return max(wanted, key=_version_key, default="")

    def absence_notes(self, name: str) -> tuple[Note, ...]:
        """Who asked for a repository that is missing."""
        made = self._made.get(name)
        if made is not None:
            return (Note(f"the module extension {made.extension!r} of '{made.file}' did not make it", made.location),)
        notes = []
        for file in self._files.values():
            for dependency in file.dependencies:
                if self._canonical(dependency.module, dependency.version) == name:
                    who = f"module {file.name!r}" if file.name else "the root module"
                    notes.append(Note(f"{who} depends on it", dependency.location))
        return tuple(notes)

    # Extensions

    def _all_files(self) -> Iterator[tuple[str, ModuleFile]]:
        """Every module that is on disk, the root first, then breadth first."""
        pending, seen = [""], {""}
        while pending:
            canonical = pending.pop(0)
            if canonical:
                try:
                    self._workspace.repository(canonical)
                except AbsentRepositoryError:
                    continue  # nothing may need it; who does gets the error
            file = self._files.get(canonical)
            if file is None:
                continue
            yield canonical, file
            for dependency in file.dependencies:
                following = self._canonical(dependency.module, dependency.version)
                if following not in seen:
                    seen.add(following)
                    pending.append(following)

    def _evaluate(self, file: Label, name: str) -> Mapping[str, Declaration]:
        """The repositories that an extension declares; raises WorkspaceError."""
        key = file, name
        if key in self._declared:
            return self._declared[key]
        workspace = self._workspace
        extension = workspace.load_symbols(file).get(name)
        if isinstance(extension, Placeholder):
            raise extension.error()
        if not isinstance(extension, ModuleExtension):
            raise AbsentRepositoryError(
                file.repository, Diagnostic(f"'{file}' does not define a module extension {name!r}")
            )
        mapping = self._repository_mapping(file.repository)
        declarations = Declarations(LabelConverter(PackageIdentifier(file.repository, ""), mapping))
        directory = workspace.store.scratch(f"{file.repository or 'main'}+{name}")
        context = ModuleContext(workspace, f"{file}%{name}", directory)
        for canonical, module in self._all_files():
            own = self._repository_mapping(canonical)
            uses = [
                use
                for use in module.extensions
                if use.name == name and self._extension_file(use, canonical, own) is file
            ]
            if uses:
                labels = LabelConverter(PackageIdentifier(canonical, ""), own)
                tags = [tag for use in uses for tag in use.tags]
                context.add(extension, module, tags, labels, any(not use.dev_dependency for use in uses))
        thread = Thread(
            workspace.semantics, workspace.print, {"declarations": declarations, "module_extension": context}
        )
        for variable in extension.environ:
            context.read_environment(variable)
        thread.call(extension.implementation, (context,))
        workspace.fetcher.remember(context.inputs)
        self._declared[key] = declarations.by_name
        return declarations.by_name

    # Toolchains

    @property
    def toolchains(self) -> Sequence[tuple[str, str, Location]]:
        return [
            (canonical, pattern, where) for canonical, file in self._all_files() for pattern, where in file.toolchains
        ]

    @property
    def execution_platforms(self) -> Sequence[tuple[str, str, Location]]:
        return [
            (canonical, pattern, where)
            for canonical, file in self._all_files()
            for pattern, where in file.execution_platforms
        ]

    def of_known_name(self, apparent: str) -> str | None:
        """The canonical name for a well-known repository name, None when it is none."""
        names = self._mappings[""].names
        if apparent in iter(names):
            return names[apparent]
        known = self._workspace.registry.find(apparent)
        return canonical_name(known.module) if known is not None else None


_INVISIBLE = re.compile(r"\[unknown repo '(.*)' requested from @@(.*)\]")


class _Visible(Mapping[str, str]):
    """The apparent names that a module sees, and only those.

    Any other name stands for a repository that cannot exist, under the name that Bazel gives it: a label that is never
    followed does no harm (tests of a dependency name dev dependencies, for instance).
    """

    def __init__(self, owner: str, names: Mapping[str, str]):
        self._owner = owner
        self._names = dict(names)

    def __getitem__(self, name: str) -> str:
        return self._names.get(name, f"[unknown repo '{name}' requested from @@{self._owner}]")

    def __contains__(self, name: object) -> bool:
        return name != "" or "" in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class _ByRegistry(Mapping[str, str]):
    """Names seen by a repository without a MODULE.bazel file: those of the root module, and well-known ones."""

    def __init__(self, graph: ModuleGraph):
        self._graph = graph

    def __getitem__(self, name: str) -> str:
        found = self._graph.of_known_name(name) if name else None
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(name) and self._graph.of_known_name(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _version_key(version: str) -> list[tuple[int, int, str]]:
    return [(0, int(p), "") if p.isdigit() else (1, 0, p) for p in version.replace("-", ".").split(".")]
