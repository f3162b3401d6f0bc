"""Comparing records: what is missing, extra, different or in another order, one item a Difference.

"missing" is what Bazel has and we have not, "extra" the reverse.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bazel2ninja.crosscheck.records import PROGRAM, UNORDERED, Record
from bazel2ninja.diagnostics import Location


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """One item in which we differ from Bazel.

    kind: "missing", "extra", "order", "twin" (a further action of Bazel for what is one action of ours), "unneeded"
    (an action that we lack and that nothing in the dump uses, nor did anybody ask for it), "header" (an action that
    we have because compiles read what it makes, which the dump cannot tell), or "tool" (the whole field is as ours
    would be if tools had flags of their own; what then still differs is a difference for itself).
    field: "action", or a field of Record.  value: the item; for "action" the record's subject.
    host, configuration, by_name: of the oracle's action, see Record.
    """

    label: str
    mnemonic: str
    subject: str
    field: str
    kind: str
    value: str
    host: bool = False
    location: Location | None = None
    configuration: str = ""
    by_name: bool = False


def _index(records: Iterable[Record]) -> dict[tuple[str, ...], list[Record]]:
    found: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        found.setdefault((record.kind, *record.key), []).append(record)
    return found


def _others_by_output(records: Iterable[Record]) -> dict[str, Record]:
    return {path: record for record in records if record.kind == "other" for path in record.fields["outputs"]}


def _rekeyed(theirs: Sequence[Record], ours: Sequence[Record]) -> list[Record]:
    """Dump records of kind "other" under the key of ours that makes one of the same files: outputs have no order."""
    known = _others_by_output(ours)
    found = []
    by_label: dict[str, list[Record]] = {}
    for record in ours:
        if record.kind == "other":
            by_label.setdefault(record.label, []).append(record)
    for record in theirs:
        if record.kind == "other" and "outputs" in record.untold:
            found.append(_by_command(record, by_label.get(record.label, [])))
            continue
        if record.kind == "other":
            for path in record.fields["outputs"]:
                if path in known:
                    record = replace(record, key=known[path].key)
                    break
        found.append(record)
    return found


def _by_command(record: Record, candidates: Sequence[Record]) -> Record:
    """An action that says not what it makes, under the key of the one of the same target with the nearest command."""
    wanted = Counter(record.fields["command"])

    def difference(candidate: Record) -> tuple[bool, int]:
        command = Counter(candidate.fields["command"])
        return candidate.mnemonic != record.mnemonic, (wanted - command).total() + (command - wanted).total()

    spawned = [candidate for candidate in candidates if candidate.fields["command"]]
    nearest = min(spawned, key=difference, default=None)
    return record if nearest is None else replace(record, key=nearest.key)


def _field(name: str, theirs: Sequence[str], ours: Sequence[str]) -> list[tuple[str, str]]:
    """(kind, value) for each item of one field that differs."""
    if theirs == ours:
        return []
    wanted, got = Counter(theirs), Counter(ours)
    if name in UNORDERED:
        wanted, got = Counter(set(theirs)), Counter(set(ours))
    missing, extra = wanted - got, got - wanted
    found = [("missing", value) for value in missing.elements()] + [("extra", value) for value in extra.elements()]
    if name in UNORDERED:
        return found
    left, right = _without(theirs, missing), _without(ours, extra)
    if left != right:
        # which of equal words is in excess cannot be told: no order is wrong when one choice makes it right
        first, last = _without(theirs[::-1], missing)[::-1], _without(ours[::-1], extra)[::-1]
        if not (first in (right, last) or left == last):
            expected, actual = next(pair for pair in zip(left, right, strict=True) if pair[0] != pair[1])
            found.append(("order", f"{expected} before {actual}"))
    return found


def _without(items: Sequence[str], removed: Counter[str]) -> list[str]:
    """`items` less those of `removed`, the last ones of equal words."""
    if not removed:
        return list(items)
    left = Counter(removed)
    kept = []
    for item in reversed(items):
        if left[item] > 0:
            left[item] -= 1
        else:
            kept.append(item)
    kept.reverse()
    return kept


def differences(theirs: Record, ours: Record) -> list[Difference]:
    """How one action differs from its counterpart."""
    found = []
    if "mnemonic" in theirs.untold:
        theirs = replace(theirs, mnemonic=ours.mnemonic)
    for name in dict.fromkeys((*theirs.fields, *ours.fields)):
        if name in theirs.untold or (name == PROGRAM and name not in ours.fields):
            continue
        wanted = theirs.fields.get(name, ())
        items = _field(name, wanted, ours.fields.get(name, ()))
        if theirs.host and name in ours.as_tool:
            others = _field(name, wanted, ours.as_tool[name])
            if len(others) < len(items):
                items = [("tool", theirs.subject), *others]
        for kind, value in items:
            found.append(
                Difference(ours.label, theirs.mnemonic, theirs.subject, name, kind, value, theirs.host, ours.location)
            )
    if theirs.label != ours.label and "label" not in theirs.untold:
        found.append(
            Difference(
                ours.label,
                theirs.mnemonic,
                theirs.subject,
                "label",
                "missing",
                theirs.label,
                theirs.host,
                ours.location,
            )
        )
    return found


def compare(
    theirs: Iterable[Record],
    ours: Iterable[Record],
    explained: Callable[[Difference], bool] = lambda difference: False,
    idle: Collection[str] = (),
    headers: Collection[str] = (),
    whole: bool = True,
) -> tuple[list[Difference], int]:
    """All differences, and how many actions of the dump had a counterpart.

    explained: where several of ours could be the counterpart, the one with the fewest differences that this does not
    explain is taken.  idle: first outputs, as records spell them, of actions of the dump that nothing needs; headers:
    of actions of ours that the dump may lack for not saying what compiles read.  whole: what the dump lacks of ours
    is a difference.
    """
    our_list = list(ours)
    known = _index(our_list)
    wanted = _index(_rekeyed(list(theirs), our_list))
    found: list[Difference] = []
    compared = 0
    for key, group in wanted.items():
        candidates = known.get(key, ())
        group = sorted(group, key=lambda record: (record.host, record.by_name, record.configuration))
        for position, record in enumerate(group):
            if not candidates:
                if not position:
                    unneeded = all(r.fields["outputs"] and r.fields["outputs"][0] in idle for r in group)
                    found.append(_whole(record, "unneeded" if unneeded else "missing"))
                continue
            compared += 1
            if position and (record.host != group[0].host or len(candidates) == 1):
                found.append(_whole(record, "twin", candidates[0].location))
            found += _nearest(record, candidates, explained)
    for key, group in known.items():
        if whole and key not in wanted:
            for record in group:
                kind = "header" if record.fields["outputs"][0] in headers else "extra"
                found.append(_whole(record, kind, record.location))
    return found, compared


def _nearest(record: Record, candidates: Sequence[Record], explained: Callable[[Difference], bool]) -> list[Difference]:
    best: list[Difference] | None = None
    fewest = 0
    for candidate in candidates:
        found = differences(record, candidate)
        if len(candidates) == 1:
            return found
        count = sum(not explained(difference) for difference in found)
        if best is None or (count, len(found)) < (fewest, len(best)):
            best, fewest = found, count
    return best or []


def _whole(record: Record, kind: str, location: Location | None = None) -> Difference:
    return Difference(
        record.label,
        record.mnemonic,
        record.subject,
        "action",
        kind,
        record.subject,
        record.host,
        location,
        record.configuration,
        record.by_name,
    )


def located(found: Iterable[Difference], location_of: Mapping[str, Location]) -> list[Difference]:
    """Differences with the place of their target where the action itself gave none; `location_of`: label -> place."""
    return [
        difference if difference.location else replace(difference, location=location_of.get(difference.label))
        for difference in found
    ]
