"""A parameter file of a link or an archive (`NAME-2.params`): its words, one a line.

Bazel leaves them beside what it links; `bazel build -s` names them only.  Old releases have the linker read them, not
the compiler: then options are as the linker takes them (`-whole-archive` for `-Wl,-whole-archive`), the first half of
the command is not among them, and what is made is told by the name of the file alone.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from bazel2ninja.crosscheck.build_log import PARAMETERS, UNTOLD_LINK
from bazel2ninja.crosscheck.oracle import ActionDump, OracleAction, is_exec_configuration
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError

_ARCHIVE = re.compile(r"r?c?s?[a-zA-Z]*")
_OBJECT = re.compile(r"[^\s-]\S*\.(?:o|a|lo)")
_LINKERS_OWN = re.compile(r"--?(?:no-)?whole-archive|--(?:start|end)-lib")
_NAME = re.compile(r"(.+)-\d+\.params")


def is_parameter_file(text: str) -> bool:
    """Whether a text reads like one: `-o`, an option of a link or the letters of ar on the first line, no spaces."""
    lines = text.splitlines()
    if not lines:
        return False
    if lines[0] in ("-o", "-shared", "-static", "rcsD", "rcs", "rcD") or "-o" in lines[:-1]:
        return True
    plain = all(_OBJECT.fullmatch(line) or re.fullmatch(r"-\S+|\S+\.so[\d.]*", line) for line in lines)
    return plain and any(map(_OBJECT.fullmatch, lines))


def read(text: str, name: str) -> ActionDump:
    """The one action of a parameter file, whose label is not told; raises WorkspaceError when it makes nothing."""
    words = tuple(re.sub(r"^'(.*)'$", r"\1", line).replace("'\\''", "'") for line in text.splitlines())
    kind = "link"
    if words and not words[0].startswith("-") and _ARCHIVE.fullmatch(words[0]):
        kind = "archive"
        output = words[1] if len(words) > 1 else ""
    else:
        output = words[words.index("-o") + 1] if "-o" in words[:-1] else ""
    if not output and kind == "link":
        return _members_only(words, name)
    if not output:
        raise WorkspaceError(
            Diagnostic("not the parameters of a link: nothing says what is made ('-o FILE')", Location(name, 1, 1))
        )
    action = OracleAction(
        "CppLink" if kind == "link" else "CppArchive",
        "",
        is_exec_configuration((output,)),
        (output,),
        (),
        ("gcc" if kind == "link" else "ar", *words),
        frozenset(("label", "inputs")),
        name,
    )
    return ActionDump((action,), frozenset((kind,)), ran=True, whole=False)


def _completed(action: OracleAction, words: tuple[str, ...]) -> OracleAction:
    """A link of a log with the words of its parameter file in place of the file's name."""
    parts: list[str] = []
    for word in action.arguments:
        parts += words if PARAMETERS.fullmatch(word) else (word,)
    return replace(action, arguments=tuple(parts), untold=action.untold - UNTOLD_LINK)


def _members_only(words: tuple[str, ...], name: str) -> ActionDump:
    """What a linker reads; the name of the file tells the name of what is made."""
    match = _NAME.fullmatch(posixpath.basename(name))
    if match is None:
        raise WorkspaceError(
            Diagnostic(
                "not the parameters of a link: nothing says what is made ('-o FILE')",
                Location(name, 1, 1),
                help="such a file must have the name of what is made: NAME-2.params",
            )
        )
    members = tuple(word for word in words if _OBJECT.fullmatch(word))
    command = ("gcc", *(f"-Wl,{word}" if _LINKERS_OWN.fullmatch(word) else word for word in words))
    untold = UNTOLD_LINK - {"members"} | {"label", "inputs", "outputs"}
    action = OracleAction("CppLink", "", is_exec_configuration(members), (match[1],), (), command, untold, name)
    return ActionDump((action,), frozenset(("link",)), ran=True, whole=False)


def placed(dump: ActionDump, links: Mapping[str, Collection[str]]) -> ActionDump:
    """`dump` with paths where a parameter file tells names alone: of what is made, and of shared libraries (`-l:NAME`).

    links: output of each link of ours -> the shared libraries that it takes.
    """
    paths: dict[str, list[str]] = {}
    for path in links:
        paths.setdefault(posixpath.basename(path), []).append(path)
    actions = []
    for action in dump.actions:
        if action.mnemonic == "CppLink" and "outputs" in action.untold and action.outputs:
            known = paths.get(action.outputs[0], [])
            if len(known) > 1:
                message = f"several links make a file of this name: {', '.join(known)}"
                raise WorkspaceError(Diagnostic(message, Location(action.title, 1, 1)))
            if known:
                libraries = {f"-l:{posixpath.basename(path)}": path for path in links[known[0]]}
                words = tuple(libraries.get(word, word) for word in action.arguments)
                action = replace(action, outputs=tuple(known), arguments=words)
        actions.append(action)
    return replace(dump, actions=tuple(actions))


def merged(dumps: Iterable[tuple[str, ActionDump]]) -> ActionDump:
    """One dump of several (name, dump): parameter files complete the links of a log, or stand for themselves.

    Raises WorkspaceError when two of them tell the same link.
    """
    listed = list(dumps)
    if len(listed) == 1:
        return listed[0][1]
    actions: list[OracleAction] = []
    by_output: dict[str, int] = {}
    for name, dump in sorted(listed, key=lambda pair: not pair[1].whole):
        for action in dump.actions:
            if dump.whole:
                by_output.update((path, len(actions)) for path in action.outputs)
                actions.append(action)
                continue
            output = action.outputs[0]
            known = by_output.get(output)
            if known is None and "outputs" in action.untold:
                same = [path for path in by_output if posixpath.basename(path) == output]
                known = by_output[same[0]] if len(same) == 1 else None
            if known is None:
                by_output[output] = len(actions)
                actions.append(action)
            elif "members" in actions[known].untold:
                actions[known] = _completed(actions[known], action.arguments[1:])
            else:
                message = f"another dump tells already how '{output}' is made"
                raise WorkspaceError(Diagnostic(message, Location(name, 1, 1)))
    kinds = [dump.kinds for _, dump in listed]
    return ActionDump(
        tuple(actions),
        None if None in kinds else frozenset().union(*(kind for kind in kinds if kind is not None)),
        ran=all(dump.ran for _, dump in listed),
        whole=any(dump.whole for _, dump in listed),
    )
