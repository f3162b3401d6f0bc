"""Quoting, proved by ninja, the shell and gcc's own reading of response files."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.ninja import syntax
from bazel2ninja.ninja.manifest import refusal

TEXT = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\n\r\0"), max_size=20)
NAME = st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters="\n\r\0/"), min_size=1, max_size=12
).filter(lambda name: name not in (".", ".."))
FAST = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def ninja(directory: Path, text: str, *words: str) -> bytes:
    (directory / "build.ninja").write_bytes(text.encode())
    done = subprocess.run(["ninja", *words], cwd=directory, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@FAST
@given(st.lists(NAME, min_size=1, max_size=10, unique=True))
def test_ninja_reads_paths_back(tmp_path: Path, names: list[str]) -> None:
    paths = [f"x/{name}" for name in names]
    edges = "".join(f"build {syntax.path(path)}: phony\n" for path in paths)
    said = ninja(tmp_path, f"{syntax.PIPE}\n{edges}", "-t", "targets", "all").decode()
    assert sorted(said.removesuffix("\n").split("\n")) == sorted(f"{path}: phony" for path in paths)


@FAST
@given(st.lists(TEXT, max_size=6), st.lists(TEXT, max_size=6))
def test_the_shell_reads_words_back(tmp_path: Path, words: list[str], more: list[str]) -> None:
    text = (
        f"v = {syntax.value(syntax.shell_words(more))}\n"
        "rule r\n  command = printf '%s\\n' x $a $v\n"
        f"build out: r\n  a = {syntax.value(syntax.shell_words(words))}\n"
    )
    command = ninja(tmp_path, text, "-t", "commands", "out").decode()
    said = subprocess.run(["sh", "-c", command.removesuffix("\n")], capture_output=True, check=True).stdout.decode()
    assert said == "".join(f"{word}\n" for word in ["x", *words, *more])


@given(TEXT)
def test_a_value_keeps_its_leading_blanks(text: str) -> None:
    assert syntax.value("  " + text).startswith("$  ")


@given(st.lists(TEXT.filter(bool)))
def test_response_files_are_read_as_by_a_shell_without_expansions(words: list[str]) -> None:
    plain = [word for word in words if not any(c.isspace() and c not in " \t" for c in word)]
    lexer = shlex.shlex(syntax.response_words(plain), posix=True, punctuation_chars="")
    lexer.whitespace_split, lexer.commenters, lexer.whitespace = True, "", " \t"
    assert list(lexer) == plain


@pytest.mark.parametrize("text", ["a\nb", "a\rb", "a\0b"])
def test_what_ninja_cannot_express_is_refused(text: str) -> None:
    for spell in (syntax.path, syntax.value):
        with pytest.raises(WorkspaceError, match="ninja cannot express"):
            spell(text)
    assert not syntax.writable(text)


def test_a_manifest_that_could_not_be_made_is_refused_by_ninja(tmp_path: Path) -> None:
    (tmp_path / "build.ninja").write_bytes(refusal("no such target:\n '//a:b' $x"))
    done = subprocess.run(["ninja"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "bazel2ninja_could_not_generate_this_manifest" in done.stderr
