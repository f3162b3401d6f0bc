"""Terms of what belongs to a file that speaks: a script's library, a part with a licence file among its documents."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping

from bazel2ninja.licensing.inheritance import DOCUMENTS, Neighbours, Terms, ancestors
from bazel2ninja.licensing.own_terms import UNKNOWN, Conclusion
from bazel2ninja.licensing.project_terms import VAGUE, allowed, families

_MODULE = ".pm"  # beside Zed.pm there may be a directory Zed with the rest of it
_PERL = "Artistic-1.0-Perl OR GPL-1.0-or-later"
_LIBRARIES = frozenset({".js", ".css", ".scss", ".less", ".php", ".py", ".lua"})
_SMALL = 60  # files
_DRESS = re.compile(r"^(?:jquery|lib)[.-](?=[a-z])|[.-](?:min|pack(?:ed)?|js|css|all|bundle|dist|v?\d[\w.]*)(?=[.-]|$)")
_JOINED = str.maketrans("", "", "-_.")
_BUILT_AS_MODULE = re.compile(r"(?:Makefile|Build)\.PL$")


def libraries_of_scripts(
    own: Mapping[str, Conclusion], directories: Iterable[str], neighbours: Neighbours
) -> dict[str, Terms]:
    """Directory in which no file says anything -> the terms of the script beside it that it is of (waf, waflib)."""
    found = {}
    for directory in directories:
        script = directory.removesuffix("lib")
        said = own[script].expression if directory.endswith("lib") and script in own else UNKNOWN
        if said != UNKNOWN and not neighbours.speaking(directory, 1):
            found[directory] = Terms(said, script)
    return found


def parts_of_modules(
    own: Mapping[str, Conclusion], paths: Iterable[str], neighbours: Neighbours, governing: Iterable[str]
) -> dict[str, Terms]:
    """Directory below the root -> the terms of the module that it is of: no file in `Zed` says anything else
    and `Zed.pm` beside it speaks, or it is built as Perl's modules are, and they have Perl's terms.
    """
    apart = frozenset(governing) - {""}  # where a licence file is nearer
    found = {}
    directories = {posixpath.dirname(path) for path in paths}
    for path in paths:
        stem, extension = posixpath.splitext(path)
        if extension == _MODULE and stem in directories and path in own:
            said = own[path].expression
            silent = not neighbours.speaking(stem, 1) or neighbours.at(stem, 1) == said
            known = said != UNKNOWN and " AND " not in said and "LicenseRef-" not in said
            if known and silent and apart.isdisjoint(ancestors(stem)):
                found[stem] = Terms(said, path)
        elif extension == ".PL" and _BUILT_AS_MODULE.match(posixpath.basename(path)):
            directory = posixpath.dirname(path)
            if directory and neighbours.at(directory, 1) == _PERL and apart.isdisjoint(ancestors(directory)):
                found.setdefault(directory, Terms(_PERL, path))
    return found


def directories_of_libraries(
    own: Mapping[str, Conclusion],
    sizes: Mapping[str, int],
    neighbours: Neighbours,
    governing: Iterable[str],
    declared: Collection[str],
    main: str,
) -> dict[str, Terms]:
    """Small directory -> the terms of the library whose name it has, `slides` with `slides.min.js`, when no other
    file in it says anything else and the library does not say what the project has.
    """
    apart = frozenset(governing) - {""}
    found: dict[str, Terms] = {}
    for path, said in own.items():
        directory, name = posixpath.split(path)
        extension = posixpath.splitext(name)[1]
        if not directory or directory in declared or extension not in _LIBRARIES or said.basis not in ("notice", "tag"):
            continue
        known = said.expression != UNKNOWN and " AND " not in said.expression and "LicenseRef-" not in said.expression
        if (
            not known
            or said.expression in VAGUE
            or families([said.expression]) == families([main])
            or directory in found
        ):
            continue
        if _bare(name.removesuffix(extension)) != _bare(posixpath.basename(directory)) or sizes[directory] > _SMALL:
            continue
        if neighbours.at(directory, 1) == said.expression and apart.isdisjoint(ancestors(directory)):
            found[directory] = Terms(said.expression, path)
    return found


def _bare(name: str) -> str:
    """The name of a library without its version, and what tells how it was made or for what."""
    return _DRESS.sub("", name.lower()).translate(_JOINED)


def metrics_of_fonts(said: Iterable[tuple[str, str]], paths: Iterable[str]) -> dict[str, Terms]:
    """The metrics of fonts beside a document with the terms of those that it accompanies: (file, terms) in `said`."""
    telling = {posixpath.dirname(path): path for path, expression in said if expression == "APAFML"}
    return {
        path: Terms("APAFML", telling[posixpath.dirname(path)])
        for path in (paths if telling else ())
        if path.endswith(".afm") and posixpath.dirname(path) in telling
    }


def among_documents(governing: Mapping[str, Terms], neighbours: Neighbours) -> dict[str, Terms]:
    """Directory of a part without licence file -> the one among its documents, when that is what its files say."""
    found = {}
    for directory, terms in governing.items():
        above, _, name = directory.rpartition("/")
        if above and above not in governing and name.lower() in DOCUMENTS:
            around = neighbours.at(above, 1)
            if around and allowed(around, families(terms.found)):
                found[above] = terms
    return found
