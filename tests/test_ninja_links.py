"""Archives and links of every kind, built for real."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from ninja_workspace import BIN, SOURCES, Workspace

from bazel2ninja.analysis.action import CppCompileAction, SymlinkAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.ninja import cpp
from bazel2ninja.ninja.flags import Compilers


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def source(workspace: Workspace, path: str, text: str, **more: object) -> Artifact:
    return workspace.compile(f"//{path.replace('/', ':')}", workspace.file(path, text), language="c", **more)


def run(workspace: Workspace, path: str, **environment: str) -> str:
    done = subprocess.run(
        [workspace.output / BIN.path / path], capture_output=True, text=True, env=environment, check=False, cwd="/"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def dynamic(workspace: Workspace, path: str) -> str:
    return subprocess.run(
        ["readelf", "-d", workspace.output / BIN.path / path], capture_output=True, text=True, check=True
    ).stdout


def test_shared_libraries_are_found_at_run_time_by_name(workspace: Workspace) -> None:
    library = workspace.link(
        "//a:lib",
        "a/libone.so",
        [(source(workspace, "a/one.c", "int one() { return 1; }"), "object")],
        "nodeps_dynamic_library",
    )
    named = workspace.link(
        "//a:two", "a/libtwo.so", [(source(workspace, "a/two.c", "int two() { return 2; }"), "object")],
        "dynamic_library", soname="libtwo.so.2",
    )  # fmt: skip
    for real, link in ((library, "_solib_k8/_Ua/liba_Sone.so"), (named, "_solib_k8/libtwo.so.2")):
        workspace.add(
            SymlinkAction(  # type: ignore[arg-type]
                mnemonic="SolibSymlink", **workspace.common("//a:main", [workspace.artifact(link)], [real])
            )
        )
    main = source(
        workspace, "b/main.c",
        '#include <stdio.h>\nint one(); int two();\nint main() { printf("%d%d", one(), two()); return 0; }',
    )  # fmt: skip
    executable = workspace.link(
        "//b:main",
        "b/main",
        [
            (main, "object"),
            (workspace.artifact("_solib_k8/_Ua/liba_Sone.so"), "lib"),
            (workspace.artifact("_solib_k8/libtwo.so.2"), "shared"),
        ],
        runtime_directories=("../_solib_k8/_Ua", "../_solib_k8"),
    )
    workspace.manifest([executable])
    workspace.ninja()
    assert run(workspace, "b/main") == "12"
    needed = dynamic(workspace, "b/main")
    assert "[liba_Sone.so]" in needed
    assert "[libtwo.so.2]" in needed
    assert "no work to do" in workspace.ninja()


def test_a_library_without_a_name_of_its_own_is_needed_by_its_file_name(workspace: Workspace, tmp_path: Path) -> None:
    workspace.file("a/x.c", "int x() { return 7; }")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", "a/libx.so", "a/x.c"], cwd=workspace.source, check=True)
    main = source(workspace, "a/main.c", "int x(); int main() { return x() - 7; }")
    prebuilt = workspace.artifact("a/libx.so", SOURCES)
    executable = workspace.link("//a:main", "a/main", [(main, "object"), (prebuilt, "shared")])
    workspace.manifest([executable])
    workspace.ninja()
    assert "[libx.so]" in dynamic(workspace, "a/main")
    assert run(workspace, "a/main", LD_LIBRARY_PATH=str(workspace.source / "a")) == ""


@pytest.mark.parametrize("named", [False, True])
def test_whole_archives_and_version_scripts(workspace: Workspace, named: bool) -> None:
    kept = source(workspace, "a/kept.c", "int kept_hidden() { return 1; } int kept_shown() { return 1; }")
    other = source(workspace, "a/other.c", "int other() { return 1; }")
    script = workspace.file("a/x.lds", "{ global: *shown; local: *; };")
    archives = [workspace.archive("//a:l", f"a/lib{name}.a", [member]) for name, member in (("k", kept), ("o", other))]
    workspace.file("a/more.lds", "VERSION { V1 { global: nothing; }; }")
    shared = workspace.link(
        "//a:so",
        "a/lib x.so",
        [(archives[0], "whole_archive"), (archives[1], "archive")],
        "shared",
        version_scripts=(script,),
        flags=("-Wl,-z,now", "-lm", "-Wl,--version-script=a/x.lds") if named else ("-Wl,-z,now", "-lm"),
    )
    workspace.manifest([shared])
    workspace.ninja()
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", workspace.output / shared.exec_path], capture_output=True, text=True, check=True
    ).stdout
    assert [line.split()[-1] for line in symbols.splitlines()] == ["kept_shown"]
    assert "[lib x.so]" in dynamic(workspace, "a/lib x.so")
    (workspace.source / "a/x.lds").write_text("{ global: kept_*; local: *; };")
    assert "link" in workspace.ninja()


def test_long_command_lines_go_into_response_files(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpp, "_LONG", 10)
    objects = [source(workspace, f"a/{name}.c", f"int f{number}() {{ return 0; }}") for number, name in
               enumerate(["x", "with blank", "(round) [square]", "a=b,c~", "$dollar#"])]  # fmt: skip
    archive = workspace.archive("//a:all", "a/all of it.a", objects)
    main = source(workspace, "a/main.c", "int f3(); int main() { return f3(); }")
    executable = workspace.link("//a:main", "a/ma in", [(main, "object"), (archive, "archive")])
    text = workspace.manifest([executable]).text
    assert b"rspfile" in text
    workspace.ninja()
    run(workspace, "a/ma in")
    members = subprocess.run(
        ["ar", "t", workspace.output / archive.exec_path], capture_output=True, text=True, check=True
    ).stdout
    assert len(members.splitlines()) == len(objects)


def test_members_of_one_name_stay_apart_and_old_ones_go(workspace: Workspace) -> None:
    objects = [source(workspace, f"{place}/x.c", f"int {place}() {{ return 0; }}") for place in ("a", "b", "c")]
    workspace.manifest([workspace.archive("//a:all", "a/all.a", objects)])
    workspace.ninja()
    workspace.actions.pop()
    archive = workspace.archive("//a:all", "a/all.a", objects[1:])
    workspace.manifest([archive])
    workspace.ninja()
    listed = subprocess.run(
        ["nm", workspace.output / archive.exec_path], capture_output=True, text=True, check=True
    ).stdout
    assert [line.split()[-1] for line in listed.splitlines() if " T " in line] == ["b", "c"]


def test_the_packagers_flags_come_last_and_some_of_the_projects_go(workspace: Workspace) -> None:
    made = source(
        workspace, "a/x.c", "int x;", toolchain_flags=("-O0", "-D_FORTIFY_SOURCE=1"), last_flags=("-w",),
        copts=("-O3", "-Werror", "-march=native", "-msse4.2", "-Werror=format"),
    )  # fmt: skip
    compilers = Compilers.from_environment(
        {"CC": "gcc -pipe", "CFLAGS": "-O2 -g '-DA=b c'", "CPPFLAGS": "-D_FORTIFY_SOURCE=2"}, "env ccache"
    )
    manifest = workspace.manifest([made], compilers=compilers)
    command = workspace.ninja("-t", "commands").strip()
    assert command.startswith("env ccache gcc -pipe -O0 -fPIC -O3 -msse4.2 -Werror=format -w -iquote")
    assert "-D_FORTIFY_SOURCE=2 -O2 -g '-DA=b c' -o" in command
    assert [note.message for note in manifest.notes] == [
        "dropped '-Werror' (first in '//a:x.c'): a newer compiler's new warning would fail the build",
        "dropped '-march=native' (first in '//a:x.c'): the result would depend on the machine that builds it",
    ]


def test_links_strip_nothing(workspace: Workspace) -> None:
    """The packager's tools do that, after they have put the symbols for debugging aside."""
    made = source(workspace, "a/x.c", "int x;")
    flags = ("-Wl,-s", "-Wl,-S", "-Wl,--strip-debug", "-s", "-Wl,-soname,libx.so", "-Xlinker", "-s")
    manifest = workspace.manifest(
        [made, workspace.link("//a:x", "a/libx.so", [(made, "object")], kind="shared", flags=flags)]
    )
    (command,) = (line for line in workspace.ninja("-t", "commands").splitlines() if "libx.so" in line)
    assert re.findall(r"-Wl,-[sS]\S*|-Wl,--strip\S*|-Xlinker -s|(?<!-Xlinker) -s(?= |$)", command) == [
        "-Wl,-soname,libx.so",
        "-Xlinker -s",  # the linker's own word, which nobody can take out without the one before it
    ]
    assert "dropped '-Wl,-s' (first in '//a:x'): symbols for debugging are the packager's to strip" in [
        note.message for note in manifest.notes
    ]


def test_objects_do_not_know_where_they_were_made(tmp_path: Path) -> None:
    results = []
    for place in ("one", "two/deeper"):
        workspace = Workspace(tmp_path / place)
        header = workspace.file("b/h.h", "inline const char *h() { return __FILE__; }")
        assert header.is_source
        made = workspace.compile(
            "//a:x", workspace.file("a/x.cc", '#include "b/h.h"\nconst char *x() { return h(); }'), copts=("-g",)
        )
        workspace.manifest([made])
        workspace.ninja()
        data = (workspace.output / made.exec_path).read_bytes()
        assert b"b/h.h\0" in data
        assert str(tmp_path).encode() not in data
        results.append((data, (workspace.output / "build.ninja").read_bytes()))
    assert results[0] == results[1]


def test_assembler(workspace: Workspace) -> None:
    plain = workspace.compile("//a:p", workspace.file("a/p.s", ".globl p\np:\n"), language="assembler")
    mixed = workspace.compile(
        "//a:m", workspace.file("a/m.S", "#define M m\n.globl M\nM:\n"), language="assembler-with-cpp"
    )
    workspace.manifest([plain, mixed])
    workspace.ninja()
    assert "no work to do" in workspace.ninja()


def test_what_an_assembler_includes_is_watched(workspace: Workspace) -> None:
    data = workspace.write("//a:data", "a/data.bin", "one")
    source_file = workspace.file("a/x.S", '.globl x\nx: .incbin "bazel-out/k8-fastbuild/bin/a/data.bin"\n')
    made = workspace.artifact("a/x.o")
    workspace.add(
        CppCompileAction(  # type: ignore[arg-type]
            mnemonic="CppCompile",
            source=source_file,
            language="assembler-with-cpp",
            **workspace.common("//a:x", [made], [source_file, data]),
        )
    )
    workspace.manifest([made])
    workspace.ninja()
    assert b"one" in (workspace.output / made.exec_path).read_bytes()
    (workspace.output / ".bazel2ninja/write" / data.exec_path).write_text("two")
    workspace.ninja()
    assert b"two" in (workspace.output / made.exec_path).read_bytes()


def test_an_archive_that_is_taken_whole_before_a_shared_library(workspace: Workspace) -> None:
    """What comes after both, the compiler's own libraries too, is not taken whole."""
    shared = workspace.link(
        "//a:shared", "a/libshared.so", [(source(workspace, "a/shared.c", "int one() { return 1; }"), "object")],
        "nodeps_dynamic_library",
    )  # fmt: skip
    text = "extern int kept; __attribute__((constructor)) static void f() { kept = 1; }"
    whole = workspace.archive("//a:whole", "a/libwhole.lo", [source(workspace, "a/whole.c", text)])
    unused = workspace.archive("//a:unused", "a/libunused.a", [source(workspace, "a/unused.c", "int kept;")])
    code = '#include <stdio.h>\nint kept; int one();\nint main() { printf("%d%d", kept, one()); return 0; }'
    items = [(source(workspace, "a/main.c", code), "object"), (whole, "whole_archive"), (shared, "shared")]
    workspace.manifest([workspace.link("//a:main", "a/main", [*items, (unused, "archive")])])
    workspace.ninja()
    assert run(workspace, "a/main", LD_LIBRARY_PATH=str(workspace.output / BIN.path / "a")) == "11"
