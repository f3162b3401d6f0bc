"""Conditions: config_setting, its kinds of requirements, the choice of a branch, and its errors."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bazel2ninja.configuration import transitions
from bazel2ninja.configuration.build_settings import target_settings
from bazel2ninja.configuration.conditions import Conditions
from bazel2ninja.configuration.configuration import Configuration, Configurations, Settings
from bazel2ninja.configuration.options import parse
from bazel2ninja.configuration.platforms import HostPlatform, cpu_constraint, os_constraint, platform_constraints
from bazel2ninja.diagnostics import Diagnostic, Location, UsageError, WorkspaceError
from bazel2ninja.labels import Label, parse_label
from bazel2ninja.loading.rule_class import Attribute, AttributeType, RuleClass
from bazel2ninja.loading.select import Select, SelectList
from bazel2ninja.loading.target import PRIVATE, RuleTarget, SourceFile, Target
from bazel2ninja.loading.transition import BuildSetting

HOST = HostPlatform("k8", (cpu_constraint("x86_64"), os_constraint("linux")))
SRCS = Attribute("srcs", AttributeType.LABEL_LIST)
TEXT = Attribute("text", AttributeType.STRING)


def label(text: str) -> Label:
    return parse_label(text, parse_label("//p:p").package)


class Workspace:
    """Targets that tests declare, with the two questions that the configuration asks of a loader."""

    def __init__(self) -> None:
        self.targets: dict[Label, Target] = {}
        self.hidden: set[Label] = set()

    def add(self, kind: str, name: str, setting: BuildSetting | None = None, **attributes: object) -> Label:
        own = label(name)
        types = {"actual": AttributeType.LABEL, "constraint_setting": AttributeType.LABEL}
        types |= {"default_constraint_value": AttributeType.LABEL}
        names = ("values", "define_values", "flag_values", "constraint_values", "actual", "constraint_setting")
        names += ("default_constraint_value", "parents", "flags", "build_setting_default")
        rule = RuleClass(
            kind,
            {n: Attribute(n, types.get(n, AttributeType.LICENSE)) for n in names},
            None,
            native=setting is None,
            build_setting=setting,
        )
        frames = ((Location("p/BUILD", len(self.targets) + 1, 1), "<toplevel>"),)
        self.targets[own] = RuleTarget(own, rule, attributes, PRIVATE, frames)
        return own

    def target(self, label: Label) -> Target:
        if label not in self.targets:
            raise WorkspaceError(f"no target {label.short}")
        return self.targets[label]

    def check_visibility(self, consumer: RuleTarget, dependency: Target) -> None:
        if dependency.label in self.hidden:
            raise WorkspaceError(Diagnostic(f"{dependency.label.short} is not visible from {consumer.label.short}"))


@pytest.fixture
def workspace() -> Workspace:
    found = Workspace()
    found.add("constraint_setting", "@platforms//cpu:cpu")
    found.add("constraint_setting", "@platforms//os:os")
    for name in ("x86_64", "aarch64"):
        found.add("constraint_value", f"@platforms//cpu:{name}", constraint_setting=label("@platforms//cpu:cpu"))
    found.add("constraint_value", "@platforms//os:linux", constraint_setting=label("@platforms//os:os"))
    return found


def configured(workspace: Workspace, *arguments: str) -> tuple[Conditions, Configuration]:
    settings = target_settings(parse(list(arguments), host=HOST), workspace)
    configurations = Configurations(settings)
    return Conditions(workspace, configurations), configurations.target


def holds(workspace: Workspace, name: str, *arguments: str) -> bool:
    conditions, configuration = configured(workspace, *arguments)
    return bool(conditions.matches(label(name), configuration))


@pytest.mark.parametrize(
    ("values", "arguments", "expected"),
    [
        ({"compilation_mode": "opt"}, ["-c", "opt"], True),
        ({"compilation_mode": "opt"}, [], False),
        ({"cpu": "k8"}, [], True),
        ({"cpu": "x86_64"}, [], False),
        ({"copt": "-g"}, ["--copt=-O1", "--copt=-g"], True),
        ({"copt": "-g"}, ["--copt=-g1"], False),
        ({"define": "a=b"}, ["--define=a=b"], True),
        ({"define": "a=b"}, ["--define=a=b", "--define=a=c"], False),
        ({"stamp": "0"}, [], True),
        ({"stamp": "1"}, ["--stamp"], True),
        ({"stamp": "no"}, ["--stamp"], False),
        ({"compiler": "gcc"}, [], False),
        ({"compiler": "gcc"}, ["--compiler=gcc"], True),
        ({"crosstool_top": "//external:android/crosstool"}, ["--crosstool_top=//external:android/crosstool"], True),
        ({"crosstool_top": "@bazel_tools//tools/cpp:toolchain"}, [], True),
        ({"apple_platform_type": "macos", "cpu": "k8"}, [], True),
        ({"apple_platform_type": "ios"}, [], False),
        ({"features": "thin_lto"}, ["--features=thin_lto"], True),
        ({"ios_multi_cpus": "arm64"}, ["--ios_multi_cpus=armv7,arm64"], True),
        ({"experimental_strict_action_env": "true"}, [], True),
        ({"collect_code_coverage": "true"}, [], False),
    ],
)
def test_values(workspace: Workspace, values: Mapping[str, str], arguments: list[str], expected: bool) -> None:
    workspace.add("config_setting", "c", values=values)
    assert holds(workspace, "c", *arguments) is expected


def test_define_values_and_several_requirements(workspace: Workspace) -> None:
    workspace.add("config_setting", "c", values={"cpu": "k8"}, define_values={"a": "1", "b": "2"})
    assert holds(workspace, "c", "--define=a=1", "--define=b=2")
    assert not holds(workspace, "c", "--define=a=1")


@pytest.mark.parametrize(
    ("kind", "default", "wanted", "flag", "expected"),
    [
        ("bool", False, "True", "--//p:flag", True),
        ("bool", True, "false", "--no//p:flag", True),
        ("bool", True, "True", None, True),
        ("bool", False, "1", "--//p:flag=0", False),
        ("int", 3, "3", None, True),
        ("int", 3, "4", "--//p:flag=4", True),
        ("string", "a", "b", "--//p:flag=b", True),
        ("string", "a", "b", None, False),
        ("string_list", ("a",), "b", "--//p:flag=c,b", True),
        ("string_list", ("a",), "a", "--//p:flag=c,b", False),
        ("string_set", (), "b", "--//p:flag=c,b,b", True),
    ],
)
def test_flag_values(
    workspace: Workspace, kind: str, default: object, wanted: str, flag: str | None, expected: bool
) -> None:
    flag_label = workspace.add("some_flag", "flag", BuildSetting(kind, flag=True), build_setting_default=default)
    workspace.add("alias", "other_name", actual=flag_label)
    workspace.add("config_setting", "c", flag_values={label("other_name"): wanted})
    assert holds(workspace, "c", *([flag] if flag else [])) is expected


def test_flags_that_may_be_repeated_add_up(workspace: Workspace) -> None:
    setting = BuildSetting("string", flag=True, allow_multiple=True)
    flag = workspace.add("some_flag", "flag", setting, build_setting_default="")
    workspace.add("config_setting", "c", flag_values={flag: "b"})
    assert holds(workspace, "c", "--//p:flag=a", "--//p:flag=b")
    assert not holds(workspace, "c")


def test_label_flag(workspace: Workspace) -> None:
    flag = workspace.add("label_flag", "flag", build_setting_default=label("//x:default"))
    workspace.add("config_setting", "c", flag_values={flag: "//x:other"})
    assert holds(workspace, "c", "--//p:flag=//x:other")
    assert not holds(workspace, "c")


def test_default_values_leave_no_trace_in_the_settings(workspace: Workspace) -> None:
    workspace.add("some_flag", "flag", BuildSetting("bool", flag=True), build_setting_default=False)
    _, configuration = configured(workspace, "--//p:flag", "--//p:flag=false")
    assert configuration.settings.build_settings == ()
    _, configuration = configured(workspace, "--//p:flag")
    assert configuration.settings.build_settings == ((label("flag"), True),)


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("--//p:none", "option '--//p:none': no target //p:none"),
        ("--//p:plain", "//p:plain is a config_setting rule, not a build setting"),
        ("--//p:fixed=1", "//p:fixed cannot be set on the command line (flag = False)"),
        ("--//p:count", "expected a value after '--//p:count'"),
        ("--no//p:count", "option '--no//p:count': //p:count is not a boolean setting"),
        ("--//p:count=x", "while parsing option '--//p:count=x': 'x' is not an int"),
    ],
)
def test_flag_errors(workspace: Workspace, flag: str, message: str) -> None:
    workspace.add("config_setting", "plain", values={"cpu": "k8"})
    workspace.add("some_flag", "fixed", BuildSetting("int"), build_setting_default=1)
    workspace.add("some_flag", "count", BuildSetting("int", flag=True), build_setting_default=1)
    with pytest.raises(UsageError) as caught:
        configured(workspace, flag)
    assert message in caught.value.diagnostic.message


def test_feature_flag_values_are_asked_for(workspace: Workspace) -> None:
    flag = workspace.add("compiler_flag", "compiler")
    workspace.add("config_setting", "c", flag_values={flag: "gcc"})
    conditions, configuration = configured(workspace)
    with pytest.raises(WorkspaceError, match="not a build setting"):
        conditions.matches(label("c"), configuration)
    conditions.feature_flag = lambda label, configuration: configuration.settings.compiler
    assert conditions.matches(label("c"), configuration).matched


def test_constraints(workspace: Workspace) -> None:
    arm = label("@platforms//cpu:aarch64")
    intel = label("@platforms//cpu:x86_64")
    linux = label("@platforms//os:linux")
    workspace.add("config_setting", "both", constraint_values=(intel, linux))
    workspace.add("platform", "arm", constraint_values=(arm, linux))
    assert holds(workspace, "both") and not holds(workspace, "both", "--cpu=aarch64")
    assert not holds(workspace, "both", "--platforms=//p:arm")
    assert holds(workspace, "@platforms//cpu:aarch64", "--platforms=//p:arm")
    _, configuration = configured(workspace, "--platforms=//p:arm")
    assert configuration.settings.cpu == "aarch64"


def test_a_constraint_that_is_its_settings_default(workspace: Workspace) -> None:
    setting = workspace.add("constraint_setting", "libc", default_constraint_value=label("glibc"))
    workspace.add("constraint_value", "glibc", constraint_setting=setting)
    musl = workspace.add("constraint_value", "musl", constraint_setting=setting)
    workspace.add("platform", "m", constraint_values=(musl,))
    assert holds(workspace, "glibc") and not holds(workspace, "musl")
    assert holds(workspace, "musl", "--platforms=//p:m") and not holds(workspace, "glibc", "--platforms=//p:m")


def test_platforms_inherit(workspace: Workspace) -> None:
    intel, arm = label("@platforms//cpu:x86_64"), label("@platforms//cpu:aarch64")
    linux = label("@platforms//os:linux")
    workspace.add("platform", "base", constraint_values=(intel, linux))
    workspace.add("platform", "child", parents=(label("base"),), constraint_values=(arm,))
    assert platform_constraints(workspace, label("child")) == (arm, linux)
    workspace.add("platform", "loop", parents=(label("loop"),))
    with pytest.raises(WorkspaceError, match="its own parent"):
        platform_constraints(workspace, label("loop"))
    workspace.add("platform", "twice", constraint_values=(arm, intel))
    with pytest.raises(WorkspaceError, match="two values of @platforms//cpu"):
        platform_constraints(workspace, label("twice"))


def choose(workspace: Workspace, branches: Mapping[str, object], *arguments: str, error: str = "") -> object:
    conditions, configuration = configured(workspace, *arguments)
    keys = {label(key): value for key, value in branches.items()}
    value = SelectList((Select(keys, error, Location("p/BUILD", 99, 5)),))
    return conditions.resolve(value, SRCS, configuration)


def test_the_more_specialised_condition_wins(workspace: Workspace) -> None:
    workspace.add("config_setting", "opt", values={"compilation_mode": "opt"})
    workspace.add("config_setting", "opt_k8", values={"compilation_mode": "opt", "cpu": "k8"})
    workspace.add(
        "config_setting", "opt_k8_d", values={"compilation_mode": "opt", "cpu": "k8"}, define_values={"d": "1"}
    )
    branches = {"opt": (1,), "opt_k8_d": (3,), "opt_k8": (2,), "//conditions:default": (0,)}
    assert choose(workspace, branches) == (0,)
    assert choose(workspace, branches, "-c", "opt") == (2,)
    assert choose(workspace, branches, "-c", "opt", "--define=d=1") == (3,)
    assert choose(workspace, dict(reversed(branches.items())), "-c", "opt", "--define=d=1") == (3,)


def test_values_define_is_the_same_as_define_values(workspace: Workspace) -> None:
    workspace.add("config_setting", "a", values={"define": "x=1"})
    workspace.add("config_setting", "b", define_values={"x": "1", "y": "2"})
    assert choose(workspace, {"a": "A", "b": "B"}, "--define=x=1", "--define=y=2") == "B"


def test_ties(workspace: Workspace) -> None:
    workspace.add("config_setting", "a", values={"compilation_mode": "opt"})
    workspace.add("config_setting", "b", values={"cpu": "k8"})
    assert choose(workspace, {"a": ("x",), "b": ("x",)}, "-c", "opt") == ("x",)
    with pytest.raises(WorkspaceError) as caught:
        choose(workspace, {"a": ("x",), "b": ("y",)}, "-c", "opt")
    assert "ambiguous match: //p:a and //p:b match and differ" in caught.value.diagnostic.message
    assert str(caught.value.diagnostic.location) == "p/BUILD:99:5"
    places = [str(note.location) for note in caught.value.diagnostic.notes]
    assert places == [str(workspace.target(label(name)).location) for name in "ab"]


def test_no_match(workspace: Workspace) -> None:
    workspace.add("config_setting", "a", values={"compilation_mode": "opt"}, define_values={"d": "1"})
    with pytest.raises(WorkspaceError) as caught:
        choose(workspace, {"a": ()}, "-c", "opt")
    assert caught.value.diagnostic.message == "configurable attribute 'srcs' doesn't match this configuration"
    assert [note.message for note in caught.value.diagnostic.notes] == [
        "//p:a does not match: --define=d=1 is wanted, it is not set"
    ]
    with pytest.raises(WorkspaceError, match=r"configuration: say why$"):
        choose(workspace, {"a": ()}, error="say why")


def test_aliases_and_groups(workspace: Workspace) -> None:
    a = workspace.add("config_setting", "a", values={"compilation_mode": "opt"})
    b = workspace.add("config_setting", "b", define_values={"d": "1"})
    default = label("//conditions:default")
    workspace.add("alias", "any", actual=SelectList((Select({a: a, default: b}),)))
    workspace.add("alias", "all", actual=SelectList((Select({a: b, default: a}),)))
    assert not holds(workspace, "any")
    assert holds(workspace, "any", "-c", "opt") and holds(workspace, "any", "--define=d=1")
    assert not holds(workspace, "all", "-c", "opt") and holds(workspace, "all", "-c", "opt", "--define=d=1")


def test_what_is_no_condition(workspace: Workspace) -> None:
    workspace.targets[label("file.cc")] = SourceFile(label("file.cc"), PRIVATE, Location("p/BUILD", 7, 1))
    workspace.add("alias", "loop", actual=label("loop"))
    workspace.add("config_setting", "unknown", values={"coptt": "x"})
    workspace.add("config_setting", "jobs", values={"jobs": "8"})
    workspace.add("config_setting", "bad", values={"compilation_mode": "fast"})
    workspace.add("config_setting", "empty")
    for name, message in {
        "file.cc": "//p:file.cc is a source file, which is not a valid key of select()",
        "loop": "condition depends on itself: //p:loop -> //p:loop",
        "unknown": "config_setting //p:unknown: unknown option: 'coptt'",
        "jobs": "option that is not part of the configuration: 'jobs'",
        "bad": "'compilation_mode' cannot be 'fast': not one of",
        "empty": "config_setting //p:empty asks for nothing",
    }.items():
        with pytest.raises(WorkspaceError) as caught:
            holds(workspace, name)
        assert message in caught.value.diagnostic.message


def test_concatenation(workspace: Workspace) -> None:
    opt = workspace.add("config_setting", "opt", values={"compilation_mode": "opt"})
    default = label("//conditions:default")
    conditions, configuration = configured(workspace, "-c", "opt")

    def resolve(*elements: object, fallback: object = None, attribute: Attribute = SRCS) -> object:
        return conditions.resolve(SelectList(elements), attribute, configuration, fallback)

    chosen = Select({opt: ("b",), default: ("x",)})
    assert resolve(("a",), chosen, ("c",), Select({opt: ()})) == ("a", "b", "c")
    assert resolve("a", Select({opt: "b"}), attribute=TEXT) == "ab"
    assert resolve({"k": 1, "l": 1}, Select({opt: {"k": 2}})) == {"k": 2, "l": 1}
    assert resolve(Select({opt: None}), fallback=("d",)) == ("d",)
    assert resolve(("a",), Select({opt: None}), fallback=("d",)) == ("a", "d")
    assert resolve(Select({opt: None})) is None
    assert conditions.resolve(("plain",), SRCS, configuration) == ("plain",)


def test_visibility_of_conditions(workspace: Workspace) -> None:
    workspace.add("cc_library", "//q:lib")
    owner = workspace.target(label("//q:lib"))
    assert isinstance(owner, RuleTarget)
    secret = workspace.add("config_setting", "secret", values={"cpu": "k8"}, visibility=())
    unsaid = workspace.add("config_setting", "unsaid", values={"cpu": "k8"})
    workspace.hidden = {secret, unsaid}
    conditions, configuration = configured(workspace)
    assert conditions.choose(Select({unsaid: 1}), SRCS, configuration, owner) == (unsaid, 1)
    with pytest.raises(WorkspaceError, match="//p:secret is not visible from //q:lib"):
        conditions.choose(Select({secret: 1}), SRCS, configuration, owner)
    strict = Conditions(workspace, conditions.configurations, private_by_default=True)
    with pytest.raises(WorkspaceError, match="//p:unsaid is not visible"):
        strict.choose(Select({unsaid: 1}), SRCS, configuration, owner)


def test_an_alias_is_as_visible_as_the_condition_behind_it(workspace: Workspace) -> None:
    """Bazel 7.7.1 with --incompatible_enforce_config_setting_visibility: the visibility of the alias does not count."""
    owner = workspace.target(workspace.add("cc_library", "//q:lib"))
    assert isinstance(owner, RuleTarget)
    open_, secret = (
        workspace.add("config_setting", name, values={"cpu": "k8"}, visibility=()) for name in ("open", "secret")
    )
    private = workspace.add("alias", "private_alias", actual=open_, visibility=())
    public = workspace.add("alias", "public_alias", actual=secret)
    workspace.hidden = {secret, private}
    conditions, configuration = configured(workspace)
    assert conditions.choose(Select({private: 1}), SRCS, configuration, owner) == (private, 1)
    with pytest.raises(WorkspaceError, match="//p:secret is not visible from //q:lib"):
        conditions.choose(Select({public: 1}), SRCS, configuration, owner)


def test_a_match_explains_itself_and_is_remembered(workspace: Workspace) -> None:
    workspace.add("config_setting", "c", values={"compilation_mode": "opt", "cpu": "k8"})
    conditions, configuration = configured(workspace)
    match = conditions.matches(label("c"), configuration)
    assert match.why == "--compilation_mode=opt is wanted, it is fastbuild"
    assert conditions.matches(label("c"), configuration) is match


# Transitions


def outputs(*names: str) -> dict[str, Label]:
    return {name: label(name) for name in names}


def test_transition_reads_and_writes_options(workspace: Workspace) -> None:
    _, configuration = configured(workspace, "--copt=-g", "--define=a=1", "--cpu=aarch64")
    settings = configuration.settings
    option = "//command_line_option:"
    names = outputs(
        *(option + n for n in ("copt", "define", "compilation_mode", "stamp", "platforms", "per_file_copt"))
    )
    read = transitions.read(settings, names, workspace)
    assert {key.removeprefix(option): value for key, value in read.items()} == {
        "copt": ["-g"],
        "define": ["a=1"],
        "compilation_mode": "fastbuild",
        "stamp": False,
        "platforms": [],
        "per_file_copt": [],
    }
    assert transitions.apply(settings, names, read, workspace) == settings
    changed = transitions.apply(
        settings,
        outputs(option + "copt", option + "compilation_mode", option + "stamp", option + "cpu"),
        {option + "copt": ["-O1"], option + "compilation_mode": "dbg", option + "stamp": True, option + "cpu": "k8"},
        workspace,
    )
    assert (changed.copts, changed.compilation_mode, changed.other) == (("-O1",), "dbg", (("stamp", True),))
    assert changed.constraints == HOST.constraints


def test_transition_of_build_settings(workspace: Workspace) -> None:
    workspace.add("some_flag", "flag", BuildSetting("string", flag=True), build_setting_default="a")
    names = outputs("//p:flag")
    start = configured(workspace)[1].settings
    assert transitions.read(start, names, workspace) == {"//p:flag": "a"}
    changed = transitions.apply(start, names, {"//p:flag": "b"}, workspace)
    assert changed.build_settings == ((label("flag"), "b"),)
    assert transitions.apply(changed, names, {"//p:flag": "a"}, workspace) == start
    configurations = Configurations(start)
    mnemonic = configurations.of(changed).mnemonic
    assert mnemonic.startswith("k8-fastbuild-ST-") and mnemonic == Configurations(start).of(changed).mnemonic


def test_transition_to_a_platform(workspace: Workspace) -> None:
    workspace.add("platform", "arm", constraint_values=(label("@platforms//cpu:aarch64"),))
    start = configured(workspace)[1].settings
    name = "//command_line_option:platforms"
    changed = transitions.apply(start, outputs(name), {name: [label("arm")]}, workspace)
    assert (changed.cpu, changed.constraints) == ("aarch64", (label("@platforms//cpu:aarch64"),))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"//p:flag": 1}, "transition output '//p:flag': expected string, got 1"),
        ({"//p:flags": "x"}, "transition function returned undeclared output '//p:flags'"),
        ({}, "transition outputs '//p:flag' were not defined by transition function"),
    ],
)
def test_transition_errors(workspace: Workspace, values: dict[str, object], message: str) -> None:
    workspace.add("some_flag", "flag", BuildSetting("string", flag=True), build_setting_default="a")
    with pytest.raises(WorkspaceError) as caught:
        transitions.apply(configured(workspace)[1].settings, outputs("//p:flag"), values, workspace)
    assert message in caught.value.diagnostic.message


def test_unknown_option_in_a_transition(workspace: Workspace) -> None:
    with pytest.raises(WorkspaceError, match="unknown option 'cppt'"):
        transitions.read(Settings(), outputs("//command_line_option:cppt"), workspace)


def test_exec_configuration(workspace: Workspace) -> None:
    top = configured(workspace, "--copt=-g", "--host_copt=-w", "-c", "dbg")[1].settings
    assert transitions.exec_settings(top, top, HOST) is top
    cross = configured(workspace, "--cpu=aarch64", "--copt=-g", "--host_copt=-w", "-c", "dbg", "--define=a=1")[1]
    tools = transitions.exec_settings(cross.settings, cross.settings, HOST)
    assert (tools.is_exec, tools.cpu, tools.copts, tools.compilation_mode) == (True, "k8", ("-w",), "opt")
    assert tools.defines == (("a", "1"),) and tools.constraints == HOST.constraints
    assert transitions.exec_settings(tools, cross.settings, HOST) is tools
    assert Configurations(cross.settings).of(tools).mnemonic.startswith("k8-opt-exec")
