"""repository_rule() really runs: repository_ctx, downloads from vendored files, and keeping what is still good."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from repositories_support import Printed, failure, made, make_tar, open_workspace, rule_workspace, write_tree

from bazel2ninja.repositories.workspace import Workspace


def runs(root: Path, body: str, arguments: str = "", **options: object) -> list[str]:
    """What the rule prints."""
    printed = Printed()
    workspace = rule_workspace(root, body, arguments, print=printed, **options)
    workspace.repository("r")
    return list(printed)


def test_files_and_templates(tmp_path: Path) -> None:
    body = """
ctx.file("a/b.txt", "text", executable = False)
ctx.file("run.sh", "#!/bin/sh\\n")
ctx.template("out.h", ctx.attr.file, {"%{X}": "1", "%{Y}": "2"}, False)
print(ctx.read("a/b.txt"), ctx.read(ctx.attr.file))
"""
    printed = runs(tmp_path, body, 'file = "//:in.tpl"', files={"in.tpl": "%{X}+%{Y}"})
    directory = tmp_path / "side/external/r"
    assert (directory / "out.h").read_text() == "1+2"
    assert os.access(directory / "run.sh", os.X_OK) and not os.access(directory / "a/b.txt", os.X_OK)
    assert printed == ["text %{X}+%{Y}"]


def test_a_substitution_is_a_text(tmp_path: Path) -> None:
    body = 'ctx.template("out.h", ctx.attr.file, {"%{X}": ctx.path("x")})'
    workspace = rule_workspace(tmp_path, body, 'file = "//:in.tpl"', files={"in.tpl": "%{X}"})
    assert "in call to template(), 'substitutions' got path for '%{X}', want string" in failure(workspace)


def test_attributes(tmp_path: Path) -> None:
    body = "print(ctx.name, ctx.original_name, ctx.attr.name, ctx.attr.value, ctx.attr.files, ctx.attr.urls)"
    assert runs(tmp_path, body, 'value = "v", files = ["//:a", "@x//:b"]') == [
        'r r r v [Label("//:a"), Label("@x//:b")] []'
    ]


def test_paths(tmp_path: Path) -> None:
    body = """
ctx.file("d/one")
ctx.file("d/two")
d = ctx.path("d")
print(d.exists, d.is_dir, d.basename, d.dirname == ctx.path(""), d.get_child("one").exists, d.get_child("no").exists)
print([child.basename for child in d.readdir()], type(d), str(d).startswith("/"))
ctx.symlink("d/one", "link")
print(ctx.path("link").realpath.basename, ctx.workspace_root.get_child("BUILD").exists)
print(ctx.path(Label("//:BUILD")).exists)
"""
    assert runs(tmp_path, body) == [
        "True True d True True False",
        '["one", "two"] path True',
        "one True",
        "True",
    ]


def test_links_lead_relatively_into_the_source_tree(tmp_path: Path) -> None:
    directory = made(
        tmp_path, 'ctx.symlink(ctx.attr.file, "sub/x")\nctx.symlink("/usr/bin", "bin")', 'file = "//:BUILD"'
    )
    assert os.readlink(directory / "sub/x") == "../../../../src/BUILD"
    assert os.readlink(directory / "bin") == "/usr/bin"


def test_delete_rename_and_environment(tmp_path: Path) -> None:
    body = """
ctx.file("a/b")
ctx.file("c")
print(ctx.delete("a"), ctx.delete("a"))
ctx.rename("c", "d/e")
print(ctx.path("d/e").exists, ctx.path("c").exists)
print(ctx.os.environ["GIVEN"], ctx.os.environ.get("NOT"), ctx.getenv("OTHER", "default"), "GIVEN" in ctx.os.environ)
print(ctx.os.name, ctx.which("sh") != None, ctx.which("no-such-program"))
"""
    workspace = rule_workspace(tmp_path, body, environment={"GIVEN": "yes", "UNREAD": "x"})
    workspace.repository("r")
    assert workspace.print == ["True False", "True False", "yes None default True", "linux True None"]
    assert dict(workspace.environment_reads) == {"DECLARED": None, "GIVEN": "yes", "NOT": None, "OTHER": None}
    assert workspace.program_reads["no-such-program"] is None and workspace.program_reads["sh"]


needs_namespaces = pytest.mark.skipif(
    subprocess.run(["unshare", "--user", "--net", "--mount", "true"], capture_output=True).returncode != 0,
    reason="this machine gives no namespaces to its users",
)


@needs_namespaces
def test_programs_run_confined(tmp_path: Path) -> None:
    body = f"""
print(ctx.execute(["sh", "-c", "echo out; echo err >&2; exit 3"]).return_code)
print(ctx.execute(["grep", "-c", ":", "/proc/net/dev"]).stdout)
print(ctx.execute(["sh", "-c", "echo x > {tmp_path}/src/new"]).return_code != 0)
print(ctx.execute(["sh", "-c", "echo x > {tmp_path}/side/external/other"]).return_code != 0)
print(ctx.execute(["sh", "-c", "echo x > mine"]).return_code, ctx.path("mine").exists)
print(ctx.execute(["sh", "-c", "echo $GIVEN-$SECRET-$DECLARED"], environment = {{"GIVEN": "g"}}).stdout)
print(ctx.execute(["pwd"], working_directory = "/").stdout, ctx.execute(["no-such-program"]).return_code)
print(ctx.execute(["sleep", "20"], timeout = 1).return_code)
"""
    printed = runs(tmp_path, body, environment={"SECRET": "s", "DECLARED": "d"})
    assert printed == ["3", "1\n", "True", "True", "0 True", "g--d\n", "/\n 256", "256"]
    assert not (tmp_path / "src/new").exists()
    assert '"status": 3' in (tmp_path / "side/repositories/r.json").read_text()


def test_root_confines_programs_in_a_chroot(tmp_path: Path) -> None:
    """The kernel gives no user namespace there."""
    (tmp_path / "root").mkdir()
    mount = 'PATH=$PATH:/usr/sbin; mount --rbind / "$0" && exec chroot "$0" "$@"'
    enter = ["unshare", "--mount", "sh", "-c", mount, str(tmp_path / "root")]
    if os.geteuid() or subprocess.run([*enter, "true"], capture_output=True).returncode:
        pytest.skip("NOT TESTED: confinement in a chroot, which needs root")
    body = f"""
print(ctx.execute(["grep", "-c", ":", "/proc/net/dev"]).stdout)
print(ctx.execute(["sh", "-c", "echo x > {tmp_path}/src/new"]).return_code != 0)
print(ctx.execute(["sh", "-c", "echo x > mine"]).return_code)
"""
    script = f"""
import sys
sys.path[:0] = [{os.path.dirname(__file__)!r}, {os.path.dirname(os.path.dirname(__file__))!r}]
from pathlib import Path
from test_repositories_rules import runs
print(runs(Path({str(tmp_path)!r}), {body!r}))
"""
    done = subprocess.run([*enter, sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == r"['1\n', 'True', '0']" + "\n", done.stderr
    assert not (tmp_path / "src/new").exists()


def test_programs_can_be_forbidden(tmp_path: Path) -> None:
    workspace = rule_workspace(tmp_path, 'ctx.execute(["sh", "-c", "true"])', no_execute=["sh"])
    assert "would run 'sh', which --no-execute forbids" in failure(workspace)


def test_without_namespaces_programs_need_permission(tmp_path: Path) -> None:
    # a PATH of our own process without unshare
    script = """
import os, sys
sys.path[:0] = [{tests!r}, {root!r}]
os.environ["PATH"] = ""
from pathlib import Path
from repositories_support import failure, rule_workspace
body = 'ctx.execute(["/bin/sh", "-c", "echo x > y"])'
print(failure(rule_workspace(Path({tmp!r}) / "a", body)))
print(sorted(os.listdir(rule_workspace(Path({tmp!r}) / "b", body, allow_unsandboxed=True).repository("r").directory)))
""".format(tests=os.path.dirname(__file__), root=os.path.dirname(os.path.dirname(__file__)), tmp=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "cannot confine the programs of repository rules" in done.stdout
    assert "--allow-unsandboxed" in done.stdout and "['y']" in done.stdout


# Keeping what is still good

COUNTED = 'ctx.file("BUILD", ctx.read(ctx.attr.file) + ctx.os.environ.get("E", ""))\nprint("ran")'


def count(root: Path, arguments: str = 'file = "//:in"', environment: dict[str, str] | None = None, **more: str) -> int:
    printed = Printed()
    files = {"in": "1", **more}
    rule_workspace(root, COUNTED, arguments, files=files, environment=environment or {}, print=printed).repository("r")
    return len(printed)


def test_a_repository_is_made_again_only_when_something_has_changed(tmp_path: Path) -> None:
    assert count(tmp_path) == 1
    assert count(tmp_path) == 0
    assert count(tmp_path, environment={"UNRELATED": "x"}) == 0
    assert count(tmp_path, environment={"E": "x"}) == 1
    assert count(tmp_path, environment={"E": "x"}) == 0
    assert count(tmp_path, environment={"DECLARED": "x"}) == 1
    assert count(tmp_path, **{"in": "2"}) == 1
    assert (tmp_path / "side/external/r/BUILD").read_text() == "2"
    assert count(tmp_path, 'file = "//:in", value = "v"', **{"in": "2"}) == 1
    assert count(tmp_path, 'file = "//:in", value = "v"', **{"in": "2"}) == 0


def test_a_change_of_a_file_that_the_rule_loads_counts(tmp_path: Path) -> None:
    body = 'load("//:deep.bzl", "NAME")\n'

    def name(value: str) -> str:
        files = {
            "WORKSPACE": 'load("//:r.bzl", "r")\nr(name = "r")',
            "BUILD": "",
            "deep.bzl": f"NAME = {value!r}",
            "r.bzl": body + 'def _i(ctx):\n    ctx.file("BUILD", NAME)\n\nr = repository_rule(_i)',
        }
        return Path(open_workspace(tmp_path, files).repository("r").directory, "BUILD").read_text()

    assert (name("one"), name("two")) == ("one", "two")


def test_what_was_read_is_known_when_nothing_ran(tmp_path: Path) -> None:
    for _ in range(2):
        workspace = rule_workspace(tmp_path, COUNTED, 'file = "//:in"', files={"in": "1"})
        workspace.repository("r")
        assert workspace.environment_reads["E"] is None
        assert any(path.endswith("src/in") for path in workspace.filesystem.reads)


def test_a_half_made_repository_is_made_again(tmp_path: Path) -> None:
    assert count(tmp_path) == 1
    (tmp_path / "side/repositories/r.json").write_text("{")
    assert count(tmp_path) == 1


# Downloads

ARCHIVE_RULE = 'load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive", "http_file")\n'


def archive_workspace(root: Path, declaration: str, **options: object) -> Workspace:
    vendor = root / "vendor"
    vendor.mkdir(exist_ok=True)
    make_tar(vendor / "lib-1.tar.gz", [("lib-1/a.txt", "one\ntwo\n"), ("lib-1/BUILD", "")])
    files = {"WORKSPACE": ARCHIVE_RULE + declaration, "BUILD": "", "fix.patch": FIX, "lib.BUILD": "# ours\n"}
    return open_workspace(root, files, vendor=[str(vendor)], **options)  # type: ignore[arg-type]


FIX = """\
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
 one
-two
+2
"""


def test_an_archive_of_a_vendor_directory(tmp_path: Path) -> None:
    text = 'http_archive(name="lib", urls=["http://x/lib-1.tar.gz"], strip_prefix="lib-1", build_file="//:lib.BUILD",\n'
    workspace = archive_workspace(tmp_path, text + '  patches=["//:fix.patch"], patch_args=["-p1"])')
    directory = Path(workspace.repository("lib").directory)
    assert (directory / "a.txt").read_text() == "one\n2\n"
    assert (directory / "BUILD.bazel").read_text() == "# ours\n"
    assert any(path.endswith("lib-1.tar.gz") for path in workspace.filesystem.reads)


def test_the_sum_must_be_right(tmp_path: Path) -> None:
    text = 'http_archive(name = "lib", urls = ["http://x/lib-1.tar.gz"], sha256 = "%s")'
    workspace = archive_workspace(tmp_path, text % ("0" * 64))
    assert "has the SHA-256 sum" in failure(workspace, "lib")
    digest = hashlib.sha256((tmp_path / "vendor/lib-1.tar.gz").read_bytes()).hexdigest()
    assert Path(archive_workspace(tmp_path, text % digest).repository("lib").directory, "lib-1").is_dir()


def test_an_archive_named_by_its_sum(tmp_path: Path) -> None:
    text = 'http_archive(name = "lib", url = "http://x/archive?id=1", sha256 = "%s", type = "tar.gz")'
    workspace = archive_workspace(tmp_path, "")
    file = tmp_path / "vendor/lib-1.tar.gz"
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    workspace = archive_workspace(tmp_path, text % digest)
    file.rename(tmp_path / "vendor" / digest)
    assert Path(workspace.repository("lib").directory, "lib-1/a.txt").exists()


def test_a_wrong_strip_prefix(tmp_path: Path) -> None:
    text = 'http_archive(name = "lib", urls = ["http://x/lib-1.tar.gz"], strip_prefix = "lib-2")'
    assert "no directory 'lib-2' (strip_prefix)" in failure(archive_workspace(tmp_path, text), "lib")


def test_http_file(tmp_path: Path) -> None:
    text = 'http_file(name = "f", urls = ["http://x/lib-1.tar.gz"], downloaded_file_path = "x.bin")'
    directory = Path(archive_workspace(tmp_path, text).repository("f").directory)
    assert (directory / "file/x.bin").read_bytes() == (tmp_path / "vendor/lib-1.tar.gz").read_bytes()


def test_allow_fail(tmp_path: Path) -> None:
    body = 'print(ctx.download("http://x/none", "f", allow_fail = True).success)\nctx.file("BUILD")'
    assert runs(tmp_path, body) == ["False"]


def test_a_vendored_tree_is_linked_and_patched_without_being_changed(tmp_path: Path) -> None:
    write_tree(tmp_path / "vendor/lib", {"a.txt": "one\ntwo\n", "sub/deep/b.txt": "b", "sub/c.txt": "c", ".git/x": ""})
    patch = FIX + "--- a/sub/deep/b.txt\n+++ b/sub/deep/b.txt\n@@ -1 +1 @@\n-b\n\\ No newline at end of file\n+B\n"
    text = 'http_archive(name = "lib", urls = ["http://x/none.tar.gz"], strip_prefix = "lib-1",\n'
    files = {
        "WORKSPACE": ARCHIVE_RULE + text + 'patches = ["//:p"], patch_args = ["-p1"], build_file = "//:lib.BUILD")',
        "BUILD": "",
        "lib.BUILD": "# ours\n",
        "p": patch,
    }
    workspace = open_workspace(tmp_path, files, vendor=[str(tmp_path / "vendor")])
    directory = Path(workspace.repository("lib").directory)
    assert (directory / "a.txt").read_text() == "one\n2\n" and not (directory / "a.txt").is_symlink()
    assert (directory / "sub/deep/b.txt").read_text() == "B\n"
    assert (directory / "sub/c.txt").is_symlink() and not (directory / "sub").is_symlink()
    assert not (directory / ".git").exists()
    assert (tmp_path / "vendor/lib/a.txt").read_text() == "one\ntwo\n"
    assert (tmp_path / "vendor/lib/sub/deep/b.txt").read_text() == "b"
    assert sorted(os.listdir(tmp_path / "vendor/lib")) == [".git", "a.txt", "sub"]


def test_a_patch_that_does_not_fit_a_vendored_tree_says_how_to_do_without(tmp_path: Path) -> None:
    write_tree(tmp_path / "vendor/r", {"f": "other"})
    body = "ctx.download_and_extract(ctx.attr.urls)\nctx.patch(ctx.attr.file)"
    patch = "--- f\n+++ f\n@@ -1 +1 @@\n-1\n+2\n"
    arguments = 'urls = ["x.zip"], file = "//:p"'
    text = failure(rule_workspace(tmp_path, body, arguments, files={"p": patch}, vendor=[str(tmp_path / "vendor")]))
    assert "does not apply to 'f'" in text and "--override_repository r=" in text


@needs_namespaces
def test_programs_get_copies_of_vendored_files(tmp_path: Path) -> None:
    write_tree(tmp_path / "vendor/r", {"sub/c.txt": "c"})
    command = '["sh", "-c", "echo changed > sub/c.txt"]'
    body = f"ctx.download_and_extract(ctx.attr.urls)\nprint(ctx.execute({command}).return_code)"
    printed = runs(tmp_path, body, 'urls = ["http://x/y.zip"]', vendor=[str(tmp_path / "vendor")])
    assert printed == ["0"]
    assert (tmp_path / "vendor/r/sub/c.txt").read_text() == "c"
    assert (tmp_path / "side/external/r/sub/c.txt").read_text() == "changed\n"


def test_the_rules_of_old_releases_are_there(tmp_path: Path) -> None:
    files = {
        "rule.bzl": 'def old():\n    native.new_http_archive(name = "lib", url = "http://x/lib-1.tar.gz",\n'
        '        strip_prefix = "lib-1", build_file = "//:lib.BUILD")'
    }
    workspace = archive_workspace(tmp_path, "")
    write_tree(tmp_path / "src", {**files, "WORKSPACE": 'load("//:rule.bzl", "old")\nold()'})
    workspace = open_workspace(tmp_path, vendor=[str(tmp_path / "vendor")])
    assert Path(workspace.repository("lib").directory, "BUILD.bazel").exists()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('ctx.which("a/b")', "takes the name of a program"),
        ('ctx.read("none")', "cannot read"),
        ("ctx.execute([])", "needs at least the name of a program"),
        ("ctx.path(1)", "want 'string, Label or path'"),
        ('ctx.file("a")\nctx.symlink("/usr", "a")', "the file exists"),
        ('ctx.no_such("a")', "repository_ctx"),
    ],
)
def test_misuse(tmp_path: Path, body: str, message: str) -> None:
    text = failure(rule_workspace(tmp_path, body))
    assert message in text
    assert "rule.bzl:" in text and "repository '@r' is made by made()" in text
