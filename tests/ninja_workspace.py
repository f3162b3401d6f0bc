"""A small C++ program as hand-made actions, for the tests of graph/ and ninja/."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from bazel2ninja.analysis.action import (
    Action,
    CppArchiveAction,
    CppCompileAction,
    CppLinkAction,
    LinkItem,
    RunfilesTreeAction,
    TestAction,
    WriteAction,
)
from bazel2ninja.analysis.artifact import Artifact, ArtifactRoot
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.diagnostics import Location
from bazel2ninja.graph.build import build
from bazel2ninja.labels import Label, parse_label
from bazel2ninja.ninja import execroot
from bazel2ninja.ninja.context import Context, Options, TestOptions
from bazel2ninja.ninja.flags import Compilers
from bazel2ninja.ninja.manifest import Manifest, Regeneration, Targets, write
from bazel2ninja.ninja.paths import PathMapper
from bazel2ninja.ninja.sidefiles import SideFiles

SOURCES = ArtifactRoot("")
BIN = ArtifactRoot("bazel-out/k8-fastbuild/bin")
LOGS = ArtifactRoot("bazel-out/k8-fastbuild/testlogs")
PYTHON = ("env", f"PYTHONPATH={Path(__file__).resolve().parent.parent}", sys.executable)
PLAIN = Compilers(cflags=("-O0",), cxxflags=("-O0",))


class Workspace:
    """Makes actions for one configuration and runs ninja on them; the source tree is `root`/src."""

    def __init__(self, root: Path, source: str = "../src"):
        self.output = root / "out"
        self.source = (self.output / source).resolve()
        self.mapper = PathMapper(source)
        self.actions: list[Action] = []
        self.artifacts: dict[str, Artifact] = {}
        self.output.mkdir(parents=True)
        self.source.mkdir(exist_ok=True)

    def file(self, path: str, content: str) -> Artifact:
        place = self.source / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
        return self.artifact(path, SOURCES)

    def artifact(self, path: str, root: ArtifactRoot = BIN, *, directory: bool = False, link: bool = False) -> Artifact:
        exec_path = f"{root.path}/{path}" if root.path else path
        found = self.artifacts.get(exec_path)
        if found is None:
            package, _, name = path.rpartition("/")
            owner = parse_label(f"//{package}:{name}")
            found = Artifact(exec_path, root, owner, is_directory=directory, is_symlink=link)
            self.artifacts[exec_path] = found
        return found

    def common(self, label: str, outputs: Sequence[Artifact], inputs: Iterable[Artifact] = ()) -> dict[str, object]:
        owner = parse_label(label)
        return {
            "owner": owner,
            "configuration": "k8-fastbuild",
            "outputs": tuple(outputs),
            "inputs": tuple(inputs),
            "location": Location(f"{owner.package.path}/BUILD", 1, 1),
        }

    def add(self, action: Action) -> Action:
        self.actions.append(action)
        return action

    def compile(self, label: str, source: Artifact, **more: object) -> Artifact:
        path = source.exec_path.removeprefix(BIN.path + "/")
        result = self.artifact(f"{path}.o")
        settings: dict[str, object] = {
            "quote_includes": (".", BIN.path),
            "language": "c++" if path.endswith("cc") else "c",
            **more,
        }
        self.add(
            CppCompileAction(mnemonic="CppCompile", source=source, **self.common(label, [result], [source]), **settings)  # type: ignore[arg-type]
        )
        return result

    def archive(self, label: str, path: str, members: Sequence[Artifact]) -> Artifact:
        result = self.artifact(path)
        self.add(
            CppArchiveAction(mnemonic="CppArchive", members=tuple(members), **self.common(label, [result], members))  # type: ignore[arg-type]
        )
        return result

    def link(
        self, label: str, path: str, items: Sequence[tuple[Artifact, str]], kind: str = "executable", **more: object
    ) -> Artifact:
        result = self.artifact(path)
        self.add(
            CppLinkAction(  # type: ignore[arg-type]
                mnemonic="CppLink",
                kind=kind,
                items=tuple(LinkItem(artifact, item) for artifact, item in items),
                **self.common(label, [result], [artifact for artifact, _ in items]),
                **more,
            )
        )
        return result

    def write(self, label: str, path: str, content: str, *, executable: bool = False) -> Artifact:
        result = self.artifact(path)
        self.add(
            WriteAction(  # type: ignore[arg-type]
                mnemonic="FileWrite", content=content, executable=executable, **self.common(label, [result])
            )
        )
        return result

    def test(self, label: str, executable: Artifact, data: Iterable[Artifact] = (), **more: object) -> Artifact:
        """A runfiles tree and the action that runs the test; returns its log."""
        files = [executable, *data]
        manifest = self.artifact(executable.exec_path.removeprefix(BIN.path + "/") + ".runfiles/MANIFEST")
        directory = manifest.exec_path.removesuffix("/MANIFEST")
        entries = {f"ws/{file.short_path}": file for file in files}
        self.add(
            RunfilesTreeAction(  # type: ignore[arg-type]
                mnemonic="SymlinkTree",
                entries=entries,
                directory=directory,
                input_sets=(Depset(direct=tuple(files)),),
                **self.common(label, [manifest]),
            )
        )
        owner = parse_label(label)
        log = self.artifact(f"{owner.package.path}/{owner.name}/test.log", LOGS)
        self.add(
            TestAction(  # type: ignore[arg-type]
                mnemonic="TestRunner",
                executable=executable,
                runfiles_directory=directory,
                **self.common(label, [log], [executable, manifest]),
                **more,
            )
        )
        return log

    def manifest(
        self,
        requested: Sequence[Artifact],
        *,
        compilers: Compilers = PLAIN,
        tests: Sequence[str] = (),
        options: Options | None = None,
        regeneration: Regeneration | None = None,
        install: Sequence[tuple[Artifact, str, str]] = (),
    ) -> Manifest:
        """The manifest, written with its side files; each requested file's owner becomes a label of `all`."""
        labels: dict[Label, list[Artifact]] = {}
        for artifact in requested:
            labels.setdefault(artifact.owner, []).append(artifact)
        default = [label for label in labels if str(label).find("test") < 0]
        targets = Targets(labels=labels, default=default, tests=[parse_label(t) for t in tests], install=install)
        graph = build(self.actions, requested)
        wished = options or Options(workspace_name="ws", python=PYTHON, tests=TestOptions())
        context = Context(graph.generator, self.mapper, compilers, wished, SideFiles())
        result = write(graph, targets, context, regeneration)
        execroot.lay(str(self.output), self.mapper)
        result.side_files.write(str(self.output))
        (self.output / "build.ninja").write_bytes(result.text)
        return result

    def ninja(self, *words: str, status: int = 0, environment: dict[str, str] | None = None) -> str:
        """Runs ninja and returns what it prints; the exit status must be as said."""
        done = subprocess.run(
            ["ninja", "-j2", *words], cwd=self.output, text=True, capture_output=True, check=False, env=environment
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr
