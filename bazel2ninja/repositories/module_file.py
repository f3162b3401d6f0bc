"""One MODULE.bazel file: what it says, before anything is looked for.

https://bazel.build/rules/lib/globals/module.  Versions are not resolved against a registry, as there is none: what is
on disk is what counts, and a version is only compared to warn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.filesystem import FileSystem
from bazel2ninja.records import dataclass, field
from bazel2ninja.starlark import (
    CodeCache,
    Dialect,
    EvalError,
    Semantics,
    Thread,
    caller_location,
    compile_source,
    current_thread,
    execute,
    type_name,
)


@dataclass(frozen=True, slots=True)
class Dependency:
    """bazel_dep(): the apparent name is `repo_name`, None when the module is only wanted in the graph."""

    module: str
    version: str
    repo_name: str | None
    location: Location


@dataclass(frozen=True, slots=True)
class Override:
    """local_path_override() and the like, by the name of the function, with its arguments."""

    function: str
    arguments: Mapping[str, Any]
    location: Location


@dataclass(frozen=True, slots=True)
class Tag:
    """A call of a tag class on what use_extension() returned."""

    tag_class: str
    arguments: Mapping[str, Any]
    dev_dependency: bool
    location: Location


@dataclass(slots=True)
class ExtensionUse:
    """use_extension(): tags in order, and the repositories that use_repo() asks for: apparent name -> name."""

    file: str
    name: str
    dev_dependency: bool
    location: Location
    tags: list[Tag] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RuleUse:
    """A repository that use_repo_rule(file, rule)(name = ...) declares."""

    file: str
    rule: str
    arguments: Mapping[str, Any]
    location: Location


@dataclass(slots=True)
class ModuleFile:
    """What one MODULE.bazel file says; dev dependencies are there for the root module only."""

    path: str
    is_root: bool
    name: str = ""
    version: str = ""
    repo_name: str = ""
    dependencies: list[Dependency] = field(default_factory=list)
    overrides: dict[str, Override] = field(default_factory=dict)
    extensions: list[ExtensionUse] = field(default_factory=list)
    rule_uses: dict[str, RuleUse] = field(default_factory=dict)
    toolchains: list[tuple[str, Location]] = field(default_factory=list)
    execution_platforms: list[tuple[str, Location]] = field(default_factory=list)


class _ExtensionProxy:
    """What use_extension() returns: each attribute is a tag class."""

    starlark_type = "module_extension_proxy"

    def __init__(self, use: ExtensionUse, wanted: bool):
        self.use = use
        self.wanted = wanted

    def __getattr__(self, name: str) -> Callable[..., None]:
        if not name.startswith("s_"):
            raise AttributeError(name=name, obj=self)

        def tag(**arguments: Any) -> None:
            if self.wanted:
                self.use.tags.append(Tag(name[2:], arguments, self.use.dev_dependency, caller_location()))

        tag.__name__ = tag.__qualname__ = name[2:]
        return tag


class _RuleProxy:
    """What use_repo_rule() returns."""

    starlark_type = "repo_rule_proxy"

    def __init__(self, module: ModuleFile, file: str, rule: str):
        self._module, self._file, self._rule = module, file, rule

    def __call__(self, *, name: Any, dev_dependency: Any = False, **arguments: Any) -> None:
        if dev_dependency and not self._module.is_root:
            return
        self._module.rule_uses[name] = RuleUse(self._file, self._rule, {"name": name, **arguments}, caller_location())


def _module() -> ModuleFile:
    found = current_thread().data.get("module_file")
    assert isinstance(found, ModuleFile)
    return found


def _text(function: str, parameter: str, value: Any) -> str:
    if not isinstance(value, str):
        raise EvalError(f"in call to {function}(), parameter '{parameter}' got value of type '{type_name(value)}'")
    return value


def module(
    *,
    name: Any = "",
    version: Any = "",
    compatibility_level: Any = 0,
    repo_name: Any = "",
    bazel_compatibility: Any = (),
) -> None:
    """module()"""
    file = _module()
    if file.name:
        raise EvalError("the module() directive can only be called once")
    file.name = _text("module", "name", name)
    file.version = _text("module", "version", version)
    file.repo_name = _text("module", "repo_name", repo_name) or file.name


def bazel_dep(
    *,
    name: Any,
    version: Any = "",
    max_compatibility_level: Any = -1,
    repo_name: Any = "",
    dev_dependency: Any = False,
    registry: Any = None,
) -> None:
    """bazel_dep()"""
    file = _module()
    if dev_dependency and not file.is_root:
        return
    apparent = None if repo_name is None else _text("bazel_dep", "repo_name", repo_name) or name
    file.dependencies.append(
        Dependency(
            _text("bazel_dep", "name", name), _text("bazel_dep", "version", version), apparent, caller_location()
        )
    )


def _override(function: str) -> Callable[..., None]:
    def override(*, module_name: Any, **arguments: Any) -> None:
        file = _module()
        if not file.is_root:
            return  # only the root module decides about others
        if module_name in file.overrides:
            raise EvalError(f"multiple overrides for module {module_name!r}")
        file.overrides[_text(function, "module_name", module_name)] = Override(function, arguments, caller_location())

    override.__name__ = override.__qualname__ = function
    return override


def use_extension(
    extension_bzl_file: Any, extension_name: Any, *, dev_dependency: Any = False, isolate: Any = False
) -> _ExtensionProxy:
    """use_extension()"""
    file = _module()
    if isolate:
        raise EvalError("use_extension(isolate = True) is not supported")
    use = ExtensionUse(extension_bzl_file, extension_name, bool(dev_dependency), caller_location())
    wanted = file.is_root or not dev_dependency
    if wanted:
        file.extensions.append(use)
    return _ExtensionProxy(use, wanted)


def use_repo(extension_proxy: Any, *args: Any, **kwargs: Any) -> None:
    """use_repo()"""
    if not isinstance(extension_proxy, _ExtensionProxy):
        raise EvalError(f"use_repo() got {type_name(extension_proxy)}, want what use_extension() returned")
    for name in args:
        extension_proxy.use.imports[_text("use_repo", "args", name)] = name
    for apparent, name in kwargs.items():
        extension_proxy.use.imports[apparent] = _text("use_repo", apparent, name)


def use_repo_rule(repo_rule_bzl_file: Any, repo_rule_name: Any) -> _RuleProxy:
    """use_repo_rule()"""
    return _RuleProxy(_module(), repo_rule_bzl_file, repo_rule_name)


def register_toolchains(*toolchain_labels: Any, dev_dependency: Any = False) -> None:
    """register_toolchains()"""
    file = _module()
    if file.is_root or not dev_dependency:
        file.toolchains += [(label, caller_location()) for label in toolchain_labels]


def register_execution_platforms(*platform_labels: Any, dev_dependency: Any = False) -> None:
    """register_execution_platforms()"""
    file = _module()
    if file.is_root or not dev_dependency:
        file.execution_platforms += [(label, caller_location()) for label in platform_labels]


def _unsupported(function: str) -> Callable[..., None]:
    def call(*args: Any, **kwargs: Any) -> None:
        raise EvalError(f"{function}() is not supported")

    call.__name__ = call.__qualname__ = function
    return call


_FUNCTIONS: Mapping[str, object] = {
    "module": module,
    "bazel_dep": bazel_dep,
    "use_extension": use_extension,
    "use_repo": use_repo,
    "use_repo_rule": use_repo_rule,
    "register_toolchains": register_toolchains,
    "register_execution_platforms": register_execution_platforms,
    **{
        name: _override(name)
        for name in (
            "local_path_override",
            "archive_override",
            "git_override",
            "single_version_override",
            "multiple_version_override",
        )
    },
    **{name: _unsupported(name) for name in ("override_repo", "inject_repo", "flag_alias")},
}


def read_module_file(
    filesystem: FileSystem,
    path: str,
    *,
    is_root: bool,
    semantics: Semantics,
    cache: CodeCache | None = None,
    print: Callable[[str, Location], None] | None = None,
) -> ModuleFile:
    """Runs a MODULE.bazel file, and those that it includes; raises WorkspaceError."""
    result = ModuleFile(path, is_root)
    pending: list[str] = []

    def include(label: Any) -> None:
        text = _text("include", "label", label)
        if not is_root or not text.startswith("//") or ":" not in text:
            raise EvalError(f"include({text!r}): only the root module includes, and only files of its own repository")
        directory, _, name = text[2:].partition(":")
        pending.append("/".join(part for part in (path.rpartition("/")[0], directory, name) if part))

    functions = {**_FUNCTIONS, "include": include}
    read: set[str] = set()
    pending.append(path)
    while pending:
        current = pending.pop(0)
        if current in read:
            raise WorkspaceError(Diagnostic("the file is included twice", Location(current)))
        read.add(current)
        program = compile_source(
            filesystem.read(current),
            current,
            dialect=Dialect.BUILD,
            semantics=semantics,
            predeclared=functions.keys(),
            cache=cache,
        )
        if program.loads:
            raise WorkspaceError(Diagnostic("load() is not allowed in MODULE.bazel files", program.loads[0][2]))
        thread = Thread(semantics, print, {"module_file": result})
        execute(program, thread, functions, lambda name, where: {})
    return result
