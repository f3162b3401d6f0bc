"""Reading dumps: the same actions from every form, and errors for what is none."""

from __future__ import annotations

import lzma
import time
from pathlib import Path

import pytest

from bazel2ninja.crosscheck.aquery import shell_words
from bazel2ninja.crosscheck.dumps import read_actions
from bazel2ninja.crosscheck.oracle import OracleAction, needed
from bazel2ninja.crosscheck.query import read_build
from bazel2ninja.crosscheck.target_forms import read_list
from bazel2ninja.diagnostics import WorkspaceError

ORACLES = Path(__file__).parent / "data" / "oracles"
DUMPS = ORACLES / "dumps"


def load(name: str) -> list[OracleAction]:
    return read_actions((DUMPS / name).read_bytes(), name)


def comparable(actions: list[OracleAction]) -> list[tuple[object, ...]]:
    return sorted(
        (a.mnemonic, a.label, a.host, tuple(sorted(a.outputs)), tuple(sorted(a.inputs)), a.arguments) for a in actions
    )


@pytest.mark.parametrize("project", ["small", "double-conversion"])
@pytest.mark.parametrize("form", ["text", "textproto"])
def test_all_forms_hold_the_same_actions(project: str, form: str) -> None:
    reference = comparable(load(f"{project}.aquery.jsonproto.xz"))
    assert len(reference) == {"small": 113, "double-conversion": 56}[project]
    assert comparable(load(f"{project}.aquery.{form}.xz")) == reference


def test_json_lines_are_the_needed_part_of_a_dump() -> None:
    lines = read_actions((ORACLES / "small.jsonl.xz").read_bytes(), "small")
    known = {a.outputs[0]: a for a in load("small.aquery.jsonproto.xz")}
    assert len(lines) == 48
    for action in lines:
        assert known[action.outputs[0]].arguments == action.arguments
        assert known[action.outputs[0]].host == action.host
    assert {action.host for action in lines} == {True, False}


def test_reachability() -> None:
    actions = load("small.aquery.text.xz")
    found = needed(actions, ["bazel-out/any/bin/lib/joined.txt"])
    outputs = {path for action in found for path in action.outputs}
    assert "bazel-out/k8-fastbuild/bin/lib/joined.txt" in outputs
    assert any(path.endswith("/tool/join") for path in outputs)  # the tool that makes it
    assert any(path.endswith("shout.o") for path in outputs)  # ... and what makes one of its inputs
    assert not any("/lib/_objs/" in path or path.endswith("joined.upper.txt") for path in outputs)


def test_text_fields_over_several_lines() -> None:
    text = (
        "action 'Executing genrule //a:b'\n  Mnemonic: Genrule\n  Target: //a:b\n  Configuration: k8-fastbuild\n"
        "  Execution platform: @local_config_platform//:host\n  ActionKey: 12\n  Inputs: [a/x, a/y]\n"
        "  Outputs: [bazel-out/k8-fastbuild/bin/a/b]\n  Environment: [A=b, C=d]\n"
        "  Command Line: (exec /bin/bash \\\n    -c \\\n    'echo '\\''x'\\'' \\\n\n    (y) > z')\n"
        "# Configuration: 0123\n# Execution platform: @local_config_platform//:host\n\n"
        "action 'Writing'\n  Mnemonic: FileWrite\n  Target: //a:c\n  Inputs: []\n"
        "  Outputs: [bazel-out/k8-opt-exec-ST-12/bin/c]\n"
    )
    first, second = read_actions(text.encode(), "x")
    assert first.arguments == ("/bin/bash", "-c", "echo 'x' \\\n\n    (y) > z")
    assert (first.inputs, first.host) == (("a/x", "a/y"), False)
    assert (second.mnemonic, second.inputs, second.host) == ("FileWrite", (), True)


def test_shell_words() -> None:
    assert shell_words("gcc \\\n    '-DA=\"b c\"' \\\n    'it'\\''s' ''") == ("gcc", '-DA="b c"', "it's", "")


def test_textproto_strings_and_old_tables() -> None:
    text = (
        'artifacts {\n  id: "0"\n  exec_path: "a/\\303\\244.txt"\n}\n'
        'artifacts {\n  id: "1"\n  exec_path: "bazel-out/host/bin/b"\n}\n'
        'targets {\n  id: "5"\n  label: "//a:b"\n}\ndep_set_of_files {\n  id: "7"\n  direct_artifact_ids: "0"\n}\n'
        'dep_set_of_files {\n  id: "8"\n  transitive_dep_set_ids: "7"\n}\n'
        'actions {\n  target_id: "5"\n  mnemonic: "M"\n  arguments: "x \\"y\\"\\n"\n'
        '  input_dep_set_ids: "8"\n  output_ids: "1"\n'
        "  parameters {\n  }\n}\n"
    )
    (action,) = read_actions(text.encode(), "x")
    assert action == OracleAction("M", "//a:b", True, ("bazel-out/host/bin/b",), ("a/ä.txt",), ('x "y"\n',))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello\n", "not an action list"),
        (b"\xff\xfe\x00", "not a protocol buffer"),
        (b'{"t":"//a","m":"X"}\n', "expected a JSON object with m, t, host, o, i, argv"),
        (b'{"m":"X","t":"//a","host":false,"o":[1],"i":[],"argv":[]}\n', "expected a JSON object"),
        (b'{"actions": 1}', "'actions' is no message"),
        (b"{", "not JSON"),
        (b'{"actions": [{"outputIds": [1]}]}', "refers to number '1'"),
        (b"actions {\n  x: 1\n", "ends inside a message"),
        (b"actions {\n  ???\n}\n", "not the textproto"),
        (b"}x\nactions {\n  Mnemonic: a\n", "not the text that aquery prints"),
        (b"\xfd7zXZ\x00broken", "cannot be decompressed"),
    ],
)
def test_what_is_no_dump(content: bytes, message: str) -> None:
    with pytest.raises(WorkspaceError) as caught:
        read_actions(content, "dump")
    assert message in caught.value.diagnostic.message
    assert caught.value.diagnostic.location is not None and caught.value.diagnostic.location.path == "dump"


def test_a_large_text_dump_takes_seconds() -> None:
    text = lzma.decompress((DUMPS / "small.aquery.text.xz").read_bytes()) + b"\n"
    start = time.process_time()
    assert len(read_actions(text * 20, "x")) == 113 * 20
    assert time.process_time() - start < 3  # measured: 0.25


def test_label_kind() -> None:
    found = read_list((DUMPS / "small.query.label_kind").read_text(), "x").targets
    kinds = {target.label: target.kind for target in found}
    assert kinds["//lib:greet"] == "cc_library rule" and kinds["//lib:greet.cc"] == "source file"
    assert len(found) == 42
    with pytest.raises(WorkspaceError, match="expected 'KIND rule LABEL'"):
        read_list("cc_library rule //a:b\nnonsense\n", "x")


def test_build_dump() -> None:
    found = {target.label: target for target in read_build((DUMPS / "small.query.build").read_text(), "x").targets}
    assert len(found) == 18
    greet = found["greet"]
    assert greet.kind == "cc_library rule" and str(greet.location) == "/workspace/lib/BUILD:48:11"
    assert greet.attributes["srcs"] == ("//lib:greet.cc", "//lib:greeting")
    assert greet.attributes["copts"] == (
        "+",
        (
            (
                "select",
                frozenset(
                    {
                        ("//lib:loud", ("-DLOUD=1",)),
                        ("//lib:optimized", ("-DLOUD=0",)),
                        ("//conditions:default", ("-DLOUD=0",)),
                    }
                ),
            ),
            ("-Wall",),
        ),
    )
    assert found["extra"].attributes["alwayslink"] is True
    with pytest.raises(WorkspaceError, match="not the text that"):
        read_build("cc_library(\n  name = \n", "x")
