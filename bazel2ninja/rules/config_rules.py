"""config_setting, platforms, constraints and toolchains.

https://bazel.build/reference/be/platforms-and-toolchains and https://bazel.build/reference/be/general#config_setting
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.providers_builtin import (
    ConfigSettingInfo,
    ConstraintSettingInfo,
    ConstraintValueInfo,
    DeclaredToolchainInfo,
    PlatformInfo,
    ToolchainTypeInfo,
)
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.rules.general import native_rule, table

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

T = AttributeType
_REMOTE = "it concerns remote execution only"


def _config_setting(ctx: RuleContext) -> Iterable[Any]:
    ctx.analyzer.conditions.matches(ctx.label, ctx.configuration)  # a wrong condition is an error by itself, too
    yield ConfigSettingInfo(label=ctx.label)


def _constraint_setting(ctx: RuleContext) -> Iterable[Any]:
    yield ConstraintSettingInfo(label=ctx.label, default_constraint_value=ctx.attribute("default_constraint_value"))


def _constraint_value(ctx: RuleContext) -> Iterable[Any]:
    setting = ctx.dependency("constraint_setting")
    assert setting is not None
    yield ConstraintValueInfo(label=ctx.label, constraint=setting.get(ConstraintSettingInfo))


def _platform(ctx: RuleContext) -> Iterable[Any]:
    constraints = [target.get(ConstraintValueInfo) for target in ctx.dependencies("constraint_values")]
    yield PlatformInfo(label=ctx.label, constraints=tuple(constraints))


def _toolchain_type(ctx: RuleContext) -> Iterable[Any]:
    yield ToolchainTypeInfo(type_label=ctx.label)


def _toolchain(ctx: RuleContext) -> Iterable[Any]:
    kind = ctx.dependency("toolchain_type")
    assert kind is not None
    same = ctx.attribute("exec_compatible_with")
    if ctx.attribute("use_target_platform_constraints"):
        platform = ctx.settings.constraints
        execution, target = platform, platform
    else:
        execution, target = same, ctx.attribute("target_compatible_with")
    yield DeclaredToolchainInfo(
        toolchain_type=kind.get(ToolchainTypeInfo).s_type_label,
        toolchain=ctx.attribute("toolchain"),
        exec_compatible_with=execution,
        target_compatible_with=target,
        target_settings=ctx.attribute("target_settings"),
    )


CONFIG_RULES = table(
    native_rule(
        "config_setting",
        (
            Attribute("values", T.STRING_DICT, configurable=False),
            Attribute("define_values", T.STRING_DICT, configurable=False),
            Attribute("flag_values", T.LABEL_KEYED_STRING_DICT, configurable=False, allow_files=True),
            Attribute("constraint_values", T.LABEL_LIST, configurable=False, providers=((ConstraintValueInfo,),)),
        ),
        _config_setting,
    ),
    native_rule(
        "constraint_setting",
        (
            Attribute("default_constraint_value", T.NODEP_LABEL, configurable=False),
            Attribute("refines", T.NODEP_LABEL, configurable=False, irrelevant="settings are compared by value"),
        ),
        _constraint_setting,
    ),
    native_rule(
        "constraint_value",
        (
            Attribute(
                "constraint_setting",
                T.LABEL,
                mandatory=True,
                configurable=False,
                providers=((ConstraintSettingInfo,),),
            ),
        ),
        _constraint_value,
    ),
    native_rule(
        "platform",
        (
            Attribute("constraint_values", T.LABEL_LIST, configurable=False, providers=((ConstraintValueInfo,),)),
            Attribute("parents", T.LABEL_LIST, configurable=False, providers=((PlatformInfo,),)),
            Attribute("flags", T.STRING_LIST, configurable=False),
            Attribute("exec_properties", T.STRING_DICT, irrelevant=_REMOTE),
            Attribute("remote_execution_properties", T.STRING, irrelevant=_REMOTE),
            Attribute("required_settings", T.NODEP_LABEL_LIST, irrelevant="there is one execution platform"),
            Attribute("missing_toolchain_error", T.STRING, irrelevant="it is part of another program's message"),
            Attribute("check_toolchain_types", T.BOOLEAN, irrelevant="there is one execution platform"),
            Attribute("allowed_toolchain_types", T.NODEP_LABEL_LIST, irrelevant="there is one execution platform"),
            Attribute("host_platform", T.BOOLEAN, configurable=False, irrelevant="the host is looked at"),
            Attribute("target_platform", T.BOOLEAN, configurable=False, irrelevant="--platforms says it"),
            Attribute("cpu_constraints", T.NODEP_LABEL_LIST, irrelevant="it serves the autoconfigured host platform"),
            Attribute("os_constraints", T.NODEP_LABEL_LIST, irrelevant="it serves the autoconfigured host platform"),
        ),
        _platform,
    ),
    native_rule(
        "toolchain_type",
        (Attribute("no_match_error", T.STRING, irrelevant="it is part of another program's message"),),
        _toolchain_type,
    ),
    native_rule(
        "toolchain",
        (
            Attribute("toolchain_type", T.LABEL, mandatory=True, configurable=False, providers=((ToolchainTypeInfo,),)),
            Attribute("toolchain", T.NODEP_LABEL, mandatory=True, configurable=False),
            # conditions of this toolchain, not of the target that declares it: hence not followed
            Attribute("exec_compatible_with", T.NODEP_LABEL_LIST, configurable=False),
            Attribute("target_compatible_with", T.NODEP_LABEL_LIST, configurable=False),
            Attribute("target_settings", T.NODEP_LABEL_LIST, configurable=False),
            Attribute("use_target_platform_constraints", T.BOOLEAN, configurable=False),
        ),
        _toolchain,
    ),
)
