"""What stands for a symbol that a .bzl file of an absent repository would have defined."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bazel2ninja.diagnostics import Diagnostic, Note
from bazel2ninja.labels import Label
from bazel2ninja.loading.repository import AbsentRepositoryError, PlaceholderCall
from bazel2ninja.loading.select import Select, SelectList
from bazel2ninja.starlark import caller_location, current_thread


class Placeholder:
    """A symbol of an absent repository.

    While a WORKSPACE file or a module extension is evaluated, calling it is recorded and does nothing.  In a BUILD file
    a call with a name makes that target an error, and what another call gives makes one of the target that gets it.
    Anywhere else calling it is the error that the repository is absent.
    Attributes, elements and operations give placeholders again.

    result: what a call in a BUILD file gives: asking what is in it, or whether it is true, is an error, too.
    """

    starlark_type = "placeholder"

    def __init__(self, symbol: str, problem: AbsentRepositoryError, *, result: bool = False):
        self.symbol = symbol
        self.problem = problem
        self._result = result

    def __getattr__(self, name: str) -> Placeholder:
        if not name.startswith("s_"):
            raise AttributeError(name=name, obj=self)
        return self._derived(f"{self.symbol}.{name[2:]}")

    def __call__(self, *args: Any, **kwargs: Any) -> Placeholder:
        data = current_thread().data
        record = data.get("declarations")
        name = kwargs.get("name")
        if record is None:
            package = data.get("package")
            if package is None:
                raise self.error()
            if isinstance(name, str):
                # only who needs the target that it would have made fails
                package.add_absent(name, self.error(), kwargs)
            else:
                package.add_absent(f"{self.symbol}()", self.error(), [args, kwargs])
            return Placeholder(f"{self.symbol}()", self.problem, result=True)
        record.placeholder_calls.append(
            PlaceholderCall(self.symbol, self.problem.what, caller_location(), name if isinstance(name, str) else "")
        )
        return Placeholder(f"{self.symbol}()", self.problem)

    def error(self) -> AbsentRepositoryError:
        """The error that using it outside of a WORKSPACE file is."""
        first = self.problem.diagnostic
        defined = re.split(r"[.(\[]", self.symbol)[0]
        note = Note(f"'{defined}' would have been defined there", None)
        told = Diagnostic(first.message, help=first.help, notes=(note, *first.notes), cause=first.cause)
        return AbsentRepositoryError(self.problem.name, told, self.problem.what)

    def __getitem__(self, key: Any) -> Placeholder:
        return self._derived(f"{self.symbol}[...]")

    def _derived(self, symbol: str) -> Placeholder:
        return Placeholder(symbol, self.problem, result=self._result)

    def _known(self) -> None:
        if self._result:
            raise self.error()

    def _operation(self, other: Any) -> Placeholder:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __or__ = __ror__ = __mod__ = _operation

    def starlark_iterate(self) -> Iterator[Any]:
        self._known()
        return iter(())

    __iter__ = starlark_iterate

    def __contains__(self, key: object) -> bool:
        self._known()
        return False

    def __len__(self) -> int:
        self._known()
        return 0

    def __bool__(self) -> bool:
        self._known()
        return True

    def __hash__(self) -> int:
        return id(self)

    def starlark_str(self, semantics: object) -> str:
        self._known()
        return self.starlark_repr()

    def starlark_display(self) -> str:
        return self.starlark_repr()

    def starlark_repr(self) -> str:
        return f"<{self.symbol} of the absent {self.problem.what}>"


def find_placeholder(value: Any) -> Placeholder | None:
    """A placeholder in a value, at any depth of lists, dictionaries and select()."""
    waiting = [value]
    seen: set[int] = set()  # a list may contain itself
    while waiting:
        value = waiting.pop()
        if isinstance(value, Placeholder):
            return value
        if isinstance(value, SelectList):
            value = value.elements
        elif isinstance(value, Select):
            value = tuple(value.branches.values())
        if isinstance(value, list | tuple | dict) and id(value) not in seen:
            seen.add(id(value))
            items = [part for pair in value.items() for part in pair] if isinstance(value, dict) else value
            waiting.extend(reversed(items))
    return None


def texts_in(value: Any) -> set[str]:
    """The texts in a value, at any depth of lists and dictionaries."""
    waiting = [value]
    found: set[str] = set()
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.add(value)
        elif isinstance(value, list | tuple | dict) and id(value) not in seen:
            seen.add(id(value))
            waiting.extend([part for pair in value.items() for part in pair] if isinstance(value, dict) else value)
    return found


class AbsentModule(Mapping[str, object]):
    """The symbols of a .bzl file whose repository is absent: every name is there, and is a placeholder."""

    def __init__(self, label: Label, problem: AbsentRepositoryError):
        self.label = label
        self.problem = problem

    def __getitem__(self, name: str) -> Placeholder:
        return Placeholder(name, self.problem)

    def __contains__(self, name: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0
