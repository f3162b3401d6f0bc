"""Reading the forms in which `bazel query` and `bazel cquery` print targets.

https://bazel.build/query/language#output-formats, https://bazel.build/query/cquery#output-formats.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bazel2ninja.crosscheck.messages import inner, many, one
from bazel2ninja.crosscheck.targets import QueryTarget, TargetDump, Value
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError

_KIND = r"source file|generated file|package group|environment group|[\w.]+ rule"
_LABEL = r"@{0,2}[\w.~+-]*//(?:[^\s\"#][^\n\"#]*)?"
_CONFIGURATION = r" \((?P<configuration>[0-9a-f]{4,}|null|HOST|target|host)\)"
_LINES = {
    "configured": re.compile(rf"(?:(?P<kind>{_KIND}) )?(?P<label>{_LABEL}){_CONFIGURATION}"),
    "list": re.compile(rf"(?P<label>{_LABEL})"),
    "rank": re.compile(rf"\d+ (?P<label>{_LABEL})"),
    "kinds": re.compile(rf"(?P<kind>{_KIND}) (?P<label>{_LABEL})"),
    "location": re.compile(rf"(?P<place>/?[^\s:][^\n:]*(?::\d+:\d+)?): (?P<kind>{_KIND}) (?P<label>{_LABEL})"),
}
_REPOSITORY = re.compile(r"@{1,2}(?P<repository>[\w.~+-]+)")
_TRANSITION = re.compile(rf"  (?P<attribute>[^#\n]*)#(?P<label>{_LABEL})#.*")
_EDGE = re.compile(r'  "(?P<nodes>(?:[^"\\]|\\.)*)"(?: -> "(?P<ends>(?:[^"\\]|\\.)*)")?;?')
_CONDITION = re.compile(r'\s+\[label="(?:[^"\\]|\\.)*"\];')
_EXEC_PATH = re.compile(r"(?!/)(?!.*//)[^\s:@\[\](){}]*/[^\s:@\[\](){}]+")


def list_form(text: str) -> str | None:
    """Which list of targets a text is, by its first line: a key of _LINES, or "graph"; None when it is no such list."""
    for line in text.splitlines():
        if line.startswith("digraph "):
            return "graph"
        if line.strip():
            line = line.rstrip()
            if _REPOSITORY.fullmatch(line):
                return "list"
            return next((name for name, pattern in _LINES.items() if pattern.fullmatch(line)), None)
    return None


def read_list(text: str, name: str) -> TargetDump:
    """label, minrank, maxrank, location, label_kind, and cquery's label, label_kind and transitions.

    A line may name a repository alone, as a list does that was cut down to one line for each external repository.
    """
    form = list_form(text) or "list"
    pattern = _LINES[form]
    found: dict[str, QueryTarget] = {}
    repositories: dict[str, None] = {}
    current = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        match = pattern.fullmatch(line.rstrip())
        transition = _TRANSITION.fullmatch(line) if form == "configured" and match is None else None
        repository = _REPOSITORY.fullmatch(line.rstrip()) if form == "list" else None
        if transition and current:
            if not transition["attribute"].startswith(("$", ":", "[")):
                target = found[current]
                found[current] = replace(target, dependencies=(*(target.dependencies or ()), transition["label"]))
        elif match:
            current = match["label"]
            groups = match.groupdict()
            location = _location(groups["place"]) if groups.get("place") else None
            found.setdefault(current, QueryTarget(current, groups.get("kind") or "", location=location))
        elif repository:
            repositories[repository["repository"]] = None
        else:
            column = len(line) - len(line.lstrip()) + 1
            raise WorkspaceError(Diagnostic(_EXPECTED[form], Location(name, number, column)))
    targets, names = tuple(found.values()), frozenset(repositories)
    return TargetDump(targets, form == "configured", some_dependencies=form == "configured", repositories=names)


_EXPECTED = {
    "list": "expected a label",
    "rank": "expected a number and a label",
    "kinds": "expected 'KIND rule LABEL'",
    "location": "expected 'FILE:LINE:COLUMN: KIND LABEL'",
    "configured": "expected 'LABEL (CONFIGURATION)' or a dependency of the one above",
}


def _location(text: str) -> Location:
    path, line, column = text.rsplit(":", 2) if text.count(":") >= 2 else (text, "1", "1")
    return Location(path, int(line), int(column))


def read_graph(text: str, name: str) -> TargetDump:
    """`--output=graph`, factored (several labels in one node) or not; cquery's has configurations after the labels."""
    dependencies: dict[str, dict[str, None]] = {}
    configured = closed = False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("digraph ") or line.strip() == "node [shape=box];":
            continue
        if dependencies and _CONDITION.fullmatch(line):  # of the edge above, which a select() makes
            continue
        if line.strip() == "}":
            closed = True
            continue
        match = _EDGE.fullmatch(line.rstrip())
        if match is None or closed:
            raise WorkspaceError(Diagnostic("not the graph that query prints", Location(name, number, 1)))
        ends = []
        for group in ("nodes", "ends"):
            labels = (match[group] or "").split("\\n") if match[group] else []
            plain = [re.sub(_CONFIGURATION + "$", "", label) for label in labels]
            configured = configured or plain != labels
            if any(label.startswith("...") for label in plain):
                message = "the labels of this node are cut short"
                help = "print the graph with --graph:node_limit=-1"
                raise WorkspaceError(Diagnostic(message, Location(name, number, 3), help=help))
            ends.append(plain)
        for node in ends[0]:
            dependencies.setdefault(node, {}).update(dict.fromkeys(ends[1]))
        for node in ends[1]:
            dependencies.setdefault(node, {})
    if not closed:
        raise WorkspaceError(Diagnostic("the graph ends without a brace", Location(name, text.count("\n") + 1, 1)))
    targets = tuple(QueryTarget(label, dependencies=tuple(ends)) for label, ends in dependencies.items())
    return TargetDump(targets, configured)


_XML_KINDS = {
    "source-file": "source file",
    "generated-file": "generated file",
    "package-group": "package group",
    "environment-group": "environment group",
}


def read_xml(text: str, name: str) -> TargetDump:
    """`--output=xml`: XML 1.1, which the parser takes for 1.0."""
    text = re.sub(r'^(<\?xml version=")1\.1"', r'\g<1>1.0"', text)
    if "<!DOCTYPE" in text:
        raise WorkspaceError(Diagnostic("not the XML that query prints: it declares a DOCTYPE", Location(name, 1, 1)))
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as problem:
        line, column = problem.position
        message = str(problem).partition(":")[0]
        raise WorkspaceError(Diagnostic(f"not XML: {message}", Location(name, line, column + 1))) from None
    if root.tag != "query":
        raise WorkspaceError(Diagnostic("not the XML that query prints", Location(name, 1, 1)))
    found = []
    for element in root:
        kind = _XML_KINDS.get(element.tag, f"{element.get('class')} rule")
        place = element.get("location")
        attributes = {
            child.get("name", ""): _xml_value(child)
            for child in element
            if element.tag == "rule" and child.tag not in ("rule-input", "rule-output", "visibility-label")
        }
        location = _location(place) if place else None
        found.append(QueryTarget(element.get("name", ""), kind, attributes, location))
    return TargetDump(tuple(found), flattened=True)


def _xml_value(element: ElementTree.Element) -> Value:
    value = element.get("value", "")
    if element.tag == "list" or element.tag == "distribution-set":
        return tuple(_xml_value(child) for child in element)
    if element.tag == "dict":
        return ("dict", frozenset((_xml_value(pair[0]), _xml_value(pair[1])) for pair in element if len(pair) == 2))
    if element.tag in ("int", "tristate"):
        return {"yes": 1, "no": 0, "auto": -1}.get(value) if element.tag == "tristate" else int(value)
    if element.tag == "boolean":
        return value == "true"
    return value


# Attribute.Discriminator of build.proto
_TYPES = {
    **dict.fromkeys(("1", "14", "15", "INTEGER", "BOOLEAN", "TRISTATE"), "intValue"),
    **dict.fromkeys(("2", "3", "4", "STRING", "LABEL", "OUTPUT"), "stringValue"),
    **dict.fromkeys(("5", "6", "7", "8", "STRING_LIST", "LABEL_LIST", "OUTPUT_LIST"), "stringListValue"),
    **dict.fromkeys(("10", "STRING_DICT"), "stringDictValue"),
    **dict.fromkeys(("12", "LABEL_LIST_DICT"), "labelListDictValue"),
    **dict.fromkeys(("13", "STRING_LIST_DICT"), "stringListDictValue"),
    **dict.fromkeys(("16", "INTEGER_LIST"), "intListValue"),
    **dict.fromkeys(("19", "LABEL_DICT_UNARY"), "labelDictUnaryValue"),
    **dict.fromkeys(("21", "LABEL_KEYED_STRING_DICT"), "labelKeyedStringDictValue"),
}


def read_messages(message: dict[str, Any], name: str) -> TargetDump:
    """A QueryResult (key "target") or a CqueryResult (key "results"), from proto, textproto or jsonproto."""
    configured = "results" in message
    try:
        rows = inner(message, "target")
        for result in inner(message, "results"):
            rows += inner(result, "target")
        return TargetDump(tuple(_target(row) for row in rows), configured, flattened=not configured)
    except ValueError as problem:
        raise WorkspaceError(Diagnostic(f"not what query prints: {problem}", Location(name, 1, 1))) from None


def _target(row: dict[str, Any]) -> QueryTarget:
    for key, kind in (
        ("rule", ""),
        ("sourceFile", "source file"),
        ("generatedFile", "generated file"),
        ("packageGroup", "package group"),
        ("environmentGroup", "environment group"),
    ):
        for message in inner(row, key):
            attributes = {
                one(attribute, "name"): _attribute(attribute)
                for attribute in inner(message, "attribute")
                if one(attribute, "explicitlySpecified").lower() in ("1", "true")
            }
            place = one(message, "location")
            location = _location(place) if re.fullmatch(r".*:\d+:\d+", place) else None
            return QueryTarget(one(message, "name"), kind or f"{one(message, 'ruleClass')} rule", attributes, location)
    raise ValueError("a target is neither a rule nor a file nor a group")


def _attribute(attribute: dict[str, Any]) -> Value:
    key = _TYPES.get(one(attribute, "type"), "")
    if key == "intValue":
        return int(one(attribute, key) or "0")
    if key == "stringListValue":
        return tuple(many(attribute, key))
    if key == "intListValue":
        return tuple(int(item) for item in many(attribute, key))
    if key.endswith("DictValue") or key == "labelDictUnaryValue":
        pairs = inner(attribute, key)
        is_list = key in ("labelListDictValue", "stringListDictValue")
        return (
            "dict",
            frozenset((one(p, "key"), tuple(many(p, "value")) if is_list else one(p, "value")) for p in pairs),
        )
    return one(attribute, "stringValue")


def is_files(lines: Sequence[str]) -> bool:
    """Whether the lines are what `cquery --output=files` prints: execution paths, a generated one among them."""
    return any(line.startswith("bazel-out/") for line in lines) and all(map(_EXEC_PATH.fullmatch, lines))


def read_files(text: str, name: str) -> tuple[str, ...]:
    """`cquery --output=files`; raises WorkspaceError for a line that is no path."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            if not _EXEC_PATH.fullmatch(line):
                raise WorkspaceError(Diagnostic("expected a path", Location(name, number, 1)))
            found.append(line)
    return tuple(found)
