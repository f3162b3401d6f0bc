"""SPDX expressions: parsed by license-expression, spelt one way, compared, and translated from and to Debian's names."""  # noqa: E501

from __future__ import annotations

import functools
import re
from pathlib import Path

from boolean.boolean import ParseError
from license_expression import ExpressionError, Licensing

from bazel2ninja.licensing.references import directory, identifiers, read_toml

_SYNONYM = re.compile(r"^(A?GPL|LGPL|GFDL)-(\d\.\d)(\+|)$")


# deprecated identifiers of SPDX's list -> what it says to use
_SUCCESSORS = {
    "wxWindows": "(LGPL-2.0-or-later WITH WxWindows-exception-3.1)",
    "BSD-2-Clause-FreeBSD": "BSD-2-Clause",
    "BSD-2-Clause-NetBSD": "BSD-2-Clause",
    "StandardML-NJ": "SMLNJ",
    "Nunit": "zlib-acknowledgement",
    "bzip2-1.0.5": "bzip2-1.0.6",
    "CC0": "CC0-1.0",
    "GPL-2.0-with-autoconf-exception": "GPL-2.0-only WITH Autoconf-exception-2.0",
    "GPL-2.0-with-bison-exception": "GPL-2.0-or-later WITH Bison-exception-2.2",
    "GPL-2.0-with-classpath-exception": "GPL-2.0-only WITH Classpath-exception-2.0",
    "GPL-2.0-with-font-exception": "GPL-2.0-only WITH Font-exception-2.0",
    "GPL-2.0-with-GCC-exception": "GPL-2.0-or-later WITH GCC-exception-2.0",
    "GPL-3.0-with-autoconf-exception": "GPL-3.0-only WITH Autoconf-exception-3.0",
    "GPL-3.0-with-GCC-exception": "GPL-3.0-only WITH GCC-exception-3.1",
}
_DEPRECATED = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, _SUCCESSORS))})(?![\w-]|\.\w)")
_PLAIN = re.compile(r"[\w.+()-]+(?:\s+(?:AND|OR|WITH|and|or|with)\s+[\w.+()-]+|\s*[()]+)*")


_WORD = re.compile(r"[\w.+-]+")


@functools.cache
def _licensing() -> Licensing:
    return Licensing()


@functools.cache
def _spellings() -> dict[str, str]:
    """Identifiers in lower case -> as SPDX writes them; it does not tell the two apart."""
    return {name.lower(): name for name in identifiers(directory())}


def _spelt(match: re.Match[str]) -> str:
    return _spellings().get(match[0].lower(), match[0])


def _of_words(text: str) -> str:
    """An expression at the beginning of a text; an identifier's parts may have blanks between them."""
    name = "-".join(text.removesuffix(" License").removesuffix(" license").split()[:4]).lower()
    if name in _spellings():
        return _spellings()[name]
    found = _PLAIN.match(text)
    if found is None:
        return ""
    one = found[0].rstrip(".")
    if " " in text and " " not in one and "-" not in one and one.lower().rstrip("+") not in _spellings():
        return ""  # the first of some words is no identifier: "BSD style"
    return one


def normal(expression: str) -> str | None:
    """One spelling of an SPDX expression ("GPL-2.0+" becomes "GPL-2.0-or-later"); None when it is no expression."""
    if not expression:
        return None
    expression = _of_words(expression.strip())
    if not expression:
        return None
    text = re.sub(r"\b((?:A|L)?GPL|GFDL)-(\d(?:\.\d)?)(\+|)(?![-.\w])", _gnu, expression, flags=re.IGNORECASE)
    text = _DEPRECATED.sub(lambda match: _SUCCESSORS[match[0]], text)
    text = _WORD.sub(_spelt, text)
    try:
        parsed = _licensing().parse(text, strict=False)
    except (ExpressionError, ParseError, AttributeError, TypeError, ValueError, RecursionError):
        return None
    if parsed is None:
        return None
    return str(parsed.simplify() if " AND " in text.upper() or " OR " in text.upper() else parsed)


def _gnu(match: re.Match[str]) -> str:
    version = match[2] if "." in match[2] else match[2] + ".0"
    return f"{match[1].upper()}-{version}-{'or-later' if match[3] else 'only'}"


@functools.lru_cache(maxsize=10_000)
def keys(expression: str) -> frozenset[str]:
    """The licences and exceptions that an expression names; the expression itself when it cannot be parsed."""
    try:
        return frozenset(_licensing().license_keys(expression, unique=True, simple=True))
    except (ExpressionError, ParseError, AttributeError, TypeError, ValueError, RecursionError):
        return frozenset({expression})


def joined(parts: list[str], operator: str = "AND") -> str:
    """One expression of several, without repetition."""
    unique = list(dict.fromkeys(part for part in parts if part))
    if len(unique) < 2:
        return unique[0] if unique else ""
    text = f" {operator} ".join(f"({part})" if " AND " in part or " OR " in part else part for part in unique)
    return normal(text) or text


class DebianNames:
    """Debian's short names (https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/#license-short-name)."""

    def __init__(self, root: Path | None = None):
        table = read_toml((root or directory()) / "debian-names.toml")
        self._to_spdx: dict[str, str] = {}
        self._to_debian: dict[str, str] = {}
        for spdx, names in table.get("names", {}).items():
            for name in names:
                self._to_spdx[name.lower()] = spdx
            first = names[0]
            self._to_debian[spdx] = first.removeprefix("with ") + " exception" if first.startswith("with ") else first
        for name in identifiers(root or directory()):
            self._to_spdx.setdefault(name.lower(), name)

    def to_spdx(self, synopsis: str) -> str:
        """SPDX for the first line of a License field; a name that is unknown becomes LicenseRef-NAME."""
        text = re.sub(r",\s*(and|or)\b", r" \1", " ".join(synopsis.split()))
        parts = re.split(r"\s+(and/or|and|or)\s+|\s*([()|])\s*", text, flags=re.IGNORECASE)
        found = []
        for part in parts:
            if not part:
                continue
            if part.lower() in ("and", "or", "(", ")"):
                found.append(part.upper())
            elif part in ("|", "and/or"):
                found.append("OR")
            else:
                found.append(self._one(part))
        text = " ".join(found)
        return normal(text) or text

    def _one(self, name: str) -> str:
        name = name.strip().rstrip(",;")
        if "-AND-" in name or "-OR-" in name:
            parts = re.split(r"-(AND|OR)-", name)
            return " ".join(part if part in ("AND", "OR") else self._one(part) for part in parts)
        exception = re.search(r"\s+with\s+(.+?)(?:\s+exception)?$", name, re.IGNORECASE)
        if exception is not None:
            base = self._one(name[: exception.start()])
            words = re.sub(r"[^A-Za-z0-9.]+", "-", exception[1]).strip("-")
            said = exception[1].lower()
            exact = self._to_spdx.get(said, "") if "exception" in said else ""
            addition = self._to_spdx.get(f"with {said}") or exact or f"{words}-exception"
            return f"{base} WITH {addition}"
        known = self._to_spdx.get(name.lower())
        if known is not None:
            return known
        gnu = re.match(r"(a?gpl|lgpl|gfdl)-?v?(\d(?:\.\d)?)(?:\.0)?(\+|-or-later|-only|)$", name, re.IGNORECASE)
        if gnu is not None:
            version = gnu[2] if "." in gnu[2] else gnu[2] + ".0"
            return f"{gnu[1].upper()}-{version}-{'or-later' if gnu[3] in ('+', '-or-later') else 'only'}"
        clean = re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-") or "none"
        return clean if clean in self._to_debian else f"LicenseRef-{clean.removeprefix('LicenseRef-')}"

    def to_debian(self, expression: str) -> str:
        """The synopsis for a License field: "Expat", "GPL-2+ or MPL-1.1", "Apache-2.0 with LLVM exception"."""
        text = re.sub(r"\b((?:A|L)?GPL|GFDL)-(\d)(\.\d)-(only|or-later)\b", _debian_gnu, expression)
        words = []
        for word in re.split(r"(\s+|[()])", text):
            bare = word.strip()
            if bare in ("AND", "OR", "WITH"):
                words.append(word.lower())
            elif bare and bare not in "()":
                name = self._to_debian.get(bare, bare.removeprefix("LicenseRef-"))
                words.append(re.sub(r"-exception(?:-\d\.\d)?$", " exception", name))
            else:
                words.append(word)
        return "".join(words)


def _debian_gnu(match: re.Match[str]) -> str:
    minor = "" if match[3] == ".0" else match[3]
    return f"{match[1]}-{match[2]}{minor}" + ("+" if match[4] == "or-later" else "")
