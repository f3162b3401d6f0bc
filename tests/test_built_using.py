"""Which packages' code counts as taken from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazel2ninja.debpkg.built_using import owning_packages


@pytest.mark.parametrize("ending", ["", "-arm64-cross"])
def test_headers_of_the_compiler_count_for_nobody(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["libc6-dev", "linux-libc-dev", "libgcc-16-dev", "libstdc++-16-dev"]
    lines = "".join(f"{name}{ending}: /usr/x/{name}.h\\n" for name in names)
    program = tmp_path / "dpkg-query"
    program.write_text(f"#!/bin/sh\nprintf '{lines}libruy-dev:arm64: /usr/x/ruy.h\\n'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert owning_packages(["/usr/x/ruy.h"]) == ["libruy-dev"]
