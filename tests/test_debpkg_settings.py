"""debian/bazel2ninja.toml: every mistake is told with its place; what a build environment says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bazel2ninja.cli import main
from bazel2ninja.commands.debhelper import generate_words
from bazel2ninja.debpkg import settings
from bazel2ninja.debpkg.build_environment import BuildEnvironment, plain_version, upstream_version
from bazel2ninja.diagnostics import WorkspaceError

GOOD = """
targets = ["//a:b"]
tests = ["//...", "-//bench/..."]
flags = [
    "--define=a=b",  # ] and = in a comment
]
[repositories]
zlib = "/usr/src/zlib"

[[library]]
name = "re2"
targets = ["//:re2"]
soname = "libre2.so.9"
version = "9.0.0"

[[library]]
name = "plain"
targets = ["//:plain"]
soname = "libplain.so"

[[program]]
target = "//a:b"
directory = "libexec/x/"

[install]
"//doc:text" = "share/doc/x/"
"""


def parse(text: str) -> settings.Settings:
    return settings.parse("debian/bazel2ninja.toml", text)


def test_everything_is_read() -> None:
    found = parse(GOOD)
    assert found.tests == ("//...", "-//bench/...")
    assert found.repositories == {"zlib": "/usr/src/zlib"}
    re2, plain = found.libraries
    assert (re2.file_name, re2.links) == ("libre2.so.9.0.0", ("libre2.so.9", "libre2.so"))
    assert (plain.file_name, plain.links) == ("libplain.so", ())
    assert found.programs[0].directory == "libexec/x/"
    assert found.built_targets == ("//a:b",)
    assert parse("").built_targets == ("//...",)
    assert parse('[[program]]\ntarget = "//x:y"').built_targets == ("//x:y",)


LIBRARY = '[[library]]\nname = "a"\ntargets = ["//:a"]\nsoname = "liba.so.1"\n'


@pytest.mark.parametrize(
    ("text", "place", "message", "remedy"),
    [
        ('flagz = ["x"]', "1:1", "the file has no key 'flagz'", "did you mean 'flags'?"),
        ("\n[[libary]]\n", "2:1", "the file has no key 'libary'", "did you mean 'library'?"),
        ('tests = "//..."', "1:1", "'tests' must be a list of texts", None),
        (LIBRARY + '  sonme = "x"', "5:3", "a library has no key 'sonme'", "did you mean 'soname'?"),
        (LIBRARY + '[[headers]]\nname = "a"\ntargets = ["//:b"]', "6:1", "a second library 'a'", None),
        ('[[headers]]\nname = "a"\ntargets = []', "3:1", "the library 'a' has no targets", None),
        ('isa = ["x86-64-v3"]\n', "1:1", "no [[library]] that could be built for other processor levels", None),
        ('isa = ["x86-64-3"]\n' + LIBRARY, "1:1", "no processor level 'x86-64-3'", "did you mean 'x86-64-v3'?"),
        (LIBRARY + LIBRARY, "6:1", "a second library 'a'", None),
        (
            '[[library]]\nname = "a"\ntargets = ["//:a"]',
            "1:1",
            "a library lacks 'soname', the library's SONAME",
            "for ex",
        ),
        (LIBRARY.replace("liba.so.1", "libb.so.1"), "4:1", "'libb.so.1' is no SONAME of the library 'a'", "liba.so"),
        (
            LIBRARY + 'include = "../x"',
            "5:1",
            "'../x' would be installed outside the package",
            "relative to the prefix",
        ),
        ('[architecture_flags]\namd64 = "--copt=\'-g"', "2:1", "cannot be read as words of a shell: no closing", None),
        ('[architecture_flags]\namd64 = ["-g"]', "1:1", "'architecture_flags' must be a table", None),
        ('[install]\n"//a:b" = "/etc/x"', "2:1", "'/etc/x' would be installed outside the package", None),
        ('[[program]]\ntarget = "//a"\nname = "b/c"', "3:1", "a program's name holds no '/'", "'directory'"),
        ('a = "x\n', "1:7", "illegal character", None),
        ("library = 1", "1:1", "'library' must be a list of tables", "[[library]]"),
        (LIBRARY.replace('["//:a"]', "[]"), "3:1", "the library 'a' has no targets", None),
    ],
)
def test_mistakes_are_placed(text: str, place: str, message: str, remedy: str | None) -> None:
    with pytest.raises(WorkspaceError) as caught:
        parse(text)
    found = caught.value.diagnostic
    assert str(found.location) == f"debian/bazel2ninja.toml:{place}"
    assert found.message.startswith(message)
    if remedy is not None:
        assert remedy in (found.help or "")


@pytest.mark.usefixtures("package")
def test_flags_of_an_architecture(monkeypatch: pytest.MonkeyPatch) -> None:
    text = '[architecture_flags]\namd64 = "--copt=-mno-avx \'--copt=-DA B\'"\narm64 = "--copt=-DARM"\n'
    assert {"--copt=-mno-avx", "--copt=-DA B"} < set(words(text, DEB_HOST_ARCH="amd64"))
    arm = words(text, DEB_HOST_ARCH="arm64")
    assert "--copt=-DARM" in arm and "--copt=-mno-avx" not in arm
    assert arm.index("--copt=-DARM") < arm.index("--copt=-g3")  # what debian/rules says comes later
    assert not [word for word in words(text, DEB_HOST_ARCH="s390x") if word in arm and word.startswith("--copt=-D")]
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert "--copt=-DARM" in words(text)  # by hand


def test_versions() -> None:
    assert upstream_version("ab (2:1.2.3+dfsg-4) unstable; urgency=low\n") == "1.2.3+dfsg"
    assert upstream_version("\nnative (0.1) UNRELEASED; urgency=low\n") == "0.1"
    assert [plain_version(v) for v in ("1.2+dfsg1", "2.0~git2022", "3.0+really2", "1.0rc1")] == [
        "1.2", "2.0", "3.0", "1.0rc1",
    ]  # fmt: skip
    with pytest.raises(WorkspaceError, match="does not begin with the entry of a version"):
        upstream_version("Changes\n")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "debian").mkdir()
    (tmp_path / "debian/changelog").write_text("xy (1.5+ds-2) unstable; urgency=low\n")


def words(text: str, **environment: str) -> list[str]:
    given = {"DEB_HOST_MULTIARCH": "x86_64-linux-gnu", **environment}
    return generate_words(parse(text), BuildEnvironment.of(given), ".", "obj-x", ["--copt=-g3"])


@pytest.mark.usefixtures("package")
def test_the_command_of_a_package_build() -> None:
    found = words(GOOD)
    assert found[:3] == ["-o", "obj-x/build.ninja", "--prefix=/usr"]
    for word in (
        "--libdir=lib/x86_64-linux-gnu",
        "--package-version=1.5",
        "--skip=./debian",
        "--skip=obj-x",
        "--packaging=debian/bazel2ninja.toml",
        "--override_repository=zlib=/usr/src/zlib",
        "--define=a=b",
        "--copt=-g3",
    ):
        assert word in found
    assert found[-4:] == ["--", "//a:b", "//...", "-//bench/..."]
    assert found[found.index("-c") + 1] == "opt"


@pytest.mark.usefixtures("package")
def test_a_build_daemon_gives_no_namespaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Who is not root in a chroot cannot confine programs of repository rules; the package is built all the same."""
    files = {
        "WORKSPACE": 'load(":r.bzl", "r")\nr(name = "made")\n',
        "r.bzl": """
def _r(ctx):
    made = ctx.execute(["echo", "x"]).stdout.strip()
    ctx.file("BUILD", 'filegroup(name = "%s", visibility = ["//visibility:public"])' % made)
r = repository_rule(_r)
""",
        "BUILD": 'alias(name = "it", actual = "@made//:x", visibility = ["//visibility:public"])\n',
        "bin/unshare": "#!/bin/sh\nexit 1\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "bin/unshare").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    assert main(["debhelper", "configure", "--build=obj"]) == 0, capfd.readouterr().err
    assert main(["debhelper", "configure", "--build=obj2", "--", "--noallow-unsandboxed"]) == 1
    assert "cannot confine the programs of repository rules" in capfd.readouterr().err


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize("variable", ["DEB_BUILD_OPTIONS", "DEB_BUILD_PROFILES"])
def test_nocheck_leaves_tests_and_what_they_need_alone(variable: str) -> None:
    text = 'tests = ["//..."]\n[repositories]\ngtest = "/nonexistent/gtest"\n' + LIBRARY
    assert words(text)[-2:] == ["//:a", "//..."]
    assert "--override_repository=gtest=/nonexistent/gtest" in words(text)
    found = words(text, **{variable: "terse nocheck parallel=2"})
    assert found[-1] == "//:a"
    assert not any("gtest" in word for word in found)


@pytest.mark.usefixtures("package")
def test_levels_are_those_of_the_architecture_that_is_built_for() -> None:
    text = 'isa = ["x86-64-v3", "power10", "z15"]\n' + LIBRARY
    for machine, expected in {"x86_64": "x86-64-v3", "powerpc64le": "power10", "s390x": "z15"}.items():
        found = words(text, DEB_HOST_GNU_TYPE=f"{machine}-linux-gnu")
        assert [word for word in found if word.startswith("--isa")] == [f"--isa={expected}"]
    found = words(text, DEB_HOST_GNU_TYPE="aarch64-linux-gnu", DEB_BUILD_GNU_TYPE="x86_64-linux-gnu")
    assert not any(word.startswith("--isa") for word in found)
    for variable, value in (("DEB_BUILD_OPTIONS", "noisa"), ("DEB_BUILD_PROFILES", "cross pkg.x.noisa")):
        found = words(text, DEB_HOST_GNU_TYPE="x86_64-linux-gnu", **{variable: value})
        assert not any(word.startswith("--isa") for word in found)
