"""Toolchain descriptions as data, and features."""

from __future__ import annotations

import pytest

from bazel2ninja.configuration.configuration import Settings
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.rules.cc_features import (
    DEFAULT_DESCRIPTION,
    DESCRIPTION_OPTION,
    descriptions,
    feature_configuration,
    split_features,
    toolchain_description,
)


def settings(description: str, mode: str = "fastbuild") -> Settings:
    return Settings(compilation_mode=mode, other=((DESCRIPTION_OPTION, description),))


@pytest.mark.parametrize("name", descriptions())
def test_every_description_can_be_read_and_used(name: str) -> None:
    assert toolchain_description(name).name == name
    for mode in ("fastbuild", "dbg", "opt"):
        configuration = feature_configuration(settings(name, mode))
        assert configuration.is_enabled(mode)
        for language in ("c", "c++", "assembler", "assembler-with-cpp"):
            first, middle, last = configuration.compile_flags(language)
            assert not middle
            assert ("-DNDEBUG" in first) == (mode == "opt")
            assert not set(first) & set(last)
        configuration.link_flags("executable")


@pytest.mark.parametrize(("mode", "own"), [("fastbuild", []), ("dbg", ["-g"]), ("opt", ["-O2"])])
def test_the_default_has_only_what_its_mode_means(mode: str, own: list[str]) -> None:
    flags = feature_configuration(settings(DEFAULT_DESCRIPTION, mode)).compile_flags("c++")[0]
    assert [flag for flag in flags if flag.startswith(("-O", "-g", "-std", "-W", "-f", "-m"))] == own


def test_an_unknown_description_is_an_error() -> None:
    with pytest.raises(WorkspaceError) as caught:
        toolchain_description("debain")
    assert caught.value.diagnostic.help == "did you mean 'debian'?"


def test_a_later_list_of_features_wins() -> None:
    assert split_features(("a", "-b"), ("b", "c"), ("-c",)) == (frozenset("ab"), frozenset("c"))


def test_unknown_features_are_ignored_and_known_ones_add_flags() -> None:
    name = "bazel-7.7.1"
    configuration = feature_configuration(settings(name), ["treat_warnings_as_errors", "no_such_feature"])
    assert configuration.compile_flags("c++")[0][-1] == "-Werror"
    assert not configuration.is_enabled("no_such_feature")
    assert "-Werror" not in feature_configuration(settings(name)).compile_flags("c++")[0]


def test_features_can_be_switched_off() -> None:
    configuration = feature_configuration(settings("debian"), [], ["supports_dynamic_linker"])
    assert not configuration.is_enabled("supports_dynamic_linker")


def test_features_that_would_change_the_program_are_refused() -> None:
    with pytest.raises(WorkspaceError, match="'cpp_modules' is not available"):
        feature_configuration(settings("debian"), ["cpp_modules"])
    feature_configuration(settings("debian"), ["cpp_modules"], ["cpp_modules"])
    # no toolchain that Bazel detects offers header modules: asking for them changes nothing
    feature_configuration(settings("debian"), ["header_modules", "use_header_modules"])


def test_flags_that_only_one_compiler_knows() -> None:
    found = {}
    for compiler in ("gcc", "clang"):
        chosen = Settings(compiler=compiler, other=((DESCRIPTION_OPTION, "bazel-4.2.3"),))
        found[compiler] = feature_configuration(chosen).compile_flags("c++")
    assert "-fno-canonical-system-headers" in found["gcc"].last
    assert "-fno-canonical-system-headers" not in found["clang"].last
    assert "-Wthread-safety" in found["clang"].first
