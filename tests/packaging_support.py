"""A source tree to be packaged, as the working directory, without flags of whoever runs the tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "DESTDIR", "PREFIX")


def enter(place: Path, files: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Writes the files below `place` and goes there; programs that ninja starts find this bazel2ninja."""
    for path, text in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    monkeypatch.chdir(place)
    for name in FLAGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return place
