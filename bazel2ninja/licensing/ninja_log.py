"""What the compiler read, from ninja's log of dependencies: with `deps = gcc` ninja keeps it there and removes depfiles.

The format is ninja's own (deps_log.h): a signature, a version, then records of a path or of an output's inputs.
"""  # noqa: E501

from __future__ import annotations

import struct

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError

_SIGNATURE = b"# ninjadeps\n"
_IS_DEPS = 0x8000_0000


def read(path: str) -> dict[str, tuple[str, ...]]:
    """output -> what it was made from, as ninja names files; the last record of an output counts.

    Raises WorkspaceError when there is no such log or it has another format; a record cut short at the end, which an
    interrupted build leaves, is ignored as ninja does.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise WorkspaceError(
            Diagnostic(f"cannot read ninja's log of dependencies: {reason}", Location(path), help="build first")
        ) from None
    if not data.startswith(_SIGNATURE) or len(data) < len(_SIGNATURE) + 4:
        raise WorkspaceError(Diagnostic("not a log of ninja's dependencies", Location(path)))
    at = len(_SIGNATURE)
    (version,) = struct.unpack_from("<i", data, at)
    if version not in (3, 4):
        raise WorkspaceError(
            Diagnostic(f"ninja's log of dependencies has version {version}, not 3 or 4", Location(path))
        )
    at += 4
    header = 2 if version == 3 else 3  # output, and a time of one or two words
    names: list[str] = []
    found: dict[str, tuple[str, ...]] = {}
    while at + 4 <= len(data):
        (size,) = struct.unpack_from("<I", data, at)
        at += 4
        is_deps, size = bool(size & _IS_DEPS), size & ~_IS_DEPS
        if at + size > len(data) or size % 4:
            break
        if is_deps:
            numbers = struct.unpack_from(f"<{size // 4}i", data, at)
            if len(numbers) < header or any(not 0 <= n < len(names) for n in (numbers[0], *numbers[header:])):
                break
            found[names[numbers[0]]] = tuple(names[number] for number in numbers[header:])
        else:
            names.append(data[at : at + size - 4].rstrip(b"\0").decode("utf-8", "surrogateescape"))
        at += size
    return found
