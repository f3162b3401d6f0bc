"""Between the analysis of a session and what a package installs."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bazel2ninja.analysis.action import CppCompileAction, CppLinkAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.debpkg.installation import Analysed, Installation, Layout, Relinker, programs_of
from bazel2ninja.diagnostics import Diagnostic, Location, UsageError, WorkspaceError
from bazel2ninja.graph.build import BuildGraph
from bazel2ninja.labels import MAIN_REPOSITORY, PackageIdentifier, parse_label
from bazel2ninja.ninja import flags
from bazel2ninja.ninja.flags import Compilers
from bazel2ninja.ninja.paths import SIDE
from bazel2ninja.pipeline.build import TopLevel
from bazel2ninja.pipeline.session import Session
from bazel2ninja.records import dataclass

if TYPE_CHECKING:
    from bazel2ninja.debpkg.isa_levels import IsaLevel
    from bazel2ninja.debpkg.settings import Settings

# what only packages take is imported where it is used: most builds are not for packages

_DEPENDENCIES = ("deps", "exports", "interface_deps", "implementation_deps", "actual")


def read_settings(path: str) -> Settings:
    """The settings of a file; raises UsageError when it cannot be read, WorkspaceError for what is wrong in it."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        message = f"cannot be read: {(error.strerror or str(error)).lower()}"
        raise UsageError(Diagnostic(message, Location(path))) from None
    except UnicodeDecodeError:
        raise WorkspaceError(Diagnostic("is not in UTF-8", Location(path))) from None
    from bazel2ninja.debpkg import settings

    return settings.parse(path, text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Packaging:
    """What `generate` is told about installing.

    libraries: their directory below the prefix; isa: names of the processor levels that they are built for, too;
    python: versions that extension modules are built for, instead of those that the settings file says.
    """

    settings_file: str = ""
    prefix: str = ""
    libraries: str = "lib"
    version: str = ""
    isa: tuple[str, ...] = ()
    python: tuple[str, ...] = ()

    def installation(self, session: Session, targets: Sequence[TopLevel]) -> Installation:
        """What is installed: what the settings say, or every program and linked shared library of `targets`."""
        analysed = analysed_of(session)
        layout = Layout(libraries=self.libraries)
        asked = read_settings(self.settings_file) if self.settings_file else None
        if asked is not None and asked.installed_targets:
            result = self._planned(session, asked, analysed, layout)
        else:
            result = _everything(targets, analysed, layout)
        if asked is not None:
            result.by_target = None  # `check` looks at everything
        result.prefix = self.prefix
        return result

    def _planned(self, session: Session, asked: Settings, analysed: Analysed, layout: Layout) -> Installation:
        from bazel2ninja.debpkg import plan
        from bazel2ninja.debpkg.python_objects import PythonObjects
        from bazel2ninja.debpkg.python_versions import PythonVersion, chosen_versions

        session.filesystem.read(self.settings_file)  # a change makes the manifest again
        prefix = self.prefix or "/usr/local"
        versions: list[PythonVersion] = []
        if asked.extensions:
            versions = chosen_versions(self.python or asked.python, self._multiarch)
        objects = PythonObjects(lambda path: _text(session, path))
        levels = self._levels(session)
        result = plan.installation(asked, analysed, layout, prefix, self.version, levels, versions, objects)
        result.alone = not asked.targets
        return result

    def placed(self, error: WorkspaceError) -> WorkspaceError:
        """An error about a target that only the settings file names, with the place where it does."""
        if error.diagnostic.location is not None or not self.settings_file:
            return error
        with open(self.settings_file, encoding="utf-8") as file:
            lines = file.read().splitlines()
        for label in re.findall(r"'([^']+)'", error.diagnostic.message):
            for number, line in enumerate(lines, 1):
                if match := re.search(rf'"-?{re.escape(label)}["/:]', line):
                    return error.at(Location(self.settings_file, number, match.start() + 1))
        return error

    @property
    def _multiarch(self) -> str:
        name = os.path.basename(self.libraries)
        return name if name.count("-") >= 2 else f"{os.uname().machine}-linux-gnu"

    def _levels(self, session: Session) -> tuple[IsaLevel, ...]:
        from bazel2ninja.debpkg.isa_levels import levels

        wanted = levels(self.isa)
        given = Compilers.from_environment(session.request.environment)
        fixed = [word for word in (*given.cflags, *given.cxxflags) if word.startswith(("-march=", "-mcpu="))]
        if wanted and fixed:
            raise UsageError(
                Diagnostic(
                    f"the packager's flags say '{fixed[0]}', which would undo every processor level",
                    help="take it out of CFLAGS and CXXFLAGS, or leave out 'isa'",
                )
            )
        return wanted

    def check(self, session: Session, graph: BuildGraph) -> None:
        """Refuses what a package must not hold: code for the processor of whoever builds it."""
        if not self.settings_file:
            return
        dropped = read_settings(self.settings_file).dropped_flags
        general = session.configurations.target.settings
        for action in graph.actions.values():
            if not isinstance(action, CppCompileAction | CppLinkAction):
                continue
            asked = action.copts if isinstance(action, CppCompileAction) else action.flags
            for word in asked:
                if not flags.is_machine_dependent(word) or word in dropped:
                    continue
                by_option = word in (*general.copts, *general.conlyopts, *general.cxxopts, *general.linkopts)
                place = None if by_option else _line_with(session, word, action.location)
                origin = "an option of the command line or of .bazelrc" if by_option else f"'{action.owner}'"
                raise WorkspaceError(
                    Diagnostic(
                        f"{origin} asks for '{word}': the package would not run on other machines than this one",
                        place,
                        help=f'patch it away, or write dropped_flags = ["{word}"] in {self.settings_file}',
                    )
                )


def _text(session: Session, path: str) -> str | None:
    """The text of a file by exec path, or of one of the system."""
    if path.startswith("bazel-out/"):
        return None
    if os.path.isabs(path):  # not among what the manifest is made from: headers of the system are many
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError:
            return None
    inside = path.startswith("external/")
    place = os.path.join(session.request.output_root, SIDE, path) if inside else os.path.join(session.source, path)
    if not session.filesystem.is_file(place):
        return None
    return session.filesystem.read(place).decode("utf-8", "replace")


def _line_with(session: Session, word: str, rule: Location | None) -> Location | None:
    """Where a rule's file holds the word, in the rule if possible; else the rule."""
    if rule is None or not session.filesystem.is_file(rule.path):
        return rule
    lines = session.filesystem.read(rule.path).decode("utf-8", "replace").splitlines()
    holding = [number for number, line in enumerate(lines, 1) if word in line.partition("#")[0]]
    after = [number for number in holding if number >= rule.line]
    number = next(iter(after or holding), 0)
    return Location(rule.path, number, lines[number - 1].index(word) + 1) if number else rule


def _everything(targets: Sequence[TopLevel], analysed: Analysed, layout: Layout) -> Installation:
    result = Installation(by_target={})
    relinker = Relinker(analysed, {})
    try:
        for top in targets:
            if top.testonly:
                continue
            own = Installation()
            programs_of([top.target], analysed, layout, relinker, own)
            result.actions += own.actions
            for path, (artifact, mode) in own.files.items():
                result.add(artifact, path, mode)
            if own.files:
                assert result.by_target is not None
                result.by_target[top.label] = tuple(own.files)
    except WorkspaceError as error:  # building is possible all the same
        return Installation(problem=error.diagnostic.message)
    return result


def analysed_of(session: Session) -> Analysed:
    """What installing needs to know of a session."""
    configuration = session.configurations.target

    def dependencies(target: ConfiguredTarget) -> list[ConfiguredTarget]:
        if not target.is_rule:
            return []
        context = session.analyzer.context(target)
        return [dependency for name in _DEPENDENCIES for dependency in context.dependencies(name)]

    def text(artifact: Artifact) -> str:
        path = os.path.join(session.source, artifact.exec_path)
        if not artifact.is_source or not session.filesystem.is_file(path):
            return ""
        return session.filesystem.read(path).decode("utf-8", "replace")

    return Analysed(
        target=lambda label: session.analyzer.configured_target(label, configuration),
        parse=lambda text: parse_label(text, PackageIdentifier(MAIN_REPOSITORY, ""), session.workspace.mapping),
        dependencies=dependencies,
        generator=session.analyzer.generating_action,
        actions=session.analyzer.actions,
        configuration=configuration.mnemonic,
        text=text,
    )
