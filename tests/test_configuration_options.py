"""Options: their forms, --config, errors, and the settings that they make."""

from __future__ import annotations

import pytest

from bazel2ninja.configuration.bazelrc import Bazelrc, read_bazelrc
from bazel2ninja.configuration.configuration import PerFileCopt
from bazel2ninja.configuration.option_table import native_options
from bazel2ninja.configuration.options import Options, parse
from bazel2ninja.configuration.platforms import HostPlatform, cpu_constraint, host_platform, os_constraint
from bazel2ninja.diagnostics import UsageError, WorkspaceError
from bazel2ninja.filesystem import MemoryFileSystem

HOST = HostPlatform("k8", (cpu_constraint("x86_64"), os_constraint("linux")))


def rc(text: str) -> Bazelrc:
    return read_bazelrc(MemoryFileSystem({".bazelrc": text}), ".")


def options(*arguments: str, text: str = "", environment: dict[str, str] | None = None) -> Options:
    return parse(list(arguments), rc(text), environment or {}, host=HOST)


def test_forms() -> None:
    found = options(
        *(
            "-c",
            "opt",
            "--copt=-O1",
            "--copt",
            "-g",
            "--force_pic",
            "--define",
            "a=b",
            "--define=a=c",
            "--define=A=x=y",
        ),
        *("--features=-x", "--features=y", "--per_file_copt=+a/.*,-a/b\\.cc@-O0,-g", "//a:b", "-//c", "--", "-d"),
    )
    settings = found.settings
    assert settings.compilation_mode == "opt"
    assert settings.copts == ("-O1", "-g")
    assert settings.force_pic is True
    assert settings.defines == (("A", "x=y"), ("a", "c"))
    assert settings.features == ("-x", "y")
    assert settings.per_file_copts == (PerFileCopt(("a/.*",), ("a/b\\.cc",), ("-O0", "-g")),)
    assert found.targets == ("//a:b", "-//c", "-d")


def test_the_default_is_the_host() -> None:
    settings = options().settings
    assert (settings.cpu, settings.compilation_mode, settings.constraints) == ("k8", "fastbuild", HOST.constraints)
    assert settings.other == ()
    arm = options("--cpu=aarch64").settings
    assert arm.constraints == (cpu_constraint("aarch64"), os_constraint("linux"))


def test_boolean_forms() -> None:
    assert options("--force_pic", "--noforce_pic").settings.force_pic is False
    assert options("--force_pic=yes").settings.force_pic is True
    assert options("--force_pic", "--force_pic=0").settings.force_pic is False
    assert options("-k").run["keep_going"] is True
    assert options("-k", "-k-").run["keep_going"] is False
    assert dict(options("--build_python_zip").settings.other) == {"build_python_zip": True}
    assert options("--build_python_zip", "--build_python_zip=auto").settings.other == ()


@pytest.mark.parametrize(
    ("arguments", "message", "help"),
    [
        (["--coptt=x"], "unrecognized option '--coptt'", "did you mean '--copt'?"),
        (["--nocopt"], "option '--copt' is not boolean: it has no form '--nocopt'", None),
        (["-copt"], "invalid option syntax '-copt'", "long options begin with '--'"),
        (["--copt"], "expected a value after '--copt'", None),
        (["-c"], "expected a value after '--compilation_mode'", None),
        (["-c", "optt"], "not one of 'fastbuild', 'dbg', 'opt'", "did you mean 'opt'?"),
        (["--force_pic=maybe"], "'maybe' is not a boolean", None),
        (["--noforce_pic=1"], "unexpected value after the boolean option '--noforce_pic'", None),
        (["--define=x"], "'name=value' assignment", None),
        (["--per_file_copt=a"], "expected 'expressions@flags'", None),
        (["--per_file_copt=(@-g"], "invalid regular expression '('", None),
        (["--config=nope"], "config value 'nope' is not defined in any rc file", None),
        (["--expunge"], "option '--expunge' is not one of 'build'", "move it to 'common'"),
        (["--fdo_instrument=x"], "option '--fdo_instrument' is not supported", None),
        (["--no//a:b=1"], "unexpected value after the boolean option", None),
    ],
)
def test_mistakes_on_the_command_line(arguments: list[str], message: str, help: str | None) -> None:
    with pytest.raises(UsageError) as caught:
        options(*arguments)
    assert caught.value.status == 2
    assert message in caught.value.diagnostic.message
    assert (help or "") in (caught.value.diagnostic.help or "")


def test_mistakes_in_a_file_have_a_place_and_status_1() -> None:
    with pytest.raises(WorkspaceError) as caught:
        options(text="build -c opt\nbuild --copt=-g \\\n  --cxopt=-O1\n")
    assert caught.value.status == 1
    assert str(caught.value.diagnostic.location) == ".bazelrc:3:3"
    assert caught.value.diagnostic.help == "did you mean '--cxxopt'?"


def test_sections_are_inherited_in_their_order() -> None:
    text = "build --copt=b\ncommon --copt=c\nalways --copt=a\ntest --copt=t\nquery --copt=q\n"
    assert options("--copt=z", text=text).settings.copts == ("a", "c", "b", "z")
    tested = parse([], rc(text), {}, command="test", host=HOST)
    assert tested.settings.copts == ("a", "c", "b", "t")


def test_test_sections_say_how_tests_run() -> None:
    text = "test --test_env=A=1 --copt=-DT --test_arg=-x\nbuild --test_env=B\ntest:ci --test_env=C=3\n"
    found = options("//a", "--copt", "--config=x", "--config", "ci", text=text + "build:ci --copt=y\n")
    assert found.settings.test_environment == (("A", "1"), ("B", None), ("C", "3"))
    assert found.run["test_arg"] == ("-x",)
    assert found.settings.copts == ("--config=x", "y")
    assert found.targets == ("//a",)


def test_common_passes_over_options_of_other_commands() -> None:
    assert options(text="common --expunge --copt=x\n").settings.copts == ("x",)
    with pytest.raises(WorkspaceError, match="not one of 'build'"):
        options(text="always --expunge\n")


def test_config_is_expanded_in_place() -> None:
    text = "build --copt=1\nbuild --config=x\nbuild --copt=4\nbuild:x --copt=3\ncommon:x --copt=2\nbuild:y --copt=6\n"
    assert options("--copt=5", "--config=y", "--copt=7", text=text).settings.copts == tuple("1234567")
    assert options("--config", "y", text=text).settings.copts == tuple("12346")


def test_config_errors() -> None:
    with pytest.raises(WorkspaceError) as caught:
        options("--config=a", text="build:a --config=b\nbuild:b --copt=x --config=a\n")
    assert caught.value.diagnostic.message == "config expansion has a cycle: a -> b -> a"
    assert str(caught.value.diagnostic.location) == ".bazelrc:2:18"
    with pytest.raises(UsageError) as usage:
        options("--config=dgb", text="build:dbg -c dbg\n")
    assert usage.value.diagnostic.help == "did you mean 'dbg'?"
    with pytest.raises(UsageError) as other:
        options("--config=t", text="test:t --test_arg=x\n")
    assert other.value.diagnostic.help == "it is defined for 'test' only"


def test_platform_specific_config() -> None:
    text = "build --copt=1 --enable_platform_specific_config --copt=3\nbuild:linux --copt=2\nbuild:macos --copt=9\n"
    assert options(text=text).settings.copts == ("1", "2", "3")
    assert options("--noenable_platform_specific_config", text=text).settings.copts == ("1", "3")
    through = "build:on --enable_platform_specific_config\nbuild:linux --config=deep\nbuild:deep --copt=d\n"
    assert options("--config=on", text=through).settings.copts == ("d",)
    assert options("--enable_platform_specific_config").settings.copts == ()


def test_environment() -> None:
    found = options(
        *("--action_env=A=1", "--action_env=B", "--repo_env=C=3", "--repo_env=D", "--repo_env=E", "--action_env=A=2"),
        environment={"B": "b", "D": "d"},
    )
    assert found.settings.action_environment == (("A", "2"), ("B", None))
    assert found.repository_environment == (("A", "2"), ("B", "b"), ("C", "3"), ("D", "d"))


def test_build_setting_flags_and_aliases() -> None:
    found = options(
        *("--//a:b", "--no//a:c", "--@r//:f=x=y", "--@r//d", "--flag_alias=fast=//a:fast", "--fast=1", "--nofast"),
    )
    assert [(f.label, f.value, f.negated) for f in found.build_setting_flags] == [
        ("//a:b", None, False),
        ("//a:c", None, True),
        ("@r//:f", "x=y", False),
        ("@r//d", None, False),
        ("//a:fast", "1", False),
        ("//a:fast", None, True),
    ]


def test_run_options() -> None:
    found = options(
        *("--override_repository=a=x/y", "--override_repository=b=z", "--override_repository=a=w"),
        *("--extra_toolchains=//t:all,//u", "--extra_toolchains=//v", "--build_tag_filters=-a,b", "--jobs=3"),
        *("--noincompatible_disallow_dict_plus", "--experimental_strict_action_env=false"),
    )
    assert found.override_repositories == (("b", "z"), ("a", "w"))
    assert found.extra_toolchains == ("//t:all", "//u", "//v")
    assert found.run["build_tag_filters"] == ("-a", "b")
    assert found.semantics == (("dict_plus", True),)
    assert found.settings.other == (("incompatible_strict_action_env", False),)
    assert [g.option.name for g in found.given if g.option.effect == "irrelevant"] == ["jobs"]


def test_releases() -> None:
    found = parse(["--vendor_dir=v"], None, {}, release=(6, 1), host=HOST)
    assert [w.message for w in found.warnings] == ["option '--vendor_dir' came with Bazel 7.1, the workspace wants 6.1"]
    assert parse(["--vendor_dir=v"], None, {}, release=(7, 1), host=HOST).warnings == ()


def test_defaults_that_changed() -> None:
    name = "incompatible_remove_legacy_whole_archive"
    old = parse([], None, {}, release=(0, 26, 1), host=HOST)
    assert dict(old.settings.other)[name] is False
    assert old.run["incompatible_enforce_config_setting_visibility"] is False
    given = parse([f"--{name}"], None, {}, release=(0, 26, 1), host=HOST)
    assert name not in dict(given.settings.other)
    assert name not in dict(parse([], None, {}, release=(7, 0), host=HOST).settings.other)
    assert parse([], None, {}, host=HOST).settings.other == ()


def test_the_table() -> None:
    options = native_options()
    assert len(options) > 1000
    for option in options.values():
        assert option.effect != "irrelevant" or option.reason, option.name
        assert not option.repeatable or option.default == (), option.name


@pytest.mark.parametrize(
    ("environment", "machine", "pointer", "cpu", "constraint"),
    [
        ({}, "x86_64", 8, "k8", "x86_64"),
        ({}, "x86_64", 4, "piii", "x86_32"),
        ({}, "aarch64", 8, "aarch64", "aarch64"),
        ({}, "aarch64", 4, "armhf", "armv7"),
        ({}, "s390x", 8, "s390x", "s390x"),
        ({"DEB_BUILD_ARCH": "ppc64el"}, "x86_64", 8, "ppc", "ppc64le"),
    ],
)
def test_host(environment: dict[str, str], machine: str, pointer: int, cpu: str, constraint: str) -> None:
    host = host_platform(environment, machine, pointer)
    assert host == HostPlatform(cpu, (cpu_constraint(constraint), os_constraint("linux")))


def test_unknown_host() -> None:
    with pytest.raises(WorkspaceError, match="unknown machine 'pdp11'"):
        host_platform({}, "pdp11")
    with pytest.raises(WorkspaceError, match="unknown architecture 'amd46'"):
        host_platform({"DEB_BUILD_ARCH": "amd46"})
