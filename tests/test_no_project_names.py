"""What is known about a project lives in profiles, overlays and built-in repositories, never in core code."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "bazel2ninja"
PROJECTS = re.compile(
    r"(?i)tensorflow|\bxla\b|grpc|abseil|\babsl\b|\bjax\b|\bupb\b|boringssl|\bre2\b|eigen|mlir|flatbuf"
)
PROTOBUF = re.compile(r"(?i)protobuf")  # its compiler is the subject of one rule family
PROTOBUF_IS_THE_SUBJECT = ("proto",)


def words(source: str) -> list[tuple[int, str]]:
    """(line, text) of names and strings that are code: no comments, no docstrings."""
    found = []
    previous = tokenize.INDENT
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        docstring = token.type == tokenize.STRING and previous in (tokenize.INDENT, tokenize.NEWLINE, tokenize.NL)
        if token.type in (tokenize.NAME, tokenize.STRING) and not docstring:
            found.append((token.start[0], token.string))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            previous = token.type
    return found


def offences(source: str, *, protobuf_allowed: bool) -> list[str]:
    if not PROJECTS.search(source) and (protobuf_allowed or not PROTOBUF.search(source)):
        return []
    return [
        f"{line}: {text}"
        for line, text in words(source)
        if PROJECTS.search(text) or (not protobuf_allowed and PROTOBUF.search(text))
    ]


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_core_code_names_no_project(path: Path) -> None:
    allowed = any(word in path.stem for word in PROTOBUF_IS_THE_SUBJECT)
    assert offences(path.read_text(), protobuf_allowed=allowed) == []


def test_the_check_bites() -> None:
    assert offences('"""About grpc."""\nif name == "tensorflow":\n    pass  # absl\n', protobuf_allowed=False) == [
        '2: "tensorflow"'
    ]
