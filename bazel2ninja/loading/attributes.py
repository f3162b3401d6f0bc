"""From what a BUILD file gives an attribute to the value that a target keeps.

The types are those of https://bazel.build/rules/lib/toplevel/attr.  Labels become `Label`s, lists become tuples, the
branches of select() are converted one by one; None stands for the attribute's default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bazel2ninja.diagnostics import Diagnostic
from bazel2ninja.labels import NO_MAPPING, Label, LabelSyntaxError, PackageIdentifier, RepositoryMapping, parse_label
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.loading.select import Select, SelectList
from bazel2ninja.starlark import EvalError, StarlarkSet, to_repr, type_name

_OF_THE_MAIN_REPOSITORY = ("//conditions:", "//visibility:", "//external:", "//command_line_option:")
"""Packages that have no directory and mean the same in every repository."""


class LabelConverter:
    """Makes labels of the texts that one package or .bzl file writes; each text is parsed once.

    known: text -> label, of those that were asked for.  selects: the converted select() values, which converters may
    share: a macro that gives each of its targets the same ones makes them anew each time.
    """

    __slots__ = ("known", "mapping", "package", "selects")

    def __init__(
        self,
        package: PackageIdentifier,
        mapping: RepositoryMapping = NO_MAPPING,
        selects: dict[tuple[object, ...], Select] | None = None,
    ):
        self.package = package
        self.mapping = mapping
        self.known: dict[str, Label] = {}
        self.selects = {} if selects is None else selects

    def __call__(self, value: object) -> Label:
        """The label for a text, or `value` itself when it is a Label; raises LabelSyntaxError or EvalError."""
        if value.__class__ is str:
            found = self.known.get(value)
            if found is None:
                base = None if value.startswith(_OF_THE_MAIN_REPOSITORY) else self.package
                found = self.known[value] = parse_label(value, base, self.mapping if base else NO_MAPPING)
            return found
        if isinstance(value, Label):
            return value
        raise EvalError(f"got {type_name(value)}, want a label")


_SHOWN = 200  # characters of a wrong value in a message


def _show(value: object) -> str:
    text = to_repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


class _Mismatch(Exception):
    """The value has the wrong type; `what` names the part of it."""

    def __init__(self, wanted: str, value: object, what: str = ""):
        self.wanted, self.value, self.what = wanted, value, what


def _boolean(value: Any, labels: LabelConverter) -> bool:
    if value.__class__ is bool:
        return value
    if value.__class__ is int and value in (0, 1):
        return value == 1
    if value.__class__ is int:
        raise EvalError("boolean is not one of [0, 1]")
    raise _Mismatch("boolean", value)


def _tristate(value: Any, labels: LabelConverter) -> int:
    if value.__class__ is bool or (value.__class__ is int and value in (-1, 0, 1)):
        return int(value)
    if value.__class__ is int:
        raise EvalError("tristate is not one of [-1, 0, 1]")
    raise _Mismatch("tristate", value)


def _integer(value: Any, labels: LabelConverter) -> int:
    if value.__class__ is not int:
        raise _Mismatch("int", value)
    if not -(1 << 31) <= value < 1 << 31:
        raise EvalError(f"got {value}, want value in the signed 32-bit range")
    return value


def _string(value: Any, labels: LabelConverter) -> str:
    if value.__class__ is not str:
        raise _Mismatch("string", value)
    return value


def _label(value: Any, labels: LabelConverter) -> Label:
    if value.__class__ is not str and value.__class__ is not Label:
        raise _Mismatch("label", value)
    return labels(value)


def _output(value: Any, labels: LabelConverter) -> Label:
    if value.__class__ is not str and value.__class__ is not Label:
        raise _Mismatch("output", value)
    label = labels(value)
    if label.package is not labels.package:
        raise EvalError(f"label '{label}' is not in the current package")
    return label


def _elements(value: Any, name: str) -> Any:
    """The elements of another iterable, which Bazel takes where a list is wanted: of a dict, its keys."""
    if isinstance(value, StarlarkSet | dict | range):
        return tuple(value)
    if type_name(value) == "depset":
        return value.s_to_list()
    raise _Mismatch(name, value)


def _list_of(element: Callable[[Any, LabelConverter], object], name: str) -> Callable[[Any, LabelConverter], object]:
    def convert(value: Any, labels: LabelConverter) -> tuple[object, ...]:
        if not isinstance(value, list | tuple):
            value = _elements(value, name)
        try:
            return tuple([element(item, labels) for item in value])
        except _Mismatch:
            for position, item in enumerate(value):
                try:
                    element(item, labels)
                except _Mismatch as mismatch:
                    raise _Mismatch(mismatch.wanted, mismatch.value, f"element {position} of") from None
            raise

    return convert


def _dict_of(
    key: Callable[[Any, LabelConverter], object],
    item: Callable[[Any, LabelConverter], object],
    name: str,
) -> Callable[[Any, LabelConverter], object]:
    def convert(value: Any, labels: LabelConverter) -> dict[object, object]:
        if not isinstance(value, dict):
            raise _Mismatch(name, value)
        result: dict[object, object] = {}
        for given, content in value.items():
            try:
                converted = key(given, labels)
            except _Mismatch as mismatch:
                raise _Mismatch(mismatch.wanted, mismatch.value, "dict key element of") from None
            if converted in result:
                raise EvalError(f"duplicate labels: '{converted}' is given more than once")
            try:
                result[converted] = item(content, labels)
            except _Mismatch as mismatch:
                raise _Mismatch(mismatch.wanted, mismatch.value, "dict value element of") from None
        return result

    return convert


_T = AttributeType
_checked_strings = _list_of(_string, _T.STRING_LIST.value)
_ONLY_STRINGS = frozenset((str,))


def _strings(value: Any, labels: LabelConverter) -> object:
    if isinstance(value, list | tuple) and _ONLY_STRINGS.issuperset(map(type, value)):
        return tuple(value)
    return _checked_strings(value, labels)


_LABEL_LIST = _list_of(_label, _T.LABEL_LIST.value)
_CONVERTERS: Mapping[AttributeType, Callable[[Any, LabelConverter], object]] = {
    _T.BOOLEAN: _boolean,
    _T.TRISTATE: _tristate,
    _T.INTEGER: _integer,
    _T.INTEGER_LIST: _list_of(_integer, _T.INTEGER_LIST.value),
    _T.STRING: _string,
    _T.STRING_LIST: _strings,
    _T.STRING_DICT: _dict_of(_string, _string, _T.STRING_DICT.value),
    _T.STRING_LIST_DICT: _dict_of(_string, _strings, _T.STRING_LIST_DICT.value),
    _T.LABEL: _label,
    _T.LABEL_LIST: _LABEL_LIST,
    _T.LABEL_KEYED_STRING_DICT: _dict_of(_label, _string, _T.LABEL_KEYED_STRING_DICT.value),
    _T.STRING_KEYED_LABEL_DICT: _dict_of(_string, _label, _T.STRING_KEYED_LABEL_DICT.value),
    _T.LABEL_LIST_DICT: _dict_of(_string, _LABEL_LIST, _T.LABEL_LIST_DICT.value),
    _T.NODEP_LABEL: _label,
    _T.NODEP_LABEL_LIST: _LABEL_LIST,
    _T.OUTPUT: _output,
    _T.OUTPUT_LIST: _list_of(_output, _T.OUTPUT_LIST.value),
    _T.LICENSE: _strings,
}

_CONCATENABLE = frozenset(
    (
        _T.INTEGER,
        _T.INTEGER_LIST,
        _T.STRING,
        _T.STRING_LIST,
        _T.STRING_DICT,
        _T.STRING_LIST_DICT,
        _T.LABEL_LIST,
        _T.LABEL_KEYED_STRING_DICT,
        _T.STRING_KEYED_LABEL_DICT,
        _T.LABEL_LIST_DICT,
        _T.NODEP_LABEL_LIST,
        _T.LICENSE,
    )
)
_UNIQUE = frozenset((_T.LABEL_LIST, _T.OUTPUT_LIST))


def convert(value: object, attribute: Attribute, labels: LabelConverter, kind: str, target: str = "") -> object:
    """`value` as the type of `attribute` in a rule of kind `kind`; `target` is the rule's name, for messages.

    Raises EvalError for a value of the wrong type, a malformed or repeated label, or one that is not allowed.  None,
    and a branch of None in a select(), come back as None: the default.
    """
    if value.__class__ is SelectList:
        return _convert_select(value, attribute, labels, kind, target)
    if value is None:
        return None
    try:
        result = _CONVERTERS[attribute.type](value, labels)
    except _Mismatch as mismatch:
        what = f"{mismatch.what} attribute" if mismatch.what else "attribute"
        raise EvalError(
            f"expected value of type '{mismatch.wanted}' for {what} '{attribute.name}' in '{kind}' rule,"
            f" but got {_show(mismatch.value)} ({type_name(mismatch.value)})"
        ) from None
    except LabelSyntaxError as problem:
        first = problem.diagnostic
        raise EvalError(
            Diagnostic(f"{first.message} in attribute '{attribute.name}' in '{kind}' rule", help=first.help)
        ) from None
    except EvalError as problem:
        raise EvalError(f"attribute '{attribute.name}' in '{kind}' rule: {problem.diagnostic.message}") from None
    if attribute.type in _UNIQUE and len(set(result)) != len(result):  # type: ignore[call-overload,arg-type]
        _refuse_repetition(result, attribute, target)  # type: ignore[arg-type]
    if attribute.allowed_values and result not in attribute.allowed_values:
        allowed = " or ".join(to_repr(choice) for choice in attribute.allowed_values)
        raise EvalError(
            f"invalid value in attribute '{attribute.name}' in '{kind}' rule: has to be one of {allowed}"
            f" instead of {_show(result)}"
        )
    if not attribute.allow_empty and not result:
        raise EvalError(f"attribute '{attribute.name}' in '{kind}' rule: attribute must be non empty")
    return result


def _refuse_repetition(labels: tuple[Label, ...], attribute: Attribute, target: str) -> None:
    seen: set[Label] = set()
    for label in labels:
        if label in seen:
            raise EvalError(f"label '{label}' is duplicated in the '{attribute.name}' attribute of rule '{target}'")
        seen.add(label)


def _convert_select(
    value: SelectList, attribute: Attribute, labels: LabelConverter, kind: str, target: str
) -> SelectList:
    if not attribute.configurable or attribute.type.is_output:
        raise EvalError(f"attribute '{attribute.name}' in '{kind}' rule is not configurable")
    if len(value.elements) > 1 and attribute.type not in _CONCATENABLE:
        raise EvalError(
            f"attribute '{attribute.name}' in '{kind}' rule: type '{attribute.type.value}' doesn't support select"
            " concatenation"
        )
    elements: list[object] = []
    plain: list[Label] = []
    known: Mapping[Any, Label] = labels.known
    for element in value.elements:
        if isinstance(element, Select):
            branches: dict[Label | str, object] = {}
            for key, branch in element.branches.items():
                condition = known.get(key) or _condition(key, attribute, labels, kind)
                if condition in branches:
                    raise EvalError(
                        f"select() in attribute '{attribute.name}' in '{kind}' rule names the condition"
                        f" '{condition}' twice"
                    )
                branches[condition] = convert(branch, attribute, labels, kind, target)
            elements.append(_shared(Select(branches, element.no_match_error, element.location), attribute.type, labels))
        else:
            converted = convert(element, attribute, labels, kind, target)
            if attribute.type in _UNIQUE:
                plain.extend(converted)  # type: ignore[arg-type]
            elements.append(converted)
    if len(set(plain)) != len(plain):
        _refuse_repetition(tuple(plain), attribute, target)
    return SelectList(tuple(elements), value.operator)


def _shared(select: Select, kind: AttributeType, labels: LabelConverter) -> Select:
    """The one Select with this content; kind: what tells 1 from True."""
    branches = select.branches
    key = (kind, tuple(branches), tuple(branches.values()), select.no_match_error, select.location)
    try:
        return labels.selects.setdefault(key, select)
    except TypeError:  # a branch is a dict
        return select


def _condition(key: Label | str, attribute: Attribute, labels: LabelConverter, kind: str) -> Label:
    try:
        return labels(key)
    except LabelSyntaxError as problem:
        raise EvalError(
            f"{problem.diagnostic.message} in a select() of attribute '{attribute.name}' in '{kind}' rule"
        ) from None


def labels_in(value: object) -> list[Label]:
    """Every label in a converted value, those of all select() branches included (but not the conditions)."""
    found: list[Label] = []
    _collect(value, found)
    return found


def labels_and_conditions_in(value: object) -> list[Label]:
    """The same with the conditions of the select()s."""
    selects = value.elements if isinstance(value, SelectList) else ()
    conditions = [
        key for element in selects if isinstance(element, Select) for key in element.branches if isinstance(key, Label)
    ]
    return [*labels_in(value), *conditions]


def _collect(value: object, found: list[Label]) -> None:
    if value.__class__ is Label:
        found.append(value)
    elif isinstance(value, tuple):
        for item in value:
            if item.__class__ is Label:
                found.append(item)
            else:
                _collect(item, found)
    elif isinstance(value, SelectList):
        for element in value.elements:
            _collect(element, found)
    elif isinstance(value, Select):
        for branch in value.branches.values():
            _collect(branch, found)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _collect(key, found)
            _collect(item, found)
