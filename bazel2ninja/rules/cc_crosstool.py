"""Which C++ toolchain of the project is used: the one that --crosstool_top leads to, or a registered one on request.

https://bazel.build/reference/be/c-cpp#cc_toolchain_suite: the suite's `toolchains` has an entry for the value of --cpu,
and with --compiler for "CPU|COMPILER".  With --incompatible_enable_cc_toolchain_resolution said, it is the first of
--extra_toolchains and register_toolchains() that fits, and --crosstool_top does nothing.  Otherwise it is the machine's
own compiler, which CC and its like name.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from bazel2ninja.analysis.analyzer import Analyzer
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.configuration.configuration import Configuration
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.labels import Label, parse_label
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.rules.cc_project_toolchain import FILE_GROUPS, ProjectToolchain
from bazel2ninja.rules.cc_toolchain_info import CcToolchainConfigInfo
from bazel2ninja.starlark import EvalError

TOOLCHAIN_TYPE = parse_label("@bazel_tools//tools/cpp:toolchain_type")
_OF_THE_MACHINE = frozenset(("bazel_tools", "local_config_cc"))
_RESOLUTION = "incompatible_enable_cc_toolchain_resolution"


def named(configuration: Configuration) -> Label | None:
    """What --crosstool_top says (for tools --host_crosstool_top), None for the machine's own compiler."""
    label = dict(configuration.settings.other).get("crosstool_top")
    return label if isinstance(label, Label) and label.repository not in _OF_THE_MACHINE else None


def find(analyzer: Analyzer, configuration: Configuration) -> ProjectToolchain | None:
    """The project's toolchain for a configuration, None for the machine's own compiler.

    Raises WorkspaceError for a suite without one for the processor, and for a description that makes no sense.
    """
    resolved = analyzer.given_options.get(_RESOLUTION) is True
    suite = None if resolved else named(configuration)
    if suite is None and not resolved:
        return None
    known: dict[Configuration, ProjectToolchain | None] = analyzer.project_toolchains
    if configuration not in known:
        known[configuration] = None  # while it is made, targets that it needs are for the machine's
        try:
            if suite is None:
                known[configuration] = _registered(analyzer, configuration)
            else:
                known[configuration] = _chosen(analyzer, configuration, suite)
        except WorkspaceError:
            del known[configuration]
            raise
        analyzer.forget_variables(configuration)
    return known[configuration]


def _registered(analyzer: Analyzer, configuration: Configuration) -> ProjectToolchain | None:
    chosen = _driven(analyzer, analyzer.toolchains.choose(TOOLCHAIN_TYPE, configuration))
    if chosen.toolchain is None:
        return None
    toolchain = _rule(analyzer, configuration, chosen.toolchain, "cc_toolchain", "a registered toolchain")
    return None if toolchain.label.repository in _OF_THE_MACHINE else _described(analyzer, configuration, toolchain)


def _driven(analyzer: Analyzer, steps: Generator[Any, Any, Any]) -> Any:
    """The result of what asks for steps of the analysis, which are taken at once."""
    value: Any = None
    failure: WorkspaceError | None = None
    try:
        while True:
            wanted = steps.send(value) if failure is None else steps.throw(failure)
            failure = None
            try:
                value = analyzer.steps.get(wanted)
            except WorkspaceError as error:
                failure = error
    except StopIteration as stop:
        return stop.value


def _chosen(analyzer: Analyzer, configuration: Configuration, suite: Label) -> ProjectToolchain | None:
    target = _rule(analyzer, configuration, suite, "cc_toolchain_suite", "'--crosstool_top'")
    if target.label.repository in _OF_THE_MACHINE:
        return None
    options = dict(configuration.settings.other)
    cpu = configuration.settings.cpu
    compiler = options.get("host_compiler" if configuration.settings.is_exec else "compiler")
    texts = analyzer.attributes(target, configuration)["toolchains"] or {}
    mapping = analyzer.loader.mapping(target.label.repository)
    labels = {key: parse_label(str(text), target.label.package, mapping) for key, text in texts.items()}
    chosen = labels.get(f"{cpu}|{compiler}" if compiler else cpu)
    candidates = list(labels.values()) if chosen is None else [chosen]
    if candidates and not any(_is_described(analyzer, configuration, label) for label in candidates):
        warning = f"'{target.label}' has toolchains of a CROSSTOOL file only, which is not read: CC and CXX compile"
        if all(warning != each.message for each in analyzer.notices):
            analyzer.notices.append(Diagnostic(warning, target.location, "warning"))
        return None
    if chosen is None:
        message = f"cc_toolchain_suite '{target.label}' does not contain a toolchain for cpu '{cpu}'"
        if compiler:
            message += f" and compiler '{compiler}'."
        known = ", ".join(f"'{key}'" for key in texts)
        raise WorkspaceError(Diagnostic(message, target.location, help=f"it has {known}" if known else None))
    toolchain = _rule(analyzer, configuration, chosen, "cc_toolchain", f"'toolchains' of '{target.label}'")
    if toolchain.label.repository in _OF_THE_MACHINE:
        return None
    return _described(analyzer, configuration, toolchain)


def _is_described(analyzer: Analyzer, configuration: Configuration, label: Label) -> bool:
    """Whether a cc_toolchain names a rule that describes it, rather than an entry of a CROSSTOOL file."""
    try:
        toolchain = _rule(analyzer, configuration, label, "cc_toolchain", "a cc_toolchain_suite")
    except WorkspaceError:
        return True  # whatever it is
    if toolchain.label.repository in _OF_THE_MACHINE:
        return True
    return analyzer.attributes(toolchain, configuration)["toolchain_config"] is not None


def _described(analyzer: Analyzer, configuration: Configuration, target: RuleTarget) -> ProjectToolchain:
    values = analyzer.attributes(target, configuration)
    config = values["toolchain_config"]
    if config is None:
        raise WorkspaceError(
            Diagnostic(f"'{target.label}' has no 'toolchain_config': CROSSTOOL files are not read", target.location)
        )
    info = _needed(analyzer, configuration, config).get(CcToolchainConfigInfo)
    if info is None:
        raise WorkspaceError(
            Diagnostic(
                f"'{config}', the 'toolchain_config' of '{target.label}', lacks CcToolchainConfigInfo", target.location
            )
        )
    execution = analyzer.exec_configuration(configuration)
    files: dict[str, Depset] = {}
    for name in FILE_GROUPS:
        label = values[name]
        if label is not None:
            files[name] = _needed(analyzer, execution, label).files
    try:
        return ProjectToolchain.of(target.label, info, files)
    except EvalError as error:
        message = f"the C++ toolchain '{target.label}': {error.diagnostic.message}"
        raise WorkspaceError(Diagnostic(message, target.location)) from None


def _needed(analyzer: Analyzer, configuration: Configuration, label: Label) -> ConfiguredTarget:
    """A target that counts for all who choose the toolchain."""
    analyzer.steps.nested.add(("target", label, configuration))
    return analyzer.configured_target(label, configuration)


def _rule(analyzer: Analyzer, configuration: Configuration, label: Label, kind: str, wanted_by: str) -> RuleTarget:
    """The target of a kind behind aliases; raises WorkspaceError for one of another kind."""
    target: Any = analyzer.loader.subject(label)
    while isinstance(target, RuleTarget) and target.rule_class.name in ("alias", "bind"):
        actual = analyzer.attributes(target, configuration)["actual"]
        if not isinstance(actual, Label):
            break
        target = analyzer.loader.subject(actual)
    if isinstance(target, RuleTarget) and target.label.repository in _OF_THE_MACHINE:
        return target
    if not isinstance(target, RuleTarget) or target.rule_class.name != kind:
        raise WorkspaceError(Diagnostic(f"'{label}', which {wanted_by} names, is no {kind}", target.location))
    return target
