"""What projects of the newest releases load from the built-in rule sets, in made-up workspaces."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from robust_support import Result, lay, run
from system_library_support import StandIn

from bazel2ninja.system_libraries.library import SystemLibraryTable


def generate(place: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, str], *words: str) -> Result:
    """One run of `generate` on a tree whose MODULE.bazel names every rule set."""
    monkeypatch.chdir(place)
    names = ("bazel_features", "bazel_skylib", "platforms", "pybind11_bazel", "rules_cc", "rules_java", "rules_license")
    names += ("rules_proto", "rules_python", "rules_shell")
    text = "".join(f'bazel_dep(name = "{name}", version = "1.0")\n' for name in names)
    lay(place / "src", {"MODULE.bazel": text, **files})
    return run("generate", "-o", "build.ninja", *words, "src")


def manifest(place: Path) -> str:
    return (place / "build.ninja").read_text()


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_conditions_on_the_compiler(compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", compiler)
    choices = ", ".join(f'"@rules_cc//cc/compiler:{name}": ["-DIS={name}"]' for name in ("gcc", "clang", "msvc-cl"))
    build = f'cc_library(name = "a", srcs = ["a.cc"], copts = select({{{choices}}}))\n'
    result = generate(tmp_path, monkeypatch, {"BUILD": build, "a.cc": ""})
    assert result.status == 0, result.err
    assert f"-DIS={compiler}" in manifest(tmp_path)


def test_a_toolchain_for_shell_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = """
def _impl(ctx):
    print("shell", ctx.toolchains["@rules_shell//shell:toolchain_type"].path)

show = rule(_impl, toolchains = ["@rules_shell//shell:toolchain_type"])
"""
    build = """
load("@rules_shell//shell/toolchains:sh_toolchain.bzl", "sh_toolchain")
load("@bazel_tools//tools/sh:sh_toolchain.bzl", also = "sh_toolchain")
load(":show.bzl", "show")

sh_toolchain(name = "shell", path = "/opt/shell")
toolchain(name = "t", toolchain = ":shell", toolchain_type = "@bazel_tools//tools/sh:toolchain_type")
show(name = "show")
"""
    result = generate(tmp_path, monkeypatch, {"BUILD": build, "show.bzl": rule}, "--extra_toolchains=//:t")
    assert result.status == 0, result.err
    assert "shell /opt/shell" in result.err


DIRECTORIES = """
load("@bazel_skylib//lib:subpackages.bzl", "subpackages")
load("@bazel_skylib//rules/directory:directory.bzl", "directory")
load("@bazel_skylib//rules/directory:glob.bzl", "directory_glob")
load("@bazel_skylib//rules/directory:subdirectory.bzl", "subdirectory")
load(":show.bzl", "show")

print("below", subpackages.all(), subpackages.all(fully_qualified = False), subpackages.exists("p/q"))
directory(name = "d", srcs = glob(["d/**"]))
subdirectory(name = "s", parent = ":d", path = "d/in")
directory_glob(name = "g", directory = ":d", srcs = ["d/**/*.h"], data = ["d/*.txt"], exclude = ["**/x.h"])
show(name = "show", directory = ":s", glob = ":g")
"""
SHOW = """
load("@bazel_skylib//rules/directory:providers.bzl", "DirectoryInfo")

def _impl(ctx):
    info = ctx.attr.directory[DirectoryInfo]
    print("entries", info.entries.keys(), info.path, info.get_file("a.h").basename)
    print("files", [f.short_path for f in info.transitive_files.to_list()])
    print("globbed", [f.short_path for f in ctx.files.glob])
    print("runfiles", [f.short_path for f in ctx.attr.glob[DefaultInfo].default_runfiles.files.to_list()])
    if ctx.attr.ask:
        info.get_subdirectory(ctx.attr.ask)

show = rule(_impl, attrs = {
    "directory": attr.label(providers = [DirectoryInfo]),
    "glob": attr.label(allow_files = True),
    "ask": attr.string(),
})
"""


def test_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"d/{name}": "" for name in ("in/a.h", "in/deep/b.h", "in/x.h", "n.txt")}
    files |= {"BUILD": DIRECTORIES, "show.bzl": SHOW, "p/q/BUILD": ""}
    result = generate(tmp_path, monkeypatch, files)
    assert result.status == 0, result.err
    assert 'below ["//p/q"] ["p/q"] True' in result.err
    assert 'entries ["a.h", "deep", "x.h"] d/in a.h' in result.err
    assert 'files ["d/in/a.h", "d/in/x.h", "d/in/deep/b.h"]' in result.err
    assert 'globbed ["d/in/a.h", "d/in/deep/b.h"]' in result.err
    assert 'runfiles ["d/in/a.h", "d/in/deep/b.h", "d/n.txt"]' in result.err


def test_a_project_that_is_a_rule_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What @bazel_tools has loads nothing of rule sets whose own files may load it."""
    monkeypatch.chdir(tmp_path)
    lay(
        tmp_path / "src",
        {
            "WORKSPACE": 'workspace(name = "rules_python")\nlocal_repository(name = "rules_cc", path = "cc")',
            "python/py_runtime_pair.bzl": 'load("@bazel_tools//tools/python:toolchain.bzl", made = "py_runtime_pair")\n'
            "py_runtime_pair = made",
            "python/BUILD": 'load(":py_runtime_pair.bzl", "py_runtime_pair")\n'
            'py_runtime(name = "r", interpreter_path = "/bin/python", python_version = "PY3")\n'
            'py_runtime_pair(name = "pair", py3_runtime = ":r")',
            "cc/WORKSPACE": "",
            "cc/cc/BUILD": 'alias(name = "runfiles", actual = "@bazel_tools//tools/cpp/runfiles",'
            ' visibility = ["//visibility:public"])',
            "BUILD": 'cc_binary(name = "b", srcs = ["b.cc"], deps = ["@rules_cc//cc:runfiles"])\n'
            'genrule(name = "g", outs = ["o"], cmd = "echo $(CC_FLAGS) > $@",'
            ' toolchains = ["@bazel_tools//tools/cpp:cc_flags"])',
            "b.cc": "",
            "old/BUILD": 'load(":flags.bzl", "flags")\nflags(name = "f")\n'
            'alias(name = "t", actual = "@bazel_tools//tools/python:autodetecting_toolchain")\n'
            'constraint_value(name = "v", constraint_setting = "@bazel_tools//tools/python:py3_interpreter_path")',
            "old/flags.bzl": """
def _impl(ctx):
    toolchain = ctx.attr._toolchain[cc_common.CcToolchainInfo]
    configured = cc_common.configure_features(ctx = ctx, cc_toolchain = toolchain)
    print("flags", cc_common.get_memory_inefficient_command_line(
        feature_configuration = configured,
        action_name = "cc-flags-make-variable",
        variables = cc_common.empty_variables(),
    ))

flags = rule(
    _impl,
    attrs = {"_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain")},
    fragments = ["cpp"],
)
""",
        },
    )
    result = run("generate", "-o", "build.ninja", "src")
    assert result.status == 0, result.err
    assert "flags []" in result.err


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere", "//:d/d/in has no entry 'nowhere'; it has 'a.h', 'deep', 'x.h'"),
        ("a.h", "//:d/d/in/a.h is a file, not a directory"),
        ("/etc", "a path within @@//:d/d/in is relative, not '/etc'"),
    ],
)
def test_directories_that_lack_it(path: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"d/{name}": "" for name in ("in/a.h", "in/deep/b.h", "in/x.h", "n.txt")}
    build = DIRECTORIES.replace('glob = ":g")', f'glob = ":g", ask = "{path}")')
    result = generate(tmp_path, monkeypatch, {**files, "BUILD": build, "show.bzl": SHOW, "p/q/BUILD": ""})
    assert result.status == 1
    assert message.replace("'", '"') in result.err.replace("'", '"')


def test_what_this_program_has_of_bazel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = """
load("@bazel_features//:features.bzl", "bazel_features")

print("modules", bazel_features.external_deps.is_bzlmod_enabled, bazel_features.globals.CcSharedLibraryInfo != None)
print("absent", bazel_features.globals.JavaInfo, bazel_features.cc.cc_common_is_in_rules_cc)
"""
    result = generate(tmp_path, monkeypatch, {"BUILD": build})
    assert result.status == 0, result.err
    assert "modules True True" in result.err and "absent None False" in result.err


def test_what_is_not_supported_is_an_error_for_whoever_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads = {
        "@rules_cc//cc/toolchains:args.bzl": "cc_args",
        "@rules_cc//cc/toolchains:tool.bzl": "cc_tool",
        "@rules_python//python/cc:py_cc_toolchain.bzl": "py_cc_toolchain",
        "@rules_python//python/entry_points:py_console_script_binary.bzl": "py_console_script_binary",
        "@rules_license//rules:compliance.bzl": "check_license",
        "@rules_proto//proto:proto_toolchain.bzl": "proto_toolchain",
        "@rules_java//java:defs.bzl": "java_test",
    }
    build = "".join(f'load("{file}", "{symbol}")\n' for file, symbol in loads.items())
    build += "".join(f'{symbol}(name = "{symbol}_target", anything = 1)\n' for symbol in loads.values())
    build += 'filegroup(name = "fine")\ntest_suite(name = "suite", tests = [":java_test_target"])\n'
    result = generate(tmp_path, monkeypatch, {"BUILD": build}, "-k")
    assert result.status == 1 and "is not one" not in result.err
    for symbol in loads.values():
        assert re.search(rf"(?m)^src/BUILD:\d+:1: error: in rule //:{symbol}_target: {symbol} of ", result.err)
    assert "phony //$:fine" in manifest(tmp_path) or "fine" in manifest(tmp_path)


def test_a_package_that_a_built_in_repository_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = 'filegroup(name = "f", srcs = ["@rules_cc//cc/nowhere:x"])\n'
    result = generate(tmp_path, monkeypatch, {"BUILD": build})
    assert result.status == 1
    assert "the built-in repository '@rules_cc+' has no package 'cc/nowhere'" in result.err
    assert "vendor it with --vendor DIR, where DIR/rules_cc holds it" in result.err


def test_the_python_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = """
genrule(
    name = "g",
    outs = ["out"],
    cmd = "$(PYTHON3) -c 1 > $@",
    toolchains = ["@rules_python//python:current_py_toolchain"],
)
"""
    result = generate(tmp_path, monkeypatch, {"BUILD": build})
    assert result.status == 0, result.err
    assert "/usr/bin/python3 -c 1" in manifest(tmp_path)


def test_tags_of_the_extensions_for_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are accepted; a repository that nothing needs may stay away, one that is needed is an error."""
    module = """
bazel_dep(name = "rules_python", version = "1.7.0")
python = use_extension("@rules_python//python/extensions:python.bzl", "python")
python.toolchain(python_version = "3.11", is_default = True)
python.override(minor_mapping = {"3.11": "3.11.9"})
pip = use_extension("@rules_python//python/extensions:pip.bzl", "pip")
pip.parse(
    hub_name = "pypi",
    python_version = "3.11",
    requirements_lock = "//:lock.txt",
    experimental_index_url = "https://example.org",
    simpleapi_skip = ["x"],
)
pip.override(file = "x.whl", patches = ["//:x.patch"])
use_repo(pip, "pypi")
uv = use_extension("@rules_python//python/uv:uv.bzl", "uv")
uv.configure(version = "0.7.2")
use_repo(uv, "uv")
"""
    build = 'filegroup(name = "fine")\nfilegroup(name = "u", srcs = ["@uv"])\n'
    build += 'py_library(name = "p", deps = ["@pypi//no_such_package"])\n'
    files = {"MODULE.bazel": module, "BUILD": build, "lock.txt": "no.such-package == 1.2"}
    result = generate(tmp_path, monkeypatch, files, "-k")
    assert result.status == 1
    assert "no directory of --vendor has no-such-package of the package index" in result.err
    assert "uv of rules_python is not supported" in result.err
    assert "fine" in manifest(tmp_path)


LOCK = """\
# what pip-compile writes
--extra-index-url https://example.org
Some.Package[extra]==1.2 ; python_version > "3" \\
    --hash=sha256:12
other-package
absent_package>=3  # comment
"""
INDEX_MODULE = """
bazel_dep(name = "rules_python", version = "1.7.0")
pip = use_extension("@rules_python//python/extensions:pip.bzl", "pip")
pip.parse(hub_name = "pypi", python_version = "3.11", requirements_lock = "//:lock.txt")
use_repo(pip, "pypi")
"""
INDEX_WORKSPACE = """
load("@rules_python//python:pip.bzl", "pip_parse")
pip_parse(name = "pypi", requirements_lock = "//:lock.txt")
load("@pypi//:requirements.bzl", "install_deps")
install_deps()
"""


INDEX_INSTALL = """
load("@rules_python//python:pip.bzl", "pip_install")
pip_install(name = "pypi", requirements = "//:lock.txt")
"""


@pytest.mark.slow
@pytest.mark.parametrize("text", [INDEX_MODULE, INDEX_WORKSPACE, INDEX_INSTALL], ids=["module", "parse", "install"])
def test_packages_of_an_index_are_those_of_the_system(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    site = tmp_path / "site"
    for name in ("some_package-1.3.dist-info", "Other_Package.egg-info", "other"):
        (site / name).mkdir(parents=True)
    (tmp_path / "bin/python3").write_text(f"#!/bin/sh\necho {site}\necho {site}/nowhere\n")
    (tmp_path / "bin/python3").chmod(0o755)
    path = f"--repo_env=PATH={tmp_path}/bin:/usr/bin:/bin"
    build = """
load("@pypi//:requirements.bzl", "all_requirements", "requirement")
py_test(name = "t", srcs = ["t.py"], deps = [requirement("some-package"), requirement("other.package[x]")])
py_library(name = "lacking", srcs = ["t.py"], deps = [requirement("absent-package")])
filegroup(name = "whole", srcs = all_requirements)
"""
    file = "MODULE.bazel" if text is INDEX_MODULE else "WORKSPACE"
    lay(tmp_path / "src", {file: text, "BUILD": build, "lock.txt": LOCK, "t.py": ""})
    result = run("generate", "-o", "build.ninja", path, "-k", "src")
    assert result.status == 1
    assert result.err.count("error: ") == 2, result.err  # the package, and the count
    if text is INDEX_INSTALL:
        assert "no repository '@pypi_absent_package'" in result.err
    else:
        assert "has absent-package of the package index" in result.err
        assert "(Debian: python3-absent-package)" in result.err
    assert "note: 1 further target needs it" in result.err
    assert run("generate", "-o", "build.ninja", path, "--allow-missing-repositories", "src").status == 0
    assert run("query", path, "src", "//...").out.split() == ["//:lacking", "//:t", "//:whole"]
    table = run("repositories", path, "src").out
    assert "absent_package" in next(line for line in table.splitlines() if "MISSING" in line)
    (site / "absent_package-3.egg-info").write_text("")
    assert run("generate", "-o", "build.ninja", path, "src").status == 0
    assert "//$:lacking" in manifest(tmp_path)


def test_a_package_of_an_index_that_is_a_library_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its module is found without a target; its headers are those of the library."""
    machine = StandIn(tmp_path / "machine")
    machine.install(SystemLibraryTable.read().libraries["numpy"])
    for name, value in machine.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "site/numpy-1.24.egg-info").mkdir(parents=True)
    (tmp_path / "bin/python3").write_text(f"#!/bin/sh\necho {tmp_path}/site\n")
    (tmp_path / "bin/python3").chmod(0o755)
    build = 'py_library(name = "p", deps = ["@pypi_numpy//:pkg"])\n'
    build += 'cc_library(name = "c", srcs = ["c.cc"], deps = ["@pypi_numpy//:numpy_headers"])\n'
    lay(tmp_path / "src", {"WORKSPACE": INDEX_WORKSPACE, "BUILD": build, "lock.txt": "numpy==1.24", "c.cc": ""})
    path = f"--repo_env=PATH={tmp_path}/bin:/usr/bin:/bin"
    result = run("generate", "-o", "build.ninja", path, "src")
    assert result.status == 0, result.err


def test_rules_for_protocol_buffers_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are loaded from where later releases of the library have them; code of its own files is not made again."""
    machine = StandIn(tmp_path / "machine")
    machine.install(SystemLibraryTable.read().libraries["protobuf"])
    for name, value in machine.environment.items():
        monkeypatch.setenv(name, value)
    module = 'bazel_dep(name = "protobuf", version = "3", repo_name = "com_google_protobuf")\n'
    rules = ("proto_library", "cc_proto_library", "py_proto_library", "proto_descriptor_set", "java_proto_library")
    build = "".join(f'load("@com_google_protobuf//bazel:{rule}.bzl", "{rule}")\n' for rule in rules)
    build += """
proto_library(name = "p", srcs = ["sub-dir/a.b.proto"], deps = ["@com_google_protobuf//:any_proto", ":q"])
proto_library(name = "q", srcs = ["in/q.proto"], strip_import_prefix = "in")
cc_proto_library(name = "cc", deps = [":p"])
py_proto_library(name = "py", deps = [":p"])
proto_descriptor_set(name = "set", deps = [":p"])
java_proto_library(name = "java", deps = [":p"])
py_binary(name = "program", srcs = ["program.py"], deps = [":py"])
cc_library(name = "c", srcs = ["c.cc"], deps = [":cc", "@com_google_protobuf//:any_cc_proto"])
"""
    files = {"MODULE.bazel": module, "BUILD": build, "program.py": "", "c.cc": "", "sub-dir/a.b.proto": ""}
    result = generate(tmp_path, monkeypatch, {**files, "in/q.proto": ""}, "-k")
    assert "error: in rule //:java: java_proto_library of protobuf is not supported" in result.err
    assert result.err.count("error: ") == 2, result.err  # that, and that something is left out
    text = manifest(tmp_path)
    assert "bin/sub_dir/a/b_pb2.py" in text and "bin/_virtual_imports/q/q_pb2.py" in text
    assert "any_pb2.py" not in text and "any.pb.cc" not in text
    assert "bin/set.pb" in text
