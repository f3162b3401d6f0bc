"""What a package says of each of its targets, as digests: two that are equal mean the same target.

Of a digest with a "+" what stands before that is all that users of the target may notice.

Places in files do not count: nothing in a manifest has them but the message of an action that only fails.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.loading.rule_class import RuleClass
from bazel2ninja.loading.select import Select, SelectList
from bazel2ninja.loading.target import (
    OutputFile,
    Package,
    PackageDefaults,
    PackageGroup,
    RuleTarget,
    SourceFile,
    Visibility,
)


class _OpaqueValueError(Exception):
    """A value that has no text of its own."""


def definitions(package: Package) -> dict[str, str]:
    """Name of a target -> digest of its definition, "" for one that cannot be compared with anything."""
    defaults: dict[int, str] = {}
    files: dict[int, str] = {}
    found: dict[str, str] = {}
    for name, target in package.targets.items():
        if isinstance(target, SourceFile):
            seen = target.visibility
            found[name] = files.get(id(seen)) or files.setdefault(id(seen), f"source {_visibility(seen)}")
        else:
            found[name] = _digest(target, defaults)
    return found


def same_for_users(one: str, other: str) -> bool:
    """Whether two digests of a target differ in nothing but what its users cannot see."""
    return "+" in one and "+" in other and one.partition("+")[0] == other.partition("+")[0]


def _digest(target: object, defaults: dict[int, str]) -> str:
    unseen: Mapping[str, object] = {}
    try:
        if isinstance(target, RuleTarget):
            hidden = target.rule_class.unseen_attributes
            if not hidden.isdisjoint(target.attributes):
                unseen = {name: given for name, given in target.attributes.items() if name in hidden}
        text = _definition(target, defaults, unseen)
        more = _text(unseen) if unseen else ""
    except _OpaqueValueError:
        return ""
    return f"{_hash(text)}+{_hash(more) if more else ''}" if isinstance(target, RuleTarget) else _hash(text)


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


def _definition(target: object, defaults: dict[int, str], without: Mapping[str, object]) -> str:
    if isinstance(target, RuleTarget):
        given = target.package_defaults
        known = defaults.get(id(given))
        if known is None:
            known = defaults[id(given)] = _package_defaults(given)
        return "\n".join(
            (
                _kind(target.rule_class),
                _text({name: given for name, given in target.attributes.items() if name not in without})
                if without
                else _text(target.attributes),
                _visibility(target.visibility),
                _text(target.outputs),
                target.generator_function,
                known,
            )
        )
    if isinstance(target, OutputFile):
        return f"output {target.generating_rule} {_visibility(target.visibility)}"
    if isinstance(target, PackageGroup):
        return f"group {_text(target.specifications)} {_text(target.includes)} {target.public}"
    raise _OpaqueValueError


def _kind(kind: RuleClass) -> str:
    if not kind.native and (kind.defined_in is None or not kind.name):
        raise _OpaqueValueError
    return f"{kind.name} {'native' if kind.native else kind.defined_in}"


def _visibility(visibility: Visibility) -> str:
    if visibility.public:
        return "public"
    return f"{visibility.packages!r} {visibility.groups!r}"


def _package_defaults(given: PackageDefaults | None) -> str:
    if given is None:
        return ""
    return "\n".join(
        (
            _visibility(given.visibility),
            repr(given.testonly),
            repr(given.features),
            repr(given.copts),
            repr(given.applicable_licenses),
            repr(given.deprecation),
            repr(given.licenses),
        )
    )


def _text(value: Any) -> str:
    """A text that only equal values have, so far as the types go that attributes can have."""
    kind = type(value)
    if kind in _PLAIN:
        return repr(value)
    if kind is tuple or kind is list:
        return f"({','.join(map(_text, value))})"
    if kind is SelectList:
        return f"select{value.operator}{_text(value.elements)}"
    if kind is Select:
        return f"branches{_text(value.branches)}{value.no_match_error!r}"
    if isinstance(value, Mapping):
        return f"{{{','.join([f'{_text(key)}:{_text(each)}' for key, each in value.items()])}}}"
    raise _OpaqueValueError


_PLAIN = frozenset((str, int, bool, float, type(None), Label, PackageIdentifier))
