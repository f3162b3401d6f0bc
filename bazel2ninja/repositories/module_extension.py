"""Module extensions: module_extension(), tag_class(), and the module_ctx that an implementation gets.

https://bazel.build/external/extension and https://bazel.build/rules/lib/builtins/module_ctx.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bazel2ninja.diagnostics import Diagnostic, Location, suggestion
from bazel2ninja.loading.attributes import LabelConverter
from bazel2ninja.loading.rule_class import Attribute
from bazel2ninja.records import dataclass
from bazel2ninja.repositories.file_context import FileContext
from bazel2ninja.repositories.module_file import ModuleFile, Tag
from bazel2ninja.repositories.rules import convert_attributes, named_attributes, starlark_value
from bazel2ninja.starlark import EvalError, List, Struct, caller_location, freeze, is_callable, type_name

if TYPE_CHECKING:
    from bazel2ninja.repositories.workspace import Workspace


@dataclass(frozen=True, slots=True, eq=False)
class TagClass:
    """What tag_class() returns."""

    attributes: Mapping[str, Attribute]
    location: Location

    starlark_type = "tag_class"


@dataclass(frozen=True, slots=True, eq=False)
class ModuleExtension:
    """What module_extension() returns."""

    implementation: Any
    tag_classes: Mapping[str, TagClass]
    environ: tuple[str, ...]
    location: Location

    starlark_type = "module_extension"

    def starlark_freeze(self, freeze_value: Callable[[object], None]) -> None:
        freeze_value(self.implementation)


def tag_class(attrs: Any = None, *, doc: Any = None) -> TagClass:
    """tag_class()"""
    return TagClass(named_attributes(attrs, "tag_class"), caller_location())


def module_extension(
    implementation: Any,
    *,
    tag_classes: Any = None,
    doc: Any = None,
    environ: Any = (),
    os_dependent: Any = False,
    arch_dependent: Any = False,
) -> ModuleExtension:
    """module_extension()"""
    if not is_callable(implementation):
        raise EvalError(f"module_extension(): implementation got {type_name(implementation)}, want 'function'")
    for name, value in (tag_classes or {}).items():
        if not isinstance(value, TagClass):
            raise EvalError(f"module_extension(): tag class {name!r} got {type_name(value)}, want tag_class")
    return ModuleExtension(implementation, dict(tag_classes or {}), tuple(environ), caller_location())


class TagInstance(Struct):
    """One tag: its attributes are fields."""

    starlark_type = "bazel_module_tag"
    __hash__ = object.__hash__


class BazelModule:
    """https://bazel.build/rules/lib/builtins/bazel_module."""

    starlark_type = "bazel_module"

    def __init__(self, file: ModuleFile, tags: Struct):
        self.s_name = file.name
        self.s_version = file.version
        self.s_is_root = file.is_root
        self.s_tags = tags


class ModuleContext(FileContext):
    """module_ctx of one evaluation of an extension."""

    starlark_type = "module_ctx"

    def __init__(self, workspace: Workspace, name: str, directory: str):
        super().__init__(workspace, name, directory)
        self._modules: list[BazelModule] = []
        self._dev: set[int] = set()
        self._has_non_dev = False

    def add(
        self, extension: ModuleExtension, file: ModuleFile, tags: Sequence[Tag], labels: LabelConverter, used: bool
    ) -> None:
        """A module that uses the extension, with its tags; raises WorkspaceError for tags that are wrong."""
        by_class: dict[str, list[TagInstance]] = {name: [] for name in extension.tag_classes}
        for tag in tags:
            tag_class = extension.tag_classes.get(tag.tag_class)
            if tag_class is None:
                raise EvalError(
                    Diagnostic(
                        f"the extension has no tag class {tag.tag_class!r}",
                        tag.location,
                        help=suggestion(tag.tag_class, extension.tag_classes),
                    )
                )
            try:
                values = convert_attributes(
                    tag.tag_class, tag_class.attributes, tag.arguments, labels, tag.arguments.get("name", "")
                )
            except EvalError as problem:
                raise problem.at(tag.location) from None
            instance = TagInstance(**{key: starlark_value(value) for key, value in values.items()})
            by_class[tag.tag_class].append(instance)
            if tag.dev_dependency:
                self._dev.add(id(instance))
        self._modules.append(
            BazelModule(file, Struct(**{name: freeze(List(found)) for name, found in by_class.items()}))
        )
        self._has_non_dev |= file.is_root and used

    @property
    def s_modules(self) -> List:
        return freeze(List(self._modules))  # type: ignore[no-any-return]

    def s_is_dev_dependency(self, tag: Any) -> bool:
        return id(tag) in self._dev

    @property
    def s_root_module_has_non_dev_dependency(self) -> bool:
        return self._has_non_dev

    def s_extension_metadata(
        self,
        *,
        root_module_direct_deps: Any = None,
        root_module_direct_dev_deps: Any = None,
        reproducible: Any = False,
        facts: Any = None,
    ) -> Struct:
        return Struct()
