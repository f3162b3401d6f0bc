"""The report of a comparison, as text and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from bazel2ninja.analysis.action import Action
from bazel2ninja.crosscheck.compare import Difference, compare, located
from bazel2ninja.crosscheck.intended import Absorbed, Circumstances, Intended, default_entries, sort_out
from bazel2ninja.crosscheck.normalize import SHARED, oracle_records
from bazel2ninja.crosscheck.oracle import ActionDump, OracleAction, idle
from bazel2ninja.crosscheck.ours import header_makers, our_records
from bazel2ninja.crosscheck.parameter_file import placed
from bazel2ninja.crosscheck.records import Names, Record
from bazel2ninja.diagnostics import Location

DIFFERENCES_FOUND = 3
"""Exit status when something is unexplained."""

_VERBS = {
    "missing": "lacks",
    "extra": "has in excess",
    "order": "has in another order:",
    "twin": "has one action for",
    "tool": "has, as flags for tools would not make it,",
}
_FIELDS = {
    "copts": "the compiler option",
    "defines": "the define",
    "quote_includes": "the -iquote directory",
    "includes": "the -I directory",
    "system_includes": "the -isystem directory",
    "toolchain_flags": "the toolchain flag",
    "members": "the link member",
    "flags": "the link option",
    "outputs": "the output",
    "inputs": "the input",
    "command": "the word of the command",
    "target": "the target, a",
    "file": "the file",
    "repository": "the repository",
    "dependency": "the dependency",
    "kind": "the kind",
    "label": "the label",
    "attribute": "the value",
}


@dataclass(frozen=True, slots=True)
class Report:
    """What a comparison found.  compared: actions of the dump with a counterpart of ours; notes: what was not."""

    theirs: int
    ours: int
    compared: int
    unexplained: tuple[Difference, ...]
    absorbed: tuple[Absorbed, ...]
    what: str = "actions"  # or "targets", "files"
    notes: tuple[str, ...] = ()  # what was not compared

    @property
    def status(self) -> int:
        """Exit status: 0, or 3 when something is unexplained."""
        return DIFFERENCES_FOUND if self.unexplained else 0

    @property
    def unused(self) -> tuple[Intended, ...]:
        """Entries of intended differences that explained nothing."""
        return tuple(a.entry for a in self.absorbed if not a.count)

    def counts(self) -> Mapping[tuple[str, str], int]:
        """(field, kind) -> number of unexplained items."""
        return Counter((d.field, d.kind) for d in self.unexplained)

    def text(self, limit: int = 0) -> str:
        """For people; limit: differences shown, 0 for all."""
        lines = []
        shown = self.unexplained[:limit] if limit else self.unexplained
        previous = ""
        for difference in shown:
            title = f"{difference.label}: {difference.mnemonic} {difference.subject}"
            if difference.host:
                title += " (for tools)"
            if title != previous:
                place = f"{difference.location}: " if difference.location else ""
                lines.append(f"{place}{title}")
                previous = title
            lines.append(f"    {describe(difference)}")
        if len(shown) < len(self.unexplained):
            lines.append(f"... and {len(self.unexplained) - len(shown)} more")
        if lines:
            lines.append("")
        lines.append(f"{self.theirs} {self.what} of Bazel, {self.ours} of ours, {self.compared} compared")
        lines += [f"  not compared: {note}" for note in self.notes]
        for (field, kind), count in sorted(self.counts().items()):
            lines.append(f"  unexplained: {count} {kind} in {field}")
        for each in self.absorbed:
            if each.count:
                lines.append(f"  intended: {each.count} by '{each.entry.id}': {each.entry.reason}")
        if self.unused:
            lines.append("  intended, but not met: " + ", ".join(repr(entry.id) for entry in self.unused))
        count = len(self.unexplained)
        lines.append(f"{count or 'no'} unexplained difference{'s' if count > 1 else ''}")
        return "\n".join(lines) + "\n"

    def json(self) -> str:
        """For programs: all of it, keys sorted."""
        return json.dumps(
            {
                "theirs": self.theirs,
                "ours": self.ours,
                "compared": self.compared,
                "not_compared": list(self.notes),
                "unexplained": [
                    {
                        "label": d.label,
                        "mnemonic": d.mnemonic,
                        "subject": d.subject,
                        "field": d.field,
                        "kind": d.kind,
                        "value": d.value,
                        "host": d.host,
                        "location": str(d.location) if d.location else None,
                    }
                    for d in self.unexplained
                ],
                "absorbed": {a.entry.id: {"count": a.count, "reason": a.entry.reason} for a in self.absorbed},
            },
            indent=1,
            sort_keys=True,
        )


def describe(difference: Difference) -> str:
    """One difference as half a sentence about us."""
    if difference.field == "action":
        return {
            "missing": "the action is missing",
            "unneeded": "the action is missing, though nothing seems to use it",
            "extra": "Bazel has no such action",
            "header": "Bazel's list has no such action, though compiles read what it makes",
            "twin": "Bazel has a second action for it",
        }[difference.kind]
    what = _FIELDS.get(difference.field, difference.field)
    return f"{_VERBS[difference.kind]} {what} {difference.value}"


def compare_records(
    theirs: Iterable[Record],
    ours: Iterable[Record],
    *,
    entries: Iterable[Intended] | None = None,
    circumstances: Circumstances | None = None,
    locations: Mapping[str, Location] | None = None,
    unused: Collection[str] = (),
    headers: Collection[str] = (),
    whole: bool = True,
    notes: tuple[str, ...] = (),
) -> Report:
    """Compares records; see `crosscheck`.  unused, headers, whole: `idle`, `headers` and `whole` of `compare`."""
    rules = tuple(default_entries() if entries is None else entries)
    around = circumstances or Circumstances()
    their_list, our_list = list(theirs), list(ours)

    def explained(difference: Difference) -> bool:
        return any(entry.explains(difference, around) for entry in rules)

    found, compared = compare(their_list, our_list, explained, unused, headers, whole)
    unexplained, absorbed = sort_out(found, rules, around)
    shown = located(unexplained, locations or {})
    shown.sort(key=lambda d: (d.label, d.mnemonic, d.subject, d.host, d.field, d.kind, d.value))
    return Report(len(their_list), len(our_list), compared, tuple(shown), tuple(absorbed), notes=notes)


def crosscheck(
    actions: Iterable[Action],
    dump: ActionDump | Iterable[OracleAction],
    *,
    names: Names | None = None,
    entries: Iterable[Intended] | None = None,
    circumstances: Circumstances | None = None,
    locations: Mapping[str, Location] | None = None,
    requested: Collection[str] | None = None,
) -> Report:
    """Compares our actions (those that the requested files need) with a dump.

    names: what the dump calls repositories.  entries: intended differences, by default those for every project.
    circumstances: what entries may ask about our run.
    locations: label -> place of the target, for what we lack.  requested: labels of the targets asked for; given them,
    an action of the dump that nothing uses and that belongs to none of them is "unneeded" rather than "missing".
    """
    names = names or Names()
    if not isinstance(dump, ActionDump):
        dump = ActionDump(tuple(dump))
    unused: set[str] = set()
    if requested is not None and not dump.ran:
        wanted = frozenset(requested)
        label = names.label
        unused = {names.text(path) for path in idle(dump.actions, lambda action: label(action.label) in wanted)}
    own = list(actions)
    told = dump.ran or any(action.inputs for action in dump.actions if action.mnemonic == "CppCompile")
    ours = our_records(own)
    archives: dict[str, tuple[str, ...]] = {}
    if dump.kinds is not None:
        archives = {record.subject: record.fields["members"] for record in ours if record.kind == "archive"}
        ours = [record for record in ours if record.kind in dump.kinds]
    if dump.ran:
        ours = [record for record in ours if record.kind != "other" or record.fields["command"]]
    links = {record.subject: record.fields["members"] for record in ours if record.kind == "link"}
    dump = placed(dump, {path: [m.removesuffix(SHARED) for m in links[path] if m.endswith(SHARED)] for path in links})
    return compare_records(
        oracle_records(dump.actions, names, archives),
        ours,
        unused=unused,
        headers=() if told else header_makers(own),
        entries=entries,
        circumstances=circumstances,
        locations=locations,
        whole=dump.whole,
        notes=_untold(dump.actions),
    )


def _untold(actions: Iterable[OracleAction]) -> tuple[str, ...]:
    """What a dump does not tell of its actions, in words."""
    count = sum("members" in action.untold for action in actions)
    if not count:
        return ()
    return (f"what {count} links and archives consist of, as their parameter files were not given",)
