"""What `bazel query` prints as --output=label_kind and --output=build, and how our targets differ from it.

https://bazel.build/query/language#output-formats.  A `build` dump shows every rule after macro expansion, one attribute
a line, values as Starlark literals and select()s.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pyparsing as pp

from bazel2ninja.crosscheck.compare import Difference
from bazel2ninja.crosscheck.records import Names
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.loading.select import Select, SelectList
from bazel2ninja.loading.target import RuleTarget, Target

Value = object
"""str, int, bool, None, tuple of values, ("dict", pairs), ("select", pairs) or ("+", values)."""

IGNORED = frozenset(("name", "generator_name", "generator_function", "generator_location", "visibility"))
"""Attributes that `build` shows in another form than a BUILD file gives them, or that say who made the rule."""


@dataclass(frozen=True, slots=True)
class QueryTarget:
    """A target of a query; `attributes` only from a build dump.  kind: "cc_library rule", "source file" ..."""

    label: str
    kind: str
    attributes: Mapping[str, Value] = field(default_factory=dict)
    location: Location | None = None


def _label_kind_grammar() -> pp.ParserElement:
    kind = pp.Regex(r"(?:source file|generated file|package group|[\w.]+ rule)")
    label = pp.Regex(r"@?@?[^\s]*//[^\n]*")
    return pp.ZeroOrMore(pp.Group(kind + label))


def read_label_kind(text: str, name: str) -> list[QueryTarget]:
    """`--output=label_kind`; raises WorkspaceError where the text is not of that form."""
    try:
        rows = _label_kind_grammar().parse_string(text, parse_all=True)
    except pp.ParseException as problem:
        location = Location(name, problem.lineno, problem.column)
        raise WorkspaceError(Diagnostic("expected 'KIND rule LABEL'", location)) from None
    return [QueryTarget(label.strip(), kind) for kind, label in rows]


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


def read_build(text: str, name: str) -> list[QueryTarget]:
    """`--output=build`; raises WorkspaceError where the text is not of that form."""
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
    return found


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
    theirs: Iterable[QueryTarget], ours: Iterable[Target], names: Names | None = None
) -> list[Difference]:
    """Targets that only one side has, and kinds that differ (label_kind)."""
    names = names or Names()
    wanted = {names.label(target.label): target for target in theirs}
    known = {str(target.label): target for target in ours}
    found = []
    for label, target in wanted.items():
        if label not in known:
            found.append(Difference(label, target.kind, label, "target", "missing", target.kind))
        elif known[label].kind != target.kind:
            own = known[label]
            found.append(Difference(label, own.kind, label, "kind", "missing", target.kind, False, own.location))
    for label, own in known.items():
        if label not in wanted:
            found.append(Difference(label, own.kind, label, "target", "extra", own.kind, False, own.location))
    return sorted(found, key=lambda difference: (difference.label, difference.kind))


def compare_attributes(theirs: Iterable[QueryTarget], ours: Iterable[RuleTarget]) -> list[Difference]:
    """Attributes of rules that differ (build).

    A build dump names a rule by its place and name, so rules are found by package directory and name.  What only we
    give is not reported: the dump leaves out values that equal a default.
    """
    known: dict[str, list[RuleTarget]] = {}
    for rule in ours:
        known.setdefault(rule.label.name, []).append(rule)
    found = []
    for target in theirs:
        directory = target.location.path.rpartition("/")[0].strip("/") if target.location else ""
        candidates = [r for r in known.get(target.label, ()) if _is_in(r.label.package.exec_path, directory)]
        own = max(candidates, key=lambda rule: len(rule.label.package.path), default=None)
        if own is None:
            found.append(Difference(target.label, target.kind, target.label, "target", "missing", target.kind))
            continue
        label = str(own.label)
        if own.kind != target.kind:
            found.append(Difference(label, own.kind, label, "kind", "missing", target.kind, False, own.location))
        for name, value in target.attributes.items():
            if name in IGNORED or name.startswith(("$", ":")):
                continue
            actual = _our_value(own.attributes.get(name)) if name in own.attributes else None
            if _comparable(actual) != _comparable(value):
                text = f"{name} = {_text(value)}, ours is {_text(actual)}"
                found.append(Difference(label, own.kind, label, "attribute", "missing", text, False, own.location))
    return found


def _is_in(package: str, directory: str) -> bool:
    """Whether a package may be the one in `directory`, which is where Bazel's source tree or output base was."""
    return not package or directory == package or directory.endswith("/" + package)


def _comparable(value: Value) -> Value:
    """True and 1 are the same to a BUILD file's boolean attribute."""
    return int(value) if isinstance(value, bool) else value
