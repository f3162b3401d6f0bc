"""What the implementation of a rule (or an aspect) works with: `ctx`, for native rules and for those of .bzl files.

https://bazel.build/rules/lib/builtins/ctx.  The Starlark face is in starlark_context.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis import executables, expansion, shell
from bazel2ninja.analysis.action import Action
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.attribute_values import AttributeValues
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.old_context import OldContext
from bazel2ninja.analysis.providers_builtin import FilesToRun, TemplateVariableInfo
from bazel2ninja.analysis.runfiles import EMPTY_SET, Runfiles, merge, runfiles_of
from bazel2ninja.analysis.starlark_context import StarlarkContext
from bazel2ninja.configuration.configuration import Configuration, Settings
from bazel2ninja.diagnostics import Diagnostic, InternalError, Note, WorkspaceError
from bazel2ninja.labels import Label, RepositoryMapping, parse_label
from bazel2ninja.loading.rule_class import Attribute, RuleClass
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.loading.transition import AspectClass
from bazel2ninja.records import replace

if TYPE_CHECKING:
    from bazel2ninja.analysis.analyzer import Analyzer
    from bazel2ninja.analysis.dependencies import Dependency
    from bazel2ninja.analysis.subrules import SubruleContext
    from bazel2ninja.analysis.toolchains import ToolchainContext

NO_VARIABLES: Mapping[str, str] = MappingProxyType({})

_LOCATION_ATTRIBUTES = (
    *("srcs", "deps", "implementation_deps", "data", "tools", "exec_tools", "hdrs", "textual_hdrs"),
    *("additional_compiler_inputs", "additional_linker_inputs"),
)


class RuleContext(StarlarkContext, OldContext):
    """One rule in one configuration while its implementation runs (and what remains of it for aspects).

    values: attribute name -> resolved value.  aspect, rule: set when an aspect runs; `rule` is the context of the rule
    that it is applied to.  prerequisites: attribute -> its dependencies, in order.
    """

    def __init__(
        self,
        analyzer: Analyzer,
        target: RuleTarget,
        configuration: Configuration,
        values: AttributeValues,
        *,
        aspect: AspectClass | None = None,
        aspect_path: tuple[Any, ...] = (),
        rule: RuleContext | None = None,
    ):
        self.analyzer = analyzer
        self.target = target
        self.label: Label = target.label
        self.configuration = configuration
        self.values = values
        self.aspect = aspect
        self.aspect_path = aspect_path
        self.rule = rule
        self.prerequisites: dict[str, list[Dependency]] = {}
        self.rule_prerequisites: dict[str, list[Dependency]] = {}
        self.toolchain_contexts: dict[str, ToolchainContext] = {}
        self.declared: dict[Artifact, None] = {}
        self.generated: dict[Artifact, None] = {}
        self._pending: list[Action | Callable[[], Action]] = []
        self._finished = False
        self.unfit: WorkspaceError | None = None  # what a dependency lacks that stands for an absent one
        self.failures: list[WorkspaceError] = []  # of its own, where it may fail
        self._locations: dict[bool, expansion.LocationExpander] = {}
        self._template_variables: dict[str, str] | None = None
        self._tools: dict[Artifact, FilesToRun] | None = None
        self.running_rule_class: RuleClass = target.rule_class  # a parent of it in a call of ctx.super()
        self._running_subrule: SubruleContext | None = None

    # What it is.

    @property
    def definition(self) -> RuleClass | AspectClass:
        """The rule kind, or the aspect."""
        return self.aspect or self.target.rule_class

    @property
    def kind(self) -> str:
        """Name of the rule kind."""
        return self.target.rule_class.name

    @property
    def settings(self) -> Settings:
        return self.configuration.settings

    @property
    def workspace_name(self) -> str:
        """Name of the main repository's directory in runfiles trees."""
        return self.analyzer.workspace_name

    @property
    def testonly(self) -> bool:
        return self.target.is_testonly

    @property
    def is_finished(self) -> bool:
        """Whether the implementation has returned."""
        return self._finished

    def features(self) -> tuple[str, ...]:
        """Features asked for ("-" in front: against) by the command line, the package and the target, in that order."""
        defaults = self.target.package_defaults
        package = defaults.features if defaults is not None else ()
        own = self.values.get("features", ())
        return tuple(dict.fromkeys((*self.settings.features, *package, *own)))

    @property
    def repository_mapping(self) -> RepositoryMapping:
        """What repository names mean in the target's package."""
        return self.analyzer.loader.mapping(self.label.repository)  # type: ignore[no-any-return]

    @property
    def running_subrule(self) -> SubruleContext | None:
        """The context of the innermost subrule that runs; while one does, Starlark code cannot use this one."""
        return self._running_subrule

    @running_subrule.setter
    def running_subrule(self, value: SubruleContext | None) -> None:
        self._running_subrule = value
        self.__class__ = RuleContext if value is None else LockedRuleContext

    @property
    def may_fail(self) -> bool:
        """Whether a failure of the target's analysis is something that dependents see: --allow_analysis_failures."""
        return dict(self.settings.other).get("allow_analysis_failures", False) is True

    @property
    def uses_automatic_exec_groups(self) -> bool:
        """Whether each toolchain has an execution group: --incompatible_auto_exec_groups, or an attribute says so."""
        name = "_use_auto_exec_groups"
        if name in self.values:
            return bool(self.values[name])
        return dict(self.settings.other).get("incompatible_auto_exec_groups", False) is True

    # Attributes and dependencies.

    def has_attribute(self, name: str) -> bool:
        """Whether the rule kind has the attribute."""
        return name in self.values

    def attribute(self, name: str) -> Any:
        """The value of an attribute in this configuration: plain Python data, labels as `Label`, lists as tuples.

        Raises InternalError for one that the rule kind lacks or declares irrelevant.
        """
        try:
            value = self.values[name]
        except KeyError:
            raise InternalError(f"{self.kind} has no attribute '{name}'") from None
        if self.schema(name).irrelevant is not None and self.target.rule_class.native:
            raise InternalError(f"attribute '{name}' of {self.kind} is read but declared irrelevant")
        return value

    def schema(self, name: str) -> Attribute:
        """The declaration of an attribute."""
        return self.values.attributes[name]

    def is_explicit(self, name: str) -> bool:
        """Whether the BUILD file gives the attribute a value."""
        return self.values.is_explicit(name)

    def dependencies(self, name: str) -> tuple[ConfiguredTarget, ...]:
        """The targets of an attribute, in order (of the keys or values of a dict, too)."""
        return tuple(dependency.target for dependency in self.prerequisites.get(name, ()))

    def dependency(self, name: str) -> ConfiguredTarget | None:
        """The target of a single-label attribute, or None."""
        group = self.prerequisites.get(name)
        return group[0].target if group else None

    def files(self, name: str) -> tuple[Artifact, ...]:
        """The files of an attribute's targets, in order, each once."""
        found: dict[Artifact, None] = {}
        for dependency in self.prerequisites.get(name, ()):
            found.update(dict.fromkeys(dependency.target.files.flatten()))
        return tuple(found)

    # Files.

    def package_path(self, path: str) -> str:
        """`path`, relative to the package, as it stands below the directory of generated files."""
        directory = self.label.package.exec_path
        return f"{directory}/{path}" if directory else path

    def declare(self, path: str, *, directory: bool = False, symlink: bool = False) -> Artifact:
        """A file that an action of this target will make, at `path` relative to the package."""
        return self.declare_below(self.package_path(path), directory=directory, symlink=symlink)

    def declare_below(self, path: str, *, directory: bool = False, symlink: bool = False) -> Artifact:
        """The same, at `path` relative to the directory of generated files."""
        artifact = self.analyzer.artifact(self.configuration, path, self.label, directory=directory, symlink=symlink)
        self.declared[artifact] = None
        return artifact

    def output(self, label: Label) -> Artifact:
        """The file of an output label of this rule (attribute or outputs = ...)."""
        path = self.package_path(label.name)
        return self.analyzer.artifact(self.configuration, path, self.label)

    def default_executable(self) -> Artifact:
        """The file that an executable rule makes when it names no other: it has the target's name."""
        return self.output(self.label)

    def outputs(self, name: str) -> tuple[Artifact, ...]:
        """The files of an output attribute, or of a key of outputs = ..., in order."""
        return tuple(self.output(label) for label in self.target.outputs.get(name, ()))

    def source_artifact(self, label: Label) -> Artifact:
        return self.analyzer.source_artifact(label)

    def identity(self, mnemonic: str) -> dict[str, Any]:
        """The fields that every action of the target has."""
        return {
            "mnemonic": mnemonic,
            "owner": self.label,
            "configuration": self.configuration.mnemonic,
            "location": self.target.location,
        }

    def register(self, action: Action | Callable[[], Action], outputs: Sequence[Artifact] | None = None) -> None:
        """Adds an action, or what makes one when the implementation has ended (then `outputs` says what it makes)."""
        if self._finished:
            raise InternalError(f"an action of {self.label} is registered after its analysis")
        if outputs is None:
            assert isinstance(action, Action)
            outputs = action.outputs
        for output in outputs:
            if output in self.generated:
                raise self.error(f"file '{output.exec_path}' is generated by two actions of the same rule")
            self.generated[output] = None
        self._pending.append(action)

    def flush(self) -> None:
        """Hands the actions to the analyzer, in the order registered."""
        pending, self._pending = self._pending, []
        for action in pending:
            self.analyzer.register(action if isinstance(action, Action) else action())

    def finish(self) -> None:
        """From now on no action can be made."""
        self._finished = True
        self._pending = []

    # Text.

    def parse_label(self, text: str) -> Label:
        """The label that `text` means in the target's package; raises LabelSyntaxError."""
        return parse_label(text, self.label.package, self.repository_mapping)

    def location_files(self) -> dict[Label, tuple[Artifact, ...]]:
        """What $(location) can name: label -> files; of an executable in tools, data and deps only the program."""
        found: dict[Label, dict[Artifact, None]] = {}
        for labels in self.target.outputs.values():
            for label in labels:
                found.setdefault(label, {})[self.output(label)] = None
        for name in _LOCATION_ATTRIBUTES:
            for dependency in self.prerequisites.get(name, ()):
                target = dependency.target
                files: Iterable[Artifact] = target.files.flatten()
                if name != "srcs" and target.is_rule and target.executable is not None:
                    files = (target.executable,)
                found.setdefault(dependency.label, {}).update(dict.fromkeys(files))
        return {label: tuple(files) for label, files in found.items()}

    def location_expander(
        self, targets: Iterable[ConfiguredTarget] = (), *, runfiles: bool = False
    ) -> expansion.LocationExpander:
        """Knows what $(location) means here; `targets` adds further ones."""
        targets = tuple(targets)
        if not targets and runfiles in self._locations:
            return self._locations[runfiles]
        files = self.location_files()
        for target in targets:
            files.setdefault(target.label, target.files.flatten())
        made = expansion.LocationExpander(
            files,
            self.parse_label,
            self.workspace_name,
            runfiles=runfiles,
            legacy_external=dict(self.settings.other).get("legacy_external_runfiles", False) is True,
        )
        if not targets:
            self._locations[runfiles] = made
        return made

    def variable(self, name: str) -> str:
        """The value of a "Make" variable; raises WorkspaceError when it is not defined."""
        value = self.find_variable(name)
        if value is None:
            raise WorkspaceError(Diagnostic(f"$({name}) not defined"))
        return value

    def find_variable(self, name: str) -> str | None:
        """The same, None when it is not defined: from `toolchains`, then of the configuration."""
        return self.template_variables().get(name) or self.analyzer.variables(self.configuration).get(name)

    def template_variables(self) -> Mapping[str, str]:
        """What the targets of the attribute `toolchains`, and the resolved toolchains, define."""
        if self._template_variables is None:
            found: dict[str, str] = {}
            for name in ("toolchains", "_cc_toolchain", "$cc_toolchain", ":cc_toolchain"):
                for target in self.dependencies(name):
                    info = target.get(TemplateVariableInfo)
                    if info is not None:
                        found.update(info.s_variables)
            for context in self.toolchain_contexts.values():
                found.update(context.template_variables)
            self._template_variables = found
        return self._template_variables

    def all_variables(self) -> dict[str, str]:
        """Every "Make" variable: ctx.var."""
        return {**self.analyzer.variables(self.configuration), **self.template_variables()}

    def expand(
        self,
        text: str,
        attribute: str | None = None,
        *,
        extra_variables: Mapping[str, str] | Callable[[str], str | None] = NO_VARIABLES,
        locations: bool = True,
        runfiles: bool = False,
    ) -> str:
        """`text` with $(location ...) and "Make" variables replaced and $$ as $, in one pass.

        extra_variables: name -> value, or a function that gives None for names that it does not know.
        attribute: where `text` stands, for messages.  Raises WorkspaceError with Bazel's wording.
        """
        if "$" not in text:
            return text
        extra = extra_variables if callable(extra_variables) else extra_variables.get

        def variable(name: str) -> str:
            value = extra(name)
            return self.variable(name) if value is None else value

        try:
            return expansion.expand(text, variable, self.location_expander(runfiles=runfiles) if locations else None)
        except WorkspaceError as error:
            raise self.error(error.diagnostic, attribute) from None

    def expand_locations(self, text: str, attribute: str | None = None, *, runfiles: bool = False) -> str:
        """`text` with $(location ...) replaced and nothing else."""
        try:
            return self.location_expander(runfiles=runfiles).expand(text)
        except WorkspaceError as error:
            raise self.error(error.diagnostic, attribute) from None

    def tokenize(self, text: str, attribute: str | None = None) -> tuple[str, ...]:
        """The words of `text` as a Bourne shell splits it."""
        try:
            return shell.tokenize(text)
        except WorkspaceError as error:
            raise self.error(error.diagnostic, attribute) from None

    def expand_and_tokenize(self, attribute: str, *, runfiles: bool = False) -> tuple[str, ...]:
        """The words of a list attribute, each expanded and split."""
        return tuple(
            word
            for text in self.attribute(attribute)
            for word in self.tokenize(self.expand(text, attribute, runfiles=runfiles), attribute)
        )

    # Toolchains, tools and runfiles.

    def toolchain(self, type: Label) -> Any:
        """The ToolchainInfo of a toolchain type that the rule kind asks for; None for an absent optional one."""
        return self.toolchain_contexts[""].find(type)

    def files_to_run(self, executable: Artifact) -> FilesToRun | None:
        """How to run the program of an executable dependency, None when `executable` is no such program."""
        if self._tools is None:
            self._tools = {}
            for group in self.prerequisites.values():
                for dependency in group:
                    run = dependency.target.files_to_run
                    if run.executable is not None and run.manifest is not None:
                        self._tools[run.executable] = run
        return self._tools.get(executable)

    def runfiles(
        self,
        files: Iterable[Artifact] = (),
        *,
        transitive_files: Depset | None = None,
        collect_data: bool = False,
        collect_default: bool = False,
        symlinks: Mapping[str, Artifact] | Depset = EMPTY_SET,
        root_symlinks: Mapping[str, Artifact] | Depset = EMPTY_SET,
    ) -> Runfiles:
        """Runfiles of these files; collect_data, collect_default: also those of `data`, `deps` and `srcs`."""
        parts = [runfiles_of(files, () if transitive_files is None else (transitive_files,), symlinks, root_symlinks)]
        for name in ("srcs", "deps", "data") if collect_data or collect_default else ():
            for target in self.dependencies(name):
                if name == "data":
                    given = target.data_runfiles
                    parts.append(given)
                    if collect_data or given.is_empty:
                        parts.append(runfiles_of(transitive=(target.files,)))
                    if given.is_empty:
                        parts.append(target.default_runfiles)
                    continue
                if collect_data:
                    parts.append(target.data_runfiles)
                if collect_default and (not collect_data or target.default_runfiles is not target.data_runfiles):
                    parts.append(target.default_runfiles)
        return merge(parts)

    def executable_target(
        self, artifact: Artifact, runfiles: Runfiles | None = None, files: Depset | None = None
    ) -> list[Any]:
        """The providers of an executable or test; see executables.executable_target."""
        return [executables.executable_target(self, artifact, runfiles, files)]

    # Errors.

    def error(self, message: str | Diagnostic, attribute: str | None = None) -> WorkspaceError:
        """An error located at the target, in Bazel's form: in ATTRIBUTE attribute of KIND rule LABEL: MESSAGE."""
        given = message if isinstance(message, Diagnostic) else Diagnostic(message)
        where = f"in {attribute} attribute of {self.kind} rule" if attribute else f"in {self.kind} rule"
        return WorkspaceError(
            replace(
                given,
                message=f"{where} {self.label}: {given.message}",
                location=given.location or self.target.location,
                frames=given.frames or self.target.frames,
            )
        )

    def located(self, error: WorkspaceError) -> WorkspaceError:
        """`error` with the place of this target, as its own where it has none or one that nobody wrote."""
        first = error.diagnostic
        defined = self.target.rule_class.defined_in if self.aspect is None else None
        ours = defined is not None and self.analyzer.loader.is_built_in(defined.repository)
        if first.location is None or ours:
            kind = "" if ours and self.kind.startswith("_") else f"{self.kind} "
            placed = replace(
                first,
                message=f"in {kind}rule {self.label}: {first.message}",
                location=self.target.location,
                frames=() if ours else self.target.frames,
            )
        else:
            what = (
                f"in aspect {self.aspect.name} on {self.label}" if self.aspect else f"in {self.kind} rule {self.label}"
            )
            if str(self.label) in first.message or any(note.message == what for note in first.notes):
                return error
            placed = replace(first, notes=(*first.notes, Note(what, self.target.location)))
        error.diagnostics = (placed, *error.diagnostics[1:])
        return error


class LockedRuleContext(RuleContext):
    """A rule's context while a subrule runs: what Starlark code sees of it is an error."""

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("s_"):
            self.check_open(name.removeprefix("s_"))
        return super().__getattribute__(name)
