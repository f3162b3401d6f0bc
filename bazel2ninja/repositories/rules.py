"""Repository rules, and the record of their calls.

https://bazel.build/rules/lib/globals/bzl#repository_rule and https://bazel.build/extending/repo.  Calling a rule runs
nothing: the call is a `Declaration` in the `Declarations` of the running thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bazel2ninja.diagnostics import Diagnostic, Location, Note, suggestion
from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.loading import package_functions
from bazel2ninja.loading.attributes import LabelConverter, convert
from bazel2ninja.loading.repository import PlaceholderCall
from bazel2ninja.loading.repository_placeholder import find_placeholder
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.records import dataclass, field, replace
from bazel2ninja.starlark import (
    Dict,
    EvalError,
    List,
    Module,
    call_stack,
    caller_location,
    caller_module,
    current_thread,
    freeze,
    is_callable,
    type_name,
)

_T = AttributeType
_REPOSITORY_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.~+-]*")
_MAIN_PACKAGE = PackageIdentifier("", "")

_EMPTY: Mapping[AttributeType, object] = {
    _T.BOOLEAN: False,
    _T.INTEGER: 0,
    _T.INTEGER_LIST: (),
    _T.STRING: "",
    _T.STRING_LIST: (),
    _T.STRING_DICT: {},
    _T.STRING_LIST_DICT: {},
    _T.LABEL: None,
    _T.LABEL_LIST: (),
    _T.LABEL_KEYED_STRING_DICT: {},
    _T.STRING_KEYED_LABEL_DICT: {},
}

_SOURCES = frozenset(("url", "urls", "remote"))

_COMMON = {
    "tags": Attribute("tags", _T.STRING_LIST),
    "generator_name": Attribute("generator_name", _T.STRING),
    "generator_function": Attribute("generator_function", _T.STRING),
    "licenses": Attribute("licenses", _T.STRING_LIST),
}


def default_value(attribute: Attribute) -> object:
    """The value of an attribute that is not given: its default, or the empty value of its type."""
    return attribute.default if attribute.default is not None else _EMPTY.get(attribute.type)


def starlark_value(value: object) -> object:
    """A converted attribute value as an implementation function sees it: frozen, tuples being lists."""
    if isinstance(value, tuple):
        return freeze(List(starlark_value(item) for item in value))
    if isinstance(value, Mapping):
        result = Dict()
        for key, item in value.items():
            result[key] = starlark_value(item)
        return freeze(result)
    return value


def convert_attributes(
    kind: str, attributes: Mapping[str, Attribute], given: Mapping[str, object], labels: LabelConverter, target: str
) -> dict[str, object]:
    """The values of all attributes; raises EvalError for unknown, missing and mistyped ones."""
    for name in given:
        if name not in attributes:
            raise EvalError(Diagnostic(f"{kind} has no attribute {name!r}", help=suggestion(name, attributes)))
    values: dict[str, object] = {}
    for name, attribute in attributes.items():
        value = convert(given[name], attribute, labels, kind, target) if name in given else None
        if value is None:
            if attribute.mandatory:
                raise EvalError(f"{kind} {target!r} lacks the mandatory attribute {name!r}")
            value = default_value(attribute)
        values[name] = value
    return values


@dataclass(slots=True, eq=False)
class RepositoryRule:
    """What repository_rule() returns.

    implementation: a Starlark function, or one of ours (`native`) that takes the repository context.
    environ: names of the environment variables that the rule says it reads.
    module: the .bzl file that called repository_rule(), None for a native rule.
    """

    implementation: Any
    attributes: Mapping[str, Attribute]
    local: bool = False
    configure: bool = False
    environ: tuple[str, ...] = ()
    module: Module | None = None
    native_name: str = ""
    location: Location | None = None
    doc: str = ""

    starlark_type = "repository_rule"

    @property
    def name(self) -> str:
        """The global variable of its .bzl file that holds it."""
        if self.native_name or self.module is None:
            return self.native_name
        for name, value in self.module.all_globals().items():
            if value is self:
                return name
        return "repository_rule"

    @property
    def label(self) -> Label | None:
        """Of the .bzl file, None for a native rule."""
        return self.module.label if self.module is not None else None

    @property
    def downloads(self) -> bool:
        """Whether its attributes say where something is to be downloaded from."""
        return not _SOURCES.isdisjoint(self.attributes)

    def defaults(self) -> dict[str, object]:
        """The values of the attributes when none is given."""
        return {name: default_value(attribute) for name, attribute in {**_COMMON, **self.attributes}.items()}

    def starlark_repr(self) -> str:
        return f"<repository_rule {self.name}>"

    def starlark_freeze(self, freeze_value: Callable[[object], None]) -> None:
        freeze_value(self.implementation)

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        if args:
            raise EvalError(f"{self.name}() takes keyword arguments only")
        Declarations.current(self.name).declare(self, kwargs)


@dataclass(slots=True, eq=False)
class Declaration:
    """A call of a repository rule.

    attributes: the converted values of all attributes, defaults included (labels are `Label`s, lists tuples).
    given: the keyword arguments as written, for native.existing_rule().
    frames: the call stack that made it, outermost first.
    """

    name: str
    rule: RepositoryRule
    attributes: Mapping[str, object]
    given: Mapping[str, object]
    mapping: Mapping[str, str] = field(default_factory=dict)
    frames: tuple[tuple[Location, str], ...] = ()
    original_name: str = ""

    @property
    def location(self) -> Location | None:
        return self.frames[0][0] if self.frames else None


class Declarations:
    """The repositories that a WORKSPACE file, or the implementation of a module extension, has declared so far.

    A WORKSPACE file is a sequence of chunks that load statements separate.  Of two declarations of a name the last one
    of the first chunk that has any counts, as in Bazel: a load may have used it before the second chunk was reached.
    """

    def __init__(self, labels: LabelConverter, names: dict[str, str] | None = None):
        self.labels = labels
        self.names = {} if names is None else names  # apparent names of the main repository
        self.chunk = 0
        self.by_name: dict[str, Declaration] = {}
        self._chunk_of: dict[str, int] = {}
        self.placeholder_calls: list[PlaceholderCall] = []
        self.bindings: dict[str, tuple[Label | None, Location]] = {}
        self.toolchains: list[tuple[str, Location]] = []
        self.execution_platforms: list[tuple[str, Location]] = []
        self.workspace_name: str | None = None
        self.load_symbol: Callable[[str, str], Any] | None = None

    @staticmethod
    def current(function: str) -> Declarations:
        """Of the running thread; raises EvalError where repositories cannot be declared."""
        found = current_thread().data.get("declarations")
        if not isinstance(found, Declarations):
            raise EvalError(f"{function}() may only be called from a WORKSPACE file, its macros, or a module extension")
        return found

    def declare(self, rule: RepositoryRule, given: Mapping[str, Any]) -> None:
        """Records the call of a rule; raises EvalError for wrong arguments."""
        kind = rule.name
        values = dict(given)
        name = values.pop("name", None)
        if not isinstance(name, str):
            raise EvalError(f"{kind}() needs the argument 'name', a string")
        if not _REPOSITORY_NAME.fullmatch(name):
            raise EvalError(
                f"{kind}(): invalid repository name {name!r}: only letters, digits, '_', '-', '.', '+' and '~' may"
                " follow a letter or '_'"
            )
        mapping = values.pop("repo_mapping", None) or {}
        placeholder = find_placeholder(list(values.values()))
        if placeholder is not None:
            self.placeholder_calls.append(
                PlaceholderCall(placeholder.symbol, placeholder.problem.what, caller_location(), name)
            )
            return
        attributes = {**_COMMON, **rule.attributes}
        converted = convert_attributes(kind, attributes, values, self.labels, name)
        self.add(
            Declaration(
                name,
                rule,
                converted,
                {"name": name, **values},
                _apparent_names(kind, mapping),
                call_stack(),
                name,
            )
        )

    def add(self, declaration: Declaration) -> None:
        name = declaration.name
        if self._chunk_of.get(name, self.chunk) == self.chunk:
            self._chunk_of[name] = self.chunk
            self.by_name[name] = declaration

    def existing_rule(self, name: str) -> Dict | None:
        """What native.existing_rule() gives."""
        declaration = self.by_name.get(name)
        if declaration is None:
            return None
        result = Dict()
        for key, value in declaration.attributes.items():
            if not key.startswith("_"):
                result[key] = str(value) if isinstance(value, Label) else _plain(value)
        result["name"] = name
        result["kind"] = declaration.rule.name
        return result

    def existing_rules(self) -> Dict:
        result = Dict()
        for name in self.by_name:
            result[name] = self.existing_rule(name)
        return result


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return List(str(item) if isinstance(item, Label) else _plain(item) for item in value)
    if isinstance(value, Mapping):
        result = Dict()
        for key, item in value.items():
            result[str(key) if isinstance(key, Label) else key] = str(item) if isinstance(item, Label) else _plain(item)
        return result
    return value


def _apparent_names(kind: str, mapping: object) -> dict[str, str]:
    """repo_mapping = {"@a": "@b"} without the '@'."""
    if not isinstance(mapping, Mapping):
        raise EvalError(f"{kind}(): repo_mapping got value of type '{type_name(mapping)}', want 'dict'")
    result = {}
    for key, value in mapping.items():
        if not (isinstance(key, str) and isinstance(value, str) and key.startswith("@") and value.startswith("@")):
            raise EvalError(f"{kind}(): names in repo_mapping must start with '@'")
        result[key[1:]] = value.lstrip("@")
    return result


def repository_rule(
    implementation: Any,
    *,
    attrs: Any = None,
    local: Any = False,
    environ: Any = (),
    configure: Any = False,
    remotable: Any = False,
    doc: Any = None,
) -> RepositoryRule:
    """repository_rule(): https://bazel.build/rules/lib/globals/bzl#repository_rule."""
    if not is_callable(implementation):
        raise EvalError(
            f"in call to repository_rule(), parameter 'implementation' got value of type '{type_name(implementation)}',"
            " want 'function'"
        )
    attributes = named_attributes(attrs, "repository_rule")
    if remotable:
        attributes.setdefault("exec_properties", Attribute("exec_properties", _T.STRING_DICT))
    return RepositoryRule(
        implementation,
        attributes,
        bool(local),
        bool(configure),
        tuple(environ),
        caller_module(),
        location=caller_location(),
        doc=doc or "",
    )


def named_attributes(attrs: Any, function: str) -> dict[str, Attribute]:
    """`attrs = {"x": attr.string()}` as attributes that know their names; raises EvalError."""
    found: dict[str, Attribute] = {}
    for name, attribute in (attrs or {}).items():
        if attribute is None:
            continue
        if not isinstance(attribute, Attribute):
            raise EvalError(f"{function}(attrs = ...): got {type_name(attribute)} for {name!r}, want Attribute")
        if attribute.type.is_output:
            raise EvalError(f"{function}(attrs = ...): {name!r} cannot be an output")
        found[name] = replace(attribute, name=name)
    return found


# The functions of WORKSPACE files: https://bazel.build/rules/lib/globals/workspace.


def workspace(*, name: Any) -> None:
    """workspace(): names the main repository; must come first."""
    declarations = Declarations.current("workspace")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]*", name):
        raise EvalError(f"{name!r} is not a legal workspace name: a letter, then letters, digits, '-', '_' and '.'")
    if declarations.workspace_name is not None:
        raise EvalError("workspace() may only be called once")
    declarations.workspace_name = name
    declarations.names[name] = ""


def bind(*, name: Any, actual: Any = None, tags: Any = ()) -> None:
    """bind(): //external:NAME is another target."""
    declarations = Declarations.current("bind")
    if not isinstance(name, str):
        raise EvalError("bind() needs the argument 'name', a string")
    if actual is not None and find_placeholder(actual):
        return
    label = None if actual is None else declarations.labels(actual)
    declarations.bindings.setdefault(name, (label, caller_location()))


def register_toolchains(*toolchain_labels: Any, dev_dependency: Any = False) -> None:
    """register_toolchains(): target patterns of toolchain() targets, the first registered first tried."""
    _register(Declarations.current("register_toolchains").toolchains, toolchain_labels)


def register_execution_platforms(*platform_labels: Any, dev_dependency: Any = False) -> None:
    """register_execution_platforms(): target patterns of platforms."""
    _register(Declarations.current("register_execution_platforms").execution_platforms, platform_labels)


def _register(where: list[tuple[str, Location]], patterns: Iterable[Any]) -> None:
    for pattern in patterns:
        if find_placeholder(pattern):
            continue
        if not isinstance(pattern, str):
            raise EvalError(f"got {type_name(pattern)}, want a target pattern")
        where.append((pattern, caller_location()))


def existing_rule(name: Any) -> Any:
    """native.existing_rule(): of the repositories declared so far, or of the package's rules in a BUILD file."""
    declarations = current_thread().data.get("declarations")
    if isinstance(declarations, Declarations):
        return declarations.existing_rule(name)
    return package_functions.existing_rule(name)


def existing_rules() -> Any:
    """native.existing_rules(), likewise."""
    declarations = current_thread().data.get("declarations")
    if isinstance(declarations, Declarations):
        return declarations.existing_rules()
    return package_functions.existing_rules()


def _forwarded(name: str, module: str, symbol: str = "") -> Callable[..., Any]:
    """A native rule of old Bazel releases that has since moved to a .bzl file."""

    def call(**arguments: Any) -> Any:
        load_symbol = Declarations.current(name).load_symbol
        if load_symbol is None:
            raise EvalError(f"{name}() is not available here")
        return load_symbol(f"@bazel_tools//tools/build_defs/repo:{module}.bzl", symbol or name)(**arguments)

    call.__name__ = call.__qualname__ = name
    return call


def _unavailable(name: str) -> RepositoryRule:
    def implementation(context: Any) -> None:
        raise EvalError(Diagnostic(f"{name} is not supported", notes=(Note(f"declared as '@{context.name}'"),)))

    return RepositoryRule(implementation, _UNAVAILABLE_ATTRIBUTES, native_name=name)


_UNAVAILABLE_ATTRIBUTES = {
    name: Attribute(name, type)
    for name, type in {
        "path": _T.STRING,
        "api_level": _T.INTEGER,
        "build_tools_version": _T.STRING,
        "artifact": _T.STRING,
        "repository": _T.STRING,
        "server": _T.LABEL,
        "sha1": _T.STRING,
        "url": _T.STRING,
    }.items()
}


def _local_repository(context: Any) -> None:
    context.s_symlink(context.directory_of(context.declaration.attributes["path"]), "")


def _new_local_repository(context: Any) -> None:
    attributes = context.declaration.attributes
    if (attributes["build_file"] is None) == (not attributes["build_file_content"]):
        raise EvalError("new_local_repository: exactly one of build_file and build_file_content must be given")
    replaced = ("BUILD", "BUILD.bazel", "WORKSPACE", "WORKSPACE.bazel")
    for child in context.directory_of(attributes["path"]).s_readdir():
        if child.s_basename not in replaced:
            context.s_symlink(child, child.s_basename)
    if attributes["workspace_file"] is not None:
        context.s_symlink(attributes["workspace_file"], "WORKSPACE")
    else:
        content = attributes["workspace_file_content"] or f'workspace(name = "{context.name}")\n'
        context.s_file("WORKSPACE", content)
    if attributes["build_file"] is not None:
        context.s_symlink(attributes["build_file"], "BUILD.bazel")
    else:
        context.s_file("BUILD.bazel", attributes["build_file_content"])


LOCAL_REPOSITORY = RepositoryRule(
    _local_repository,
    {"path": Attribute("path", _T.STRING, mandatory=True)},
    local=True,
    native_name="local_repository",
)

NEW_LOCAL_REPOSITORY = RepositoryRule(
    _new_local_repository,
    {
        "path": Attribute("path", _T.STRING, mandatory=True),
        "build_file": Attribute("build_file", _T.LABEL),
        "build_file_content": Attribute("build_file_content", _T.STRING),
        "workspace_file": Attribute("workspace_file", _T.LABEL),
        "workspace_file_content": Attribute("workspace_file_content", _T.STRING),
    },
    local=True,
    native_name="new_local_repository",
)

WORKSPACE_FUNCTIONS: Mapping[str, object] = {
    "workspace": workspace,
    "bind": bind,
    "register_toolchains": register_toolchains,
    "register_execution_platforms": register_execution_platforms,
    "local_repository": LOCAL_REPOSITORY,
    "new_local_repository": NEW_LOCAL_REPOSITORY,
    "http_archive": _forwarded("http_archive", "http"),
    "new_http_archive": _forwarded("new_http_archive", "http", "http_archive"),
    "http_file": _forwarded("http_file", "http"),
    "http_jar": _forwarded("http_jar", "http"),
    "git_repository": _forwarded("git_repository", "git"),
    "new_git_repository": _forwarded("new_git_repository", "git"),
    "maven_jar": _unavailable("maven_jar"),
    "maven_server": _unavailable("maven_server"),
    "android_sdk_repository": _unavailable("android_sdk_repository"),
    "android_ndk_repository": _unavailable("android_ndk_repository"),
}
"""The names that a WORKSPACE file has beside the universal ones."""

NATIVE_FUNCTIONS: Mapping[str, object] = {
    **{name: function for name, function in WORKSPACE_FUNCTIONS.items() if name != "workspace"},
    "existing_rule": existing_rule,
    "existing_rules": existing_rules,
}
"""What macros reach as native.NAME while repositories are declared."""
