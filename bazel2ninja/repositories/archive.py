"""Unpacking archives into a directory from which nothing may escape.

Formats are those of https://bazel.build/rules/lib/builtins/repository_ctx#extract as far as Python reads them: zip
(jar, war, aar, nupkg, whl), tar plain or compressed with gzip, xz or bzip2, and ar (deb).
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError, suggestion
from bazel2ninja.records import dataclass

if TYPE_CHECKING:  # most runs unpack nothing: these are loaded when something is
    import tarfile
    import zipfile

_TAR_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz")
_ZIP_ENDINGS = (".zip", ".jar", ".war", ".aar", ".nupkg", ".whl")
_AR_ENDINGS = (".ar", ".deb")
ARCHIVE_ENDINGS = _TAR_ENDINGS + _ZIP_ENDINGS + _AR_ENDINGS


class ArchiveError(WorkspaceError):
    """The archive cannot be read, or one of its members would leave the directory."""


@dataclass(frozen=True, slots=True)
class _Member:
    """`path` is as in the archive, `kind` "file", "directory", "link" (symbolic), "hardlink" or "other"."""

    path: str
    kind: str
    mode: int = 0o644
    data: bytes = b""
    target: str = ""


def _refuse(archive: str, member: str, why: str) -> ArchiveError:
    return ArchiveError(Diagnostic(f"member {member!r} of the archive {why}", Location(archive)))


def _kind_of(path: str, type: str) -> str:
    name = "x." + type.lstrip(".") if type else path.lower()
    if name.endswith(_ZIP_ENDINGS):
        return "zip"
    if name.endswith(_TAR_ENDINGS):
        return "tar"
    if name.endswith(_AR_ENDINGS):
        return "ar"
    raise ArchiveError(
        Diagnostic(
            f"archive of an unsupported type: {type or os.path.basename(path)!r}",
            Location(path),
            help="expected one of " + ", ".join(ARCHIVE_ENDINGS),
        )
    )


def _tar_members(file: tarfile.TarFile) -> Iterator[_Member]:
    for info in file:
        if info.isdir():
            yield _Member(info.name, "directory", info.mode)
        elif info.issym():
            yield _Member(info.name, "link", target=info.linkname)
        elif info.islnk():
            yield _Member(info.name, "hardlink", target=info.linkname)
        elif info.isfile():
            stream = file.extractfile(info)
            yield _Member(info.name, "file", info.mode, stream.read() if stream else b"")
        else:
            yield _Member(info.name, "other")


def _zip_members(file: zipfile.ZipFile) -> Iterator[_Member]:
    for info in file.infolist():
        mode = info.external_attr >> 16
        if info.is_dir():
            yield _Member(info.filename.rstrip("/"), "directory")
        elif stat.S_ISLNK(mode):
            yield _Member(info.filename, "link", target=file.read(info).decode("utf-8", "surrogateescape"))
        else:
            yield _Member(info.filename, "file", stat.S_IMODE(mode) or 0o644, file.read(info))


def _ar_members(data: bytes) -> Iterator[_Member]:
    """The format of ar(5), as in deb(5)."""
    if data[:8] != b"!<arch>\n":
        raise ValueError("no ar archive")
    position = 8
    while position + 60 <= len(data):
        header = data[position : position + 60]
        size = int(header[48:58])
        name = header[:16].rstrip().rstrip(b"/").decode("ascii", "surrogateescape")
        yield _Member(name, "file", 0o644, data[position + 60 : position + 60 + size])
        position += 60 + size + size % 2


def _members(path: str, type: str) -> Iterator[_Member]:
    import tarfile
    import zipfile

    kind = _kind_of(path, type)
    if kind == "zip":
        with zipfile.ZipFile(path) as archive:
            yield from _zip_members(archive)
    elif kind == "tar":
        with tarfile.open(path) as file:
            yield from _tar_members(file)
    else:
        with open(path, "rb") as stream:
            yield from _ar_members(stream.read())


def _relative(archive: str, path: str) -> str:
    """The member's path without '.' parts; raises ArchiveError when it is absolute or climbs."""
    if path.startswith("/"):
        raise _refuse(archive, path, "has an absolute path")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise _refuse(archive, path, "leaves the directory with '..'")
    if any("\0" in part or "\\" in part for part in parts):
        raise _refuse(archive, path, "has a character in its path that no file name may hold")
    return "/".join(parts)


def inside(path: str, root: str) -> bool:
    """Whether `path`, both being normalised and absolute, is `root` or lies beneath it."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def unpack(
    archive: str,
    directory: str,
    *,
    type: str = "",
    strip_prefix: str = "",
    rename: Mapping[str, str] | None = None,
) -> None:
    """Unpacks `archive` into `directory`, both as the process opens them.

    type: the ending that says the format, empty for that of the archive's name.
    strip_prefix: a directory in the archive; only what is below it is unpacked.
    rename: path in the archive (before stripping) -> another path.
    Raises ArchiveError for a broken archive and for members whose path, or whose link's target, lies outside.
    """
    root = os.path.realpath(directory)
    prefix = _relative(archive, strip_prefix)
    renamed = rename or {}
    tops: set[str] = set()
    import lzma
    import tarfile
    import zipfile

    found = False
    try:
        for member in _members(archive, type):
            original = _relative(archive, renamed.get(member.path, member.path))
            tops.add(original.split("/", 1)[0])
            path = _stripped(original, prefix)
            if path is None:
                continue
            found = True
            if path:
                _place(archive, root, path, prefix, member)
    except (OSError, EOFError, ValueError, tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError) as error:
        raise ArchiveError(Diagnostic(f"cannot unpack the archive: {str(error).lower()}", Location(archive))) from None
    if prefix and not found:
        raise ArchiveError(
            Diagnostic(
                f"no directory {strip_prefix!r} (strip_prefix) in the archive",
                Location(archive),
                help=suggestion(prefix, tops) or "it holds " + ", ".join(repr(top) for top in sorted(tops)[:8]),
            )
        )


def _stripped(path: str, prefix: str) -> str | None:
    if not prefix:
        return path
    if path == prefix:
        return ""
    return path[len(prefix) + 1 :] if path.startswith(prefix + "/") else None


def _place(archive: str, root: str, path: str, prefix: str, member: _Member) -> None:
    target = os.path.join(root, path)
    parent = os.path.dirname(target)
    if not inside(os.path.realpath(parent), root):
        raise _refuse(archive, member.path, "leaves the directory through a symbolic link")
    if member.kind == "directory":
        if os.path.islink(target) and not inside(os.path.realpath(target), root):
            raise _refuse(archive, member.path, "leaves the directory through a symbolic link")
        os.makedirs(target, exist_ok=True)
        return
    os.makedirs(parent, exist_ok=True)
    if os.path.lexists(target):
        os.unlink(target)
    if member.kind == "link":
        if os.path.isabs(member.target) or not inside(os.path.normpath(os.path.join(parent, member.target)), root):
            raise _refuse(archive, member.path, f"is a symbolic link out of the directory, to {member.target!r}")
        if not inside(os.path.realpath(os.path.join(parent, member.target)), root):
            raise _refuse(archive, member.path, f"is a symbolic link out of the directory, to {member.target!r}")
        os.symlink(member.target, target)
    elif member.kind == "hardlink":
        linked = _stripped(_relative(archive, member.target), prefix)
        source = os.path.join(root, linked or "")
        if linked is None or not inside(os.path.realpath(source), root) or not os.path.isfile(source):
            raise _refuse(archive, member.path, f"is a link to {member.target!r}, which is not unpacked")
        with open(source, "rb") as stream:
            _write(target, stream.read(), os.stat(source).st_mode)
    elif member.kind == "file":
        _write(target, member.data, member.mode)
    else:
        raise _refuse(archive, member.path, "is neither a file, a directory nor a link")


def _write(path: str, data: bytes, mode: int) -> None:
    with open(path, "xb") as file:
        file.write(data)
    os.chmod(path, 0o755 if mode & 0o100 else 0o644)


def file_digest(path: str, algorithm: str = "sha256") -> str:
    """Hexadecimal digest of a file's content; raises OSError."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()
