"""unittest, analysistest, loadingtest, asserts: tests of Starlark code."""

load(":types.bzl", "types")

TOOLCHAIN_TYPE = "@bazel_skylib//toolchains/unittest:toolchain_type"

def _script(ctx, failures):
    """An executable that prints the failures and says whether there are any."""
    file = ctx.actions.declare_file(ctx.label.name + ".sh")
    lines = ["#!/bin/sh"]
    lines += ["printf '%s\\n' '" + failure.replace("'", "'\\''") + "' >&2" for failure in failures]
    lines.append("exit %d" % (1 if failures else 0))
    ctx.actions.write(file, "\n".join(lines) + "\n", is_executable = True)
    return [DefaultInfo(executable = file)]

def _make(impl, attrs = {}, doc = "", toolchains = []):
    """A test rule that runs `impl` when it is analysed."""
    return rule(
        implementation = impl,
        attrs = dict(attrs),
        doc = doc,
        test = True,
        toolchains = toolchains,
    )

def _begin(ctx):
    return struct(ctx = ctx, failures = [])

def _end(env):
    return _script(env.ctx, env.failures)

def _suite(name, *test_rules, **kwargs):
    """A test of each rule, and a test_suite of them."""
    tests = []
    for position, test_rule in enumerate(test_rules):
        test_name = "%s_test_%d" % (name, position)
        if type(test_rule) == "struct":
            test_rule.function(name = test_name, **dict(test_rule.kwargs))
        else:
            test_rule(name = test_name, **kwargs)
        tests.append(":" + test_name)
    native.test_suite(name = name, tests = tests)

def _fail(env, msg):
    """Records a failure of the test."""
    full = "In test {}: {}".format(env.ctx.label, msg)
    print(full)
    env.failures.append(full)

def _assert_true(env, condition, msg = "Expected condition to be true, but was false."):
    if not condition:
        _fail(env, msg)

def _assert_false(env, condition, msg = "Expected condition to be false, but was true."):
    if condition:
        _fail(env, msg)

def _assert_equals(env, expected, actual, msg = None):
    if expected != actual:
        text = 'Expected "%s", but got "%s"' % (expected, actual)
        _fail(env, "%s (%s)" % (msg, text) if msg else text)

def _assert_set_equals(env, expected, actual, msg = None):
    if not types.is_set(actual) or sorted(expected._values.keys()) != sorted(actual._values.keys()):
        text = "Expected %s, but got %s" % (expected, actual)
        _fail(env, "%s (%s)" % (msg, text) if msg else text)

def _assert_new_set_equals(env, expected, actual, msg = None):
    _assert_set_equals(env, expected, actual, msg)

def _expect_failure(env, expected_failure_msg = ""):
    """Asserts that the target under test failed with a message."""
    target = _target_under_test(env)
    if AnalysisFailureInfo not in target:
        _fail(env, "Expected failure of target_under_test, but found success")
        return
    messages = "\n".join([cause.message for cause in target[AnalysisFailureInfo].causes.to_list()])
    if expected_failure_msg not in messages:
        _fail(env, 'Expected errors to contain "%s", but they are: %s' % (expected_failure_msg, messages))

def _make_analysis_test(
        impl,
        expect_failure = False,
        attrs = {},
        fragments = [],
        config_settings = {},
        extra_target_under_test_aspects = [],
        doc = ""):
    """A test rule that looks at the providers of another target."""
    if expect_failure or config_settings or extra_target_under_test_aspects:
        settings = dict(config_settings)
        if expect_failure:
            settings["//command_line_option:allow_analysis_failures"] = "True"
        target = attr.label(
            mandatory = True,
            cfg = analysis_test_transition(settings = settings),
            aspects = extra_target_under_test_aspects,
        )
    else:
        target = attr.label(mandatory = True)
    all_attrs = dict(attrs)
    all_attrs["target_under_test"] = target
    return rule(
        implementation = impl,
        attrs = all_attrs,
        fragments = fragments,
        test = True,
        analysis_test = True,
        doc = doc,
    )

def _analysis_end(env):
    return AnalysisTestResultInfo(
        success = not env.failures,
        message = "\n".join(env.failures),
    )

def _target_under_test(env):
    value = env.ctx.attr.target_under_test
    return value[0] if types.is_list(value) else value

def _target_actions(env):
    """The actions that the target under test registered."""
    return _target_under_test(env).actions

def _target_bin_dir_path(env):
    return env.ctx.bin_dir.path

def _loading_make(name):
    """A test that is decided while packages are loaded."""
    native.test_suite(name = name + "_tests", tags = ["manual"])
    return struct(name = name)

def _loading_equals(env, test_case, expected, actual):
    if expected != actual:
        fail('%s: expected "%s", but got "%s"' % (test_case, expected, actual))

asserts = struct(
    expect_failure = _expect_failure,
    equals = _assert_equals,
    false = _assert_false,
    set_equals = _assert_set_equals,
    new_set_equals = _assert_new_set_equals,
    true = _assert_true,
)

unittest = struct(
    make = _make,
    suite = _suite,
    begin = _begin,
    end = _end,
    fail = _fail,
)

analysistest = struct(
    make = _make_analysis_test,
    begin = _begin,
    end = _analysis_end,
    fail = _fail,
    target_actions = _target_actions,
    target_bin_dir_path = _target_bin_dir_path,
    target_under_test = _target_under_test,
)

loadingtest = struct(
    make = _loading_make,
    equals = _loading_equals,
)

def register_unittest_toolchains():
    """Nothing needs to be registered."""

def unittest_toolchain(name, **kwargs):
    """How tests of other operating systems would be written."""
    fail("unittest_toolchain(name = %r) is not supported: tests are shell scripts" % name)
