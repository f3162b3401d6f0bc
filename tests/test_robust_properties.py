"""Properties that hold for any input: few examples here, many in tools/fuzz."""

from __future__ import annotations

import contextlib
import lzma
import os
import re
import shutil
import signal
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from robust_support import ROOT, run

from bazel2ninja.configuration.bazelrc import read_bazelrc
from bazel2ninja.configuration.options import parse as parse_options
from bazel2ninja.crosscheck.dumps import read_actions
from bazel2ninja.crosscheck.query import read_build
from bazel2ninja.crosscheck.target_forms import read_list
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError, render
from bazel2ninja.filesystem import MemoryFileSystem
from bazel2ninja.labels import PackageIdentifier, parse_label, parse_target_pattern
from bazel2ninja.ninja import syntax
from bazel2ninja.ninja.manifest import refusal
from bazel2ninja.query import language
from bazel2ninja.testing.junit import junit

EXAMPLES = int(os.environ.get("BAZEL2NINJA_FUZZ_EXAMPLES", "0"))
"""How many examples a property gets; 0: few, and the same each time."""

PATIENCE = 60  # seconds that one example may take on a busy machine


def examples(number: int) -> settings:
    return settings(
        max_examples=max(1, EXAMPLES * number // 100) if EXAMPLES else number,
        derandomize=not EXAMPLES,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


@contextlib.contextmanager
def in_time() -> Iterator[None]:
    """Fails when the body hangs."""

    def late(number: int, frame: object) -> None:
        raise AssertionError(f"took longer than {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def told(error: WorkspaceError) -> None:
    for diagnostic in error.diagnostics:
        assert diagnostic.message
        assert render(diagnostic)


PIECES = [
    "(", ")", "[", "]", "{", "}", ",", ":", "=", "+", "*", "**", "-", "%", "//", "|", ".", "\n", "    ", "\t", '"', "'",
    "for x in y", "if", "else", "lambda x: x", "def f():", "return", "None", "True", "0", "-1", "1 << 9", '"//:x"',
    "[]", "{}", "select({})", "glob(", "load(", "fail()", "not ", "and", "in", "\\", "#", "é", "\0", "\r", '"""', "f'",
    "b''", "**kwargs", "*args", "depset()", "ctx.", "struct(", "native.", "name = ", "del x", "import os", "print",
    "x.y.z()",
]  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, texts: list[str]) -> tuple[int, str]:
    """(number of the text, the text with some pieces changed)."""
    number = draw(st.integers(0, len(texts) - 1))
    text = texts[number]
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 2, 5, 40])))
        kind = draw(st.integers(0, 3))
        if kind == 0:
            piece = draw(st.sampled_from(PIECES))
        elif kind == 1:
            piece = ""
        elif kind == 2:
            piece = text[start:end] * 2
        else:
            other = draw(st.integers(0, len(text)))
            piece = text[other : other + draw(st.integers(1, 60))]
        text = text[:start] + piece + text[end:]
    return number, text


PROJECT = {
    path: (ROOT / "tests/projects/greeting" / path).read_text()
    for path in ("greeting/BUILD", "testing/defs.bzl", "WORKSPACE", "data/BUILD")
}
PROJECT[".bazelrc"] = "build --copt=-O1 --define=a=b\nbuild:opt -c opt\n"
PROJECT["MODULE.bazel"] = 'module(name = "greeting", version = "1.0")\nbazel_dep(name = "rules_cc", version = "0.1")\n'


@given(mutated(list(PROJECT.values())))
@examples(25)
def test_no_source_text_is_a_bug_of_ours(change: tuple[int, str]) -> None:
    number, text = change
    path = list(PROJECT)[number]
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place), in_time():
        shutil.copytree(ROOT / "tests/projects/greeting", "src")
        Path("src", path).write_bytes(text.encode("utf-8", "surrogateescape"))
        result = run("generate", "-o", "out/build.ninja", "src")
        assert result.status in (0, 1), result.err
        assert "internal error" not in result.err
        assert (result.status == 0) == os.path.exists("out/build.ninja"), result.err
        assert result.status == 0 or re.search(r"^(\S+: )?error: ", result.err, re.MULTILINE), result.err
        if result.status == 0 and EXAMPLES:
            # ninja understands what was written
            done = subprocess.run(["ninja", "-C", "out", "-t", "targets"], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr


LABELS = st.text(st.sampled_from("abz@/:.-_+=~ \\é*%$\n"), max_size=20) | st.text(max_size=8)


@given(LABELS, st.sampled_from(["", "a", "a/b"]))
@examples(300)
def test_labels(text: str, package: str) -> None:
    base = PackageIdentifier("", package)
    try:
        label = parse_label(text, base)
    except WorkspaceError as error:
        told(error)
    else:
        assert parse_label(str(label)) is label
    try:
        pattern = parse_target_pattern(text, base)
    except WorkspaceError as error:
        told(error)
    else:
        assert pattern.text == text


RC = st.lists(
    st.sampled_from(
        ["build", "build:x", "common", "import %workspace%/b", "try-import b", "--config=x", "--copt=-O2", "-c", "opt",
         "--define", "a=b", "--define=a", "'", '"', "\\", "\\\n", "\n", "\n", " ", " ", "#", "--no", "--", "-", "=",
         "--//a:b=1", "--jobs=1", "test", "é", "\0", "\x85", "--platforms=", "startup --x", ":", "build:", "--copt=",
         "--cpu", "--action_env=A", "--test_timeout=1,x", "--compilation_mode=x", "--stamp=maybe", "--features=-x"]
    )
    | st.text(max_size=4),
    max_size=25,
)  # fmt: skip


@pytest.mark.slow
@given(RC, RC)
@examples(150)
def test_rc_files(first: list[str], second: list[str]) -> None:
    tree = MemoryFileSystem({"src/.bazelrc": " ".join(first), "src/b": "".join(second)})
    try:
        rc = read_bazelrc(tree, "src", ())
        parse_options(["--config=x"], rc, {})
    except WorkspaceError as error:
        told(error)


NAMES = st.text(
    st.sampled_from("ab $:|'\"\\#&;*?<>(){}[]~`!%^=,é日\t-@") | st.characters(blacklist_categories=("Cs",)),
    min_size=1,
    max_size=12,
)


@given(
    st.lists(st.tuples(NAMES, st.lists(st.text(max_size=8) | NAMES, max_size=4)), min_size=1, unique_by=lambda e: e[0])
)
@examples(25)
def test_names_and_words_through_ninja_and_the_shell(entries: list[tuple[str, list[str]]]) -> None:
    lines = [syntax.PIPE, "rule r", "  command = printf '%s\\0' $words"]
    kept: list[tuple[str, list[str]]] = []
    for name, words in entries:
        name = "n" + name.replace("/", "_")  # ninja makes "a//b" and "./b" shorter
        try:
            output = syntax.path(name)
            value = syntax.value(syntax.shell_words(["x", *words, " end"]))
        except WorkspaceError as error:
            assert any(sign in name + "".join(words) for sign in "\n\r\0")
            told(error)
            continue
        lines += [f"build {output}: r {output}.in", f"  words = {value}", f"build {output}.in: phony"]
        kept.append((name, ["x", *words]))
    assume(kept)
    with tempfile.TemporaryDirectory() as place:
        Path(place, "build.ninja").write_bytes("\n".join([*lines, ""]).encode())
        listed = subprocess.run(["ninja", "-C", place, "-t", "targets", "all"], capture_output=True, check=False)
        assert listed.returncode == 0, listed.stderr
        known = set(listed.stdout.decode().split("\n"))
        assert known >= {f"{name}: r" for name, _ in kept}
        commands = subprocess.run(["ninja", "-C", place, "-t", "commands"], capture_output=True, check=True).stdout
        printed = subprocess.run(["sh", "-c", commands], capture_output=True, check=True).stdout.decode()
    assert sorted(printed.split("\0 end\0")[:-1]) == sorted("\0".join(words) for _, words in kept)


@given(st.text() | NAMES)
@examples(20)
def test_ninja_refuses_a_refusal(message: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        Path(place, "build.ninja").write_bytes(refusal(message))
        refused = subprocess.run(["ninja", "-C", place], capture_output=True, check=False)
    assert refused.returncode == 1
    assert b"bazel2ninja_could_not_generate_this_manifest" in refused.stdout + refused.stderr


QUERY = st.lists(
    st.sampled_from(
        ["(", ")", ",", "deps", "rdeps", "kind", "attr", "set", "let", "in", "=", "+", "-", "^", "union", "except",
         "//a", "//...", ":b", "$x", "x", "1", "'", '"', "some", "tests", "labels(srcs,", "'a b'", "@r//:x", "-//a", "",
         "é", "*"]
    )
    | st.text(max_size=3),
    max_size=15,
)  # fmt: skip


@given(QUERY, st.sampled_from(["", " "]))
@examples(300)
def test_query_expressions(parts: list[str], between: str) -> None:
    try:
        tree = language.parse(between.join(parts))
    except language.QuerySyntaxError as error:
        told(error)
        assert error.diagnostic.location is not None
    else:
        assert isinstance(tree, language.Expression)


DUMPS = ROOT / "tests/data/oracles/dumps"
HEADS = [
    lzma.decompress((DUMPS / f"small.aquery.{form}.xz").read_bytes()).decode()[:6000]
    for form in ("text", "textproto", "jsonproto")
] + [
    lzma.decompress((ROOT / "tests/data/oracles/small.jsonl.xz").read_bytes()).decode()[:6000],
    "cc_library rule //a:b\nsource file //a:c\ngenrule rule //x:y\n",
    '# /w/a/BUILD:1:2\ngenrule(\n  name = "x",\n  cmd = "x" + "y",\n  s = select({"//c": []}),\n)\n',
]


@given(mutated(HEADS))
@examples(60)
def test_dumps(change: tuple[int, str]) -> None:
    with in_time():
        with contextlib.suppress(WorkspaceError):
            read_actions(change[1].encode("utf-8", "replace"), "d")
        with contextlib.suppress(WorkspaceError):
            read_list(change[1], "d")
        with contextlib.suppress(WorkspaceError):
            read_build(change[1], "d")


@given(st.integers(0, 4000), st.binary(max_size=10))
@examples(30)
def test_compressed_dumps_that_are_cut(length: int, more: bytes) -> None:
    content = (ROOT / "tests/data/oracles/small.jsonl.xz").read_bytes()[:length] + more
    with contextlib.suppress(WorkspaceError):
        read_actions(content, "d")


@given(st.binary() | st.text().map(str.encode), st.text(), st.text(), st.booleans(), st.floats(0, 1e6))
@examples(150)
def test_a_log_becomes_well_formed_xml(log: bytes, name: str, detail: str, passed: bool, seconds: float) -> None:
    root = ElementTree.fromstring(junit(name, passed, detail, seconds, log + b"]]>\x00\x1b[31m\xff"))
    output = root.findtext("testsuite/system-out")
    assert output is not None
    assert output.endswith("]]>??[31m\ufffd")
    assert len(root.findall("testsuite/testcase/error")) == (not passed)


@given(st.text(), st.text(), st.text())
@examples(50)
def test_any_diagnostic_can_be_rendered(message: str, help: str, line: str) -> None:
    assert render(Diagnostic(message, help=help), lambda where: line).startswith("error: ")


@pytest.mark.parametrize("text", ["(" * 3000 + "//a" + ")" * 3000, "deps(" * 3000 + "//a" + ")" * 3000, "//a +" * 5000])
def test_deep_query_expressions(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "WORKSPACE").write_text("")
    (tmp_path / "a").mkdir()
    (tmp_path / "a/BUILD").write_text('filegroup(name = "a")\n')
    monkeypatch.chdir(tmp_path)
    result = run("query", ".", text.removesuffix("+"))
    assert (result.status, result.out) == (0, "//a:a\n"), result.err[:500]
