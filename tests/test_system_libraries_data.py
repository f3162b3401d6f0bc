"""Every overlay of a system library: well formed, and analysed against a stand-in machine that has everything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from repositories_support import write_tree
from system_library_support import StandIn

from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.pipeline.session import Request, Session
from bazel2ninja.repositories.registry import Registry
from bazel2ninja.rules.cc_info import CcInfo
from bazel2ninja.system_libraries.library import SystemLibrary, SystemLibraryTable, in_range

TABLE = SystemLibraryTable.read()
LIBRARIES = sorted(TABLE.libraries.values(), key=lambda library: library.name)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    root = tmp_path_factory.mktemp("system")
    machine = StandIn(root / "machine")
    for library in LIBRARIES:
        machine.install(library)
    write_tree(root / "src", {"WORKSPACE": "", "BUILD": ""})
    return Session(Request(source=str(root / "src"), output_root=str(root / "out"), environment=machine.environment))


def targets(session: Session, library: SystemLibrary) -> Iterator[ConfiguredTarget]:
    """Every target of the overlay, analysed."""
    root = session.workspace.label(f"@{library.repositories[0]}//:all").package
    for identifier in session.loader.packages_below(root):
        for target in session.loader.package(identifier).targets.values():
            if isinstance(target, RuleTarget):
                yield session.analyzer.configured_target(target.label, session.configurations.target)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_every_target_can_be_analysed(session: Session, library: SystemLibrary) -> None:
    found = list(targets(session, library))
    flags: list[str] = []
    for target in found:
        if target.get(CcInfo) is not None:
            for entry in target.get(CcInfo).s_linking_context.s_linker_inputs.flatten():
                flags += [str(flag) for flag in entry.s_user_link_flags]
    wanted = [f"-l{name}" for name in (*library.modules, *library.of_variants()[0].libraries)]
    assert [flag for flag in wanted if flag not in flags] == []  # each module and library is somewhere in a link
    programs = {
        target.target.label.name
        for target in found
        if isinstance(target.target, RuleTarget) and target.target.rule_class.executable
    }
    assert programs == set(library.programs)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_every_file_can_be_loaded(session: Session, library: SystemLibrary) -> None:
    for file in library.directory.rglob("*.bzl"):
        package = file.parent.relative_to(library.directory).as_posix().removeprefix(".")
        session.loader.module(session.workspace.label(f"@{library.repositories[0]}//{package}:{file.name}"))


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_data_are_well_formed(library: SystemLibrary) -> None:
    assert library.summary and library.repositories and library.packages
    assert library.modules or library.headers or library.programs  # something is verified
    assert set(library.brings) <= set(TABLE.libraries)
    assert library.name not in {each.name for each in TABLE.brought_by(library)}
    assert "{" not in "".join([*library.of_variants()[0].package_names, library.of_variants()[0].prefix])
    assert library.releases and set(library.releases) <= {"bookworm", "trixie", "sid"}
    numbered = [version for version in library.releases.values() if re.match(r"\d+\.\d|\d{4,}", version)]
    assert [version for version in numbered if not in_range(version, library.version)] == []
    assert not list(library.directory.rglob("BUILD"))  # BUILD.bazel, as everywhere here


def test_names_agree_with_the_registry() -> None:
    """A repository that the registry says Debian has as a library is served, and both mean the same by a name."""
    registry = Registry.read()
    for known in registry.known.values():
        served = {library.name for name in known.names if (library := TABLE.find([name])) is not None}
        assert len(served) == (1 if known.library else len(served)), known.name
        assert len(served) <= 1, known.name


def test_targets_follow_the_pc_files(session: Session) -> None:
    """Of a library with labels, only what is installed becomes a target, and requirements become dependencies."""
    library = next(each for each in LIBRARIES if each.labels)
    package = session.loader.package(session.workspace.label(f"@{library.repositories[0]}//:all").package)
    assert Path(package.directory, "installed.bzl").exists()
    names = {label for label, module in library.labels.items()}
    found = {f"{target.target.label.package.path}:{target.target.label.name}" for target in targets(session, library)}
    assert names <= found


def test_the_documentation_lists_every_library() -> None:
    text = (Path(__file__).resolve().parent.parent / "docs/system-libraries.md").read_text()
    listed = set(re.findall(r"(?m)^\| ([\w.-]+) \| [^|]+ \| [^|]+ \| [^|]+ \| [^|]+ \|$", text)) - {"library", "---"}
    assert listed == set(TABLE.libraries)
    versions = dict(re.findall(r"(?m)^\| ([\w.-]+) \| [^|]+ \| ([^|]+) \| [^|]+ \| [^|]+ \|$", text))
    for library in LIBRARIES:
        assert versions[library.name] == library.releases.get("bookworm", "-")
