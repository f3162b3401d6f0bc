"""The steps of the analysis as generators, run on a stack of our own: a chain of dependencies may be of any depth.

A step is a generator that yields the keys of other steps and gets their results sent back (or thrown in).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from typing import Any

from bazel2ninja.diagnostics import Diagnostic, Note, WorkspaceError
from bazel2ninja.records import replace

Key = tuple[Hashable, ...]
Step = Generator[Key, Any, Any]

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
        stack: list[tuple[Key, Step, list[Key]]] = []
        self._enter(wanted, stack)
        value: Any = None
        problem: WorkspaceError | None = None
        try:
            while True:
                key, step, asked = stack[-1]
                try:
                    request = step.send(value) if problem is None else step.throw(problem)
                    value, problem = None, None
                except StopIteration as end:
                    value, problem = end.value, None
                    stack.pop()
                    del self._running[key]
                    self.results[key] = value
                    self.requests[key] = asked
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
                    self._enter(request, stack)
        finally:
            for key, step, _ in stack:
                self._running.pop(key, None)
                step.close()

    def _enter(self, key: Key, stack: list[tuple[Key, Step, list[Key]]]) -> None:
        self._running[key] = None
        stack.append((key, self._start(key), []))

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
