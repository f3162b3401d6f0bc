"""How the result of a query is printed, https://bazel.build/query/language#output-formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from bazel2ninja.labels import Label
from bazel2ninja.loading.select import Select, SelectList
from bazel2ninja.loading.target import OutputFile, PackageGroup, RuleTarget, SourceFile, Target, Visibility
from bazel2ninja.query.evaluate import Evaluator


def label(labels: Sequence[Label], evaluator: Evaluator) -> Iterator[str]:
    """One label a line."""
    return (str(item) for item in labels)


def label_kind(labels: Sequence[Label], evaluator: Evaluator) -> Iterator[str]:
    """ "cc_library rule //a:b", "source file //a:b.cc"."""
    for item in labels:
        yield f"{evaluator.source.target(item).kind} {item}"


def package(labels: Sequence[Label], evaluator: Evaluator) -> Iterator[str]:
    """The packages of the labels, each once."""
    for identifier in sorted({item.package for item in labels}):
        yield str(identifier) if identifier.repository else identifier.path


def location(labels: Sequence[Label], evaluator: Evaluator) -> Iterator[str]:
    """ "PATH:LINE:COLUMN: KIND LABEL"."""
    for item in labels:
        target = evaluator.source.target(item)
        yield f"{target_location(evaluator, target)}: {target.kind} {item}"


def target_location(evaluator: Evaluator, target: Target) -> str:
    """Where the target was made, as PATH:LINE:COLUMN."""
    return str(target.location)


def build(labels: Sequence[Label], evaluator: Evaluator) -> Iterator[str]:
    """The rules as they would look in a BUILD file without macros; files are left out, as Bazel does."""
    for item in labels:
        target = evaluator.source.target(item)
        if isinstance(target, RuleTarget):
            yield from _rule(target)
            yield ""


def graph(labels: Sequence[Label], evaluator: Evaluator) -> Iterator[str]:
    """The dependencies among the result, in Graphviz's dot."""
    members = set(labels)
    yield "digraph bazel2ninja {"
    yield "  node [shape=box];"
    for item in labels:
        yield f"  {json.dumps(str(item), ensure_ascii=False)}"
        for dependency in evaluator.dependencies(item):
            if dependency in members:
                texts = (json.dumps(str(end), ensure_ascii=False) for end in (item, dependency))
                yield f"  {' -> '.join(texts)}"
    yield "}"


def json_lines(labels: Sequence[Label], evaluator: Evaluator) -> Iterator[str]:
    """One JSON object a line: label, kind, location, and of a rule its attributes and dependencies."""
    for item in labels:
        target = evaluator.source.target(item)
        record: dict[str, object] = {
            "label": str(item),
            "kind": target.kind,
            "location": target_location(evaluator, target),
        }
        if isinstance(target, RuleTarget):
            record["rule_class"] = target.rule_class.name
            record["attributes"] = {name: plain(value) for name, value in sorted(target.attributes.items())}
            record["visibility"] = visibility_labels(target.visibility)
            record["outputs"] = [str(output) for group in target.outputs.values() for output in group]
            record["dependencies"] = [str(dependency) for dependency in evaluator.dependencies(item)]
            record["instantiation_stack"] = [f"{where}: {function}" for where, function in target.frames]
        elif isinstance(target, OutputFile):
            record["generating_rule"] = str(target.generating_rule)
        elif isinstance(target, SourceFile):
            record["visibility"] = visibility_labels(target.visibility)
        elif isinstance(target, PackageGroup):
            record["includes"] = [str(group) for group in target.includes]
        yield json.dumps(record, ensure_ascii=False)


FORMATS: Mapping[str, Callable[[Sequence[Label], Evaluator], Iterable[str]]] = {
    "label": label,
    "label_kind": label_kind,
    "build": build,
    "graph": graph,
    "json": json_lines,
    "location": location,
    "package": package,
}


def plain(value: object) -> object:
    """An attribute's value as JSON has it: labels as text, select() as {"select": {condition: value}}."""
    if isinstance(value, Label):
        return str(value)
    if isinstance(value, SelectList):
        parts = [plain(element) for element in value.elements]
        return parts[0] if len(parts) == 1 else {"concatenation": parts}
    if isinstance(value, Select):
        return {"select": {str(condition): plain(branch) for condition, branch in value.branches.items()}}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def visibility_labels(visibility: Visibility) -> list[str]:
    """A visibility as the list that a BUILD file would say."""
    if visibility.public:
        return ["//visibility:public"]
    found = [f"{package}:{'__subpackages__' if below else '__pkg__'}" for package, below in visibility.packages]
    found += [str(group) for group in visibility.groups]
    return found or ["//visibility:private"]


def _rule(target: RuleTarget) -> Iterator[str]:
    yield f"# {target.location}"
    yield f"{target.rule_class.name}("
    yield f'  name = "{target.label.name}",'
    if "visibility" in target.attributes:
        yield f"  visibility = {source_text(visibility_labels(target.visibility))},"
    for name, value in target.attributes.items():
        if name not in ("name", "visibility") and value is not None:
            yield f"  {name} = {source_text(value)},"
    if target.generator_name:
        yield f'  generator_name = "{target.generator_name}",'
        yield f'  generator_function = "{target.generator_function}",'
    yield ")"
    yield f"# Rule {target.label.name} instantiated at (most recent call last):"
    for where, function in target.frames:
        yield f"#   {where} in {function}"


def source_text(value: object) -> str:
    """A value as Starlark source."""
    if isinstance(value, SelectList):
        return f" {value.operator} ".join(source_text(element) for element in value.elements)
    if isinstance(value, Select):
        branches = ", ".join(f'"{condition}": {source_text(branch)}' for condition, branch in value.branches.items())
        message = f", no_match_error = {source_text(value.no_match_error)}" if value.no_match_error else ""
        return f"select({{{branches}}}{message})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{source_text(key)}: {source_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(source_text(item) for item in value) + "]"
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        return str(value)
    return json.dumps(str(value), ensure_ascii=False)
