#!/usr/bin/env python3
"""Make a workspace of a given number of targets, the same one for the same numbers.

    tools/bench/synthetic.py DIRECTORY TARGETS

A package holds 20 targets: 13 libraries, 4 tests, a binary, a generated header and a filegroup, made by native rules
and by a macro of a .bzl file, with globs and select().  A library depends on others of its package and of two packages
before; no chain is longer than LAYERS packages, so that what one target can reach does not grow with the workspace, as
it does not in a real one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

PER_PACKAGE = 20
LAYERS = 8

_DEFS = """\
def checked_library(name, deps = [], **kwargs):
    native.cc_library(
        name = name,
        srcs = [name + ".cc"],
        hdrs = [name + ".h"],
        copts = ["-Wall"] + select({"//config:fast": ["-DFAST"], "//conditions:default": []}),
        deps = deps,
        **kwargs
    )
    native.cc_test(name = name + "_test", srcs = [name + "_test.cc"], deps = [":" + name])
"""

_CONFIG = """\
package(default_visibility = ["//visibility:public"])

config_setting(name = "fast", values = {"define": "fast=1"})
"""


def package_name(index: int) -> str:
    return f"area{index // 100}/package{index}"


def build_file(index: int) -> str:
    """The BUILD file of one package."""
    below = [index - step for step in (1, 3) if index % LAYERS >= step]
    outside = [f'"//{package_name(other)}:library{index % 9}"' for other in below]
    lines = [
        'load("//:defs.bzl", "checked_library")',
        'package(default_visibility = ["//visibility:public"])',
        'genrule(name = "table", outs = ["table.h"], cmd = "echo > $@")',
        'filegroup(name = "texts", srcs = glob(["*.txt"]))',
    ]
    for number in range(9):
        deps = [f'":library{number - 1}"'] if number else outside
        lines.append(
            f'cc_library(name = "library{number}", srcs = ["library{number}.cc"], hdrs = ["library{number}.h"'
            + (', "table.h"' if number == 0 else "")
            + f"], deps = [{', '.join(deps)}])"
        )
    for number in range(4):
        lines.append(f'checked_library(name = "part{number}", deps = [":library{2 * number}"])')
    lines.append(
        'cc_binary(name = "program", srcs = ["program.cc"], data = [":texts"], deps = [":part3", ":library8"])'
    )
    return "\n".join(lines) + "\n"


def sources() -> list[str]:
    """The source files of a package."""
    names = [f"library{number}{ending}" for number in range(9) for ending in (".cc", ".h")]
    names += [f"part{number}{ending}" for number in range(4) for ending in (".cc", ".h", "_test.cc")]
    return [*names, "program.cc", "notes.txt"]


def make(directory: Path, targets: int) -> int:
    """Writes the workspace and returns how many targets it has: `targets`, rounded up to whole packages."""
    directory.mkdir(parents=True)
    (directory / "WORKSPACE").write_text('workspace(name = "synthetic")\n')
    (directory / "BUILD").write_text("")
    (directory / "defs.bzl").write_text(_DEFS)
    (directory / "config").mkdir()
    (directory / "config/BUILD").write_text(_CONFIG)
    packages = -(-targets // PER_PACKAGE)
    for index in range(packages):
        folder = directory / package_name(index)
        folder.mkdir(parents=True)
        (folder / "BUILD").write_text(build_file(index))
        for name in sources():
            (folder / name).touch()
    return packages * PER_PACKAGE


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, metavar="DIRECTORY")
    parser.add_argument("targets", type=int, metavar="TARGETS")
    options = parser.parse_args(arguments)
    if options.targets < 1:
        parser.error("TARGETS must be at least 1")
    if options.directory.exists():
        parser.error(f"'{options.directory}' exists")
    print(f"{make(options.directory, options.targets)} targets")
    return 0


if __name__ == "__main__":
    sys.exit(main())
