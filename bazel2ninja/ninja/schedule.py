"""How long a build would take with another number of jobs, if each unit took as long as it did.

List scheduling, as ninja does it from 1.12 on: whenever a job is free, of the units that are ready the one starts whose
longest chain of units still to come takes most.  Pools and memory are not thought of.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from bazel2ninja.ninja.edges import Edge


class Schedule:
    """durations: milliseconds that edges took, by their place in `edges`.  The others take no time and no job."""

    def __init__(self, edges: Sequence[Edge], durations: Mapping[int, int]):
        maker = {output: number for number, edge in enumerate(edges) for output in edge.outputs}
        self._durations = durations
        self._users: list[list[int]] = [[] for _ in edges]
        self._waits = [0] * len(edges)
        for number, edge in enumerate(edges):
            for needed in {maker[name] for name in edge.inputs if name in maker} - {number}:
                self._users[needed].append(number)
                self._waits[number] += 1
        self._rest = self._longest_rest()

    def _longest_rest(self) -> list[int]:
        """Of each edge and what comes after it, the chain that takes longest; milliseconds."""
        waits = list(self._waits)
        order = [number for number, count in enumerate(waits) if not count]
        for number in order:
            for user in self._users[number]:
                waits[user] -= 1
                if not waits[user]:
                    order.append(user)
        rest = [0] * len(waits)
        for number in reversed(order):
            after = max((rest[user] for user in self._users[number]), default=0)
            rest[number] = self._durations.get(number, 0) + after
        return rest

    def span(self, jobs: int) -> int:
        """Milliseconds with so many jobs at a time; raises ValueError when that is none."""
        if jobs < 1:
            raise ValueError("there must be a job")
        waits = list(self._waits)
        ready: list[tuple[int, int]] = []
        running: list[tuple[int, int]] = []
        now = 0
        done = [number for number, count in enumerate(waits) if not count and number not in self._durations]
        for number, count in enumerate(waits):
            if not count and number in self._durations:
                heapq.heappush(ready, (-self._rest[number], number))
        while done or ready or running:
            while done:
                for user in self._users[done.pop()]:
                    waits[user] -= 1
                    if waits[user]:
                        continue
                    if user in self._durations:
                        heapq.heappush(ready, (-self._rest[user], user))
                    else:
                        done.append(user)
            while ready and len(running) < jobs:
                _, number = heapq.heappop(ready)
                heapq.heappush(running, (now + self._durations[number], number))
            if running:
                now, number = heapq.heappop(running)
                done.append(number)
        return now
