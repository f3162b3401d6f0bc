"""Workspaces on disk for the tests of external repositories."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from loading_support import natives

from bazel2ninja.diagnostics import WorkspaceError, render
from bazel2ninja.filesystem import Disk
from bazel2ninja.loading.loader import Loader
from bazel2ninja.repositories.workspace import Workspace
from bazel2ninja.starlark import Semantics

RULE = """
def _implementation(ctx):
{body}

made = repository_rule(
    implementation = _implementation,
    attrs = {{"value": attr.string(), "file": attr.label(), "files": attr.label_list(), "urls": attr.string_list()}},
    environ = ["DECLARED"],
)
"""


def write_tree(directory: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return directory


class Printed(list[str]):
    """What print() of .bzl files prints."""

    def __bool__(self) -> bool:
        return True  # a thread takes a false value for none

    def __call__(self, text: str, location: object) -> None:
        self.append(text)


def open_workspace(
    root: Path,
    files: Mapping[str, str] | None = None,
    *,
    overrides: Mapping[str, str] | None = None,
    vendor: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    **options: Any,
) -> Workspace:
    """The workspace root/src, with its files written first; root/side is its side directory.  A Loader is attached."""
    write_tree(root / "src", files or {})
    workspace = Workspace.open(
        Disk(),
        str(root / "src"),
        str(root / "side"),
        overrides=overrides or {},
        vendor=vendor,
        environment={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **(environment or {})},
        print=options.pop("print", Printed()),
        **options,
    )
    Loader(workspace, natives(), workspace.bzl_globals(), Semantics())
    return workspace


def rule_workspace(root: Path, body: str, arguments: str = "", **options: Any) -> Workspace:
    """A workspace whose repository @r is made by a rule with the given body."""
    indented = "\n".join("    " + line for line in body.strip().splitlines())
    files = {
        "WORKSPACE": f'load("//:rule.bzl", "made")\nmade(name = "r"{", " if arguments else ""}{arguments})\n',
        "BUILD": "",
        "rule.bzl": RULE.format(body=indented),
        **options.pop("files", {}),
    }
    return open_workspace(root, files, **options)


def made(root: Path, body: str, arguments: str = "", **options: Any) -> Path:
    """The directory of @r after its rule has run."""
    workspace = rule_workspace(root, body, arguments, **options)
    return Path(workspace.repository("r").directory)


def failure(workspace: Workspace, name: str = "r") -> str:
    """The rendered error of a repository that cannot be had."""
    with pytest.raises(WorkspaceError) as caught:
        workspace.repository(name)
    return "\n".join(render(diagnostic) for diagnostic in caught.value.diagnostics)


def make_tar(path: Path, members: Sequence[tarfile.TarInfo | tuple[str, str]]) -> Path:
    """A gzipped tar, the same bytes each time; a pair is a file with its text."""
    with gzip.GzipFile(path, "wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
            else:
                info = tarfile.TarInfo(member[0])
                content = member[1].encode()
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return path


def tar_link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info
