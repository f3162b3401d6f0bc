"""A file that an action reads or writes.  In Starlark: File, https://bazel.build/rules/lib/builtins/File."""

from __future__ import annotations

import functools
import posixpath

from bazel2ninja.labels import Label
from bazel2ninja.starlark import EvalError


class ArtifactRoot:
    """Where a file lies: "" for sources (of every repository), else "bazel-out/CONFIG/bin"."""

    __slots__ = ("path",)
    starlark_type = "root"

    def __init__(self, path: str):
        self.path = path

    @property
    def s_path(self) -> str:
        return self.path

    def starlark_repr(self) -> str:
        return f"{self.path or '<execution_root>'}[{'derived' if self.path else 'source'}]"


@functools.total_ordering
class Artifact:
    """One file (or directory tree, or symbolic link) of the execution root; the analysis keeps one object per path.

    exec_path: relative to the execution root: "a/b.cc", "external/repo/b.cc", "bazel-out/k8-fastbuild/bin/a/b.o".
    short_path: the path without root as runfiles know it: "a/b.o", "../repo/b.o".
    owner: label of the target that makes it, or of the source file.
    """

    __slots__ = ("exec_path", "is_directory", "is_symlink", "owner", "root", "short_path")
    starlark_type = "File"

    def __init__(
        self,
        exec_path: str,
        root: ArtifactRoot,
        owner: Label,
        *,
        is_directory: bool = False,
        is_symlink: bool = False,
    ):
        self.exec_path = exec_path
        self.root = root
        self.owner = owner
        self.is_directory = is_directory
        self.is_symlink = is_symlink
        path = exec_path[len(root.path) + 1 :] if root.path else exec_path
        self.short_path = "../" + path[len("external/") :] if path.startswith("external/") else path

    @property
    def is_source(self) -> bool:
        return not self.root.path

    def __lt__(self, other: Artifact) -> bool:
        return self.exec_path < other.exec_path

    def __repr__(self) -> str:
        return f"Artifact({self.exec_path!r})"

    # What Starlark sees.
    def starlark_repr(self) -> str:
        return f"<{'source' if self.is_source else 'generated'} file {self.short_path}>"

    @property
    def s_path(self) -> str:
        return self.exec_path

    @property
    def s_short_path(self) -> str:
        return self.short_path

    @property
    def s_basename(self) -> str:
        return posixpath.basename(self.exec_path)

    @property
    def s_dirname(self) -> str:
        return posixpath.dirname(self.exec_path)

    @property
    def s_extension(self) -> str:
        name = self.s_basename
        return name.rpartition(".")[2] if "." in name else ""

    @property
    def s_is_source(self) -> bool:
        return self.is_source

    @property
    def s_is_directory(self) -> bool:
        return self.is_directory

    @property
    def s_is_symlink(self) -> bool:
        return self.is_symlink

    @property
    def s_owner(self) -> Label:
        return self.owner

    @property
    def s_root(self) -> ArtifactRoot:
        return self.root

    @property
    def s_tree_relative_path(self) -> str:
        raise EvalError("tree_relative_path is only defined for files inside a directory artifact")


class TreeFile(Artifact):
    """A file of a directory that an action makes, or a directory in it, when there is one to look at."""

    __slots__ = ("tree",)

    def __init__(self, tree: Artifact, path: str, *, is_directory: bool = False):
        super().__init__(f"{tree.exec_path}/{path}", tree.root, tree.owner, is_directory=is_directory)
        self.tree = tree

    @property
    def s_tree_relative_path(self) -> str:
        return self.exec_path[len(self.tree.exec_path) + 1 :]
