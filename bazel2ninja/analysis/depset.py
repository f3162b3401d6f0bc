"""Depsets: sets that share their parts, and are put in order when they are read.

Source: "Depsets" in Bazel's documentation (bazel.build/extending/depsets) and its class NestedSet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..starlark import EvalError, List, current_thread, iterate, to_repr, type_name
from ..starlark.operations import distinct
from ..starlark.values import check_hashable

ORDERS = ("default", "postorder", "preorder", "topological")


class Depset:
    """An immutable set of hashable values: direct ones and those of other depsets.

    `order` is one of ORDERS; a depset of the default order mixes with any other.
    """

    __slots__ = ("_flat", "direct", "order", "transitive")
    starlark_type = "depset"

    def __init__(self, direct: Iterable[Any] = (), transitive: Iterable[Depset] = (), order: str = "default"):
        self.direct: tuple[Any, ...] = tuple(direct)
        # a set that is given twice counts where it is given first
        self.transitive: tuple[Depset, ...] = tuple(
            dict.fromkeys(t._without_shell() for t in transitive if t.direct or t.transitive)
        )
        self.order = order
        self._flat: tuple[Any, ...] | None = None
        for part in self.transitive:
            if part.order != order and "default" not in (part.order, order):
                raise EvalError(f"Order '{order}' is incompatible with order '{part.order}'")

    def _without_shell(self) -> Depset:
        """The only part of a depset that adds nothing to it: to Bazel both are the same set."""
        found = self
        while not found.direct and len(found.transitive) == 1 and found.transitive[0].order == found.order:
            found = found.transitive[0]
        return found

    def flatten(self) -> tuple[Any, ...]:
        """The elements, each once, in the depset's order; computed once, without recursion."""
        if self._flat is None:
            if not self.transitive:
                self._flat = distinct(self.direct)
            else:
                self._flat = _ORDERED[self.order](self)
        return self._flat

    def to_list(self) -> List:
        return List(self.flatten())

    def s_to_list(self) -> List:
        return List(self.flatten())

    def __bool__(self) -> bool:
        return bool(self.direct or self.transitive)

    def starlark_freeze(self, freeze: Any) -> None:
        for part in _parts(self):
            for value in part.direct:
                freeze(value)

    def starlark_repr(self) -> str:
        order = f', order = "{self.order}"' if self.order != "default" else ""
        return f"depset({to_repr(self.to_list())}{order})"

    def __add__(self, other: Any) -> Any:
        if not _semantics().depset_operators:
            return NotImplemented
        return self._union(other)

    def __or__(self, other: Any) -> Any:
        if not _semantics().depset_operators:
            return NotImplemented
        return self._union(other)

    def _union(self, other: Any) -> Depset:
        if isinstance(other, Depset):
            order = self.order if self.order != "default" else other.order
            return Depset((), (self, other), order)
        return Depset(checked_elements(iterate(other)), (self,), self.order)

    def s_union(self, other: Any, /) -> Depset:
        if not _semantics().depset_operators:
            raise EvalError("'depset' value has no field or method 'union'")
        return self._union(other)

    def starlark_iterate(self) -> Iterable[Any]:
        if not _semantics().depset_is_iterable:
            raise EvalError("type 'depset' is not iterable. Use the `to_list()` method to get a list.")
        return self.flatten()

    def __len__(self) -> int:
        if not _semantics().depset_is_iterable:
            raise EvalError("depset is not iterable")
        return len(self.flatten())

    def __contains__(self, item: object) -> bool:
        if not _semantics().depset_is_iterable:
            raise EvalError(f"unsupported binary operation: {type_name(item)} in depset. Use the `to_list()` method.")
        return item in self.flatten()


def _semantics() -> Any:
    return current_thread().semantics


def _parts(root: Depset) -> list[Depset]:
    """Every depset below and with `root`, once."""
    seen: set[int] = set()
    found: list[Depset] = []
    pending = [root]
    while pending:
        part = pending.pop()
        if id(part) not in seen:
            seen.add(id(part))
            found.append(part)
            pending.extend(part.transitive)
    return found


def _walk(root: Depset, parent_first: bool) -> list[Any]:
    """The elements in a left-to-right walk of each part once: a parent's own before its children's, or after."""
    seen = {id(root)}
    out: list[Any] = []
    order = root.order
    if parent_first:
        out.extend(root.direct)
    stack = [(root, iter(root.transitive))]
    while stack:
        part, children = stack[-1]
        for child in children:
            number = id(child)
            if number in seen:
                continue
            seen.add(number)
            if not child.transitive:
                out += child.direct
                continue
            if child._flat is not None and child.order == order:
                out += child._flat
                continue
            if parent_first:
                out += child.direct
            stack.append((child, iter(child.transitive)))
            break
        else:
            if not parent_first:
                out.extend(part.direct)
            stack.pop()
    return out


def _postorder(root: Depset) -> tuple[Any, ...]:
    return distinct(_walk(root, parent_first=False))


def _preorder(root: Depset) -> tuple[Any, ...]:
    return distinct(_walk(root, parent_first=True))


def _topological(root: Depset) -> tuple[Any, ...]:
    """Parents before children: the reverse of a walk that takes children right to left and appends parents last."""
    seen = {id(root)}
    out: list[Any] = []
    stack = [(root, iter(reversed(root.transitive)))]
    while stack:
        part, children = stack[-1]
        for child in children:
            number = id(child)
            if number in seen:
                continue
            seen.add(number)
            if not child.transitive:
                out += reversed(child.direct)
                continue
            stack.append((child, iter(reversed(child.transitive))))
            break
        else:
            out.extend(reversed(part.direct))
            stack.pop()
    return distinct(out)[::-1]


_ORDERED = {"default": _postorder, "postorder": _postorder, "preorder": _preorder, "topological": _topological}
_OLD_ORDERS = {"stable": "default", "compile": "postorder", "naive_link": "preorder", "link": "topological"}


def checked_elements(values: Iterable[Any]) -> list[Any]:
    """The values; raises EvalError for one that cannot be in a depset, or for unlike types."""
    elements = list(values)
    kinds = set()
    for element in elements:
        if isinstance(element, (list, dict)):
            raise EvalError(f"depset elements must not be mutable values: {type_name(element)}")
        check_hashable(element)
        kinds.add(type_name(element))
    if len(kinds) > 1:
        first, second = sorted(kinds)[:2]
        raise EvalError(f"cannot add an item of type '{second}' to a depset of '{first}'")
    return elements


def depset(
    direct: Any = None,
    order: Any = "default",
    *,
    transitive: Any = None,
    items: Any = None,
) -> Depset:
    """The Starlark function depset(direct = None, order = "default", *, transitive = None)."""
    if order.__class__ is not str or order not in ORDERS:
        order = _OLD_ORDERS.get(order, order) if order.__class__ is str else order
        if order.__class__ is not str or order not in ORDERS:
            raise EvalError(f"Invalid order: {order if order.__class__ is str else type_name(order)}")
    if items is not None:
        if direct is not None:
            raise EvalError("parameter 'direct' cannot be specified both positionally and by keyword")
        direct = items
    children: Sequence[Any] = ()
    if transitive is not None:
        if not isinstance(transitive, (List, tuple)):
            raise EvalError(
                f"in call to depset(), parameter 'transitive' got value of type '{type_name(transitive)}', "
                "want 'sequence or NoneType'"
            )
        for position, child in enumerate(transitive):
            if not isinstance(child, Depset):
                raise EvalError(
                    f"at index {position} of transitive, got element of type {type_name(child)}, want depset"
                )
        children = transitive
    if isinstance(direct, Depset):
        if not _semantics().depset_operators:
            raise EvalError("parameter 'direct' must be a sequence, but got 'depset'; use transitive")
        return Depset((), (direct, *children), order)
    if direct is None:
        direct = ()
    elif not isinstance(direct, (List, tuple)):
        raise EvalError(
            f"in call to depset(), parameter 'direct' got value of type '{type_name(direct)}', "
            "want 'sequence or NoneType'"
        )
    elements = checked_elements(direct)
    if not elements and len(children) == 1 and children[0].order == order:
        only: Depset = children[0]
        return only
    if elements:
        kind = type_name(elements[0])
        for child in children:
            part = child
            while part.transitive and not part.direct:
                part = part.transitive[0]
            if part.direct and type_name(part.direct[0]) != kind:
                raise EvalError(f"cannot add an item of type '{type_name(part.direct[0])}' to a depset of '{kind}'")
    return Depset(elements, children, order)
