"""Comparing: our own actions against command lines, what is reported, and what is intended."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bazel2ninja.analysis.action import (
    Action,
    CppArchiveAction,
    CppCompileAction,
    CppLinkAction,
    LinkItem,
    ParameterFile,
    SpawnAction,
    WriteAction,
)
from bazel2ninja.analysis.artifact import Artifact, ArtifactRoot
from bazel2ninja.crosscheck import mutate
from bazel2ninja.crosscheck.dumps import read_actions
from bazel2ninja.crosscheck.intended import Circumstances, default_entries, parse
from bazel2ninja.crosscheck.mutate import mutations
from bazel2ninja.crosscheck.normalize import oracle_records
from bazel2ninja.crosscheck.oracle import OracleAction
from bazel2ninja.crosscheck.records import Names, Record, unmangle
from bazel2ninja.crosscheck.report import Report, compare_records, crosscheck
from bazel2ninja.diagnostics import Location, WorkspaceError
from bazel2ninja.labels import parse_label

ORACLES = Path(__file__).parent / "data" / "oracles"
OWNER = parse_label("//a:lib")
PLACE = Location("a/BUILD", 3, 1)
BIN = ArtifactRoot("bazel-out/k8-fastbuild/bin")
SOURCES = ArtifactRoot("")


def built(path: str) -> Artifact:
    return Artifact(f"{BIN.path}/{path}", BIN, OWNER)


def source(path: str) -> Artifact:
    return Artifact(path, SOURCES, OWNER)


def compile_action(**changes: object) -> CppCompileAction:
    values: dict[str, object] = {
        "mnemonic": "CppCompile",
        "owner": OWNER,
        "configuration": "k8-fastbuild",
        "outputs": (built("a/_objs/lib/x.o"),),
        "source": source("a/x.cc"),
        "language": "c++",
        "quote_includes": (".", BIN.path),
        "includes": (f"{BIN.path}/a/_virtual_includes/lib",),
        "system_includes": ("a/inc", f"{BIN.path}/a/inc"),
        "defines": ("A=1", "B"),
        "toolchain_flags": ("-g", "-O2"),
        "copts": ("-Wx", "-Iextra", "-DC"),
        "location": PLACE,
    }
    return CppCompileAction(**(values | changes))  # type: ignore[arg-type]


def compile_line(
    *, pic: bool = True, directory: str = "k8-fastbuild", copts: tuple[str, ...] | None = None
) -> OracleAction:
    root = f"bazel-out/{directory}/bin"
    stem = f"{root}/a/_objs/lib/x{'.pic' if pic else ''}"
    words = ["/usr/bin/gcc", "-Wall", "-fstack-protector", "-std=c++0x", "-MD", "-MF", f"{stem}.d"]
    words += [f"-frandom-seed={stem}.o", *(["-fPIC"] if pic else []), "-DA=1", "-DB", "-iquote", ".", "-iquote", root]
    words += [f"-I{root}/a/_virtual_includes/lib", "-isystem", "a/inc", "-isystem", f"{root}/a/inc"]
    words += copts if copts is not None else ("-Wx", "-Iextra", "-DC")
    words += ["-fno-canonical-system-headers", '-D__DATE__="redacted"', "-c", "a/x.cc", "-o", f"{stem}.o"]
    host = directory == "host"
    return OracleAction("CppCompile", "//a:lib", host, (f"{stem}.o", f"{stem}.d"), (), tuple(words))


def generator_action() -> SpawnAction:
    return SpawnAction(
        mnemonic="Genrule",
        owner=parse_label("//a:gen"),
        configuration="k8-fastbuild",
        location=PLACE,
        outputs=(built("a/g.h"),),
        arguments=("/bin/bash", "-c", "true"),
    )


def absorbed(report: Report) -> dict[str, int]:
    return {each.entry.id: each.count for each in report.absorbed if each.count}


def test_a_compile_that_agrees() -> None:
    report = crosscheck([compile_action()], [compile_line()])
    assert report.unexplained == () and report.status == 0
    assert absorbed(report) == {
        "bookkeeping": 3,
        "depfile": 1,
        "toolchain-compile-flags": 5,
        "distribution-compile-flags": 2,
    }
    assert "soname" in {entry.id for entry in report.unused}
    assert "intended, but not met: " in report.text()


def test_twins() -> None:
    report = crosscheck([compile_action()], [compile_line(), compile_line(pic=False), compile_line(directory="host")])
    assert report.unexplained == ()
    assert absorbed(report)["one-object"] == 1
    assert absorbed(report)["always-position-independent"] == 1
    assert absorbed(report)["no-host-twin"] == 1


@pytest.mark.parametrize(("directory", "explained"), [("k8-py2-opt", True), ("k8-py3-opt", True), ("k8-dbg", False)])
def test_what_another_python_needs_is_built_once(directory: str, explained: bool) -> None:
    ours = [generator_action()]
    lines = [
        OracleAction("Genrule", "//a:gen", False, (f"bazel-out/{name}/bin/a/g.h",), (), ("/bin/bash", "-c", "true"))
        for name in (directory, "k8-opt")
    ]
    report = crosscheck(ours, lines)
    assert (report.unexplained == ()) is explained
    if explained:
        assert absorbed(report) == {"one-python": 1}


def test_the_main_repository_under_its_name_is_built_once() -> None:
    lines = [
        OracleAction("Genrule", label, False, (f"bazel-out/k8-opt/bin/{path}a/g.h",), (), ("/bin/bash", "-c", "true"))
        for label, path in (("@me//a:gen", "external/me/"), ("//a:gen", ""))
    ]
    report = crosscheck([generator_action()], lines, names=Names(("me",)))
    assert report.unexplained == ()
    assert absorbed(report) == {"main-repository-by-name": 1}
    other = crosscheck([generator_action()], lines, names=Names(("you",)))
    assert [(d.kind, d.label) for d in other.unexplained] == [("missing", "@me//a:gen")]


def test_command_line_flags_of_the_target_in_tools() -> None:
    tool = [compile_line(directory="host", copts=("-g0", "-w", "-Iextra", "-DC"))]
    ours = [compile_action()]
    missing = {(d.kind, d.value) for d in crosscheck(ours, tool).unexplained}
    assert missing == {("missing", "-w"), ("extra", "-Wx")}
    assert crosscheck(ours, tool, circumstances=Circumstances(frozenset(("-w", "-Wx")))).status == 0
    target = [compile_line(copts=("-w", "-Iextra", "-DC"))]
    assert crosscheck(ours, target, circumstances=Circumstances(frozenset(("-w", "-Wx")))).status == 3


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"defines": ("A=1",)}, [("defines", "missing", "B")]),
        ({"defines": ("B", "A=1")}, [("defines", "order", "A=1 before B")]),
        ({"defines": ("A=2", "B")}, [("defines", "extra", "A=2"), ("defines", "missing", "A=1")]),
        ({"copts": ("-Wx", "-Iextra", "-DC", "-DC")}, [("copts", "extra", "-DC")]),
        ({"copts": ("-Iextra", "-Wx", "-DC")}, [("copts", "order", "-Wx before -Iextra")]),
        ({"system_includes": ("a/inc",)}, [("system_includes", "missing", "bazel-out/bin/a/inc")]),
        ({"includes": ()}, [("includes", "missing", "bazel-out/bin/a/_virtual_includes/lib")]),
        ({"quote_includes": (BIN.path, ".")}, [("quote_includes", "order", ". before bazel-out/bin")]),
        ({"pic": False}, [("position", "missing", "-fPIC")]),
        ({"toolchain_flags": ("-DNDEBUG",)}, [("toolchain_flags", "extra", "-DNDEBUG")]),
        ({"outputs": (built("a/_objs/lib/y.o"),)}, [
            ("outputs", "extra", "bazel-out/bin/a/_objs/lib/y.o"),
            ("outputs", "missing", "bazel-out/bin/a/_objs/lib/x.o"),
        ]),
        ({"source": source("a/z.cc")}, [("action", "extra", "a/z.cc"), ("action", "missing", "a/x.cc")]),
    ],
)  # fmt: skip
def test_a_compile_that_differs(changes: dict[str, object], expected: list[tuple[str, str, str]]) -> None:
    report = crosscheck([compile_action(**changes)], [compile_line()], locations={"//a:lib": PLACE})
    assert sorted((d.field, d.kind, d.value) for d in report.unexplained) == sorted(expected)
    assert {(d.label, d.location) for d in report.unexplained} == {("//a:lib", PLACE)}
    assert report.status == 3


def test_the_report() -> None:
    report = crosscheck([compile_action(defines=("A=1",))], [compile_line()])
    text = report.text()
    assert "a/BUILD:3:1: //a:lib: CppCompile a/x.cc\n    lacks the define B\n" in text
    assert "1 actions of Bazel, 1 of ours, 1 compared\n  unexplained: 1 missing in defines\n" in text
    assert text.endswith("1 unexplained difference\n")
    data = json.loads(report.json())
    assert data["unexplained"][0]["value"] == "B" and data["unexplained"][0]["location"] == "a/BUILD:3:1"
    assert data["absorbed"]["depfile"]["count"] == 1
    assert "... and 1 more" in crosscheck([], [compile_line(), other_line()]).text(limit=1)


def other_line(**changes: object) -> OracleAction:
    values: dict[str, object] = {
        "mnemonic": "Genrule",
        "label": "//a:gen",
        "host": False,
        "outputs": ("bazel-out/k8-fastbuild/bin/a/g.h", "bazel-out/k8-fastbuild/bin/a/g.cc"),
        "inputs": (
            "a/g.in",
            "bazel-out/host/bin/a/tool",
            "bazel-out/host/internal/_middlemen/a_Stool-runfiles",
            "external/bazel_tools/tools/genrule/genrule-setup.sh",
        ),
        "arguments": (
            "/bin/bash",
            "-c",
            "source external/bazel_tools/tools/genrule/genrule-setup.sh; bazel-out/host/bin/a/tool a/g.in",
        ),
    }
    return OracleAction(**(values | changes))  # type: ignore[arg-type]


def spawn(**changes: object) -> SpawnAction:
    values: dict[str, object] = {
        "mnemonic": "Genrule",
        "owner": parse_label("//a:gen"),
        "configuration": "k8-fastbuild",
        "outputs": (built("a/g.cc"), built("a/g.h")),
        "inputs": (source("a/g.in"), built("a/tool"), source("a/tool.txt")),
        "arguments": ("/bin/bash", "-c", f"{BIN.path}/a/tool a/g.in"),
    }
    return SpawnAction(**(values | changes))  # type: ignore[arg-type]


def test_generating_actions() -> None:
    report = crosscheck([spawn()], [other_line()])
    assert report.unexplained == ()
    assert absorbed(report) == {"bookkeeping": 3, "runfiles-of-tools": 1}
    damaged = [
        (spawn(arguments=("/bin/bash", "-c", "other")), {"command"}),
        (spawn(outputs=(built("a/g.h"),)), {"outputs"}),
        (spawn(inputs=(built("a/tool"),)), {"inputs"}),
        (spawn(mnemonic="Other"), {"mnemonic"}),
        (spawn(owner=parse_label("//a:other")), {"label"}),
    ]
    for action, fields in damaged:
        assert {d.field for d in crosscheck([action], [other_line()]).unexplained} == fields


def test_parameter_files_are_expanded() -> None:
    words = ("tool", ParameterFile(("a", "b"), always=True), "c")
    line = other_line(arguments=("tool", "a", "b", "c"), inputs=())
    assert crosscheck([spawn(arguments=words)], [line]).status == 0


def archive(name: str, *objects: str) -> CppArchiveAction:
    return CppArchiveAction(
        mnemonic="CppArchive",
        owner=OWNER,
        configuration="k8-fastbuild",
        outputs=(built(name),),
        members=tuple(built(path) for path in objects),
    )


def link(items: list[tuple[str, str]], **changes: object) -> CppLinkAction:
    values: dict[str, object] = {
        "mnemonic": "CppLink",
        "owner": OWNER,
        "configuration": "k8-fastbuild",
        "outputs": (built("a/prog"),),
        "kind": "executable",
        "items": tuple(LinkItem(built(path), kind) for path, kind in items),
        "flags": ("-pthread", "-lm"),
    }
    return CppLinkAction(**(values | changes))  # type: ignore[arg-type]


def link_line(*words: str, output: str = "a/prog", shared: bool = False) -> OracleAction:
    path = f"{BIN.path}/{output}"
    start = (
        "/usr/bin/gcc",
        *(["-shared"] if shared else []),
        "-o",
        path,
        "-Wl,-S",
        "-fuse-ld=gold",
        "-pass-exit-codes",
    )
    end = ("-pthread", "-lm", "-lstdc++", "-lm", f"@{path}-2.params")
    return OracleAction("CppLink", "//a:lib", False, (path,), (), (*start, *words, *end))


def objects(*names: str) -> list[str]:
    return [f"{BIN.path}/{name}" for name in names]


ACTIONS: list[Action] = [archive("a/libx.a", "x1.o", "x2.o"), archive("a/liby.lo", "y.o")]


def test_links_are_compared_by_members() -> None:
    main, x1, x2, y = objects("main.pic.o", "x1.pic.o", "x2.pic.o", "y.pic.o")
    groups = ["-Wl,-whole-archive", y, "-Wl,-no-whole-archive", "-Wl,--start-lib", x1, x2, "-Wl,--end-lib"]
    items = [("main.o", "object"), ("a/liby.lo", "whole_archive"), ("a/libx.a", "archive")]
    report = crosscheck([*ACTIONS, link(items)], [link_line(main, *groups)])
    assert report.unexplained == ()
    assert absorbed(report) == {"archives": 2, "link-flags": 5, "bookkeeping": 1}
    swapped = crosscheck([*ACTIONS, link([items[0], items[2], items[1]])], [link_line(main, *groups)])
    assert [(d.field, d.kind) for d in swapped.unexplained] == [("members", "order")]
    lazy = crosscheck([*ACTIONS, link([items[0], ("a/liby.lo", "archive"), items[2]])], [link_line(main, *groups)])
    assert {(d.kind, d.value) for d in lazy.unexplained} == {
        ("missing", "bazel-out/bin/y.o"),
        ("extra", "bazel-out/bin/y.o (lazy)"),
    }


def test_a_tool_may_take_what_it_needs_where_flags_make_ours_take_all() -> None:
    x1, x2, y = objects("x1.pic.o", "x2.pic.o", "y.pic.o")
    both = [("a/libx.a", "whole_archive"), ("a/liby.lo", "whole_archive")]
    needed = link_line("-Wl,--start-lib", x1, x2, "-Wl,--end-lib", "-Wl,-whole-archive", y, "-Wl,-no-whole-archive")
    tool = replace(needed, host=True)
    every = link(both)
    ours = [*ACTIONS, replace(every, lazy_for_tools=(every.items[0].artifact,))]
    report = crosscheck(ours, [tool])
    assert report.unexplained == ()
    assert absorbed(report)["target-features-for-tools"] == 1

    def unexplained(actions: list[Action], line: OracleAction) -> list[tuple[str, str]]:
        found = crosscheck(actions, [line]).unexplained
        return [(d.kind, d.value.removeprefix("bazel-out/bin/")) for d in found if d.field == "members"]

    members = [("extra", "x1.o"), ("extra", "x2.o"), ("missing", "x1.o (lazy)"), ("missing", "x2.o (lazy)")]
    assert unexplained(ours, needed) == members  # not a tool's
    assert unexplained([*ACTIONS, every], tool) == members  # no flag of ours makes it so
    lost = replace(tool, arguments=tuple(word for word in tool.arguments if word != x2))
    assert unexplained(ours, lost) == [("extra", "x2.o (lazy)")]
    lazy = ("-Wl,-whole-archive", "-Wl,-no-whole-archive")
    all_needed = replace(tool, arguments=tuple(word for word in tool.arguments if word not in lazy))
    assert unexplained(ours, all_needed) == []  # y.o is an object: it is taken anyway
    turned = link_line(x1, "-Wl,--start-lib", x2, "-Wl,--end-lib", y)
    assert unexplained(ours, replace(turned, host=True)) == [("extra", "x2.o"), ("missing", "x2.o (lazy)")]


def test_archives_of_the_dump_are_expanded_too() -> None:
    main, library, x1, x2 = objects("main.o", "a/libx.pic.a", "x1.pic.o", "x2.pic.o")
    made = OracleAction("CppLink", "//a:lib", False, (library,), (), ("/usr/bin/ar", "rcsD", library, x1, x2))
    ours = [ACTIONS[0], link([("main.o", "object"), ("a/libx.a", "archive")])]
    assert crosscheck(ours, [link_line(main, library), made]).status == 0


def test_shared_libraries_and_names_in_solib() -> None:
    words = (f"-L{BIN.path}/_solib_k8", "-Wl,-rpath,$ORIGIN/../_solib_k8/", *objects("main.o"), "-la_Sb_Uc_Slibd")
    ours = link([("main.o", "object"), ("_solib_k8/liba_Sb_Uc_Slibd.so", "lib")], runtime_directories=("../_solib_k8",))
    assert crosscheck([ours], [link_line(*words)]).status == 0
    direct = link([("main.o", "object"), ("a/b_c/libd.so", "lib")], runtime_directories=("../_solib_k8/",))
    assert crosscheck([direct], [link_line(*words)]).status == 0
    assert unmangle("a_Sb_Uc_Slibd_Ax_C") == "a/b_c/libd@x:"


def test_soname_and_version_script() -> None:
    line = link_line(*objects("main.o"), "-Wl,--version-script=a/x.lds", "-Wl,-soname,libx.so.1", shared=True)
    good = link([("main.o", "object")], kind="shared", soname="libx.so.1", version_scripts=(source("a/x.lds"),))
    assert crosscheck([good], [line]).status == 0
    bad = link([("main.o", "object")], soname="libx.so.2", flags=("-pthread", "-lm", "-Wl,--version-script,a/y.lds"))
    assert {(d.field, d.kind, d.value) for d in crosscheck([bad], [line]).unexplained} == {
        ("kind", "missing", "-shared"),
        ("soname", "missing", "libx.so.1"),
        ("version_scripts", "missing", "a/x.lds"),
        ("version_scripts", "extra", "a/y.lds"),
    }


def test_user_libraries_are_not_taken_for_the_toolchains() -> None:
    line = link_line(*objects("main.o"), "-lm")
    report = crosscheck([link([("main.o", "object")], flags=("-pthread", "-lm"))], [line])
    assert [(d.field, d.kind, d.value) for d in report.unexplained] == [("flags", "missing", "-lm")]


def test_libraries_of_the_newer_toolchain() -> None:
    line = link_line(*objects("main.o"))
    words = list(line.arguments)
    state, end = "-Wl,--push-state,-as-needed", "-Wl,--pop-state"
    words[words.index("-lstdc++") : words.index("-lstdc++") + 2] = [state, "-lstdc++", end, state, "-lm", end]
    assert not crosscheck([link([("main.o", "object")])], [replace(line, arguments=tuple(words))]).unexplained


def test_names_of_the_main_repository() -> None:
    names = Names(("me",), {"they~1.0": "they"})
    assert names.label("@me//a:b") == names.label("@@//a:b") == "//a:b"
    assert names.label("@they~1.0//a:b") == "@they//a:b"
    assert names.text("external/me/a/b.cc") == "a/b.cc"
    assert names.text("external/me") == "."
    assert names.text("bazel-out/host/bin/external/me") == "bazel-out/bin"
    assert names.text("--out=bazel-out/k8-opt-exec-12/bin/external/me/a/b.pic.o") == "--out=bazel-out/bin/a/b.o"
    assert names.text("-Iexternal/they~1.0/inc") == "-Iexternal/they/inc"
    assert names.text("external/menu/a") == "external/menu/a"


def test_written_files() -> None:
    write = WriteAction(
        mnemonic="FileWrite", owner=OWNER, configuration="k8-fastbuild", outputs=(built("a/f.txt"),), content="x"
    )
    line = OracleAction("FileWrite", "//a:lib", False, (f"{BIN.path}/a/f.txt",))
    parameters = OracleAction("FileWrite", "//a:lib", False, (f"{BIN.path}/a/prog-2.params",))
    report = crosscheck([write], [line, parameters])
    assert report.unexplained == () and absorbed(report) == {"parameter-file": 1}
    assert [d.field for d in crosscheck([], [line]).unexplained] == ["action"]


# Intended differences


def test_every_default_entry_says_why_and_names_no_project() -> None:
    entries = default_entries()
    assert len({entry.id for entry in entries}) == len(entries) > 10
    for entry in entries:
        assert len(entry.reason) > 20
        assert entry.flag is None or "//" not in entry.flag.pattern


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[difference]]\nid="a"\nreason="r"\nfield="f"\nkind="extra"\nlabel="//a"', "has no key 'label'"),
        ('[[difference]]\nid="a"\nreason="r"\nfield="f"\nkind="extra"\nfile="x"', "has no key 'file'"),
        ('[[difference]]\nid="a"\nfield="f"\nkind="extra"', "lacks 'reason': a"),
        ('[[difference]]\nid="a"\nreason="r"\nfield="f"\nkind="extra"\nflag="("', "'flag' of 'a'"),
        ('[[difference]]\nid="a"\nreason="r"\nfield="f"\nkind="extra"\nbazel_before="3"', "is a major release"),
        ('[[difference]]\nid="a"\nreason="r"\nfield=3\nkind="extra"', "'field' of an intended difference"),
        ("[[", "not TOML"),
    ],
)
def test_wrong_entries(text: str, message: str) -> None:
    with pytest.raises(WorkspaceError) as caught:
        parse(text, "x.toml")
    assert message in caught.value.diagnostic.message


def test_entries_for_a_rule_class_and_for_old_releases() -> None:
    head = '[[difference]]\nid="a"\nreason="r"\nmnemonic="CppLink"\nfield="flags"\n'
    ours = [link([("a/x.o", "object")], flags=("-lone", "-ltwo", "-pthread", "-lm"))]
    theirs = [link_line(*objects("a/x.o"), "-ltwo", "-lone")]
    others = [entry for entry in default_entries() if not entry.id.startswith("system-librar")]
    old = [*others, *parse(f"{head}kind='order'\nbazel_before=3", "x.toml")]
    for release, status in (((), 3), ((3,), 3), ((4, 2, 3), 3), ((2, 1, 0), 0), ((0, 26, 1), 0)):
        assert crosscheck(ours, theirs, entries=old, circumstances=Circumstances(release=release)).status == status
    theirs = [link_line(*objects("a/x.o"), "-ltwo")]
    shared = [*others, *parse(f"{head}kind='extra'\nrule='cc_shared_library'", "x.toml")]
    for rule, status in (("cc_binary", 3), ("cc_shared_library", 0)):
        around = Circumstances(rules={str(OWNER): rule})
        assert crosscheck(ours, theirs, entries=shared, circumstances=around).status == status


# The dumps of real Bazel


def records(name: str) -> tuple[list[OracleAction], list[Record]]:
    actions = read_actions((ORACLES / f"{name}.jsonl.xz").read_bytes(), name)
    return actions, oracle_records(actions, Names())


@pytest.mark.parametrize("name", ["re2", "googletest", "double-conversion", "small", "protobuf", "abseil-20220623"])
def test_a_dump_agrees_with_itself(name: str) -> None:
    _, own = records(name)
    report = compare_records(own, own)
    assert report.unexplained == () and report.compared == len(own)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count"), [("re2", 70), ("googletest", 50), ("small", 50), ("protobuf", 15), ("abseil-20220623", 15)]
)
def test_every_mutation_is_seen(name: str, count: int) -> None:
    actions, own = records(name)
    found = mutations(actions, 20221, count)
    assert len({mutation.what for mutation in found}) > count // 2
    for mutation in found:
        assert compare_records(oracle_records(mutation.actions, Names()), own).unexplained, mutation.what


def test_a_damaged_dump_can_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(ORACLES / "re2.jsonl.xz")
    assert mutate.main([path, "3"]) == 0
    printed = capsys.readouterr()
    (expected,) = mutations(read_actions(Path(path).read_bytes(), path), 3, 1)
    assert tuple(read_actions(printed.out.encode(), "x")) == expected.actions
    assert printed.err == f"{expected.target}: {expected.what}\n"
    assert mutate.main([path]) == 2
    assert mutate.main(["absent", "1"]) == 1


def test_mutations_depend_on_the_seed_only() -> None:
    actions, _ = records("re2")
    whats = [[m.what for m in mutations(actions, seed, 5)] for seed in (1, 1, 2)]
    assert whats[0] == whats[1] != whats[2]


def test_a_repository_under_two_names_is_one() -> None:
    actions, _ = records("protobuf")
    names = Names(("com_google_protobuf",))
    found = oracle_records(actions, names)
    assert not any(record.label.startswith("@com_google_protobuf") for record in found)
    ours = [record for record in found if not record.host]
    own = {record.key for record in ours}
    ours += [record for record in found if record.host and record.key not in own]
    report = compare_records(found, ours)
    # what remains is what an exec configuration in opt mode has and the target's has not
    assert {(d.field, d.value) for d in report.unexplained} <= {("copts", "-g0"), ("position", "-fPIC")}


def test_what_makes_headers_only_may_be_absent_from_a_dump_without_the_inputs_of_compiles() -> None:
    made, tool = built("a/gen.h"), built("a/tool")
    actions: list[Action] = [
        WriteAction(mnemonic="FileWrite", owner=OWNER, configuration="k8-fastbuild", outputs=(tool,), content=""),
        spawn(outputs=(made,), inputs=(tool,)),
        compile_action(inputs=(source("a/x.cc"), made)),
    ]
    report = crosscheck(actions, [compile_line()])
    assert not report.unexplained
    assert absorbed(report)["headers-unseen"] == 2
    full = replace(compile_line(), inputs=("a/x.cc",))
    assert {d.kind for d in crosscheck(actions, [full]).unexplained} == {"extra"}
    # what becomes a source is no header
    actions[2] = compile_action(inputs=(made,), source=made)
    assert {d.mnemonic for d in crosscheck(actions, [compile_line()]).unexplained if d.kind == "extra"} >= {"Genrule"}


def test_what_nothing_uses_is_not_needed() -> None:
    library, used, x1 = objects("a/libidle.a", "a/libx.a", "x1.o")
    chain = [
        OracleAction("CppArchive", "//a:idle", False, (library,), (), ("/usr/bin/ar", "rcsD", library, x1)),
        OracleAction("CppArchive", "//a:lib", False, (used,), (), ("/usr/bin/ar", "rcsD", used, x1)),
        link_line(used),
        other_line(label="//a:header", outputs=(f"{BIN.path}/a/h.h",), arguments=("tool",)),
    ]
    found = {(d.label, d.mnemonic, d.kind) for d in crosscheck([], chain, requested=["//a:lib"]).unexplained}
    assert found == {
        ("//a:lib", "CppArchive", "missing"),
        ("//a:lib", "CppLink", "missing"),
        ("//a:header", "Genrule", "unneeded"),  # might be a header that compiles read: to be looked at
    }
    everything = {d.kind for d in crosscheck([], chain).unexplained}
    assert everything == {"missing"}
