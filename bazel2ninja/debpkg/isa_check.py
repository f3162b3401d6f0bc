"""Instructions above the baseline in finished programs and libraries, function by function.

A function may use them when a run-time check guards it.  Two kinds of guards are known: the function is what an ifunc's
resolver chooses (or is only reached from such functions), or its object was compiled with -m options of its own, which
is how projects with their own dispatch build their kernels.  The second kind has a trap: an inline function that such
an object instantiates is a weak symbol, and the linker may take that copy for everybody.  A guard counts while there is
no other way in: what is exported, in a table of functions, or called by others is not guarded by a resolver.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bazel2ninja.debpkg.elf_files import read_symbols, require_x86, run, run_lines
from bazel2ninja.debpkg.isa_instructions import operands_matter, requirement
from bazel2ninja.debpkg.isa_objects import RaisedObject

_FUNCTION = re.compile(rb"([0-9a-f]+) <(.+)>:$")
_PREFIXES = frozenset(
    ("lock", "rep", "repz", "repnz", "bnd", "notrack", "data16", "addr32", "cs", "ds", "es", "fs", "gs")
)
_REFERENCE = re.compile(r"<([^<>+]+(?:<.*>[^<>+]*)?)(\+0x[0-9a-f]+)?>")


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
class Report:
    """findings, and how many functions above the baseline are guarded: by ifuncs, by their object's options.

    stripped: only exported names are known, and local functions count as the exported one before them.
    """

    findings: tuple[Finding, ...]
    functions: int
    by_ifunc: int
    by_object: int
    stripped: bool = False


def check(library: str, baseline: int, raised: Sequence[RaisedObject] = ()) -> Report:
    """Disassembles one linked file.  Raises WorkspaceError when it cannot be, or is not for x86-64."""
    require_x86(library)
    functions = list(disassemble(library, baseline))
    symbols = _symbols(library, functions)
    reached = _Reached(functions, symbols)
    dispatched = reached.only_from(symbols.resolvers)
    own = {name for each in raised for name in each.own}
    local = {entry for each in raised for entry in each.local}
    weak = {name: each for each in raised for name in each.weak}
    guarded = set()  # functions of objects with -m options; weak ones only while nobody else can call them
    for function in functions:
        plain = function.name.split("@")[0]
        source = symbols.sources.get(function.address)  # "": a hidden global function, made local by the linker
        if plain in weak:
            continue
        # the compiler splits functions: kernel.cold, kernel.part.0 belong to kernel
        names = (plain, plain.split(".")[0])
        if any(name in own if not source else (source, name) in local for name in names):
            guarded.add(function.address)
    private = reached.only_from(guarded)
    findings = []
    by_ifunc = by_object = 0
    for function in functions:
        if not function.count:
            continue
        origin = weak.get(function.name.split("@")[0])
        if function.address in dispatched:
            by_ifunc += 1
        elif function.address in guarded or (origin is not None and function.address in private):
            by_object += 1
        else:
            findings.append(
                Finding(
                    library,
                    function.name,
                    "unguarded" if origin is None else "weak",
                    function.level,
                    tuple(function.extensions),
                    function.first,
                    function.count,
                    "" if origin is None else f"{origin.path} ({' '.join(origin.options)})",
                )
            )
    return Report(tuple(findings), len(functions), by_ifunc, by_object, symbols.stripped)


class _Reached:
    """Who refers to which function, by address."""

    def __init__(self, functions: Sequence[Function], symbols: _Symbols):
        by_name: dict[str, list[int]] = {}
        for function in functions:
            by_name.setdefault(function.name, []).append(function.address)
        self._uses = {
            function.address: {address for name in function.references for address in by_name.get(name, ())}
            for function in functions
        }
        self._users: dict[int, set[int]] = {}
        for user, used in self._uses.items():
            for address in used:
                self._users.setdefault(address, set()).add(user)
        self._open = symbols.exported | symbols.in_data

    def only_from(self, roots: set[int]) -> set[int]:
        """What is reached from the roots and from nowhere else: not exported, in no table, called by no other."""
        found: set[int] = set()
        pending = [address for root in roots for address in self._uses.get(root, ())]
        while pending:
            address = pending.pop()
            if address not in found and address not in self._open and address not in roots:
                found.add(address)
                pending += self._uses[address]
        while True:
            inside = found | roots
            stray = {address for address in found if not self._users[address] <= inside}
            if not stray:
                return found
            found -= stray


def disassemble(library: str, baseline: int) -> Iterator[Function]:
    """Every function of a linked file."""
    current: Function | None = None
    within = b"<"  # how an operand refers to a place in the current function
    plain: set[bytes] = set()  # mnemonics that never need more than the baseline
    for line in run_lines(["objdump", "-d", "-w", "--no-show-raw-insn", library], library):
        _, tab, text = line.partition(b"\t")
        if not tab:
            head = _FUNCTION.match(line)
            if head is not None:
                if current is not None:
                    yield current
                current = Function(head[2].decode(errors="replace"), int(head[1], 16))
                within = b"<%s+0x" % head[2]
            continue
        word = text.partition(b" ")[0]
        if current is None or (word in plain and (b"<" not in text or within in text)):
            continue
        mnemonic, _, operands = text.decode(errors="replace").strip().partition(" ")
        while mnemonic in _PREFIXES and operands:
            mnemonic, _, operands = operands.strip().partition(" ")
        operands = operands.strip()
        for reference in _REFERENCE.finditer(operands):
            if reference[2] is None or reference[1] != current.name:
                current.references[reference[1]] = None
        if word in plain:
            continue
        level, extension = requirement(mnemonic, operands.partition("#")[0])
        if level > baseline:
            current.count += 1
            current.level = max(level, current.level)
            current.extensions[extension] = None
            current.first = current.first or f"{mnemonic} {operands}".strip()
        elif not operands_matter(mnemonic) and word == mnemonic.encode():
            plain.add(word)
    if current is not None:
        yield current


@dataclass(frozen=True, slots=True)
class _Symbols:
    """Addresses of functions: resolvers of ifuncs, what other files can call, what data refers to.

    sources: of each local function, the source file of its object.  stripped: there is no table of all symbols.
    """

    resolvers: set[int]
    exported: set[int]
    in_data: set[int]
    sources: dict[int, str]
    stripped: bool


def _symbols(library: str, functions: Iterable[Function]) -> _Symbols:
    known = {function.address for function in functions}
    every = list(read_symbols(library))
    found = _Symbols(set(), set(), set(), {}, all(symbol.table != ".symtab" for symbol in every))
    for symbol in every:
        if symbol.address not in known:
            continue
        if symbol.kind == "IFUNC":
            found.resolvers.add(symbol.address)
        elif symbol.table == ".dynsym" and symbol.binding != "LOCAL":
            found.exported.add(symbol.address)
        elif symbol.binding == "LOCAL" and symbol.kind == "FUNC":
            found.sources[symbol.address] = symbol.source
    # R_X86_64_RELATIVE: vtables, tables of functions
    for line in run(["readelf", "-W", "-r", library], library).splitlines():
        words = line.split()
        if len(words) >= 4 and words[2] in ("R_X86_64_RELATIVE", "R_X86_64_RELATIV"):
            found.in_data.add(int(words[3], 16))
    found.in_data.intersection_update(known)
    return found
