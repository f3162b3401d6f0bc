"""What the steps of an analysis gave, kept for the next one, which then takes only those that an edit has changed.

A step is taken again when its target's definition has changed, or when something that it asked for gives another result
than before; so a change that its users cannot see ends where it is.  Results that have no rows (`rows.Writer`) are made
again when they are needed, and so is everything that was made of them.
"""

from __future__ import annotations

import contextlib
import marshal
import os
from collections.abc import Generator, Iterable
from typing import Any

from bazel2ninja.analysis.action import CppLinkAction
from bazel2ninja.analysis.analyzer import Analyzer
from bazel2ninja.analysis.requests import AGAIN, UNKNOWN, Key
from bazel2ninja.configuration.configuration import Configuration
from bazel2ninja.labels import PackageIdentifier
from bazel2ninja.ninja.cpp import says_its_name
from bazel2ninja.ninja.paths import SIDE
from bazel2ninja.ninja.sidefiles import write_atomically
from bazel2ninja.pipeline.changes import UnusableRecordError, reached, users_of
from bazel2ninja.pipeline.record import Record, StepName, header, label_of, step_name
from bazel2ninja.pipeline.row_reader import Reader
from bazel2ninja.pipeline.rows import OpaqueResultError, Writer, is_source, joined
from bazel2ninja.pipeline.session import Session
from bazel2ninja.records import dataclass

PATH = f"{SIDE}/cache/results"


@dataclass(slots=True)
class Results:
    """The results of steps by name, which may stand there several times: the last result counts.

    starts: the number of the first row; sizes: how many rows; contents: the rows, see `rows.Writer.write`.
    paths, texts: as of `rows.Writer`.  opened: steps of which others have seen more than the result.
    visible: (package, label) that it may see.  configurations: mnemonic -> settings, pickled, but for the target's own.
    """

    names: list[StepName]
    starts: list[int]
    sizes: list[int]
    contents: list[bytes]
    paths: dict[str, tuple[str, str, bool, bool]]
    texts: dict[bytes, bytes]
    opened: set[StepName]
    visible: set[tuple[str, str]]
    configurations: dict[str, bytes]


_SETTLED = "settled"
_FORMER = 8  # so many results of a step are kept, whose rows may be in use; the next one stands by itself
_FIELDS = tuple(Results.__slots__)


def results_of(session: Session) -> Results:
    """The results of all steps of a run."""
    analyzer = session.analyzer
    writer = Writer()
    found = _empty()
    opaque: set[Key] = set()
    facts: dict[Key | None, list[Any]] = {}
    _add_facts(analyzer, 0, facts)
    results = analyzer.steps.results
    number = 1
    for key, asked in analyzer.steps.requests.items():
        if not opaque.isdisjoint(asked):
            opaque.add(key)
            continue
        try:
            content, objects = writer.write(results[key], facts.get(key, ()))
        except OpaqueResultError:
            opaque.add(key)
            continue
        writer.adopt(objects, number)
        found.names.append(step_name(key))
        found.starts.append(number)
        found.sizes.append(len(objects))
        found.contents.append(content)
        number += len(objects)
    found.paths, found.texts = writer.paths, writer.texts
    found.opened = set(map(step_name, analyzer.opened))
    assert isinstance(analyzer.visible, set)
    found.visible = {
        (str(place), str(label)) for place, label in analyzer.visible if isinstance(place, PackageIdentifier)
    }
    found.configurations = _configurations(session)
    return found


def _add_facts(analyzer: Analyzer, first: int, facts: dict[Key | None, list[Any]]) -> None:
    """What lowering asks of the actions of other targets, by step; of the actions from `first` on."""
    for position in range(first, len(analyzer.actions)):
        action = analyzer.actions[position]
        if isinstance(action, CppLinkAction):
            path = action.outputs[0].exec_path
            facts.setdefault(analyzer.makers[position], []).append((path, says_its_name(action)))


def _empty() -> Results:
    return Results([], [], [], [], {}, {}, set(), set(), {})


def _configurations(session: Session) -> dict[str, bytes]:
    configurations = session.configurations
    others = [each for each in configurations if each is not configurations.target]
    if not others:
        return {}
    import pickle  # of no use to most runs

    return {each.mnemonic: pickle.dumps(each.settings) for each in others}


def save(output_root: str, results: Results | None, state: str) -> None:
    """Writes the results, or takes old ones away.  state: digest of the state that they belong to."""
    path = os.path.join(output_root, PATH)
    if results is None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        return
    content = marshal.dumps([getattr(results, name) for name in _FIELDS])
    write_atomically(path, header(content, state) + content)


def load(output_root: str, state: str) -> Results | None:
    """The results that belong to a state, None when there are none that can be used."""
    try:
        with open(os.path.join(output_root, PATH), "rb") as file:
            head, content = file.readline(), file.read()
    except OSError:
        return None
    if head != header(content, state):
        return None
    return Results(*marshal.loads(content))


class Memory:
    """The `analysis.requests.Memory` of a run after an edit.

    changed: numbers of the steps (of `record`) that an edit is known to change; closure: those that it may change.
    """

    def __init__(self, session: Session, record: Record, results: Results, changed: set[int], closure: set[int]):
        self.taken: set[int] = set()  # of the closure, steps that were taken again
        self.taken_labels: set[str] = set()
        self._session = session
        self._record = record
        self._results = results
        self._changed = set(changed)
        self._closure = closure
        self._same: set[int] = set()
        self._positions = {name: position for position, name in enumerate(results.names)}
        self._former: dict[StepName, list[int]] = {}
        for position, name in enumerate(results.names):
            self._former.setdefault(name, []).append(position)
        self._names = list(record.steps)
        self._fresh: dict[StepName, tuple[int, int, bytes]] = {}
        self._opaque: set[StepName] = set()
        self._renewed: set[StepName] = set()  # steps whose former rows nobody uses any more
        self._facts: dict[Key | None, list[Any]] = {}
        self._actions = 0
        self._key_names: dict[Key, StepName] = {}
        self._writer = Writer()
        self._writer.next = results.starts[-1] + results.sizes[-1] if results.starts else 1
        self._configurations = {
            session.configurations.target.mnemonic: session.configurations.target,
        }
        self._reader = Reader(
            results.starts,
            results.contents,
            results.paths,
            results.texts,
            self._writer,
            session.analyzer,
            label_of,
            self._configuration,
        )

    def _configuration(self, mnemonic: str) -> Configuration:
        found = self._configurations.get(mnemonic)
        if found is None:
            import pickle  # of no use to most runs

            content = self._results.configurations.get(mnemonic)
            if content is None:
                raise UnusableRecordError(mnemonic)
            found = self._configurations[mnemonic] = self._session.configurations.of(pickle.loads(content))
            if found.mnemonic != mnemonic:
                raise UnusableRecordError(mnemonic)
        return found

    def name(self, key: Key) -> StepName:
        """`record.step_name`, worked out once."""
        found = self._key_names.get(key)
        if found is None:
            found = self._key_names[key] = step_name(key)
        return found

    @property
    def settled(self) -> set[int]:
        """The steps of the closure that are known to be as they were, or were taken again."""
        return self._same | self.taken

    # What the scheduler asks.

    def recall(self, key: Key) -> Any:
        if key[0] == _SETTLED:
            return UNKNOWN
        name = self.name(key)
        number = self._record.steps.get(name)
        if number is None or number in self._closure:
            return UNKNOWN
        position = self._positions.get(name)
        return UNKNOWN if position is None else self._reader.read(position)

    def check(self, key: Key) -> Generator[Any, Any, Any]:
        if key[0] == _SETTLED:
            return (yield from self._settle(key[1]))
        name = self.name(key)
        number = self._record.steps.get(name)
        position = self._positions.get(name)
        if number is None or position is None or number not in self._closure:
            return AGAIN
        changed = yield from self._is_changed(number)
        return AGAIN if changed else self._reader.read(position)

    def is_settled(self, key: Key) -> Key:
        """The step that finds out whether a step has to be taken again, takes it if so, and else leaves it alone."""
        return (_SETTLED, key)

    def _settle(self, key: Any) -> Generator[Any, Any, Any]:
        number = self._record.steps.get(self.name(key))
        changed = True if number is None else (yield from self._is_changed(number))
        if changed:
            yield key

    def _is_changed(self, number: int) -> Generator[Any, Any, Any]:
        """Whether a step of the closure has to be taken again."""
        if number in self._same:
            return False
        if number in self._changed or self._names[number] not in self._positions:
            return True
        for each in self._record.asked[number]:
            if each in self._closure and each not in self._same:
                below = self._key(each)
                if below is None:
                    return True
                yield _SETTLED, below
                if each not in self._same or number in self._changed:
                    return True
        self._same.add(number)
        return False

    def _key(self, number: int) -> Key | None:
        """The key of a step of the record; None for aspects."""
        kind, label, mnemonic, extra = self._names[number]
        if extra or kind not in ("target", "rule") or not mnemonic:
            return None
        return kind, label_of(label), self._configuration(mnemonic)

    def settle(self, key: Key, result: Any, asked: list[Key]) -> Any:
        name = self.name(key)
        number = self._record.steps.get(name)
        if number is not None and number in self._closure:
            self.taken.add(number)
            self.taken_labels.add(name[1])
        if not self._opaque.isdisjoint(map(self.name, asked)) or self._leans_on_opaque(asked):
            return self._opaque_result(name, number, result)
        writer = self._writer
        actions = self._session.analyzer.actions
        _add_facts(self._session.analyzer, self._actions, self._facts)
        self._actions = len(actions)
        try:
            content, objects = writer.write(result, self._facts.get(key, ()))
        except OpaqueResultError:
            return self._opaque_result(name, number, result)
        position = self._positions.get(name)
        same = position is not None and self._results.contents[position] == content
        fresh: list[Any] | None = None
        if position is not None and not same and not is_source(content):
            former = [self._reader.absolute_rows(each) for each in self._former[name]]
            token, fresh = joined(content, writer.next, former)
            facts = marshal.loads(content)[2]
            same = token == self._reader.absolute(position) and facts == self._reader.facts(position)
        if number is not None and position is not None and number not in self._closure:
            if not same:
                raise UnusableRecordError(name)
            return self._reader.read(position)
        if number is not None and name in self._results.opened:
            self._changed.update(reached([number], users_of(self._record)))
            same = False
        if same and number is not None and position is not None:
            self._same.add(number)
            return self._reader.read(position)
        start = writer.next
        if fresh is not None and len(self._former[name]) >= _FORMER:
            self._renewed.add(name)
        elif fresh is not None:
            content = marshal.dumps([token, fresh, facts], 2)
            writer.next = start + len(fresh)
            self._fresh[name] = start, len(fresh), content
            return self._reader.read(self._reader.add(start, content))
        writer.adopt(objects, start)
        writer.next = start + len(objects)
        self._fresh[name] = start, len(objects), content
        self._reader.add(start, content)
        return result

    def _leans_on_opaque(self, asked: Iterable[Key]) -> bool:
        """Whether a result that has no rows, and was known before, is asked for."""
        return any(
            (name := self.name(key)) in self._record.steps and name not in self._positions and name not in self._fresh
            for key in asked
        )

    def _opaque_result(self, name: StepName, number: int | None, result: Any) -> Any:
        self._opaque.add(name)
        return result

    # Afterwards.

    def results(self, live: Iterable[StepName], opened: Iterable[Key]) -> Results:
        """The results of the steps that are live, old and new."""
        old, writer = self._results, self._writer
        found = _empty()
        rows: list[tuple[int, int, bytes, StepName]] = []
        for name in live:
            fresh = self._fresh.get(name)
            if name not in self._opaque:
                for position in self._former.get(name, ()) if name not in self._renewed else ():
                    rows.append((old.starts[position], old.sizes[position], old.contents[position], name))
            if fresh is not None:
                rows.append((*fresh, name))
        # results of one step stay in the order in which they were made: the last one counts
        for start, size, content, name in sorted(rows, key=lambda row: row[:2]):
            found.names.append(name)
            found.starts.append(start)
            found.sizes.append(size)
            found.contents.append(content)
        found.paths, found.texts = {**old.paths, **writer.paths}, {**old.texts, **writer.texts}
        found.opened = {*old.opened, *map(step_name, opened)}
        visible = self._session.analyzer.visible
        assert isinstance(visible, Visible)
        found.visible = visible.all()
        found.configurations = {**old.configurations, **_configurations(self._session)}
        return found


class Visible:
    """What packages may see: pairs of an earlier run, but for labels (texts) that have changed, and those added."""

    def __init__(self, known: set[tuple[str, str]], changed: set[str]):
        self._known = known
        self._changed = changed
        self._added: set[Any] = set()

    def __contains__(self, pair: Any) -> bool:
        if pair in self._added:
            return True
        place, label = pair
        text = str(label)
        return isinstance(place, PackageIdentifier) and (str(place), text) in self._known and text not in self._changed

    def add(self, pair: Any) -> None:
        self._added.add(pair)

    def all(self) -> set[tuple[str, str]]:
        """Those of packages, as texts."""
        added = {(str(place), str(label)) for place, label in self._added if isinstance(place, PackageIdentifier)}
        return {*added, *(pair for pair in self._known if pair[1] not in self._changed)}
