"""Bills of materials before the validators of their own projects: spdx-tools, and CycloneDX's JSON schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from licensing_support import write

from bazel2ninja import cli
from bazel2ninja.licensing import references

TEXTS = references.directory() / "texts"
TREE: dict[str, str | bytes] = {
    "COPYING": (TEXTS / "GPL-2.0-only.txt").read_text(),
    "ltmain.sh": "# SPDX-License-Identifier: GPL-2.0-or-later WITH Libtool-exception\n",
    "a <b>&.c": '/* SPDX-License-Identifier: MIT OR Apache-2.0 */\nint a; /* Copyright 2001 <A> "B" */\n',
    "own.c": "/* Copyright 2002 C\n   This file is in the public domain. */\n",
    "silent.c": "int s;\n",
    "x.bin": b"\0\1\2\3",
    "odd.c": "/* You may use and redistribute this provided that you send the author a postcard. */\n",
}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("documents")
    write(place / "my source", TREE)
    words = ["audit", str(place / "my source"), "--cache=", "--jobs=1"]
    assert cli._run([*words, f"--spdx={place}/a.spdx.json", f"--cyclonedx={place}/a.cdx.json"]) == 0
    return place


def test_what_files_state_are_licences(documents: Path) -> None:
    files = {each["fileName"]: each for each in json.loads((documents / "a.spdx.json").read_text())["files"]}
    assert files["./ltmain.sh"]["licenseConcluded"] == "GPL-2.0-or-later WITH Libtool-exception"
    assert files["./ltmain.sh"]["licenseInfoInFiles"] == ["GPL-2.0-or-later"]
    assert files["./silent.c"]["licenseInfoInFiles"] == ["NONE"]


@pytest.mark.filterwarnings("ignore")
def test_spdx_tools_find_nothing_wrong(documents: Path) -> None:
    pytest.importorskip("spdx_tools.spdx", reason="NOT TESTED: SPDX by its validator; pip install spdx-tools")
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

    found = validate_full_spdx_document(parse_file(str(documents / "a.spdx.json")))
    assert [message.validation_message for message in found] == []


@pytest.mark.filterwarnings("ignore")
def test_cyclonedx_is_as_its_schema_wants(documents: Path) -> None:
    reason = "NOT TESTED: CycloneDX by its schema; pip install 'cyclonedx-python-lib[json-validation]'"
    validation = pytest.importorskip("cyclonedx.validation.json", reason=reason)
    schema = pytest.importorskip("cyclonedx.schema", reason=reason)
    validator = validation.JsonStrictValidator(schema.SchemaVersion.V1_5)
    assert validator.validate_str((documents / "a.cdx.json").read_text()) is None
