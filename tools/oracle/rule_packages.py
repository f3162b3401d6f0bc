"""Make Debian's Bazel rule packages usable by Debian's Bazel 4.2.3: patched copies and stand-ins."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

DEBIAN_FOLDER = Path("/usr/share/bazel")

# What newer BUILD files select on and platforms 0.0.2 does not know yet: constraint setting -> values.
NEWER_CONSTRAINT_VALUES: Mapping[str, tuple[str, ...]] = {
    "os": ("wasi", "openbsd"),
    "cpu": ("riscv64", "riscv32", "wasm32", "wasm64"),
}

# Repositories that no Debian package has, reduced to what analysis asks them for: repository -> file -> text.
STAND_INS: Mapping[str, Mapping[str, str]] = {
    # Every test rule has an implicit dependency on it; it runs under `bazel coverage` only.
    "remote_coverage_tools": {
        "BUILD": 'filegroup(name = "coverage_report_generator", visibility = ["//visibility:public"])\n',
    },
    # applicable_licenses is emptied: with package(default_applicable_licenses = ...) a license would need itself.
    "rules_license": {
        "BUILD": "",
        "rules/BUILD": "",
        "rules/license.bzl": (
            "def license(name, **kwargs):\n"
            '    native.filegroup(name = name, applicable_licenses = [], visibility = ["//visibility:public"])\n'
        ),
    },
    "rules_python": {
        "BUILD": "",
        "python/BUILD": "",
        "python/defs.bzl": (
            "py_binary = native.py_binary\npy_library = native.py_library\npy_test = native.py_test\n"
            "py_runtime = native.py_runtime\n"
        ),
    },
    "zlib": {
        "BUILD": 'cc_library(name = "zlib", linkopts = ["-lz"], visibility = ["//visibility:public"])\n',
    },
    # Packaging rules: declared by BUILD files that are loaded, reached by no target that is built.
    "rules_pkg": {
        "BUILD": "",
        "mappings.bzl": (
            "def _nothing(name, **kwargs):\n"
            '    native.filegroup(name = name, visibility = ["//visibility:public"])\n\n'
            "def pkg_attributes(**kwargs):\n    return kwargs\n\n"
            "def _no_prefix(path = None):\n    return path\n\n"
            "strip_prefix = struct(files_only = _no_prefix, from_pkg = _no_prefix, from_root = _no_prefix)\n"
            "pkg_files = _nothing\npkg_filegroup = _nothing\n"
        ),
        "pkg.bzl": (
            "def _nothing(name, **kwargs):\n"
            '    native.filegroup(name = name, visibility = ["//visibility:public"])\n\n'
            "pkg_tar = _nothing\npkg_zip = _nothing\n"
        ),
    },
}


def lay_out(folder: Path) -> dict[str, Path]:
    """Write the fixed copies and stand-ins below `folder`; repository name -> its folder, Debian's own included.

    Raises FileNotFoundError when a Debian package is missing; the file name says which.
    """
    repositories = {
        "rules_java": DEBIAN_FOLDER / "rules/java",
        "rules_proto": DEBIAN_FOLDER / "rules/proto",
        "bazel_skylib": DEBIAN_FOLDER / "tools/skylib",
        "rules_cc": folder / "rules_cc",
        "platforms": folder / "platforms",
    }
    for name in ("rules_java", "rules_proto", "bazel_skylib"):
        if not (repositories[name] / "WORKSPACE").exists():
            raise FileNotFoundError(repositories[name] / "WORKSPACE")
    _copy_rules_cc(repositories["rules_cc"])
    _copy_platforms(repositories["platforms"])
    for name, files in STAND_INS.items():
        repositories[name] = folder / name
        for path, text in {"WORKSPACE": "", **files}.items():
            place = folder / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    return repositories


def _copy_rules_cc(target: Path) -> None:
    """rules_cc 0.0.4 asks for `use_cpp_toolchain`, which Bazel has from version 5 on; 4.2.3 spells it as a list."""
    shutil.copytree(DEBIAN_FOLDER / "rules/cc", target)
    for path in target.rglob("*.bzl"):
        text = path.read_text(encoding="utf-8")
        if "use_cpp_toolchain" in text:
            text = text.replace(', "use_cpp_toolchain"', "")
            text = text.replace("use_cpp_toolchain()", '["@bazel_tools//tools/cpp:toolchain_type"]')
            path.write_text(text, encoding="utf-8")


def _copy_platforms(target: Path) -> None:
    """platforms 0.0.2 lacks constraint values that BUILD files of 2022 select on."""
    shutil.copytree(DEBIAN_FOLDER / "platforms", target)
    for setting, values in NEWER_CONSTRAINT_VALUES.items():
        path = target / setting / "BUILD"
        text = path.read_text(encoding="utf-8")
        for value in values:
            if f'name = "{value}"' not in text:
                text += f'\nconstraint_value(\n    name = "{value}",\n    constraint_setting = ":{setting}",\n)\n'
        path.write_text(text, encoding="utf-8")
