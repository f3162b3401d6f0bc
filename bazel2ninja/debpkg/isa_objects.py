"""Objects of a build that are compiled for more than the baseline, which the manifest knows."""

from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import dataclass

from bazel2ninja.debpkg.elf_files import needed_level, read_symbols, run
from bazel2ninja.debpkg.isa_variants import PLACE

_RAISES = re.compile(
    r"-m(?:arch=(?!x86-64$)\S+|sse3|ssse3|sse4\S*|avx\S*|fma4?|f16c|bmi2?|lzcnt|movbe|popcnt|aes|v?pclmul\S*|"
    r"sha|adx|rdrnd|rdseed|gfni|amx\S*|cx16|xop)$"
)
_COMPILE_RULES = ("cc", "cxx", "asm", "as")


@dataclass(frozen=True, slots=True)
class RaisedObject:
    """An object compiled with -m options: its path, those options, the functions that it defines.

    own: global ones; local: (source file, name); weak: inline functions, templates, and others of which the linker
    takes one copy for all objects.
    """

    path: str
    options: tuple[str, ...]
    own: frozenset[str]
    local: frozenset[tuple[str, str]]
    weak: frozenset[str]


def raised_objects(build: str, library: str) -> list[RaisedObject]:
    """Those in a build directory that are compiled with -m options of their own, and may be part of a linked file.

    What all objects have in common raises nothing: the packager's flags, and the level that the file is built for.
    """
    database = json.loads(run(["ninja", "-C", build, "-t", "compdb", *_COMPILE_RULES], build))
    level = needed_level(library)
    place = f"/{PLACE}/"
    parts = _parts(build, library)
    entries = []
    for entry in database:
        output = entry.get("output", "")
        if parts is None and place in output and not (level and f"{place}{level}/" in output):
            continue
        if parts is None or output in parts:
            entries.append((output, {word for word in shlex.split(entry["command"]) if _RAISES.match(word)}))
    every = [options - {f"-march={level}"} for _, options in entries]
    common = set.intersection(*every) if every else set()
    found = []
    for (output, _), options in zip(entries, every, strict=True):
        own = options - common
        path = os.path.join(build, output)
        if own and os.path.isfile(path):
            found.append(_read(path, tuple(sorted(own))))
    return found


def _parts(build: str, library: str) -> set[str] | None:
    """Everything that a linked file is made of, relative to the build directory; None when it is none of the build's.

    An installed file is found by the script that installs it.
    """
    inside = os.path.relpath(os.path.realpath(library), os.path.realpath(build))
    names = [inside] if not inside.startswith("..") else []
    script = os.path.join(build, ".bazel2ninja", "install.sh")
    if not names and os.path.isfile(script):
        with open(script, encoding="utf-8", errors="surrogateescape") as file:
            lines = [shlex.split(line) for line in file if line.startswith("install ")]
        path = os.path.realpath(library)
        names = [words[4] for words in lines if len(words) == 6 and path.endswith(words[5].removeprefix("$root"))]
    targets = {
        line.partition(": ")[0] for line in run(["ninja", "-C", build, "-t", "targets", "all"], build).splitlines()
    }
    known = [name for name in names if name in targets]
    if not known:
        return None
    return set(run(["ninja", "-C", build, "-t", "inputs", known[0]], build).splitlines())


def _read(path: str, options: tuple[str, ...]) -> RaisedObject:
    own, local, weak = set(), set(), set()
    for symbol in read_symbols(path):
        if symbol.kind not in ("FUNC", "IFUNC"):
            continue
        if symbol.binding == "LOCAL":
            local.add((symbol.source, symbol.name))
        elif symbol.binding in ("WEAK", "UNIQUE"):
            weak.add(symbol.name)
        else:
            own.add(symbol.name)
    return RaisedObject(path, options, frozenset(own), frozenset(local), frozenset(weak))
