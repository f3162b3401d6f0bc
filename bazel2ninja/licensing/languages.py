"""How comments are written in each language, by file name; a language without an entry is read as prose."""

from __future__ import annotations

import posixpath
import re

from bazel2ninja.records import dataclass


@dataclass(frozen=True, slots=True)
class Syntax:
    """`lines`: what begins a comment that ends with the line; `blocks`: (opening, closing) of the others.

    `prose`: the whole file is text for people, comments or not (a licence file, a README, HTML).
    """

    name: str
    lines: tuple[str, ...] = ()
    blocks: tuple[tuple[str, str], ...] = ()
    prose: bool = False


_C_BLOCK = (("/*", "*/"),)
# documentation within Perl: from a line that is a command to "=cut", or to the end
_POD = (("\n=", "\n=cut"),)
_QUOTES = (('"""', '"""'), ("'''", "'''"))

PROSE = Syntax("prose", prose=True)
_SYNTAXES: dict[str, tuple[Syntax, str]] = {
    "c": (
        Syntax("c", ("//",), _C_BLOCK),
        (
            "c h cc cpp cxx c++ hh hpp hxx h++ inl inc ipp tcc tpp ino m mm cu cuh cl hip metal java js jsx ts tsx mjs cjs "  # noqa: E501
            "go rs swift kt kts scala groovy gradle dart cs d v sv svh vala proto fbs thrift avdl y yy l ll ypp lpp g4 "
            "glsl vert frag geom comp tesc tese hlsl fx rl scss less php as cg qml jsonnet ispc sc zig td def x in_c rgs "  # noqa: E501
            "idl moc pde gsl tpp txx hin cin rc bc"
        ),
    ),
    # "#." and "#:" are hints and places that a program wrote
    "gettext": (Syntax("gettext", ("# ",)), "po pot"),
    "css": (Syntax("css", (), _C_BLOCK), "css"),
    "python": (
        Syntax("python", ("#",), _QUOTES),
        "py pyx pxd pxi pyi pyw bzl bazel build star sky gyp gypi wscript",
    ),
    "hash": (
        Syntax("hash", ("#",)),
        (
            "sh bash zsh ksh csh fish rb rake gemspec r R tcl awk sed mk mak am ac m4sh make cmake toml yaml yml "
            "conf cfg ini properties pc textproto pbtxt prototxt ninja gn nix ps1 psm1 desktop service spec list "
            "dockerfile gitignore gitattributes jl ex exs cr coffee gd tres import rules rnc"
        ),
    ),
    "perl": (Syntax("perl", ("#",), _POD), "pl pm pod t perl"),
    "xs": (Syntax("c", ("//",), (*_C_BLOCK, *_POD)), "xs"),
    "vim": (Syntax("vim", ('"',)), "vim"),
    # the second block is how sources for m4 put a comment away
    "asm": (Syntax("asm", (";", "//", "#", "@"), (*_C_BLOCK, ("ifelse(`", "')"))), "s S asm nasm yasm inc_asm"),
    "m4": (Syntax("m4", ("dnl", "#")), "m4"),
    "semicolon": (Syntax("semicolon", (";",)), "el lisp lsp scm ss clj cljs edn reg iss nsi nsh"),
    "dashes": (
        Syntax("dashes", ("--",), (*_C_BLOCK, ("--[[", "]]"), ("{-", "-}"))),
        "sql lua hs lhs elm adb ads vhd vhdl",
    ),
    "percent": (Syntax("percent", ("%",)), "tex sty cls bib ltx dtx erl hrl ps eps pro"),
    "matlab": (Syntax("matlab", ("%", "#")), "mat octave"),
    "batch": (Syntax("batch", ("REM", "rem", "Rem", "::", "@REM", "@rem")), "bat cmd"),
    "basic": (Syntax("basic", ("'",)), "vb vbs bas frm"),
    "fortran": (Syntax("fortran", ("!", "C", "c", "*")), "f for f77 f90 f95 f03 f08 F F90 fpp"),
    "ocaml": (Syntax("ocaml", ("//",), (("(*", "*)"),)), "ml mli mll mly fs fsi sml pas pp dpr"),
    "roff": (Syntax("roff", ('.\\"', "'\\\"")), "1 2 3 4 5 6 7 8 man mdoc"),
    "autotools": (Syntax("m4", ("dnl", "#")), "ac"),
    "json": (Syntax("json", ("//",), _C_BLOCK), "json ipynb json5 jsonc geojson"),
}
_BY_EXTENSION = {
    "." + extension: syntax for syntax, extensions in _SYNTAXES.values() for extension in extensions.split()
}
_BY_NAME = {
    name: _SYNTAXES[language][0]
    for language, names in {
        "python": "build workspace sconstruct sconscript wscript",
        "hash": "makefile gnumakefile kbuild kconfig dockerfile cmakelists.txt rakefile gemfile vagrantfile meson.build "  # noqa: E501
        "meson_options.txt meson.options codeowners .gitignore .clang-format .bazelrc configure config.guess config.sub "  # noqa: E501
        "install-sh missing depcomp ltmain.sh compile ar-lib",
        "m4": "configure.in configure.ac aclocal.m4",
    }.items()
    for name in names.split()
}

# tables and lists in plain text, with remarks before the first line of them
_OF_DATA = re.compile(
    r"(?!readme|changes|news|todo|install|notes).*\.(?:txt|dat|csv|tsv|tab|map|tbl|data)$", re.IGNORECASE
)
_REMARKS = 4  # lines with which such a file begins, if any

# what the head of a file may be written in when its name tells another language
_HEAD_BLOCKS = (("/*", "*/"), ("(*", "*)"), ("<!--", "-->"), ("{-", "-}"), ('"""', '"""'))
_HEAD_LINES = ("//", "#", ";", "--", "%", "!", '"', "<?php", "<?xml")
_HEAD = 12_000  # characters
_PLAIN_FIRST = re.compile(r"[A-Za-z][\w'.,()-]*(?:[ \t]+[\w'.,()/-]+){4,}[.,:]?$")
_PLAIN = re.compile(r"[A-Za-z0-9(][^{}=$\"\\\\]*$")


def head(text: str) -> int:
    """How far the comments with which a file begins go, in whatever language, or the lines in plain words."""
    at = 0
    plain = None
    while at < len(text) and at < _HEAD:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at : min(end, at + _HEAD)].strip()
        block = next((each for each in _HEAD_BLOCKS if line.startswith(each[0])), None)
        if block is not None and not plain:
            opening = text.index(block[0], at) + len(block[0])
            closing = text.find(block[1], opening, at + _HEAD)
            if closing < 0:
                return at
            end = text.find("\n", closing)
            end = len(text) if end < 0 else end
            plain = False
        elif line.startswith(_HEAD_LINES) and not plain:
            plain = plain if line.startswith("#!") else False
        elif line:
            plain = plain if plain is not None else _PLAIN_FIRST.match(line) is not None
            if not plain or _PLAIN.match(line) is None:
                return at
        at = end + 1
    return min(at, len(text))


def of_data(path: str, text: str) -> Syntax | None:
    """The syntax of a file with data that begins with several lines of remarks; None of any other."""
    if not text.startswith("#") or not _OF_DATA.match(posixpath.basename(path)):
        return None
    lines = text[:2000].split("\n", _REMARKS)[:_REMARKS]
    begun = [line for line in lines if line.startswith("#")]
    return _SYNTAXES["hash"][0] if len(begun) == _REMARKS else None


def syntax_of(path: str, first_line: str = "") -> Syntax:
    """The comment syntax of a file, from its name, else from its `#!` line."""
    name = posixpath.basename(path)
    found = _BY_NAME.get(name.lower())
    if found is not None:
        return found
    stem, extension = posixpath.splitext(name)
    if extension.lower() in (".in", ".tpl", ".tmpl", ".template", ".cmakein", ".jinja", ".j2", ".orig", ".bak"):
        inner = syntax_of(stem) if stem != name else PROSE
        if inner is not PROSE:
            return inner
    found = _BY_EXTENSION.get(extension) or _BY_EXTENSION.get(extension.lower())
    if found is not None and found.name == "c" and name.lower().startswith(("makefile.", "gnumakefile.")):
        return _SYNTAXES["hash"][0]  # Makefile.inc
    if found is not None and not (found.name == "roff" and not first_line.startswith((".", "'"))):
        return found
    if first_line.startswith("#!"):
        program = next((name for name in ("node", "python", "perl") if name in first_line), "")
        return _SYNTAXES[{"node": "c", "": "hash"}.get(program, program)][0]
    return PROSE
