"""The licence auditor: what is read from files, in any language and encoding, however hostile."""

from __future__ import annotations

import gzip
import json
import os
import posixpath
import signal
import sqlite3
import time
import tracemalloc
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from licensing_support import audit_of, write

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.licensing import build_statements, copyrights, reading, references, scan, tree
from bazel2ninja.licensing.cache import Cache
from bazel2ninja.licensing.content import binary_kind, decode
from bazel2ninja.licensing.languages import PROSE, syntax_of
from bazel2ninja.licensing.matching import classify
from bazel2ninja.licensing.notices import statements
from bazel2ninja.licensing.words import words

GRANT = ["Licensed under the Frobnicate License, version 2.", "You may redistribute it freely."]


def notice_words(path: str, text: str) -> list[str]:
    found = scan.scan_bytes(path, text.encode(), "x", "y", len(text))
    return [notice.text for notice in found.notices]


COMMENTS = {
    "a.c": "/*\n * {0}\n * {1}\n */\nint x;\n",
    "b.cc": "// {0}\n// {1}\n\nint x;\n",
    "boxed.c": "/* {0} */\n/* {1} */\nint x;\n",
    "c.py": "# {0}\n# {1}\nx = 1\n",
    "docstring.py": '"""Words.\n\n{0}\n{1}\n"""\nx = 1\n',
    "script": "#!/bin/sh\n# {0}\n# {1}\nls\n",
    "page.html": "<html><!-- {0}\n{1} --><p>x</p></html>\n",
    "style.css": "/*! {0}\n{1} */ a {{}}\n",
    "x.lua": "-- {0}\n-- {1}\nx = 1\n",
    "long.lua": "--[[ {0}\n{1} ]]\nx = 1\n",
    "x.sql": "-- {0}\n-- {1}\nselect 1;\n",
    "x.tex": "% {0}\n% {1}\n\\x\n",
    "x.m4": "dnl {0}\ndnl {1}\nAC_X\n",
    "x.el": ";; {0}\n;; {1}\n(x)\n",
    "x.s": "; {0}\n; {1}\n nop\n",
    "x.f": "C {0}\nC {1}\n      END\n",
    "x.f90": "! {0}\n! {1}\nend\n",
    "x.bat": "REM {0}\nREM {1}\ndir\n",
    "x.ml": "(* {0}\n   {1} *)\nlet x = 1\n",
    "x.hs": "{{- {0}\n{1} -}}\nx = 1\n",
    "x.1": '.\\" {0}\n.\\" {1}\n.TH X 1\n',
    "x.vim": '" {0}\n" {1}\nset x\n',
    "X.pm": "package X;\n=head1 NAME\n\nX\n\n=cut\n1;\n=head1 LICENSE\n\n{0}\n{1}\n\n=cut\n",
    "Y.pod": "# x\n\n=head1 LICENSE\n\n{0}\n{1}\n",
    "X.xs": "/* x */\n\n=pod\n\n{0}\n{1}\n\n=cut\n",
    "x.bzl": "# {0}\n# {1}\nx = 1\n",
    "CMakeLists.txt": "# {0}\n# {1}\nproject(x)\n",
    "x.in.h": "/* {0}\n   {1} */\n",
    "config.h.in": "/* {0}\n   {1} */\n",
    "README.txt": "{0}\n{1}\n",
    "Makefile.inc.in": "# {0}\n# {1}\nall:\n",
    # the name says another language
    "coq.v": "(****)\n(* x *)\n(* {0} *)\n(* {1} *)\nRequire x.\n",
    "php.sh": "#!/usr/bin/env php\n<?php\n/*\n {0}\n {1}\n*/\nx();\n",
    "polkit.rules": "// {0}\n// {1}\nx();\n",
    "words.def": "This file is words.def, from which words.c is made.\n\n{0}\n{1}\n\n$PRODUCES words.c\n",
}


@pytest.mark.parametrize("name", COMMENTS)
def test_one_notice_is_the_same_words_in_every_language(name: str) -> None:
    expected = " ".join(words(" ".join(GRANT)))
    found = notice_words(name, COMMENTS[name].format(*GRANT))
    assert [expected] == found or any(expected in each for each in found)


def test_a_notice_in_code_is_told_from_one_in_a_comment() -> None:
    found = scan.scan_bytes("x.c", b'puts("Licensed under the Frobnicate License");\n', "", "", 1)
    assert [notice.place for notice in found.notices] == ["code"]


def test_what_stands_between_two_pieces_of_perls_documentation_is_code() -> None:
    text = "=pod\n\n=cut\n\nprint 'Licensed under the X license';\n\n=pod\n\n=cut\n"
    found = scan.scan_bytes("x.pl", ("\n" + text).encode(), "", "", 1)
    assert [notice.place for notice in found.notices] == ["code"]


def test_the_licence_of_a_metainfo_file() -> None:
    text = b"<component><metadata_license>CC0-1.0</metadata_license><project_license>MIT</project_license></component>"
    assert scan.scan_bytes("a.metainfo.xml", text, "", "", 1).spdx == ("CC0-1.0",)
    assert scan.scan_bytes("a.appdata.xml.in", text, "", "", 1).spdx == ("CC0-1.0",)
    assert scan.scan_bytes("a.xml", text, "", "", 1).spdx == ()


def test_a_machine_readable_copyright_file_elsewhere_speaks_of_a_whole_tree() -> None:
    text = b"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: x\nLicense: MIT\n"
    found = scan.scan_bytes("packaging/copyright", text, "", "", len(text))
    assert (found.whole, found.notices) == (False, ())
    assert scan.scan_bytes("packaging/copyright", b"Licensed under the MIT license\n", "", "", 9).whole


def test_a_second_notice_later_in_the_file_is_found() -> None:
    text = "// Licensed under A license.\n" + "int x;\n" * 500 + "/* Licensed under the B license. */\n"
    found = scan.scan_bytes("x.cc", text.encode(), "", "", 1).notices
    assert [(notice.text, notice.first_line) for notice in found] == [
        ("licensed under a license", 1),
        ("licensed under the b license", 502),
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Copyright (c) 2015-2020 Some Body <a@b.example>. All rights reserved.", "2015-2020 Some Body <a@b.example>"),
        ("Copyright \xa9 2011 Foo, Inc.", "2011 Foo, Inc"),
        ("(C) 1999 by Jane Doe", "1999 Jane Doe"),
        ("Portions Copyright 2003, 2005 X Corp", "2003,2005 X Corp"),
        ("foo.c -- copyright 1995 Mark Somebody", "1995 Mark Somebody"),
        ("SPDX-FileCopyrightText: 2020 Y", "2020 Y"),
    ],
)
def test_copyright_statements(line: str, expected: str) -> None:
    found = copyrights.split(line)
    assert found is not None
    assert copyrights.canonical(found[0]) == expected


@pytest.mark.parametrize(
    "line",
    [
        "copyright notice, this list of conditions and the following disclaimer.",
        "the copyright holders may not be used to endorse",
        "Copyright law requires",
        "void copyright(void);",
        "All rights reserved",
    ],
)
def test_what_is_no_copyright_statement(line: str) -> None:
    assert copyrights.split(line) is None


def test_a_grant_after_the_statement_is_kept() -> None:
    assert copyrights.split("(c) 2012 X GmbH | GPLv2+") == ("(c) 2012 X GmbH |", " GPLv2+")
    assert copyrights.split("Copyright 1990, MIT") == ("Copyright 1990, MIT", "")  # who holds it
    found = copyrights.split("Copyright 2010 X. Licensed under the MIT license.")
    assert found == ("Copyright 2010 X. ", "Licensed under the MIT license.")


def test_what_a_mail_quotes_is_no_grant() -> None:
    mail = """# Yes, you may distribute it under the Apache 2 license.
#
# On Thu, 31 May 2018, Zed wrote:
#
# > You wrote "if it is similar to BSD":
# > is it to be reused under a BSD-like
# > license, or the GPL?
"""
    found = statements(mail, syntax_of("a.py"))
    assert len(found.notices) == 1
    assert "apache" in found.notices[0].text and "bsd" not in found.notices[0].text
    forwarded = "# On Thu, 31 May 2018, Zed wrote:\n# > this code\n# > is under the\n# > GPL, version 2.\n"
    assert "gpl" in statements(forwarded, syntax_of("a.py")).notices[0].text


@pytest.mark.parametrize(
    ("line", "holder", "rest"),
    [
        ("(C) 2008 W. Some Body.  BSD Licensed.", "(C) 2008 W. Some Body.  ", "BSD Licensed."),
        ("Copyright 2013 A Body, MIT License", "Copyright 2013 A Body, ", "MIT License"),
        ("Copyright 2013 The Boost License Group", "Copyright 2013 The Boost ", "License Group"),
    ],
)
def test_the_name_of_a_licence_is_no_holder(line: str, holder: str, rest: str) -> None:
    assert copyrights.split(line) == (holder, rest)


def test_the_program_that_runs_a_script_is_no_part_of_a_notice() -> None:
    assert notice_words("x.py", "#!/usr/bin/env python\n# License: GPLv3\n") == ["license gpl 3"]


def test_a_licence_before_the_statement_is_kept() -> None:
    found = copyrights.split("License: GPLv3 Copyright: 2023, Some Body")
    assert found == ("Copyright: 2023, Some Body", "License: GPLv3")


def test_a_field_named_copyright_may_hold_a_grant() -> None:
    assert notice_words("x.txt", ":Copyright: This document has been placed in the public domain.\n") == [
        "this document has been placed in the public domain"
    ]


@pytest.mark.parametrize("text", ["/* Public-domain routine */\n", "/* placed in the public\n * domain by X */\n"])
def test_the_public_domain_in_other_ways(text: str) -> None:
    assert len(notice_words("x.c", text)) == 1


def test_words_keep_versions_and_never_lose_a_negation() -> None:
    assert words("LGPLv2.1+ non-commercial Licence 2.0") == [
        "lgpl",
        "2.1",
        "or",
        "later",
        "noncommercial",
        "license",
        "2",
    ]


def test_spdx_tags_count_in_comments_only() -> None:
    comment = scan.scan_bytes("x.c", b"// SPDX-License-Identifier: MIT OR Apache-2.0 */\n", "", "", 1)
    assert comment.spdx == ("MIT OR Apache-2.0",)
    code = scan.scan_bytes("x.c", b'char *x = "SPDX-License-Identifier: MIT";\n', "", "", 1)
    assert code.spdx == ()
    other = scan.scan_bytes("x.rules", b"\n//  SPDX-License-Identifier: MIT\nx();\n", "", "", 1)
    assert other.spdx == ("MIT",)
    written = scan.scan_bytes("x.c", b'/* x */\nint x;\n"// SPDX-License-Identifier: MIT\\n";\n', "", "", 1)
    assert written.spdx == ()


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.o", b"\x7fELF\x02\x01", "elf"),
        ("a.jar", b"PK\x03\x04rest", "jar"),
        ("a.zip", b"PK\x03\x04rest", "zip"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "png"),
        ("c.gz.ab", b"\x00\x01\x02\x03\xff" * 9, "split-archive"),
        ("c.gz.aab", b"\x00\x01\x02\x03\xff" * 9, "split-archive"),
        ("c.zip.002", b"\x00\x01\x02\x03\xff" * 9, "split-archive"),
        ("model.tflite", b"\x18\0\0\0TFL3", "model"),
        ("x.bin", b"\0\1\2", "data"),
        ("x.exe", b"MZ\x90\0", "windows-program"),
        ("utf16.txt", "\ufeffhello".encode("utf-16-le"), None),
        ("notes.txt", b"BZh is how bzip2 begins", None),
        ("empty", b"", None),
    ],
)
def test_kinds_of_content(name: str, data: bytes, kind: str | None) -> None:
    assert binary_kind(name, data) == kind


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "latin-1"],
)
def test_encodings(encoding: str) -> None:
    said = "// Licensed by J\xf6rg under the MIT license.\n"
    data = said.encode(encoding)
    assert binary_kind("x.c", data) is None
    assert decode(data)[0] == said
    assert scan.scan_bytes("x.c", data, "", "", len(data)).notices


@pytest.mark.parametrize("encoding", ["shift_jis", "gb18030", "koi8-r", "iso-2022-jp", "cp1251", "big5", "euc-kr"])
def test_a_notice_in_english_is_found_in_any_encoding_like_ascii(encoding: str) -> None:
    said = "// Licensed under the MIT license.\n"
    data = said.encode(encoding) + "// \u3042\u0416\uac00\n".encode(encoding, "replace")
    (notice,) = scan.scan_bytes("x.c", data, "", "", len(data)).notices
    assert "licensed under the mit license" in notice.text


@pytest.mark.parametrize("size", [64, 4096])
def test_numbers_are_no_text(size: int) -> None:
    for width in (2, 4):
        data = b"".join((number * 37 % 7000).to_bytes(width, "little") for number in range(size))
        assert binary_kind("x.bin", data) == "data"


@pytest.mark.slow
def test_a_gigabyte_is_read_in_pieces(tmp_path: Path) -> None:
    with open(tmp_path / "huge.bin", "wb") as file:
        file.truncate(1 << 30)  # sparse
    tracemalloc.start()
    found = scan.scan_file(str(tmp_path), "huge.bin")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (found.size, found.kind) == (1 << 30, "data")
    assert most < 32 << 20


def test_a_tree_deeper_than_a_path_can_be_long(tmp_path: Path) -> None:
    write(tmp_path, {"shallow.c": "int x;\n"})
    before = os.getcwd()
    try:
        os.chdir(tmp_path)
        for _ in range(60):
            os.mkdir("d" * 100)
            os.chdir("d" * 100)
        Path("deep.c").write_text("int y;\n")
        os.chdir(tmp_path)
        found = reading.read(".", Cache(None))
    finally:
        os.chdir(before)
    assert list(found.scans) == ["shallow.c"]
    assert list(found.odd.values()) == ["unreadable"]  # told, not passed over


def test_archives_are_not_opened(tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(200 << 20))
    write(tmp_path, {"bomb.gz": bomb, "bomb.json": b'"license"' + b"[" * 500_000, "bomb.toml": b"a=" + b"[" * 500_000})
    write(tmp_path, {"package.json": b'{"license": ' + b"[" * 500_000, "Cargo.toml": b"license=" + b"[" * 500_000})
    write(
        tmp_path, {"BUILD": b"licenses(" + b"-" * 500_000, "lol.xml": b"<!DOCTYPE l [<!ENTITY a '&a;&a;'>]><l>&a;</l>"}
    )
    started = time.process_time()
    found = reading.read(str(tmp_path), Cache(None))
    assert found.scans["bomb.gz"].kind == "gzip"
    assert time.process_time() - started < 10


def test_a_killed_process_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {f"{n}.c": "int x;\n" for n in range(450)})
    monkeypatch.setattr(reading, "_read_batch", _die)
    with pytest.raises(WorkspaceError, match="a process that reads files was killed"):
        reading.read(str(tmp_path), Cache(None), jobs=2)


def _die(root: str, paths: list[str]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_build_files_and_manifests_state_terms() -> None:
    build = (
        'package(default_applicable_licenses = ["//:l"])\nlicenses(["notice"])  # MIT\n'
        'license(name = "l", license_kinds = ["@k//:mit"], license_text = "LICENSE")\ncc_library(name = "x", licenses = ["restricted"])\n'  # noqa: E501
    )
    assert [(d.kind, d.value, d.line, d.scope) for d in build_statements.read("a/BUILD", build)] == [
        ("default_applicable_licenses", "//:l", 1, ""),
        ("licenses", "notice", 2, ""),
        ("license", "@k//:mit", 3, "l"),
        ("license_text", "LICENSE", 3, "l"),
        ("licenses", "restricted", 4, "x"),
    ]
    assert [d.value for d in build_statements.read("package.json", '{"license": "ISC"}')] == ["ISC"]
    assert [d.value for d in build_statements.read("Cargo.toml", '[package]\nlicense = "MIT OR Apache-2.0"')] == [
        "MIT OR Apache-2.0"
    ]
    assert build_statements.read("BUILD", "licenses([" * 5000) == ()
    assert build_statements.read("package.json", '{"license": ') == ()


def test_links_are_reported_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"a/x.c": "int x;\n"})
    os.symlink("..", tmp_path / "a" / "loop")
    os.symlink("/etc/passwd", tmp_path / "out")
    os.mkfifo(tmp_path / "pipe")
    found = reading.read(str(tmp_path), Cache(None))
    assert list(found.scans) == ["a/x.c"]
    assert found.links == {"a/loop": "..", "out": "/etc/passwd"}
    assert found.odd == {"pipe": "special"}


def test_a_second_audit_reads_only_what_changed(tmp_path: Path) -> None:
    tree, place = tmp_path / "src", str(tmp_path / "cache" / "audit.sqlite")
    write(tree, {f"{n}.c": f"// Licensed under license {n}.\n" for n in range(30)})
    cache = Cache(place)
    first = reading.read(str(tree), cache)
    cache.close()
    write(tree, {"3.c": "// Licensed under another license, longer than before.\n"})
    cache = Cache(place)
    second = reading.read(str(tree), cache)
    cache.close()
    assert (first.read_again, second.read_again) == (30, 1)
    assert {p: s for p, s in first.scans.items() if p != "3.c"} == {p: s for p, s in second.scans.items() if p != "3.c"}


def test_an_interrupted_audit_goes_on_where_it_stopped(tmp_path: Path) -> None:
    tree, place = tmp_path / "src", str(tmp_path / "audit.sqlite")
    write(tree, {f"{n}.c": "int x;\n" for n in range(450)})

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reading.read(str(tree), Cache(place), progress=stop)
    assert reading.read(str(tree), Cache(place)).read_again == 250


def test_a_damaged_cache_is_replaced(tmp_path: Path) -> None:
    place = tmp_path / "audit.sqlite"
    place.write_bytes(b"no database at all" * 100)
    write(tmp_path / "src", {"x.c": "int x;\n"})
    assert reading.read(str(tmp_path / "src"), Cache(str(place))).read_again == 1


def test_what_was_kept_in_another_form_is_read_again_and_dropped(tmp_path: Path) -> None:
    place = str(tmp_path / "audit.sqlite")
    write(
        tmp_path / "src",
        {"x.c": "/* Licensed under the MIT license. */\n", "y.c": "/* Licensed under the MIT license. */\n"},
    )
    first = reading.read(str(tmp_path / "src"), Cache(place)).scans
    with sqlite3.connect(place) as base:
        base.execute("delete from content")
        base.execute("create table scan (key text primary key, value text)")
    assert reading.read(str(tmp_path / "src"), Cache(place)).read_again == 2
    again = reading.read(str(tmp_path / "src"), Cache(place))
    assert (again.read_again, again.scans) == (0, first)
    assert again.scans["x.c"].notices[0] is again.scans["y.c"].notices[0]
    tables = {name for (name,) in sqlite3.connect(place).execute("select name from sqlite_master where type = 'table'")}
    assert tables == {"file", "content", "said", "notice"}


def test_several_processes_find_the_same(tmp_path: Path) -> None:
    write(tmp_path, {f"d{n % 7}/{n}.py": f"# Copyright 20{n % 90 + 10} X\n# Licensed under MIT\n" for n in range(450)})
    alone, together = (reading.read(str(tmp_path), Cache(None), jobs=jobs) for jobs in (1, 2))
    assert alone.scans == together.scans


def test_a_huge_file_is_read_in_part(tmp_path: Path) -> None:
    with open(tmp_path / "huge.txt", "wb") as file:
        file.write(b"Licensed under the X license.\n")
        file.truncate(40 << 20)  # sparse
        file.seek(0, os.SEEK_END)
        file.write(b"\nreleased into the public domain\n")
    started = time.monotonic()
    found = scan.scan_file(str(tmp_path), "huge.txt")
    assert found.size == (40 << 20) + 33
    assert found.marks == ("truncated",)
    assert time.monotonic() - started < 20


PIECES = ["/*", "*/", "//", "#", '"""', "\n", " ", "license ", "copyright (c) ", "(c)" * 40, "<", ">" * 30, "&amp;", "1999, ",  # noqa: E501
          "gpl ", "permission is ", "\x00", "\xe4", "-" * 50, "spdx-license-identifier: ", "version ", "2.0.", "all rights reserved"]  # fmt: skip  # noqa: E501


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=60), st.sampled_from(["x.c", "x.py", "x.html", "x.f", "LICENSE", "x.ml"])
)
def test_anything_can_be_read(parts: list[str], name: str) -> None:
    text = "".join(parts)
    found = scan.scan_bytes(name, text.encode(), "", "", len(text))
    said: dict[str, object] = {}
    packed = json.loads(json.dumps(found.packed(said)))
    assert scan.said_by([packed]) == set(said)
    assert scan.Unpacking(json.loads(json.dumps(said))).scan(packed) == found


@pytest.mark.parametrize("piece", [piece for piece in PIECES if piece.strip("\x00")])
def test_no_piece_takes_quadratic_time(piece: str) -> None:
    def seconds(count: int) -> float:
        text = "// license\n/* license " + piece * (count // len(piece))
        started = time.process_time()
        statements(text, syntax_of("x.c"))
        statements(text, PROSE)
        return time.process_time() - started

    seconds(10_000)
    assert seconds(200_000) < 3


MORE_PIECES = [
    *PIECES, "\t", "license:", "license =", "licenses", "<license>", "<name>", "[", "{", "\\", "dnl ", "REM ", "--",
    "<!--", "{-", "(*", "a ", "@", ",", "by ", "see ", "the ", "of ", "\r\n", "\u2028", "licensed under the ",
    "public domain ",
]  # fmt: skip
NAMES = [
    "x.c", "x.py", "x.html", "x.f", "LICENSE", "x.ml", "README.md", "setup.py", "package.json", "x.gemspec", "pom.xml",
    "BUILD", "Cargo.toml", "x.js", "x.bat", "configure.ac", "x.lisp", "x.tex", "Makefile", "x.sql", "x.hs", "x.po",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_no_file_takes_quadratic_time(seed: int) -> None:
    known = references.load(references.directory())
    random = Random(seed)

    def seconds(name: str, unit: str, size: int) -> float:
        data = (unit * (size // len(unit))).encode()
        started = time.process_time()
        for notice in scan.scan_bytes(name, data, "", "", len(data)).notices[:3]:
            classify(notice.text, known)
        return time.process_time() - started

    names = [*NAMES, "setup.py", "x.gemspec", "x.podspec"]
    for number in range(40):
        unit = "".join(random.choices(MORE_PIECES, k=1 + number % 3))
        name = random.choice(names)
        short = seconds(name, unit, 15_000)
        assert seconds(name, unit, 60_000) < max(1.0, short * 8), (name, unit)


@pytest.mark.parametrize("name", ["setup.py", "x.gemspec", "x.podspec", "pom.xml", "DESCRIPTION"])
@pytest.mark.parametrize("unit", ["\n", " ", "license:\n\n", "license: " + " " * 50, "<license> ", "license=[ "])
def test_manifests_take_linear_time(name: str, unit: str) -> None:
    text = "license:" + unit * (150_000 // len(unit))
    started = time.process_time()
    build_statements.read(name, text)
    assert time.process_time() - started < 2


@given(st.lists(st.text("ab. ~", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join))
def test_paths_of_a_tree_are_split_as_the_library_splits_them(path: str) -> None:
    assert (tree.directory_of(path), tree.name_of(path)) == posixpath.split(path)


@pytest.mark.parametrize(
    ("path", "suspect"),
    [
        ("a/lena.png", True),
        ("Lenna.JPG", True),
        ("a/test-lena_gray.bmp", True),
        ("a/lena512.raw", True),
        ("lena/a.png", False),
        ("a/helena.png", False),
        ("a/rfc2119.txt", True),
        ("rfc2119.txt/a", False),
        ("a/x.swf", True),
        ("a.swf/x", False),
        ("waf", True),
        ("a/mywaf", False),
    ],
)
def test_files_that_are_known_not_to_be_free_are_told_by_their_names(tmp_path: Path, path: str, suspect: bool) -> None:
    write(tmp_path, {path: "x\n"})
    found = {finding.subject for finding in audit_of(tmp_path).findings if finding.kind == "dfsg-suspect"}
    assert found == ({path} if suspect else set())
