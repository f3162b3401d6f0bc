"""Build settings that a user sets on the command line: https://bazel.build/extending/config#user-defined-build-settings."""

BuildSettingInfo = provider(
    doc = "The value of a build setting.",
    fields = {"value": "The value in the configuration of the target."},
)

_MAKE_VARIABLE = attr.string(doc = "A make variable that holds the value for the targets that name this one in toolchains.")

def _providers(ctx, value):
    result = [BuildSettingInfo(value = value)]
    name = getattr(ctx.attr, "make_variable", None)
    if name:
        result.append(platform_common.TemplateVariableInfo({name: str(value)}))
    return result

def _impl(ctx):
    return _providers(ctx, ctx.build_setting_value)

def _string_impl(ctx):
    value = ctx.build_setting_value
    if ctx.attr.values and value not in ctx.attr.values:
        fail("{}: {} is none of the allowed values: {}".format(ctx.label, repr(value), ", ".join(ctx.attr.values)))
    return _providers(ctx, value)

def _string_list_impl(ctx):
    values = getattr(ctx.attr, "values", [])
    for value in ctx.build_setting_value:
        if values and value not in values:
            fail("{}: {} is none of the allowed values: {}".format(ctx.label, repr(value), ", ".join(values)))
    return _providers(ctx, ctx.build_setting_value)

_SCOPE = attr.string(default = "universal", doc = "How far the value reaches: universal or project.")

int_flag = rule(
    implementation = _impl,
    build_setting = config.int(flag = True),
    attrs = {"make_variable": _MAKE_VARIABLE, "scope": _SCOPE},
    doc = "A number that the command line may set.",
)

int_setting = rule(
    implementation = _impl,
    build_setting = config.int(),
    attrs = {"make_variable": _MAKE_VARIABLE, "scope": _SCOPE},
    doc = "A number.",
)

bool_flag = rule(
    implementation = _impl,
    build_setting = config.bool(flag = True),
    attrs = {"scope": _SCOPE},
    doc = "A truth value that the command line may set.",
)

bool_setting = rule(
    implementation = _impl,
    build_setting = config.bool(),
    attrs = {"scope": _SCOPE},
    doc = "A truth value.",
)

string_list_flag = rule(
    implementation = _string_list_impl,
    build_setting = config.string_list(flag = True),
    attrs = {"values": attr.string_list(), "scope": _SCOPE},
    doc = "Texts that the command line may set.",
)

string_list_setting = rule(
    implementation = _string_list_impl,
    build_setting = config.string_list(),
    attrs = {"values": attr.string_list(), "scope": _SCOPE},
    doc = "Texts.",
)

repeatable_string_flag = rule(
    implementation = _string_list_impl,
    build_setting = config.string_list(flag = True, repeatable = True),
    attrs = {"values": attr.string_list(), "scope": _SCOPE},
    doc = "Texts that the command line may set one by one.",
)

string_flag = rule(
    implementation = _string_impl,
    build_setting = config.string(flag = True),
    attrs = {"values": attr.string_list(), "make_variable": _MAKE_VARIABLE, "scope": _SCOPE},
    doc = "A text that the command line may set.",
)

string_setting = rule(
    implementation = _string_impl,
    build_setting = config.string(),
    attrs = {"values": attr.string_list(), "make_variable": _MAKE_VARIABLE, "scope": _SCOPE},
    doc = "A text.",
)
