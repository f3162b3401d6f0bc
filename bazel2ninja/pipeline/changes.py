"""How far an edit reaches: from changed files to the steps of the analysis that have to be taken again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bazel2ninja.labels import Label
from bazel2ninja.ninja.regeneration import State
from bazel2ninja.pipeline.definitions import definitions, same_for_users
from bazel2ninja.pipeline.record import Record, StepName, label_of, package_of
from bazel2ninja.pipeline.session import Session


class UnusableRecordError(Exception):
    """The record does not tell what the edit means: everything has to be made again."""


def renewed_packages(record: Record, state: State, changes: Iterable[str]) -> tuple[set[str], list[str]]:
    """(packages that have to be loaded again, changed directories as the process opens them).

    Raises UnusableRecordError for a change of anything but BUILD files and listings of directories of packages.
    """
    by_path: dict[str, list[str]] = {}
    for name, known in record.packages.items():
        by_path.setdefault(known.path, []).append(name)
    packages: set[str] = set()
    directories: list[str] = []
    for path in changes:
        if path in by_path:
            if not state.is_program(path) and path not in record.failing:
                raise UnusableRecordError  # something has read it as data
            packages.update(by_path[path])
        elif path in record.directories:
            place = record.directories[path]
            above = [name for name, known in record.packages.items() if _covers(known.directory, place)]
            if not above:
                raise UnusableRecordError
            packages.update(above)
            directories.append(place)
        else:
            raise UnusableRecordError
    return packages, directories


def _covers(directory: str, place: str) -> bool:
    if directory == ".":
        return not place.startswith(("/", "../"))
    return place == directory or place.startswith(f"{directory}/")


def changed_labels(
    session: Session, record: Record, packages: Iterable[str], found: dict[str, dict[str, str]]
) -> tuple[set[str], set[str]]:
    """The targets of these packages whose definition is another than before, is new, or is there no more.

    The second set holds those in which users see no difference.  found: takes the definitions by package.
    """
    changed: set[str] = set()
    unseen: set[str] = set()
    for name in packages:
        now = found[name] = definitions(session.loader.own_package(package_of(name)))
        before = record.packages[name].definitions
        differ = [each for each in {**before, **now} if not now.get(each) or now[each] != before.get(each)]
        if differ and name in record.consulted:
            raise UnusableRecordError
        changed.update(f"{name}:{each}" for each in differ)
        unseen.update(f"{name}:{each}" for each in differ if same_for_users(now.get(each, ""), before.get(each, "")))
    if not changed.isdisjoint(record.consulted):
        raise UnusableRecordError
    return changed - unseen, unseen


def affected_steps(
    record: Record, labels: set[str], unseen: set[str], paths: Iterable[str], mnemonic: str
) -> tuple[set[int], list[Label]]:
    """(numbers, labels): what has to be taken again.

    The steps of `labels`, with all their users; those of `unseen`, whose users see nothing of it, alone, which are the
    labels of the result; what tells a line of the files `paths`, with users.  mnemonic: of the configuration in which
    targets can be analysed alone; in others, and under aspects, which see everything, users go along.
    """
    pending: list[int] = []
    alone: dict[int, str] = {}
    for name, number in record.steps.items():
        if name[1] in labels:
            pending.append(number)
        elif name[1] in unseen:
            if name[0] in ("target", "rule") and name[2:] == (mnemonic, ""):
                alone[number] = name[1]
            else:
                pending.append(number)
    for path in paths:
        pending += record.failing.get(path, ())
    found = set(reached(pending, _users(record)))
    apart = [label_of(text) for text in sorted({text for number, text in alone.items() if number not in found})]
    found.update(alone)
    if not found.isdisjoint(record.nested) or -1 in found:
        raise UnusableRecordError
    return found, apart


def _users(record: Record) -> list[list[int]]:
    """The steps that asked for a step, by its number."""
    users: list[list[int]] = [[] for _ in record.asked]
    for number, asked in enumerate(record.asked):
        for each in asked:
            users[each].append(number)
    return users


def reached(start: Iterable[int], edges: list[list[int]]) -> Iterator[int]:
    """The numbers that one comes to from `start`, each once."""
    seen = set(start)
    pending = list(seen)
    while pending:
        number = pending.pop()
        yield number
        if number >= 0:
            fresh = [each for each in edges[number] if each not in seen]
            seen.update(fresh)
            pending += fresh


class Steps:
    """The steps of a record with those of a later run in the place of `affected` ones."""

    def __init__(self, record: Record, affected: set[int]):
        self.numbers = dict(record.steps)
        self.asked = list(record.asked)
        self.affected = set(affected)
        self.live: set[int] = set()

    def number(self, name: StepName) -> int:
        """The number of a step; one that was not known counts as affected."""
        found = self.numbers.get(name)
        if found is None:
            found = self.numbers[name] = len(self.asked)
            self.asked.append([])
            self.affected.add(found)
        return found

    def look(self, roots: Iterable[int]) -> None:
        """Fills `live`: what `roots` ask for, directly or not."""
        self.live = set(reached(roots, self.asked))

    def compact(self) -> tuple[dict[StepName, int], list[list[int]], dict[int, int]]:
        """(steps, what they ask for, old number -> new one), of those that are live."""
        renumbered: dict[int, int] = {-1: -1}
        steps: dict[StepName, int] = {}
        for name, number in self.numbers.items():
            if number in self.live:
                steps[name] = renumbered[number] = len(steps)
        asked: list[list[int]] = [[] for _ in steps]
        for old, new in renumbered.items():
            if old >= 0:
                asked[new] = [renumbered[each] for each in self.asked[old]]
        return steps, asked, renumbered
