"""The commands explain and graph on the example workspace."""

from __future__ import annotations

import json
import os
import re
import shutil
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest
from robust_support import ROOT, run

SVG = "{http://www.w3.org/2000/svg}"
RULES = {
    "//greeting:greeting", "//greeting:greeting_test", "//greeting:hello", "//greeting:hello_test", "//greeting:words",
    "//greeting:libgreeting_c.so", "//greeting:punctuation", "//greeting:loud",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "tests/projects/greeting", tmp_path / "src")
    monkeypatch.chdir(tmp_path)


def told(*words: str) -> str:
    result = run(*words)
    assert result.status == 0, result.err
    assert os.listdir(".") == ["src"]
    return result.out


def test_explain_a_target() -> None:
    text = told("explain", "src", "//greeting:greeting")
    assert text.startswith("//greeting:greeting\n  kind: cc_library rule\n  made at: src/greeting/BUILD:23:1\n")
    assert "local_defines: select() takes the default" in text
    assert "//greeting:loud does not hold: --define=greeting=loud is wanted" in text
    assert "//greeting:hello\n" in text.partition("wanted by")[2]
    loud = told("explain", "--define=greeting=loud", "src", "//greeting:greeting")
    assert "local_defines: select() takes '//greeting:loud'" in loud
    assert 'value: ["LOUD=1"]' in loud
    assert "//greeting:loud holds: " in loud


def test_explain_a_rule_of_the_project_and_files() -> None:
    assert "rule defined in: //testing:defs.bzl" in told("explain", "src", "//greeting:words")
    by_label = told("explain", "src", "//greeting:hello.cc")
    assert "kind: source file" in by_label
    for path in ("src/greeting/hello.cc", "greeting/hello.cc", os.path.abspath("src/greeting/hello.cc")):
        assert told("explain", "src", path) == by_label
    assert "made by: //greeting:words" in told("explain", "src", "//greeting:words.h")


def test_explain_an_output() -> None:
    base = "bazel-out/k8-fastbuild/bin/greeting"
    text = told("explain", "--cpu=k8", "src", f"{base}/_objs/greeting/greeting.pic.o")
    assert "made by: CppCompile of //greeting:greeting" in text
    assert "source: greeting/greeting.cc" in text
    assert f"    {base}/words.h" in text
    assert "made by: TextHeader of //greeting:words" in told("explain", "--cpu=k8", "src", f"{base}/words.h")


def drawn() -> tuple[set[str], set[tuple[str, str]]]:
    """Labels and arrows, by the JSON form."""
    document = json.loads(told("graph", "--format=json", "src"))
    return {node["label"] for node in document["nodes"]}, {(start, end) for start, end in document["edges"]}


def test_graph_as_json() -> None:
    labels, arrows = drawn()
    assert labels == RULES
    assert ("//greeting:hello", "//greeting:greeting") in arrows
    assert ("//greeting:hello_test", "//greeting:hello") in arrows
    assert not any(end == "//greeting:hello_test" for _, end in arrows)
    assert {end for _, end in arrows} <= labels


def test_graph_as_svg() -> None:
    labels, arrows = drawn()
    root = ElementTree.fromstring(told("graph", "src"))
    assert root.tag == f"{SVG}svg"
    boxes = {}
    for group in root.iter(f"{SVG}g"):
        box = group.find(f"{SVG}rect")
        assert box is not None
        boxes[group.get("data-label")] = tuple(float(box.get(name, "")) for name in ("x", "y", "width", "height"))
    assert set(boxes) == labels
    assert len(list(root.iter(f"{SVG}path"))) == len(arrows)
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    for x, y, wide, high in boxes.values():
        assert 0 <= x <= x + wide <= width
        assert 0 <= y <= y + high <= height
    # no two boxes on each other, and all arrows to the right
    assert len({(x, y) for x, y, _, _ in boxes.values()}) == len(boxes)
    assert all(boxes[start][0] < boxes[end][0] for start, end in arrows)


def test_graph_as_dot() -> None:
    labels, arrows = drawn()
    text = told("graph", "--format", "dot", "src")
    assert re.match(r'digraph ".*" \{\n', text)
    assert set(re.findall(r'^  "([^"]*)" \[tooltip=', text, re.MULTILINE)) == labels
    assert set(re.findall(r'^  "([^"]*)" -> "([^"]*)";$', text, re.MULTILINE)) == arrows


class Reader(HTMLParser):
    """Remembers the elements that are open, and everything fetched from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.nodes: set[str] = set()
        self.fetched: list[str] = []
        self.script = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        self.fetched += [str(values[name]) for name in ("src", "href") if name in values]
        self.nodes.update(str(values["data-label"]) for _ in range("data-label" in values))
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        pass

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.script += data


def test_graph_as_html() -> None:
    labels, arrows = drawn()
    reader = Reader()
    reader.feed(told("graph", "--format=html", "src"))
    reader.close()
    assert reader.open == []
    assert reader.nodes == labels
    assert reader.fetched == []
    found = re.search(r"const data = (.*);", reader.script)
    assert found
    data = json.loads(found[1])
    assert set(data["kinds"]) == labels
    assert {(start, end) for start, ends in data["edges"].items() for end in ends} == arrows


def test_graph_options() -> None:
    some = json.loads(told("graph", "--format=json", "src", "//greeting:hello"))
    assert "//greeting:hello_test" not in {node["label"] for node in some["nodes"]}
    files = json.loads(told("graph", "--format=json", "--files", "src", "//greeting:hello"))
    kinds = {node["label"]: node["kind"] for node in files["nodes"]}
    assert kinds["//greeting:hello.cc"] == "source file"
    assert kinds["//data:words.txt"] == "source file"
    external = json.loads(told("graph", "--format=json", "--external", "src", "//greeting:hello"))
    assert len(external["nodes"]) >= len(some["nodes"])


def test_names_in_drawings_are_escaped(tmp_path: Path) -> None:
    (tmp_path / "src/odd").mkdir()
    name = "a&b<c>\\\"d'</script>"
    name = name.replace("\\", "")
    (tmp_path / "src/odd/BUILD").write_text(f"filegroup(name = {json.dumps(name)})\n")
    svg = ElementTree.fromstring(told("graph", "src", "//odd:all"))
    assert [group.get("data-label") for group in svg.iter(f"{SVG}g")] == [f"//odd:{name}"]
    reader = Reader()
    reader.feed(told("graph", "--format=html", "src", "//odd:all"))
    assert reader.open == []
    assert reader.nodes == {f"//odd:{name}"}
    assert json.dumps(f"//odd:{name}")[1:-1] in told("graph", "--format=dot", "src", "//odd:all")
