"""One shared library for each target with code, as builds with one library a directory or target make them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.labels import Label
from bazel2ninja.records import dataclass, field
from bazel2ninja.rules.cc_info import CcInfo, linking_context_of


@dataclass(slots=True)
class LibrarySplit:
    """libraries: name of the library -> label; headers: the same for public targets that have headers only."""

    libraries: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


def split(
    public: Iterable[ConfiguredTarget],
    dependencies: Callable[[ConfiguredTarget], Sequence[ConfiguredTarget]],
    stem: str,
) -> LibrarySplit:
    """The split of what public libraries consist of.

    A library is named after the first directory of its package and its target, //absl/base:base is absl_base; after the
    whole path where that is not enough.
    """
    found: dict[Label, ConfiguredTarget] = {}
    offered = {target.actual for target in public}
    pending = list(public)
    while pending:
        target = pending.pop()
        if target.actual not in found and target.get(CcInfo) is not None:
            found[target.actual] = target
            pending += dependencies(target)
    code = {label for label, target in found.items() if _has_objects(target)}
    chosen = sorted(label for label in found if label in code or label in offered)
    names = _names(chosen, stem)
    result = LibrarySplit()
    for label in chosen:
        (result.libraries if label in code else result.headers)[names[label]] = str(label)
    return result


def _names(labels: Sequence[Label], stem: str) -> dict[Label, str]:
    short: dict[str, list[Label]] = {}
    for label in labels:
        first = label.package.path.split("/")[0] or label.package.repository or stem
        name = label.name if label.name.split("_")[0] == first else f"{first}_{label.name}"
        short.setdefault(_plain(name), []).append(label)
    names = {}
    for name, holders in short.items():
        for label in holders:
            path = [label.package.repository, *label.package.path.split("/"), label.name]
            names[label] = name if len(holders) == 1 else _plain("_".join(part for part in path if part))
    return names


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "+-_." else "_" for letter in name)


def _has_objects(target: ConfiguredTarget) -> bool:
    entries = linking_context_of(target.get(CcInfo)).linker_inputs.flatten()
    return any(entry.owner == target.actual and any(each.objects for each in entry.libraries) for entry in entries)
