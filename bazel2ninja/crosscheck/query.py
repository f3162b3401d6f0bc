"""How our targets differ from those that `bazel query` or `bazel cquery` prints, and the reader of --output=build.

https://bazel.build/query/language#output-formats.  A `build` dump shows every rule after macro expansion, one attribute
a line, values as Starlark literals and select()s.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Protocol

import pyparsing as pp

from bazel2ninja.crosscheck.compare import Difference
from bazel2ninja.crosscheck.records import Names
from bazel2ninja.crosscheck.targets import QueryTarget, TargetDump, Value
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.loading.select import Select, SelectList
from bazel2ninja.loading.target import PackageGroup, RuleTarget, Target

IGNORED = frozenset(("name", "generator_name", "generator_function", "generator_location", "visibility"))
"""Attributes that `build` shows in another form than a BUILD file gives them, or that say who made the rule."""


class Answers(Protocol):
    """What a comparison asks of our side: targets' dependencies, and values with the branches of select() taken."""

    def dependencies(self, label: Label) -> Iterable[Label]: ...

    def chosen(self, target: RuleTarget, attribute: str) -> object: ...


def _build_grammar() -> pp.ParserElement:
    place = pp.Regex(r"# (?P<path>/?[^\s:][^\n:]*):(?P<line>\d+):(?P<column>\d+)")
    place.set_parse_action(lambda tokens: Location(tokens["path"], int(tokens["line"]), int(tokens["column"])))
    comment = pp.Regex(r"#[^\n]*").suppress()
    attribute = pp.Regex(r"(?P<name>\w+) = (?P<value>[^\n]*),(?=\n)")
    attribute.set_parse_action(lambda tokens: [(tokens["name"], tokens["value"])])
    rule = pp.Group(
        pp.Optional(place("place"))
        + pp.ZeroOrMore(comment)
        + pp.Regex(r"\w+(?=\()")("kind")
        + pp.Literal("(").suppress()
        + pp.Group(pp.ZeroOrMore(attribute))("attributes")
        + pp.Literal(")").suppress()
    )
    return pp.ZeroOrMore(rule + pp.ZeroOrMore(~place + comment)) + pp.ZeroOrMore(comment)


def _value(node: ast.expr) -> Value:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value  # type: ignore[operator]
    if isinstance(node, ast.List | ast.Tuple):
        return tuple(_value(element) for element in node.elts)
    if isinstance(node, ast.Dict):
        pairs = ((_value(k), _value(v)) for k, v in zip(node.keys, node.values, strict=True) if k is not None)
        return ("dict", frozenset(pairs))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        if node.func.id == "select" and isinstance(node.args[0], ast.Dict):
            branches = _value(node.args[0])
            assert isinstance(branches, tuple)
            return ("select", branches[1])
        return _value(node.args[0])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.BitOr):
        left, right = _value(node.left), _value(node.right)
        parts = left[1] if isinstance(left, tuple) and left[:1] == ("+",) else (left,)
        return ("+", (*parts, right))
    if isinstance(node, ast.Name):
        return {"True": True, "False": False, "None": None}.get(node.id, node.id)
    raise ValueError(ast.unparse(node))


def read_build(text: str, name: str) -> TargetDump:
    """`--output=build` of query or cquery; raises WorkspaceError where the text is not of that form."""
    try:
        rules = _build_grammar().parse_string(text, parse_all=True)
    except pp.ParseException as problem:
        location = Location(name, problem.lineno, problem.column)
        raise WorkspaceError(Diagnostic("not the text that 'query --output=build' prints", location)) from None
    found = []
    for rule in rules:
        place = rule.get("place")
        attributes: dict[str, Value] = {}
        for key, text_value in rule["attributes"]:
            try:
                attributes[key] = _value(ast.parse(text_value, mode="eval").body)
            except (SyntaxError, ValueError):
                where = place if isinstance(place, Location) else Location(name)
                raise WorkspaceError(Diagnostic(f"cannot read the value of '{key}': {text_value}", where)) from None
        at = place if isinstance(place, Location) else None
        found.append(QueryTarget(str(attributes.get("name", "")), f"{rule['kind']} rule", attributes, at))
    return TargetDump(tuple(found), by_name=True)


def _our_value(value: object) -> Value:
    if isinstance(value, Label):
        return str(value)
    if isinstance(value, tuple | list):
        return tuple(_our_value(item) for item in value)
    if isinstance(value, Mapping):
        return ("dict", frozenset((_our_value(k), _our_value(v)) for k, v in value.items()))
    if isinstance(value, Select):
        return ("select", frozenset((_our_value(k), _our_value(v)) for k, v in value.branches.items()))
    if isinstance(value, SelectList):
        parts = tuple(_our_value(element) for element in value.elements)
        return parts[0] if len(parts) == 1 else ("+", parts)
    return value


def _text(value: Value) -> str:
    return repr(sorted(value, key=repr)) if isinstance(value, frozenset) else repr(value)


def compare_targets(
    dump: TargetDump, ours: Iterable[Target], names: Names | None = None, answers: Answers | None = None
) -> list[Difference]:
    """Targets that only one side has, and kinds and dependencies that differ; `answers`: to compare dependencies."""
    names = names or Names()
    wanted = {names.label(target.label): target for target in dump.targets}
    known = {str(target.label): target for target in ours}
    found = []
    if dump.repositories:
        others = dump.repositories.difference(names.main_repositories)  # an old Bazel calls the main one by name, too
        there = frozenset(names.repositories.get(name, name) for name in others)
        here = frozenset(target.label.repository for target in known.values() if target.label.repository)
        for kind, missing in (("missing", there - here), ("extra", here - there)):
            found += [Difference(f"@{name}", "", f"@{name}", "repository", kind, f"@{name}") for name in missing]
        known = {label: target for label, target in known.items() if not target.label.repository}
    for label, target in wanted.items():
        own = known.get(label)
        if own is None:
            kind = target.kind or "target"
            found.append(Difference(label, target.kind, label, "target", "missing", kind, location=target.location))
            continue
        if target.kind and own.kind != target.kind:
            found.append(Difference(label, own.kind, label, "kind", "missing", target.kind, False, own.location))
        if target.dependencies is not None and answers is not None:
            theirs = {names.label(dependency) for dependency in target.dependencies}
            mine = {str(dependency) for dependency in answers.dependencies(own.label)} & known.keys()
            # only deps() goes from a target to the package groups of its visibility
            extra = {name for name in mine - theirs if not isinstance(known[name], PackageGroup)}
            for kind, labels in (("missing", theirs - mine), ("extra", set() if dump.some_dependencies else extra)):
                for value in labels:
                    found.append(Difference(label, own.kind, label, "dependency", kind, value, False, own.location))
    for label, own in known.items():
        if label not in wanted:
            found.append(Difference(label, own.kind, label, "target", "extra", own.kind, False, own.location))
    return sorted(found, key=lambda difference: (difference.label, difference.field, difference.kind, difference.value))


def compare_attributes(
    dump: TargetDump, ours: Iterable[RuleTarget], names: Names | None = None, answers: Answers | None = None
) -> list[Difference]:
    """Attributes of rules that differ.

    A build dump names a rule by its place and name, so rules are found by package directory and name.  What only we
    give is not reported: the dump leaves out values that equal a default.  answers: to compare what cquery has chosen
    of a select().
    """
    names = names or Names()
    known: dict[str, list[RuleTarget]] = {}
    for rule in ours:
        known.setdefault(rule.label.name if dump.by_name else str(rule.label), []).append(rule)
    found = []
    for target in dump.targets:
        if not target.kind.endswith(" rule"):
            continue
        candidates = known.get(target.label if dump.by_name else names.label(target.label), [])
        if dump.by_name:
            directory = target.location.path.rpartition("/")[0].strip("/") if target.location else ""
            candidates = [rule for rule in candidates if _is_in(rule.label.package.exec_path, directory)]
        own = max(candidates, key=lambda rule: len(rule.label.package.path), default=None)
        if own is None:
            if dump.by_name:
                label = _whereabouts(target)
                found.append(Difference(label, target.kind, label, "target", "missing", target.kind))
            continue
        label = str(own.label)
        if own.kind != target.kind and dump.by_name:
            found.append(Difference(label, own.kind, label, "kind", "missing", target.kind, False, own.location))
        for name, value in target.attributes.items():
            if name in IGNORED or name.startswith(("$", ":")):
                continue
            raw = own.attributes.get(name)
            value = _named(value, names)
            if _comparable(_our_value(raw)) == _comparable(value):
                continue
            if isinstance(raw, SelectList) and not _has_select(value):
                if dump.flattened and _is_flattened(value, raw):
                    continue
                if not dump.flattened and answers is not None:
                    raw = answers.chosen(own, name)
                    if _comparable(_our_value(raw)) == _comparable(value):
                        continue
            text = f"{name} = {_text(value)}, ours is {_text(_our_value(raw))}"
            found.append(Difference(label, own.kind, label, "attribute", "missing", text, False, own.location))
    return found


def _whereabouts(target: QueryTarget) -> str:
    """A label for a rule of a build dump, with its repository when its place is in one."""
    directory = target.location.path.rpartition("/")[0] if target.location else ""
    _, external, rest = directory.partition("/external/")
    repository, _, package = rest.partition("/")
    return f"@{repository}//{package}:{target.label}" if external else target.label


def _named(value: Value, names: Names) -> Value:
    """A value with labels as we write them."""
    if isinstance(value, str) and value.startswith("@"):
        return names.label(value)
    if isinstance(value, tuple | frozenset):
        return type(value)(_named(item, names) for item in value)
    return value


def _has_select(value: Value) -> bool:
    return isinstance(value, tuple) and value[:1] in (("select",), ("+",))


def _is_flattened(value: Value, raw: SelectList) -> bool:
    """Whether `value` is what a list with all branches of its select()s is, or one of the values that a text may be."""
    items: set[Value] = set()
    branches: list[object] = []
    for element in raw.elements:
        branches += element.branches.values() if isinstance(element, Select) else [element]
    for branch in map(_our_value, branches):
        items.update(branch if isinstance(branch, tuple) else (branch,))
    return set(value) == items - {None} if isinstance(value, tuple) else value in items or value == ""


def _is_in(package: str, directory: str) -> bool:
    """Whether a package may be the one in `directory`, which is where Bazel's source tree or output base was."""
    return not package or directory == package or directory.endswith("/" + package)


def _comparable(value: Value) -> Value:
    """True and 1 are the same to a BUILD file's boolean attribute; a dict of lists has no order of keys."""
    return int(value) if isinstance(value, bool) else value
