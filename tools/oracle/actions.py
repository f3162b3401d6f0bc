"""Reduce `bazel aquery --output=jsonproto` to the action lists kept in tests/data/oracles."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Bookkeeping of Bazel's own: nothing that a build without Bazel has to do.
BOOKKEEPING = frozenset(
    {
        "CcStrip",
        "CppModuleMap",
        "Fail",
        "Middleman",
        "PackagingSourcesManifest",
        "SolibSymlink",
        "SourceSymlinkManifest",
        "SymlinkTree",
        "TestRunner",
    }
)

# Their declared inputs are every header in reach, thousands a target; the command line says what is compiled.
INPUTS_LEFT_OUT = frozenset({"CppArchive", "CppCompile", "CppLink"})


@dataclass(frozen=True, slots=True)
class Row:
    """One action: mnemonic, label, whether for the build machine, outputs, inputs, command line."""

    mnemonic: str
    label: str
    host: bool
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    arguments: tuple[str, ...]

    def line(self) -> str:
        """The row as one line of JSON."""
        inputs = () if self.mnemonic in INPUTS_LEFT_OUT else self.inputs
        value = {
            "m": self.mnemonic,
            "t": self.label,
            "host": self.host,
            "o": self.outputs,
            "i": inputs,
            "argv": self.arguments,
        }
        return json.dumps(value, separators=(",", ":"))


class Dump:
    """A parsed jsonproto dump (analysis_v2.proto: ActionGraphContainer)."""

    def __init__(self, text: str) -> None:
        container: dict[str, Any] = json.loads(text)
        self._fragments = {entry["id"]: entry for entry in container.get("pathFragments", ())}
        self._artifacts = {entry["id"]: self._path(entry["pathFragmentId"]) for entry in container.get("artifacts", ())}
        self._sets = {entry["id"]: entry for entry in container.get("depSetOfFiles", ())}
        labels = {entry["id"]: entry["label"] for entry in container.get("targets", ())}
        self.rows = [self._row(action, labels[action["targetId"]]) for action in container.get("actions", ())]

    def _row(self, action: Mapping[str, Any], label: str) -> Row:
        outputs = tuple(self._artifacts[number] for number in action.get("outputIds", ()))
        return Row(
            mnemonic=action["mnemonic"],
            label=label,
            host=any(is_build_machine(output) for output in outputs),
            outputs=outputs,
            inputs=self._inputs(action.get("inputDepSetIds", ())),
            arguments=tuple(action.get("arguments", ())),
        )

    def _path(self, number: int) -> str:
        labels = []
        while number:
            fragment = self._fragments[number]
            labels.append(fragment["label"])
            number = fragment.get("parentId", 0)
        return "/".join(reversed(labels))

    def _inputs(self, sets: Sequence[int]) -> tuple[str, ...]:
        """All paths of some depsets, sorted."""
        found: set[str] = set()
        seen = set(sets)
        pending = list(sets)
        while pending:
            entry = self._sets[pending.pop()]
            found.update(self._artifacts[number] for number in entry.get("directArtifactIds", ()))
            fresh = [number for number in entry.get("transitiveDepSetIds", ()) if number not in seen]
            seen.update(fresh)
            pending += fresh
        return tuple(sorted(found))


def is_build_machine(output: str) -> bool:
    """Whether an output lies in the folder of the host (`host`) or an execution configuration (`k8-opt-exec-...`).

    The folder tells, the configuration's mnemonic does not: Bazel 4 calls the host configuration `k8-opt`, as it would
    a target configuration with `-c opt`.
    """
    folder = output.removeprefix("bazel-out/").partition("/")[0]
    return folder == "host" or "-exec" in folder


def needed(rows: Iterable[Row], outputs: Sequence[str]) -> list[Row]:
    """The actions that must run for `outputs`. Raises KeyError for an output that no action makes."""
    makers = {output: row for row in rows for output in row.outputs}
    chosen: dict[tuple[str, ...], Row] = {}
    pending = [makers[output] for output in outputs]
    while pending:
        row = pending.pop()
        if row.outputs in chosen:
            continue
        chosen[row.outputs] = row
        pending += [makers[path] for path in row.inputs if path in makers]
    return list(chosen.values())


def lines(rows: Iterable[Row]) -> list[str]:
    """The rows worth keeping as lines of JSON, sorted by first output."""
    kept = [row for row in rows if row.mnemonic not in BOOKKEEPING and row.outputs]
    return [row.line() for row in sorted(kept, key=lambda row: row.outputs[0])]
