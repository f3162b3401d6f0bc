"""Loads .bzl files, each once."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from bazel2ninja.diagnostics import Diagnostic, Location, Note, WorkspaceError, suggestion
from bazel2ninja.labels import Label, LabelSyntaxError, PackageIdentifier
from bazel2ninja.loading.bzl_file import BzlFile
from bazel2ninja.loading.environment import Environments
from bazel2ninja.loading.errors import NoSuchTargetError
from bazel2ninja.loading.remembered import Remembered
from bazel2ninja.starlark import CodeCache, Dialect, Module, Program, Thread, compile_source, execute

if TYPE_CHECKING:
    from bazel2ninja.loading.loader import Loader


class ModuleLoader:
    """The .bzl files of a workspace; `loader` knows where they are and what their texts are relative to."""

    def __init__(
        self,
        loader: Loader,
        environments: Environments,
        cache: CodeCache | None,
        print: Callable[[str, Location], None] | None,
    ):
        self._loader = loader
        self._environments = environments
        self._cache = cache
        self._print = print
        self._modules = Remembered(self._load_module)
        self._bzl_files: dict[Label, BzlFile] = {}
        self._loads: dict[Label, tuple[Label, ...]] = {}
        self._loading: list[Label] = []

    def module(self, label: Label) -> Module:
        """An executed .bzl file; raises WorkspaceError, for a cycle of loads, too."""
        if label in self._loading and label not in self._modules:
            chain = [*self._loading[self._loading.index(label) :], label]
            raise WorkspaceError(
                Diagnostic(
                    f"cycle of load() statements: '{label}' loads itself",
                    notes=tuple(Note(f"'{a}' loads '{b}'") for a, b in itertools.pairwise(chain)),
                )
            )
        return self._modules[label]

    def every_name(self, label: Label) -> Mapping[str, object]:
        """All names of an executed .bzl file: what it loads, what it defines, private or not."""
        module = self.module(label)
        found: dict[str, object] = {}
        for text, names, _ in module.program.loads:
            public = self._loader.workspace.load_symbols(self.load_label(text, label.package))
            found.update((local, public[name]) for local, name in names)
        return {**found, **module.all_globals()}

    def bzl_file(self, label: Label) -> BzlFile:
        """What a .bzl file that has been loaded said about itself."""
        self.module(label)
        return self._bzl_files[label]

    def _load_module(self, label: Label) -> Module:
        repository = self._loader.repository(label.repository)
        directory = self._loader.places.build_file(label.package)[0]
        if "/" in label.name:
            self._check_border(label, directory)
        path = f"{directory}/{label.name}" if directory != "." else label.name
        if not self._loader.filesystem.is_file(path):
            raise NoSuchTargetError(self._missing_bzl(label, directory))
        file = self._bzl_files[label] = BzlFile(label, self._loader.converter(label.package))
        semantics = self._loader.semantics_of(repository)
        program = compile_source(
            self._loader.filesystem.read_program(path),
            path,
            dialect=Dialect.BZL,
            semantics=semantics,
            predeclared=self._environments.bzl_names,
            cache=self._cache,
        )
        self._loading.append(label)
        try:
            self._loads[label], symbols = self.load_all(program, label.package)
            module = execute(
                program,
                Thread(semantics, self._print, {"bzl_file": file}),
                self._environments.bzl(file, semantics),
                lambda name, where: symbols[name],
                label=label,
            )
        finally:
            self._loading.pop()
        for name, value in module.all_globals().items():
            export = getattr(value, "starlark_export", None)
            if export is not None:
                export(label, name)
        return module

    def _missing_bzl(self, label: Label, directory: str) -> Diagnostic:
        folder, _, name = f"{directory}/{label.name}".rpartition("/")
        names: list[str] = []
        if self._loader.filesystem.is_directory(folder or "."):
            names = [entry for entry, kind in self._loader.filesystem.entries(folder or ".") if kind == "file"]
        return Diagnostic(
            f"cannot load '{label}': no such file", help=suggestion(name, [n for n in names if n.endswith(".bzl")])
        )

    def load_all(
        self, program: Program, package: PackageIdentifier
    ) -> tuple[tuple[Label, ...], dict[str, Mapping[str, object]]]:
        """(labels of the files that a program loads, their public names by the text of the load statement)."""
        labels: dict[Label, None] = {}
        symbols: dict[str, Mapping[str, object]] = {}
        for text, _, where in program.loads:
            if text in symbols:
                continue
            try:
                label = self.load_label(text, package)
                symbols[text] = self._loader.workspace.load_symbols(label)
            except WorkspaceError as problem:
                if problem.diagnostic.location is None:
                    raise problem.at(where) from None
                raise problem.at(None, Note(f"loaded as '{text}' here", where)) from None
            labels.setdefault(label)
            file = self._bzl_files.get(label)
            if file is not None and not file.is_visible_from(package):
                raise WorkspaceError(
                    Diagnostic(
                        f"'{label}' is not visible for loading from package '{package}'",
                        where,
                        notes=(Note("the file's visibility() declaration is here", file.visibility_location),),
                    )
                )
        return tuple(labels), symbols

    def load_label(self, text: str, package: PackageIdentifier) -> Label:
        """What the text of a load statement in a file of `package` means; raises LabelSyntaxError."""
        if self._loader.semantics.path_loads and not text.startswith(("//", ":", "@")):
            folder, _, name = text.rpartition("/")
            text = f"/{folder}:{name}.bzl" if text.startswith("/") else f":{text}.bzl"
        label = self._loader.converter(package)(text)
        if not label.name.endswith((".bzl", ".scl")):
            raise LabelSyntaxError(
                Diagnostic(f"invalid load of {text!r}: the label must reference a file with extension '.bzl' or '.scl'")
            )
        return label

    def _check_border(self, label: Label, directory: str) -> None:
        """Raises LabelSyntaxError when a file belongs to a package further down."""
        border = self._loader.globber(label.package, directory).crosses_border(label.name)
        if border is not None:
            inner = f"{label.package.path}/{border}" if label.package.path else border
            rest = label.name[len(border) + 1 :]
            raise LabelSyntaxError(
                Diagnostic(
                    f"label '{label}' crosses the boundary of package '{inner}'",
                    help=f"write '{Label(PackageIdentifier(label.repository, inner), rest)}'",
                )
            )

    def digest(self, label: Label) -> str:
        """A digest of a file that has been loaded and of all that it loads."""
        found = hashlib.blake2b(digest_size=12)
        for each in self.closure([label]):
            content = self._loader.filesystem.read_program(self.module(each).path)
            found.update(f"{each} {len(content)}\n".encode("utf-8", "surrogateescape") + content)
        return found.hexdigest()

    def closure(self, labels: Iterable[Label]) -> list[Label]:
        """The files and all that they load, directly or not, in the order of first sight."""
        found: dict[Label, None] = dict.fromkeys(labels)
        pending = list(found)
        for label in pending:
            for loaded in self._loads.get(label, ()):
                if loaded not in found:
                    found[loaded] = None
                    pending.append(loaded)
        return list(found)
