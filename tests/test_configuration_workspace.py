"""Conditions with the real loader: skylib's flags and groups, the platforms repository, visibility."""

from __future__ import annotations

from pathlib import Path

import pytest
from loading_support import FakeWorkspace

from bazel2ninja.analysis.bzl_globals import bzl_globals
from bazel2ninja.configuration.build_settings import target_settings
from bazel2ninja.configuration.conditions import Conditions
from bazel2ninja.configuration.configuration import Configurations
from bazel2ninja.configuration.options import parse
from bazel2ninja.configuration.platforms import HostPlatform, cpu_constraint, os_constraint
from bazel2ninja.diagnostics import UsageError, WorkspaceError
from bazel2ninja.filesystem import Disk
from bazel2ninja.labels import parse_label
from bazel2ninja.loading.loader import Loader
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.rules.native import NATIVE
from bazel2ninja.starlark import Semantics

BUILTIN = Path(__file__).resolve().parent.parent / "bazel2ninja" / "builtin_repositories"
HOST = HostPlatform("k8", (cpu_constraint("x86_64"), os_constraint("linux")))
BUILD = """
load("@bazel_skylib//lib:selects.bzl", "selects")
load("@bazel_skylib//rules:common_settings.bzl", "bool_flag", "int_flag", "string_flag", "string_list_flag")

bool_flag(name = "fast", build_setting_default = False)
string_flag(name = "flavour", build_setting_default = "plain", values = ["plain", "rich"])
string_list_flag(name = "parts", build_setting_default = ["a"])
int_flag(name = "level", build_setting_default = 3)

config_setting(name = "is_fast", flag_values = {":fast": "True"})
config_setting(name = "is_rich", flag_values = {":flavour": "rich"})
config_setting(name = "has_b", flag_values = {":parts": "b"})
config_setting(name = "level3", flag_values = {":level": "3"})
config_setting(name = "opt", values = {"compilation_mode": "opt"})
config_setting(name = "arm", constraint_values = ["@platforms//cpu:aarch64"])
selects.config_setting_group(name = "fast_and_rich", match_all = [":is_fast", ":is_rich"])
selects.config_setting_group(name = "fast_or_opt", match_any = [":is_fast", ":opt"])
config_setting(name = "hidden", values = {"cpu": "k8"}, visibility = ["//visibility:private"])

platform(name = "board", constraint_values = ["@platforms//cpu:aarch64", "@platforms//os:linux"])

cc_library(
    name = "lib",
    copts = ["-a"] + select({
        ":fast_or_opt": ["-fast"],
        "@platforms//cpu:aarch64": ["-arm"],
        "//conditions:default": [],
    }),
    defines = select({":is_rich": ["RICH"]}, no_match_error = "only rich"),
)
"""
OTHER = 'cc_library(name = "l", copts = select({"//:hidden": [], "//conditions:default": []}))'


@pytest.fixture(scope="module")
def loader(tmp_path_factory: pytest.TempPathFactory) -> Loader:
    root = tmp_path_factory.mktemp("workspace")
    (root / "BUILD").write_text(BUILD)
    (root / "other").mkdir()
    (root / "other" / "BUILD").write_text(OTHER)
    directories = {"": str(root), **{n: str(BUILTIN / n) for n in ("bazel_skylib", "platforms", "bazel_tools")}}
    directories["local_config_platform"] = str(BUILTIN / "platforms")
    return Loader(FakeWorkspace(Disk(), directories, {}), NATIVE, bzl_globals(), Semantics())


def conditions(loader: Loader, *arguments: str) -> Conditions:
    settings = target_settings(parse(list(arguments), host=HOST), loader)
    return Conditions(loader, Configurations(settings))


def holds(loader: Loader, name: str, *arguments: str) -> bool:
    found = conditions(loader, *arguments)
    return found.matches(parse_label(f"//:{name}"), found.configurations.target).matched


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("is_fast", [], False),
        ("is_fast", ["--//:fast"], True),
        ("is_fast", ["--//:fast", "--no//:fast"], False),
        ("is_rich", ["--//:flavour=rich"], True),
        ("has_b", ["--//:parts=a,b"], True),
        ("has_b", ["--//:parts=a"], False),
        ("level3", [], True),
        ("level3", ["--//:level=4"], False),
        ("fast_and_rich", ["--//:fast"], False),
        ("fast_and_rich", ["--//:fast", "--//:flavour=rich"], True),
        ("fast_or_opt", [], False),
        ("fast_or_opt", ["-c", "opt"], True),
        ("fast_or_opt", ["--//:fast"], True),
        ("arm", ["--platforms=//:board"], True),
        ("arm", ["--cpu=aarch64"], True),
        ("arm", [], False),
    ],
)
def test_conditions(loader: Loader, name: str, arguments: list[str], expected: bool) -> None:
    assert holds(loader, name, *arguments) is expected


def attribute(loader: Loader, name: str, *arguments: str, label: str = "//:lib") -> object:
    found = conditions(loader, *arguments)
    target = loader.target(parse_label(label))
    assert isinstance(target, RuleTarget)
    declared = target.rule_class.attributes[name]
    return found.resolve(target.value(name), declared, found.configurations.target, declared.default, target)


def test_attributes(loader: Loader) -> None:
    assert attribute(loader, "copts") == ("-a",)
    assert attribute(loader, "copts", "--//:fast") == ("-a", "-fast")
    assert attribute(loader, "copts", "--platforms=//:board") == ("-a", "-arm")
    assert attribute(loader, "defines", "--//:flavour=rich") == ("RICH",)
    with pytest.raises(WorkspaceError) as caught:
        attribute(loader, "defines")
    assert caught.value.diagnostic.message.endswith("of //:lib doesn't match this configuration: only rich")
    assert caught.value.diagnostic.location is not None and caught.value.diagnostic.location.path.endswith("/BUILD")


def test_ambiguity_with_two_reasons(loader: Loader) -> None:
    with pytest.raises(WorkspaceError, match="//:fast_or_opt and @platforms//cpu:aarch64 match and differ"):
        attribute(loader, "copts", "--platforms=//:board", "-c", "opt")


def test_a_private_condition_is_not_for_other_packages(loader: Loader) -> None:
    with pytest.raises(WorkspaceError, match=r"'//:hidden' is not visible from target '//other:l'"):
        attribute(loader, "copts", label="//other:l")


def test_flags_that_do_not_exist(loader: Loader) -> None:
    with pytest.raises(UsageError) as caught:
        conditions(loader, "--//:fats")
    assert "option '--//:fats'" in caught.value.diagnostic.message
    assert "fast" in (caught.value.diagnostic.help or "") + caught.value.diagnostic.message
    with pytest.raises(UsageError, match="not a build setting"):
        conditions(loader, "--//:lib=1")
