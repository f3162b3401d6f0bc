"""What ends up in a binary: closures over a graph, their terms, ninja's log of dependencies."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from licensing_support import audit_of
from ninja_workspace import Workspace

from bazel2ninja.analysis.action import SpawnAction
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.graph.build import build
from bazel2ninja.licensing import bills, binaries, ninja_log, references
from bazel2ninja.licensing.closure import CONTENT, TOOL, closures
from bazel2ninja.licensing.policy import Policy
from bazel2ninja.licensing.system_packages import Owner, static_built_using


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
