"""What a query expression means: a set of targets, ordered by their labels.

https://bazel.build/query/language#functions.  Dependencies are those of every branch of every select(), since no
configuration is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.loading.select import Select, SelectList
from bazel2ninja.loading.target import OutputFile, Package, PackageGroup, RuleTarget, Target
from bazel2ninja.query.language import Call, Expression, Let, Operation, SetOf, Word


class TargetSource(Protocol):
    """What the evaluation asks of the loading stage."""

    def target(self, label: Label) -> Target: ...

    def package(self, identifier: PackageIdentifier) -> Package: ...

    def labels(self, pattern: str) -> Iterable[Label]:
        """The labels that a target pattern matches."""
        ...

    def load_closure(self, package: Package) -> Iterable[Label]:
        """Labels of the .bzl files that the package's BUILD file loads, transitively."""
        ...

    def is_visible(self, consumer: Label, dependency: Target) -> bool: ...


def labels_in(value: object) -> Iterable[Label]:
    """Every label inside an attribute's value, those of all select() branches and their conditions included."""
    if isinstance(value, Label):
        yield value
    elif isinstance(value, SelectList):
        for element in value.elements:
            yield from labels_in(element)
    elif isinstance(value, Select):
        yield from conditions_of(value)
        for branch in value.branches.values():
            yield from labels_in(branch)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from labels_in(key)
            yield from labels_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from labels_in(item)


def conditions_of(select: Select) -> Iterable[Label]:
    """The targets that a select() asks; a default, and a key that names nothing any more, are none."""
    return (key for key in select.branches if isinstance(key, Label) and not _is_default(key))


def attribute_labels(target: RuleTarget, name: str, *, with_conditions: bool = True) -> list[Label]:
    """The labels that attribute `name` of `target` holds, in order."""
    value = target.value(name)
    if not with_conditions and isinstance(value, SelectList):
        return [
            label
            for element in value.elements
            for part in (element.branches.values() if isinstance(element, Select) else [element])
            for label in labels_in(part)
        ]
    return list(labels_in(value))


def text_of(value: object) -> str:
    """An attribute's value as attr() matches it: lists as "[a, b]", booleans as 0 or 1."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, list | tuple):
        return "[" + ", ".join(text_of(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{text_of(key)}={text_of(item)}" for key, item in value.items()) + "}"
    return str(value)


def possible_values(value: object) -> list[object]:
    """The values that a select() may take, branch by branch; the value itself when there is no select()."""
    if not isinstance(value, SelectList):
        return [value]
    found: list[object] = []
    for element in value.elements:
        found.extend(element.branches.values() if isinstance(element, Select) else [element])
    return found


class Evaluator:
    """Evaluates expressions over the targets of `source`; results are memoised for its life.

    chosen: gives the value of a rule's attribute in a configuration, with the branches of its select()s taken; without
    it all branches count.
    """

    def __init__(
        self,
        source: TargetSource,
        *,
        implicit_deps: bool = True,
        chosen: Callable[[RuleTarget, str], object] | None = None,
    ):
        self.source = source
        self.implicit_deps = implicit_deps
        self._chosen = chosen
        self._dependencies: dict[Label, tuple[Label, ...]] = {}

    def evaluate(self, expression: Expression) -> list[Label]:
        """The labels that `expression` means, sorted."""
        return sorted(self._value(expression, {}))

    def dependencies(self, label: Label) -> tuple[Label, ...]:
        """Direct dependencies of a target, sorted."""
        known = self._dependencies.get(label)
        if known is None:
            known = self._dependencies[label] = tuple(sorted(set(self._direct(self.source.target(label)))))
        return known

    def visited_repositories(self) -> set[str]:
        """The repositories of all targets whose dependencies were asked for."""
        return {label.repository for label in self._dependencies}

    def _direct(self, target: Target) -> Iterable[Label]:
        if isinstance(target, OutputFile):
            yield target.generating_rule
        elif isinstance(target, PackageGroup):
            yield from target.includes
        elif isinstance(target, RuleTarget):
            for attribute in target.rule_class.attributes.values():
                if not attribute.type.is_dependency:
                    # the conditions of a select() are dependencies, whatever it selects
                    yield from self._conditions(target.attributes.get(attribute.name))
                elif self.implicit_deps or attribute.name in target.attributes:
                    if self._chosen is not None and isinstance(target.value(attribute.name), SelectList):
                        yield from self._conditions(target.value(attribute.name))
                        yield from labels_in(self._chosen(target, attribute.name))
                        continue
                    yield from (label for label in attribute_labels(target, attribute.name) if not _is_default(label))
            if target.rule_class.name == "test_suite":
                named = attribute_labels(target, "tests")
                if named or self.implicit_deps:
                    yield from named or self._tests_beside(target)
            yield from target.visibility.groups

    def _tests_beside(self, suite: RuleTarget) -> list[Label]:
        """What a test_suite that names no tests stands for: those of its package."""
        names = self.source.package(suite.label.package).targets
        rules = self._rules(suite.label.sibling(name) for name in names)
        return [rule.label for rule in rules if rule.rule_class.test and not _is_manual(rule)]

    @staticmethod
    def _conditions(value: object) -> Iterable[Label]:
        if isinstance(value, SelectList):
            for element in value.elements:
                if isinstance(element, Select):
                    yield from conditions_of(element)

    def _value(self, expression: Expression, variables: Mapping[str, frozenset[Label]]) -> frozenset[Label]:
        if isinstance(expression, Word):
            return self._word(expression, variables)
        if isinstance(expression, SetOf):
            return frozenset(label for word in expression.words for label in self._word(word, variables))
        if isinstance(expression, Operation):
            left, right = self._value(expression.left, variables), self._value(expression.right, variables)
            if expression.operator == "union":
                return left | right
            return left - right if expression.operator == "except" else left & right
        if isinstance(expression, Let):
            return self._value(
                expression.body, {**variables, expression.name: self._value(expression.value, variables)}
            )
        function = getattr(self, f"_fn_{expression.function}")
        arguments = [
            argument if isinstance(argument, str | int) else self._value(argument, variables)
            for argument in expression.arguments
        ]
        try:
            return frozenset(function(*arguments))
        except re.error as error:
            raise WorkspaceError(_at(expression, f"invalid regular expression: {error}")) from None

    def _word(self, word: Word, variables: Mapping[str, frozenset[Label]]) -> frozenset[Label]:
        if word.text.startswith("$"):
            if word.text[1:] not in variables:
                raise WorkspaceError(_at(word, f"undefined variable {word.text!r}"))
            return variables[word.text[1:]]
        return frozenset(self.source.labels(word.text))

    def _closure(
        self, start: Iterable[Label], step: Callable[[Label], Iterable[Label]], depth: int | None
    ) -> dict[Label, None]:
        found = dict.fromkeys(start)
        front = list(found)
        while front and (depth is None or depth > 0):
            front = [label for origin in front for label in step(origin)]
            front = [label for label in dict.fromkeys(front) if label not in found]
            found.update(dict.fromkeys(front))
            depth = None if depth is None else depth - 1
        return found

    def _reversed(self, universe: Iterable[Label]) -> dict[Label, list[Label]]:
        reverse: dict[Label, list[Label]] = {}
        for label in universe:
            for dependency in self.dependencies(label):
                reverse.setdefault(dependency, []).append(label)
        return reverse

    def _rules(self, labels: Iterable[Label]) -> Iterable[RuleTarget]:
        for label in labels:
            target = self.source.target(label)
            if isinstance(target, RuleTarget):
                yield target

    # One method a function of the language, named after it.

    def _fn_deps(self, start: frozenset[Label], depth: int | None = None) -> Iterable[Label]:
        return self._closure(start, self.dependencies, depth)

    def _fn_rdeps(
        self, universe: frozenset[Label], start: frozenset[Label], depth: int | None = None
    ) -> Iterable[Label]:
        within = self._closure(universe, self.dependencies, None)
        reverse = self._reversed(within)
        return self._closure((s for s in start if s in within), lambda label: reverse.get(label, ()), depth)

    def _fn_allrdeps(self, start: frozenset[Label], depth: int | None = None) -> Iterable[Label]:
        return self._fn_rdeps(frozenset(self.source.labels("//...")), start, depth)

    def _fn_same_pkg_direct_rdeps(self, start: frozenset[Label]) -> Iterable[Label]:
        for label in start:
            for name in self.source.package(label.package).targets:
                if label in self.dependencies(label.sibling(name)):
                    yield label.sibling(name)

    def _fn_allpaths(self, start: frozenset[Label], end: frozenset[Label]) -> Iterable[Label]:
        forward = self._closure(start, self.dependencies, None)
        reverse = self._reversed(forward)
        return self._closure((label for label in end if label in forward), lambda label: reverse.get(label, ()), None)

    def _fn_somepath(self, start: frozenset[Label], end: frozenset[Label]) -> Iterable[Label]:
        origin: dict[Label, Label | None] = dict.fromkeys(sorted(start))
        front = list(origin)
        while front:
            for label in front:
                if label in end:
                    path: list[Label] = []
                    step: Label | None = label
                    while step is not None:
                        path.append(step)
                        step = origin[step]
                    return path
            following = []
            for label in front:
                for dependency in self.dependencies(label):
                    if dependency not in origin:
                        origin[dependency] = label
                        following.append(dependency)
            front = following
        return []

    def _fn_kind(self, pattern: str, labels: frozenset[Label]) -> Iterable[Label]:
        regex = re.compile(pattern)
        return [label for label in labels if regex.search(self.source.target(label).kind)]

    def _fn_filter(self, pattern: str, labels: frozenset[Label]) -> Iterable[Label]:
        regex = re.compile(pattern)
        return [label for label in labels if regex.search(str(label))]

    def _fn_attr(self, name: str, pattern: str, labels: frozenset[Label]) -> Iterable[Label]:
        regex = re.compile(pattern)
        for target in self._rules(labels):
            if name in ("generator_name", "generator_function"):
                values: list[object] = [getattr(target, name)]
            elif name in target.rule_class.attributes:
                values = possible_values(target.value(name))
            else:
                continue
            if any(regex.search(text_of(value)) for value in values if value is not None):
                yield target.label

    def _fn_labels(self, name: str, labels: frozenset[Label]) -> Iterable[Label]:
        for target in self._rules(labels):
            if name in target.rule_class.attributes:
                yield from attribute_labels(target, name, with_conditions=False)
            yield from target.outputs.get(name, ())

    def _fn_some(self, labels: frozenset[Label], count: int = 1) -> Iterable[Label]:
        return sorted(labels)[:count]

    def _fn_tests(self, labels: frozenset[Label]) -> Iterable[Label]:
        def members(label: Label) -> Iterable[Label]:
            target = self.source.target(label)
            if isinstance(target, RuleTarget) and target.rule_class.name == "test_suite":
                return attribute_labels(target, "tests") or self._tests_beside(target)
            return ()

        return [rule.label for rule in self._rules(self._closure(labels, members, None)) if rule.rule_class.test]

    def _fn_executables(self, labels: frozenset[Label]) -> Iterable[Label]:
        return [target.label for target in self._rules(labels) if target.rule_class.executable]

    def _fn_siblings(self, labels: frozenset[Label]) -> Iterable[Label]:
        for package in {label.package for label in labels}:
            yield from (Label(package, name) for name in self.source.package(package).targets)

    def _fn_buildfiles(self, labels: frozenset[Label]) -> Iterable[Label]:
        for identifier in {label.package for label in labels}:
            package = self.source.package(identifier)
            yield package.build_file
            yield from self.source.load_closure(package)

    def _fn_loadfiles(self, labels: frozenset[Label]) -> Iterable[Label]:
        for identifier in {label.package for label in labels}:
            yield from self.source.load_closure(self.source.package(identifier))

    def _fn_rbuildfiles(self, *paths: str) -> Iterable[Label]:
        wanted = set(paths)
        for identifier in sorted({label.package for label in self.source.labels("//...")}):
            package = self.source.package(identifier)
            files = [package.build_file, *self.source.load_closure(package)]
            if any(label.exec_path in wanted for label in files):
                yield package.build_file

    def _fn_visible(self, consumers: frozenset[Label], labels: frozenset[Label]) -> Iterable[Label]:
        for label in labels:
            target = self.source.target(label)
            if all(self.source.is_visible(consumer, target) for consumer in consumers):
                yield label


def _is_default(label: Label) -> bool:
    return label.package.path == "conditions" and not label.package.repository and label.name == "default"


def _is_manual(target: RuleTarget) -> bool:
    tags = target.value("tags") if "tags" in target.rule_class.attributes else ()
    return isinstance(tags, list | tuple) and "manual" in tags


def _at(expression: Word | Call, message: str) -> Diagnostic:
    return Diagnostic(message, Location("<query>", 1, expression.column))
