"""What a repository rule has read, so that the repository is made again only when some of it has changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping

from bazel2ninja.records import dataclass, field
from bazel2ninja.repositories.archive import file_digest


def file_state(path: str) -> str:
    """A text that changes when the content or the kind of a file changes: a digest, "directory" or "absent"."""
    if os.path.isdir(path):
        return "directory"
    try:
        return file_digest(path)
    except OSError:
        return "absent"


def listing_state(path: str) -> str:
    """A digest of the names in a directory, "absent" when it cannot be read."""
    try:
        names = sorted(os.listdir(path))
    except OSError:
        return "absent"
    return hashlib.sha256("\0".join(names).encode("utf-8", "surrogateescape")).hexdigest()


@dataclass(slots=True)
class RepositoryInputs:
    """States of files and directories by path (as the process opens them), environment and programs by name.

    `runs` are the command lines of the programs that ran, in order, with their exit status; they are a log, no input.
    """

    files: dict[str, str] = field(default_factory=dict)
    directories: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str | None] = field(default_factory=dict)
    programs: dict[str, str | None] = field(default_factory=dict)
    runs: list[dict[str, object]] = field(default_factory=list)

    def as_record(self) -> dict[str, object]:
        return {
            "files": self.files,
            "directories": self.directories,
            "environment": self.environment,
            "programs": self.programs,
            "runs": self.runs,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, object]) -> RepositoryInputs | None:
        """None when the record has another form."""
        result = cls()
        for name in ("files", "directories", "environment", "programs"):
            part = record.get(name)
            if not isinstance(part, dict):
                return None
            setattr(result, name, part)
        runs = record.get("runs")
        result.runs = runs if isinstance(runs, list) else []
        return result

    def unchanged(self, environment: Mapping[str, str], find_program: Callable[[str], str | None]) -> bool:
        """Whether everything still is as it was."""
        return (
            all(environment.get(name) == value for name, value in self.environment.items())
            and all(find_program(name) == path for name, path in self.programs.items())
            and all(listing_state(path) == state for path, state in self.directories.items())
            and all(file_state(path) == state for path, state in self.files.items())
        )
