"""The steps of the analysis as generators, run on a stack of our own: a chain of dependencies may be of any depth.

A step is a generator that yields the keys of other steps and gets their results sent back (or thrown in).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from typing import Any, Protocol

from bazel2ninja.diagnostics import Diagnostic, Note, WorkspaceError
from bazel2ninja.records import replace

Key = tuple[Hashable, ...]
Step = Generator[Key, Any, Any]

AGAIN = object()
"""What `Memory.check` returns for a step that has to be taken."""
UNKNOWN = object()
"""What `Memory.recall` returns for a step that has to be checked."""


class Memory(Protocol):
    """What is known of steps from an earlier run."""

    def recall(self, key: Key) -> Any:
        """The result of a step that nothing has changed, else UNKNOWN."""

    def check(self, key: Key) -> Step:
        """A step that asks for what this one asked for and gives its old result, or AGAIN."""

    def settle(self, key: Key, result: Any, asked: list[Key]) -> Any:
        """Takes the result of a step; returns it, or the old one when that is the same."""


_NOTES_SHOWN = 12  # of "needed by": the nearest ones tell the story


class Scheduler:
    """Runs steps once each and remembers their results, errors included.

    start: key -> Step; describe: key -> (text, Location | None), for the notes of errors.  dependents: the kinds of
    steps (first elements of keys) that depend on others in the user's eyes; the rest only pass results on.

    requests: what each finished step asked for, in order.  nested: what was asked for by `get` while a step ran: nobody
    can say which steps have seen the result.
    """

    def __init__(
        self,
        start: Callable[[Key], Step],
        describe: Callable[[Key], tuple[str, Any]],
        dependents: frozenset[Hashable],
    ):
        self._dependents = dependents
        self._start = start
        self._describe = describe
        self.results: dict[Key, Any] = {}
        self.requests: dict[Key, list[Key]] = {}
        self.nested: set[Key] = set()
        self.memory: Memory | None = None
        self._taken_again: set[Key] = set()
        self._failures: dict[Key, WorkspaceError] = {}
        self._running: dict[Key, None] = {}  # ordered: outermost first

    def get(self, key: Key) -> Any:
        """The result of the step `key`; raises WorkspaceError, each time it is asked for."""
        if self._running:
            self.nested.add(key)
        try:
            return self.results[key]
        except KeyError:
            return self._run(key)

    def take_again(self, key: Key) -> Any:
        """Takes a step of which only the result is known, for what it does besides; returns the result."""
        if key not in self.requests and key not in self._running:
            self._taken_again.add(key)
            self.results.pop(key, None)
        return self.results[key] if key in self.results else self._run(key)

    @property
    def current(self) -> Key | None:
        """The innermost step that runs."""
        return next(reversed(self._running), None)

    @property
    def failed(self) -> bool:
        """Whether a step has failed, even if somebody went on without it."""
        return bool(self._failures)

    def _run(self, wanted: Key) -> Any:
        failure = self._failed(wanted)
        if failure is not None:
            raise failure
        memory = self.memory
        stack: list[tuple[Key, Step, list[Key] | None]] = []
        value: Any = self._enter(wanted, stack)
        if value is not UNKNOWN:
            return value
        value = None
        problem: WorkspaceError | None = None
        try:
            while True:
                key, step, asked = stack[-1]
                try:
                    request = step.send(value) if problem is None else step.throw(problem)
                    value, problem = None, None
                except StopIteration as end:
                    value, problem = end.value, None
                    if value is AGAIN:
                        stack[-1] = (key, self._start(key), [])
                        value = None
                        continue
                    if asked is not None:
                        if memory is not None:
                            value = memory.settle(key, value, asked)
                        self.requests[key] = asked
                    stack.pop()
                    del self._running[key]
                    self.results[key] = value
                    if not stack:
                        return value
                    continue
                except WorkspaceError as error:
                    stack.pop()
                    del self._running[key]
                    self._failures[key] = error
                    if not stack:
                        raise
                    value, problem = None, self._needed_by(error, stack[-1][0])
                    continue
                if asked is not None:
                    asked.append(request)
                try:
                    value = self.results[request]
                    continue
                except KeyError:
                    pass
                problem = self._failed(request)
                if problem is not None:
                    problem = self._needed_by(problem, key)
                else:
                    value = self._enter(request, stack)
                    if value is UNKNOWN:
                        value = None
        finally:
            for key, step, _ in stack:
                self._running.pop(key, None)
                step.close()

    def _enter(self, key: Key, stack: list[tuple[Key, Step, list[Key] | None]]) -> Any:
        """The result of a step if it is known, else UNKNOWN after putting the step on the stack."""
        if self.memory is not None and key not in self._taken_again:
            value = self.memory.recall(key)
            if value is not UNKNOWN:
                self.results[key] = value
                return value
            self._running[key] = None
            stack.append((key, self.memory.check(key), None))
        else:
            self._running[key] = None
            stack.append((key, self._start(key), []))
        return UNKNOWN

    def _failed(self, key: Key) -> WorkspaceError | None:
        failure = self._failures.get(key)
        if failure is None and key in self._running:
            return self._cycle(key)
        return failure

    def _cycle(self, key: Key) -> WorkspaceError:
        chain = list(self._running)
        chain = [each for each in chain[chain.index(key) :] if each[0] in self._dependents]
        text, location = self._describe(key)
        notes = []
        for position, member in enumerate(chain[1:] + chain[:1]):
            name, where = self._describe(member)
            notes.append(Note(f"{'which depends on' if position else 'depends on'} {name}", where))
        shown = (
            notes
            if len(notes) <= 2 * _NOTES_SHOWN
            else [*notes[:_NOTES_SHOWN], Note(f"... {len(notes) - 2 * _NOTES_SHOWN} more ..."), *notes[-_NOTES_SHOWN:]]
        )
        return WorkspaceError(Diagnostic(f"cycle in the dependency graph: {text}", location, notes=tuple(shown)))

    def _needed_by(self, error: WorkspaceError, key: Key) -> WorkspaceError:
        """A copy of `error` that also says who needed what failed: the same failure reaches several dependents."""
        if key[0] not in self._dependents:
            return error
        text, location = self._describe(key)
        first = error.diagnostic
        count = sum(note.message.startswith("needed by ") for note in first.notes)
        if count >= _NOTES_SHOWN:
            return error
        note = Note(f"needed by {text}", location)
        if note in first.notes:
            return error
        # what is nowhere (a label that names nothing) is wrong where it is named
        return error.retold(replace(first, location=first.location or location, notes=(*first.notes, note)))
