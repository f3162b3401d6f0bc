"""proto.encode_text() and struct.to_proto(); the texts are those of Bazel 4.2.3 but for None and floats."""

from __future__ import annotations

from pathlib import Path

import pytest
from robust_support import lay, run

from bazel2ninja.starlark import EvalError, Semantics, Struct
from bazel2ninja.starlark.text_proto import encode_text
from bazel2ninja.starlark.values import Dict, List

INNER = Struct(h=2)
MESSAGES = {
    "": Struct(),
    'a: true\nb: 1\nc: "x\\"y\\\\z\\nt\té"\ne: 1\ne: "a"\ne {\n  q: 1\n}\n'
    "f {\n  g {\n    h: 2\n  }\n}\nn: -3\n": Struct(
        b=1, a=True, c='x"y\\z\nt\té', e=List([1, "a", Struct(q=1)]), f=Struct(g=INNER), n=-3, d=None
    ),
    "e {\n}\nz {\n}\nz {\n}\n": Struct(a=List([]), b=(), e=Struct(), z=List([Struct(), Struct(x=List([]))])),
    'k {\n  key: "a"\n  value {\n    h: 2\n  }\n}\n'
    "m {\n  key: 4\n  value: 3\n}\nm {\n  key: 2\n  value: 1\n}\n": Struct(
        m=Dict({4: 3, 2: 1}), k=Dict({"a": INNER}), l=Dict({})
    ),
    "r: 0\nr: 1\nx: 1.5\n": Struct(r=range(2), x=1.5),
}


@pytest.mark.parametrize("text", MESSAGES)
def test_messages(text: str) -> None:
    assert encode_text(MESSAGES[text]) == text


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (List([List([1])]), "in struct field .a: at list index 0: got list, want "),
        (List([Dict({1: 2})]), "in struct field .a: at list index 0: got dict, want "),
        (List([None]), "in struct field .a: at list index 0: got NoneType, want "),
        (Dict({None: 1}), "in struct field .a: invalid dict key: got NoneType, want int or string"),
        (Dict({1: List([2])}), "in struct field .a: in value for dict key 1: got list, want "),
        (Dict({1: None}), "in struct field .a: in value for dict key 1: got NoneType, want "),
        (Semantics, "in struct field .a: got "),
    ],
)
def test_what_no_message_holds(value: object, message: str) -> None:
    if value is Semantics:
        value = Struct(b=Struct(c=List([()])))
        message = "in struct field .a: in struct field .b: in struct field .c: at list index 0: got tuple, want "
    with pytest.raises(EvalError) as caught:
        encode_text(Struct(a=value))
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize("release", ["4.2.3", "9.0.0"])
def test_in_a_build(release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    method = "struct(a = 1).to_proto()" if release == "4.2.3" else "proto.encode_text(struct(a = 1))"
    files = {"WORKSPACE": "", "MODULE.bazel": "", "x.bzl": f"X = {method}\nprint(X)", ".bazelversion": release}
    lay(tmp_path / "src", {**files, "BUILD": 'load(":x.bzl", "X")\nprint(proto.encode_text(struct(b = X)))'})
    result = run("generate", "-o", "build.ninja", "src")
    assert result.status == 0, result.err
    assert 'b: "a: 1\\n"' in result.err
    lay(tmp_path / "src", {"x.bzl": "X = proto.encode_text(1)"})
    result = run("generate", "-o", "build.ninja", "src")
    assert "src/x.bzl:1:5: error: in call to encode_text(), parameter 'x' got value of type 'int'" in result.err
