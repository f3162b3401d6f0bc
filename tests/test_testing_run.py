"""The runner of one test: environment, time limit, shards, attempts, reports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from bazel2ninja.testing import run as runner
from bazel2ninja.testing.junit import junit


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def script(text: str) -> dict[str, str]:
    Path("a").mkdir(exist_ok=True)
    Path("t.runfiles/ws/a").mkdir(parents=True, exist_ok=True)
    Path("a/t").write_text("#!/bin/bash\n" + text)
    Path("a/t").chmod(0o755)
    if not os.path.lexists("t.runfiles/ws/a/t"):
        os.symlink("../../../a/t", "t.runfiles/ws/a/t")
    return {
        "label": "//a:t", "executable": "a/t", "binary": "a/t", "runfiles": "t.runfiles", "workspace": "ws",
        "directory": "logs/a/t",
    }  # fmt: skip


def log() -> str:
    return Path("logs/a/t/test.log").read_text()


def test_the_environment_is_bazels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("WANTED", "here")
    monkeypatch.delenv("TESTBRIDGE_TEST_ONLY", raising=False)
    words = [
        f"--{name}={value}" for name, value in script('pwd -P; unset -f rlocation; env; touch "$TEST_TMPDIR/x"').items()
    ]
    words += ["--env=B=c=d", "--inherit=WANTED", "--inherit=NOT_SET", "--timeout=60", "--size=small", "--filter=X.*"]
    assert runner.main([*words, "--", "arg"]) == 0
    place, *lines = log().splitlines()
    assert place == str(tmp_path / "t.runfiles/ws")
    found = dict(line.split("=", 1) for line in lines)
    for name, value in {
        "TEST_SRCDIR": f"{tmp_path}/t.runfiles", "RUNFILES_DIR": f"{tmp_path}/t.runfiles", "TEST_WORKSPACE": "ws",
        "TEST_BINARY": "a/t", "TEST_TARGET": "//a:t", "TEST_SIZE": "small", "TEST_TIMEOUT": "60", "TZ": "UTC",
        "B": "c=d", "WANTED": "here", "TESTBRIDGE_TEST_ONLY": "X.*", "XML_OUTPUT_FILE": f"{tmp_path}/logs/a/t/test.xml",
    }.items():  # fmt: skip
        assert found[name] == value, name
    assert found["PATH"].startswith(".:/bin")
    assert "LANG" not in found
    assert "NOT_SET" not in found
    assert "TEST_TOTAL_SHARDS" not in found
    assert found["HOME"] == found["TEST_TMPDIR"]
    assert not os.path.exists(found["TEST_TMPDIR"])


def test_shell_tests_can_ask_where_a_file_is(tmp_path: Path) -> None:
    runner.run(runner.Test(**script("rlocation ws/a/t; rlocation /x")))
    assert log() == f"{tmp_path}/t.runfiles/ws/a/t\n/x\n"


def test_the_record_of_a_pass_and_of_a_failure() -> None:
    fields = script("echo out; echo err >&2")
    assert runner.run(runner.Test(**fields, outputs=("logs/extra",))).status == "passed"
    assert log() == "out\nerr\n"
    record = json.loads(Path("logs/a/t/test.json").read_text())
    assert (record["label"], record["status"], record["log"]) == ("//a:t", "passed", "logs/a/t/test.log")
    assert Path("logs/a/t/test.passed").exists()
    assert Path("logs/extra").exists()
    outcome = runner.run(runner.Test(**script("echo no; exit 7")))
    assert (outcome.status, outcome.detail) == ("failed", "exit status 7")
    assert not Path("logs/a/t/test.passed").exists()


def test_a_signal_is_named() -> None:
    assert runner.run(runner.Test(**script("kill -SEGV $$"))).detail == "ended by SIGSEGV"


def test_a_program_that_cannot_start() -> None:
    fields = script("")
    Path("a/t").chmod(0o644)
    outcome = runner.run(runner.Test(**fields))
    assert (outcome.status, outcome.detail) == ("failed", "cannot be run: permission denied")
    assert "permission denied" in log()


@pytest.mark.slow
def test_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_GRACE", 0.2)
    # neither the test nor its child heeds SIGTERM
    fields = script("trap '' TERM; sleep 60 & echo $! > child; echo started; wait; sleep 60")
    start = time.monotonic()
    outcome = runner.run(runner.Test(**fields, timeout=1))
    assert time.monotonic() - start < 20
    assert (outcome.status, outcome.detail) == ("timeout", "ran longer than 1 s")
    assert log().startswith("started\n")
    child = int(Path("t.runfiles/ws/child").read_text())
    assert _ends(child)


def _alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _ends(process: int) -> bool:
    """Whether a process that was killed is gone within five seconds: the kernel does not do it at once."""
    for _ in range(250):
        if not _alive(process):
            return True
        time.sleep(0.02)
    return False


def test_processes_left_behind_end_with_the_test() -> None:
    runner.run(runner.Test(**script("sleep 60 > /dev/null 2>&1 & echo $!")))
    assert _ends(int(log()))


def test_shards() -> None:
    fields = script("env | grep SHARD | sort; touch $TEST_SHARD_STATUS_FILE")
    runner.run(runner.Test(**fields, shard=2, shards=3))
    lines = log().splitlines()
    assert "TEST_SHARD_INDEX=1" in lines
    assert "TEST_TOTAL_SHARDS=3" in lines
    assert "GTEST_SHARD_INDEX=1" in lines


def test_a_flaky_test_gets_more_attempts() -> None:
    fields = script("test -e again && exit 0; touch again; echo first; exit 1")
    outcome = runner.run(runner.Test(**fields, attempts=3))
    assert (outcome.status, outcome.detail) == ("flaky", "passed after 1 failed attempt")
    assert Path("logs/a/t/attempt_1.log").read_text() == "first\n"
    assert Path("logs/a/t/test.passed").exists()
    Path("t.runfiles/ws/again").unlink()
    assert runner.run(runner.Test(**fields)).status == "failed"


def test_a_framework_that_did_not_finish_is_a_failure() -> None:
    outcome = runner.run(runner.Test(**script("touch $TEST_PREMATURE_EXIT_FILE; exit 0")))
    assert outcome.detail == "exited before the test framework had finished"


def test_the_tests_own_report_and_undeclared_outputs_stay() -> None:
    fields = script("echo '<own/>' > $XML_OUTPUT_FILE; echo kept > $TEST_UNDECLARED_OUTPUTS_DIR/file")
    runner.run(runner.Test(**fields))
    assert Path("logs/a/t/test.xml").read_text() == "<own/>\n"
    assert Path("logs/a/t/test.outputs/file").read_text() == "kept\n"
    runner.run(runner.Test(**script("true")))
    assert not Path("logs/a/t/test.outputs").exists()


def test_the_report_is_xml_whatever_the_log_holds() -> None:
    root = ElementTree.fromstring(junit('//a:<t>&"', False, 'status "1" <&', 1.5, b"]]> \x00\xff<a>&\x1b[0m"))
    case = root.find("testsuite/testcase")
    assert case is not None
    assert case.get("name") == '//a:<t>&"'
    error = case.find("error")
    assert error is not None
    assert error.get("message") == 'status "1" <&'
    assert root.findtext("testsuite/system-out") == "]]> ?\ufffd<a>&?[0m"
    assert ElementTree.fromstring(junit("x", True, "", 0, b"")).find("testsuite/testcase/error") is None


INTERRUPTED = """
import os, signal, subprocess, sys
from bazel2ninja.testing import run

class Popen(subprocess.Popen):
    def __init__(self, *words, **options):
        super().__init__(*words, **options)
        with open("started", "w") as file:
            file.write(str(self.pid))
        os.kill(os.getpid(), signal.SIGTERM)

subprocess.Popen = Popen
sys.exit(run.main(sys.argv[1:]))
"""


def test_a_runner_that_is_interrupted_while_the_test_starts() -> None:
    words = [f"--{name}={value}" for name, value in script("sleep 60").items()]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    assert subprocess.run([sys.executable, "-c", INTERRUPTED, *words], env=environment).returncode == 128 + 15
    assert _ends(int(Path("started").read_text()))


def test_an_interrupted_runner_takes_its_test_along() -> None:
    fields = script("echo $$; sleep 60")
    words = [f"--{name}={value}" for name, value in fields.items()]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    process = subprocess.Popen([sys.executable, "-m", "bazel2ninja.testing.run", *words], env=environment)
    for _ in range(1000):
        if os.path.exists("logs/a/t/test.log") and log():
            break
        time.sleep(0.02)
    process.terminate()
    process.wait(10)
    assert _ends(int(log()))


def test_a_test_that_removes_the_directory_of_its_undeclared_outputs() -> None:
    assert runner.run(runner.Test(**script('rm -r "$TEST_UNDECLARED_OUTPUTS_DIR"'))).status == "passed"


def test_a_result_that_cannot_be_written_is_one_message(capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"--{name}={value}" for name, value in script('cd ../..; rm -r "$(dirname "$XML_OUTPUT_FILE")"').items()]
    assert runner.main(words) == 1
    assert capsys.readouterr().err.startswith("error: //a:t: the result cannot be written: ")


def test_starting_is_cheap() -> None:
    root = Path(__file__).resolve().parent.parent
    code = "import sys, bazel2ninja.testing.run; print(*sorted(sys.modules))"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    ).stdout.split()
    assert not {"networkx", "argparse", "dataclasses", "tempfile", "shutil", "xml"} & set(said)
    assert {name for name in said if name.startswith("bazel2ninja.")} == {
        "bazel2ninja.testing", "bazel2ninja.testing.run", "bazel2ninja.testing.junit",
    }  # fmt: skip
