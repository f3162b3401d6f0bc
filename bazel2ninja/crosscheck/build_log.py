"""What `bazel build -s` (--subcommands) writes: the command line of each action that was run.

    SUBCOMMAND: # //a:b [action 'Compiling a/b.cc', configuration: 0123, execution platform: @platforms//host]
    (cd /execroot/name && \\
      exec env - \\
        PATH=/bin:/usr/bin \\
      /usr/bin/gcc -c a/b.cc -o bazel-out/k8-fastbuild/bin/a/_objs/b/b.o)

Old releases begin with `>>>>> #`, and since Bazel 5 the mnemonic stands in the brackets.  A link's options are in a
parameter file, which the log names only; what a command makes is told for compiles and links alone.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from bazel2ninja.crosscheck.oracle import ActionDump, OracleAction, is_exec_configuration
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
_HEADER = re.compile(
    r"^(?:SUBCOMMAND: |>>>>> +)# (?P<label>\S+) \[(?:action )?'(?P<title>.*?)'(?P<more>(?:, [^\]\n]*)?)\]$",
    re.MULTILINE,
)
_TOKEN = re.compile(r"(?P<space>(?:\s|\\\n)+)|(?P<end>\))|(?P<word>(?:'[^']*'|\\[^\n]|[^\s'\\()])+)")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_MNEMONIC = re.compile(r"\bmnemonic: (\w+)")
_TOOL = re.compile(r" \[for (?:host|tool)\]$")
_CONFIGURATION = re.compile(r"bazel-out/[^/\s]+/(?:bin|genfiles)")
PARAMETERS = re.compile(r"(?:@|-Wl,@)(.*)-\d+\.params")

UNTOLD = frozenset(("outputs", "inputs"))
UNTOLD_LINK = frozenset(
    ("members", "kind", "flags", "soname", "version_scripts", "runtime_directories", "toolchain_flags", "bookkeeping")
)
"""What a link's parameter file would tell, when all of the command is in it."""
_UNTOLD_SECOND_HALF = frozenset(("members", "flags", "toolchain_flags", "bookkeeping", "inputs"))


def is_build_log(text: str) -> bool:
    """Whether a text has such a block."""
    return _HEADER.search(_CONTROL.sub("", text)) is not None


def read(text: str, name: str) -> ActionDump:
    """The actions of a log; raises WorkspaceError where it ends inside of one."""
    text = _CONTROL.sub("", text)
    found = []
    for header in _HEADER.finditer(text):
        place = Location(name, text.count("\n", 0, header.start()) + 1, 1)
        words = _words(text, header.end() + 1, place)
        found.append(_action(header, words, place))
    return ActionDump(tuple(found), frozenset(("compile", "archive", "link", "other")), ran=True)


def _words(text: str, position: int, place: Location) -> list[str]:
    """The words between the brackets that follow a header."""
    if not text.startswith("(", position):
        raise WorkspaceError(Diagnostic("the subcommand that is announced here does not follow", place))
    position += 1
    words: list[str] = []
    while match := _TOKEN.match(text, position):
        position = match.end()
        if match["end"]:
            return words
        if match["word"]:
            words.append(re.sub(r"'([^']*)'|\\(.)", lambda m: m[1] if m[1] is not None else m[2], match["word"]))
    raise WorkspaceError(Diagnostic("the log ends, or is damaged, inside the subcommand that begins here", place))


def _action(header: re.Match[str], words: Sequence[str], place: Location) -> OracleAction:
    start = words.index("-") + 1 if "-" in words[:6] else words.index("&&") + 1 if "&&" in words else 0
    while start < len(words) and _ASSIGNMENT.fullmatch(words[start]):
        start += 1
    command = tuple(words[start:])
    if not command:
        raise WorkspaceError(Diagnostic("a subcommand without a command", place))
    title = header["title"]
    given = _MNEMONIC.search(header["more"])
    outputs, untold = _outputs(command, given[1] if given else "", title.startswith("Linking "))
    mnemonic = given[1] if given else _mnemonic(command, title, outputs)
    if not mnemonic:
        untold |= {"mnemonic"}
    host = bool(_TOOL.search(title)) or is_exec_configuration(outputs) or (not outputs and _is_for_tools(command))
    return OracleAction(mnemonic, header["label"], host, outputs, (), command, untold, title)


def _outputs(command: Sequence[str], mnemonic: str, is_link: bool) -> tuple[tuple[str, ...], frozenset[str]]:
    """What a command makes as far as its words say so, and what they leave untold."""
    parameters = [match[1] for match in map(PARAMETERS.fullmatch, command) if match]
    named = (command[len(command) - command[::-1].index("-o")],) if "-o" in command[:-1] else ()
    if named and "-c" in command and mnemonic in ("", "CppCompile"):
        return named, frozenset(("inputs",))
    if mnemonic in ("CppLink", "CppArchive") or (not mnemonic and is_link):
        if len(parameters) == 1:
            return named or (parameters[0],), _UNTOLD_SECOND_HALF if named else UNTOLD_LINK | {"inputs"}
        if named:
            return named, frozenset(("inputs",))
    return (), UNTOLD


def _is_for_tools(command: Sequence[str]) -> bool:
    """Whether a command that tells no output names files of the tools' configuration and of no other."""
    configurations = {match[0] for word in command for match in _CONFIGURATION.finditer(word)}
    return bool(configurations) and all(is_exec_configuration((path,)) for path in configurations)


def _mnemonic(command: Sequence[str], title: str, outputs: Sequence[str]) -> str:
    if "-c" in command and outputs:
        return "CppCompile"
    if outputs:
        return (
            "CppArchive" if posixpath.basename(command[0]) == "ar" or outputs[0].endswith((".a", ".lo")) else "CppLink"
        )
    return "Genrule" if title.startswith("Executing genrule ") else ""
