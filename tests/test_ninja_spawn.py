"""Actions whose command is opaque: where they run, what they see, what happens to their outputs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ninja_workspace import PYTHON, SOURCES, Workspace

from bazel2ninja.analysis.action import FailAction, ParameterFile, SpawnAction, SymlinkAction, TemplateAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.ninja.context import Options


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def shell(
    workspace: Workspace, command: str, outputs: list[Artifact], inputs: list[Artifact] | None = None, **more: object
) -> Artifact:
    workspace.add(
        SpawnAction(  # type: ignore[arg-type]
            mnemonic="Genrule",
            arguments=("/bin/bash", "-c", command),
            **workspace.common("//a:gen", outputs, inputs or []),
            **more,
        )
    )
    return outputs[0]


def text(workspace: Workspace, artifact: Artifact) -> str:
    return (workspace.output / artifact.exec_path).read_text()


def test_bazels_paths_are_true_and_the_environment_is_the_declared_one(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "seen")
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.delenv("TMPDIR", raising=False)
    external = workspace.output / ".bazel2ninja/external/r"
    external.mkdir(parents=True)
    (external / "f").write_text("external\n")
    inputs = [workspace.file("a/in put.txt", "source\n"), workspace.artifact("external/r/f", SOURCES)]
    plain, default = workspace.artifact("a/plain"), workspace.artifact("a/default")
    command = "cat 'a/in put.txt' external/r/f > {0}; env | grep -v '^_=\\|^SHLVL=\\|^PWD=' | sort >> {0}"
    shell(workspace, command.format(plain.exec_path), [plain], inputs, environment={"B": "$x 'y'"})
    shell(workspace, command.format(default.exec_path), [default], inputs, use_default_shell_environment=True)
    options = Options(workspace_name="ws", python=PYTHON, action_environment={"PATH": "/bin", "C": "d e"})
    workspace.manifest([plain, default], options=options)
    workspace.ninja()
    assert text(workspace, plain) == (
        "source\nexternal\nB=$x 'y'\nPATH=/bin:/usr/bin:/usr/local/bin\nPYTHONDONTWRITEBYTECODE=1\n"
    )
    assert text(workspace, default) == "source\nexternal\nC=d e\nPATH=/bin\nPYTHONDONTWRITEBYTECODE=1\n"
    (external / "f").write_text("changed\n")
    workspace.ninja()
    assert "changed" in text(workspace, plain)


def test_commands_of_several_lines(workspace: Workspace) -> None:
    output = workspace.artifact("a/$out put")
    command = f"cat > '{output.exec_path}' <<'END'\none 'two'\n$three\nEND"
    shell(workspace, command, [output])
    workspace.manifest([output])
    workspace.ninja()
    assert text(workspace, output) == "one 'two'\n$three\n"
    workspace.actions.clear()
    shell(workspace, command.replace("one", "other"), [output])
    workspace.manifest([output])
    workspace.ninja()
    assert text(workspace, output) == "other 'two'\n$three\n"
    assert "no work to do" in workspace.ninja()


def test_a_long_command_still_runs(workspace: Workspace) -> None:
    output = workspace.artifact("a/out")
    shell(workspace, f"printf %s {'x' * 120_000} | wc -c > {output.exec_path}", [output])
    workspace.manifest([output])
    workspace.ninja()
    assert text(workspace, output) == "120000\n"


def test_a_failure_shows_its_output_and_leaves_no_outputs(workspace: Workspace) -> None:
    one, two = workspace.artifact("a/one"), workspace.artifact("a/two")
    shell(workspace, f"echo said; echo half > {one.exec_path}; echo wrong >&2; exit 3", [one, two])
    workspace.manifest([one])
    said = workspace.ninja(status=1)
    assert "said\nwrong" in said
    assert not (workspace.output / one.exec_path).exists()


def test_an_output_that_is_not_made_is_a_failure(workspace: Workspace) -> None:
    one, two = workspace.artifact("a/one"), workspace.artifact("a/two")
    shell(workspace, f"echo x > {one.exec_path}", [one, two])
    workspace.manifest([one])
    assert f"output '{two.exec_path}' was not created" in workspace.ninja(status=1)


def test_old_outputs_are_gone_when_an_action_starts(workspace: Workspace) -> None:
    output = workspace.artifact("a/log")
    shell(workspace, f"cat a/in >> {output.exec_path}", [output], [workspace.file("a/in", "one\n")])
    workspace.manifest([output])
    workspace.ninja()
    workspace.file("a/in", "two\n")
    workspace.ninja()
    assert text(workspace, output) == "two\n"


def test_directories_of_generated_files(workspace: Workspace) -> None:
    tree, listing = workspace.artifact("a/tree", directory=True), workspace.artifact("a/listing")
    source = workspace.file("a/names", "x y\n")
    shell(workspace, f"for name in $(cat a/names); do touch {tree.exec_path}/$name; done", [tree], [source])
    shell(workspace, f"ls {tree.exec_path} > {listing.exec_path}", [listing], [tree])
    workspace.manifest([listing])
    workspace.ninja()
    assert text(workspace, listing) == "x\ny\n"
    assert "no work to do" in workspace.ninja()
    (workspace.source / "a/names").write_text("z\n")
    workspace.ninja()
    assert text(workspace, listing) == "z\n"


@pytest.mark.parametrize("kind", ["shell", "multiline", "flag_per_line"])
def test_parameter_files(workspace: Workspace, kind: str) -> None:
    output = workspace.artifact("a/out")
    words = ("--flag", "value", "--other=1", "it's", "two words")
    workspace.add(
        SpawnAction(  # type: ignore[arg-type]
            mnemonic="Tool",
            arguments=("/bin/sh", "-c", 'for last; do :; done; { echo "$@"; cat "${last#@}"; } > ' + output.exec_path,
                       "x", ParameterFile(words, format=kind, always=True)),
            **workspace.common("//a:out", [output]),
        )
    )  # fmt: skip
    workspace.manifest([output])
    workspace.ninja()
    first, *lines = text(workspace, output).splitlines()
    expected = {
        "shell": ["--flag", "value", "'--other=1'", "'it'\\''s'", "'two words'"],
        "multiline": list(words),
        "flag_per_line": ["--flag=value", "--other=1"],
    }
    assert first.startswith("it's two words @" if kind == "flag_per_line" else "@")
    assert lines == expected[kind]


def test_short_parameters_stay_on_the_command_line(workspace: Workspace) -> None:
    output = workspace.artifact("a/out")
    arguments = ("/bin/sh", "-c", f'echo "$@" > {output.exec_path}', "x", ParameterFile(("a", "b c")), "d")
    workspace.add(SpawnAction(mnemonic="Tool", arguments=arguments, **workspace.common("//a:out", [output])))  # type: ignore[arg-type]
    workspace.manifest([output])
    workspace.ninja()
    assert text(workspace, output) == "a b c d\n"


def test_texts_templates_and_links(workspace: Workspace) -> None:
    written = workspace.write("//a:w", "a/w.sh", "#!/bin/sh\necho 'é' $0\n", executable=True)
    expanded, link = workspace.artifact("a/e.txt"), workspace.artifact("a/sub/link")
    template = workspace.file("a/t.txt", "@A@ %B% @A@\n")
    workspace.add(
        TemplateAction(  # type: ignore[arg-type]
            mnemonic="TemplateExpand", substitutions=(("@A@", "%B%"), ("%B%", "é\n$")),
            **workspace.common("//a:e", [expanded], [template]),
        )
    )  # fmt: skip
    workspace.add(SymlinkAction(mnemonic="Symlink", **workspace.common("//a:l", [link], [template])))  # type: ignore[arg-type]
    dangling = workspace.artifact("a/dangling", link=True)
    workspace.add(SymlinkAction(mnemonic="Symlink", target="no/where", **workspace.common("//a:d", [dangling])))  # type: ignore[arg-type]
    tree, copy = workspace.artifact("a/tree", directory=True), workspace.artifact("a/copy", directory=True)
    shell(workspace, f"touch {tree.exec_path}/x", [tree])
    workspace.add(SymlinkAction(mnemonic="Symlink", **workspace.common("//a:c", [copy], [tree])))  # type: ignore[arg-type]
    workspace.manifest([written, expanded, link, dangling, copy])
    workspace.ninja()
    assert "é" in text(workspace, written)
    assert os.access(workspace.output / written.exec_path, os.X_OK)
    assert text(workspace, expanded) == "é\n$ é\n$ é\n$\n"
    assert text(workspace, link) == "@A@ %B% @A@\n"
    assert (workspace.output / copy.exec_path / "x").exists()
    assert os.readlink(workspace.output / dangling.exec_path) == "no/where"
    assert "no work to do" in workspace.ninja()
    workspace.file("a/t.txt", "new\n")
    workspace.ninja()
    assert text(workspace, expanded) == "new\n"
    assert "no work to do" in workspace.ninja()


def test_an_action_that_fails_says_why(workspace: Workspace) -> None:
    output = workspace.artifact("a/x")
    message = "needs 'this'\nand $that"
    workspace.add(FailAction(mnemonic="Fail", message=message, **workspace.common("//a:x", [output])))  # type: ignore[arg-type]
    workspace.manifest([output])
    assert "a/BUILD:1:1: error: '//a:x': needs 'this'\nand $that\n" in workspace.ninja(status=1)


def test_install_and_clean(workspace: Workspace, tmp_path: Path) -> None:
    written = workspace.write("//a:w", "a/to ol", "#!/bin/sh\n", executable=True)
    workspace.manifest([written], install=[(written, "bin/to ol", "755")])
    environment = {**os.environ, "DESTDIR": str(tmp_path / "dest dir"), "PREFIX": "/usr"}
    workspace.ninja("install", environment=environment)
    assert os.access(tmp_path / "dest dir/usr/bin/to ol", os.X_OK)
    workspace.ninja("clean")
    assert not (workspace.output / "bazel-out").exists()
    workspace.ninja()
    assert (workspace.output / written.exec_path).exists()
    workspace.manifest([written])
    assert "nothing here can be installed" in workspace.ninja("install", status=1)
