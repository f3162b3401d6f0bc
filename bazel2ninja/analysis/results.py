"""What an implementation function returned, checked and completed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis import executables
from bazel2ninja.analysis.action import WriteAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import (
    NOTHING_TO_RUN,
    AnalysisFailure,
    AnalysisFailureInfo,
    AnalysisTestResultInfo,
    DefaultInfo,
    FilesToRun,
    InstrumentedFilesInfo,
    LegacyField,
    OutputGroupInfo,
    RunEnvironmentInfo,
    TestResult,
    complete_default_info,
)
from bazel2ninja.analysis.runfiles import EMPTY_RUNFILES, Runfiles, merge, runfiles_of
from bazel2ninja.analysis.shell import escape
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.starlark import EvalError, Struct, to_repr, type_name
from bazel2ninja.starlark.states import FROZEN

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

_LEGACY_DEFAULT = ("files", "runfiles", "data_runfiles", "default_runfiles", "executable")


def configured_target(context: RuleContext, returned: Any) -> ConfiguredTarget:
    """The configured target of a rule; registers its actions.  Raises WorkspaceError for a wrong result."""
    instances, legacy = _instances(context, returned)
    providers = _by_provider(instances)
    if not context.target.rule_class.native:
        _freeze(providers)
    kind = context.target.rule_class
    if kind.analysis_test:
        _analysis_test(context, providers)
    for key in kind.provides:
        if key not in providers and key is not DefaultInfo and key not in legacy:
            name = getattr(key, "name", key)
            raise context.error(
                f"rule advertised the '{name}' provider, but this provider was not among those returned"
            )
    environment = providers.get(RunEnvironmentInfo)
    if environment is not None and not (kind.executable or kind.test or "for_any_rule" in environment.__dict__):
        raise context.error("returned RunEnvironmentInfo, but only executable and test rules may do so")
    if environment is None and kind.native and (kind.executable or kind.test):
        environment = executables.run_environment(context)
        providers[RunEnvironmentInfo] = environment
    info = _default_info(context, providers.get(DefaultInfo))
    providers[DefaultInfo] = info
    if kind.test and info.s_files_to_run.manifest is not None:
        action = executables.register_test(context, info.s_files_to_run, environment)
        providers[TestResult] = TestResult(action)
    providers.setdefault(InstrumentedFilesInfo, InstrumentedFilesInfo())
    if kind.native:
        providers.setdefault(OutputGroupInfo, _NO_GROUPS)
    _check_generated(context)
    context.flush()
    return ConfiguredTarget(context.target, context.configuration, providers, legacy=legacy)


_NO_GROUPS = OutputGroupInfo()


def failed_target(context: RuleContext, causes: Iterable[Any]) -> ConfiguredTarget:
    """The target as one whose analysis failed, where that is allowed; causes: depsets of AnalysisFailure."""
    providers: dict[object, object] = {
        AnalysisFailureInfo: AnalysisFailureInfo(causes=Depset(transitive=tuple(causes))),
        DefaultInfo: complete_default_info(Depset()),
    }
    return ConfiguredTarget(context.target, context.configuration, providers)


def failure(context: RuleContext, error: WorkspaceError) -> Depset:
    """An error of the target's own, as such a cause."""
    text = "\n".join(diagnostic.message for diagnostic in error.diagnostics)
    return Depset((AnalysisFailure(label=context.label, message=text),))


def aspect_providers(context: RuleContext, returned: Any) -> tuple[Mapping[object, object], Mapping[str, object]]:
    """The providers of an aspect; registers its actions."""
    instances, legacy = _instances(context, returned)
    providers = _by_provider(instances)
    if DefaultInfo in providers:
        raise EvalError("Returning DefaultInfo from an aspect is illegal")
    _freeze(providers)
    assert context.aspect is not None
    for key in context.aspect.provides:
        if key not in providers and key not in legacy:
            name = getattr(key, "name", key)
            raise EvalError(
                f"aspect '{context.aspect.name}', applied to '{context.label}', advertised the '{name}' provider, but "
                "this provider was not among those returned"
            )
    _check_generated(context)
    context.flush()
    return providers, legacy


def _instances(context: RuleContext, returned: Any) -> tuple[list[Any], dict[str, object]]:
    if returned is None:
        return [], {}
    if hasattr(returned, "provider"):
        return [returned], {}
    if isinstance(returned, Struct):
        if not context.analyzer.semantics.legacy_struct_providers:
            raise context.error(
                "Returning a struct from a rule implementation function is deprecated. Return a list of provider "
                "instances instead"
            )
        return _from_struct(returned)
    if isinstance(returned, list | tuple):
        legacy = {each.name: each.value for each in returned if isinstance(each, LegacyField)}
        if legacy:
            returned = [each for each in returned if not isinstance(each, LegacyField)]
        for position, each in enumerate(returned):
            if not hasattr(each, "provider"):
                raise context.error(
                    f"at index {position} of result of rule implementation function, got element of type "
                    f"{type_name(each)}, want Info"
                )
        return list(returned), legacy
    raise context.error(f"Rule should return a struct or a list, but got {type_name(returned)}: {to_repr(returned)}")


def _from_struct(returned: Struct) -> tuple[list[Any], dict[str, object]]:
    """A struct(files = ..., providers = [...], name = value), as rules returned it before Bazel 8."""
    fields = {name: returned.get(name) for name in returned.field_names()}
    instances = list(fields.pop("providers", None) or ())
    default = {name: fields.pop(name) for name in _LEGACY_DEFAULT if name in fields}
    if default and not any(getattr(each, "provider", None) is DefaultInfo for each in instances):
        instances.append(DefaultInfo(**default))
    groups = fields.pop("output_groups", None)
    if groups is not None:
        given = (
            groups.items()
            if isinstance(groups, Mapping)
            else ((name, groups.get(name)) for name in groups.field_names())
        )
        instances.append(OutputGroupInfo(**dict(given)))
    fields.pop("instrumented_files", None)
    return instances, fields


def _by_provider(instances: Iterable[Any]) -> dict[object, Any]:
    found: dict[object, Any] = {}
    for instance in instances:
        key = instance.provider
        if key in found:
            raise EvalError(f"Multiple conflicting returned providers with key {getattr(key, 'name', key)}")
        found[key] = instance
    return found


def _freeze(providers: Mapping[object, Any]) -> None:
    """Freezes lists and dicts in provider instances; depsets hold only what cannot change."""
    pending: list[Any] = list(providers.values())
    while pending:
        value = pending.pop()
        if isinstance(value, list | dict):
            kind = FROZEN.get(value.__class__)
            if kind is not None:
                value.__class__ = kind  # how a Starlark value is frozen
                pending.extend(value)
                pending.extend(value.values() if isinstance(value, dict) else ())
        elif isinstance(value, tuple):
            pending.extend(value)
        elif isinstance(value, Struct) and "frozen" not in value.__dict__:
            value.__dict__["frozen"] = True  # no name that Starlark could see
            pending.extend(value.get(name) for name in value.field_names())


def _predeclared(context: RuleContext) -> list[Artifact]:
    return [context.output(label) for labels in context.target.outputs.values() for label in labels]


def _default_info(context: RuleContext, given: Any) -> Any:
    """A complete DefaultInfo of what the rule returned; makes the runfiles tree of an executable."""
    files: Depset | None = given.s_files if given is not None else None
    executable: Artifact | None = given.get("executable") if given is not None else None
    kind = context.target.rule_class
    if executable is None and (kind.executable or kind.test):
        default = context.default_executable()
        if default not in context.generated:
            raise context.error(
                f"The rule '{kind.name}' is executable. It needs to create an executable File and pass it as the "
                "'executable' parameter to the DefaultInfo it returns"
            )
        executable = default
    elif executable is not None and not kind.native and executable not in context.generated:
        raise context.error(
            f"'executable' provided by an executable rule '{kind.name}' should be created by the same rule"
        )
    if files is None:
        files = Depset(dict.fromkeys((*_predeclared(context), *((executable,) if executable is not None else ()))))
    common: Runfiles | None = given.get("runfiles") if given is not None else None
    data: Runfiles | None = given.get("data_runfiles") if given is not None else None
    default_runfiles: Runfiles | None = given.get("default_runfiles") if given is not None else None
    own = (runfiles_of((executable,)),) if executable is not None else ()
    if data is None and default_runfiles is None:
        data = default_runfiles = merge((common or EMPTY_RUNFILES, *own))
    else:
        data = data or EMPTY_RUNFILES
        default_runfiles = merge((default_runfiles or EMPTY_RUNFILES, *own))
    run = NOTHING_TO_RUN
    if executable is not None:
        if kind.executable or kind.test:
            run = executables.files_to_run(context, executable, default_runfiles)
        else:
            run = FilesToRun(executable)
    elif kind.native:
        single = files.flatten()
        if len(single) == 1 and not single[0].is_directory:
            run = FilesToRun(single[0])
    return complete_default_info(files, data, default_runfiles, run)


def _analysis_test(context: RuleContext, providers: dict[object, Any]) -> None:
    """A test whose result is known already: its program says so."""
    result = providers.get(AnalysisTestResultInfo)
    if result is None:
        raise context.error("rules with analysis_test=true must return an instance of AnalysisTestResultInfo")
    executable = context.default_executable()
    status = 0 if result.s_success else 1
    context.register(
        WriteAction(
            **context.identity("FileWrite"),
            outputs=(executable,),
            content=f"#!/bin/sh\nprintf '%s\\n' {escape(result.s_message)}\nexit {status}\n",
            executable=True,
        )
    )


def _check_generated(context: RuleContext) -> None:
    if context.target.rule_class.native and context.aspect is None:
        return
    missing = [file for file in context.declared if file not in context.generated]
    if context.aspect is None:
        missing += [file for file in _predeclared(context) if file not in context.generated]
    if missing:
        names = ", ".join(f"'{file.exec_path}'" for file in dict.fromkeys(missing))
        raise _no_action(context, names)


def _no_action(context: RuleContext, names: str) -> WorkspaceError:
    return context.error(f"the following files have no generating action: {names}")
