"""What the build does, as values: an action reads inputs and writes outputs.

All paths are Bazel's execution paths; ninja/ decides how they are spelt on disk.  Mnemonics are Bazel's.  An action is
frozen: the analysis makes it, the graph arranges it, sinks read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.vectors import vector_words
from bazel2ninja.diagnostics import Location
from bazel2ninja.labels import Label
from bazel2ninja.records import dataclass, field

NO_ENVIRONMENT: Mapping[str, str] = MappingProxyType({})


def _no_environment() -> Mapping[str, str]:
    return NO_ENVIRONMENT  # as a default itself it is refused before Python 3.12: no hash


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Action:
    """`inputs`: direct files, tools included; `input_sets`: Depsets of Artifacts, shared by actions, not flattened.

    configuration: name of the output directory's configuration, such as "k8-fastbuild".
    """

    mnemonic: str
    owner: Label
    configuration: str
    outputs: tuple[Artifact, ...]
    inputs: tuple[Artifact, ...] = ()
    input_sets: tuple[object, ...] = ()
    location: Location | None = None
    progress_message: str = ""

    @property
    def primary_output(self) -> Artifact:
        return self.outputs[0]

    def all_inputs(self) -> tuple[Artifact, ...]:
        """Every input, in order, each once (flattens the depsets)."""
        found = dict.fromkeys(self.inputs)
        for group in self.input_sets:
            found.update(dict.fromkeys(group.flatten()))  # type: ignore[attr-defined]
        return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class DirectoryWords:
    """A part of a command line that depends on what directories will hold.

    values: words, and directories (artifacts), which stand for the files in them, by path.  vector: the arguments of
    `vectors.vector_words`.
    """

    values: tuple[str | Artifact, ...]
    vector: Mapping[str, Any]

    def unexpanded(self) -> list[str]:
        """The words with each directory for itself, as aquery prints them."""
        texts = (value if isinstance(value, str) else value.exec_path for value in self.values)
        return vector_words(texts, **self.vector)


Words = tuple[str | DirectoryWords, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ParameterFile:
    """A part of a command line that goes into a file, named on the command line by `argument` with "%s" for its path.

    format: "shell" (one quoted argument a line), "multiline" (one raw argument a line) or "flag_per_line".
    """

    arguments: Words
    argument: str = "@%s"
    format: str = "shell"
    always: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SpawnAction(Action):
    """Runs a program in the execution root: genrule, ctx.actions.run, run_shell, protoc ...

    arguments: the whole command line, the program first; `tools`: inputs that are executed (with their runfiles trees).
    """

    arguments: tuple[str | DirectoryWords | ParameterFile, ...]
    environment: Mapping[str, str] = field(default_factory=_no_environment)
    use_default_shell_environment: bool = False
    execution_requirements: Mapping[str, str] = field(default_factory=_no_environment)
    tools: tuple[Artifact, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MapDirectoryAction(SpawnAction):
    """Fills the directories `outputs` by actions that a function makes once it sees what other directories hold.

    file, function: the .bzl file and the name of the function; digest: of the file and of all that it loads.
    parameters: what the function is called with, parameter -> key -> file, FilesToRun, Depset of files or plain value.
    """

    file: Label
    function: str
    digest: str
    parameters: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WriteAction(Action):
    """FileWrite: `content` is known at analysis time, or words of which some depend on directories among `inputs`.

    content_format: of such words, as of Args.set_param_file_format.
    """

    content: str | Words
    content_format: str = "shell"
    executable: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TemplateAction(Action):
    """TemplateExpand: inputs[0] is the template; every key is replaced by its value, in order."""

    substitutions: tuple[tuple[str, str], ...]
    executable: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SymlinkAction(Action):
    """Symlink, SolibSymlink: outputs[0] -> inputs[0], or a dangling/absolute `target` text."""

    target: str | None = None
    executable: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CppCompileAction(Action):
    """One object.  Directories and defines in the order in which Bazel puts them on the command line.

    source is inputs[0]; headers that actions make are in `input_sets`; source headers are left to the depfile.
    `copts` is what the project asks for after the toolchain's own flags: of features, --copt, --per_file_copt and the
    attribute copts; without local defines.
    """

    source: Artifact
    language: str  # "c", "c++", "assembler", "assembler-with-cpp"
    quote_includes: tuple[str, ...] = ()  # -iquote
    includes: tuple[str, ...] = ()  # -I
    system_includes: tuple[str, ...] = ()  # -isystem
    framework_includes: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()  # defines, then local_defines, without -D
    toolchain_flags: tuple[str, ...] = ()  # the toolchain's own, see the toolchain description data
    copts: tuple[str, ...] = ()
    last_flags: tuple[str, ...] = ()  # the toolchain's own that stand after copts
    pic: bool = True
    environment: Mapping[str, str] = field(default_factory=_no_environment)
    program: str = ""  # exec path or absolute path of the compiler, "" for that of the environment
    program_files: tuple[object, ...] = ()  # Depsets that it consists of, among `input_sets`

    @property
    def object(self) -> Artifact:
        return self.outputs[0]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CppArchiveAction(Action):
    """A static library; `members` are its objects, in order."""

    members: tuple[Artifact, ...]
    program: str = ""  # as of CppCompileAction
    environment: Mapping[str, str] = field(default_factory=_no_environment)


@dataclass(frozen=True, slots=True, eq=False)
class LinkItem:
    """One input of a link.

    kind: "object", "archive", "whole_archive", "shared" (a path), "shared_as_needed" (the same, left out when nothing
    of it is used), "lib" (-lNAME in a solib).
    """

    artifact: Artifact
    kind: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CppLinkAction(Action):
    """An executable or shared library.  `items` in link order; `flags`: user link flags in their order, after items."""

    kind: str  # "executable", "dynamic_library" (of a cc_library), "nodeps_dynamic_library", "shared" (linkshared = 1)
    items: tuple[LinkItem, ...]
    flags: tuple[str, ...] = ()
    toolchain_flags: tuple[str, ...] = ()  # before the items
    last_flags: tuple[str, ...] = ()  # the toolchain's own that stand after `flags`
    runtime_directories: tuple[str, ...] = ()  # rpath entries relative to $ORIGIN
    version_scripts: tuple[Artifact, ...] = ()
    soname: str | None = None
    program: str = ""  # as of CppCompileAction
    environment: Mapping[str, str] = field(default_factory=_no_environment)
    lazy_for_tools: tuple[Artifact, ...] = ()  # archives taken whole, but not with --host_features for --features

    @property
    def output(self) -> Artifact:
        return self.outputs[0]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RunfilesTreeAction(Action):
    """SymlinkTree: outputs[0] is the MANIFEST of the tree at its directory; `entries` maps runfiles paths to files.

    None as file: an empty file.  Paths start with the workspace's name.
    """

    entries: Mapping[str, Artifact | None]
    directory: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TestAction(Action):
    """Runs the test `executable`; `environment` is what the target adds to the test's environment."""

    __test__: ClassVar[bool] = False  # pytest takes classes of such a name for tests

    executable: Artifact
    runfiles_directory: str
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=_no_environment)
    inherited_environment: tuple[str, ...] = ()
    size: str = "medium"
    timeout: str = "moderate"
    shard_count: int = 0
    tags: tuple[str, ...] = ()
    flaky: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FailAction(Action):
    """Fails with `message` when something needs its outputs."""

    message: str
