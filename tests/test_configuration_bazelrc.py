"""Reading .bazelrc: the words, imports, their places and their errors."""

from __future__ import annotations

import time

import pytest

from bazel2ninja.configuration.bazelrc import read_bazelrc, words
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.filesystem import MemoryFileSystem
from bazel2ninja.starlark.semantics import Semantics


def texts(source: str) -> list[list[str]]:
    return [[word for word, _ in line] for line in words(source, "rc")]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("build -c opt", [["build", "-c", "opt"]]),
        ("\n\n  # only a comment\n\t\n", []),
        ("build --a # rest\nbuild --b", [["build", "--a"], ["build", "--b"]]),
        ("build --define=a=b#c", [["build", "--define=a=b"]]),
        ("build '--define=a=b#c'", [["build", "--define=a=b#c"]]),
        ('build --x="a  b"\'c"d\'', [["build", '--x=a  bc"d']]),
        ("build --x=C:\\\\t\\ 1", [["build", "--x=C:\\t 1"]]),
        ("build \"a\\\"b\" 'c\\'d'", [["build", 'a"b', "c'd"]]),
        ("build --a \\\n  --b\\\n--c", [["build", "--a", "--b--c"]]),
        ("# comment \\\nbuild --a\nbuild --b", [["build", "--b"]]),
        ("build --a\r\nbuild \\\r\n --b\r\n", [["build", "--a"], ["build", "--b"]]),
        ("build ''  \"\" --a", [["build", "--a"]]),
        ("build 'no end\nbuild --b", [["build", "no end"], ["build", "--b"]]),
        ("build --a\\", [["build", "--a"]]),
        ("", []),
    ],
)
def test_words(source: str, expected: list[list[str]]) -> None:
    assert texts(source) == expected


def test_places_count_lines_and_columns_of_the_file() -> None:
    lines = words("# x\nbuild --a \\\n  --b \\\n--c\n test \t-d", "rc")
    places = {word: (place.line, place.column) for line in lines for word, place in line}
    assert places == {"build": (2, 1), "--a": (2, 7), "--b": (3, 3), "--c": (4, 1), "test": (5, 2), "-d": (5, 8)}


def test_sections_and_configs() -> None:
    files = MemoryFileSystem({"w/.bazelrc": "build --a\nbuild:x --b --c\ncommon:x --d\nfuture:x --e\n"})
    rc = read_bazelrc(files, "w")
    assert [a.text for a in rc.arguments("build")] == ["--a"]
    assert [a.text for a in rc.arguments("build", "x")] == ["--b", "--c"]
    assert rc.configs == ("x",)
    assert rc.defines("x", ("common",)) and not rc.defines("x", ("test",))
    assert rc.warnings == ()


def test_unknown_section_is_a_warning() -> None:
    rc = read_bazelrc(MemoryFileSystem({".bazelrc": "\nbiuld --a\n"}), ".")
    assert [(w.message, str(w.location)) for w in rc.warnings] == [("invalid command name 'biuld'", ".bazelrc:2:1")]


def test_imports_stand_where_they_are_written() -> None:
    files = MemoryFileSystem(
        {
            "w/.bazelrc": "build --a\nimport %workspace%/sub/more.rc\ntry-import %workspace%/absent.rc\nbuild --z\n",
            "w/sub/more.rc": "build --m\n",
            "extra.rc": "build --e\n",
        }
    )
    rc = read_bazelrc(files, "w", ["extra.rc", "/dev/null"])
    assert [a.text for a in rc.arguments("build")] == ["--a", "--m", "--z", "--e"]
    assert rc.files == ("w/.bazelrc", "w/sub/more.rc", "extra.rc")
    assert files.reads["w/absent.rc"] == "absent"  # its coming into being changes the result
    assert read_bazelrc(files, "w", workspace_file=False).lines == ()


def test_the_file_of_old_releases_comes_first() -> None:
    files = MemoryFileSystem({"w/.bazelrc": "build --a\n", "w/tools/bazel.rc": "build --t\n"})
    assert [a.text for a in read_bazelrc(files, "w", tools_file=True).arguments("build")] == ["--t", "--a"]
    assert [a.text for a in read_bazelrc(files, "w").arguments("build")] == ["--a"]
    assert read_bazelrc(files, "w", workspace_file=False, tools_file=True).lines == ()
    assert Semantics.for_bazel("0.18.1").tools_rc_file and not Semantics.for_bazel("0.19.0").tools_rc_file


@pytest.mark.parametrize(
    ("files", "message", "place"),
    [
        ({".bazelrc": "build --a\nimport x.rc\n"}, "imported file 'x.rc' does not exist", ".bazelrc:2:8"),
        ({".bazelrc": "import x.rc", "x.rc": "\nimport .bazelrc"}, "import loop: '.bazelrc'", "x.rc:2:8"),
        ({".bazelrc": "import .bazelrc"}, "import loop: '.bazelrc'", ".bazelrc:1:8"),
        ({".bazelrc": "import a b"}, "'import' takes one file name, got 2", ".bazelrc:1:1"),
        ({".bazelrc": "build: --a"}, "no config name after 'build:'", ".bazelrc:1:1"),
    ],
)
def test_errors(files: dict[str, str], message: str, place: str) -> None:
    with pytest.raises(WorkspaceError) as caught:
        read_bazelrc(MemoryFileSystem(files), ".")
    assert message in caught.value.diagnostic.message
    assert str(caught.value.diagnostic.location) == place


def test_a_long_file_is_read_quickly() -> None:
    text = "".join(f'build:config{i} --copt=-DVALUE{i}="a b" --define name{i}=value # why\n' for i in range(1000))
    files = MemoryFileSystem({".bazelrc": text})
    start = time.process_time()
    rc = read_bazelrc(files, ".")
    assert len(rc.lines) == 1000
    assert time.process_time() - start < 0.25  # measured: 0.01; room for a loaded machine
