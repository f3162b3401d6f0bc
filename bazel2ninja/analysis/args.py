"""ctx.actions.args(): a command line under construction, expanded when the analysis of its target ends.

https://bazel.build/rules/lib/builtins/Args
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from bazel2ninja.analysis.action import DirectoryWords, ParameterFile
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.vectors import formatted, vector_words
from bazel2ninja.labels import Label
from bazel2ninja.records import dataclass
from bazel2ninja.starlark.errors import error
from bazel2ninja.starlark.protocol import to_str, type_name

_PARAMETER_FILE_FORMATS = ("shell", "multiline", "flag_per_line")


class DirectoryExpander:
    """Given to map_each: the files below a directory are only known when the build runs, so none can be listed."""

    __slots__ = ()
    starlark_type = "DirectoryExpander"

    def s_expand(self, file: Any) -> Any:
        if isinstance(file, Artifact) and file.is_directory:
            raise error(f"cannot list the files of the directory '{file.exec_path}' before the build has made it")
        return [file]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Vector:
    """One add_all() or add_joined()."""

    name: str | None
    values: Any  # a Depset or a tuple
    map_each: Any
    format_each: str | None
    omit_if_empty: bool
    uniquify: bool
    expand_directories: bool
    before_each: str | None = None
    terminate_with: str | None = None
    join_with: str | None = None
    format_joined: str | None = None

    def with_values(self, values: tuple[Any, ...]) -> _Vector:
        """The same for other values."""
        return replace(self, values=values)

    def form(self) -> dict[str, Any]:
        """The arguments of vector_words()."""
        return {
            "name": self.name,
            "format_each": self.format_each,
            "omit_if_empty": bool(self.omit_if_empty),
            "uniquify": bool(self.uniquify),
            "before_each": self.before_each,
            "terminate_with": self.terminate_with,
            "join_with": self.join_with,
            "format_joined": self.format_joined,
        }


class Args:
    """Mutable until its target's analysis ends.

    `call(function, *args)` runs a Starlark function (of map_each).
    """

    starlark_type = "Args"

    def __init__(self, call: Callable[..., Any]):
        self._call = call
        self._parts: list[_Vector | tuple[Any, str | None]] = []
        self._frozen = False
        self.parameter_file: str | None = None
        self.parameter_file_always = False
        self.parameter_file_format = "shell"

    def starlark_repr(self) -> str:
        return "context.args() object"

    def starlark_str(self, semantics: object) -> str:
        return " ".join(
            " ".join(as_word(value) for value in word.values) if isinstance(word, DirectoryWords) else word
            for word in self.words()
        )

    def freeze(self) -> None:
        """Refuses changes from now on."""
        self._frozen = True

    def starlark_freeze(self, freeze_value: Callable[[Any], Any]) -> None:
        self._frozen = True

    def _change(self) -> None:
        if self._frozen:
            raise error("cannot modify frozen value of type Args")

    def s_add(self, arg_name_or_value: Any, value: Any = ..., *, format: Any = None) -> Args:
        self._change()
        if value is ...:
            value = arg_name_or_value
        else:
            self._flag("add", arg_name_or_value)
        if isinstance(value, Depset):
            raise error("Args.add() doesn't accept vectorized arguments. Please use Args.add_all() or add_joined()")
        if isinstance(value, (list, dict)):
            raise error(
                f"Args.add() doesn't accept vectorized arguments. "
                f"Please use Args.add_all() or Args.add_joined() instead of a {type_name(value)}"
            )
        _check_format("format", format)
        self._parts.append((value, format))
        return self

    def s_add_all(
        self,
        arg_name_or_values: Any,
        values: Any = ...,
        *,
        map_each: Any = None,
        format_each: Any = None,
        before_each: Any = None,
        omit_if_empty: Any = True,
        uniquify: Any = False,
        expand_directories: Any = True,
        terminate_with: Any = None,
        allow_closure: Any = False,
    ) -> Args:
        self._change()
        name = None
        if values is ...:
            values = arg_name_or_values
        else:
            name = self._flag("add_all", arg_name_or_values)
        _check_format("format_each", format_each)
        self._parts.append(
            _Vector(
                name=name,
                values=_sequence("add_all", values),
                map_each=map_each,
                format_each=format_each,
                before_each=before_each,
                omit_if_empty=omit_if_empty,
                uniquify=uniquify,
                expand_directories=expand_directories,
                terminate_with=terminate_with,
            )
        )
        return self

    def s_add_joined(
        self,
        arg_name_or_values: Any,
        values: Any = ...,
        *,
        join_with: Any = ...,
        map_each: Any = None,
        format_each: Any = None,
        format_joined: Any = None,
        omit_if_empty: Any = True,
        uniquify: Any = False,
        expand_directories: Any = True,
        allow_closure: Any = False,
    ) -> Args:
        self._change()
        name = None
        if join_with is ...:
            raise error("add_joined() missing 1 required named argument: join_with")
        if values is ...:
            values = arg_name_or_values
        else:
            name = self._flag("add_joined", arg_name_or_values)
        _check_format("format_each", format_each)
        _check_format("format_joined", format_joined)
        self._parts.append(
            _Vector(
                name=name,
                values=_sequence("add_joined", values),
                map_each=map_each,
                format_each=format_each,
                join_with=join_with,
                format_joined=format_joined,
                omit_if_empty=omit_if_empty,
                uniquify=uniquify,
                expand_directories=expand_directories,
            )
        )
        return self

    def s_use_param_file(self, param_file_arg: Any, *, use_always: Any = False) -> Args:
        self._change()
        if not isinstance(param_file_arg, str) or param_file_arg.replace("%%", "").count("%s") != 1:
            raise error('invalid value for parameter "param_file_arg": expected string with a single "%s"')
        self.parameter_file = param_file_arg
        self.parameter_file_always = bool(use_always)
        return self

    def s_set_param_file_format(self, format: Any) -> Args:
        self._change()
        if format not in _PARAMETER_FILE_FORMATS:
            known = ", ".join(f"'{each}'" for each in _PARAMETER_FILE_FORMATS)
            raise error(f'invalid value for parameter "format": expected one of {known}')
        self.parameter_file_format = format
        return self

    def _flag(self, method: str, name: Any) -> str:
        if not isinstance(name, str):
            raise error(f"expected value of type 'string' for arg name in Args.{method}(), got '{type_name(name)}'")
        if method == "add":
            self._parts.append((name, None))
        return name

    def words(self) -> list[str | DirectoryWords]:
        """The command line's words, in order; raises EvalError when map_each returns something else than text."""
        words: list[str | DirectoryWords] = []
        for part in self._parts:
            if isinstance(part, _Vector):
                words += self._expand(part)
            else:
                value, form = part
                word = as_word(value)
                words.append(formatted(form, word) if form else word)
        return words

    def _expand(self, vector: _Vector) -> Sequence[str | DirectoryWords]:
        values = vector.values.flatten() if isinstance(vector.values, Depset) else vector.values
        form = vector.form()
        if vector.expand_directories and any(isinstance(v, Artifact) and v.is_directory for v in values):
            if vector.map_each is None:
                parts = (v if isinstance(v, Artifact) and v.is_directory else as_word(v) for v in values)
                return (DirectoryWords(tuple(parts), form),)
            if not _takes_expander(vector.map_each):
                path = next(v.exec_path for v in values if isinstance(v, Artifact) and v.is_directory)
                raise error(
                    f"cannot list the files of the directory '{path}' for map_each before the build has made it",
                    "pass expand_directories = False and let the program list it",
                )
        if vector.map_each is None:
            return vector_words(map(as_word, values), **form)
        return vector_words((text for value in values for text in self._mapped(vector.map_each, value)), **form)

    def _mapped(self, function: Any, value: Any) -> Iterable[str]:
        result = (
            self._call(function, value)
            if not _takes_expander(function)
            else self._call(function, value, DirectoryExpander())
        )
        if result is None:
            return ()
        if isinstance(result, str):
            return (result,)
        if isinstance(result, list) and all(isinstance(each, str) for each in result):
            return result
        raise error(f"expected map_each to return string, None, or list of strings, found {type_name(result)}")

    def command_line_part(self) -> list[str | DirectoryWords | ParameterFile]:
        """The words, or one ParameterFile that holds them."""
        words = self.words()
        if self.parameter_file is None:
            return list(words)
        return [
            ParameterFile(tuple(words), self.parameter_file, self.parameter_file_format, self.parameter_file_always)
        ]


def _takes_expander(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and code.co_argcount >= 2


def _sequence(method: str, values: Any) -> Any:
    if isinstance(values, Depset):
        return values
    if isinstance(values, (list, tuple)):
        return tuple(values)  # later changes of the list are not seen
    raise error(f"expected value of type 'sequence or depset' for values in Args.{method}(), got '{type_name(values)}'")


def _check_format(parameter: str, form: Any) -> None:
    if form is None:
        return
    if not isinstance(form, str) or form.replace("%%", "").count("%s") != 1 or form.replace("%%", "").count("%") != 1:
        raise error(f'invalid value for parameter "{parameter}": expected string with a single "%s", got {form!r}')


def as_word(value: Any) -> str:
    """How a value stands on a command line: the path of a File, else its str()."""
    if value.__class__ is str:
        return value
    if isinstance(value, Artifact):
        return value.exec_path
    if isinstance(value, Label):
        return str(value)
    return to_str(value)
