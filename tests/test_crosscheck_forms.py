"""Every form of dump that Bazel prints of the workspace `small`: no difference on the right tree, damage is seen."""

from __future__ import annotations

import dataclasses
import itertools
import json
import lzma
import os
import random
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from bazel2ninja.cli import main
from bazel2ninja.commands.crosscheck import compare_actions
from bazel2ninja.crosscheck import build_log, dumps, parameter_file
from bazel2ninja.crosscheck.intended import default_entries
from bazel2ninja.crosscheck.oracle import ActionDump
from bazel2ninja.crosscheck.records import Names
from bazel2ninja.crosscheck.targets import QueryTarget, TargetDump
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.pipeline import target_comparison
from bazel2ninja.pipeline.build import analyse
from bazel2ninja.pipeline.session import Request, Session

ORACLES = Path(__file__).parent / "data" / "oracles"
DUMPS = ORACLES / "dumps"
PARAMETERS = DUMPS / "small.params"
SOURCES = 'kind("source file", deps(//lib:hello))'

# form -> target patterns, options; what it holds, at least
WHOLE: dict[str, tuple[Sequence[str], int]] = {
    "aquery.proto": ((), 26),
    "build.log": ((), 19),
    "query.graph": ((), 42),
    "query.label": ((), 42),
    "query.location": ((), 42),
    "query.minrank": ((), 42),
    "query.proto": ((), 42),
    "query.streamed_proto": ((), 42),
    "query.xml": ((), 42),
    "query.GEN": ((), 8),
    "query.SRC": (("//lib:hello",), 9),
    "query.deps.label": (("//lib:hello",), 21),
    "query.deps.maxrank": (("//lib:hello",), 21),
    "query.deps.graph": (("//lib:hello",), 21),
    "cquery.build": ((), 18),
    "cquery.graph": ((), 33),
    "cquery.jsonproto.xz": ((), 33),
    "cquery.label": ((), 33),
    "cquery.label_kind": ((), 33),
    "cquery.proto.xz": ((), 33),
    "cquery.textproto.xz": ((), 33),
    "cquery.transitions": ((), 33),
}


def crosscheck(*words: object) -> int:
    return main(["crosscheck", str(ORACLES / "small"), *map(str, words)])


def report(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, object]]:
    status = crosscheck("--json", *words)
    output = capsys.readouterr()
    assert status in (0, 3), output.err
    found: dict[str, object] = json.loads(output.out)
    return status, found


@pytest.mark.parametrize("form", WHOLE)
def test_agreement(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words, at_least = WHOLE[form]
    status, found = report(capsys, *words, f"--against={DUMPS}/small.{form}")
    assert (status, found["unexplained"]) == (0, [])
    compared = found["compared"]
    assert isinstance(compared, int) and compared >= at_least


def test_a_log_tells_links_with_their_parameter_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    log = f"--against={DUMPS}/small.build.log"
    status, found = report(capsys, log)
    assert found["not_compared"] == [
        "what 9 links and archives consist of, as their parameter files were not given",
    ]
    status, found = report(capsys, log, f"--against={PARAMETERS}")
    assert (status, found["unexplained"], found["not_compared"]) == (0, [], [])
    assert found["compared"] == 21
    shutil.copytree(PARAMETERS, "params")
    hello = Path("params/bazel-out/k8-fastbuild/bin/lib/hello-2.params")
    hello.write_text(hello.read_text().replace("_objs/extra/extra.pic.o", "_objs/extra/other.pic.o"))
    status, found = report(capsys, log, "--against=params")
    unexplained = found["unexplained"]
    assert status == 3 and isinstance(unexplained, list)
    assert {(each["label"], each["field"], each["kind"]) for each in unexplained} == {
        ("//lib:hello", "members", "missing"),
        ("//lib:hello", "members", "extra"),
    }
    assert crosscheck(log, "--against=params", f"--against={PARAMETERS}") == 1
    assert "another dump tells already how 'bazel-out/host/bin/tool/shout' is made" in capsys.readouterr().err


@pytest.mark.parametrize("at_least", [("", 9), ("bazel-out/k8-fastbuild/bin/lib/hello-2.params", 1)])
def test_parameter_files_alone(
    at_least: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path, count = at_least
    status, found = report(capsys, f"--against={PARAMETERS / path}")
    assert (status, found["unexplained"], found["compared"]) == (0, [], count)


@pytest.mark.parametrize("seed", range(12))
def test_damaged_parameter_files(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    path = chance.choice(sorted(PARAMETERS.rglob("*.params")))
    lines = path.read_text().splitlines()
    members = [number for number, line in enumerate(lines) if line.endswith(".o") and number > 1]
    number = chance.choice(members)
    if chance.random() < 0.5:
        lines[number] = lines[number].replace("_objs/", "_objs/x")
    else:
        del lines[number]
    Path("damaged.params").write_text("\n".join(lines) + "\n")
    assert crosscheck("--against=damaged.params") == 3


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    root = tmp_path_factory.mktemp("root")
    return Session(
        Request(source=str(ORACLES / "small"), words=["//..."], output_root=str(root), environment={"CC": "gcc"})
    )


@pytest.mark.parametrize("seed", range(4))
def test_damaged_logs(session: Session, seed: int) -> None:
    """A word of a command dropped or changed, a subcommand left out: each is a difference."""
    chance = random.Random(seed)
    files = sorted(PARAMETERS.rglob("*.params"))
    parts = [("log", build_log.read((DUMPS / "small.build.log").read_text(), "log"))]
    parts += [(path.name, parameter_file.read(path.read_text(), path.name)) for path in files]
    whole = parameter_file.merged(parts)
    build = analyse(session)
    names, entries = Names(("small",)), default_entries()
    assert compare_actions(session, build, whole, names, entries).status == 0
    noticed = 0
    for index, action in enumerate(whole.actions):
        words = list(action.arguments)
        own = [
            number
            for number, word in enumerate(words)
            if re.search(r"^-D[A-Z]+|^-iquote$|^lib/|^tool/|/_objs/[^']*\.o$|\.txt|-c$|-I", word)
            and not word.startswith(("-frandom", "-MF", "-D_", "-DNDEBUG"))
            and not (word == "-iquote" and words[number + 1].endswith("external/bazel_tools"))
            and not (number and words[number - 1] in ("-o", "-MF", "-iquote", "-isystem"))
            and ("genrule" not in action.title or number > 1)
        ]
        number = chance.choice(own)
        if words[number] == "-iquote":
            del words[number : number + 2]
        elif words[number] == "-c":
            words[number + 1] = "other/" + words[number + 1]
        else:
            words[number] += "x"
        changed = dataclasses.replace(action, arguments=tuple(words))
        actions = [*whole.actions[:index], changed, *whole.actions[index + 1 :]]
        damaged = dataclasses.replace(whole, actions=tuple(actions))
        assert compare_actions(session, build, damaged, names, entries).status == 3, (action.title, words[number])
        noticed += 1
    assert noticed == 21


def test_a_log_without_a_subcommand(session: Session) -> None:
    whole = build_log.read((DUMPS / "small.build.log").read_text(), "log")
    build = analyse(session)
    for action in whole.actions:
        kept = tuple(a for a in whole.actions if (a.label, a.title[:9]) != (action.label, action.title[:9]))
        damaged = dataclasses.replace(whole, actions=kept)
        found = compare_actions(session, build, damaged, Names(("small",)), default_entries())
        archives = len(kept) + 1 and action.mnemonic == "CppArchive"
        assert archives or found.status == 3, action.title


def mutations(dump: TargetDump, known: set[str]) -> Iterator[tuple[str, TargetDump]]:
    """One damage of each kind at each target of the main repository."""

    def with_target(index: int, *others: QueryTarget) -> TargetDump:
        targets = (*dump.targets[:index], *others, *dump.targets[index + 1 :])
        return dataclasses.replace(dump, targets=targets)

    for index, target in enumerate(dump.targets):
        if (target.label if not dump.by_name else f"//lib:{target.label}") not in known:
            continue
        renamed = dataclasses.replace(target, label=target.label + "x")
        yield f"rename {target.label}", with_target(index, renamed)
        if (
            not dump.by_name
            and sum(t.label == target.label for t in dump.targets) == 1
            and "friends" not in target.label
        ):
            yield f"drop {target.label}", with_target(index)
        if target.kind:
            yield f"kind of {target.label}", with_target(index, dataclasses.replace(target, kind="other_library rule"))
        for name, value in target.attributes.items():
            if name in ("name", "visibility"):
                continue
            damaged: object = f"{value}x"  # a list gets one more
            if (
                isinstance(value, tuple)
                and value
                and isinstance(value[0], str)
                and value[0] not in ("dict", "select", "+")
            ):
                damaged = (*value, "damage")
            attributes = {**target.attributes, name: damaged}
            yield f"{name} of {target.label}", with_target(index, dataclasses.replace(target, attributes=attributes))
        if target.dependencies is not None:
            more = dataclasses.replace(target, dependencies=(*target.dependencies, "//lib:no_such"))
            yield f"one dependency more of {target.label}", with_target(index, more)
            own = [name for name in target.dependencies if name in known and name != "//rules:friends"]
            for name in () if dump.some_dependencies else own:
                less = tuple(other for other in target.dependencies if other != name)
                fewer = dataclasses.replace(target, dependencies=less)
                yield f"{target.label} without {name}", with_target(index, fewer)


@pytest.mark.parametrize("form", [form for form in WHOLE if form not in ("aquery.proto", "build.log")])
def test_damaged_targets(session: Session, form: str) -> None:
    """Every kind of damage to every target of the workspace is a difference."""
    dump = dumps.read((DUMPS / f"small.{form}").read_bytes(), form)
    assert isinstance(dump, TargetDump)
    words = WHOLE[form][0]
    expression = None
    if words:
        expression = SOURCES if form == "query.SRC" else f"deps({words[0]})"
    names = Names(("small",))
    known = {str(t.label) for t in target_comparison.all_targets(session)}
    assert target_comparison.compare(session, dump, names, default_entries(), expression).status == 0
    count = 0
    for what, damaged in itertools.islice(mutations(dump, known), 0, None, 3):
        found = target_comparison.compare(session, damaged, names, default_entries(), expression)
        assert found.status == 3, what
        count += 1
    assert count >= 5


@pytest.mark.parametrize("form", ["textproto", "proto"])
def test_forms_of_cquery_hold_the_same(form: str) -> None:
    def load(name: str) -> TargetDump:
        found = dumps.read((DUMPS / f"small.cquery.{name}.xz").read_bytes(), name)
        assert isinstance(found, TargetDump)
        return found

    def plain(dump: TargetDump) -> list[object]:
        def attributes(target: QueryTarget) -> list[str]:
            return sorted(repr(item) for item in target.attributes.items() if item[0] != "generator_location")

        return sorted((t.label, t.kind, attributes(t)) for t in dump.targets)

    assert plain(load(form)) == plain(load("jsonproto"))
    greet = next(t for t in load(form).targets if t.label == "//lib:greet")
    assert greet.attributes["copts"] == ("-DLOUD=0", "-Wall")


def test_the_binary_form_of_aquery_holds_the_same_actions() -> None:
    binary = dumps.read_actions((DUMPS / "small.aquery.proto").read_bytes(), "proto")
    text = dumps.read_actions((DUMPS / "small.aquery.jsonproto.xz").read_bytes(), "json")

    def plain(actions: Sequence[object]) -> list[str]:
        return sorted(re.sub(r"\(HOST\)", "", repr(action)) for action in actions)

    assert plain(binary) == plain(text)


def field(number: int, value: int | str | bytes) -> bytes:
    """A field of a protocol buffer."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    data = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2, len(data)]) + data


def graph(identifier: Callable[[int], int | str], path: bytes) -> bytes:
    output = field(1, field(1, identifier(1)) + path)
    action = field(1, identifier(5)) + field(4, "M") + field(6, "cat") + field(9, identifier(1))
    return output + field(2, action) + field(3, field(1, identifier(5)) + field(2, "//a:b")) + field(9, "later")


def test_old_and_new_action_graphs() -> None:
    old = graph(str, field(2, "bazel-out/k8-opt/bin/a/b"))
    fragments = field(8, field(1, 7) + field(2, "b") + field(3, 8)) + field(8, field(1, 8) + field(2, "a"))
    new = graph(int, field(2, 7)) + fragments
    (first,), (second,) = dumps.read_actions(old, "old"), dumps.read_actions(new, "new")
    assert (first.mnemonic, first.label, first.outputs) == ("M", "//a:b", ("bazel-out/k8-opt/bin/a/b",))
    assert (second.mnemonic, second.label, second.outputs, second.arguments) == ("M", "//a:b", ("a/b",), ("cat",))
    parts = b"".join(bytes([len(part)]) + part for part in (fragments, graph(int, field(2, 7))))
    assert dumps.read_actions(parts, "streamed") == [second]


BLOCK = """\
SUBCOMMAND: # //a:b [action 'Compiling a/b.c', configuration: 01, execution platform: @p//:host, mnemonic: CppCompile]
(cd /execroot/x && \\
  exec env - \\
    PATH=/bin \\
    'FLAGS=a b
c' \\
  gcc -iquote . '-DX="a b"' -c a/b.c -o bazel-out/k8-opt/bin/a/_objs/b/b.o)
# Configuration: 01
"""


def test_a_log_of_later_and_of_earlier_releases() -> None:
    found = build_log.read("\x1b[35m" + BLOCK.replace("SUBCOMMAND:", "SUBCOMMAND:\x1b[0m"), "log")
    (action,) = found.actions
    assert (action.mnemonic, action.label, action.host) == ("CppCompile", "//a:b", False)
    assert action.arguments[:4] == ("gcc", "-iquote", ".", '-DX="a b"')
    assert action.outputs == ("bazel-out/k8-opt/bin/a/_objs/b/b.o",)
    old = BLOCK.replace("SUBCOMMAND: #", ">>>>> #").replace(", mnemonic: CppCompile", "")
    assert build_log.read(old, "log").actions == found.actions
    tool = BLOCK.replace("b.c'", "b.c [for tool]'")
    assert build_log.read(tool, "log").actions[0].host
    assert isinstance(dumps.read(b"\xff of a compiler\n" + BLOCK.encode(), "log"), ActionDump)


def _cut(data: bytes, after: bytes, further: int) -> bytes:
    """The beginning of a dump, up to some bytes after a text in its middle."""
    return data[: data.index(after, len(data) // 2) + further]


@pytest.mark.parametrize(
    ("form", "damage", "place"),
    [
        ("aquery.proto", lambda data: data[:-3], "1:1: error: not a protocol buffer: field"),
        ("query.proto", lambda data: data[:1000], "1:1: error: not a protocol buffer: "),
        ("query.streamed_proto", lambda data: data[:1000], "1:1: error: not a protocol buffer: "),
        ("cquery.proto.xz", lambda data: lzma.decompress(data)[:-7], "1:1: error: not a protocol buffer: "),
        ("cquery.proto.xz", lambda data: data[:-7], "1:1: error: cannot be decompressed"),
        ("query.xml", lambda data: data[:3000], "58:5: error: not XML: unclosed token"),
        ("query.xml", lambda data: b"<query/><!DOCTYPE x></query>", "1:1: error: not the XML that query prints"),
        ("query.label", lambda data: data + b"and more\n", "43:1: error: expected a label"),
        ("query.minrank", lambda data: data + b"//a:b\n", "43:1: error: expected a number and a label"),
        ("query.location", lambda data: data + b"//a:b\n", "43:1: error: expected 'FILE:LINE:COLUMN: KIND LABEL'"),
        ("query.label_kind", lambda data: data + b"//a:b\n", "43:1: error: expected 'KIND rule LABEL'"),
        ("cquery.label", lambda data: data + b"//a:b (q)\n", "105:1: error: expected 'LABEL (CONFIGURATION)'"),
        ("query.graph", lambda data: data[:-3], "error: the graph ends without a brace"),
        (
            "query.graph",
            lambda data: data.replace(b"//lib:BUILD", b"...and 5 more items"),
            "the labels of this node are cut",
        ),
        (
            "aquery.text.xz",
            lambda data: _cut(lzma.decompress(data), b"Command Line: (", 90),
            "not the text that aquery",
        ),
        ("aquery.textproto.xz", lambda data: _cut(lzma.decompress(data), b"actions {", 20), "not the textproto that"),
        ("aquery.jsonproto.xz", lambda data: _cut(lzma.decompress(data), b"mnemonic", 20), "error: not JSON"),
        ("build.log", lambda data: data[:2500], "error: the log ends, or is damaged, inside the subcommand"),
        ("cquery.textproto.xz", lambda data: lzma.decompress(data)[:9999], "error: "),
        ("cquery.jsonproto.xz", lambda data: lzma.decompress(data)[:9999], "error: not JSON"),
    ],
)
def test_broken_dumps(
    form: str,
    damage: Callable[[bytes], bytes],
    place: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dump").write_bytes(damage((DUMPS / f"small.{form}").read_bytes()))
    assert crosscheck("--against=dump") == 1
    message = capsys.readouterr().err
    assert re.match(r"dump:\d+:\d+: error: ", message), message
    assert place in message


def test_lists_with_repositories_for_their_targets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the Debian packaging of 2018 kept them: `bazel query`, external targets cut down to @repository."""
    monkeypatch.chdir(tmp_path)
    os.mkdir("ext")
    Path("ext/WORKSPACE").touch()
    Path("ext/BUILD").write_text('exports_files(["x.txt"], visibility = ["//visibility:public"])\n')
    Path("ext/x.txt").touch()
    os.mkdir("ws")
    Path("ws/WORKSPACE").write_text('workspace(name = "me")\nlocal_repository(name = "ext", path = "../ext")\n')
    Path("ws/BUILD").write_text(
        'genrule(name = "g", srcs = ["a", "@ext//:x.txt"], outs = ["o"], cmd = "cat $(SRCS) > $@")\n'
    )
    Path("ws/a").touch()
    command = ["crosscheck", "ws", "//:g", "--json", "--against=SRC"]
    Path("SRC").write_text("//:a\n@bazel_tools\n@ext\n")
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["compared"] == 3
    for content, expected in (
        ("//:a\n@bazel_tools\n", {("@ext", "repository", "extra")}),
        ("//:a\n@bazel_tools\n@me\n@ext\n@other\n", {("@other", "repository", "missing")}),
        ("//:a\n@ext\n@other\n", {("@other", "repository", "missing")}),
        ("//:a\n//:b\n@ext\n", {("//:b", "target", "missing")}),
        ("@ext\n//:o\n", {("//:a", "target", "extra"), ("//:o", "target", "missing")}),
    ):
        Path("SRC").write_text(content)
        assert main([*command, '--query=kind("source file", deps(//:g))']) == 3
        found = json.loads(capsys.readouterr().out)["unexplained"]
        assert {(each["label"], each["field"], each["kind"]) for each in found} >= expected, content
        assert not any(each["label"] == "@me" for each in found)


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("files").write_text("bazel-out/k8-fastbuild/bin/lib/hello\n")
    status, found = report(capsys, "//lib:hello", "--against=files")
    assert (status, found["compared"]) == (0, 1)
    Path("files").write_text("bazel-out/k8-fastbuild/bin/lib/hello\nbazel-out/k8-fastbuild/bin/lib/other\n")
    assert report(capsys, "//lib:hello", "--against=files")[0] == 3
    Path("files").write_text("bazel-out/k8-fastbuild/bin/lib/other\n")
    status, found = report(capsys, "//lib:hello", "--against=files")
    unexplained = found["unexplained"]
    assert isinstance(unexplained, list) and {each["kind"] for each in unexplained} == {"missing", "extra"}


def test_misuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert crosscheck() == 2
    assert "no dump to compare with" in capsys.readouterr().err
    assert crosscheck(f"--against={PARAMETERS}", "--query=//...") == 2
    assert "--query is for dumps of query and cquery" in capsys.readouterr().err
    assert crosscheck(f"--against={DUMPS}/small.build.log", f"--against={DUMPS}/small.query.label") == 1
    assert "only action lists may be given together" in capsys.readouterr().err
    os.mkdir("empty")
    assert crosscheck("--against=empty") == 1
    assert "no parameter file ('*.params') is in 'empty'" in capsys.readouterr().err
    assert crosscheck(f"--against={DUMPS}/small.query.label", "--query=deps(") == 2


def test_parameters_that_the_linker_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Old releases: half of the command in the log, the rest in a file whose name tells what is made."""
    monkeypatch.chdir(tmp_path)
    words = (PARAMETERS / "bazel-out/k8-fastbuild/bin/lib/hello-2.params").read_text().split()
    start = words.index("-pass-exit-codes") + 1
    Path("hello-2.params").write_text("\n".join(word.removeprefix("-Wl,") for word in words[start:]) + "\n")
    status, found = report(capsys, "--against=hello-2.params")
    assert (status, found["unexplained"], found["compared"]) == (0, [], 1)
    text = (DUMPS / "small.build.log").read_text()
    name = "bazel-out/k8-fastbuild/bin/lib/hello-2.params"
    head = " ".join(f"'{word}'" for word in words[:start])
    assert f" @{name}" in text
    Path("log").write_text(text.replace(f" @{name}", f" {head} -Wl,@{name}"))
    status, found = report(capsys, "--against=log", "--against=hello-2.params")
    assert (status, found["unexplained"], found["compared"]) == (0, [], 21)
    Path("log").write_text(text.replace(f" @{name}", f" {head} -lplanted -Wl,@{name}"))
    status, found = report(capsys, "--against=log", "--against=hello-2.params")
    unexplained = found["unexplained"]
    assert isinstance(unexplained, list)
    assert [(each["label"], each["field"], each["value"]) for each in unexplained] == [
        ("//lib:hello", "flags", "-lplanted")
    ]
    Path("hello-2.params").write_text("\n".join(word.removeprefix("-Wl,") for word in words[start + 1 :]) + "\n")
    assert report(capsys, "--against=hello-2.params")[0] == 3
    Path("hello-2.params").rename("other")
    assert crosscheck("--against=other") == 1
    assert "such a file must have the name of what is made" in capsys.readouterr().err


def test_nothing_told_is_an_error() -> None:
    with pytest.raises(WorkspaceError, match="nothing says what is made"):
        parameter_file.read("-shared\nx.o\n", "p")


def test_absent_repositories_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a list says of a repository that is not there cannot be compared: neither a difference nor silence."""
    monkeypatch.chdir(tmp_path)
    os.mkdir("ws")
    Path("ws/WORKSPACE").write_text('local_repository(name = "ext", path = "../nowhere")\n')
    Path("ws/BUILD").write_text('genrule(name = "g", srcs = ["a", "@ext//:x.txt"], outs = ["o"], cmd = "cat")\n')
    Path("ws/a").touch()
    Path("SRC").write_text("//:a\n@bazel_tools\n@ext\n")
    command = ["crosscheck", "ws", "//:g", "--json", "--against=SRC", "--query=kind('source file', deps(//:g))"]
    assert main([*command, "--allow-missing-repositories"]) == 0
    assert json.loads(capsys.readouterr().out)["not_compared"] == ["repositories that are absent here: @ext"]
    assert main(command) == 1
    assert "ext" in capsys.readouterr().err
