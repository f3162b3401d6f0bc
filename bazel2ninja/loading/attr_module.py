"""The module `attr` of .bzl files: https://bazel.build/rules/lib/toplevel/attr.

One object for each .bzl file, because default values that are texts are labels relative to that file.
"""

from __future__ import annotations

from typing import Any

from bazel2ninja.loading import arguments
from bazel2ninja.loading.attributes import LabelConverter, convert
from bazel2ninja.loading.rule_class import (
    Attribute,
    AttributeType,
    ComputedDefault,
    ConfigurationField,
)
from bazel2ninja.loading.transition import PlainTransition
from bazel2ninja.records import replace
from bazel2ninja.starlark import EvalError, function_parameters, is_callable, to_repr, type_name

_T = AttributeType
_CONFIGURATIONS = {"target": "target", "exec": "exec", "host": "exec", "data": "target"}


class AttrModule:
    """`attr` as one .bzl file sees it."""

    starlark_type = "attr"

    def __init__(self, labels: LabelConverter):
        self._labels = labels

    def starlark_repr(self) -> str:
        return "<attr>"

    def s_bool(self, *, default: Any = None, doc: Any = None, mandatory: Any = False, **rest: Any) -> Attribute:
        return self._plain(_T.BOOLEAN, "bool", default, doc, mandatory, rest)

    def s_int(
        self, *, default: Any = None, doc: Any = None, mandatory: Any = False, values: Any = (), **rest: Any
    ) -> Attribute:
        return self._plain(_T.INTEGER, "int", default, doc, mandatory, rest, values=values)

    def s_string(
        self, *, default: Any = None, doc: Any = None, mandatory: Any = False, values: Any = (), **rest: Any
    ) -> Attribute:
        return self._plain(_T.STRING, "string", default, doc, mandatory, rest, values=values)

    def s_int_list(self, mandatory: Any = False, allow_empty: Any = True, **rest: Any) -> Attribute:
        return self._collection(_T.INTEGER_LIST, "int_list", mandatory, allow_empty, rest)

    def s_string_list(self, mandatory: Any = False, allow_empty: Any = True, **rest: Any) -> Attribute:
        return self._collection(_T.STRING_LIST, "string_list", mandatory, allow_empty, rest)

    def s_string_dict(self, allow_empty: Any = True, *, mandatory: Any = False, **rest: Any) -> Attribute:
        return self._collection(_T.STRING_DICT, "string_dict", mandatory, allow_empty, rest)

    def s_string_list_dict(self, allow_empty: Any = True, *, mandatory: Any = False, **rest: Any) -> Attribute:
        return self._collection(_T.STRING_LIST_DICT, "string_list_dict", mandatory, allow_empty, rest)

    def s_license(self, *, default: Any = None, doc: Any = None, mandatory: Any = False, **rest: Any) -> Attribute:
        return self._plain(_T.LICENSE, "license", default, doc, mandatory, rest)

    def s_output(self, *, doc: Any = None, mandatory: Any = False, **rest: Any) -> Attribute:
        return self._plain(_T.OUTPUT, "output", None, doc, mandatory, rest)

    def s_output_list(self, allow_empty: Any = True, *, mandatory: Any = False, **rest: Any) -> Attribute:
        return self._collection(_T.OUTPUT_LIST, "output_list", mandatory, allow_empty, rest)

    def s_label(self, **options: Any) -> Attribute:
        return self._dependency(_T.LABEL, "label", options)

    def s_label_list(self, allow_empty: Any = True, **options: Any) -> Attribute:
        return self._dependency(_T.LABEL_LIST, "label_list", options, allow_empty)

    def s_label_keyed_string_dict(self, allow_empty: Any = True, **options: Any) -> Attribute:
        return self._dependency(_T.LABEL_KEYED_STRING_DICT, "label_keyed_string_dict", options, allow_empty)

    def s_string_keyed_label_dict(self, allow_empty: Any = True, **options: Any) -> Attribute:
        return self._dependency(_T.STRING_KEYED_LABEL_DICT, "string_keyed_label_dict", options, allow_empty)

    def s_label_list_dict(self, allow_empty: Any = True, **options: Any) -> Attribute:
        return self._dependency(_T.LABEL_LIST_DICT, "label_list_dict", options, allow_empty)

    def _collection(
        self, type: AttributeType, function: str, mandatory: Any, allow_empty: Any, rest: dict[str, Any]
    ) -> Attribute:
        default, doc = rest.pop("default", None), rest.pop("doc", None)
        if rest.pop("non_empty", False):
            allow_empty = False
        return self._plain(type, function, default, doc, mandatory, rest, allow_empty=bool(allow_empty))

    def _plain(
        self,
        type: AttributeType,
        function: str,
        default: Any,
        doc: Any,
        mandatory: Any,
        rest: dict[str, Any],
        values: Any = (),
        allow_empty: bool = True,
    ) -> Attribute:
        configurable = rest.pop("configurable", True)
        if rest:
            raise EvalError(f"{function}() got unexpected keyword argument '{next(iter(rest))}'")
        attribute = Attribute(
            "",
            type,
            mandatory=bool(mandatory),
            allow_empty=allow_empty,
            allowed_values=arguments.sequence(values, function, "values"),
            configurable=configurable is not False,
            doc=arguments.text(doc, function, "doc"),
        )
        return self._with_default(attribute, default, function)

    def _with_default(self, attribute: Attribute, default: Any, function: str) -> Attribute:
        if default is None:
            return attribute
        if isinstance(default, ConfigurationField):
            return replace(attribute, default=default)
        if is_callable(default):
            return replace(attribute, default=ComputedDefault(default, function_parameters(default)))
        # an empty default of a mandatory or non-empty attribute, or one outside `values`, is never used
        lenient = replace(attribute, allowed_values=(), allow_empty=True, name="default")
        return replace(attribute, default=convert(default, lenient, self._labels, f"attr.{function}"))

    def _dependency(
        self, type: AttributeType, function: str, options: dict[str, Any], allow_empty: Any = True
    ) -> Attribute:
        take = options.pop
        default = take("default", None)
        doc, mandatory, configurable = take("doc", None), take("mandatory", False), take("configurable", True)
        allow_files, single = take("allow_files", None), take("allow_single_file", None)
        if take("single_file", False):  # allow_files + single_file is the older spelling of allow_single_file
            single, allow_files = allow_files, None
        if take("non_empty", False):
            allow_empty = False
        allow_rules, executable, cfg = take("allow_rules", None), take("executable", False), take("cfg", None)
        aspects, providers = take("aspects", ()), take("providers", ())
        take("flags", None)
        take("skip_validations", None)
        take("for_dependency_resolution", None)
        if take("materializer", None) is not None:
            raise EvalError(f"attr.{function}(materializer = ...) is not supported")
        if options:
            raise EvalError(f"{function}() got unexpected keyword argument '{next(iter(options))}'")
        if single is not None and allow_files is not None:
            raise EvalError("cannot specify both allow_files and allow_single_file")
        if executable and cfg is None:
            raise EvalError(
                "cfg parameter is mandatory when executable=True is provided. Please see"
                " https://bazel.build/extending/rules#configurations for more details."
            )
        for aspect in arguments.sequence(aspects, function, "aspects"):
            if type_name(aspect) not in ("Aspect", "placeholder"):
                raise EvalError(
                    f"expected a list of aspects in 'aspects', but got an element of type {type_name(aspect)}"
                )
        attribute = Attribute(
            "",
            type,
            mandatory=bool(mandatory),
            allow_empty=bool(allow_empty),
            allow_files=_file_types(single if single is not None else allow_files),
            single_file=single is not None and single is not False,
            allow_rules=None if allow_rules is None else arguments.strings(allow_rules, function, "allow_rules"),
            providers=provider_alternatives(providers, function, "providers"),
            aspects=arguments.sequence(aspects, function, "aspects"),
            executable=bool(executable),
            cfg=_configuration(cfg),
            configurable=configurable is not False,
            doc=arguments.text(doc, function, "doc"),
        )
        return self._with_default(attribute, default, function)


def _file_types(value: Any) -> bool | tuple[str, ...]:
    if value is None or value.__class__ is bool:
        return bool(value)
    if isinstance(value, list | tuple):
        return arguments.strings(value, "attr.label", "allow_files")
    filetype = getattr(value, "file_types", None)  # FileType([".cc"]), as it was written before Bazel 0.25
    if filetype is not None:
        return tuple(filetype)
    raise EvalError(f"allow_files should be a boolean or a string list, but got {type_name(value)}")


def _configuration(cfg: Any) -> object:
    if cfg is None:
        return "target"
    if isinstance(cfg, str):
        if cfg not in _CONFIGURATIONS:
            raise EvalError(f"cfg must be either 'target', 'exec' or a transition, but got {to_repr(cfg)}")
        return _CONFIGURATIONS[cfg]
    return cfg.kind if isinstance(cfg, PlainTransition) else cfg


def provider_alternatives(value: Any, function: str, parameter: str) -> tuple[tuple[object, ...], ...]:
    """`providers = [A, B]` (both) or `[[A, B], [C]]` (either) as alternatives; no alternative means anything goes."""
    found = arguments.sequence(value, function, parameter)
    if not found:
        return ()
    nested = [isinstance(item, list | tuple) for item in found]
    if all(nested):
        return tuple(tuple(item) for item in found)
    if any(nested):
        raise EvalError(f"{parameter}: the list must hold either providers or lists of providers, not both")
    return (found,)
