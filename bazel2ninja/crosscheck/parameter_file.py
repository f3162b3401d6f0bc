"""A parameter file of a link or an archive (`NAME-2.params`): its words, one a line.

Bazel leaves them beside what it links; `bazel build -s` names them only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from bazel2ninja.crosscheck.build_log import UNTOLD_LINK
from bazel2ninja.crosscheck.oracle import ActionDump, OracleAction, is_exec_configuration
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError

_ARCHIVE = re.compile(r"r?c?s?[a-zA-Z]*")


def is_parameter_file(text: str) -> bool:
    """Whether a text reads like one: `-o`, an option of a link or the letters of ar on the first line, no spaces."""
    lines = text.splitlines()
    return bool(lines) and (lines[0] in ("-o", "-shared", "-static", "rcsD", "rcs", "rcD") or "-o" in lines[:-1])


def read(text: str, name: str) -> ActionDump:
    """The one action of a parameter file, whose label is not told; raises WorkspaceError when it makes nothing."""
    words = tuple(re.sub(r"^'(.*)'$", r"\1", line).replace("'\\''", "'") for line in text.splitlines())
    kind = "link"
    if words and not words[0].startswith("-") and _ARCHIVE.fullmatch(words[0]):
        kind = "archive"
        output = words[1] if len(words) > 1 else ""
    else:
        output = words[words.index("-o") + 1] if "-o" in words[:-1] else ""
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
            if known is None:
                by_output[output] = len(actions)
                actions.append(action)
            elif actions[known].untold >= UNTOLD_LINK:
                untold = actions[known].untold - UNTOLD_LINK
                words = (actions[known].arguments[0], *action.arguments[1:])
                actions[known] = replace(actions[known], arguments=words, untold=untold)
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
