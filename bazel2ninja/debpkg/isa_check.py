"""Instructions above the baseline in finished programs and libraries, function by function.

A function may use them when a run-time check guards it.  Two kinds of guards are known: the function is what an ifunc's
resolver chooses (or is only reached from such functions), or its object was compiled with -m options of its own, which
is how projects with their own dispatch build their kernels.  The second kind has a trap: an inline function that such
an object instantiates is a weak symbol, and the linker may take that copy for everybody.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bazel2ninja.debpkg.isa_instructions import requirement
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError

_FUNCTION = re.compile(r"([0-9a-f]+) <(.+)>:$")
_INSTRUCTION = re.compile(r"\s*([0-9a-f]+):\t(\S+)\s*(.*)$")
_PREFIXES = frozenset(
    ("lock", "rep", "repz", "repnz", "bnd", "notrack", "data16", "addr32", "cs", "ds", "es", "fs", "gs")
)
_REFERENCE = re.compile(r"<([^<>+]+(?:<.*>[^<>+]*)?)(\+0x[0-9a-f]+)?>")
_RAISES = re.compile(
    r"-m(?:arch=(?!x86-64$)\S+|sse3|ssse3|sse4\S*|avx\S*|fma4?|f16c|bmi2?|lzcnt|movbe|popcnt|aes|v?pclmul\S*|"
    r"sha|adx|rdrnd|rdseed|gfni|amx\S*|cx16|xop)$"
)


@dataclass(slots=True)
class Function:
    """One function: the first instruction above the baseline, how many there are, what it refers to."""

    name: str
    address: int
    level: int = 0
    extensions: dict[str, None] = field(default_factory=dict)
    first: str = ""
    count: int = 0
    references: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """kind: "unguarded", or "weak": from an object with -m options, taken for all users of the name."""

    library: str
    function: str
    kind: str
    level: int
    extensions: tuple[str, ...]
    first: str
    count: int
    origin: str = ""


@dataclass(frozen=True, slots=True)
class RaisedObject:
    """An object compiled with -m options: its path, those options, its own and its weak functions."""

    path: str
    options: tuple[str, ...]
    own: frozenset[str]
    weak: frozenset[str]


@dataclass(frozen=True, slots=True)
class Report:
    """findings, and how many functions above the baseline are guarded: by ifuncs, by their object's options."""

    findings: tuple[Finding, ...]
    functions: int
    by_ifunc: int
    by_object: int


def check(library: str, baseline: int, raised: Sequence[RaisedObject] = ()) -> Report:
    """Disassembles one linked file.  Raises WorkspaceError when it cannot be, or is not for x86-64."""
    _require_x86(library)
    functions = {function.name: function for function in disassemble(library, baseline)}
    resolvers, exported = _symbols(library, functions.values())
    dispatched = _dispatched(functions, resolvers, exported)
    own = {name: each for each in raised for name in each.own}
    weak = {name: each for each in raised for name in each.weak}
    findings = []
    by_ifunc = by_object = 0
    for function in functions.values():
        if not function.count:
            continue
        name = function.name
        plain = name.split("@")[0]
        if name in dispatched:
            by_ifunc += 1
            continue
        origin = weak.get(plain)
        if origin is None and _of_object(plain, own):
            by_object += 1
            continue
        findings.append(
            Finding(
                library,
                name,
                "unguarded" if origin is None else "weak",
                function.level,
                tuple(function.extensions),
                function.first,
                function.count,
                "" if origin is None else f"{origin.path} ({' '.join(origin.options)})",
            )
        )
    return Report(tuple(findings), len(functions), by_ifunc, by_object)


def _of_object(name: str, own: Mapping[str, RaisedObject]) -> bool:
    # the compiler splits functions: kernel.cold, kernel.part.0 belong to kernel
    return name in own or name.split(".")[0] in own


def disassemble(library: str, baseline: int) -> Iterator[Function]:
    """Every function of a linked file."""
    output = _run(["objdump", "-d", "-w", "--no-show-raw-insn", library], library)
    current: Function | None = None
    for line in output.splitlines():
        head = _FUNCTION.match(line)
        if head is not None:
            if current is not None:
                yield current
            current = Function(head[2], int(head[1], 16))
            continue
        match = _INSTRUCTION.match(line)
        if match is None or current is None:
            continue
        mnemonic, operands = match[2], match[3]
        while mnemonic in _PREFIXES and operands:
            mnemonic, _, operands = operands.partition(" ")
            operands = operands.strip()
        for reference in _REFERENCE.finditer(operands):
            if reference[2] is None or reference[1] != current.name:
                current.references[reference[1]] = None
        level, extension = requirement(mnemonic, operands.partition("#")[0])
        if level > baseline:
            current.count += 1
            current.level = max(level, current.level)
            current.extensions[extension] = None
            current.first = current.first or f"{mnemonic} {operands.strip()}".strip()
    if current is not None:
        yield current


def _symbols(library: str, functions: Iterable[Function]) -> tuple[set[str], set[str]]:
    """(names of the functions that are ifunc resolvers, names that other files can call)."""
    by_address = {function.address: function.name for function in functions}
    resolvers: set[str] = set()
    exported: set[str] = set()
    table = ""
    for line in _run(["readelf", "-W", "-s", library], library).splitlines():
        if line.startswith("Symbol table"):
            table = line.split("'")[1]
            continue
        words = line.split()
        if len(words) < 8 or not words[0][:-1].isdigit():
            continue
        address, kind, binding, section = int(words[1], 16), words[3], words[4], words[6]
        if section == "UND":
            continue
        if kind == "IFUNC" and address in by_address:
            resolvers.add(by_address[address])
        elif table == ".dynsym" and binding != "LOCAL" and address in by_address:
            exported.add(by_address[address])
    return resolvers, exported


def _dispatched(functions: Mapping[str, Function], resolvers: Iterable[str], exported: set[str]) -> set[str]:
    """What resolvers choose from, and what is only reached from there."""
    found = {name for resolver in resolvers for name in functions[resolver].references if name in functions} - exported
    callers: dict[str, set[str]] = {}
    for function in functions.values():
        for name in function.references:
            callers.setdefault(name, set()).add(function.name)
    while True:
        further = {
            name
            for name, users in callers.items()
            if name in functions and name not in found and name not in exported and users <= found | {name}
            and users != {name}
        }  # fmt: skip
        if not further:
            return found
        found |= further


def raised_objects(build: str) -> list[RaisedObject]:
    """The objects of a build directory that are compiled with -m options of their own."""
    database = json.loads(_run(["ninja", "-C", build, "-t", "compdb", "cc", "cxx", "asm"], build))
    commands = [shlex.split(entry["command"]) for entry in database]
    every = [{word for word in words if _RAISES.match(word)} for words in commands]
    common = set.intersection(*every) if every else set()  # the packager's own flags raise nothing
    found = []
    for entry, options in zip(database, every, strict=True):
        own = options - common
        path = os.path.join(build, entry.get("output", ""))
        if own and os.path.isfile(path):
            strong, weak = _defined(path)
            found.append(RaisedObject(path, tuple(sorted(own)), strong, weak))
    return found


def _defined(path: str) -> tuple[frozenset[str], frozenset[str]]:
    strong, weak = set(), set()
    for line in _run(["nm", "--defined-only", path], path).splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "tT":
            strong.add(words[2])
        elif len(words) == 3 and words[1] in "Wwu":
            weak.add(words[2])
    return frozenset(strong), frozenset(weak)


def _require_x86(library: str) -> None:
    if not os.path.isfile(library):
        raise WorkspaceError(Diagnostic("does not exist", Location(library)))
    header = _run(["readelf", "-W", "-h", library], library)
    if "X86-64" not in header:
        raise WorkspaceError(Diagnostic("is no program or library for x86-64", Location(library)))
    if re.search(r"Type:\s+REL", header):
        raise WorkspaceError(
            Diagnostic("is not linked yet", Location(library), help="check the shared library or program it goes into")
        )


def _run(command: Sequence[str], subject: str) -> str:
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False, env={**os.environ, "LC_ALL": "C"}
        )
    except OSError as error:
        message = f"cannot run '{command[0]}': {(error.strerror or str(error)).lower()}"
        raise WorkspaceError(Diagnostic(message, help="install the package binutils or ninja-build")) from None
    if result.returncode:
        lines = (result.stderr or result.stdout).strip().splitlines() or ["no message"]
        raise WorkspaceError(Diagnostic(f"'{command[0]}' refuses it: {lines[0]}", Location(subject)))
    return result.stdout
