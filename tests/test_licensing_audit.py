"""The licence auditor as a whole: conclusions, findings, documents, hostile names and the command."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest
from licensing_support import MIT, TREE, audit_of, example, run, write
from ninja_workspace import SOURCES

from bazel2ninja.licensing import bills, report_html, report_json, report_text, second_opinion


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


def test_opinions_that_differ_are_findings() -> None:
    from bazel2ninja.licensing.matching import Classification

    known = {"d": Classification("MIT", "text"), "e": Classification("MIT", "text")}
    found = second_opinion.disagreements({"d": "ISC", "e": "MIT"}, known, {"d": ("x.c",)})
    assert [(finding.kind, finding.subject, finding.paths) for finding in found] == [("opinions", "d", ("x.c",))]


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


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return example(tmp_path)


def test_the_audit_of_a_tree_loads_no_stage_of_a_build(source: Path) -> None:
    code = (
        "import sys; from bazel2ninja import cli\n"
        f"status = cli.main(['audit', '--cache=', '--json={source.parent}/j', {str(source)!r}])\n"
        "print(status, *sorted(sys.modules), file=sys.stderr)"
    )
    place = Path(__file__).resolve().parent.parent
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=place)
    status, *loaded = done.stderr.split()
    assert status == "0"
    packages = {name.split(".")[1] for name in loaded if name.startswith("bazel2ninja.")}
    assert not {"starlark", "loading", "repositories", "analysis", "graph", "pipeline"} & packages
    assert "multiprocessing" not in loaded
