#!/usr/bin/env python3
"""Writes small repositories that stand for what a TensorFlow tree names and Debian lacks.

    tests/real_projects/tensorflow_standins.py TREE DEST [--dump LIST]...

A stand-in has a target for every label of the repository that the tree mentions, and for every .bzl file that the tree
loads from it, macros of the same names that declare an empty target.  So the tree's own packages load and its own
actions are complete; inside a stand-in there are none.  Libraries of the system are `linkopts` (LINKS).

With --dump (an action list of real Bazel, as JSON lines with xz), a repository that the tree declares with a BUILD file
of its own (`build_file`) gets that file, and an empty file for each source that the list compiles.  So globs find what
they found for Bazel, and the actions inside the repository can be compared, too.

Prints the names of the repositories, one a line.
"""

from __future__ import annotations

import argparse
import ast
import json
import lzma
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_LABEL = re.compile(r"@(?P<repository>[\w.-]+)(?://(?P<package>[\w./+-]*))?(?::(?P<name>[\w./+@=-]+))?")
_FILE = re.compile(r".*\.(td|h|inc|txt|cc|c|cpp|py|proto|license|md|bin|zip|so|json)")
_BUILD_FILES = ("BUILD", "BUILD.bazel", "WORKSPACE", "WORKSPACE.bazel")

# Repositories that the tree itself makes without a download, and those that bazel2ninja has.
MADE = re.compile(
    r"local_\w+|python_version_repo|org_tensorflow|bazel_\w+|rules_\w+|platforms|build_bazel_\w+|io_bazel_rules_\w+|"
    r"pypi\w*|python\w*|androidsdk|androidndk|tf_toolchains|repository_name|remote_\w+|com_google_protobuf|flatbuffers|"
    r"com_github_grpc_grpc|maven|xctestrunner|com_google_googleapis|py_deps\w*"
)

_ABSL_BASE = (
    "-labsl_base -Wl,--push-state,--as-needed -latomic -Wl,--pop-state -lrt -labsl_raw_logging_internal "
    "-labsl_log_severity -labsl_spinlock_wait"
)
_ABSL_STRINGS = (
    "-labsl_strings -labsl_strings_internal -labsl_int128 -labsl_base -Wl,--push-state,--as-needed -latomic "
    "-Wl,--pop-state -lrt -labsl_spinlock_wait -labsl_source_location -labsl_throw_delegate "
    "-labsl_raw_logging_internal -labsl_log_severity"
)
_ABSL_TRACES = (
    "-labsl_debugging_internal -labsl_demangle_internal -labsl_demangle_rust -labsl_decode_rust_punycode "
    "-labsl_utf8_for_code_point -labsl_malloc_internal"
)
_ABSL_CORDZ = (
    "-labsl_cord -labsl_cordz_info -labsl_cord_internal -labsl_hash -labsl_city -labsl_cordz_functions "
    "-labsl_exponential_biased -labsl_cordz_handle -labsl_synchronization -labsl_graphcycles_internal "
    "-labsl_kernel_timeout_internal"
)
_ABSL_CRC = "-labsl_crc_cord_state -labsl_crc32c -labsl_crc_internal -labsl_crc_cpu_detect"
_ABSL_TIME = "-labsl_tracing_internal -labsl_time -labsl_civil_time -labsl_time_zone"

# What links a library of Debian sid: the words that pkg-config gives for abseil, library names for what has no .pc.
LINKS: dict[str, str] = {
    "@XNNPACK//:XNNPACK": "-lXNNPACK",
    "@XNNPACK//:xnnpack_for_tflite": "-lXNNPACK",
    "@com_google_absl//absl/base:base": _ABSL_BASE,
    "@com_google_absl//absl/functional:any_invocable": _ABSL_BASE,
    "@com_google_absl//absl/functional:function_ref": _ABSL_BASE,
    "@com_google_absl//absl/status:status": f"-labsl_status {_ABSL_CORDZ} {_ABSL_TIME} {_ABSL_CRC} -labsl_leak_check "
    f"-labsl_stacktrace -labsl_str_format_internal -labsl_strerror -labsl_symbolize {_ABSL_TRACES} {_ABSL_STRINGS}",
    "@com_google_absl//absl/strings:cord": f"{_ABSL_CORDZ} -labsl_stacktrace -labsl_symbolize {_ABSL_TRACES} "
    f"{_ABSL_TIME} {_ABSL_CRC} -labsl_str_format_internal {_ABSL_STRINGS}",
    "@com_google_absl//absl/strings:strings": _ABSL_STRINGS,
    "@cpuinfo//:cpuinfo": "-lcpuinfo",
    "@cpuinfo//:cpuinfo_with_unstripped_include_path": "-lcpuinfo",
    "@farmhash_archive//:farmhash": "-lfarmhash",
    "@fft2d//:fft2d": "-lfft2d_fftsg2d -lfft2d_fftsg -lm",
    "@pthreadpool//:pthreadpool": "-lpthreadpool",
    "@ruy//ruy:context": "-lruy_context -lruy_context_get_ctx",
    "@ruy//ruy:denormal": "-lruy_denormal",
    "@ruy//ruy:ruy": "-lruy_frontend -lruy_context -lruy_trmul",
    "@ruy//ruy:thread_pool": "-lruy_thread_pool",
    "@ruy//ruy/profiler:instrumentation": "-lruy_profiler_instrumentation",
}

# Further attributes of stand-ins, as the upstream targets export them.
ATTRIBUTES: dict[str, str] = {
    "@eigen_archive//:eigen3": 'includes = ["."], defines = ["EIGEN_MPL2_ONLY", "EIGEN_MAX_ALIGN_BYTES=64"]',
    "@eigen_archive//:eigen3_internal": 'includes = ["."], defines = ["EIGEN_MPL2_ONLY", "EIGEN_MAX_ALIGN_BYTES=64"]',
    "@gemmlowp//:eight_bit_int_gemm": 'includes = ["."]',
    "@gemmlowp//:fixedpoint": 'includes = ["."]',
    "@gemmlowp//:gemmlowp": 'includes = ["."]',
    "@gemmlowp//:profiler": 'includes = ["."]',
}

# Targets that the tree names in ways that are no text of their own.
NAMED: dict[str, tuple[str, ...]] = {
    "eigen_archive": ("//:eigen3", "//:eigen3_internal", "//:eigen_header_files", "//:eigen_source_files"),
    "gemmlowp": ("//:fixedpoint", "//:profiler"),
}
PACKAGE_GROUPS = ("@tf_runtime//:friends",)
# Functions that WORKSPACE calls: they declare repositories, and nothing here needs one.
_DECLARES = re.compile(
    r".*(configure|dependencies|repositories|deps|toolchains?|setup|install|workspace|_external)|switched_rules_.*"
)
# Functions whose result is a value rather than a target.
VALUES: dict[str, str] = {"package_path": '""', "if_cuda_libs": "[]"}


@dataclass
class Repository:
    """What a tree says about a repository: package -> names of targets; (package, file) -> symbols of a .bzl file."""

    targets: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    modules: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    build_file: str = ""  # of the tree, below it

    def add(self, label: str) -> None:
        package, _, name = label.removeprefix("//").partition(":")
        self.targets[package].add(name)


def build_files(tree: Path) -> Iterator[Path]:
    for directory, directories, files in os.walk(tree):
        directories.sort()
        for name in sorted(files):
            if name in _BUILD_FILES or name.endswith((".bzl", ".BUILD", ".bazel")):
                yield Path(directory, name)


def mentioned(tree: Path) -> dict[str, Repository]:
    """The repositories that the tree's files name."""
    found: dict[str, Repository] = defaultdict(Repository)
    bare: set[str] = set()  # "@name", which is "@name//:name" where such a repository is declared
    declared: set[str] = set()
    for path in build_files(tree):
        try:
            module = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        loads: set[int] = set()
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id == "load" and node.args:
                    loads.update(id(argument) for argument in node.args)
                    _add_load(found, node)
                elif node.func.id.endswith("http_archive"):
                    declared.update(_add_declaration(found, node, tree))
        for node in ast.walk(module):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in loads:
                _add_label(found, node.value)
                bare.add(node.value)
    for name in sorted(declared):
        if f"@{name}" in bare:
            found[name].add(f"//:{name}")
    for name, labels in NAMED.items():
        for label in labels:
            found[name].add(label)
    for label in (*LINKS, *ATTRIBUTES):
        _add_label(found, label)
    return found


def _add_label(found: dict[str, Repository], text: str) -> None:
    match = _LABEL.fullmatch(text.removeprefix("@") if text.startswith("@@") else text)
    if match is None or (match["package"] is None and match["name"] is None):
        return
    package = match["package"] or ""
    name = match["name"] or package.rpartition("/")[2]
    if name and "..." not in package and not name.startswith("__") and not name.endswith((".bzl", ".BUILD")):
        found[match["repository"]].targets[package].add(name)


def _add_load(found: dict[str, Repository], call: ast.Call) -> None:
    texts = [node.value for node in call.args if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    match = _LABEL.fullmatch(texts[0]) if texts else None
    if match is None or not match["name"]:
        return
    symbols = texts[1:] + [k.value.value for k in call.keywords if isinstance(k.value, ast.Constant)]
    found[match["repository"]].modules[match["package"] or "", match["name"]].update(map(str, symbols))


def _add_declaration(found: dict[str, Repository], call: ast.Call, tree: Path) -> list[str]:
    """The name of the repository that a call declares, in a list that is empty when the name is no text."""
    values = {keyword.arg: keyword.value for keyword in call.keywords}
    named = values.get("name")
    if not isinstance(named, ast.Constant):
        return []
    for node in ast.walk(values["build_file"]) if "build_file" in values else ():
        if isinstance(node, ast.Constant):
            package, _, name = str(node.value).partition("//")[2].partition(":")
            if (tree / package / name).is_file():
                found[str(named.value)].build_file = f"{package}/{name}".lstrip("/")
    return [str(named.value)]


def write_stand_in(name: str, repository: Repository, place: Path) -> None:
    """A repository of empty targets."""
    packages: dict[str, set[str]] = {package: set(names) for package, names in repository.targets.items()}
    for package, _ in repository.modules:
        packages.setdefault(package, set())
    packages.setdefault("", set())
    for (package, file), symbols in sorted(repository.modules.items()):
        _write(place / package / file, "\n".join(_macro(symbol) for symbol in sorted(symbols)))
    for package, names in sorted(packages.items()):
        lines = ['package(default_visibility = ["//visibility:public"])', ""]
        lines += [_target(name, package, target) for target in sorted(names)]
        _write(place / package / "BUILD", "\n".join(line for line in lines if line) + "\n")
    _write(place / "WORKSPACE", f'workspace(name = "{name}")\n')


def _macro(symbol: str) -> str:
    if symbol in VALUES:
        return f"def {symbol}(*args, **kwargs):\n    return {VALUES[symbol]}\n"
    if symbol.isupper():
        return f"{symbol} = []\n"
    if _DECLARES.fullmatch(symbol):
        return f"def {symbol}(*args, **kwargs):\n    pass\n"
    return f"def {symbol}(name = None, **kwargs):\n    if name:\n        native.cc_library(name = name)\n"


def _target(repository: str, package: str, name: str) -> str:
    label = f"@{repository}//{package}:{name}"
    if label in PACKAGE_GROUPS:
        return f'package_group(name = "{name}", packages = ["//..."])'
    if name in ("BUILD", "BUILD.bazel", "WORKSPACE"):
        return f'exports_files(["{name}"])' if name == "BUILD" else ""
    if _FILE.fullmatch(name) or name.startswith("LICENSE") or name.endswith("_files"):
        return f'filegroup(name = "{name}")'
    attributes = [f'name = "{name}"']
    if label in LINKS:
        attributes.append(f"linkopts = {json.dumps(LINKS[label].split())}")
    if label in ATTRIBUTES:
        attributes.append(ATTRIBUTES[label])
    return f"cc_library({', '.join(attributes)})"


def sources_of_dumps(dumps: Iterable[Path]) -> dict[str, set[str]]:
    """Repository -> files of it that action lists compile or read."""
    found: dict[str, set[str]] = defaultdict(set)
    for dump in dumps:
        with lzma.open(dump, "rt") as lines:
            for line in lines:
                action = json.loads(line)
                paths = list(action["i"])
                if action["m"] == "CppCompile":
                    paths.append(action["argv"][action["argv"].index("-c") + 1])
                for path in paths:
                    if path.startswith("external/"):
                        repository, _, file = path.removeprefix("external/").partition("/")
                        found[repository].add(file)
    return found


def write_with_build_file(name: str, build_file: Path, sources: Iterable[str], place: Path) -> None:
    """A repository with the tree's own BUILD file for it and empty sources."""
    _write(place / "BUILD.bazel", build_file.read_text().replace("%prefix%", "external"))
    _write(place / "WORKSPACE", f'workspace(name = "{name}")\n')
    for source in sources:
        _write(place / source, "")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write(tree: Path, destination: Path, dumps: Iterable[Path] = (), leave: Iterable[str] = ()) -> list[str]:
    """Writes all stand-ins but those of `leave`, which somebody else provides; returns their names."""
    sources = sources_of_dumps(dumps)
    left = set(leave)
    names = []
    for name, repository in sorted(mentioned(tree).items()):
        if name in left or MADE.fullmatch(name):
            continue
        if sources and repository.build_file:
            write_with_build_file(name, tree / repository.build_file, sources[name], destination / name)
        elif sources:
            continue
        else:
            write_stand_in(name, repository, destination / name)
        names.append(name)
    return names


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tree", type=Path)
    parser.add_argument("destination", type=Path)
    parser.add_argument("--dump", type=Path, action="append", default=[], help="action list of real Bazel")
    parser.add_argument("--leave", action="append", default=[], metavar="NAME", help="repository that others provide")
    arguments = parser.parse_args()
    for name in write(arguments.tree, arguments.destination, arguments.dump, arguments.leave):
        print(name)


if __name__ == "__main__":
    main()
