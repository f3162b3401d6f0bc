"""The functions of BUILD files, also reached as native.* from macros: https://bazel.build/reference/be/functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bazel2ninja.diagnostics import Diagnostic, Note, WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.loading.arguments import strings, wrong_type
from bazel2ninja.loading.package_builder import PackageBuilder, current_package, to_labels
from bazel2ninja.loading.rule_class import ComputedDefault, ConfigurationField
from bazel2ninja.loading.select import Select, SelectList, select
from bazel2ninja.loading.target import PackageGroup, RuleTarget
from bazel2ninja.loading.visibility import parse_package_specifications, parse_visibility
from bazel2ninja.records import replace
from bazel2ninja.starlark import Dict, EvalError, List, caller_location, current_thread, to_starlark, type_name

_UNSET: Any = object()


def glob(include: Any = (), exclude: Any = (), exclude_directories: Any = 1, allow_empty: Any = _UNSET) -> List:
    """glob(): https://bazel.build/reference/be/functions#glob."""
    builder = current_package("glob")
    patterns = strings(include, "glob", "include")
    excluded = strings(exclude, "glob", "exclude")
    if allow_empty is _UNSET or allow_empty is None:
        allow_empty = current_thread().semantics.empty_glob
    elif allow_empty.__class__ is not bool:
        raise EvalError(f"expected boolean for argument `allow_empty`, got `{type_name(allow_empty)}`")
    found = builder.globber.glob(patterns, excluded, directories=not exclude_directories)
    if not allow_empty:
        _refuse_empty(builder, patterns, bool(exclude_directories), bool(found))
    # a colon keeps "@name" from being read as a repository, as Bazel does
    return List([f":{name}" if name.startswith("@") else name for name in found])


def _refuse_empty(builder: PackageBuilder, patterns: Sequence[str], no_directories: bool, found: bool) -> None:
    hint = "set allow_empty = True if the pattern may match nothing"
    for pattern in patterns:
        if not builder.globber.matches(pattern, not no_directories):
            raise EvalError(
                Diagnostic(
                    f"glob pattern '{pattern}' didn't match anything, but allow_empty is set to False", help=hint
                )
            )
    if not found:
        raise EvalError(
            Diagnostic(
                "all files in the glob have been excluded, but allow_empty is set to False (the default value of"
                " allow_empty can be set with --incompatible_disallow_empty_glob)"
                if patterns
                else "glob() with no patterns matches nothing, but allow_empty is set to False",
                help=hint,
            )
        )


def subpackages(*, include: Any, exclude: Any = (), allow_empty: Any = False) -> List:
    """subpackages(): directories of the nearest packages below."""
    builder = current_package("subpackages")
    found = builder.globber.subpackages(
        strings(include, "subpackages", "include"), strings(exclude, "subpackages", "exclude")
    )
    if not found and not allow_empty:
        raise EvalError("subpackages pattern did not match anything, but allow_empty is set to False")
    return List(found)


def package(**arguments: Any) -> None:
    """package(): https://bazel.build/reference/be/functions#package."""
    builder = current_package("package")
    if builder.package_called is not None:
        raise EvalError(
            Diagnostic(
                "'package' can only be used once per BUILD file",
                notes=(Note("first used here", builder.package_called),),
            )
        )
    builder.package_called = caller_location()
    if not arguments:
        raise EvalError("at least one argument must be given to the 'package' function")
    builder.defaults, builder.default_visibility = package_defaults(
        builder, arguments, builder.defaults, builder.default_visibility, "package"
    )


_WITHOUT_EFFECT = frozenset(
    (
        "default_compatible_with",
        "default_restricted_to",
        "default_hdrs_check",
        "default_strict_java_deps",
        "default_javacopts",
        "distribs",
        "default_obsolete",
        "default_exec_properties",
    )
)
"""Arguments of package() that concern environments, layering checks, Java or remote execution."""


def package_defaults(
    builder: Any, arguments: Mapping[str, Any], defaults: Any, visibility: tuple[Label, ...], function: str
) -> tuple[Any, tuple[Label, ...]]:
    """(defaults, default visibility as labels) after package() or repo(); `builder` reads labels."""
    for name, value in arguments.items():
        if name == "default_visibility":
            visibility = to_labels(value, builder.labels, f"{function}(default_visibility = ...)")
            defaults = replace(defaults, visibility=parse_visibility(visibility))
        elif name == "default_testonly":
            defaults = replace(defaults, testonly=bool(value))
        elif name == "features":
            defaults = replace(defaults, features=(*defaults.features, *strings(value, function, name)))
        elif name == "default_copts":
            defaults = replace(defaults, copts=strings(value, function, name))
        elif name in ("default_applicable_licenses", "default_package_metadata"):
            licenses = to_labels(value, builder.labels, f"{function}({name} = ...)")
            defaults = replace(defaults, applicable_licenses=licenses)
        elif name == "default_deprecation":
            defaults = replace(defaults, deprecation=value)
        elif name == "licenses":
            defaults = replace(defaults, licenses=strings(value, function, name))
        elif name not in _WITHOUT_EFFECT:
            raise EvalError(f"{function}() got unexpected keyword argument '{name}'")
    return defaults, visibility


def package_group(*, name: Any, packages: Any = (), includes: Any = ()) -> None:
    """package_group(): https://bazel.build/reference/be/functions#package_group."""
    builder = current_package("package_group")
    if not isinstance(name, str):
        raise wrong_type(name, "package_group", "name", "string")
    public, specifications = parse_package_specifications(
        strings(packages, "package_group", "packages"),
        builder.identifier,
        builder.labels.mapping,
        f"package_group '{name}'",
    )
    included = to_labels(includes, builder.labels, f"package_group '{name}'")
    group = PackageGroup(Label(builder.identifier, name), specifications, included, public, caller_location())
    builder.add_target(name, group)


def exports_files(srcs: Any, visibility: Any = None, licenses: Any = None) -> None:
    """exports_files(): https://bazel.build/reference/be/functions#exports_files."""
    builder = current_package("exports_files")
    seen = None
    if visibility is not None:
        seen = parse_visibility(to_labels(visibility, builder.labels, "exports_files(visibility = ...)"))
    location = caller_location()
    for name in strings(srcs, "exports_files", "srcs"):
        builder.export_file(name.removeprefix(":"), seen, location)


def licenses(license_strings: Any) -> None:
    """licenses(): kept as a default of the package, without effect on the build."""
    builder = current_package("licenses")
    builder.defaults = replace(builder.defaults, licenses=strings(license_strings, "licenses", "license_strings"))


def distribs(distribution_strings: Any) -> None:
    """distribs(): without effect, as in Bazel."""
    current_package("distribs")


def existing_rules() -> Dict:
    """existing_rules(): name -> attributes of the rules declared so far."""
    builder = current_package("existing_rules")
    return Dict({name: _rule_view(builder, rule) for name, rule in _visible_rules(builder)})


def existing_rule(name: Any) -> Any:
    """existing_rule(): the attributes of one rule, or None."""
    builder = current_package("existing_rule")
    if not isinstance(name, str):
        raise wrong_type(name, "existing_rule", "name", "string")
    target = builder.targets.get(name)
    return _rule_view(builder, target) if isinstance(target, RuleTarget) else None


def _visible_rules(builder: PackageBuilder) -> list[tuple[str, RuleTarget]]:
    return [(name, target) for name, target in builder.targets.items() if isinstance(target, RuleTarget)]


_SHOWN_WHEN_GIVEN = ("deprecation", "distribs", "licenses", "testonly", "visibility")


def _rule_view(builder: PackageBuilder, target: RuleTarget) -> Dict:
    view = Dict()
    for name in target.rule_class.public_attributes():
        if name in _SHOWN_WHEN_GIVEN and name not in target.attributes:
            continue
        value = _as_written(target.value(name), target.label)
        if value is not None:
            view[name] = value
    view["kind"] = target.rule_class.name
    view["name"] = target.label.name
    view["generator_name"] = target.generator_name
    view["generator_function"] = target.generator_function
    view["generator_location"] = str(target.location) if target.generator_function else ""
    return view


def _as_written(value: Any, relative_to: Label) -> Any:
    """A converted value as existing_rule() shows it: labels are texts, ":x" in the same package."""
    if value is None or isinstance(value, ComputedDefault | ConfigurationField):
        return None
    if isinstance(value, Label):
        if value.package is relative_to.package:
            return ":" + value.name
        return str(value)
    if isinstance(value, tuple):
        return tuple(_as_written(item, relative_to) for item in value)
    if isinstance(value, Mapping):
        result = Dict()
        for key, item in value.items():
            result[_as_written(key, relative_to)] = _as_written(item, relative_to)
        return result
    if isinstance(value, SelectList):
        return SelectList(
            tuple(
                Select(
                    {str(key): _as_written(branch, relative_to) for key, branch in element.branches.items()},
                    element.no_match_error,
                    element.location,
                )
                if isinstance(element, Select)
                else _as_written(element, relative_to)
                for element in value.elements
            ),
            value.operator,
        )
    return to_starlark(value)


def package_name() -> str:
    """package_name(): the path of the package without its repository."""
    return current_package("package_name").identifier.path


def repository_name() -> str:
    """repository_name(): "@" and the canonical name, as it always was."""
    return "@" + current_package("repository_name").identifier.repository


def repo_name() -> str:
    """repo_name(): the canonical name of the repository."""
    return current_package("repo_name").identifier.repository


def package_default_visibility() -> List:
    """package_default_visibility(): as labels."""
    return List(current_package("package_default_visibility").default_visibility)


def package_relative_label(input: Any, /) -> Label:
    """package_relative_label(): the label that a text means in the package being loaded."""
    builder = current_package("package_relative_label")
    if not isinstance(input, str | Label):
        raise wrong_type(input, "package_relative_label", "input", "string or Label")
    try:
        return builder.labels(input)
    except WorkspaceError as problem:
        raise EvalError(f"invalid label in native.package_relative_label: {problem.diagnostic.message}") from None


def module_name() -> Any:
    """module_name(): name of the package's bzlmod module, None outside of one."""
    builder = current_package("module_name")
    return builder.module[0] if builder.module is not None else None


def module_version() -> Any:
    """module_version(): version of the package's bzlmod module, None outside of one."""
    builder = current_package("module_version")
    return builder.module[1] if builder.module is not None else None


BUILD_FUNCTIONS: Mapping[str, Any] = {
    function.__name__: function
    for function in (
        glob,
        subpackages,
        package,
        package_group,
        exports_files,
        licenses,
        distribs,
        existing_rules,
        existing_rule,
        package_name,
        repository_name,
        repo_name,
        package_default_visibility,
        package_relative_label,
        module_name,
        module_version,
        select,
    )
}
"""Name -> function, for BUILD files."""

NATIVE_FUNCTIONS: Mapping[str, Any] = {
    name: function for name, function in BUILD_FUNCTIONS.items() if name not in ("select", "licenses", "distribs")
}
"""Name -> function, for the `native` of .bzl files."""
