"""cc_shared_library: what is linked in, what comes from other shared libraries."""

from __future__ import annotations

from typing import Any

import pytest
from cc_support import CcAnalysis, items

from bazel2ninja.starlark import Semantics

BUILD = """
cc_library(name = "low", srcs = ["low.cc"])
cc_library(name = "mid", srcs = ["mid.cc"], deps = [":low"])
cc_library(name = "top", srcs = ["top.cc"], deps = [":mid"], linkopts = ["-ltop"])
cc_shared_library(name = "base", deps = [":low"])
cc_shared_library(
    name = "whole",
    deps = [":top"],
    dynamic_deps = [":base"],
    shared_lib_name = "libwhole.so.1",
    user_link_flags = ["-Wl,--version-script=$(location whole.lds)"],
    additional_linker_inputs = ["whole.lds"],
)
cc_binary(name = "program", srcs = ["main.cc"], deps = [":top"], dynamic_deps = [":whole"])
cc_shared_library(name = "again", deps = [":mid"], dynamic_deps = [":keeps"])
cc_shared_library(name = "keeps", deps = [":mid"])
"""


def analysis(build: str = BUILD, description: str = "bazel-4.2.3", **settings: Any) -> CcAnalysis:
    names = ("low.cc", "mid.cc", "top.cc", "main.cc", "whole.lds")
    return CcAnalysis({"p/BUILD": build, **{f"p/{name}": "" for name in names}}, description, **settings)


def test_all_archives_are_linked_wholly_in_the_old_way() -> None:
    build = BUILD.replace('dynamic_deps = [":base"],', "")
    old = {"incompatible_remove_legacy_whole_archive": False}
    action = analysis(build, semantics=Semantics.for_bazel("5.3.0"), other=old).link("//p:whole", "p/libwhole.so.1")
    assert action.kind == "shared"
    assert items(action) == ["whole_archive p/libtop.a", "whole_archive p/libmid.a", "whole_archive p/liblow.a"]
    assert action.lazy_for_tools == ()


@pytest.mark.parametrize(
    ("features", "for_tools", "whole", "lazy_for_tools"),
    [
        ((), (), [], []),
        (("-force_no_whole_archive",), (), ["mid", "low"], ["mid", "low"]),
        (("-force_no_whole_archive",), ("-force_no_whole_archive",), ["mid", "low"], []),
    ],
)
def test_since_bazel_6_a_feature_must_go_for_all_archives_to_be_linked_wholly(
    features: tuple[str, ...], for_tools: tuple[str, ...], whole: list[str], lazy_for_tools: list[str]
) -> None:
    build = BUILD.replace('dynamic_deps = [":base"],', "")
    other = {"incompatible_remove_legacy_whole_archive": False, "host_features": for_tools}
    action = analysis(build, features=features, other=other).link("//p:whole", "p/libwhole.so.1")
    kinds = ["whole_archive" if name in whole else "archive" for name in ("mid", "low")]
    assert items(action) == ["whole_archive p/libtop.a", f"{kinds[0]} p/libmid.a", f"{kinds[1]} p/liblow.a"]
    found = [file.exec_path.rpartition("/")[2] for file in action.lazy_for_tools]
    assert found == [f"lib{name}.a" for name in lazy_for_tools]


def test_only_direct_dependencies_are_linked_wholly() -> None:
    run = analysis(BUILD.replace('dynamic_deps = [":base"],', ""))
    expected = ["whole_archive p/libtop.a", "archive p/libmid.a", "archive p/liblow.a"]
    assert items(run.link("//p:whole", "p/libwhole.so.1")) == expected


def test_in_the_place_of_a_dependency_without_code_those_below_are_linked_wholly() -> None:
    build = """
cc_library(name = "low", srcs = ["low.cc"])
cc_library(name = "mid", srcs = ["mid.cc"], deps = [":low"])
cc_library(name = "headers", hdrs = ["top.h"], deps = [":mid"])
cc_library(name = "front", deps = [":headers"])
cc_shared_library(name = "whole", deps = [":front"])
"""
    expected = ["whole_archive p/libmid.a", "archive p/liblow.a"]
    assert items(analysis(build).link("//p:whole", "p/libwhole.so")) == expected


@pytest.mark.parametrize(("hint", "linked"), [("", True), ('attributes = ["deps"]', True), ("attributes = []", False)])
def test_a_rule_hints_at_the_attributes_that_matter(hint: str, linked: bool) -> None:
    rule = f"""
def _impl(ctx):
    found = [dep[CcInfo] for dep in ctx.attr.deps]
    return [cc_common.merge_cc_infos(cc_infos = found), CcSharedLibraryHintInfo({hint})]

hinting = rule(_impl, attrs = {{"deps": attr.label_list()}}, provides = [CcInfo])
"""
    build = """
load(":r.bzl", "hinting")
cc_library(name = "low", srcs = ["low.cc"])
hinting(name = "h", deps = [":low"])
cc_shared_library(name = "whole", deps = [":h"])
"""
    run = CcAnalysis({"p/BUILD": build, "p/r.bzl": rule, "p/low.cc": ""}, "bazel-4.2.3")
    assert (items(run.link("//p:whole", "p/libwhole.so")) != []) == linked


def test_a_dependency_named_twice_stands_where_it_is_named_first() -> None:
    build = """
cc_library(name = "low", srcs = ["low.cc"])
alias(name = "other", actual = ":low")
cc_library(name = "mid", srcs = ["mid.cc"])
cc_library(name = "top", srcs = ["top.cc"], deps = [":other", ":mid", ":low"])
cc_shared_library(name = "whole", deps = [":top"])
cc_binary(name = "program", srcs = ["main.cc"], deps = [":top"])
"""
    run = analysis(build)
    expected = ["libtop.a", "liblow.a", "libmid.a"]
    for label, path in (("//p:whole", "p/libwhole.so"), ("//p:program", "p/program")):
        found = [item.rpartition("/")[2] for item in items(run.link(label, path)) if "archive" in item]
        assert found == expected


def test_flags_of_targets_without_code() -> None:
    build = """
cc_library(name = "system", linkopts = ["-lsystem"])
cc_library(name = "top", srcs = ["top.cc"], deps = [":system"], linkopts = ["-ltop"])
cc_shared_library(name = "whole", deps = [":top"])
"""
    assert analysis(build).link("//p:whole", "p/libwhole.so").flags == ("-ltop", "-lsystem")
    assert analysis(build, "bazel-7.7.1").link("//p:whole", "p/libwhole.so").flags == ("-ltop",)


def test_what_another_library_exports_is_taken_from_there() -> None:
    run = analysis()
    action = run.link("//p:whole", "p/libwhole.so.1")
    solib = "_solib_k8/_Up"
    assert items(action) == ["whole_archive p/libtop.a", "archive p/libmid.a", f"lib {solib}/libbase.so"]
    assert action.flags == ("-Wl,--version-script=p/whole.lds", "-ltop")
    assert [script.exec_path for script in action.version_scripts] == ["p/whole.lds"]
    assert action.runtime_directories == (f"../{solib}", f"../../{solib}")  # from where it is made, from its own link


def test_a_program_takes_the_exported_targets_from_the_shared_library() -> None:
    run = analysis()
    action = run.link("//p:program", "p/program")
    kinds = [item for item in items(action) if not item.startswith("object")]
    assert kinds[0] == "lib _solib_k8/_Up/libwhole.so.1"
    assert not [item for item in kinds if "libtop" in item]


def test_an_exported_target_cannot_be_linked_again() -> None:
    message = analysis().failure("//p:again")
    assert "'//p:mid' is already exported by '//p:keeps' of 'dynamic_deps'" in message


def test_code_that_a_library_keeps_to_itself_cannot_be_linked_twice() -> None:
    build = BUILD + 'cc_shared_library(name = "second", deps = [":low"], dynamic_deps = [":keeps"])'
    message = analysis(build).failure("//p:second")
    assert "'//p:low' is already linked statically in '//p:keeps' but not exported by it" in message
    twice = analysis(build, other={"experimental_link_static_libraries_once": False})
    assert "whole_archive p/liblow.a" in items(twice.link("//p:second", "p/libsecond.so"))


def test_the_filter_exports_more_and_a_tag_allows_linking_twice() -> None:
    build = BUILD.replace(
        'name = "keeps", deps = [":mid"]', 'name = "keeps", deps = [":mid"], exports_filter = [":low"]'
    )
    build += 'cc_shared_library(name = "second", deps = [":top"], dynamic_deps = [":keeps"])'
    assert items(analysis(build).link("//p:second", "p/libsecond.so")) == [
        "whole_archive p/libtop.a",
        "lib _solib_k8/_Up/libkeeps.so",
    ]
    tagged = BUILD.replace('srcs = ["low.cc"]', 'srcs = ["low.cc"], tags = ["LINKABLE_MORE_THAN_ONCE"]')
    tagged += 'cc_shared_library(name = "second", deps = [":low"], dynamic_deps = [":keeps"])'
    assert "whole_archive p/liblow.a" in items(analysis(tagged).link("//p:second", "p/libsecond.so"))


def test_what_only_a_shared_library_needs_is_not_linked_into_the_program() -> None:
    build = """
cc_library(name = "low", srcs = ["low.cc"], linkopts = ["-llow"])
cc_library(name = "mid", srcs = ["mid.cc"], implementation_deps = [":low"])
cc_library(name = "top", srcs = ["top.cc"], deps = [":mid"], linkopts = ["-ltop"])
cc_shared_library(name = "shared", deps = [":mid"])
cc_binary(name = "program", srcs = ["main.cc"], deps = [":top"], dynamic_deps = [":shared"])
"""
    action = analysis(build).link("//p:program", "p/program")
    names = [item.rpartition("/")[2] for item in items(action)]
    assert names == ["main.pic.o", "libtop.a", "libshared.so"]
    assert "-ltop" in action.flags
    assert "-llow" not in action.flags
