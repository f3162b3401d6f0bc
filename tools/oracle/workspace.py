"""The source tree that an oracle run reads and the repositories it gets: command line options and preparation."""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path

from bazel import Bazel
from rule_packages import lay_out


def named_path(text: str) -> tuple[str, Path]:
    """`NAME=PATH` as a pair; for argparse."""
    name, separator, path = text.partition("=")
    if not separator or not Path(path).is_dir():
        raise argparse.ArgumentTypeError(f"expected NAME=FOLDER, got '{text}'")
    return name, Path(path).resolve()


def folder(text: str) -> Path:
    """The path of a folder that exists; for argparse."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"no folder '{text}'")
    return Path(text).resolve()


def add_workspace_options(parser: argparse.ArgumentParser) -> None:
    """The options that `prepare` reads."""
    parser.add_argument("source", metavar="SRC", type=folder)
    parser.add_argument("targets", metavar="TARGET", nargs="+")
    parser.add_argument("--override", metavar="NAME=PATH", type=named_path, action="append", default=[])
    parser.add_argument(
        "--self-override", metavar="NAME", action="append", default=[], help="a repository that is SRC itself"
    )
    parser.add_argument(
        "--bare-workspace", action="store_true", help="copy SRC and empty its WORKSPACE but for the workspace() call"
    )
    parser.add_argument("--flag", metavar="FLAG", action="append", default=[], help="a build flag: --flag=--copt=-O2")


def prepare(options: argparse.Namespace, scratch: Path) -> Bazel:
    """A Bazel for the source tree of the command line; what it needs besides is laid out in `scratch`.

    Raises FileNotFoundError when a Debian rule package is missing.
    """
    overrides = lay_out(scratch / "rules")
    overrides.update(options.override)
    workspace: Path = options.source
    if options.bare_workspace:
        _bare_copy(workspace, scratch / "workspace")
        workspace = scratch / "workspace"
    overrides.update((name, workspace) for name in options.self_override)
    return Bazel(workspace, overrides, options.flag)


def _bare_copy(source: Path, target: Path) -> None:
    """Copy a source tree, leaving of its WORKSPACE only the workspace() call: nothing is declared, nothing fetched."""
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(".git", "bazel-*"))
    for name in ("WORKSPACE", "WORKSPACE.bazel"):
        path = target / name
        if path.is_file():
            call = re.search(r"^workspace\([^)]*\)", path.read_text(encoding="utf-8"), re.MULTILINE)
            path.write_text(call.group(0) + "\n" if call else "", encoding="utf-8")
