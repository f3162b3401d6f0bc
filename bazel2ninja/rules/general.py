"""Rule kinds of no language: filegroup, alias, test_suite, label_flag ...

https://bazel.build/reference/be/general and https://bazel.build/reference/be/common-definitions
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import DefaultInfo, Forwarded, OutputGroupInfo, forwarding
from bazel2ninja.analysis.runfiles import merge, runfiles_of
from bazel2ninja.loading.common_attributes import with_common_attributes
from bazel2ninja.loading.rule_class import Attribute, AttributeType, RuleClass

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

T = AttributeType
Implementation = Callable[["RuleContext"], Any]


def native_rule(
    name: str,
    attributes: Iterable[Attribute],
    implementation: Implementation,
    *,
    executable: bool = False,
    test: bool = False,
    outputs: object = None,
) -> RuleClass:
    """A native rule kind with the attributes that all rules have."""
    return RuleClass(
        name,
        with_common_attributes(attributes, executable=executable, test=test),
        implementation,
        native=True,
        executable=executable or test,
        test=test,
        outputs=outputs,
    )


def table(*kinds: RuleClass) -> Mapping[str, RuleClass]:
    """Kinds by name."""
    return MappingProxyType({kind.name: kind for kind in kinds})


def refused(why: str) -> Implementation:
    """The implementation of a kind that BUILD files may declare and that cannot be built: `why` is the error."""

    def implementation(ctx: RuleContext) -> Any:
        raise ctx.error(why)

    return implementation


def data_attribute() -> Attribute:
    return Attribute("data", T.LABEL_LIST, allow_files=True)


def _filegroup(ctx: RuleContext) -> Iterable[Any]:
    group = ctx.attribute("output_group")
    sources = ctx.dependencies("srcs")
    if group:
        parts = []
        for target in sources:
            info = target.get(OutputGroupInfo)
            if info is not None and group in info.groups:
                parts.append(info.groups[group])
    else:
        parts = [target.files for target in sources]
    files = parts[0] if len(parts) == 1 else Depset(transitive=parts)
    yield DefaultInfo(
        files=files,
        default_runfiles=ctx.runfiles(collect_default=True),
        data_runfiles=merge((runfiles_of(transitive=(files,)), ctx.runfiles(collect_data=True))),
    )


@forwarding
def _alias(ctx: RuleContext) -> Forwarded:
    target = ctx.dependency("actual")
    if target is None:
        raise ctx.error("mandatory attribute has no value in this configuration", "actual")
    return Forwarded(target)


@forwarding
def _label_setting(ctx: RuleContext) -> Forwarded:
    label = ctx.analyzer.build_setting(ctx.target, ctx.configuration)
    if label is None:
        raise ctx.error("the label setting is empty in this configuration", "build_setting_default")
    return Forwarded(label)


def _nothing(ctx: RuleContext) -> Iterable[Any]:
    return ()


_LABEL_SETTING = (
    Attribute("build_setting_default", T.NODEP_LABEL, mandatory=True, configurable=False),
    Attribute("scope", T.STRING, "universal", configurable=False, irrelevant="flags are seen everywhere"),
)

GENERAL_RULES = table(
    native_rule(
        "filegroup",
        (
            Attribute("srcs", T.LABEL_LIST, allow_files=True),
            data_attribute(),
            Attribute("output_group", T.STRING),
            Attribute("path", T.STRING, irrelevant="it had a meaning to java rules only"),
            Attribute("output_licenses", T.LICENSE, configurable=False, irrelevant="it informs people"),
        ),
        _filegroup,
    ),
    native_rule("alias", (Attribute("actual", T.LABEL, mandatory=True, allow_files=True),), _alias),
    native_rule(
        "test_suite",
        (Attribute("tests", T.NODEP_LABEL_LIST, configurable=False),),
        _nothing,
    ),
    native_rule("label_flag", _LABEL_SETTING, _label_setting),
    native_rule("label_setting", _LABEL_SETTING, _label_setting),
    native_rule(
        "environment",
        (Attribute("fulfills", T.NODEP_LABEL_LIST, configurable=False, irrelevant="environments are not checked"),),
        _nothing,
    ),
    native_rule(
        "environment_group",
        (
            Attribute("environments", T.NODEP_LABEL_LIST, configurable=False, irrelevant="they are not checked"),
            Attribute("defaults", T.NODEP_LABEL_LIST, configurable=False, irrelevant="they are not checked"),
        ),
        _nothing,
    ),
    native_rule(
        "genquery",
        (
            Attribute("expression", T.STRING, mandatory=True),
            Attribute("scope", T.NODEP_LABEL_LIST, mandatory=True),
            Attribute("opts", T.STRING_LIST),
            Attribute("strict", T.BOOLEAN, True),
            Attribute("compressed_output", T.BOOLEAN),
        ),
        refused("genquery is not supported: its output is the build graph of Bazel itself"),
    ),
    native_rule(
        "config_feature_flag",
        (
            Attribute("allowed_values", T.STRING_LIST, configurable=False),
            Attribute("default_value", T.STRING, configurable=False),
        ),
        refused("config_feature_flag is not supported; a build setting of a .bzl file does the same"),
    ),
    native_rule(
        "starlark_doc_extract",
        (
            Attribute("src", T.LABEL, allow_files=True),
            Attribute("deps", T.LABEL_LIST, allow_files=True),
            Attribute("symbol_names", T.STRING_LIST),
            Attribute("render_main_repo_name", T.BOOLEAN),
        ),
        refused("starlark_doc_extract is not supported: no build needs documentation of rules"),
        outputs={"proto": "%{name}.binaryproto"},
    ),
)
