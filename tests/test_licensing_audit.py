"""The licence auditor: conclusions, findings, debian/copyright, decisions, documents, binaries and the command."""

from __future__ import annotations

import dataclasses
import functools
import json
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ninja_workspace import SOURCES, Workspace
from test_licensing_reading import write

from bazel2ninja import cli
from bazel2ninja.analysis.action import SpawnAction
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.graph.build import build
from bazel2ninja.licensing import (
    audit as audits,
)
from bazel2ninja.licensing import (
    bills,
    binaries,
    decisions,
    dep5,
    dep5_writing,
    globs,
    ninja_log,
    references,
    report_html,
    report_json,
    report_text,
    second_opinion,
)
from bazel2ninja.licensing.audit import Audit
from bazel2ninja.licensing.cache import Cache
from bazel2ninja.licensing.closure import CONTENT, TOOL, closures
from bazel2ninja.licensing.expressions import DebianNames
from bazel2ninja.licensing.policy import Policy
from bazel2ninja.licensing.system_packages import Owner, static_built_using

TEXTS = references.directory() / "texts"
MIT = (TEXTS / "MIT.txt").read_text()
BSD = (TEXTS / "BSD-3-Clause.txt").read_text()
TREE: dict[str, str | bytes] = {
    "LICENSE": "Copyright 2020 The Authors\n" + MIT,
    "src/a.c": "// Copyright 2020 The Authors\n// Licensed under the MIT license.\nint a;\n",
    "src/silent.c": "int silent;\n",
    "src/pointing.c": "// Use of this source code is governed by the license in the LICENSE file.\nint p;\n",
    "src/apache.c": "// SPDX-License-Identifier: Apache-2.0\nint b;\n",
    "src/nc.c": "/* Permission is granted for unrestricted non-commercial use. */\nint n;\n",
    "third_party/zed/COPYING": "Copyright 1999 Zed\n" + BSD,
    "third_party/zed/z.c": "int z;\n",
    "third_party/zed/y.c": "int y;\n",
    "data/lena.png": b"\x89PNG\r\n\x1a\n\0\0",
    "data/photo.jpeg": b"\xff\xd8\xff\0\0",
    "data/README": "photo.jpeg is by A. Nonymous and is licensed under the CC-BY-4.0 license.\n",
    "lib/prebuilt.so": b"\x7fELF\0\0",
    "web/app.min.js": "/*! x */" + "var a=1;" * 900,
    "BUILD": 'licenses(["notice"])\n',
    "gpl/BUILD": 'licenses(["notice"])\n',
    "gpl/g.c": "// SPDX-License-Identifier: GPL-2.0-only\nint g;\n",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write(tmp_path / "src", TREE)
    return tmp_path / "src"


@functools.cache
def shared() -> Cache:
    """Notices are classified once for all tests."""
    return Cache(None)


def audit_of(source: Path, **more: object) -> Audit:
    return audits.make(str(source), shared(), **more)  # type: ignore[arg-type]


def test_conclusions_and_their_reasons(source: Path) -> None:
    audit = audit_of(source)
    found = {path: (c.expression, c.basis, c.source) for path, c in audit.concluded.files.items()}
    assert audit.concluded.main == "MIT"
    assert found["src/a.c"] == ("MIT", "notice", "")
    assert found["src/silent.c"] == ("MIT", "directory", "LICENSE")
    assert found["src/pointing.c"] == ("MIT", "pointer", "LICENSE")
    assert found["src/apache.c"] == ("Apache-2.0", "tag", "")
    assert found["third_party/zed/z.c"] == ("BSD-3-Clause", "directory", "third_party/zed/COPYING")
    assert found["data/photo.jpeg"] == ("CC-BY-4.0", "named", "data/README")


def test_findings(source: Path) -> None:
    found = {(finding.kind, path) for finding in audit_of(source).findings for path in finding.paths}
    for expected in [
        ("dfsg-suspect", "data/lena.png"),
        ("media", "data/photo.jpeg"),
        ("prebuilt", "lib/prebuilt.so"),
        ("minified", "web/app.min.js"),
        ("non-free-words", "src/nc.c"),
        ("embedded-copy", "third_party/zed/z.c"),
        ("conflict", "src/apache.c"),
        ("declared-differs", "gpl/BUILD"),
        ("missing-text", "src/apache.c"),
    ]:
        assert expected in found
    assert ("prebuilt", "src/a.c") not in found
    assert ("declared-differs", "BUILD") not in found


def test_nothing_asks_when_nothing_is_odd(tmp_path: Path) -> None:
    write(tmp_path, {"LICENSE": MIT, "x.c": "int x;\n", "y.c": "// Licensed under the MIT license.\n"})
    assert audit_of(tmp_path).questions == ()


STANZAS = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: 2020 The Authors
License: Expat

Files: src/*
Copyright: 2020 The Authors
License: GPL-2+

Files: src/a.c src/p*.c src/silent.c
Copyright: 2020 The Authors
License: Expat

Files: gone/*
Copyright: nobody
License: Zlib
"""


def test_the_last_stanza_that_matches_counts(source: Path, tmp_path: Path) -> None:
    (tmp_path / "copyright").write_text(STANZAS)
    document = dep5.parse(str(tmp_path / "copyright"), DebianNames())
    assert document.stanza_of(["x", "src/b.c", "src/a.c", "src/deep/p/x.c"]) == {
        "x": 0,
        "src/b.c": 1,
        "src/a.c": 2,
        "src/deep/p/x.c": 1,
    }
    concluded = {path: c.expression for path, c in audit_of(source).concluded.files.items()}
    differences = dep5.compare(document, concluded)
    assert ("wrong", "GPL-2.0-or-later", "Apache-2.0", ("src/apache.c",)) in {
        (d.kind, d.said, d.found, d.files) for d in differences
    }
    assert [d.files for d in differences if d.kind == "unused-stanza"] == [("gone/*",)]


def test_a_copyright_file_that_is_not_machine_readable(tmp_path: Path) -> None:
    (tmp_path / "copyright").write_text("This was packaged by me.\n")
    with pytest.raises(WorkspaceError, match="not a machine-readable"):
        dep5.parse(str(tmp_path / "copyright"), DebianNames())


def test_a_field_that_python_debian_cannot_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "copyright").write_text(STANZAS + "\nLicense: Odd\n first\n\tcontinued with a tab\n")
    with pytest.raises(WorkspaceError, match="not a machine-readable"):
        dep5.parse(str(tmp_path / "copyright"), DebianNames())


@settings(max_examples=80, deadline=None)
@given(
    st.dictionaries(
        st.lists(st.sampled_from(["a", "b", "c d", "e*", "f?"]), min_size=1, max_size=4).map("/".join),
        st.sampled_from(["MIT", "ISC", "Zlib"]),
        min_size=1,
        max_size=25,
    )
)
def test_written_patterns_give_each_file_its_terms(values: dict[str, str]) -> None:
    files = {path: value for path, value in values.items() if not any(other.startswith(path + "/") for other in values)}
    chosen = globs.fewest(files)
    patterns = [(dep5.glob_pattern(pattern), value) for _, pattern, value in chosen]
    for path, value in files.items():
        if "?" in "".join(p for _, p, _ in chosen if " " in path):
            continue  # a blank can only be written as `?`, which may match a neighbour
        assert next(v for p, v in reversed(patterns) if p.fullmatch(path)) == value
    assert len(chosen) <= len(files) + 1


def test_a_written_copyright_file_covers_everything(source: Path) -> None:
    audit = audit_of(source)
    text = dep5_writing.write(audit, references.directory(), "thing")
    values = {path: c.expression for path, c in audit.concluded.files.items()}
    assert dep5_writing.covered(text, values, references.directory()) == []
    assert dep5_writing.covered(text.replace("Files: *", "Files: x"), values, references.directory()) != []
    assert "Upstream-Name: thing" in text
    assert "2020 The Authors" in text


def test_decisions_answer_until_what_was_seen_changes(source: Path, tmp_path: Path) -> None:
    audit = audit_of(source)
    photo = next(finding for finding in audit.findings if finding.kind == "prebuilt")
    place = tmp_path / "review.toml"
    template = decisions.template([photo], "Some Body", "2024-05-01")
    place.write_text(
        template.replace('verdict = ""', 'verdict = "accepted"').replace('reason = ""', 'reason = "built here"')
    )
    decided = decisions.read(str(place))
    again = audit_of(source, decided=decided)
    assert [finding.kind for finding in again.answered] == ["prebuilt"]
    assert len(again.findings) == len(audit.findings) - 1
    write(source, {"lib/prebuilt.so": b"\x7fELF\0\0changed"})
    changed = audit_of(source, decided=decided)
    assert changed.answered == ()
    assert [decision.subject for decision in changed.stale] == ["lib"]


def test_a_decision_may_say_the_terms(source: Path, tmp_path: Path) -> None:
    finding = next(f for f in audit_of(source).findings if f.kind == "non-free-words")
    decided = decisions.Decision(
        "non-free-words", finding.subject, finding.seen, "accepted", "x", "2024-01-01", "asked", "ISC"
    )
    assert audit_of(source, decided=[decided]).concluded.files["src/nc.c"].expression == "ISC"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[decision]]\nfinding = 'media'\n", "lacks 'subject'"),
        ("[[decision]]\nfindng = 'media'\n", "unknown key 'findng'"),
        ("x = 1\n", "tables only"),
        ("[[decision]\n", "not valid toml"),
        ("[[decision]]\nfinding='medai'\nsubject='x'\nseen='x'\nverdict='accepted'\nreviewer='x'\ndate=2024-01-01\nreason='x'", "no finding 'medai'"),  # noqa: E501
        ("[[decision]]\nfinding='media'\nsubject='x'\nseen='x'\nverdict='acceptd'\nreviewer='x'\ndate=2024-01-01\nreason='x'", "verdict"),  # noqa: E501
    ],
)  # fmt: skip
def test_wrong_review_files(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "r.toml").write_text(text)
    with pytest.raises(WorkspaceError, match=message):
        decisions.read(str(tmp_path / "r.toml"))


def test_bills_of_materials(source: Path) -> None:
    audit = audit_of(source)
    spdx = json.loads(bills.spdx(audit, "thing", 0))
    assert spdx["creationInfo"]["created"] == "1970-01-01T00:00:00Z"
    identifiers = {each["SPDXID"] for each in spdx["files"] + spdx["packages"]} | {"SPDXRef-DOCUMENT"}
    assert all(
        r["spdxElementId"] in identifiers and r["relatedSpdxElement"] in identifiers for r in spdx["relationships"]
    )
    assert len(spdx["files"]) == len(TREE)
    used = {key for f in spdx["files"] for key in [f["licenseConcluded"]] if key.startswith("LicenseRef-")}
    assert used <= {each["licenseId"] for each in spdx["hasExtractedLicensingInfos"]}
    cyclone = json.loads(bills.cyclonedx(audit, "thing", 0))
    assert len({c["bom-ref"] for c in cyclone["components"]}) == len(TREE)
    assert bills.spdx(audit, "thing", 0) == bills.spdx(audit_of(source), "thing", 0)


def test_hostile_names_and_texts_are_escaped_in_the_report(tmp_path: Path) -> None:
    evil = "<script>alert(1)<%2fscript><!--$data"
    write(tmp_path, {f"{evil}.c": "// Licensed under </script><script>alert(2)</script> terms, may not be sold\n"})
    page = report_html.write(audit_of(tmp_path), "</title><script>", "2024-01-01")
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    data = page.split('id="data">', 1)[1].split("</script>", 1)[0]
    assert json.loads(data)["files"][0][0] == f"{evil}.c"


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    write(tmp_path, {"a\x1b[31m\n.so": b"\x7fELF\0\0"})
    assert all("\x1b" not in line and "\n" not in line for line in report_text.lines(audit_of(tmp_path)))


def test_file_names_in_any_bytes(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with open(bytes(tmp_path) + b"/x/\xff.c", "wb") as file:
        file.write(b"int x;\n")
    audit = audit_of(tmp_path)
    for text in (report_json.write(audit), bills.spdx(audit, "t", 0), report_html.write(audit, "t", "d")):
        assert text.encode()


def program(workspace: Workspace) -> tuple[dict[str, object], dict[str, tuple[str, ...]]]:
    main, header, other = (workspace.file(path, "") for path in ("main.c", "inc/used.h", "lib/other.c"))
    workspace.file("inc/unused.h", "")
    grammar, tool_source = workspace.file("grammar.y", ""), workspace.file("tool.c", "")
    tool = workspace.link("//:tool", "tool", [(workspace.compile("//:tool", tool_source), "object")])
    generated = workspace.artifact("gen.c")
    workspace.add(
        SpawnAction(  # type: ignore[arg-type]
            mnemonic="Genrule",
            arguments=("tool",),
            tools=(tool,),
            **workspace.common("//:gen", [generated], [grammar, tool]),
        )
    )
    objects = [(workspace.compile("//:main", each), "object") for each in (main, other, generated)]
    output = workspace.link("//:main", "main", objects)
    read = {"main.c": (header.exec_path, "/usr/include/stdio.h"), "lib/other.c": (), "tool.c": ("inc/tool.h",)}
    return {"output": output.exec_path, "graph": build(workspace.actions, [output])}, read


def test_the_closure_of_a_binary(tmp_path: Path) -> None:
    made, read = program(Workspace(tmp_path))
    (closure,) = closures(made["graph"], [made["output"]], lambda a: read.get(a.source.exec_path, ()))  # type: ignore[arg-type,list-item]
    assert closure.content == ["/usr/include/stdio.h", "grammar.y", "inc/used.h", "lib/other.c", "main.c"]
    assert {path for path, member in closure.members.items() if member.role == TOOL} == {"tool.c", "inc/tool.h"}
    assert closure.exact
    chain = closure.chain("inc/used.h")
    assert (chain[0].path, chain[0].how) == ("inc/used.h", "included")
    assert chain[-1].through == made["output"]
    assert closure.chain("nowhere.c") == []
    (guess,) = closures(made["graph"], [made["output"]], lambda a: None)  # type: ignore[arg-type,list-item]
    assert not guess.exact


def test_the_terms_of_a_binary(tmp_path: Path) -> None:
    made, read = program(Workspace(tmp_path))
    (closure,) = closures(made["graph"], [made["output"]], lambda a: read.get(a.source.exec_path, ()))  # type: ignore[arg-type,list-item]
    terms = {
        "main.c": "GPL-2.0-only",
        "lib/other.c": "Apache-2.0",
        "grammar.y": "MIT OR Apache-2.0",
        "tool.c": "GPL-3.0-only",
    }
    libc = Owner("libc6-dev", "2.36-9", "glibc", "2.36-9")
    found = binaries.terms_of(
        closure, terms.get, Policy(references.directory()), lambda paths: dict.fromkeys(paths, libc)
    )
    assert found.unaudited == ("inc/used.h",)
    assert found.licences == {"GPL-2.0-only", "Apache-2.0", "MIT"}
    assert [pair[:2] for pair in found.conflicts] == [("GPL-2.0-only", "Apache-2.0")]
    assert found.tools == {"GPL-3.0-only": ("tool.c",)}
    assert found.static_built_using == "glibc (= 2.36-9)"
    assert json.loads(json.dumps(bills.spdx(audit_of(tmp_path / "src"), "t", 0, [found])))
    assert static_built_using([libc, libc]) == "glibc (= 2.36-9)"
    assert CONTENT in {member.role for member in closure.members.values()}


def ninja_deps(version: int) -> bytes:
    def path(name: bytes, number: int) -> bytes:
        padded = name + b"\0" * (-len(name) % 4)
        return struct.pack("<I", len(padded) + 4) + padded + struct.pack("<I", ~number & 0xFFFFFFFF)

    time = [7] if version == 3 else [7, 0]
    deps = struct.pack(f"<{3 + len(time)}i", 0, *time, 1, 2)
    return (
        b"# ninjadeps\n"
        + struct.pack("<i", version)
        + path(b"a.o", 0)
        + path(b"a.c", 1)
        + path(b"abc.h", 2)
        + struct.pack("<I", len(deps) | 0x80000000)
        + deps
    )


@pytest.mark.parametrize("version", [3, 4])
def test_ninjas_log_of_dependencies(tmp_path: Path, version: int) -> None:
    data = ninja_deps(version)
    (tmp_path / "log").write_bytes(data)
    assert ninja_log.read(str(tmp_path / "log")) == {"a.o": ("a.c", "abc.h")}
    (tmp_path / "log").write_bytes(data[:-3])
    assert ninja_log.read(str(tmp_path / "log")) == {}
    (tmp_path / "log").write_bytes(b"# ninjadeps\n" + struct.pack("<i", 9))
    with pytest.raises(WorkspaceError, match="version 9"):
        ninja_log.read(str(tmp_path / "log"))


def test_opinions_that_differ_are_findings() -> None:
    from bazel2ninja.licensing.matching import Classification

    known = {"d": Classification("MIT", "text"), "e": Classification("MIT", "text")}
    found = second_opinion.disagreements({"d": "ISC", "e": "MIT"}, known, {"d": ("x.c",)})
    assert [(finding.kind, finding.subject, finding.paths) for finding in found] == [("opinions", "d", ("x.c",))]


def run(*words: str) -> int:
    return cli._run(["audit", *words])


def test_the_command(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("src", "--jobs", "1", "--json", "out.json", "--html", "out.html") == 0
    assert "17 files, mostly MIT" in capsys.readouterr().out
    assert json.loads((tmp_path / "out.json").read_text())["main"] == "MIT"
    assert run("src", "--jobs", "1", "--fail-on", "prebuilt,media") == 3
    assert run("src", "--jobs", "1", "--fail-on", "font") == 0
    assert run("src", "--jobs", "1", "--exclude", "lib/*", "--fail-on", "prebuilt") == 0
    capsys.readouterr()
    assert run("src", "--fail-on", "prebuild") == 2
    assert "did you mean 'prebuilt'" in capsys.readouterr().err
    assert run("nowhere") == 1
    assert "no such directory" in capsys.readouterr().err


def test_values_are_frozen(source: Path) -> None:
    audit = audit_of(source)
    with pytest.raises(dataclasses.FrozenInstanceError):
        audit.concluded = None  # type: ignore[misc,assignment]
    assert SOURCES.path == ""


def concluded_of(place: Path, tree: dict[str, str | bytes]) -> dict[str, tuple[str, str]]:
    write(place, tree)
    return {path: (c.expression, c.basis) for path, c in audit_of(place).concluded.files.items()}


def test_a_licence_file_with_a_prefix_speaks_for_what_has_it(tmp_path: Path) -> None:
    found = concluded_of(
        tmp_path,
        {"LICENSE": MIT, "misc/noise-LICENSE": BSD, "misc/noise.c": "int n;\n", "misc/other.c": "int o;\n"},
    )
    assert found["misc/noise.c"] == ("BSD-3-Clause", "named")
    assert found["misc/other.c"] == ("MIT", "directory")


def test_a_licence_file_that_the_files_around_contradict_is_about_some_of_them(tmp_path: Path) -> None:
    said = "// Licensed under the MIT license.\n"
    tree: dict[str, str | bytes] = {f"chemistry/{name}.c": said + f"int {name};\n" for name in "abcd"}
    found = concluded_of(tmp_path, {**tree, "LICENSE": MIT, "chemistry/COPYING": BSD, "chemistry/silent.c": "int s;\n"})
    assert found["chemistry/silent.c"] == ("MIT", "directory")


def test_the_directory_around_a_copy_with_its_own_licence_file_is_the_projects(tmp_path: Path) -> None:
    said = "// SPDX-License-Identifier: Zlib\n"
    tree: dict[str, str | bytes] = {f"third_party/zed/zed-1/{name}.c": said for name in "abcd"}
    found = concluded_of(tmp_path, {**tree, "LICENSE": MIT, "third_party/zed/update.sh": "true\n"})
    assert found["third_party/zed/update.sh"] == ("Zlib", "neighbours")
    found = concluded_of(tmp_path, {"third_party/zed/zed-1/LICENSE": "zed, all rights of the Zlib license\n"})
    assert found["third_party/zed/update.sh"] == ("MIT", "directory")


def test_texts_of_many_licences_are_no_choice(tmp_path: Path) -> None:
    texts = {
        f"release/license/{name}.txt": (TEXTS / f"{name}.txt").read_text() for name in ("MIT", "ISC", "Zlib", "X11")
    }
    found = concluded_of(tmp_path, {**texts, "LICENSE": BSD, "release/icon.dat": "x\n"})
    assert found["release/icon.dat"] == ("BSD-3-Clause", "directory")


def test_of_several_licences_of_the_project_the_one_that_most_files_state(tmp_path: Path) -> None:
    gnu = {
        name: (TEXTS / f"{text}.txt").read_text()
        for name, text in (("COPYING", "GPL-2.0-only"), ("COPYING.LIB", "LGPL-2.1-only"))
    }
    said = "// This file is licensed under the GNU GPL, version 2 or later.\n"
    tree: dict[str, str | bytes] = {f"hw/{number}.c": said for number in range(6)}
    others: dict[str, str | bytes] = {f"roms/{number}.c": "// SPDX-License-Identifier: Zlib\n" for number in range(20)}
    found = concluded_of(tmp_path, {**gnu, **tree, **others, "silent.c": "int s;\n"})
    assert found["silent.c"] == ("GPL-2.0-or-later", "directory")


def test_a_manifest_does_not_contradict_the_projects_licence_file(tmp_path: Path) -> None:
    found = concluded_of(
        tmp_path,
        {
            "LICENSE": MIT,
            "port/package.json": '{"license": "ISC"}',
            "port/x.js": "1\n",
            "third_party/p/package.json": '{"license": "ISC"}',
            "third_party/p/x.js": "2\n",
        },
    )
    assert found["port/x.js"] == ("MIT", "directory")
    assert found["third_party/p/x.js"] == ("ISC", "declared")


def test_a_side_of_a_choice_named_alone_does_not_end_the_choice(tmp_path: Path) -> None:
    text = "/* Dual licensed under the MIT or the GPL version 2 license. */\nint a;\n\n/* MIT license */\n"
    assert concluded_of(tmp_path, {"x.c": text})["x.c"][0] == "GPL-2.0-only OR MIT"


def test_the_review_of_a_new_version_asks_only_about_what_changed(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("src", "--jobs", "1", "--write-review", "review.toml", "--reviewer", "A. Nybody") == 0
    text = (tmp_path / "review.toml").read_text()
    questions = text.count("[[decision]]")
    assert questions > 3 and text.count('reviewer = "A. Nybody"') == questions
    capsys.readouterr()
    assert run("src", "--jobs", "1", "--review", "review.toml") == 1  # nothing is accepted by leaving it blank
    assert "verdict" in capsys.readouterr().err
    answered = text.replace('verdict = ""', 'verdict = "accepted"').replace('reason = ""', 'reason = "seen"')
    (tmp_path / "src/debian").mkdir()
    (tmp_path / "src/debian/bazel2ninja-review.toml").write_text(answered)
    kinds = "prebuilt,media,dfsg-suspect,non-free-words,minified"
    assert run("src", "--jobs", "1", "--fail-on", kinds) == 0
    assert " 0 ask for a decision" in capsys.readouterr().out
    # the next upstream version: one file changed, one is new, one is gone
    write(source, {"lib/prebuilt.so": b"\x7fELF\0\0changed", "fonts/new.ttf": b"\0\1\0\0\0font"})
    (source / "data/lena.png").unlink()
    assert run("src", "--jobs", "1", "--fail-on", kinds, "--write-review", "next.toml") == 3
    asked = (tmp_path / "next.toml").read_text()
    assert [line for line in asked.splitlines() if line.startswith("finding")] == [
        'finding = "prebuilt"',
        'finding = "font"',
    ]
    assert run("src", "--jobs", "1", "--fail-on", "media,dfsg-suspect") == 0


def test_links_that_lead_out_or_nowhere_are_told(tmp_path: Path) -> None:
    write(tmp_path / "src", {"a/x.c": "int x;\n"})
    for name, target in (
        ("a/loop", ".."),
        ("a/by", "loop/a/x.c"),
        ("out", "../../etc/passwd"),
        ("a/gone", "y.c"),
        ("a/fine", "x.c"),
    ):
        (tmp_path / "src" / name).symlink_to(target)
    (tmp_path / "src/self").symlink_to("self")
    found = {f.subject: f.detail for f in audit_of(tmp_path / "src").findings if f.kind == "link"}
    assert "out of the tree" in found["out"]
    assert "does not exist" in found["a/gone"]
    assert "circle" in found["self"]
    assert sorted(found) == ["a/gone", "out", "self"]


def test_a_grant_that_nobody_knows_does_not_inherit(tmp_path: Path) -> None:
    text = "/* Copyright 1990 Zed\n * You may use and redistribute this on odd days, provided that it is raining. */\n"
    found = concluded_of(tmp_path, {"LICENSE": MIT, "zed.c": text, "silent.c": "int s;\n"})
    assert found["zed.c"] == ("NOASSERTION", "notice")
    assert found["silent.c"] == ("MIT", "directory")


def test_an_exception_in_a_comment_of_its_own_belongs_to_the_licence_before(tmp_path: Path) -> None:
    exception = (TEXTS / "Bison-exception-2.2.txt").read_text()
    text = f"/* Licensed under the GNU GPL, version 3 or later. */\n\n/* {exception} */\n\nint a;\n/* {MIT} */\n"
    found = concluded_of(tmp_path, {"parser.c": text})
    assert found["parser.c"][0] == "GPL-3.0-or-later WITH Bison-exception-2.2 AND MIT"


def test_scripts_with_a_name_like_a_readme_speak_for_themselves(tmp_path: Path) -> None:
    tree = {
        "LICENSE": MIT,
        "install-sh": "#!/bin/sh\n#\n" + "".join(f"# {line}\n" for line in BSD.splitlines()),
        "news.py": "# SPDX-License-Identifier: MIT\n# This program is licensed under the Apache License 2.0.\n",
        "release.c": "/* This file is licensed under the Apache License, Version 2.0. */\n",
        "INSTALL": "This program is licensed under the Apache License, Version 2.0.\n",
    }
    write(tmp_path, tree)
    found = audits.make(str(tmp_path), Cache(None)).concluded.files
    assert found["install-sh"].expression == "BSD-3-Clause"
    assert found["release.c"].expression == "Apache-2.0"
    assert found["INSTALL"].expression == "MIT"


def test_a_gnu_licence_without_a_version_is_the_one_in_the_file_that_is_named(tmp_path: Path) -> None:
    lesser = (TEXTS / "LGPL-2.1-only.txt").read_text()
    stated = "/* This library is free software; you can redistribute it and/or modify it under the terms of the GNU Lesser General Public License as published by the Free Software Foundation; either version 2.1 of the License, or (at your option) any later version. */\n"  # noqa: E501
    tree = {"COPYING": lesser, **{f"{n}.c": stated for n in range(8)}}
    tree |= {"Makefile.am": "# Licensed under LGPL. See file COPYING.\n", "b.c": "/* Licensed under LGPL. */\n"}
    write(tmp_path, tree)
    found = audits.make(str(tmp_path), Cache(None)).concluded.files
    assert found["Makefile.am"].expression == "LGPL-2.1-or-later"
    assert found["Makefile.am"].source == "COPYING"
    assert found["b.c"].expression == "LGPL-2.0-or-later"


def test_a_licence_file_in_words_that_nobody_knows_is_asked_about(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "COPYING": "You may freely use and redistribute this program provided that you send the author a postcard, "
            "and may not sell copies of it to anybody who has not sent one before.\n",
            "a.c": "int a;\n",
            **{f"z{n}.c": "/* SPDX-License-Identifier: Zlib */\n" for n in range(9)},
        },
    )
    found = audits.make(str(tmp_path), Cache(None)).concluded
    assert found.main == "NOASSERTION"
    assert found.files["a.c"].expression == "NOASSERTION"


def test_the_licence_that_a_pictures_metadata_name(tmp_path: Path) -> None:
    picture = """<svg xmlns:cc="http://creativecommons.org/ns#"><metadata><rdf:RDF><cc:Work rdf:about="">
<cc:license rdf:resource="http://creativecommons.org/licenses/by-sa/4.0/"/></cc:Work></rdf:RDF></metadata></svg>
"""
    write(
        tmp_path,
        {
            "LICENSE": MIT,
            "a.svg": picture,
            "b.svg": picture.replace("http://creativecommons.org/licenses/by-sa/4.0/", ""),
        },
    )
    found = audits.make(str(tmp_path), Cache(None)).concluded.files
    assert found["a.svg"].expression == "CC-BY-SA-4.0"
    assert found["b.svg"].expression == "MIT"


def test_a_readme_tells_the_terms_of_files_by_pattern(tmp_path: Path) -> None:
    said = "The *.dat files in this directory come from elsewhere.\nThat is licensed under a BSD style license.\n\n"
    write(tmp_path, {"LICENSE": MIT, "data/README": said + BSD, "data/x.dat": "1\n", "data/y.txt": "2\n"})
    found = audits.make(str(tmp_path), Cache(None)).concluded.files
    assert found["data/x.dat"].expression == "BSD-3-Clause"
    assert found["data/y.txt"].expression == "MIT"


def test_or_later_counts_for_silent_files_when_nearly_all_say_so(tmp_path: Path) -> None:
    text = (TEXTS / "GPL-2.0-only.txt").read_text()
    later = "/* SPDX-License-Identifier: GPL-2.0-or-later */\n"
    only = "/* SPDX-License-Identifier: GPL-2.0-only */\n"
    for share, expected in ((6, "GPL-2.0-only"), (9, "GPL-2.0-or-later")):
        place = tmp_path / str(share)
        files = {f"{n}.c": later if n < share else only for n in range(10)}
        write(place, {"COPYING": text, "silent.c": "int s;\n", **files})
        assert audits.make(str(place), Cache(None)).concluded.files["silent.c"].expression == expected


def test_a_choice_between_numbered_licence_files(tmp_path: Path) -> None:
    names = {"COPYING.LESSERv3": "LGPL-3.0-only", "COPYINGv2": "GPL-2.0-only", "COPYINGv3": "GPL-3.0-only"}
    stated = "/* SPDX-License-Identifier: LGPL-3.0-or-later OR GPL-2.0-or-later */\n"
    tree = {name: (TEXTS / f"{text}.txt").read_text() for name, text in names.items()}
    put_away = (
        "C a.asm\nifelse(`\n   Copyright (C) 2015 A\n   This is licensed under the Apache License, Version 2.0.\n')\n"
    )
    write(tmp_path, {**tree, **{f"{n}.c": stated for n in range(8)}, "silent.c": "int s;\n", "a.asm": put_away})
    found = audits.make(str(tmp_path), Cache(None)).concluded.files
    assert found["silent.c"].expression == "GPL-2.0-or-later OR LGPL-3.0-or-later"
    assert found["a.asm"].expression == "Apache-2.0"


def test_long_lines_of_a_document_are_read_to_their_end(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"LICENSE.html": "<html><body>" + "<i></i>" * 20 + "x " * 2000 + MIT.replace("\n", " "), "a.c": "int a;\n"},
    )
    assert audits.make(str(tmp_path), Cache(None)).concluded.files["a.c"].expression == "MIT"


def test_a_manual_page_that_begins_with_empty_lines(tmp_path: Path) -> None:
    page = '\n\n.\\" Licensed under the Apache License, Version 2.0.\n.TH A 1\n.SH NAME\n' + "words\n" * 200
    write(tmp_path, {"LICENSE": MIT, "a.1": page})
    assert audits.make(str(tmp_path), Cache(None)).concluded.files["a.1"].expression == "Apache-2.0"
