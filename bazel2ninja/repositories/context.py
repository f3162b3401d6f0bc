"""repository_ctx: https://bazel.build/rules/lib/builtins/repository_ctx."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.loading.arguments import mapping
from bazel2ninja.records import replace
from bazel2ninja.repositories.archive import inside
from bazel2ninja.repositories.file_context import FileContext
from bazel2ninja.repositories.patch import PatchError, apply_patch
from bazel2ninja.repositories.path import RepositoryPath, exec_result
from bazel2ninja.repositories.rules import Declaration, starlark_value
from bazel2ninja.repositories.store import remove
from bazel2ninja.starlark import EvalError, Struct

if TYPE_CHECKING:
    from bazel2ninja.repositories.workspace import Workspace


class RepositoryContext(FileContext):
    """What the implementation of a repository rule gets.

    source: a vendored directory that stands for the archive that the rule downloads and unpacks.  empty: downloads
    bring nothing, and programs and patches, which would change what they bring, do nothing.
    """

    starlark_type = "repository_ctx"

    def __init__(
        self,
        workspace: Workspace,
        name: str,
        declaration: Declaration,
        directory: str,
        source: str | None = None,
        empty: bool = False,
    ):
        super().__init__(workspace, name, directory)
        self._empty = empty
        self.declaration = declaration
        self._source = source
        values = {key: starlark_value(value) for key, value in declaration.attributes.items()}
        self.s_attr = Struct(**{**values, "name": name})

    def starlark_repr(self) -> str:
        return f"<repository_ctx for '@{self.name}'>"

    @property
    def s_name(self) -> str:
        return self.name

    @property
    def s_original_name(self) -> str:
        return self.declaration.original_name or self.name

    @property
    def s_workspace_root(self) -> RepositoryPath:
        return RepositoryPath(os.path.abspath(self.workspace.source_directory or "."), self)

    def s_repo_metadata(self, *, reproducible: Any = False, attrs_for_reproducibility: Any = None) -> Struct:
        return Struct(reproducible=reproducible, attrs_for_reproducibility=attrs_for_reproducibility)

    def directory_of(self, path: object) -> RepositoryPath:
        """The directory that `path` of local_repository() means: relative ones start at the source directory.

        Raises AbsentRepositoryError when it is not there, or empty: a submodule that a source package leaves out.
        """
        found = RepositoryPath(os.path.join(self.s_workspace_root.path, str(path)), self)
        self.read_state(found.path)
        if not os.path.isdir(found.path):
            raise self.workspace.not_on_disk(self.name, self.declaration, f"there is no directory {str(path)!r}")
        if not os.listdir(found.path):
            raise self.workspace.not_on_disk(self.name, self.declaration, f"the directory {str(path)!r} is empty")
        return found

    def _download_source(self) -> str | None:
        return self._source

    def _names(self) -> tuple[str, ...]:
        return self.workspace.names_of(self.name)

    def _not_on_disk(self, urls: list[str]) -> Exception:
        what = f"nothing is downloaded, and no directory of --vendor has {urls[-1]}" if urls else "it names no URL"
        return self.workspace.not_on_disk(self.name, self.declaration, what)

    def s_symlink(self, target: Any, link_name: Any) -> None:
        source = self.resolve(target, "target")
        place = self.resolve(link_name, "link_name")
        if isinstance(target, Label) and not os.path.exists(source):
            raise EvalError(f"no such file '{target}': '{self.workspace.file_of(target)}' does not exist")
        if place == self.root:
            # the whole repository is a link
            self.read_state(source)
            if os.listdir(self.root):
                raise EvalError(f"the directory of '@{self.name}' cannot become a link: it holds files already")
            os.rmdir(self.root)
            self.workspace.store.place_link(source, self.directory)
            return
        place = self._own(link_name, "link_name")
        if os.path.lexists(place):
            raise EvalError(f"cannot make the link {os.path.relpath(place, self.root)!r}: the file exists")
        if inside(source, self.root):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            os.symlink(os.path.relpath(source, os.path.dirname(place)), place)
        else:
            self.workspace.store.place_link(source, place)

    def s_template(
        self,
        path: Any,
        template: Any,
        substitutions: Any = None,
        executable: Any = True,
        *,
        watch_template: Any = "auto",
    ) -> None:
        text = self.s_read(template)
        for key, value in mapping(substitutions, "template", "substitutions", str).items():
            if not key:
                raise EvalError("template(): a key of substitutions is empty")
            text = text.replace(key, value)
        self.s_file(path, text, executable)

    def s_delete(self, path: Any) -> bool:
        place = self._own(path, "path")
        if place == self.root:
            raise EvalError(f"the directory of '@{self.name}' cannot be deleted")
        there = os.path.lexists(place)
        for borrowed in [borrowed for borrowed in self._borrowed if inside(borrowed, place)]:
            del self._borrowed[borrowed]
        remove(place)
        return there

    def s_rename(self, src: Any, dst: Any) -> None:
        source, destination = self._own(src, "src"), self._own(dst, "dst")
        if not os.path.lexists(source):
            raise EvalError(f"cannot rename {os.path.relpath(source, self.root)!r}: there is no such file")
        if os.path.isdir(source):
            self._take_all()
        if os.path.lexists(destination):
            raise EvalError(f"cannot rename to {os.path.relpath(destination, self.root)!r}: the file exists")
        os.makedirs(os.path.dirname(destination), exist_ok=True)
        was_borrowed = self._borrowed.pop(source, None)
        if was_borrowed is not None:
            os.unlink(source)
            self.workspace.store.place_link(was_borrowed, destination)
            self._borrowed[destination] = was_borrowed
        else:
            os.rename(source, destination)

    def s_download(self, *args: Any, **kwargs: Any) -> Struct:
        return Struct(success=True, sha256="", integrity="") if self._empty else super().s_download(*args, **kwargs)

    def s_download_and_extract(self, *args: Any, **kwargs: Any) -> Struct:
        if self._empty:
            return Struct(success=True, sha256="", integrity="")
        return super().s_download_and_extract(*args, **kwargs)

    def s_execute(self, *args: Any, **kwargs: Any) -> Struct:
        return exec_result(0, "", "") if self._empty else super().s_execute(*args, **kwargs)

    def s_patch(self, patch_file: Any, strip: Any = 0, *, watch_patch: Any = "auto") -> None:
        if self._empty:
            return
        path = self.resolve(patch_file, "patch_file")
        self.read_state(path)
        try:
            with open(path, "rb") as file:
                content = file.read()
        except OSError as error:
            raise EvalError(f"cannot read the patch {path!r}: {(error.strerror or '').lower()}") from None
        try:
            apply_patch(content, self.workspace.store.spelled(path), _Tree(self), strip)
        except PatchError as problem:
            if self._source is None:
                raise
            help = f"--override_repository {self.name}={self._source} takes the vendored directory as it is"
            raise PatchError(replace(problem.diagnostic, help=help)) from None

    def s_watch_tree(self, path: Any) -> None:
        start = self.resolve(path)
        for directory, directories, files in os.walk(start):
            directories.sort()
            self.read_listing(directory)
            for name in sorted(files):
                self.read_state(os.path.join(directory, name))

    def finish(self) -> None:
        """The rule is done; raises WorkspaceError when it has left no directory."""
        if not os.path.isdir(self.root):
            raise WorkspaceError(f"the rule of repository '@{self.name}' made nothing")


class _Tree:
    """The repository's directory as apply_patch sees it."""

    def __init__(self, context: RepositoryContext):
        self._context = context

    def _place(self, path: str) -> str:
        return self._context._own(path, "the patched file")

    def content(self, path: str) -> bytes | None:
        place = self._place(path)
        if not os.path.isfile(place):
            return None
        source = self._context._borrowed.get(place)
        if source is not None:
            self._context.read_state(os.path.abspath(source))
        elif not inside(os.path.realpath(place), os.path.realpath(self._context.root)):
            # a link that the rule made: what it leads to is not the repository's own
            self._context.read_state(os.path.realpath(place))
        with open(place, "rb") as file:
            return file.read()

    def replace(self, path: str, content: bytes, executable: bool | None) -> None:
        place = self._place(path)
        if executable is None:
            executable = os.path.isfile(place) and os.access(place, os.X_OK)
        self._context._write(self._context._replaceable(place, "the patched file"), content, executable)

    def remove(self, path: str) -> None:
        self._context.s_delete(path)
