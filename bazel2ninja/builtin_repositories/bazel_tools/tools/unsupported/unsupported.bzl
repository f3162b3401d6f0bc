"""What stands for rules and functions that are not supported: files that load them load, use is an error."""

def _unsupported_impl(ctx):
    fail("{} is not supported{}".format(ctx.attr.kind, ": " + ctx.attr.reason if ctx.attr.reason else ""))

_ATTRIBUTES = {
    "kind": attr.string(mandatory = True),
    "reason": attr.string(),
}

_unsupported = rule(
    implementation = _unsupported_impl,
    attrs = _ATTRIBUTES,
    doc = "A target that cannot be built, and says why.",
)

_unsupported_test = rule(
    implementation = _unsupported_impl,
    attrs = _ATTRIBUTES,
    test = True,
    doc = "A test that cannot be built, and says why; a test_suite may name it.",
)

_KEPT = ("visibility", "testonly", "tags", "deprecation", "target_compatible_with")

def unsupported_rule(kind, reason = ""):
    """A macro that declares a target; whoever needs the target gets the error.

    Args:
      kind: the name of the rule, with that of its rule set
      reason: why it is not supported
    """

    declare = _unsupported_test if kind.split(" ")[0].endswith("_test") else _unsupported

    def macro(name, **kwargs):
        kept = {key: value for key, value in kwargs.items() if key in _KEPT}
        declare(name = name, kind = kind, reason = reason, **kept)

    return macro

def unsupported_function(kind, reason = ""):
    """A function that must not be called."""

    def function(*args, **kwargs):
        fail("{} is not supported{}".format(kind, ": " + reason if reason else ""))

    return function

def native_or_unsupported(name, rule_set, reason = ""):
    """The rule kind of that name, or what says that there is none."""
    if hasattr(native, name):
        return getattr(native, name)
    return unsupported_rule("{} of {}".format(name, rule_set), reason)

def _unavailable_impl(ctx):
    fail("{} is not supported: {}".format(ctx.attr.kind, ctx.attr.reason))

unavailable_repository = repository_rule(
    implementation = _unavailable_impl,
    attrs = {
        "kind": attr.string(mandatory = True),
        "reason": attr.string(mandatory = True),
    },
    doc = "A repository that cannot be made, and says why to whoever needs it.",
)
