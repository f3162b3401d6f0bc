"""The review file: decisions, and what a new version asks about."""

from __future__ import annotations

from pathlib import Path

import pytest
from licensing_support import audit_of, example, run, write

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.licensing import decisions


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return example(tmp_path)


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
