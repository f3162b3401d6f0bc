"""Between the analysis of a session and what a package installs."""

from __future__ import annotations

import os
from collections.abc import Sequence

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.debpkg import plan, settings
from bazel2ninja.debpkg.installation import Analysed, Installation, Layout, Relinker, programs_of
from bazel2ninja.diagnostics import Diagnostic, Location, UsageError, WorkspaceError
from bazel2ninja.labels import MAIN_REPOSITORY, PackageIdentifier, parse_label
from bazel2ninja.pipeline.build import TopLevel
from bazel2ninja.pipeline.session import Session
from bazel2ninja.records import dataclass

_DEPENDENCIES = ("deps", "exports", "interface_deps", "implementation_deps", "actual")


def read_settings(path: str) -> settings.Settings:
    """The settings of a file; raises UsageError when it cannot be read, WorkspaceError for what is wrong in it."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        message = f"cannot be read: {(error.strerror or str(error)).lower()}"
        raise UsageError(Diagnostic(message, Location(path))) from None
    except UnicodeDecodeError:
        raise WorkspaceError(Diagnostic("is not in UTF-8", Location(path))) from None
    return settings.parse(path, text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Packaging:
    """What `generate` is told about installing.  libraries: their directory below the prefix."""

    settings_file: str = ""
    prefix: str = ""
    libraries: str = "lib"
    version: str = ""

    def installation(self, session: Session, targets: Sequence[TopLevel]) -> Installation:
        """What is installed: what the settings say, or every program and linked shared library of `targets`."""
        analysed = _analysed(session)
        layout = Layout(libraries=self.libraries)
        asked = read_settings(self.settings_file) if self.settings_file else settings.Settings()
        if asked.libraries or asked.programs or asked.install:
            session.filesystem.read(self.settings_file)  # a change makes the manifest again
            result = plan.installation(asked, analysed, layout, self.prefix or "/usr/local", self.version)
            result.alone = not asked.targets
        else:
            result = _everything(targets, analysed, layout)
        result.prefix = self.prefix
        return result


def _everything(targets: Sequence[TopLevel], analysed: Analysed, layout: Layout) -> Installation:
    result = Installation()
    try:
        plain = [top.target for top in targets if not top.testonly]
        programs_of(plain, analysed, layout, Relinker(analysed, {}), result)
    except WorkspaceError as error:  # building is possible all the same
        return Installation(problem=error.diagnostic.message)
    return result


def _analysed(session: Session) -> Analysed:
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
