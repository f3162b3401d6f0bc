"""A package under construction: what the statements of a BUILD file add to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product

from bazel2ninja.diagnostics import Diagnostic, Location, Note, WorkspaceError, suggestion
from bazel2ninja.labels import Label, LabelSyntaxError, PackageIdentifier, check_target_name
from bazel2ninja.loading.attributes import LabelConverter, convert, labels_in
from bazel2ninja.loading.call_sites import CallSites
from bazel2ninja.loading.globber import Globber
from bazel2ninja.loading.macro_scope import MacroScope
from bazel2ninja.loading.repository_placeholder import find_placeholder, texts_in
from bazel2ninja.loading.rule_class import RuleClass
from bazel2ninja.loading.select import SelectList
from bazel2ninja.loading.target import (
    PUBLIC,
    OutputFile,
    Package,
    PackageDefaults,
    RuleTarget,
    SourceFile,
    Target,
    Visibility,
)
from bazel2ninja.loading.visibility import parse_visibility
from bazel2ninja.records import replace
from bazel2ninja.starlark import (
    EvalError,
    Semantics,
    call_stack,
    current_thread,
    function_parameters,
    is_starlark_function,
    to_repr,
    to_starlark,
    type_name,
)

_PLACEHOLDER = re.compile(r"%\{([^}]*)\}|%%")


class PackageBuilder:
    """Collects the targets of one package while its BUILD file runs.

    Errors of single rules are kept, so that one run shows all of them; `finish` raises them.
    """

    def __init__(
        self,
        identifier: PackageIdentifier,
        build_file: Label,
        directory: str,
        labels: LabelConverter,
        globber: Globber,
        sites: CallSites,
        semantics: Semantics,
        defaults: PackageDefaults,
    ):
        self.identifier = identifier
        self.build_file = build_file
        self.directory = directory
        self.labels = labels
        self.globber = globber
        self.sites = sites
        self.semantics = semantics
        self.defaults = defaults
        self.targets: dict[str, Target] = {}
        self.errors: list[Diagnostic] = []
        self.absent: dict[str, Diagnostic] = {}
        self._absent_files: dict[str, Diagnostic] = {}  # texts in calls of what is not there
        self.package_called: Location | None = None
        self.default_visibility: tuple[Label, ...] = ()  # as package() writes it
        self.macro: MacroScope | None = None
        self.scopes: dict[str, MacroScope] = {}
        self.called_from: tuple[tuple[Location, str], ...] = ()  # the stack of a finalizer's call, which runs later
        self.module: tuple[str, str] | None = None  # (name, version) of the bzlmod module that the repository is
        self.finalizers: list[Callable[[], None]] = []
        self._add_source(build_file.name, Visibility(public=True), Location(sites.path, 1, 1))

    # Rules.

    def add_rule(self, rule_class: RuleClass, arguments: Mapping[str, object]) -> None:
        """Declares a rule; a mistake in it is kept for `finish`."""
        frames = (*self.called_from, *call_stack())
        try:
            self._add_rule(rule_class, arguments, frames)
        except WorkspaceError as problem:
            placeholder = find_placeholder(list(arguments.values()))
            if placeholder is not None and isinstance(arguments.get("name"), str):
                self.add_absent(str(arguments["name"]), placeholder.error(), dict(arguments))
                return
            first = problem.diagnostic
            if first.frames:  # an initializer or outputs function failed, with a stack of its own
                first = replace(first, frames=(*frames, *first.frames))
            else:
                first = replace(first, location=first.location or frames[-1][0], frames=frames)
            self.errors.append(first)

    def _add_rule(
        self, rule_class: RuleClass, arguments: Mapping[str, object], frames: tuple[tuple[Location, str], ...]
    ) -> None:
        kind = rule_class.name
        name = self._target_name(kind, arguments)
        if rule_class.initializer is not None or rule_class.parent is not None:
            arguments = self._initialized(rule_class, arguments)
        label = Label(self.identifier, name)
        schema = rule_class.attributes
        labels = self.labels
        values: dict[str, object] = {}
        for key, given in arguments.items():
            attribute = schema.get(key)
            if attribute is None or attribute.is_private:
                raise self._unknown_attribute(rule_class, key, frames)
            if given is None:
                continue
            value = convert(given, attribute, labels, kind, name)
            if value is not None:
                values[key] = value
        values["name"] = name
        for required in rule_class.mandatory_attributes:
            if required not in values:
                raise EvalError(f"missing value for mandatory attribute '{required}' in '{kind}' rule")
        target = RuleTarget(
            label,
            rule_class,
            values,
            self._visibility(values),
            frames,
            package_defaults=self.defaults,
            generator_function=self._generator(frames),
            sites=self.sites,
        )
        outputs = self._outputs(target)
        self._check_free(name, target, frames[0][0])
        self.targets[name] = target
        if self.macro is not None:
            self.scopes[name] = self.macro
        if outputs:
            target.outputs = outputs
            self._add_outputs(target)

    def _generator(self, frames: tuple[tuple[Location, str], ...]) -> str:
        """The function that the BUILD file calls, "" when it calls the rule."""
        scope = self.macro
        while scope is not None:
            if scope.called_by_file and scope.parent is None:
                return scope.kind
            scope = scope.parent
        return frames[1][1] if len(frames) > 1 else ""

    def _target_name(self, kind: str, arguments: Mapping[str, object]) -> str:
        name = arguments.get("name")
        if name is None:
            raise EvalError(f"{kind} rule has no 'name' attribute")
        if not isinstance(name, str):
            raise EvalError(
                f"expected value of type 'string' for attribute 'name' in '{kind}' rule,"
                f" but got {to_repr(name)} ({type_name(name)})"
            )
        try:
            check_target_name(name, name)
        except LabelSyntaxError as problem:
            raise EvalError(f"invalid target name {name!r} of a {kind} rule: {problem.diagnostic.message}") from None
        if self.macro is not None:
            self.macro.check_name(name, kind)
        return name

    def _unknown_attribute(
        self, rule_class: RuleClass, key: str, frames: tuple[tuple[Location, str], ...]
    ) -> WorkspaceError:
        where = self.sites.keyword(frames[-1][0], key) if len(frames) == 1 else None
        return EvalError(
            Diagnostic(
                f"no such attribute '{key}' in '{rule_class.name}' rule",
                where,
                help=suggestion(key, rule_class.public_attributes()),
                length=len(key) if where else 0,
            )
        )

    def _initialized(self, rule_class: RuleClass, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """The arguments after the initializers of the kind and of those that it extends."""
        result = dict(arguments)
        current: RuleClass | None = rule_class
        while current is not None:
            if current.initializer is not None:
                given = {
                    key: self._lifted(current, key, value)
                    for key, value in result.items()
                    if key in current.attributes and (key == "name" or key in current.own_attributes)
                }
                changed = current_thread().call(current.initializer, (), given)
                if changed is not None and not isinstance(changed, dict):
                    raise EvalError(f"initializer of '{rule_class.name}' returned {type_name(changed)}, want 'dict'")
                result.update(changed or {})
            current = current.parent
        return result

    def _lifted(self, rule_class: RuleClass, key: str, value: object) -> object:
        """A value as an initializer sees it: label texts are labels of this package by then."""
        attribute = rule_class.attributes[key]
        if value is None or not attribute.type.is_dependency or isinstance(value, SelectList):
            return value
        converted = convert(value, attribute, self.labels, rule_class.name)
        return to_starlark(list(converted) if isinstance(converted, tuple) else converted)

    def _visibility(self, values: Mapping[str, object]) -> Visibility:
        written = values.get("visibility")
        if self.macro is not None:  # the package that defines the macro sees it in any case
            given = parse_visibility(written or ())  # type: ignore[arg-type]
            return given if given.public else replace(given, packages=(*given.packages, (self.macro.defined_in, False)))
        return self.defaults.visibility if written is None else parse_visibility(written)  # type: ignore[arg-type]

    # Outputs.

    def _outputs(self, target: RuleTarget) -> dict[str, tuple[Label, ...]]:
        rule_class = target.rule_class
        found: dict[str, tuple[Label, ...]] = {}
        for name in rule_class.output_attributes:
            value = target.attributes.get(name)
            if value is not None:
                found[name] = value if isinstance(value, tuple) else (value,)
        templates = rule_class.outputs
        if not templates:
            return found
        if is_starlark_function(templates):
            wanted = {name: self._output_argument(target, name) for name in function_parameters(templates)}
            templates = current_thread().call(templates, (), wanted)
        elif callable(templates):
            templates = templates(target)
        if not isinstance(templates, Mapping):
            raise EvalError(
                f"outputs of '{rule_class.name}' rule: expected a dict of templates, but got {type_name(templates)}"
            )
        for name, template in templates.items():
            if not isinstance(template, str):
                raise EvalError(f"outputs of '{rule_class.name}' rule: got {type_name(template)}, want a string")
            found[name] = tuple(self._output_label(text) for text in self._expand_template(target, template))
        return found

    def _output_label(self, text: str) -> Label:
        if text.startswith("@"):  # from the name of a target: macros make such names of the labels of others
            check_target_name(text, text)
            return Label(self.identifier, text)
        label = self.labels(text)
        if label.package is not self.identifier:
            raise EvalError(f"label '{label}' is not in the current package")
        return label

    def _output_argument(self, target: RuleTarget, name: str) -> object:
        if name not in target.rule_class.attributes:
            raise EvalError(
                f"attribute '{name}' either doesn't exist or uses a select() (i.e. could have multiple values)"
            )
        value = target.value(name)
        if isinstance(value, SelectList):
            raise EvalError(
                f"attribute '{name}' either doesn't exist or uses a select() (i.e. could have multiple values)"
            )
        return to_starlark(list(value) if isinstance(value, tuple) else value)

    def _expand_template(self, target: RuleTarget, template: str) -> list[str]:
        """All names that a template such as "%{name}.h" makes."""
        names = [match.group(1) for match in _PLACEHOLDER.finditer(template) if match.group(1) is not None]
        choices = [self._template_values(target, name, template) for name in names]
        found: dict[str, None] = {}
        for combination in product(*choices):
            values = iter(combination)
            found[_PLACEHOLDER.sub(lambda m: next(values) if m.group(1) is not None else "%", template)] = None  # noqa: B023
        return list(found)

    def _template_values(self, target: RuleTarget, name: str, template: str) -> list[str]:
        own = target.label.name
        if name == "name":
            return [own]
        if name == "dirname":
            return [own.rpartition("/")[0] + "/" if "/" in own else ""]
        if name == "basename":
            return [own.rpartition("/")[2]]
        attribute = target.rule_class.attributes.get(name)
        value = target.value(name) if attribute is not None else None
        if attribute is None or isinstance(value, SelectList):
            raise EvalError(
                f"for attribute 'outputs' in '{target.rule_class.name}' rule: invalid placeholder(s) in template"
                f" {template!r}: '%{{{name}}}'"
            )
        if isinstance(value, tuple):
            return [item.name if isinstance(item, Label) else str(item) for item in value]
        if value is None:
            return []
        return [value.name if isinstance(value, Label) else str(value)]

    def _add_outputs(self, target: RuleTarget) -> None:
        own = target.label.name
        seen: set[Label] = set()
        for labels in target.outputs.values():
            for label in labels:
                if label in seen:
                    raise EvalError(f"output file '{label.name}' is named more than once in rule '{own}'")
                seen.add(label)
                if label.name == own:
                    continue  # a rule may make a file of its own name; the label then means the rule
                output = OutputFile(label, target.label, target.location, target.visibility)
                existing = self.targets.get(label.name)
                if existing is not None:
                    raise EvalError(
                        Diagnostic(
                            f"generated file '{label.name}' in rule '{own}' conflicts with existing"
                            f" {_describe(existing)}",
                            notes=(Note(f"{_describe(existing)} is declared here", existing.location),),
                        )
                    )
                self.targets[label.name] = output

    def _check_free(self, name: str, target: RuleTarget, where: Location) -> None:
        existing = self.targets.get(name)
        if existing is None:
            return
        if isinstance(existing, SourceFile) and name != self.build_file.name:
            message = f"{target.rule_class.name} rule '{name}' conflicts with existing {_describe(existing)}"
        else:
            message = (
                f"{target.rule_class.name} rule '{name}' in package '{self.identifier.path}' conflicts with existing"
                f" {_describe(existing)}"
            )
        raise EvalError(Diagnostic(message, where, notes=(Note("first declared here", existing.location),)))

    # Files.

    def _add_source(self, name: str, visibility: Visibility, location: Location) -> None:
        self.targets[name] = SourceFile(Label(self.identifier, name), visibility, location)

    def export_file(self, name: str, visibility: Visibility | None, location: Location) -> None:
        """exports_files() for one file."""
        try:
            check_target_name(name, name)
        except LabelSyntaxError as problem:
            raise EvalError(f"invalid file name {name!r} in exports_files(): {problem.diagnostic.message}") from None
        existing = self.targets.get(name)
        if existing is not None and not isinstance(existing, SourceFile):
            raise EvalError(
                Diagnostic(
                    f"exports_files() of '{name}' conflicts with existing {_describe(existing)}",
                    notes=(Note("declared here", existing.location),),
                )
            )
        wanted = visibility or PUBLIC
        if existing is not None and name != self.build_file.name and existing.visibility != wanted:
            raise EvalError(
                Diagnostic(
                    f"visibility for exported file '{name}' declared twice",
                    notes=(Note("first declared here", existing.location),),
                )
            )
        self._add_source(name, wanted, location)

    def add_absent(self, name: str, problem: WorkspaceError, arguments: object = ()) -> None:
        """Notes that something that is not there was called to make a target; only who needs the target fails.

        Texts in the arguments may name files that it would make as well.
        """
        frames = call_stack()
        first = replace(problem.diagnostic, location=frames[0][0], frames=frames)
        self.absent.setdefault(name, first)
        for text in texts_in(arguments):
            self._absent_files.setdefault(text, first)

    def add_target(self, name: str, target: Target) -> None:
        """Adds a package group; raises EvalError when the name is taken."""
        existing = self.targets.get(name)
        if existing is not None:
            raise EvalError(
                Diagnostic(
                    f"{target.kind} '{name}' conflicts with existing {_describe(existing)}",
                    notes=(Note("declared here", existing.location),),
                )
            )
        self.targets[name] = target

    # The end.

    def finish(self, loads: Sequence[Label]) -> Package:
        """The package; raises WorkspaceError with all errors of its rules."""
        if self.errors:
            raise WorkspaceError(*self.errors)
        self._add_implied_sources()
        return Package(
            self.identifier,
            self.build_file,
            self.directory,
            self.targets,
            self.defaults,
            tuple(dict.fromkeys(loads)),
            {name: error for name, error in self.absent.items() if name not in self.targets},
            self.scopes,
        )

    def _add_implied_sources(self) -> None:
        """A label of this package that a rule depends on and that nothing declares is a source file."""
        targets = self.targets
        package = self.identifier
        for target in [target for target in targets.values() if target.__class__ is RuleTarget]:
            schema = target.rule_class.attributes
            for name, value in target.attributes.items():
                if schema[name].type.is_dependency:
                    for label in labels_in(value):
                        if label.package is package and label.name not in targets:
                            self._imply_source(label, target)
            for label in target.rule_class.default_labels.get(package, ()):
                if label.name not in targets:
                    self._imply_source(label, target)

    def _imply_source(self, label: Label, target: RuleTarget) -> None:
        if label.name in self.absent:
            return
        if label.name in self._absent_files and not self.globber.exists(label.name):
            self.absent[label.name] = self._absent_files[label.name]
            return
        if "/" in label.name and self.globber.crosses_border(label.name):
            return  # the error, if anybody follows the label, is that of Loader.target
        self._add_source(label.name, PUBLIC, target.location)


def _describe(target: Target) -> str:
    if isinstance(target, RuleTarget):
        return f"{target.rule_class.name} rule '{target.label.name}'"
    if isinstance(target, OutputFile):
        return f"generated file '{target.label.name}' from rule '{target.generating_rule.name}'"
    return f"{target.kind} '{target.label.name}'"


def current_package(function: str) -> PackageBuilder:
    """The package whose BUILD file is running; raises EvalError when none is."""
    builder = current_thread().data.get("package")
    if builder is None:
        raise EvalError(f"{function}() can only be used while evaluating a BUILD file (or legacy or symbolic macro)")
    return builder  # type: ignore[no-any-return]


def to_labels(values: Iterable[object], labels: LabelConverter, what: str) -> tuple[Label, ...]:
    """Labels of texts; raises EvalError that names `what` for others."""
    if not isinstance(values, list | tuple):
        raise EvalError(f"{what}: got {type_name(values)}, want a list of labels")
    try:
        return tuple([labels(value) for value in values])
    except WorkspaceError as problem:
        raise EvalError(f"{what}: {problem.diagnostic.message}") from None
